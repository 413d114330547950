//! Links, monitors, aliases.

use super::spawn::monitor_options;
use crate::util::{atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::mailbox::Message;
use chime_vm::process::{Process, flag};
use chime_vm::refs;
use chime_vm::registry;
use chime_vm::relations::{AliasMode, Linked, Monitor};
use chime_vm::sched;
use chime_vm::signal::{self, SignalKind};
use chime_vm::spawn;
use chime_vm::term::Term;
use std::ptr;

fn link_1(p: &mut Process, a: &[Term]) -> BifResult {
    let to = a[0];
    if !to.is_pid() && !to.is_port() {
        return Err(p.badarg());
    }
    if to == p.pid {
        return Ok(atoms::TRUE);
    }
    let links = &mut p.relations().links;
    let before = links.get(to.0).copied();
    if to.is_local_pid() {
        if before == Some(Linked::Active) {
            return Ok(atoms::TRUE);
        }
        links.insert(to.0, Linked::Active);
        let from = p.pid;
        if signal::deliver(to, SignalKind::Link { from }).is_ok() {
            return Ok(atoms::TRUE);
        }
        p.relations().links.remove(to.0);
    }
    // There is nobody to link to.
    let reason = if to.is_local_pid() || to.is_port() { atoms::NOPROC } else { atoms::NOCONNECTION };
    if !p.has(flag::TRAP_EXIT) {
        return if reason == atoms::NOPROC { Err(p.error(reason)) } else { Err(p.badarg()) };
    }
    let (term, frag) = signal::Parcel::build(|b| {
        let to = b.copy(to);
        b.tuple(&[atoms::EXIT_UP, to, reason])
    })
    .into_raw();
    signal::deliver_or_reject(p.pid, SignalKind::Message(Message::new(term, frag)));
    Ok(atoms::TRUE)
}

/// OTP 29's, with options.
fn link_2(p: &mut Process, a: &[Term]) -> BifResult {
    let mut it = a[1].iter();
    if !it.by_ref().all(|t| text(t) == "priority") || !it.rest.is_nil() {
        return Err(p.badarg_cause(atom("badopt")));
    }
    link_1(p, a)
}

fn unlink_1(p: &mut Process, a: &[Term]) -> BifResult {
    let to = a[0];
    if !to.is_pid() && !to.is_port() {
        return Err(p.badarg());
    }
    let from = p.pid;
    let Some(r) = &mut p.relations else { return Ok(atoms::TRUE) };
    if to.is_local_pid() && r.links.get(to.0) == Some(&Linked::Active) {
        r.unlinks += 1;
        let id = r.unlinks;
        r.links.insert(to.0, Linked::Unlinking(id));
        if signal::deliver(to, SignalKind::Unlink { from, id }).is_err() {
            r.links.remove(to.0);
        }
    }
    Ok(atoms::TRUE)
}

fn monitor_2(p: &mut Process, a: &[Term]) -> BifResult {
    monitor(p, a[0], a[1], Term::NIL)
}
fn monitor_3(p: &mut Process, a: &[Term]) -> BifResult {
    monitor(p, a[0], a[1], a[2])
}

fn monitor(p: &mut Process, kind: Term, item: Term, options: Term) -> BifResult {
    let Some((alias, tag)) = monitor_options(options) else {
        return Err(p.badarg_cause(atom("badopt")));
    };
    let node = sched::node_name();
    // Whom, and by what name; `NONE`: nobody.
    let (target, name, reason) = match text(kind) {
        "process" => {
            if item.is_local_pid() {
                (item, Term::NONE, atoms::NOPROC)
            } else if item.is_atom() {
                (registry::whereis(item).unwrap_or(Term::NONE), item, atoms::NOPROC)
            } else if let Some(&[name, n]) = item.tuple_of(2) {
                if !name.is_atom() || !n.is_atom() {
                    return Err(p.badarg());
                }
                let here = (n == node).then(|| registry::whereis(name)).flatten();
                (
                    here.unwrap_or(Term::NONE),
                    name,
                    if n == node { atoms::NOPROC } else { atoms::NOCONNECTION },
                )
            } else if item.is_pid() {
                (Term::NONE, Term::NONE, atoms::NOCONNECTION)
            } else {
                return Err(p.badarg());
            }
        }
        "port" if item.is_port() || item.is_atom() => (Term::NONE, Term::NONE, atoms::NOPROC),
        "port" => return Err(p.badarg()),
        "time_offset" if text(item) == "clock_service" => {
            // The offset never changes: nothing will ever be heard of this.
            let id = refs::next_number();
            let alias_too = alias.is_some();
            set(p, id, Term::NONE, Term::NONE, tag, alias);
            return Ok(spawn::monitor_ref(p, id, alias_too));
        }
        "time_offset" => return Err(p.badarg()),
        _ => return Err(p.badarg_cause(atom("badtype"))),
    };
    let id = refs::next_number();
    let reference = spawn::monitor_ref(p, id, alias.is_some());
    if target == p.pid {
        // A process does not hear of its own end.
        if let Some(mode) = alias {
            p.relations().aliases.insert(id, mode);
        }
        return Ok(reference);
    }
    let from = p.pid;
    if !target.is_none() {
        set(p, id, target, name, tag, alias);
        if signal::deliver(target, SignalKind::Monitor { from, name, id }).is_err() {
            let down = SignalKind::Down { id, reason, frag: ptr::null_mut() };
            signal::deliver_or_reject(from, down);
        }
        return Ok(reference);
    }
    if let Some(mode) = alias.filter(|m| *m == AliasMode::Explicit) {
        p.relations().aliases.insert(id, mode);
    }
    // What is not there is down.
    let (term, frag) = signal::Parcel::build(|b| {
        let (tag, reference) = (b.copy(tag), b.copy(reference));
        let object = match name.is_none() {
            true => b.copy(item),
            false => {
                let node = item.tuple_of(2).map_or(node, |e| e[1]);
                b.tuple(&[name, node])
            }
        };
        b.tuple(&[tag, reference, kind, object, reason])
    })
    .into_raw();
    signal::deliver_or_reject(from, SignalKind::Message(Message::new(term, frag)));
    Ok(reference)
}

/// Notes a monitor.
fn set(p: &mut Process, id: u64, target: Term, name: Term, tag: Term, alias: Option<AliasMode>) {
    let (tag, tag_frag) = signal::copy_out(tag);
    let monitor = Monitor { target, name, tag, tag_frag, alias: alias.is_some(), spawn: false };
    p.relations().monitors.insert(id, monitor);
    if let Some(mode) = alias {
        p.relations().aliases.insert(id, mode);
    }
}

fn demonitor_1(p: &mut Process, a: &[Term]) -> BifResult {
    match refs::number(a[0]) {
        Some(id) => {
            p.drop_monitor(id);
            Ok(atoms::TRUE)
        }
        None if a[0].is_ref() => Ok(atoms::TRUE),
        None => Err(p.badarg()),
    }
}

fn demonitor_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (mut flush, mut info) = (false, false);
    let mut it = a[1].iter();
    for t in it.by_ref() {
        match text(t) {
            "flush" => flush = true,
            "info" => info = true,
            _ => return Err(p.badarg()),
        }
    }
    if !a[0].is_ref() || !it.rest.is_nil() {
        return Err(p.badarg());
    }
    let Some(id) = refs::number(a[0]) else { return Ok(Term::bool(!info)) };
    let found = p.drop_monitor(id);
    // Once the monitor is gone, a signal under way finds nothing: only a message in the queue needs flushing.
    if flush && !found {
        p.bump(p.mailbox.len() / 16);
        p.flush_monitor(id);
    }
    Ok(Term::bool(found || !info))
}

fn alias_1(p: &mut Process, a: &[Term]) -> BifResult {
    let mut mode = AliasMode::Explicit;
    let mut it = a[0].iter();
    for t in it.by_ref() {
        match text(t) {
            "explicit_unalias" => mode = AliasMode::Explicit,
            "reply" => mode = AliasMode::Reply,
            "priority" => {}
            _ => return Err(p.badarg()),
        }
    }
    if !it.rest.is_nil() {
        return Err(p.badarg());
    }
    let id = refs::next_number();
    p.relations().aliases.insert(id, mode);
    Ok(spawn::monitor_ref(p, id, true))
}

fn unalias_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_ref() {
        return Err(p.badarg());
    }
    let Some(id) = refs::number(a[0]) else { return Ok(atoms::FALSE) };
    let removed = p.relations.as_mut().and_then(|r| r.aliases.remove(id));
    Ok(Term::bool(removed.is_some()))
}

bifs! { TABLE, "erlang";
    "link"/1 [] => link_1,
    "link"/2 [] => link_2,
    "unlink"/1 [] => unlink_1,
    "monitor"/2 [] => monitor_2,
    "monitor"/3 [] => monitor_3,
    "demonitor"/1 [] => demonitor_1,
    "demonitor"/2 [] => demonitor_2,
    "alias"/1 [] => alias_1,
    "unalias"/1 [] => unalias_1,
}
