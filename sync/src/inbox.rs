//! The inbox of a receiver: an intrusive lock-free list, many producers, one consumer.
//!
//! Producers push on a stack with one compare-and-swap; the consumer takes the whole stack with one exchange
//! and turns it round, so that it sees arrival order. Nothing is allocated beyond the node itself, whose
//! [`Link`] field threads the list. Only whole-list exchanges remove nodes, so the ABA problem cannot arise:
//! a push that finds the head it expected links to exactly that node, whatever happened in between.

use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicPtr, Ordering};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

/// The field of a node that threads it into an [`Inbox`] or a [`Chain`].
pub struct Link<T>(UnsafeCell<*mut T>);

impl<T> Link<T> {
    pub fn new() -> Self {
        Self(UnsafeCell::new(ptr::null_mut()))
    }

    /// # Safety
    /// The caller owns the node of this link: no other thread can reach it.
    #[inline(always)]
    unsafe fn get(&self) -> *mut T {
        // SAFETY: exclusive ownership, by the contract above.
        self.0.with(|p| unsafe { *p })
    }

    /// # Safety
    /// As for [`Link::get`].
    #[inline(always)]
    unsafe fn set(&self, next: *mut T) {
        // SAFETY: exclusive ownership, by the contract above.
        self.0.with_mut(|p| unsafe { *p = next })
    }
}

impl<T> Default for Link<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Link<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}

// SAFETY: the pointer inside is reached only through the unsafe methods above, whose callers own the node.
unsafe impl<T> Send for Link<T> {}
// SAFETY: as above; a shared reference to a link gives no access to it outside this module.
unsafe impl<T> Sync for Link<T> {}

/// A type that can be threaded into an [`Inbox`].
///
/// # Safety
/// `link` returns the same field of the node each time, and that field belongs to the list alone.
/// The alignment of the type is at least 2 (any type with a `Link` field has it).
pub unsafe trait Linked: Sized {
    fn link(&self) -> &Link<Self>;
}

/// A node for plain values, where a type of one's own with a [`Link`] is not needed.
#[derive(Debug)]
pub struct Node<T> {
    link: Link<Node<T>>,
    pub value: T,
}

impl<T> Node<T> {
    pub fn boxed(value: T) -> Box<Self> {
        Box::new(Self { link: Link::new(), value })
    }
}

// SAFETY: `link` is private to this module and is the only link.
unsafe impl<T> Linked for Node<T> {
    #[inline(always)]
    fn link(&self) -> &Link<Self> {
        &self.link
    }
}

/// Head of a closed inbox. Never dereferenced; no node has this address.
const CLOSED: usize = 1;

#[inline(always)]
fn closed<T>() -> *mut T {
    ptr::without_provenance_mut(CLOSED)
}

/// A list of signals on their way to one receiver. One pointer in size.
///
/// `push` and `is_empty` are for everyone; `take_all`, `close` and `reopen` are the consumer's. Calling those
/// from several threads at once is memory-safe, but gives up the order of arrival.
pub struct Inbox<T: Linked> {
    head: AtomicPtr<T>,
    owns: PhantomData<Box<T>>,
}

// SAFETY: an inbox only moves nodes from one thread to another; it never shares one.
unsafe impl<T: Linked + Send> Send for Inbox<T> {}
// SAFETY: as above.
unsafe impl<T: Linked + Send> Sync for Inbox<T> {}

impl<T: Linked> Inbox<T> {
    /// An open, empty inbox.
    pub fn new() -> Self {
        Self { head: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }

    /// An inbox that refuses everything until [`Inbox::reopen`]: what a pooled, unused record holds.
    pub fn new_closed() -> Self {
        Self { head: AtomicPtr::new(closed()), owns: PhantomData }
    }

    /// Adds a node. `Ok(true)` says that the inbox was empty before: this push, and only this one, has to
    /// notify the receiver. `Err` hands the node back: the inbox is closed. O(1), one compare-and-swap
    /// without contention.
    #[inline]
    pub fn push(&self, node: Box<T>) -> Result<bool, Box<T>> {
        let node = Box::into_raw(node);
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            if head == closed() {
                // SAFETY: `node` comes from `Box::into_raw` above and was not published.
                return Err(unsafe { Box::from_raw(node) });
            }
            // SAFETY: `node` is not published yet, so this thread owns it.
            unsafe { (*node).link().set(head) };
            // Release hands the node over. Acquire orders this push after an exchange of the consumer that
            // came before it, and so whatever the caller reads next (the state of the receiver) as well.
            match self.head.compare_exchange_weak(head, node, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Ok(head.is_null()),
                Err(now) => head = now,
            }
        }
    }

    /// Takes everything that has arrived, in order of arrival (so the order of each producer is kept).
    /// One exchange, and O(number of nodes) to turn the list round. A closed inbox stays closed.
    pub fn take_all(&self) -> Chain<T> {
        let head = self.head.load(Ordering::Relaxed);
        if head.is_null() || head == closed() {
            return Chain::new();
        }
        let head = self.head.swap(ptr::null_mut(), Ordering::AcqRel);
        if head == closed() {
            // Closed by another thread between the two lines above: close again.
            return self.close();
        }
        // SAFETY: the exchange made this thread the owner of the list at `head`.
        unsafe { Chain::reversed(head) }
    }

    /// Refuses every push from now on, and takes what had arrived. A push either is in the chain returned
    /// here (or in one taken before), or gets its node back.
    pub fn close(&self) -> Chain<T> {
        let head = self.head.swap(closed(), Ordering::AcqRel);
        if head == closed() {
            return Chain::new();
        }
        // SAFETY: the exchange made this thread the owner of the list at `head`.
        unsafe { Chain::reversed(head) }
    }

    /// Opens a closed inbox again, for the next user of a pooled record. No effect on an open one.
    ///
    /// Senders that still hold a reference to the record would reach its new owner: the caller sees to it
    /// that there are none.
    pub fn reopen(&self) {
        let _ = self.head.compare_exchange(closed(), ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Whether nothing waits. A closed inbox is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let head = self.head.load(Ordering::Acquire);
        head.is_null() || head == closed()
    }

    /// Whether pushes are refused.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.head.load(Ordering::Acquire) == closed()
    }
}

impl<T: Linked> Default for Inbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Linked> Drop for Inbox<T> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

impl<T: Linked> fmt::Debug for Inbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("empty", &self.is_empty()).field("closed", &self.is_closed()).finish()
    }
}

/// A list of nodes owned by one thread, in order. Also serves as a queue: O(1) `pop`, `push_back` and
/// `append`. Dropping it frees the nodes, without recursion.
pub struct Chain<T: Linked> {
    head: *mut T,
    tail: *mut T,
    len: usize,
    owns: PhantomData<Box<T>>,
}

// SAFETY: a chain owns its nodes, as a `Vec<Box<T>>` would.
unsafe impl<T: Linked + Send> Send for Chain<T> {}
// SAFETY: a shared chain gives out only shared references to its nodes.
unsafe impl<T: Linked + Sync> Sync for Chain<T> {}

impl<T: Linked> Chain<T> {
    pub const fn new() -> Self {
        Self { head: ptr::null_mut(), tail: ptr::null_mut(), len: 0, owns: PhantomData }
    }

    /// # Safety
    /// `newest` is null or the head of a null-terminated list of nodes from `Box::into_raw` that the caller
    /// owns.
    unsafe fn reversed(newest: *mut T) -> Self {
        let (tail, mut head, mut rest, mut len) = (newest, ptr::null_mut(), newest, 0);
        while !rest.is_null() {
            // SAFETY: `rest` is a node of the list, owned by the caller.
            unsafe {
                let next = (*rest).link().get();
                (*rest).link().set(head);
                head = rest;
                rest = next;
            }
            len += 1;
        }
        Self { head, tail, len, owns: PhantomData }
    }

    /// Number of nodes. O(1).
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_null()
    }

    /// The first node, if any.
    pub fn first(&self) -> Option<&T> {
        // SAFETY: `head` is null or a node that this chain owns, borrowed as long as the chain is.
        unsafe { self.head.as_ref() }
    }

    /// Takes the first node. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<Box<T>> {
        if self.head.is_null() {
            return None;
        }
        // SAFETY: `head` is a node from `Box::into_raw` that this chain owns and now gives up.
        let node = unsafe { Box::from_raw(self.head) };
        // SAFETY: the node is owned here.
        self.head = unsafe { node.link().get() };
        if self.head.is_null() {
            self.tail = ptr::null_mut();
        }
        self.len -= 1;
        Some(node)
    }

    /// Adds a node at the end. O(1).
    pub fn push_back(&mut self, node: Box<T>) {
        let node = Box::into_raw(node);
        // SAFETY: `node` was a box, so it is owned here.
        unsafe { (*node).link().set(ptr::null_mut()) };
        if self.tail.is_null() {
            self.head = node;
        } else {
            // SAFETY: `tail` is the last node of this chain.
            unsafe { (*self.tail).link().set(node) };
        }
        self.tail = node;
        self.len += 1;
    }

    /// Moves all of `other` to the end. O(1).
    pub fn append(&mut self, mut other: Self) {
        if other.head.is_null() {
            return;
        }
        if self.tail.is_null() {
            self.head = other.head;
        } else {
            // SAFETY: `tail` is the last node of this chain.
            unsafe { (*self.tail).link().set(other.head) };
        }
        self.tail = other.tail;
        self.len += other.len;
        // `other` now owns nothing.
        (other.head, other.tail, other.len) = (ptr::null_mut(), ptr::null_mut(), 0);
    }

    /// Walks over the nodes without taking them.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { next: self.head, borrows: PhantomData }
    }
}

impl<T: Linked> Default for Chain<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes nodes from the front; what is not consumed is freed with the chain.
impl<T: Linked> Iterator for Chain<T> {
    type Item = Box<T>;

    #[inline]
    fn next(&mut self) -> Option<Box<T>> {
        self.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<T: Linked> Drop for Chain<T> {
    fn drop(&mut self) {
        while let Some(node) = self.pop() {
            drop(node);
        }
    }
}

impl<T: Linked> fmt::Debug for Chain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("len", &self.len).finish()
    }
}

/// Iterator of [`Chain::iter`].
pub struct Iter<'a, T: Linked> {
    next: *mut T,
    borrows: PhantomData<&'a T>,
}

impl<'a, T: Linked> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        // SAFETY: `next` is null or a node of the chain borrowed for 'a.
        let node = unsafe { self.next.as_ref() }?;
        // SAFETY: the chain's owner is borrowed, so nobody changes the link meanwhile.
        self.next = unsafe { node.link().get() };
        Some(node)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn arrival_order_and_wake_up_of_the_first_push_only() {
        let inbox = Inbox::new();
        assert!(inbox.push(Node::boxed(1)).unwrap());
        assert!(!inbox.push(Node::boxed(2)).unwrap());
        assert!(!inbox.push(Node::boxed(3)).unwrap());
        let mut chain = inbox.take_all();
        assert_eq!(chain.len(), 3);
        assert!(inbox.is_empty());
        assert!(inbox.push(Node::boxed(4)).unwrap());
        chain.append(inbox.take_all());
        chain.push_back(Node::boxed(5));
        assert_eq!(chain.iter().map(|n| n.value).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(chain.map(|n| n.value).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn closing_returns_nodes_and_reopening_accepts_them() {
        let inbox = Inbox::new();
        inbox.push(Node::boxed(1)).unwrap();
        assert_eq!(inbox.close().len(), 1);
        assert_eq!(inbox.push(Node::boxed(2)).unwrap_err().value, 2);
        assert!(inbox.take_all().is_empty() && inbox.close().is_empty() && inbox.is_closed());
        inbox.reopen();
        assert!(inbox.push(Node::boxed(3)).unwrap());
    }

    #[test]
    fn one_pointer_and_everything_is_freed() {
        assert_eq!(size_of::<Inbox<Node<u64>>>(), size_of::<usize>());
        let counted = Arc::new(());
        let inbox = Inbox::new();
        for _ in 0..100_000 {
            inbox.push(Node::boxed(counted.clone())).unwrap();
        }
        let mut chain = inbox.take_all();
        drop(chain.pop());
        inbox.push(Node::boxed(counted.clone())).unwrap();
        drop((chain, inbox));
        assert_eq!(Arc::strong_count(&counted), 1);
    }

    #[test]
    fn producers_keep_their_own_order() {
        let inbox = Arc::new(Inbox::new());
        let producers: Vec<_> = (0..4u64)
            .map(|p| {
                let inbox = inbox.clone();
                std::thread::spawn(move || {
                    for i in 0..20_000u64 {
                        inbox.push(Node::boxed((p, i))).unwrap();
                    }
                })
            })
            .collect();
        let (mut next, mut seen) = ([0u64; 4], 0);
        while seen < 80_000 {
            for node in inbox.take_all() {
                let (p, i) = node.value;
                assert_eq!(next[p as usize], i);
                next[p as usize] += 1;
                seen += 1;
            }
            std::thread::yield_now();
        }
        producers.into_iter().for_each(|p| p.join().unwrap());
    }
}
