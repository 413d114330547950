//! Exceptions: raw traces, finding the handler, readable stack traces.
//!
//! Raising is cheap: it notes up to eight return sites in a raw trace, an opaque object on the heap. Only
//! who asks for a stack trace pays for building one. A raw trace is one of
//!
//! * `raw`: shaped as a bignum whose digits are `class, n, (function, line) * n`;
//! * `[Head | raw]`: `Head` is a ready first entry, `{M, F, Args, Location}`;
//! * `{raw, List}`: a complete trace, given to `erlang:raise/3`.

use crate::atoms;
use crate::bif::error_module;
use crate::code::{Export, FunEntry, Function, ModuleInfo, ReturnSite};
use crate::heap::Alloc;
use crate::num::ArithError;
use crate::process::{BailKind, Class, Process, flag};
use crate::term::{Term, header, sub};
use std::sync::atomic::Ordering;

/// Entries of a stack trace, as OTP's default of `backtrace_depth`.
const DEPTH: usize = 8;

/// The module and line that an instruction belongs to.
#[derive(Clone, Copy)]
pub struct Location {
    pub function: *const Function,
    /// file index << 24 | line, or 0.
    pub line: u32,
}

// ---- setting up the trace of the exception in p.exc

/// The exception came up in the instruction at `ip`.
pub fn trace_here(p: &mut Process, ip: *const u64) {
    finish(p, Some(crate::modules::locate(ip)), None);
}

/// No clause of `function` matched: its arguments take the place of its arity.
pub fn trace_function_clause(p: &mut Process, ip: *const u64, function: &Function, args: &[Term]) {
    let at = crate::modules::locate(ip);
    let info = location_list(p, at.function, at.line, Term::NIL);
    let list = p.list(args);
    let head = p.tuple(&[function.module, function.function, list, info]);
    finish(p, None, Some(head));
    p.exc.at = function;
}

/// `M:F(Args)` does not exist.
pub fn trace_undef(p: &mut Process, module: Term, function: Term, args: &[Term]) {
    let list = p.list(args);
    let head = p.tuple(&[module, function, list, Term::NIL]);
    finish(p, None, Some(head));
}

/// A built-in failed in the instruction at `ip`, which is not a call.
pub fn trace_bif(p: &mut Process, ip: *const u64, module: Term, function: Term, args: &[Term]) {
    let head = bif_head(p, module, function, args);
    finish(p, Some(crate::modules::locate(ip)), Some(head));
}

/// A built-in that was called failed: the caller's return site is on the stack.
pub fn trace_bif_called(p: &mut Process, module: Term, function: Term, args: &[Term]) {
    let head = bif_head(p, module, function, args);
    finish(p, None, Some(head));
}

/// A guard built-in failed in a body.
pub fn guard_bif_failed(p: &mut Process, ip: *const u64, e: &Export, args: &[Term]) {
    p.bail = BailKind::None;
    trace_bif(p, ip, e.module, e.function, args);
}

/// As [`trace_bif_called`], for exports and for built-ins that go on under no name of their own.
pub fn trace_called_bif<'a>(p: &mut Process, e: impl Into<Option<&'a Export>>, args: &[Term]) {
    p.bail = BailKind::None;
    // A built-in that stopped part-way and failed later says whose error it is: `{M, F, Args}`.
    if let Some(mfa) = p.exc.args.tuple_of(3) {
        let args = mfa[2].to_vec().unwrap_or_default();
        p.exc.args = Term::NONE;
        return trace_bif_called(p, mfa[0], mfa[1], &args);
    }
    match e.into() {
        Some(e) if !explicit(e) => trace_bif_called(p, e.module, e.function, args),
        _ if p.exc.complete => {
            // erlang:raise/3: exc.trace holds the list.
            let raw = raw(p, &[]);
            p.exc.trace = p.tuple(&[raw, p.exc.trace]);
        }
        _ => finish(p, None, None),
    }
}

/// A built-in failed that the instruction at `ip` called as its last.
pub fn apply_last_failed(p: &mut Process, ip: *const u64, e: &Export, args: &[Term]) {
    if explicit(e) {
        trace_here(p, ip);
    } else {
        trace_bif(p, ip, e.module, e.function, args);
    }
}

/// Functions that raise what they are told to: the caller, not they, leads the trace.
fn explicit(e: &Export) -> bool {
    e.module == atoms::ERLANG
        && match e.function {
            atoms::ERROR => (1..=3).contains(&e.arity),
            // exit/2 sends a signal.
            atoms::EXIT | atoms::THROW => e.arity == 1,
            atoms::RAISE => e.arity == 3,
            atoms::NIF_ERROR => matches!(e.arity, 1 | 2),
            _ => false,
        }
}

fn bif_head(p: &mut Process, module: Term, function: Term, args: &[Term]) -> Term {
    let mut info = Term::NIL;
    if p.exc.class == Class::Error
        && let Some(explains) = error_module(atoms::name(module))
    {
        let explains = atoms::intern(explains);
        let mut pairs = vec![(atoms::MODULE, explains)];
        if !p.exc.cause.is_none() {
            let extra = p.exc.cause;
            // A cause is a plain term, or a map of its own to take over entirely.
            if extra.is_map() {
                pairs.extend(crate::map::iter(extra).filter(|kv| kv.0 != atoms::MODULE));
            } else {
                pairs.push((atoms::CAUSE, extra));
            }
        }
        let map = crate::map::from_pairs(p, &mut pairs).unwrap_or(Term::NIL);
        let pair = p.tuple(&[atoms::ERROR_INFO, map]);
        info = p.list(&[pair]);
    }
    let list = p.list(args);
    p.tuple(&[module, function, list, info])
}

/// Sets the error of an arithmetic instruction.
pub fn arith(p: &mut Process, e: ArithError) -> crate::bif::Bail {
    match e {
        ArithError::SystemLimit => p.system_limit(),
        _ => p.badarith(),
    }
}

/// OTP before 26 adds a small integer to a register, and takes a positive one away from it, by an instruction of their own: a failure
/// does not show as a call of `erlang:'+'/2` in stack traces. `word` is the instruction; a constant beside a constant came
/// through a scratch register.
pub fn is_increment(name: Term, word: u64, args: &[Term]) -> bool {
    use crate::instr::{KIND_CONST, KIND_Y, SCRATCH};
    if crate::release::since(26) {
        return false;
    }
    let slot = |n: u32| (word >> n) as u16;
    let constant = |n: u32| slot(n) & KIND_CONST != 0;
    let register = |n: u32| !constant(n) && (slot(n) & KIND_Y != 0 || slot(n) / 8 < SCRATCH);
    match name {
        atoms::PLUS => {
            (constant(16) && args[0].is_small() && register(32))
                || (constant(32) && args[1].is_small() && register(16))
        }
        atoms::MINUS => constant(32) && args[1].as_small().is_some_and(|n| n >= 0) && register(16),
        _ => false,
    }
}

/// An apply whose module or function is no atom: badarg of erlang:apply/3.
pub fn bad_apply(p: &mut Process, ip: *const u64, module: Term, function: Term, args: &[Term]) {
    let list = p.list(args);
    let _ = p.badarg();
    trace_bif(p, ip, atoms::ERLANG, atoms::APPLY, &[module, function, list]);
}

/// A call of something that is no fun, or with the wrong number of arguments.
pub fn bad_fun(p: &mut Process, ip: *const u64, fun: Term, args: &[Term]) {
    if fun.is_fun() {
        let list = p.list(args);
        let pair = p.tuple(&[fun, list]);
        let _ = p.error_pair(atoms::BADARITY, pair);
    } else {
        let _ = p.error_pair(atoms::BADFUN, fun);
    }
    trace_here(p, ip);
}

fn finish(p: &mut Process, here: Option<Location>, head: Option<Term>) {
    p.bail = BailKind::None;
    let limit = if head.is_some() { DEPTH - 1 } else { DEPTH };
    let mut found: [Location; DEPTH] = [Location { function: std::ptr::null(), line: 0 }; DEPTH];
    let mut n = 0;
    if let Some(here) = here.filter(|h| !h.function.is_null()) {
        found[0] = here;
        n = 1;
        p.exc.at = here.function;
    }
    let mut q = p.heap.stack;
    while q < p.heap.end && n < limit {
        // SAFETY: between stack pointer and end lie live words; those with tag 00 are return sites.
        let word = unsafe { *q };
        if word.is_header() {
            let site = unsafe { &*(word.0 as *const ReturnSite) };
            // A function that called itself in a loop of frames shows once for each frame.
            if !site.function.is_null() {
                found[n] = Location { function: site.function, line: site.line };
                n += 1;
            }
        }
        q = q.wrapping_add(1);
    }
    let mut head = head;
    let mut skip = 0;
    if !p.exc.args.is_none() && n > 0 {
        // erlang:error/2,3: the caller with its arguments.
        // SAFETY: function records live as long as the machine.
        let f = unsafe { &*found[0].function };
        let info = location_list(p, found[0].function, found[0].line, p.exc.info);
        head = Some(p.tuple(&[f.module, f.function, p.exc.args, info]));
        skip = 1;
    } else if !p.exc.info.is_none() && n > 0 {
        let f = unsafe { &*found[0].function };
        let info = location_list(p, found[0].function, found[0].line, p.exc.info);
        head = Some(p.tuple(&[f.module, f.function, Term::small(f.arity as i64), info]));
        skip = 1;
    }
    let raw = raw(p, &found[skip..n]);
    p.exc.trace = match head {
        Some(head) => p.cons(head, raw),
        None => raw,
    };
}

fn raw(p: &mut Process, found: &[Location]) -> Term {
    let t = p.alloc(3 + 2 * found.len());
    // SAFETY: fresh words of that number.
    unsafe {
        *t = Term(header(sub::POS_BIG, 2 + 2 * found.len()));
        *t.add(1) = Term(p.exc.class as u64);
        *t.add(2) = Term(found.len() as u64);
        for (i, l) in found.iter().enumerate() {
            *t.add(3 + 2 * i) = Term(l.function as u64);
            *t.add(4 + 2 * i) = Term(l.line as u64);
        }
    }
    Term::boxed_ptr(t)
}

/// The raw object inside a raw trace, if it is one.
fn raw_of(trace: Term) -> Option<Term> {
    let raw = if trace.is_cons() {
        trace.tail()
    } else if let Some(pair) = trace.tuple_of(2) {
        pair[0]
    } else {
        trace
    };
    (raw.is_sub(sub::POS_BIG) && raw.body().len() >= 2).then_some(raw)
}

// ---- raising again

/// The instruction `raise`: goes on with an exception as it was caught.
pub fn reraise(p: &mut Process, ip: *const u64, trace: Term, value: Term) {
    let class = match raw_of(trace).map(|r| r.word(1).0) {
        Some(1) => Class::Exit,
        Some(2) => Class::Throw,
        _ => Class::Error,
    };
    let _ = p.raise(class, value);
    p.bail = BailKind::None;
    p.exc.at = crate::modules::locate(ip).function;
    p.exc.trace = trace;
}

/// The instruction `raw_raise`: class, value and raw trace given.
pub fn raw_raise(p: &mut Process, ip: *const u64, class: Class, value: Term, trace: Term) {
    let _ = p.raise(class, value);
    p.bail = BailKind::None;
    p.exc.at = crate::modules::locate(ip).function;
    // The class is part of the raw trace, for a later `raise`: write it into a fresh one.
    p.exc.trace = match raw_of(trace) {
        Some(old) => {
            let body: Vec<Term> = old.body().to_vec();
            let new = p.boxed(sub::POS_BIG, body.len());
            p.fill(new, &body);
            // SAFETY: word 1 of the object just made.
            unsafe { *new.ptr().add(1) = Term(class as u64) };
            if trace.is_cons() {
                p.cons(trace.head(), new)
            } else if let Some(pair) = trace.tuple_of(2) {
                p.tuple(&[new, pair[1]])
            } else {
                new
            }
        }
        None => {
            let raw = raw(p, &[]);
            p.tuple(&[raw, trace])
        }
    };
}

// ---- finding the handler

/// Sets x0 to x3 for the nearest handler and returns its address; `None`: the process dies, with the exit
/// reason in `exc.reason`. Linear in the stack up to the handler.
pub fn unwind(p: &mut Process, x: *mut Term) -> Option<*const u64> {
    p.bail = BailKind::None;
    if p.catches > 0 {
        let mut frame = p.heap.stack;
        let mut q = p.heap.stack;
        let mut function = p.exc.at;
        while q < p.heap.end {
            // SAFETY: live words of the stack.
            let word = unsafe { *q };
            if word.is_header() {
                frame = q.wrapping_add(1);
                // SAFETY: words with this tag on the stack are return sites.
                function = unsafe { (*(word.0 as *const ReturnSite)).function };
            } else if word.is_catch()
                && let Some(handler) = crate::modules::catch_handler(word)
                // A slot that is not initialised yet may hold an old tag; one of this function's cannot.
                && std::ptr::eq(handler.function.load(Ordering::Acquire), function)
            {
                p.heap.stack = frame;
                // SAFETY: there are at least four x registers.
                unsafe {
                    *x = Term::NONE;
                    *x.add(1) = p.exc.class.atom();
                    *x.add(2) = p.exc.reason;
                    *x.add(3) = p.exc.trace;
                }
                clear(p);
                return Some(handler.ip.load(Ordering::Acquire));
            }
            q = q.wrapping_add(1);
        }
    }
    let (class, mut reason) = (p.exc.class, p.exc.reason);
    if class != Class::Exit {
        let stack = stacktrace(p, p.exc.trace);
        if class == Class::Throw {
            reason = p.tuple(&[atoms::NOCATCH, reason]);
        }
        reason = p.tuple(&[reason, stack]);
    }
    clear(p);
    p.exc.reason = reason;
    if class != Class::Exit {
        crate::sched::report_crash(p, class, reason);
    }
    None
}

/// Nothing of a handled exception stays reachable.
fn clear(p: &mut Process) {
    p.exc.reason = Term::NIL;
    p.exc.trace = Term::NIL;
    p.exc.args = Term::NONE;
    p.exc.info = Term::NONE;
    p.exc.cause = Term::NONE;
    p.exc.complete = false;
}

// ---- readable traces

/// `[{file, F}, {line, L}]`, with `{error_info, I}` behind if there is any.
fn location_list(p: &mut Process, function: *const Function, line: u32, info: Term) -> Term {
    let mut list = Term::NIL;
    if !info.is_none() && !info.is_nil() {
        let pair = p.tuple(&[atoms::ERROR_INFO, info]);
        list = p.cons(pair, list);
    }
    if line != 0 && !function.is_null() {
        // SAFETY: function records live as long as the machine.
        let files = unsafe { &(*function).code.files };
        if let Some(&file) = files.get((line >> 24) as usize) {
            let l = p.tuple(&[atoms::LINE, Term::small((line & 0xFF_FFFF) as i64)]);
            let f = p.tuple(&[atoms::FILE, file]);
            list = p.list_with_tail(&[f, l], list);
        }
    }
    list
}

/// The stack trace as Erlang sees it. A list that is ready already comes back as it is.
pub fn stacktrace(p: &mut Process, trace: Term) -> Term {
    if let Some(pair) = trace.tuple_of(2) {
        return pair[1];
    }
    let Some(raw) = raw_of(trace) else { return trace };
    let body: Vec<Term> = raw.body().to_vec();
    let mut entries = Vec::with_capacity(DEPTH);
    if trace.is_cons() {
        entries.push(trace.head());
    }
    let n = (body[1].0 as usize).min((body.len() - 2) / 2);
    for i in 0..n {
        let function = body[2 + 2 * i].0 as *const Function;
        let line = body[3 + 2 * i].0 as u32;
        entries.push(entry(p, Location { function, line }));
    }
    p.list(&entries)
}

/// `{M, F, Arity, Location}`.
pub fn entry(p: &mut Process, at: Location) -> Term {
    // SAFETY: function records live as long as the machine.
    let f = unsafe { &*at.function };
    let info = location_list(p, at.function, at.line, Term::NONE);
    p.tuple(&[f.module, f.function, Term::small(f.arity as i64), info])
}

/// The return sites on the stack, innermost first: for `process_info(current_stacktrace)`.
pub fn stack_locations(p: &Process, limit: usize) -> Vec<Location> {
    let mut found = Vec::new();
    // A process that asks for its own trace runs: its `ip` is old, and the caller's return site is on the stack.
    if p.has(flag::HIBERNATING) {
        // The stack is gone, and what comes next has not begun.
        found.push(Location { function: hibernate(), line: 0 });
    } else if p.flags & (flag::WAITING | flag::RUNNABLE) != 0 {
        let here = crate::modules::locate(p.ip);
        if !here.function.is_null() {
            found.push(here);
        }
    }
    let mut q = p.heap.stack;
    while q < p.heap.end && found.len() < limit {
        // SAFETY: live words of the stack.
        let word = unsafe { *q };
        if word.is_header() {
            let site = unsafe { &*(word.0 as *const ReturnSite) };
            if !site.function.is_null() {
                found.push(Location { function: site.function, line: site.line });
            }
        }
        q = q.wrapping_add(1);
    }
    found
}

/// The record of `erlang:hibernate/3`, where processes sleep without a stack.
fn hibernate() -> *const Function {
    struct Shared(&'static Function);
    // SAFETY: the record is never written, and what it points to lives for ever.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    static RECORD: std::sync::OnceLock<Shared> = std::sync::OnceLock::new();
    let record = RECORD.get_or_init(|| {
        let module = atoms::ERLANG;
        let code = Box::leak(Box::new(ModuleInfo { name: module, files: Vec::new() }));
        Shared(Box::leak(Box::new(Function { module, function: atoms::intern("hibernate"), arity: 3, code })))
    });
    record.0
}

/// Whether `t` is a fun of the arity that the term `n` says.
pub fn is_function_of(t: Term, n: Term) -> bool {
    let Some(n) = n.as_index() else { return false };
    fun_arity(t) == Some(n as u32)
}

/// The arity of a fun.
pub fn fun_arity(t: Term) -> Option<u32> {
    match t.subtag()? {
        // SAFETY: entries and exports live as long as the machine.
        sub::FUN => Some(unsafe { (*(t.word(1).0 as *const FunEntry)).arity }),
        sub::EXPORT => Some(unsafe { (*(t.word(1).0 as *const Export)).arity }),
        _ => None,
    }
}
