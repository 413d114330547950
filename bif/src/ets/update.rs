//! `update_counter` and `update_element`: changing elements of an object.

use super::access::{Want, storable, table, write};
use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::cmp::compare;
use chime_vm::ets::object::Owned;
use chime_vm::ets::{Hold, Store, Table, poke};
use chime_vm::heap::Alloc;
use chime_vm::num;
use chime_vm::process::Process;
use chime_vm::term::Term;
use std::cmp::Ordering;

/// `{Position, Increment}` or `{Position, Increment, Threshold, SetValue}`.
#[derive(Clone, Copy)]
struct Step {
    position: Term,
    increment: Term,
    limit: Option<(Term, Term)>,
}

fn step(t: Term) -> Option<Step> {
    let step = match *t.tuple()? {
        [position, increment] => Step { position, increment, limit: None },
        [position, increment, threshold, value] if threshold.is_integer() && value.is_integer() => {
            Step { position, increment, limit: Some((threshold, value)) }
        }
        _ => return None,
    };
    (step.position.is_integer() && step.increment.is_integer()).then_some(step)
}

/// The place of an element that may change, counted from 1.
fn place(p: &mut Process, t: &Table, position: Term, arity: usize) -> Result<usize, Bail> {
    match position.as_index() {
        Some(n) if n == t.options.keypos => Err(p.badarg_cause(atoms::KEYPOS)),
        Some(n) if (1..=arity).contains(&n) => Ok(n),
        _ => Err(p.badarg_cause(atoms::POSITION)),
    }
}

/// Puts changed elements into a stored object: in place if possible.
fn store(shard: &mut Store, t: &Table, old: Term, new: &[Term], hash: u32) {
    let changed = |i: &usize| old.word(i + 1) != new[*i];
    let fits = |i: usize| new[i].is_immed() && old.word(i + 1).is_immed();
    if (0..new.len()).filter(changed).all(fits) {
        for i in (0..new.len()).filter(changed).collect::<Vec<_>>() {
            poke(old, i + 1, new[i]);
        }
        return;
    }
    let hold: Hold = t.hold();
    shard.put(Owned::with_elements(new, hash), hold);
}

/// `ets:update_counter(Table, Key, Steps[, Default])`
pub fn update_counter(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if t.options.kind.is_bag() {
        return Err(p.badarg_cause(atoms::TABLE_TYPE));
    }
    let keypos = t.options.keypos;
    let (key, hash) = (a[1], t.hash(a[1]));
    // The most common case by far: a small counter in an object that is there.
    if a[2].is_small() {
        let shard = write(p, &t, hash)?;
        if let Some(o) = shard.get(hash, key)
            && let Some(&old) = o.body().get(keypos)
            && old.is_small()
        {
            let new = old.small_value() + a[2].small_value();
            if Term::fits_small(new) {
                poke(o, keypos + 1, Term::small(new));
                return Ok(Term::small(new));
            }
        }
    }
    let steps: Option<Vec<Step>> = if a[2].is_integer() {
        let position = Term::small(keypos as i64 + 1);
        Some(vec![Step { position, increment: a[2], limit: None }])
    } else if a[2].is_list() {
        a[2].to_vec().and_then(|v| v.into_iter().map(step).collect())
    } else {
        step(a[2]).map(|s| vec![s])
    };
    let default = a.get(3).copied();
    if default.is_some_and(|d| !storable(&t, d)) {
        return Err(p.badarg());
    }
    let mut shard = write(p, &t, hash)?;
    let old = shard.get(hash, key);
    let mut elements: Vec<Term> = match (old, default) {
        (Some(o), _) => o.body().to_vec(),
        (None, Some(d)) => {
            let mut e = d.body().to_vec();
            e[keypos - 1] = key;
            e
        }
        (None, None) => return Err(p.badarg_cause(atoms::BADKEY)),
    };
    let Some(steps) = steps else { return Err(p.badarg()) };
    let mut results = Vec::with_capacity(steps.len());
    for s in &steps {
        let i = place(p, &t, s.position, elements.len())? - 1;
        if !elements[i].is_integer() {
            return Err(p.badarg());
        }
        let Ok(mut new) = num::add(p, elements[i], s.increment) else { return Err(p.badarg()) };
        if let Some((threshold, value)) = s.limit {
            let beyond = if num::is_negative(s.increment) { Ordering::Less } else { Ordering::Greater };
            if compare(new, threshold) == beyond {
                new = value;
            }
        }
        elements[i] = new;
        results.push(new);
    }
    p.bump(steps.len());
    match old {
        Some(o) => store(&mut shard, &t, o, &elements, hash),
        None => shard.put(Owned::with_elements(&elements, hash), t.hold()),
    }
    if a[2].is_list() { Ok(p.list(&results)) } else { Ok(results[0]) }
}

/// `ets:update_element(Table, Key, Changes[, Default])`
pub fn update_element(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if t.options.kind.is_bag() {
        return Err(p.badarg());
    }
    let hash = t.hash(a[1]);
    let mut shard = write(p, &t, hash)?;
    let old = shard.get(hash, a[1]);
    let mut elements: Vec<Term> = match (old, a.get(3)) {
        (Some(o), _) => o.body().to_vec(),
        (None, Some(&d)) if storable(&t, d) => {
            let mut e = d.body().to_vec();
            e[t.options.keypos - 1] = a[1];
            e
        }
        (None, Some(_)) => return Err(p.badarg()),
        (None, None) => return Ok(atoms::FALSE),
    };
    let changes = if a[2].is_tuple() { Some(vec![a[2]]) } else { a[2].to_vec() };
    for c in changes.ok_or_else(|| p.badarg())? {
        let Some(&[position, value]) = c.tuple() else { return Err(p.badarg()) };
        match position.as_index() {
            Some(n) if n == t.options.keypos => return Err(p.badarg_cause(atoms::KEYPOS)),
            Some(n) if (1..=elements.len()).contains(&n) => elements[n - 1] = value,
            _ => return Err(p.badarg()),
        }
    }
    match old {
        Some(o) => store(&mut shard, &t, o, &elements, hash),
        None => shard.put(Owned::with_elements(&elements, hash), t.hold()),
    }
    Ok(atoms::TRUE)
}
