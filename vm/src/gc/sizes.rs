//! How large blocks are.

use crate::heap::{Heap, RED_ZONE};
use crate::process::Process;
use std::ops::Range;

/// Smallest block, in words.
pub const MIN_BLOCK: usize = 80;
/// A process that makes much and keeps little gets a block that a core's cache holds, not more.
pub const NURSERY: usize = 8 << 10;
/// A process whose collections follow each other after fewer reductions gets a larger block: a collection costs
/// as much as some tens of reductions. One that makes no more in several turns, and keeps little, gets a smaller one.
const RAPID: u64 = 500;
/// Never so many words between heap and stack are counted on: the red zone, and the rounding of what is needed.
pub const MARGIN: usize = RED_ZONE + 8;

/// A little more than asked, in steps, so that similar processes share size classes. Not less than asked.
pub fn block_size(words: usize) -> usize {
    if words <= MIN_BLOCK {
        return MIN_BLOCK;
    }
    if words > 1 << 20 {
        return words.next_multiple_of(1 << 16);
    }
    // Steps of an eighth of the power of two below.
    words.next_multiple_of((words.next_power_of_two() / 16).max(16))
}

/// A block for an old generation with `used` words alive: twice that, or half as much again if it is large.
pub fn old_size(used: usize) -> usize {
    block_size(used + if used < 1 << 17 { used } else { used / 2 } + 16)
}

pub fn words(r: &Range<usize>) -> usize {
    (r.end - r.start) / 8
}

pub fn block_range(h: &Heap) -> Range<usize> {
    h.start as usize..h.end as usize
}

pub fn old_range(h: &Heap) -> Range<usize> {
    h.old_start as usize..h.old_end as usize
}

fn since_last(p: &Process) -> u64 {
    p.total_reductions().saturating_sub(p.heap.collected_at)
}

/// The last collection was in this turn, and not long ago.
fn rapid(p: &Process) -> bool {
    p.heap.collected_at > p.reductions && since_last(p) < RAPID
}

/// The last collection was in an earlier turn, and long ago.
fn rare(p: &Process) -> bool {
    p.heap.collected_at <= p.reductions && since_last(p) > RAPID
}

/// The size the young block should have after the collection that is about to start, if as much survives as last
/// time. What was needed once does not enlarge it for good.
pub fn young_size(p: &Process, need: usize) -> usize {
    let h = &p.heap;
    let (block, stack) = (h.block_words(), h.stack_words());
    let survived = (h.mature as usize - h.start as usize) / 8;
    let wanted = (survived + stack + need + MARGIN) * 2;
    let kept = if rapid(p) {
        block.max((block * 2).min(NURSERY))
    } else if rare(p) && block > 4 * wanted {
        block / 2
    } else {
        block
    };
    block_size(wanted.max(kept)).max(p.min_heap as usize)
}

/// The size that the young block should have instead, if it is too full or far too large after a collection that
/// aimed at `wanted` words.
pub fn better_size(p: &Process, need: usize, full: bool, wanted: usize) -> Option<usize> {
    let h = &p.heap;
    let block = h.block_words();
    let alive = h.used_words() + h.stack_words() + need + MARGIN;
    if alive > block / 4 * 3 {
        return Some(block_size(alive * 2));
    }
    let floor = if full && !rapid(p) { 512 } else { 2 * NURSERY };
    let better = if wanted > floor && wanted > 8 * alive {
        block_size(alive * 3).max(floor / 2).max(p.min_heap as usize)
    } else {
        wanted.max(block_size(alive / 2 * 3))
    };
    (better < block).then_some(better)
}
