use super::{VERSION, tag};
use crate::cmp::{byte_at, compare_exact, entry, export};
use crate::external;
use crate::term::{Term, sub};
use crate::{atoms, floats, map};
use std::io::Write;

/// How to encode.
#[derive(Clone, Copy)]
pub struct EncodeOptions {
    /// 0: floats as text; 1: atoms in Latin-1 where possible; 2: always in UTF-8.
    pub minor_version: u8,
    /// Equal terms give equal bytes.
    pub deterministic: bool,
    /// 0 (not at all) to 9.
    pub compressed: u8,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        let minor_version = if crate::release::since(26) { 2 } else { 1 };
        EncodeOptions { minor_version, deterministic: false, compressed: 0 }
    }
}

/// The external form of a term, [`VERSION`] first.
pub fn encode(t: Term, options: EncodeOptions) -> Vec<u8> {
    let mut e = Encoder { out: vec![VERSION], options };
    e.term(t);
    if options.compressed > 0 {
        let level = flate2::Compression::new(options.compressed.min(9) as u32);
        let mut packed = vec![VERSION, tag::COMPRESSED];
        packed.extend(((e.out.len() - 1) as u32).to_be_bytes());
        let mut z = flate2::write::ZlibEncoder::new(packed, level);
        if z.write_all(&e.out[1..]).is_ok()
            && let Ok(packed) = z.finish()
            && packed.len() < e.out.len()
        {
            return packed;
        }
    }
    e.out
}

enum Todo {
    Terms(&'static [Term]),
    /// The rest of a list without its number of elements.
    Rest(Term),
    Sorted(Vec<(Term, Term)>, usize),
    /// Where the size of a fun is to be written.
    FunSize(usize),
}

struct Encoder {
    out: Vec<u8>,
    options: EncodeOptions,
}

impl Encoder {
    fn u32(&mut self, v: usize) {
        self.out.extend((v as u32).to_be_bytes());
    }
    fn atom(&mut self, t: Term) {
        let name = atoms::name(t);
        let latin1 = self.options.minor_version < 2 && name.chars().all(|c| (c as u32) < 256);
        if latin1 {
            let bytes: Vec<u8> = name.chars().map(|c| c as u8).collect();
            self.out.push(tag::ATOM);
            self.out.extend((bytes.len() as u16).to_be_bytes());
            self.out.extend(bytes);
        } else {
            if name.len() < 256 {
                self.out.extend([tag::SMALL_ATOM_UTF8, name.len() as u8]);
            } else {
                self.out.push(tag::ATOM_UTF8);
                self.out.extend((name.len() as u16).to_be_bytes());
            }
            self.out.extend(name.as_bytes());
        }
    }
    fn int(&mut self, v: i64) {
        if let Ok(v) = u8::try_from(v) {
            self.out.extend([tag::SMALL_INTEGER, v]);
        } else if let Ok(v) = i32::try_from(v) {
            self.out.push(tag::INTEGER);
            self.out.extend(v.to_be_bytes());
        } else {
            self.big(v < 0, &[v.unsigned_abs()]);
        }
    }
    fn big(&mut self, negative: bool, digits: &[u64]) {
        let top = digits.last().map_or(0, |d| d.leading_zeros() as usize / 8);
        let n = digits.len() * 8 - top;
        if n < 256 {
            self.out.extend([tag::SMALL_BIG, n as u8]);
        } else {
            self.out.push(tag::LARGE_BIG);
            self.u32(n);
        }
        self.out.push(negative as u8);
        let start = self.out.len();
        self.out.extend(digits.iter().flat_map(|d| d.to_le_bytes()));
        self.out.truncate(start + n);
    }
    fn pid(&mut self, t: Term) {
        let (number, serial) = external::pid_numbers(t);
        let node = external::node(t);
        self.out.push(tag::NEW_PID);
        self.atom(node.name);
        self.u32(number as usize);
        self.u32(serial as usize);
        self.u32(node.creation as usize);
    }
    fn bits(&mut self, t: Term) {
        let Some(b) = crate::bin::bits(t) else { return };
        let (n, rest) = (b.bits / 8, b.bits % 8);
        if rest == 0 {
            self.out.push(tag::BINARY);
            self.u32(n);
        } else {
            self.out.push(tag::BIT_BINARY);
            self.u32(n + 1);
            self.out.push(rest as u8);
        }
        if b.bit == 0 {
            self.out.extend(&b.bytes[..n]);
        } else {
            self.out.extend((0..n).map(|i| byte_at(b, i)));
        }
        if rest > 0 {
            self.out.push(byte_at(b, n) & !(0xFF >> rest));
        }
    }
    /// A list's start; what follows it goes to `stack`.
    fn list(&mut self, t: Term, stack: &mut Vec<Todo>) {
        let mut it = t.iter();
        let (mut n, mut string) = (0, true);
        for item in it.by_ref() {
            string &= item.as_small().is_some_and(|v| (0..256).contains(&v));
            n += 1;
        }
        if string && it.rest.is_nil() && n <= 0xFFFF {
            self.out.push(tag::STRING);
            self.out.extend((n as u16).to_be_bytes());
            self.out.extend(t.iter().map(|c| c.small_value() as u8));
        } else {
            self.out.push(tag::LIST);
            self.u32(n);
            stack.push(Todo::Rest(t));
        }
    }

    fn term(&mut self, t: Term) {
        let mut stack: Vec<Todo> = Vec::new();
        let mut next = Some(t);
        loop {
            let t = match next.take() {
                Some(t) => t,
                None => match stack.pop() {
                    None => return,
                    Some(Todo::Terms([])) => continue,
                    Some(Todo::Terms([first, rest @ ..])) => {
                        stack.push(Todo::Terms(rest));
                        *first
                    }
                    Some(Todo::Rest(l)) if l.is_cons() => {
                        stack.push(Todo::Rest(l.tail()));
                        l.head()
                    }
                    Some(Todo::Rest(tail)) => tail,
                    Some(Todo::Sorted(pairs, i)) => {
                        let Some(&(key, value)) = pairs.get(i / 2) else { continue };
                        stack.push(Todo::Sorted(pairs, i + 1));
                        if i % 2 == 0 { key } else { value }
                    }
                    Some(Todo::FunSize(at)) => {
                        let size = (self.out.len() - at) as u32;
                        self.out[at..at + 4].copy_from_slice(&size.to_be_bytes());
                        continue;
                    }
                },
            };
            match t.subtag() {
                _ if t.is_cons() => self.list(t, &mut stack),
                None if t.is_small() => self.int(t.small_value()),
                None if t.is_atom() => self.atom(t),
                None if t.is_nil() => self.out.push(tag::NIL),
                None if t.is_local_pid() => self.pid(t),
                Some(sub::EXT_PID) => self.pid(t),
                None | Some(sub::EXT_PORT) => {
                    let (number, node) = (external::port_number(t), external::node(t));
                    let short = number < 1 << 32;
                    self.out.push(if short { tag::NEW_PORT } else { tag::V4_PORT });
                    self.atom(node.name);
                    if short {
                        self.u32(number as usize);
                    } else {
                        self.out.extend(number.to_be_bytes());
                    }
                    self.u32(node.creation as usize);
                }
                Some(sub::REF | sub::EXT_REF) => {
                    let ((numbers, n), node) = (external::ref_numbers(t), external::node(t));
                    self.out.push(tag::NEWER_REFERENCE);
                    self.out.extend((n as u16).to_be_bytes());
                    self.atom(node.name);
                    self.u32(node.creation as usize);
                    for &v in &numbers[..n] {
                        self.u32(v as usize);
                    }
                }
                Some(sub::TUPLE) => {
                    let body: &'static [Term] = t.body();
                    if body.len() < 256 {
                        self.out.extend([tag::SMALL_TUPLE, body.len() as u8]);
                    } else {
                        self.out.push(tag::LARGE_TUPLE);
                        self.u32(body.len());
                    }
                    stack.push(Todo::Terms(body));
                }
                Some(sub::POS_BIG | sub::NEG_BIG) => {
                    let (negative, digits) = t.big_digits();
                    self.big(negative, digits);
                }
                Some(sub::FLOAT) => {
                    let f = t.float_value();
                    if self.options.minor_version == 0 {
                        let mut text = floats::long(f).into_bytes();
                        text.resize(31, 0);
                        self.out.push(tag::FLOAT);
                        self.out.extend(text);
                    } else {
                        self.out.push(tag::NEW_FLOAT);
                        self.out.extend(f.to_bits().to_be_bytes());
                    }
                }
                Some(sub::MAP) => {
                    self.out.push(tag::MAP);
                    self.u32(map::size(t));
                    let mut pairs: Vec<(Term, Term)> = map::iter(t).collect();
                    if self.options.deterministic && !map::is_flat(t) {
                        pairs.sort_by(|x, y| compare_exact(x.0, y.0));
                    }
                    stack.push(Todo::Sorted(pairs, 0));
                }
                Some(sub::EXPORT) => {
                    let e = export(t);
                    self.out.push(tag::EXPORT);
                    self.atom(e.module);
                    self.atom(e.function);
                    self.int(e.arity as i64);
                }
                Some(sub::FUN) => {
                    let e = entry(t);
                    let body: &'static [Term] = t.body();
                    self.out.push(tag::NEW_FUN);
                    stack.push(Todo::FunSize(self.out.len()));
                    self.u32(0);
                    self.out.push(e.arity as u8);
                    self.out.extend(e.uniq);
                    self.u32(e.index as usize);
                    self.u32(body.len() - 2);
                    self.atom(e.module);
                    self.int(e.old_index as i64);
                    self.int(e.old_uniq as i64);
                    self.pid(body[1]);
                    stack.push(Todo::Terms(&body[2..]));
                }
                Some(_) => self.bits(t),
            }
        }
    }
}
