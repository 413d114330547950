//! The `Type` chunk: what the compiler inferred about registers. Four versions, brought to one form.

use crate::container::Reader;
use crate::error::Result;

/// A set of primary types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeSet(pub u16);

impl TypeSet {
    #![allow(missing_docs)]
    pub const ATOM: u16 = 1 << 0;
    /// Bit strings and match contexts.
    pub const BITSTRING: u16 = 1 << 1;
    pub const CONS: u16 = 1 << 2;
    pub const FLOAT: u16 = 1 << 3;
    pub const FUN: u16 = 1 << 4;
    pub const INTEGER: u16 = 1 << 5;
    pub const MAP: u16 = 1 << 6;
    pub const NIL: u16 = 1 << 7;
    pub const PID: u16 = 1 << 8;
    pub const PORT: u16 = 1 << 9;
    pub const REFERENCE: u16 = 1 << 10;
    pub const TUPLE: u16 = 1 << 11;
    /// Native records (OTP 29).
    pub const RECORD: u16 = 1 << 12;
    pub const ANY: u16 = (1 << 13) - 1;

    /// Whether every value of the type belongs to one of these primary types.
    pub fn within(self, types: u16) -> bool {
        self.0 & !types == 0
    }

    /// Whether a value of the type may belong to one of these primary types.
    pub fn may_be(self, types: u16) -> bool {
        self.0 & types != 0
    }
}

/// One inferred type. Bounds speak about the integers (and, for numbers, floats) of the set only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeInfo {
    /// Which primary types the value may have.
    pub set: TypeSet,
    /// Least value, if known.
    pub min: Option<i64>,
    /// Greatest value, if known.
    pub max: Option<i64>,
    /// Bit strings: their size is a multiple of this many bits.
    pub unit: u16,
}

impl TypeInfo {
    /// Nothing is known.
    pub const ANY: TypeInfo = TypeInfo { set: TypeSet(TypeSet::ANY), min: None, max: None, unit: 1 };
}

/// Decodes the chunk. `None`: a version we do not know, which means "no types", as in OTP; they are hints.
pub(crate) fn decode(bytes: &[u8]) -> Result<Option<Vec<TypeInfo>>> {
    let mut r = Reader::new(b"Type", bytes);
    let version = r.u32()?;
    if !(1..=4).contains(&version) {
        return Ok(None);
    }
    let count = r.count("types", if version == 1 { 18 } else { 2 })?;
    let mut types = Vec::with_capacity(count);
    for n in 0..count {
        let info = match version {
            1 => first_version(&mut r)?,
            2 => entry(&mut r, 13, true)?,
            3 => entry(&mut r, 12, false)?,
            _ => entry(&mut r, 13, false)?,
        };
        if info.set.0 == 0 {
            return Err(r.error(format!("type {n} has no values")));
        }
        types.push(info);
    }
    if types.first().is_some_and(|t| t.set.0 & 0xfff != 0xfff) {
        return Err(r.error("type 0 must be the type of all values"));
    }
    Ok(Some(types))
}

/// Until OTP 26, bit 2 stood for match contexts, which later joined the bit strings of bit 1.
fn old_set(bits: u16) -> u16 {
    with_records(bits & 0b11 | (bits & !0b11) >> 1)
}

/// Before native records existed, "all types" did not mention them.
fn with_records(set: u16) -> u16 {
    if set == 0xfff { TypeSet::ANY } else { set }
}

fn first_version(r: &mut Reader<'_>) -> Result<TypeInfo> {
    let set = TypeSet(old_set(r.u16()? & 0x1fff));
    let (min, max) = (r.i64()?, r.i64()?);
    // An empty range stands for "not known".
    let range = (min <= max).then_some((min, max));
    Ok(TypeInfo { set, min: range.map(|r| r.0), max: range.map(|r| r.1), unit: 1 })
}

/// `width`: how many bits of the word are type bits; above them stand three that announce extra fields.
fn entry(r: &mut Reader<'_>, width: u32, contexts: bool) -> Result<TypeInfo> {
    let bits = r.u16()?;
    let set = bits & ((1 << width) - 1);
    let has = |n: u32| bits >> (width + n) & 1 == 1;
    let min = if has(0) { Some(r.i64()?) } else { None };
    let max = if has(1) { Some(r.i64()?) } else { None };
    let unit = if has(2) { r.u8()? as u16 + 1 } else { 1 };
    let set = match (contexts, width) {
        (true, _) => old_set(set),
        (false, 12) => with_records(set),
        (false, _) => set,
    };
    Ok(TypeInfo { set: TypeSet(set), min, max, unit })
}
