//! The process dictionary.

use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::cmp::exact_eq;
use chime_vm::hash;
use chime_vm::heap::Alloc;
use chime_vm::process::{DictEntry, Process};
use chime_vm::term::Term;
use hashbrown::hash_table::Entry;

fn hash_of(key: Term) -> u32 {
    hash::internal(key)
}

/// Immediates are equal only if they are the same word.
fn same(a: Term, b: Term) -> bool {
    a == b || !a.is_immed() && exact_eq(a, b)
}

/// The table wants its entropy in the high bits too.
fn spread(hash: u32) -> u64 {
    (hash as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

pub fn get(p: &Process, key: Term) -> Term {
    let Some(rare) = &p.rare else { return atoms::UNDEFINED };
    if rare.dict.is_empty() {
        return atoms::UNDEFINED;
    }
    let h = hash_of(key);
    rare.dict.find(spread(h), |e| e.hash == h && same(e.key, key)).map_or(atoms::UNDEFINED, |e| e.value)
}

fn get_1(p: &mut Process, a: &[Term]) -> BifResult {
    Ok(get(p, a[0]))
}

fn put_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (key, value) = (a[0], a[1]);
    let h = hash_of(key);
    let dict = &mut p.rare().dict;
    match dict.entry(spread(h), |e| e.hash == h && same(e.key, key), |e| spread(e.hash)) {
        Entry::Occupied(mut e) => Ok(std::mem::replace(&mut e.get_mut().value, value)),
        Entry::Vacant(e) => {
            e.insert(DictEntry { hash: h, key, value });
            Ok(atoms::UNDEFINED)
        }
    }
}

fn erase_1(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(rare) = &mut p.rare else { return Ok(atoms::UNDEFINED) };
    let h = hash_of(a[0]);
    Ok(match rare.dict.find_entry(spread(h), |e| e.hash == h && same(e.key, a[0])) {
        Ok(e) => e.remove().0.value,
        Err(_) => atoms::UNDEFINED,
    })
}

fn entries(p: &Process) -> Vec<(Term, Term)> {
    p.rare.as_ref().map_or_else(Vec::new, |r| r.dict.iter().map(|e| (e.key, e.value)).collect())
}

fn pairs(p: &mut Process) -> Term {
    let v: Vec<Term> = entries(p).into_iter().map(|(k, v)| p.tuple(&[k, v])).collect();
    p.bump(v.len() / 10);
    p.list(&v)
}

fn get_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(pairs(p))
}

fn erase_0(p: &mut Process, _: &[Term]) -> BifResult {
    let all = pairs(p);
    if let Some(rare) = &mut p.rare {
        rare.dict.clear();
    }
    Ok(all)
}

fn get_keys_0(p: &mut Process, _: &[Term]) -> BifResult {
    let keys: Vec<Term> = entries(p).into_iter().map(|(k, _)| k).collect();
    p.bump(keys.len() / 10);
    Ok(p.list(&keys))
}

fn get_keys_1(p: &mut Process, a: &[Term]) -> BifResult {
    let keys: Vec<Term> = entries(p).into_iter().filter(|&(_, v)| same(v, a[0])).map(|(k, _)| k).collect();
    p.bump(keys.len() / 10);
    Ok(p.list(&keys))
}

bifs! { TABLE, "erlang";
    "get"/0 [] => get_0,
    "get"/1 [] => get_1,
    "put"/2 [] => put_2,
    "erase"/0 [] => erase_0,
    "erase"/1 [] => erase_1,
    "get_keys"/0 [] => get_keys_0,
    "get_keys"/1 [] => get_keys_1,
}
