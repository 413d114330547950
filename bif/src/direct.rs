//! Without a boot: what stands in for servers of `kernel` that small programs come across.

use crate::util::{atom, pair, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin, exports};
use std::path::PathBuf;

/// `timer:do_start()`: OTP asks a supervisor of `kernel` to start the server. `{ok, Pid}`, or `{error, Reason}`.
fn start_timer(p: &mut Process, _: &[Term]) -> BifResult {
    let name = pair(p, atom("local"), atom("timer_server"));
    let start = exports::get(atom("gen_server"), atom("start"), 4);
    Err(p.call_then(start, &[name, atom("timer"), Term::NIL, Term::NIL], started, Term::NIL))
}

fn started(p: &mut Process, a: &[Term]) -> BifResult {
    // What gen_server:start/4 returns; it does not raise.
    match a[1].tuple_of(2).map(|t| t[1]).and_then(|t| t.tuple_of(2)) {
        // Another process was faster.
        Some(&[reason, pid]) if reason == atom("already_started") => Ok(pair(p, atoms::OK, pid)),
        _ => Ok(a[1]),
    }
}

/// `{error, posix()}`
fn io_error(p: &mut Process, e: &std::io::Error) -> Term {
    let reason = match e.kind() {
        std::io::ErrorKind::NotFound => "enoent",
        std::io::ErrorKind::PermissionDenied => "eacces",
        std::io::ErrorKind::NotADirectory => "enotdir",
        _ => "einval",
    };
    pair(p, atoms::ERROR, atom(reason))
}

fn get_cwd(p: &mut Process, _: &[Term]) -> BifResult {
    match std::env::current_dir() {
        Ok(dir) => {
            let dir = match dir.to_str() {
                Some(s) => p.string(s),
                None => p.byte_list(std::os::unix::ffi::OsStrExt::as_bytes(dir.as_os_str()), Term::NIL),
            };
            Ok(pair(p, atoms::OK, dir))
        }
        Err(e) => Ok(io_error(p, &e)),
    }
}

/// There are no drives.
fn get_cwd_of(p: &mut Process, a: &[Term]) -> BifResult {
    let drive = a[0].to_vec().is_some_and(|v| {
        matches!(v[..], [letter, colon] if letter.as_index().is_some_and(|c| c < 256) && colon == Term::small(58))
    });
    let reason = match drive {
        true => "enotsup",
        false if a[0].is_list() || a[0].is_binary() || a[0].is_atom() => "einval",
        false => "badarg",
    };
    Ok(pair(p, atoms::ERROR, atom(reason)))
}

/// Appends the characters of a file name: atoms, characters, lists of such.
fn flatten(t: Term, out: &mut String) -> Option<()> {
    if t.is_atom() && !t.is_nil() {
        out.push_str(text(t));
        return Some(());
    }
    for e in t.to_vec()? {
        match e.as_index() {
            Some(c) => out.push(char::from_u32(u32::try_from(c).ok()?)?),
            None => flatten(e, out)?,
        }
    }
    Some(())
}

fn set_cwd(p: &mut Process, a: &[Term]) -> BifResult {
    let name = match bin::bytes(a[0]) {
        Some(b) => String::from_utf8(b.into_owned()).ok(),
        None => {
            let mut name = String::new();
            flatten(a[0], &mut name).map(|()| name)
        }
    };
    let Some(name) = name.filter(|n| !n.contains('\0')) else {
        return Ok(pair(p, atoms::ERROR, atom("badarg")));
    };
    match std::env::set_current_dir(PathBuf::from(name)) {
        Ok(()) => Ok(atoms::OK),
        Err(e) => Ok(io_error(p, &e)),
    }
}

bifs! { TIMER, "timer"; "do_start"/0 [] => start_timer }
bifs! { FILE, "file";
    "get_cwd"/0 [] => get_cwd,
    "get_cwd"/1 [] => get_cwd_of,
    "set_cwd"/1 [] => set_cwd,
}
