//! The `Line` chunk: where each `line` instruction stands in the source.

use crate::atoms::Strings;
use crate::compact::{self, Number, Tag};
use crate::container::Reader;
use crate::error::Result;

/// A place in a source file. Item 0 of the table is "unknown": file 0, line 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// Index into [`LineTable::files`].
    pub file: u32,
    /// Line number; 0 if unknown.
    pub line: u32,
}

/// All places of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineTable {
    /// Source files. File 0 is the module's name with `.erl`.
    pub files: Strings,
    /// Places, indexed by the operand of `line`.
    pub items: Vec<Line>,
    /// The module has `executable_line` instructions.
    pub executable_lines: bool,
    /// The module asks for line counters.
    pub force_counters: bool,
}

impl LineTable {
    /// A table that knows no line.
    pub(crate) fn empty(module: &str) -> LineTable {
        let mut files = Strings::default();
        files.push(&format!("{module}.erl"));
        LineTable { files, items: vec![Line::default()], executable_lines: false, force_counters: false }
    }
}

pub(crate) fn decode(bytes: &[u8], module: &str) -> Result<LineTable> {
    let mut r = Reader::new(b"Line", bytes);
    let mut table = LineTable::empty(module);
    if r.u32()? != 0 {
        // A newer form. Lines serve reports only, so the module runs without.
        return Ok(table);
    }
    let flags = r.u32()?;
    table.executable_lines = flags & 1 != 0;
    table.force_counters = flags & 2 != 0;
    let _instructions = r.u32()?;
    let count = r.u32()? as usize;
    let files = r.u32()?;
    let count = r.check_count(count, "lines", 1)?;
    table.items.reserve_exact(count);
    let mut file = 0;
    while table.items.len() <= count {
        match compact::read(&mut r)? {
            (Tag::Integer, Number::Small(n)) if u32::try_from(n).is_ok() => {
                table.items.push(Line { file, line: n as u32 });
            }
            (Tag::Atom, Number::Small(n)) if (0..=files as i64).contains(&n) => file = n as u32,
            _ => return Err(r.error(format!("a bad entry before byte {}", r.position()))),
        }
    }
    for n in 0..files {
        let len = r.u16()?;
        let Ok(name) = std::str::from_utf8(r.take(len as usize)?) else {
            return Err(r.error(format!("the name of file {} is not UTF-8", n + 1)));
        };
        table.files.push(name);
    }
    Ok(table)
}
