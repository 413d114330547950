//! `lists`, and `erlang:'++'/2`, `'--'/2`, `length/1`, `hd/1`, `tl/1`.

use crate::util::{Origin, Walk, budget, walk};
use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
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

/// Looks for an element that `hit` accepts, a turn at a time. `again` goes on with what is left of the list.
fn search(
    p: &mut Process,
    list: Term,
    origin: Origin<'_>,
    again: impl FnOnce(&mut Process, Term, Term) -> Bail,
    mut hit: impl FnMut(Term) -> bool,
) -> Result<Option<Term>, Bail> {
    let end = walk(
        p,
        list,
        COMPARED,
        |_, t| if hit(t) { ControlFlow::Break(t) } else { ControlFlow::Continue(()) },
    );
    match end {
        Walk::Break(t) => Ok(Some(t)),
        Walk::Pause(rest) => {
            let origin = origin.keep(p);
            Err(again(p, rest, origin))
        }
        Walk::End(t) if t.is_nil() => Ok(None),
        Walk::End(_) => Err(origin.badarg(p)),
    }
}

fn member(p: &mut Process, a: &[Term]) -> BifResult {
    member_step(p, a[0], a[1], Origin::Fresh("lists", "member", a))
}
/// Arguments: what to find, what is left of the list, the origin.
fn member_on(p: &mut Process, a: &[Term]) -> BifResult {
    member_step(p, a[0], a[1], Origin::Kept(a[2]))
}
fn member_step(p: &mut Process, x: Term, list: Term, origin: Origin<'_>) -> BifResult {
    let again = |p: &mut Process, rest, origin| p.trap(member_on, &[x, rest, origin]);
    let found = if x.is_immed() {
        search(p, list, origin, again, |t| t == x)?
    } else {
        search(p, list, origin, again, |t| !t.is_immed() && exact_eq(t, x))?
    };
    Ok(Term::bool(found.is_some()))
}

const KEY_NAMES: [&str; 3] = ["keyfind", "keymember", "keysearch"];

fn key<const MODE: usize>(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].as_index().and_then(|n| n.checked_sub(1)) {
        Some(i) => key_step::<MODE>(p, a[0], i, a[2], Origin::Fresh("lists", KEY_NAMES[MODE], a)),
        None => Err(p.badarg()),
    }
}
/// Arguments: key, index, what is left of the list, the origin.
fn key_on<const MODE: usize>(p: &mut Process, a: &[Term]) -> BifResult {
    key_step::<MODE>(p, a[0], a[1].as_index().unwrap_or(0), a[2], Origin::Kept(a[3]))
}
fn key_step<const MODE: usize>(
    p: &mut Process,
    x: Term,
    i: usize,
    list: Term,
    origin: Origin<'_>,
) -> BifResult {
    let again =
        |p: &mut Process, rest, origin| p.trap(key_on::<MODE>, &[x, Term::small(i as i64), rest, origin]);
    let at = |t: Term| t.tuple().and_then(|t| t.get(i)).copied();
    let found = if x.is_immed() && !x.is_small() {
        search(p, list, origin, again, |t| at(t) == Some(x))?
    } else if x.is_small() {
        // Only a float can be equal and yet another word.
        search(p, list, origin, again, |t| at(t).is_some_and(|k| k == x || k.is_float() && eq(k, x)))?
    } else {
        search(p, list, origin, again, |t| {
            at(t).is_some_and(|k| (!k.is_immed() || k.is_small()) && eq(k, x))
        })?
    };
    Ok(match found {
        None => atoms::FALSE,
        Some(t) if MODE == 0 => t,
        Some(_) if MODE == 1 => atoms::TRUE,
        Some(t) => p.tuple(&[atoms::VALUE, t]),
    })
}

// ---- reverse, append

fn reverse(p: &mut Process, a: &[Term]) -> BifResult {
    reverse_step(p, a[0], a[1], Origin::Fresh("lists", "reverse", a))
}
/// Arguments: what is left, what is reversed, the origin.
fn reverse_on(p: &mut Process, a: &[Term]) -> BifResult {
    reverse_step(p, a[0], a[1], Origin::Kept(a[2]))
}
fn reverse_step(p: &mut Process, list: Term, acc: Term, origin: Origin<'_>) -> BifResult {
    let mut acc = acc;
    let end = walk::<()>(p, list, MOVED, |p, t| {
        acc = p.cons(t, acc);
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => Ok(acc),
        Walk::Pause(rest) => {
            let origin = origin.keep(p);
            Err(p.trap(reverse_on, &[rest, acc, origin]))
        }
        _ => Err(origin.badarg(p)),
    }
}

fn append(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_nil() {
        return Ok(a[1]);
    }
    let limit = budget(p, MOVED);
    if a[1].is_nil() && short(a[0], limit) == Some(true) {
        return Ok(a[0]);
    }
    let mut items = Vec::new();
    let mut t = a[0];
    while t.is_cons() {
        if items.len() == limit {
            // Too long for this turn: there and back again.
            let origin = Origin::Fresh("erlang", "++", a).keep(p);
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
        _ => Err(Origin::Kept(a[3]).badarg(p)),
    }
}

// ---- subtract

/// Up to this many elements on the right a scan is faster than a table.
const FEW: usize = 12;

fn subtract(p: &mut Process, a: &[Term]) -> BifResult {
    let origin = Origin::Fresh("erlang", "--", a);
    if a[1].is_nil() {
        return check_step(p, a[0], a[0], origin);
    }
    match short(a[1], FEW) {
        Some(true) => few_step(p, a[0], a[1].iter().collect(), Term::NIL, origin),
        Some(false) => Err(p.badarg()),
        None => {
            let origin = origin.keep(p);
            subtract_gather(p, &[a[1], Term::NIL, a[0], origin])
        }
    }
}

/// `List -- []`: the list, if it is one.
fn check_step(p: &mut Process, list: Term, whole: Term, origin: Origin<'_>) -> BifResult {
    match walk::<()>(p, list, MOVED * 2, |_, _| ControlFlow::Continue(())) {
        Walk::End(t) if t.is_nil() => Ok(whole),
        Walk::Pause(rest) => {
            let origin = origin.keep(p);
            Err(p.trap(check_on, &[rest, whole, origin]))
        }
        _ => Err(origin.badarg(p)),
    }
}
/// Arguments: what is left, the whole list, the origin.
fn check_on(p: &mut Process, a: &[Term]) -> BifResult {
    check_step(p, a[0], a[1], Origin::Kept(a[2]))
}

/// `right`: what is still to be taken out; `acc`: the result backwards.
fn few_step(p: &mut Process, list: Term, mut right: Vec<Term>, acc: Term, origin: Origin<'_>) -> BifResult {
    let mut acc = acc;
    let end = walk::<()>(p, list, 2, |p, t| {
        match right.iter().position(|&x| x == t || !x.is_immed() && !t.is_immed() && exact_eq(x, t)) {
            Some(i) => {
                right.remove(i);
            }
            None => acc = p.cons(t, acc),
        }
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => reverse_step(p, acc, Term::NIL, origin),
        Walk::Pause(rest) => {
            let (right, origin) = (p.list(&right), origin.keep(p));
            Err(p.trap(few_on, &[rest, right, acc, origin]))
        }
        _ => Err(origin.badarg(p)),
    }
}
/// Arguments: what is left on the left, on the right; the result backwards; the origin.
fn few_on(p: &mut Process, a: &[Term]) -> BifResult {
    few_step(p, a[0], a[1].iter().collect(), a[2], Origin::Kept(a[3]))
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
        _ => Err(Origin::Kept(a[3]).badarg(p)),
    }
}

fn table(t: Term) -> Option<Arc<Mutex<Table>>> {
    refs::magic(t).and_then(|m| m.downcast().ok())
}

/// Hashes the right side. Arguments: its elements, the table, the left side, the origin.
fn subtract_hash(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((items, state)) = a[0].tuple().zip(table(a[1])) else {
        return Err(Origin::Kept(a[3]).badarg(p));
    };
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
    let Some((items, state)) = a[1].tuple().zip(table(a[2])) else {
        return Err(Origin::Kept(a[4]).badarg(p));
    };
    let mut state = state.lock();
    let mut acc = a[3];
    let end = walk::<()>(p, a[0], 4, |p, t| {
        if !state.take(hash::internal(t), t, items) {
            acc = p.cons(t, acc);
        }
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => reverse_step(p, acc, Term::NIL, Origin::Kept(a[4])),
        Walk::Pause(rest) => Err(p.trap(subtract_many, &[rest, a[1], a[2], acc, a[4]])),
        _ => Err(Origin::Kept(a[4]).badarg(p)),
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
