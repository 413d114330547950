//! `persistent_term`: a hash table that is read without a lock.
//!
//! Keys and values are copied into a literal area, which lives as long as the machine: a value that was
//! replaced may still be in use anywhere.

use chime_vm::bif::BifResult;
use chime_vm::cmp::exact_eq;
use chime_vm::heap::Alloc;
use chime_vm::literal::LiteralArea;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, copy, hash, map};
use parking_lot::Mutex;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A key and its current value; `Term::NONE`: erased. Never moved, never freed.
struct Entry {
    hash: u32,
    key: Term,
    value: AtomicU64,
}

/// Slots of an open hash table, at most half of them used. A full one is replaced, and kept: somebody may
/// be reading it; all together they take no more than the last one.
struct Table {
    slots: Box<[AtomicPtr<Entry>]>,
}

static TABLE: AtomicPtr<Table> = AtomicPtr::new(ptr::null_mut());

/// What writers need.
struct Writer {
    area: Option<LiteralArea>,
    /// Slots in use.
    used: usize,
}

static WRITER: Mutex<Writer> = Mutex::new(Writer { area: None, used: 0 });

impl Table {
    fn new(n: usize) -> &'static Table {
        Box::leak(Box::new(Table { slots: (0..n).map(|_| AtomicPtr::default()).collect() }))
    }
    fn current() -> Option<&'static Table> {
        // SAFETY: tables are leaked.
        unsafe { TABLE.load(Ordering::Acquire).as_ref() }
    }
    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        // SAFETY: entries are leaked.
        self.slots.iter().filter_map(|s| unsafe { s.load(Ordering::Acquire).as_ref() })
    }
    /// The entry of `key`, or the slot for it.
    fn find(&self, hash: u32, key: Term) -> Result<&'static Entry, usize> {
        let mask = self.slots.len() - 1;
        let mut i = (hash as usize).wrapping_mul(0x9E37_79B1) & mask;
        loop {
            // SAFETY: entries are leaked.
            match unsafe { self.slots[i].load(Ordering::Acquire).as_ref() } {
                Some(e) if e.hash == hash && exact_eq(e.key, key) => return Ok(e),
                Some(_) => i = (i + 1) & mask,
                None => return Err(i),
            }
        }
    }
}

fn lookup(key: Term) -> Option<Term> {
    let e = Table::current()?.find(hash::internal(key), key).ok()?;
    let value = Term(e.value.load(Ordering::Acquire));
    (!value.is_none()).then_some(value)
}

/// A table with room for one more entry.
fn with_room(w: &mut Writer) -> &'static Table {
    let old = Table::current();
    if let Some(t) = old.filter(|t| w.used * 2 < t.slots.len()) {
        return t;
    }
    let new = Table::new(old.map_or(64, |t| t.slots.len() * 2));
    w.used = 0;
    for e in old.into_iter().flat_map(Table::entries) {
        if e.value.load(Ordering::Relaxed) != 0
            && let Err(i) = new.find(e.hash, e.key)
        {
            new.slots[i].store(ptr::from_ref(e).cast_mut(), Ordering::Relaxed);
            w.used += 1;
        }
    }
    TABLE.store(ptr::from_ref(new).cast_mut(), Ordering::Release);
    new
}

/// `fresh`: refuse to replace another value. Whether the value is now in place.
fn store(key: Term, value: Term, fresh: bool) -> bool {
    let hash = hash::internal(key);
    let mut w = WRITER.lock();
    if let Some(old) = lookup(key) {
        if exact_eq(old, value) {
            return true;
        }
        if fresh {
            return false;
        }
    }
    let table = with_room(&mut w);
    let area = w.area.get_or_insert_with(LiteralArea::new);
    let value = copy::copy(area, value);
    match table.find(hash, key) {
        Ok(e) => e.value.store(value.0, Ordering::Release),
        Err(i) => {
            let key = copy::copy(area, key);
            let e = Box::leak(Box::new(Entry { hash, key, value: AtomicU64::new(value.0) }));
            table.slots[i].store(e, Ordering::Release);
            w.used += 1;
        }
    }
    true
}

fn put(p: &mut Process, a: &[Term]) -> BifResult {
    store(a[0], a[1], false);
    p.bump(100);
    Ok(atoms::OK)
}

/// OTP 29: badarg if there is another value.
fn put_new(p: &mut Process, a: &[Term]) -> BifResult {
    p.bump(100);
    if store(a[0], a[1], true) { Ok(atoms::OK) } else { Err(p.badarg()) }
}

fn get_1(p: &mut Process, a: &[Term]) -> BifResult {
    lookup(a[0]).ok_or_else(|| p.badarg())
}

fn get_2(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(lookup(a[0]).unwrap_or(a[1]))
}

fn all() -> Vec<(Term, Term)> {
    let entries = Table::current().into_iter().flat_map(Table::entries);
    entries.map(|e| (e.key, Term(e.value.load(Ordering::Acquire)))).filter(|kv| !kv.1.is_none()).collect()
}

fn get_0(p: &mut Process, _: &[Term]) -> BifResult {
    let v: Vec<Term> = all().into_iter().map(|(k, v)| p.tuple(&[k, v])).collect();
    p.bump(v.len() / 10);
    Ok(p.list(&v))
}

fn erase(_: &mut Process, a: &[Term]) -> BifResult {
    let _writing = WRITER.lock();
    let hash = hash::internal(a[0]);
    let old = match Table::current().map(|t| t.find(hash, a[0])) {
        Some(Ok(e)) => e.value.swap(0, Ordering::AcqRel),
        _ => 0,
    };
    Ok(Term::bool(old != 0))
}

fn erase_all(_: &mut Process, _: &[Term]) -> BifResult {
    let _writing = WRITER.lock();
    for e in Table::current().into_iter().flat_map(Table::entries) {
        e.value.store(0, Ordering::Release);
    }
    Ok(atoms::TRUE)
}

fn info(p: &mut Process, _: &[Term]) -> BifResult {
    let count = Term::small(all().len() as i64);
    let bytes = WRITER.lock().area.as_ref().map_or(0, LiteralArea::bytes);
    let memory = p.uint(bytes as u64);
    let mut pairs = [(crate::util::atom("count"), count), (atoms::MEMORY, memory)];
    Ok(map::from_pairs(p, &mut pairs).unwrap_or(Term::NIL))
}

bifs! { TERMS, "persistent_term";
    "put"/2 [] => put,
    "put_new"/2 [] => put_new,
    "get"/0 [] => get_0,
    "get"/1 [] => get_1,
    "get"/2 [] => get_2,
    "erase"/1 [] => erase,
    "info"/0 [] => info,
}

bifs! { INTERNAL, "erts_internal"; "erase_persistent_terms"/0 [] => erase_all }
