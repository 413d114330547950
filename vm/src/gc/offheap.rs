//! Objects that own something outside the heap: who is alive keeps it, the others give it up.
//!
//! The list of a heap has the objects of the old generation at its end, so a young collection stops at the first
//! of them: its cost does not depend on how many binaries grew old.

use super::MIN_VHEAP;
use super::copier::Copier;
use super::sizes::old_range;
use crate::heap::{Heap, OffHeap, link_word, release_object};
use crate::process::{Process, Term2};
use crate::term::{Term, sub};

/// A list under construction.
#[derive(Default)]
struct List {
    first: u64,
    last: Term2,
    bytes: usize,
}

impl List {
    unsafe fn push(&mut self, t: Term) {
        // SAFETY: a live off-heap object has a link word.
        unsafe { set_link(t, self.first) };
        if self.first == 0 {
            self.last = Term2(t);
        }
        self.first = t.0;
        self.bytes += size(t);
    }
}

unsafe fn set_link(t: Term, to: u64) {
    // SAFETY: the caller gives a live off-heap object.
    unsafe { *t.ptr().add(link_word(t.header())) = Term(to) };
}

/// Bytes that an object counts for.
fn size(t: Term) -> usize {
    if t.is_sub(sub::REFC_BIN) { t.word(1).0 as usize } else { 0 }
}

/// Relinks the objects that are alive and releases the others.
///
/// # Safety
/// `c` has copied everything that is alive, and the places it was copied from are still there.
pub unsafe fn sweep(p: &mut Process, c: &Copier, full: bool) {
    let old = old_range(&p.heap);
    let (mut young, mut promoted) = (List::default(), List::default());
    let mut t = Term(p.heap.off_heap.first);
    while t.0 != 0 && !c.keep.contains(&(t.0 as usize)) {
        // SAFETY: a moved object's first word leads to its copy, whose link is still the old one; others are intact.
        unsafe {
            let first = *t.ptr();
            if first.is_header() {
                let next = t.word(link_word(first.0));
                release_object(t);
                t = next;
            } else {
                t = first.word(link_word(first.header()));
                if old.contains(&(first.0 as usize)) { promoted.push(first) } else { young.push(first) }
            }
        }
    }
    // From `t` on: the old generation, which a young collection does not look at.
    // SAFETY: the ends of lists that are not empty.
    unsafe {
        if promoted.first == 0 {
            promoted.first = t.0;
        } else {
            set_link(promoted.last.0, t.0);
        }
        if young.first == 0 {
            young.first = promoted.first;
        } else {
            set_link(young.last.0, promoted.first);
        }
    }
    let h = &mut p.heap;
    h.off_heap = OffHeap { first: young.first, bytes: 0 };
    if full {
        h.old_binary_budget = MIN_VHEAP.max(young.bytes + promoted.bytes);
        p.vheap_limit = MIN_VHEAP.max(young.bytes);
    } else {
        h.old_binary_budget = h.old_binary_budget.saturating_sub(promoted.bytes);
        p.vheap_limit = p.vheap_limit.max(young.bytes);
    }
}

/// Bytes of all binaries that the heap refers to. Linear in their number.
pub fn bytes(h: &Heap) -> usize {
    let (mut n, mut t) = (0, Term(h.off_heap.first));
    while t.0 != 0 {
        n += size(t);
        t = t.word(link_word(t.header()));
    }
    n
}
