//! Raising: `error`, `exit`, `throw`, `raise`, `nif_error`.

use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::{Class, Process};
use chime_vm::term::Term;

fn error_1(p: &mut Process, a: &[Term]) -> BifResult {
    Err(p.error(a[0]))
}

/// An error with the arguments to show; anything but a list shows none.
fn with_args(p: &mut Process, reason: Term, args: Term) -> Bail {
    let bail = p.error(reason);
    if args.is_list() && args.list_len().is_some() {
        p.exc.args = args;
    }
    bail
}

fn error_2(p: &mut Process, a: &[Term]) -> BifResult {
    Err(with_args(p, a[0], a[1]))
}

/// The map of `{error_info, Map}` in a proper list of options.
fn error_info(options: Term) -> Option<Term> {
    let v = options.to_vec()?;
    let info = v.iter().filter_map(|t| t.tuple_of(2)).find(|t| t[0] == atoms::ERROR_INFO)?;
    info[1].is_map().then_some(info[1])
}

fn error_3(p: &mut Process, a: &[Term]) -> BifResult {
    let bail = with_args(p, a[0], a[1]);
    if let Some(info) = error_info(a[2]) {
        p.exc.info = info;
    }
    Err(bail)
}

fn exit_1(p: &mut Process, a: &[Term]) -> BifResult {
    Err(p.raise(Class::Exit, a[0]))
}

fn throw_1(p: &mut Process, a: &[Term]) -> BifResult {
    Err(p.raise(Class::Throw, a[0]))
}

/// One entry of a stack trace as `raise/3` takes it, completed with an empty location where there is none.
fn entry(p: &mut Process, t: Term) -> Option<Term> {
    let e = t.tuple()?;
    let fun_args = |args: Term| args.is_list();
    let mfa = |e: &[Term]| e[0].is_atom() && e[1].is_atom() && (e[2].is_small() || e[2].is_list());
    match e.len() {
        2 if e[0].is_fun() && fun_args(e[1]) => Some(p.tuple(&[e[0], e[1], Term::NIL])),
        3 if e[0].is_fun() && fun_args(e[1]) && e[2].list_len().is_some() => Some(t),
        3 if mfa(e) => Some(p.tuple(&[e[0], e[1], e[2], Term::NIL])),
        4 if mfa(e) && e[3].list_len().is_some() => Some(t),
        _ => None,
    }
}

/// Returns `badarg` when it cannot raise.
fn raise_3(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((class, entries)) = Class::from_atom(a[0]).zip(a[2].to_vec()) else {
        return Ok(atoms::BADARG);
    };
    let mut trace = Vec::with_capacity(entries.len());
    for &t in &entries {
        match entry(p, t) {
            Some(e) => trace.push(e),
            None => return Ok(atoms::BADARG),
        }
    }
    let trace = if trace == entries { a[2] } else { p.list(&trace) };
    let bail = p.raise(class, a[1]);
    p.exc.trace = trace;
    p.exc.complete = true;
    Err(bail)
}

bifs! { TABLE, "erlang";
    "error"/1 [] => error_1,
    "error"/2 [] => error_2,
    "error"/3 [] => error_3,
    "exit"/1 [] => exit_1,
    "throw"/1 [] => throw_1,
    "raise"/3 [] => raise_3,
    "nif_error"/1 [] => error_1,
    "nif_error"/2 [] => error_2,
}
