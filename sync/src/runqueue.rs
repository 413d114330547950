//! The run queue of one scheduler, with the four priorities of processes.
//!
//! `max` goes before `high`, `high` before `normal` and `low`; of the last two, `low` gets one turn in eight
//! while both wait, as in OTP. One short lock per queue; whether there is anything to do is a load of an
//! atomic length.

use crate::shim::Mutex;
use crate::shim::atomic::{AtomicUsize, Ordering};
use std::collections::VecDeque;

/// The priority of a process. The numbers are those of `process_flag(priority, _)` in ERTS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum Priority {
    Max = 0,
    High = 1,
    #[default]
    Normal = 2,
    Low = 3,
}

/// The order in which a thief looks: what computes most first.
const STEAL_ORDER: [Priority; 4] = [Priority::Normal, Priority::High, Priority::Low, Priority::Max];
/// Of so many turns, `low` gets one while `normal` waits too.
const LOW_EVERY: u8 = 8;
/// The most that one theft moves.
pub const STEAL_MAX: usize = 32;

struct Lanes<T> {
    lanes: [VecDeque<T>; 4],
    /// Turns of `normal` since the last one of `low`.
    since_low: u8,
}

impl<T> Lanes<T> {
    fn pop(&mut self) -> Option<T> {
        let [max, high, normal, low] = &mut self.lanes;
        if let Some(item) = max.pop_front().or_else(|| high.pop_front()) {
            return Some(item);
        }
        if !low.is_empty() && (normal.is_empty() || self.since_low >= LOW_EVERY - 1) {
            self.since_low = 0;
            return low.pop_front();
        }
        self.since_low = self.since_low.saturating_add(1);
        normal.pop_front()
    }
}

/// A run queue of pointer-sized items. Each operation is O(1) under a short lock; a theft is O(what it
/// moves).
pub struct RunQueue<T: Copy> {
    len: AtomicUsize,
    lanes: Mutex<Lanes<T>>,
}

impl<T: Copy> RunQueue<T> {
    pub fn new() -> Self {
        let lanes = Lanes { lanes: [const { VecDeque::new() }; 4], since_low: 0 };
        Self { len: AtomicUsize::new(0), lanes: Mutex::new(lanes) }
    }

    /// Number of items; no lock. A push that happened before is counted.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there is nothing to do; no lock.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an item at the end of its priority. Returns how many there are now.
    pub fn push(&self, priority: Priority, item: T) -> usize {
        let mut lanes = self.lanes.lock();
        lanes.lanes[priority as usize].push_back(item);
        // Changed under the lock only, so a load and a store make an increment.
        let len = self.len.load(Ordering::Relaxed) + 1;
        self.len.store(len, Ordering::Relaxed);
        len
    }

    /// Takes the item whose turn it is.
    pub fn pop(&self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let mut lanes = self.lanes.lock();
        let item = lanes.pop()?;
        self.len.store(self.len.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        Some(item)
    }

    /// Steals half of one priority (normal first; the oldest, up to [`STEAL_MAX`]) on behalf of the owner of
    /// `own`: returns the first item, to run at once, and puts the others into `own`. Never holds two locks.
    pub fn steal_into(&self, own: &Self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let mut stolen = [None; STEAL_MAX];
        let (priority, count) = {
            let mut lanes = self.lanes.lock();
            let priority = *STEAL_ORDER.iter().find(|&&p| !lanes.lanes[p as usize].is_empty())?;
            let lane = &mut lanes.lanes[priority as usize];
            let count = lane.len().div_ceil(2).min(STEAL_MAX);
            for (place, item) in stolen.iter_mut().zip(lane.drain(..count)) {
                *place = Some(item);
            }
            self.len.store(self.len.load(Ordering::Relaxed) - count, Ordering::Relaxed);
            (priority, count)
        };
        if count > 1 {
            let mut lanes = own.lanes.lock();
            lanes.lanes[priority as usize].extend(stolen[1..count].iter().flatten());
            own.len.store(own.len.load(Ordering::Relaxed) + count - 1, Ordering::Relaxed);
        }
        stolen[0]
    }
}

impl<T: Copy> Default for RunQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn priorities_and_the_share_of_low() {
        let q = RunQueue::new();
        for i in 0..16 {
            q.push(Priority::Normal, ('n', i));
        }
        for i in 0..3 {
            q.push(Priority::Low, ('l', i));
        }
        q.push(Priority::High, ('h', 0));
        q.push(Priority::Max, ('m', 0));
        let order: String = std::iter::from_fn(|| q.pop()).map(|(c, _)| c).collect();
        assert_eq!(order, "mhnnnnnnnlnnnnnnnlnnl");
        assert!(q.is_empty());
    }

    #[test]
    fn a_thief_takes_half_and_order_is_kept() {
        let (victim, thief) = (RunQueue::new(), RunQueue::new());
        for i in 0..9 {
            victim.push(Priority::Normal, i);
        }
        victim.push(Priority::Max, 100);
        assert_eq!(victim.steal_into(&thief), Some(0));
        assert_eq!((victim.len(), thief.len()), (5, 4));
        assert_eq!(std::iter::from_fn(|| thief.pop()).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(std::iter::from_fn(|| victim.pop()).collect::<Vec<_>>(), [100, 5, 6, 7, 8]);
        assert_eq!(victim.steal_into(&thief), None);
    }
}
