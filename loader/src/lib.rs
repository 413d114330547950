//! Loads .beam files: from bytes to a checked, decoded [`Module`].
//!
//! The loader is pure: it knows nothing of terms, processes or the machine. Whatever bytes it is given, it
//! answers with a module that can be trusted or with a [`LoadError`]; it never panics. Files of OTP 25 to 29
//! are understood.
//!
//! # What a loaded module promises
//!
//! Operands are of the [`Kind`]s that the table of instructions says and within their tables. Along every path
//! that control can take, frames agree, registers are set before they are read, live registers and all slots of
//! the frame hold terms wherever a collection may happen, heap is reserved before it is used, handlers find
//! what they need whichever instruction raised, and catch tags are neither read nor overwritten nor lost.
//!
//! # What the machine must still do
//!
//! - Instructions in [`Module::unproven`] check the shape of what they work on, and raise if it is wrong.
//! - Control must not leave an instruction in [`Module::dead_ends`] in the ordinary way.
//! - Calls of `erlang:error/1,2,3`, `exit/1`, `throw/1` and `nif_error/1,2` never return, need no frame, and
//!   when they are tail calls leave the frame as it is: its size there means nothing.
//! - Handlers are looked for from y register 0 upwards; in a fresh frame slots hold no stale catch tag.
//! - `wait_timeout` does not read its time-out while its timer runs.
//! - `update_record` writes the arity that its operand says, not that of the source.
//! - Blocks that only raise may be shared by ways with frames of different sizes; the size is not known there.
//! - Match contexts, match positions and receive markers can turn up wherever terms can.
//! - The old instructions that build binaries (`bs_put_…`) check that there is room.
//! - Literals are external terms that nobody has decoded yet.
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
