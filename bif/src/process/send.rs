//! Sending messages and exit signals.

use crate::util::{atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::process::Process;
use chime_vm::signal::{self, ExitKind, SignalKind};
use chime_vm::term::Term;

fn send_2(p: &mut Process, a: &[Term]) -> BifResult {
    signal::send(p, a[0], a[1])?;
    Ok(a[1])
}

fn send_3(p: &mut Process, a: &[Term]) -> BifResult {
    let mut it = a[2].iter();
    let known = it.by_ref().all(|t| matches!(text(t), "noconnect" | "nosuspend"));
    if !known || !it.rest.is_nil() {
        return Err(p.badarg_cause(atom("badopt")));
    }
    signal::send(p, a[0], a[1])?;
    Ok(atoms::OK)
}

fn exit_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (to, reason) = (a[0], a[1]);
    if !to.is_local_pid() {
        // Processes of other nodes cannot be reached.
        return if to.is_pid() || to.is_port() { Ok(atoms::TRUE) } else { Err(p.badarg()) };
    }
    let (reason, frag) = signal::copy_out(reason);
    let exit = SignalKind::Exit { from: p.pid, reason, frag, kind: ExitKind::Explicit };
    signal::deliver_or_reject(to, exit);
    // A signal to oneself has arrived when the call returns.
    if to == p.pid && p.fetch_signals() {
        return Err(p.die(atoms::KILLED));
    }
    Ok(atoms::TRUE)
}

/// OTP 29's, with options. `priority` is accepted; such signals travel like all others here.
fn exit_3(p: &mut Process, a: &[Term]) -> BifResult {
    let mut it = a[2].iter();
    if !it.by_ref().all(|t| text(t) == "priority") || !it.rest.is_nil() {
        return Err(p.badarg_cause(atom("badopt")));
    }
    exit_2(p, a)
}

bifs! { TABLE, "erlang";
    "!"/2 [] => send_2,
    "send"/2 [] => send_2,
    "send"/3 [] => send_3,
    "exit"/2 [] => exit_2,
    "exit"/3 [] => exit_3,
    "exit_signal"/2 [] => exit_2,
    "exit_signal"/3 [] => exit_3,
}
