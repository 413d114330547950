//! From checked generic instructions to the machine's own (see `instr`).
//!
//! One pass emits words with jump distances left open, a second fills them in. Addresses of return sites and
//! functions are patched when the code has found its place. Constants are terms in the module's literal area.

use crate::atoms;
use crate::code::{Export, FunEntry};
use crate::instr::{KIND_CONST, KIND_RAW, KIND_Y, OPS, Op, SCRATCH};
use crate::term::{Term, header, sub};
use chime_loader::{Instr, Module, Op as G, Operand};

/// What the translator asks of the machine.
pub trait Context {
    fn atom(&self, index: u32) -> Term;
    fn literal(&mut self, index: u32) -> Result<Term, String>;
    fn integer(&mut self, value: i64) -> Term;
    fn big(&mut self, index: u32) -> Term;
    fn export(&mut self, module: Term, function: Term, arity: u32) -> &'static Export;
    fn fun_entry(&mut self, index: u32) -> *const FunEntry;
    fn string(&self) -> *const u8;
    /// A fresh catch tag whose handler is set when the code is placed.
    fn catch_tag(&mut self) -> Term;
}

/// Where a call goes on.
pub struct Site {
    pub word: u32,
    pub function: u32,
    pub line: u32,
    pub frame: u32,
}

/// Translated code, not placed yet.
pub struct Translated {
    pub words: Vec<u64>,
    pub sites: Vec<Site>,
    /// Words that must hold the address of site `.1`.
    pub site_refs: Vec<(u32, u32)>,
    /// Words that must hold the address of function record `.1`.
    pub function_refs: Vec<(u32, u32)>,
    /// Word offset of each label, by number.
    pub labels: Vec<u32>,
    /// Word offset from which a line (file << 24 | line) holds, sorted.
    pub lines: Vec<(u32, u32)>,
    /// Catch tags, the labels of their handlers, and the function they stand in.
    pub catches: Vec<(Term, u32, u32)>,
    /// Word offset of the start (its FuncInfo) of every function, in order.
    pub functions: Vec<u32>,
    /// Word offset at which the translation of each generic instruction starts, for listings.
    pub marks: Vec<u32>,
}

const UNDEFINED: u32 = u32::MAX;

struct Translator<'m, C> {
    m: &'m Module,
    cx: &'m mut C,
    out: Translated,
    /// Word and shift where a 32-bit distance to a label belongs, and the instruction's start.
    fixups: Vec<(u32, u32, u32, u32)>,
    /// Start of the instruction being emitted.
    start: usize,
    /// Constants of the instruction being emitted: (word, shift, value, kind).
    consts: Vec<(usize, u32, u64, u16)>,
    scratch: u16,
    function: u32,
    line: u32,
    frame: u32,
    /// Index of the instruction being translated, and whether it must check the shapes it relies on.
    index: u32,
    unproven: bool,
}

type R = Result<(), String>;

/// Translates a module.
pub fn translate<C: Context>(m: &Module, cx: &mut C) -> Result<Translated, String> {
    let mut t = Translator {
        m,
        cx,
        out: Translated {
            words: Vec::with_capacity(m.instrs.len() * 2),
            sites: Vec::new(),
            site_refs: Vec::new(),
            function_refs: Vec::new(),
            labels: vec![UNDEFINED; m.labels.len()],
            lines: Vec::new(),
            catches: Vec::new(),
            functions: Vec::new(),
            marks: Vec::with_capacity(m.instrs.len()),
        },
        fixups: Vec::new(),
        start: 0,
        consts: Vec::new(),
        scratch: 0,
        function: 0,
        line: 0,
        frame: 0,
        index: 0,
        unproven: false,
    };
    for (i, f) in m.functions.iter().enumerate() {
        t.function = i as u32;
        t.line = 0;
        t.frame = 0;
        let body = m.body(f);
        let (module, name) = (t.cx.atom(0), t.cx.atom(f.name));
        let export = t.cx.export(module, name, f.arity as u32);
        let mut at = 0;
        while at < body.len() {
            let index = f.first + at as u32;
            t.index = index;
            t.unproven = m.unproven.contains(index as usize);
            let start = t.out.words.len() as u32;
            let n = t.instruction(&body[at..])?;
            at += n;
            if (index..index + n as u32).any(|i| m.dead_ends.contains(i as usize)) {
                // Control cannot come out of here in checked code.
                t.begin(Op::CodeEnd, 0, 0, 0);
            }
            t.out.marks.push(start);
            t.out.marks.extend(std::iter::repeat_n(t.out.words.len() as u32, n - 1));
            if export.is_bif()
                && matches!(body[at - 1].op, G::Label)
                && m.args(&body[at - 1])[0] == Operand::Unsigned(f.entry as u64)
            {
                // A built-in takes the place of the body, for calls from inside the module too.
                t.begin(Op::BifStub, f.arity as u16, 0, 0);
                t.export_word(export);
                for i in &body[at..] {
                    if i.op == G::Label
                        && let Operand::Unsigned(l) = m.args(i)[0]
                    {
                        t.out.labels[l as usize] = t.out.words.len() as u32;
                    }
                }
                let rest = body.len() - at;
                t.out.marks.extend(std::iter::repeat_n(t.out.words.len() as u32, rest));
                break;
            }
        }
    }
    t.begin(Op::CodeEnd, 0, 0, 0);
    for &(word, shift, label, start) in &t.fixups {
        let target = t.out.labels[label as usize];
        if target == UNDEFINED {
            return Err(format!("label {label} is not translated"));
        }
        let distance = (target as i64 - start as i64) as i32 as u32 as u64;
        t.out.words[word as usize] |= distance << shift;
    }
    Ok(t.out)
}

impl<C: Context> Translator<'_, C> {
    // ---- emitting

    fn begin(&mut self, op: Op, a: u16, b: u16, c: u16) {
        self.start = self.out.words.len();
        self.out.words.push(op as u64 | (a as u64) << 16 | (b as u64) << 32 | (c as u64) << 48);
    }
    fn word(&mut self, w: u64) {
        self.out.words.push(w);
    }
    /// Notes that 32 bits at `shift` of the last word are the distance to `label`; label 0 stays 0.
    fn jump_at(&mut self, shift: u32, label: u32) {
        if label != 0 {
            self.fixups.push((self.out.words.len() as u32 - 1, shift, label, self.start as u32));
        }
    }
    /// A first word with a distance in its upper half.
    fn begin_jump(&mut self, op: Op, a: u16, label: u32) {
        self.begin(op, a, 0, 0);
        self.jump_at(32, label);
    }
    fn fail_word(&mut self, label: u32, high: u32) {
        self.word((high as u64) << 32);
        self.jump_at(0, label);
    }
    fn site(&mut self) {
        let n = self.out.sites.len() as u32;
        self.out.site_refs.push((self.out.words.len() as u32, n));
        self.word(0);
        self.out.sites.push(Site {
            word: self.out.words.len() as u32,
            function: self.function,
            line: self.line,
            frame: self.frame,
        });
    }
    fn export_word(&mut self, e: &'static Export) {
        self.word(e as *const Export as u64);
    }

    // ---- operands

    fn constant(&mut self, o: Operand) -> Result<Option<Term>, String> {
        Ok(Some(match o {
            Operand::Nil => Term::NIL,
            Operand::Atom(a) => self.cx.atom(a),
            Operand::Int(i) => self.cx.integer(i),
            Operand::Unsigned(u) => self.cx.integer(u as i64),
            Operand::Big(b) => self.cx.big(b),
            Operand::Literal(l) => self.cx.literal(l)?,
            _ => return Ok(None),
        }))
    }
    fn register(o: Operand) -> Option<u16> {
        match o {
            Operand::X(r) => Some(r * 8),
            Operand::Y(r) => Some(r * 8 | KIND_Y),
            _ => None,
        }
    }
    fn dst(o: Operand) -> Result<u16, String> {
        Self::register(o).ok_or_else(|| format!("{o:?} is no register"))
    }
    /// A source as a register: a constant is moved to a scratch register first, so call this before `begin`.
    fn src(&mut self, o: Operand) -> Result<u16, String> {
        if let Some(r) = Self::register(o) {
            return Ok(r);
        }
        let c = self.constant(o)?.ok_or_else(|| format!("{o:?} is no source"))?;
        let r = (SCRATCH + self.scratch) * 8;
        self.scratch = (self.scratch + 1) % 24;
        self.begin(Op::MoveCX, 0, r, 0);
        self.word(c.0);
        Ok(r)
    }
    /// Two sources for an operation with a constant twin: the constant goes behind the instruction.
    fn src2(&mut self, a: Operand, b: Operand) -> Result<(u16, u16, Option<Term>), String> {
        match (Self::register(a), Self::register(b)) {
            (Some(a), Some(b)) => Ok((a, b, None)),
            (Some(a), None) => {
                let c = self.constant(b)?.ok_or("no source")?;
                Ok((a, KIND_CONST, Some(c)))
            }
            (None, Some(b)) => {
                let c = self.constant(a)?.ok_or("no source")?;
                Ok((KIND_CONST, b, Some(c)))
            }
            (None, None) => {
                let a = self.src(a)?;
                let c = self.constant(b)?.ok_or("no source")?;
                Ok((a, KIND_CONST, Some(c)))
            }
        }
    }
    /// Emits `op` or its twin (the next operation) with `extra` words and, last, the constant.
    fn twin(&mut self, op: Op, a: u16, b: u16, d: u16, k: Option<Term>, extra: &[Extra]) {
        let op = if k.is_some() { OPS[op as usize + 1].0 } else { op };
        self.begin(op, a, b, d);
        for e in extra {
            match *e {
                Extra::Fail(label, live) => self.fail_word(label, live),
                Extra::Export(x) => self.export_word(x),
            }
        }
        if let Some(k) = k {
            let offset = ((self.out.words.len() - self.start) * 8) as u16 | KIND_CONST;
            let shift = if a == KIND_CONST { 16 } else { 32 };
            self.out.words[self.start] &= !(0xFFFF << shift);
            self.out.words[self.start] |= (offset as u64) << shift;
            self.word(k.0);
        }
    }

    // ---- wide instructions

    fn wide(&mut self, op: Op, fail: u32, live: u16, operands: &[W]) -> R {
        let n = u16::try_from(operands.len()).map_err(|_| "too many operands")?;
        self.begin(op, n, 0, 0);
        self.word((live as u64) << 48);
        self.jump_at(0, fail);
        let base = self.out.words.len();
        self.out.words.resize(base + operands.len().div_ceil(4), 0);
        for (i, o) in operands.iter().enumerate() {
            let (value, kind) = match *o {
                W::Op(o) => match Self::register(o) {
                    Some(r) => {
                        self.out.words[base + i / 4] |= (r as u64) << (16 * (i % 4));
                        continue;
                    }
                    None => (self.constant(o)?.ok_or_else(|| format!("{o:?} is no source"))?.0, KIND_CONST),
                },
                W::Term(t) => (t.0, KIND_CONST),
                W::Raw(v) => (v, KIND_RAW),
            };
            self.consts.push((base + i / 4, 16 * (i as u32 % 4), value, kind));
        }
        // Equal constants share a word.
        let consts = std::mem::take(&mut self.consts);
        let first = self.out.words.len();
        for (word, shift, value, kind) in consts {
            let at = match self.out.words[first..].iter().position(|&w| w == value) {
                Some(i) => first + i,
                None => {
                    self.word(value);
                    self.out.words.len() - 1
                }
            };
            let offset = (at - self.start) * 8;
            if offset > 0xFFF8 {
                return Err("an instruction with too many constants".into());
            }
            self.out.words[word] |= (offset as u64 | kind as u64) << shift;
        }
        let len = (self.out.words.len() - self.start) as u64;
        self.out.words[self.start + 1] |= len << 32;
        self.out.words[self.start] |= len << 32;
        Ok(())
    }

    // ---- instructions

    /// Translates the first instruction (or a fused group) of `rest`; returns how many it took.
    fn instruction(&mut self, rest: &[Instr]) -> Result<usize, String> {
        let m = self.m;
        let i = &rest[0];
        let args = m.args(i);
        let label = |k: usize| match args[k] {
            Operand::Label(l) => l,
            _ => 0,
        };
        let num = |k: usize| -> u64 {
            match args[k] {
                Operand::Unsigned(u) => u,
                Operand::Int(v) => v as u64,
                Operand::Alloc { words, floats, funs } => {
                    words as u64 + 2 * floats as u64 + FUN_WORDS * funs as u64
                }
                _ => 0,
            }
        };
        self.scratch = 0;
        match i.op {
            G::Label => {
                self.out.labels[num(0) as usize] = self.out.words.len() as u32;
            }
            G::FuncInfo => {
                self.out.functions.push(self.out.words.len() as u32);
                self.begin(Op::FuncInfo, 0, 0, 0);
                self.out.function_refs.push((self.out.words.len() as u32, self.function));
                self.word(0);
                // Clauses jump to the label in front of func_info, which may stand in front of a line.
            }
            G::IntCodeEnd | G::OnLoad | G::NifStart | G::Fclearerror | G::Fcheckerror => {}
            G::Line => {
                let item = m.line.items.get(num(0) as usize);
                self.line = item.map_or(0, |l| l.file << 24 | l.line & 0xFF_FFFF);
                self.out.lines.push((self.out.words.len() as u32, self.line));
            }
            G::ExecutableLine | G::DebugLine => {}
            G::Call => {
                self.begin_jump(Op::Call, 0, label(1));
                self.site();
            }
            G::CallLast => self.begin_jump(Op::CallLast, num(2) as u16, label(1)),
            G::CallOnly => self.begin_jump(Op::CallOnly, 0, label(1)),
            G::CallExt => self.call_ext(args, None)?,
            G::CallExtLast => self.call_ext(args, Some(num(2) as u16))?,
            G::CallExtOnly => self.call_ext(args, Some(u16::MAX))?,
            G::Apply => {
                self.begin(Op::Apply, num(0) as u16, 0, 0);
                self.site();
            }
            G::ApplyLast => self.begin(Op::ApplyLast, num(0) as u16, num(1) as u16, 0),
            G::CallFun => {
                self.begin(Op::CallFun, num(0) as u16, 0, 0);
                self.site();
            }
            G::CallFun2 => {
                let f = self.src(args[2])?;
                self.begin(Op::CallFun2, num(1) as u16, f, 0);
                self.site();
            }
            G::Allocate | G::AllocateZero => self.allocate(num(0), 0, num(1), i.op == G::AllocateZero)?,
            G::AllocateHeap | G::AllocateHeapZero => {
                self.allocate(num(0), num(1), num(2), i.op == G::AllocateHeapZero)?
            }
            G::TestHeap => self.test_heap(num(0), num(1))?,
            G::Move | G::Init | G::InitYregs if let Some(n) = self.moves(rest)? => return Ok(n),
            G::Init => {
                let d = Self::dst(args[0])?;
                self.begin(Op::InitY1, d, 0, 0);
            }
            G::InitYregs => {
                let list = m.list(args[0]);
                if let [one] = list {
                    let d = Self::dst(*one)?;
                    self.begin(Op::InitY1, d, 0, 0);
                } else {
                    let w: Vec<W> = list.iter().map(|&o| W::Op(o)).collect();
                    self.wide(Op::InitY, 0, 0, &w)?;
                }
            }
            G::Deallocate => {
                self.frame = 0;
                if rest.get(1).is_some_and(|n| n.op == G::Return) {
                    self.begin(Op::DeallocateReturn, num(0) as u16, 0, 0);
                    return Ok(2);
                }
                self.begin(Op::Deallocate, num(0) as u16, 0, 0);
            }
            G::Trim => {
                self.frame = num(1) as u32;
                self.begin(Op::Trim, num(0) as u16, 0, 0);
            }
            G::Return => self.begin(Op::Return, 0, 0, 0),
            G::Send => {
                self.begin(Op::Send, 0, 0, 0);
                self.site();
            }
            G::RemoveMessage => self.begin(Op::RemoveMessage, 0, 0, 0),
            G::Timeout => self.begin(Op::Timeout, 0, 0, 0),
            G::LoopRec => {
                let d = Self::dst(args[1])?;
                self.begin_jump(Op::LoopRec, d, label(0));
            }
            G::LoopRecEnd => self.begin_jump(Op::LoopRecEnd, 0, label(0)),
            G::Wait => self.begin_jump(Op::Wait, 0, label(0)),
            G::WaitTimeout => {
                let s = self.src(args[1])?;
                self.begin_jump(Op::WaitTimeout, s, label(0));
            }
            G::RecvMarkerReserve => {
                let d = Self::dst(args[0])?;
                self.begin(Op::RecvMarkerReserve, d, 0, 0);
            }
            G::RecvMarkerBind => {
                let (a, b) = (Self::dst(args[0])?, Self::dst(args[1])?);
                self.begin(Op::RecvMarkerBind, a, b, 0);
            }
            G::RecvMarkerClear => {
                let a = self.src(args[0])?;
                self.begin(Op::RecvMarkerClear, a, 0, 0);
            }
            G::RecvMarkerUse => {
                let a = self.src(args[0])?;
                self.begin(Op::RecvMarkerUse, a, 0, 0);
            }
            // The old marks only told where scanning may start; starting at the front is always right.
            G::RecvMark | G::RecvSet => {}
            G::IsLt => self.compare(Op::IsLt, label(0), args[1], args[2])?,
            G::IsGe => self.compare(Op::IsGe, label(0), args[1], args[2])?,
            G::IsEq => self.compare(Op::IsEq, label(0), args[1], args[2])?,
            G::IsNe => self.compare(Op::IsNe, label(0), args[1], args[2])?,
            G::IsEqExact => self.compare(Op::IsEqExact, label(0), args[1], args[2])?,
            G::IsNeExact => self.compare(Op::IsNeExact, label(0), args[1], args[2])?,
            G::IsInteger => self.test(Op::IsInteger, args)?,
            G::IsFloat => self.test(Op::IsFloat, args)?,
            G::IsNumber => self.test(Op::IsNumber, args)?,
            G::IsAtom => self.test(Op::IsAtom, args)?,
            G::IsPid => self.test(Op::IsPid, args)?,
            G::IsReference => self.test(Op::IsReference, args)?,
            G::IsPort => self.test(Op::IsPort, args)?,
            G::IsNil => self.test(Op::IsNil, args)?,
            G::IsBinary => self.test(Op::IsBinary, args)?,
            G::IsBitstr => self.test(Op::IsBitstr, args)?,
            G::IsList => self.test(Op::IsList, args)?,
            G::IsNonemptyList => {
                // The head and tail of a list that has just been found not to be empty.
                if let Some(n) = rest.get(1).filter(|n| n.op == G::GetList) {
                    let b = m.args(n);
                    if let Some(s) = Self::register(args[1])
                        && Self::register(b[0]) == Some(s)
                    {
                        let (h, t) = (Self::dst(b[1])?, Self::dst(b[2])?);
                        self.begin(Op::GetListOr, s, h, t);
                        self.fail_word(label(0), 0);
                        return Ok(2);
                    }
                }
                self.test(Op::IsNonemptyList, args)?
            }
            G::IsTuple => {
                // is_tuple and test_arity of the same register with the same way out.
                if let Some(n) = rest.get(1).filter(|n| n.op == G::TestArity) {
                    let b = m.args(n);
                    if b[0] == args[0] && Self::register(b[1]) == Self::register(args[1]) {
                        let s = self.src(args[1])?;
                        self.begin_jump(Op::IsTupleOfArity, s, label(0));
                        let Operand::Unsigned(arity) = b[2] else { return Err("arity".into()) };
                        self.word(header(sub::TUPLE, arity as usize));
                        return Ok(2);
                    }
                }
                self.test(Op::IsTuple, args)?
            }
            G::IsMap => self.test(Op::IsMap, args)?,
            G::IsBoolean => self.test(Op::IsBoolean, args)?,
            G::IsFunction => self.test(Op::IsFunction, args)?,
            G::IsFunction2 => {
                let (f, n) = (self.src(args[1])?, self.src(args[2])?);
                self.begin(Op::IsFunction2, f, n, 0);
                self.fail_word(label(0), 0);
            }
            G::TestArity => {
                let s = self.src(args[1])?;
                self.begin_jump(Op::TestArity, s, label(0));
                self.word(header(sub::TUPLE, num(2) as usize));
            }
            G::IsTaggedTuple => {
                let s = self.src(args[1])?;
                let tag = self.constant(args[3])?.ok_or("tag")?;
                self.begin_jump(Op::IsTaggedTuple, s, label(0));
                self.word(header(sub::TUPLE, num(2) as usize));
                self.word(tag.0);
            }
            G::SelectVal => self.select_val(args)?,
            G::SelectTupleArity => {
                let s = self.src(args[0])?;
                let mut rows: Vec<(u64, u32)> = m
                    .list(args[2])
                    .chunks(2)
                    .map(|p| (header(sub::TUPLE, unsigned(p[0]) as usize), label_of(p[1])))
                    .collect();
                rows.sort_unstable();
                self.select(Op::SelectArity, s, label(1), &rows)?;
            }
            G::Jump => self.begin_jump(Op::Jump, 0, label(0)),
            G::Catch | G::Try => {
                let d = Self::dst(args[0])?;
                let tag = self.cx.catch_tag();
                self.out.catches.push((tag, label(1), self.function));
                self.begin(Op::Catch, d, 0, 0);
                self.word(tag.0);
            }
            G::CatchEnd => {
                let d = Self::dst(args[0])?;
                self.begin(Op::CatchEnd, d, 0, 0);
            }
            G::TryEnd => {
                let d = Self::dst(args[0])?;
                self.begin(Op::TryEnd, d, 0, 0);
            }
            G::TryCase => {
                let d = Self::dst(args[0])?;
                self.begin(Op::TryCase, d, 0, 0);
            }
            G::TryCaseEnd => self.one_source(Op::TryCaseEnd, args[0])?,
            G::Badmatch => self.one_source(Op::Badmatch, args[0])?,
            G::CaseEnd => self.one_source(Op::CaseEnd, args[0])?,
            G::Badrecord => self.one_source(Op::Badrecord, args[0])?,
            G::IfEnd => self.begin(Op::IfEnd, 0, 0, 0),
            G::Raise => {
                let (a, b) = (self.src(args[0])?, self.src(args[1])?);
                self.begin(Op::Raise, a, b, 0);
            }
            G::RawRaise => self.begin(Op::RawRaise, 0, 0, 0),
            G::BuildStacktrace => self.begin(Op::BuildStacktrace, 0, 0, 0),
            G::Move => self.mov(args[0], args[1])?,
            G::Swap => {
                let (a, b) = (Self::dst(args[0])?, Self::dst(args[1])?);
                self.begin(Op::Swap, a, b, 0);
            }
            G::GetList => {
                let s = self.src(args[0])?;
                let (h, t) = (Self::dst(args[1])?, Self::dst(args[2])?);
                self.begin(if self.unproven { Op::GetListU } else { Op::GetList }, s, h, t);
            }
            G::GetHd | G::GetTl => {
                let s = self.src(args[0])?;
                let d = Self::dst(args[1])?;
                let op = match (i.op == G::GetHd, self.unproven) {
                    (true, false) => Op::GetHd,
                    (true, true) => Op::GetHdU,
                    (false, false) => Op::GetTl,
                    (false, true) => Op::GetTlU,
                };
                self.begin(op, s, d, 0);
            }
            G::GetTupleElement => {
                let s = self.src(args[0])?;
                let d = Self::dst(args[2])?;
                if num(1) > 8000 {
                    return Err("tuple element beyond 8000".into());
                }
                let at = |n: u64| (n as u16 + 1) * 8;
                if self.unproven {
                    self.begin(Op::GetTupleElementU, s, at(num(1)), d);
                    return Ok(1);
                }
                let next_proven = !m.unproven.contains(self.index as usize + 1);
                if let Some(n) = rest.get(1).filter(|n| n.op == G::GetTupleElement && next_proven) {
                    let b = m.args(n);
                    if Self::register(b[0]) == Some(s) && d != s && unsigned(b[1]) <= 8000 {
                        let d2 = Self::dst(b[2])?;
                        self.begin(Op::GetTupleElement2, s, at(num(1)), d);
                        self.word(at(unsigned(b[1])) as u64 | (d2 as u64) << 16);
                        return Ok(2);
                    }
                }
                self.begin(Op::GetTupleElement, s, at(num(1)), d);
            }
            G::SetTupleElement => {
                let (v, t) = (self.src(args[0])?, self.src(args[1])?);
                self.begin(Op::SetTupleElement, v, t, (num(2) as u16 + 1) * 8);
            }
            G::PutList => {
                let (h, t, k) = self.src2(args[0], args[1])?;
                let d = Self::dst(args[2])?;
                self.twin(Op::PutList, h, t, d, k, &[]);
            }
            G::PutTuple2 => {
                let list = m.list(args[1]);
                let d = Self::dst(args[0])?;
                if let [a, b] = *list {
                    let (a, b, k) = self.src2(a, b)?;
                    self.twin(Op::PutTuple2, a, b, d, k, &[]);
                } else {
                    let mut w = vec![W::Op(args[0])];
                    w.extend(list.iter().map(|&o| W::Op(o)));
                    self.wide(Op::PutTuple, 0, 0, &w)?;
                }
            }
            G::UpdateRecord => {
                let mut w = vec![W::Op(args[2]), W::Op(args[3]), W::Raw(num(1))];
                let reuse = matches!(args[0], Operand::Atom(a) if m.atoms.get(a) == "reuse");
                w.push(W::Raw(reuse as u64));
                for p in m.list(args[4]).chunks(2) {
                    w.push(W::Raw(unsigned(p[0])));
                    w.push(W::Op(p[1]));
                }
                self.wide(Op::UpdateRecord, 0, 0, &w)?;
            }
            G::MakeFun2 => {
                let fun = num(0) as u32;
                let free = m.funs[fun as usize].num_free as u16;
                let mut w = vec![W::Op(Operand::X(0)), W::Raw(self.cx.fun_entry(fun) as u64)];
                w.extend((0..free).map(|r| W::Op(Operand::X(r))));
                self.wide(Op::MakeFun, 0, free, &w)?;
            }
            G::MakeFun3 => {
                let mut w = vec![W::Op(args[1]), W::Raw(self.cx.fun_entry(num(0) as u32) as u64)];
                w.extend(m.list(args[2]).iter().map(|&o| W::Op(o)));
                self.wide(Op::MakeFun, 0, 0, &w)?;
            }
            G::Bif0 | G::Bif1 | G::Bif2 | G::Bif3 | G::GcBif1 | G::GcBif2 | G::GcBif3 => {
                self.bif(i.op, args)?
            }
            G::Fmove => match (args[0], args[1]) {
                (Operand::F(f), d) => {
                    let d = Self::dst(d)?;
                    self.begin(Op::FStore, f, d, 0);
                }
                (s, Operand::F(f)) => {
                    let s = self.src(s)?;
                    self.begin(Op::FLoad, s, f, 0);
                }
                _ => return Err("fmove".into()),
            },
            G::Fconv => {
                let s = self.src(args[0])?;
                self.begin(Op::FConv, s, freg(args[1]), 0);
            }
            G::Fadd | G::Fsub | G::Fmul | G::Fdiv => {
                let op = match i.op {
                    G::Fadd => Op::FAdd,
                    G::Fsub => Op::FSub,
                    G::Fmul => Op::FMul,
                    _ => Op::FDiv,
                };
                self.begin(op, freg(args[1]), freg(args[2]), freg(args[3]));
                self.fail_word(label(0), 0);
            }
            G::Fnegate => {
                self.begin(Op::FNegate, freg(args[1]), freg(args[2]), 0);
                self.fail_word(label(0), 0);
            }
            G::PutMapAssoc | G::PutMapExact => {
                let op = if i.op == G::PutMapAssoc { Op::PutMapAssoc } else { Op::PutMapExact };
                let mut w = vec![W::Op(args[2]), W::Op(args[1])];
                w.extend(m.list(args[4]).iter().map(|&o| W::Op(o)));
                self.wide(op, label(0), num(3) as u16, &w)?;
            }
            G::GetMapElements => {
                let list = m.list(args[2]);
                if let [k, d] = *list {
                    let d = Self::dst(d)?;
                    let (s, k, c) = self.src2(args[1], k)?;
                    self.twin(Op::GetMapElement, s, k, d, c, &[Extra::Fail(label(0), 0)]);
                } else {
                    let mut w = vec![W::Op(args[1])];
                    w.extend(list.iter().map(|&o| W::Op(o)));
                    self.wide(Op::GetMapElements, label(0), 0, &w)?;
                }
            }
            G::HasMapFields => {
                let mut w = vec![W::Op(args[1])];
                w.extend(m.list(args[2]).iter().map(|&o| W::Op(o)));
                self.wide(Op::HasMapFields, label(0), 0, &w)?;
            }
            _ => self.bits(i, args)?,
        }
        Ok(1)
    }

    fn allocate(&mut self, slots: u64, heap: u64, live: u64, zero: bool) -> R {
        self.frame = slots as u32;
        let inline = if heap <= 0xFFFF { heap as u16 } else { 0 };
        self.begin(Op::Allocate, slots as u16, live as u16, inline);
        if zero {
            let w: Vec<W> = (0..slots as u16).map(|y| W::Op(Operand::Y(y))).collect();
            self.wide(Op::InitY, 0, 0, &w)?;
        }
        if heap > 0xFFFF {
            self.test_heap(heap, live)?;
        }
        Ok(())
    }
    fn test_heap(&mut self, words: u64, live: u64) -> R {
        self.begin(Op::TestHeap, live as u16, 0, 0);
        let n = u32::try_from(words).map_err(|_| "heap need")?;
        self.out.words[self.start] |= (n as u64) << 32;
        Ok(())
    }
    fn one_source(&mut self, op: Op, o: Operand) -> R {
        let s = self.src(o)?;
        self.begin(op, s, 0, 0);
        Ok(())
    }
    fn test(&mut self, op: Op, args: &[Operand]) -> R {
        let s = self.src(args[1])?;
        self.begin_jump(op, s, label_of(args[0]));
        Ok(())
    }
    /// Fuses a run of moves and initialisations, if it is longer than one; how many instructions it takes.
    fn moves(&mut self, rest: &[Instr]) -> Result<Option<usize>, String> {
        let m = self.m;
        let mut pairs: Vec<W> = Vec::new();
        let mut n = 0;
        for i in rest {
            let args = m.args(i);
            match i.op {
                G::Move if pairs.len() < 60 => pairs.extend([W::Op(args[0]), W::Op(args[1])]),
                G::Init => pairs.extend([W::Term(Term::NIL), W::Op(args[0])]),
                G::InitYregs if pairs.len() + 2 * m.list(args[0]).len() < 120 => {
                    pairs.extend(m.list(args[0]).iter().flat_map(|&y| [W::Term(Term::NIL), W::Op(y)]))
                }
                _ => break,
            }
            n += 1;
        }
        // Shorter runs do better with the forms for single moves, which know where their operands live.
        if pairs.len() < 6 {
            return Ok(None);
        }
        self.wide(Op::Moves, 0, 0, &pairs)?;
        Ok(Some(n))
    }
    fn mov(&mut self, s: Operand, d: Operand) -> R {
        let d = Self::dst(d)?;
        match Self::register(s) {
            Some(r) => {
                let op = match (r & KIND_Y, d & KIND_Y) {
                    (0, 0) => Op::MoveXX,
                    (0, _) => Op::MoveXY,
                    (_, 0) => Op::MoveYX,
                    _ => Op::MoveYY,
                };
                self.begin(op, r & !7, d & !7, 0);
            }
            None => {
                let c = self.constant(s)?.ok_or("move")?;
                self.begin(if d & KIND_Y == 0 { Op::MoveCX } else { Op::MoveCY }, 0, d & !7, 0);
                self.word(c.0);
            }
        }
        Ok(())
    }
    fn compare(&mut self, op: Op, fail: u32, a: Operand, b: Operand) -> R {
        let exact = matches!(op, Op::IsEqExact | Op::IsNeExact);
        let (s, k, c) = self.src2(a, b)?;
        if let Some(c) = c.filter(|c| exact && c.is_immed()) {
            let r = if s == KIND_CONST { k } else { s };
            self.begin_jump(if op == Op::IsEqExact { Op::IsEqImm } else { Op::IsNeImm }, r, fail);
            self.word(c.0);
            return Ok(());
        }
        self.twin(op, s, k, 0, c, &[Extra::Fail(fail, 0)]);
        Ok(())
    }
    fn select_val(&mut self, args: &[Operand]) -> R {
        let m = self.m;
        let (fail, list) = (label_of(args[1]), m.list(args[2]));
        let mut rows = Vec::with_capacity(list.len() / 2);
        for p in list.chunks(2) {
            rows.push((self.constant(p[0])?.ok_or("select_val")?, label_of(p[1])));
        }
        if rows.iter().any(|r| !r.0.is_immed()) {
            for (value, target) in rows {
                // Equal: go on to a jump; different: over it.
                let (s, k, c) = (self.src(args[0])?, KIND_CONST, Some(value));
                self.twin(Op::IsNeExact, s, k, 0, c, &[Extra::Fail(target, 0)]);
            }
            self.begin_jump(Op::Jump, 0, fail);
            return Ok(());
        }
        let s = self.src(args[0])?;
        let smalls = rows.iter().all(|r| r.0.is_small());
        rows.sort_unstable_by_key(|r| if smalls { r.0.0 as i64 } else { r.0.0 as i64 });
        if smalls && rows.len() >= 4 {
            let (lo, hi) = (rows[0].0.small_value(), rows[rows.len() - 1].0.small_value());
            let span = (hi - lo) as u64 + 1;
            if span <= rows.len() as u64 * 3 && span < 0xFFFF {
                self.begin(Op::JumpTable, s, span as u16, 0);
                self.fail_word(fail, 0);
                self.word(rows[0].0.0);
                let mut targets = vec![fail; span as usize];
                for r in &rows {
                    targets[(r.0.small_value() - lo) as usize] = r.1;
                }
                self.distances(&targets);
                return Ok(());
            }
        }
        let rows: Vec<(u64, u32)> = rows.iter().map(|r| (r.0.0, r.1)).collect();
        self.select(Op::SelectVal, s, fail, &rows)
    }
    fn select(&mut self, op: Op, s: u16, fail: u32, rows: &[(u64, u32)]) -> R {
        let n = u16::try_from(rows.len()).map_err(|_| "select with too many values")?;
        self.begin(op, s, n, 0);
        self.fail_word(fail, 0);
        for r in rows {
            self.word(r.0);
        }
        let targets: Vec<u32> = rows.iter().map(|r| r.1).collect();
        self.distances(&targets);
        Ok(())
    }
    fn distances(&mut self, targets: &[u32]) {
        for pair in targets.chunks(2) {
            self.word(0);
            self.jump_at(0, pair[0]);
            if let Some(&second) = pair.get(1) {
                self.jump_at(32, second);
            }
        }
    }

    fn call_ext(&mut self, args: &[Operand], last: Option<u16>) -> R {
        let Operand::Unsigned(import) = args[1] else { return Err("import".into()) };
        let i = &self.m.imports[import as usize];
        let (module, function, arity) = (self.cx.atom(i.module), self.cx.atom(i.function), i.arity as u16);
        // u16::MAX stands for "no frame", which the interpreter takes as nothing to drop.
        let frame = last.map(|f| if f == u16::MAX { None } else { Some(f) });
        if module == atoms::ERLANG && function == atoms::APPLY {
            let (call, tail) = match arity {
                2 => (Op::ApplyFun, Op::ApplyFunLast),
                3 => (Op::ApplyMfa, Op::ApplyMfaLast),
                _ => (Op::CodeEnd, Op::CodeEnd),
            };
            if call != Op::CodeEnd {
                match frame {
                    None => {
                        self.begin(call, 0, 0, 0);
                        self.site();
                    }
                    Some(f) => {
                        if let Some(f) = f {
                            self.begin(Op::Deallocate, f, 0, 0);
                        }
                        self.begin(tail, 0, 0, 0);
                    }
                }
                return Ok(());
            }
        }
        let e = self.cx.export(module, function, arity as u32);
        if e.bif.is_some() {
            self.begin(Op::CallBif, arity, 0, 0);
            self.export_word(e);
            self.site();
            match frame {
                None => {}
                Some(None) => self.begin(Op::Return, 0, 0, 0),
                Some(Some(f)) => self.begin(Op::DeallocateReturn, f, 0, 0),
            }
            return Ok(());
        }
        match frame {
            None => {
                self.begin(Op::CallExt, arity, 0, 0);
                self.export_word(e);
                self.site();
            }
            Some(Some(f)) => {
                self.begin(Op::CallExtLast, f, arity, 0);
                self.export_word(e);
            }
            Some(None) => {
                self.begin(Op::CallExtOnly, arity, 0, 0);
                self.export_word(e);
            }
        }
        Ok(())
    }

    fn bif(&mut self, op: G, args: &[Operand]) -> R {
        // Operands: [fail] [live] import sources… dst
        let (fail, live, rest) = match op {
            G::Bif0 => (0, 0, args),
            G::Bif1 | G::Bif2 | G::Bif3 => (label_of(args[0]), 0, &args[1..]),
            _ => (label_of(args[0]), unsigned(args[1]) as u32, &args[2..]),
        };
        let i = &self.m.imports[unsigned(rest[0]) as usize];
        let (module, function) = (self.cx.atom(i.module), self.cx.atom(i.function));
        let e = self.cx.export(module, function, i.arity as u32);
        let d = Self::dst(rest[rest.len() - 1])?;
        let known = module == atoms::ERLANG;
        match rest.len() - 2 {
            0 => {
                if known && function == atoms::SELF {
                    self.begin(Op::SelfPid, d, 0, 0);
                } else {
                    self.begin(Op::Bif0, d, 0, 0);
                    self.export_word(e);
                }
            }
            1 if known && function == atoms::PLUS => {
                // OTP adds 0, which makes 0.0 of -0.0.
                let (a, b, k) = self.src2(rest[1], Operand::Int(0))?;
                self.twin(Op::Add, a, b, d, k, &[Extra::Fail(fail, live)]);
            }
            1 => {
                let s = self.src(rest[1])?;
                let op = match function {
                    _ if !known => Op::Bif1,
                    atoms::HD => Op::Hd,
                    atoms::TL => Op::Tl,
                    atoms::TUPLE_SIZE => Op::TupleSize,
                    _ => Op::Bif1,
                };
                self.begin(op, s, d, 0);
                self.export_word(e);
                self.fail_word(fail, live);
            }
            2 => {
                let arith = match function {
                    _ if !known => None,
                    atoms::PLUS => Some(Op::Add),
                    atoms::MINUS => Some(Op::Sub),
                    atoms::TIMES => Some(Op::Mul),
                    atoms::DIV => Some(Op::IntDiv),
                    atoms::REM => Some(Op::Rem),
                    atoms::BAND => Some(Op::Band),
                    atoms::BOR => Some(Op::Bor),
                    atoms::BXOR => Some(Op::Bxor),
                    atoms::BSL => Some(Op::Bsl),
                    atoms::BSR => Some(Op::Bsr),
                    _ => None,
                };
                let (a, b, k) = self.src2(rest[1], rest[2])?;
                if let Some(op) = arith {
                    self.twin(op, a, b, d, k, &[Extra::Fail(fail, live)]);
                    return Ok(());
                }
                let op = match function {
                    _ if !known => Op::Bif2,
                    atoms::ELEMENT => Op::Element,
                    atoms::MAP_GET => Op::MapGet,
                    _ => Op::Bif2,
                };
                self.twin(op, a, b, d, k, &[Extra::Export(e), Extra::Fail(fail, live)]);
            }
            _ => {
                let (a, b, c) = (self.src(rest[1])?, self.src(rest[2])?, self.src(rest[3])?);
                self.begin(Op::Bif3, a, b, c);
                self.export_word(e);
                self.fail_word(fail, live);
                self.word(d as u64);
            }
        }
        Ok(())
    }

    /// Bit syntax and native records: wide instructions all.
    fn bits(&mut self, i: &Instr, args: &[Operand]) -> R {
        let m = self.m;
        let label = |k: usize| label_of(args[k]);
        let num = |k: usize| unsigned(args[k]);
        let unit_flags = |unit: u64, flags: u64| W::Raw(unit << 8 | flags & 0xFF);
        match i.op {
            G::BsStartMatch3 => {
                self.wide(Op::BsStartMatch, label(0), num(2) as u16, &[W::Op(args[1]), W::Op(args[3])])
            }
            G::BsStartMatch4 => {
                // Fail: a label, or the atom no_fail or resume.
                self.wide(Op::BsStartMatch, label(0), num(1) as u16, &[W::Op(args[2]), W::Op(args[3])])
            }
            G::BsGetPosition => {
                self.wide(Op::BsGetPosition, 0, num(2) as u16, &[W::Op(args[0]), W::Op(args[1])])
            }
            G::BsSetPosition => self.wide(Op::BsSetPosition, 0, 0, &[W::Op(args[0]), W::Op(args[1])]),
            G::BsGetTail => self.wide(Op::BsGetTail, 0, num(2) as u16, &[W::Op(args[0]), W::Op(args[1])]),
            G::BsGetInteger2 | G::BsGetFloat2 | G::BsGetBinary2 => {
                let op = match i.op {
                    G::BsGetInteger2 => Op::BsGetInteger,
                    G::BsGetFloat2 => Op::BsGetFloat,
                    _ => Op::BsGetBinary,
                };
                let w = [W::Op(args[1]), W::Op(args[3]), W::Op(args[6]), unit_flags(num(4), num(5))];
                self.wide(op, label(0), num(2) as u16, &w)
            }
            G::BsSkipBits2 => {
                let w = [W::Op(args[1]), W::Op(args[2]), unit_flags(num(3), num(4))];
                self.wide(Op::BsSkipBits, label(0), 0, &w)
            }
            G::BsTestTail2 => self.wide(Op::BsTestTail, label(0), 0, &[W::Op(args[1]), W::Raw(num(2))]),
            G::BsTestUnit => self.wide(Op::BsTestUnit, label(0), 0, &[W::Op(args[1]), W::Raw(num(2))]),
            G::BsMatchString => {
                let at = self.cx.string() as u64 + num(3);
                self.wide(Op::BsMatchString, label(0), 0, &[W::Op(args[1]), W::Raw(num(2)), W::Raw(at)])
            }
            G::BsGetUtf8 | G::BsGetUtf16 | G::BsGetUtf32 => {
                let kind = match i.op {
                    G::BsGetUtf8 => 8,
                    G::BsGetUtf16 => 16,
                    _ => 32,
                };
                let w = [W::Op(args[1]), W::Op(args[4]), W::Raw(kind), W::Raw(num(3))];
                self.wide(Op::BsGetUtf, label(0), num(2) as u16, &w)
            }
            G::BsSkipUtf8 | G::BsSkipUtf16 | G::BsSkipUtf32 => {
                let kind = match i.op {
                    G::BsSkipUtf8 => 8,
                    G::BsSkipUtf16 => 16,
                    _ => 32,
                };
                self.wide(Op::BsSkipUtf, label(0), 0, &[W::Op(args[1]), W::Raw(kind), W::Raw(num(3))])
            }
            G::BsMatch => self.bs_match(args),
            G::BsInitWritable => {
                self.begin(Op::BsInitWritable, 0, 0, 0);
                Ok(())
            }
            G::BsCreateBin => {
                // dst, alloc, unit, then per segment: type, unit << 8 | flags, value, size.
                let mut w = vec![W::Op(args[4]), W::Raw(heap_words(args[1])), W::Raw(num(3))];
                for seg in m.list(args[5]).chunks(6) {
                    let kind = segment_type(atom_text(m, seg[0])).ok_or("bs_create_bin: unknown segment")?;
                    let unit = unsigned(seg[2]);
                    w.push(W::Raw(kind as u64));
                    w.push(W::Raw(unit << 8 | self.flags(seg[3]) as u64));
                    if kind == Segment::String {
                        let (at, size) = (unsigned(seg[4]), unsigned(seg[5]));
                        w.push(W::Raw(self.cx.string() as u64 + at));
                        w.push(W::Raw(size));
                    } else {
                        w.push(W::Op(seg[4]));
                        w.push(if matches!(seg[5], Operand::Nil) {
                            W::Term(Term::NIL)
                        } else {
                            W::Op(seg[5])
                        });
                    }
                }
                self.wide(Op::BsCreateBin, label(0), num(2) as u16, &w)
            }
            G::BsAdd => {
                let w = [W::Op(args[1]), W::Op(args[2]), W::Raw(num(3)), W::Op(args[4])];
                self.wide(Op::BsAdd, label(0), 0, &w)
            }
            G::BsInit2 | G::BsInitBits => {
                let unit = if i.op == G::BsInit2 { 8 } else { 1 };
                let w = [W::Op(args[1]), W::Raw(unit), W::Raw(heap_words(args[2])), W::Op(args[5])];
                self.wide(Op::BsInit, label(0), num(3) as u16, &w)
            }
            G::BsUtf8Size | G::BsUtf16Size => {
                let kind = if i.op == G::BsUtf8Size { 8 } else { 16 };
                self.wide(Op::BsUtfSize, label(0), 0, &[W::Op(args[1]), W::Op(args[2]), W::Raw(kind)])
            }
            G::BsAppend => {
                // fail, size, extra heap, live, unit, binary, flags, dst
                let w = [
                    W::Op(args[1]),
                    W::Op(args[5]),
                    W::Raw(num(4)),
                    W::Raw(heap_words(args[2])),
                    W::Op(args[7]),
                    W::Raw(0),
                ];
                self.wide(Op::BsAppend, label(0), num(3) as u16, &w)
            }
            G::BsPrivateAppend => {
                let w =
                    [W::Op(args[1]), W::Op(args[3]), W::Raw(num(2)), W::Raw(0), W::Op(args[5]), W::Raw(1)];
                self.wide(Op::BsAppend, label(0), 0, &w)
            }
            G::BsPutInteger | G::BsPutFloat | G::BsPutBinary => {
                let op = match i.op {
                    G::BsPutInteger => Op::BsPutInteger,
                    G::BsPutFloat => Op::BsPutFloat,
                    _ => Op::BsPutBinary,
                };
                self.wide(op, label(0), 0, &[W::Op(args[1]), unit_flags(num(2), num(3)), W::Op(args[4])])
            }
            G::BsPutString => {
                let at = self.cx.string() as u64 + num(1);
                self.wide(Op::BsPutString, 0, 0, &[W::Raw(num(0)), W::Raw(at)])
            }
            G::BsPutUtf8 | G::BsPutUtf16 | G::BsPutUtf32 => {
                let kind = match i.op {
                    G::BsPutUtf8 => 8,
                    G::BsPutUtf16 => 16,
                    _ => 32,
                };
                self.wide(Op::BsPutUtf, label(0), 0, &[W::Op(args[2]), W::Raw(kind), W::Raw(num(1))])
            }
            G::IsAnyNativeRecord => self.wide(Op::IsNativeRecord, label(0), 0, &[W::Op(args[1])]),
            G::IsNativeRecord => {
                self.wide(Op::IsNativeRecord, label(0), 0, &[W::Op(args[1]), W::Op(args[2]), W::Op(args[3])])
            }
            G::IsRecordAccessible => {
                self.wide(Op::IsNativeRecord, label(0), 0, &[W::Op(args[1]), W::Op(args[2])])
            }
            G::GetRecordField => {
                let w = [W::Op(args[1]), W::Op(args[2]), W::Op(args[3]), W::Op(args[4])];
                self.wide(Op::GetRecordField, label(0), 0, &w)
            }
            G::GetRecordElements => {
                let mut w = vec![W::Op(args[1])];
                w.extend(m.list(args[2]).iter().map(|&o| W::Op(o)));
                self.wide(Op::GetRecordElements, label(0), 0, &w)
            }
            G::PutRecord => {
                let mut w = vec![W::Op(args[3]), W::Op(args[1]), W::Op(args[2])];
                w.extend(m.list(args[5]).iter().map(|&o| W::Op(o)));
                self.wide(Op::PutRecord, label(0), num(4) as u16, &w)
            }
            op => Err(format!("instruction {op:?} is obsolete")),
        }
    }

    /// Field flags: a number, or a list of atoms from OTP 25 on.
    fn flags(&self, o: Operand) -> u8 {
        match o {
            Operand::Unsigned(f) => f as u8,
            Operand::List { .. } => self.m.list(o).iter().fold(0, |f, &a| f | flag_bit(atom_text(self.m, a))),
            Operand::Literal(l) => {
                // A literal list of atoms: look for the names in its external form.
                let bytes = self.m.literal(l);
                [("little", 2), ("signed", 4), ("native", 16)]
                    .iter()
                    .filter(|(name, _)| bytes.windows(name.len()).any(|w| w == name.as_bytes()))
                    .filter(|(name, _)| *name != "signed" || !bytes.windows(8).any(|w| w == b"unsigned"))
                    .fold(0, |f, (_, bit)| f | bit)
            }
            _ => 0,
        }
    }

    /// Commands of bs_match, each as: code, then its operands.
    fn bs_match(&mut self, args: &[Operand]) -> R {
        let m = self.m;
        let mut w = vec![W::Op(args[1])];
        let list = m.list(args[2]);
        let mut i = 0;
        while i < list.len() {
            let name = atom_text(m, list[i]);
            let (cmd, n) = match name {
                "ensure_at_least" => (Match::EnsureAtLeast, 2),
                "ensure_exactly" => (Match::EnsureExactly, 1),
                "integer" => (Match::Integer, 5),
                "binary" => (Match::Binary, 5),
                "skip" => (Match::Skip, 1),
                "get_tail" => (Match::GetTail, 3),
                "=:=" => (Match::Equal, 3),
                other => return Err(format!("bs_match command {other}")),
            };
            let a = list.get(i + 1..i + 1 + n).ok_or("bs_match: a command is cut off")?;
            w.push(W::Raw(cmd as u64));
            match cmd {
                Match::EnsureAtLeast => w.extend([W::Raw(unsigned(a[0])), W::Raw(unsigned(a[1]))]),
                Match::EnsureExactly | Match::Skip => w.push(W::Raw(unsigned(a[0]))),
                Match::Integer | Match::Binary => {
                    let bits = unsigned(a[2]) * unsigned(a[3]);
                    let flags = self.flags(a[1]) as u64;
                    w.extend([W::Raw(unsigned(a[0])), W::Raw(flags), W::Raw(bits), W::Op(a[4])]);
                }
                Match::GetTail => w.extend([W::Raw(unsigned(a[0])), W::Op(a[2])]),
                Match::Equal => {
                    // live or nil, bits, value
                    w.extend([W::Raw(unsigned(a[1])), W::Op(a[2])]);
                }
            }
            i += 1 + n;
        }
        // Each command that may collect brings its own number of live registers.
        self.wide(Op::BsMatch, label_of(args[0]), 0, &w)
    }
}

/// Commands of the `bs_match` instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Match {
    EnsureAtLeast,
    EnsureExactly,
    Integer,
    Binary,
    Skip,
    GetTail,
    Equal,
}

/// Kinds of segments of `bs_create_bin`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Segment {
    Append,
    PrivateAppend,
    Integer,
    Binary,
    Float,
    String,
    Utf8,
    Utf16,
    Utf32,
}

fn segment_type(name: &str) -> Option<Segment> {
    Some(match name {
        "append" => Segment::Append,
        "private_append" => Segment::PrivateAppend,
        "integer" => Segment::Integer,
        "binary" => Segment::Binary,
        "float" => Segment::Float,
        "string" => Segment::String,
        "utf8" => Segment::Utf8,
        "utf16" => Segment::Utf16,
        "utf32" => Segment::Utf32,
        _ => return None,
    })
}

fn flag_bit(name: &str) -> u8 {
    match name {
        "little" => 2,
        "signed" => 4,
        "native" => 16,
        _ => 0,
    }
}

/// Words of a fun without its environment, counted per fun in heap needs.
const FUN_WORDS: u64 = 4;

/// An operand of a wide instruction.
#[derive(Clone, Copy)]
enum W {
    Op(Operand),
    Term(Term),
    Raw(u64),
}

enum Extra {
    Fail(u32, u32),
    Export(&'static Export),
}

fn label_of(o: Operand) -> u32 {
    match o {
        Operand::Label(l) => l,
        _ => 0,
    }
}
fn unsigned(o: Operand) -> u64 {
    match o {
        Operand::Unsigned(u) => u,
        Operand::Int(i) => i as u64,
        _ => 0,
    }
}
fn freg(o: Operand) -> u16 {
    match o {
        Operand::F(f) => f,
        _ => 0,
    }
}
fn heap_words(o: Operand) -> u64 {
    match o {
        Operand::Alloc { words, floats, funs } => words as u64 + 2 * floats as u64 + FUN_WORDS * funs as u64,
        o => unsigned(o),
    }
}
fn atom_text(m: &Module, o: Operand) -> &str {
    match o {
        Operand::Atom(a) => m.atoms.get(a),
        _ => "",
    }
}
