//! Objects in the order of their keys, in a B-tree. `1` and `1.0` are the same key.

use super::object::{Object, Owned};
use crate::cmp;
use crate::term::Term;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;

/// A key, as it is compared.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Key(pub Term);

/// The lower or upper end of the tuples that begin like `pattern`.
pub struct Edge {
    pub pattern: Term,
    /// How many elements they have in common.
    pub same: usize,
    pub upper: bool,
}

impl Edge {
    /// Whether a key begins like the pattern.
    pub fn within(&self, key: Term) -> bool {
        let pattern: &[Term] = self.pattern.body();
        key.tuple_of(pattern.len())
            .is_some_and(|k| (0..self.same).all(|i| cmp::compare(pattern[i], k[i]) == Ordering::Equal))
    }
    /// The edge as a key to look for. Only while the edge lives.
    pub fn key(&self) -> Key {
        // The tag of headers, which no value has.
        Key(Term(std::ptr::from_ref(self) as u64))
    }
    fn order(&self, key: Term) -> Ordering {
        let pattern: &[Term] = self.pattern.body();
        let Some(k) = key.tuple_of(pattern.len()) else {
            // Type or size decides.
            return cmp::compare(self.pattern, key);
        };
        let first = (0..self.same).map(|i| cmp::compare(pattern[i], k[i])).find(|o| o.is_ne());
        first.unwrap_or(if self.upper { Ordering::Greater } else { Ordering::Less })
    }
}

impl Key {
    #[inline(always)]
    fn edge<'a>(self) -> Option<&'a Edge> {
        // SAFETY: only `Edge::key` makes keys with this tag, and their users keep the edge.
        self.0.is_header().then(|| unsafe { &*(self.0.0 as *const Edge) })
    }
}

impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Key) -> Ordering {
        if Term::both_small(self.0, other.0) {
            return self.0.small_value().cmp(&other.0.small_value());
        }
        if let Some(edge) = self.edge() {
            return edge.order(other.0);
        }
        if let Some(edge) = other.edge() {
            return edge.order(self.0).reverse();
        }
        cmp::compare(self.0, other.0)
    }
}
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Key {}

/// An object and, inside it, its key.
pub struct Entry {
    key: Key,
    object: Owned,
}

impl Borrow<Key> for Entry {
    fn borrow(&self) -> &Key {
        &self.key
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.key.cmp(&other.key)
    }
}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key == other.key
    }
}
impl Eq for Entry {}

pub struct Tree {
    keypos: usize,
    entries: BTreeSet<Entry>,
    words: usize,
}

// SAFETY: the objects belong to the table; shared access only reads.
unsafe impl Send for Tree {}
unsafe impl Sync for Tree {}

impl Tree {
    pub(super) fn new(keypos: usize) -> Tree {
        Tree { keypos, entries: BTreeSet::new(), words: 0 }
    }
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    pub fn words(&self) -> usize {
        self.words + self.entries.len() * 2
    }
    pub fn get(&self, key: Term) -> Option<Term> {
        self.entries.get(&Key(key)).map(|e| e.object.term())
    }
    pub fn put(&mut self, object: Owned) {
        self.words += object.size();
        let key = Key(object.term().word(self.keypos));
        if let Some(old) = self.entries.replace(Entry { key, object }) {
            self.words -= old.object.size();
        }
    }
    /// Deletes the object of a key if `which` says so.
    pub fn remove(&mut self, key: Term, which: impl FnOnce(Term) -> bool) -> bool {
        match self.entries.get(&Key(key)) {
            Some(e) if which(e.object.term()) => {}
            _ => return false,
        }
        if let Some(old) = self.entries.take(&Key(key)) {
            self.words -= old.object.size();
        }
        true
    }
    pub fn first(&self) -> Option<Term> {
        self.entries.first().map(|e| e.object.term())
    }
    pub fn last(&self) -> Option<Term> {
        self.entries.last().map(|e| e.object.term())
    }
    pub fn nth(&self, n: usize) -> Option<Term> {
        self.entries.iter().nth(n).map(|e| e.object.term())
    }
    /// The object behind (or, `reverse`, before) a key.
    pub fn next(&self, key: Term, reverse: bool) -> Option<Term> {
        self.scan(Bound::Excluded(Key(key)), reverse).next()
    }
    /// The objects from a key on, upwards or downwards.
    pub fn scan(&self, from: Bound<Key>, reverse: bool) -> Scan<'_> {
        if reverse {
            Scan::Down(self.entries.range::<Key, _>((Bound::Unbounded, from)))
        } else {
            Scan::Up(self.entries.range::<Key, _>((from, Bound::Unbounded)))
        }
    }
    pub(super) fn each_object(&self, mut f: impl FnMut(&Object)) {
        for e in &self.entries {
            f(e.object.header());
        }
    }
}

/// See [`Tree::scan`].
pub enum Scan<'a> {
    Up(EntryRange<'a>),
    Down(EntryRange<'a>),
}

type EntryRange<'a> = std::collections::btree_set::Range<'a, Entry>;

impl Iterator for Scan<'_> {
    type Item = Term;
    #[inline]
    fn next(&mut self) -> Option<Term> {
        match self {
            Scan::Up(r) => r.next(),
            Scan::Down(r) => r.next_back(),
        }
        .map(|e| e.object.term())
    }
}
