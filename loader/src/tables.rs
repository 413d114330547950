//! The tables of fixed-size rows: imports, exports, local functions, funs; and the literals.

use std::io::Read;
use std::ops::Range;

use crate::container::{ChunkName, MAX_UNPACKED, Reader};
use crate::error::Result;

/// A function of another module that this one calls. Names are atom indexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Import {
    /// Its module.
    pub module: u32,
    /// Its name.
    pub function: u32,
    /// Its number of arguments.
    pub arity: u8,
}

/// A function of this module under its name; also used for local functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export {
    /// Its name, an atom index.
    pub function: u32,
    /// Its number of arguments.
    pub arity: u8,
    /// Its entry label.
    pub label: u32,
}

/// A fun expression of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fun {
    /// Name of the function that does its work, an atom index.
    pub function: u32,
    /// Number of arguments of that function: the fun's own and its free variables.
    pub arity: u8,
    /// Entry label of that function.
    pub label: u32,
    /// The index that `fun_info` shows.
    pub index: u32,
    /// Number of free variables.
    pub num_free: u8,
    /// The hash that `fun_info` shows as `uniq`.
    pub old_uniq: u32,
}

impl Fun {
    /// How many arguments a call of the fun takes.
    pub fn call_arity(&self) -> u8 {
        self.arity - self.num_free
    }
}

/// Turns the file's 1-based atom number into an index.
fn atom(r: &mut Reader<'_>, atoms: usize) -> Result<u32> {
    match r.u32()? {
        n if n >= 1 && n as usize <= atoms => Ok(n - 1),
        n => Err(r.error(format!("atom {n} is not one of the module's {atoms}"))),
    }
}

fn arity(r: &mut Reader<'_>) -> Result<u8> {
    let n = r.u32()?;
    u8::try_from(n).map_err(|_| r.error(format!("an arity of {n}")))
}

pub(crate) fn imports(bytes: &[u8], atoms: usize) -> Result<Vec<Import>> {
    let mut r = Reader::new(b"ImpT", bytes);
    let count = r.count("imports", 12)?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        let (module, function) = (atom(&mut r, atoms)?, atom(&mut r, atoms)?);
        rows.push(Import { module, function, arity: arity(&mut r)? });
    }
    Ok(rows)
}

/// `ExpT` and `LocT`.
pub(crate) fn exports(chunk: &'static ChunkName, bytes: &[u8], atoms: usize) -> Result<Vec<Export>> {
    let mut r = Reader::new(chunk, bytes);
    let count = r.count("functions", 12)?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        rows.push(Export { function: atom(&mut r, atoms)?, arity: arity(&mut r)?, label: r.u32()? });
    }
    Ok(rows)
}

pub(crate) fn funs(bytes: &[u8], atoms: usize) -> Result<Vec<Fun>> {
    let mut r = Reader::new(b"FunT", bytes);
    let count = r.count("funs", 24)?;
    let mut rows = Vec::with_capacity(count);
    for n in 0..count {
        let (function, arity) = (atom(&mut r, atoms)?, arity(&mut r)?);
        let (label, index, num_free, old_uniq) = (r.u32()?, r.u32()?, r.u32()?, r.u32()?);
        if num_free > arity as u32 {
            return Err(r.error(format!("fun {n} has {num_free} free variables but arity {arity}")));
        }
        rows.push(Fun { function, arity, label, index, num_free: num_free as u8, old_uniq });
    }
    Ok(rows)
}

/// Literals: external terms in one buffer, and where each lies in it.
pub(crate) fn literals(bytes: &[u8]) -> Result<(Vec<u8>, Vec<Range<u32>>)> {
    let mut r = Reader::new(b"LitT", bytes);
    let unpacked_size = r.u32()?;
    let table = if unpacked_size == 0 { r.rest().to_vec() } else { unzip(&mut r, unpacked_size)? };
    let mut r = Reader::new(b"LitT", &table);
    let count = r.count("literals", 4)?;
    let mut rows = Vec::with_capacity(count);
    for n in 0..count {
        let size = r.u32()? as usize;
        let start = r.position();
        let term = r.take(size)?;
        if term.first() != Some(&131) {
            return Err(r.error(format!("literal {n} is not an external term")));
        }
        rows.push(start as u32..(start + size) as u32);
    }
    Ok((table, rows))
}

fn unzip(r: &mut Reader<'_>, size: u32) -> Result<Vec<u8>> {
    if size as u64 > MAX_UNPACKED {
        return Err(r.error("claims to unpack to more than 1 GiB"));
    }
    let packed = r.rest();
    // Deflate cannot do better than about 1032 to 1, so a claim beyond that reserves no memory.
    let mut table = Vec::with_capacity((size as usize).min(packed.len().saturating_mul(1040)));
    let read = flate2::read::ZlibDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut table);
    match read {
        Ok(n) if n == size as usize => Ok(table),
        Ok(n) => Err(r.error(format!(
            "claims to unpack to {size} bytes but gives {}{n}",
            if n > size as usize { "at least " } else { "" }
        ))),
        Err(e) => Err(r.error(format!("does not unpack: {e}"))),
    }
}
