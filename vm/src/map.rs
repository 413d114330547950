//! Maps: flat ones up to 32 keys, hashed tries beyond.
//!
//! A flat map shares its key tuple, in key order (integers before floats), with every map
//! made from it by updating values. A hashed map is a trie of nodes with up to 16 children, chosen by four
//! bits of the key's hash a level, lowest first; a child is a node or a leaf, a cons cell `[Key | Value]`.
//! A subtree holds at least two leaves, so equal maps have equal shapes. After eight levels another hash takes
//! over, and after sixteen the few keys that are still together stand in a bucket, in key order: a node with
//! bitmap 0.

mod trie;
mod walk;

pub use trie::get_hashed;
pub use walk::{MapIter, iter, node_children, walk_from};

use crate::cmp::{compare_exact, exact_eq};
use crate::heap::Alloc;
use crate::term::{Term, header, header_bits, sub};
use std::cmp::Ordering;
use std::ptr::copy_nonoverlapping;

/// Largest flat map.
pub const FLAT_LIMIT: usize = 32;
/// More pairs than this are put into a hashed map all at once.
const BATCH: usize = 8;

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
#[inline(always)]
pub fn flat_parts<'a>(m: Term) -> (&'a [Term], &'a [Term]) {
    let body: &[Term] = m.body();
    (body[1].body(), &body[2..])
}

/// Exactly equal keys.
#[inline(always)]
fn same(a: Term, b: Term) -> bool {
    a == b || (!a.is_immed() && !b.is_immed() && exact_eq(a, b))
}

/// Where `key` stands among the keys of a flat map.
#[inline(always)]
fn position(keys: &[Term], key: Term) -> Option<usize> {
    if key.is_immed() { keys.iter().position(|&k| k == key) } else { keys.iter().position(|&k| same(k, key)) }
}

/// The value of `key`. Linear in a flat map, logarithmic in a hashed one.
#[inline]
pub fn get(m: Term, key: Term) -> Option<Term> {
    if is_flat(m) {
        let (keys, values) = flat_parts(m);
        return Some(values[position(keys, key)?]);
    }
    get_hashed(m, key)
}

// ---- flat maps

/// A flat map whose keys are in order; `keys` is their tuple.
fn flat<A: Alloc + ?Sized>(a: &mut A, keys: Term, values: &[Term]) -> Term {
    let m = a.boxed(sub::MAP, 2 + values.len());
    // SAFETY: `boxed` made room for size, keys and values.
    unsafe {
        *m.ptr().add(1) = Term(values.len() as u64);
        *m.ptr().add(2) = keys;
        copy_nonoverlapping(values.as_ptr(), m.ptr().add(3), values.len());
    }
    m
}
/// The empty map.
pub fn empty<A: Alloc + ?Sized>(a: &mut A) -> Term {
    let keys = a.tuple(&[]);
    flat(a, keys, &[])
}
fn flat_from_sorted<A: Alloc + ?Sized>(a: &mut A, pairs: &[Pair]) -> Term {
    let n = pairs.len();
    let (keys, m) = (a.boxed(sub::TUPLE, n), a.boxed(sub::MAP, 2 + n));
    // SAFETY: `boxed` made room for `n` keys; and for size, keys and `n` values.
    unsafe {
        *m.ptr().add(1) = Term(n as u64);
        *m.ptr().add(2) = keys;
        for (i, &(k, v)) in pairs.iter().enumerate() {
            *keys.ptr().add(1 + i) = k;
            *m.ptr().add(3 + i) = v;
        }
    }
    m
}
/// `slice` with `x` put in before element `at`, written to fresh words at `to`.
///
/// # Safety
/// There is room for one more than the slice's elements, and `at` is no more than their number.
unsafe fn write_with(to: *mut Term, slice: &[Term], at: usize, x: Term) {
    // SAFETY: the caller's room.
    unsafe {
        copy_nonoverlapping(slice.as_ptr(), to, at);
        *to.add(at) = x;
        copy_nonoverlapping(slice.as_ptr().add(at), to.add(at + 1), slice.len() - at);
    }
}
/// `slice` without element `at`, written to fresh words at `to`.
///
/// # Safety
/// There is room for all but one of the slice's elements, and `at` is the index of one.
unsafe fn write_without(to: *mut Term, slice: &[Term], at: usize) {
    // SAFETY: the caller's room.
    unsafe {
        copy_nonoverlapping(slice.as_ptr(), to, at);
        copy_nonoverlapping(slice.as_ptr().add(at + 1), to.add(at), slice.len() - at - 1);
    }
}
fn pairs_of(m: Term) -> Vec<Pair> {
    iter(m).collect()
}

/// A map of the pairs; of a key that occurs again the last value counts.
fn from_any<A: Alloc + ?Sized>(a: &mut A, pairs: &mut [Pair]) -> Term {
    if pairs.len() > FLAT_LIMIT {
        let mut items = trie::items(a, pairs);
        return trie::build(a, &mut items);
    }
    // Stable: of equal keys the last stands last.
    pairs.sort_by(|x, y| compare_exact(x.0, y.0));
    let mut n = 0;
    for i in 0..pairs.len() {
        if n > 0 && same(pairs[n - 1].0, pairs[i].0) {
            pairs[n - 1].1 = pairs[i].1;
        } else {
            pairs[n] = pairs[i];
            n += 1;
        }
    }
    flat_from_sorted(a, &pairs[..n])
}

/// A map of the pairs; `None` if a key occurs twice. May reorder `pairs`.
pub fn from_pairs<A: Alloc + ?Sized>(a: &mut A, pairs: &mut [Pair]) -> Option<Term> {
    let m = from_any(a, pairs);
    (size(m) == pairs.len()).then_some(m)
}
/// A map of the pairs; of a key that occurs again the last value counts.
pub fn from_list<A: Alloc + ?Sized>(a: &mut A, mut pairs: Vec<Pair>) -> Term {
    from_any(a, &mut pairs)
}

// ---- updating

/// `m` with `key` having `value`; `m` itself if it has that very value already.
pub fn put<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term, value: Term) -> Term {
    if !is_flat(m) {
        return trie::put(a, m, key, value, false);
    }
    let (keys, values) = flat_parts(m);
    if let Some(i) = position(keys, key) {
        return replace(a, m, i, value);
    }
    let n = keys.len();
    if n == FLAT_LIMIT {
        let mut pairs = pairs_of(m);
        pairs.push((key, value));
        return from_any(a, &mut pairs);
    }
    let at = keys.partition_point(|&k| compare_exact(k, key) == Ordering::Less);
    let new_keys = a.boxed(sub::TUPLE, n + 1);
    let new = a.boxed(sub::MAP, n + 3);
    // SAFETY: `boxed` made room for `n + 1` keys; and for size, keys and `n + 1` values.
    unsafe {
        write_with(new_keys.ptr().add(1), keys, at, key);
        *new.ptr().add(1) = Term(n as u64 + 1);
        *new.ptr().add(2) = new_keys;
        write_with(new.ptr().add(3), values, at, value);
    }
    new
}
/// A flat map with another value `i`.
fn replace<A: Alloc + ?Sized>(a: &mut A, m: Term, i: usize, value: Term) -> Term {
    let values = flat_parts(m).1;
    if values[i] == value {
        return m;
    }
    let new = flat(a, m.word(2), values);
    // SAFETY: value `i` of the map just made.
    unsafe { *new.ptr().add(3 + i) = value };
    new
}

/// `m` with `key` having `value`; `None` if the key is not there.
pub fn update_exact<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term, value: Term) -> Option<Term> {
    if is_flat(m) {
        let i = position(flat_parts(m).0, key)?;
        return Some(replace(a, m, i, value));
    }
    get_hashed(m, key)?;
    Some(trie::put(a, m, key, value, false))
}

/// `m` with all pairs put in; the last of a repeated key counts. Cheaper than one by one.
pub fn put_many<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair]) -> Term {
    put_all(a, m, pairs, false)
}
/// As [`put_many`], but keys that are there already keep their values.
pub fn put_missing<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair]) -> Term {
    put_all(a, m, pairs, true)
}
fn put_all<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair], keep: bool) -> Term {
    if !is_flat(m) {
        if pairs.len() <= BATCH {
            return pairs.iter().fold(m, |m, &(k, v)| trie::put(a, m, k, v, keep));
        }
        let mut items = trie::items(a, pairs);
        return trie::put_batch(a, m, &mut items, keep);
    }
    let (keys, values) = flat_parts(m);
    let n = keys.len();
    if n == 0 || pairs.len() > FLAT_LIMIT {
        let mut all = pairs_of(m);
        if keep {
            // The first of equal keys counts: what is there already goes last.
            all = pairs.iter().rev().copied().chain(all).collect();
        } else {
            all.extend_from_slice(pairs);
        }
        return from_any(a, &mut all);
    }
    let mut all: Vec<Pair> = Vec::new();
    let mut new = Term::NONE;
    for &(k, v) in pairs {
        if all.is_empty() {
            if let Some(i) = position(keys, k) {
                if keep {
                    continue;
                }
                if new.is_none() {
                    new = replace(a, m, i, v);
                    if new == m {
                        new = Term::NONE;
                    }
                } else {
                    // SAFETY: value `i` of a map made here and seen by nobody else.
                    unsafe { *new.ptr().add(3 + i) = v };
                }
                continue;
            }
            // The first new key.
            all.reserve(n + pairs.len());
            let values = if new.is_none() { values } else { flat_parts(new).1 };
            all.extend(keys.iter().copied().zip(values.iter().copied()));
        }
        match all.iter_mut().find(|p| same(p.0, k)) {
            Some(p) => p.1 = if keep { p.1 } else { v },
            None => {
                let at = all.partition_point(|p| compare_exact(p.0, k) == Ordering::Less);
                all.insert(at, (k, v));
            }
        }
    }
    if !all.is_empty() {
        return if all.len() <= FLAT_LIMIT { flat_from_sorted(a, &all) } else { from_any(a, &mut all) };
    }
    if new.is_none() { m } else { new }
}
/// As [`put_many`], when every key must be there; else the first that is not.
pub fn put_many_exact<A: Alloc + ?Sized>(a: &mut A, m: Term, pairs: &[Pair]) -> Result<Term, Term> {
    if let &[(k, v)] = pairs {
        return update_exact(a, m, k, v).ok_or(k);
    }
    if let Some(missing) = pairs.iter().find(|p| get(m, p.0).is_none()) {
        return Err(missing.0);
    }
    Ok(put_many(a, m, pairs))
}

/// `m` without `key`, and the value it had.
pub fn take<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term) -> Option<(Term, Term)> {
    if !is_flat(m) {
        let value = get_hashed(m, key)?;
        if size(m) == FLAT_LIMIT + 1 {
            let mut pairs: Vec<Pair> = iter(m).filter(|p| !same(p.0, key)).collect();
            return Some((value, from_any(a, &mut pairs)));
        }
        return Some((value, trie::remove(a, m, key)));
    }
    let (keys, values) = flat_parts(m);
    let at = position(keys, key)?;
    let n = keys.len();
    let new_keys = a.boxed(sub::TUPLE, n - 1);
    let new = a.boxed(sub::MAP, n + 1);
    // SAFETY: `boxed` made room for `n - 1` keys; and for size, keys and `n - 1` values.
    unsafe {
        write_without(new_keys.ptr().add(1), keys, at);
        *new.ptr().add(1) = Term(n as u64 - 1);
        *new.ptr().add(2) = new_keys;
        write_without(new.ptr().add(3), values, at);
    }
    Some((values[at], new))
}
/// `m` without `key`; `m` itself if it has none.
pub fn remove<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term) -> Term {
    take(a, m, key).map_or(m, |t| t.1)
}

/// Both maps in one; the second's values count. Linear in the smaller one.
pub fn merge<A: Alloc + ?Sized>(a: &mut A, first: Term, second: Term) -> Term {
    if size(second) == 0 {
        return first;
    }
    if size(first) == 0 {
        return second;
    }
    if size(second) >= size(first) {
        put_missing(a, second, &pairs_of(first))
    } else {
        put_many(a, first, &pairs_of(second))
    }
}

/// Keys as a list: in key order for a flat map, else in the order of OTP's list functions, which is the
/// iterator's reversed.
pub fn keys<A: Alloc + ?Sized>(a: &mut A, m: Term) -> Term {
    if is_flat(m) {
        return a.list(flat_parts(m).0);
    }
    iter(m).fold(Term::NIL, |t, p| a.cons(p.0, t))
}
/// Values as a list, in the order of [`keys`].
pub fn values<A: Alloc + ?Sized>(a: &mut A, m: Term) -> Term {
    if is_flat(m) {
        return a.list(flat_parts(m).1);
    }
    iter(m).fold(Term::NIL, |t, p| a.cons(p.1, t))
}

/// The header of a flat map with `n` pairs: shape checks of compiled code compare it.
pub const fn flat_header(n: usize) -> u64 {
    header(sub::MAP, 2 + n)
}

#[cfg(test)]
mod tests;
