//! A stored object: a deep copy of a tuple in a block of exactly its size.

use crate::bin::Bin;
use crate::copy;
use crate::heap::{Alloc, OffHeap, out_of_memory};
use crate::term::{Term, sub};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr;

/// The block's first words; the tuple follows, and behind it what it refers to.
#[repr(C)]
pub struct Object {
    /// The next of the same bucket.
    pub(super) next: *mut Object,
    /// The list of off-heap objects inside.
    off_heap: u64,
    pub(super) hash: u32,
    /// The block's words behind this header; the top bit says that the object is deleted, but kept because the table
    /// is fixed.
    words: u32,
}

const DELETED: u32 = 1 << 31;
/// What an object costs beside its terms.
pub const OVERHEAD: usize = size_of::<Object>() / 8;

/// An object that no table holds yet, or not any more.
pub struct Owned(*mut Object);

// SAFETY: an object's terms refer to nothing but its own block, entries of functions and counted binaries.
unsafe impl Send for Owned {}

/// Hands out the words of one block.
struct Block {
    top: *mut Term,
    off_heap: OffHeap,
}

impl Alloc for Block {
    fn alloc(&mut self, words: usize) -> *mut Term {
        let p = self.top;
        self.top = p.wrapping_add(words);
        p
    }
    fn off_heap(&mut self) -> &mut OffHeap {
        &mut self.off_heap
    }
}

impl Owned {
    /// A copy of a tuple. Linear in its size.
    pub fn new(tuple: Term, hash: u32) -> Owned {
        debug_assert!(tuple.is_tuple());
        let words = copy::whole_size(tuple);
        Self::build(words, hash, |b| copy::copy_whole(b, tuple, words))
    }
    /// A copy of a tuple with other elements in some places.
    pub fn with_elements(elements: &[Term], hash: u32) -> Owned {
        let sizes: Vec<usize> = elements.iter().map(|&e| copy::whole_size(e)).collect();
        let inside: usize = sizes.iter().sum();
        Self::build(elements.len() + 1 + inside, hash, |b| {
            let tuple = b.boxed(sub::TUPLE, elements.len());
            for (i, &e) in elements.iter().enumerate() {
                let e = if e.is_immed() { e } else { copy::copy_whole(b, e, sizes[i]) };
                // SAFETY: element `i` of the tuple just made.
                unsafe { *tuple.ptr().add(1 + i) = e };
            }
            tuple
        })
    }
    fn build(words: usize, hash: u32, fill: impl FnOnce(&mut Block) -> Term) -> Owned {
        if words >= DELETED as usize {
            out_of_memory(words);
        }
        // SAFETY: the layout is not empty; the block has room for header and words.
        unsafe {
            let o = alloc(Object::layout(words)).cast::<Object>();
            if o.is_null() {
                out_of_memory(words);
            }
            let mut block = Block { top: o.add(1).cast(), off_heap: OffHeap::default() };
            let root = fill(&mut block);
            debug_assert!(root.ptr() == o.add(1).cast());
            debug_assert!(block.top == o.add(1).cast::<Term>().add(words));
            let off_heap = block.off_heap.first;
            o.write(Object { next: ptr::null_mut(), off_heap, hash, words: words as u32 });
            Owned(o)
        }
    }
    pub(super) fn into_raw(self) -> *mut Object {
        let o = self.0;
        std::mem::forget(self);
        o
    }
    /// # Safety
    /// `o` came from `into_raw`, and nobody else uses it.
    pub(super) unsafe fn from_raw(o: *mut Object) -> Owned {
        Owned(o)
    }
    pub fn term(&self) -> Term {
        Object::term(self.0)
    }
    pub(super) fn header(&self) -> &Object {
        // SAFETY: alive while its owner is.
        unsafe { &*self.0 }
    }
    pub fn hash(&self) -> u32 {
        // SAFETY: alive.
        unsafe { (*self.0).hash }
    }
    /// The object's words with everything.
    pub fn size(&self) -> usize {
        // SAFETY: alive.
        unsafe { (*self.0).size() }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the owner drops it: nobody refers to it.
        unsafe {
            let mut list = OffHeap { first: (*self.0).off_heap, bytes: 0 };
            list.release();
            let layout = Object::layout(((*self.0).words & !DELETED) as usize);
            dealloc(self.0.cast(), layout);
        }
    }
}

impl Object {
    fn layout(words: usize) -> Layout {
        Layout::from_size_align(size_of::<Object>() + words * 8, 8).expect("size of an object")
    }
    /// The tuple.
    #[inline(always)]
    pub fn term(this: *const Object) -> Term {
        // SAFETY: the tuple follows the header in the same block.
        Term::boxed_ptr(unsafe { this.add(1).cast() })
    }
    #[inline(always)]
    pub(super) fn deleted(&self) -> bool {
        self.words & DELETED != 0
    }
    pub(super) fn delete(&mut self) {
        self.words |= DELETED;
    }
    pub(super) fn size(&self) -> usize {
        (self.words & !DELETED) as usize + OVERHEAD
    }
    /// Bytes of the large binaries that the object refers to.
    pub(super) fn binaries(&self, mut f: impl FnMut(*mut Bin)) {
        let mut t = Term(self.off_heap);
        while t.0 != 0 {
            if t.is_sub(sub::REFC_BIN) {
                f(t.word(3).0 as *mut Bin);
            }
            t = t.word(crate::heap::link_word(t.header()));
        }
    }
}
