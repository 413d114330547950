//! How schedulers fall asleep and are woken: no wake-up is lost, and none is sent to one that is awake.
//!
//! A scheduler out of work announces that it will sleep, looks once more at everything it could do, and only
//! then sleeps. A producer publishes its work and then looks who sleeps. Between "publish" and "look" on
//! either side stands a sequentially consistent fence, so at least one of them sees the other.
//!
//! ```text
//! scheduler i                               producer
//!   sleepers.prepare(i);                      queue.push(work);
//!   if work_anywhere() {                      if let Some(i) = sleepers.wake_one() {
//!       sleepers.cancel(i);                       parkers[i].unpark();
//!   } else if sleepers.commit(i) {            }
//!       parkers[i].park(deadline);
//!       sleepers.awake(i);
//!   }
//! ```

use crate::shim::Padded;
use crate::shim::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// The primitive on which a scheduler sleeps. `unpark` makes the `park` under way, or else the next one,
/// return: like a semaphore, a wake-up sent too early is not lost. `park` may return without reason.
pub trait Parker {
    /// Sleeps until `unpark`, or until `deadline` (nanoseconds, monotonic).
    fn park(&self, deadline: Option<u64>);
    fn unpark(&self);
}

const AWAKE: u32 = 0;
const SLEEPING: u32 = 1;
const NOTIFIED: u32 = 2;

/// One scheduler's half of the handshake.
#[derive(Debug)]
pub struct SleepState(AtomicU32);

impl SleepState {
    pub fn new() -> Self {
        Self(AtomicU32::new(AWAKE))
    }

    /// The owner announces that it is about to sleep. It looks at its sources of work after this.
    pub fn prepare_sleep(&self) {
        self.announce();
        fence(Ordering::SeqCst);
    }

    fn announce(&self) {
        debug_assert_eq!(self.0.load(Ordering::Relaxed), AWAKE);
        self.0.store(SLEEPING, Ordering::Relaxed);
    }

    /// The owner found nothing. `true`: it sleeps now. `false`: somebody woke it meanwhile, and it is awake.
    /// (That waker writes to the parker all the same; the next sleep ends at once, one time.)
    #[must_use]
    pub fn commit(&self) -> bool {
        if self.0.load(Ordering::Acquire) == SLEEPING {
            return true;
        }
        self.awake();
        false
    }

    /// The owner found work, or has returned from its sleep. Returns whether somebody had woken it: then it
    /// owes its sources of work a look, which an awake scheduler does anyway before it sleeps again.
    pub fn awake(&self) -> bool {
        self.0.swap(AWAKE, Ordering::AcqRel) == NOTIFIED
    }

    /// Wakes the owner if it sleeps or is about to. `true`: the caller must unpark it; nobody else will.
    /// What the caller published before is seen by the owner, whichever the answer.
    #[must_use]
    #[inline]
    pub fn wake(&self) -> bool {
        fence(Ordering::SeqCst);
        self.wake_after_fence()
    }

    #[inline]
    fn wake_after_fence(&self) -> bool {
        self.0.load(Ordering::Relaxed) == SLEEPING
            && self.0.compare_exchange(SLEEPING, NOTIFIED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl Default for SleepState {
    fn default() -> Self {
        Self::new()
    }
}

/// The most schedulers that a set can hold.
pub const MAX_SCHEDULERS: usize = 256;
const WORDS: usize = if cfg!(loom) { 1 } else { MAX_SCHEDULERS / 64 };

/// Which schedulers sleep, as a bitmap: a hint for finding one quickly, never the truth, which [`SleepState`]
/// holds.
#[derive(Debug)]
pub struct IdleSet([AtomicU64; WORDS]);

impl IdleSet {
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    /// Adds a scheduler.
    pub fn insert(&self, i: usize) {
        self.0[i / 64].fetch_or(1 << (i % 64), Ordering::AcqRel);
    }

    /// Removes a scheduler. `true`: it was there, and this call removed it.
    pub fn remove(&self, i: usize) -> bool {
        let bit = 1 << (i % 64);
        let word = &self.0[i / 64];
        word.load(Ordering::Relaxed) & bit != 0 && word.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// Removes the lowest-numbered scheduler, so that work gathers on few. Each is given to one caller only.
    /// O(1).
    pub fn claim_one(&self) -> Option<usize> {
        for (w, word) in self.0.iter().enumerate() {
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                bits = word.fetch_and(!bit, Ordering::AcqRel);
                if bits & bit != 0 {
                    return Some(w * 64 + bit.trailing_zeros() as usize);
                }
            }
        }
        None
    }

    /// How many there are, at about this moment.
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.load(Ordering::Relaxed).count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| w.load(Ordering::Relaxed) == 0)
    }
}

impl Default for IdleSet {
    fn default() -> Self {
        Self::new()
    }
}

/// The sleep of all schedulers: a [`SleepState`] for each and the [`IdleSet`] over them.
#[derive(Debug)]
pub struct Sleepers {
    idle: Padded<IdleSet>,
    states: Box<[Padded<SleepState>]>,
}

impl Sleepers {
    /// For `n` schedulers, all awake.
    pub fn new(n: usize) -> Self {
        assert!(n <= MAX_SCHEDULERS);
        Self { idle: Padded::default(), states: (0..n).map(|_| Padded::default()).collect() }
    }

    /// Scheduler `i` is about to sleep; after this it looks at its sources of work once more.
    pub fn prepare(&self, i: usize) {
        // The state before the bit: whoever takes the bit away finds the scheduler asleep, and wakes it. The
        // other way round, a producer could take the bit, find it awake, and leave a sleeper that nobody can
        // find.
        self.states[i].announce();
        self.idle.insert(i);
        fence(Ordering::SeqCst);
    }

    /// Scheduler `i` found nothing: `true`, it parks now, and calls [`Sleepers::awake`] afterwards; `false`,
    /// it was woken meanwhile and is awake.
    #[must_use]
    pub fn commit(&self, i: usize) -> bool {
        let sleeps = self.states[i].commit();
        if !sleeps {
            self.idle.remove(i);
        }
        sleeps
    }

    /// Scheduler `i` found work after all.
    pub fn cancel(&self, i: usize) {
        self.awake(i);
    }

    /// Scheduler `i` has returned from its sleep.
    pub fn awake(&self, i: usize) {
        self.idle.remove(i);
        self.states[i].awake();
    }

    /// Work for scheduler `i` was published. `true`: the caller must unpark it.
    #[must_use]
    #[inline]
    pub fn wake(&self, i: usize) -> bool {
        // The bit stays for the owner to remove: taken away late, it could be that of the owner's next sleep.
        self.states[i].wake()
    }

    /// Work for anyone was published. `Some(i)`: the caller must unpark scheduler `i`. At most one is woken;
    /// none if all are awake, which costs a fence and a few loads.
    #[must_use]
    #[inline]
    pub fn wake_one(&self) -> Option<usize> {
        fence(Ordering::SeqCst);
        loop {
            let i = self.idle.claim_one()?;
            if self.states[i].wake_after_fence() {
                return Some(i);
            }
        }
    }

    /// How many sleep, at about this moment.
    pub fn sleeping(&self) -> usize {
        self.idle.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_a_sleeper_is_woken_and_only_once() {
        let s = Sleepers::new(200);
        assert!(!s.wake(3) && s.wake_one().is_none());
        for i in [150, 3, 70] {
            s.prepare(i);
        }
        assert_eq!(s.sleeping(), 3);
        assert_eq!(s.wake_one(), Some(3));
        assert!(!s.wake(3) && !s.commit(3));
        assert!(s.wake(150) && !s.wake(150));
        assert!(s.commit(70));
        s.cancel(70);
        s.awake(150);
        assert!(s.wake_one().is_none());
        s.prepare(3);
        assert!(s.commit(3) && s.wake(3));
    }
}
