//! Schedulers: one thread each, with a run queue, a timer wheel and a place to sleep.
//!
//! A process that becomes runnable goes into the queue of the scheduler that woke it (its data is in that core's cache). A
//! queue's last waiting process is its owner's to run; from two on there is a surplus, and a sleeping scheduler is woken to take
//! half. A turn is bounded, and a process that is interrupted goes back into the queue, so every process runs soon.
//!
//! A scheduler with nothing to do sleeps until a wake-up or its wheel's next deadline. There is no tick.

use crate::exits;
use crate::interp::{self, Outcome};
use crate::process::{Class, Process, TURN, flag};
use crate::signal::{Finish, Reply};
use crate::table::{self, Record};
use crate::term::Term;
use crate::timers::{self, Timer, monotonic_ns};
use chime_sync::epoll::{EpollParker, Ready};
use chime_sync::park::{MAX_SCHEDULERS, Sleepers};
use chime_sync::runqueue::{Priority, RunQueue};
use chime_sync::runstate::{Next, PENDING, QUEUED, USER_SHIFT};
use chime_sync::wheel::{Key, Wheel};
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// In the state word: the timer of a receive has fired.
pub(crate) const TIMED_OUT: u32 = 1 << USER_SHIFT;

/// A scheduler looks at the clock after so many reductions, when a timer is pending.
const CLOCK_EVERY: i64 = 2000;
/// No timer is pending.
const NEVER: u64 = u64::MAX;

/// What to start a machine with.
#[derive(Clone, Debug)]
pub struct Options {
    pub schedulers: usize,
    pub max_processes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { schedulers: available_cores(), max_processes: table::DEFAULT_LIMIT }
    }
}

/// One scheduler, as others see it.
#[repr(align(128))]
pub struct Scheduler {
    queue: RunQueue<&'static Record>,
    wheel: Mutex<Wheel<Timer>>,
    /// Earliest deadline in the wheel; may be early, never late.
    deadline: AtomicU64,
    parker: EpollParker,
    /// Reductions and turns so far; written by the owner.
    reductions: AtomicU64,
    turns: AtomicU64,
    /// Nanoseconds asleep, and since when (0: awake).
    slept: AtomicU64,
    asleep_since: AtomicU64,
    /// 1 while a process runs.
    running: AtomicUsize,
}

pub struct Machine {
    schedulers: Box<[Scheduler]>,
    sleepers: Sleepers,
    started: u64,
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

thread_local! {
    /// Index of the scheduler that this thread is; `usize::MAX` for other threads.
    static CURRENT: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn machine() -> &'static Machine {
    MACHINE.get().expect("the machine is started")
}

/// The scheduler that this thread is.
pub fn current() -> Option<usize> {
    Some(CURRENT.get()).filter(|&i| i != usize::MAX)
}

/// The name of this node. There is no distribution yet.
pub fn node_name() -> Term {
    crate::atoms::NONODE
}

impl Machine {
    /// Starts the schedulers. Once per system process.
    pub fn start(options: &Options) -> std::io::Result<&'static Machine> {
        table::set_limit(options.max_processes);
        let n = options.schedulers.clamp(1, MAX_SCHEDULERS);
        let schedulers = (0..n)
            .map(|_| {
                Ok(Scheduler {
                    queue: RunQueue::new(),
                    wheel: Mutex::new(timers::new_wheel()),
                    deadline: AtomicU64::new(NEVER),
                    parker: EpollParker::new()?,
                    reductions: AtomicU64::new(0),
                    turns: AtomicU64::new(0),
                    slept: AtomicU64::new(0),
                    asleep_since: AtomicU64::new(0),
                    running: AtomicUsize::new(0),
                })
            })
            .collect::<std::io::Result<Box<[Scheduler]>>>()?;
        let machine = Machine { schedulers, sleepers: Sleepers::new(n), started: monotonic_ns() };
        assert!(MACHINE.set(machine).is_ok(), "the machine is started once");
        for i in 0..n {
            std::thread::Builder::new()
                .name(format!("chime-sched-{}", i + 1))
                .stack_size(8 << 20)
                .spawn(move || self::machine().run(i))?;
        }
        Ok(self::machine())
    }

    /// The life of scheduler `i`.
    fn run(&'static self, i: usize) {
        CURRENT.set(i);
        let s = &self.schedulers[i];
        let mut regs = interp::Regs::new();
        let mut ready = Vec::new();
        let mut unclocked = 0;
        loop {
            if unclocked >= CLOCK_EVERY {
                unclocked = 0;
                if s.deadline.load(Ordering::Relaxed) != NEVER {
                    s.expire();
                }
            }
            match s.queue.pop().or_else(|| self.steal(i)) {
                Some(rec) => unclocked += self.turn(s, i, rec, &mut regs),
                None => {
                    unclocked = 0;
                    self.sleep(s, i, &mut ready);
                }
            }
        }
    }

    /// Takes half of a queue that has a surplus.
    fn steal(&self, i: usize) -> Option<&'static Record> {
        let n = self.schedulers.len();
        let own = &self.schedulers[i].queue;
        let rec = (1..n).find_map(|d| {
            let victim = &self.schedulers[(i + d) % n].queue;
            if victim.len() < 2 { None } else { victim.steal_into(own) }
        })?;
        if !own.is_empty() {
            self.wake_one();
        }
        Some(rec)
    }

    fn sleep(&self, s: &Scheduler, i: usize, ready: &mut Vec<Ready>) {
        self.sleepers.prepare(i);
        let surplus = self.schedulers.iter().any(|other| other.queue.len() >= 2);
        if surplus || !s.queue.is_empty() {
            self.sleepers.cancel(i);
            return;
        }
        let deadline = s.wheel.lock().next_deadline();
        let now = monotonic_ns();
        if deadline.is_some_and(|d| d <= now) {
            self.sleepers.cancel(i);
        } else if self.sleepers.commit(i) {
            s.asleep_since.store(now, Ordering::Relaxed);
            s.parker.wait(deadline, ready);
            s.asleep_since.store(0, Ordering::Relaxed);
            s.slept.fetch_add(monotonic_ns() - now, Ordering::Relaxed);
            self.sleepers.awake(i);
        }
        s.expire();
        for r in ready.drain(..) {
            if let Some(hook) = READY.get() {
                hook(r);
            }
        }
    }

    /// Wakes a scheduler that sleeps, if there is one.
    fn wake_one(&self) {
        if let Some(i) = self.sleepers.wake_one() {
            self.schedulers[i].parker.unpark();
        }
    }

    /// Runs a process for one turn; returns the reductions it took.
    fn turn(&self, s: &Scheduler, i: usize, rec: &'static Record, regs: &mut interp::Regs) -> i64 {
        let before = rec.state.begin_run();
        // SAFETY: the state is RUNNING by this thread's doing, which makes it the owner.
        let p = unsafe { &mut *rec.owner() };
        debug_assert!(std::ptr::eq(p.record, rec));
        rec.scheduler.store(i as u32, Ordering::Relaxed);
        s.running.store(1, Ordering::Relaxed);
        (p.fcalls, p.borrowed) = (TURN, 0);
        p.set(if before & QUEUED != 0 { flag::RUNNABLE } else { flag::WAITING }, true);
        if before & PENDING != 0 {
            p.fetch_signals();
        }
        let idle = !p.has(flag::EXITING) && held(p);
        p.set(flag::RUNNABLE | flag::WAITING, false);
        let mut outcome = if p.has(flag::EXITING) {
            Outcome::Exited
        } else if idle {
            Outcome::Wait
        } else {
            interp::run(p, regs)
        };
        if p.has(flag::EXITING) {
            outcome = Outcome::Exited;
        }
        let used = TURN - p.fcalls - std::mem::take(&mut p.borrowed);
        p.reductions += used.max(0) as u64;
        s.reductions.store(s.reductions.load(Ordering::Relaxed) + used.max(0) as u64, Ordering::Relaxed);
        s.turns.store(s.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let again = match outcome {
            Outcome::Yield => rec.state.end_run(true) == Next::Queue,
            Outcome::Wait => {
                // It may have gone to sleep with messages already there.
                let more = p.has(flag::HIBERNATING) && !idle && !p.mailbox.is_empty();
                rec.state.end_run(more) == Next::Queue
            }
            Outcome::Exited => {
                let reason = exits::reason_of(p);
                exits::terminate(p, reason);
                false
            }
        };
        // From here on the process may run elsewhere.
        if again {
            enqueue(rec);
        }
        s.running.store(0, Ordering::Relaxed);
        used.max(1) + 50
    }
}

/// Whether a process that could run must not: it is suspended, or hibernates and has no message.
fn held(p: &mut Process) -> bool {
    if p.rare.as_ref().is_some_and(|r| r.suspend_count > 0) {
        return true;
    }
    if p.has(flag::HIBERNATING) {
        if p.mailbox.is_empty() {
            return true;
        }
        p.set(flag::HIBERNATING, false);
    }
    false
}

impl Scheduler {
    /// Fires the timers that are due.
    fn expire(&self) {
        let now = monotonic_ns();
        if self.deadline.load(Ordering::Relaxed) > now {
            return;
        }
        let mut wheel = self.wheel.lock();
        wheel.expire(now, timers::fire);
        self.deadline.store(wheel.next_deadline().unwrap_or(NEVER), Ordering::Relaxed);
    }
}

/// Puts a runnable process into a run queue.
pub fn enqueue(rec: &'static Record) {
    let m = machine();
    let priority = match rec.priority.load(Ordering::Relaxed) {
        0 => Priority::Max,
        1 => Priority::High,
        3 => Priority::Low,
        _ => Priority::Normal,
    };
    match current() {
        Some(i) => {
            if m.schedulers[i].queue.push(priority, rec) >= 2 {
                m.wake_one();
            }
        }
        None => {
            let i = rec.scheduler.load(Ordering::Relaxed) as usize % m.schedulers.len();
            let len = m.schedulers[i].queue.push(priority, rec);
            if m.sleepers.wake(i) {
                m.schedulers[i].parker.unpark();
            } else if len >= 2 || m.schedulers[i].running.load(Ordering::Relaxed) != 0 {
                m.wake_one();
            }
        }
    }
}

/// Tells a process that something has arrived.
#[inline]
pub fn wake(rec: &'static Record) {
    if rec.state.notify() {
        enqueue(rec);
    }
}

/// Tells a process that the timer of its receive has fired.
pub(crate) fn wake_timed_out(rec: &'static Record) {
    if rec.state.notify_with(TIMED_OUT) {
        enqueue(rec);
    }
}

// ---- timers

/// Puts a timer into the wheel of the scheduler that calls. O(1).
pub(crate) fn start_timer(deadline: u64, timer: Timer) -> (u32, Key) {
    let i = current().expect("timers are started by processes");
    let s = &machine().schedulers[i];
    let key = s.wheel.lock().insert(deadline, timer);
    if deadline < s.deadline.load(Ordering::Relaxed) {
        s.deadline.store(deadline, Ordering::Relaxed);
    }
    (i as u32, key)
}

pub(crate) fn wheel(scheduler: u32) -> &'static Mutex<Wheel<Timer>> {
    &machine().schedulers[scheduler as usize].wheel
}

// ---- descriptors

/// Called for each descriptor that has become ready, on the scheduler that watches it.
pub type ReadyHook = fn(Ready);
static READY: OnceLock<ReadyHook> = OnceLock::new();

/// Installs the receiver of descriptor events.
pub fn on_ready(hook: ReadyHook) {
    let _ = READY.set(hook);
}

/// Where scheduler `i` sleeps: descriptors are registered there.
pub fn parker(i: usize) -> &'static EpollParker {
    &machine().schedulers[i].parker
}

// ---- the end

struct Main {
    pid: AtomicU64,
    status: Mutex<Option<i32>>,
    done: Condvar,
}
static MAIN: Main = Main { pid: AtomicU64::new(0), status: Mutex::new(None), done: Condvar::new() };
static HALTING: AtomicI32 = AtomicI32::new(0);

/// The machine ends when this process does.
pub fn set_main(pid: Term) {
    MAIN.pid.store(pid.0, Ordering::Release);
}

pub(crate) fn main_exited(pid: Term, reason: Term) -> Option<i32> {
    let main = MAIN.pid.load(Ordering::Acquire) == pid.0;
    main.then(|| if reason == crate::atoms::NORMAL { 0 } else { 1 })
}

pub(crate) fn main_done(status: i32) {
    let mut s = MAIN.status.lock();
    if s.is_none() {
        *s = Some(status);
        MAIN.done.notify_all();
    }
}

/// Ends the machine soon, with this exit status: `init:stop/1`.
pub fn stop(status: i32) {
    main_done(status);
}

/// Waits until the main process has ended, or somebody halts the machine; returns the exit status.
pub fn wait_main() -> i32 {
    let mut s = MAIN.status.lock();
    loop {
        match *s {
            Some(status) => return status,
            None => MAIN.done.wait(&mut s),
        }
    }
}

/// Flushes what is buffered.
pub type HaltHook = fn();
static AT_HALT: Mutex<Vec<HaltHook>> = Mutex::new(Vec::new());

/// Runs `hook` before the machine ends.
pub fn at_halt(hook: HaltHook) {
    AT_HALT.lock().push(hook);
}

/// Ends the machine: flushes output unless told otherwise, and exits.
pub fn halt(status: i32, flush: bool) -> ! {
    if HALTING.swap(1, Ordering::SeqCst) != 0 {
        // Another thread is ending the machine.
        loop {
            std::thread::park();
        }
    }
    if flush {
        let hooks = std::mem::take(&mut *AT_HALT.lock());
        for hook in hooks {
            hook();
        }
    }
    std::process::exit(status)
}

/// Called for each process that ends by an uncaught error, before its exit signals go out.
pub type CrashHook = fn(&mut Process, Class, Term);
static CRASH: OnceLock<CrashHook> = OnceLock::new();

/// Installs what reports uncaught errors.
pub fn on_crash(hook: CrashHook) {
    let _ = CRASH.set(hook);
}

/// An error (or throw) was not caught: `reason` holds the stack trace.
#[cold]
pub fn report_crash(p: &mut Process, class: Class, reason: Term) {
    if let Some(hook) = CRASH.get() {
        hook(p, class, reason);
    }
}

// ---- work that blocks

type Job = Box<dyn FnOnce() + Send>;

struct Pool {
    state: Mutex<PoolState>,
    work: Condvar,
}
struct PoolState {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}
static POOL: Pool = Pool {
    state: Mutex::new(PoolState { jobs: VecDeque::new(), threads: 0, idle: 0 }),
    work: Condvar::new(),
};
/// As OTP's number of dirty I/O schedulers.
const MAX_BLOCKING: usize = 10;

fn submit(job: Job) {
    let mut state = POOL.state.lock();
    state.jobs.push_back(job);
    if state.idle >= state.jobs.len() || state.threads == MAX_BLOCKING {
        POOL.work.notify_one();
        return;
    }
    state.threads += 1;
    let name = format!("chime-block-{}", state.threads);
    drop(state);
    if std::thread::Builder::new().name(name).spawn(blocking_thread).is_err() {
        let mut state = POOL.state.lock();
        state.threads -= 1;
        assert!(state.threads > 0, "the system gives no thread for blocking work");
    }
}

fn blocking_thread() {
    let mut state = POOL.state.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = POOL.state.lock();
        } else {
            state.idle += 1;
            POOL.work.wait(&mut state);
            state.idle -= 1;
        }
    }
}

/// Runs `job` on a thread that may block, while the process sleeps (and still takes signals); then what the job returns runs
/// in the process and gives the built-in's result.
pub fn blocking(p: &mut Process, job: impl FnOnce() -> Finish + Send + 'static) -> crate::bif::BifResult {
    crate::signal::request(p, move |reply: Arc<Reply>| {
        submit(Box::new(move || {
            let finish = job();
            reply.answer(finish);
        }));
    })
}

// ---- numbers about schedulers

pub fn count() -> usize {
    MACHINE.get().map_or(1, |m| m.schedulers.len())
}
/// Processes waiting in each run queue.
pub fn queue_lengths() -> Vec<usize> {
    machine().schedulers.iter().map(|s| s.queue.len()).collect()
}
/// Of each scheduler: processes waiting to run and running.
pub fn active() -> Vec<usize> {
    machine().schedulers.iter().map(|s| s.queue.len() + s.running.load(Ordering::Relaxed)).collect()
}
/// Turns of all processes so far.
pub fn turns() -> u64 {
    machine().schedulers.iter().map(|s| s.turns.load(Ordering::Relaxed)).sum()
}
/// Reductions of finished turns.
pub fn reductions() -> u64 {
    machine().schedulers.iter().map(|s| s.reductions.load(Ordering::Relaxed)).sum()
}
/// Of each scheduler: nanoseconds awake, and in all.
pub fn wall_times() -> Vec<(u64, u64)> {
    let m = machine();
    let now = monotonic_ns();
    let total = now - m.started;
    let times = m.schedulers.iter().map(|s| {
        let since = s.asleep_since.load(Ordering::Relaxed);
        let asleep = s.slept.load(Ordering::Relaxed) + if since == 0 { 0 } else { now.saturating_sub(since) };
        (total.saturating_sub(asleep), total)
    });
    times.collect()
}
/// Nanoseconds since the machine started.
pub fn uptime() -> u64 {
    monotonic_ns() - machine().started
}

/// Cores that this system process may use: its affinity, and its share of time if a control group limits that.
pub fn available_cores() -> usize {
    let allowed = affinity();
    match cpu_quota() {
        Some(quota) => allowed.min(quota).max(1),
        None => allowed,
    }
}

/// Cores in the affinity mask.
pub fn affinity() -> usize {
    // SAFETY: the set is plain bits; the call fills it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) == 0 {
            (libc::CPU_COUNT(&set) as usize).max(1)
        } else {
            std::thread::available_parallelism().map_or(1, |n| n.get())
        }
    }
}

/// Cores' worth of time that the control group grants, rounded up.
pub fn cpu_quota() -> Option<usize> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let (quota, period): (f64, f64) = if let Some(text) = read("/sys/fs/cgroup/cpu.max") {
        let mut parts = text.split_whitespace();
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)
    } else {
        let dir = "/sys/fs/cgroup/cpu";
        let quota: f64 = read(&format!("{dir}/cpu.cfs_quota_us"))?.trim().parse().ok()?;
        (quota, read(&format!("{dir}/cpu.cfs_period_us"))?.trim().parse().ok()?)
    };
    (quota > 0.0 && period > 0.0).then(|| (quota / period).ceil() as usize)
}
