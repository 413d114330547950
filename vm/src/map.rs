//! Maps: flat ones up to 32 keys, hashed tries beyond.
//!
//! A flat map shares its key tuple, in key order (integers before floats where they are equal), with every map
//! made from it by updating values. A hashed map is a trie of nodes with up to 16 children, chosen by four
//! bits of the key's hash a level; a child is a node or a leaf, a cons cell `[Key | Value]`. A subtree holds at
//! least two leaves, so equal maps have equal shapes. After eight levels another hash takes over, and
//! after sixteen the few keys that are still together stand in a bucket: a node with bitmap 0.

use crate::cmp::{compare_exact, exact_eq};
use crate::hash;
use crate::heap::Alloc;
use crate::term::{Term, header, header_bits, header_extra, sub};
use std::cmp::Ordering;

/// Largest flat map.
pub const FLAT_LIMIT: usize = 32;
const BUCKET_LEVEL: u32 = 16;

type Pair = (Term, Term);

/// Whether a map (must be one) is flat.
#[inline(always)]
pub fn is_flat(m: Term) -> bool {
    header_bits(m.header()) == 0
}
/// Number of pairs. Constant time.
#[inline(always)]
pub fn size(m: Term) -> usize {
    m.word(1).0 as usize
}
/// The key tuple's elements and the values of a flat map.
pub fn flat_parts<'a>(m: Term) -> (&'a [Term], &'a [Term]) {
    let body: &[Term] = m.body();
    (body[1].body(), &body[2..])
}

#[inline(always)]
fn same(a: Term, b: Term) -> bool {
    a == b || (!a.is_immed() && !b.is_immed() && exact_eq(a, b))
}

/// The value of `key`. Linear in a flat map, logarithmic in a hashed one.
#[inline]
pub fn get(m: Term, key: Term) -> Option<Term> {
    if is_flat(m) {
        let (keys, values) = flat_parts(m);
        let i = if key.is_immed() {
            keys.iter().position(|&k| k == key)?
        } else {
            keys.iter().position(|&k| same(k, key))?
        };
        return Some(values[i]);
    }
    get_hashed(m, key)
}

/// The four bits that choose a child on `level`.
#[derive(Clone, Copy)]
struct Hashed {
    key: Term,
    first: u32,
    second: Option<u32>,
}

impl Hashed {
    fn new(key: Term) -> Hashed {
        Hashed { key, first: hash::internal(key), second: None }
    }
    #[inline]
    fn nibble(&mut self, level: u32) -> u32 {
        if level < 8 {
            return self.first >> (4 * level) & 15;
        }
        let key = self.key;
        let second = *self.second.get_or_insert_with(|| hash::phash2(key));
        second >> (4 * (level - 8)) & 15
    }
}

/// Children of a head or an inner node, with the bitmap.
#[inline]
fn children<'a>(node: Term) -> (u16, &'a [Term]) {
    let h = node.header();
    let body: &[Term] = node.body();
    (header_bits(h), if crate::term::header_subtag(h) == sub::MAP { &body[1..] } else { body })
}

fn get_hashed(m: Term, key: Term) -> Option<Term> {
    let mut h = Hashed::new(key);
    let mut node = m;
    let mut level = 0;
    loop {
        let (bitmap, kids) = children(node);
        if bitmap == 0 {
            return kids.iter().find(|leaf| same(leaf.head(), key)).map(|leaf| leaf.tail());
        }
        let bit = 1u16 << h.nibble(level);
        if bitmap & bit == 0 {
            return None;
        }
        let child = kids[(bitmap & (bit - 1)).count_ones() as usize];
        if child.is_cons() {
            return same(child.head(), key).then(|| child.tail());
        }
        node = child;
        level += 1;
    }
}

// ---- building

/// A flat map whose keys are in order. `keys` is their tuple.
fn flat<A: Alloc + ?Sized>(a: &mut A, keys: Term, values: &[Term]) -> Term {
    let m = a.boxed(sub::MAP, 2 + values.len());
    // SAFETY: `boxed` made room for size, keys and values.
    unsafe {
        *m.ptr().add(1) = Term(values.len() as u64);
        *m.ptr().add(2) = keys;
        std::ptr::copy_nonoverlapping(values.as_ptr(), m.ptr().add(3), values.len());
    }
    m
}
/// The empty map.
pub fn empty<A: Alloc + ?Sized>(a: &mut A) -> Term {
    let keys = a.tuple(&[]);
    flat(a, keys, &[])
}
fn flat_from_sorted<A: Alloc + ?Sized>(a: &mut A, pairs: &[Pair]) -> Term {
    let keys: Vec<Term> = pairs.iter().map(|p| p.0).collect();
    let values: Vec<Term> = pairs.iter().map(|p| p.1).collect();
    let keys = a.tuple(&keys);
    flat(a, keys, &values)
}
fn node<A: Alloc + ?Sized>(a: &mut A, bitmap: u16, kids: &[Term]) -> Term {
    let t = a.boxed(sub::HAMT_NODE, kids.len());
    // SAFETY: header of the object just made.
    unsafe { *t.ptr() = Term(header_extra(sub::HAMT_NODE, kids.len(), bitmap)) };
    a.fill(t, kids)
}
fn head<A: Alloc + ?Sized>(a: &mut A, size: usize, bitmap: u16, kids: &[Term]) -> Term {
    let t = a.boxed(sub::MAP, 1 + kids.len());
    // SAFETY: header, size and children of the object just made.
    unsafe {
        *t.ptr() = Term(header_extra(sub::MAP, 1 + kids.len(), bitmap));
        *t.ptr().add(1) = Term(size as u64);
        std::ptr::copy_nonoverlapping(kids.as_ptr(), t.ptr().add(2), kids.len());
    }
    t
}

/// A map of pairs whose keys are all different, sorted or not.
fn from_distinct<A: Alloc + ?Sized>(a: &mut A, pairs: &mut [Pair]) -> Term {
    if pairs.len() <= FLAT_LIMIT {
        pairs.sort_by(|x, y| compare_exact(x.0, y.0));
        return flat_from_sorted(a, pairs);
    }
    let n = pairs.len();
    let mut leaves: Vec<(Hashed, Term)> =
        pairs.iter().map(|&(k, v)| (Hashed::new(k), a.cons(k, v))).collect();
    let (bitmap, kids) = build_level(a, &mut leaves, 0);
    head(a, n, bitmap, &kids)
}
fn build_level<A: Alloc + ?Sized>(a: &mut A, leaves: &mut [(Hashed, Term)], level: u32) -> (u16, Vec<Term>) {
    if level >= BUCKET_LEVEL {
        let mut kids: Vec<Term> = leaves.iter().map(|l| l.1).collect();
        kids.sort_by(|x, y| compare_exact(x.head(), y.head()));
        return (0, kids);
    }
    leaves.sort_by_cached_key(|l| {
        let mut h = l.0;
        h.nibble(level)
    });
    let (mut bitmap, mut kids) = (0u16, Vec::with_capacity(16));
    let mut rest = leaves;
    while let Some(first) = rest.first_mut() {
        let nibble = first.0.nibble(level);
        let mut n = 1;
        while rest.get_mut(n).is_some_and(|l| l.0.nibble(level) == nibble) {
            n += 1;
        }
        let (group, after) = rest.split_at_mut(n);
        bitmap |= 1 << nibble;
        kids.push(if n == 1 {
            group[0].1
        } else {
            let (b, k) = build_level(a, group, level + 1);
            node(a, b, &k)
        });
        rest = after;
    }
    (bitmap, kids)
}

/// A map of the pairs; `None` if a key occurs twice. Sorts `pairs`.
pub fn from_pairs<A: Alloc + ?Sized>(a: &mut A, pairs: &mut [Pair]) -> Option<Term> {
    pairs.sort_by(|x, y| compare_exact(x.0, y.0));
    if pairs.windows(2).any(|w| same(w[0].0, w[1].0)) {
        return None;
    }
    Some(from_distinct(a, pairs))
}
/// A map of the pairs; of a key that occurs again the last value counts.
pub fn from_list<A: Alloc + ?Sized>(a: &mut A, mut pairs: Vec<Pair>) -> Term {
    // Stable: of equal keys the last stands last.
    pairs.sort_by(|x, y| compare_exact(x.0, y.0));
    let mut distinct: Vec<Pair> = Vec::with_capacity(pairs.len());
    for p in pairs {
        match distinct.last_mut() {
            Some(last) if same(last.0, p.0) => last.1 = p.1,
            _ => distinct.push(p),
        }
    }
    from_distinct(a, &mut distinct)
}

// ---- updating

/// `m` with `key` having `value`.
pub fn put<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term, value: Term) -> Term {
    if !is_flat(m) {
        let (new, added) = put_hashed(a, m, 0, &mut Hashed::new(key), value);
        return with_size(a, new, size(m) + added as usize);
    }
    let (keys, values) = flat_parts(m);
    if let Some(i) = keys.iter().position(|&k| same(k, key)) {
        if values[i] == value {
            return m;
        }
        let new = flat(a, m.word(2), values);
        // SAFETY: value `i` of the map just made.
        unsafe { *new.ptr().add(3 + i) = value };
        return new;
    }
    let mut pairs: Vec<Pair> = Vec::with_capacity(keys.len() + 1);
    pairs.extend(keys.iter().copied().zip(values.iter().copied()));
    if keys.len() == FLAT_LIMIT {
        pairs.push((key, value));
        return from_distinct(a, &mut pairs);
    }
    let at = keys.partition_point(|&k| compare_exact(k, key) == Ordering::Less);
    pairs.insert(at, (key, value));
    flat_from_sorted(a, &pairs)
}

/// A head (level 0) or node with the pair put in; whether its key is new.
fn put_hashed<A: Alloc + ?Sized>(
    a: &mut A,
    at: Term,
    level: u32,
    h: &mut Hashed,
    value: Term,
) -> (Term, bool) {
    let (bitmap, kids) = children(at);
    let mut kids: Vec<Term> = kids.to_vec();
    if bitmap == 0 {
        let leaf = a.cons(h.key, value);
        let added = match kids.iter().position(|l| same(l.head(), h.key)) {
            Some(i) => {
                kids[i] = leaf;
                false
            }
            None => {
                kids.push(leaf);
                kids.sort_by(|x, y| compare_exact(x.head(), y.head()));
                true
            }
        };
        return (node(a, 0, &kids), added);
    }
    let bit = 1u16 << h.nibble(level);
    let i = (bitmap & (bit - 1)).count_ones() as usize;
    if bitmap & bit == 0 {
        kids.insert(i, a.cons(h.key, value));
        return (rebuilt(a, at, bitmap | bit, &kids), true);
    }
    let child = kids[i];
    let added;
    if child.is_cons() {
        if same(child.head(), h.key) {
            if child.tail() == value {
                return (at, false);
            }
            kids[i] = a.cons(h.key, value);
            added = false;
        } else {
            let leaf = a.cons(h.key, value);
            let mut two = [(Hashed::new(child.head()), child), (*h, leaf)];
            let (b, k) = build_level(a, &mut two, level + 1);
            kids[i] = node(a, b, &k);
            added = true;
        }
    } else {
        let (new, more) = put_hashed(a, child, level + 1, h, value);
        if new == child {
            return (at, false);
        }
        kids[i] = new;
        added = more;
    }
    (rebuilt(a, at, bitmap, &kids), added)
}
/// A node of the same kind as `old`.
fn rebuilt<A: Alloc + ?Sized>(a: &mut A, old: Term, bitmap: u16, kids: &[Term]) -> Term {
    if old.is_map() { head(a, size(old), bitmap, kids) } else { node(a, bitmap, kids) }
}
fn with_size<A: Alloc + ?Sized>(_a: &mut A, m: Term, n: usize) -> Term {
    if size(m) != n {
        // SAFETY: a head made by this update and seen by nobody else: an unchanged one keeps its size.
        unsafe { *m.ptr().add(1) = Term(n as u64) };
    }
    m
}

/// `m` with `key` having `value`; `None` if the key is not there.
pub fn update_exact<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term, value: Term) -> Option<Term> {
    get(m, key)?;
    Some(put(a, m, key, value))
}
/// `m` with all pairs put in; the last of a repeated key counts.
pub fn put_many<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair]) -> Term {
    if !is_flat(m) {
        return pairs.iter().fold(m, |m, &(k, v)| put(a, m, k, v));
    }
    let (keys, values) = flat_parts(m);
    let places: Option<Vec<usize>> = pairs.iter().map(|p| keys.iter().position(|&k| same(k, p.0))).collect();
    if let Some(places) = places {
        if places.iter().zip(pairs).all(|(&i, p)| values[i] == p.1) {
            return m;
        }
        let new = flat(a, m.word(2), values);
        for (i, p) in places.into_iter().zip(pairs) {
            // SAFETY: value `i` of the map just made.
            unsafe { *new.ptr().add(3 + i) = p.1 };
        }
        return new;
    }
    let mut all: Vec<Pair> = keys.iter().copied().zip(values.iter().copied()).collect();
    all.extend_from_slice(pairs);
    from_list(a, all)
}
/// As [`put_many`], when every key must be there; else the first that is not.
pub fn put_many_exact<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair]) -> Result<Term, Term> {
    if let Some(missing) = pairs.iter().find(|p| get(m, p.0).is_none()) {
        return Err(missing.0);
    }
    Ok(put_many(a, m, pairs))
}

/// `m` without `key`, and the value it had.
pub fn take<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term) -> Option<(Term, Term)> {
    let value = get(m, key)?;
    if is_flat(m) || size(m) == FLAT_LIMIT + 1 {
        let mut pairs: Vec<Pair> = iter(m).filter(|p| !same(p.0, key)).collect();
        return Some((value, from_distinct(a, &mut pairs)));
    }
    let new = remove_hashed(a, m, 0, &mut Hashed::new(key));
    Some((value, with_size(a, new, size(m) - 1)))
}
/// `m` without `key`; `m` itself if it has none.
pub fn remove<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term) -> Term {
    take(a, m, key).map_or(m, |t| t.1)
}
/// A head or node without the key, which is there. A node left with one leaf becomes that leaf.
fn remove_hashed<A: Alloc + ?Sized>(a: &mut A, at: Term, level: u32, h: &mut Hashed) -> Term {
    let (mut bitmap, kids) = children(at);
    let mut kids: Vec<Term> = kids.to_vec();
    if bitmap == 0 {
        kids.retain(|l| !same(l.head(), h.key));
    } else {
        let bit = 1u16 << h.nibble(level);
        let i = (bitmap & (bit - 1)).count_ones() as usize;
        if kids[i].is_cons() {
            kids.remove(i);
            bitmap &= !bit;
        } else {
            kids[i] = remove_hashed(a, kids[i], level + 1, h);
        }
    }
    if kids.len() == 1 && kids[0].is_cons() && !at.is_map() {
        return kids[0];
    }
    rebuilt(a, at, bitmap, &kids)
}

/// Both maps in one; the second's values count.
pub fn merge<A: Alloc + ?Sized>(a: &mut A, first: Term, second: Term) -> Term {
    if size(second) == 0 {
        return first;
    }
    if size(first) == 0 {
        return second;
    }
    if !is_flat(second) && size(second) >= size(first) {
        let missing: Vec<Pair> = iter(first).filter(|p| get(second, p.0).is_none()).collect();
        return missing.into_iter().fold(second, |m, (k, v)| put(a, m, k, v));
    }
    let pairs: Vec<Pair> = iter(second).collect();
    put_many(a, first, &pairs)
}

// ---- walking

/// Pairs of a map: in key order if it is flat, in the trie's order if not.
pub struct MapIter {
    flat: Option<(&'static [Term], &'static [Term], usize)>,
    stack: Vec<(&'static [Term], usize)>,
}

/// Walks the pairs. Valid until the next collection.
pub fn iter(m: Term) -> MapIter {
    if is_flat(m) {
        let (k, v) = flat_parts(m);
        MapIter { flat: Some((k, v, 0)), stack: Vec::new() }
    } else {
        MapIter { flat: None, stack: vec![(children(m).1, 0)] }
    }
}

impl Iterator for MapIter {
    type Item = Pair;
    fn next(&mut self) -> Option<Pair> {
        if let Some((k, v, i)) = &mut self.flat {
            let pair = (*k.get(*i)?, v[*i]);
            *i += 1;
            return Some(pair);
        }
        loop {
            let (kids, i) = self.stack.last_mut()?;
            match kids.get(*i) {
                None => {
                    self.stack.pop();
                }
                Some(&child) => {
                    *i += 1;
                    if child.is_cons() {
                        return Some((child.head(), child.tail()));
                    }
                    self.stack.push((children(child).1, 0));
                }
            }
        }
    }
}

/// Keys as a list.
pub fn keys<A: Alloc + ?Sized>(a: &mut A, m: Term) -> Term {
    let all: Vec<Term> = iter(m).map(|p| p.0).collect();
    a.list(&all)
}
/// Values as a list, in the order of [`keys`].
pub fn values<A: Alloc + ?Sized>(a: &mut A, m: Term) -> Term {
    let all: Vec<Term> = iter(m).map(|p| p.1).collect();
    a.list(&all)
}

/// The header of a flat map with `n` pairs: shape checks of compiled code compare it.
pub const fn flat_header(n: usize) -> u64 {
    header(sub::MAP, 2 + n)
}
