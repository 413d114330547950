//! The collector: per process, generational, copying.
//!
//! New data lives in the process's block. A *young* collection copies what is alive: what was there at the
//! last collection already (below `mature`) goes to the old generation, the rest to a fresh block. A *full*
//! one copies both generations. Terms are immutable, so old data never points to young data. Cost follows
//! what is alive; garbage is never looked at.
//!
//! | part | holds |
//! |---|---|
//! | `copier` | Cheney's algorithm |
//! | `offheap` | reference-counted binaries and magic references after it |
//! | `relocate` | moving a generation to a block of another size |
//! | `roots` | where terms are held |
//! | `sizes` | how large blocks are |
//! | `verify` | checks of all that |

mod copier;
mod offheap;
mod relocate;
mod roots;
mod sizes;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod verify;

use crate::atoms;
use crate::heap::{Fragment, Heap, RED_ZONE, alloc_block, free_block};
use crate::process::{BailKind, Class, Process, flag};
use crate::term::Term;
use copier::Copier;
use relocate::set_old;
use sizes::{MARGIN, block_size, old_range, old_size, words};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use roots::each_root;
pub use sizes::MIN_BLOCK;
pub use verify::verify;

/// Collect at every allocation check, young and full in turn: for tests.
pub static STRESS: AtomicBool = AtomicBool::new(false);
/// Verify every heap after each collection. Debug builds do so with small heaps anyway.
pub static VERIFY: AtomicBool = AtomicBool::new(false);

/// Counters for statistics: collections, and words given back.
pub static MINOR: AtomicU64 = AtomicU64::new(0);
pub static MAJOR: AtomicU64 = AtomicU64::new(0);
pub static RECLAIMED: AtomicU64 = AtomicU64::new(0);

/// Called when a process with `flag::LOG_MAX_HEAP` has outgrown its limit: the process, its words, whether it dies.
pub static ON_MAX_HEAP: OnceLock<fn(&mut Process, u64, bool)> = OnceLock::new();

/// Least virtual heap, in bytes of binaries.
pub const MIN_VHEAP: usize = 46422 * 8;
/// A full collection of more words than these goes to a block for the old generation, smaller ones stay in the young.
const ONE_BLOCK: usize = 1024;

/// Makes room for `need` words, collecting if there is not. `live` are further roots (x registers).
/// `false`: the process has outgrown its `max_heap_size` and must die; `exc` says so.
#[inline]
pub fn ensure(p: &mut Process, live: &mut [Term], need: usize) -> bool {
    let h = &p.heap;
    let stress = STRESS.load(Ordering::Relaxed);
    if h.has_room(need)
        && h.frag_words * 2 <= h.block_words()
        && p.flags & flag::NEED_GC == 0
        && h.off_heap.bytes <= p.vheap_limit
        && !stress
    {
        return true;
    }
    let full = stress && p.minor_gcs % 2 == 1;
    collect(p, live, need, full)
}

/// Collects. See [`ensure`]. Afterwards there are no fragments. Charges reductions for what was copied.
#[cold]
pub fn collect(p: &mut Process, live: &mut [Term], need: usize, full: bool) -> bool {
    p.mailbox.adopt_current(&mut p.heap);
    p.fcalls += std::mem::take(&mut p.borrowed);
    let before = p.heap.used_words() + p.heap.frag_words + p.heap.old_words();
    let full = full || full_is_due(p);
    let wanted = sizes::young_size(p, need);
    let copied = copy_live(p, live, wanted, full);
    if full {
        p.minor_gcs = 0;
        p.flags &= !flag::FULLSWEEP;
        MAJOR.fetch_add(1, Ordering::Relaxed);
    } else {
        p.minor_gcs += 1;
        MINOR.fetch_add(1, Ordering::Relaxed);
    }
    let size = if STRESS.load(Ordering::Relaxed) {
        // No more than asked for, so that the next check fails and collects again.
        Some(p.heap.used_words() + p.heap.stack_words() + need + RED_ZONE)
    } else {
        sizes::better_size(p, need, full, wanted)
    };
    if let Some(size) = size {
        relocate::young(p, live, size);
    }
    p.flags &= !flag::NEED_GC;
    p.fcalls -= (copied / 16) as i64;
    p.heap.collected_at = p.total_reductions();
    let after = p.heap.used_words() + p.heap.old_words();
    RECLAIMED.fetch_add(before.saturating_sub(after) as u64, Ordering::Relaxed);
    debug_assert!(p.heap.has_room(need));
    verify::after_collection(p, live);
    p.max_heap == 0 || within_limit(p)
}

/// The old generation has to be collected as well.
fn full_is_due(p: &Process) -> bool {
    let h = &p.heap;
    p.flags & flag::FULLSWEEP != 0
        || p.minor_gcs >= p.fullsweep_after
        || h.old_binary_budget == 0
        || (!h.old_start.is_null() && words(&(h.old_top as usize..h.old_end as usize)) < words(&mature(h)))
}

/// What survived the last collection in the young block.
fn mature(h: &Heap) -> std::ops::Range<usize> {
    h.start as usize..h.mature as usize
}

/// The collection proper, into a young block of `wanted` words, or more if more may be alive; returns how many
/// words were copied.
fn copy_live(p: &mut Process, live: &mut [Term], wanted: usize, full: bool) -> usize {
    let h = &mut p.heap;
    let (stack, block, old) = (h.stack_words(), h.block_words(), old_range(h));
    let (from, old_from, old_used) = (h.start, h.old_start, h.old_words());
    let mature = mature(h);
    let young = h.used_words() + h.frag_words;
    let all_old = full && young + old_used > ONE_BLOCK;
    // How much can get into the new block at most, and a block for the old generation where a new one is needed.
    let worst = match (full, all_old) {
        (true, true) => {
            let size = old_size(young + old_used);
            set_old(h, alloc_block(size), 0, size);
            0
        }
        (true, false) => {
            set_old(h, std::ptr::null_mut(), 0, 0);
            young + old_used
        }
        (false, _) => {
            if !mature.is_empty() && h.old_start.is_null() {
                let size = old_size(words(&mature) * 2);
                set_old(h, alloc_block(size), 0, size);
            }
            young - words(&mature)
        }
    };
    let size = if worst + stack > wanted { block_size(worst + stack) } else { wanted };
    let start = alloc_block(size);
    let end = start.wrapping_add(size);
    let new_stack = end.wrapping_sub(stack);
    let old_scan = h.old_top;
    let mut c = Copier {
        mature: if full { 0..0 } else { mature },
        keep: if full { 0..0 } else { old_range(h) },
        to: start,
        old: old_scan,
        all_old,
    };
    // SAFETY: stack and roots hold live terms (heap invariant). The new block has room for `worst` and the stack; the old
    // generation for what is mature (`full_is_due` or a new block), or for everything.
    unsafe {
        std::ptr::copy_nonoverlapping(h.stack, new_stack, stack);
        for i in 0..stack {
            // Continuation pointers have no pointer's tag.
            c.evacuate(new_stack.add(i));
        }
        for t in live.iter_mut() {
            c.evacuate(t);
        }
        each_root(p, &mut |t| c.evacuate(t));
        c.drain(start, old_scan);
        debug_assert!(c.to <= new_stack && c.old <= p.heap.old_end);
        offheap::sweep(p, &c, full);
    }
    let h = &mut p.heap;
    let copied = words(&(start as usize..c.to as usize)) + words(&(old_scan as usize..c.old as usize));
    (h.start, h.end, h.stack) = (start, end, new_stack);
    (h.top, h.mature) = (c.to, c.to);
    h.old_top = c.old;
    free_fragments(h);
    poison(from, block);
    // SAFETY: everything that was alive has moved away, and every pointer with it.
    unsafe { free_block(from, block) };
    if full {
        poison(old_from, words(&old));
        // SAFETY: likewise; null if there was none.
        unsafe { free_block(old_from, words(&old)) };
        let fit = old_size(h.old_words());
        if all_old && h.old_words() == 0 {
            // SAFETY: empty.
            unsafe { free_block(h.old_start, words(&old_range(h))) };
            set_old(h, std::ptr::null_mut(), 0, 0);
        } else if words(&old_range(h)) > fit + fit / 4 {
            relocate::old(p, live, fit);
        }
    }
    copied
}

/// Frees the fragments, whose contents have moved.
fn free_fragments(h: &mut Heap) {
    let mut f = std::mem::replace(&mut h.frags, std::ptr::null_mut());
    h.frag_words = 0;
    while !f.is_null() {
        // SAFETY: the heap owned the chain; nothing refers to it any more.
        unsafe {
            let next = (*f).next;
            poison(Fragment::data(f), (*f).cap);
            Fragment::free(f);
            f = next;
        }
    }
}

/// Debug builds: whoever still looks at a block that was left finds nonsense that is the same every time.
fn poison(block: *mut Term, words: usize) {
    if cfg!(debug_assertions) {
        for i in 0..words {
            // SAFETY: the block is about to be freed.
            unsafe { *block.add(i) = verify::POISON };
        }
    }
}

/// Whether the process may go on, of those that have a limit.
#[cold]
fn within_limit(p: &mut Process) -> bool {
    let h = &p.heap;
    let mut words = (h.used_words() + h.stack_words() + h.old_words()) as u64;
    if p.has(flag::MAX_HEAP_SHARED_BIN) {
        words += (offheap::bytes(h) / 8) as u64;
    }
    if words <= p.max_heap {
        return true;
    }
    let dies = p.has(flag::KILL_ON_MAX_HEAP);
    if p.has(flag::LOG_MAX_HEAP)
        && let Some(log) = ON_MAX_HEAP.get()
    {
        log(p, words, dies);
    }
    if dies {
        let _ = p.raise(Class::Exit, atoms::KILLED);
        p.bail = BailKind::None;
    }
    !dies
}

/// Switches that a developer sets: `CHIME_VERIFY=1`, `CHIME_GC_STRESS=1`. To be called once, at start.
pub fn read_environment() {
    for (name, switch) in [("CHIME_VERIFY", &VERIFY), ("CHIME_GC_STRESS", &STRESS)] {
        if std::env::var_os(name).is_some_and(|v| v != "0") {
            switch.store(true, Ordering::Relaxed);
        }
    }
}

/// Makes a sleeping process as small as it gets. Its terms are on its stack and among its own roots.
pub fn shrink_to_fit(p: &mut Process) {
    let _ = collect(p, &mut [], 0, true);
    let h = &p.heap;
    let fit = block_size(h.used_words() + h.stack_words() + MARGIN);
    if fit < h.block_words() {
        relocate::young(p, &mut [], fit);
    }
    let h = &p.heap;
    let (size, fit) = (words(&old_range(h)), block_size(h.old_words()));
    if fit < size {
        relocate::old(p, &mut [], fit);
    }
    verify::after_collection(p, &[]);
}
