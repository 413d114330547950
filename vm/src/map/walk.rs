//! Walking maps: all at once, or in pieces from a position that is a number.

use super::trie::{BUCKET_LEVEL, children};
use super::{flat_parts, is_flat};
use crate::term::{Term, sub};

const DEPTH: usize = BUCKET_LEVEL as usize + 1;
/// A position is told by the four bits of this many levels; so it fits in a small integer. Below, subtrees are
/// tiny (their keys share 56 bits of hash) and are not left half done.
const LEVELS: usize = 14;

/// Pairs of a map: in key order if it is flat, in the trie's order if not.
pub enum MapIter {
    #[doc(hidden)]
    Flat(std::iter::Zip<std::slice::Iter<'static, Term>, std::slice::Iter<'static, Term>>),
    #[doc(hidden)]
    Hashed(Cursor),
}

/// Walks the pairs. Valid until the next collection.
#[inline]
pub fn iter(m: Term) -> MapIter {
    if is_flat(m) {
        let (keys, values) = flat_parts(m);
        MapIter::Flat(keys.iter().zip(values))
    } else {
        MapIter::Hashed(Cursor::new(m))
    }
}

impl Iterator for MapIter {
    type Item = (Term, Term);
    #[inline]
    fn next(&mut self) -> Option<(Term, Term)> {
        match self {
            MapIter::Flat(pairs) => pairs.next().map(|(&k, &v)| (k, v)),
            MapIter::Hashed(cursor) => {
                let leaf = cursor.peek()?;
                cursor.step();
                Some((leaf.head(), leaf.tail()))
            }
        }
    }
}

/// A place in a trie. Children before the index have been walked, or are being walked on the next level.
#[doc(hidden)]
pub struct Cursor {
    levels: [(&'static [Term], u32, u16); DEPTH],
    depth: usize,
}

impl Cursor {
    fn new(m: Term) -> Cursor {
        let mut c = Cursor { levels: [(&[], 0, 0); DEPTH], depth: 0 };
        c.push(m);
        c
    }
    #[inline]
    fn push(&mut self, node: Term) {
        let (bitmap, kids) = children(node);
        if let Some(level) = self.levels.get_mut(self.depth) {
            *level = (kids, 0, bitmap);
            self.depth += 1;
        }
    }
    /// The next leaf.
    #[inline]
    fn peek(&mut self) -> Option<Term> {
        loop {
            let (kids, i, _) = &mut self.levels[self.depth.checked_sub(1)?];
            match kids.get(*i as usize) {
                None => self.depth -= 1,
                Some(&child) if child.is_cons() => return Some(child),
                Some(&child) => {
                    *i += 1;
                    self.push(child);
                }
            }
        }
    }
    /// Moves past the leaf that `peek` gave.
    #[inline]
    fn step(&mut self) {
        self.levels[self.depth - 1].1 += 1;
    }
    /// Moves a fresh cursor to the first leaf at or behind a position.
    fn seek(&mut self, position: u64) {
        let mut position = position;
        while position != 0 && self.depth <= LEVELS {
            let (kids, i, bitmap) = &mut self.levels[self.depth - 1];
            let (kids, bitmap) = (*kids, *bitmap);
            let bit = 1u16 << (position & 15);
            position >>= 4;
            *i = (bitmap & (bit - 1)).count_ones();
            if bitmap & bit == 0 {
                return;
            }
            match kids.get(*i as usize) {
                Some(&child) if !child.is_cons() => {
                    *i += 1;
                    self.push(child);
                }
                _ => return,
            }
        }
    }
    /// The position of the leaf that `peek` gave; `None` where there is no stopping.
    fn position(&self) -> Option<u64> {
        if self.depth > LEVELS {
            return None;
        }
        let mut position = 0;
        for (level, &(_, i, bitmap)) in self.levels[..self.depth].iter().enumerate() {
            let index = if level + 1 == self.depth { i } else { i - 1 };
            let mut bits = bitmap;
            for _ in 0..index {
                bits &= bits - 1;
            }
            position |= (bits.trailing_zeros() as u64) << (4 * level);
        }
        Some(position)
    }
}

/// Walks pairs of a hashed map from a position on (0 is the start; any number is good), at least `limit` if
/// there are so many; the position of the next, if any is left.
pub fn walk_from(m: Term, position: u64, limit: usize, mut f: impl FnMut(Term, Term)) -> Option<u64> {
    let mut cursor = Cursor::new(m);
    cursor.seek(position);
    let mut n = 0;
    while let Some(leaf) = cursor.peek() {
        if n >= limit
            && let Some(position) = cursor.position()
        {
            return Some(position);
        }
        n += 1;
        f(leaf.head(), leaf.tail());
        cursor.step();
    }
    None
}

/// All leaves below the children of a node.
pub(super) fn leaves(kids: &[Term], f: &mut impl FnMut(Term, Term)) {
    for &child in kids {
        if child.is_cons() {
            f(child.head(), child.tail());
        } else {
            leaves(children(child).1, f);
        }
    }
}

/// The children of a hashed map's head or of an inner node: leaves `[Key | Value]` and inner nodes, which are
/// no values.
pub fn node_children<'a>(node: Term) -> Option<&'a [Term]> {
    match node.subtag()? {
        sub::MAP if is_flat(node) => None,
        sub::MAP | sub::HAMT_NODE => Some(children(node).1),
        _ => None,
    }
}
