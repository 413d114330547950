//! The `Code` chunk: instructions with their operands, decoded into flat tables.

use crate::compact::{self, Number, Tag};
use crate::container::Reader;
use crate::error::{ErrorKind, LoadError, Result};
use crate::ops::{MAX_OPCODE, Op};

/// X registers end before this one; OTP keeps the last of 1024 for itself.
pub const MAX_X: u16 = 1023;
/// Y registers end before this one.
pub const MAX_Y: u16 = 1024;
/// More labels than any real module has; the checker packs labels and flags into one word.
const MAX_LABELS: u32 = 1 << 28;
/// Floating-point registers end before this one.
pub const MAX_F: u16 = 1023;

/// An operand. Tables are indexed from 0; registers and indexes are in range when the module was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The empty list.
    Nil,
    /// An atom, as an index into the module's atoms.
    Atom(u32),
    /// An integer.
    Int(i64),
    /// An integer beyond 64 bits, as an index into [`Module::bigints`](crate::Module::bigints).
    Big(u32),
    /// An x register.
    X(u16),
    /// A y register.
    Y(u16),
    /// A floating-point register.
    F(u16),
    /// A label; 0 says that failure raises an exception.
    Label(u32),
    /// An index into the literals.
    Literal(u32),
    /// An untagged number: count, size, index, flags.
    Unsigned(u64),
    /// `len` operands from `start` on, in the same table as all operands.
    List {
        /// Index of the first.
        start: u32,
        /// How many.
        len: u32,
    },
    /// Heap need: words, and how many floats and funs on top of them.
    Alloc {
        /// Plain words.
        words: u32,
        /// Floats.
        floats: u32,
        /// Funs.
        funs: u32,
    },
}

/// An instruction: its operands are `args .. args + n` of the operand table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instr {
    /// Index of the first operand.
    pub args: u32,
    /// Number of operands.
    pub n: u16,
    /// What to do.
    pub op: Op,
}

/// An integer beyond 64 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BigInt {
    /// Whether it is below zero.
    pub negative: bool,
    /// Its absolute value, little-endian, without leading zeros at the end.
    pub magnitude: Box<[u8]>,
}

impl BigInt {
    /// From big-endian two's complement.
    fn new(digits: &[u8]) -> BigInt {
        let negative = digits.first().is_some_and(|&b| b >= 0x80);
        let mut carry = negative;
        let mut magnitude: Vec<u8> = digits
            .iter()
            .rev()
            .map(|&digit| {
                if !negative {
                    return digit;
                }
                let (digit, over) = (!digit).overflowing_add(carry as u8);
                carry = over;
                digit
            })
            .collect();
        // The carry leaves the top digit only for a value whose digits are all zero, which is not negative.
        while magnitude.last() == Some(&0) {
            magnitude.pop();
        }
        BigInt { negative, magnitude: magnitude.into() }
    }
}

/// How many entries the tables have that operands refer to.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub atoms: u32,
    pub literals: u32,
    /// Types, or 0 when the module has no usable ones; then type indexes are dropped.
    pub types: u32,
}

/// What the chunk holds.
#[derive(Default)]
pub(crate) struct Code {
    pub labels: u32,
    pub declared_functions: u32,
    pub instrs: Vec<Instr>,
    pub operands: Vec<Operand>,
    /// Parallel to `operands`, or empty if there are no types.
    pub operand_types: Vec<u16>,
    pub bigints: Vec<BigInt>,
}

pub(crate) fn decode(bytes: &[u8], limits: Limits) -> Result<Code> {
    let mut r = Reader::new(b"Code", bytes);
    let head = r.u32()? as usize;
    if head < 16 {
        return Err(r.error(format!("a header of {head} bytes; 16 are needed")));
    }
    let format = r.u32()?;
    if format != 0 {
        return Err(too_new(format!("instruction set {format} is not known; recompile the module")));
    }
    let max_opcode = r.u32()?;
    if max_opcode > MAX_OPCODE as u32 {
        return Err(too_new(format!(
            "uses opcode {max_opcode}, newer than the newest known one ({MAX_OPCODE})"
        )));
    }
    let (labels, declared_functions) = (r.u32()?, r.u32()?);
    r.take(head - 16)?;
    // A label instruction takes two bytes at least; the count includes label 0, which nobody defines.
    if labels as usize > r.remaining() / 2 + 1 || labels > MAX_LABELS {
        return Err(r.error(format!("claims {labels} labels in {} bytes of code", r.remaining())));
    }
    // Measured on OTP: 4 to 6 bytes an instruction, 1.3 to 2 an operand.
    let mut code = Code {
        labels,
        declared_functions,
        instrs: Vec::with_capacity(r.remaining() / 4),
        operands: Vec::with_capacity(r.remaining() / 2),
        ..Code::default()
    };
    let mut decoder = Decoder { r, limits, code: &mut code };
    decoder.instructions()?;
    if limits.types == 0 {
        code.operand_types = Vec::new();
    }
    Ok(code)
}

/// Reads one operand, not a list, outside of code.
pub(crate) fn read_operand(r: &mut Reader<'_>, limits: Limits, bigints: &mut Vec<BigInt>) -> Result<Operand> {
    let mut code = Code { bigints: std::mem::take(bigints), ..Code::default() };
    let mut decoder = Decoder { r: r.clone(), limits, code: &mut code };
    let operand = decoder.operand(false);
    *r = decoder.r;
    *bigints = code.bigints;
    Ok(operand?.0)
}

#[cold]
fn too_new(fault: String) -> LoadError {
    LoadError { kind: ErrorKind::TooNew, ..LoadError::corrupt(b"Code", fault) }
}

struct Decoder<'a, 'c> {
    r: Reader<'a>,
    limits: Limits,
    code: &'c mut Code,
}

impl Decoder<'_, '_> {
    fn instructions(&mut self) -> Result<()> {
        loop {
            if self.r.remaining() == 0 {
                return Err(self.r.error("ends without int_code_end"));
            }
            let number = self.r.u8()?;
            let Some(info) = Op::from_number(number) else {
                let fault = format!("opcode {number} at byte {} is not known", self.r.position() - 1);
                return Err(if number == 0 { self.r.error(fault) } else { too_new(fault) });
            };
            if info.op.is_obsolete() {
                let fault = format!("instruction {} is obsolete; recompile the module", info.name);
                return Err(LoadError { kind: ErrorKind::TooOld, ..self.r.error(fault) });
            }
            let n = info.kinds.len();
            let args = self.code.operands.len();
            self.code.instrs.push(Instr { args: args as u32, n: n as u16, op: info.op });
            // Lists go behind the instruction's own operands, so these get their places first.
            self.code.operands.resize(args + n, Operand::Nil);
            self.code.operand_types.resize(args + n, 0);
            for slot in args..args + n {
                let (operand, ty) = self.operand(true)?;
                self.code.operands[slot] = operand;
                self.code.operand_types[slot] = ty;
            }
            if info.op == Op::IntCodeEnd {
                return match self.r.remaining() {
                    0 => Ok(()),
                    n => Err(self.r.error(format!("{n} bytes after int_code_end"))),
                };
            }
        }
    }

    /// One operand and its type index. Lists do not nest.
    #[inline]
    fn operand(&mut self, outer: bool) -> Result<(Operand, u16)> {
        let (tag, number) = compact::read(&mut self.r)?;
        let operand = match (tag, number) {
            (Tag::Unsigned, Number::Small(n)) if n >= 0 => Operand::Unsigned(n as u64),
            (Tag::Integer, Number::Small(n)) => Operand::Int(n),
            (Tag::Integer, Number::Big(digits)) => {
                self.code.bigints.push(BigInt::new(digits));
                Operand::Big(self.code.bigints.len() as u32 - 1)
            }
            (Tag::Atom, Number::Small(0)) => Operand::Nil,
            (Tag::Atom, Number::Small(n)) if n > 0 && n <= self.limits.atoms as i64 => {
                Operand::Atom(n as u32 - 1)
            }
            (Tag::X, Number::Small(n)) if (0..MAX_X as i64).contains(&n) => Operand::X(n as u16),
            (Tag::Y, Number::Small(n)) if (0..MAX_Y as i64).contains(&n) => Operand::Y(n as u16),
            (Tag::Label, Number::Small(n)) if n == 0 || (n > 0 && n < self.code.labels as i64) => {
                Operand::Label(n as u32)
            }
            (Tag::Extended, Number::Small(n)) => return self.extended(n, outer),
            _ => return Err(self.bad_number(tag, number)),
        };
        Ok((operand, 0))
    }

    fn extended(&mut self, kind: i64, outer: bool) -> Result<(Operand, u16)> {
        let operand = match kind {
            1 if outer => self.list()?,
            2 => match self.unsigned("a floating-point register")? {
                n if n < MAX_F as u32 => Operand::F(n as u16),
                n => return Err(self.r.error(format!("floating-point register {n} does not exist"))),
            },
            3 if outer => self.alloc()?,
            4 => match self.unsigned("a literal's index")? {
                n if n < self.limits.literals => Operand::Literal(n),
                n => return Err(self.r.error(format!("literal {n} of a table of {}", self.limits.literals))),
            },
            5 => {
                let (register, _) = self.operand(false)?;
                if !matches!(register, Operand::X(_) | Operand::Y(_)) {
                    return Err(self
                        .r
                        .error(format!("a typed operand before byte {} is no register", self.r.position())));
                }
                let ty = self.unsigned("a type's index")?;
                if self.limits.types == 0 {
                    return Ok((register, 0));
                }
                if ty >= self.limits.types {
                    return Err(self.r.error(format!("type {ty} of a table of {}", self.limits.types)));
                }
                // A module with more types than that loses hints, nothing else.
                return Ok((register, u16::try_from(ty).unwrap_or(0)));
            }
            _ => {
                return Err(self
                    .r
                    .error(format!("an operand of unknown form before byte {}", self.r.position())));
            }
        };
        Ok((operand, 0))
    }

    fn unsigned(&mut self, what: &str) -> Result<u32> {
        compact::read_u32(&mut self.r, Tag::Unsigned, what)
    }

    fn list(&mut self) -> Result<Operand> {
        let len = self.unsigned("a list's length")?;
        self.r.check_count(len as usize, "list elements", 1)?;
        let start = self.code.operands.len();
        for _ in 0..len {
            let (operand, ty) = self.operand(false)?;
            self.code.operands.push(operand);
            self.code.operand_types.push(ty);
        }
        Ok(Operand::List { start: start as u32, len })
    }

    fn alloc(&mut self) -> Result<Operand> {
        let pairs = self.unsigned("an allocation list's length")?;
        let [mut words, mut floats, mut funs] = [0u32; 3];
        for _ in 0..pairs {
            let kind = self.unsigned("an allocation's kind")?;
            let n = self.unsigned("an allocation's size")?;
            let sum = match kind {
                0 => &mut words,
                1 => &mut floats,
                2 => &mut funs,
                _ => return Err(self.r.error(format!("allocation of unknown kind {kind}"))),
            };
            *sum = sum.saturating_add(n);
        }
        Ok(Operand::Alloc { words, floats, funs })
    }

    #[cold]
    fn bad_number(&self, tag: Tag, number: Number<'_>) -> LoadError {
        let at = self.r.position();
        let n = match number {
            Number::Small(n) => n.to_string(),
            Number::Big(_) => "beyond 64 bits".to_string(),
        };
        let what = match tag {
            Tag::X => format!("x register {n} does not exist"),
            Tag::Y => format!("y register {n} does not exist"),
            Tag::Atom => format!("atom {n} is not one of the module's {}", self.limits.atoms),
            Tag::Label => format!("label {n} is beyond the {} labels declared", self.code.labels),
            Tag::Unsigned | Tag::Integer | Tag::Character | Tag::Extended => {
                format!("operand {n} of a form not supported")
            }
        };
        self.r.error(format!("{what} (before byte {at})"))
    }
}
