//! `lists`, and `erlang:'++'/2`, `'--'/2`, `length/1`, `hd/1`, `tl/1`.

use crate::util::{Walk, badarg_as, budget, mfa, walk};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::cmp::{eq, exact_eq};
use chime_vm::hash;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::refs;
use chime_vm::term::Term;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Elements a reduction pays for: moved, compared as words, compared as terms.
const MOVED: usize = 20;
const COMPARED: usize = 10;

// ---- member, key*

/// Looks for an element that `hit` accepts, a turn at a time: the state is what is left of the list.
fn search(
    p: &mut Process,
    list: Term,
    again: chime_vm::bif::BifFn,
    again_args: impl Fn(Term) -> Vec<Term>,
    origin: impl Fn(&mut Process) -> Term,
    mut hit: impl FnMut(Term) -> bool,
    found: impl FnOnce(&mut Process, Option<Term>) -> Term,
) -> BifResult {
    let end = walk(
        p,
        list,
        COMPARED,
        |_, t| if hit(t) { ControlFlow::Break(t) } else { ControlFlow::Continue(()) },
    );
    match end {
        Walk::Break(t) => Ok(found(p, Some(t))),
        Walk::Pause(rest) => Err(p.trap(again, &again_args(rest))),
        Walk::End(t) if t.is_nil() => Ok(found(p, None)),
        Walk::End(_) => {
            let origin = origin(p);
            Err(badarg_as(p, origin))
        }
    }
}

fn member(p: &mut Process, a: &[Term]) -> BifResult {
    member_on(p, &[a[0], a[1], a[1]])
}

/// Arguments: what to find, what is left, the whole list.
fn member_on(p: &mut Process, a: &[Term]) -> BifResult {
    let x = a[0];
    search(
        p,
        a[1],
        member_on,
        |rest| vec![x, rest, a[2]],
        |p| mfa(p, "lists", "member", &[x, a[2]]),
        |t| t == x || !x.is_immed() && exact_eq(t, x),
        |_, t| Term::bool(t.is_some()),
    )
}

const KEY_NAMES: [&str; 3] = ["keyfind", "keymember", "keysearch"];

/// What `key*` gives for the tuple that it found.
fn key_result(p: &mut Process, mode: usize, found: Option<Term>) -> Term {
    match (mode, found) {
        (_, None) => atoms::FALSE,
        (0, Some(t)) => t,
        (1, Some(_)) => atoms::TRUE,
        (_, Some(t)) => p.tuple(&[atoms::VALUE, t]),
    }
}

fn key<const MODE: usize>(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].as_index().is_none_or(|n| n == 0) {
        return Err(p.badarg());
    }
    key_on::<MODE>(p, &[a[0], a[1], a[2], a[2]])
}

/// Arguments: key, position, what is left, the whole list.
fn key_on<const MODE: usize>(p: &mut Process, a: &[Term]) -> BifResult {
    let x = a[0];
    let Some(i) = a[1].as_index().and_then(|n| n.checked_sub(1)) else { return Err(p.badarg()) };
    // A number equals numbers of the other type, and so may a term that contains one.
    let plain = x.is_immed() && !x.is_small();
    search(
        p,
        a[2],
        key_on::<MODE>,
        |rest| vec![x, a[1], rest, a[3]],
        |p| mfa(p, "lists", KEY_NAMES[MODE], &[x, a[1], a[3]]),
        |t| t.tuple().and_then(|t| t.get(i)).is_some_and(|&k| k == x || !plain && eq(k, x)),
        |p, t| key_result(p, MODE, t),
    )
}

// ---- reverse, append

fn reverse(p: &mut Process, a: &[Term]) -> BifResult {
    let origin = mfa(p, "lists", "reverse", a);
    reverse_on(p, &[a[0], a[1], origin])
}

/// Arguments: what is left, what is reversed, the origin.
fn reverse_on(p: &mut Process, a: &[Term]) -> BifResult {
    let mut acc = a[1];
    let end = walk::<()>(p, a[0], MOVED, |p, t| {
        acc = p.cons(t, acc);
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => Ok(acc),
        Walk::Pause(rest) => Err(p.trap(reverse_on, &[rest, acc, a[2]])),
        _ => Err(badarg_as(p, a[2])),
    }
}

fn append(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_nil() {
        return Ok(a[1]);
    }
    if a[1].is_nil() && a[0].is_cons() && short(a[0], budget(p, MOVED)) == Some(true) {
        return Ok(a[0]);
    }
    let limit = budget(p, MOVED);
    let mut items = Vec::new();
    let mut t = a[0];
    while t.is_cons() {
        if items.len() == limit {
            // Too long for this turn: there and back again.
            let origin = mfa(p, "erlang", "++", a);
            return append_on(p, &[a[0], Term::NIL, a[1], origin]);
        }
        items.push(t.head());
        t = t.tail();
    }
    if !t.is_nil() {
        return Err(p.badarg());
    }
    p.bump(items.len() / MOVED);
    Ok(p.list_with_tail(&items, a[1]))
}

/// Whether `list` is proper and has at most `limit` elements; `None` if that is not known.
fn short(list: Term, limit: usize) -> Option<bool> {
    let mut it = list.iter();
    let n = it.by_ref().take(limit).count();
    if n == limit && it.rest.is_cons() { None } else { Some(it.rest.is_nil()) }
}

/// Reverses the first list, then reverses that onto the second. Arguments: what is left, what is reversed,
/// the second list, the origin.
fn append_on(p: &mut Process, a: &[Term]) -> BifResult {
    let mut acc = a[1];
    let end = walk::<()>(p, a[0], MOVED, |p, t| {
        acc = p.cons(t, acc);
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => Err(p.trap(reverse_on, &[acc, a[2], a[3]])),
        Walk::Pause(rest) => Err(p.trap(append_on, &[rest, acc, a[2], a[3]])),
        _ => Err(badarg_as(p, a[3])),
    }
}

// ---- subtract

/// Up to this many elements on the right a scan is faster than a table.
const FEW: usize = 12;

fn subtract(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].is_nil() {
        return match short(a[0], budget(p, MOVED)) {
            Some(true) => Ok(a[0]),
            Some(false) => Err(p.badarg()),
            None => subtract_check(p, &[a[0], a[0]]),
        };
    }
    match short(a[1], FEW) {
        Some(true) => {
            let origin = mfa(p, "erlang", "--", a);
            subtract_few(p, &[a[0], a[1], Term::NIL, origin])
        }
        Some(false) => Err(p.badarg()),
        None => {
            let origin = mfa(p, "erlang", "--", a);
            subtract_gather(p, &[a[1], Term::NIL, a[0], origin])
        }
    }
}

/// `List -- []`: the list, if it is one. Arguments: what is left, the whole.
fn subtract_check(p: &mut Process, a: &[Term]) -> BifResult {
    match walk::<()>(p, a[0], MOVED * 2, |_, _| ControlFlow::Continue(())) {
        Walk::End(t) if t.is_nil() => Ok(a[1]),
        Walk::Pause(rest) => Err(p.trap(subtract_check, &[rest, a[1]])),
        _ => {
            let origin = mfa(p, "erlang", "--", &[a[1], Term::NIL]);
            Err(badarg_as(p, origin))
        }
    }
}

/// Arguments: what is left on the left, on the right; the result backwards; the origin.
fn subtract_few(p: &mut Process, a: &[Term]) -> BifResult {
    let mut out: Vec<Term> = a[1].iter().collect();
    let mut acc = a[2];
    let end = walk::<()>(p, a[0], 2, |p, t| {
        match out.iter().position(|&x| x == t || !x.is_immed() && exact_eq(x, t)) {
            Some(i) => {
                out.remove(i);
            }
            None => acc = p.cons(t, acc),
        }
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => reverse_on(p, &[acc, Term::NIL, a[3]]),
        Walk::Pause(rest) => {
            let right = p.list(&out);
            Err(p.trap(subtract_few, &[rest, right, acc, a[3]]))
        }
        _ => Err(badarg_as(p, a[3])),
    }
}

/// The right side as a table from hash to places in a tuple: it holds no terms, so it may stay outside the
/// heap while the built-in is suspended.
struct Table {
    /// First entry plus one, by the hash's low bits.
    buckets: Vec<u32>,
    /// Hash, next entry plus one. Entry `i` is element `i` of the tuple.
    entries: Vec<(u32, u32)>,
}

impl Table {
    fn new(n: usize) -> Table {
        Table { buckets: vec![0; (n * 2).next_power_of_two()], entries: Vec::with_capacity(n) }
    }
    fn bucket(&mut self, h: u32) -> &mut u32 {
        let i = h as usize & (self.buckets.len() - 1);
        &mut self.buckets[i]
    }
    fn add(&mut self, h: u32) {
        let n = self.entries.len() as u32 + 1;
        let next = std::mem::replace(self.bucket(h), n);
        self.entries.push((h, next));
    }
    /// Takes out one element equal to `t`, if there is one. Equal elements are interchangeable; entries
    /// that were taken are unlinked.
    fn take(&mut self, h: u32, t: Term, items: &[Term]) -> bool {
        let mut at = *self.bucket(h);
        let mut before = 0;
        while at != 0 {
            let i = at as usize - 1;
            let (hash, next) = self.entries[i];
            if hash == h && exact_eq(items[i], t) {
                match before {
                    0 => *self.bucket(h) = next,
                    b => self.entries[b as usize - 1].1 = next,
                }
                return true;
            }
            before = at;
            at = next;
        }
        false
    }
}

/// Copies the right side into a tuple, first into a list of chunks. Arguments: what is left of the right
/// side, tuples of chunks so far (last first), the left side, the origin.
fn subtract_gather(p: &mut Process, a: &[Term]) -> BifResult {
    let mut chunk = Vec::new();
    let end = walk::<()>(p, a[0], MOVED, |_, t| {
        chunk.push(t);
        ControlFlow::Continue(())
    });
    match end {
        Walk::Pause(rest) => {
            let t = p.tuple(&chunk);
            let chunks = p.cons(t, a[1]);
            Err(p.trap(subtract_gather, &[rest, chunks, a[2], a[3]]))
        }
        Walk::End(t) if t.is_nil() => {
            let mut all: Vec<&[Term]> = vec![&chunk];
            all.extend(a[1].iter().filter_map(Term::tuple));
            all.reverse();
            let items = all.concat();
            let table = Table::new(items.len());
            let tuple = p.tuple(&items);
            let state = refs::make_magic(p, Arc::new(Mutex::new(table)));
            subtract_hash(p, &[tuple, state, a[2], a[3]])
        }
        _ => Err(badarg_as(p, a[3])),
    }
}

fn table(t: Term) -> Option<Arc<Mutex<Table>>> {
    refs::magic(t).and_then(|m| m.downcast().ok())
}

/// Hashes the right side. Arguments: its elements, the table, the left side, the origin.
fn subtract_hash(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((items, state)) = a[0].tuple().zip(table(a[1])) else { return Err(badarg_as(p, a[3])) };
    let limit = budget(p, 4);
    let mut state = state.lock();
    let start = state.entries.len();
    let end = items.len().min(start + limit);
    for &t in &items[start..end] {
        state.add(hash::internal(t));
    }
    p.bump((end - start) / 4);
    if end < items.len() {
        return Err(p.trap(subtract_hash, a));
    }
    Err(p.trap(subtract_many, &[a[2], a[0], a[1], Term::NIL, a[3]]))
}

/// Arguments: what is left on the left; the right side's elements and table; the result backwards; the
/// origin.
fn subtract_many(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((items, state)) = a[1].tuple().zip(table(a[2])) else { return Err(badarg_as(p, a[4])) };
    let mut state = state.lock();
    let mut acc = a[3];
    let end = walk::<()>(p, a[0], 4, |p, t| {
        if !state.take(hash::internal(t), t, items) {
            acc = p.cons(t, acc);
        }
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => reverse_on(p, &[acc, Term::NIL, a[4]]),
        Walk::Pause(rest) => Err(p.trap(subtract_many, &[rest, a[1], a[2], acc, a[4]])),
        _ => Err(badarg_as(p, a[4])),
    }
}

// ---- length, hd, tl

/// A guard, so it never stops part-way.
fn length(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].list_len() {
        Some(n) => {
            p.bump(n / 64);
            Ok(Term::small(n as i64))
        }
        None => Err(p.badarg()),
    }
}

fn hd(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_cons() { Ok(a[0].head()) } else { Err(p.badarg()) }
}

fn tl(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_cons() { Ok(a[0].tail()) } else { Err(p.badarg()) }
}

bifs! { TABLE, "lists";
    "member"/2 [PURE] => member,
    "reverse"/2 [PURE] => reverse,
    "keyfind"/3 [PURE] => key::<0>,
    "keymember"/3 [PURE] => key::<1>,
    "keysearch"/3 [PURE] => key::<2>,
}

bifs! { ERLANG, "erlang";
    "++"/2 [PURE] => append,
    "append"/2 [PURE] => append,
    "--"/2 [PURE] => subtract,
    "subtract"/2 [PURE] => subtract,
    "length"/1 [GUARD PURE] => length,
    "hd"/1 [GUARD PURE] => hd,
    "tl"/1 [GUARD PURE] => tl,
}
