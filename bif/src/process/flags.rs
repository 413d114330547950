//! `process_flag`.

use super::{map_of, small_map};
use crate::util::{as_u64, atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::{Process, flag};
use chime_vm::signal;
use chime_vm::spawn::{FRESH_HEAP, MAX_HEAP_FLAGS};
use chime_vm::term::Term;
use std::sync::atomic::Ordering;

/// What OTP shows for the smallest heap, in words; a fresh block here is smaller.
const LEAST_SHOWN: u32 = 233;

/// A priority by name.
pub(super) fn priority(t: Term) -> Option<u8> {
    Some(match text(t) {
        "max" => 0,
        "high" => 1,
        "normal" => 2,
        "low" => 3,
        _ => return None,
    })
}
pub(super) fn priority_name(n: u8) -> Term {
    match n {
        0 => atoms::MAX,
        1 => atoms::HIGH,
        3 => atoms::LOW,
        _ => atoms::NORMAL,
    }
}

/// The heap size that OTP would choose for at least `words`: sizes grow as Fibonacci's numbers, later by a fifth.
pub(super) fn heap_size(words: u64) -> u32 {
    if words <= u64::from(LEAST_SHOWN) {
        return FRESH_HEAP;
    }
    let (mut a, mut b) = (142u64, u64::from(LEAST_SHOWN));
    while b < words && b < u64::from(u32::MAX) / 2 {
        (a, b) = (b, if b < 1_000_000 { a + b + 1 } else { b + b / 5 });
    }
    b.min(u64::from(u32::MAX)) as u32
}
/// A least heap size as programs see it.
pub(super) fn shown_heap(words: u32) -> Term {
    Term::small(i64::from(if words <= FRESH_HEAP { LEAST_SHOWN } else { words }))
}

/// The limit of binaries, in bytes, for a size in words.
pub(super) fn vheap_bytes(words: u64) -> usize {
    words.clamp(46_422, 1 << 50) as usize * 8
}

/// `max_heap_size`: words, or a map. The size and the flags, given those so far.
pub(super) fn max_heap(t: Term, _size: u64, flags: u32) -> Option<(u64, u32)> {
    let size = |t: Term| {
        let n = as_u64(t)?;
        (n == 0 || n >= u64::from(LEAST_SHOWN)).then_some(n)
    };
    if !t.is_map() {
        return Some((size(t)?, flags & MAX_HEAP_FLAGS));
    }
    let (mut n, mut bits) = (None, flags & MAX_HEAP_FLAGS);
    for (key, value) in small_map(t)? {
        let bit = match text(key) {
            "size" => {
                n = Some(size(value)?);
                continue;
            }
            "kill" => flag::KILL_ON_MAX_HEAP,
            "error_logger" => flag::LOG_MAX_HEAP,
            "include_shared_binaries" => flag::MAX_HEAP_SHARED_BIN,
            _ => continue,
        };
        if !value.is_boolean() {
            return None;
        }
        bits = bits & !bit | if value == atoms::TRUE { bit } else { 0 };
    }
    Some((n?, bits))
}

/// The map that shows a greatest heap size.
pub(super) fn max_heap_map<A: Alloc + ?Sized>(a: &mut A, size: u64, flags: u32) -> Term {
    let size = a.uint(size);
    let mut items = vec![
        (atoms::ERROR_LOGGER, Term::bool(flags & flag::LOG_MAX_HEAP != 0)),
        (atoms::KILL, Term::bool(flags & flag::KILL_ON_MAX_HEAP != 0)),
        (atoms::SIZE, size),
    ];
    if chime_vm::release::since(27) {
        items.push((crate::util::atom("include_shared_binaries"), atoms::FALSE));
    }
    map_of(a, &items)
}

fn boolean(p: &mut Process, bit: u32, value: Term) -> BifResult {
    if !value.is_boolean() {
        return Err(p.badarg());
    }
    let old = p.has(bit);
    p.set(bit, value == atoms::TRUE);
    Ok(Term::bool(old))
}

fn process_flag_2(p: &mut Process, a: &[Term]) -> BifResult {
    let value = a[1];
    let number = as_u64(value);
    match text(a[0]) {
        "trap_exit" => boolean(p, flag::TRAP_EXIT, value),
        "sensitive" => boolean(p, flag::SENSITIVE, value),
        "error_handler" => {
            if !value.is_atom() {
                return Err(p.badarg());
            }
            let old = std::mem::replace(&mut p.rare().error_handler.0, value);
            Ok(if old.is_none() { atoms::ERROR_HANDLER } else { old })
        }
        "priority" => {
            let Some(new) = priority(value) else { return Err(p.badarg()) };
            let old = std::mem::replace(&mut p.priority, new);
            p.record().priority.store(new, Ordering::Relaxed);
            Ok(priority_name(old))
        }
        "fullsweep_after" => {
            let Some(n) = number else { return Err(p.badarg()) };
            let old = std::mem::replace(&mut p.fullsweep_after, n.min(65_535) as u32);
            Ok(Term::small(i64::from(old)))
        }
        "min_heap_size" => {
            let Some(n) = number else { return Err(p.badarg()) };
            let old = std::mem::replace(&mut p.min_heap, heap_size(n));
            Ok(shown_heap(old))
        }
        "min_bin_vheap_size" => {
            let Some(n) = number else { return Err(p.badarg()) };
            let old = std::mem::replace(&mut p.vheap_limit, vheap_bytes(n));
            Ok(Term::small(old as i64 / 8))
        }
        "max_heap_size" => {
            let Some((size, bits)) = max_heap(value, p.max_heap, p.flags) else { return Err(p.badarg()) };
            let (old, flags) = (p.max_heap, p.flags);
            p.max_heap = size;
            p.flags = p.flags & !MAX_HEAP_FLAGS | bits;
            Ok(max_heap_map(p, old, flags))
        }
        "message_queue_data" => {
            let off = match text(value) {
                "on_heap" => false,
                "off_heap" => true,
                _ => return Err(p.badarg()),
            };
            let old = p.has(flag::OFF_HEAP_MSGS);
            p.set(flag::OFF_HEAP_MSGS, off);
            Ok(if old { atoms::OFF_HEAP } else { atoms::ON_HEAP })
        }
        // Calls are not recorded.
        "save_calls" => match number {
            Some(n) if n <= 10_000 => Ok(Term::small(0)),
            _ => Err(p.badarg()),
        },
        "scheduler" => match number {
            Some(n) if n as usize <= chime_vm::sched::count() => Ok(Term::small(0)),
            _ => Err(p.badarg()),
        },
        "monitor_nodes" => match value.is_boolean() {
            true => Ok(atoms::FALSE),
            false => Err(p.badarg()),
        },
        _ => match a[0].tuple_of(2) {
            Some(&[key, options])
                if text(key) == "monitor_nodes" && options.is_list() && value.is_boolean() =>
            {
                Ok(atoms::FALSE)
            }
            _ => Err(p.badarg_cause(atom("badopt"))),
        },
    }
}

/// For another process: only `save_calls`, as OTP has it.
fn process_flag_3(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_local_pid() || text(a[1]) != "save_calls" || !as_u64(a[2]).is_some_and(|n| n <= 10_000) {
        return Ok(atoms::BADARG);
    }
    signal::call_process(
        p,
        a[0],
        |_| (),
        |_, alive| Ok(if alive.is_some() { Term::small(0) } else { atom("badtype") }),
    )
}

bifs! { TABLE, "erlang";
    "process_flag"/2 [] => process_flag_2,
}
bifs! { INTERNAL, "erts_internal";
    "process_flag"/3 [] => process_flag_3,
}
