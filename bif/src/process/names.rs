//! Registered names.

use crate::util::atom;
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::registry::{self, Refused};
use chime_vm::term::Term;

fn register_2(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() || !(a[1].is_local_pid() || a[1].is_local_port()) {
        return Err(p.badarg());
    }
    if a[0] == atoms::UNDEFINED {
        return Err(p.badarg_cause(atoms::NONE));
    }
    match registry::register(a[0], a[1]) {
        Ok(()) => Ok(atoms::TRUE),
        Err(Refused::Exited) => Err(p.badarg_cause(atom("notalive"))),
        Err(Refused::Named) => Err(p.badarg_cause(atoms::REGISTERED_NAME)),
        Err(Refused::Taken) => Err(p.badarg_cause(atoms::NONE)),
    }
}

fn unregister_1(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_atom() && registry::unregister(a[0]) { Ok(atoms::TRUE) } else { Err(p.badarg()) }
}

fn whereis_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(registry::whereis(a[0]).unwrap_or(atoms::UNDEFINED))
}

fn registered_0(p: &mut Process, _: &[Term]) -> BifResult {
    let names = registry::all();
    p.bump(names.len() / 8);
    Ok(p.list(&names))
}

bifs! { TABLE, "erlang";
    "register"/2 [] => register_2,
    "unregister"/1 [] => unregister_1,
    "whereis"/1 [] => whereis_1,
    "registered"/0 [] => registered_0,
}
