//! Steering processes: suspension, collection, group leaders, hibernation, tasks for other processes.

use crate::util::{as_u64, atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::code::ReturnSite;
use chime_vm::error;
use chime_vm::gc;
use chime_vm::heap::Alloc;
use chime_vm::modules;
use chime_vm::process::{Process, flag};
use chime_vm::sched;
use chime_vm::signal::{self, Parcel, ParcelBuilder, SignalKind};
use chime_vm::table;
use chime_vm::term::Term;

fn self_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.pid)
}

// ---- where a process is

/// The innermost frames as `{M, F, A, Location}`.
fn frames(p: &Process, b: &mut ParcelBuilder, limit: usize) -> Vec<Term> {
    let found = error::stack_locations(p, limit);
    found
        .into_iter()
        .map(|at| {
            // SAFETY: function records live as long as the machine; `stack_locations` gives only existing ones.
            let f = unsafe { &*at.function };
            let (file, line) = ((at.line >> 24) as usize, at.line & 0xFF_FFFF);
            let location = match f.code.files.get(file) {
                Some(&file) if at.line != 0 => {
                    let line = b.tuple(&[atoms::LINE, Term::small(i64::from(line))]);
                    let file = b.copy(file);
                    let file = b.tuple(&[atoms::FILE, file]);
                    b.list(&[file, line])
                }
                _ => Term::NIL,
            };
            b.tuple(&[f.module, f.function, Term::small(i64::from(f.arity)), location])
        })
        .collect()
}

pub(super) fn current_function(p: &Process, b: &mut ParcelBuilder) -> Term {
    match frames(p, b, 1).first().and_then(|t| t.tuple()) {
        Some(e) => b.tuple(&[e[0], e[1], e[2]]),
        None => atoms::UNDEFINED,
    }
}
pub(super) fn current_location(p: &Process, b: &mut ParcelBuilder) -> Term {
    frames(p, b, 1).first().copied().unwrap_or(atoms::UNDEFINED)
}
pub(super) fn current_stacktrace(p: &Process, b: &mut ParcelBuilder) -> Term {
    // A hibernating process has no stack.
    let list = if p.has(flag::HIBERNATING) { Vec::new() } else { frames(p, b, 8) };
    b.list(&list)
}
pub(super) fn backtrace(p: &Process, b: &mut ParcelBuilder) -> Term {
    let mut out = String::new();
    for f in frames(p, b, 1000) {
        if let Some(e) = f.tuple() {
            let line = format!("{}:{}/{:?}\n", text(e[0]), text(e[1]), e[2]);
            out.push_str(&line);
        }
    }
    b.binary(out.as_bytes())
}

/// Sets how many frames a stack trace has; returns the number before.
pub(super) fn set_backtrace_depth(_n: u64) -> i64 {
    8
}

// ---- requests to other processes

/// Runs `work` in the process `to`; its result, or `dead`, goes to `asker` as `{Ref, Result}`.
pub(super) fn call_then_message(
    asker: Term,
    to: Term,
    reference: Term,
    work: impl FnOnce(&mut Process) -> Term + Send + 'static,
    dead: Term,
) {
    let key = Parcel::new(reference);
    let call = move |target: Option<&mut Process>| {
        let result = target.map_or(dead, work);
        let parcel = Parcel::build(|b| {
            let key = b.copy(key.term());
            b.tuple(&[key, result])
        });
        let (term, frag) = parcel.into_raw();
        signal::send_fragment(asker, term, frag);
    };
    signal::deliver_or_reject(to, SignalKind::Call(Box::new(call)));
}

/// `{garbage_collect, Id, major | minor}` or `{check_process_code, Id, Module}`; the answer is `{Kind, Id, Result}`.
fn request_system_task(p: &mut Process, to: Term, task: Term) -> BifResult {
    let Some(&[kind, id, argument]) = task.tuple_of(3) else { return Err(p.badarg()) };
    if !to.is_local_pid() {
        return Err(p.badarg());
    }
    let work: fn(&mut Process, Term) -> Term = match text(kind) {
        "garbage_collect" => |target, mode| {
            let full = mode != atom("minor");
            if target.has(flag::WAITING | flag::RUNNABLE) {
                // It does not run: all it has is on its stack and in its saved arguments.
                if !gc::collect(target, &mut [], 0, full) {
                    target.doom(atoms::KILLED);
                }
                atoms::TRUE
            } else {
                target.collect_soon(full);
                atoms::TRUE
            }
        },
        "check_process_code" => |target, module| Term::bool(uses_old_code(target, module)),
        _ => return Err(p.badarg()),
    };
    let (asker, key) = (p.pid, Parcel::new(id));
    let call = move |target: Option<&mut Process>| {
        let result = target.map_or(atoms::FALSE, |t| work(t, argument));
        let parcel = Parcel::build(|b| {
            let id = b.copy(key.term());
            b.tuple(&[kind, id, result])
        });
        let (term, frag) = parcel.into_raw();
        signal::send_fragment(asker, term, frag);
    };
    signal::deliver_or_reject(to, SignalKind::Call(Box::new(call)));
    Ok(atoms::OK)
}
fn request_system_task_3(p: &mut Process, a: &[Term]) -> BifResult {
    request_system_task(p, a[0], a[2])
}
fn request_system_task_4(p: &mut Process, a: &[Term]) -> BifResult {
    request_system_task(p, a[0], a[3])
}

/// Whether a process still runs old code of a module, or will return into it.
fn uses_old_code(p: &mut Process, module: Term) -> bool {
    let Some(old) = modules::old(module) else { return false };
    if old.contains(p.ip) {
        return true;
    }
    let stack = p.heap.stack;
    (0..p.heap.stack_words()).any(|i| {
        // SAFETY: words of the live stack; those tagged as headers are addresses of return sites.
        unsafe {
            let word = *stack.add(i);
            word.is_header() && !word.is_none() && old.contains((*(word.0 as *const ReturnSite)).ip)
        }
    })
}

fn check_process_code_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(Term::bool(uses_old_code(p, a[0])))
}

fn garbage_collect_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !matches!(text(a[0]), "major" | "minor") {
        return Err(p.badarg());
    }
    // Resumed, for then nothing but the result is in registers, and the machine collects at once.
    Err(p.trap(collected, a))
}
fn collected(p: &mut Process, a: &[Term]) -> BifResult {
    p.set(flag::NEED_GC, true);
    p.set(flag::FULLSWEEP, text(a[0]) == "major");
    Ok(atoms::TRUE)
}

// ---- suspension

fn suspend_process_2(p: &mut Process, a: &[Term]) -> BifResult {
    let to = a[0];
    let (mut wait, mut reply, mut unless) = (true, Term::NONE, false);
    let mut it = a[1].iter();
    for t in it.by_ref() {
        match text(t) {
            "asynchronous" => wait = false,
            "unless_suspending" => unless = true,
            _ => match t.tuple_of(2) {
                Some(&[key, value]) if key == atoms::ASYNCHRONOUS => (wait, reply) = (false, value),
                _ => return Ok(atom("badopt")),
            },
        }
    }
    if !it.rest.is_nil() {
        return Ok(atom("badopt"));
    }
    if !to.is_local_pid() || to == p.pid {
        return Ok(atoms::BADARG);
    }
    if table::lookup(to).is_none() {
        if wait {
            return Ok(atoms::BADARG);
        }
        if !reply.is_none() {
            let parcel = Parcel::build(|b| {
                let tag = b.copy(reply);
                b.tuple(&[tag, atoms::BADARG])
            });
            let (term, frag) = parcel.into_raw();
            signal::send_fragment(p.pid, term, frag);
        }
        return Ok(atoms::TRUE);
    }
    let suspending = &mut p.rare().suspending;
    match suspending.iter_mut().find(|e| e.0 == to) {
        Some(_) if unless => return Ok(atoms::FALSE),
        Some(e) => e.1 += 1,
        None => suspending.push((to, 1)),
    }
    let work = |target: &mut Process| {
        target.rare().suspend_count += 1;
        // If it runs, this ends its turn.
        target.fcalls = target.fcalls.min(0);
    };
    if wait {
        return signal::call_process(p, to, work, move |p, alive| {
            if alive.is_none() {
                p.rare().suspending.retain(|e| e.0 != to);
                return Ok(atoms::BADARG);
            }
            Ok(atoms::TRUE)
        });
    }
    let (asker, reply) = (p.pid, (!reply.is_none()).then(|| Parcel::new(reply)));
    let call = move |target: Option<&mut Process>| {
        let state = if target.map(work).is_some() { atoms::SUSPENDED } else { atom("exited") };
        if let Some(reply) = reply {
            let parcel = Parcel::build(|b| {
                let tag = b.copy(reply.term());
                b.tuple(&[tag, state])
            });
            let (term, frag) = parcel.into_raw();
            signal::send_fragment(asker, term, frag);
        }
    };
    signal::deliver_or_reject(to, SignalKind::Call(Box::new(call)));
    Ok(atoms::TRUE)
}

fn resume_process_1(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(rare) = &mut p.rare else { return Err(p.badarg()) };
    let Some(i) = rare.suspending.iter().position(|e| e.0 == a[0]) else { return Err(p.badarg()) };
    rare.suspending[i].1 -= 1;
    if rare.suspending[i].1 == 0 {
        rare.suspending.remove(i);
    }
    chime_vm::exits::resume(a[0], 1);
    Ok(atoms::TRUE)
}

// ---- group leaders

fn group_leader_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.group_leader)
}

/// `true`, or `badarg`.
fn group_leader_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (leader, to) = (a[0], a[1]);
    if !leader.is_local_pid() || !to.is_local_pid() {
        return Ok(atoms::BADARG);
    }
    if to == p.pid {
        p.group_leader = leader;
        return Ok(atoms::TRUE);
    }
    signal::call_process(
        p,
        to,
        move |target| target.group_leader = leader,
        |_, alive| Ok(if alive.is_some() { atoms::TRUE } else { atoms::BADARG }),
    )
}

/// As `group_leader/2`; the answer is a message `{Ref, true | badarg}`.
fn group_leader_3(p: &mut Process, a: &[Term]) -> BifResult {
    let (reference, leader, to) = (a[0], a[1], a[2]);
    if !reference.is_ref() || !leader.is_local_pid() || !to.is_local_pid() {
        return Err(p.badarg());
    }
    let work = move |target: &mut Process| {
        target.group_leader = leader;
        atoms::TRUE
    };
    call_then_message(p.pid, to, reference, work, atoms::BADARG);
    Ok(atoms::OK)
}

// ---- sleeping, yielding, ending

fn hibernate_3(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() || !a[1].is_atom() {
        return Err(p.badarg());
    }
    let Some(args) = a[2].to_vec() else { return Err(p.badarg()) };
    if args.len() > 255 {
        return Err(p.system_limit());
    }
    let export = chime_vm::spawn::export(a[0], a[1], args.len() as u32);
    Err(p.hibernate(export, &args))
}

fn yield_0(p: &mut Process, _: &[Term]) -> BifResult {
    Err(p.yield_with(atoms::TRUE))
}

fn bump_reductions_1(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(n) = as_u64(a[0]) else { return Err(p.badarg()) };
    p.bump(n.min(p.fcalls.max(0) as u64) as usize);
    Ok(atoms::TRUE)
}

fn halt_2(p: &mut Process, a: &[Term]) -> BifResult {
    let mut flush = true;
    let mut it = a[1].iter();
    for t in it.by_ref() {
        match t.tuple_of(2) {
            Some(&[key, value]) if key == atoms::FLUSH && value.is_boolean() => flush = value == atoms::TRUE,
            _ => return Err(p.badarg()),
        }
    }
    if !it.rest.is_nil() {
        return Err(p.badarg());
    }
    if text(a[0]) == "abort" {
        std::process::abort();
    }
    if let Some(status) = as_u64(a[0]) {
        sched::halt((status & 0xFF) as i32, flush);
    }
    // A slogan: OTP writes a crash dump and exits with 1.
    let slogan: Option<String> =
        a[0].to_vec().and_then(|v| v.iter().map(|t| char::from_u32(t.as_small()? as u32)).collect());
    match slogan {
        Some(text) => {
            eprintln!("{text}");
            sched::halt(1, flush)
        }
        None => Err(p.badarg()),
    }
}

fn is_system_process_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() {
        return Err(p.badarg());
    }
    signal::call_process(p, a[0], |t| t.has(flag::SYSTEM), |_, s| Ok(Term::bool(s == Some(true))))
}

fn process_display_2(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() || a[1] != atoms::BACKTRACE {
        return Ok(atoms::BADARG);
    }
    let work = |t: &mut Process| Parcel::build(|b| backtrace(t, b));
    signal::call_process(p, a[0], work, |p, text| {
        let Some(text) = text else { return Ok(atoms::BADARG) };
        let t = text.open(p);
        if let Some(bytes) = chime_vm::bin::bytes(t) {
            eprint!("{}", String::from_utf8_lossy(&bytes));
        }
        Ok(atoms::TRUE)
    })
}

fn false_1(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::FALSE)
}
fn normal_1(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::NORMAL)
}

bifs! { TABLE, "erlang";
    "self"/0 [GUARD] => self_0,
    "resume_process"/1 [] => resume_process_1,
    "group_leader"/0 [] => group_leader_0,
    "hibernate"/3 [] => hibernate_3,
    "yield"/0 [] => yield_0,
    "bump_reductions"/1 [] => bump_reductions_1,
    "halt"/2 [] => halt_2,
}
bifs! { INTERNAL, "erts_internal";
    "suspend_process"/2 [] => suspend_process_2,
    "group_leader"/2 [] => group_leader_2,
    "group_leader"/3 [] => group_leader_3,
    "garbage_collect"/1 [] => garbage_collect_1,
    "request_system_task"/3 [] => request_system_task_3,
    "request_system_task"/4 [] => request_system_task_4,
    "check_process_code"/1 [] => check_process_code_1,
    "is_system_process"/1 [] => is_system_process_1,
    "process_display"/2 [] => process_display_2,
    "is_process_executing_dirty"/1 [] => false_1,
    "dirty_process_handle_signals"/1 [] => normal_1,
}
