//! `send_after`, `start_timer`, `cancel_timer`, `read_timer`.

use crate::erlang::time;
use crate::util::{as_i64, atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::mailbox::Message;
use chime_vm::process::Process;
use chime_vm::refs;
use chime_vm::signal::{self, Parcel, SignalKind};
use chime_vm::term::Term;
use chime_vm::timers;

const MS: i64 = 1_000_000;

/// What the options of a timer call say.
struct Options {
    abs: bool,
    asynchronous: bool,
    info: bool,
}

/// Options from a list, of those named in `allowed`.
fn options(list: Term, allowed: &[&str]) -> Option<Options> {
    let mut o = Options { abs: false, asynchronous: false, info: true };
    let mut it = list.iter();
    for t in it.by_ref() {
        let &[key, value] = t.tuple_of(2)? else { return None };
        if !value.is_boolean() || !allowed.contains(&text(key)) {
            return None;
        }
        let on = value == atoms::TRUE;
        match text(key) {
            "abs" => o.abs = on,
            "async" => o.asynchronous = on,
            _ => o.info = on,
        }
    }
    it.rest.is_nil().then_some(o)
}

fn start(p: &mut Process, a: &[Term], wrapped: bool) -> BifResult {
    let Some(o) = options(a.get(3).copied().unwrap_or(Term::NIL), &["abs"]) else {
        return Err(p.badarg_cause(atom("badopt")));
    };
    let (when, dest) = (a[0], a[1]);
    if !dest.is_local_pid() && !dest.is_atom() {
        return Err(p.badarg());
    }
    let deadline = match as_i64(when) {
        // Erlang's clock in milliseconds; the past is due at once, unless it lies before the machine's start.
        Some(t) if o.abs => t
            .checked_mul(MS)
            .filter(|&t| t >= time::START)
            .map(|t| t.saturating_sub(time::monotonic_shift()).max(0)),
        Some(t) if t >= 0 => {
            t.checked_mul(MS).and_then(|t| t.checked_add(time::clock(libc::CLOCK_MONOTONIC)))
        }
        _ => None,
    };
    // Beyond the end of time.
    let Some(deadline) = deadline else { return Err(p.badarg_cause(atom("time"))) };
    p.bump(4);
    Ok(timers::start_message(p, deadline as u64, dest, a[2], wrapped))
}

fn send_after(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, a, false)
}
fn start_timer(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, a, true)
}

/// Milliseconds left, or `false`.
fn left(p: &mut Process, ns: Option<u64>) -> Term {
    match ns {
        Some(ns) => p.uint(ns.div_ceil(MS as u64)),
        None => atoms::FALSE,
    }
}

/// Gives the result: as the value, as a message, or not at all.
fn give(p: &mut Process, kind: Term, reference: Term, ns: Option<u64>, o: &Options) -> Term {
    let result = left(p, ns);
    if !o.asynchronous {
        return if o.info { result } else { atoms::OK };
    }
    if o.info {
        let parcel = Parcel::build(|b| {
            let (reference, result) = (b.copy(reference), b.copy(result));
            b.tuple(&[kind, reference, result])
        });
        let (term, frag) = parcel.into_raw();
        signal::deliver_or_reject(p.pid, SignalKind::Message(Message::new(term, frag)));
    }
    atoms::OK
}

fn cancel_timer(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(o) = options(a.get(1).copied().unwrap_or(Term::NIL), &["async", "info"]) else {
        return Err(p.badarg_cause(atom("badopt")));
    };
    if !a[0].is_ref() {
        return Err(p.badarg());
    }
    let ns = refs::number(a[0]).and_then(|id| timers::cancel_message(p, id));
    Ok(give(p, atoms::CANCEL_TIMER, a[0], ns, &o))
}

fn read_timer(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(o) = options(a.get(1).copied().unwrap_or(Term::NIL), &["async"]) else {
        return Err(p.badarg_cause(atom("badopt")));
    };
    if !a[0].is_ref() {
        return Err(p.badarg());
    }
    let ns = refs::number(a[0]).and_then(timers::read_message);
    Ok(give(p, atoms::READ_TIMER, a[0], ns, &o))
}

bifs! { TABLE, "erlang";
    "send_after"/3 [] => send_after,
    "send_after"/4 [] => send_after,
    "start_timer"/3 [] => start_timer,
    "start_timer"/4 [] => start_timer,
    "cancel_timer"/1 [] => cancel_timer,
    "cancel_timer"/2 [] => cancel_timer,
    "read_timer"/1 [] => read_timer,
    "read_timer"/2 [] => read_timer,
}
