//! Literal areas: terms that no process owns. They live in one reserved range of addresses, so that sending
//! and collecting recognise them by one subtraction.

use crate::heap::{Alloc, OffHeap, out_of_memory};
use crate::term::Term;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Address space to ask for, in bytes; the first that the system grants. Reserved, not committed: a host that counts
/// or limits memory sees only what was made accessible.
const RESERVE: [u64; 5] = [64 << 30, 8 << 30, 1 << 30, 256 << 20, 64 << 20];
/// Less than this gets a line of warning.
const COMFORTABLE: u64 = 1 << 30;
/// Made accessible at a time.
const COMMIT: u64 = 1 << 20;
const PAGE: u64 = 4096;
/// Chunks are multiples of this, so that small areas share pages.
const GRAIN: u64 = 64;
/// First chunk of an area, in bytes.
const CHUNK: u64 = 1024;

static BASE: AtomicU64 = AtomicU64::new(u64::MAX);
static SIZE: AtomicU64 = AtomicU64::new(0);
static RANGE: Mutex<Range> = Mutex::new(Range { next: 0, committed: 0, end: 0, free: BTreeMap::new() });

/// Whether the pointer leads into a literal area. Immediates may give any answer.
#[inline(always)]
pub fn is_literal(t: Term) -> bool {
    // Whoever holds a literal got it through something that synchronises, so it sees both values.
    t.0.wrapping_sub(BASE.load(Ordering::Relaxed)) < SIZE.load(Ordering::Relaxed)
}

/// The reserved range: used up to `next`, accessible up to `committed`.
struct Range {
    next: u64,
    committed: u64,
    end: u64,
    /// Chunks given back below `next`: address, bytes. Neighbours are merged.
    free: BTreeMap<u64, u64>,
}

impl Range {
    fn reserve(&mut self) {
        for size in RESERVE {
            // SAFETY: a fresh anonymous mapping.
            let p = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    size as usize,
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            if p != libc::MAP_FAILED {
                if size < COMFORTABLE {
                    eprintln!("chime: address space is short: only {} MiB reserved for literals", size >> 20);
                }
                *self = Range {
                    next: p as u64,
                    committed: p as u64,
                    end: p as u64 + size,
                    free: BTreeMap::new(),
                };
                BASE.store(p as u64, Ordering::Relaxed);
                SIZE.store(size, Ordering::Relaxed);
                return;
            }
        }
        eprintln!("chime: the system refuses to reserve address space for literals");
        std::process::exit(1)
    }

    fn commit(&mut self, to: u64) {
        let to = to.next_multiple_of(COMMIT).min(self.end);
        let bytes = to - self.committed;
        // SAFETY: pages of our own reservation.
        let r = unsafe {
            libc::mprotect(self.committed as *mut _, bytes as usize, libc::PROT_READ | libc::PROT_WRITE)
        };
        if r != 0 {
            out_of_memory(bytes as usize / 8);
        }
        self.committed = to;
    }

    /// `bytes` (a multiple of [`GRAIN`]) of accessible memory.
    fn take(&mut self, bytes: u64) -> u64 {
        if let Some((&at, &size)) = self.free.iter().find(|f| *f.1 >= bytes) {
            self.free.remove(&at);
            if size > bytes {
                self.free.insert(at + bytes, size - bytes);
            }
            return at;
        }
        if self.end == 0 {
            self.reserve();
        }
        if self.end - self.next < bytes {
            eprintln!("chime: the address space reserved for literals is used up");
            out_of_memory(bytes as usize / 8);
        }
        let at = self.next;
        self.next += bytes;
        if self.next > self.committed {
            self.commit(self.next);
        }
        at
    }

    /// Takes a chunk back; whole pages return to the system.
    fn give(&mut self, mut at: u64, mut bytes: u64) {
        if bytes == 0 {
            return;
        }
        let (first, last) = (at.next_multiple_of(PAGE), (at + bytes) / PAGE * PAGE);
        if first < last {
            // SAFETY: pages inside the chunk, whose contents may go.
            unsafe { libc::madvise(first as *mut _, (last - first) as usize, libc::MADV_DONTNEED) };
        }
        if let Some(size) = self.free.remove(&(at + bytes)) {
            bytes += size;
        }
        if let Some((&before, &size)) = self.free.range(..at).next_back()
            && before + size == at
        {
            self.free.remove(&before);
            (at, bytes) = (before, bytes + size);
        }
        self.free.insert(at, bytes);
    }
}

/// The literals of one module, of the persistent terms, …
pub struct LiteralArea {
    /// Address and bytes of each chunk; terms are built in the last one.
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
    /// For terms of `words` words in all: no more than that is taken, unless more is needed.
    pub fn with_room(words: usize) -> LiteralArea {
        LiteralArea { grow: words as u64 * 8, ..LiteralArea::new() }
    }
    pub fn contains(&self, t: Term) -> bool {
        self.chunks.iter().any(|c| t.0.wrapping_sub(c.0) < c.1)
    }
    /// Bytes taken from the range.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| c.1 as usize).sum()
    }
    /// Everything is built: gives back what is left of the last chunk. More may still be built, in a new one.
    pub fn freeze(&mut self) {
        let Some(last) = self.chunks.last_mut() else { return };
        let used = self.at.next_multiple_of(GRAIN).min(self.end);
        RANGE.lock().give(used, self.end - used);
        last.1 -= self.end - used;
        if last.1 == 0 {
            self.chunks.pop();
        }
        (self.at, self.end) = (0, 0);
    }
    /// Gives the memory back.
    ///
    /// # Safety
    /// No process, message or table refers to any of its terms.
    pub unsafe fn free(mut self) {
        self.off_heap.release();
        let mut r = RANGE.lock();
        for (at, bytes) in self.chunks.drain(..) {
            r.give(at, bytes);
        }
    }
}

impl Alloc for LiteralArea {
    fn alloc(&mut self, words: usize) -> *mut Term {
        let bytes = words as u64 * 8;
        if self.end - self.at < bytes {
            self.freeze();
            let chunk = bytes.max(self.grow).max(GRAIN).next_multiple_of(GRAIN);
            self.grow = (chunk * 2).min(1 << 20);
            self.at = RANGE.lock().take(chunk);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_recognised_shrink_and_return() {
        assert!(!is_literal(Term::boxed_ptr(&Term::NIL)));
        let mut a = LiteralArea::new();
        let items: Vec<Term> = (0..1000).map(Term::small).collect();
        let list = a.list(&items);
        let text = a.binary(&[7; 100]);
        let bytes = a.bytes();
        a.freeze();
        assert!(a.bytes() < bytes && a.bytes() >= 16_000 && a.bytes().is_multiple_of(GRAIN as usize));
        let more = a.tuple(&[list, text]);
        for t in [list, text, more] {
            assert!(is_literal(t) && a.contains(t));
        }
        assert_eq!(list.to_vec().as_deref(), Some(&items[..]));
        let small = LiteralArea::with_room(0);
        assert!(!small.contains(list));
        // SAFETY: the terms are not used any more.
        unsafe { a.free() };
    }

    #[test]
    fn neighbours_merge_and_are_taken_again() {
        let base = 1 << 40;
        // Everything is "free" already, so that neither system call is made: pieces stay below a page.
        let mut r = Range { next: base, committed: base, end: base, free: BTreeMap::from([(base, 2048)]) };
        let at: Vec<u64> = (0..4).map(|_| r.take(512)).collect();
        assert!(r.free.is_empty());
        for i in [0, 2, 3, 1] {
            r.give(at[i], 512);
        }
        assert_eq!(r.free, BTreeMap::from([(base, 2048)]));
        assert_eq!(r.take(2048), base);
    }
}
