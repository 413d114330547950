//! Native records (OTP 29): `{'$chime_record', Module, Name, #{Field => Value}}` internally.

use crate::atoms;
use crate::instr::Op;
use crate::wide::{Cx, Flow};

/// Not built yet: a module that uses native records is refused with badarg where it does.
pub fn run(_op: Op, cx: &mut Cx) -> Flow {
    let _ = cx.p.error(atoms::UNDEF);
    Flow::Raise
}
