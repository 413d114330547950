//! The collector: per process, generational, copying.
//!
//! New data lives in the process's block. A *young* collection copies what is alive: what was there at the
//! last collection already (below `mature`) goes to the old generation, the rest to a fresh block. A *full*
//! one copies both generations. Terms are immutable, so old data never points to young data. Cost follows
//! what is alive; garbage is never looked at.
//!
//! Nothing here needs to know kinds of objects: header arity and [`RAW_WORDS`] tell how to walk them.

mod roots;
mod verify;

use crate::atoms;
use crate::heap::{Fragment, OffHeap, RED_ZONE, alloc_block, free_block, link_word, release_object};
use crate::literal::is_literal;
use crate::process::{Process, flag};
use crate::term::{ALL_RAW, RAW_WORDS, Term, header_arity, header_subtag};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use roots::each_root;
pub use verify::verify;

/// Collect at every allocation check: for tests.
pub static STRESS: AtomicBool = AtomicBool::new(false);
/// Verify heaps after each collection.
pub static VERIFY: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

/// Counters for statistics: collections, and words given back.
pub static MINOR: AtomicU64 = AtomicU64::new(0);
pub static MAJOR: AtomicU64 = AtomicU64::new(0);
pub static RECLAIMED: AtomicU64 = AtomicU64::new(0);

/// Smallest block, in words.
pub const MIN_BLOCK: usize = 80;
/// Virtual heap to start with, in bytes of binaries.
pub const MIN_VHEAP: usize = 46422 * 8;

/// Makes room for `need` words, collecting if there is not. `live` are further roots (x registers).
/// `false`: the process has outgrown its `max_heap_size` and must die; `exc` says so.
#[inline]
pub fn ensure(p: &mut Process, live: &mut [Term], need: usize) -> bool {
    if p.heap.free_words() >= need
        && p.heap.frags.is_null()
        && p.flags & flag::NEED_GC == 0
        && p.heap.off_heap.bytes <= p.vheap_limit
        && !STRESS.load(Ordering::Relaxed)
    {
        return true;
    }
    let full = STRESS.load(Ordering::Relaxed) && p.minor_gcs % 2 == 1;
    collect(p, live, need, full)
}

/// Block sizes: a little more than asked, in steps, so that similar processes share size classes.
fn block_size(words: usize) -> usize {
    if words <= MIN_BLOCK {
        return MIN_BLOCK;
    }
    if words > 1 << 20 {
        return words.next_multiple_of(1 << 16);
    }
    // Steps of an eighth of the power of two below.
    let step = (words.next_power_of_two() / 16).max(16);
    words.next_multiple_of(step)
}

/// One collection's view of where things are.
struct Copier {
    /// The block being left.
    from: std::ops::Range<usize>,
    /// Data of the block below this is promoted.
    mature: usize,
    /// The old generation, which a young collection leaves alone; empty in a full one.
    keep: std::ops::Range<usize>,
    /// Next free word of the new block, and of the old generation.
    to: *mut Term,
    old: *mut Term,
    /// A full collection of a large heap copies everything to the old generation.
    all_old: bool,
}

impl Copier {
    /// Moves what `slot` points to, if it moves, and updates the slot.
    #[inline(always)]
    unsafe fn evacuate(&mut self, slot: *mut Term) {
        // SAFETY: the caller gives a live slot; pointers in it lead to live objects (heap invariant).
        unsafe {
            let t = *slot;
            if t.is_cons() {
                let p = t.ptr();
                let head = *p;
                if head.is_none() {
                    if !is_literal(t) && !self.keep.contains(&(p as usize)) {
                        *slot = *p.add(1);
                    }
                    return;
                }
                let Some(to) = self.room(p as usize, 2, t) else { return };
                *to = head;
                *to.add(1) = *p.add(1);
                let moved = Term::list_ptr(to);
                *p = Term::NONE;
                *p.add(1) = moved;
                *slot = moved;
            } else if t.is_boxed() {
                let p = t.ptr();
                let h = *p;
                if !h.is_header() {
                    *slot = h;
                    return;
                }
                let n = header_arity(h.0) + 1;
                let Some(to) = self.room(p as usize, n, t) else { return };
                std::ptr::copy_nonoverlapping(p, to, n);
                let moved = Term::boxed_ptr(to);
                *p = moved;
                *slot = moved;
            }
        }
    }
    /// Where an object at `at` goes; `None`: it stays.
    #[inline(always)]
    unsafe fn room(&mut self, at: usize, n: usize, t: Term) -> Option<*mut Term> {
        if self.keep.contains(&at) || is_literal(t) {
            return None;
        }
        let to = if self.all_old || (at < self.mature && self.from.contains(&at)) {
            &mut self.old
        } else {
            &mut self.to
        };
        let p = *to;
        // SAFETY: both spaces were made large enough for everything that can move there.
        *to = unsafe { p.add(n) };
        Some(p)
    }
    /// Evacuates what the objects from `scan` on refer to, until it meets the end of the space.
    unsafe fn scan(&mut self, scan: &mut *mut Term, old: bool) {
        // SAFETY: everything between `scan` and the free pointer is complete objects and cons cells.
        unsafe {
            while *scan < if old { self.old } else { self.to } {
                let w = **scan;
                if w.is_header() && !w.is_none() {
                    let raw = RAW_WORDS[header_subtag(w.0) as usize];
                    let arity = header_arity(w.0);
                    *scan = scan.add(1 + if raw == ALL_RAW { arity } else { raw as usize });
                } else {
                    let slot = *scan;
                    *scan = scan.add(1);
                    self.evacuate(slot);
                }
            }
        }
    }
}

/// Collects. See [`ensure`].
#[cold]
pub fn collect(p: &mut Process, live: &mut [Term], need: usize, full: bool) -> bool {
    p.mailbox.adopt_current(&mut p.heap);
    let before = p.heap.used_words() + p.heap.frag_words + p.heap.old_words();
    let fits = collect_once(p, live, need, full, None);
    let after = p.heap.used_words() + p.heap.old_words();
    RECLAIMED.fetch_add(before.saturating_sub(after) as u64, Ordering::Relaxed);
    // Far too large for what is left: move once more, which costs only what is alive.
    let alive = p.heap.used_words() + p.heap.stack_words() + need;
    if fits && p.heap.block_words() > 8 * alive + 1024 && !STRESS.load(Ordering::Relaxed) {
        collect_once(p, live, need, false, Some(block_size(alive * 3)));
    }
    p.flags &= !flag::NEED_GC;
    p.fcalls += std::mem::take(&mut p.borrowed);
    // Work is proportional to what was copied.
    p.fcalls -= (after / 16) as i64;
    if VERIFY.load(Ordering::Relaxed) {
        verify(p, live);
    }
    if fits {
        return true;
    }
    let _ = p.raise(crate::process::Class::Exit, atoms::KILLED);
    p.bail = crate::process::BailKind::None;
    false
}

fn collect_once(p: &mut Process, live: &mut [Term], need: usize, full: bool, size: Option<usize>) -> bool {
    let h = &p.heap;
    let (used, stack, frags, block) = (h.used_words(), h.stack_words(), h.frag_words, h.block_words());
    // A second pass only moves: what survived is as young as before.
    let promoted = if size.is_some() { 0 } else { (h.mature as usize - h.start as usize) / 8 };
    let old_free = (h.old_end as usize - h.old_top as usize) / 8;
    // A process that keeps much of what it makes gets a larger block.
    let keeps = promoted * 4 > block;
    let full = size.is_none()
        && (full
            || p.flags & flag::FULLSWEEP != 0
            || p.minor_gcs >= p.fullsweep_after
            || (!h.old_start.is_null() && old_free < promoted));
    let worst_young = used + frags + stack + need + RED_ZONE + 8;
    let total = worst_young + if full { h.old_words() } else { 0 };
    // A full collection of more than a little goes to the old generation, into a block of its own.
    let all_old = full && total > 1024;
    let mut new_size = match size {
        Some(s) => s.max(block_size(used + stack + need + RED_ZONE + 8)),
        None if all_old => block_size((stack + need + RED_ZONE + 8) * 2).max(block.min(1 << 14)),
        None => block_size(total).max(if keeps { (block * 2).min(1 << 18) } else { 0 }).max(block),
    };
    new_size = new_size.max(p.min_heap as usize);
    let new_start = alloc_block(new_size);

    let (old_block, old_block_end) = (p.heap.old_start, p.heap.old_end);
    let mut scan_old = p.heap.old_top;
    if all_old {
        let words = block_size(h.old_words() + used + frags + 8);
        p.heap.old_start = alloc_block(words);
        p.heap.old_top = p.heap.old_start;
        p.heap.old_end = p.heap.old_start.wrapping_add(words);
        scan_old = p.heap.old_top;
    } else if full {
        p.heap.old_start = std::ptr::null_mut();
        p.heap.old_top = std::ptr::null_mut();
        p.heap.old_end = std::ptr::null_mut();
        scan_old = std::ptr::null_mut();
    } else if promoted > 0 && p.heap.old_start.is_null() {
        let words = block_size(promoted * 3);
        p.heap.old_start = alloc_block(words);
        p.heap.old_top = p.heap.old_start;
        p.heap.old_end = p.heap.old_start.wrapping_add(words);
        scan_old = p.heap.old_top;
    }
    let from = p.heap.start as usize..p.heap.end as usize;
    let mut c = Copier {
        mature: if full || size.is_some() { 0 } else { p.heap.mature as usize },
        keep: if full { 0..0 } else { p.heap.old_start as usize..p.heap.old_end as usize },
        from,
        to: new_start,
        old: p.heap.old_top,
        all_old,
    };
    // A young collection must not promote into the range it keeps before it has been scanned: new objects
    // there are found by `scan_old`, and pointers to them are never followed again.
    let new_end = new_start.wrapping_add(new_size);
    // SAFETY: stack, roots and objects are live; spaces are large enough for the worst case.
    unsafe {
        let new_stack = new_end.sub(stack);
        std::ptr::copy_nonoverlapping(p.heap.stack, new_stack, stack);
        for i in 0..stack {
            let slot = new_stack.add(i);
            if !(*slot).is_header() {
                c.evacuate(slot);
            }
        }
        for t in live.iter_mut() {
            c.evacuate(t);
        }
        each_root(p, &mut |t| c.evacuate(t));
        let mut scan_new = new_start;
        loop {
            c.scan(&mut scan_new, false);
            if !scan_old.is_null() {
                c.scan(&mut scan_old, true);
            }
            if scan_new == c.to && (scan_old.is_null() || scan_old == c.old) {
                break;
            }
        }
        sweep_off_heap(p, &c);
        // The old places are empty now.
        let mut f = std::mem::replace(&mut p.heap.frags, std::ptr::null_mut());
        while !f.is_null() {
            let next = (*f).next;
            Fragment::free(f);
            f = next;
        }
        p.heap.frag_words = 0;
        free_block(p.heap.start, block);
        if full && !old_block.is_null() {
            free_block(old_block, (old_block_end as usize - old_block as usize) / 8);
        }
        p.heap.start = new_start;
        p.heap.end = new_end;
        p.heap.stack = new_stack;
        p.heap.top = c.to;
        p.heap.mature = c.to;
        p.heap.old_top = c.old;
    }
    if full {
        p.minor_gcs = 0;
        MAJOR.fetch_add(1, Ordering::Relaxed);
        p.flags &= !flag::FULLSWEEP;
        trim_old(p, live);
    } else {
        p.minor_gcs += 1;
        MINOR.fetch_add(1, Ordering::Relaxed);
    }
    debug_assert!(p.heap.free_words() >= need);
    p.max_heap == 0 || (p.heap.used_words() + p.heap.old_words() + stack) as u64 <= p.max_heap
}

/// After a full collection the old generation may be far larger than its contents: move it to a block with
/// room to grow by half.
fn trim_old(p: &mut Process, live: &mut [Term]) {
    let (words, used) = ((p.heap.old_end as usize - p.heap.old_start as usize) / 8, p.heap.old_words());
    let wanted = block_size(used + used / 2 + 8);
    if p.heap.old_start.is_null() || words <= wanted * 2 {
        return;
    }
    // Copying everything again moves it exactly where it should be; it costs only what is alive.
    let h = &mut p.heap;
    let to = alloc_block(wanted);
    let delta = (to as usize).wrapping_sub(h.old_start as usize);
    let range = h.old_start as usize..h.old_top as usize;
    let shift = |t: &mut Term| {
        if (t.is_cons() || t.is_boxed()) && range.contains(&(t.ptr() as usize)) {
            *t = Term((t.0 as usize).wrapping_add(delta) as u64);
        }
    };
    // SAFETY: both blocks hold `used` words; every pointer into the old one is shifted below.
    unsafe {
        std::ptr::copy_nonoverlapping(h.old_start, to, used);
        shift_objects(to, to.add(used), &shift);
        shift_objects(h.start, h.top, &shift);
        let mut q = h.stack;
        while q < h.end {
            shift(&mut *q);
            q = q.add(1);
        }
        let mut first = Term(h.off_heap.first);
        shift(&mut first);
        h.off_heap.first = first.0;
        let mut t = first;
        while t.0 != 0 {
            let link = t.ptr().add(link_word(t.header()));
            shift(&mut *link);
            t = *link;
        }
        free_block(h.old_start, words);
    }
    h.old_start = to;
    h.old_top = to.wrapping_add(used);
    h.old_end = to.wrapping_add(wanted);
    each_root(p, &mut |t| shift(t));
    live.iter_mut().for_each(shift);
}

unsafe fn shift_objects(mut at: *mut Term, end: *mut Term, shift: &impl Fn(&mut Term)) {
    // SAFETY: the range holds complete objects.
    unsafe {
        while at < end {
            let w = *at;
            if w.is_header() && !w.is_none() {
                let raw = RAW_WORDS[header_subtag(w.0) as usize];
                at = at.add(1 + if raw == ALL_RAW { header_arity(w.0) } else { raw as usize });
            } else {
                shift(&mut *at);
                at = at.add(1);
            }
        }
    }
}

/// Relinks the off-heap objects that are alive, releases the others.
unsafe fn sweep_off_heap(p: &mut Process, c: &Copier) {
    let mut list = OffHeap::default();
    let mut t = Term(p.heap.off_heap.first);
    let mut bytes = 0;
    while t.0 != 0 {
        // SAFETY: a moved object's first word leads to its copy; others are intact.
        unsafe {
            let first = *t.ptr();
            let (at, alive) =
                if !first.is_header() { (first, true) } else { (t, c.keep.contains(&(t.ptr() as usize))) };
            let next = at.word(link_word(at.header()));
            if alive {
                *at.ptr().add(link_word(at.header())) = Term(list.first);
                list.first = at.0;
                if at.is_sub(crate::term::sub::REFC_BIN) {
                    bytes += at.word(1).0 as usize;
                }
            } else {
                release_object(at);
            }
            t = next;
        }
    }
    p.heap.off_heap = list;
    p.vheap_limit = MIN_VHEAP.max(bytes);
}

/// Makes a sleeping process as small as it gets: one block, just large enough.
pub fn shrink_to_fit(p: &mut Process) {
    let _ = collect_once(p, &mut [], 0, true, None);
    let wanted = p.heap.used_words() + p.heap.stack_words();
    if p.heap.block_words() > wanted * 2 + MIN_BLOCK {
        let _ = collect_once(p, &mut [], 0, false, Some(block_size(wanted + RED_ZONE)));
    }
}
