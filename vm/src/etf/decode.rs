use super::{VERSION, tag};
use crate::code::FunEntry;
use crate::external::{self, Node};
use crate::heap::Alloc;
use crate::modules::{FunKey, fun_entry};
use crate::term::{Term, sub};
use crate::{atoms, exports, floats, map, num};
use std::io::Read;

/// Why bytes are no external term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// The first byte is not [`VERSION`].
    Version,
    /// More is announced than there is.
    Truncated,
    /// A tag that does not exist, or that this node cannot follow (atom caches, hashed node tables).
    Tag(u8),
    /// A new atom where only existing ones are allowed, or an atom that cannot be.
    Atom,
    /// Contents that make no term: a map with a key twice, a float that is none, a fun of another shape, …
    Value,
    Compressed,
}
use DecodeError::{Atom, Compressed, Tag, Truncated, Value, Version};

/// How to decode.
#[derive(Clone, Copy, Default)]
pub struct Options {
    /// Makes no atoms and no entries for unknown functions.
    pub safe: bool,
}

type Result<T> = std::result::Result<T, DecodeError>;

/// The term that `bytes` start with, and how many of them it takes.
pub fn decode<A: Alloc + ?Sized>(bytes: &[u8], a: &mut A, options: Options) -> Result<(Term, usize)> {
    if bytes.first() != Some(&VERSION) {
        return Err(Version);
    }
    if bytes.get(1) != Some(&tag::COMPRESSED) {
        let mut d = Decoder { bytes, at: 1, options };
        let t = d.term(a)?;
        return Ok((t, d.at));
    }
    let mut d = Decoder { bytes, at: 2, options };
    let size = d.u32()? as usize;
    let packed = &bytes[d.at..];
    // zlib packs at most about 1:1032.
    if size / 1100 > packed.len() {
        return Err(Compressed);
    }
    let mut plain = Vec::with_capacity(size);
    let mut z = flate2::bufread::ZlibDecoder::new(packed);
    z.by_ref().take(size as u64 + 1).read_to_end(&mut plain).map_err(|_| Compressed)?;
    if plain.len() != size {
        return Err(Compressed);
    }
    let t = Decoder { bytes: &plain, at: 0, options }.term(a)?;
    Ok((t, d.at + z.total_in() as usize))
}

/// A term whose parts are being read. The parts wait on the stack of values from `base` on.
struct Open {
    what: What,
    left: usize,
    base: usize,
}

enum What {
    Tuple,
    /// The last part is the tail.
    List,
    Map,
    Fun(*const FunEntry, Term),
}

struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    options: Options,
}

impl Decoder<'_> {
    fn take(&mut self, n: usize) -> Result<&[u8]> {
        let rest = &self.bytes[self.at..];
        if n > rest.len() {
            return Err(Truncated);
        }
        self.at += n;
        Ok(&rest[..n])
    }
    fn uint(&mut self, n: usize) -> Result<u64> {
        Ok(self.take(n)?.iter().fold(0, |v, &b| v << 8 | b as u64))
    }
    fn u8(&mut self) -> Result<u8> {
        Ok(self.uint(1)? as u8)
    }
    fn u32(&mut self) -> Result<u32> {
        Ok(self.uint(4)? as u32)
    }
    /// A number of terms to come, each of at least one byte.
    fn count(&mut self, n: usize) -> Result<usize> {
        let n = self.uint(n)? as usize;
        if n > self.bytes.len() - self.at { Err(Truncated) } else { Ok(n) }
    }

    /// The atom that must stand here.
    fn atom(&mut self) -> Result<Term> {
        let t = self.u8()?;
        self.atom_body(t)?.ok_or(Tag(t))
    }
    /// The atom behind an atom's tag; `None` for another tag.
    fn atom_body(&mut self, t: u8) -> Result<Option<Term>> {
        let n = match t {
            tag::ATOM | tag::ATOM_UTF8 => self.uint(2)?,
            tag::SMALL_ATOM | tag::SMALL_ATOM_UTF8 => self.uint(1)?,
            _ => return Ok(None),
        } as usize;
        let safe = self.options.safe;
        let bytes = self.take(n)?;
        let latin1: String;
        let text = if bytes.is_ascii() || matches!(t, tag::ATOM_UTF8 | tag::SMALL_ATOM_UTF8) {
            std::str::from_utf8(bytes).map_err(|_| Atom)?
        } else {
            latin1 = bytes.iter().map(|&b| b as char).collect();
            &latin1
        };
        if text.len() > 255 && text.chars().count() > 255 {
            return Err(Atom);
        }
        let atom = if safe { atoms::existing(text) } else { atoms::try_intern(text) };
        atom.ok_or(Atom).map(Some)
    }

    fn identifier<A: Alloc + ?Sized>(&mut self, t: u8, a: &mut A) -> Result<Term> {
        let ids = match t {
            tag::NEW_REFERENCE | tag::NEWER_REFERENCE => self.uint(2)? as usize,
            _ => 1,
        };
        let name = self.atom()?;
        let creation = |d: &mut Self| -> Result<u32> {
            Ok(match t {
                tag::REFERENCE | tag::PORT | tag::PID | tag::NEW_REFERENCE => d.u8()? as u32,
                _ => d.u32()?,
            })
        };
        let made = match t {
            tag::PID | tag::NEW_PID => {
                let (number, serial) = (self.u32()?, self.u32()?);
                let creation = creation(self)?;
                external::make_pid(a, Node { name, creation }, number, serial)
            }
            tag::PORT | tag::NEW_PORT | tag::V4_PORT => {
                let number = self.uint(if t == tag::V4_PORT { 8 } else { 4 })?;
                let creation = creation(self)?;
                external::make_port(a, Node { name, creation }, number)
            }
            _ => {
                // The creation stands before the numbers, but behind the only one of the oldest form.
                let early = if t == tag::REFERENCE { None } else { Some(creation(self)?) };
                let mut numbers = [0; 5];
                for n in numbers.get_mut(..ids).ok_or(Value)? {
                    *n = self.u32()?;
                }
                let creation = match early {
                    Some(c) => c,
                    None => creation(self)?,
                };
                external::make_ref(a, Node { name, creation }, &numbers[..ids])
            }
        };
        made.ok_or(Value)
    }

    /// An integer that must stand here and fit.
    fn small_integer(&mut self) -> Result<u32> {
        match self.u8()? {
            tag::SMALL_INTEGER => Ok(self.u8()? as u32),
            tag::INTEGER => self.u32(),
            tag::SMALL_BIG => {
                // Written for numbers from 2^31 on.
                let n = self.u8()? as usize;
                let negative = self.u8()? != 0;
                let v = self
                    .take(n)?
                    .iter()
                    .rev()
                    .try_fold(0u32, |v, &b| v.checked_mul(256).map(|v| v | b as u32));
                let v = v.ok_or(Value)?;
                Ok(if negative { v.wrapping_neg() } else { v })
            }
            t => Err(Tag(t)),
        }
    }

    fn big<A: Alloc + ?Sized>(&mut self, n: usize, a: &mut A) -> Result<Term> {
        let negative = self.u8()? != 0;
        let digits: Vec<u64> =
            self.take(n)?.chunks(8).map(|c| c.iter().rev().fold(0, |v, &b| v << 8 | b as u64)).collect();
        num::from_digits(a, negative, &digits).map_err(|_| Value)
    }

    fn fun<A: Alloc + ?Sized>(&mut self, a: &mut A) -> Result<(What, usize)> {
        self.u32()?;
        let arity = self.u8()? as u32;
        let mut uniq = [0; 16];
        uniq.copy_from_slice(self.take(16)?);
        let index = self.u32()?;
        let free = self.count(4)?;
        let module = self.atom()?;
        let _old_index = self.small_integer()?;
        let old_uniq = self.small_integer()?;
        let creator = match self.u8()? {
            t @ (tag::PID | tag::NEW_PID) => self.identifier(t, a)?,
            t => return Err(Tag(t)),
        };
        let key = FunKey { index, old_uniq, uniq };
        let entry = fun_entry(module, key, atoms::UNDEFINED, arity, free as u32);
        // SAFETY: entries are never freed.
        let known = unsafe { &*entry };
        if known.arity != arity || known.num_free as usize != free {
            return Err(Value);
        }
        Ok((What::Fun(entry, creator), free))
    }

    fn term<A: Alloc + ?Sized>(&mut self, a: &mut A) -> Result<Term> {
        let mut values: Vec<Term> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        loop {
            let t = self.u8()?;
            let nested = match t {
                tag::SMALL_INTEGER => Err(Term::small(self.u8()? as i64)),
                tag::INTEGER => Err(Term::small(self.u32()? as i32 as i64)),
                tag::NEW_FLOAT => {
                    let f = f64::from_bits(self.uint(8)?);
                    if !f.is_finite() {
                        return Err(Value);
                    }
                    Err(a.float(f))
                }
                tag::FLOAT => {
                    let text = self.take(31)?;
                    let text = text.split(|&b| b == 0).next().unwrap_or(text);
                    Err(a.float(floats::parse(text).ok_or(Value)?))
                }
                tag::SMALL_BIG => {
                    let n = self.u8()? as usize;
                    Err(self.big(n, a)?)
                }
                tag::LARGE_BIG => {
                    let n = self.u32()? as usize;
                    Err(self.big(n, a)?)
                }
                tag::NIL => Err(Term::NIL),
                tag::STRING => {
                    let n = self.uint(2)? as usize;
                    Err(a.byte_list(self.take(n)?, Term::NIL))
                }
                tag::BINARY => {
                    let n = self.u32()? as usize;
                    Err(a.binary(self.take(n)?))
                }
                tag::BIT_BINARY => {
                    let n = self.u32()? as usize;
                    let last = self.u8()? as usize;
                    if last > 8 || (n == 0) != (last == 0) {
                        return Err(Value);
                    }
                    let whole = a.binary(self.take(n)?);
                    Err(if last == 8 || n == 0 {
                        whole
                    } else {
                        a.raw_sub_binary(whole, 0, n * 8 - 8 + last)
                    })
                }
                tag::ATOM | tag::ATOM_UTF8 | tag::SMALL_ATOM | tag::SMALL_ATOM_UTF8 => {
                    Err(self.atom_body(t)?.ok_or(Tag(t))?)
                }
                tag::PID
                | tag::NEW_PID
                | tag::PORT
                | tag::NEW_PORT
                | tag::V4_PORT
                | tag::REFERENCE
                | tag::NEW_REFERENCE
                | tag::NEWER_REFERENCE => Err(self.identifier(t, a)?),
                tag::EXPORT => {
                    let (module, function) = (self.atom()?, self.atom()?);
                    let arity = match self.u8()? {
                        tag::SMALL_INTEGER => self.u8()? as u32,
                        t => return Err(Tag(t)),
                    };
                    let e = match exports::find(module, function, arity) {
                        Some(e) => e,
                        None if self.options.safe => return Err(Atom),
                        None => exports::get(module, function, arity),
                    };
                    Err(crate::modules::export_fun(a, e))
                }
                tag::SMALL_TUPLE => Ok((What::Tuple, self.count(1)?)),
                tag::LARGE_TUPLE => Ok((What::Tuple, self.count(4)?)),
                tag::LIST => {
                    let n = self.count(4)?;
                    Ok((What::List, n + 1))
                }
                tag::MAP => {
                    let n = self.count(4)?;
                    Ok((What::Map, 2 * n))
                }
                tag::NEW_FUN => Ok(self.fun(a)?),
                _ => return Err(Tag(t)),
            };
            let mut value = match nested {
                Err(value) => value,
                Ok((what, left)) => {
                    let o = Open { what, left, base: values.len() };
                    if left > 0 {
                        open.push(o);
                        continue;
                    }
                    close(a, &o.what, &mut [])?
                }
            };
            // The value is a part of the innermost open term, which it may complete.
            loop {
                let Some(o) = open.last_mut() else { return Ok(value) };
                values.push(value);
                o.left -= 1;
                if o.left > 0 {
                    break;
                }
                value = close(a, &o.what, &mut values[o.base..])?;
                values.truncate(o.base);
                open.pop();
            }
        }
    }
}

/// The term made of all its parts.
fn close<A: Alloc + ?Sized>(a: &mut A, what: &What, parts: &mut [Term]) -> Result<Term> {
    Ok(match *what {
        What::Tuple => a.tuple(parts),
        What::List => match parts {
            [items @ .., tail] => a.list_with_tail(items, *tail),
            [] => Term::NIL,
        },
        What::Map => {
            let mut pairs: Vec<(Term, Term)> = parts.chunks_exact(2).map(|p| (p[0], p[1])).collect();
            map::from_pairs(a, &mut pairs).ok_or(Value)?
        }
        What::Fun(entry, creator) => {
            let t = a.boxed(sub::FUN, 2 + parts.len());
            let words: Vec<Term> =
                [Term(entry as u64), creator].into_iter().chain(parts.iter().copied()).collect();
            a.fill(t, &words)
        }
    })
}
