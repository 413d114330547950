//! `system_flag`: defaults for processes to come, and switches of the machine.

use super::flags::{heap_size, max_heap, max_heap_map, shown_heap};
use crate::erlang::info::WALL_TIME_ON;
use crate::util::{as_u64, atom, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::process::Process;
use chime_vm::sched;
use chime_vm::spawn::{DEFAULT_FULLSWEEP, DEFAULT_MAX_HEAP, DEFAULT_MAX_HEAP_FLAGS, DEFAULT_MIN_HEAP};
use chime_vm::term::Term;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;

fn scheduler_wall_time_1(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_boolean() {
        return Err(p.badarg());
    }
    Ok(Term::bool(WALL_TIME_ON.swap(a[0] == atoms::TRUE, Ordering::Relaxed)))
}

static LOGGER: Mutex<Term> = Mutex::new(atoms::LOGGER);

/// Who gets the machine's own log messages: a pid, or the registered `logger`.
pub fn system_logger() -> Term {
    *LOGGER.lock()
}

fn default_max_heap(p: &mut Process) -> Term {
    let size = DEFAULT_MAX_HEAP.load(Ordering::Relaxed);
    max_heap_map(p, size, DEFAULT_MAX_HEAP_FLAGS.load(Ordering::Relaxed))
}

fn system_flag_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (name, value) = (text(a[0]), a[1]);
    let number = as_u64(value);
    Ok(match name {
        "fullsweep_after" => {
            let Some(n) = number else { return Err(p.badarg()) };
            Term::small(i64::from(DEFAULT_FULLSWEEP.swap(n.min(65_535) as u32, Ordering::Relaxed)))
        }
        "min_heap_size" => {
            let Some(n) = number else { return Err(p.badarg()) };
            shown_heap(DEFAULT_MIN_HEAP.swap(heap_size(n), Ordering::Relaxed))
        }
        "min_bin_vheap_size" if number.is_some() => Term::small(46_422),
        "max_heap_size" => {
            let flags = DEFAULT_MAX_HEAP_FLAGS.load(Ordering::Relaxed);
            let Some((size, bits)) = max_heap(value, 0, flags) else { return Err(p.badarg()) };
            let old = default_max_heap(p);
            DEFAULT_MAX_HEAP.store(size, Ordering::Relaxed);
            DEFAULT_MAX_HEAP_FLAGS.store(bits, Ordering::Relaxed);
            old
        }
        "backtrace_depth" => match number {
            Some(n) => Term::small(super::system::set_backtrace_depth(n)),
            None => return Err(p.badarg()),
        },
        // All schedulers stay online: an idle one sleeps anyway.
        "schedulers_online" | "dirty_cpu_schedulers_online" => match number {
            Some(n) if n >= 1 && n as usize <= sched::count() => Term::small(sched::count() as i64),
            _ => return Err(p.badarg()),
        },
        "trace_control_word" if number.is_some() => Term::small(0),
        "outstanding_system_requests_limit" if number.is_some() => Term::small(4),
        "multi_scheduling"
            if matches!(text(value), "block" | "unblock" | "block_normal" | "unblock_normal") =>
        {
            atom("enabled")
        }
        "scheduler_wall_time" if value.is_boolean() => {
            Term::bool(WALL_TIME_ON.swap(value == atoms::TRUE, Ordering::Relaxed))
        }
        "time_offset" if text(value) == "finalize" => atom("final"),
        "system_logger" => {
            if !value.is_local_pid() && !matches!(text(value), "logger" | "undefined") {
                return Err(p.badarg());
            }
            std::mem::replace(&mut *LOGGER.lock(), value)
        }
        "microstate_accounting" if value.is_boolean() || text(value) == "reset" => atoms::FALSE,
        "fullsweep"
        | "min_bin_vheap_size"
        | "trace_control_word"
        | "multi_scheduling"
        | "scheduler_wall_time"
        | "time_offset"
        | "microstate_accounting"
        | "outstanding_system_requests_limit" => {
            return Err(p.badarg());
        }
        _ => return Err(p.badarg_cause(atom("badopt"))),
    })
}

bifs! { TABLE, "erlang";
    "system_flag"/2 [] => system_flag_2,
}
bifs! { INTERNAL, "erts_internal";
    "scheduler_wall_time"/1 [] => scheduler_wall_time_1,
}
