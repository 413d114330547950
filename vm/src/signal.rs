//! Signals: everything that one process sends another, and what it does on arrival.
//!
//! All of them go through the receiver's one inbox, so the order of each pair of processes is kept across kinds. Terms in a
//! signal live in a fragment that the signal owns. A signal names the pid that it is meant for: when it arrives where
//! that process is no more (its record is reused, or its inbox closed), it is answered as by the dead ([`reject`]).

use crate::atoms;
use crate::bif::{Bail, BifResult};
use crate::copy;
use crate::heap::{Alloc, FragBuilder, Fragment};
use crate::mailbox::Message;
use crate::process::{Class, Process, flag};
use crate::refs;
use crate::registry;
use crate::relations::{AliasMode, Linked, Watcher};
use crate::sched;
use crate::table;
use crate::term::Term;
use chime_sync::inbox::{Link, Linked as InboxNode};
use parking_lot::Mutex;
use std::ptr;
use std::sync::Arc;

/// Code that runs in the receiver, at a point where it may be inspected and changed; `None`: the receiver is dead.
pub type Call = Box<dyn FnOnce(Option<&mut Process>) + Send>;

/// How an exit signal came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitKind {
    /// Along a link: ignored unless the link is still there.
    Link,
    /// By `exit/2`: `kill` cannot be caught.
    Explicit,
}

pub enum SignalKind {
    Message(Message),
    /// A message to an alias, by the number of its reference.
    Alias {
        term: Term,
        frag: *mut Fragment,
        alias: u64,
    },
    /// The message of a timer that the receiver started for itself.
    Timer {
        term: Term,
        frag: *mut Fragment,
        timer: u64,
    },
    Exit {
        from: Term,
        reason: Term,
        frag: *mut Fragment,
        kind: ExitKind,
    },
    Link {
        from: Term,
    },
    Unlink {
        from: Term,
        id: u64,
    },
    UnlinkAck {
        from: Term,
        id: u64,
    },
    Monitor {
        from: Term,
        name: Term,
        id: u64,
    },
    Demonitor {
        id: u64,
    },
    Down {
        id: u64,
        reason: Term,
        frag: *mut Fragment,
    },
    GroupLeader(Term),
    Call(Call),
}

/// A node of an inbox.
pub struct Signal {
    link: Link<Signal>,
    /// Whom it is meant for.
    pub to: Term,
    pub kind: SignalKind,
}

const _: () = assert!(size_of::<Signal>() <= 56);

// SAFETY: `link` is always the same private field.
unsafe impl InboxNode for Signal {
    #[inline(always)]
    fn link(&self) -> &Link<Signal> {
        &self.link
    }
}
// SAFETY: a signal owns the fragments it points to; nobody else reads them.
unsafe impl Send for Signal {}

impl Signal {
    #[inline]
    pub fn boxed(to: Term, kind: SignalKind) -> Box<Signal> {
        Box::new(Signal { link: Link::new(), to, kind })
    }
}

/// Copies a term into fragments of its own; immediates and literals need none.
#[inline]
pub fn copy_out(t: Term) -> (Term, *mut Fragment) {
    if t.is_immed() { (t, ptr::null_mut()) } else { copy::copy_to_fragment(t) }
}

/// Delivers a signal and wakes the receiver; hands it back if the receiver is dead. Lock-free but for the run queue.
#[inline]
pub fn deliver(to: Term, kind: SignalKind) -> Result<(), SignalKind> {
    let Some(rec) = table::lookup(to) else { return Err(kind) };
    match rec.inbox.push(Signal::boxed(to, kind)) {
        Ok(first) => {
            if first {
                sched::wake(rec);
            }
            Ok(())
        }
        Err(node) => Err(node.kind),
    }
}

/// Delivers a signal, or answers it as the dead do.
pub fn deliver_or_reject(to: Term, kind: SignalKind) {
    if let Err(kind) = deliver(to, kind) {
        reject(to, kind);
    }
}

fn free(frag: *mut Fragment) {
    // SAFETY: the caller owned the signal, and with it the fragments.
    unsafe { Fragment::free_chain(frag) }
}

/// What becomes of a signal to a process that is no more.
#[cold]
pub fn reject(to: Term, kind: SignalKind) {
    match kind {
        SignalKind::Message(m) => free(m.frag),
        SignalKind::Alias { frag, .. }
        | SignalKind::Timer { frag, .. }
        | SignalKind::Exit { frag, .. }
        | SignalKind::Down { frag, .. } => free(frag),
        SignalKind::Link { from } => {
            let reason = atoms::NOPROC;
            let exit = SignalKind::Exit { from: to, reason, frag: ptr::null_mut(), kind: ExitKind::Link };
            let _ = deliver(from, exit);
        }
        SignalKind::Unlink { from, id } => {
            let _ = deliver(from, SignalKind::UnlinkAck { from: to, id });
        }
        SignalKind::Monitor { from, id, .. } => {
            let down = SignalKind::Down { id, reason: atoms::NOPROC, frag: ptr::null_mut() };
            let _ = deliver(from, down);
        }
        SignalKind::UnlinkAck { .. } | SignalKind::Demonitor { .. } | SignalKind::GroupLeader(_) => {}
        SignalKind::Call(call) => call(None),
    }
}

/// Sends a message built in a fragment, from anywhere. Dropped if there is no such process.
pub fn send_fragment(to: Term, term: Term, frag: *mut Fragment) {
    if let Err(kind) = deliver(to, SignalKind::Message(Message::new(term, frag))) {
        reject(to, kind);
    }
}

/// Words in a chain of fragments.
fn words(mut frag: *mut Fragment) -> usize {
    let mut n = 0;
    while !frag.is_null() {
        // SAFETY: the caller owns the chain.
        unsafe {
            n += (*frag).used;
            frag = (*frag).next;
        }
    }
    n
}

/// Sends a copy of `msg` to a pid or alias; to the dead, it goes nowhere.
fn send_to(from: &mut Process, to: Term, alias: Option<u64>, msg: Term) {
    let Some(rec) = table::lookup(to) else { return };
    let (term, frag) = copy_out(msg);
    from.bump(3 + words(frag) / 16);
    let kind = match alias {
        None => SignalKind::Message(Message::new(term, frag)),
        Some(alias) => SignalKind::Alias { term, frag, alias },
    };
    match rec.inbox.push(Signal::boxed(to, kind)) {
        Ok(true) => sched::wake(rec),
        Ok(false) => {}
        Err(node) => reject(to, node.kind),
    }
}

/// `To ! Msg`: to a pid, an alias, a registered name or `{Name, Node}`.
pub fn send(from: &mut Process, to: Term, msg: Term) -> Result<(), Bail> {
    if to.is_local_pid() {
        send_to(from, to, None, msg);
        return Ok(());
    }
    if to.is_atom() {
        return match registry::whereis(to) {
            Some(pid) => {
                send_to(from, pid, None, msg);
                Ok(())
            }
            None => Err(from.badarg()),
        };
    }
    if to.is_ref() {
        if let (Some(pid), Some(number)) = (refs::alias_pid(to), refs::number(to)) {
            send_to(from, pid, Some(number), msg);
        }
        return Ok(());
    }
    if let Some(&[name, node]) = to.tuple_of(2) {
        if name.is_atom() && node.is_atom() {
            if node == sched::node_name()
                && let Some(pid) = registry::whereis(name)
            {
                send_to(from, pid, None, msg);
            }
            return Ok(());
        }
    }
    // Pids of other nodes (there is no distribution) and ports: gone.
    if to.is_pid() || to.is_port() {
        return Ok(());
    }
    Err(from.badarg())
}

/// Builds `elements` around terms that live in `frag`, which becomes part of the result.
pub fn wrap(
    frag: *mut Fragment,
    words: usize,
    build: impl FnOnce(&mut FragBuilder) -> Term,
) -> (Term, *mut Fragment) {
    let mut b = FragBuilder::new(words);
    let term = build(&mut b);
    let first = b.finish();
    if first.is_null() {
        return (term, frag);
    }
    // SAFETY: both chains are owned here.
    unsafe {
        let mut last = first;
        while !(*last).next.is_null() {
            last = (*last).next;
        }
        (*last).next = frag;
    }
    (term, first)
}

impl Process {
    /// Takes what has arrived: messages join the queue, other signals take effect. `true`: the process must die.
    pub fn fetch_signals(&mut self) -> bool {
        if self.has(flag::EXITING) {
            return true;
        }
        let rec = self.record();
        let state = rec.state.clear_pending();
        if state & sched::TIMED_OUT != 0 {
            // Here, wherever signals are fetched: the notification that came with the bit was just cleared.
            rec.state.clear(sched::TIMED_OUT);
            crate::timers::receive_fired(self);
        }
        let mut chain = rec.inbox.take_all();
        self.bump(chain.len() / 8);
        while let Some(node) = chain.pop() {
            if node.to != self.pid {
                reject(node.to, node.kind);
                continue;
            }
            if matches!(node.kind, SignalKind::Message(_)) {
                self.mailbox.push_node(node);
                continue;
            }
            self.handle(*node);
            if self.has(flag::EXITING) {
                // What comes behind a fatal signal finds a dead process.
                while let Some(node) = chain.pop() {
                    reject(node.to, node.kind);
                }
                return true;
            }
        }
        false
    }

    fn handle(&mut self, node: Signal) {
        match node.kind {
            SignalKind::Message(m) => self.mailbox.push(m),
            SignalKind::Alias { term, frag, alias } => {
                let mode = self.relations.as_ref().and_then(|r| r.aliases.get(alias)).copied();
                match mode {
                    None => return free(frag),
                    Some(AliasMode::Reply) => {
                        self.relations().aliases.remove(alias);
                        self.drop_monitor(alias);
                    }
                    Some(_) => {}
                }
                self.mailbox.push(Message::new(term, frag));
            }
            SignalKind::Timer { term, frag, timer } => {
                if let Some(r) = &mut self.rare {
                    r.timers.remove(&timer);
                }
                self.mailbox.push(Message::new(term, frag));
            }
            SignalKind::Exit { from, reason, frag, kind } => self.exit_signal(from, reason, frag, kind),
            SignalKind::Link { from } => {
                let links = &mut self.relations().links;
                // While this side unlinks, the other's link is older than its acknowledgement, which undoes it.
                if !links.contains(from.0) {
                    links.insert(from.0, Linked::Active);
                }
            }
            SignalKind::Unlink { from, id } => {
                let links = &mut self.relations().links;
                if links.get(from.0) == Some(&Linked::Active) {
                    links.remove(from.0);
                }
                let _ = deliver(from, SignalKind::UnlinkAck { from: self.pid, id });
            }
            SignalKind::UnlinkAck { from, id } => {
                let links = &mut self.relations().links;
                if links.get(from.0) == Some(&Linked::Unlinking(id)) {
                    links.remove(from.0);
                }
            }
            SignalKind::Monitor { from, name, id } => {
                self.relations().watchers.insert(id, Watcher { pid: from, name });
            }
            SignalKind::Demonitor { id } => {
                self.relations().watchers.remove(id);
            }
            SignalKind::Down { id, reason, frag } => self.down(id, reason, frag),
            SignalKind::GroupLeader(leader) => self.group_leader = leader,
            SignalKind::Call(call) => call(Some(self)),
        }
    }

    fn exit_signal(&mut self, from: Term, reason: Term, frag: *mut Fragment, kind: ExitKind) {
        let mut reason = reason;
        if kind == ExitKind::Link {
            let linked = self.relations.as_mut().and_then(|r| r.links.remove(from.0));
            if linked != Some(Linked::Active) {
                return free(frag);
            }
        } else if reason == atoms::KILL {
            reason = atoms::KILLED;
            return self.doom(reason);
        }
        if self.has(flag::TRAP_EXIT) {
            let (term, frag) = wrap(frag, 4, |b| b.tuple(&[atoms::EXIT_UP, from, reason]));
            return self.mailbox.push(Message::new(term, frag));
        }
        if reason == atoms::NORMAL && (kind == ExitKind::Link || from != self.pid) {
            return free(frag);
        }
        // SAFETY: the signal owned the fragment and is gone.
        unsafe { self.heap.adopt(frag) };
        self.doom(reason);
    }

    /// A signal ends this process: it takes no further signals, and dies before it runs again, or at its next
    /// safe point.
    pub fn doom(&mut self, reason: Term) {
        self.set(flag::EXITING, true);
        self.exc.class = Class::Exit;
        self.exc.reason = reason;
        // Kept apart, in case the process raises an exception before it looks.
        self.rare().extra_roots.push(reason);
        self.fcalls = self.fcalls.min(0);
    }

    fn down(&mut self, id: u64, reason: Term, frag: *mut Fragment) {
        let Some(relations) = &mut self.relations else { return free(frag) };
        let Some(mut monitor) = relations.monitors.remove(id) else { return free(frag) };
        if relations.aliases.get(id).is_some_and(|m| *m != AliasMode::Explicit) {
            relations.aliases.remove(id);
        }
        let tag_frag = std::mem::replace(&mut monitor.tag_frag, ptr::null_mut());
        let pid = self.pid;
        let (term, first) = wrap(frag, 6 + 4 + 3, |b| {
            let r = monitor.reference(b, id, pid);
            let object = match monitor.name.is_none() {
                true => monitor.target,
                false => b.tuple(&[monitor.name, sched::node_name()]),
            };
            b.tuple(&[monitor.tag, r, atoms::PROCESS, object, reason])
        });
        let first = chain(first, tag_frag);
        self.mailbox.push(Message::new(term, first));
    }

    /// Removes a monitor that this process has set. `false`: there was none.
    pub fn drop_monitor(&mut self, id: u64) -> bool {
        let Some(relations) = &mut self.relations else { return false };
        let Some(monitor) = relations.monitors.remove(id) else { return false };
        if relations.aliases.get(id).is_some_and(|m| *m != AliasMode::Explicit) {
            relations.aliases.remove(id);
        }
        if !monitor.target.is_none() {
            let _ = deliver(monitor.target, SignalKind::Demonitor { id });
        }
        true
    }

    /// Removes a monitor's message from the queue, if it is there: `{_, Ref, _, _, _}`. O(messages).
    pub fn flush_monitor(&mut self, id: u64) -> bool {
        let found =
            self.mailbox.remove_first(|t| t.tuple_of(5).is_some_and(|e| refs::number(e[1]) == Some(id)));
        match found {
            Some(m) => {
                free(m.frag);
                true
            }
            None => false,
        }
    }

    // ---- receive

    /// The current message was matched: it leaves the queue, and the receive is over.
    #[inline]
    pub fn take_message(&mut self) {
        self.mailbox.take_current(&mut self.heap);
        if self.timer.is_armed() {
            crate::timers::disarm_receive(self);
        }
        self.set(flag::TIMED_OUT, false);
    }

    /// A marker for "everything that has arrived by now".
    pub fn recv_marker_reserve(&mut self) -> Term {
        // A fatal signal ends the turn; see `doom`.
        self.fetch_signals();
        self.mailbox.marker_reserve()
    }
    pub fn recv_marker_bind(&mut self, marker: Term, reference: Term) {
        if let Some(n) = refs::number(reference) {
            self.mailbox.marker_bind(marker, n);
        }
    }
    pub fn recv_marker_clear(&mut self, t: Term) {
        self.mailbox.marker_clear(t);
    }
    pub fn recv_marker_use(&mut self, reference: Term) {
        if let Some(n) = refs::number(reference) {
            self.mailbox.marker_use(n);
        }
    }
}

/// Puts `second` behind the chain `first`.
pub fn chain(first: *mut Fragment, second: *mut Fragment) -> *mut Fragment {
    if first.is_null() {
        return second;
    }
    let mut last = first;
    // SAFETY: both chains are owned by the caller.
    unsafe {
        while !(*last).next.is_null() {
            last = (*last).next;
        }
        (*last).next = second;
    }
    first
}

impl crate::relations::Monitor {
    /// The monitor's reference, built anew.
    pub fn reference<A: Alloc + ?Sized>(&self, a: &mut A, id: u64, owner: Term) -> Term {
        if self.alias { refs::make_alias_numbered(a, id, owner) } else { refs::make_ref_numbered(a, id) }
    }
}

// ---- requests

/// What a request comes back with: code that runs in the process that made it and gives its result.
pub type Finish = Box<dyn FnOnce(&mut Process) -> BifResult + Send>;

/// Where the answer to a request is put.
pub struct Reply {
    waiter: Term,
    answer: Mutex<Option<Finish>>,
}

impl Reply {
    /// Answers, and wakes the process that waits. What this thread sent before arrives before.
    pub fn answer(&self, finish: Finish) {
        *self.answer.lock() = Some(finish);
        if let Some(rec) = table::lookup(self.waiter) {
            sched::wake(rec);
        }
    }
}

/// Makes a request: `start` gets the place for the answer; the built-in returns what this function returns, and the process
/// sleeps until the answer is there.
pub fn request(p: &mut Process, start: impl FnOnce(Arc<Reply>)) -> BifResult {
    let reply = Arc::new(Reply { waiter: p.pid, answer: Mutex::new(None) });
    let magic = refs::make_magic(p, reply.clone());
    start(reply);
    await_reply(p, &[magic])
}

fn await_reply(p: &mut Process, args: &[Term]) -> BifResult {
    let Some(value) = refs::magic(args[0]) else { return Err(p.badarg()) };
    let Ok(reply) = value.downcast::<Reply>() else { return Err(p.badarg()) };
    let answer = reply.answer.lock().take();
    match answer {
        Some(finish) => finish(p),
        None => Err(p.wait(await_reply, args)),
    }
}

/// Runs `work` in the process `to`, and `finish` with what it made in this one; `None` if `to` is dead.
pub fn call_process<R: Send + 'static>(
    p: &mut Process,
    to: Term,
    work: impl FnOnce(&mut Process) -> R + Send + 'static,
    finish: impl FnOnce(&mut Process, Option<R>) -> BifResult + Send + 'static,
) -> BifResult {
    if to == p.pid {
        let r = work(p);
        return finish(p, Some(r));
    }
    request(p, |reply| {
        deliver_or_reject(
            to,
            SignalKind::Call(Box::new(move |target| {
                let r = target.map(work);
                reply.answer(Box::new(move |p| finish(p, r)));
            })),
        );
    })
}

/// A term in fragments of its own, on its way between processes.
pub struct Parcel(Term, *mut Fragment);

// SAFETY: a parcel owns its fragments.
unsafe impl Send for Parcel {}

impl Parcel {
    pub fn new(t: Term) -> Parcel {
        let (t, frag) = copy_out(t);
        Parcel(t, frag)
    }
    /// A copy that shares no literals.
    pub fn whole(t: Term) -> Parcel {
        let words = copy::whole_size(t);
        if words == 0 {
            return Parcel(t, ptr::null_mut());
        }
        let mut b = FragBuilder::new(words);
        let t = copy::copy_whole(&mut b, t, words);
        Parcel(t, b.finish())
    }
    /// A term built by `f`.
    pub fn build(f: impl FnOnce(&mut ParcelBuilder) -> Term) -> Parcel {
        let mut b = ParcelBuilder { own: FragBuilder::new(0), copies: ptr::null_mut() };
        let t = f(&mut b);
        Parcel(t, chain(b.own.finish(), b.copies))
    }
    /// The term inside, while the parcel lives. (A method: a closure that used a field would capture that alone, and the
    /// parcel would be gone.)
    pub fn term(&self) -> Term {
        self.0
    }
    /// The term becomes part of the process's heap.
    pub fn open(mut self, p: &mut Process) -> Term {
        // SAFETY: the parcel owned the fragments and gives them up.
        unsafe { p.heap.adopt(std::mem::replace(&mut self.1, ptr::null_mut())) };
        self.0
    }
    /// Term and fragments, which the caller owns.
    pub fn into_raw(mut self) -> (Term, *mut Fragment) {
        (self.0, std::mem::replace(&mut self.1, ptr::null_mut()))
    }
}

/// Builds a parcel, partly from copies of existing terms.
pub struct ParcelBuilder {
    own: FragBuilder,
    copies: *mut Fragment,
}

impl ParcelBuilder {
    /// A copy of a term of any heap.
    pub fn copy(&mut self, t: Term) -> Term {
        let (t, frag) = copy_out(t);
        if !frag.is_null() {
            self.copies = chain(frag, self.copies);
        }
        t
    }
}

impl Alloc for ParcelBuilder {
    fn alloc(&mut self, words: usize) -> *mut Term {
        self.own.alloc(words)
    }
    fn off_heap(&mut self) -> &mut crate::heap::OffHeap {
        self.own.off_heap()
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        free(self.1);
    }
}
