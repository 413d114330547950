//! `os`: the environment, the process id, clocks.
//!
//! The environment is read once and kept here: other threads may read it while a process changes it, which
//! the C library's does not allow. Programs that Chime starts are given this one ([`environment`]).

use crate::erlang::time;
use crate::util::{pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

type Env = BTreeMap<Vec<u8>, Vec<u8>>;

static ENV: LazyLock<RwLock<Env>> =
    LazyLock::new(|| RwLock::new(std::env::vars_os().map(|(k, v)| (k.into_vec(), v.into_vec())).collect()));

/// A copy of the environment as the programs of this machine see it.
pub fn environment() -> Vec<(Vec<u8>, Vec<u8>)> {
    ENV.read().iter().map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// The value of one variable.
pub fn variable(name: &[u8]) -> Option<Vec<u8>> {
    ENV.read().get(name).cloned()
}

/// Native bytes of a list of code points; no zero byte.
fn native(t: Term) -> Option<Vec<u8>> {
    let mut s = String::new();
    let mut it = t.iter();
    for t in it.by_ref() {
        s.push(t.as_index().filter(|&c| c != 0).and_then(|c| char::from_u32(u32::try_from(c).ok()?))?);
    }
    it.rest.is_nil().then(|| s.into_bytes())
}

/// The name of a variable: no `=`, except at its start.
fn name(t: Term) -> Option<Vec<u8>> {
    native(t).filter(|n| !n.iter().skip(1).any(|&b| b == b'=') && n.first() != Some(&b'='))
}

/// Bytes as code points: UTF-8, else as Latin-1.
fn list(p: &mut Process, bytes: &[u8]) -> Term {
    match std::str::from_utf8(bytes) {
        Ok(s) => p.string(s),
        Err(_) => p.byte_list(bytes, Term::NIL),
    }
}

fn getenv(p: &mut Process, a: &[Term]) -> BifResult {
    match name(a[0]) {
        Some(n) => Ok(variable(&n).map_or(atoms::FALSE, |v| list(p, &v))),
        None => Err(p.badarg()),
    }
}

fn putenv(p: &mut Process, a: &[Term]) -> BifResult {
    match name(a[0]).zip(native(a[1])) {
        Some((n, v)) => {
            ENV.write().insert(n, v);
            Ok(atoms::TRUE)
        }
        None => Err(p.badarg()),
    }
}

fn unsetenv(p: &mut Process, a: &[Term]) -> BifResult {
    match name(a[0]) {
        Some(n) => {
            ENV.write().remove(&n);
            Ok(atoms::TRUE)
        }
        None => Err(p.badarg()),
    }
}

fn env(p: &mut Process, _: &[Term]) -> BifResult {
    let all: Vec<Term> = environment()
        .iter()
        .map(|(k, v)| {
            let (k, v) = (list(p, k), list(p, v));
            pair(p, k, v)
        })
        .collect();
    Ok(p.list(&all))
}

fn getpid(p: &mut Process, _: &[Term]) -> BifResult {
    let text = std::process::id().to_string();
    Ok(p.string(&text))
}

/// Signals that programs may take care of.
const SIGNALS: [(&str, i32); 11] = [
    ("sighup", libc::SIGHUP),
    ("sigquit", libc::SIGQUIT),
    ("sigabrt", libc::SIGABRT),
    ("sigalrm", libc::SIGALRM),
    ("sigterm", libc::SIGTERM),
    ("sigusr1", libc::SIGUSR1),
    ("sigusr2", libc::SIGUSR2),
    ("sigchld", libc::SIGCHLD),
    ("sigstop", libc::SIGSTOP),
    ("sigtstp", libc::SIGTSTP),
    ("sigcont", libc::SIGCONT),
];

/// Signals that are wanted as messages, a bit each: for whoever receives signals.
pub static HANDLED: AtomicU64 = AtomicU64::new(0);

/// `handle` only notes the wish in [`HANDLED`]: until something receives signals, the system's default stays.
fn set_signal(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(&(_, signal)) = SIGNALS.iter().find(|s| s.0 == text(a[0])) else { return Err(p.badarg()) };
    let action = match text(a[1]) {
        "handle" => {
            HANDLED.fetch_or(1 << signal, Ordering::Relaxed);
            return Ok(atoms::OK);
        }
        "ignore" => libc::SIG_IGN,
        "default" => libc::SIG_DFL,
        _ => return Err(p.badarg_cause(crate::util::atom("badopt"))),
    };
    HANDLED.fetch_and(!(1 << signal), Ordering::Relaxed);
    // SAFETY: neither action runs code of ours.
    unsafe { libc::signal(signal, action) };
    Ok(atoms::OK)
}

bifs! { TABLE, "os";
    "getenv"/1 [] => getenv,
    "putenv"/2 [] => putenv,
    "unsetenv"/1 [] => unsetenv,
    "env"/0 [] => env,
    "getpid"/0 [] => getpid,
    "set_signal"/2 [] => set_signal,
    "perf_counter"/0 [] => time::perf_counter,
    "system_time"/0 [] => time::os_system_time_0,
    "system_time"/1 [] => time::os_system_time_1,
    "timestamp"/0 [] => time::os_timestamp,
}
