//! `erts_debug`, and the parts of `erts_internal` that are about terms.

use crate::erlang::time::SECOND;
use crate::util::{atom, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::{Term, header_subtag, sub};
use chime_vm::{atoms, bifs, cmp, copy};
use std::sync::atomic::{AtomicBool, Ordering};

fn flat_size(p: &mut Process, a: &[Term]) -> BifResult {
    words(p, a[0], false)
}

/// The same object, not an equal one.
fn same(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(Term::bool(a[0] == a[1]))
}

fn size_shared(p: &mut Process, a: &[Term]) -> BifResult {
    words(p, a[0], true)
}

/// Words of a term, literals included; with `once`, shared parts count once.
fn words(p: &mut Process, t: Term, once: bool) -> BifResult {
    let mut seen = hashbrown::HashSet::new();
    let (mut stack, mut words) = (vec![t], 0usize);
    while let Some(t) = stack.pop() {
        // All empty tuples are one, which no heap holds.
        if t.is_immed() || t.tuple().is_some_and(<[Term]>::is_empty) || (once && !seen.insert(t.0)) {
            continue;
        }
        if t.is_cons() {
            words += 2;
            stack.extend([t.tail(), t.head()]);
        } else if t.is_sub(sub::SUB_BIN) {
            // As a copy of it would be.
            words += copy::whole_size(t);
        } else {
            words += 1 + t.body().len();
            let raw = chime_vm::term::RAW_WORDS[header_subtag(t.header()) as usize] as usize;
            stack.extend(t.body().iter().skip(raw));
        }
    }
    p.bump(words / 50);
    Ok(p.uint(words as u64))
}

/// Terms are copied with sharing or without as the machine sees fit.
fn copy_shared(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(a[0])
}

static INTERNAL_STATE: AtomicBool = AtomicBool::new(false);

/// Open to programs only after `set_internal_state(available_internal_state, true)`.
fn set_internal_state(p: &mut Process, a: &[Term]) -> BifResult {
    if text(a[0]) == "available_internal_state" && a[1].is_boolean() {
        let old = INTERNAL_STATE.swap(a[1] == atoms::TRUE, Ordering::Relaxed);
        return Ok(Term::bool(old));
    }
    Err(p.badarg())
}

fn get_internal_state(p: &mut Process, a: &[Term]) -> BifResult {
    if !INTERNAL_STATE.load(Ordering::Relaxed) {
        return Err(p.error(atoms::UNDEF));
    }
    match text(a[0]) {
        "available_internal_state" => Ok(atoms::TRUE),
        "reds_left" => Ok(p.int(p.fcalls)),
        _ => Ok(atoms::UNDEFINED),
    }
}

/// There are no counters of locks.
fn lcnt_collect(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::ERROR)
}
fn lcnt(p: &mut Process, _: &[Term]) -> BifResult {
    Err(p.badarg())
}

fn interpreter_size(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::small(0))
}

fn instructions(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::NIL)
}

// ---- erts_internal

fn cmp_term(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(Term::small(cmp::compare_exact(a[0], a[1]) as i64))
}

fn term_type(_: &mut Process, a: &[Term]) -> BifResult {
    let t = a[0];
    let name = match t.subtag() {
        Some(sub::TUPLE) => "tuple",
        Some(sub::POS_BIG | sub::NEG_BIG) => "bignum",
        Some(sub::REF | sub::EXT_REF) if t.is_sub(sub::REF) => "reference",
        Some(sub::EXT_REF) => "external_reference",
        Some(sub::FUN) => "fun",
        Some(sub::EXPORT) => "export",
        Some(sub::FLOAT) => "hfloat",
        Some(sub::REFC_BIN) => "refc_binary",
        Some(sub::HEAP_BIN) => "heap_binary",
        Some(sub::SUB_BIN) => "sub_binary",
        Some(sub::EXT_PID) => "external_pid",
        Some(sub::EXT_PORT) => "external_port",
        Some(sub::MAP) if t.word(1).0 <= FLAT_MAP_LIMIT => "flatmap",
        Some(sub::MAP) => "hashmap",
        Some(_) => "matchstate",
        None if t.is_small() => "fixnum",
        None if t.is_atom() => "atom",
        None if t.is_nil() => "nil",
        None if t.is_cons() => "list",
        None if t.is_local_pid() => "pid",
        None => "port",
    };
    Ok(atom(name))
}

/// Largest flat map.
const FLAT_MAP_LIMIT: u64 = 32;

fn nanoseconds(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::small(SECOND))
}

bifs! { TABLE, "erts_debug";
    "flat_size"/1 [] => flat_size,
    "same"/2 [] => same,
    "size_shared"/1 [] => size_shared,
    "copy_shared"/1 [] => copy_shared,
    "copy_shared"/2 [] => copy_shared,
    "set_internal_state"/2 [] => set_internal_state,
    "get_internal_state"/1 [] => get_internal_state,
    "lcnt_clear"/0 [] => lcnt,
    "lcnt_collect"/0 [] => lcnt_collect,
    "lcnt_control"/1 [] => lcnt,
    "lcnt_control"/2 [] => lcnt,
    "interpreter_size"/0 [] => interpreter_size,
    "instructions"/0 [] => instructions,
}

bifs! { INTERNAL, "erts_internal";
    "cmp_term"/2 [PURE] => cmp_term,
    "term_type"/1 [] => term_type,
    "time_unit"/0 [PURE] => nanoseconds,
    "perf_counter_unit"/0 [PURE] => nanoseconds,
}
