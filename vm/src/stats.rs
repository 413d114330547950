//! Counts of executed operations and of pairs that follow each other, behind the feature `opcode-stats`.
//! What to fuse, and what compiled code must have, is decided on these counts.

use crate::instr::{OPS, Op};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

const N: usize = 256;
static PAIRS: [AtomicU64; N * N] = [const { AtomicU64::new(0) }; N * N];

thread_local! {
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Notes that `op` is executed by this thread.
#[inline]
pub fn count(op: Op) {
    let last = LAST.replace(op as usize);
    PAIRS[last * N + op as usize].fetch_add(1, Ordering::Relaxed);
}

/// Lines `count name` of single operations, then `count first second` of pairs, each sorted by count.
pub fn report() -> String {
    let n = |a: usize, b: usize| PAIRS[a * N + b].load(Ordering::Relaxed);
    let mut single: Vec<(u64, usize)> =
        (0..OPS.len()).map(|b| ((0..OPS.len()).map(|a| n(a, b)).sum(), b)).collect();
    single.sort_unstable_by(|a, b| b.cmp(a));
    let mut out = String::new();
    for (count, op) in single.into_iter().filter(|s| s.0 > 0) {
        out += &format!("{count} {}\n", OPS[op].1);
    }
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for a in 0..OPS.len() {
        pairs.extend((0..OPS.len()).map(|b| (n(a, b), a, b)).filter(|p| p.0 > 0));
    }
    pairs.sort_unstable_by(|a, b| b.cmp(a));
    for (count, a, b) in pairs {
        out += &format!("{count} {} {}\n", OPS[a].1, OPS[b].1);
    }
    out
}
