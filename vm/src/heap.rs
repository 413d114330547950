//! Where terms are built: process heaps, fragments, literal areas.
//!
//! A process owns one contiguous block: the heap grows up from `start`, the Erlang stack down from `end`.
//! A built-in never triggers a collection: when the block is full, [`Alloc::alloc`] opens a heap fragment
//! that the next collection merges. So terms that a built-in holds stay where they are until it returns.
//!
//! Off-heap objects (reference-counted binaries, magic references) are threaded on the `off_heap` list of
//! the heap or fragment that holds them; whoever frees the memory walks the list and drops the counts.

use crate::bin::Bin;
use crate::term::{Term, header, sub};
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ptr;

/// Anything that terms can be built in.
pub trait Alloc {
    /// `words` fresh words, uninitialised, at an address that stays valid until the next collection of the
    /// owner. Constant time. The caller fills all of them before anybody walks the heap.
    fn alloc(&mut self, words: usize) -> *mut Term;
    /// The list that off-heap objects built here must be linked on.
    fn off_heap(&mut self) -> &mut OffHeap;

    fn cons(&mut self, head: Term, tail: Term) -> Term {
        let p = self.alloc(2);
        // SAFETY: two fresh words.
        unsafe {
            *p = head;
            *p.add(1) = tail;
        }
        Term::list_ptr(p)
    }
    fn tuple(&mut self, elements: &[Term]) -> Term {
        let t = self.boxed(sub::TUPLE, elements.len());
        self.fill(t, elements)
    }
    /// A boxed object whose body the caller fills at once.
    fn boxed(&mut self, subtag: u64, arity: usize) -> Term {
        let p = self.alloc(arity + 1);
        // SAFETY: fresh words.
        unsafe { *p = Term(header(subtag, arity)) };
        Term::boxed_ptr(p)
    }
    #[doc(hidden)]
    fn fill(&mut self, t: Term, body: &[Term]) -> Term {
        // SAFETY: `boxed` made room for exactly this many words.
        unsafe { ptr::copy_nonoverlapping(body.as_ptr(), t.ptr().add(1), body.len()) };
        t
    }
    fn float(&mut self, f: f64) -> Term {
        let t = self.boxed(sub::FLOAT, 1);
        self.fill(t, &[Term(f.to_bits())])
    }
    /// A list of `items` with the given tail.
    fn list_with_tail(&mut self, items: &[Term], tail: Term) -> Term {
        if items.is_empty() {
            return tail;
        }
        let p = self.alloc(items.len() * 2);
        for (i, &item) in items.iter().enumerate() {
            // SAFETY: cell `i` lies inside the fresh words.
            unsafe {
                *p.add(2 * i) = item;
                *p.add(2 * i + 1) =
                    if i + 1 == items.len() { tail } else { Term::list_ptr(p.add(2 * i + 2)) };
            }
        }
        Term::list_ptr(p)
    }
    fn list(&mut self, items: &[Term]) -> Term {
        self.list_with_tail(items, Term::NIL)
    }
    /// A list of small integers from bytes.
    fn byte_list(&mut self, bytes: &[u8], tail: Term) -> Term {
        let mut t = tail;
        if bytes.is_empty() {
            return t;
        }
        let p = self.alloc(bytes.len() * 2);
        for (i, &b) in bytes.iter().enumerate().rev() {
            // SAFETY: cell `i` lies inside the fresh words.
            unsafe {
                *p.add(2 * i) = Term::small(b as i64);
                *p.add(2 * i + 1) = t;
                t = Term::list_ptr(p.add(2 * i));
            }
        }
        t
    }
    /// A list of code points.
    fn string(&mut self, text: &str) -> Term {
        let points: Vec<Term> = text.chars().map(|c| Term::small(c as i64)).collect();
        self.list(&points)
    }
    fn int(&mut self, v: i64) -> Term {
        if Term::fits_small(v) {
            return Term::small(v);
        }
        let t = self.boxed(if v < 0 { sub::NEG_BIG } else { sub::POS_BIG }, 1);
        self.fill(t, &[Term(v.unsigned_abs())])
    }
    fn uint(&mut self, v: u64) -> Term {
        match i64::try_from(v) {
            Ok(v) => self.int(v),
            Err(_) => {
                let t = self.boxed(sub::POS_BIG, 1);
                self.fill(t, &[Term(v)])
            }
        }
    }
    fn int128(&mut self, v: i128) -> Term {
        if let Ok(v) = i64::try_from(v) {
            return self.int(v);
        }
        let m = v.unsigned_abs();
        let (lo, hi) = (m as u64, (m >> 64) as u64);
        let t = self.boxed(if v < 0 { sub::NEG_BIG } else { sub::POS_BIG }, if hi == 0 { 1 } else { 2 });
        if hi == 0 { self.fill(t, &[Term(lo)]) } else { self.fill(t, &[Term(lo), Term(hi)]) }
    }
    /// An integer from sign and digits (least significant first, leading zeros allowed).
    fn big(&mut self, negative: bool, digits: &[u64]) -> Term {
        let n = digits.iter().rposition(|&d| d != 0).map_or(0, |i| i + 1);
        let small_limit = if negative { 1u64 << 59 } else { (1u64 << 59) - 1 };
        match n {
            0 => Term::small(0),
            1 if digits[0] <= small_limit => {
                Term::small(if negative { (digits[0] as i64).wrapping_neg() } else { digits[0] as i64 })
            }
            _ => {
                let t = self.boxed(if negative { sub::NEG_BIG } else { sub::POS_BIG }, n);
                for (i, &d) in digits[..n].iter().enumerate() {
                    // SAFETY: `boxed` made room for `n` words.
                    unsafe { *t.ptr().add(1 + i) = Term(d) };
                }
                t
            }
        }
    }
    /// A binary holding a copy of `bytes`: on the heap up to 64 bytes, reference-counted beyond.
    fn binary(&mut self, bytes: &[u8]) -> Term {
        if bytes.len() <= HEAP_BIN_LIMIT {
            self.heap_binary(bytes)
        } else {
            let b = Bin::from_bytes(bytes);
            self.refc_binary(b)
        }
    }
    fn heap_binary(&mut self, bytes: &[u8]) -> Term {
        let words = bytes.len().div_ceil(8);
        let t = self.boxed(sub::HEAP_BIN, 1 + words);
        // SAFETY: `boxed` made room for the size and `words` words of bytes; the last is cleared first so
        // that no uninitialised byte is ever read.
        unsafe {
            *t.ptr().add(1) = Term(bytes.len() as u64);
            if words > 0 {
                *t.ptr().add(1 + words) = Term(0);
                ptr::copy_nonoverlapping(bytes.as_ptr(), t.ptr().add(2).cast::<u8>(), bytes.len());
            }
        }
        t
    }
    /// Takes over one reference to `bin`; the term spans all its bytes.
    fn refc_binary(&mut self, bin: *mut Bin) -> Term {
        let t = self.boxed(sub::REFC_BIN, 5);
        // SAFETY: `bin` is alive: the caller hands over a reference.
        let (size, bytes) = unsafe { ((*bin).size, (*bin).bytes()) };
        self.fill(t, &[Term(size as u64), Term(0), Term(bin as u64), Term(bytes as u64), Term(0)]);
        self.off_heap().link(t, size);
        t
    }
    /// A sub-binary of `whole` (a heap or refc binary, never a sub-binary): `bits` bits from bit `offset`.
    /// See [`crate::bin::sub_binary`] for one that accepts any bitstring.
    fn raw_sub_binary(&mut self, whole: Term, offset: usize, bits: usize) -> Term {
        let t = self.boxed(sub::SUB_BIN, 4);
        let flags = (bits % 8) as u64 | ((offset % 8) as u64) << 8;
        self.fill(t, &[Term((bits / 8) as u64), Term((offset / 8) as u64), Term(flags), whole])
    }
}

/// Binaries up to this size live on the heap.
pub const HEAP_BIN_LIMIT: usize = 64;

/// The off-heap objects of one heap: a list through word 2 (refc binary) or word 3 (magic reference).
pub struct OffHeap {
    pub first: u64,
    /// Bytes of the binaries linked here since the last collection: the virtual heap.
    pub bytes: usize,
}

impl Default for OffHeap {
    fn default() -> Self {
        OffHeap { first: 0, bytes: 0 }
    }
}

/// Index of the link word of an off-heap object.
pub fn link_word(header: u64) -> usize {
    if crate::term::header_subtag(header) == sub::REFC_BIN { 2 } else { 3 }
}

impl OffHeap {
    /// Links a fresh object. Constant time.
    pub fn link(&mut self, t: Term, bytes: usize) {
        let w = link_word(t.header());
        // SAFETY: the object has a link word at `w`.
        unsafe { *t.ptr().add(w) = Term(self.first) };
        self.first = t.0;
        self.bytes += bytes;
    }
    /// Moves everything from `other` here. Linear in `other`.
    pub fn adopt(&mut self, other: &mut OffHeap) {
        if other.first == 0 {
            return;
        }
        let mut last = Term(other.first);
        loop {
            let w = link_word(last.header());
            let next = last.word(w);
            if next.0 == 0 {
                // SAFETY: link word of a live object.
                unsafe { *last.ptr().add(w) = Term(self.first) };
                break;
            }
            last = next;
        }
        self.first = other.first;
        self.bytes += other.bytes;
        *other = OffHeap::default();
    }
    /// Drops every object's count. The objects must not be used afterwards.
    pub fn release(&mut self) {
        let mut t = Term(self.first);
        while t.0 != 0 {
            let next = t.word(link_word(t.header()));
            release_object(t);
            t = next;
        }
        *self = OffHeap::default();
    }
}

/// Drops the count that one off-heap object holds.
pub fn release_object(t: Term) {
    if t.is_sub(sub::REFC_BIN) {
        // SAFETY: word 3 is the object's own reference to a live Bin.
        unsafe { Bin::release(t.word(3).0 as *mut Bin) };
    } else {
        crate::refs::release_magic(t);
    }
}

/// A block of words outside a process's main block: a message, or the overflow of a built-in.
#[repr(C)]
pub struct Fragment {
    pub next: *mut Fragment,
    pub off_heap: OffHeap,
    pub used: usize,
    pub cap: usize,
}

impl Fragment {
    fn layout(cap: usize) -> Layout {
        Layout::from_size_align(size_of::<Fragment>() + cap * 8, 8).expect("fragment size")
    }
    pub fn new(cap: usize) -> *mut Fragment {
        // SAFETY: the layout is not empty; a null result ends the machine.
        unsafe {
            let f = alloc(Self::layout(cap)).cast::<Fragment>();
            if f.is_null() {
                out_of_memory(cap);
            }
            f.write(Fragment { next: ptr::null_mut(), off_heap: OffHeap::default(), used: 0, cap });
            f
        }
    }
    /// First word.
    pub fn data(this: *mut Fragment) -> *mut Term {
        // SAFETY: the words follow the struct in the same allocation.
        unsafe { this.add(1).cast::<Term>() }
    }
    pub fn contains(this: *mut Fragment, p: *const Term) -> bool {
        let start = Self::data(this) as usize;
        // SAFETY: `this` is alive.
        let end = start + unsafe { (*this).cap } * 8;
        (start..end).contains(&(p as usize))
    }
    /// Frees the block only; off-heap counts have been moved elsewhere or released.
    ///
    /// # Safety
    /// Nothing refers to the block any more.
    pub unsafe fn free(this: *mut Fragment) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { dealloc(this.cast(), Self::layout((*this).cap)) }
    }
    /// Frees a chain and releases what is off-heap.
    ///
    /// # Safety
    /// Nothing refers to the chain any more.
    pub unsafe fn free_chain(mut this: *mut Fragment) {
        while !this.is_null() {
            // SAFETY: the chain's links are live blocks.
            unsafe {
                let next = (*this).next;
                (*this).off_heap.release();
                Self::free(this);
                this = next;
            }
        }
    }
}

/// Ends the machine when the system gives no memory, as OTP does.
pub fn out_of_memory(words: usize) -> ! {
    eprintln!("chime: cannot allocate {words} words of memory");
    std::process::exit(1)
}

/// Builds terms in fragments of its own: messages, and anything made outside a process.
pub struct FragBuilder {
    pub first: *mut Fragment,
    grow: usize,
}

impl FragBuilder {
    /// `words`: expected size; more is allocated as needed.
    pub fn new(words: usize) -> Self {
        FragBuilder {
            first: if words == 0 { ptr::null_mut() } else { Fragment::new(words) },
            grow: words.max(32),
        }
    }
    /// The chain of fragments, whose owner the caller becomes; null if nothing was built.
    pub fn finish(mut self) -> *mut Fragment {
        std::mem::replace(&mut self.first, ptr::null_mut())
    }
}

impl Drop for FragBuilder {
    fn drop(&mut self) {
        // SAFETY: an unfinished builder is the only owner of its chain.
        unsafe { Fragment::free_chain(self.first) }
    }
}

impl Alloc for FragBuilder {
    fn alloc(&mut self, words: usize) -> *mut Term {
        // SAFETY: `first` is null or alive; used <= cap.
        unsafe {
            if self.first.is_null() || (*self.first).cap - (*self.first).used < words {
                let f = Fragment::new(words.max(self.grow));
                self.grow *= 2;
                (*f).next = self.first;
                self.first = f;
            }
            let p = Fragment::data(self.first).add((*self.first).used);
            (*self.first).used += words;
            p
        }
    }
    fn off_heap(&mut self) -> &mut OffHeap {
        if self.first.is_null() {
            self.first = Fragment::new(self.grow);
        }
        // SAFETY: alive.
        unsafe { &mut (*self.first).off_heap }
    }
}

/// The heap of one process.
#[repr(C)]
pub struct Heap {
    /// Next free word.
    pub top: *mut Term,
    /// Lowest used word of the Erlang stack.
    pub stack: *mut Term,
    pub start: *mut Term,
    /// One past the block; the stack's base.
    pub end: *mut Term,
    /// Data below this survived a collection and is promoted by the next.
    pub mature: *mut Term,
    pub old_start: *mut Term,
    pub old_top: *mut Term,
    pub old_end: *mut Term,
    /// Overflow of built-ins and adopted messages.
    pub frags: *mut Fragment,
    /// Words in `frags`.
    pub frag_words: usize,
    /// Objects in the old generation stand behind all others in this list.
    pub off_heap: OffHeap,
    /// So many bytes of binaries may still be promoted before the old generation is collected as well.
    pub old_binary_budget: usize,
    /// When the last collection ended, in reductions of this process.
    pub collected_at: u64,
}

/// Words kept free between heap and stack, so that a call can always push its continuation and a
/// deoptimising frame fits.
pub const RED_ZONE: usize = 4;

impl Heap {
    pub fn block_words(&self) -> usize {
        // SAFETY: both point into (one past) the same block.
        unsafe { self.end.offset_from(self.start) as usize }
    }
    pub fn used_words(&self) -> usize {
        (self.top as usize - self.start as usize) / 8
    }
    pub fn stack_words(&self) -> usize {
        (self.end as usize - self.stack as usize) / 8
    }
    pub fn old_words(&self) -> usize {
        (self.old_top as usize - self.old_start as usize) / 8
    }
    #[inline(always)]
    pub fn free_words(&self) -> usize {
        ((self.stack as usize).saturating_sub(self.top as usize) / 8).saturating_sub(RED_ZONE)
    }
    /// Room for `need` words beside a whole red zone. (`free_words` is 0 also when calls have used some of it.)
    #[inline(always)]
    pub fn has_room(&self, need: usize) -> bool {
        self.stack as isize - self.top as isize >= ((need + RED_ZONE) * 8) as isize
    }
    #[cold]
    fn alloc_fragment(&mut self, words: usize) -> *mut Term {
        // SAFETY: `frags` is null or alive, used <= cap.
        unsafe {
            if self.frags.is_null() || (*self.frags).cap - (*self.frags).used < words {
                let f = Fragment::new(words.max(64).max((self.frag_words / 2).min(1 << 16)));
                (*f).next = self.frags;
                self.frags = f;
            }
            let p = Fragment::data(self.frags).add((*self.frags).used);
            (*self.frags).used += words;
            self.frag_words += words;
            p
        }
    }
    /// Makes the fragments of a message part of this heap. Linear in the number of fragments.
    ///
    /// # Safety
    /// The caller owns the chain and gives it up.
    pub unsafe fn adopt(&mut self, mut chain: *mut Fragment) {
        while !chain.is_null() {
            // SAFETY: owned, alive.
            unsafe {
                let next = (*chain).next;
                self.frag_words += (*chain).used;
                self.off_heap.adopt(&mut (*chain).off_heap);
                // Behind the first, which may be the one that built-ins still fill.
                if self.frags.is_null() {
                    (*chain).next = ptr::null_mut();
                    self.frags = chain;
                } else {
                    (*chain).next = (*self.frags).next;
                    (*self.frags).next = chain;
                }
                chain = next;
            }
        }
    }
}

impl Alloc for Heap {
    #[inline]
    fn alloc(&mut self, words: usize) -> *mut Term {
        if self.free_words() >= words {
            let p = self.top;
            // SAFETY: checked room.
            self.top = unsafe { p.add(words) };
            return p;
        }
        self.alloc_fragment(words)
    }
    fn off_heap(&mut self) -> &mut OffHeap {
        &mut self.off_heap
    }
}

/// Allocates a block of words. Never null.
pub fn alloc_block(words: usize) -> *mut Term {
    // SAFETY: the layout is not empty.
    let p = unsafe { alloc(Layout::array::<u64>(words.max(1)).expect("heap size")) }.cast::<Term>();
    if p.is_null() {
        out_of_memory(words);
    }
    p
}

/// Gives back the end of a block. The address changes only if the allocator insists.
///
/// # Safety
/// `p` came from [`alloc_block`] with size `words`; from now on its size is `to`, which is not more.
pub unsafe fn shrink_block(p: *mut Term, words: usize, to: usize) -> *mut Term {
    if cfg!(debug_assertions) {
        // Always moves, so that tests meet that case.
        let q = alloc_block(to);
        // SAFETY: both blocks have as many words.
        unsafe {
            ptr::copy_nonoverlapping(p, q, to);
            free_block(p, words);
        }
        return q;
    }
    let layout = Layout::array::<u64>(words.max(1)).expect("heap size");
    // SAFETY: see above; the new size is not zero.
    let q = unsafe { realloc(p.cast(), layout, to.max(1) * 8) }.cast::<Term>();
    if q.is_null() {
        out_of_memory(to);
    }
    q
}

/// # Safety
/// `p` came from [`alloc_block`] with the same size and is not used any more.
pub unsafe fn free_block(p: *mut Term, words: usize) {
    if !p.is_null() {
        // SAFETY: see above.
        unsafe { dealloc(p.cast(), Layout::array::<u64>(words.max(1)).expect("heap size")) }
    }
}
