//! Literal areas: terms that no process owns. They live in one reserved range of addresses, so that sending
//! and collecting recognise them by one subtraction.

use crate::heap::{Alloc, OffHeap, out_of_memory};
use crate::term::Term;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reserved, not committed: pages cost memory when first written.
const RESERVE: [u64; 3] = [64 << 30, 8 << 30, 1 << 30];
static BASE: AtomicU64 = AtomicU64::new(u64::MAX);
static SIZE: AtomicU64 = AtomicU64::new(0);

struct Range {
    next: u64,
    end: u64,
    /// Freed chunks: (size in bytes, address).
    free: Vec<(u64, u64)>,
}
static RANGE: Mutex<Range> = Mutex::new(Range { next: 0, end: 0, free: Vec::new() });

/// Whether the pointer leads into a literal area. Immediates may give any answer.
#[inline(always)]
pub fn is_literal(t: Term) -> bool {
    t.0.wrapping_sub(BASE.load(Ordering::Relaxed)) < SIZE.load(Ordering::Relaxed)
}

fn reserve(r: &mut Range) {
    for size in RESERVE {
        // SAFETY: a fresh anonymous mapping.
        let p = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if p != libc::MAP_FAILED {
            r.next = p as u64;
            r.end = r.next + size;
            BASE.store(r.next, Ordering::Relaxed);
            SIZE.store(size, Ordering::Relaxed);
            return;
        }
    }
    eprintln!("chime: the system refuses to reserve address space for literals");
    std::process::exit(1)
}

/// Bytes of a chunk from the reserved range.
fn take(bytes: u64) -> u64 {
    let mut r = RANGE.lock();
    if r.end == 0 {
        reserve(&mut r);
    }
    if let Some(i) = r.free.iter().position(|f| f.0 == bytes) {
        return r.free.swap_remove(i).1;
    }
    if r.end - r.next < bytes {
        out_of_memory(bytes as usize / 8);
    }
    let at = r.next;
    r.next += bytes;
    at
}

const CHUNK: u64 = 4096;

/// The literals of one module, of one persistent term, …
pub struct LiteralArea {
    /// (address, bytes) of each chunk.
    chunks: Vec<(u64, u64)>,
    at: u64,
    end: u64,
    grow: u64,
    off_heap: OffHeap,
}

// SAFETY: the chunks belong to the area alone, and its terms are immutable once shared.
unsafe impl Send for LiteralArea {}

impl Default for LiteralArea {
    fn default() -> Self {
        Self::new()
    }
}

impl LiteralArea {
    pub fn new() -> LiteralArea {
        LiteralArea { chunks: Vec::new(), at: 0, end: 0, grow: CHUNK, off_heap: OffHeap::default() }
    }
    pub fn contains(&self, t: Term) -> bool {
        self.chunks.iter().any(|c| t.0.wrapping_sub(c.0) < c.1)
    }
    /// Bytes taken from the range.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| c.1 as usize).sum()
    }
    /// Gives the memory back.
    ///
    /// # Safety
    /// No process, message or table refers to any of its terms.
    pub unsafe fn free(mut self) {
        self.off_heap.release();
        let mut r = RANGE.lock();
        for (at, bytes) in self.chunks.drain(..) {
            // SAFETY: our own pages; their contents may go.
            unsafe { libc::madvise(at as *mut _, bytes as usize, libc::MADV_DONTNEED) };
            r.free.push((bytes, at));
        }
    }
}

impl Alloc for LiteralArea {
    fn alloc(&mut self, words: usize) -> *mut Term {
        let bytes = words as u64 * 8;
        if self.end - self.at < bytes {
            let chunk = bytes.max(self.grow).next_multiple_of(CHUNK);
            self.grow = (self.grow * 2).min(1 << 20);
            self.at = take(chunk);
            self.end = self.at + chunk;
            self.chunks.push((self.at, chunk));
        }
        let p = self.at as *mut Term;
        self.at += bytes;
        p
    }
    fn off_heap(&mut self) -> &mut OffHeap {
        &mut self.off_heap
    }
}
