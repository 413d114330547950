//! The `Recs` chunk: native records (OTP 29).

use crate::code::{BigInt, Operand};
use crate::compact::{self, Tag};
use crate::container::Reader;
use crate::error::Result;

/// A field of a native record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name, an atom index.
    pub name: u32,
    /// Its default value: nil, atom, integer or literal.
    pub default: Option<Operand>,
}

/// A native record that the module defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its name, an atom index.
    pub name: u32,
    /// Whether other modules may use it.
    pub exported: bool,
    /// Its fields in order.
    pub fields: Vec<Field>,
}

/// The records of the chunk; `atoms`: the module's atoms, `decode_operand`: the decoder of the code chunk.
pub(crate) fn decode(
    bytes: &[u8],
    atoms: &crate::Strings,
    literals: u32,
    bigints: &mut Vec<BigInt>,
) -> Result<Vec<Record>> {
    let mut r = Reader::new(b"Recs", bytes);
    let version = r.u32()?;
    if version != 0 {
        return Err(r.error(format!("version {version} is not known")));
    }
    let count = r.count("records", 4)?;
    let _fields = r.u32()?;
    let mut records = Vec::with_capacity(count);
    let limits = crate::code::Limits { atoms: atoms.len() as u32, literals, types: 0 };
    for n in 0..count {
        // Each row has the form of an instruction whose opcode, and nothing else, is that of call_last.
        if r.u8()? != 5 {
            return Err(r.error(format!("record {n} has an unknown form")));
        }
        let mut next = |r: &mut Reader<'_>| crate::code::read_operand(r, limits, bigints);
        let (Operand::Atom(name), Operand::Atom(exported)) = (next(&mut r)?, next(&mut r)?) else {
            return Err(r.error(format!("record {n} has no name")));
        };
        let exported = match &atoms[exported] {
            "true" => true,
            "false" => false,
            other => return Err(r.error(format!("record {n} is neither exported nor not, but {other}"))),
        };
        if r.u8()? != 0x17 {
            return Err(r.error(format!("record {n} has no list of fields")));
        }
        let len = compact::read_u32(&mut r, Tag::Unsigned, "a list's length")? as usize;
        r.check_count(len, "list elements", 1)?;
        if !len.is_multiple_of(2) {
            return Err(r.error(format!("record {n} has a field without a default")));
        }
        let mut fields = Vec::with_capacity(len / 2);
        for _ in 0..len / 2 {
            let Operand::Atom(name) = next(&mut r)? else {
                return Err(r.error(format!("record {n} has a field without a name")));
            };
            let default = match next(&mut r)? {
                Operand::Unsigned(0) => None,
                value @ (Operand::Nil
                | Operand::Atom(_)
                | Operand::Int(_)
                | Operand::Big(_)
                | Operand::Literal(_)) => Some(value),
                _ => return Err(r.error(format!("record {n} has a default that is no constant"))),
            };
            fields.push(Field { name, default });
        }
        records.push(Record { name, exported, fields });
    }
    Ok(records)
}
