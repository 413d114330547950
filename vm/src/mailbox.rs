//! The private message queue of a process: touched by its owner only.
//!
//! The queue is a doubly linked list of the very nodes that came through the inbox. The save pointer is the message
//! that the receive under way looks at next; null means that it has seen all there is, and the next arrival becomes
//! its current message. A message's term lives in a fragment that the message owns until it is matched. Only when a collection
//! happens while a receive looks inside a message is its fragment adopted early: the term then lives on the
//! heap, and [`Mailbox::roots`] shows it to the collector.
//!
//! Markers remember a place in the queue: "everything before was here when the reference was made". The index of
//! premises will sit beside them in [`Rare`].

use crate::heap::{Fragment, Heap};
use crate::signal::{Signal, SignalKind};
use crate::term::Term;
use std::ptr;

/// A message in a queue, or on its way there.
pub struct Message {
    next: *mut Signal,
    prev: *mut Signal,
    pub term: Term,
    /// What `term` lives in, owned; null for an immediate, a literal, or an adopted message.
    pub frag: *mut Fragment,
}

impl Message {
    pub fn new(term: Term, frag: *mut Fragment) -> Message {
        Message { next: ptr::null_mut(), prev: ptr::null_mut(), term, frag }
    }
}

/// At most so many markers at a time; the oldest gives way.
const MARKERS: usize = 8;

struct Marker {
    id: i64,
    /// Number of the reference it is bound to; 0 while it is not (numbers are kept plus one).
    bound: u64,
    /// The last message when it was made; null: the queue was empty.
    node: *mut Signal,
}

/// What most mailboxes never need.
#[derive(Default)]
struct Rare {
    markers: Vec<Marker>,
    last_id: i64,
    /// Messages whose terms live on the heap.
    adopted: Vec<*mut Signal>,
}

/// See the module.
pub struct Mailbox {
    first: *mut Signal,
    last: *mut Signal,
    save: *mut Signal,
    len: usize,
    rare: Option<Box<Rare>>,
}

/// The message in a queued node.
///
/// # Safety
/// `node` is a live node of the caller's own queue, and no other reference to its message is in use.
unsafe fn message<'a>(node: *mut Signal) -> &'a mut Message {
    // SAFETY: see above.
    match unsafe { &mut (*node).kind } {
        SignalKind::Message(m) => m,
        _ => unreachable!("only messages are queued"),
    }
}

/// Asks for a line of memory ahead of its use. Any address will do.
#[inline(always)]
fn prefetch(p: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch(p.cast(), std::arch::x86_64::_MM_HINT_T0)
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) p, options(nostack, preserves_flags, readonly))
    };
    let _ = p;
}

impl Default for Mailbox {
    fn default() -> Self {
        Mailbox::new()
    }
}

impl Mailbox {
    pub const fn new() -> Mailbox {
        let null = ptr::null_mut();
        Mailbox { first: null, last: null, save: null, len: 0, rare: None }
    }

    /// Messages waiting.
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The message at the save pointer; `None` at the end of the queue.
    #[inline(always)]
    pub fn current(&self) -> Option<&Message> {
        if self.save.is_null() {
            return None;
        }
        // SAFETY: the save pointer is a node of this queue.
        Some(unsafe { message(self.save) })
    }

    /// Moves the save pointer behind the current message.
    #[inline]
    pub fn advance(&mut self) {
        debug_assert!(!self.save.is_null());
        if !self.save.is_null() {
            // SAFETY: a node of this queue; so is the next one, unless null.
            unsafe {
                self.save = message(self.save).next;
                if !self.save.is_null() {
                    // The scan looks at this term next, and then at the node behind.
                    let m = message(self.save);
                    prefetch(m.next.cast());
                    prefetch(m.term.ptr().cast());
                }
            }
        }
    }

    /// The next receive starts at the first message.
    #[inline]
    pub fn rewind(&mut self) {
        self.save = self.first;
    }

    /// Adds a message at the end.
    pub fn push(&mut self, m: Message) {
        self.push_node(Signal::boxed(Term::NONE, SignalKind::Message(m)));
    }

    /// Adds a node, which holds a message, at the end. O(1).
    pub(crate) fn push_node(&mut self, node: Box<Signal>) {
        let node = Box::into_raw(node);
        // SAFETY: a fresh node, and the last node of this queue.
        unsafe {
            let m = message(node);
            m.next = ptr::null_mut();
            m.prev = self.last;
            if self.last.is_null() {
                self.first = node;
            } else {
                message(self.last).next = node;
            }
        }
        self.last = node;
        if self.save.is_null() {
            self.save = node;
        }
        self.len += 1;
    }

    /// Unlinks and frees a node; returns its message. Markers that rest on it move to its predecessor. O(1).
    fn remove(&mut self, node: *mut Signal) -> Message {
        // SAFETY: `node` is in this queue, which owns it.
        let (next, prev) = unsafe {
            let m = message(node);
            (m.next, m.prev)
        };
        // SAFETY: neighbours in the same queue.
        unsafe {
            if prev.is_null() {
                self.first = next;
            } else {
                message(prev).next = next;
            }
            if next.is_null() {
                self.last = prev;
            } else {
                message(next).prev = prev;
            }
        }
        if self.save == node {
            self.save = next;
        }
        self.len -= 1;
        if let Some(rare) = &mut self.rare {
            for marker in rare.markers.iter_mut().filter(|m| m.node == node) {
                marker.node = prev;
            }
            rare.adopted.retain(|&a| a != node);
        }
        // SAFETY: unlinked: this is the only owner.
        match unsafe { Box::from_raw(node) }.kind {
            SignalKind::Message(m) => m,
            _ => unreachable!("only messages are queued"),
        }
    }

    /// Removes the current message and makes its fragment part of the heap; rewinds.
    #[inline]
    pub fn take_current(&mut self, heap: &mut Heap) {
        debug_assert!(!self.save.is_null());
        if self.save.is_null() {
            return;
        }
        let m = self.remove(self.save);
        // SAFETY: the message owned the fragment and is gone.
        unsafe { heap.adopt(m.frag) };
        self.save = self.first;
    }

    /// Makes the fragment of the current message part of the heap; the message stays queued. For collections
    /// while a receive looks at it.
    pub fn adopt_current(&mut self, heap: &mut Heap) {
        if self.save.is_null() {
            return;
        }
        // SAFETY: a node of this queue.
        let m = unsafe { message(self.save) };
        if m.frag.is_null() {
            return;
        }
        // SAFETY: the message gives the fragment up.
        unsafe { heap.adopt(std::mem::replace(&mut m.frag, ptr::null_mut())) };
        let save = self.save;
        self.rare.get_or_insert_with(Default::default).adopted.push(save);
    }

    /// Visits the terms of adopted messages. O(their number).
    pub fn roots(&mut self, f: &mut dyn FnMut(&mut Term)) {
        let Some(rare) = &mut self.rare else { return };
        for &node in &rare.adopted {
            // SAFETY: nodes of this queue.
            f(unsafe { &mut message(node).term });
        }
    }

    /// Visits all messages in order of arrival. O(n).
    pub fn for_each(&self, mut f: impl FnMut(&Message)) {
        let mut node = self.first;
        while !node.is_null() {
            // SAFETY: a node of this queue.
            let m = unsafe { message(node) };
            f(m);
            node = m.next;
        }
    }

    /// Removes the first message that `f` accepts. O(n).
    pub fn remove_first(&mut self, mut f: impl FnMut(Term) -> bool) -> Option<Message> {
        let mut node = self.first;
        while !node.is_null() {
            // SAFETY: a node of this queue.
            let m = unsafe { message(node) };
            if f(m.term) {
                return Some(self.remove(node));
            }
            node = m.next;
        }
        None
    }

    /// Bytes that the waiting messages take. O(n).
    pub fn memory(&self) -> usize {
        let mut n = self.len * size_of::<Signal>();
        self.for_each(|m| {
            let mut frag = m.frag;
            while !frag.is_null() {
                // SAFETY: the message owns a chain of live fragments.
                unsafe {
                    n += size_of::<Fragment>() + (*frag).cap * 8;
                    frag = (*frag).next;
                }
            }
        });
        n
    }

    // ---- markers

    /// A marker for the end of the queue as it is now.
    pub fn marker_reserve(&mut self) -> Term {
        let node = self.last;
        let rare = self.rare.get_or_insert_with(Default::default);
        if rare.markers.len() == MARKERS {
            rare.markers.remove(0);
        }
        rare.last_id += 1;
        rare.markers.push(Marker { id: rare.last_id, bound: 0, node });
        Term::small(rare.last_id)
    }

    /// Ties a marker to a reference, by its number.
    pub fn marker_bind(&mut self, marker: Term, number: u64) {
        let (Some(rare), Some(id)) = (&mut self.rare, marker.as_small()) else { return };
        if let Some(m) = rare.markers.iter_mut().find(|m| m.id == id) {
            m.bound = number + 1;
        }
    }

    /// Forgets a marker, by itself or by its reference.
    pub fn marker_clear(&mut self, t: Term) {
        let Some(rare) = &mut self.rare else { return };
        if let Some(id) = t.as_small() {
            rare.markers.retain(|m| m.id != id);
        } else if let Some(number) = crate::refs::number(t) {
            rare.markers.retain(|m| m.bound != number + 1);
        }
    }

    /// If the reference has a marker, the receive starts behind it.
    pub fn marker_use(&mut self, number: u64) {
        let Some(rare) = &self.rare else { return };
        let Some(m) = rare.markers.iter().find(|m| m.bound == number + 1) else { return };
        self.save = if m.node.is_null() {
            self.first
        } else {
            // SAFETY: a marker rests on a node of this queue; `remove` moves it away from one that leaves.
            unsafe { message(m.node).next }
        };
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let mut node = self.first;
        while !node.is_null() {
            // SAFETY: the queue owns its nodes, and the messages their fragments.
            unsafe {
                let m = message(node);
                let next = m.next;
                Fragment::free_chain(m.frag);
                drop(Box::from_raw(node));
                node = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift64*
    struct Random(u64);
    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % n
        }
    }

    /// The queue against a vector: same contents, same current message, markers that skip exactly what was there before.
    #[test]
    fn agrees_with_a_vector() {
        for seed in 1..200u64 {
            let mut r = Random(seed * 77);
            let (mut q, mut model, mut at) = (Mailbox::new(), Vec::<i64>::new(), 0usize);
            // Marker, number of its reference, first value that lies behind it.
            let mut markers: Vec<(Term, u64, i64)> = Vec::new();
            let mut next = 0i64;
            for step in 0..600u64 {
                match r.below(8) {
                    0..=2 => {
                        q.push(Message::new(Term::small(next), ptr::null_mut()));
                        model.push(next);
                        next += 1;
                    }
                    3 if at < model.len() => {
                        q.advance();
                        at += 1;
                    }
                    4 if at < model.len() => {
                        let node = q.save;
                        q.remove(node);
                        q.rewind();
                        model.remove(at);
                        at = 0;
                    }
                    5 => {
                        let m = q.marker_reserve();
                        q.marker_bind(m, step);
                        markers.push((m, step, next));
                        if markers.len() > MARKERS {
                            markers.remove(0);
                        }
                    }
                    6 if !markers.is_empty() => {
                        let (_, number, first) = markers[r.below(markers.len() as u64) as usize];
                        q.marker_use(number);
                        at = model.iter().position(|&v| v >= first).unwrap_or(model.len());
                    }
                    7 if !markers.is_empty() => {
                        let (m, ..) = markers.swap_remove(0);
                        q.marker_clear(m);
                        // Keep the model's order of age.
                        markers.sort_by_key(|m| m.1);
                    }
                    _ => {
                        q.rewind();
                        at = 0;
                    }
                }
                assert_eq!(
                    q.current().map(|m| m.term),
                    model.get(at).map(|&v| Term::small(v)),
                    "seed {seed}"
                );
                let mut all = Vec::new();
                q.for_each(|m| all.push(m.term.small_value()));
                assert_eq!(all, model);
                assert_eq!(q.len(), model.len());
            }
        }
    }
}
