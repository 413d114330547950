//! Follows every path through a function and keeps, for each label, what holds whichever way control came.

use super::value::Value;
use super::{InstrSet, fault};
use crate::code::Operand;
use crate::error::Result;
use crate::functions::Function;
use crate::module::Module;
use crate::ops::Op;

/// No frame.
pub(super) const NO_FRAME: u32 = u32::MAX;
/// Paths with different frames meet: nothing may use the frame until an exception clears it away.
pub(super) const UNDECIDED: u32 = u32::MAX - 1;

/// Memory for the states of one function's labels, in words; only crafted files come near.
const MAX_STATE_WORDS: usize = 1 << 26;

/// Places of the parts of a state, which is a row of words.
mod part {
    pub const FRAME: usize = 0;
    pub const WORDS: usize = 1;
    pub const FUNS: usize = 3;
    pub const BUILDING: usize = 4;
    /// For undecided frames: every slot of whichever frame it is has been set.
    pub const SETTLED: usize = 5;
    /// Some register may hold [`Value::FRESH`].
    pub const FRESH: usize = 6;
    pub const REGISTERS: usize = 7;
}

/// What holds at a point of the code. Kept as plain words, so that states of labels lie in one block.
pub(super) struct State<'s> {
    row: &'s mut [u32],
    shape: Shape,
}

/// How many registers of each kind the function uses.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    xs: usize,
    ys: usize,
    fs: usize,
}

impl Shape {
    fn size(self) -> usize {
        part::REGISTERS + self.xs + self.ys + self.fs
    }
}

impl State<'_> {
    pub fn frame(&self) -> u32 {
        self.row[part::FRAME]
    }

    pub fn set_frame(&mut self, frame: u32) {
        self.row[part::FRAME] = frame;
    }

    /// The three kinds of heap reservation: words, floats, funs.
    pub fn heap(&mut self) -> &mut [u32] {
        &mut self.row[part::WORDS..=part::FUNS]
    }

    /// Whether a binary is being built by the old instructions.
    pub fn building(&self) -> bool {
        self.row[part::BUILDING] != 0
    }

    pub fn set_building(&mut self, building: bool) {
        self.row[part::BUILDING] = building as u32;
    }

    /// The first slot of the frame that a collection may not look at yet.
    pub fn unsettled(&mut self) -> Option<usize> {
        let frame = match self.frame() {
            NO_FRAME => 0,
            UNDECIDED => return if self.row[part::SETTLED] != 0 { None } else { Some(0) },
            n => n as usize,
        };
        self.ys()[..frame].iter().position(|&y| matches!(Value(y), Value::UNSET | Value::MIXED))
    }

    /// Notes that x register 0 holds a tuple that may be changed.
    pub fn set_fresh(&mut self) {
        self.set_x(0, Value::FRESH);
        self.row[part::FRESH] = 1;
    }

    /// From here on tuples must not be changed any more.
    #[inline]
    pub fn end_fresh(&mut self) {
        if std::mem::take(&mut self.row[part::FRESH]) != 0 {
            let any = Value::tuple(0).0;
            self.row[part::REGISTERS..].iter_mut().filter(|v| **v == Value::FRESH.0).for_each(|v| *v = any);
        }
    }

    /// Registers that the function never names hold nothing it could miss.
    pub fn x(&self, n: usize) -> Value {
        if n < self.shape.xs { Value(self.row[part::REGISTERS + n]) } else { Value::UNSET }
    }

    pub fn set_x(&mut self, n: usize, value: Value) {
        if n < self.shape.xs {
            self.row[part::REGISTERS + n] = value.0;
        }
    }

    /// Forgets the x registers from `live` on.
    pub fn prune(&mut self, live: usize) {
        let xs = part::REGISTERS + self.shape.xs;
        if live < self.shape.xs {
            self.row[part::REGISTERS + live..xs].fill(Value::UNSET.0);
        }
    }

    /// All y slots that can be named; those outside the frame are unset.
    pub fn ys(&mut self) -> &mut [u32] {
        let start = part::REGISTERS + self.shape.xs;
        &mut self.row[start..start + self.shape.ys]
    }

    pub fn y(&self, n: usize) -> Value {
        if n < self.shape.ys { Value(self.row[part::REGISTERS + self.shape.xs + n]) } else { Value::UNSET }
    }

    pub fn set_y(&mut self, n: usize, value: Value) {
        if n < self.shape.ys {
            self.row[part::REGISTERS + self.shape.xs + n] = value.0;
        }
    }

    /// All floating-point registers.
    pub fn fs(&mut self) -> &mut [u32] {
        &mut self.row[part::REGISTERS + self.shape.xs + self.shape.ys..]
    }

    /// A copy of the words, for a path that goes another way; see [`State::view`].
    pub fn copy(&self) -> Vec<u32> {
        self.row.to_vec()
    }

    /// A state of the same form over other words.
    pub fn view<'t>(&self, row: &'t mut [u32]) -> State<'t> {
        State { row, shape: self.shape }
    }

    pub fn how_many_xs(&self) -> usize {
        self.shape.xs
    }
}

/// Whether control has come to a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    No,
    /// Its state has changed since the code behind it was checked.
    Pending,
    Done,
}

pub(super) struct Checker<'m> {
    pub m: &'m Module,
    /// Instructions that rely on a shape that nothing proves.
    pub unproven: InstrSet,
    /// Instructions that end a path though it does not look so.
    pub dead_ends: InstrSet,
    /// What is known of each literal.
    pub literals: Vec<Value>,
    /// For each label of the module its number within its function.
    position: Vec<u32>,
    shape: Shape,
    states: Vec<u32>,
    reached: Vec<Reached>,
    any_pending: bool,
    /// For each label of the function, whether a `try` names it as its handler.
    is_handler: Vec<bool>,
}

impl<'m> Checker<'m> {
    pub fn new(m: &'m Module) -> Checker<'m> {
        let literals = (0..m.literal_count() as u32).map(|n| Value::of_literal(m.literal(n))).collect();
        Checker {
            m,
            unproven: InstrSet::new(m.instrs.len()),
            dead_ends: InstrSet::new(m.instrs.len()),
            literals,
            position: vec![0; m.labels.len()],
            shape: Shape::default(),
            states: Vec::new(),
            reached: Vec::new(),
            any_pending: false,
            is_handler: Vec::new(),
        }
    }

    pub fn state<'s>(row: &'s mut [u32], shape: Shape) -> State<'s> {
        State { row, shape }
    }

    pub fn check(&mut self, function: &Function) -> Result<()> {
        let labels = self.survey(function);
        let size = self.shape.size();
        if labels.len().saturating_mul(size) > MAX_STATE_WORDS {
            return Err(fault(
                self.m,
                function,
                function.first as usize,
                "the function is too large to be checked",
            ));
        }
        self.is_handler.clear();
        self.is_handler.resize(labels.len(), false);
        for instr in self.m.body(function) {
            if let (Op::Try, [_, Operand::Label(l)]) = (instr.op, self.m.args(instr)) {
                self.is_handler[self.position[*l as usize] as usize] = true;
            }
        }
        self.states.clear();
        self.states.resize(labels.len() * size, 0);
        self.reached.clear();
        self.reached.resize(labels.len(), Reached::No);

        let mut row = vec![0; size];
        let mut current = Self::state(&mut row, self.shape);
        current.set_frame(NO_FRAME);
        for n in 0..function.arity as usize {
            current.set_x(n, Value::ANY);
        }
        self.arrive(function.entry, &mut current);

        // Each turn of a register's value goes one way only, so this ends; the budget stops files made to
        // take a number of rounds that no compiler's output needs.
        let mut budget = 200 * (function.end - function.first) as u64 + 100_000;
        while self.any_pending {
            self.any_pending = false;
            for (position, &start) in labels.iter().enumerate() {
                if self.reached[position] != Reached::Pending {
                    continue;
                }
                self.reached[position] = Reached::Done;
                row.copy_from_slice(&self.states[position * size..][..size]);
                let mut current = Self::state(&mut row, self.shape);
                let done = self.block(function, start as usize, &mut current)?;
                budget = budget.saturating_sub(done as u64);
                if budget == 0 {
                    return Err(fault(
                        self.m,
                        function,
                        start as usize,
                        "the function takes too long to check",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Numbers the labels and finds out which registers occur.
    fn survey(&mut self, function: &Function) -> Vec<u32> {
        let mut labels = Vec::new();
        // Handlers and calls leave results in the first three registers.
        let mut shape = Shape { xs: (function.arity as usize).max(3), ys: 0, fs: 0 };
        let m = self.m;
        let body = function.first as usize..function.end as usize;
        for at in body.clone() {
            if m.instrs[at].op == Op::Label
                && let [Operand::Unsigned(n)] = *m.args(&m.instrs[at])
            {
                self.position[n as usize] = labels.len() as u32;
                labels.push(at as u32);
            }
        }
        // Operands of an instruction, lists included, lie behind those of the one before it.
        let operands = m.instrs[body.start].args as usize..m.instrs[body.end].args as usize;
        for operand in &m.operands[operands] {
            match *operand {
                Operand::X(n) => shape.xs = shape.xs.max(n as usize + 1),
                Operand::Y(n) => shape.ys = shape.ys.max(n as usize + 1),
                Operand::F(n) => shape.fs = shape.fs.max(n as usize + 1),
                _ => {}
            }
        }
        for instr in m.body(function) {
            // Arguments of calls and live registers may go unnamed.
            let extra = match (instr.op, m.args(instr)) {
                (Op::Call | Op::CallLast | Op::CallOnly, [Operand::Unsigned(n), ..]) => *n as usize,
                (Op::CallExt | Op::CallExtLast | Op::CallExtOnly, [Operand::Unsigned(n), ..]) => *n as usize,
                (Op::CallFun2, [_, Operand::Unsigned(n), ..]) => *n as usize,
                (Op::CallFun, [Operand::Unsigned(n)]) => *n as usize + 1,
                (Op::Apply | Op::ApplyLast, [Operand::Unsigned(n), ..]) => *n as usize + 2,
                (Op::MakeFun2, [Operand::Unsigned(n)]) => m.funs[*n as usize].num_free as usize,
                (
                    Op::Allocate | Op::AllocateZero | Op::AllocateHeap | Op::AllocateHeapZero,
                    [Operand::Unsigned(n), ..],
                ) => {
                    shape.ys = shape.ys.max(*n as usize);
                    0
                }
                _ => 0,
            };
            shape.xs = shape.xs.max(extra);
        }
        self.shape = shape;
        labels
    }

    /// Checks from a label up to the next one or to the end of the path; says how many instructions.
    fn block(&mut self, function: &Function, start: usize, current: &mut State) -> Result<usize> {
        let m = self.m;
        for at in start + 1..function.end as usize {
            let instr = &m.instrs[at];
            if instr.op == Op::Label {
                current.end_fresh();
                if let [Operand::Unsigned(n)] = *m.args(instr) {
                    if self.is_handler(n as u32) {
                        // Control comes to the handler of a `try` by exceptions only. Behind a call that
                        // cannot return, the compiler lets the code run into it.
                        self.dead_ends.insert(at - 1);
                    } else {
                        self.arrive(n as u32, current);
                    }
                }
                return Ok(at - start);
            }
            let goes_on = self.step(at, current).map_err(|what| fault(m, function, at, what))?;
            if !goes_on {
                return Ok(at - start);
            }
        }
        let last = function.end as usize - 1;
        Err(fault(m, function, last, "control runs on behind the function's end"))
    }

    /// Whether the label starts the handler of a `try`.
    pub fn is_handler(&self, label: u32) -> bool {
        self.is_handler[self.position[label as usize] as usize]
    }

    /// Control may come to a label with this state: remembers what holds on all ways there.
    pub fn arrive(&mut self, label: u32, current: &mut State) {
        let position = self.position[label as usize] as usize;
        let size = self.shape.size();
        let known = &mut self.states[position * size..][..size];
        if self.reached[position] == Reached::No {
            known.copy_from_slice(current.row);
            self.reached[position] = Reached::Pending;
            self.any_pending = true;
            return;
        }
        if known == current.row {
            return;
        }
        let mut changed = false;
        let mut lower = |known: &mut u32, new: u32| {
            changed |= *known != new;
            *known = new;
        };
        debug_assert_eq!((known[part::FRESH], current.row[part::FRESH]), (0, 0));
        if known[part::FRAME] != current.row[part::FRAME] || current.frame() == UNDECIDED {
            let settled =
                current.unsettled().is_none() && Self::state(known, self.shape).unsettled().is_none();
            lower(&mut known[part::SETTLED], settled as u32);
            lower(&mut known[part::FRAME], UNDECIDED);
        }
        let (known, new) = (&mut known[part::WORDS..], &current.row[part::WORDS..]);
        // Behind the counts stands SETTLED, which was dealt with together with the frame.
        let (counts, registers) = (part::SETTLED - part::WORDS, part::REGISTERS - part::WORDS);
        for (known, &new) in known[..counts].iter_mut().zip(new) {
            lower(known, new.min(*known));
        }
        for (known, &new) in known[registers..].iter_mut().zip(&new[registers..]) {
            if *known != new {
                let joined = Value(*known).join(Value(new)).0;
                lower(known, joined);
            }
        }
        if changed {
            self.reached[position] = Reached::Pending;
            self.any_pending = true;
        }
    }
}
