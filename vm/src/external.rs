//! Pids, ports and references of other nodes, and the name of this one. Layout behind the header, all raw:
//! the node's atom as index, its creation above (`creation << 32`); then
//!
//! | kind | words |
//! |---|---|
//! | pid | number, serial |
//! | port | number, 0 |
//! | reference | numbers 0 and 1 (`<< 32`), 2 and 3, how many, and number 4 above |

use crate::atoms;
use crate::heap::Alloc;
use crate::term::{Term, sub};
use std::sync::atomic::{AtomicU64, Ordering};

/// This node: creation << 32 | index of its name.
static LOCAL: AtomicU64 = AtomicU64::new(atoms::NONODE.atom_index() as u64);

/// Name and creation of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub name: Term,
    pub creation: u32,
}

fn unpack(w: u64) -> Node {
    Node { name: Term::atom(w as u32), creation: (w >> 32) as u32 }
}
fn pack(n: Node) -> Term {
    Term((n.creation as u64) << 32 | n.name.atom_index() as u64)
}

/// This node.
pub fn local_node() -> Node {
    unpack(LOCAL.load(Ordering::Relaxed))
}
/// Gives this node a name.
pub fn set_local_node(n: Node) {
    LOCAL.store(pack(n).0, Ordering::Relaxed);
}
/// The node of an identifier.
pub fn node(t: Term) -> Node {
    if is_external(t) { unpack(t.word(1).0) } else { local_node() }
}
pub fn is_external(t: Term) -> bool {
    matches!(t.subtag(), Some(sub::EXT_PID | sub::EXT_PORT | sub::EXT_REF))
}

fn make<A: Alloc + ?Sized>(a: &mut A, subtag: u64, n: Node, body: &[u64]) -> Term {
    let t = a.boxed(subtag, 1 + body.len());
    let words: Vec<Term> = std::iter::once(pack(n)).chain(body.iter().map(|&w| Term(w))).collect();
    a.fill(t, &words)
}

/// A pid of any node; `None` if it says it is of this one but cannot be.
pub fn make_pid<A: Alloc + ?Sized>(a: &mut A, n: Node, number: u32, serial: u32) -> Option<Term> {
    if n == local_node() {
        return (number < 1 << 28).then(|| Term::pid((serial as u64) << 28 | number as u64));
    }
    Some(make(a, sub::EXT_PID, n, &[number as u64, serial as u64]))
}
/// As [`make_pid`], a port.
pub fn make_port<A: Alloc + ?Sized>(a: &mut A, n: Node, number: u64) -> Option<Term> {
    if n == local_node() {
        return (number < 1 << 60).then(|| Term::port(number));
    }
    Some(make(a, sub::EXT_PORT, n, &[number, 0]))
}
/// As [`make_pid`], a reference of up to five numbers.
pub fn make_ref<A: Alloc + ?Sized>(a: &mut A, n: Node, numbers: &[u32]) -> Option<Term> {
    if numbers.is_empty() || numbers.len() > 5 {
        return None;
    }
    let at = |i: usize| numbers.get(i).copied().unwrap_or(0) as u64;
    let (low, high) = (at(0) | at(1) << 32, at(2) | at(3) << 32);
    if n == local_node() {
        if numbers.len() > 3 {
            return None;
        }
        let t = a.boxed(sub::REF, 2);
        return Some(a.fill(t, &[Term(at(1) | at(2) << 32), Term(at(0))]));
    }
    Some(make(a, sub::EXT_REF, n, &[low, high, numbers.len() as u64 | at(4) << 32]))
}

/// Number and serial of a pid.
pub fn pid_numbers(t: Term) -> (u32, u32) {
    if t.is_local_pid() {
        (t.pid_data() as u32 & 0xFFF_FFFF, (t.pid_data() >> 28) as u32)
    } else {
        (t.word(2).0 as u32, t.word(3).0 as u32)
    }
}
/// Number of a port.
pub fn port_number(t: Term) -> u64 {
    if t.is_local_port() { t.pid_data() } else { t.word(2).0 }
}
/// The numbers of a reference, and how many there are.
pub fn ref_numbers(t: Term) -> ([u32; 5], usize) {
    if t.is_sub(sub::REF) {
        let [a, b, c] = crate::refs::ids(t);
        return ([a, b, c, 0, 0], 3);
    }
    let (x, y, z) = (t.word(2).0, t.word(3).0, t.word(4).0);
    let n = [x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32, (z >> 32) as u32];
    (n, (z as u32 as usize).min(5))
}
