//! A process by itself, and what the tests compare of its terms.

use super::each_root;
use crate::atoms;
use crate::bin::Bin;
use crate::heap::{Fragment, Heap, OffHeap, alloc_block, free_block};
use crate::literal::is_literal;
use crate::mailbox::Mailbox;
use crate::process::{BailKind, Class, Exception, INLINE_ARGS, Process, TURN};
use crate::term::{ALL_RAW, RAW_WORDS, Term, header_arity, header_subtag, sub};
use crate::timers::ReceiveTimer;
use std::collections::HashMap;
use std::ptr;

/// A process without record, with an empty block of `words`.
pub fn process(words: usize) -> Process {
    let start = alloc_block(words);
    let end = start.wrapping_add(words);
    let null = ptr::null_mut();
    Process {
        heap: Heap {
            top: start,
            stack: end,
            start,
            end,
            mature: start,
            old_start: null,
            old_top: null,
            old_end: null,
            frags: ptr::null_mut(),
            frag_words: 0,
            off_heap: OffHeap::default(),
            old_binary_budget: super::MIN_VHEAP,
            collected_at: 0,
        },
        fcalls: TURN,
        ip: ptr::null(),
        catches: 0,
        flags: 0,
        borrowed: 0,
        nargs: 0,
        fullsweep_after: 65_535,
        args: [Term::NIL; INLINE_ARGS],
        spill: Vec::new(),
        mailbox: Mailbox::new(),
        exc: Exception {
            class: Class::Exit,
            reason: atoms::NORMAL,
            trace: Term::NIL,
            args: Term::NONE,
            cause: Term::NONE,
            info: Term::NONE,
            complete: false,
            at: ptr::null(),
        },
        bail: BailKind::None,
        trap_args: Vec::new(),
        trap_fn: None,
        call_state: Term::NIL,
        pid: Term::pid(1),
        group_leader: Term::pid(1),
        parent: Term::NONE,
        initial: (atoms::ERLANG, atoms::APPLY, 2),
        relations: None,
        rare: None,
        reductions: 0,
        min_heap: 0,
        minor_gcs: 0,
        max_heap: 0,
        priority: 2,
        vheap_limit: super::MIN_VHEAP,
        timer: ReceiveTimer::default(),
        record: ptr::null(),
    }
}

/// What an exiting process does.
pub fn free(mut p: Process) {
    let h = &mut p.heap;
    h.off_heap.release();
    // SAFETY: nothing refers to the heap any more.
    unsafe {
        Fragment::free_chain(h.frags);
        free_block(h.start, h.block_words());
        free_block(h.old_start, (h.old_end as usize - h.old_start as usize) / 8);
    }
}

/// Every slot of stack, registers and roots.
pub fn each_slot(p: &mut Process, live: &mut [Term], f: &mut dyn FnMut(&mut Term)) {
    live.iter_mut().for_each(&mut *f);
    let mut q = p.heap.stack;
    while q < p.heap.end {
        // SAFETY: words of the stack.
        let slot = unsafe { &mut *q };
        if !slot.is_header() {
            f(slot);
        }
        q = q.wrapping_add(1);
    }
    each_root(p, f);
}

/// The terms in all slots and all messages, each message once.
pub fn held(p: &mut Process, live: &mut [Term]) -> Vec<Term> {
    let mut all = Vec::new();
    let mailbox = std::mem::take(&mut p.mailbox);
    each_slot(p, live, &mut |t| all.push(*t));
    p.mailbox = mailbox;
    p.mailbox.for_each(|m| all.push(m.term));
    all
}

/// All that must not change when terms move, sharing included.
#[derive(PartialEq, Debug, Default)]
pub struct Digest {
    words: Vec<u64>,
    /// How many objects refer to each block.
    pub bins: HashMap<u64, usize>,
    pub magic: usize,
}

pub fn digest(roots: &[Term]) -> Digest {
    let (mut d, mut seen) = (Digest::default(), HashMap::new());
    let mut todo: Vec<Term> = roots.iter().rev().copied().collect();
    while let Some(t) = todo.pop() {
        if !(t.is_cons() || t.is_boxed()) || is_literal(t) {
            d.words.push(t.0);
            continue;
        }
        let id = seen.len();
        if let Some(id) = seen.get(&t.0) {
            d.words.push(u64::MAX - *id as u64);
            continue;
        }
        seen.insert(t.0, id);
        if t.is_cons() {
            d.words.push(1);
            todo.extend([t.tail(), t.head()]);
            continue;
        }
        let (h, n) = (t.header(), header_arity(t.header()));
        d.words.push(h);
        let tag = header_subtag(h);
        let raw = RAW_WORDS[tag as usize];
        let raw = if raw == ALL_RAW { n } else { raw as usize };
        let link = match tag {
            sub::REFC_BIN => {
                *d.bins.entry(t.word(3).0).or_default() += 1;
                2
            }
            sub::REF if n == 4 => {
                d.magic += 1;
                3
            }
            _ => 0,
        };
        for i in 1..=raw {
            if i != link {
                d.words.push(t.word(i).0);
            }
        }
        todo.extend((raw + 1..=n).rev().map(|i| t.word(i)));
    }
    d
}

/// Counts of one block, without the test's own.
pub fn refs(b: *mut Bin) -> usize {
    // SAFETY: the test holds a count.
    unsafe { (*b).refs() - 1 }
}
