//! Funs.

use super::guards::fun_arity;
use crate::util::text;
use chime_vm::bif::BifResult;
use chime_vm::code::{Export, FunEntry};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};
use chime_vm::{atoms, bifs, exports, modules};

/// What stands behind a fun.
enum Fun {
    Local(&'static FunEntry),
    External(&'static Export),
}

fn fun(t: Term) -> Option<Fun> {
    match t.subtag()? {
        // SAFETY: entries and exports live as long as the machine.
        sub::FUN => Some(Fun::Local(unsafe { &*(t.word(1).0 as *const FunEntry) })),
        sub::EXPORT => Some(Fun::External(unsafe { &*(t.word(1).0 as *const Export) })),
        _ => None,
    }
}

fn fun_info_2(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((f, arity)) = fun(a[0]).zip(fun_arity(a[0])) else { return Err(p.badarg()) };
    let what = text(a[1]);
    let value = match (what, &f) {
        ("arity", _) => Term::small(arity as i64),
        ("module", Fun::Local(e)) => e.module,
        ("module", Fun::External(e)) => e.module,
        ("name", Fun::Local(e)) => e.function,
        ("name", Fun::External(e)) => e.function,
        ("type", Fun::Local(_)) => atoms::LOCAL,
        ("type", Fun::External(_)) => atoms::EXTERNAL,
        ("env", Fun::Local(_)) => p.list(&a[0].body()[2..]),
        ("env", Fun::External(_)) => Term::NIL,
        ("pid", Fun::Local(_)) => a[0].word(2),
        ("index", Fun::Local(e)) => Term::small(e.old_index as i64),
        ("uniq", Fun::Local(e)) => Term::small(e.old_uniq as i64),
        ("new_index", Fun::Local(e)) => Term::small(e.index as i64),
        ("new_uniq", Fun::Local(e)) => p.binary(&e.uniq),
        ("pid" | "index" | "uniq" | "new_index" | "new_uniq", Fun::External(_)) => atoms::UNDEFINED,
        ("refc", Fun::Local(_)) => Term::small(1),
        ("refc", Fun::External(_)) => atoms::UNDEFINED,
        _ => return Err(p.badarg()),
    };
    Ok(p.tuple(&[a[1], value]))
}

fn fun_info_mfa(p: &mut Process, a: &[Term]) -> BifResult {
    match fun(a[0]).zip(fun_arity(a[0])) {
        Some((Fun::Local(e), n)) => Ok(p.tuple(&[e.module, e.function, Term::small(n as i64)])),
        Some((Fun::External(e), n)) => Ok(p.tuple(&[e.module, e.function, Term::small(n as i64)])),
        None => Err(p.badarg()),
    }
}

fn make_fun(p: &mut Process, a: &[Term]) -> BifResult {
    match a[2].as_index() {
        Some(n) if n <= 255 && a[0].is_atom() && a[1].is_atom() => {
            let e = exports::get(a[0], a[1], n as u32);
            Ok(modules::export_fun(p, e))
        }
        _ => Err(p.badarg()),
    }
}

bifs! { TABLE, "erlang";
    "fun_info"/2 [] => fun_info_2,
    "fun_info_mfa"/1 [] => fun_info_mfa,
    "make_fun"/3 [] => make_fun,
}
