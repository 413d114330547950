//! Logging while no system is booted: events take OTP's own way up to the back end, which is here.
//!
//! The primary level is `notice`; the one handler is the default one: it takes events without a domain and those of
//! `[otp, sasl]` and above, has `logger_formatter` format them in the process that logs, and puts the text behind what
//! that process has written. What the machine itself reports goes through a process that does the same.

use crate::stdio::chars::{Encoding, encode_all};
use crate::stdio::device::STDIO;
use crate::util::{atom, pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::print as show;
use chime_vm::process::Process;
use chime_vm::signal::{self, Parcel};
use chime_vm::spawn::{SpawnOpts, spawn};
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, copy, exports, gc, map, modules, registry};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The process that formats the machine's own reports.
static SERVER: AtomicU64 = AtomicU64::new(0);
/// Reports on their way.
static WAITING: Mutex<usize> = Mutex::new(0);
static SETTLED: Condvar = Condvar::new();

/// Starts the process that formats the machine's own reports.
pub fn start(user: Term) -> Option<()> {
    let opts = SpawnOpts { group_leader: Some(user), ..SpawnOpts::default() };
    let pid = spawn(None, &opts, exports::get(atom("chime_logger"), atom("server"), 0), &[])?;
    SERVER.store(pid.0, Ordering::Relaxed);
    registry::register(atoms::LOGGER, pid).ok()
}

/// Waits until the reports made so far are written, for a short while.
pub fn settle() {
    let mut waiting = WAITING.lock();
    SETTLED.wait_while_for(&mut waiting, |n| *n > 0, Duration::from_secs(2));
}

fn settled() {
    let mut waiting = WAITING.lock();
    *waiting = waiting.saturating_sub(1);
    if *waiting == 0 {
        SETTLED.notify_all();
    }
}

// ---- levels

fn level(t: Term) -> Option<u8> {
    Some(match text(t) {
        "none" => 0,
        "emergency" => 0,
        "alert" => 1,
        "critical" => 2,
        "error" => 3,
        "warning" => 4,
        "notice" => 5,
        "info" => 6,
        "debug" => 7,
        _ => return None,
    })
}

fn allow(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(Term::bool(level(a[0]).is_some_and(|l| l <= 5)))
}

/// `logger_config:get(Table, What)`: the primary configuration.
fn config(p: &mut Process, a: &[Term]) -> BifResult {
    if text(a[1]) != "primary" {
        let reason = pair(p, atom("not_found"), a[1]);
        return Ok(pair(p, atoms::ERROR, reason));
    }
    let handlers = p.list(&[atom("default")]);
    let empty = map::empty(p);
    let config = map::from_list(
        p,
        vec![
            (atom("level"), atom("notice")),
            (atom("filters"), Term::NIL),
            (atom("filter_default"), atom("log")),
            (atom("handlers"), handlers),
            (atom("metadata"), empty),
        ],
    );
    Ok(pair(p, atoms::OK, config))
}

fn table(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::LOGGER)
}

// ---- the back end

/// Whether the default handler takes events of this domain.
fn accepts(event: Term) -> bool {
    let meta = map::get(event, atom("meta")).unwrap_or(Term::NIL);
    let Some(domain) = meta.is_map().then(|| map::get(meta, atom("domain"))).flatten() else { return true };
    let own = ["otp", "sasl"];
    match domain.to_vec() {
        Some(d) => d.len() <= own.len() && d.iter().zip(own).all(|(&t, name)| text(t) == name),
        None => false,
    }
}

/// `log_allowed(Event, …)`
fn log_allowed(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_map() || !accepts(a[0]) {
        return Ok(atoms::OK);
    }
    format(p, a[0], log_formatted)
}

fn format(p: &mut Process, event: Term, then: chime_vm::bif::BifFn) -> BifResult {
    let config = map::from_list(
        p,
        vec![
            (atom("legacy_header"), atoms::TRUE),
            (atom("single_line"), atoms::FALSE),
            (atom("max_size"), atom("unlimited")),
            (atom("chars_limit"), atom("unlimited")),
            (atom("depth"), atom("unlimited")),
            (atom("time_offset"), Term::NIL),
        ],
    );
    let format = exports::get(atom("logger_formatter"), atom("format"), 2);
    Err(p.call_then(format, &[event, config], then, event))
}

fn log_formatted(_: &mut Process, a: &[Term]) -> BifResult {
    write(a[0], a[1], a[2]);
    Ok(atoms::OK)
}

/// Writes what the formatter made, or what it choked on.
fn write(outcome: Term, formatted: Term, event: Term) {
    let e = Encoding { from_latin1: false, to_unicode: STDIO.is_unicode() };
    let bytes = if outcome == atoms::OK { encode_all(formatted, e).ok() } else { None };
    let bytes = bytes.unwrap_or_else(|| {
        let (event, formatted) = (show::to_string(event), show::to_string(formatted));
        format!("FORMATTER CRASH: {event} {formatted}\n").into_bytes()
    });
    STDIO.put(&bytes);
}

// ---- what the machine reports

/// An error that a plain process did not catch.
pub fn report_crash(p: &mut Process, reason: Term) {
    let (pid, leader) = (p.pid, p.group_leader);
    let report = Parcel::build(|b| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as i64);
        let time = b.int(now);
        let mut emulator = [(atom("emulator"), atoms::TRUE), (atom("tag"), atoms::ERROR)];
        let emulator = map::from_pairs(b, &mut emulator).unwrap_or(Term::NIL);
        let meta = map::from_list(
            b,
            vec![
                (atom("pid"), pid),
                (atom("gl"), leader),
                (atom("time"), time),
                (atom("error_logger"), emulator),
            ],
        );
        let text = b.string("Error in process ~p with exit value:~n~p~n");
        let reason = copy::copy(b, reason);
        let args = b.list(&[pid, reason]);
        let message = b.tuple(&[text, args]);
        map::from_list(b, vec![(atom("level"), atoms::ERROR), (atom("msg"), message), (atom("meta"), meta)])
    });
    *WAITING.lock() += 1;
    let (term, frag) = report.into_raw();
    signal::send_fragment(Term(SERVER.load(Ordering::Relaxed)), term, frag);
}

/// Formats one report after the other.
fn server(p: &mut Process, a: &[Term]) -> BifResult {
    if p.fetch_signals() {
        return Err(p.die(atoms::KILLED));
    }
    if p.heap.frag_words > 2048 && !gc::ensure(p, &mut [], 0) {
        return Err(p.die(atoms::KILLED));
    }
    let Some(event) = p.mailbox.current().map(|m| m.term) else { return Err(p.wait(server, a)) };
    p.take_message();
    if !event.is_map() {
        return Err(p.trap(server, a));
    }
    if !matches!(modules::ensure(atom("logger_formatter")), Ok(Some(_))) {
        plain(event);
        settled();
        return Err(p.trap(server, a));
    }
    format(p, event, reported)
}

fn reported(p: &mut Process, a: &[Term]) -> BifResult {
    write(a[0], a[1], a[2]);
    settled();
    Err(p.trap(server, &[]))
}

/// A report without OTP's library.
fn plain(event: Term) {
    let args = map::get(event, atom("msg")).and_then(|m| m.tuple_of(2)).and_then(|m| m[1].to_vec());
    if let Some(&[pid, reason]) = args.as_deref() {
        let (pid, reason) = (show::to_string(pid), show::to_string(reason));
        STDIO.put(format!("Error in process {pid} with exit value:\n{reason}\n\n").as_bytes());
    }
}

bifs! { SERVERS, "chime_logger"; "server"/0 [] => server }
bifs! { CONFIG, "logger_config";
    "allow"/1 [] => allow,
    "allow"/2 [] => allow,
    "get"/2 [] => config,
}
/// No application is loaded, so none has a configuration.
fn no_environment(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::UNDEFINED)
}

fn default(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(a[2])
}

bifs! { ENVIRONMENT, "application_controller";
    "get_env"/2 [] => no_environment,
    "get_env"/3 [] => default,
}
bifs! { LOGGER, "logger"; "tid"/0 [] => table }
bifs! { BACKEND, "logger_backend";
    "log_allowed"/2 [] => log_allowed,
    "log_allowed"/3 [] => log_allowed,
}
