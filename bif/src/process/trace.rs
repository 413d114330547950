//! Tracing: off. These behave as OTP does when nobody traces anything.

use crate::util::{atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::mailbox::Message;
use chime_vm::process::Process;
use chime_vm::refs;
use chime_vm::signal::{self, Parcel, SignalKind};
use chime_vm::table;
use chime_vm::term::Term;

fn trace_delivered_1(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0] != atoms::ALL && !a[0].is_local_pid() {
        return Err(p.badarg());
    }
    let r = refs::make_ref(p);
    let (term, frag) = Parcel::build(|b| {
        let r = b.copy(r);
        b.tuple(&[atom("trace_delivered"), a[0], r])
    })
    .into_raw();
    signal::deliver_or_reject(p.pid, SignalKind::Message(Message::new(term, frag)));
    Ok(r)
}

fn trace_info(p: &mut Process, whom: Term, item: Term) -> BifResult {
    let value = match text(item) {
        "flags" if whom.is_pid() || whom.is_port() || whom.is_atom() => Term::NIL,
        "tracer" if whom.is_pid() || whom.is_port() || whom.is_atom() => Term::NIL,
        "traced" | "match_spec" | "meta" | "meta_match_spec" | "call_count" | "call_time" | "call_memory"
        | "all"
            if whom.is_tuple() || whom == atom("on_load") || matches!(text(whom), "send" | "receive") =>
        {
            atoms::FALSE
        }
        _ => return Err(p.badarg()),
    };
    if whom.is_local_pid() && table::lookup(whom).is_none() {
        return Ok(atoms::UNDEFINED);
    }
    Ok(p.tuple(&[item, value]))
}
fn trace_info_2(p: &mut Process, a: &[Term]) -> BifResult {
    trace_info(p, a[0], a[1])
}
fn trace_info_3(p: &mut Process, a: &[Term]) -> BifResult {
    trace_info(p, a[1], a[2])
}

/// `erlang:trace/3`: how many processes matched.
fn trace_3(p: &mut Process, a: &[Term]) -> BifResult {
    trace(p, a[0])
}
fn trace_4(p: &mut Process, a: &[Term]) -> BifResult {
    trace(p, a[1])
}
fn trace(p: &mut Process, whom: Term) -> BifResult {
    let n = match text(whom) {
        "all" | "processes" | "existing" | "existing_processes" => table::count(),
        "new" | "new_processes" | "ports" | "new_ports" | "existing_ports" => 0,
        _ if whom.is_local_pid() => usize::from(table::lookup(whom).is_some()),
        _ => return Ok(atoms::BADARG),
    };
    let _ = p;
    Ok(Term::small(n as i64))
}

fn trace_pattern(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::small(0))
}

fn undefined(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::UNDEFINED)
}

fn destroyed(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::TRUE)
}

bifs! { TABLE, "erlang";
    "trace_delivered"/1 [] => trace_delivered_1,
    "trace_info"/2 [] => trace_info_2,
    "system_monitor"/0 [] => undefined,
    "system_monitor"/1 [] => undefined,
    "system_monitor"/2 [] => undefined,
    "system_profile"/0 [] => undefined,
    "system_profile"/2 [] => undefined,
}
bifs! { INTERNAL, "erts_internal";
    "trace"/3 [] => trace_3,
    "trace"/4 [] => trace_4,
    "trace_pattern"/3 [] => trace_pattern,
    "trace_pattern"/4 [] => trace_pattern,
    "trace_info"/3 [] => trace_info_3,
    "system_monitor"/1 [] => undefined,
    "system_monitor"/3 [] => undefined,
    "trace_session_destroy"/1 [] => destroyed,
}
