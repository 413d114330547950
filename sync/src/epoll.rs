//! The sleeping primitive on Linux: one epoll per scheduler over an eventfd, a timerfd and the descriptors it
//! serves.
//!
//! No time-outs and no polling: a scheduler that sleeps is woken by a wake-up, a deadline or a ready
//! descriptor, and by nothing else. Eventfd and timerfd are watched edge-triggered, so they need not be read
//! after they have fired: a wake-up costs a `write` and an `epoll_wait`, and a deadline is armed with one
//! `timerfd_settime` when it changes.

use crate::park::Parker;
use crate::shim::atomic::{AtomicU64, Ordering};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The greatest token of a descriptor; the two above it are taken.
pub const MAX_TOKEN: u64 = u64::MAX - 2;
const WAKE: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;
/// The timerfd is not armed.
const NEVER: u64 = u64::MAX;
/// Descriptors reported by one call; more of them are reported by the next.
const BATCH: usize = 64;

/// What to watch a descriptor for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interest {
    pub read: bool,
    pub write: bool,
}

impl Interest {
    pub const READ: Self = Self { read: true, write: false };
    pub const WRITE: Self = Self { read: false, write: true };
    pub const BOTH: Self = Self { read: true, write: true };

    fn events(self) -> u32 {
        let mut events = libc::EPOLLONESHOT | libc::EPOLLRDHUP;
        if self.read {
            events |= libc::EPOLLIN;
        }
        if self.write {
            events |= libc::EPOLLOUT;
        }
        events as u32
    }
}

/// A descriptor that has become ready. It is not watched any more until [`EpollParker::rearm`].
/// An error or a hang-up counts as ready for everything: the operation on the descriptor will tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ready {
    pub token: u64,
    pub read: bool,
    pub write: bool,
}

/// What ended a sleep, besides descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Woken {
    /// Somebody called [`EpollParker::unpark`].
    pub unparked: bool,
    /// The deadline has passed.
    pub deadline: bool,
}

/// Where one scheduler sleeps. `wait`, `poll` and `park` belong to that scheduler; all else may be called
/// from any thread.
#[derive(Debug)]
pub struct EpollParker {
    epoll: OwnedFd,
    event: OwnedFd,
    timer: OwnedFd,
    /// The deadline for which the timerfd is armed. Written by the owner only.
    armed: AtomicU64,
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn owned(fd: libc::c_int) -> io::Result<OwnedFd> {
    let fd = check(fd)?;
    // SAFETY: `fd` is a new descriptor that nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Nanoseconds of CLOCK_MONOTONIC: the clock of all deadlines.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place to write to; the call cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl EpollParker {
    pub fn new() -> io::Result<Self> {
        // SAFETY: the three calls take no pointers.
        let (epoll, event, timer) = unsafe {
            (
                owned(libc::epoll_create1(libc::EPOLL_CLOEXEC))?,
                owned(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))?,
                owned(libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK))?,
            )
        };
        let parker = Self { epoll, event, timer, armed: AtomicU64::new(NEVER) };
        let edge = (libc::EPOLLIN | libc::EPOLLET) as u32;
        parker.control(libc::EPOLL_CTL_ADD, parker.event.as_raw_fd(), edge, WAKE)?;
        parker.control(libc::EPOLL_CTL_ADD, parker.timer.as_raw_fd(), edge, TIMER)?;
        Ok(parker)
    }

    fn control(&self, op: libc::c_int, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: token };
        // SAFETY: `event` lives during the call; the kernel checks the descriptors.
        check(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), op, fd, &mut event) }).map(drop)
    }

    /// Watches a descriptor until it is ready once. The token, up to [`MAX_TOKEN`], comes back in [`Ready`].
    pub fn register(&self, fd: RawFd, token: u64, interest: Interest) -> io::Result<()> {
        assert!(token <= MAX_TOKEN);
        self.control(libc::EPOLL_CTL_ADD, fd, interest.events(), token)
    }

    /// Watches a registered descriptor once more, or for something else.
    pub fn rearm(&self, fd: RawFd, token: u64, interest: Interest) -> io::Result<()> {
        assert!(token <= MAX_TOKEN);
        self.control(libc::EPOLL_CTL_MOD, fd, interest.events(), token)
    }

    /// Forgets a descriptor. One that was reported already may still be in the owner's hands.
    pub fn deregister(&self, fd: RawFd) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_DEL, fd, 0, 0)
    }

    /// Arms the timerfd, unless it is armed for this deadline already.
    fn arm(&self, deadline: u64) {
        if self.armed.load(Ordering::Relaxed) == deadline {
            return;
        }
        self.armed.store(deadline, Ordering::Relaxed);
        // All zero disarms; a deadline of 0 is as much in the past as one of 1.
        let ns = if deadline == NEVER { 0 } else { deadline.max(1) };
        let value = libc::timespec { tv_sec: (ns / 1_000_000_000) as _, tv_nsec: (ns % 1_000_000_000) as _ };
        let spec =
            libc::itimerspec { it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let (fd, old) = (self.timer.as_raw_fd(), std::ptr::null_mut());
        // SAFETY: `spec` lives during the call, and a null pointer for the old setting is allowed.
        let set = check(unsafe { libc::timerfd_settime(fd, libc::TFD_TIMER_ABSTIME, &spec, old) });
        set.expect("the timerfd is open and the time is valid");
    }

    /// Sleeps until `unpark`, the deadline (nanoseconds of CLOCK_MONOTONIC; `None`: none) or a ready
    /// descriptor; those are added to `ready`. A signal handler may end the sleep too, with nothing to
    /// report.
    pub fn wait(&self, deadline: Option<u64>, ready: &mut Vec<Ready>) -> Woken {
        self.arm(deadline.unwrap_or(NEVER));
        self.collect(-1, ready)
    }

    /// Looks for ready descriptors without sleeping, between turns of a busy scheduler. A wake-up that is due
    /// is reported, too.
    pub fn poll(&self, ready: &mut Vec<Ready>) -> Woken {
        self.collect(0, ready)
    }

    fn collect(&self, timeout: libc::c_int, ready: &mut Vec<Ready>) -> Woken {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; BATCH];
        // SAFETY: `events` has room for BATCH events and lives during the call.
        let result = unsafe {
            libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), BATCH as libc::c_int, timeout)
        };
        let count = match check(result) {
            Ok(n) => n as usize,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
            Err(e) => panic!("epoll_wait: {e}"),
        };
        let mut woken = Woken::default();
        for event in &events[..count] {
            let (bits, token) = (event.events as libc::c_int, event.u64);
            match token {
                WAKE => woken.unparked = true,
                TIMER => {
                    woken.deadline = true;
                    // It has fired and is armed no more: the same deadline, asked for again, must be set
                    // again.
                    self.armed.store(NEVER, Ordering::Relaxed);
                }
                _ => {
                    let broken = bits & (libc::EPOLLERR | libc::EPOLLHUP) != 0;
                    let read = broken || bits & (libc::EPOLLIN | libc::EPOLLRDHUP) != 0;
                    ready.push(Ready { token, read, write: broken || bits & libc::EPOLLOUT != 0 });
                }
            }
        }
        woken
    }

    /// Ends the owner's sleep, or its next one. One `write`.
    pub fn unpark(&self) {
        let one = 1u64.to_ne_bytes();
        loop {
            // SAFETY: `one` is eight readable bytes.
            let wrote = unsafe { libc::write(self.event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
            if wrote == one.len() as isize {
                return;
            }
            match io::Error::last_os_error().kind() {
                io::ErrorKind::Interrupted => {}
                // The counter is full after 2^64 - 2 wake-ups: empty it and write, for it is the write that
                // wakes.
                io::ErrorKind::WouldBlock => {
                    let mut sum = [0u8; 8];
                    // SAFETY: `sum` is eight writable bytes.
                    unsafe { libc::read(self.event.as_raw_fd(), sum.as_mut_ptr().cast(), sum.len()) };
                }
                kind => panic!("eventfd: {kind}"),
            }
        }
    }
}

impl Parker for EpollParker {
    /// For owners without descriptors.
    fn park(&self, deadline: Option<u64>) {
        let mut ready = Vec::new();
        self.wait(deadline, &mut ready);
        debug_assert!(ready.is_empty());
    }

    fn unpark(&self) {
        self.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    #[test]
    fn a_deadline_is_never_early_and_can_be_set_again() {
        let p = EpollParker::new().unwrap();
        let mut ready = Vec::new();
        for _ in 0..3 {
            let deadline = monotonic_ns() + 3_000_000;
            assert_eq!(p.wait(Some(deadline), &mut ready), Woken { unparked: false, deadline: true });
            assert!(monotonic_ns() >= deadline);
            assert!(p.wait(Some(deadline), &mut ready).deadline);
        }
        assert!(p.wait(Some(0), &mut ready).deadline);
        // A deadline taken back does not wake.
        p.arm(monotonic_ns() + 1_000_000);
        p.arm(NEVER);
        std::thread::sleep(std::time::Duration::from_millis(3));
        assert_eq!(p.poll(&mut ready), Woken::default());
    }

    #[test]
    fn unpark_before_and_during_sleep() {
        let p = Arc::new(EpollParker::new().unwrap());
        let mut ready = Vec::new();
        p.unpark();
        p.unpark();
        assert!(p.wait(None, &mut ready).unparked);
        assert_eq!(p.poll(&mut ready), Woken::default());
        let q = p.clone();
        let waker = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(5));
            q.unpark();
        });
        assert_eq!(p.wait(None, &mut ready), Woken { unparked: true, deadline: false });
        waker.join().unwrap();
    }

    #[test]
    fn descriptors_report_once_until_rearmed() {
        let p = EpollParker::new().unwrap();
        let (mut a, mut b) = UnixStream::pair().unwrap();
        p.register(a.as_raw_fd(), 7, Interest::READ).unwrap();
        let mut ready = Vec::new();
        p.poll(&mut ready);
        assert!(ready.is_empty());
        b.write_all(b"x").unwrap();
        p.wait(None, &mut ready);
        assert_eq!(ready, [Ready { token: 7, read: true, write: false }]);
        p.poll(&mut ready);
        assert_eq!(ready.len(), 1);
        p.rearm(a.as_raw_fd(), 8, Interest::BOTH).unwrap();
        p.wait(None, &mut ready);
        assert_eq!(ready[1], Ready { token: 8, read: true, write: true });
        a.read_exact(&mut [0]).unwrap();
        p.rearm(a.as_raw_fd(), 9, Interest::READ).unwrap();
        p.deregister(a.as_raw_fd()).unwrap();
        drop(b);
        p.poll(&mut ready);
        assert_eq!(ready.len(), 2);
    }
}
