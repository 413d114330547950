//! Checks each instruction by itself: every operand is of the kind its instruction wants and in range.

use super::fault;
use crate::code::Operand;
use crate::functions::Function;
use crate::module::Module;
use crate::ops::{Kind, Op};
use crate::{LoadError, MAX_X};

type Check = Result<(), String>;

/// More heap than an instruction can sensibly ask for: 2^24 words.
const MAX_WORDS: u64 = 1 << 24;
/// The longest frame: as many slots as there are y registers.
const MAX_FRAME: u64 = crate::MAX_Y as u64;

pub(super) fn check(m: &Module, number: usize, function: &Function) -> Result<(), LoadError> {
    let cx = Cx { m, function: number as u32 };
    for at in function.first as usize..function.end as usize {
        let instr = &m.instrs[at];
        let args = m.args(instr);
        for (i, (&kind, &operand)) in instr.op.info().kinds.iter().zip(args).enumerate() {
            if !cx.plain(kind, operand) {
                cx.special(kind, operand, args, i).map_err(|what| fault(m, function, at, what))?;
            }
        }
        cx.whole(instr.op, args).map_err(|what| fault(m, function, at, what))?;
    }
    Ok(())
}

fn is_value(operand: Operand) -> bool {
    use Operand::*;
    matches!(operand, Nil | Atom(_) | Int(_) | Big(_) | X(_) | Y(_) | Literal(_))
}

fn is_constant(operand: Operand) -> bool {
    use Operand::*;
    matches!(operand, Nil | Atom(_) | Int(_) | Big(_) | Literal(_))
}

fn is_register(operand: Operand) -> bool {
    matches!(operand, Operand::X(_) | Operand::Y(_))
}

fn expect(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

struct Cx<'m> {
    m: &'m Module,
    function: u32,
}

impl Cx<'_> {
    /// The quick yes for the frequent kinds.
    #[inline]
    fn plain(&self, kind: Kind, operand: Operand) -> bool {
        match (kind, operand) {
            (Kind::Src, operand) => is_value(operand),
            (Kind::Dst | Kind::Reg | Kind::Context, operand) => is_register(operand),
            (Kind::Jump | Kind::Fail, Operand::Label(label)) => {
                self.m.labels[label as usize].function == self.function || (kind == Kind::Fail && label == 0)
            }
            _ => false,
        }
    }

    fn jump(&self, operand: Operand) -> Check {
        match operand {
            Operand::Label(0) => Err("needs a label".into()),
            Operand::Label(l) => match self.m.labels[l as usize] {
                label if !label.is_defined() => Err(format!("label {l} is not defined")),
                label => {
                    expect(label.function == self.function, || format!("label {l} is in another function"))
                }
            },
            other => Err(format!("{other:?} is not a label")),
        }
    }

    fn number(&self, operand: Operand, below: u64, what: &str) -> Result<u64, String> {
        match operand {
            Operand::Unsigned(n) if n < below => Ok(n),
            Operand::Unsigned(n) => Err(format!("{what} {n} is not below {below}")),
            other => Err(format!("{other:?} where {what} is expected")),
        }
    }

    fn value(&self, operand: Operand) -> Check {
        expect(is_value(operand), || format!("{operand:?} where a value is expected"))
    }

    fn register(&self, operand: Operand) -> Check {
        expect(is_register(operand), || format!("{operand:?} where a register is expected"))
    }

    /// The elements of a list, in groups of `n`.
    fn groups(&self, operand: Operand, n: usize) -> Result<std::slice::ChunksExact<'_, Operand>, String> {
        let Operand::List { len, .. } = operand else {
            return Err(format!("{operand:?} where a list is expected"));
        };
        expect((len as usize).is_multiple_of(n), || {
            format!("a list of {len} does not come in groups of {n}")
        })?;
        Ok(self.m.list(operand).chunks_exact(n))
    }

    /// Everything that [`Cx::plain`] does not wave through.
    fn special(&self, kind: Kind, operand: Operand, args: &[Operand], i: usize) -> Check {
        let m = self.m;
        match kind {
            Kind::LabelDef => Ok(()), // checked when labels were collected
            Kind::Atom => {
                expect(matches!(operand, Operand::Atom(_)), || format!("{operand:?} is not an atom"))
            }
            Kind::Arity => self.number(operand, 256, "an arity").map(drop),
            Kind::Count => self.number(operand, 1 << 32, "a count").map(drop),
            Kind::Unit => self.number(operand, 257, "a unit").map(drop),
            Kind::Flags => self.number(operand, 256, "field flags").map(drop),
            Kind::Frame => self.number(operand, MAX_FRAME + 1, "a frame size").map(drop),
            Kind::Live => self.number(operand, MAX_X as u64 + 1, "a number of live registers").map(drop),
            Kind::Words => match operand {
                Operand::Alloc { words, floats, funs } => {
                    let sum = words as u64 + floats as u64 + funs as u64;
                    expect(sum < MAX_WORDS, || format!("asks for {sum} words"))
                }
                _ => self.number(operand, MAX_WORDS, "a heap need").map(drop),
            },
            Kind::Jump => self.jump(operand),
            Kind::Fail if operand == Operand::Label(0) => Ok(()),
            Kind::Fail => self.jump(operand),
            Kind::StartFail => match operand {
                Operand::Atom(a) if matches!(&m.atoms[a], "no_fail" | "resume") => Ok(()),
                _ => self.jump(operand),
            },
            Kind::Entry => {
                let Operand::Label(l) = operand else { return Err(format!("{operand:?} is not a label")) };
                let label = m.labels[l as usize];
                let target = m.functions.get(label.function as usize);
                expect(target.is_some_and(|f| f.entry == l), || {
                    format!("label {l} is not the entry of a function")
                })?;
                // The arity stands in front of the label.
                let arity = target.map(|f| Operand::Unsigned(f.arity as u64));
                expect(arity == Some(args[0]), || {
                    format!("label {l} is the entry of a function of another arity")
                })
            }
            Kind::Import => self.number(operand, m.imports.len() as u64, "an import").map(drop),
            Kind::FunIndex => self.number(operand, m.funs.len() as u64, "a fun").map(drop),
            Kind::FunTag => match operand {
                Operand::Atom(a) if matches!(&m.atoms[a], "safe" | "unsafe") => Ok(()),
                _ => self.number(operand, m.funs.len() as u64, "a fun").map(drop),
            },
            Kind::Line => self.number(operand, m.line.items.len() as u64, "a line").map(drop),
            Kind::Src => self.value(operand),
            Kind::Size if matches!(operand, Operand::Unsigned(_)) => Ok(()),
            Kind::Size => self.value(operand),
            Kind::Reg | Kind::Context | Kind::Dst => self.register(operand),
            Kind::YKill | Kind::YSlot => {
                expect(matches!(operand, Operand::Y(_)), || format!("{operand:?} is not a y register"))
            }
            Kind::FReg => expect(matches!(operand, Operand::F(_)), || {
                format!("{operand:?} is not a floating-point register")
            }),
            Kind::FSrc => {
                expect(is_register(operand) || matches!(operand, Operand::F(_) | Operand::Literal(_)), || {
                    format!("{operand:?} cannot be moved")
                })
            }
            Kind::FDst => expect(is_register(operand) || matches!(operand, Operand::F(_)), || {
                format!("{operand:?} where a register is expected")
            }),
            Kind::StrBytes | Kind::StrBits => self.number(operand, 1 << 32, "a length").map(drop),
            Kind::StrOffset => {
                let offset = self.number(operand, 1 << 32, "an offset")?;
                let length = self.number(args[i - 1], 1 << 32, "a length")?;
                let bits = args.len() > 2; // bs_match_string counts bits, bs_put_string bytes
                self.string(offset, if bits { length.div_ceil(8) } else { length })
            }
            Kind::SelectList => {
                for pair in self.groups(operand, 2)? {
                    expect(is_constant(pair[0]), || format!("selects on {:?}", pair[0]))?;
                    self.jump(pair[1])?;
                }
                Ok(())
            }
            Kind::ArityList => {
                for pair in self.groups(operand, 2)? {
                    self.number(pair[0], 1 << 32, "an arity")?;
                    self.jump(pair[1])?;
                }
                Ok(())
            }
            Kind::Sources => {
                drop(self.groups(operand, 1)?);
                m.list(operand).iter().try_for_each(|&element| self.value(element))
            }
            Kind::MapPairs => {
                drop(self.groups(operand, 2)?);
                m.list(operand).iter().try_for_each(|&element| self.value(element))
            }
            Kind::MapGets => {
                for pair in self.groups(operand, 2)? {
                    self.value(pair[0])?;
                    self.register(pair[1])?;
                }
                Ok(())
            }
            Kind::YKills => {
                drop(self.groups(operand, 1)?);
                m.list(operand).iter().try_for_each(|&element| self.special(Kind::YKill, element, args, i))
            }
            Kind::Segments => self.groups(operand, 6)?.try_for_each(|segment| self.segment(segment)),
            Kind::Updates => {
                // The size stands two operands before the list.
                let size = self.number(args[1], 1 << 32, "a size")?;
                for pair in self.groups(operand, 2)? {
                    match pair[0] {
                        Operand::Unsigned(n) if (1..=size).contains(&n) => {}
                        Operand::Int(n) if n >= 1 && n as u64 <= size => {}
                        other => return Err(format!("{other:?} is not a position in a tuple of {size}")),
                    }
                    self.value(pair[1])?;
                }
                Ok(())
            }
            Kind::MatchCommands => {
                drop(self.groups(operand, 1)?);
                let mut rest = m.list(operand);
                while !rest.is_empty() {
                    let command = MatchCommand::split(m, &mut rest).ok_or("has an unknown match command")?;
                    self.match_command(&command)?;
                }
                Ok(())
            }
            Kind::FieldGets | Kind::FieldPairs => {
                for pair in self.groups(operand, 2)? {
                    expect(matches!(pair[0], Operand::Atom(_)), || format!("{:?} is not a field", pair[0]))?;
                    if kind == Kind::FieldGets { self.register(pair[1])? } else { self.value(pair[1])? }
                }
                Ok(())
            }
            Kind::Obsolete => Err("is obsolete".into()),
        }
    }

    fn string(&self, offset: u64, bytes: u64) -> Check {
        let size = self.m.strings.len() as u64;
        expect(offset + bytes <= size, || {
            format!("bytes {offset}..{} of a string table of {size}", offset + bytes)
        })
    }

    fn segment(&self, segment: &[Operand]) -> Check {
        let &[Operand::Atom(kind), number, unit, flags, value, size] = segment else {
            return Err(format!("a segment of type {:?}", segment[0]));
        };
        self.number(number, 1 << 32, "a segment number")?;
        let unit = self.number(unit, 257, "a unit")?;
        expect(matches!(flags, Operand::Nil | Operand::Literal(_)), || format!("segment flags {flags:?}"))?;
        self.value(size)?;
        match &self.m.atoms[kind] {
            "string" => {
                let offset = self.number(value, 1 << 32, "an offset")?;
                match size {
                    // The length is in bytes, whatever the unit says.
                    Operand::Int(n) if (0..1 << 32).contains(&n) => self.string(offset, n as u64),
                    other => Err(format!("a string segment of size {other:?}")),
                }
            }
            "utf8" | "utf16" | "utf32" => self.value(value),
            kind @ ("append" | "private_append" | "integer" | "binary" | "float") => {
                expect(unit > 0, || format!("a segment of type {kind} with unit 0"))?;
                self.value(value)
            }
            other => Err(format!("a segment of unknown type {other}")),
        }
    }

    fn match_command(&self, command: &MatchCommand) -> Check {
        let bits = |operand| self.number(operand, 1 << 32, "a size").map(drop);
        match *command {
            MatchCommand::EnsureAtLeast { size, unit } => {
                bits(size)?;
                let unit = self.number(unit, 257, "a unit")?;
                expect(unit > 0, || "a unit of 0".into())
            }
            MatchCommand::EnsureExactly { size } | MatchCommand::Skip { size } => bits(size),
            MatchCommand::Get { live, flags, size, unit, dst } => {
                self.special(Kind::Live, live, &[], 0)?;
                expect(matches!(flags, Operand::Nil | Operand::Literal(_)), || {
                    format!("field flags {flags:?}")
                })?;
                bits(size)?;
                self.number(unit, 257, "a unit")?;
                self.register(dst)
            }
            MatchCommand::GetTail { live, unit, dst } => {
                self.special(Kind::Live, live, &[], 0)?;
                self.number(unit, 257, "a unit")?;
                self.register(dst)
            }
            MatchCommand::Equals { bits: size, value } => {
                let n = self.number(size, 65, "a number of bits")?;
                match value {
                    Operand::Unsigned(_) | Operand::Int(_) | Operand::Big(_) if n > 0 => Ok(()),
                    other => Err(format!("compares {n} bits with {other:?}")),
                }
            }
        }
    }

    /// What concerns more than one operand.
    fn whole(&self, op: Op, args: &[Operand]) -> Check {
        let import = |arity: usize, operand: Operand| match operand {
            Operand::Unsigned(n) => {
                let has = self.m.imports[n as usize].arity as usize;
                expect(has == arity, || format!("passes {arity} arguments to an import of arity {has}"))
            }
            _ => Ok(()),
        };
        match op {
            Op::CallExt | Op::CallExtLast | Op::CallExtOnly => match args[0] {
                Operand::Unsigned(arity) => import(arity as usize, args[1]),
                _ => Ok(()),
            },
            Op::Bif0 => import(0, args[0]),
            Op::Bif1 => import(1, args[1]),
            Op::Bif2 => import(2, args[1]),
            Op::Bif3 => import(3, args[1]),
            Op::GcBif1 => import(1, args[2]),
            Op::GcBif2 => import(2, args[2]),
            Op::GcBif3 => import(3, args[2]),
            Op::MakeFun3 => match args[0] {
                Operand::Unsigned(n) => {
                    let (free, given) =
                        (self.m.funs[n as usize].num_free as usize, self.m.list(args[2]).len());
                    expect(free == given, || format!("gives {given} values for {free} free variables"))
                }
                _ => Ok(()),
            },
            Op::CallFun2 => match (args[0], args[1]) {
                (Operand::Unsigned(n), Operand::Unsigned(arity)) => {
                    let has = self.m.funs[n as usize].call_arity() as u64;
                    expect(has == arity, || format!("calls a fun of arity {has} with {arity} arguments"))
                }
                _ => Ok(()),
            },
            Op::Fmove => expect(matches!(args[0], Operand::F(_)) != matches!(args[1], Operand::F(_)), || {
                "moves neither into nor out of a floating-point register".into()
            }),
            Op::CallFun | Op::Apply | Op::ApplyLast => match args[0] {
                // The fun, or module and function, follow the arguments.
                Operand::Unsigned(n) => expect(n <= 253, || format!("a call with {n} arguments")),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// A command of `bs_match`.
#[derive(Clone, Copy)]
pub(super) enum MatchCommand {
    EnsureAtLeast { size: Operand, unit: Operand },
    EnsureExactly { size: Operand },
    Skip { size: Operand },
    Get { live: Operand, flags: Operand, size: Operand, unit: Operand, dst: Operand },
    GetTail { live: Operand, unit: Operand, dst: Operand },
    Equals { bits: Operand, value: Operand },
}

impl MatchCommand {
    /// Takes the first command off the list.
    pub fn split(m: &Module, rest: &mut &[Operand]) -> Option<MatchCommand> {
        let (&Operand::Atom(name), args) = rest.split_first()? else { return None };
        let (command, n) = match (&m.atoms[name], args) {
            ("ensure_at_least", &[size, unit, ..]) => (MatchCommand::EnsureAtLeast { size, unit }, 2),
            ("ensure_exactly", &[size, ..]) => (MatchCommand::EnsureExactly { size }, 1),
            ("skip", &[size, ..]) => (MatchCommand::Skip { size }, 1),
            ("integer" | "binary", &[live, flags, size, unit, dst, ..]) => {
                (MatchCommand::Get { live, flags, size, unit, dst }, 5)
            }
            ("get_tail", &[live, unit, dst, ..]) => (MatchCommand::GetTail { live, unit, dst }, 3),
            ("=:=", &[_, bits, value, ..]) => (MatchCommand::Equals { bits, value }, 3),
            _ => return None,
        };
        *rest = &args[n..];
        Some(command)
    }
}
