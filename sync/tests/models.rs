//! loom models of the protocols, on the code that the machine runs.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p chime-sync --release`
//!
//! Each model is explored completely unless it names a bound on preemptions. A wake-up that gets lost shows
//! as a deadlock, a process that runs twice as a race on its cell. "Mutant" names changes of the code that
//! were tried, and how the model answers.
#![cfg(loom)]

use chime_sync::inbox::{Inbox, Node};
use chime_sync::names::{NameCell, Names, Refused};
use chime_sync::park::{Parker, Sleepers};
use chime_sync::runqueue::{Priority, RunQueue};
use chime_sync::runstate::{Next, RunState};
use chime_sync::wheel::{TICK_NS, Wheel};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

/// Explores a model with at most so many preemptions in one execution.
fn bounded(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Two producers, a consumer that takes and then closes: every node is received once or handed back, in the
/// order of its producer, and what is handed back is a tail of what was sent.
/// Mutant: the push publishes with Relaxed: race on the link.
/// Mutant: `close` stores null instead of the mark: a push succeeds after it.
#[test]
fn inbox_receives_or_returns_each_node() {
    loom::model(|| {
        let inbox = Arc::new(Inbox::new());
        let producers: Vec<_> = [(0, 2), (1, 1)]
            .map(|(p, n)| {
                let inbox = inbox.clone();
                thread::spawn(move || (0..n).take_while(|&i| inbox.push(Node::boxed((p, i))).is_ok()).count())
            })
            .into();
        let mut chain = inbox.take_all();
        chain.append(inbox.close());
        let accepted: Vec<usize> = producers.into_iter().map(|p| p.join().unwrap()).collect();
        assert!(inbox.push(Node::boxed((9, 9))).is_err() && inbox.take_all().is_empty());
        let mut received = [0, 0];
        for node in chain {
            let (p, i) = node.value;
            assert_eq!(received[p], i, "order of one producer");
            received[p] += 1;
        }
        assert_eq!(received[..], accepted[..]);
    });
}

/// A process as the schedulers see it. `heap` stands for everything that only its runner may touch.
struct Process {
    inbox: Inbox<Node<usize>>,
    state: RunState,
    heap: UnsafeCell<usize>,
}

impl Process {
    fn new() -> Arc<Self> {
        Arc::new(Self { inbox: Inbox::new(), state: RunState::waiting(), heap: UnsafeCell::new(0) })
    }

    /// `true`: the caller has to queue the process.
    fn send(&self, value: usize) -> bool {
        self.inbox.push(Node::boxed(value)).is_ok_and(|was_empty| was_empty && self.state.notify())
    }

    fn receive(&self) -> usize {
        self.state.clear_pending();
        let got: usize = self.inbox.take_all().map(|n| n.value).sum();
        // SAFETY: loom checks that nobody else is here.
        self.heap.with_mut(|h| unsafe {
            *h += got;
            *h
        })
    }

    /// What a scheduler does with a process from its queue, until the process waits. `busy`: so many turns
    /// end because the reductions are used up.
    fn run(&self, mut busy: usize) {
        loop {
            self.state.begin_run();
            self.receive();
            let want_more = busy > 0;
            busy = busy.saturating_sub(1);
            if self.state.end_run(want_more) == Next::Wait {
                return;
            }
        }
    }

    fn total(&self) -> usize {
        // SAFETY: loom checks that nobody else is here.
        self.heap.with(|h| unsafe { *h })
    }
}

/// Whoever is told to queue the process runs it, as the scheduler that takes it at once. At the end
/// everything has been received, and never did two run it.
/// Mutant: `clear_pending` after `take_all`: a message stays in the inbox.
/// Mutant: `end_run` ignores PENDING: a message stays.
/// Mutant: `notify` says `true` whenever the process does not run: it is queued twice, and its state ends
/// wrong.
/// Mutant: `notify` or `clear_pending` with Relaxed: a message stays. `end_run` with Relaxed: race on the
/// heap.
#[test]
fn no_wake_up_is_lost_and_nothing_runs_twice() {
    loom::model(|| {
        let p = Process::new();
        let q = p.clone();
        let other = thread::spawn(move || {
            if q.send(1) {
                q.run(1);
            }
        });
        for value in [10, 100] {
            if p.send(value) {
                p.run(0);
            }
        }
        other.join().unwrap();
        assert_eq!(p.total(), 111);
        assert!(p.inbox.is_empty() && !p.state.is_queued() && !p.state.is_running());
    });
}

/// The same with three senders: two of them race for the wake-up while the third runs the process.
#[test]
fn three_senders() {
    bounded(3, || {
        let p = Process::new();
        let others: Vec<_> = [1, 10]
            .map(|value| {
                let q = p.clone();
                thread::spawn(move || {
                    if q.send(value) {
                        q.run(0);
                    }
                })
            })
            .into();
        if p.send(100) {
            p.run(0);
        }
        others.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(p.total(), 111);
        assert!(p.inbox.is_empty() && !p.state.is_queued());
    });
}

/// The process exits at its first message while others send: each signal is received by it or returned to its
/// sender, and the dead record is never queued.
/// Mutant: `notify` ignores DEAD: the dead process is queued.
#[test]
fn exit_against_senders() {
    bounded(3, || {
        let p = Process::new();
        let handled = Arc::new(AtomicUsize::new(0));
        let send = |p: &Process, handled: &AtomicUsize| match p.inbox.push(Node::boxed(1)) {
            Err(_) => drop(handled.fetch_add(1, Ordering::Relaxed)),
            Ok(was_empty) => {
                if was_empty && p.state.notify() {
                    p.state.begin_run();
                    p.state.clear_pending();
                    let got = p.inbox.take_all().count() + p.inbox.close().count();
                    handled.fetch_add(got, Ordering::Relaxed);
                    p.state.finish();
                }
            }
        };
        let others: Vec<_> = (0..2)
            .map(|_| {
                let (p, handled) = (p.clone(), handled.clone());
                thread::spawn(move || send(&p, &handled))
            })
            .collect();
        send(&p, &handled);
        others.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(handled.load(Ordering::Relaxed), 3);
        assert!(!p.state.notify());
    });
}

/// Stands in for eventfd and epoll: a binary semaphore.
struct Semaphore(Mutex<bool>, Condvar);

impl Semaphore {
    fn new() -> Self {
        Self(Mutex::new(false), Condvar::new())
    }
}

impl Parker for Semaphore {
    fn park(&self, _: Option<u64>) {
        let mut set = self.0.lock().unwrap();
        while !*set {
            set = self.1.wait(set).unwrap();
        }
        *set = false;
    }

    fn unpark(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_one();
    }
}

/// Schedulers that share one queue of work.
struct Machine {
    queue: RunQueue<usize>,
    sleepers: Sleepers,
    parkers: Vec<Semaphore>,
}

impl Machine {
    fn new(schedulers: usize) -> Arc<Self> {
        let parkers = (0..schedulers).map(|_| Semaphore::new()).collect();
        Arc::new(Self { queue: RunQueue::new(), sleepers: Sleepers::new(schedulers), parkers })
    }

    /// Scheduler `i` gets one piece of work, sleeping until there is some.
    fn next(&self, i: usize) -> usize {
        loop {
            if let Some(work) = self.queue.pop() {
                return work;
            }
            self.sleepers.prepare(i);
            if !self.queue.is_empty() {
                self.sleepers.cancel(i);
            } else if self.sleepers.commit(i) {
                self.parkers[i].park(None);
                self.sleepers.awake(i);
            }
        }
    }

    fn produce(&self, work: usize) {
        self.queue.push(Priority::Normal, work);
        if let Some(i) = self.sleepers.wake_one() {
            self.parkers[i].unpark();
        }
    }

    fn produce_for(&self, i: usize, work: usize) {
        self.queue.push(Priority::Normal, work);
        if self.sleepers.wake(i) {
            self.parkers[i].unpark();
        }
    }
}

/// A scheduler falls asleep while work arrives: it gets it.
/// Mutant: no fence in `prepare`, or none in `wake_one`: deadlock.
/// Mutant: the scheduler does not look again after `prepare`: deadlock.
#[test]
fn no_scheduler_sleeps_over_work() {
    loom::model(|| {
        let m = Machine::new(1);
        let n = m.clone();
        let producer = thread::spawn(move || n.produce(1));
        assert_eq!(m.next(0), 1);
        producer.join().unwrap();
    });
}

/// Two sleeps of one scheduler, woken by name and out of the idle set: what belongs to the first sleep does
/// not spoil the second.
#[test]
fn a_second_sleep_is_found_too() {
    bounded(3, || {
        let m = Machine::new(1);
        let (n, o) = (m.clone(), m.clone());
        let named = thread::spawn(move || n.produce_for(0, 1));
        let any = thread::spawn(move || o.produce(10));
        assert_eq!(m.next(0) + m.next(0), 11);
        named.join().unwrap();
        any.join().unwrap();
    });
}

/// Two schedulers, two pieces of work, one producer that wakes at most one for each: both get one.
/// Mutant: `prepare` enters the set before the state says SLEEPING: the bit is taken in vain, and the sleeper
/// is not found; deadlock.
#[test]
fn one_wake_up_for_each_piece_of_work() {
    bounded(2, || {
        let m = Machine::new(2);
        let schedulers: Vec<_> = (0..2)
            .map(|i| {
                let m = m.clone();
                thread::spawn(move || m.next(i))
            })
            .collect();
        m.produce(1);
        m.produce(10);
        assert_eq!(schedulers.into_iter().map(|t| t.join().unwrap()).sum::<usize>(), 11);
    });
}

const NAME: u64 = 5;

/// Somebody registers a process that exits: its name does not stay behind.
/// Mutant: the last step of `register_process` is a load: the name stays.
#[test]
fn a_dead_process_keeps_no_name() {
    loom::model(|| {
        let shared = Arc::new((Names::new(), NameCell::new()));
        let other = shared.clone();
        let exit = thread::spawn(move || other.0.exit_process(&other.1, 1));
        let registered = shared.0.register_process(&shared.1, NAME, 1);
        let had = exit.join().unwrap();
        assert_eq!(shared.0.whereis(NAME), None);
        match registered {
            Ok(()) => assert_eq!(had, Some(NAME)),
            Err(why) => assert_eq!(why, Refused::Exited),
        }
    });
}

/// Two processes want one name, and one of them exits: one owner at a time, and the dead one is not the last.
#[test]
fn one_owner_while_one_exits() {
    loom::model(|| {
        let shared = Arc::new((Names::new(), [NameCell::new(), NameCell::new()]));
        let (a, b) = (shared.clone(), shared.clone());
        let first = thread::spawn(move || a.0.register_process(&a.1[0], NAME, 1));
        let exit = thread::spawn(move || b.0.exit_process(&b.1[0], 1));
        let second = shared.0.register_process(&shared.1[1], NAME, 2);
        let (_, had) = (first.join().unwrap(), exit.join().unwrap());
        match second {
            Ok(()) => assert_eq!((shared.0.whereis(NAME), shared.1[1].get()), (Some(2), Some(NAME))),
            Err(why) => {
                assert_eq!(why, Refused::Taken);
                assert_eq!((shared.0.whereis(NAME), shared.1[1].get()), (None, None));
            }
        }
        assert!(had.is_none() || had == Some(NAME));
    });
}

/// A named process loses its name to `unregister`, exits, and another takes the name, all at once: the name
/// of the other is not taken away by mistake.
/// Mutant: `exit_process` frees the name without comparing the value: the new owner loses it.
#[test]
fn unregister_exit_and_a_new_owner() {
    loom::model(|| {
        let shared = Arc::new((Names::new(), [NameCell::new(), NameCell::new()]));
        shared.0.register_process(&shared.1[0], NAME, 1).unwrap();
        let (a, b) = (shared.clone(), shared.clone());
        let unregister = thread::spawn(move || a.0.unregister_process(&a.1[0], NAME, 1));
        let exit = thread::spawn(move || b.0.exit_process(&b.1[0], 1));
        let taken = shared.0.register_process(&shared.1[1], NAME, 2);
        let (freed, had) = (unregister.join().unwrap(), exit.join().unwrap());
        assert!(freed != had.is_some(), "freed once");
        assert_eq!(shared.0.whereis(NAME), taken.ok().map(|()| 2));
    });
}

/// Two names that compete for the same places of the table: each gets its own.
#[test]
fn names_do_not_share_a_slot() {
    loom::model(|| {
        let names = Arc::new(Names::new());
        let other = names.clone();
        let t = thread::spawn(move || other.register(1, 11));
        assert!(names.register(2, 22));
        assert!(t.join().unwrap());
        assert_eq!((names.whereis(1), names.whereis(2)), (Some(11), Some(22)));
    });
}

/// A timer is cancelled while it is delivered: one of the two wins, and a cancel that loses finds the message
/// in the inbox.
/// Mutant: the scheduler collects what is due under the lock and delivers after it: the message is not there
/// yet.
#[test]
fn a_cancel_that_loses_comes_after_the_delivery() {
    loom::model(|| {
        let wheel = chime_sync::shim::Mutex::new(Wheel::new(0));
        let shared = Arc::new((wheel, Inbox::new()));
        let key = shared.0.lock().insert(TICK_NS, 7);
        let other = shared.clone();
        let scheduler = thread::spawn(move || {
            let mut wheel = other.0.lock();
            wheel.expire(TICK_NS, |value| drop(other.1.push(Node::boxed(value))));
        });
        let cancelled = shared.0.lock().cancel(key);
        let received = shared.1.take_all().map(|n| n.value).collect::<Vec<_>>();
        match cancelled {
            Some(timer) => assert_eq!((timer, received), ((7, TICK_NS), vec![])),
            None => assert_eq!(received, [7]),
        }
        scheduler.join().unwrap();
        assert!(shared.1.is_empty() && shared.0.lock().is_empty());
    });
}

/// An owner and two thieves: every item is taken once.
#[test]
fn theft_neither_loses_nor_doubles() {
    bounded(3, || {
        let queues = Arc::new([RunQueue::new(), RunQueue::new(), RunQueue::new()]);
        for item in [1usize, 10, 100] {
            queues[0].push(Priority::Normal, item);
        }
        let thieves: Vec<_> = (1..3)
            .map(|i| {
                let q = queues.clone();
                thread::spawn(move || q[0].steal_into(&q[i]).unwrap_or(0))
            })
            .collect();
        let mut sum = queues[0].pop().unwrap_or(0);
        sum += thieves.into_iter().map(|t| t.join().unwrap()).sum::<usize>();
        for queue in queues.iter() {
            while let Some(item) = queue.pop() {
                sum += item;
            }
            assert_eq!(queue.len(), 0);
        }
        assert_eq!(sum, 111);
    });
}
