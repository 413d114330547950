//! Deep copies of terms: what sending a message costs.
//!
//! Two passes without recursion: one measures, one copies breadth-first into the room made, so that the copy
//! itself is the work list. Spines of lists are copied in one go. Literals and large binaries are shared.

use crate::bin::Bin;
use crate::heap::{Alloc, FragBuilder, Fragment, HEAP_BIN_LIMIT};
use crate::literal::is_literal;
use crate::refs;
use crate::term::{ALL_RAW, RAW_WORDS, Term, header, header_arity, header_subtag, sub};
use std::cell::RefCell;

thread_local! {
    static STACK: RefCell<Vec<Term>> = const { RefCell::new(Vec::new()) };
}

/// A sub-binary that is copied as a heap binary of its own: its first byte and size.
fn small_part(t: Term) -> Option<(*const u8, usize)> {
    let (size, flags) = (t.word(1).0 as usize, t.word(3).0);
    if size > HEAP_BIN_LIMIT || flags & 0xFFFF != 0 {
        return None;
    }
    let first = crate::bin::whole_bytes(t.word(4)).wrapping_add(t.word(2).0 as usize);
    Some((first, size))
}

/// A literal that stays where it is.
#[inline(always)]
fn shared<const WHOLE: bool>(t: Term) -> bool {
    !WHOLE && is_literal(t)
}

/// Words a copy of `t` takes. Linear in the term.
pub fn size(t: Term) -> usize {
    size_of::<false>(t)
}
/// Words a copy of `t` takes that shares no literals.
pub fn whole_size(t: Term) -> usize {
    size_of::<true>(t)
}
fn size_of<const WHOLE: bool>(t: Term) -> usize {
    if !(t.is_cons() || t.is_boxed()) {
        return 0;
    }
    STACK.with_borrow_mut(|stack| {
        let base = stack.len();
        let mut words = 0;
        let mut t = t;
        loop {
            if t.is_cons() {
                if !shared::<WHOLE>(t) {
                    words += 2;
                    let h = t.head();
                    if h.is_cons() || h.is_boxed() {
                        stack.push(t.tail());
                        t = h;
                    } else {
                        t = t.tail();
                    }
                    continue;
                }
            } else if t.is_boxed() && !shared::<WHOLE>(t) {
                let h = t.header();
                let (tag, arity) = (header_subtag(h), header_arity(h));
                if tag == sub::SUB_BIN
                    && let Some((_, n)) = small_part(t)
                {
                    words += 2 + n.div_ceil(8);
                } else {
                    words += arity + 1;
                    let raw = RAW_WORDS[tag as usize];
                    if raw != ALL_RAW {
                        for i in 1 + raw as usize..=arity {
                            let e = t.word(i);
                            if e.is_cons() || e.is_boxed() {
                                stack.push(e);
                            }
                        }
                    }
                }
            }
            if stack.len() == base {
                return words;
            }
            t = stack.pop().unwrap_or(Term::NIL);
        }
    })
}

/// Copies `t` into `a`. The copy is contiguous.
pub fn copy<A: Alloc + ?Sized>(a: &mut A, t: Term) -> Term {
    let words = size(t);
    copy_sized(a, t, words)
}

/// As [`copy`], when [`size`] is known already.
pub fn copy_sized<A: Alloc + ?Sized>(a: &mut A, t: Term, words: usize) -> Term {
    copy_into::<false, A>(a, t, words)
}
/// A copy that shares no literals, so that it may outlive the code that they belong to; `words` is [`whole_size`].
pub fn copy_whole<A: Alloc + ?Sized>(a: &mut A, t: Term, words: usize) -> Term {
    copy_into::<true, A>(a, t, words)
}
fn copy_into<const WHOLE: bool, A: Alloc + ?Sized>(a: &mut A, t: Term, words: usize) -> Term {
    if words == 0 {
        return t;
    }
    let start = a.alloc(words);
    let mut c = Copy::<WHOLE, A> { top: start, a };
    // SAFETY: `words` words were measured for exactly this copy.
    unsafe {
        let root = c.place(t);
        let mut scan = start;
        while scan < c.top {
            let w = *scan;
            if w.is_header() {
                let raw = RAW_WORDS[header_subtag(w.0) as usize];
                scan = scan.add(1 + if raw == ALL_RAW { header_arity(w.0) } else { raw as usize });
            } else {
                // A tail that `place` has copied with its list leads into the copy already.
                if (w.is_cons() || w.is_boxed()) && !(start..c.top).contains(&w.ptr()) {
                    *scan = c.place(w);
                }
                scan = scan.add(1);
            }
        }
        debug_assert!(c.top == start.add(words));
        root
    }
}

struct Copy<'a, const WHOLE: bool, A: Alloc + ?Sized> {
    top: *mut Term,
    a: &'a mut A,
}

impl<const WHOLE: bool, A: Alloc + ?Sized> Copy<'_, WHOLE, A> {
    /// Copies one object, or the spine of a list; what it refers to is left to the scan.
    unsafe fn place(&mut self, t: Term) -> Term {
        // SAFETY: the measured room has space for each object once.
        unsafe {
            if shared::<WHOLE>(t) {
                return t;
            }
            if t.is_cons() {
                let first = self.top;
                let mut t = t;
                loop {
                    let to = self.top;
                    self.top = to.add(2);
                    *to = t.head();
                    let tail = t.tail();
                    if tail.is_cons() && !shared::<WHOLE>(tail) {
                        *to.add(1) = Term::list_ptr(self.top);
                        t = tail;
                    } else {
                        *to.add(1) = tail;
                        return Term::list_ptr(first);
                    }
                }
            }
            if !t.is_boxed() {
                return t;
            }
            let h = t.header();
            let (tag, n) = (header_subtag(h), header_arity(h) + 1);
            let to = self.top;
            if tag == sub::SUB_BIN
                && let Some((bytes, size)) = small_part(t)
            {
                let words = size.div_ceil(8);
                self.top = to.add(2 + words);
                *to = Term(header(sub::HEAP_BIN, 1 + words));
                *to.add(1) = Term(size as u64);
                if words > 0 {
                    *to.add(1 + words) = Term(0);
                    std::ptr::copy_nonoverlapping(bytes, to.add(2).cast::<u8>(), size);
                }
                return Term::boxed_ptr(to);
            }
            self.top = to.add(n);
            std::ptr::copy_nonoverlapping(t.ptr(), to, n);
            let new = Term::boxed_ptr(to);
            match tag {
                sub::REFC_BIN => {
                    Bin::retain(t.word(3).0 as *mut Bin);
                    // Only the process that grows a binary in place may write behind its end.
                    *to.add(5) = Term(0);
                    self.a.off_heap().link(new, t.word(1).0 as usize);
                }
                sub::SUB_BIN => {
                    *to.add(3) = Term(t.word(3).0 & 0xFFFF);
                }
                sub::REF if n == 5 => {
                    *to.add(4) = Term(refs::share_magic(t));
                    self.a.off_heap().link(new, 0);
                }
                _ => {}
            }
            new
        }
    }
}

/// Copies `t` for another process: into one fragment of exactly the size, null if `t` needs none.
pub fn copy_to_fragment(t: Term) -> (Term, *mut Fragment) {
    let words = size(t);
    if words == 0 {
        return (t, std::ptr::null_mut());
    }
    let mut b = FragBuilder::new(words);
    let t = copy_sized(&mut b, t, words);
    (t, b.finish())
}

#[cfg(test)]
mod tests;
