//! Hashed maps: lookup and persistent updates. An update copies the nodes on the way to what changes; many
//! pairs are put in together, so that each node is copied once.

use super::{FLAT_LIMIT, same, write_with, write_without};
use crate::cmp::compare_exact;
use crate::hash;
use crate::heap::Alloc;
use crate::term::{Term, header_bits, header_extra, header_subtag, sub};

/// Nodes on this level are buckets.
pub(super) const BUCKET_LEVEL: u32 = 16;
/// Smaller groups are put in one by one.
const SMALL_GROUP: usize = 4;

#[cfg(test)]
thread_local! {
    /// Tests make keys collide.
    pub(super) static HASH_MASK: std::cell::Cell<u32> = const { std::cell::Cell::new(u32::MAX) };
}

/// The hash of `key` whose bits choose children on `level` and the levels behind it, up to the next multiple
/// of eight.
#[inline]
fn hash_from(key: Term, level: u32) -> u32 {
    let h = if level < 8 {
        hash::internal(key)
    } else {
        let salted = [Term::small((level & !7) as i64), key];
        hash::internal(Term::list_ptr(salted.as_ptr()))
    };
    #[cfg(test)]
    let h = h & HASH_MASK.get();
    h >> (4 * (level & 7))
}

/// A key's hash on its way down.
#[derive(Clone, Copy)]
struct Path {
    key: Term,
    hash: u32,
    level: u32,
}
impl Path {
    #[inline(always)]
    fn new(key: Term) -> Path {
        Path { key, hash: hash_from(key, 0), level: 0 }
    }
    #[inline(always)]
    fn bit(&self) -> u16 {
        1 << (self.hash & 15)
    }
    #[inline(always)]
    fn down(&mut self) {
        self.level += 1;
        self.hash = if self.level & 7 == 0 { hash_from(self.key, self.level) } else { self.hash >> 4 };
    }
}

/// Bitmap and children of a head or an inner node.
#[inline(always)]
pub(super) fn children<'a>(node: Term) -> (u16, &'a [Term]) {
    let h = node.header();
    let body: &[Term] = node.body();
    (header_bits(h), if header_subtag(h) == sub::MAP { &body[1..] } else { body })
}
/// How many children stand before that of `bit`.
#[inline(always)]
fn rank(bitmap: u16, bit: u16) -> usize {
    (bitmap & (bit - 1)).count_ones() as usize
}

/// The value of `key` in a hashed map. Logarithmic.
pub fn get_hashed(m: Term, key: Term) -> Option<Term> {
    let mut path = Path::new(key);
    let mut node = m;
    loop {
        let (bitmap, kids) = children(node);
        if bitmap == 0 {
            return kids.iter().find(|leaf| same(leaf.head(), key)).map(|leaf| leaf.tail());
        }
        let bit = path.bit();
        if bitmap & bit == 0 {
            return None;
        }
        let child = kids[rank(bitmap, bit)];
        if child.is_cons() {
            return same(child.head(), key).then(|| child.tail());
        }
        node = child;
        path.down();
    }
}

/// A node of the kind of `like` (a head keeps its size) with room for `n` children, and where they go.
fn fresh<A: Alloc + ?Sized>(a: &mut A, like: Term, bitmap: u16, n: usize) -> (Term, *mut Term) {
    if like.is_none() || !like.is_map() {
        let t = a.boxed(sub::HAMT_NODE, n);
        // SAFETY: header of the object just made.
        unsafe { *t.ptr() = Term(header_extra(sub::HAMT_NODE, n, bitmap)) };
        (t, t.ptr().wrapping_add(1))
    } else {
        let t = a.boxed(sub::MAP, 1 + n);
        // SAFETY: header and size of the object just made.
        unsafe {
            *t.ptr() = Term(header_extra(sub::MAP, 1 + n, bitmap));
            *t.ptr().add(1) = like.word(1);
        }
        (t, t.ptr().wrapping_add(2))
    }
}
fn set_size(head: Term, n: usize) {
    // SAFETY: a head just made, seen by nobody else.
    unsafe { *head.ptr().add(1) = Term(n as u64) };
}

/// `node` with `child` in place of child `i`.
fn replaced<A: Alloc + ?Sized>(a: &mut A, node: Term, i: usize, child: Term) -> Term {
    let (bitmap, kids) = children(node);
    let (new, to) = fresh(a, node, bitmap, kids.len());
    // SAFETY: `fresh` made room for all children.
    unsafe {
        std::ptr::copy_nonoverlapping(kids.as_ptr(), to, kids.len());
        *to.add(i) = child;
    }
    new
}

/// A hashed map with the pair put in; with `keep`, a value that is there already stays.
pub fn put<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term, value: Term, keep: bool) -> Term {
    let mut put = Put { path: Path::new(key), value, leaf: Term::NONE, keep, added: false };
    let new = put.into_node(a, m);
    if put.added {
        set_size(new, super::size(m) + 1);
    }
    new
}

struct Put {
    path: Path,
    value: Term,
    /// The leaf, if there is one already.
    leaf: Term,
    keep: bool,
    added: bool,
}

impl Put {
    fn leaf<A: Alloc + ?Sized>(&mut self, a: &mut A) -> Term {
        if self.leaf.is_none() {
            self.leaf = a.cons(self.path.key, self.value);
        }
        self.leaf
    }
    /// Instead of a leaf with the same key.
    fn over<A: Alloc + ?Sized>(&mut self, a: &mut A, old: Term) -> Term {
        if self.keep || old.tail() == self.value { old } else { self.leaf(a) }
    }
    fn into_child<A: Alloc + ?Sized>(&mut self, a: &mut A, child: Term) -> Term {
        if !child.is_cons() {
            return self.into_node(a, child);
        }
        if same(child.head(), self.path.key) {
            return self.over(a, child);
        }
        self.added = true;
        let leaf = self.leaf(a);
        pair_up(a, self.path, leaf, child)
    }
    fn into_node<A: Alloc + ?Sized>(&mut self, a: &mut A, node: Term) -> Term {
        let (bitmap, kids) = children(node);
        let (bit, i);
        if bitmap == 0 {
            if let Some(i) = kids.iter().position(|l| same(l.head(), self.path.key)) {
                let leaf = self.over(a, kids[i]);
                return if leaf == kids[i] { node } else { replaced(a, node, i, leaf) };
            }
            bit = 0;
            let key = self.path.key;
            i = kids.partition_point(|l| compare_exact(l.head(), key).is_lt());
        } else {
            bit = self.path.bit();
            i = rank(bitmap, bit);
            if bitmap & bit != 0 {
                self.path.down();
                let child = self.into_child(a, kids[i]);
                return if child == kids[i] { node } else { replaced(a, node, i, child) };
            }
        }
        self.added = true;
        let leaf = self.leaf(a);
        let (new, to) = fresh(a, node, bitmap | bit, kids.len() + 1);
        // SAFETY: `fresh` made room for one child more.
        unsafe { write_with(to, kids, i, leaf) };
        new
    }
}

/// A node of two leaves with different keys; `path` is the first one's.
fn pair_up<A: Alloc + ?Sized>(a: &mut A, mut path: Path, leaf: Term, other: Term) -> Term {
    let key = other.head();
    let mut two = Path { key, hash: hash_from(key, path.level), level: path.level };
    // Nodes of one child lead down to where the two part.
    let mut chain = [0u16; BUCKET_LEVEL as usize];
    let mut n = 0;
    while path.level < BUCKET_LEVEL && path.bit() == two.bit() {
        chain[n] = path.bit();
        n += 1;
        path.down();
        two.down();
    }
    let (bitmap, first) = if path.level >= BUCKET_LEVEL {
        (0, compare_exact(path.key, key).is_lt())
    } else {
        (path.bit() | two.bit(), path.bit() < two.bit())
    };
    let (mut node, to) = fresh(a, Term::NONE, bitmap, 2);
    // SAFETY: `fresh` made room for two.
    unsafe {
        *to = if first { leaf } else { other };
        *to.add(1) = if first { other } else { leaf };
    }
    for &bit in chain[..n].iter().rev() {
        let (parent, to) = fresh(a, Term::NONE, bit, 1);
        // SAFETY: `fresh` made room for one.
        unsafe { *to = node };
        node = parent;
    }
    node
}

/// A hashed map of more than 33 pairs without a key that it has.
pub fn remove<A: Alloc + ?Sized>(a: &mut A, m: Term, key: Term) -> Term {
    let new = remove_from(a, m, &mut Path::new(key));
    set_size(new, super::size(m) - 1);
    new
}
/// A node left with one leaf becomes that leaf.
fn remove_from<A: Alloc + ?Sized>(a: &mut A, node: Term, path: &mut Path) -> Term {
    let (bitmap, kids) = children(node);
    let (bit, i);
    if bitmap == 0 {
        bit = 0;
        i = kids.iter().position(|l| same(l.head(), path.key)).unwrap_or(0);
    } else {
        bit = path.bit();
        i = rank(bitmap, bit);
        if !kids[i].is_cons() {
            path.down();
            let child = remove_from(a, kids[i], path);
            if child.is_cons() && kids.len() == 1 && !node.is_map() {
                return child;
            }
            return replaced(a, node, i, child);
        }
    }
    if kids.len() == 2 && kids[1 - i].is_cons() && !node.is_map() {
        return kids[1 - i];
    }
    let (new, to) = fresh(a, node, bitmap & !bit, kids.len() - 1);
    // SAFETY: `fresh` made room for one child less.
    unsafe { write_without(to, kids, i) };
    new
}

// ---- many pairs at once

/// A leaf on its way into a map.
#[derive(Clone, Copy)]
pub struct Item {
    hash: u32,
    leaf: Term,
}

/// Leaves of the pairs.
pub fn items<A: Alloc + ?Sized>(a: &mut A, pairs: &[(Term, Term)]) -> Vec<Item> {
    let cells = if pairs.is_empty() { std::ptr::null_mut() } else { a.alloc(2 * pairs.len()) };
    pairs
        .iter()
        .enumerate()
        .map(|(i, &(k, v))| {
            let leaf = cells.wrapping_add(2 * i);
            // SAFETY: cell `i` of the fresh words.
            unsafe {
                *leaf = k;
                *leaf.add(1) = v;
            }
            Item { hash: hash_from(k, 0), leaf: Term::list_ptr(leaf) }
        })
        .collect()
}

/// A map, flat or hashed, of all items; the last of equal keys counts.
pub fn build<A: Alloc + ?Sized>(a: &mut A, items: &mut [Item]) -> Term {
    let mut batch = Batch { keep: false, grown: 0, spare: Vec::new() };
    let (bitmap, kids, n) = batch.into_children(a, 0, &[], items, 0);
    if batch.grown as usize <= FLAT_LIMIT {
        let (mut pairs, mut found) = ([(Term::NIL, Term::NIL); FLAT_LIMIT], 0);
        super::walk::leaves(&kids[..n], &mut |k, v| {
            if let Some(slot) = pairs.get_mut(found) {
                *slot = (k, v);
                found += 1;
            }
        });
        pairs[..found].sort_by(|x, y| compare_exact(x.0, y.0));
        return super::flat_from_sorted(a, &pairs[..found]);
    }
    let t = a.boxed(sub::MAP, 1 + n);
    // SAFETY: header, size and children of the object just made.
    unsafe {
        *t.ptr() = Term(header_extra(sub::MAP, 1 + n, bitmap));
        *t.ptr().add(1) = Term(batch.grown as u64);
        std::ptr::copy_nonoverlapping(kids.as_ptr(), t.ptr().add(2), n);
    }
    t
}

/// A hashed map with all items put in; with `keep`, values that are there already stay.
pub fn put_batch<A: Alloc + ?Sized>(a: &mut A, m: Term, items: &mut [Item], keep: bool) -> Term {
    let mut batch = Batch { keep, grown: 0, spare: Vec::new() };
    let (bitmap, old) = children(m);
    let (bitmap, kids, n) = batch.into_children(a, bitmap, old, items, 0);
    if batch.grown == 0 && old == &kids[..n] {
        return m;
    }
    let (new, to) = fresh(a, m, bitmap, n);
    // SAFETY: `fresh` made room for `n` children.
    unsafe { std::ptr::copy_nonoverlapping(kids.as_ptr(), to, n) };
    set_size(new, (super::size(m) as isize + batch.grown) as usize);
    new
}

struct Batch {
    keep: bool,
    /// Pairs more than before.
    grown: isize,
    /// Room to sort in.
    spare: Vec<Item>,
}

impl Batch {
    /// Children of a node, above the buckets, with the items put in.
    fn into_children<A: Alloc + ?Sized>(
        &mut self,
        a: &mut A,
        bitmap: u16,
        old: &[Term],
        items: &mut [Item],
        level: u32,
    ) -> (u16, [Term; 16], usize) {
        let ends = self.sort(items);
        let (mut kids, mut n, mut all) = ([Term::NIL; 16], 0, bitmap);
        let (mut start, mut next_old) = (0, 0);
        for (nibble, &end) in ends.iter().enumerate() {
            let bit = 1u16 << nibble;
            let mut child = Term::NONE;
            if bitmap & bit != 0 {
                child = old[next_old];
                next_old += 1;
            }
            if end > start {
                child = self.into_child(a, child, &mut items[start..end], level + 1);
                all |= bit;
                start = end;
            }
            if !child.is_none() {
                kids[n] = child;
                n += 1;
            }
        }
        (all, kids, n)
    }

    /// Sorts items by their next four bits, stably, and says where each group ends.
    fn sort(&mut self, items: &mut [Item]) -> [usize; 16] {
        let mut ends = [0usize; 16];
        for i in items.iter() {
            ends[(i.hash & 15) as usize] += 1;
        }
        let mut at = [0usize; 16];
        let mut sum = 0;
        for (end, at) in ends.iter_mut().zip(&mut at) {
            *at = sum;
            sum += *end;
            *end = sum;
        }
        self.spare.clear();
        self.spare.extend_from_slice(items);
        for i in &self.spare {
            let slot = &mut at[(i.hash & 15) as usize];
            items[*slot] = *i;
            *slot += 1;
        }
        ends
    }

    /// A child (or none yet) on `level` with the items put in, at least one. A child with one leaf is that leaf.
    fn into_child<A: Alloc + ?Sized>(
        &mut self,
        a: &mut A,
        child: Term,
        items: &mut [Item],
        level: u32,
    ) -> Term {
        if items.len() <= SMALL_GROUP || level >= BUCKET_LEVEL {
            let mut child = child;
            for item in items {
                let key = item.leaf.head();
                // The hash is that of the level above.
                let hash = if level & 7 == 0 { hash_from(key, level) } else { item.hash >> 4 };
                if child.is_none() {
                    child = item.leaf;
                    self.grown += 1;
                    continue;
                }
                let path = Path { key, hash, level };
                let mut put =
                    Put { path, value: item.leaf.tail(), leaf: item.leaf, keep: self.keep, added: false };
                child = put.into_child(a, child);
                self.grown += put.added as isize;
            }
            return child;
        }
        for item in items.iter_mut() {
            item.hash = if level & 7 == 0 { hash_from(item.leaf.head(), level) } else { item.hash >> 4 };
        }
        if child.is_cons() {
            // It comes first, as if it had been put in before the others.
            let mut more = Vec::with_capacity(items.len() + 1);
            more.push(Item { hash: hash_from(child.head(), level), leaf: child });
            more.extend_from_slice(items);
            self.grown -= 1;
            let (bitmap, kids, n) = self.into_children(a, 0, &[], &mut more, level);
            return Self::node(a, Term::NONE, bitmap, &kids[..n]);
        }
        let (bitmap, old) = if child.is_none() { (0, &[][..]) } else { children(child) };
        let (bitmap, kids, n) = self.into_children(a, bitmap, old, items, level);
        Self::node(a, child, bitmap, &kids[..n])
    }

    fn node<A: Alloc + ?Sized>(a: &mut A, old: Term, bitmap: u16, kids: &[Term]) -> Term {
        if let &[only] = kids
            && only.is_cons()
        {
            return only;
        }
        if !old.is_none() && children(old).1 == kids {
            return old;
        }
        let (new, to) = fresh(a, Term::NONE, bitmap, kids.len());
        // SAFETY: `fresh` made room for all children.
        unsafe { std::ptr::copy_nonoverlapping(kids.as_ptr(), to, kids.len()) };
        new
    }
}
