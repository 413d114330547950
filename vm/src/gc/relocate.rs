//! Moving a generation as it is to a block of another size: a copy of the words, and the same distance added to every pointer.

use super::copier::each_slot;
use super::each_root;
use super::sizes::{block_range, old_range, words};
use crate::heap::{Heap, alloc_block, free_block, link_word, shrink_block};
use crate::process::Process;
use crate::term::Term;
use std::ops::Range;

/// Pointers into `range` move by `by` bytes.
struct Shift {
    range: Range<usize>,
    by: usize,
    /// Off-heap objects from the first one in here on are not affected.
    rest: Range<usize>,
}

impl Shift {
    #[inline(always)]
    fn term(&self, t: &mut Term) {
        if (t.is_cons() || t.is_boxed()) && self.range.contains(&(t.0 as usize)) {
            *t = Term((t.0 as usize).wrapping_add(self.by) as u64);
        }
    }

    /// Stack, registers and other roots, and the objects that are off-heap in part. The objects themselves are
    /// at their new place already.
    fn roots(&self, p: &mut Process, live: &mut [Term]) {
        let mut q = p.heap.stack;
        while q < p.heap.end {
            // SAFETY: words of the stack; continuation pointers are no pointers to terms.
            self.term(unsafe { &mut *q });
            q = q.wrapping_add(1);
        }
        live.iter_mut().for_each(|t| self.term(t));
        each_root(p, &mut |t| self.term(t));
        let mut t = Term(p.heap.off_heap.first);
        self.term(&mut t);
        p.heap.off_heap.first = t.0;
        while t.0 != 0 && !self.rest.contains(&(t.0 as usize)) {
            // SAFETY: the link word of a live object at its new place.
            unsafe {
                let link = t.ptr().add(link_word(t.header()));
                self.term(&mut *link);
                t = *link;
            }
        }
    }

    fn objects(&self, start: *mut Term, end: *mut Term) {
        // SAFETY: the generation holds complete objects.
        unsafe { each_slot(start, end, &mut |t| self.term(t)) }
    }
}

/// Moves the young generation and the stack to a block of `size` words, which is enough for them.
/// There are no fragments.
pub fn young(p: &mut Process, live: &mut [Term], size: usize) {
    let h = &mut p.heap;
    debug_assert!(h.frags.is_null());
    let (used, stack, block) = (h.used_words(), h.stack_words(), h.block_words());
    assert!(used + stack <= size);
    let to = alloc_block(size);
    let end = to.wrapping_add(size);
    let from = h.start;
    let by = (to as usize).wrapping_sub(from as usize);
    let shift = Shift { range: block_range(h), by, rest: old_range(h) };
    // SAFETY: both blocks hold the words; the target is fresh.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, used);
        std::ptr::copy_nonoverlapping(h.stack, end.sub(stack), stack);
    }
    h.mature = moved(h.mature, &shift);
    h.start = to;
    h.top = to.wrapping_add(used);
    h.end = end;
    h.stack = end.wrapping_sub(stack);
    shift.objects(to, h.top);
    shift.roots(p, live);
    super::poison(from, block);
    // SAFETY: nothing leads there any more.
    unsafe { free_block(from, block) };
}

/// Cuts the old generation's block to `size` words, which is enough for its contents.
pub fn old(p: &mut Process, live: &mut [Term], size: usize) {
    let h = &mut p.heap;
    let used = h.old_words();
    assert!(used <= size && !h.old_start.is_null());
    let before = h.old_start as usize;
    let range = before..h.old_top as usize;
    // SAFETY: the block's own size; its end is not used.
    let to = unsafe { shrink_block(h.old_start, words(&old_range(h)), size) };
    set_old(h, to, used, size);
    if to as usize != before {
        let shift = Shift { range, by: (to as usize).wrapping_sub(before), rest: 0..0 };
        shift.objects(to, h.old_top);
        shift.objects(h.start, h.top);
        shift.roots(p, live);
    }
}

/// Makes `start` the old generation's block.
pub fn set_old(h: &mut Heap, start: *mut Term, used: usize, size: usize) {
    h.old_start = start;
    h.old_top = start.wrapping_add(used);
    h.old_end = start.wrapping_add(size);
}

fn moved(p: *mut Term, shift: &Shift) -> *mut Term {
    (p as usize).wrapping_add(shift.by) as *mut Term
}
