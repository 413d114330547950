//! `process_info`, `processes`, `is_process_alive`.
//!
//! Another process is inspected by a call that travels as a signal, so the answer agrees with all that the asker has sent
//! before; what is asked for is copied there into a parcel. Nothing is left on the inspected heap.

use super::flags::{max_heap_map, priority_name, shown_heap};
use crate::erlang::dictionary::get as dictionary_get;
use crate::util::{atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::{Process, flag};
use chime_vm::refs;
use chime_vm::registry;
use chime_vm::relations::Linked;
use chime_vm::release;
use chime_vm::sched;
use chime_vm::signal::{self, Parcel, ParcelBuilder};
use chime_vm::table;
use chime_vm::term::{Term, sub};

/// What `process_info/1` tells, in OTP's order, behind the registered name.
const DEFAULT: [&str; 16] = [
    "current_function",
    "initial_call",
    "status",
    "message_queue_len",
    "links",
    "dictionary",
    "trap_exit",
    "error_handler",
    "priority",
    "group_leader",
    "total_heap_size",
    "heap_size",
    "stack_size",
    "reductions",
    "garbage_collection",
    "suspending",
];

const ITEMS: [&str; 24] = [
    "registered_name",
    "current_location",
    "current_stacktrace",
    "backtrace",
    "binary",
    "catchlevel",
    "fullsweep_after",
    "garbage_collection_info",
    "last_calls",
    "magic_ref",
    "max_heap_size",
    "memory",
    "message_queue_data",
    "messages",
    "min_bin_vheap_size",
    "min_heap_size",
    "monitored_by",
    "monitors",
    "parent",
    "sequential_trace_token",
    "trace",
    "dictionary",
    "group_leader",
    "links",
];

fn known(item: Term) -> bool {
    let name = text(item);
    DEFAULT.contains(&name) || ITEMS.contains(&name) || (name == "label" && release::since(27))
}

fn status(p: &Process) -> Term {
    if p.rare.as_ref().is_some_and(|r| r.suspend_count > 0) {
        atoms::SUSPENDED
    } else if p.has(flag::WAITING) {
        atoms::WAITING
    } else if p.has(flag::RUNNABLE) {
        atoms::RUNNABLE
    } else {
        atoms::RUNNING
    }
}

fn heap_words(p: &Process) -> usize {
    let h = &p.heap;
    h.block_words() + (h.old_end as usize - h.old_start as usize) / 8 + h.frag_words
}

fn memory(p: &Process) -> usize {
    size_of::<table::Record>() + heap_words(p) * 8 + p.mailbox.memory()
}

/// `[{address, bytes, references}]` of the reference-counted binaries.
fn binaries(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut found = Vec::new();
    let mut t = Term(p.heap.off_heap.first);
    while t.0 != 0 {
        if t.is_sub(sub::REFC_BIN) {
            let bin = t.word(3).0 as *const chime_vm::bin::Bin;
            if !found.contains(&bin) {
                found.push(bin);
            }
        }
        t = t.word(chime_vm::heap::link_word(t.header()));
    }
    let items: Vec<Term> = found
        .iter()
        .map(|&bin| {
            // SAFETY: the object holds a reference to the block.
            let (size, refs) = unsafe { ((*bin).size, (*bin).refs()) };
            let e = [b.uint(bin as u64), b.int(size as i64), b.int(refs as i64)];
            b.tuple(&e)
        })
        .collect();
    b.list(&items)
}

fn pairs(b: &mut ParcelBuilder, items: &[(&str, i64)]) -> Term {
    let items: Vec<Term> = items
        .iter()
        .map(|&(name, n)| {
            let n = b.int(n);
            b.tuple(&[atom(name), n])
        })
        .collect();
    b.list(&items)
}

fn garbage_collection(p: &Process, b: &mut ParcelBuilder) -> Term {
    let max = max_heap_map(b, p.max_heap, p.flags);
    let list = [
        (atoms::MAX_HEAP_SIZE, max),
        (atoms::MIN_BIN_VHEAP_SIZE, Term::small(46_422)),
        (atoms::MIN_HEAP_SIZE, shown_heap(p.min_heap)),
        (atoms::FULLSWEEP_AFTER, Term::small(i64::from(p.fullsweep_after))),
        (atoms::MINOR_GCS, Term::small(i64::from(p.minor_gcs))),
    ];
    let list: Vec<Term> = list.iter().map(|&(k, v)| b.tuple(&[k, v])).collect();
    b.list(&list)
}

fn collection_info(p: &Process, b: &mut ParcelBuilder) -> Term {
    let h = &p.heap;
    let old_block = (h.old_end as usize - h.old_start as usize) / 8;
    pairs(
        b,
        &[
            ("old_heap_block_size", old_block as i64),
            ("heap_block_size", h.block_words() as i64),
            ("mbuf_size", h.frag_words as i64),
            ("recent_size", ((h.mature as usize - h.start as usize) / 8) as i64),
            ("stack_size", h.stack_words() as i64),
            ("old_heap_size", h.old_words() as i64),
            ("heap_size", h.used_words() as i64),
            ("bin_vheap_size", (h.off_heap.bytes / 8) as i64),
            ("bin_vheap_block_size", (p.vheap_limit / 8) as i64),
            ("bin_old_vheap_size", 0),
            ("bin_old_vheap_block_size", 46_422),
        ],
    )
}

fn messages(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut list = Vec::with_capacity(p.mailbox.len());
    p.mailbox.for_each(|m| list.push(m.term));
    let list: Vec<Term> = list.into_iter().map(|t| b.copy(t)).collect();
    b.list(&list)
}

fn dictionary(p: &Process, b: &mut ParcelBuilder) -> Term {
    let Some(rare) = &p.rare else { return Term::NIL };
    let list: Vec<Term> = rare
        .dict
        .iter()
        .map(|e| {
            let pair = [b.copy(e.key), b.copy(e.value)];
            b.tuple(&pair)
        })
        .collect();
    b.list(&list)
}

fn links(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut list = Vec::new();
    if let Some(r) = &p.relations {
        r.links.for_each(|pid, state| {
            if *state == Linked::Active {
                list.push(Term(pid));
            }
        });
    }
    b.list(&list)
}

fn monitors(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut list = Vec::new();
    if let Some(r) = &p.relations {
        r.monitors.for_each(|_, m| {
            list.push(if m.target.is_none() {
                b.tuple(&[atoms::TIME_OFFSET, atom("clock_service")])
            } else if m.name.is_none() {
                b.tuple(&[atoms::PROCESS, m.target])
            } else {
                let name = b.tuple(&[m.name, sched::node_name()]);
                b.tuple(&[atoms::PROCESS, name])
            });
        });
    }
    b.list(&list)
}

fn watchers(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut list = Vec::new();
    if let Some(r) = &p.relations {
        r.watchers.for_each(|_, w| list.push(w.pid));
    }
    b.list(&list)
}

fn suspending(p: &Process, b: &mut ParcelBuilder) -> Term {
    let Some(rare) = &p.rare else { return Term::NIL };
    let list: Vec<Term> = rare
        .suspending
        .iter()
        .map(|&(pid, n)| b.tuple(&[pid, Term::small(i64::from(n)), Term::small(0)]))
        .collect();
    b.list(&list)
}

/// The value of one item.
fn value(p: &Process, item: Term, b: &mut ParcelBuilder) -> Term {
    let small = |n: usize| Term::small(n as i64);
    match text(item) {
        "registered_name" => registry::name_of(p.record()).unwrap_or(Term::NIL),
        "current_function" => super::system::current_function(p, b),
        "current_location" => super::system::current_location(p, b),
        "current_stacktrace" => super::system::current_stacktrace(p, b),
        "backtrace" => super::system::backtrace(p, b),
        "initial_call" => {
            let (m, f, arity) = p.initial;
            b.tuple(&[m, f, Term::small(i64::from(arity))])
        }
        "label" => b.copy(dictionary_get(p, atom("$process_label"))),
        "status" => status(p),
        "message_queue_len" => small(p.mailbox.len()),
        "messages" => messages(p, b),
        "links" => links(p, b),
        "monitors" => monitors(p, b),
        "monitored_by" => watchers(p, b),
        "dictionary" => dictionary(p, b),
        "trap_exit" => Term::bool(p.has(flag::TRAP_EXIT)),
        "error_handler" => match &p.rare {
            Some(r) if !r.error_handler.0.is_none() => r.error_handler.0,
            _ => atoms::ERROR_HANDLER,
        },
        "priority" => priority_name(p.priority),
        "group_leader" => p.group_leader,
        "parent" => {
            if p.parent.is_none() {
                atoms::UNDEFINED
            } else {
                p.parent
            }
        }
        "total_heap_size" => small(heap_words(p)),
        "heap_size" => small(p.heap.block_words()),
        "stack_size" => small(p.heap.stack_words()),
        "memory" => small(memory(p)),
        "reductions" => b.uint(p.total_reductions()),
        "garbage_collection" => garbage_collection(p, b),
        "garbage_collection_info" => collection_info(p, b),
        "max_heap_size" => max_heap_map(b, p.max_heap, p.flags),
        "min_heap_size" => shown_heap(p.min_heap),
        "min_bin_vheap_size" => small(46_422),
        "fullsweep_after" => Term::small(i64::from(p.fullsweep_after)),
        "message_queue_data" => {
            if p.has(flag::OFF_HEAP_MSGS) {
                atoms::OFF_HEAP
            } else {
                atoms::ON_HEAP
            }
        }
        "suspending" => suspending(p, b),
        "binary" => binaries(p, b),
        "catchlevel" => Term::small(i64::from(p.catches)),
        "last_calls" => atoms::FALSE,
        "trace" => Term::small(0),
        // "sequential_trace_token", "magic_ref"
        _ => Term::NIL,
    }
}

/// How the answer is shaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One tuple; a process without a name has `[]` as its `registered_name`.
    One,
    /// A tuple for each item.
    List,
    /// As `List`, without the name if there is none.
    Default,
}

/// What is asked for.
enum Item {
    Name(Term),
    /// `{dictionary, Key}`
    Key(Parcel),
}

impl Item {
    fn new(t: Term) -> Option<Item> {
        match t.tuple_of(2) {
            Some(&[tag, key]) if text(tag) == "dictionary" && release::since(26) => {
                Some(Item::Key(Parcel::new(key)))
            }
            _ => known(t).then_some(Item::Name(t)),
        }
    }
}

fn answer(p: &mut Process, items: &[Item], shape: Shape) -> Parcel {
    let p = &*p;
    Parcel::build(|b| {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let (item, v) = match item {
                Item::Name(name) => (*name, value(p, *name, b)),
                Item::Key(key) => {
                    let copy = b.copy(key.term());
                    (b.tuple(&[atom("dictionary"), copy]), b.copy(dictionary_get(p, key.term())))
                }
            };
            let nameless = item == atoms::REGISTERED_NAME && v.is_nil();
            match shape {
                Shape::One if nameless => return v,
                Shape::Default if nameless => {}
                _ => list.push(b.tuple(&[item, v])),
            }
        }
        if shape == Shape::One { list[0] } else { b.list(&list) }
    })
}

fn ask(p: &mut Process, pid: Term, items: Vec<Item>, shape: Shape) -> BifResult {
    p.bump(10 + items.len());
    if pid == p.pid {
        // What has arrived counts as being in the queue.
        if p.fetch_signals() {
            return Err(p.die(atoms::KILLED));
        }
        let parcel = answer(p, &items, shape);
        return Ok(parcel.open(p));
    }
    signal::call_process(
        p,
        pid,
        move |target| answer(target, &items, shape),
        |p, parcel| Ok(parcel.map_or(atoms::UNDEFINED, |parcel| parcel.open(p))),
    )
}

fn process_info_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() {
        return Err(p.badarg());
    }
    let items =
        std::iter::once("registered_name").chain(DEFAULT).map(|name| Item::Name(atom(name))).collect();
    ask(p, a[0], items, Shape::Default)
}

fn process_info_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (pid, what) = (a[0], a[1]);
    if !pid.is_local_pid() {
        return Err(p.badarg());
    }
    if what.is_list() {
        let items = what.to_vec().and_then(|v| v.into_iter().map(Item::new).collect::<Option<Vec<_>>>());
        let Some(items) = items else { return Err(p.badarg()) };
        return ask(p, pid, items, Shape::List);
    }
    let Some(item) = Item::new(what) else { return Err(p.badarg()) };
    ask(p, pid, vec![item], Shape::One)
}

/// Slots of the table that one reduction pays for.
const SLOTS: usize = 16;

fn processes_0(p: &mut Process, _: &[Term]) -> BifResult {
    processes_from(p, &[Term::small(0), Term::NIL])
}

/// Goes through the table in slices: next slot, and what was found so far, latest first.
fn processes_from(p: &mut Process, a: &[Term]) -> BifResult {
    let (from, mut list) = (a[0].as_index().unwrap_or(0), a[1]);
    let slots = (p.fcalls.max(100) as usize) * SLOTS;
    let mut found = Vec::new();
    let next = table::scan(from, slots, |pid| found.push(pid));
    p.bump(found.len() / 4 + slots.min(4096) / SLOTS / 8);
    for pid in found {
        list = p.cons(pid, list);
    }
    match next {
        Some(next) => {
            p.fcalls = p.fcalls.min(0);
            Err(p.trap(processes_from, &[Term::small(next as i64), list]))
        }
        None => {
            let mut pids: Vec<Term> = list.iter().collect();
            pids.reverse();
            Ok(p.list(&pids))
        }
    }
}

/// `erts_internal:processes_next/1` of later releases: a slice of the table.
fn processes_next_1(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(from) = a[0].as_index() else { return Err(p.badarg()) };
    let mut found = Vec::new();
    let next = table::scan(from, 1000 * SLOTS, |pid| found.push(pid));
    p.bump(100 + found.len() / 4);
    let list = p.list(&found);
    let next = next.map_or(atoms::NONE, |n| Term::small(n as i64));
    Ok(p.tuple(&[next, list]))
}

fn is_process_alive_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() {
        return Err(p.badarg());
    }
    if table::lookup(a[0]).is_none() {
        return Ok(atoms::FALSE);
    }
    // As a signal, so that it sees the effect of what was sent before.
    signal::call_process(p, a[0], |_| (), |_, alive| Ok(Term::bool(alive.is_some())))
}

/// The answer is a message `{Ref, Boolean}`.
fn is_process_alive_2(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() || refs::number(a[1]).is_none() {
        return Err(p.badarg());
    }
    super::system::call_then_message(p.pid, a[0], a[1], |_| atoms::TRUE, atoms::FALSE);
    Ok(atoms::OK)
}

bifs! { TABLE, "erlang";
    "process_info"/1 [] => process_info_1,
    "process_info"/2 [] => process_info_2,
    "processes"/0 [] => processes_0,
    "is_process_alive"/1 [] => is_process_alive_1,
}
bifs! { INTERNAL, "erts_internal";
    "is_process_alive"/2 [] => is_process_alive_2,
    "processes_next"/1 [] => processes_next_1,
}
