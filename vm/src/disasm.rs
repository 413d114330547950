//! Shows a module: its generic instructions, and beside them what the machine makes of them.

use crate::atoms;
use crate::code::{Export, FunEntry};
use crate::etf;
use crate::exports;
use crate::heap::Alloc;
use crate::instr::{KIND_CONST, KIND_RAW, KIND_Y, Op};
use crate::literal::LiteralArea;
use crate::modules::{self, FunKey};
use crate::term::Term;
use crate::translate::{self, Translated};
use chime_loader::{Module, Op as G, Operand, Quoted};
use hashbrown::HashMap;
use std::fmt::Write;

/// Column at which translated instructions stand.
const COLUMN: usize = 64;
/// Literals are shown up to this many characters.
const LONGEST: usize = 200;

struct Cx<'m> {
    m: &'m Module,
    atoms: Vec<Term>,
    area: LiteralArea,
    catches: u32,
}

impl translate::Context for Cx<'_> {
    fn atom(&self, index: u32) -> Term {
        self.atoms[index as usize]
    }
    fn literal(&mut self, index: u32) -> Result<Term, String> {
        etf::decode(self.m.literal(index), &mut self.area, Default::default())
            .map(|d| d.0)
            .map_err(|e| format!("chunk LitT: literal {index} cannot be decoded: {e:?}"))
    }
    fn integer(&mut self, value: i64) -> Term {
        self.area.int(value)
    }
    fn big(&mut self, index: u32) -> Term {
        let b = &self.m.bigints[index as usize];
        let digit = |c: &[u8]| c.iter().rev().fold(0u64, |d, &byte| d << 8 | byte as u64);
        let digits: Vec<u64> = b.magnitude.chunks(8).map(digit).collect();
        self.area.big(b.negative, &digits)
    }
    fn export(&mut self, module: Term, function: Term, arity: u32) -> &'static Export {
        exports::get(module, function, arity)
    }
    fn fun_entry(&mut self, index: u32) -> *const FunEntry {
        let f = &self.m.funs[index as usize];
        let key = FunKey { index: f.index, old_uniq: f.old_uniq, uniq: self.m.md5 };
        let name = self.atoms[f.function as usize];
        modules::fun_entry(self.atoms[0], key, name, f.call_arity() as u32, f.num_free as u32)
    }
    fn string(&self) -> *const u8 {
        self.m.strings.as_ptr()
    }
    fn catch_tag(&mut self) -> Term {
        self.catches += 1;
        Term::catch_tag(self.catches - 1)
    }
}

/// How terms are shown: at most so many characters.
pub type ShowTerm = fn(Term, usize) -> String;

/// The listing of a .beam file's bytes, or one line about what is wrong with it.
pub fn disassemble(bytes: &[u8], show: ShowTerm) -> Result<String, String> {
    let m = chime_loader::load(bytes).map_err(|e| e.to_string())?;
    let atoms = m.atoms.iter().map(atoms::intern).collect();
    let mut cx = Cx { m: &m, atoms, area: LiteralArea::new(), catches: 0 };
    let t = translate::translate(&m, &mut cx)?;
    let mut out = String::new();
    head(&mut out, &m, &mut cx, show);
    let names: HashMap<u32, u32> = t.labels.iter().enumerate().map(|(l, &at)| (at, l as u32)).collect();
    let listing = Listing { m: &m, t: &t, names, show };
    listing.functions(&mut out);
    literals(&mut out, &m, &mut cx, show);
    Ok(out)
}

fn head(out: &mut String, m: &Module, cx: &mut Cx<'_>, show: ShowTerm) {
    let _ = writeln!(out, "module {}", Quoted(m.name()));
    let md5: String = m.md5.iter().map(|b| format!("{b:02x}")).collect();
    let _ = writeln!(out, "md5 {md5}");
    let exports: Vec<String> =
        m.exports.iter().map(|e| format!("{}/{}", Quoted(&m.atoms[e.function]), e.arity)).collect();
    let _ = writeln!(out, "exports {}", exports.join(" "));
    for (what, bytes) in [("attributes", &m.attributes), ("compile", &m.compile_info)] {
        if let Some(bytes) = bytes
            && let Ok((t, _)) = etf::decode(bytes, &mut cx.area, Default::default())
        {
            let _ = writeln!(out, "{what} {}", show(t, LONGEST));
        }
    }
    for (i, f) in m.funs.iter().enumerate() {
        let name = Quoted(&m.atoms[f.function]);
        let _ = writeln!(out, "fun {i}: {name}/{}, {} free", f.call_arity(), f.num_free);
    }
}

fn literals(out: &mut String, m: &Module, cx: &mut Cx<'_>, show: ShowTerm) {
    for i in 0..m.literal_count() as u32 {
        let text = match translate::Context::literal(cx, i) {
            Ok(t) => show(t, LONGEST),
            Err(e) => e,
        };
        let _ = writeln!(out, "{}literal {i}: {text}", if i == 0 { "\n" } else { "" });
    }
}

struct Listing<'a> {
    m: &'a Module,
    t: &'a Translated,
    /// Label at a word.
    names: HashMap<u32, u32>,
    show: ShowTerm,
}

impl Listing<'_> {
    fn functions(&self, out: &mut String) {
        let (m, t) = (self.m, self.t);
        let (mut word, mut mark) = (0, 0);
        for f in &m.functions {
            let _ = writeln!(out, "\n{}/{}", Quoted(&m.atoms[f.name]), f.arity);
            for i in f.first..f.end {
                let instr = &m.instrs[i as usize];
                let left = self.generic(instr);
                mark += 1;
                let end = match t.marks.get(mark) {
                    Some(&next) => next as usize,
                    None => t.words.len(),
                };
                let mut first = true;
                while word < end && word < t.words.len() {
                    let (text, len) = self.translated(word);
                    row(out, if first { &left } else { "" }, &format!("{word:5} {text}"));
                    first = false;
                    word += len.max(1);
                }
                if first {
                    let _ = writeln!(out, "    {left}");
                }
            }
        }
    }

    fn generic(&self, i: &chime_loader::Instr) -> String {
        let m = self.m;
        match (i.op, m.args(i)) {
            (G::Label, [Operand::Unsigned(n)]) => format!("label {n}:"),
            (G::Line, [Operand::Unsigned(n)]) => match m.line.items.get(*n as usize) {
                Some(l) if l.line > 0 => format!("line {}:{}", &m.line.files[l.file], l.line),
                _ => "line unknown".into(),
            },
            _ => {
                let mut s = m.show(*i).to_string();
                for &o in m.args(i) {
                    if let Operand::Unsigned(n) = o
                        && matches!(i.op, G::CallExt | G::CallExtLast | G::CallExtOnly)
                        && let Some(import) = m.imports.get(n as usize)
                        && o == m.args(i)[1]
                    {
                        let (module, function) = (&m.atoms[import.module], &m.atoms[import.function]);
                        let _ = write!(s, "  {}:{}/{}", Quoted(module), Quoted(function), import.arity);
                    }
                }
                s
            }
        }
    }

    fn term(&self, word: u64) -> String {
        (self.show)(Term(word), LONGEST)
    }
    fn register(v: u16) -> String {
        format!("{}{}", if v & KIND_Y != 0 { "y" } else { "x" }, v >> 3)
    }
    /// A register, or the constant behind the instruction at `at`.
    fn source(&self, at: usize, v: u16) -> String {
        if v & KIND_RAW == KIND_CONST {
            return self.term(self.word(at + (v >> 3) as usize));
        }
        if v & KIND_RAW == KIND_RAW {
            return (self.word(at + (v >> 3) as usize) as i64).to_string();
        }
        Self::register(v)
    }
    fn word(&self, at: usize) -> u64 {
        self.t.words.get(at).copied().unwrap_or(0)
    }
    fn target(&self, at: usize, distance: i32) -> String {
        let to = (at as i64 + distance as i64) as u32;
        self.names.get(&to).map_or_else(|| format!("->{to}"), |l| format!("->L{l}"))
    }

    /// The text of the instruction at a word, and its length.
    fn translated(&self, at: usize) -> (String, usize) {
        let w = self.word(at);
        let Some(op) = Op::from_word(w) else { return (format!("{w:016x}"), 1) };
        let mut s = op.name().to_string();
        let slots = [(w >> 16) as u16, (w >> 32) as u16, (w >> 48) as u16];
        let (mut slot, mut len) = (0, 1);
        for letter in op.spec().chars() {
            let v = slots.get(slot).copied().unwrap_or(0);
            match letter {
                's' => s += &format!(" {}", self.source(at, v)),
                'd' => s += &format!(" {}", Self::register(v)),
                'n' => s += &format!(" {v}"),
                'l' => s += &format!(" live={v}"),
                'J' => {
                    s += &format!(" {}", self.target(at, (w >> 32) as i32));
                    slot += 1;
                }
                '_' => {}
                _ => {
                    let word = self.word(at + len);
                    match letter {
                        'j' => {
                            let distance = word as i32;
                            if distance != 0 {
                                s += &format!(" {}", self.target(at, distance));
                            }
                        }
                        'T' => s += &format!(" {}", self.term(word)),
                        'E' => s += &format!(" {}", export(word)),
                        'U' => s += &format!(" {}", fun(word)),
                        'N' => s += &format!(" {word}"),
                        'P' => {
                            self.wide(&mut s, at);
                            return (s, (word >> 32 & 0xFFFF) as usize);
                        }
                        'V' | 'W' => return self.select(s, at, len, slots[1] as usize, letter == 'V'),
                        // Return sites and functions are placed later.
                        _ => {}
                    }
                    len += 1;
                    continue;
                }
            }
            slot += 1;
        }
        (s, len)
    }

    fn wide(&self, s: &mut String, at: usize) {
        let n = (self.word(at) >> 16) as u16 as usize;
        for i in 0..n {
            let v = (self.word(at + 2 + i / 4) >> (16 * (i % 4))) as u16;
            *s += &format!(" {}", self.source(at, v));
        }
        let fail = self.word(at + 1) as i32;
        if fail != 0 {
            *s += &format!(" {}", self.target(at, fail));
        }
    }

    /// The table of a select: values, if there are any, and distances, two to a word.
    fn select(&self, mut s: String, at: usize, len: usize, n: usize, values: bool) -> (String, usize) {
        let distances = at + len + if values { n } else { 0 };
        for i in 0..n {
            let distance = (self.word(distances + i / 2) >> (32 * (i % 2))) as i32;
            let to = self.target(at, distance);
            if values {
                let v = self.word(at + len + i);
                // Headers of tuples stand for themselves.
                let v = if v & 3 == 0 { format!("{{}}/{}", v >> 6) } else { self.term(v) };
                s += &format!(" {v}{to}");
            } else {
                s += &format!(" {to}");
            }
        }
        (s, distances - at + n.div_ceil(2))
    }
}

fn row(out: &mut String, left: &str, right: &str) {
    let width = COLUMN.saturating_sub(left.chars().count() + 5);
    let _ = writeln!(out, "    {left}{:width$} {right}", "");
}

fn export(word: u64) -> String {
    // SAFETY: the translator writes addresses of exports, which live for ever.
    let e = unsafe { &*(word as *const Export) };
    format!("{}:{}/{}", Quoted(atoms::name(e.module)), Quoted(atoms::name(e.function)), e.arity)
}

fn fun(word: u64) -> String {
    // SAFETY: as for exports.
    let f = unsafe { &*(word as *const FunEntry) };
    format!("{}/{}", Quoted(atoms::name(f.function)), f.arity)
}
