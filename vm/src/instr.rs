//! The machine's own instructions: one table for translator, interpreter, disassembler and statistics.
//!
//! An instruction is a sequence of 64-bit words. The first holds the operation in its low 16 bits and up to
//! three 16-bit slots above; further words follow. A row's spec says what each slot and word is:
//!
//! | letter | slot |
//! |---|---|
//! | `s` | source register: byte offset from the x registers, or from the stack pointer if bit 0 is set; in the `C` twin of an operation a source may also be a constant: byte offset from the instruction, bit 1 set |
//! | `d` | destination register, x or y as above |
//! | `n` | number |
//! | `l` | live x registers, should a collection be needed |
//! | `J` | takes two slots: jump distance in words from this instruction, signed 32 bits |
//!
//! | letter | word |
//! |---|---|
//! | `j` | low half: jump distance on failure, 0 to raise; high half: a number, mostly live registers |
//! | `T` | term |
//! | `E` | export |
//! | `R` | return site |
//! | `F` | function |
//! | `U` | fun entry |
//! | `N` | number |
//! | `P` | "wide": see below |
//! | `V`, `W` | values, then distances: see the row |
//!
//! A wide instruction has slot a = number of operands, slot b = length in words; its second word holds the jump distance on failure
//! (32 bits), the instruction's whole length in words (16) and the live registers (16). Then come the
//! operands, four to a word, each a register as above, a constant (bit 1: byte offset from the instruction)
//! or a raw number (bits 1 and 2: the same), and the constants.
//!
//! A `C` twin is followed by one constant word more than its plain form.

macro_rules! instructions {
    ($($(#[$doc:meta])* $op:ident $name:literal $spec:literal;)*) => {
        /// An operation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u16)]
        pub enum Op { $($(#[$doc])* $op),* }

        /// Name and operand spec of every operation, by number.
        pub const OPS: &[(Op, &str, &str)] = &[$((Op::$op, $name, $spec)),*];
    };
}

include!("instr_table.rs");

impl Op {
    pub fn from_word(word: u64) -> Option<Op> {
        OPS.get((word & 0xFFFF) as usize).map(|row| row.0)
    }
    pub fn name(self) -> &'static str {
        OPS[self as usize].1
    }
    pub fn spec(self) -> &'static str {
        OPS[self as usize].2
    }
}

/// Bit 0 of a register operand: relative to the stack pointer.
pub const KIND_Y: u16 = 1;
/// Bits 1 and 2 of a wide instruction's operand: a raw number behind the instruction.
pub const KIND_RAW: u16 = 6;
/// Bit 1 of a source operand: a constant behind the instruction.
pub const KIND_CONST: u16 = 2;
/// First of the x registers that translated code uses for constants of operations without a twin.
pub const SCRATCH: u16 = 1024;
/// How many x registers there are, scratch included.
pub const X_REGS: usize = 1056;
