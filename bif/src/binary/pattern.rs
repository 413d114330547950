//! What `binary:match` and its relatives search for: one or more byte strings. The leftmost occurrence counts,
//! and of those that start there the longest.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use chime_vm::bin;
use chime_vm::refs;
use chime_vm::term::Term;
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::Arc;

enum Kind<'a> {
    Byte(u8),
    /// Two or three bytes, some perhaps equal.
    Few([u8; 3]),
    /// Any of these bytes.
    Set(Box<[bool; 256]>),
    One(Finder<'a>),
    Many(AhoCorasick),
}

pub struct Pattern<'a> {
    kind: Kind<'a>,
    /// Bytes of the longest alternative.
    pub longest: usize,
    /// Bytes of all.
    pub total: usize,
    /// Made from one byte string, or several.
    pub single: bool,
}

/// Why there is no pattern.
pub enum Bad {
    Argument,
    TooLarge,
}

impl<'a> Pattern<'a> {
    /// One byte string, not empty.
    pub fn single(bytes: Cow<'a, [u8]>) -> Result<Pattern<'a>, Bad> {
        let total = bytes.len();
        let kind = match *bytes {
            [] => return Err(Bad::Argument),
            [b] => Kind::Byte(b),
            _ => Kind::One(match bytes {
                Cow::Borrowed(b) => Finder::new(b),
                Cow::Owned(b) => Finder::new(&b).into_owned(),
            }),
        };
        Ok(Pattern { kind, longest: total, total, single: true })
    }
    /// A list of byte strings, none of them empty. `thorough`: worth preparing well.
    fn several(list: Term, thorough: bool) -> Result<Pattern<'static>, Bad> {
        let mut all = Vec::new();
        let mut it = list.iter();
        for t in it.by_ref() {
            match bin::bytes(t) {
                Some(b) if !b.is_empty() => all.push(b),
                _ => return Err(Bad::Argument),
            }
        }
        if all.is_empty() || !it.rest.is_nil() {
            return Err(Bad::Argument);
        }
        if let [one] = &all[..] {
            return Pattern::single(Cow::Owned(one.to_vec()));
        }
        let total = all.iter().map(|b| b.len()).sum();
        let longest = all.iter().map(|b| b.len()).max().unwrap_or(1);
        let kind = if longest == 1 {
            match all.len() {
                2 => Kind::Few([all[0][0], all[1][0], all[1][0]]),
                3 => Kind::Few([all[0][0], all[1][0], all[2][0]]),
                _ => {
                    let mut set = Box::new([false; 256]);
                    all.iter().for_each(|b| set[b[0] as usize] = true);
                    Kind::Set(set)
                }
            }
        } else {
            let mut builder = AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostLongest);
            if !thorough {
                builder.kind(Some(AhoCorasickKind::NoncontiguousNFA));
            }
            Kind::Many(builder.build(&all).map_err(|_| Bad::TooLarge)?)
        };
        Ok(Pattern { kind, longest, total, single: false })
    }

    /// A binary or a list of binaries.
    pub fn from_term(t: Term, thorough: bool) -> Result<Pattern<'a>, Bad> {
        if t.is_list() {
            return Pattern::several(t, thorough);
        }
        Pattern::single(bin::bytes(t).ok_or(Bad::Argument)?)
    }

    pub fn into_owned(self) -> Pattern<'static> {
        let kind = match self.kind {
            Kind::Byte(b) => Kind::Byte(b),
            Kind::Few(b) => Kind::Few(b),
            Kind::Set(s) => Kind::Set(s),
            Kind::One(f) => Kind::One(f.into_owned()),
            Kind::Many(m) => Kind::Many(m),
        };
        Pattern { kind, longest: self.longest, total: self.total, single: self.single }
    }

    /// Start and length of the first occurrence at or behind `from`.
    pub fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = bytes.get(from..)?;
        let at = match &self.kind {
            Kind::Byte(b) => memchr::memchr(*b, rest),
            Kind::Few([x, y, z]) => memchr::memchr3(*x, *y, *z, rest),
            Kind::Set(set) => rest.iter().position(|&b| set[b as usize]),
            Kind::One(finder) => finder.find(rest),
            Kind::Many(all) => {
                return all.find(Input::new(bytes).range(from..)).map(|m| (m.start(), m.len()));
            }
        };
        at.map(|i| (from + i, self.longest))
    }

    /// Bytes that a reduction pays for.
    pub fn per_reduction(&self) -> usize {
        match self.kind {
            Kind::Byte(_) | Kind::Few(_) => 2048,
            Kind::One(_) => 512,
            Kind::Set(_) => 256,
            Kind::Many(_) => 64,
        }
    }
}

/// The pattern behind `{bm | ac, Reference}`.
pub fn compiled(t: Term) -> Option<Arc<Pattern<'static>>> {
    let t = t.tuple_of(2)?;
    let pattern = refs::magic(t[1])?.downcast::<Pattern<'static>>().ok()?;
    let tag = if pattern.single { "bm" } else { "ac" };
    (t[0].is_atom() && crate::util::text(t[0]) == tag).then_some(pattern)
}
