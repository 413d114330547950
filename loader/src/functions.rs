//! Finds the functions in the code and checks its outer structure: label, func_info, entry label, body.

use crate::code::{Code, Operand};
use crate::container::Reader;
use crate::error::Result;
use crate::ops::Op;

/// A function of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name, an atom index.
    pub name: u32,
    /// Its number of arguments.
    pub arity: u8,
    /// The label in front of its `func_info`: clauses that match nothing jump there.
    pub info_label: u32,
    /// The label behind `func_info`, where calls go.
    pub entry: u32,
    /// Its first instruction: the label in front of `func_info`.
    pub first: u32,
    /// Index behind its last instruction.
    pub end: u32,
}

/// Where a label stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Index of the `label` instruction.
    pub instr: u32,
    /// Index of the function it belongs to.
    pub function: u32,
}

impl Label {
    /// In the table of labels, stands for numbers that no instruction defines. Nothing refers to those.
    pub const UNDEFINED: Label = Label { instr: u32::MAX, function: u32::MAX };

    /// Whether an instruction defines the label.
    pub fn is_defined(self) -> bool {
        self != Label::UNDEFINED
    }
}

pub(crate) struct Functions {
    pub functions: Vec<Function>,
    pub labels: Vec<Label>,
}

pub(crate) fn find(code: &Code) -> Result<Functions> {
    let error = |fault: String| Reader::new(b"Code", &[]).error(fault);
    let args = |i: usize| {
        let instr = &code.instrs[i];
        &code.operands[instr.args as usize..instr.args as usize + instr.n as usize]
    };
    let label_at = |i: usize| match (code.instrs.get(i)?.op, args(i)) {
        (Op::Label, [Operand::Unsigned(n)]) => Some(*n as u32),
        _ => None,
    };

    let mut functions: Vec<Function> = Vec::with_capacity(code.declared_functions.min(code.labels) as usize);
    for (i, instr) in code.instrs.iter().enumerate() {
        if instr.op != Op::FuncInfo {
            continue;
        }
        let number = functions.len();
        let &[Operand::Atom(_), Operand::Atom(name), Operand::Unsigned(arity)] = args(i) else {
            return Err(error(format!("function {number}: malformed func_info")));
        };
        if arity > 255 {
            return Err(error(format!("function {number}: arity {arity}")));
        }
        // `line` may stand between the label and func_info.
        let mut first = i;
        while first > 0 && code.instrs[first - 1].op == Op::Line {
            first -= 1;
        }
        let Some(info_label) = first.checked_sub(1).and_then(label_at) else {
            return Err(error(format!("function {number}: no label in front of func_info")));
        };
        first -= 1;
        let Some(entry) = label_at(i + 1) else {
            return Err(error(format!("function {number}: no label behind func_info")));
        };
        if let Some(last) = functions.last_mut() {
            // The entry label of one function cannot serve as the label in front of the next.
            if (first as u32) < last.end {
                return Err(error(format!("function {number}: no label of its own in front of func_info")));
            }
            last.end = first as u32;
        } else if first != 0 {
            return Err(error("instructions in front of the first function".into()));
        }
        // `end` is provisional: behind the entry label, until the next function shows up.
        functions.push(Function {
            name,
            arity: arity as u8,
            info_label,
            entry,
            first: first as u32,
            end: i as u32 + 2,
        });
    }
    let code_end = code.instrs.len() as u32 - 1;
    match functions.last_mut() {
        Some(last) => last.end = code_end,
        None if code_end > 0 => return Err(error("instructions in front of the first function".into())),
        None => {}
    }
    if functions.len() != code.declared_functions as usize {
        let fault = format!("declares {} functions but has {}", code.declared_functions, functions.len());
        return Err(error(fault));
    }
    let labels = labels(code, &functions, error)?;
    Ok(Functions { functions, labels })
}

fn labels(
    code: &Code,
    functions: &[Function],
    error: impl Fn(String) -> crate::LoadError,
) -> Result<Vec<Label>> {
    let mut labels = vec![Label::UNDEFINED; code.labels as usize];
    for (number, function) in functions.iter().enumerate() {
        for i in function.first..function.end {
            let instr = &code.instrs[i as usize];
            if instr.op != Op::Label {
                continue;
            }
            let n = match code.operands[instr.args as usize] {
                Operand::Unsigned(n) if n > 0 && n < code.labels as u64 => n,
                other => return Err(error(format!("function {number}: bad label {other:?}"))),
            };
            let label = &mut labels[n as usize];
            if label.is_defined() {
                return Err(error(format!("function {number}: label {n} is defined twice")));
            }
            *label = Label { instr: i, function: number as u32 };
        }
    }
    Ok(labels)
}
