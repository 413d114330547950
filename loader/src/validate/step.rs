//! What each instruction needs of the state and makes of it.

use super::flow::{Checker, NO_FRAME, State, UNDECIDED};
use super::operands::MatchCommand;
use super::value::Value;
use super::{is_end, makes_fresh_tuple, never_returns};
use crate::code::Operand;
use crate::ops::{Kind, Op};

type Step<T> = Result<T, String>;

fn number(operand: Operand) -> usize {
    match operand {
        Operand::Unsigned(n) => n as usize,
        Operand::Int(n) => n as usize,
        _ => 0,
    }
}

/// Kinds of heap reservation, as indexes into [`State::heap`].
const WORDS: usize = 0;
const FLOATS: usize = 1;
const FUNS: usize = 2;

impl State<'_> {
    /// The size of the frame, which must be there.
    fn need_frame(&self) -> Step<usize> {
        match self.frame() {
            NO_FRAME => Err("needs a frame but there is none".into()),
            UNDECIDED => Err("needs a frame but ways with different frames lead here".into()),
            n => Ok(n as usize),
        }
    }

    fn slot(&self, n: u16) -> Step<usize> {
        let frame = self.need_frame()?;
        if (n as usize) < frame {
            Ok(n as usize)
        } else {
            Err(format!("y register {n} outside a frame of {frame}"))
        }
    }

    fn read_y(&self, n: u16) -> Step<Value> {
        // If frames of different sizes meet here, a slot that all of them have set can be read all the same.
        let slot = if self.frame() == UNDECIDED { n as usize } else { self.slot(n)? };
        match self.y(slot) {
            Value::UNSET => Err(format!("y register {n} is read before it is set")),
            value if value.is_tag() || value == Value::MIXED => {
                Err(format!("y register {n} is read but holds {value}"))
            }
            value => Ok(value),
        }
    }

    fn read_x(&self, n: usize) -> Step<Value> {
        match self.x(n) {
            Value::UNSET => Err(format!("x register {n} is read before it is set")),
            Value::TIMER => Err(format!("x register {n} holds {}", Value::TIMER)),
            value => Ok(value),
        }
    }

    fn write(&mut self, dst: Operand, value: Value) -> Step<()> {
        match dst {
            Operand::X(n) => self.set_x(n as usize, value),
            Operand::Y(n) => {
                let slot = self.slot(n)?;
                let old = self.y(slot);
                if old.is_tag() || old == Value::MIXED {
                    return Err(format!("y register {n} is overwritten while it holds {old}"));
                }
                self.set_y(slot, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn read_f(&mut self, n: u16) -> Step<()> {
        match self.fs().get(n as usize) {
            Some(&set) if set != 0 => Ok(()),
            _ => Err(format!("floating-point register {n} is read before it is set")),
        }
    }

    fn write_f(&mut self, n: u16) {
        if let Some(f) = self.fs().get_mut(n as usize) {
            *f = 1;
        }
    }

    /// A collection may look at every slot of the frame.
    fn frame_is_set(&mut self) -> Step<()> {
        match self.unsettled() {
            None => Ok(()),
            Some(_) if self.frame() == UNDECIDED => {
                Err("a collection may happen but the frame is not settled".into())
            }
            Some(n) => Err(format!("y register {n} is not set, so no collection may happen")),
        }
    }

    fn live(&mut self, live: usize) -> Step<()> {
        for n in 0..live {
            // Registers that are nowhere named were never set.
            if n >= self.how_many_xs() || matches!(self.x(n), Value::UNSET | Value::TIMER) {
                return Err(format!("x register {n} is said to be live but is not set"));
            }
        }
        Ok(())
    }

    /// A collection with so many x registers; reservations are gone.
    fn collect(&mut self, live: usize) -> Step<()> {
        self.live(live)?;
        self.frame_is_set()?;
        self.prune(live);
        self.heap().fill(0);
        self.set_building(false);
        Ok(())
    }

    fn reserve(&mut self, words: Operand) {
        let reserved = match words {
            Operand::Alloc { words, floats, funs } => [words, floats, funs],
            other => [number(other) as u32, 0, 0],
        };
        self.heap().copy_from_slice(&reserved);
    }

    fn use_heap(&mut self, kind: usize, n: usize) -> Step<()> {
        let left = self.heap()[kind];
        if n > left as usize {
            let what = ["words", "floats", "funs"][kind];
            return Err(format!("takes {n} {what} of the heap but only {left} are reserved"));
        }
        self.heap()[kind] -= n as u32;
        Ok(())
    }

    /// After a call nothing is left but the frame.
    fn after_call(&mut self) {
        self.prune(0);
        self.heap().fill(0);
        self.set_building(false);
        self.fs().fill(0);
    }

    fn allocate(&mut self, size: usize, zero: bool) -> Step<()> {
        if self.frame() != NO_FRAME {
            return Err("allocates a frame but there is one".into());
        }
        self.set_frame(size as u32);
        self.ys().fill(if zero { Value::ANY.0 } else { Value::UNSET.0 });
        Ok(())
    }

    fn deallocate(&mut self, size: usize) -> Step<()> {
        let frame = self.need_frame()?;
        if frame != size {
            return Err(format!("removes a frame of {size} but it has {frame}"));
        }
        self.no_tags(0..frame)?;
        self.ys().fill(Value::UNSET.0);
        self.set_frame(NO_FRAME);
        Ok(())
    }

    fn no_tags(&self, slots: std::ops::Range<usize>) -> Step<()> {
        for n in slots {
            let value = self.y(n);
            if value.is_tag() || value == Value::MIXED {
                return Err(format!("removes y register {n}, which holds {value}"));
            }
        }
        Ok(())
    }

    fn trim(&mut self, n: usize, remaining: usize) -> Step<()> {
        let frame = self.need_frame()?;
        if n + remaining != frame {
            return Err(format!("trims a frame of {frame} to {remaining} by {n}"));
        }
        self.no_tags(0..n)?;
        let ys = self.ys();
        ys.copy_within(n..frame, 0);
        ys[remaining..].fill(Value::UNSET.0);
        self.set_frame(remaining as u32);
        Ok(())
    }

    /// Whoever scans the stack for a handler goes up from y register 0, so the innermost comes first.
    fn set_tag(&mut self, slot: Operand, tag: Value) -> Step<()> {
        let Operand::Y(n) = slot else { return Ok(()) };
        if let Some(inner) =
            (0..n as usize).find(|&inner| self.y(inner).is_tag() || self.y(inner) == Value::MIXED)
        {
            return Err(format!("y register {inner} already holds {}", self.y(inner)));
        }
        self.write(slot, tag)
    }

    fn clear_tag(&mut self, slot: Operand, right: fn(Value) -> bool) -> Step<()> {
        let Operand::Y(n) = slot else { return Ok(()) };
        let slot = self.slot(n)?;
        let value = self.y(slot);
        if !right(value) {
            return Err(format!("y register {n} holds {value}"));
        }
        if let Some(inner) = (0..slot).find(|&inner| self.y(inner).is_tag() || self.y(inner) == Value::MIXED)
        {
            return Err(format!("y register {inner} still holds {}", self.y(inner)));
        }
        self.set_y(slot, Value::ANY);
        Ok(())
    }
}

impl Checker<'_> {
    fn read(&self, s: &State, operand: Operand) -> Step<Value> {
        match operand {
            Operand::X(n) => s.read_x(n as usize),
            Operand::Y(n) => s.read_y(n),
            Operand::Literal(n) => Ok(self.literals[n as usize]),
            _ => Ok(Value::ANY),
        }
    }

    /// An exception may happen here: the innermost handler, if the function has one, sees this state.
    fn raise(&mut self, s: &mut State) -> Step<()> {
        let Some(slot) = s.ys().iter().position(|&y| Value(y).is_tag() || Value(y) == Value::MIXED) else {
            return Ok(());
        };
        let tag = s.y(slot);
        let Some(handler) = tag.handler() else {
            return Err(format!("may raise while y register {slot} holds {tag}"));
        };
        let mut row = s.copy();
        let mut at_handler = s.view(&mut row);
        at_handler.after_call();
        at_handler.end_fresh();
        for n in 0..if tag.is_try() { 3 } else { 1 } {
            at_handler.set_x(n, Value::ANY);
        }
        self.arrive(handler, &mut at_handler);
        Ok(())
    }

    /// Control may go to the label, or raise if it is 0.
    fn branch(&mut self, label: Operand, s: &mut State) -> Step<()> {
        match label {
            Operand::Label(0) => self.raise(s),
            Operand::Label(l) => {
                self.arrive(l, s);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// As [`Checker::branch`], where the branch sees another value in one register.
    fn branch_with(&mut self, label: Operand, s: &mut State, register: Operand, value: Value) -> Step<()> {
        let mut row = s.copy();
        let mut other = s.view(&mut row);
        other.learn(register, value);
        self.branch(label, &mut other)
    }

    /// Relies on a shape. Where nothing proves it, the machine looks for itself, and may raise.
    fn need(&mut self, at: usize, s: &mut State, proven: bool) -> Step<()> {
        if proven {
            return Ok(());
        }
        self.unproven.insert(at);
        self.raise(s)
    }

    /// Whether nothing but labels and lines stands between the label and the instruction.
    fn leads_to(&self, label: Operand, at: usize) -> bool {
        let Operand::Label(l) = label else { return false };
        let from = self.m.labels[l as usize].instr as usize;
        from < at && self.m.instrs[from..at].iter().all(|i| matches!(i.op, Op::Label | Op::Line))
    }

    fn call(&mut self, s: &mut State, args: usize) -> Step<()> {
        s.need_frame()?;
        s.live(args)?;
        s.frame_is_set()?;
        self.raise(s)?;
        s.after_call();
        s.set_x(0, Value::ANY);
        Ok(())
    }

    fn tail_call(&mut self, s: &mut State, args: usize, frame: Option<Operand>) -> Step<()> {
        s.live(args)?;
        match frame {
            Some(size) => s.deallocate(number(size)),
            None if s.frame() == NO_FRAME => Ok(()),
            None => Err("leaves the function but its frame is still there".into()),
        }
    }

    /// Takes the instruction through; false if control does not go on behind it.
    pub(super) fn step(&mut self, at: usize, s: &mut State) -> Step<bool> {
        let m = self.m;
        let instr = &m.instrs[at];
        let (op, a) = (instr.op, m.args(instr));
        if !matches!(op, Op::Move | Op::Swap | Op::SetTupleElement | Op::GetTupleElement | Op::Line) {
            s.end_fresh();
        }
        match op {
            // Structure, and marks without effect.
            Op::Label | Op::IntCodeEnd | Op::OnLoad | Op::NifStart | Op::Line | Op::ExecutableLine => {}
            Op::Fclearerror | Op::RecvMark | Op::RecvSet => {}
            Op::DebugLine => s.live(number(a[3]))?,
            Op::FuncInfo => {
                s.live(number(a[2]))?;
                if s.frame() != NO_FRAME {
                    return Err("the function's frame is still there".into());
                }
            }

            // Calls.
            Op::Call => self.call(s, number(a[0]))?,
            Op::CallExt => {
                if never_returns(m, number(a[1]) as u32) {
                    s.live(number(a[0]))?;
                    self.raise(s)?;
                    return Ok(false);
                }
                self.call(s, number(a[0]))?;
                if makes_fresh_tuple(m, number(a[1]) as u32) {
                    s.set_fresh();
                }
            }
            Op::CallFun => self.call(s, number(a[0]) + 1)?,
            Op::Apply => self.call(s, number(a[0]) + 2)?,
            Op::CallFun2 => {
                self.read(s, a[2])?;
                self.need(at, s, false)?;
                self.call(s, number(a[1]))?;
            }
            Op::Send => self.call(s, 2)?,
            Op::BsInitWritable => self.call(s, 1)?,
            Op::CallOnly => self.tail_call(s, number(a[0]), None)?,
            Op::CallLast => self.tail_call(s, number(a[0]), Some(a[2]))?,
            Op::ApplyLast => self.tail_call(s, number(a[0]) + 2, Some(a[1]))?,
            Op::CallExtOnly | Op::CallExtLast => {
                if never_returns(m, number(a[1]) as u32) {
                    // The frame stays: the exception is the caller's of the frame, and the compiler does not
                    // care to give the right size.
                    s.live(number(a[0]))?;
                    self.raise(s)?;
                    return Ok(false);
                }
                self.tail_call(s, number(a[0]), a.get(2).copied())?;
            }
            Op::Return => {
                s.read_x(0)?;
                if s.frame() != NO_FRAME {
                    return Err("returns but the frame is still there".into());
                }
            }

            // Frame and heap.
            Op::Allocate | Op::AllocateZero => {
                s.collect(number(a[1]))?;
                s.allocate(number(a[0]), op == Op::AllocateZero)?;
            }
            Op::AllocateHeap | Op::AllocateHeapZero => {
                s.collect(number(a[2]))?;
                s.allocate(number(a[0]), op == Op::AllocateHeapZero)?;
                s.reserve(a[1]);
            }
            Op::TestHeap => {
                s.collect(number(a[1]))?;
                s.reserve(a[0]);
            }
            Op::Deallocate => s.deallocate(number(a[0]))?,
            Op::Trim => s.trim(number(a[0]), number(a[1]))?,
            Op::Init => s.write(a[0], Value::ANY)?,
            Op::InitYregs => {
                for &y in m.list(a[0]) {
                    s.write(y, Value::ANY)?;
                }
            }

            // Messages.
            Op::RemoveMessage => {}
            Op::Timeout => s.prune(0),
            Op::LoopRec => {
                self.branch(a[0], s)?;
                s.write(a[1], Value::ANY)?;
            }
            Op::LoopRecEnd | Op::Wait => {
                s.frame_is_set()?;
                s.after_call();
                self.branch(a[0], s)?;
            }
            Op::WaitTimeout => {
                let running = matches!(a[1], Operand::X(n) if s.x(n as usize) == Value::TIMER);
                if !running {
                    self.read(s, a[1])?;
                }
                s.frame_is_set()?;
                self.raise(s)?;
                s.after_call();
                // Woken by a message, control comes back by way of the label. If that stands right here, the
                // timer is still running, and the time-out is not looked at again.
                match a[1] {
                    Operand::X(_) if self.leads_to(a[0], at) => {
                        self.branch_with(a[0], s, a[1], Value::TIMER)?
                    }
                    _ => self.branch(a[0], s)?,
                }
            }
            Op::RecvMarkerReserve => s.write(a[0], Value::MARKER)?,
            Op::RecvMarkerBind => {
                let marker = self.read(s, a[0])?;
                self.read(s, a[1])?;
                self.need(at, s, marker == Value::MARKER)?;
            }
            Op::RecvMarkerClear | Op::RecvMarkerUse => {
                self.read(s, a[0])?;
            }

            // Exceptions.
            Op::Catch | Op::Try => {
                let Operand::Label(handler) = a[1] else { return Ok(true) };
                s.set_tag(
                    a[0],
                    if op == Op::Try { Value::try_tag(handler) } else { Value::catch_tag(handler) },
                )?;
            }
            Op::CatchEnd => {
                let result = s.read_x(0)?;
                s.clear_tag(a[0], Value::is_catch)?;
                s.after_call();
                s.set_x(0, if result == Value::UNSET { result } else { Value::ANY });
            }
            Op::TryEnd => s.clear_tag(a[0], Value::is_try)?,
            Op::TryCase => {
                s.live(3)?;
                s.clear_tag(a[0], Value::is_try)?;
                s.after_call();
                for n in 0..3 {
                    s.set_x(n, Value::ANY);
                }
            }
            Op::Badmatch | Op::CaseEnd | Op::TryCaseEnd | Op::Badrecord => {
                self.read(s, a[0])?;
                self.raise(s)?;
            }
            Op::IfEnd => self.raise(s)?,
            Op::Raise => {
                self.read(s, a[0])?;
                self.read(s, a[1])?;
                self.raise(s)?;
            }
            Op::RawRaise => {
                s.live(3)?;
                self.raise(s)?;
                s.after_call();
                s.set_x(0, Value::ANY);
            }
            Op::BuildStacktrace => {
                s.live(1)?;
                s.frame_is_set()?;
                s.after_call();
                s.set_x(0, Value::ANY);
            }

            // Moves.
            Op::Move => {
                let value = self.read(s, a[0])?;
                s.write(a[1], value)?;
            }
            Op::Swap => {
                let (x, y) = (self.read(s, a[0])?, self.read(s, a[1])?);
                s.write(a[0], y)?;
                s.write(a[1], x)?;
            }

            // Tests that teach something about a register.
            Op::IsNonemptyList => self.test(s, a, Value::CONS)?,
            Op::IsTuple => {
                let known = self.read(s, a[1])?.tuple_size().unwrap_or(0);
                self.test(s, a, Value::tuple(known))?;
            }
            Op::TestArity => {
                let known = self.read(s, a[1])?;
                self.need(at, s, known.tuple_size().is_some())?;
                let learnt = Value::tuple(number(a[2]) as u64);
                self.test(s, a, learnt)?;
            }
            Op::IsTaggedTuple => self.test(s, a, Value::tuple(number(a[2]) as u64))?,
            Op::IsMap => self.test(s, a, Value::MAP)?,
            Op::IsFloat => self.test(s, a, Value::FLOAT)?,
            // Match contexts answer yes as well.
            Op::IsBinary | Op::IsBitstr => {
                let known = self.read(s, a[1])?;
                self.test(s, a, if known == Value::CONTEXT { known } else { Value::BITSTRING })?;
            }
            Op::IsEqExact => {
                let (left, right) = (self.read(s, a[1])?, self.read(s, a[2])?);
                self.branch(a[0], s)?;
                // Equal terms have the same shape.
                if left == Value::ANY {
                    s.learn(a[1], right.shape());
                } else if right == Value::ANY {
                    s.learn(a[2], left.shape());
                }
            }
            Op::IsNeExact => {
                let (left, right) = (self.read(s, a[1])?, self.read(s, a[2])?);
                if left == Value::ANY {
                    self.branch_with(a[0], s, a[1], right.shape())?;
                } else if right == Value::ANY {
                    self.branch_with(a[0], s, a[2], left.shape())?;
                } else {
                    self.branch(a[0], s)?;
                }
            }
            Op::SelectTupleArity => {
                let known = self.read(s, a[0])?;
                self.need(at, s, known.tuple_size().is_some())?;
                self.branch(a[1], s)?;
                for pair in m.list(a[2]).chunks_exact(2) {
                    self.branch_with(pair[1], s, a[0], Value::tuple(number(pair[0]) as u64))?;
                }
            }
            Op::SelectVal => {
                self.read(s, a[0])?;
                self.branch(a[1], s)?;
                for pair in m.list(a[2]).chunks_exact(2) {
                    self.branch(pair[1], s)?;
                }
            }

            // Taking terms apart.
            Op::GetList => {
                let known = self.read(s, a[0])?;
                self.need(at, s, known == Value::CONS)?;
                s.write(a[1], Value::ANY)?;
                s.write(a[2], Value::ANY)?;
            }
            Op::GetHd | Op::GetTl => {
                let known = self.read(s, a[0])?;
                self.need(at, s, known == Value::CONS)?;
                s.write(a[1], Value::ANY)?;
            }
            Op::GetTupleElement => {
                let known = self.read(s, a[0])?;
                self.need(at, s, known.tuple_size().is_some_and(|size| (number(a[1]) as u64) < size))?;
                s.write(a[2], Value::ANY)?;
            }
            Op::SetTupleElement => {
                self.read(s, a[0])?;
                // Anything older may be a literal or shared, and collectors count on old terms to stay as
                // they are. How large the tuple is, is not known.
                let known = self.read(s, a[1])?;
                if known != Value::FRESH {
                    return Err("changes a tuple that setelement/3 has not just made".into());
                }
                self.unproven.insert(at);
            }
            Op::HasMapFields => {
                let known = self.read(s, a[1])?;
                self.need(at, s, known == Value::MAP)?;
                for &key in m.list(a[2]) {
                    self.read(s, key)?;
                }
                self.branch(a[0], s)?;
            }
            Op::GetMapElements | Op::GetRecordElements => {
                let known = self.read(s, a[1])?;
                self.need(at, s, op == Op::GetMapElements && known == Value::MAP)?;
                for pair in m.list(a[2]).chunks_exact(2) {
                    self.read(s, pair[0])?;
                }
                // On failure some of the destinations may have been written.
                let mut row = s.copy();
                let mut failed = s.view(&mut row);
                for pair in m.list(a[2]).chunks_exact(2) {
                    failed.clobber(pair[1]);
                }
                self.branch(a[0], &mut failed)?;
                for pair in m.list(a[2]).chunks_exact(2) {
                    s.write(pair[1], Value::ANY)?;
                }
            }

            // Building terms in heap that has been reserved.
            Op::PutList => {
                self.read(s, a[0])?;
                self.read(s, a[1])?;
                s.use_heap(WORDS, 2)?;
                s.write(a[2], Value::CONS)?;
            }
            Op::PutTuple2 => {
                let elements = m.list(a[1]);
                for &element in elements {
                    self.read(s, element)?;
                }
                // The empty tuple is a constant, but compilers reserve a word for it or make it a literal.
                s.use_heap(WORDS, elements.len() + 1)?;
                s.write(a[0], Value::tuple(elements.len() as u64))?;
            }
            Op::UpdateRecord => {
                let known = self.read(s, a[2])?;
                let size = number(a[1]);
                // Not even a test of the arity proves the exact size here, only that it is enough.
                self.need(at, s, known == Value::tuple(size as u64))?;
                for pair in m.list(a[4]).chunks_exact(2) {
                    self.read(s, pair[1])?;
                }
                s.frame_is_set()?;
                s.use_heap(WORDS, size + 1)?;
                s.write(a[3], Value::tuple(size as u64))?;
            }
            Op::MakeFun3 => {
                for &free in m.list(a[2]) {
                    self.read(s, free)?;
                }
                s.use_heap(FUNS, 1)?;
                s.write(a[1], Value::ANY)?;
            }
            Op::MakeFun2 => {
                let free = m.funs[number(a[0])].num_free as usize;
                s.collect(free)?;
                s.prune(0);
                s.set_x(0, Value::ANY);
            }

            // Floating point.
            Op::Fmove => match (a[0], a[1]) {
                (Operand::F(f), dst) => {
                    s.read_f(f)?;
                    s.use_heap(FLOATS, 1)?;
                    s.write(dst, Value::FLOAT)?;
                }
                (src, dst) => {
                    let known = self.read(s, src)?;
                    self.need(at, s, known == Value::FLOAT)?;
                    if let Operand::F(f) = dst {
                        s.write_f(f);
                    }
                }
            },
            Op::Fconv => {
                self.read(s, a[0])?;
                self.raise(s)?;
                if let Operand::F(f) = a[1] {
                    s.write_f(f);
                }
            }
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fnegate => {
                for &operand in &a[1..a.len() - 1] {
                    if let Operand::F(f) = operand {
                        s.read_f(f)?;
                    }
                }
                self.branch(a[0], s)?;
                if let Some(&Operand::F(f)) = a.last() {
                    s.write_f(f);
                }
            }

            // Taking binaries apart.
            Op::BsStartMatch3 | Op::BsStartMatch4 => {
                let (src, live) = if op == Op::BsStartMatch3 { (a[1], a[2]) } else { (a[2], a[1]) };
                let known = self.read(s, src)?;
                let cannot_fail = matches!(a[0], Operand::Atom(_));
                let resume = matches!(a[0], Operand::Atom(n) if &m.atoms[n] == "resume");
                let proven = known == Value::CONTEXT || (known == Value::BITSTRING && !resume);
                self.need(at, s, proven || !cannot_fail)?;
                self.branch(a[0], s)?;
                s.collect(number(live))?;
                s.write(a[3], Value::CONTEXT)?;
            }
            Op::BsSetPosition => {
                let (context, position) = (self.read(s, a[0])?, self.read(s, a[1])?);
                self.need(at, s, context == Value::CONTEXT && position == Value::POSITION)?;
            }
            Op::BsGetTail | Op::BsGetPosition => {
                let context = self.read(s, a[0])?;
                self.need(at, s, context == Value::CONTEXT)?;
                s.collect(number(a[2]))?;
                s.write(a[1], if op == Op::BsGetTail { Value::BITSTRING } else { Value::POSITION })?;
            }
            Op::BsMatch => self.bs_match(at, s, a)?,

            // Building binaries the old way.
            Op::BsInit2 | Op::BsInitBits | Op::BsAppend => {
                self.generic(at, s, op, a)?;
                s.set_building(true);
                s.reserve(a[2]);
            }
            Op::BsPrivateAppend => {
                self.generic(at, s, op, a)?;
                s.set_building(true);
            }
            Op::BsPutInteger
            | Op::BsPutBinary
            | Op::BsPutFloat
            | Op::BsPutString
            | Op::BsPutUtf8
            | Op::BsPutUtf16
            | Op::BsPutUtf32 => {
                if !s.building() {
                    return Err("no binary is being built".into());
                }
                self.generic(at, s, op, a)?;
            }
            Op::BsCreateBin => {
                let segments = m.list(a[5]);
                for segment in segments.chunks_exact(6) {
                    if !matches!(segment[4], Operand::Unsigned(_)) {
                        self.read(s, segment[4])?;
                    }
                    self.read(s, segment[5])?;
                }
                s.collect(number(a[2]))?;
                self.branch(a[0], s)?;
                s.write(a[4], Value::BITSTRING)?;
                s.reserve(a[1]);
            }

            // What the kinds of the operands say is all there is to know.
            Op::Bif0 | Op::Bif1 | Op::Bif2 | Op::Bif3 | Op::GcBif1 | Op::GcBif2 | Op::GcBif3 => {
                self.generic(at, s, op, a)?
            }
            Op::IsLt | Op::IsGe | Op::IsEq | Op::IsNe => self.generic(at, s, op, a)?,
            Op::IsInteger
            | Op::IsNumber
            | Op::IsAtom
            | Op::IsPid
            | Op::IsReference
            | Op::IsPort
            | Op::IsNil
            | Op::IsList
            | Op::IsFunction
            | Op::IsFunction2
            | Op::IsBoolean => self.generic(at, s, op, a)?,
            Op::Jump => match a[0] {
                Operand::Label(l) if self.is_handler(l) => self.dead_ends.insert(at),
                label => self.branch(label, s)?,
            },
            Op::Fcheckerror => self.generic(at, s, op, a)?,
            Op::BsAdd | Op::BsUtf8Size | Op::BsUtf16Size => self.generic(at, s, op, a)?,
            Op::BsGetInteger2
            | Op::BsGetFloat2
            | Op::BsGetBinary2
            | Op::BsSkipBits2
            | Op::BsTestTail2
            | Op::BsTestUnit
            | Op::BsMatchString
            | Op::BsGetUtf8
            | Op::BsSkipUtf8
            | Op::BsGetUtf16
            | Op::BsSkipUtf16
            | Op::BsGetUtf32
            | Op::BsSkipUtf32 => self.generic(at, s, op, a)?,
            Op::PutMapAssoc | Op::PutMapExact => {
                let known = self.read(s, a[1])?;
                self.need(at, s, known == Value::MAP)?;
                self.generic(at, s, op, a)?;
                s.write(a[2], Value::MAP)?;
            }
            Op::IsAnyNativeRecord
            | Op::IsNativeRecord
            | Op::IsRecordAccessible
            | Op::PutRecord
            | Op::GetRecordField => {
                self.need(at, s, false)?;
                self.generic(at, s, op, a)?;
            }

            // The decoder refuses these.
            Op::MPlus
            | Op::MMinus
            | Op::MTimes
            | Op::MDiv
            | Op::IntDiv
            | Op::IntRem
            | Op::IntBand
            | Op::IntBor
            | Op::IntBxor
            | Op::IntBsl
            | Op::IntBsr
            | Op::IntBnot
            | Op::IsConstant
            | Op::PutString
            | Op::PutTuple
            | Op::Put
            | Op::MakeFun
            | Op::BsStartMatch
            | Op::BsGetInteger
            | Op::BsGetFloat
            | Op::BsGetBinary
            | Op::BsSkipBits
            | Op::BsTestTail
            | Op::BsSave
            | Op::BsRestore
            | Op::BsInit
            | Op::BsFinal
            | Op::BsNeedBuf
            | Op::BsBitsToBytes
            | Op::BsStartMatch2
            | Op::BsSave2
            | Op::BsRestore2
            | Op::BsFinal2
            | Op::BsBitsToBytes2
            | Op::PutLiteral
            | Op::BsContextToBinary => return Err("is obsolete".into()),
        }
        Ok(!is_end(op))
    }

    /// A test of one register with a fail label in front.
    fn test(&mut self, s: &mut State, a: &[Operand], learnt: Value) -> Step<()> {
        self.read(s, a[1])?;
        self.branch(a[0], s)?;
        s.learn(a[1], learnt);
        Ok(())
    }

    /// Reads the sources, collects if registers are said to be live, branches or raises, writes the
    /// destination.
    fn generic(&mut self, at: usize, s: &mut State, op: Op, a: &[Operand]) -> Step<()> {
        let kinds = op.info().kinds;
        let mut live = None;
        for (&kind, &operand) in kinds.iter().zip(a) {
            match kind {
                Kind::Src | Kind::Reg | Kind::Size => {
                    self.read(s, operand)?;
                }
                Kind::Context => {
                    let known = self.read(s, operand)?;
                    self.need(at, s, known == Value::CONTEXT)?;
                }
                Kind::MapPairs => {
                    for &element in self.m.list(operand) {
                        self.read(s, element)?;
                    }
                }
                Kind::FieldPairs => {
                    for pair in self.m.list(operand).chunks_exact(2) {
                        self.read(s, pair[1])?;
                    }
                }
                Kind::Live => live = Some(number(operand)),
                _ => {}
            }
        }
        if let Some(live) = live {
            s.collect(live)?;
        }
        for (&kind, &operand) in kinds.iter().zip(a) {
            if matches!(kind, Kind::Jump | Kind::Fail) {
                self.branch(operand, s)?;
            }
        }
        for (&kind, &operand) in kinds.iter().zip(a) {
            if kind == Kind::Dst {
                let value = match op {
                    Op::BsGetBinary2 | Op::BsInit2 | Op::BsInitBits | Op::BsAppend | Op::BsPrivateAppend => {
                        Value::BITSTRING
                    }
                    Op::BsGetFloat2 => Value::FLOAT,
                    _ => Value::ANY,
                };
                s.write(operand, value)?;
            }
        }
        Ok(())
    }

    fn bs_match(&mut self, at: usize, s: &mut State, a: &[Operand]) -> Step<()> {
        let m = self.m;
        let known = self.read(s, a[1])?;
        let mut proven = known == Value::CONTEXT;
        s.frame_is_set()?;
        let mut row = s.copy();
        let mut failed = s.view(&mut row);
        // Bits that an ensure command has promised and nothing has consumed.
        let mut ensured = 0u64;
        let mut rest = m.list(a[2]);
        while let Some(command) = MatchCommand::split(m, &mut rest) {
            match command {
                MatchCommand::EnsureAtLeast { size, .. } | MatchCommand::EnsureExactly { size } => {
                    ensured = number(size) as u64;
                }
                MatchCommand::Skip { size } | MatchCommand::Equals { bits: size, .. } => {
                    proven &= take(&mut ensured, number(size) as u64);
                }
                MatchCommand::Get { live, size, unit, dst, .. } => {
                    proven &= take(&mut ensured, number(size) as u64 * number(unit) as u64);
                    self.get(s, &mut failed, a[1], live, dst)?;
                }
                MatchCommand::GetTail { live, dst, .. } => {
                    ensured = 0;
                    self.get(s, &mut failed, a[1], live, dst)?;
                }
            }
        }
        self.need(at, s, proven)?;
        self.branch(a[0], &mut failed)
    }

    /// A command of `bs_match` that makes a term: it may collect, and the context must survive that.
    fn get(
        &mut self,
        s: &mut State,
        failed: &mut State,
        context: Operand,
        live: Operand,
        dst: Operand,
    ) -> Step<()> {
        let live = number(live);
        if matches!(context, Operand::X(n) if n as usize >= live) {
            return Err(format!("{live} live registers do not include the match context"));
        }
        s.collect(live)?;
        s.write(dst, Value::ANY)?;
        failed.clobber(dst);
        Ok(())
    }
}

fn take(ensured: &mut u64, bits: u64) -> bool {
    let enough = bits <= *ensured;
    *ensured = ensured.saturating_sub(bits);
    enough
}

impl State<'_> {
    /// A register is known better now.
    fn learn(&mut self, register: Operand, value: Value) {
        match register {
            Operand::X(n) => self.set_x(n as usize, value),
            Operand::Y(n) => self.set_y(n as usize, value),
            _ => {}
        }
    }

    /// A register may have been overwritten with some term; if it held nothing, it may still hold nothing.
    fn clobber(&mut self, register: Operand) {
        let known = match register {
            Operand::X(n) => self.x(n as usize),
            Operand::Y(n) => self.y(n as usize),
            _ => return,
        };
        if known != Value::UNSET && !known.is_tag() && known != Value::MIXED {
            self.learn(register, Value::ANY);
        }
    }
}
