//! `atomics` and the counters of `erts_internal`: arrays of 64-bit words behind magic references.

use crate::util::{as_i64, as_u64};
use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, refs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Order of all operations on `atomics`: they are sequentially consistent.
const ORDER: Ordering = Ordering::SeqCst;

struct Array {
    signed: bool,
    words: Box<[AtomicU64]>,
}

/// Counters that many write: a row per group of threads, each row on cache lines of its own.
struct Counters {
    size: usize,
    /// Words of a row.
    stride: usize,
    rows: usize,
    words: Box<[AtomicU64]>,
}

const LINE_WORDS: usize = 8;
/// Most words of an array; beyond, `system_limit`.
const MAX_WORDS: usize = 1 << 40;

fn zeroed(n: usize) -> Option<Box<[AtomicU64]>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n).ok()?;
    v.resize_with(n, || AtomicU64::new(0));
    Some(v.into_boxed_slice())
}

/// A number of counters: what is wrong with it otherwise.
fn size(p: &mut Process, t: Term) -> Result<usize, Bail> {
    match t.as_index() {
        Some(0) => Err(p.badarg()),
        Some(n) if n > MAX_WORDS => Err(p.system_limit()),
        Some(n) => Ok(n),
        None if t.is_big() && !t.big_digits().0 => Err(p.system_limit()),
        None => Err(p.badarg()),
    }
}

/// `erts_internal:atomics_new(Arity, Flags)`: flag bit 0 says signed.
fn atomics_new(p: &mut Process, a: &[Term]) -> BifResult {
    let n = size(p, a[0])?;
    let Some(flags) = a[1].as_index() else { return Err(p.badarg()) };
    let Some(words) = zeroed(n) else { return Err(p.system_limit()) };
    Ok(refs::make_magic(p, Arc::new(Array { signed: flags & 1 == 1, words })))
}

/// The array and the index of the element named by position `i`.
fn place(a: &[Term]) -> Option<(Arc<Array>, usize)> {
    let array = refs::magic(a[0])?.downcast::<Array>().ok()?;
    let i = a[1].as_index().filter(|i| (1..=array.words.len()).contains(i))?;
    Some((array, i - 1))
}

/// A value to store, in two's complement.
fn value(signed: bool, t: Term) -> Option<u64> {
    if signed { as_i64(t).map(|v| v as u64) } else { as_u64(t) }
}

/// A value to add: any integer of 64 bits, with or without sign.
fn increment(t: Term) -> Option<u64> {
    as_i64(t).map(|v| v as u64).or_else(|| as_u64(t))
}

fn shown(p: &mut Process, signed: bool, v: u64) -> Term {
    if signed { p.int(v as i64) } else { p.uint(v) }
}

fn put(p: &mut Process, a: &[Term]) -> BifResult {
    match place(a).and_then(|(array, i)| Some((value(array.signed, a[2])?, array, i))) {
        Some((v, array, i)) => {
            array.words[i].store(v, ORDER);
            Ok(atoms::OK)
        }
        None => Err(p.badarg()),
    }
}

fn get(p: &mut Process, a: &[Term]) -> BifResult {
    match place(a) {
        Some((array, i)) => Ok(shown(p, array.signed, array.words[i].load(ORDER))),
        None => Err(p.badarg()),
    }
}

fn add(p: &mut Process, a: &[Term]) -> BifResult {
    match place(a).zip(increment(a[2])) {
        Some(((array, i), v)) => {
            array.words[i].fetch_add(v, ORDER);
            Ok(atoms::OK)
        }
        None => Err(p.badarg()),
    }
}

fn add_get(p: &mut Process, a: &[Term]) -> BifResult {
    match place(a).zip(increment(a[2])) {
        Some(((array, i), v)) => {
            let sum = array.words[i].fetch_add(v, ORDER).wrapping_add(v);
            Ok(shown(p, array.signed, sum))
        }
        None => Err(p.badarg()),
    }
}

fn exchange(p: &mut Process, a: &[Term]) -> BifResult {
    match place(a).and_then(|(array, i)| Some((value(array.signed, a[2])?, array, i))) {
        Some((v, array, i)) => {
            let old = array.words[i].swap(v, ORDER);
            Ok(shown(p, array.signed, old))
        }
        None => Err(p.badarg()),
    }
}

fn compare_exchange(p: &mut Process, a: &[Term]) -> BifResult {
    let args = place(a).and_then(|(array, i)| {
        let (old, new) = (value(array.signed, a[2])?, value(array.signed, a[3])?);
        Some((array, i, old, new))
    });
    match args {
        Some((array, i, old, new)) => match array.words[i].compare_exchange(old, new, ORDER, ORDER) {
            Ok(_) => Ok(atoms::OK),
            Err(found) => Ok(shown(p, array.signed, found)),
        },
        None => Err(p.badarg()),
    }
}

/// A small map with atom keys, given in the order of their names.
fn info_map(p: &mut Process, entries: &[(&str, Term)]) -> Term {
    let mut pairs: Vec<(Term, Term)> = entries.iter().map(|&(k, v)| (crate::util::atom(k), v)).collect();
    chime_vm::map::from_pairs(p, &mut pairs).unwrap_or(Term::NIL)
}

fn info(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(array) = refs::magic(a[0]).and_then(|m| m.downcast::<Array>().ok()) else {
        return Err(p.badarg());
    };
    let (min, max) = if array.signed { (i64::MIN, i64::MAX as u64) } else { (0, u64::MAX) };
    let (min, max) = (p.int(min), p.uint(max));
    let n = array.words.len();
    let (size, memory) = (p.uint(n as u64), p.uint(n as u64 * 8 + 40));
    Ok(info_map(p, &[("max", max), ("memory", memory), ("min", min), ("size", size)]))
}

// ---- counters with write concurrency

/// Rows: as many as processors, at most 16.
fn rows() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get()).min(16)
}

/// The row of this thread.
fn row(c: &Counters) -> usize {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed) as usize;
    }
    MINE.with(|&m| m) % c.rows
}

fn counters_new(p: &mut Process, a: &[Term]) -> BifResult {
    let size = size(p, a[0])?;
    let stride = size.next_multiple_of(LINE_WORDS);
    let rows = rows();
    let Some(words) = stride.checked_mul(rows).and_then(zeroed) else { return Err(p.system_limit()) };
    Ok(refs::make_magic(p, Arc::new(Counters { size, stride, rows, words })))
}

fn counter(a: &[Term]) -> Option<(Arc<Counters>, usize)> {
    let c = refs::magic(a[0])?.downcast::<Counters>().ok()?;
    let i = a[1].as_index().filter(|i| (1..=c.size).contains(i))?;
    Some((c, i - 1))
}

fn counters_add(p: &mut Process, a: &[Term]) -> BifResult {
    match counter(a).zip(increment(a[2])) {
        Some(((c, i), v)) => {
            c.words[row(&c) * c.stride + i].fetch_add(v, Ordering::Relaxed);
            Ok(atoms::OK)
        }
        None => Err(p.badarg()),
    }
}

fn counters_get(p: &mut Process, a: &[Term]) -> BifResult {
    match counter(a) {
        Some((c, i)) => {
            let sum = (0..c.rows)
                .fold(0u64, |sum, r| sum.wrapping_add(c.words[r * c.stride + i].load(Ordering::Relaxed)));
            Ok(p.int(sum as i64))
        }
        None => Err(p.badarg()),
    }
}

fn counters_put(p: &mut Process, a: &[Term]) -> BifResult {
    match counter(a).zip(as_i64(a[2])) {
        Some(((c, i), v)) => {
            for r in 1..c.rows {
                c.words[r * c.stride + i].store(0, Ordering::Relaxed);
            }
            c.words[i].store(v as u64, Ordering::Relaxed);
            Ok(atoms::OK)
        }
        None => Err(p.badarg()),
    }
}

fn counters_info(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(c) = refs::magic(a[0]).and_then(|m| m.downcast::<Counters>().ok()) else {
        return Err(p.badarg());
    };
    let (size, memory) = (p.uint(c.size as u64), p.uint(c.words.len() as u64 * 8 + 96));
    Ok(info_map(p, &[("memory", memory), ("size", size)]))
}

bifs! { TABLE, "atomics";
    "put"/3 [] => put,
    "get"/2 [] => get,
    "add"/3 [] => add,
    "add_get"/3 [] => add_get,
    "exchange"/3 [] => exchange,
    "compare_exchange"/4 [] => compare_exchange,
    "info"/1 [] => info,
}

bifs! { INTERNAL, "erts_internal";
    "atomics_new"/2 [] => atomics_new,
    "counters_new"/1 [] => counters_new,
    "counters_add"/3 [] => counters_add,
    "counters_get"/2 [] => counters_get,
    "counters_put"/3 [] => counters_put,
    "counters_info"/1 [] => counters_info,
}
