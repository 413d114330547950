//! Tuples.

use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;

/// Most elements a tuple may have.
pub const MAX_ARITY: usize = (1 << 24) - 1;

/// Position 1 to `n` as index.
fn position(t: Term, n: usize) -> Option<usize> {
    t.as_index().filter(|i| (1..=n).contains(i)).map(|i| i - 1)
}

fn element(p: &mut Process, a: &[Term]) -> BifResult {
    let found = a[1].tuple().and_then(|t| position(a[0], t.len()).map(|i| t[i]));
    found.ok_or_else(|| p.badarg())
}

fn setelement(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((t, i)) = a[1].tuple().and_then(|t| Some((t, position(a[0], t.len())?))) else {
        return Err(p.badarg());
    };
    let mut v = t.to_vec();
    v[i] = a[2];
    p.bump(v.len() / 64);
    Ok(p.tuple(&v))
}

fn tuple_size(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].tuple() {
        Some(t) => Ok(Term::small(t.len() as i64)),
        None => Err(p.badarg()),
    }
}

fn tuple_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].tuple() {
        Some(t) => {
            p.bump(t.len() / 32);
            Ok(p.list(t))
        }
        None => Err(p.badarg()),
    }
}

fn list_to_tuple(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].to_vec() {
        Some(v) if v.len() <= MAX_ARITY => {
            p.bump(v.len() / 32);
            Ok(p.tuple(&v))
        }
        _ => Err(p.badarg()),
    }
}

fn arity(t: Term) -> Option<usize> {
    t.as_index().filter(|&n| n <= MAX_ARITY)
}

fn make_tuple_2(p: &mut Process, a: &[Term]) -> BifResult {
    make(p, a[0], a[1], Term::NIL)
}

fn make_tuple_3(p: &mut Process, a: &[Term]) -> BifResult {
    make(p, a[0], a[1], a[2])
}

fn make(p: &mut Process, n: Term, init: Term, places: Term) -> BifResult {
    let Some(n) = arity(n) else { return Err(p.badarg()) };
    let mut v = vec![init; n];
    let mut it = places.iter();
    for place in it.by_ref() {
        match place.tuple_of(2).and_then(|t| Some((position(t[0], n)?, t[1]))) {
            Some((i, value)) => v[i] = value,
            None => return Err(p.badarg()),
        }
    }
    if !it.rest.is_nil() {
        return Err(p.badarg());
    }
    p.bump(n / 64);
    Ok(p.tuple(&v))
}

fn append_element(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].tuple() {
        Some(t) if t.len() < MAX_ARITY => {
            let v = [t, &[a[1]]].concat();
            p.bump(v.len() / 64);
            Ok(p.tuple(&v))
        }
        _ => Err(p.badarg()),
    }
}

fn insert_element(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].tuple().and_then(|t| Some((t, position(a[0], t.len() + 1)?))) {
        Some((t, i)) if t.len() < MAX_ARITY => {
            let v = [&t[..i], &[a[2]], &t[i..]].concat();
            p.bump(v.len() / 64);
            Ok(p.tuple(&v))
        }
        _ => Err(p.badarg()),
    }
}

fn delete_element(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].tuple().and_then(|t| Some((t, position(a[0], t.len())?))) {
        Some((t, i)) => {
            let v = [&t[..i], &t[i + 1..]].concat();
            p.bump(v.len() / 64);
            Ok(p.tuple(&v))
        }
        None => Err(p.badarg()),
    }
}

bifs! { TABLE, "erlang";
    "element"/2 [GUARD PURE] => element,
    "tuple_size"/1 [GUARD PURE] => tuple_size,
    "setelement"/3 [PURE] => setelement,
    "tuple_to_list"/1 [PURE] => tuple_to_list,
    "list_to_tuple"/1 [PURE] => list_to_tuple,
    "make_tuple"/2 [PURE] => make_tuple_2,
    "make_tuple"/3 [PURE] => make_tuple_3,
    "append_element"/2 [PURE] => append_element,
    "insert_element"/3 [PURE] => insert_element,
    "delete_element"/2 [PURE] => delete_element,
}
