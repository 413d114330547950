//! How a process comes into being.

use crate::atoms;
use crate::code::Export;
use crate::heap::{Heap, OffHeap, RED_ZONE, alloc_block};
use crate::mailbox::Mailbox;
use crate::process::{BailKind, Class, Exception, INLINE_ARGS, Process, TURN, flag};
use crate::refs;
use crate::relations::{Linked, Monitor, Watcher};
use crate::sched;
use crate::signal;
use crate::table;
use crate::term::Term;
use crate::timers::ReceiveTimer;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Words of a fresh process's block. OTP gives 233; with less, a process that only waits costs half as much.
pub const FRESH_HEAP: u32 = 96;
/// Bytes of binaries that trigger a collection in a fresh process: OTP's 46,422 words.
pub const FRESH_VHEAP: usize = 46_422 * 8;
/// OTP's default for `fullsweep_after`.
pub const FULLSWEEP_AFTER: u32 = 65_535;

/// Defaults that `system_flag/2` changes.
pub static DEFAULT_FULLSWEEP: AtomicU32 = AtomicU32::new(FULLSWEEP_AFTER);
pub static DEFAULT_MIN_HEAP: AtomicU32 = AtomicU32::new(FRESH_HEAP);
pub static DEFAULT_MAX_HEAP: AtomicU64 = AtomicU64::new(0);
/// `flag::KILL_ON_MAX_HEAP` and its kin.
pub static DEFAULT_MAX_HEAP_FLAGS: AtomicU32 = AtomicU32::new(flag::KILL_ON_MAX_HEAP | flag::LOG_MAX_HEAP);

/// All flags about the greatest heap size.
pub const MAX_HEAP_FLAGS: u32 = flag::KILL_ON_MAX_HEAP | flag::LOG_MAX_HEAP | flag::MAX_HEAP_SHARED_BIN;

/// How to monitor a new process.
pub struct MonitorOpts {
    /// Number of the reference.
    pub id: u64,
    pub tag: Term,
    /// The reference is an alias, in this mode.
    pub alias: Option<crate::relations::AliasMode>,
}

/// See `erlang:spawn_opt/4`.
pub struct SpawnOpts {
    pub link: bool,
    pub monitor: Option<MonitorOpts>,
    pub priority: u8,
    pub min_heap: u32,
    pub vheap: usize,
    pub fullsweep: u32,
    pub max_heap: u64,
    /// Initial flags: message queue data, greatest heap size.
    pub flags: u32,
    pub group_leader: Option<Term>,
}

impl Default for SpawnOpts {
    fn default() -> Self {
        SpawnOpts {
            link: false,
            monitor: None,
            priority: 2,
            min_heap: DEFAULT_MIN_HEAP.load(Ordering::Relaxed),
            vheap: FRESH_VHEAP,
            fullsweep: DEFAULT_FULLSWEEP.load(Ordering::Relaxed),
            max_heap: DEFAULT_MAX_HEAP.load(Ordering::Relaxed),
            flags: DEFAULT_MAX_HEAP_FLAGS.load(Ordering::Relaxed),
            group_leader: None,
        }
    }
}

/// A heap with an empty block of `words`.
fn fresh_heap(words: usize) -> Heap {
    let start = alloc_block(words);
    let end = start.wrapping_add(words);
    Heap {
        top: start,
        stack: end,
        start,
        end,
        mature: start,
        old_start: ptr::null_mut(),
        old_top: ptr::null_mut(),
        old_end: ptr::null_mut(),
        frags: ptr::null_mut(),
        frag_words: 0,
        off_heap: OffHeap::default(),
        old_binary_budget: FRESH_VHEAP,
        collected_at: 0,
    }
}

/// Starts a process that calls `export` with copies of `args`. `None`: there are as many processes as there may be.
/// O(size of the arguments).
pub fn spawn(
    mut parent: Option<&mut Process>,
    opts: &SpawnOpts,
    export: &'static Export,
    args: &[Term],
) -> Option<Term> {
    debug_assert_eq!(export.arity as usize, args.len());
    let (rec, pid) = table::reserve()?;
    let mut heap = fresh_heap((opts.min_heap as usize).max(RED_ZONE + 28));
    let mut inline = [Term::NIL; INLINE_ARGS];
    let mut spill = Vec::new();
    let mut copied = 0;
    {
        let target: &mut [Term] = if args.len() <= INLINE_ARGS {
            &mut inline[..args.len()]
        } else {
            spill.resize(args.len(), Term::NIL);
            &mut spill
        };
        for (to, &arg) in target.iter_mut().zip(args) {
            let (t, frag) = signal::copy_out(arg);
            *to = t;
            // SAFETY: the fragment was made for this process.
            unsafe { heap.adopt(frag) };
        }
        copied += heap.frag_words;
    }
    // SAFETY: the block has room for more than one word.
    unsafe {
        heap.stack = heap.end.sub(1);
        *heap.stack = Term(crate::interp::exit_site() as u64);
    }
    let parent_pid = parent.as_ref().map_or(Term::NONE, |p| p.pid);
    let leader = opts.group_leader.or(parent.as_ref().map(|p| p.group_leader)).unwrap_or(pid);
    let process = Process {
        heap,
        fcalls: TURN,
        ip: export.entry.load(Ordering::Acquire),
        catches: 0,
        flags: opts.flags,
        nargs: args.len() as u32,
        fullsweep_after: opts.fullsweep,
        args: inline,
        spill,
        mailbox: Mailbox::new(),
        exc: Exception {
            class: Class::Exit,
            reason: atoms::NORMAL,
            trace: Term::NIL,
            args: Term::NONE,
            cause: Term::NONE,
            info: Term::NONE,
            complete: false,
            at: std::ptr::null(),
        },
        bail: BailKind::None,
        trap_args: Vec::new(),
        trap_fn: None,
        call_state: Term::NIL,
        borrowed: 0,
        pid,
        group_leader: leader,
        parent: parent_pid,
        initial: (export.module, export.function, export.arity),
        relations: None,
        rare: None,
        reductions: 0,
        min_heap: opts.min_heap,
        minor_gcs: 0,
        max_heap: opts.max_heap,
        priority: opts.priority,
        vheap_limit: opts.vheap,
        timer: ReceiveTimer::default(),
        record: rec,
    };
    // SAFETY: the record is reserved and not published: nobody else touches its owner.
    let child = unsafe {
        rec.owner().write(process);
        &mut *rec.owner()
    };
    rec.priority.store(opts.priority, Ordering::Relaxed);
    if let Some(parent) = parent.as_deref_mut() {
        parent.bump(30 + copied / 16);
        if opts.link {
            child.relations().links.insert(parent.pid.0, Linked::Active);
            parent.relations().links.insert(pid.0, Linked::Active);
        }
        if let Some(m) = &opts.monitor {
            child.relations().watchers.insert(m.id, Watcher { pid: parent.pid, name: Term::NONE });
            let (tag, tag_frag) = signal::copy_out(m.tag);
            let alias = m.alias.is_some();
            let monitor = Monitor { target: pid, name: Term::NONE, tag, tag_frag, alias, spawn: false };
            parent.relations().monitors.insert(m.id, monitor);
            if let Some(mode) = m.alias {
                parent.relations().aliases.insert(m.id, mode);
            }
        }
    }
    table::publish(rec, pid);
    sched::enqueue(rec);
    Some(pid)
}

/// As [`spawn`], by name.
pub fn spawn_mfa(
    parent: Option<&mut Process>,
    opts: &SpawnOpts,
    module: Term,
    function: Term,
    args: &[Term],
) -> Option<Term> {
    spawn(parent, opts, crate::exports::get(module, function, args.len() as u32), args)
}

/// A reference for [`MonitorOpts`]: an alias if asked for.
pub fn monitor_ref(p: &mut Process, id: u64, alias: bool) -> Term {
    let pid = p.pid;
    if alias { refs::make_alias_numbered(p, id, pid) } else { refs::make_ref_numbered(p, id) }
}

/// What `M:F/A` means.
pub fn export(module: Term, function: Term, arity: u32) -> &'static Export {
    crate::exports::get(module, function, arity)
}

/// The export that `spawn(Fun)` starts in: `erlang:apply/2`.
pub fn apply_export() -> &'static Export {
    crate::exports::get(atoms::ERLANG, atoms::APPLY, 2)
}

/// Makes a list of arguments the words that [`spawn`] takes; `None` if it is improper or too long.
pub fn arguments(list: Term) -> Option<Vec<Term>> {
    list.to_vec().filter(|v| v.len() <= 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fresh process, all told, stays under 1.5 KiB.
    #[test]
    fn a_process_is_small() {
        let record = size_of::<table::Record>();
        let total = record + FRESH_HEAP as usize * 8;
        assert!(total < 1536 - 64, "{record} + heap = {total}");
        let h = fresh_heap(64);
        assert_eq!(h.block_words(), 64);
    }
}
