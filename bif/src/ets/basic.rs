//! Putting objects in, looking them up, taking them out.

use super::access::{Want, copied, gone, read, storable, table, write};
use crate::util::{Origin, Walk, walk};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::cmp::exact_eq;
use chime_vm::ets::object::Owned;
use chime_vm::ets::{Kind, Store, Table, owner};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::refs::{magic as refs_magic, make_magic};
use chime_vm::term::Term;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Whether a list is a proper one of tuples that fit.
fn all_storable(t: &Table, list: Term) -> bool {
    let mut it = list.iter();
    it.by_ref().all(|o| storable(t, o)) && it.rest.is_nil()
}

/// The order in which a list goes in: OTP starts with the last for a bag.
fn in_order(t: &Table, mut all: Vec<Owned>) -> Vec<Owned> {
    if t.options.kind == Kind::Bag {
        all.reverse();
    }
    all
}

/// A list on its way into a table: what has been copied so far.
type Copies = Mutex<Vec<Owned>>;

/// Copies of the objects of a list go into the table at once, when all are made; that takes a turn or more.
fn put_list(p: &mut Process, a: &[Term], new: bool) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if !all_storable(&t, a[1]) {
        return Err(p.badarg());
    }
    p.bump(a[1].list_len().unwrap_or(0) / 64);
    let name = if new { "insert_new" } else { "insert" };
    copy_list(p, t, a[1], Vec::new(), new, Origin::Fresh("ets", name, a))
}

fn copy_list(
    p: &mut Process,
    t: Arc<Table>,
    list: Term,
    mut copies: Vec<Owned>,
    new: bool,
    origin: Origin,
) -> BifResult {
    let walked = walk(p, list, 4, |p, o| {
        let o = t.object(o);
        p.bump(o.size() / 64);
        copies.push(o);
        ControlFlow::<()>::Continue(())
    });
    if let Walk::Pause(rest) = walked {
        let origin = origin.keep(p);
        let handle = t.reference(p);
        let copies: Arc<Copies> = Arc::new(Mutex::new(copies));
        let copies = make_magic(p, copies);
        return Err(p.trap(copy_more, &[handle, rest, copies, Term::bool(new), origin]));
    }
    let keypos = t.options.keypos;
    let Some(mut shards) = t.write_all() else {
        let bail = gone(p);
        if let Origin::Kept(mfa) = origin {
            p.exc.args = mfa;
        }
        return Err(bail);
    };
    let there = |o: &Owned| shards[t.shard_of(o.hash())].get(o.hash(), o.term().word(keypos)).is_some();
    if new && copies.iter().any(there) {
        return Ok(atoms::FALSE);
    }
    let hold = t.hold();
    for o in in_order(&t, copies) {
        shards[t.shard_of(o.hash())].put(o, hold);
    }
    Ok(atoms::TRUE)
}

fn copy_more(p: &mut Process, a: &[Term]) -> BifResult {
    let copies = refs_magic(a[2]).and_then(|m| m.downcast::<Copies>().ok());
    let copies = copies.map(|c| std::mem::take(&mut *c.lock()));
    let (Some(copies), Ok(t)) = (copies, table(p, a[0], Want::Write)) else {
        let bail = gone(p);
        p.exc.args = a[4];
        return Err(bail);
    };
    copy_list(p, t, a[1], copies, a[3] == atoms::TRUE, Origin::Kept(a[4]))
}

/// `ets:insert(Table, Object or list of them)`
pub fn insert(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].is_list() {
        return put_list(p, a, false);
    }
    let t = table(p, a[0], Want::Write)?;
    if !storable(&t, a[1]) {
        return Err(p.badarg());
    }
    let o = t.object(a[1]);
    p.bump(o.size() / 32);
    write(p, &t, o.hash())?.put(o, t.hold());
    Ok(atoms::TRUE)
}

/// `ets:insert_new(Table, Object or list of them)`: all of them, or none if a key is there already.
pub fn insert_new(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].is_list() {
        return put_list(p, a, true);
    }
    let t = table(p, a[0], Want::Write)?;
    if !storable(&t, a[1]) {
        return Err(p.badarg());
    }
    let key = a[1].word(t.options.keypos);
    let hash = t.hash(key);
    // Most failures are seen without a copy.
    if read(p, &t, hash)?.get(hash, key).is_some() {
        return Ok(atoms::FALSE);
    }
    let o = t.object(a[1]);
    let mut shard = write(p, &t, hash)?;
    if shard.get(hash, key).is_some() {
        return Ok(atoms::FALSE);
    }
    shard.put(o, t.hold());
    Ok(atoms::TRUE)
}

/// `ets:lookup(Table, Key)`
pub fn lookup(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let hash = t.hash(a[1]);
    let shard = read(p, &t, hash)?;
    if !t.options.kind.is_bag() {
        return Ok(match shard.get(hash, a[1]) {
            Some(o) => {
                let o = copied(p, o);
                p.cons(o, Term::NIL)
            }
            None => Term::NIL,
        });
    }
    let mut found = Vec::new();
    shard.get_all(hash, a[1], &mut found);
    p.bump(found.len() / 4);
    for o in &mut found {
        *o = copied(p, *o);
    }
    Ok(p.list(&found))
}

/// `ets:lookup_element(Table, Key, Position)`
pub fn lookup_element_3(p: &mut Process, a: &[Term]) -> BifResult {
    element(p, a, Term::NONE)
}
/// `ets:lookup_element(Table, Key, Position, Default)`
pub fn lookup_element_4(p: &mut Process, a: &[Term]) -> BifResult {
    element(p, a, a[3])
}
fn element(p: &mut Process, a: &[Term], default: Term) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let Some(position) = a[2].as_index().filter(|&n| n > 0) else { return Err(p.badarg()) };
    let hash = t.hash(a[1]);
    let shard = read(p, &t, hash)?;
    let missing = |p: &mut Process| {
        if default.is_none() { Err(p.badarg_cause(atoms::BADKEY)) } else { Ok(default) }
    };
    if !t.options.kind.is_bag() {
        let Some(o) = shard.get(hash, a[1]) else { return missing(p) };
        return match o.body().get(position - 1) {
            Some(&e) => Ok(copied(p, e)),
            None => Err(p.badarg()),
        };
    }
    let mut found = Vec::new();
    shard.get_all(hash, a[1], &mut found);
    if found.is_empty() {
        return missing(p);
    }
    p.bump(found.len() / 4);
    for o in &mut found {
        let Some(&e) = o.body().get(position - 1) else { return Err(p.badarg()) };
        *o = copied(p, e);
    }
    Ok(p.list(&found))
}

/// `ets:member(Table, Key)`
pub fn member(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let hash = t.hash(a[1]);
    Ok(Term::bool(read(p, &t, hash)?.get(hash, a[1]).is_some()))
}

/// `ets:take(Table, Key)`
pub fn take(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    let hash = t.hash(a[1]);
    let mut shard = write(p, &t, hash)?;
    let mut found = Vec::new();
    shard.get_all(hash, a[1], &mut found);
    if found.is_empty() {
        return Ok(Term::NIL);
    }
    for o in &mut found {
        *o = copied(p, *o);
    }
    shard.remove(hash, a[1], t.hold(), |_| true);
    p.bump(found.len() / 4);
    Ok(p.list(&found))
}

/// `ets:delete(Table, Key)`
pub fn delete(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    let hash = t.hash(a[1]);
    let n = write(p, &t, hash)?.remove(hash, a[1], t.hold(), |_| true);
    p.bump(n / 4);
    Ok(atoms::TRUE)
}

/// `ets:delete_object(Table, Object)`
pub fn delete_object(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if !storable(&t, a[1]) {
        return Err(p.badarg());
    }
    let key = a[1].word(t.options.keypos);
    let hash = t.hash(key);
    let n = write(p, &t, hash)?.remove(hash, key, t.hold(), |o| exact_eq(o, a[1]));
    p.bump(n / 4);
    Ok(atoms::TRUE)
}

/// `ets:internal_delete_all(Table, undefined)`: how many objects there were.
pub fn delete_all(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    let Some(shards) = t.write_all() else { return Err(gone(p)) };
    let n: usize = shards.iter().map(|s| s.len()).sum();
    let hold = t.hold();
    if !hold.steady {
        // The shards stay locked until all are empty.
        let mut shards = shards;
        let old = shards.iter_mut().map(|s| t.emptied(s)).collect();
        drop(shards);
        owner::discard(old);
        p.bump(20);
        return Ok(Term::small(n as i64));
    }
    // Whoever iterates must find the places again.
    for mut s in shards {
        match &mut *s {
            Store::Hash(h) => {
                for i in 0..h.buckets() {
                    h.remove_in_bucket(i, hold, |_| true);
                }
            }
            Store::Tree(_) => owner::discard(vec![t.emptied(&mut s)]),
        }
    }
    p.bump(n);
    Ok(Term::small(n as i64))
}
