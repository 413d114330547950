//! The atom table: chunk `AtU8`, or `Atom` (Latin-1) in old files.

use crate::compact::{self, Tag};
use crate::container::Reader;
use crate::error::Result;

/// The longest atom, in characters.
const MAX_ATOM_CHARS: usize = 255;

/// Strings kept in one buffer. Index 0 of the atoms is the module's name.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string at an index; the empty string beyond the end (the loader checks every index it hands out).
    pub fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start as usize..end as usize]
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|i| self.get(i))
    }

    pub(crate) fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len() as u32);
    }
}

impl std::ops::Index<u32> for Strings {
    type Output = str;

    fn index(&self, index: u32) -> &str {
        self.get(index)
    }
}

/// Decodes `AtU8`. A negative count says that lengths are in the compact encoding (OTP 28 and later).
pub(crate) fn utf8(bytes: &[u8]) -> Result<Strings> {
    let mut r = Reader::new(b"AtU8", bytes);
    let count = r.u32()? as i32;
    let long = count < 0;
    let count = r.check_count(count.unsigned_abs() as usize, "atoms", 1)?;
    let mut atoms = Strings { text: String::with_capacity(r.remaining()), ends: Vec::with_capacity(count) };
    for n in 1..=count {
        let len =
            if long { compact::read_u32(&mut r, Tag::Unsigned, "an atom's length")? } else { r.u8()? as u32 };
        let text = r.take(len as usize)?;
        let Ok(text) = std::str::from_utf8(text) else {
            return Err(r.error(format!("atom {n} is not UTF-8")));
        };
        if text.len() > MAX_ATOM_CHARS && text.chars().count() > MAX_ATOM_CHARS {
            return Err(r.error(format!("atom {n} is longer than {MAX_ATOM_CHARS} characters")));
        }
        atoms.push(text);
    }
    finish(&r, atoms)
}

/// Decodes the old `Atom` chunk.
pub(crate) fn latin1(bytes: &[u8]) -> Result<Strings> {
    let mut r = Reader::new(b"Atom", bytes);
    let count = r.count("atoms", 1)?;
    let mut atoms = Strings::default();
    for _ in 0..count {
        let len = r.u8()?;
        let text: String = r.take(len as usize)?.iter().map(|&b| b as char).collect();
        atoms.push(&text);
    }
    finish(&r, atoms)
}

fn finish(r: &Reader<'_>, atoms: Strings) -> Result<Strings> {
    if atoms.is_empty() {
        return Err(r.error("no atoms, so the module has no name"));
    }
    Ok(atoms)
}
