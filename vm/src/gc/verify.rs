//! The heap verifier: every pointer leads to a whole object in memory the process may refer to.

use super::VERIFY;
use super::copier::raw_part;
use super::each_root;
use super::sizes::old_range;
use crate::heap::{Fragment, link_word};
use crate::literal::is_literal;
use crate::process::Process;
use crate::term::{Term, header_arity, header_subtag, sub};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// What debug builds write over memory that they free. Looks like a header, of an object that fits nowhere.
pub const POISON: Term = Term(0xDEAD_BEEF_DEAD_BEE0);

/// Debug builds do not verify larger heaps than this after young collections, unless told to.
const SMALL: usize = 1 << 15;

pub fn after_collection(p: &mut Process, live: &[Term]) {
    let small = p.heap.used_words() + p.heap.old_words() < SMALL;
    if VERIFY.load(Ordering::Relaxed) || (cfg!(debug_assertions) && small) {
        verify(p, live);
    }
}

/// What a word of a space is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// First word of a boxed object.
    Header,
    /// A word inside one.
    Body,
    /// Half of a cons cell.
    Cell,
}

struct Space {
    name: &'static str,
    at: Range<usize>,
    kinds: Vec<Kind>,
}

impl Space {
    fn new(name: &'static str, at: Range<usize>) -> Space {
        let mut kinds = Vec::with_capacity((at.end - at.start) / 8);
        let mut p = at.start;
        while p < at.end {
            // SAFETY: complete objects fill the space.
            let w = unsafe { *(p as *const Term) };
            if w.is_header() {
                let n = header_arity(w.0);
                assert!(p + n * 8 < at.end, "{name}: the object with header {:#x} reaches over the end", w.0);
                kinds.push(Kind::Header);
                kinds.extend(std::iter::repeat_n(Kind::Body, n));
                p += (n + 1) * 8;
            } else {
                kinds.extend([Kind::Cell, Kind::Cell]);
                p += 16;
            }
        }
        assert_eq!(kinds.len(), (at.end - at.start) / 8, "{name}: half a cons cell at its end");
        Space { name, at, kinds }
    }
    fn kind(&self, p: usize) -> Kind {
        self.kinds[(p - self.at.start) / 8]
    }
}

struct Heap {
    spaces: Vec<Space>,
    /// Objects that must be linked.
    off_heap: HashSet<u64>,
}

impl Heap {
    fn check(&self, t: Term, place: &str, old: bool) {
        if !(t.is_cons() || t.is_boxed()) {
            assert!(!t.is_header() || t.is_none(), "{place}: {:#x} is no term", t.0);
            return;
        }
        if is_literal(t) {
            return;
        }
        let at = t.ptr() as usize;
        let space = self
            .spaces
            .iter()
            .find(|s| s.at.contains(&at))
            .unwrap_or_else(|| panic!("{place}: {t:?} leads out of the process's memory"));
        assert!(!old || space.name == OLD, "{place}: {t:?} leads to the {}", space.name);
        let wanted = if t.is_cons() { Kind::Cell } else { Kind::Header };
        assert_eq!(space.kind(at), wanted, "{place}: where {t:?} leads to in the {}", space.name);
    }

    /// One object and what it refers to.
    fn object(&mut self, at: *const Term, space: usize) {
        let (name, old) = (self.spaces[space].name, self.spaces[space].name == OLD);
        let t = Term::boxed_ptr(at);
        let (h, n) = (t.header(), header_arity(t.header()));
        for i in raw_part(h)..=n {
            self.check(t.word(i), name, old);
        }
        match header_subtag(h) {
            sub::REFC_BIN => {
                self.off_heap.insert(t.0);
                // SAFETY: a refc binary owns a count of a live block.
                assert!(
                    unsafe { (*(t.word(3).0 as *const crate::bin::Bin)).refs() } > 0,
                    "{name}: a dead binary"
                );
            }
            sub::REF if n == 4 => {
                self.off_heap.insert(t.0);
            }
            sub::SUB_BIN | sub::MATCH => {
                let whole = t.word(n);
                let ok = whole.is_sub(sub::REFC_BIN) || whole.is_sub(sub::HEAP_BIN);
                assert!(ok, "{name}: {t:?} is part of {whole:?}, no binary");
            }
            _ => {}
        }
    }
}

const OLD: &str = "old generation";

/// Panics if the heap is damaged: a fault of the machine, found where it shows first. Not between the
/// allocation of an object and its completion. Linear in the heap.
pub fn verify(p: &mut Process, live: &[Term]) {
    let h = &p.heap;
    assert!(h.start <= h.mature && h.mature <= h.top && h.top <= h.stack && h.stack <= h.end);
    assert!(h.old_start <= h.old_top && h.old_top <= h.old_end);
    let mut heap = Heap {
        spaces: vec![
            Space::new("young generation", h.start as usize..h.top as usize),
            Space::new(OLD, h.old_start as usize..h.old_top as usize),
        ],
        off_heap: HashSet::new(),
    };
    let mut f = h.frags;
    while !f.is_null() {
        // SAFETY: the chain is alive.
        unsafe {
            let start = Fragment::data(f) as usize;
            heap.spaces.push(Space::new("fragment", start..start + (*f).used * 8));
            f = (*f).next;
        }
    }
    for i in 0..heap.spaces.len() {
        let Range { start, end } = heap.spaces[i].at;
        let (name, old) = (heap.spaces[i].name, heap.spaces[i].name == OLD);
        for at in (start..end).step_by(8) {
            match heap.spaces[i].kind(at) {
                // SAFETY: a word of the space.
                Kind::Cell => heap.check(unsafe { *(at as *const Term) }, name, old),
                Kind::Header => heap.object(at as *const Term, i),
                Kind::Body => {}
            }
        }
    }
    let mut q = p.heap.stack;
    while q < p.heap.end {
        // SAFETY: words of the stack; continuation pointers are no terms.
        let w = unsafe { *q };
        if !w.is_header() {
            heap.check(w, "stack", false);
        }
        q = q.wrapping_add(1);
    }
    for &t in live {
        heap.check(t, "register", false);
    }
    off_heap_list(p, &mut heap);
    each_root(p, &mut |t| heap.check(*t, "root", false));
}

/// The list holds every off-heap object once, those of the old generation last.
fn off_heap_list(p: &Process, heap: &mut Heap) {
    let old = old_range(&p.heap);
    let (mut t, mut in_old) = (Term(p.heap.off_heap.first), false);
    while t.0 != 0 {
        assert!(heap.off_heap.remove(&t.0), "off-heap list: {t:?} is no object, or there twice");
        assert!(!in_old || old.contains(&(t.0 as usize)), "off-heap list: a young object among old ones");
        in_old = old.contains(&(t.0 as usize));
        t = t.word(link_word(t.header()));
    }
    assert!(heap.off_heap.is_empty(), "off-heap list: {} objects are missing", heap.off_heap.len());
}
