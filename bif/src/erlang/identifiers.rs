//! References, pids and ports as text; showing terms.

use crate::stdio::device::{STDERR, STDIO};
use crate::util::{byte_list, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};
use chime_vm::{atoms, bifs, bin, print, refs};

fn make_ref(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(refs::make_ref(p))
}

fn shown(p: &mut Process, t: Term, right_kind: bool) -> BifResult {
    if !right_kind {
        return Err(p.badarg());
    }
    let s = print::to_string(t);
    Ok(p.string(&s))
}

fn pid_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    shown(p, a[0], a[0].is_pid())
}
fn port_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    shown(p, a[0], a[0].is_port())
}
fn ref_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    shown(p, a[0], a[0].is_ref())
}
fn fun_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    shown(p, a[0], a[0].is_fun())
}

/// The numbers between dots of `<prefix>0.1.2>`.
fn numbers(list: Term, prefix: &str) -> Option<Vec<u64>> {
    const LONGEST: usize = 64;
    let s = String::from_utf8(byte_list(list, LONGEST)?).ok()?;
    let inner = s.strip_prefix(prefix)?.strip_suffix('>')?;
    let number = |s: &str| if s.bytes().all(|b| b.is_ascii_digit()) { s.parse().ok() } else { None };
    inner.split('.').map(number).collect()
}

/// Bits of a pid's slot number.
const SLOT_BITS: u32 = 28;

/// Only identifiers of this node, 0, can be named.
fn list_to_pid(p: &mut Process, a: &[Term]) -> BifResult {
    match numbers(a[0], "<").as_deref() {
        Some(&[0, slot, serial]) if slot < 1 << SLOT_BITS && serial < 1 << 32 => {
            Ok(Term::pid(serial << SLOT_BITS | slot))
        }
        _ => Err(p.badarg()),
    }
}

fn list_to_port(p: &mut Process, a: &[Term]) -> BifResult {
    match numbers(a[0], "#Port<").as_deref() {
        Some(&[0, number]) if number < 1 << 28 => Ok(Term::port(number)),
        _ => Err(p.badarg()),
    }
}

/// Bits of a reference's last number.
const SALT_BITS: u32 = 18;

fn list_to_ref(p: &mut Process, a: &[Term]) -> BifResult {
    match numbers(a[0], "#Ref<").as_deref() {
        Some(&[0, high, low, salt]) if high < 1 << 32 && low < 1 << 32 && salt < 1 << SALT_BITS => {
            let t = p.boxed(sub::REF, 2);
            Ok(p.fill(t, &[Term(high << 32 | low), Term(salt)]))
        }
        _ => Err(p.badarg()),
    }
}

// ---- showing

/// Longest text of `display/1`.
const LONGEST: usize = 1 << 20;

/// Behind what the program has written so far.
fn write_out(bytes: &[u8], to_stderr: bool) {
    // Nobody can be told if that fails.
    let _ = if to_stderr { STDERR.put(bytes) } else { STDIO.put(bytes) };
}

fn display(_: &mut Process, a: &[Term]) -> BifResult {
    let mut s = print::to_string_limited(a[0], LONGEST);
    s.push_str("\r\n");
    write_out(s.as_bytes(), false);
    Ok(atoms::TRUE)
}

fn display_nl(_: &mut Process, _: &[Term]) -> BifResult {
    write_out(b"\r\n", false);
    Ok(atoms::TRUE)
}

/// The text of a list of code points.
fn chars(list: Term) -> Option<String> {
    let v = list.to_vec()?;
    v.iter().map(|t| char::from_u32(u32::try_from(t.as_index()?).ok()?)).collect()
}

fn display_string_1(p: &mut Process, a: &[Term]) -> BifResult {
    match chars(a[0]) {
        Some(s) => {
            write_out(s.as_bytes(), false);
            Ok(atoms::TRUE)
        }
        None => Err(p.badarg()),
    }
}

/// OTP 26 on: device, and a list or a binary.
fn display_string_2(p: &mut Process, a: &[Term]) -> BifResult {
    let to_stderr = match text(a[0]) {
        "stderr" => true,
        "stdout" | "stdin" => false,
        _ => return Err(p.badarg()),
    };
    let bytes = bin::bytes(a[1]).map(|b| b.into_owned()).or_else(|| chars(a[1]).map(String::into_bytes));
    match bytes {
        Some(b) => {
            write_out(&b, to_stderr);
            Ok(atoms::TRUE)
        }
        None => Err(p.badarg()),
    }
}

/// `erts_internal:term_to_string(Term, Limit)`: at most so many characters; `undefined`: all.
fn term_to_string(p: &mut Process, a: &[Term]) -> BifResult {
    let limit = match a[1].as_index() {
        Some(n) => n,
        None if a[1] == atoms::UNDEFINED => usize::MAX,
        None => return Err(p.badarg()),
    };
    let s = print::to_string_limited(a[0], limit);
    Ok(p.string(&s))
}

bifs! { TABLE, "erlang";
    "make_ref"/0 [] => make_ref,
    "pid_to_list"/1 [] => pid_to_list,
    "port_to_list"/1 [] => port_to_list,
    "ref_to_list"/1 [] => ref_to_list,
    "fun_to_list"/1 [] => fun_to_list,
    "list_to_pid"/1 [] => list_to_pid,
    "list_to_port"/1 [] => list_to_port,
    "list_to_ref"/1 [] => list_to_ref,
    "display"/1 [] => display,
    "display_nl"/0 [] => display_nl,
    "display_string"/1 [] => display_string_1,
    "display_string"/2 [] => display_string_2,
}

bifs! { INTERNAL, "erts_internal"; "term_to_string"/2 [] => term_to_string }
