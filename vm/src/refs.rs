//! References. Body of a local one: `[number: u64, salt: u32]`, behind that, for an alias, the process's
//! pid (as a raw pid word), or, for a magic reference, `[link, *mut Magic]`.
//!
//! Numbers come from per-thread blocks of a global counter, so making one costs no shared write.

use crate::heap::Alloc;
use crate::term::{Term, header_arity, sub};
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);
const BLOCK: u64 = 4096;

thread_local! {
    static RANGE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A number no other reference of this machine has.
pub fn next_number() -> u64 {
    RANGE.with(|r| {
        let (next, end) = r.get();
        let (next, end) = if next == end {
            let start = NEXT_BLOCK.fetch_add(BLOCK, Ordering::Relaxed);
            (start, start + BLOCK)
        } else {
            (next, end)
        };
        r.set((next + 1, end));
        next
    })
}

/// Words of an ordinary reference, header included.
pub const REF_WORDS: usize = 3;

/// Salt in the printed form, so that references of different runs differ.
fn salt() -> u64 {
    static SALT: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *SALT.get_or_init(|| {
        let t = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |d| d.as_nanos() as u64);
        (t ^ t >> 32) & 0x3FFFF
    })
}

pub fn make_ref<A: Alloc + ?Sized>(a: &mut A) -> Term {
    let n = next_number();
    make_ref_numbered(a, n)
}
pub fn make_ref_numbered<A: Alloc + ?Sized>(a: &mut A, number: u64) -> Term {
    let t = a.boxed(sub::REF, 2);
    a.fill(t, &[Term(number), Term(salt())])
}
/// A reference that is also an alias of `pid`.
pub fn make_alias<A: Alloc + ?Sized>(a: &mut A, pid: Term) -> Term {
    let t = a.boxed(sub::REF, 3);
    let n = next_number();
    a.fill(t, &[Term(n), Term(salt()), pid])
}
/// The alias reference of that number, built anew.
pub fn make_alias_numbered<A: Alloc + ?Sized>(a: &mut A, number: u64, pid: Term) -> Term {
    let t = a.boxed(sub::REF, 3);
    a.fill(t, &[Term(number), Term(salt()), pid])
}
/// The unique number of a local reference.
pub fn number(t: Term) -> Option<u64> {
    t.is_sub(sub::REF).then(|| t.word(1).0)
}
/// The process an alias reference leads to.
pub fn alias_pid(t: Term) -> Option<Term> {
    (t.is_sub(sub::REF) && header_arity(t.header()) == 3).then(|| t.word(3))
}
/// The three 32-bit numbers of the printed and external form, least significant first.
pub fn ids(t: Term) -> [u32; 3] {
    let n = t.word(1).0;
    [t.word(2).0 as u32, n as u32, (n >> 32) as u32]
}

/// What a magic reference keeps alive.
pub type Magic = dyn Any + Send + Sync;

/// A reference that owns something of the machine's (a table, a compiled pattern, the state of a suspended
/// built-in). Freed when the last copy is collected.
pub fn make_magic<A: Alloc + ?Sized>(a: &mut A, value: Arc<Magic>) -> Term {
    make_magic_numbered(a, next_number(), value)
}
/// A magic reference that was made before, made anew: with its number and its value.
pub fn make_magic_numbered<A: Alloc + ?Sized>(a: &mut A, number: u64, value: Arc<Magic>) -> Term {
    let p = Box::into_raw(Box::new(value));
    let t = a.boxed(sub::REF, 4);
    a.fill(t, &[Term(number), Term(salt()), Term(0), Term(p as u64)]);
    a.off_heap().link(t, 0);
    t
}
/// The value behind a magic reference.
pub fn magic(t: Term) -> Option<Arc<Magic>> {
    if t.is_sub(sub::REF) && header_arity(t.header()) == 4 {
        // SAFETY: the box lives as long as the object that holds its address.
        Some(unsafe { (*(t.word(4).0 as *const Arc<Magic>)).clone() })
    } else {
        None
    }
}
pub(crate) fn release_magic(t: Term) {
    // SAFETY: called once, when the object that owns the box dies.
    unsafe { drop(Box::from_raw(t.word(4).0 as *mut Arc<Magic>)) }
}
/// A box of one more count for a copy of the reference: what its word 4 must hold.
pub(crate) fn share_magic(t: Term) -> u64 {
    magic(t).map_or(0, |v| Box::into_raw(Box::new(v)) as u64)
}
