//! Loading, deleting and purging code.

use crate::util::{atom, pair};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::modules::{self, Loaded};
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin, refs};
use parking_lot::Mutex;
use std::sync::Arc;

/// Checked and translated code behind a magic reference, until it is made current.
type Prepared = Mutex<Option<Loaded>>;

fn prepared(t: Term) -> Option<Arc<Prepared>> {
    refs::magic(t)?.downcast().ok()
}

/// `prepare_loading(Module, Code)`: a reference, or `{error, badfile}`.
fn prepare_loading(p: &mut Process, a: &[Term]) -> BifResult {
    let (true, Some(bytes)) = (a[0].is_atom(), bin::bytes(a[1])) else { return Err(p.badarg()) };
    p.bump(bytes.len() / 16);
    match modules::prepare(&bytes, None) {
        Ok(m) if m.name == a[0] => Ok(refs::make_magic(p, Arc::new(Mutex::new(Some(m))))),
        _ => Ok(pair(p, atoms::ERROR, atom("badfile"))),
    }
}

fn has_on_load(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(code) = prepared(a[0]) else { return Err(p.badarg()) };
    let has = code.lock().as_ref().is_some_and(|m| m.on_load.is_some());
    Ok(Term::bool(has))
}

/// `finish_loading([Prepared])`: all of them become current, or none.
fn finish_loading(p: &mut Process, a: &[Term]) -> BifResult {
    let all: Option<Vec<_>> = a[0].to_vec().and_then(|v| v.into_iter().map(prepared).collect());
    let Some(all) = all else { return Err(p.badarg()) };
    let mut names = Vec::new();
    for code in &all {
        match code.lock().as_ref() {
            Some(m) => names.push(m.name),
            None => return Err(p.badarg()),
        }
    }
    if (1..names.len()).any(|i| names[..i].contains(&names[i])) {
        let list = p.list(&names);
        return Ok(pair(p, atom("duplicated"), list));
    }
    let not_purged: Vec<Term> = names.iter().copied().filter(|&n| modules::old(n).is_some()).collect();
    if !not_purged.is_empty() {
        let list = p.list(&not_purged);
        return Ok(pair(p, atom("not_purged"), list));
    }
    for code in all {
        if let Some(m) = code.lock().take() {
            modules::publish(m);
        }
    }
    Ok(atoms::OK)
}

fn check_old_code(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(Term::bool(modules::old(a[0]).is_some()))
}

fn delete_module(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    match modules::delete(a[0]) {
        Ok(true) => Ok(atoms::TRUE),
        Ok(false) => Ok(atoms::UNDEFINED),
        Err(()) => Err(p.badarg()),
    }
}

/// `purge_module(Module, prepare | prepare_on_load | abort | complete)`.
fn purge_module(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    match crate::util::text(a[1]) {
        "prepare" | "prepare_on_load" => Ok(Term::bool(modules::old(a[0]).is_some())),
        "abort" => Ok(Term::bool(modules::old(a[0]).is_some())),
        "complete" => Ok(Term::bool(modules::purge(a[0]))),
        _ => Err(p.badarg()),
    }
}

fn load_nif(p: &mut Process, _: &[Term]) -> BifResult {
    let text = p.string("Chime runs no native functions of C libraries");
    let reason = pair(p, atom("load_failed"), text);
    Ok(pair(p, atoms::ERROR, reason))
}

bifs! { TABLE, "erlang";
    "has_prepared_code_on_load"/1 [] => has_on_load,
    "finish_loading"/1 [] => finish_loading,
    "check_old_code"/1 [] => check_old_code,
    "delete_module"/1 [] => delete_module,
    "load_nif"/2 [] => load_nif,
}
bifs! { INTERNAL, "erts_internal";
    "prepare_loading"/2 [] => prepare_loading,
    "purge_module"/2 [] => purge_module,
}
