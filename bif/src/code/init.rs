//! Module `init` without a boot: what a program may ask of it.

use crate::util::{atom, pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, modules, sched};
use parking_lot::Mutex;

/// The program's arguments.
static PLAIN: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub fn set_plain_arguments(arguments: Vec<String>) {
    *PLAIN.lock() = arguments;
}

/// What OTP's own start script would have put on the command line.
fn flags() -> Vec<(&'static str, Option<String>)> {
    let root = modules::library().map(|l| l.root.display().to_string()).unwrap_or_default();
    let home = std::env::var("HOME").unwrap_or_default();
    vec![
        ("root", Some(root)),
        ("progname", Some("chime".to_string())),
        ("home", Some(home)),
        ("noshell", None),
    ]
}

fn values(p: &mut Process, value: Option<String>) -> Term {
    match value {
        Some(s) => {
            let s = p.string(&s);
            p.list(&[s])
        }
        None => Term::NIL,
    }
}

fn get_argument(p: &mut Process, a: &[Term]) -> BifResult {
    let found: Vec<Option<String>> = flags().into_iter().filter(|f| f.0 == text(a[0])).map(|f| f.1).collect();
    if found.is_empty() {
        return Ok(atoms::ERROR);
    }
    let all: Vec<Term> = found.into_iter().map(|v| values(p, v)).collect();
    let all = p.list(&all);
    Ok(pair(p, atoms::OK, all))
}

fn get_arguments(p: &mut Process, _: &[Term]) -> BifResult {
    let mut all = Vec::new();
    for (name, value) in flags() {
        let value = values(p, value);
        all.push(pair(p, atom(name), value));
    }
    Ok(p.list(&all))
}

fn get_plain_arguments(p: &mut Process, _: &[Term]) -> BifResult {
    let plain = PLAIN.lock().clone();
    let all: Vec<Term> = plain.iter().map(|s| p.string(s)).collect();
    Ok(p.list(&all))
}

fn get_status(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(pair(p, atom("started"), atom("started")))
}

fn notify_when_started(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atom("started"))
}

fn stop_0(_: &mut Process, _: &[Term]) -> BifResult {
    sched::stop(0);
    Ok(atoms::OK)
}

fn stop_1(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].as_index() {
        Some(status) => sched::stop((status & 0xFF) as i32),
        // A slogan.
        None if a[0].is_list() || a[0].is_bitstring() => sched::stop(1),
        None => return Err(p.badarg()),
    }
    Ok(atoms::OK)
}

bifs! { TABLE, "init";
    "get_argument"/1 [] => get_argument,
    "get_arguments"/0 [] => get_arguments,
    "get_plain_arguments"/0 [] => get_plain_arguments,
    "get_status"/0 [] => get_status,
    "notify_when_started"/1 [] => notify_when_started,
    "stop"/0 [] => stop_0,
    "stop"/1 [] => stop_1,
}
