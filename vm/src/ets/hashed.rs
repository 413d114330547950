//! Objects in buckets: linear hashing, so that the table grows and shrinks by one bucket at a time.
//!
//! In a bucket the objects of one key stand together, the newest first.

use super::object::{Object, Owned};
use super::{Hold, Kind};
use crate::cmp::exact_eq;
use crate::term::Term;
use std::ptr;

/// Buckets of a segment, and of the smallest table.
const SEGMENT: usize = 256;

pub struct Hashed {
    kind: Kind,
    keypos: usize,
    segments: Vec<Box<[*mut Object; SEGMENT]>>,
    /// Buckets in use.
    active: usize,
    /// Objects that are not deleted.
    items: usize,
    /// Words of all objects.
    words: usize,
    /// Hashes of the objects that are deleted, but kept.
    kept: Vec<u32>,
}

// SAFETY: the objects belong to the table; see `Owned`. Shared access only reads.
unsafe impl Send for Hashed {}
unsafe impl Sync for Hashed {}

/// A place in the chain of a bucket.
type Place = *mut *mut Object;

impl Hashed {
    pub(super) fn new(kind: Kind, keypos: usize) -> Hashed {
        Hashed { kind, keypos, segments: Vec::new(), active: SEGMENT, items: 0, words: 0, kept: Vec::new() }
    }
    pub fn len(&self) -> usize {
        self.items
    }
    pub fn words(&self) -> usize {
        // As OTP counts: one word more for each object.
        self.words + self.items + self.segments.len().max(1) * SEGMENT
    }
    /// How many buckets there are: the range of [`Hashed::bucket`].
    pub fn buckets(&self) -> usize {
        if self.segments.is_empty() { 0 } else { self.active }
    }
    fn index(&self, hash: u32) -> usize {
        let mask = self.active.next_power_of_two() - 1;
        let i = hash as usize & mask;
        if i < self.active { i } else { i & mask >> 1 }
    }
    fn head(&self, i: usize) -> *mut Object {
        match self.segments.get(i / SEGMENT) {
            Some(s) => s[i % SEGMENT],
            None => ptr::null_mut(),
        }
    }
    fn place(&mut self, i: usize) -> Place {
        while self.segments.len() <= i / SEGMENT {
            self.segments.push(Box::new([ptr::null_mut(); SEGMENT]));
        }
        &mut self.segments[i / SEGMENT][i % SEGMENT]
    }
    #[inline(always)]
    fn has_key(&self, o: *const Object, hash: u32, key: Term) -> bool {
        // SAFETY: chains hold live objects, whose tuples have an element `keypos`.
        unsafe {
            if (*o).hash != hash {
                return false;
            }
            let k = Object::term(o).word(self.keypos);
            k == key || (!k.is_immed() && !key.is_immed() && exact_eq(k, key))
        }
    }
    /// The first object of the key, deleted or not; null: there is none.
    #[inline]
    fn find(&self, hash: u32, key: Term) -> *mut Object {
        if self.segments.is_empty() {
            return ptr::null_mut();
        }
        let mut o = self.head(self.index(hash));
        while !o.is_null() && !self.has_key(o, hash, key) {
            // SAFETY: a live object.
            o = unsafe { (*o).next };
        }
        o
    }
    /// The object of the key in a set; the newest one of a bag.
    #[inline]
    pub fn get(&self, hash: u32, key: Term) -> Option<Term> {
        let mut o = self.find(hash, key);
        // SAFETY: live objects.
        unsafe {
            while !o.is_null() && self.has_key(o, hash, key) {
                if !(*o).deleted() {
                    return Some(Object::term(o));
                }
                o = (*o).next;
            }
        }
        None
    }
    /// The objects of the key, oldest first.
    pub fn get_all(&self, hash: u32, key: Term, out: &mut Vec<Term>) {
        let mut o = self.find(hash, key);
        let start = out.len();
        // SAFETY: live objects.
        unsafe {
            while !o.is_null() && self.has_key(o, hash, key) {
                if !(*o).deleted() {
                    out.push(Object::term(o));
                }
                o = (*o).next;
            }
        }
        out[start..].reverse();
    }
    /// Visits the objects of bucket `i`; returns how many there were.
    pub fn bucket(&self, i: usize, mut f: impl FnMut(Term)) -> usize {
        let (mut o, mut n) = (self.head(i), 0);
        while !o.is_null() {
            // SAFETY: live objects.
            unsafe {
                if !(*o).deleted() {
                    f(Object::term(o));
                }
                o = (*o).next;
            }
            n += 1;
        }
        n
    }
    pub(super) fn each_object(&self, mut f: impl FnMut(&Object)) {
        for i in 0..self.buckets() {
            let mut o = self.head(i);
            while !o.is_null() {
                // SAFETY: live objects.
                unsafe {
                    f(&*o);
                    o = (*o).next;
                }
            }
        }
    }

    // ---- putting in

    /// Puts an object in. In a set it takes the place of the one with its key; a bag holds no two that are equal.
    pub fn put(&mut self, new: Owned, hold: Hold) {
        let (hash, key) = (new.hash(), new.term().word(self.keypos));
        let i = self.index(hash);
        let mut at = self.place(i);
        // SAFETY: `at` is a link of a chain of live objects that only this thread touches.
        unsafe {
            while !(*at).is_null() && !self.has_key(*at, hash, key) {
                at = &mut (**at).next;
            }
            let first = *at;
            match self.kind {
                Kind::Set if !first.is_null() => {
                    let new = new.into_raw();
                    (*new).next = (*first).next;
                    *at = new;
                    self.words += (*new).size();
                    self.words -= (*first).size();
                    self.items += (*first).deleted() as usize;
                    drop(Owned::from_raw(first));
                    return;
                }
                Kind::Bag => {
                    let mut o = first;
                    while !o.is_null() && self.has_key(o, hash, key) {
                        if !(*o).deleted() && exact_eq(Object::term(o), new.term()) {
                            return;
                        }
                        o = (*o).next;
                    }
                }
                _ => {}
            }
            let new = new.into_raw();
            (*new).next = first;
            *at = new;
            self.words += (*new).size();
            self.items += 1;
        }
        // Twice, to catch up after a time without growing.
        for _ in 0..2 {
            if self.items > self.active && !hold.steady {
                self.grow();
            }
        }
    }
    /// Moves what belongs to one more bucket there.
    fn grow(&mut self) {
        let to = self.active;
        self.active += 1;
        let mask = self.active.next_power_of_two() - 1;
        let from = to & mask >> 1;
        let (mut at, mut end) = (self.place(from), self.place(to));
        // `place` may have moved nothing: segments are boxed.
        // SAFETY: chains of live objects.
        unsafe {
            while !(*at).is_null() {
                let o = *at;
                if (*o).hash as usize & mask == to {
                    *at = (*o).next;
                    (*o).next = ptr::null_mut();
                    *end = o;
                    end = &mut (*o).next;
                } else {
                    at = &mut (*o).next;
                }
            }
        }
    }
    /// Puts the objects of the last bucket where they belong in one less.
    fn shrink(&mut self) {
        let last = self.active - 1;
        let mask = self.active.next_power_of_two() - 1;
        let into = last & mask >> 1;
        let from = self.place(last);
        // SAFETY: chains of live objects.
        unsafe {
            let chain = std::mem::replace(&mut *from, ptr::null_mut());
            let mut at = self.place(into);
            while !(*at).is_null() {
                at = &mut (**at).next;
            }
            *at = chain;
        }
        self.active = last;
        if last % SEGMENT == 0 {
            self.segments.truncate(last / SEGMENT);
        }
    }

    // ---- taking out

    /// Deletes the objects of a key that `which` chooses; returns how many.
    pub fn remove(&mut self, hash: u32, key: Term, hold: Hold, mut which: impl FnMut(Term) -> bool) -> usize {
        if self.segments.is_empty() {
            return 0;
        }
        let i = self.index(hash);
        let mut at = self.place(i);
        let mut n = 0;
        // SAFETY: a chain of live objects that only this thread touches.
        unsafe {
            while !(*at).is_null() && !self.has_key(*at, hash, key) {
                at = &mut (**at).next;
            }
            while !(*at).is_null() && self.has_key(*at, hash, key) {
                let o = *at;
                if (*o).deleted() || !which(Object::term(o)) {
                    at = &mut (*o).next;
                    continue;
                }
                n += 1;
                at = self.unlink(at, hold);
            }
        }
        self.settle(hold, n);
        n
    }
    /// Deletes the objects of bucket `i` that `which` chooses; returns how many were looked at and deleted.
    pub fn remove_in_bucket(
        &mut self,
        i: usize,
        hold: Hold,
        mut which: impl FnMut(Term) -> bool,
    ) -> (usize, usize) {
        let mut at = self.place(i);
        let (mut seen, mut n) = (0, 0);
        // SAFETY: as for `remove`.
        unsafe {
            while !(*at).is_null() {
                let o = *at;
                seen += 1;
                if (*o).deleted() || !which(Object::term(o)) {
                    at = &mut (*o).next;
                    continue;
                }
                n += 1;
                at = self.unlink(at, hold);
            }
        }
        (seen, n)
    }
    /// Deletes one object; returns the place to go on.
    unsafe fn unlink(&mut self, at: Place, hold: Hold) -> Place {
        // SAFETY: the caller's: `at` leads to a live object.
        unsafe {
            let o = *at;
            self.items -= 1;
            if hold.keep {
                (*o).delete();
                self.kept.push((*o).hash);
                return &mut (*o).next;
            }
            self.words -= (*o).size();
            *at = (*o).next;
            drop(Owned::from_raw(o));
            at
        }
    }
    /// Gives up buckets after `n` objects were deleted.
    pub fn settle(&mut self, hold: Hold, n: usize) {
        if hold.steady {
            return;
        }
        for _ in 0..n {
            if self.active <= SEGMENT || self.items * 4 >= self.active {
                break;
            }
            self.shrink();
        }
    }
    /// Frees what was kept while the table was fixed.
    pub(super) fn purge(&mut self) {
        for hash in std::mem::take(&mut self.kept) {
            let i = self.index(hash);
            let mut at = self.place(i);
            // SAFETY: a chain of live objects that only this thread touches.
            unsafe {
                while !(*at).is_null() {
                    let o = *at;
                    if (*o).deleted() {
                        self.words -= (*o).size();
                        *at = (*o).next;
                        drop(Owned::from_raw(o));
                    } else {
                        at = &mut (*o).next;
                    }
                }
            }
        }
    }
    pub(super) fn has_kept(&self) -> bool {
        !self.kept.is_empty()
    }
    /// Objects of bucket `i` for which `f` makes another give way to it; it must have the same key. Not for bags.
    /// Returns how many were looked at.
    pub fn replace_in_bucket(&mut self, i: usize, mut f: impl FnMut(Term) -> Option<Owned>) -> usize {
        let mut at = self.place(i);
        let mut seen = 0;
        // SAFETY: a chain of live objects that only this thread touches.
        unsafe {
            while !(*at).is_null() {
                let old = *at;
                seen += 1;
                if !(*old).deleted()
                    && let Some(new) = f(Object::term(old))
                {
                    let new = new.into_raw();
                    (*new).next = (*old).next;
                    *at = new;
                    self.words += (*new).size();
                    self.words -= (*old).size();
                    drop(Owned::from_raw(old));
                }
                at = &mut (**at).next;
            }
        }
        seen
    }

    // ---- order

    /// The key of the first object in bucket `i` or a later one.
    pub fn first_from(&self, i: usize) -> Option<Term> {
        (i..self.buckets()).find_map(|i| self.live(self.head(i)))
    }
    /// The key of the first object of a chain that is not deleted.
    fn live(&self, mut o: *mut Object) -> Option<Term> {
        // SAFETY: live objects.
        unsafe {
            while !o.is_null() {
                if !(*o).deleted() {
                    return Some(Object::term(o).word(self.keypos));
                }
                o = (*o).next;
            }
        }
        None
    }
    /// The key behind another; `Err`: that one is not there.
    pub fn next(&self, hash: u32, key: Term) -> Result<Option<Term>, ()> {
        let mut o = self.find(hash, key);
        if o.is_null() {
            return Err(());
        }
        // SAFETY: live objects.
        unsafe {
            while !o.is_null() && self.has_key(o, hash, key) {
                o = (*o).next;
            }
        }
        Ok(self.live(o).or_else(|| self.first_from(self.index(hash) + 1)))
    }
}

impl Drop for Hashed {
    fn drop(&mut self) {
        for segment in &self.segments {
            for &first in segment.iter() {
                let mut o = first;
                while !o.is_null() {
                    // SAFETY: the table goes, and its objects with it.
                    unsafe {
                        let next = (*o).next;
                        drop(Owned::from_raw(o));
                        o = next;
                    }
                }
            }
        }
    }
}
