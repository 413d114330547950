//! Timers: `receive … after`, and `send_after` with its kin. Each scheduler has a wheel; what is started on a scheduler lies
//! in its wheel and is fired by it. Deadlines are nanoseconds of CLOCK_MONOTONIC and never early.
//!
//! A receive's timer is a pid in the wheel and three words in the process. A message timer takes an entry of the wheel
//! (64 bytes) and one of the registry, which finds it by the number of its reference: under 150 bytes with a small message.

use crate::atoms;
use crate::heap::{Alloc, Fragment};
use crate::mailbox::Message;
use crate::process::{Process, flag};
use crate::refs;
use crate::registry;
use crate::sched;
use crate::signal::{self, SignalKind};
use crate::table;
use crate::term::Term;
pub use chime_sync::epoll::monotonic_ns;
use chime_sync::wheel::{Key, Wheel};
use hashbrown::HashMap;
use parking_lot::Mutex;

/// The greatest time-out in milliseconds that `receive … after` takes.
pub const MAX_RECEIVE: u64 = 0xFFFF_FFFF;

/// What lies in a wheel.
pub enum Timer {
    /// A process waits in a receive.
    Receive(Term),
    Message {
        /// A pid, or a name that is resolved when the timer fires.
        dest: Term,
        term: Term,
        /// Owned.
        frag: *mut Fragment,
        /// Number of the reference.
        id: u64,
        /// Wrapped in `{timeout, Ref, _}`.
        wrapped: bool,
        /// Started by the process it is for.
        own: bool,
    },
}

// SAFETY: a timer owns its fragment.
unsafe impl Send for Timer {}
const _: () = assert!(size_of::<Option<Timer>>() <= 40);

// ---- receive … after

/// The timer of the receive under way.
#[derive(Default)]
pub struct ReceiveTimer {
    deadline: u64,
    key: u64,
    scheduler: u32,
    armed: bool,
}

impl ReceiveTimer {
    #[inline(always)]
    pub fn is_armed(&self) -> bool {
        self.armed
    }
}

/// Starts the timer of a receive, unless it runs already: coming back after a message that did not match does not prolong it. O(1).
pub fn arm_receive(p: &mut Process, ms: u64) {
    if p.timer.armed {
        return;
    }
    let deadline = monotonic_ns().saturating_add(ms.saturating_mul(1_000_000));
    let (scheduler, key) = sched::start_timer(deadline, Timer::Receive(p.pid));
    p.timer = ReceiveTimer { deadline, key: key.to_u64(), scheduler, armed: true };
}

/// The receive is over. O(1).
pub fn disarm_receive(p: &mut Process) {
    if std::mem::take(&mut p.timer.armed) {
        sched::wheel(p.timer.scheduler).lock().cancel(Key::from_u64(p.timer.key));
    }
}

/// A receive timer says that it has fired: sets `TIMED_OUT` if it is that of the receive under way.
pub fn receive_fired(p: &mut Process) {
    if p.timer.armed && monotonic_ns() >= p.timer.deadline {
        p.timer.armed = false;
        p.set(flag::TIMED_OUT, true);
    }
}

// ---- messages

const SHARDS: usize = 64;
/// Pending message timers: key and scheduler, by the number of the reference.
static PENDING: [Mutex<Option<HashMap<u64, (u64, u32)>>>; SHARDS] = [const { Mutex::new(None) }; SHARDS];

fn shard(id: u64) -> &'static Mutex<Option<HashMap<u64, (u64, u32)>>> {
    &PENDING[id as usize % SHARDS]
}

fn find(id: u64) -> Option<(Key, u32)> {
    let guard = shard(id).lock();
    guard.as_ref()?.get(&id).map(|&(key, s)| (Key::from_u64(key), s))
}

fn forget(id: u64) {
    if let Some(map) = shard(id).lock().as_mut() {
        map.remove(&id);
    }
}

/// Starts a timer that sends `message` to `dest` (a local pid or an atom) at `deadline`; returns its reference. O(1).
pub fn start_message(p: &mut Process, deadline: u64, dest: Term, message: Term, wrapped: bool) -> Term {
    let id = refs::next_number();
    let own = dest == p.pid;
    let (term, frag) = signal::copy_out(message);
    let (scheduler, key) =
        sched::start_timer(deadline, Timer::Message { dest, term, frag, id, wrapped, own });
    // Only this scheduler fires it, and it is busy here.
    shard(id).lock().get_or_insert_default().insert(id, (key.to_u64(), scheduler));
    if own {
        p.rare().timers.insert(id);
    }
    refs::make_ref_numbered(p, id)
}

/// Stops a timer. Its time left in nanoseconds, or `None` if there is none (any more): then its message, if it was delivered, is
/// in the inbox already. O(1).
pub fn cancel_message(p: &mut Process, id: u64) -> Option<u64> {
    let (key, scheduler) = find(id)?;
    // While the wheel's scheduler delivers, it holds this lock.
    let cancelled = sched::wheel(scheduler).lock().cancel(key);
    let (timer, deadline) = cancelled?;
    forget(id);
    let Timer::Message { dest, frag, own, .. } = timer else { return None };
    // SAFETY: the timer owned the fragment.
    unsafe { Fragment::free_chain(frag) };
    if own
        && dest == p.pid
        && let Some(rare) = &mut p.rare
    {
        rare.timers.remove(&id);
    }
    alive(dest).then(|| deadline.saturating_sub(monotonic_ns()))
}

/// The time that a timer has left, in nanoseconds. O(1).
pub fn read_message(id: u64) -> Option<u64> {
    let (key, scheduler) = find(id)?;
    let wheel = sched::wheel(scheduler).lock();
    let (deadline, timer) = wheel.get(key)?;
    let Timer::Message { dest, .. } = timer else { return None };
    alive(*dest).then(|| deadline.saturating_sub(monotonic_ns()))
}

/// A timer for a dead process is as good as gone.
fn alive(dest: Term) -> bool {
    !dest.is_local_pid() || table::lookup(dest).is_some()
}

/// The process exits: its own timers go with it.
pub(crate) fn exit(p: &mut Process) {
    disarm_receive(p);
    let timers = match &mut p.rare {
        Some(rare) => std::mem::take(&mut rare.timers),
        None => return,
    };
    for id in timers {
        cancel_message(p, id);
    }
}

/// Fires a timer. Called with its wheel locked, so that a cancel which loses returns after the delivery.
pub(crate) fn fire(timer: Timer) {
    match timer {
        Timer::Receive(pid) => {
            if let Some(rec) = table::lookup(pid) {
                sched::wake_timed_out(rec);
            }
        }
        Timer::Message { dest, term, frag, id, wrapped, own } => {
            let (term, frag) = if wrapped {
                signal::wrap(frag, 4 + refs::REF_WORDS, |b| {
                    let r = refs::make_ref_numbered(b, id);
                    b.tuple(&[atoms::TIMEOUT, r, term])
                })
            } else {
                (term, frag)
            };
            let kind = match own {
                true => SignalKind::Timer { term, frag, timer: id },
                false => SignalKind::Message(Message::new(term, frag)),
            };
            let pid = if dest.is_atom() { registry::whereis(dest) } else { Some(dest) };
            signal::deliver_or_reject(pid.unwrap_or(Term::NONE), kind);
            forget(id);
        }
    }
}

/// Message timers pending on all schedulers.
pub fn pending() -> usize {
    PENDING.iter().map(|s| s.lock().as_ref().map_or(0, HashMap::len)).sum()
}

/// An empty wheel.
pub(crate) fn new_wheel() -> Wheel<Timer> {
    Wheel::new(monotonic_ns())
}
