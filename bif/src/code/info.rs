//! What is loaded, and what a module says of itself.

use crate::util::{atom, pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::modules::{self, Loaded};
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, exports};

/// The modules that are part of OTP's emulator rather than files of its library.
pub const PRELOADED: &[&str] = &[
    "persistent_term",
    "counters",
    "atomics",
    "erts_dirty_process_signal_handler",
    "erts_literal_area_collector",
    "erl_tracer",
    "erts_internal",
    "erlang",
    "erl_prim_loader",
    "prim_zip",
    "prim_net",
    "prim_socket",
    "socket_registry",
    "zlib",
    "prim_file",
    "prim_inet",
    "prim_eval",
    "prim_buffer",
    "init",
    "erl_init",
    "erts_code_purger",
];

pub fn is_preloaded(module: Term) -> bool {
    PRELOADED.contains(&text(module))
}

/// The module, loaded now if it is one that OTP has from the start.
fn module(t: Term) -> Option<&'static Loaded> {
    if !t.is_atom() {
        return None;
    }
    match modules::current(t) {
        None if is_preloaded(t) => modules::ensure(t).ok()?,
        m => m,
    }
}

fn functions(p: &mut Process, list: impl Iterator<Item = (Term, u32)>) -> Term {
    let all: Vec<Term> = list.map(|(f, a)| pair(p, f, Term::small(a.into()))).collect();
    p.bump(all.len() / 8);
    p.list(&all)
}

fn item(p: &mut Process, m: &Loaded, what: Term) -> Option<Term> {
    Some(match text(what) {
        "module" => m.name,
        "exports" => functions(p, m.exports.iter().copied()),
        "functions" => functions(p, m.functions.iter().map(|f| (f.function, f.arity))),
        "attributes" => m.attributes,
        "compile" => m.compile_info,
        "md5" => p.binary(&m.md5),
        "native" => atoms::FALSE,
        "nifs" => Term::NIL,
        _ => return None,
    })
}

fn get_module_info_1(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(m) = module(a[0]) else { return Err(p.badarg()) };
    let mut all = Vec::new();
    for what in ["module", "exports", "attributes", "compile", "md5"] {
        let key = atom(what);
        if let Some(value) = item(p, m, key) {
            all.push(pair(p, key, value));
        }
    }
    Ok(p.list(&all))
}

fn get_module_info_2(p: &mut Process, a: &[Term]) -> BifResult {
    match module(a[0]).and_then(|m| item(p, m, a[1])) {
        Some(t) => Ok(t),
        None => Err(p.badarg()),
    }
}

fn function_exported(p: &mut Process, a: &[Term]) -> BifResult {
    match a[2].as_index() {
        Some(arity) if a[0].is_atom() && a[1].is_atom() => {
            let e = u32::try_from(arity).ok().and_then(|n| exports::find(a[0], a[1], n));
            if e.is_none_or(|e| !e.is_defined()) && is_preloaded(a[0]) {
                let has = module(a[0]).is_some_and(|m| m.exports.contains(&(a[1], arity as u32)));
                return Ok(Term::bool(has));
            }
            Ok(Term::bool(e.is_some_and(|e| e.is_defined())))
        }
        _ => Err(p.badarg()),
    }
}

fn module_loaded(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(Term::bool(is_preloaded(a[0]) || modules::current(a[0]).is_some()))
}

fn loaded(p: &mut Process, _: &[Term]) -> BifResult {
    let mut all = modules::all();
    for m in PRELOADED.iter().map(|m| atom(m)) {
        if !all.contains(&m) {
            all.push(m);
        }
    }
    Ok(p.list(&all))
}

fn pre_loaded(p: &mut Process, _: &[Term]) -> BifResult {
    let all: Vec<Term> = PRELOADED.iter().map(|m| atom(m)).collect();
    Ok(p.list(&all))
}

fn is_builtin(p: &mut Process, a: &[Term]) -> BifResult {
    match a[2].as_index() {
        Some(arity) if a[0].is_atom() && a[1].is_atom() => {
            let e = u32::try_from(arity).ok().and_then(|n| exports::find(a[0], a[1], n));
            let apply = a[0] == atoms::ERLANG && a[1] == atoms::APPLY && matches!(arity, 2 | 3);
            Ok(Term::bool(apply || e.is_some_and(|e| e.is_bif())))
        }
        _ => Err(p.badarg()),
    }
}

fn beamfile_module_md5(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(bytes) = chime_vm::bin::bytes(a[0]) else { return Err(p.badarg()) };
    Ok(match chime_loader::load(&bytes) {
        Ok(m) => p.binary(&m.md5),
        Err(_) => atoms::UNDEFINED,
    })
}

bifs! { TABLE, "erlang";
    "get_module_info"/1 [] => get_module_info_1,
    "get_module_info"/2 [] => get_module_info_2,
    "function_exported"/3 [] => function_exported,
    "module_loaded"/1 [] => module_loaded,
    "loaded"/0 [] => loaded,
    "pre_loaded"/0 [] => pre_loaded,
    "is_builtin"/3 [] => is_builtin,
}
bifs! { INTERNAL, "erts_internal"; "beamfile_module_md5"/1 [] => beamfile_module_md5 }
