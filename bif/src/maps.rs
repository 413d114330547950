//! The module `maps`, and what belongs to it in `erlang`, `erts_internal`.

use crate::util::{Origin, Walk, budget, walk};
use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, map};
use std::ops::ControlFlow;

/// Pairs a reduction pays for: put into a map, and read from one.
const PUT_PER: usize = 2;
const READ_PER: usize = 10;
/// Pairs that one step of an iterator hands out at most.
const ITERATOR_STEP: usize = 32;

#[cold]
fn badmap(p: &mut Process, t: Term) -> Bail {
    p.error_pair(atoms::BADMAP, t)
}
#[cold]
fn badkey(p: &mut Process, key: Term) -> Bail {
    p.error_pair(atoms::BADKEY, key)
}

fn get(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    map::get(a[1], a[0]).ok_or_else(|| badkey(p, a[0]))
}

fn find(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    Ok(match map::get(a[1], a[0]) {
        Some(v) => p.tuple(&[atoms::OK, v]),
        None => atoms::ERROR,
    })
}

fn is_key(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    Ok(Term::bool(map::get(a[1], a[0]).is_some()))
}

fn put(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[2].is_map() {
        return Err(badmap(p, a[2]));
    }
    Ok(map::put(p, a[2], a[0], a[1]))
}

fn update(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[2].is_map() {
        return Err(badmap(p, a[2]));
    }
    map::update_exact(p, a[2], a[0], a[1]).ok_or_else(|| badkey(p, a[0]))
}

fn remove(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    Ok(map::remove(p, a[1], a[0]))
}

fn take(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    Ok(match map::take(p, a[1], a[0]) {
        Some((value, rest)) => p.tuple(&[value, rest]),
        None => atoms::ERROR,
    })
}

fn map_size(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_map() {
        return Err(badmap(p, a[0]));
    }
    Ok(Term::small(map::size(a[0]) as i64))
}

// ---- to lists

fn keys(p: &mut Process, a: &[Term]) -> BifResult {
    list(p, a[0], map::keys, keys_on)
}
fn values(p: &mut Process, a: &[Term]) -> BifResult {
    list(p, a[0], map::values, values_on)
}
fn list(
    p: &mut Process,
    m: Term,
    all: fn(&mut Process, Term) -> Term,
    on: fn(&mut Process, &[Term]) -> BifResult,
) -> BifResult {
    if !m.is_map() {
        return Err(badmap(p, m));
    }
    let n = map::size(m);
    if map::is_flat(m) || n <= budget(p, READ_PER) {
        p.bump(n / READ_PER);
        return Ok(all(p, m));
    }
    on(p, &[m, Term::small(0), Term::NIL])
}

/// Map, position, list so far.
fn keys_on(p: &mut Process, a: &[Term]) -> BifResult {
    list_on(p, a, keys_on, |k, _| k)
}
fn values_on(p: &mut Process, a: &[Term]) -> BifResult {
    list_on(p, a, values_on, |_, v| v)
}
fn list_on(
    p: &mut Process,
    a: &[Term],
    on: fn(&mut Process, &[Term]) -> BifResult,
    pick: fn(Term, Term) -> Term,
) -> BifResult {
    let limit = budget(p, READ_PER);
    let mut acc = a[2];
    let position = a[1].as_index().unwrap_or(0) as u64;
    let rest = map::walk_from(a[0], position, limit, |k, v| acc = p.cons(pick(k, v), acc));
    p.bump(limit / READ_PER);
    match rest {
        None => Ok(acc),
        Some(next) => Err(p.trap(on, &[a[0], Term::small(next as i64), acc])),
    }
}

// ---- from lists

fn from_list(p: &mut Process, a: &[Term]) -> BifResult {
    let empty = map::empty(p);
    from_list_step(p, a[0], empty, Origin::Fresh("maps", "from_list", a))
}
/// Rest of the list, map so far, origin.
fn from_list_on(p: &mut Process, a: &[Term]) -> BifResult {
    from_list_step(p, a[0], a[1], Origin::Kept(a[2]))
}
fn from_list_step(p: &mut Process, list: Term, m: Term, origin: Origin<'_>) -> BifResult {
    let mut pairs = Vec::new();
    let end = walk(p, list, PUT_PER, |_, t| match t.tuple_of(2) {
        Some(kv) => {
            pairs.push((kv[0], kv[1]));
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    });
    match end {
        Walk::End(Term::NIL) => Ok(map::put_many(p, m, &pairs)),
        Walk::Pause(rest) => {
            let m = map::put_many(p, m, &pairs);
            let origin = origin.keep(p);
            Err(p.trap(from_list_on, &[rest, m, origin]))
        }
        _ => Err(origin.badarg(p)),
    }
}

fn from_keys(p: &mut Process, a: &[Term]) -> BifResult {
    let empty = map::empty(p);
    from_keys_step(p, a[0], a[1], empty, Origin::Fresh("maps", "from_keys", a))
}
/// Rest of the list, value, map so far, origin.
fn from_keys_on(p: &mut Process, a: &[Term]) -> BifResult {
    from_keys_step(p, a[0], a[1], a[2], Origin::Kept(a[3]))
}
fn from_keys_step(p: &mut Process, list: Term, value: Term, m: Term, origin: Origin<'_>) -> BifResult {
    let mut pairs = Vec::new();
    let end = walk(p, list, PUT_PER, |_, t| -> ControlFlow<()> {
        pairs.push((t, value));
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(Term::NIL) => Ok(map::put_many(p, m, &pairs)),
        Walk::Pause(rest) => {
            let m = map::put_many(p, m, &pairs);
            let origin = origin.keep(p);
            Err(p.trap(from_keys_on, &[rest, value, m, origin]))
        }
        _ => Err(origin.badarg(p)),
    }
}

// ---- merging

fn merge(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_map() {
        return Err(badmap(p, a[0]));
    }
    if !a[1].is_map() {
        return Err(badmap(p, a[1]));
    }
    let (first, second) = (map::size(a[0]), map::size(a[1]));
    let n = first.min(second);
    if n <= budget(p, PUT_PER) {
        p.bump(n / PUT_PER);
        return Ok(map::merge(p, a[0], a[1]));
    }
    let keep = second >= first;
    let (into, from) = if keep { (a[1], a[0]) } else { (a[0], a[1]) };
    merge_on(p, &[into, from, Term::small(0), Term::bool(keep)])
}
/// Map so far, hashed map to put in, position there, whether the first's values count.
fn merge_on(p: &mut Process, a: &[Term]) -> BifResult {
    let limit = budget(p, PUT_PER);
    let mut pairs = Vec::with_capacity(limit);
    let position = a[2].as_index().unwrap_or(0) as u64;
    let rest = map::walk_from(a[1], position, limit, |k, v| pairs.push((k, v)));
    p.bump(pairs.len() / PUT_PER);
    let m =
        if a[3] == atoms::TRUE { map::put_missing(p, a[0], &pairs) } else { map::put_many(p, a[0], &pairs) };
    match rest {
        None => Ok(m),
        Some(next) => Err(p.trap(merge_on, &[m, a[1], Term::small(next as i64), a[3]])),
    }
}

// ---- iterators

/// `{K1, V1, {K2, V2, … Rest}}`
fn chain(p: &mut Process, pairs: &[(Term, Term)], rest: Term) -> Term {
    pairs.iter().rev().fold(rest, |rest, &(k, v)| p.tuple(&[k, v, rest]))
}
/// The pairs as tuples in front of `acc`, in order.
fn in_front(p: &mut Process, pairs: &[(Term, Term)], acc: Term) -> Term {
    pairs.iter().rev().fold(acc, |acc, &(k, v)| {
        let pair = p.tuple(&[k, v]);
        p.cons(pair, acc)
    })
}

/// `map_next(Path, Map, iterator)`: some pairs from the position on, and the iterator for the others,
/// `[Path | Map]` or `none`. `map_next(Path, Map, List)`: as many as a turn allows, in front of the list;
/// `[Path, Map | List]` if there are more. A path that is a list of keys gives the pairs in that order.
fn map_next(p: &mut Process, a: &[Term]) -> BifResult {
    let (path, m, kind) = (a[0], a[1], a[2]);
    let iterator = kind == atoms::ITERATOR;
    if !m.is_map() || !(iterator || kind.is_list()) {
        return Err(p.badarg());
    }
    let n = map::size(m);
    let limit = if iterator { ITERATOR_STEP } else { budget(p, READ_PER) };
    if path.is_list() {
        return next_ordered(p, path, m, kind, limit);
    }
    let Some(position) = path.as_index() else { return Err(p.badarg()) };
    if map::is_flat(m) {
        if position > n {
            return Err(p.badarg());
        }
        p.bump(n / READ_PER);
        let pairs: Vec<_> = map::iter(m).collect();
        return Ok(if iterator { chain(p, &pairs, atoms::NONE) } else { in_front(p, &pairs, kind) });
    }
    let mut pairs = Vec::with_capacity(limit.min(n));
    let next = map::walk_from(m, position as u64, limit, |k, v| pairs.push((k, v)));
    p.bump(pairs.len() / READ_PER);
    if iterator {
        let rest = match next {
            Some(next) => p.cons(Term::small(next as i64), m),
            None => atoms::NONE,
        };
        return Ok(chain(p, &pairs, rest));
    }
    pairs.reverse();
    let acc = in_front(p, &pairs, kind);
    Ok(match next {
        Some(next) => p.list_with_tail(&[Term::small(next as i64), m], acc),
        None => acc,
    })
}

fn next_ordered(p: &mut Process, path: Term, m: Term, kind: Term, limit: usize) -> BifResult {
    let mut pairs = Vec::new();
    let mut rest = path.iter();
    for key in rest.by_ref().take(limit) {
        match map::get(m, key) {
            Some(v) => pairs.push((key, v)),
            None => return Err(p.badarg()),
        }
    }
    let rest = rest.rest;
    p.bump(pairs.len() / READ_PER);
    if !rest.is_list() {
        return Err(p.badarg());
    }
    if kind == atoms::ITERATOR {
        let rest = if rest.is_nil() { atoms::NONE } else { p.cons(rest, m) };
        return Ok(chain(p, &pairs, rest));
    }
    pairs.reverse();
    let acc = in_front(p, &pairs, kind);
    Ok(if rest.is_nil() { acc } else { p.list_with_tail(&[rest, m], acc) })
}

fn map_to_tuple_keys(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_map() {
        return Err(badmap(p, a[0]));
    }
    if !map::is_flat(a[0]) {
        return Err(p.badarg());
    }
    Ok(a[0].word(2))
}

/// The children of a hashed map. Inner nodes are shown as tuples, which have the same size.
fn map_hashmap_children(p: &mut Process, a: &[Term]) -> BifResult {
    fn shown(p: &mut Process, child: Term) -> Term {
        match map::node_children(child) {
            Some(kids) if !child.is_cons() => {
                let kids: Vec<Term> = kids.iter().map(|&k| shown(p, k)).collect();
                p.tuple(&kids)
            }
            _ => child,
        }
    }
    if !a[0].is_map() {
        return Err(badmap(p, a[0]));
    }
    let Some(kids) = map::node_children(a[0]) else { return Err(p.badarg()) };
    p.bump(map::size(a[0]) / READ_PER);
    let kids: Vec<Term> = kids.iter().map(|&k| shown(p, k)).collect();
    Ok(p.list(&kids))
}

bifs! { TABLE, "maps";
    "get"/2 [PURE] => get,
    "find"/2 [PURE] => find,
    "from_keys"/2 [PURE] => from_keys,
    "from_list"/1 [PURE] => from_list,
    "is_key"/2 [PURE] => is_key,
    "keys"/1 [PURE] => keys,
    "merge"/2 [PURE] => merge,
    "put"/3 [PURE] => put,
    "remove"/2 [PURE] => remove,
    "take"/2 [PURE] => take,
    "update"/3 [PURE] => update,
    "values"/1 [PURE] => values,
}

bifs! { ERLANG, "erlang";
    "map_size"/1 [GUARD PURE] => map_size,
    "map_get"/2 [GUARD PURE] => get,
    "is_map_key"/2 [GUARD PURE] => is_key,
}

bifs! { INTERNAL, "erts_internal";
    "map_next"/3 [PURE] => map_next,
    "map_to_tuple_keys"/1 [PURE] => map_to_tuple_keys,
    "map_hashmap_children"/1 [PURE] => map_hashmap_children,
}
