//! Atoms and their names.

use crate::util::text;
use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{bifs, bin};

/// Most characters an atom may have.
const MAX_CHARS: usize = 255;

/// What is wrong with the text of an atom to be.
enum Fault {
    Bad,
    TooLong,
}

fn atom_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(p.string(atoms::name(a[0])))
}

fn atom_to_binary_1(p: &mut Process, a: &[Term]) -> BifResult {
    atom_to_binary(p, &[a[0], atoms::UTF8])
}

fn atom_to_binary(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    let name = atoms::name(a[0]);
    match text(a[1]) {
        "utf8" | "unicode" => Ok(p.binary(name.as_bytes())),
        "latin1" => {
            let bytes: Option<Vec<u8>> = name.chars().map(|c| u8::try_from(c as u32).ok()).collect();
            match bytes {
                Some(b) => Ok(p.binary(&b)),
                None => Err(p.badarg()),
            }
        }
        _ => Err(p.badarg()),
    }
}

fn list_text(list: Term) -> Result<String, Fault> {
    let mut s = String::new();
    let mut it = list.iter();
    for (n, t) in it.by_ref().enumerate() {
        let c = t.as_index().and_then(|v| char::from_u32(u32::try_from(v).ok()?));
        s.push(c.ok_or(Fault::Bad)?);
        if n == MAX_CHARS {
            return Err(Fault::TooLong);
        }
    }
    if it.rest.is_nil() { Ok(s) } else { Err(Fault::Bad) }
}

fn binary_text(t: Term, encoding: Term) -> Result<String, Fault> {
    let bytes = bin::bytes(t).ok_or(Fault::Bad)?;
    let s = match text(encoding) {
        "latin1" => {
            if bytes.len() > MAX_CHARS {
                return Err(Fault::TooLong);
            }
            bytes.iter().map(|&b| b as char).collect()
        }
        "utf8" | "unicode" => std::str::from_utf8(&bytes).map_err(|_| Fault::Bad)?.to_owned(),
        _ => return Err(Fault::Bad),
    };
    if s.chars().nth(MAX_CHARS).is_some() { Err(Fault::TooLong) } else { Ok(s) }
}

fn make(p: &mut Process, text: Result<String, Fault>) -> BifResult {
    match text {
        Ok(s) => atoms::try_intern(&s).ok_or_else(|| p.system_limit()),
        Err(Fault::TooLong) => Err(p.system_limit()),
        Err(Fault::Bad) => Err(p.badarg()),
    }
}

fn find(p: &mut Process, text: Result<String, Fault>) -> BifResult {
    let found = text.ok().and_then(|s| atoms::existing(&s));
    found.ok_or_else(|| -> Bail { p.badarg() })
}

fn list_to_atom(p: &mut Process, a: &[Term]) -> BifResult {
    make(p, list_text(a[0]))
}
fn list_to_existing_atom(p: &mut Process, a: &[Term]) -> BifResult {
    find(p, list_text(a[0]))
}
fn binary_to_atom_1(p: &mut Process, a: &[Term]) -> BifResult {
    make(p, binary_text(a[0], atoms::UTF8))
}
fn binary_to_atom(p: &mut Process, a: &[Term]) -> BifResult {
    make(p, binary_text(a[0], a[1]))
}
fn binary_to_existing_atom_1(p: &mut Process, a: &[Term]) -> BifResult {
    find(p, binary_text(a[0], atoms::UTF8))
}
fn binary_to_existing_atom(p: &mut Process, a: &[Term]) -> BifResult {
    find(p, binary_text(a[0], a[1]))
}

bifs! { TABLE, "erlang";
    "atom_to_list"/1 [PURE] => atom_to_list,
    "atom_to_binary"/1 [PURE] => atom_to_binary_1,
    "atom_to_binary"/2 [PURE] => atom_to_binary,
    "list_to_atom"/1 [] => list_to_atom,
    "list_to_existing_atom"/1 [] => list_to_existing_atom,
    "binary_to_atom"/1 [] => binary_to_atom_1,
    "binary_to_atom"/2 [] => binary_to_atom,
    "binary_to_existing_atom"/1 [] => binary_to_existing_atom_1,
    "binary_to_existing_atom"/2 [] => binary_to_existing_atom,
}
