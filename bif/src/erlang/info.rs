//! Facts about the machine: `system_info`, `statistics`, `memory`.

use super::time::{SECOND, clock, elapsed, system_ns, uptime_ns};
use crate::util::{atom, pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::{Process, TURN};
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, map, sched, table};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// The OTP release whose libraries the machine runs, as its `OTP_VERSION` says: "25", "27", "29".
static RELEASE: OnceLock<(String, String)> = OnceLock::new();

/// Sets the OTP release and the version of erts that programs see; once, at start.
pub fn set_release(otp: &str, erts: &str) {
    if let Ok(n) = otp.parse() {
        chime_vm::release::set(n);
    }
    let _ = RELEASE.set((otp.to_owned(), erts.to_owned()));
}

fn release() -> (&'static str, &'static str) {
    RELEASE.get().map_or(("25", "13.1.5"), |(o, e)| (o, e))
}

/// Bytes read from and written to files and sockets.
pub static INPUT: AtomicU64 = AtomicU64::new(0);
pub static OUTPUT: AtomicU64 = AtomicU64::new(0);

/// `system_flag(scheduler_wall_time, true)`.
pub static WALL_TIME_ON: AtomicBool = AtomicBool::new(false);

const BLOCKING_THREADS: usize = 10;

fn int(n: usize) -> Term {
    Term::small(n as i64)
}

fn logical_processors() -> usize {
    // SAFETY: a plain question.
    let n = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    usize::try_from(n).unwrap_or(1).max(1)
}

/// `[{Key, Value}]` with atoms for keys.
fn pairs(p: &mut Process, entries: &[(&str, Term)]) -> Term {
    let v: Vec<Term> = entries.iter().map(|&(k, v)| pair(p, atom(k), v)).collect();
    p.list(&v)
}

fn clock_info(p: &mut Process, id: &str, time: i64, monotonic: bool) -> Term {
    let time = p.int(time);
    let mut v = vec![
        ("function", atom("clock_gettime")),
        ("clock_id", atom(id)),
        ("resolution", Term::small(SECOND)),
    ];
    if monotonic {
        v.push(("extended", atoms::NO));
    }
    v.extend([("parallel", atoms::YES), ("time", time)]);
    pairs(p, &v)
}

/// The kernel's version: `{Major, Minor, Release}`.
fn os_version(p: &mut Process) -> Term {
    // SAFETY: plain bytes that the call fills, with a zero at the end.
    let release = unsafe {
        let mut name: libc::utsname = std::mem::zeroed();
        libc::uname(&mut name);
        std::ffi::CStr::from_ptr(name.release.as_ptr()).to_string_lossy().into_owned()
    };
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).map(|n| Term::small(n.parse().unwrap_or(0)));
    let mut next = || numbers.next().unwrap_or(Term::small(0));
    p.tuple(&[next(), next(), next()])
}

fn system_version(p: &mut Process) -> Term {
    let (otp, erts) = release();
    let n = sched::count();
    let s = format!(
        "Erlang/OTP {otp} [erts-{erts}] [chime] [64-bit] [smp:{n}:{n}] [ds:{n}:{n}:{BLOCKING_THREADS}] [async-threads:1]\n"
    );
    p.string(&s)
}

fn max_heap_size(p: &mut Process) -> Term {
    let mut v = [
        ("error_logger", atoms::TRUE),
        ("include_shared_binaries", atoms::FALSE),
        ("kill", atoms::TRUE),
        ("size", int(0)),
    ]
    .map(|(k, v)| (atom(k), v));
    map::from_pairs(p, &mut v).unwrap_or(Term::NIL)
}

/// A fact that an atom names.
fn fact(p: &mut Process, name: &str) -> Option<Term> {
    let (otp, erts) = release();
    Some(match name {
        "otp_release" => p.string(otp),
        "version" => p.string(erts),
        "system_version" => system_version(p),
        "system_architecture" => p.string(if cfg!(target_arch = "aarch64") {
            "aarch64-unknown-linux-gnu"
        } else {
            "x86_64-pc-linux-gnu"
        }),
        "machine" => p.string("BEAM"),
        "emu_flavor" => atom("jit"),
        "emu_type" | "build_type" => atom("opt"),
        "wordsize" => int(8),
        "endian" => atom(if cfg!(target_endian = "little") { "little" } else { "big" }),
        "compat_rel" => int(otp.parse().unwrap_or(25)),
        "creation" => int(0),
        "debug_compiled"
        | "port_parallelism"
        | "dynamic_trace_probes"
        | "lock_checking"
        | "lock_counting" => atoms::FALSE,
        "dynamic_trace" => atoms::NONE,
        "threads" | "smp_support" | "kernel_poll" | "eager_check_io" | "time_correction" => atoms::TRUE,
        "cpu_quota" => atom("unknown"),
        "emu_args" => {
            let all: Vec<Term> = std::env::args_os().map(|a| p.string(&a.to_string_lossy())).collect();
            p.list(&all)
        }
        "thread_pool_size" => int(1),
        "heap_type" => atom("private"),
        "driver_version" => p.string("3.3"),
        "nif_version" => p.string("2.16"),
        "c_compiler_used" => {
            let rust = atom("rustc");
            p.tuple(&[rust, atoms::UNDEFINED])
        }
        "schedulers" | "schedulers_online" | "dirty_cpu_schedulers" | "dirty_cpu_schedulers_online" => {
            int(sched::count())
        }
        "dirty_io_schedulers" => int(BLOCKING_THREADS),
        "scheduler_id" => int(sched::current().map_or(1, |i| i + 1)),
        "scheduler_bind_type" => atom("unbound"),
        "scheduler_bindings" => {
            let v = vec![atom("unbound"); sched::count()];
            p.tuple(&v)
        }
        "multi_scheduling" => {
            if sched::count() > 1 {
                atom("enabled")
            } else {
                atom("disabled")
            }
        }
        "multi_scheduling_blockers" | "normal_multi_scheduling_blockers" | "taints" => Term::NIL,
        "logical_processors" => int(logical_processors()),
        "logical_processors_available" | "logical_processors_online" => int(sched::affinity()),
        "cpu_topology" => {
            let cores: Vec<Term> = (0..logical_processors())
                .map(|i| {
                    let logical = pair(p, atom("logical"), int(i));
                    pair(p, atom("core"), logical)
                })
                .collect();
            let cores = p.list(&cores);
            let processor = pair(p, atom("processor"), cores);
            p.list(&[processor])
        }
        "update_cpu_info" => atom("unchanged"),
        "process_count" => int(table::count()),
        "process_limit" => int(table::limit()),
        "port_count" => int(0),
        "port_limit" => int(65_536),
        "atom_count" => int(atoms::count() as usize),
        "atom_limit" => int(atoms::LIMIT as usize),
        "ets_count" => int(chime_vm::ets::count()),
        "ets_limit" => int(8192),
        "dist_buf_busy_limit" => int(1 << 20),
        "delayed_node_table_gc" => int(60),
        "outstanding_system_requests_limit" => int(4),
        "message_queue_data" => atoms::ON_HEAP,
        "async_dist" if otp >= "26" => atoms::FALSE,
        "min_heap_size" | "min_bin_vheap_size" | "fullsweep_after" => {
            let v = gc_default(name);
            pair(p, atom(name), v)
        }
        "max_heap_size" => max_heap_size(p),
        "garbage_collection" => {
            let v = ["min_bin_vheap_size", "min_heap_size", "fullsweep_after"].map(|k| (k, gc_default(k)));
            pairs(p, &[&[("max_heap_size", int(0))], &v[..]].concat())
        }
        "os_type" => pair(p, atom("unix"), atom(std::env::consts::OS)),
        "os_version" => os_version(p),
        "start_time" => p.int(super::time::START),
        "end_time" => p.int(8_646_911_283_000_000_000),
        "time_offset" => atom("final"),
        "time_warp_mode" => atoms::NO_TIME_WARP,
        "tolerant_timeofday" => atom("enabled"),
        "os_monotonic_time_source" => clock_info(p, "CLOCK_MONOTONIC", clock(libc::CLOCK_MONOTONIC), true),
        "os_system_time_source" => clock_info(p, "CLOCK_REALTIME", clock(libc::CLOCK_REALTIME), false),
        "modified_timing_level" => atoms::UNDEFINED,
        "trace_control_word" => int(0),
        "sequential_tracer" => pair(p, atom("sequential_tracer"), atoms::FALSE),
        "alloc_util_allocators" | "allocator_sizes" | "check_io" => Term::NIL,
        "allocator" => {
            let v = [atom("chime"), Term::NIL, Term::NIL, Term::NIL];
            p.tuple(&v)
        }
        "dist_ctrl" => Term::NIL,
        "info" | "loaded" | "procs" | "dist" => p.binary(b""),
        _ => return None,
    })
}

fn gc_default(name: &str) -> Term {
    match name {
        "min_heap_size" => int(233),
        "min_bin_vheap_size" => int(46_422),
        _ => int(65_535),
    }
}

fn system_info(p: &mut Process, a: &[Term]) -> BifResult {
    let found = match a[0].tuple() {
        Some([key, what]) => match (text(*key), text(*what)) {
            ("wordsize", "internal" | "external") => Some(int(8)),
            ("allocator" | "allocator_sizes", _) => Some(atoms::FALSE),
            ("cpu_topology", "detected") => fact(p, "cpu_topology"),
            ("cpu_topology", "defined" | "used") => Some(atoms::UNDEFINED),
            ("memory_internal", _) => None,
            _ => None,
        },
        _ => fact(p, text(a[0])),
    };
    found.ok_or_else(|| p.badarg())
}

// ---- statistics

fn statistics(p: &mut Process, a: &[Term]) -> BifResult {
    static RUNTIME: AtomicI64 = AtomicI64::new(0);
    static WALL: AtomicI64 = AtomicI64::new(0);
    static REDUCTIONS: AtomicI64 = AtomicI64::new(0);
    let list = |p: &mut Process, v: Vec<usize>, extra: usize| {
        let v: Vec<Term> = v.into_iter().chain(std::iter::repeat_n(0, extra)).map(int).collect();
        p.list(&v)
    };
    Ok(match text(a[0]) {
        "runtime" => elapsed(p, clock(libc::CLOCK_PROCESS_CPUTIME_ID) / 1_000_000, &RUNTIME),
        "wall_clock" => elapsed(p, uptime_ns() / 1_000_000, &WALL),
        "reductions" | "exact_reductions" => {
            let own = (TURN - p.fcalls).max(0);
            elapsed(p, sched::reductions() as i64 + own, &REDUCTIONS)
        }
        "context_switches" => {
            let n = p.uint(sched::turns());
            p.tuple(&[n, int(0)])
        }
        "garbage_collection" => p.tuple(&[int(0), int(0), int(0)]),
        "io" => {
            let (i, o) = (p.uint(INPUT.load(Ordering::Relaxed)), p.uint(OUTPUT.load(Ordering::Relaxed)));
            let (i, o) = (pair(p, atoms::INPUT, i), pair(p, atoms::OUTPUT, o));
            p.tuple(&[i, o])
        }
        "run_queue" | "total_run_queue_lengths" | "total_run_queue_lengths_all" => {
            int(sched::queue_lengths().iter().sum())
        }
        "run_queue_lengths" => list(p, sched::queue_lengths(), 1),
        "run_queue_lengths_all" => list(p, sched::queue_lengths(), 2),
        "total_active_tasks" | "total_active_tasks_all" => int(sched::active().iter().sum()),
        "active_tasks" => list(p, sched::active(), 1),
        "active_tasks_all" => list(p, sched::active(), 2),
        "scheduler_wall_time" | "scheduler_wall_time_all" => {
            if !WALL_TIME_ON.load(Ordering::Relaxed) {
                return Ok(atoms::UNDEFINED);
            }
            let v: Vec<Term> = sched::wall_times()
                .into_iter()
                .enumerate()
                .map(|(i, (busy, all))| {
                    let (busy, all) = (p.uint(busy), p.uint(all));
                    p.tuple(&[int(i + 1), busy, all])
                })
                .collect();
            p.list(&v)
        }
        "microstate_accounting" => atoms::UNDEFINED,
        _ => return Err(p.badarg()),
    })
}

// ---- memory

/// Resident bytes of the whole machine.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    pages * 4096
}

/// Bytes of each kind. What the other kinds do not account for belongs to processes.
fn memory_of(kind: &str) -> Option<usize> {
    let total = resident();
    let atom = atoms::count() as usize * 32;
    Some(match kind {
        "total" => total,
        "processes" | "processes_used" => total - (atom + chime_vm::ets::bytes()).min(total),
        "system" => (atom + chime_vm::ets::bytes()).min(total),
        "atom" | "atom_used" => atom,
        "ets" => chime_vm::ets::bytes(),
        "binary" | "code" => 0,
        _ => return None,
    })
}

const KINDS: [&str; 9] =
    ["total", "processes", "processes_used", "system", "atom", "atom_used", "binary", "code", "ets"];

fn memory_0(p: &mut Process, _: &[Term]) -> BifResult {
    let v: Vec<(&str, Term)> = KINDS.iter().filter_map(|&k| Some((k, int(memory_of(k)?)))).collect();
    Ok(pairs(p, &v))
}

fn memory_1(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_atom() {
        return memory_of(text(a[0])).map(int).ok_or_else(|| p.badarg());
    }
    let Some(kinds) = a[0].to_vec() else { return Err(p.badarg()) };
    let mut v = Vec::new();
    for k in kinds {
        match memory_of(text(k)) {
            Some(n) => v.push(pair(p, k, int(n))),
            None => return Err(p.badarg()),
        }
    }
    Ok(p.list(&v))
}

/// Milliseconds since 1970 at which the machine started.
pub fn started_at() -> i64 {
    (system_ns() - uptime_ns()) / 1_000_000
}

bifs! { TABLE, "erlang";
    "system_info"/1 [] => system_info,
    "statistics"/1 [] => statistics,
    "memory"/0 [] => memory_0,
    "memory"/1 [] => memory_1,
}
