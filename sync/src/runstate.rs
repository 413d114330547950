//! The state word of a process: who may run it, and whether it must look at its inbox.
//!
//! Three bits carry the protocol. `RUNNING`: a scheduler runs it. `QUEUED`: it was put into a run queue
//! because it wants to go on. `PENDING`: something arrived for it. A process with `PENDING` that does not run
//! is in a run queue too, or on its way there: the call that turned "waiting" (none of the bits) into
//! `PENDING` returned `true` and with it the duty to queue the process. Every transition is one atomic
//! read-modify-write, so each operation is wait-free, and of several concurrent wake-ups exactly one finds
//! the word at "waiting".
//!
//! ```text
//!            notify: true                    begin_run
//!  waiting ---------------> in a run queue ------------> RUNNING ---+
//!     ^                            ^                        |       | notify: false, sets PENDING
//!     |                            | end_run: Queue         |<------+
//!     |                            +------------------------+
//!     +---------------- end_run(false), no PENDING: Wait ---+
//! ```
//!
//! The receiver calls [`RunState::clear_pending`] *before* it takes its inbox. The sender pushes *before* it
//! notifies. So a signal either is in what the receiver takes, or sets `PENDING` after the clearing and is
//! seen by `end_run`.

use crate::shim::atomic::{AtomicU32, Ordering};

/// A scheduler runs the process.
pub const RUNNING: u32 = 1;
/// The process is in a run queue because it wants to go on, not because of a wake-up.
pub const QUEUED: u32 = 1 << 1;
/// Something has arrived that the process has not looked at.
pub const PENDING: u32 = 1 << 2;
/// The record has no process: wake-ups are ignored.
pub const DEAD: u32 = 1 << 3;
/// The first bit of the user: suspended, exiting and whatever else has no part in the protocol.
pub const USER_SHIFT: u32 = 8;
/// All bits of the user.
pub const USER: u32 = !0 << USER_SHIFT;

/// What a scheduler does with a process whose turn has ended.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Put it into a run queue.
    Queue,
    /// Leave it alone, and do not touch it any more: it may run elsewhere already.
    Wait,
}

/// The state word. Every operation is O(1) and wait-free.
#[derive(Debug)]
pub struct RunState(AtomicU32);

impl RunState {
    /// A record without process.
    pub fn dead() -> Self {
        Self(AtomicU32::new(DEAD))
    }

    /// A waiting process.
    pub fn waiting() -> Self {
        Self(AtomicU32::new(0))
    }

    /// A process that the caller is about to put into a run queue.
    pub fn queued() -> Self {
        Self(AtomicU32::new(QUEUED))
    }

    /// A new process in a pooled record: the caller puts it into a run queue. A wake-up meant for the
    /// record's last process may still arrive; the new one then looks at an empty inbox once.
    pub fn revive(&self, user: u32) {
        debug_assert_eq!(user & !USER, 0);
        debug_assert_ne!(self.get() & DEAD, 0);
        self.0.store(QUEUED | user, Ordering::Release);
    }

    /// Tells the process that something has arrived. `true`: the caller must put it into a run queue.
    #[must_use]
    #[inline]
    pub fn notify(&self) -> bool {
        self.notify_with(0)
    }

    /// As [`RunState::notify`], setting bits of the user in the same step.
    #[must_use]
    #[inline]
    pub fn notify_with(&self, user: u32) -> bool {
        debug_assert_eq!(user & !USER, 0);
        let old = self.0.fetch_or(PENDING | user, Ordering::AcqRel);
        old & (RUNNING | QUEUED | PENDING | DEAD) == 0
    }

    /// A scheduler that took the process from a run queue starts its turn. Returns the state before; bits of
    /// the user and `PENDING` in it are current.
    #[inline]
    pub fn begin_run(&self) -> u32 {
        // Only the holder of the process changes RUNNING and QUEUED, so QUEUED cannot change between the
        // lines.
        let queued = self.0.load(Ordering::Relaxed) & QUEUED;
        let old = self.0.fetch_xor(RUNNING | queued, Ordering::AcqRel);
        debug_assert!(old & (RUNNING | DEAD) == 0 && old & (QUEUED | PENDING) != 0, "begin_run at {old:#x}");
        old
    }

    /// The scheduler ends a turn. `want_more`: the process was interrupted and goes on later; otherwise it
    /// waits for something to arrive, and if that has happened since the last [`RunState::clear_pending`], it
    /// is queued.
    #[inline]
    pub fn end_run(&self, want_more: bool) -> Next {
        if want_more {
            let old = self.0.fetch_xor(RUNNING | QUEUED, Ordering::AcqRel);
            debug_assert!(old & (RUNNING | QUEUED) == RUNNING, "end_run at {old:#x}");
            return Next::Queue;
        }
        let old = self.0.fetch_and(!RUNNING, Ordering::AcqRel);
        debug_assert!(old & (RUNNING | QUEUED) == RUNNING, "end_run at {old:#x}");
        if old & PENDING != 0 { Next::Queue } else { Next::Wait }
    }

    /// The process has exited, during its turn. Its inbox is closed already.
    pub fn finish(&self) {
        let old = self.0.swap(DEAD, Ordering::AcqRel);
        debug_assert!(old & (RUNNING | QUEUED) == RUNNING, "finish at {old:#x}");
    }

    /// Called by the running process before it takes its inbox. Returns the state before.
    #[inline]
    pub fn clear_pending(&self) -> u32 {
        self.0.fetch_and(!PENDING, Ordering::AcqRel)
    }

    /// Whether something has arrived since the last [`RunState::clear_pending`]: one load, for safe points.
    #[inline]
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::Relaxed) & PENDING != 0
    }

    /// Whether a scheduler runs it.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.get() & RUNNING != 0
    }

    /// Whether it is in a run queue, or on its way there.
    pub fn is_queued(&self) -> bool {
        let s = self.get();
        s & (RUNNING | DEAD) == 0 && s & (QUEUED | PENDING) != 0
    }

    /// The whole word.
    #[inline]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    /// Sets bits of the user; returns the word before.
    pub fn set(&self, user: u32) -> u32 {
        debug_assert_eq!(user & !USER, 0);
        self.0.fetch_or(user, Ordering::AcqRel)
    }

    /// Clears bits of the user; returns the word before.
    pub fn clear(&self, user: u32) -> u32 {
        debug_assert_eq!(user & !USER, 0);
        self.0.fetch_and(!user, Ordering::AcqRel)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_wake_up_queues_and_none_is_lost() {
        let s = RunState::waiting();
        assert!(s.notify());
        assert!(!s.notify() && s.is_queued());
        assert_eq!(s.begin_run() & PENDING, PENDING);
        s.clear_pending();
        assert_eq!(s.end_run(true), Next::Queue);
        assert!(!s.notify());
        s.begin_run();
        s.clear_pending();
        assert!(!s.notify() && s.is_running());
        assert_eq!(s.end_run(false), Next::Queue);
        s.begin_run();
        s.clear_pending();
        assert_eq!(s.end_run(false), Next::Wait);
        assert!(s.notify_with(1 << USER_SHIFT));
        assert_eq!(s.begin_run(), PENDING | 1 << USER_SHIFT);
        s.finish();
        assert!(!s.notify());
        s.revive(0);
        assert!(!s.notify() && s.is_queued());
    }
}
