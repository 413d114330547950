//! The process table: records that are never given back to the system, only to the next process.
//!
//! A record is type-stable: whoever has found one may push a signal into its inbox or notify it at any later time. If
//! another process lives in it by then, it finds that the signal is meant for a pid that is not its own, and treats it
//! as a signal to the dead. So looking up and sending need neither locks nor reference counts.
//!
//! A local pid is `serial << 28 | slot`. Slots are reused in the order in which they became free, and only when a
//! good number of them is free, so that a pid does not come back soon.

use crate::process::Process;
use crate::signal::Signal;
use crate::term::Term;
use chime_sync::inbox::Inbox;
use chime_sync::names::NameCell;
use chime_sync::runstate::RunState;
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};

const CHUNK: usize = 64;
/// The most slots a machine can be configured for (OTP: 2^27).
pub const MAX_LIMIT: usize = 1 << 24;
/// More than OTP's 2^18, so that a million processes live at once without a flag.
pub const DEFAULT_LIMIT: usize = 1 << 21;
const SLOT_BITS: u32 = 28;
/// So many slots must be free before one is reused.
const KEEP_FREE: usize = 1024;

/// What every thread may touch of a process, and the process itself, which only its owner touches.
pub struct Record {
    /// The pid's word; 0 while nobody lives here, and from the moment the process starts to exit.
    pid: AtomicU64,
    pub state: RunState,
    /// Scheduler that ran it last.
    pub scheduler: AtomicU32,
    pub inbox: Inbox<Signal>,
    pub name: NameCell,
    /// Those who are about to change `name` on behalf of others; the record is not reused meanwhile.
    pins: AtomicU32,
    pub priority: AtomicU8,
    slot: u32,
    serial: UnsafeCell<u32>,
    owner: UnsafeCell<MaybeUninit<Process>>,
}

// SAFETY: `owner` is touched only by the thread that made the state RUNNING (or by the one that took the record from the
// free list and has not published it yet); `serial` only by the latter. All else is atomic.
unsafe impl Sync for Record {}

impl Record {
    /// The process that lives here. See the `Sync` implementation for who may dereference it.
    #[inline(always)]
    pub fn owner(&self) -> *mut Process {
        self.owner.get().cast()
    }
    /// The pid of who lives here, if anyone does and has not started to exit.
    #[inline]
    pub fn pid(&self) -> Option<Term> {
        let word = self.pid.load(Ordering::Acquire);
        (word != 0).then_some(Term(word))
    }
    /// Whether `pid` still lives here.
    #[inline]
    pub fn is(&self, pid: Term) -> bool {
        self.pid.load(Ordering::Acquire) == pid.0
    }
}

static CHUNKS: [AtomicPtr<Record>; MAX_LIMIT / CHUNK] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_LIMIT / CHUNK];
static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Slots handed out at least once.
static USED: AtomicUsize = AtomicUsize::new(0);
static FREE: Mutex<VecDeque<u32>> = Mutex::new(VecDeque::new());

/// Processes alive.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}
/// Sets the limit, within what is possible. Called before the machine starts.
pub fn set_limit(n: usize) {
    LIMIT.store(n.clamp(1024, MAX_LIMIT), Ordering::Relaxed);
}

fn record(slot: usize) -> Option<&'static Record> {
    let chunk = CHUNKS.get(slot / CHUNK)?.load(Ordering::Acquire);
    if chunk.is_null() {
        return None;
    }
    // SAFETY: a published chunk holds CHUNK initialised records and is never freed.
    Some(unsafe { &*chunk.add(slot % CHUNK) })
}

/// The record of a live local process. Lock-free: two loads.
#[inline]
pub fn lookup(pid: Term) -> Option<&'static Record> {
    if !pid.is_local_pid() {
        return None;
    }
    let rec = record((pid.pid_data() & ((1 << SLOT_BITS) - 1)) as usize)?;
    rec.is(pid).then_some(rec)
}

/// Allocates the chunk of a slot. The caller holds the lock of the free list.
fn grow(slot: usize) {
    let layout = Layout::array::<Record>(CHUNK).expect("a chunk's layout is valid");
    // SAFETY: the layout is not empty; every record is written before the chunk is published.
    unsafe {
        let chunk = alloc(layout).cast::<Record>();
        if chunk.is_null() {
            handle_alloc_error(layout);
        }
        for i in 0..CHUNK {
            chunk.add(i).write(Record {
                pid: AtomicU64::new(0),
                state: RunState::dead(),
                scheduler: AtomicU32::new(0),
                inbox: Inbox::new_closed(),
                name: NameCell::new(),
                pins: AtomicU32::new(0),
                priority: AtomicU8::new(0),
                slot: (slot / CHUNK * CHUNK + i) as u32,
                serial: UnsafeCell::new(0),
                owner: UnsafeCell::new(MaybeUninit::uninit()),
            });
        }
        CHUNKS[slot / CHUNK].store(chunk, Ordering::Release);
    }
}

/// A record for a new process and its pid, not published yet; `None` at the limit.
pub fn reserve() -> Option<(&'static Record, Term)> {
    let mut free = FREE.lock();
    let used = USED.load(Ordering::Relaxed);
    let slot = if free.len() > KEEP_FREE || used >= limit() {
        // One that is pinned goes to the end; a pin lasts a few instructions.
        let tries = free.len();
        (0..tries).find_map(|_| {
            let slot = free.pop_front()?;
            let rec = record(slot as usize)?;
            // A read-modify-write: it comes before or after that of `pinned` in the order of `pins`.
            if rec.pins.fetch_or(0, Ordering::SeqCst) != 0 {
                free.push_back(slot);
                return None;
            }
            Some(slot as usize)
        })?
    } else {
        if used.is_multiple_of(CHUNK) {
            grow(used);
        }
        USED.store(used + 1, Ordering::Release);
        used
    };
    drop(free);
    COUNT.fetch_add(1, Ordering::Relaxed);
    let rec = record(slot)?;
    // SAFETY: taken from the free list: this thread is the only one to touch `serial`.
    let serial = unsafe {
        *rec.serial.get() += 1;
        *rec.serial.get()
    };
    // Serial numbers start at 0, as OTP's do.
    Some((rec, Term::pid(u64::from(serial - 1) << SLOT_BITS | slot as u64)))
}

/// Makes a reserved record, whose process is complete, known as `pid`. The caller puts it into a run queue.
pub fn publish(rec: &'static Record, pid: Term) {
    rec.name.revive();
    // The state first: a late signal for the last process that gets in once the inbox is open must leave its mark on it, or
    // the inbox would stay filled unnoticed.
    rec.state.revive(0);
    rec.inbox.reopen();
    rec.pid.store(pid.0, Ordering::SeqCst);
}

/// The process starts to exit: look-ups find it no more.
pub fn hide(rec: &'static Record) {
    rec.pid.swap(0, Ordering::SeqCst);
}

/// Gives the record back. Its process is gone, its inbox closed, its state finished.
pub fn release(rec: &'static Record) {
    debug_assert!(rec.pid().is_none() && rec.inbox.is_closed());
    COUNT.fetch_sub(1, Ordering::Relaxed);
    FREE.lock().push_back(rec.slot);
}

/// Runs `f` while the record cannot get another owner; `None` if `pid` does not live there any more.
pub fn pinned<R>(pid: Term, f: impl FnOnce(&'static Record) -> R) -> Option<R> {
    let rec = lookup(pid)?;
    rec.pins.fetch_add(1, Ordering::SeqCst);
    let out = (rec.pid.load(Ordering::SeqCst) == pid.0).then(|| f(rec));
    rec.pins.fetch_sub(1, Ordering::Release);
    out
}

/// Visits every live process from slot `from` on, at most `max` slots; returns where to go on, or `None` at the end.
pub fn scan(from: usize, max: usize, mut f: impl FnMut(Term)) -> Option<usize> {
    let used = USED.load(Ordering::Acquire);
    let end = used.min(from + max);
    for slot in from..end {
        if let Some(pid) = record(slot).and_then(Record::pid) {
            f(pid);
        }
    }
    (end < used).then_some(end)
}
