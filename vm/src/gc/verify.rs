//! The heap verifier: every pointer leads to a whole object in memory the process may refer to.

use super::each_root;
use crate::heap::Fragment;
use crate::literal::is_literal;
use crate::process::Process;
use crate::term::{ALL_RAW, RAW_WORDS, Term, header_arity, header_subtag};

/// Panics if the heap is damaged: a fault of the machine, found where it shows first. For tests and debug
/// builds; linear in the heap.
pub fn verify(p: &mut Process, live: &[Term]) {
    let block = p.heap.start as usize..p.heap.top as usize;
    let old = p.heap.old_start as usize..p.heap.old_top as usize;
    let mut frags = Vec::new();
    let mut f = p.heap.frags;
    while !f.is_null() {
        // SAFETY: the chain is alive.
        unsafe {
            let start = Fragment::data(f) as usize;
            frags.push(start..start + (*f).used * 8);
            f = (*f).next;
        }
    }
    let check = |t: Term, place: &str| {
        if !(t.is_cons() || t.is_boxed()) || is_literal(t) {
            return;
        }
        let at = t.ptr() as usize;
        let space = [&block, &old]
            .into_iter()
            .chain(&frags)
            .find(|r| r.contains(&at))
            .unwrap_or_else(|| panic!("{place}: {t:?} leads out of the process's memory"));
        let words = if t.is_cons() {
            2
        } else {
            // SAFETY: inside a live space.
            let h = unsafe { *t.ptr() };
            assert!(h.is_header(), "{place}: {t:?} leads to {:#x}, no header", h.0);
            header_arity(h.0) + 1
        };
        assert!(at + words * 8 <= space.end, "{place}: {t:?} reaches over the end of its space");
    };
    let walk = |start: usize, end: usize, place: &str| {
        let mut at = start as *mut Term;
        while (at as usize) < end {
            // SAFETY: complete objects fill the space.
            let w = unsafe { *at };
            if w.is_header() && !w.is_none() {
                let raw = RAW_WORDS[header_subtag(w.0) as usize];
                let skip = if raw == ALL_RAW { header_arity(w.0) } else { raw as usize };
                at = at.wrapping_add(1 + skip);
            } else {
                check(w, place);
                at = at.wrapping_add(1);
            }
        }
    };
    walk(block.start, block.end, "young generation");
    walk(old.start, old.end, "old generation");
    let mut q = p.heap.stack;
    while q < p.heap.end {
        // SAFETY: words of the stack.
        let w = unsafe { *q };
        if !w.is_header() {
            check(w, "stack");
        }
        q = q.wrapping_add(1);
    }
    for &t in live {
        check(t, "register");
    }
    each_root(p, &mut |t| check(*t, "root"));
}
