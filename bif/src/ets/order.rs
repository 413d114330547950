//! Walking through a table key by key.

use super::access::{Want, copied, gone, table};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::ets::{Store, Table};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;

/// What is at one end: the key, or the key with its objects.
fn end(p: &mut Process, a: &[Term], last: bool, with: bool) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    for i in 0..t.shards() {
        let Some(shard) = t.read(i) else { return Err(gone(p)) };
        let key = match &*shard {
            Store::Hash(h) => h.first_from(0),
            Store::Tree(x) => if last { x.last() } else { x.first() }.map(|o| o.word(t.options.keypos)),
        };
        if let Some(key) = key {
            return Ok(found(p, &t, &shard, key, with));
        }
    }
    Ok(atoms::END_OF_TABLE)
}

fn found(p: &mut Process, t: &Table, shard: &Store, key: Term, with: bool) -> Term {
    if !with {
        return copied(p, key);
    }
    let mut all = Vec::new();
    shard.get_all(t.hash(key), key, &mut all);
    for o in &mut all {
        *o = copied(p, *o);
    }
    let key = copied(p, key);
    let all = p.list(&all);
    p.tuple(&[key, all])
}

/// What is behind a key, or before it.
fn neighbour(p: &mut Process, a: &[Term], before: bool, with: bool) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let hash = t.hash(a[1]);
    let mut i = t.shard_of(hash);
    let Some(shard) = t.read(i) else { return Err(gone(p)) };
    let key = match &*shard {
        Store::Hash(h) => h.next(hash, a[1]).map_err(|()| p.badarg())?,
        Store::Tree(x) => x.next(a[1], before).map(|o| o.word(t.options.keypos)),
    };
    if let Some(key) = key {
        return Ok(found(p, &t, &shard, key, with));
    }
    drop(shard);
    loop {
        i += 1;
        if i >= t.shards() {
            return Ok(atoms::END_OF_TABLE);
        }
        let Some(shard) = t.read(i) else { return Err(gone(p)) };
        if let Store::Hash(h) = &*shard
            && let Some(key) = h.first_from(0)
        {
            return Ok(found(p, &t, &shard, key, with));
        }
    }
}

pub fn first(p: &mut Process, a: &[Term]) -> BifResult {
    end(p, a, false, false)
}
pub fn last(p: &mut Process, a: &[Term]) -> BifResult {
    end(p, a, true, false)
}
pub fn next(p: &mut Process, a: &[Term]) -> BifResult {
    neighbour(p, a, false, false)
}
pub fn prev(p: &mut Process, a: &[Term]) -> BifResult {
    neighbour(p, a, true, false)
}
/// OTP 27: the key with its objects.
pub fn first_lookup(p: &mut Process, a: &[Term]) -> BifResult {
    end(p, a, false, true)
}
pub fn last_lookup(p: &mut Process, a: &[Term]) -> BifResult {
    end(p, a, true, true)
}
pub fn next_lookup(p: &mut Process, a: &[Term]) -> BifResult {
    neighbour(p, a, false, true)
}
pub fn prev_lookup(p: &mut Process, a: &[Term]) -> BifResult {
    neighbour(p, a, true, true)
}

/// `ets:slot(Table, I)`: the objects of a bucket, or the object at that place in the order.
pub fn slot(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let Some(mut i) = a[1].as_index() else { return Err(p.badarg()) };
    for s in 0..t.shards() {
        let Some(shard) = t.read(s) else { return Err(gone(p)) };
        match &*shard {
            Store::Tree(x) => {
                p.bump(i / 64);
                return match x.nth(i) {
                    Some(o) => {
                        let o = copied(p, o);
                        Ok(p.cons(o, Term::NIL))
                    }
                    None if i == x.len() => Ok(atoms::END_OF_TABLE),
                    None => Err(p.badarg()),
                };
            }
            Store::Hash(h) => {
                let n = h.buckets().max(256);
                if i < n {
                    let mut list = Term::NIL;
                    h.bucket(i, |o| {
                        let o = copied(p, o);
                        list = p.cons(o, list);
                    });
                    return Ok(list);
                }
                i -= n;
            }
        }
    }
    if i == 0 { Ok(atoms::END_OF_TABLE) } else { Err(p.badarg()) }
}
