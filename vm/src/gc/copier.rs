//! Cheney's algorithm over two target spaces: the new young block and the old generation.
//!
//! A moved cons cell has no head, and its tail is the new pointer; a moved boxed object's header is the new
//! pointer. The target spaces are their own work lists, so nothing recurses. Kinds of objects do not matter:
//! the header's arity and [`RAW_WORDS`] tell how to walk them.

use crate::literal::is_literal;
use crate::term::{ALL_RAW, RAW_WORDS, Term, header_arity, header_subtag};
use std::ops::Range;

/// One collection's view of where things are.
pub struct Copier {
    /// What of the young block was there at the last collection: a young collection promotes it.
    pub mature: Range<usize>,
    /// The old generation, which a young collection leaves alone; empty in a full one.
    pub keep: Range<usize>,
    /// Next free word of the new block, and of the old generation.
    pub to: *mut Term,
    pub old: *mut Term,
    /// A full collection of a large heap copies everything to the old generation.
    pub all_old: bool,
}

impl Copier {
    /// Moves what `slot` points to, if it moves, and updates the slot.
    ///
    /// # Safety
    /// The slot is alive and, if it holds a pointer, that leads to a literal, or to a live or moved object in the
    /// memory of the process; the target spaces have room for all objects that are not kept.
    #[inline(always)]
    pub unsafe fn evacuate(&mut self, slot: *mut Term) {
        // SAFETY: as above.
        unsafe {
            let t = *slot;
            if t.is_cons() {
                if self.stays(t) {
                    return;
                }
                let p = t.ptr();
                let (head, tail) = (*p, *p.add(1));
                if head.is_none() {
                    *slot = tail;
                    return;
                }
                let to = self.room(p as usize, 2);
                *to = head;
                *to.add(1) = tail;
                let moved = Term::list_ptr(to);
                *p = Term::NONE;
                *p.add(1) = moved;
                *slot = moved;
            } else if t.is_boxed() {
                if self.stays(t) {
                    return;
                }
                let p = t.ptr();
                let h = *p;
                if !h.is_header() {
                    *slot = h;
                    return;
                }
                let n = header_arity(h.0) + 1;
                let to = self.room(p as usize, n);
                if n <= 8 {
                    // Most objects are too small for a call of memcpy to pay.
                    for i in 0..n {
                        *to.add(i) = *p.add(i);
                    }
                } else {
                    std::ptr::copy_nonoverlapping(p, to, n);
                }
                let moved = Term::boxed_ptr(to);
                *p = moved;
                *slot = moved;
            }
        }
    }

    #[inline(always)]
    fn stays(&self, t: Term) -> bool {
        self.keep.contains(&(t.0 as usize)) || is_literal(t)
    }

    /// Where an object of `n` words that lies at `at` goes.
    #[inline(always)]
    unsafe fn room(&mut self, at: usize, n: usize) -> *mut Term {
        let to = if self.all_old || self.mature.contains(&at) { &mut self.old } else { &mut self.to };
        let p = *to;
        // SAFETY: both spaces were made large enough for everything that can move there.
        *to = unsafe { p.add(n) };
        p
    }

    /// Evacuates what the objects in the target spaces refer to, from `young` and `old` on, until nothing is left.
    ///
    /// # Safety
    /// As for [`Copier::evacuate`]; complete objects lie between the arguments and the free pointers.
    pub unsafe fn drain(&mut self, mut young: *mut Term, mut old: *mut Term) {
        // SAFETY: as above; `scan` leaves complete objects behind the pointers.
        unsafe {
            while young != self.to || old != self.old {
                while young != self.to {
                    young = self.scan_one(young);
                }
                while old != self.old {
                    old = self.scan_one(old);
                }
            }
        }
    }

    /// Handles one word, or skips the raw part of one object; returns where to go on.
    #[inline(always)]
    unsafe fn scan_one(&mut self, at: *mut Term) -> *mut Term {
        // SAFETY: `at` is a word between objects, or a term inside one.
        unsafe {
            let w = *at;
            if w.is_header() {
                at.add(raw_part(w.0))
            } else {
                self.evacuate(at);
                at.add(1)
            }
        }
    }
}

/// Words of the object with header `h` that are not terms, the header included.
#[inline(always)]
pub fn raw_part(h: u64) -> usize {
    let raw = RAW_WORDS[header_subtag(h) as usize];
    1 + if raw == ALL_RAW { header_arity(h) } else { raw as usize }
}

/// Calls `f` for every word in a space that is a term.
///
/// # Safety
/// Complete objects fill the space.
#[inline]
pub unsafe fn each_slot(mut at: *mut Term, end: *mut Term, f: &mut impl FnMut(&mut Term)) {
    // SAFETY: as above.
    unsafe {
        while at < end {
            let w = *at;
            if w.is_header() {
                at = at.add(raw_part(w.0));
            } else {
                f(&mut *at);
                at = at.add(1);
            }
        }
    }
}
