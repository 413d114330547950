//! How a process ends.

use crate::atoms;
use crate::heap::{Fragment, free_block};
use crate::process::Process;
use crate::registry;
use crate::relations::Linked;
use crate::signal::{self, ExitKind, SignalKind};
use crate::table;
use crate::term::Term;
use crate::timers;
use parking_lot::RwLock;

/// Called for each process that exits, after its name and timers are gone and before links and monitors hear of it.
pub type ExitHook = fn(&mut Process);

static HOOKS: RwLock<Vec<ExitHook>> = RwLock::new(Vec::new());

/// Tables and the like are given up through this.
pub fn on_exit(hook: ExitHook) {
    HOOKS.write().push(hook);
}

/// Ends a process whose turn has ended: name, timers, tables, links, monitors, in this order; then its memory is freed and its
/// record given back.
pub(crate) fn terminate(p: &mut Process, reason: Term) {
    let rec = p.record();
    let pid = p.pid;
    table::hide(rec);
    registry::exit(rec, pid);
    timers::exit(p);
    for hook in HOOKS.read().iter() {
        hook(p);
    }
    // From here on, senders find the inbox closed; what had arrived finds a dead process.
    let mut chain = rec.inbox.close();
    while let Some(node) = chain.pop() {
        signal::reject(node.to, node.kind);
    }
    if let Some(rare) = &mut p.rare {
        for (suspended, times) in std::mem::take(&mut rare.suspending) {
            resume(suspended, times);
        }
    }
    if let Some(mut relations) = p.relations.take() {
        relations.links.drain(|other, state| {
            if state == Linked::Active {
                let (reason, frag) = signal::copy_out(reason);
                let exit = SignalKind::Exit { from: pid, reason, frag, kind: ExitKind::Link };
                if let Err(kind) = signal::deliver(Term(other), exit) {
                    signal::reject(Term(other), kind);
                }
            }
        });
        relations.watchers.drain(|id, watcher| {
            let (reason, frag) = signal::copy_out(reason);
            if let Err(kind) = signal::deliver(watcher.pid, SignalKind::Down { id, reason, frag }) {
                signal::reject(watcher.pid, kind);
            }
        });
        relations.monitors.drain(|id, monitor| {
            if !monitor.target.is_none() {
                let _ = signal::deliver(monitor.target, SignalKind::Demonitor { id });
            }
        });
    }
    let main = crate::sched::main_exited(pid, reason);
    free_heap(p);
    // SAFETY: this thread owns the process, and nobody touches it after this.
    unsafe { std::ptr::drop_in_place(rec.owner()) };
    rec.state.finish();
    table::release(rec);
    if let Some(status) = main {
        crate::sched::main_done(status);
    }
}

/// Takes back `times` suspensions of a process.
pub fn resume(pid: Term, times: u32) {
    let call: signal::Call = Box::new(move |target| {
        if let Some(rare) = target.and_then(|p| p.rare.as_mut()) {
            rare.suspend_count = rare.suspend_count.saturating_sub(times);
        }
    });
    let _ = signal::deliver(pid, SignalKind::Call(call));
}

/// Frees everything that the process's heap consists of.
fn free_heap(p: &mut Process) {
    let h = &mut p.heap;
    h.off_heap.release();
    let old = (h.old_end as usize - h.old_start as usize) / 8;
    // SAFETY: the process is dead: nothing refers to its heap. Blocks were made by `alloc_block` with these sizes.
    unsafe {
        Fragment::free_chain(h.frags);
        free_block(h.start, h.block_words());
        free_block(h.old_start, old);
    }
}

/// The reason with which a process that has stopped dies.
pub fn reason_of(p: &mut Process) -> Term {
    match &p.rare {
        Some(rare) if p.has(crate::process::flag::EXITING) => {
            rare.extra_roots.last().copied().unwrap_or(atoms::KILLED)
        }
        _ => p.exc.reason,
    }
}
