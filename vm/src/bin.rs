//! Bytes of bitstrings: reference-counted blocks, and one view over every kind of bitstring term.

use crate::heap::Alloc;
use crate::term::{Term, sub};
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// A reference-counted block of bytes outside any heap. The bytes follow the struct.
#[repr(C)]
pub struct Bin {
    refs: AtomicUsize,
    /// Bytes in use.
    pub size: usize,
    /// Bytes allocated.
    pub cap: usize,
}

impl Bin {
    fn layout(cap: usize) -> Layout {
        Layout::from_size_align(size_of::<Bin>() + cap, 16).expect("binary size")
    }
    /// A block of `size` zero bytes with room for `cap`; one reference, the caller's.
    pub fn new(size: usize, cap: usize) -> *mut Bin {
        let cap = cap.max(size);
        // SAFETY: the layout is not empty.
        unsafe {
            let b = alloc(Self::layout(cap)).cast::<Bin>();
            if b.is_null() {
                crate::heap::out_of_memory(cap / 8);
            }
            b.write(Bin { refs: AtomicUsize::new(1), size, cap });
            std::ptr::write_bytes((*b).bytes(), 0, cap);
            b
        }
    }
    pub fn from_bytes(bytes: &[u8]) -> *mut Bin {
        let b = Self::new(0, bytes.len());
        // SAFETY: fresh, of that capacity.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), (*b).bytes(), bytes.len());
            (*b).size = bytes.len();
        }
        b
    }
    pub fn bytes(&self) -> *mut u8 {
        (self as *const Bin).wrapping_add(1) as *mut u8
    }
    /// # Safety
    /// `this` is alive.
    pub unsafe fn retain(this: *mut Bin) {
        // SAFETY: see above.
        unsafe { (*this).refs.fetch_add(1, Ordering::Relaxed) };
    }
    /// # Safety
    /// The caller gives up one reference of its own.
    pub unsafe fn release(this: *mut Bin) {
        // SAFETY: the reference given up keeps it alive until here.
        unsafe {
            if (*this).refs.fetch_sub(1, Ordering::Release) == 1 {
                fence(Ordering::Acquire);
                let cap = (*this).cap;
                dealloc(this.cast(), Self::layout(cap));
            }
        }
    }
    /// Number of references (a moment's value).
    pub fn refs(&self) -> usize {
        self.refs.load(Ordering::Acquire)
    }
    /// Grows the block; the address may change, new bytes are zero.
    ///
    /// # Safety
    /// The caller holds the only reference and updates whatever holds the address.
    pub unsafe fn grow(this: *mut Bin, cap: usize) -> *mut Bin {
        // SAFETY: sole owner.
        unsafe {
            let old = (*this).cap;
            if cap <= old {
                return this;
            }
            let b = realloc(this.cast(), Self::layout(old), Self::layout(cap).size()).cast::<Bin>();
            if b.is_null() {
                crate::heap::out_of_memory(cap / 8);
            }
            std::ptr::write_bytes((*b).bytes().add(old), 0, cap - old);
            (*b).cap = cap;
            b
        }
    }
}

/// A bitstring's bits: `bits` bits starting `bit` bits into `bytes`.
#[derive(Clone, Copy)]
pub struct Bits<'a> {
    /// Whole bytes that contain the bits.
    pub bytes: &'a [u8],
    /// Offset of the first bit in `bytes`, 0 to 7.
    pub bit: usize,
    /// How many bits.
    pub bits: usize,
}

impl<'a> Bits<'a> {
    /// The bytes, if bits start and end on byte boundaries.
    pub fn aligned(&self) -> Option<&'a [u8]> {
        (self.bit == 0 && self.bits % 8 == 0).then(|| &self.bytes[..self.bits / 8])
    }
}

/// Address of the first byte of a heap or refc binary.
#[inline]
pub fn whole_bytes(whole: Term) -> *mut u8 {
    if whole.is_sub(sub::HEAP_BIN) {
        // SAFETY: the bytes follow the size word.
        unsafe { whole.ptr().add(2).cast() }
    } else {
        debug_assert!(whole.is_sub(sub::REFC_BIN));
        whole.word(4).0 as *mut u8
    }
}

/// The underlying heap or refc binary, the offset and the length in bits, of any bitstring.
#[inline]
pub fn parts(t: Term) -> Option<(Term, usize, usize)> {
    match t.subtag()? {
        sub::HEAP_BIN | sub::REFC_BIN => Some((t, 0, t.word(1).0 as usize * 8)),
        sub::SUB_BIN => {
            let flags = t.word(3).0;
            let bits = t.word(1).0 as usize * 8 + (flags & 0xFF) as usize;
            let offset = t.word(2).0 as usize * 8 + (flags >> 8 & 0xFF) as usize;
            Some((t.word(4), offset, bits))
        }
        _ => None,
    }
}

/// View of a bitstring's bits; `None` if `t` is none. Constant time. Valid until the next collection.
pub fn bits<'a>(t: Term) -> Option<Bits<'a>> {
    let (whole, offset, bits) = parts(t)?;
    let first = offset / 8;
    let len = (offset % 8 + bits).div_ceil(8);
    // SAFETY: a bitstring's range lies inside its block (checked when it was made).
    let bytes = unsafe { std::slice::from_raw_parts(whole_bytes(whole).add(first), len) };
    Some(Bits { bytes, bit: offset % 8, bits })
}

/// The bytes of a binary (whole bytes); unaligned ones are copied.
pub fn bytes<'a>(t: Term) -> Option<std::borrow::Cow<'a, [u8]>> {
    let b = bits(t)?;
    if b.bits % 8 != 0 {
        return None;
    }
    Some(match b.aligned() {
        Some(s) => std::borrow::Cow::Borrowed(s),
        None => {
            let n = b.bits / 8;
            std::borrow::Cow::Owned(
                (0..n).map(|i| b.bytes[i] << b.bit | b.bytes[i + 1] >> (8 - b.bit)).collect(),
            )
        }
    })
}

/// A sub-binary of any bitstring: `bits` bits from bit `offset` of `t`, without copying.
pub fn sub_binary<A: Alloc + ?Sized>(a: &mut A, t: Term, offset: usize, bits: usize) -> Option<Term> {
    let (whole, base, len) = parts(t)?;
    debug_assert!(offset + bits <= len);
    Some(a.raw_sub_binary(whole, base + offset, bits))
}
