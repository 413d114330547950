//! Loads .beam files: from bytes to a checked, decoded [`Module`].
//!
//! The loader is pure: it knows nothing of terms, processes or the machine. Whatever bytes it is given, it
//! answers with a module that can be trusted or with a [`LoadError`]; it never panics. Files of OTP 25 to 29
//! are understood.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod atoms;
mod code;
mod compact;
mod container;
mod disasm;
mod error;
mod functions;
mod line;
mod module;
mod ops;
mod records;
mod tables;
mod types;
mod validate;

pub use atoms::Strings;
pub use code::{BigInt, Instr, MAX_F, MAX_X, MAX_Y, Operand};
pub use container::{ChunkName, chunks, unpack};
pub use disasm::{Quoted, Show};
pub use error::{ErrorKind, LoadError};
pub use functions::{Function, Label};
pub use line::{Line, LineTable};
pub use module::{Module, load};
pub use ops::{Kind, MAX_OPCODE, Op, OpInfo};
pub use records::{Field, Record};
pub use tables::{Export, Fun, Import};
pub use types::{TypeInfo, TypeSet};
pub use validate::InstrSet;
