//! Printing of generic instructions in the notation of OTP's listings.

use std::fmt;

use crate::code::{Instr, Operand};
use crate::module::Module;

/// Shows one instruction of a module; see [`Module::show`].
#[derive(Clone, Copy)]
pub struct Show<'m> {
    pub(crate) module: &'m Module,
    pub(crate) instr: Instr,
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operands = self.module.args(&self.instr);
        if operands.is_empty() {
            return f.write_str(self.instr.op.name());
        }
        write!(f, "{{{}", self.instr.op.name())?;
        for (i, &operand) in operands.iter().enumerate() {
            f.write_str(",")?;
            show(f, self.module, operand, self.instr.args as usize + i)?;
        }
        f.write_str("}")
    }
}

fn show(f: &mut fmt::Formatter<'_>, module: &Module, operand: Operand, at: usize) -> fmt::Result {
    let ty = module.operand_types.get(at).copied().unwrap_or(0);
    match operand {
        Operand::Nil => f.write_str("nil"),
        Operand::Atom(n) => write!(f, "{{atom,{}}}", Quoted(&module.atoms[n])),
        Operand::Int(n) => write!(f, "{{integer,{n}}}"),
        Operand::Big(n) => {
            let big = &module.bigints[n as usize];
            write!(f, "{{integer,{}16#", if big.negative { "-" } else { "" })?;
            for (i, byte) in big.magnitude.iter().rev().enumerate() {
                if i == 0 { write!(f, "{byte:X}")? } else { write!(f, "{byte:02X}")? }
            }
            f.write_str("}")
        }
        Operand::X(n) if ty != 0 => write!(f, "{{tr,{{x,{n}}},{ty}}}"),
        Operand::Y(n) if ty != 0 => write!(f, "{{tr,{{y,{n}}},{ty}}}"),
        Operand::X(n) => write!(f, "{{x,{n}}}"),
        Operand::Y(n) => write!(f, "{{y,{n}}}"),
        Operand::F(n) => write!(f, "{{fr,{n}}}"),
        Operand::Label(n) => write!(f, "{{f,{n}}}"),
        Operand::Literal(n) => write!(f, "{{literal,{n}}}"),
        Operand::Unsigned(n) => write!(f, "{n}"),
        Operand::List { start, .. } => {
            f.write_str("{list,[")?;
            for (i, &element) in module.list(operand).iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                show(f, module, element, start as usize + i)?;
            }
            f.write_str("]}")
        }
        Operand::Alloc { words, floats, funs } => {
            write!(f, "{{alloc,[{{words,{words}}},{{floats,{floats}}},{{funs,{funs}}}]}}")
        }
    }
}

/// An atom, quoted when Erlang needs it.
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0.starts_with(|c: char| c.is_ascii_lowercase())
            && self.0.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '@');
        if plain && !RESERVED.contains(&self.0) {
            return f.write_str(self.0);
        }
        f.write_str("'")?;
        for c in self.0.chars() {
            match c {
                '\'' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() => write!(f, "\\x{{{:x}}}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("'")
    }
}

const RESERVED: &[&str] = &[
    "after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case", "catch", "cond",
    "div", "else", "end", "fun", "if", "let", "maybe", "not", "of", "or", "orelse", "receive", "rem", "try",
    "when", "xor",
];
