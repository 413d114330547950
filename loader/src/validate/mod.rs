//! Checks that let running code go without checks: operands fit their instructions, labels lead where they
//! must, and along every path frames, registers and heap reservations are what the instructions take for
//! granted.

mod flow;
mod operands;
mod step;
mod value;

use crate::code::Instr;
use crate::disasm::Quoted;
use crate::error::{LoadError, Result};
use crate::functions::Function;
use crate::module::Module;
use crate::ops::Op;
use crate::tables::Export;

/// One bit per instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstrSet {
    words: Vec<u64>,
}

impl InstrSet {
    pub(crate) fn new(len: usize) -> InstrSet {
        InstrSet { words: vec![0; len.div_ceil(64)] }
    }

    pub(crate) fn insert(&mut self, instr: usize) {
        self.words[instr / 64] |= 1 << (instr % 64);
    }

    /// Whether the instruction with this index is in the set.
    #[inline]
    pub fn contains(&self, instr: usize) -> bool {
        self.words.get(instr / 64).is_some_and(|w| w >> (instr % 64) & 1 == 1)
    }

    /// How many instructions are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether no instruction is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }
}

/// What the checks found out besides that the module is sound.
pub(crate) struct Facts {
    pub unproven: InstrSet,
    pub dead_ends: InstrSet,
}

/// Checks the whole module.
pub(crate) fn check(m: &Module) -> Result<Facts> {
    tables(m)?;
    let mut checker = flow::Checker::new(m);
    for (number, function) in m.functions.iter().enumerate() {
        operands::check(m, number, function)?;
        checker.check(function)?;
    }
    Ok(Facts { unproven: checker.unproven, dead_ends: checker.dead_ends })
}

/// Rows of tables that name functions must lead to the entries of just those functions.
fn tables(m: &Module) -> Result<()> {
    let entry = |label: u32| {
        let label = m.labels.get(label as usize)?;
        m.functions.get(label.function as usize)
    };
    let export = |chunk: &'static [u8; 4], e: &Export| match entry(e.label) {
        Some(f) if f.entry == e.label && f.name == e.function && f.arity == e.arity => Ok(()),
        _ => {
            let name = Quoted(&m.atoms[e.function]);
            let fault = format!("label {} is not the entry of {name}/{}", e.label, e.arity);
            Err(LoadError::corrupt(chunk, fault))
        }
    };
    m.exports.iter().try_for_each(|e| export(b"ExpT", e))?;
    m.locals.iter().try_for_each(|e| export(b"LocT", e))?;
    for (n, fun) in m.funs.iter().enumerate() {
        match entry(fun.label) {
            Some(f) if f.entry == fun.label && f.arity == fun.arity => {}
            _ => {
                let fault = format!(
                    "fun {n}: label {} is not the entry of a function of arity {}",
                    fun.label, fun.arity
                );
                return Err(LoadError::corrupt(b"FunT", fault));
            }
        }
    }
    Ok(())
}

/// An error at an instruction, naming function and instruction.
#[cold]
fn fault(m: &Module, function: &Function, at: usize, what: impl std::fmt::Display) -> LoadError {
    let (name, arity) = (Quoted(&m.atoms[function.name]), function.arity);
    let instr: Instr = m.instrs[at];
    let place = at - function.first as usize;
    LoadError::corrupt(
        b"Code",
        format!("function {name}/{arity}: instruction {place} ({}): {what}", m.show(instr)),
    )
}

/// Whether a function never returns, whatever its arguments. The compiler knows these, needs no frame to
/// call them and leaves nothing sensible behind such calls.
fn never_returns(m: &Module, import: u32) -> bool {
    let i = &m.imports[import as usize];
    &m.atoms[i.module] == "erlang"
        && matches!(
            (&m.atoms[i.function], i.arity),
            ("error", 1..=3) | ("exit", 1) | ("throw", 1) | ("nif_error", 1 | 2)
        )
}

/// Whether a function gives a tuple that nobody else knows.
fn makes_fresh_tuple(m: &Module, import: u32) -> bool {
    let i = &m.imports[import as usize];
    i.arity == 3 && &m.atoms[i.function] == "setelement" && &m.atoms[i.module] == "erlang"
}

/// Whether control never reaches the next instruction.
fn is_end(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FuncInfo
            | CallLast
            | CallOnly
            | CallExtLast
            | CallExtOnly
            | ApplyLast
            | Return
            | Jump
            | SelectVal
            | SelectTupleArity
            | LoopRecEnd
            | Wait
            | Badmatch
            | IfEnd
            | CaseEnd
            | TryCaseEnd
            | Raise
            | Badrecord
    )
}
