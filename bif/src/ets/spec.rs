//! Match specifications: compiled once, run on terms where they are.
//!
//! A head becomes a flat list of operations, which take their subjects from a stack; a guard or a body becomes trees of
//! calls of built-ins.

use super::access::copied;
use crate::util::text;
use chime_vm::bif::BifFn;
use chime_vm::cmp::{compare, exact_eq};
use chime_vm::heap::Alloc;
use chime_vm::process::{BailKind, Process};
use chime_vm::signal::Parcel;
use chime_vm::term::Term;
use chime_vm::{atoms, map, print};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a specification is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Table,
    /// Arguments of a traced function.
    Trace,
}

/// Deepest nesting of expressions.
const DEPTH: usize = 1000;

enum Op {
    Any,
    /// The first occurrence of a variable.
    Bind(usize),
    /// A later one.
    Same(usize),
    Immediate(Term),
    /// Anything else without variables.
    Equal(Term),
    Tuple(usize),
    Cons,
    /// The values of these keys follow.
    Map(Vec<Term>),
}

enum Expr {
    Const(Term),
    Var(usize),
    /// `'$_'`
    Subject,
    /// `'$$'`
    Bindings,
    Tuple(Vec<Expr>),
    List(Vec<Expr>, Box<Expr>),
    Map(Vec<(Expr, Expr)>),
    Call(BifFn, Vec<Expr>),
    Compare(Comparison, Box<(Expr, Expr)>),
    Length(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    AndAlso(Vec<Expr>),
    OrElse(Vec<Expr>),
    Message(Box<Expr>),
    /// `return_trace` and `exception_trace`.
    Flag(Term),
    /// A special form of tracing that has no effect here, and its value.
    Effect(Vec<Expr>, Term),
}

/// A comparison, which cannot fail.
#[derive(Clone, Copy)]
enum Comparison {
    Order(fn(Ordering) -> bool),
    /// `=:=`, or `=/=` for `false`.
    Exact(bool),
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "<" => Comparison::Order(Ordering::is_lt),
        ">" => Comparison::Order(Ordering::is_gt),
        "=<" => Comparison::Order(Ordering::is_le),
        ">=" => Comparison::Order(Ordering::is_ge),
        "==" => Comparison::Order(Ordering::is_eq),
        "/=" => Comparison::Order(Ordering::is_ne),
        "=:=" => Comparison::Exact(true),
        "=/=" => Comparison::Exact(false),
        _ => return None,
    })
}

struct Clause {
    head: Vec<Op>,
    /// Variables by number, with their places.
    vars: Vec<(u64, usize)>,
    guards: Vec<Expr>,
    body: Vec<Expr>,
}

pub struct Spec {
    clauses: Vec<Clause>,
    /// Heads and bodies as they were given.
    source: Vec<(Term, Term)>,
    dialect: Dialect,
    slots: usize,
    /// What all the terms live in.
    _terms: Parcel,
}

// SAFETY: the terms are immutable and live in the specification's own fragments.
unsafe impl Send for Spec {}
unsafe impl Sync for Spec {}

/// The number of a variable: `'$0'`, `'$1'`, …
pub fn variable(t: Term) -> Option<u64> {
    let digits = text(t).strip_prefix('$')?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (plain && (digits == "0" || !digits.starts_with('0'))).then(|| digits.parse().ok())?
}

/// Whether a pattern stands for one term: it has no variables, and no maps, which match larger ones.
pub fn is_ground(t: Term) -> bool {
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if t.is_atom() {
            if t == atoms::ANY || variable(t).is_some() {
                return false;
            }
        } else if t.is_cons() {
            stack.push(t.tail());
            stack.push(t.head());
        } else if let Some(e) = t.tuple() {
            stack.extend_from_slice(e);
        } else if t.is_map() {
            return false;
        }
    }
    true
}

/// The guard functions, by name and arity.
static FUNCTIONS: LazyLock<HashMap<(Term, usize), BifFn>> = LazyLock::new(|| {
    const NAMES: &str = " is_atom/1 is_float/1 is_integer/1 is_list/1 is_number/1 is_pid/1 is_port/1 is_reference/1 \
        is_tuple/1 is_map/1 is_binary/1 is_bitstring/1 is_boolean/1 is_function/1 is_function/2 is_record/3 abs/1 \
        element/2 hd/1 node/0 node/1 round/1 size/1 map_size/1 map_get/2 is_map_key/2 bit_size/1 byte_size/1 \
        tuple_size/1 tl/1 trunc/1 ceil/1 floor/1 float/1 binary_part/2 binary_part/3 min/2 max/2 self/0 +/1 -/1 +/2 \
        -/2 */2 //2 div/2 rem/2 band/2 bor/2 bxor/2 bnot/1 bsl/2 bsr/2 >/2 >=/2 </2 =</2 =:=/2 ==/2 =/=/2 /=/2 \
        not/1 xor/2 ";
    let all = crate::tables().into_iter().flatten().filter(|b| b.module == "erlang");
    let listed = all.filter(|b| NAMES.contains(&format!(" {}/{} ", b.name, b.arity)));
    listed.map(|b| ((atoms::intern(b.name), b.arity as usize), b.call)).collect()
});

// ---- compiling

struct Compiler {
    dialect: Dialect,
    vars: Vec<(u64, usize)>,
    errors: Vec<String>,
}

fn show(t: Term) -> String {
    print::to_string_limited(t, 1000)
}

/// Compiles a specification; else, what is wrong with it.
pub fn compile(ms: Term, dialect: Dialect) -> Result<Spec, Vec<String>> {
    let terms = Parcel::whole(ms);
    let ms = terms.term();
    let fail = |s: &str| Err(vec![s.to_string()]);
    if !ms.is_cons() {
        return fail("Match programs are not in a list.");
    }
    let mut it = ms.iter();
    let mut c = Compiler { dialect, vars: Vec::new(), errors: Vec::new() };
    let (mut clauses, mut source) = (Vec::new(), Vec::new());
    for t in it.by_ref() {
        let Some(&[head, guards, body]) = t.tuple() else {
            return fail("Match program part is not a tuple of arity 3.");
        };
        source.push((head, body));
        clauses.push(c.clause(head, guards, body));
    }
    if !it.rest.is_nil() {
        return fail("Match programs are not in a proper list.");
    }
    if !c.errors.is_empty() {
        return Err(c.errors);
    }
    let slots = clauses.iter().map(|c| c.vars.len()).max().unwrap_or(0);
    Ok(Spec { clauses, source, dialect, slots, _terms: terms })
}

/// The specification of `match` (the result is the bindings) or `match_object` (the object); `None`: the pattern is none.
pub fn of_pattern(pattern: Term, bindings: bool) -> Option<Spec> {
    let terms = Parcel::whole(pattern);
    let pattern = terms.term();
    let mut c = Compiler { dialect: Dialect::Table, vars: Vec::new(), errors: Vec::new() };
    let head = c.head(pattern);
    let mut vars = c.vars;
    vars.sort_unstable();
    let slots = vars.len();
    let body = vec![if bindings { Expr::Bindings } else { Expr::Subject }];
    let clauses = vec![Clause { head, vars, guards: Vec::new(), body }];
    let source = vec![(pattern, Term::NIL)];
    c.errors.is_empty().then_some(Spec { clauses, source, dialect: Dialect::Table, slots, _terms: terms })
}

impl Compiler {
    fn error(&mut self, s: String) -> Expr {
        self.errors.push(s);
        Expr::Const(Term::NIL)
    }
    fn clause(&mut self, head: Term, guards: Term, body: Term) -> Clause {
        self.vars.clear();
        let ops = self.head(head);
        let guards = self.list(guards, true);
        let body = if self.dialect == Dialect::Table && !body.is_cons() {
            self.error("Body clause does not return anything.".into());
            Vec::new()
        } else {
            self.list(body, false)
        };
        let mut vars = self.vars.clone();
        vars.sort_unstable();
        Clause { head: ops, vars, guards, body }
    }
    fn head(&mut self, head: Term) -> Vec<Op> {
        if self.dialect == Dialect::Trace {
            let mut it = head.iter();
            it.by_ref().for_each(drop);
            let open = variable(head).is_some() || head == atoms::ANY;
            if head.is_cons() && !it.rest.is_nil() {
                self.error(format!("Match expression part {} is not a proper list.", show(head)));
            } else if !head.is_list() && !open && !head.is_tuple() {
                self.error("Match head is invalid in current dialect.".into());
            }
        }
        let (mut ops, mut rest) = (Vec::new(), vec![head]);
        while let Some(t) = rest.pop() {
            ops.push(if t.is_cons() {
                rest.push(t.tail());
                rest.push(t.head());
                Op::Cons
            } else if t == atoms::ANY {
                Op::Any
            } else if let Some(n) = variable(t) {
                match self.vars.iter().find(|v| v.0 == n) {
                    Some(v) => Op::Same(v.1),
                    None => {
                        self.vars.push((n, self.vars.len()));
                        Op::Bind(self.vars.len() - 1)
                    }
                }
            } else if t.is_immed() {
                Op::Immediate(t)
            } else if let Some(e) = t.tuple() {
                rest.extend(e.iter().rev());
                Op::Tuple(e.len())
            } else if t.is_map() {
                let pairs: Vec<(Term, Term)> = map::iter(t).collect();
                for k in &pairs {
                    self.map_key(k.0);
                }
                rest.extend(pairs.iter().rev().map(|p| p.1));
                Op::Map(pairs.into_iter().map(|p| p.0).collect())
            } else {
                Op::Equal(t)
            });
        }
        ops
    }
    fn map_key(&mut self, key: Term) {
        let mut stack = vec![key];
        while let Some(t) = stack.pop() {
            if t == atoms::ANY {
                self.error("Underscore found in map key.".into());
                return;
            } else if variable(t).is_some() {
                self.error("Variable found in map key.".into());
                return;
            } else if t.is_cons() {
                stack.push(t.tail());
                stack.push(t.head());
            } else if let Some(e) = t.tuple() {
                stack.extend_from_slice(e);
            } else if t.is_map() {
                stack.extend(map::iter(t).flat_map(|p| [p.0, p.1]));
            }
        }
    }
    fn list(&mut self, t: Term, guard: bool) -> Vec<Expr> {
        if !t.is_list() {
            self.error("Match expression is not a list.".into());
            return Vec::new();
        }
        let mut it = t.iter();
        let v = it.by_ref().map(|e| self.expr(e, guard, 0)).collect();
        if !it.rest.is_nil() {
            self.error("Match expression is not a proper list.".into());
        }
        v
    }
    fn expr(&mut self, t: Term, guard: bool, depth: usize) -> Expr {
        if depth > DEPTH {
            return self.error("Expression is nested too deeply.".into());
        }
        let same = |e: &Expr, t: Term| matches!(e, Expr::Const(c) if *c == t);
        if t.is_atom() {
            return match t {
                atoms::DOLLAR_ANY => Expr::Subject,
                atoms::DOLLAR_DOLLAR => Expr::Bindings,
                _ if self.dialect == Dialect::Trace && text(t) == "$*" => Expr::Subject,
                _ => match variable(t) {
                    None => Expr::Const(t),
                    Some(n) => match self.vars.iter().find(|v| v.0 == n) {
                        Some(v) => Expr::Var(v.1),
                        None => self.error(format!("Variable ${n} is unbound.")),
                    },
                },
            };
        }
        if t.is_cons() {
            let mut it = t.iter();
            let items: Vec<Term> = it.by_ref().collect();
            let exprs: Vec<Expr> = items.iter().map(|&e| self.expr(e, guard, depth + 1)).collect();
            let tail = self.expr(it.rest, guard, depth + 1);
            if exprs.iter().zip(&items).all(|(e, &t)| same(e, t)) && same(&tail, it.rest) {
                return Expr::Const(t);
            }
            return Expr::List(exprs, Box::new(tail));
        }
        if t.is_map() {
            let pairs: Vec<(Term, Term)> = map::iter(t).collect();
            let exprs: Vec<(Expr, Expr)> = pairs
                .iter()
                .map(|p| (self.expr(p.0, guard, depth + 1), self.expr(p.1, guard, depth + 1)))
                .collect();
            if exprs.iter().zip(&pairs).all(|(e, p)| same(&e.0, p.0) && same(&e.1, p.1)) {
                return Expr::Const(t);
            }
            return Expr::Map(exprs);
        }
        let Some(e) = t.tuple() else { return Expr::Const(t) };
        if let &[inner] = e
            && let Some(items) = inner.tuple()
        {
            let exprs: Vec<Expr> = items.iter().map(|&e| self.expr(e, guard, depth + 1)).collect();
            if exprs.iter().zip(items).all(|(e, &t)| same(e, t)) {
                return Expr::Const(inner);
            }
            return Expr::Tuple(exprs);
        }
        match e.first() {
            Some(&f) if f.is_atom() && variable(f).is_none() => self.call(t, f, &e[1..], guard, depth),
            _ => {
                let what = "is neither a function call, nor a tuple (tuples are written {{ ... }}).";
                self.error(format!("{} {what}", show(t)))
            }
        }
    }
    fn call(&mut self, t: Term, f: Term, args: &[Term], guard: bool, depth: usize) -> Expr {
        let name = text(f);
        if name == "const" {
            return match *args {
                [x] => Expr::Const(x),
                _ => self.error(format!(
                    "Special form 'const' called with more than one argument in {}.",
                    show(t)
                )),
            };
        }
        let logic = matches!(name, "and" | "or" | "andalso" | "orelse");
        if logic && args.is_empty() {
            return self.error(format!("Special form '{name}' called without arguments in {}.", show(t)));
        }
        if let Some(special) = self.special(name, args.len(), guard) {
            let Ok(value) = special else { return Expr::Const(Term::NIL) };
            let mut exprs: Vec<Expr> = args.iter().map(|&a| self.expr(a, guard, depth + 1)).collect();
            return match name {
                "message" => Expr::Message(Box::new(exprs.remove(0))),
                "return_trace" | "exception_trace" => Expr::Flag(f),
                _ => Expr::Effect(exprs, value),
            };
        }
        let mut exprs: Vec<Expr> = args.iter().map(|&a| self.expr(a, guard, depth + 1)).collect();
        match name {
            "and" => return Expr::And(exprs),
            "or" => return Expr::Or(exprs),
            "andalso" => return Expr::AndAlso(exprs),
            "orelse" => return Expr::OrElse(exprs),
            "length" if args.len() == 1 => return Expr::Length(Box::new(exprs.remove(0))),
            _ => {}
        }
        if let Some(how) = comparison(name)
            && let Ok([x, y]) = <[Expr; 2]>::try_from(std::mem::take(&mut exprs)).map_err(|e| exprs = e)
        {
            return Expr::Compare(how, Box::new((x, y)));
        }
        match FUNCTIONS.get(&(f, args.len())) {
            Some(&call) => Expr::Call(call, exprs),
            None => self.error(format!("Function {}/{} does_not_exist.", show(f), args.len())),
        }
    }
    /// A special form of tracing: its value, or that it may not stand here.
    fn special(&mut self, name: &str, arity: usize, guard: bool) -> Option<Result<Term, ()>> {
        let (right, value, anywhere) = match name {
            "message" => (arity == 1, atoms::TRUE, false),
            "return_trace" | "exception_trace" => (arity == 0, atoms::TRUE, false),
            "process_dump" => (arity == 0, atoms::TRUE, false),
            "display" => (arity == 1, atoms::TRUE, false),
            "silent" => (arity == 1, atoms::TRUE, false),
            "trace" => (arity == 2 || arity == 3, atoms::TRUE, false),
            "enable_trace" | "disable_trace" => (arity == 1 || arity == 2, atoms::TRUE, false),
            "set_seq_token" => (arity == 2, atoms::FALSE, false),
            "get_seq_token" => (arity == 0, Term::NIL, true),
            "is_seq_trace" => (arity == 0, atoms::FALSE, true),
            "caller" | "caller_line" => (arity == 0, atoms::UNDEFINED, true),
            "get_tcw" => (arity == 0, Term::small(0), true),
            "set_tcw" => (arity == 1, Term::small(0), false),
            _ => return None,
        };
        let wrong = if self.dialect == Dialect::Table {
            match name {
                "get_tcw" | "set_tcw" => format!("Function {name}/{arity} cannot be called in this context."),
                "set_seq_token" => "Special form 'set_seq_trace' used in wrong dialect.".into(),
                _ => format!("Special form '{name}' used in wrong dialect."),
            }
        } else if !right {
            format!("Special form '{name}' called with wrong number of arguments.")
        } else if guard && !anywhere {
            format!("Special form '{name}' called in guard context.")
        } else {
            return Some(Ok(value));
        };
        self.error(wrong);
        Some(Err(()))
    }
}

// ---- running

/// Registers of a run; may be used again.
pub struct Runner<'a> {
    spec: &'a Spec,
    vars: Vec<Term>,
    stack: Vec<Term>,
    subject: Term,
    message: Option<Term>,
    pub flags: Vec<Term>,
}

struct Failed;
type Value = Result<Term, Failed>;

impl Spec {
    pub fn runner(&self) -> Runner<'_> {
        Runner {
            spec: self,
            vars: vec![Term::NIL; self.slots],
            stack: Vec::with_capacity(16),
            subject: Term::NIL,
            message: None,
            flags: Vec::new(),
        }
    }
    /// Head and body of every clause.
    pub fn source(&self) -> &[(Term, Term)] {
        &self.source
    }
}

impl Runner<'_> {
    fn matches(&mut self, head: &[Op]) -> bool {
        let stack = &mut self.stack;
        stack.clear();
        let mut t = self.subject;
        let last = head.len() - 1;
        for (i, op) in head.iter().enumerate() {
            match op {
                Op::Any => {}
                Op::Bind(v) => self.vars[*v] = t,
                Op::Same(v) => {
                    if !exact_eq(self.vars[*v], t) {
                        return false;
                    }
                }
                Op::Immediate(x) => {
                    if t != *x {
                        return false;
                    }
                }
                Op::Equal(x) => {
                    if !exact_eq(*x, t) {
                        return false;
                    }
                }
                Op::Tuple(n) => match t.tuple_of(*n) {
                    Some(e) => stack.extend(e.iter().rev()),
                    None => return false,
                },
                Op::Cons => {
                    if !t.is_cons() {
                        return false;
                    }
                    stack.push(t.tail());
                    stack.push(t.head());
                }
                Op::Map(keys) => {
                    if !t.is_map() || map::size(t) < keys.len() {
                        return false;
                    }
                    for &k in keys.iter().rev() {
                        match map::get(t, k) {
                            Some(v) => stack.push(v),
                            None => return false,
                        }
                    }
                }
            }
            if i < last {
                match stack.pop() {
                    Some(next) => t = next,
                    None => return false,
                }
            }
        }
        true
    }

    /// Runs the specification on a term, which need not be on the heap; the result is on the caller's. `None`: it does
    /// not match.
    #[inline]
    pub fn run(&mut self, p: &mut Process, subject: Term) -> Option<Term> {
        let spec = self.spec;
        self.subject = subject;
        'clauses: for c in &spec.clauses {
            if !self.matches(&c.head) {
                continue;
            }
            for g in &c.guards {
                match self.eval(p, c, g, true) {
                    Ok(atoms::TRUE) => {}
                    _ => continue 'clauses,
                }
            }
            if spec.dialect == Dialect::Trace {
                self.message = None;
                for e in &c.body {
                    let _ = self.eval(p, c, e, false);
                }
                return Some(self.message.unwrap_or(atoms::TRUE));
            }
            let (last, before) = c.body.split_last()?;
            for e in before {
                let _ = self.eval(p, c, e, false);
            }
            return Some(self.build(p, c, last, false).unwrap_or(atoms::EXIT_UP));
        }
        None
    }

    /// A call failed: as a guard does, or with `'EXIT'` for its value.
    #[cold]
    fn failed(p: &mut Process, guard: bool) -> Value {
        p.bail = BailKind::None;
        p.exc.reason = Term::NIL;
        p.exc.cause = Term::NONE;
        if guard { Err(Failed) } else { Ok(atoms::EXIT_UP) }
    }

    /// The value of an expression; it may refer to the subject.
    fn eval(&mut self, p: &mut Process, c: &Clause, e: &Expr, guard: bool) -> Value {
        match e {
            Expr::Const(t) => Ok(*t),
            Expr::Var(v) => Ok(self.vars[*v]),
            Expr::Subject => Ok(self.subject),
            Expr::Call(f, args) => {
                let mut values = [Term::NIL; 3];
                for (v, a) in values.iter_mut().zip(args) {
                    *v = self.eval(p, c, a, guard)?;
                }
                f(p, &values[..args.len()]).or_else(|_| Self::failed(p, guard))
            }
            Expr::Compare(how, both) => {
                let (x, y) = (self.eval(p, c, &both.0, guard)?, self.eval(p, c, &both.1, guard)?);
                Ok(Term::bool(match how {
                    Comparison::Order(f) if Term::both_small(x, y) => {
                        f(x.small_value().cmp(&y.small_value()))
                    }
                    Comparison::Order(f) => f(compare(x, y)),
                    Comparison::Exact(same) => (x == y || exact_eq(x, y)) == *same,
                }))
            }
            Expr::Length(x) => match self.eval(p, c, x, guard)?.list_len() {
                Some(n) => Ok(Term::small(n as i64)),
                None => Self::failed(p, guard),
            },
            Expr::And(args) | Expr::Or(args) => {
                let and = matches!(e, Expr::And(_));
                let (mut result, mut good) = (and, true);
                for a in args {
                    let t = self.eval(p, c, a, guard)?;
                    good &= t.is_boolean();
                    let t = t == atoms::TRUE;
                    result = if and { result & t } else { result | t };
                }
                if good { Ok(Term::bool(result)) } else { Self::failed(p, guard) }
            }
            Expr::AndAlso(args) | Expr::OrElse(args) => {
                let go_on = Term::bool(matches!(e, Expr::AndAlso(_)));
                for (i, a) in args.iter().enumerate() {
                    let t = self.eval(p, c, a, guard)?;
                    if i + 1 == args.len() || (t.is_boolean() && t != go_on) {
                        return Ok(t);
                    }
                    if t != go_on {
                        return Self::failed(p, guard);
                    }
                }
                Ok(go_on)
            }
            Expr::Message(x) => {
                let t = self.build(p, c, x, guard)?;
                self.message = Some(t);
                Ok(atoms::TRUE)
            }
            Expr::Flag(f) => {
                if !self.flags.contains(f) {
                    self.flags.push(*f);
                }
                Ok(atoms::TRUE)
            }
            Expr::Effect(args, value) => {
                for a in args {
                    self.eval(p, c, a, guard)?;
                }
                Ok(*value)
            }
            Expr::Bindings | Expr::Tuple(_) | Expr::List(..) | Expr::Map(_) => self.build(p, c, e, guard),
        }
    }

    /// The value of an expression, all of it on the caller's heap.
    fn build(&mut self, p: &mut Process, c: &Clause, e: &Expr, guard: bool) -> Value {
        Ok(match e {
            Expr::Tuple(items) => {
                let v = self.build_all(p, c, items, guard)?;
                p.tuple(&v)
            }
            Expr::List(items, tail) => {
                let v = self.build_all(p, c, items, guard)?;
                let tail = self.build(p, c, tail, guard)?;
                p.list_with_tail(&v, tail)
            }
            Expr::Map(pairs) => {
                let mut v = Vec::with_capacity(pairs.len());
                for (k, x) in pairs {
                    let k = self.build(p, c, k, guard)?;
                    v.push((k, self.build(p, c, x, guard)?));
                }
                map::from_list(p, v)
            }
            Expr::Bindings => {
                let v: Vec<Term> = c.vars.iter().map(|&(_, slot)| copied(p, self.vars[slot])).collect();
                p.list(&v)
            }
            _ => {
                let t = self.eval(p, c, e, guard)?;
                copied(p, t)
            }
        })
    }
    fn build_all(
        &mut self,
        p: &mut Process,
        c: &Clause,
        all: &[Expr],
        guard: bool,
    ) -> Result<Vec<Term>, Failed> {
        all.iter().map(|e| self.build(p, c, e, guard)).collect()
    }
}
