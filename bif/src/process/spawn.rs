//! `spawn` and its kin.

use super::flags;
use crate::util::{as_u64, atom, text};
use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::mailbox::Message;
use chime_vm::process::{Process, flag};
use chime_vm::refs;
use chime_vm::relations::AliasMode;
use chime_vm::signal::{self, SignalKind};
use chime_vm::spawn::{self, MAX_HEAP_FLAGS, MonitorOpts, SpawnOpts};
use chime_vm::term::Term;

/// Who hears of a spawn request's outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    ErrorOnly,
    SuccessOnly,
}

/// The options of a spawn, and of the request around it.
struct Options {
    spawn: SpawnOpts,
    reply_tag: Term,
    answer: Answer,
}

/// How options can be wrong.
enum Wrong {
    Arg,
    Option,
}

/// Options of a monitor: `{alias, _}` and `{tag, _}`.
pub(super) fn monitor_options(list: Term) -> Option<(Option<AliasMode>, Term)> {
    let (mut alias, mut tag) = (None, atoms::DOWN);
    let mut it = list.iter();
    for t in it.by_ref() {
        if text(t) == "priority" {
            continue;
        }
        let &[key, value] = t.tuple_of(2)? else { return None };
        match (text(key), text(value)) {
            ("alias", "explicit_unalias") => alias = Some(AliasMode::Explicit),
            ("alias", "demonitor") => alias = Some(AliasMode::Demonitor),
            ("alias", "reply_demonitor") => alias = Some(AliasMode::Reply),
            ("tag", _) => tag = value,
            _ => return None,
        }
    }
    it.rest.is_nil().then_some((alias, tag))
}

fn options(list: Term, request: bool) -> Result<Options, Wrong> {
    let mut o = Options { spawn: SpawnOpts::default(), reply_tag: atoms::SPAWN_REPLY, answer: Answer::Yes };
    let monitor = |alias, tag| MonitorOpts { id: refs::next_number(), tag, alias };
    let mut it = list.iter();
    for t in it.by_ref() {
        let s = &mut o.spawn;
        if t == atoms::LINK {
            s.link = true;
            continue;
        }
        if t == atoms::MONITOR {
            s.monitor = Some(monitor(None, atoms::DOWN));
            continue;
        }
        let Some(&[key, value]) = t.tuple_of(2) else { return Err(Wrong::Option) };
        let number = as_u64(value);
        match text(key) {
            "monitor" => {
                let (alias, tag) = monitor_options(value).ok_or(Wrong::Option)?;
                s.monitor = Some(monitor(alias, tag));
            }
            "priority" => s.priority = flags::priority(value).ok_or(Wrong::Option)?,
            "message_queue_data" => match text(value) {
                "on_heap" => s.flags &= !flag::OFF_HEAP_MSGS,
                "off_heap" => s.flags |= flag::OFF_HEAP_MSGS,
                _ => return Err(Wrong::Option),
            },
            "min_heap_size" => s.min_heap = flags::heap_size(number.ok_or(Wrong::Option)?),
            "min_bin_vheap_size" => s.vheap = flags::vheap_bytes(number.ok_or(Wrong::Option)?),
            "fullsweep_after" => {
                s.fullsweep = number.ok_or(Wrong::Option)?.min(u64::from(u16::MAX)) as u32;
            }
            "max_heap_size" => {
                let (size, bits) = flags::max_heap(value, s.max_heap, s.flags).ok_or(Wrong::Option)?;
                s.max_heap = size;
                s.flags = s.flags & !MAX_HEAP_FLAGS | bits;
            }
            "async_dist" if value.is_boolean() => {}
            // Undocumented: binds the process to a scheduler.
            "scheduler" if number.is_some() => {}
            "reply_tag" if request => o.reply_tag = value,
            "reply" if request => {
                o.answer = match text(value) {
                    "yes" => Answer::Yes,
                    "no" => Answer::No,
                    "error_only" => Answer::ErrorOnly,
                    "success_only" => Answer::SuccessOnly,
                    _ => return Err(Wrong::Option),
                }
            }
            _ => return Err(Wrong::Option),
        }
    }
    if it.rest.is_nil() { Ok(o) } else { Err(Wrong::Arg) }
}

fn start(p: &mut Process, m: Term, f: Term, args: Term, o: &SpawnOpts) -> Result<Term, Bail> {
    if !m.is_atom() || !f.is_atom() {
        return Err(p.badarg());
    }
    let Some(args) = args.to_vec() else { return Err(p.badarg()) };
    if args.len() > 255 {
        return Err(p.system_limit());
    }
    match spawn::spawn_mfa(Some(&mut *p), o, m, f, &args) {
        Some(pid) => Ok(pid),
        None => Err(p.system_limit()),
    }
}

fn spawn_3(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, a[0], a[1], a[2], &SpawnOpts::default())
}

fn spawn_link_3(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, a[0], a[1], a[2], &SpawnOpts { link: true, ..SpawnOpts::default() })
}

/// `{Pid, Ref}` for a monitored process.
fn result(p: &mut Process, pid: Term, o: &SpawnOpts) -> Term {
    match &o.monitor {
        Some(m) => {
            let r = spawn::monitor_ref(p, m.id, m.alias.is_some());
            p.tuple(&[pid, r])
        }
        None => pid,
    }
}

fn spawn_opt_4(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() || !a[1].is_atom() || a[2].list_len().is_none() {
        return Err(p.badarg());
    }
    match options(a[3], false) {
        Ok(o) => {
            let pid = start(p, a[0], a[1], a[2], &o.spawn)?;
            Ok(result(p, pid, &o.spawn))
        }
        Err(Wrong::Option) => Err(p.badarg_cause(atom("badopt"))),
        Err(Wrong::Arg) => Err(p.badarg()),
    }
}

/// Sends this process `{Tag, Ref, What, Value}`.
fn answer(p: &mut Process, tag: Term, reference: Term, what: Term, value: Term) {
    let parcel = signal::Parcel::build(|b| {
        let (tag, reference) = (b.copy(tag), b.copy(reference));
        b.tuple(&[tag, reference, what, value])
    });
    let (term, frag) = parcel.into_raw();
    let kind = SignalKind::Message(Message::new(term, frag));
    signal::deliver_or_reject(p.pid, kind);
}

/// The request is carried out at once; its answer is a message all the same.
fn spawn_request_4(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() || !a[1].is_atom() || a[2].list_len().is_none() {
        return Ok(atoms::BADARG);
    }
    let wrong_option = |p: &mut Process| {
        let r = refs::make_ref(p);
        answer(p, atoms::SPAWN_REPLY, r, atoms::ERROR, atom("badopt"));
        Ok(r)
    };
    let o = match options(a[3], true) {
        Ok(o) => o,
        Err(Wrong::Option) => return wrong_option(p),
        Err(Wrong::Arg) => return Ok(atoms::BADARG),
    };
    let r = match &o.spawn.monitor {
        Some(m) => spawn::monitor_ref(p, m.id, m.alias.is_some()),
        None => refs::make_ref(p),
    };
    let args = a[2].to_vec().unwrap_or_default();
    let pid = match args.len() > 255 {
        true => None,
        false => spawn::spawn_mfa(Some(&mut *p), &o.spawn, a[0], a[1], &args),
    };
    match pid {
        Some(pid) if matches!(o.answer, Answer::Yes | Answer::SuccessOnly) => {
            answer(p, o.reply_tag, r, atoms::OK, pid);
        }
        None if matches!(o.answer, Answer::Yes | Answer::ErrorOnly) => {
            answer(p, o.reply_tag, r, atoms::ERROR, atoms::SYSTEM_LIMIT);
        }
        _ => {}
    }
    Ok(r)
}

/// To another node: there is none.
fn dist_spawn_request_4(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Ok(atoms::BADARG);
    }
    let r = refs::make_ref(p);
    let (tag, to_answer, reason) = match options(a[2], true) {
        Ok(o) => (o.reply_tag, matches!(o.answer, Answer::Yes | Answer::ErrorOnly), atoms::NOCONNECTION),
        Err(Wrong::Option) => (atoms::SPAWN_REPLY, true, atom("badopt")),
        Err(Wrong::Arg) => return Ok(atoms::BADARG),
    };
    if to_answer {
        answer(p, tag, r, atoms::ERROR, reason);
    }
    Ok(r)
}

/// Requests are answered before they return, so there is never one to abandon.
fn spawn_request_abandon_1(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_ref() { Ok(atoms::FALSE) } else { Err(p.badarg()) }
}

fn spawn_system_process_3(p: &mut Process, a: &[Term]) -> BifResult {
    let mut o = SpawnOpts { priority: 1, ..SpawnOpts::default() };
    o.flags |= flag::SYSTEM;
    start(p, a[0], a[1], a[2], &o)
}

bifs! { TABLE, "erlang";
    "spawn"/3 [] => spawn_3,
    "spawn_link"/3 [] => spawn_link_3,
    "spawn_opt"/4 [] => spawn_opt_4,
    "spawn_request_abandon"/1 [] => spawn_request_abandon_1,
}

bifs! { INTERNAL, "erts_internal";
    "spawn_request"/4 [] => spawn_request_4,
    "dist_spawn_request"/4 [] => dist_spawn_request_4,
    "spawn_system_process"/3 [] => spawn_system_process_3,
}
