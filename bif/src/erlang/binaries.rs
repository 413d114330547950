//! Binaries, bitstrings, iolists.

use super::iolist::{Collect, Count, Sink, fold};
use crate::util::{Origin, as_i64, budget};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};
use chime_vm::{bifs, bin, bits, refs};
use parking_lot::Mutex;
use std::sync::Arc;

/// A part this small is copied: it takes no more words than a sub-binary and keeps nothing else alive.
const COPY_LIMIT: usize = 24;

/// `len` bytes from byte `start` of a bitstring.
pub fn part(p: &mut Process, t: Term, start: usize, len: usize) -> Option<Term> {
    let b = bin::bits(t)?;
    if start.checked_add(len)? > b.bits / 8 {
        return None;
    }
    if b.bit == 0 && len <= COPY_LIMIT {
        return Some(p.binary(&b.bytes[start..start + len]));
    }
    bin::sub_binary(p, t, start * 8, len * 8)
}

fn binary_part_3(p: &mut Process, a: &[Term]) -> BifResult {
    binary_part(p, a[0], a[1], a[2])
}

fn binary_part_2(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].tuple_of(2) {
        Some(t) => binary_part(p, a[0], t[0], t[1]),
        None => Err(p.badarg()),
    }
}

fn binary_part(p: &mut Process, t: Term, start: Term, len: Term) -> BifResult {
    let range = || {
        let (start, len) = (start.as_small()?, len.as_small()?);
        let (from, to) =
            if len < 0 { (start.checked_add(len)?, start) } else { (start, start.checked_add(len)?) };
        Some((usize::try_from(from).ok()?, usize::try_from(to - from).ok()?))
    };
    let found = match range() {
        Some((from, len)) if t.is_bitstring() => part(p, t, from, len),
        _ => None,
    };
    found.ok_or_else(|| p.badarg())
}

fn split_binary(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((b, at)) = bin::bits(a[0]).zip(a[1].as_index()) else { return Err(p.badarg()) };
    if at > b.bits / 8 {
        return Err(p.badarg());
    }
    let head = part(p, a[0], 0, at);
    let tail = if b.bits % 8 == 0 {
        part(p, a[0], at, b.bits / 8 - at)
    } else {
        bin::sub_binary(p, a[0], at * 8, b.bits - at * 8)
    };
    match head.zip(tail) {
        Some((h, t)) => Ok(p.tuple(&[h, t])),
        None => Err(p.badarg()),
    }
}

/// The bits of a bitstring. OTP's compilers since 26 also ask a match context for what is left of it.
fn bits_left(t: Term) -> Option<usize> {
    if t.is_sub(sub::MATCH) { Some(bits::remaining(t)) } else { bin::bits(t).map(|b| b.bits) }
}

fn bit_size(p: &mut Process, a: &[Term]) -> BifResult {
    match bits_left(a[0]) {
        Some(n) => Ok(p.uint(n as u64)),
        None => Err(p.badarg()),
    }
}

fn byte_size(p: &mut Process, a: &[Term]) -> BifResult {
    match bits_left(a[0]) {
        Some(n) => Ok(p.uint(n.div_ceil(8) as u64)),
        None => Err(p.badarg()),
    }
}

fn size(p: &mut Process, a: &[Term]) -> BifResult {
    match a[0].tuple() {
        Some(t) => Ok(Term::small(t.len() as i64)),
        None => match bin::bits(a[0]) {
            Some(b) => Ok(p.uint((b.bits / 8) as u64)),
            None => Err(p.badarg()),
        },
    }
}

// ---- to lists

/// Lists bytes `from..to` of a binary in front of `acc`, from behind, a turn at a time.
fn list_bytes(p: &mut Process, t: Term, from: usize, to: usize, acc: Term) -> BifResult {
    let Some(b) = bin::bits(t) else { return Err(p.badarg()) };
    let n = (to - from).min(budget(p, 20));
    let start = to - n;
    p.bump(n / 20);
    let list = if b.bit == 0 {
        p.byte_list(&b.bytes[start..to], acc)
    } else {
        let bytes: Vec<u8> =
            (start..to).map(|i| b.bytes[i] << b.bit | b.bytes[i + 1] >> (8 - b.bit)).collect();
        p.byte_list(&bytes, acc)
    };
    if start == from {
        return Ok(list);
    }
    Err(p.trap(list_bytes_on, &[t, Term::small(from as i64), Term::small(start as i64), list]))
}

fn list_bytes_on(p: &mut Process, a: &[Term]) -> BifResult {
    let (Some(from), Some(to)) = (a[1].as_index(), a[2].as_index()) else { return Err(p.badarg()) };
    list_bytes(p, a[0], from, to, a[3])
}

fn binary_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    match bin::bits(a[0]) {
        Some(b) if b.bits % 8 == 0 => list_bytes(p, a[0], 0, b.bits / 8, Term::NIL),
        _ => Err(p.badarg()),
    }
}

fn binary_to_list_3(p: &mut Process, a: &[Term]) -> BifResult {
    match (bin::bits(a[0]), a[1].as_index(), a[2].as_index()) {
        (Some(b), Some(from), Some(to)) if 1 <= from && from <= to && to <= b.bits / 8 => {
            list_bytes(p, a[0], from - 1, to, Term::NIL)
        }
        _ => Err(p.badarg()),
    }
}

fn bitstring_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(b) = bin::bits(a[0]) else { return Err(p.badarg()) };
    let whole = b.bits / 8;
    let acc = match b.bits % 8 {
        0 => Term::NIL,
        n => match bin::sub_binary(p, a[0], whole * 8, n) {
            Some(rest) => p.cons(rest, Term::NIL),
            None => return Err(p.badarg()),
        },
    };
    list_bytes(p, a[0], 0, whole, acc)
}

// ---- from iolists

fn list_to_binary(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_list() {
        return Err(p.badarg());
    }
    fold(p, a[0], Collect::bytes_only(), "list_to_binary", a)
}

fn iolist_to_binary(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_binary() {
        return Ok(a[0]);
    }
    fold(p, a[0], Collect::bytes_only(), "iolist_to_binary", a)
}

fn list_to_bitstring(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_list() {
        return Err(p.badarg());
    }
    fold(p, a[0], Collect::with_bits(), "list_to_bitstring", a)
}

fn iolist_size(p: &mut Process, a: &[Term]) -> BifResult {
    fold(p, a[0], Count(0), "iolist_size", a)
}

/// Binaries of at least this many bytes stand for themselves in an I/O vector.
const OWN_ELEMENT: usize = 256;

/// `iolist_to_iovec`: runs of small things are put together, large binaries are passed on. The result is
/// gathered backwards in `acc`; `stack` is what is still to be visited, last first.
fn iovec_step(
    p: &mut Process,
    mut stack: Vec<Term>,
    mut run: Vec<u8>,
    mut acc: Term,
    origin: Origin<'_>,
) -> BifResult {
    let limit = budget(p, 100);
    let mut left = limit;
    while let Some(t) = stack.pop() {
        if t.is_cons() {
            stack.push(t.tail());
            let h = t.head();
            match h.as_small() {
                Some(v) => match u8::try_from(v) {
                    Ok(b) => run.push(b),
                    Err(_) => return Err(origin.badarg(p)),
                },
                None => stack.push(h),
            }
            left = left.saturating_sub(10);
        } else if !t.is_nil() {
            let Some(b) = bin::bytes(t) else { return Err(origin.badarg(p)) };
            if b.len() < OWN_ELEMENT {
                run.extend_from_slice(&b);
                left = left.saturating_sub(b.len() / 2);
            } else {
                if !run.is_empty() {
                    let r = p.binary(&run);
                    acc = p.cons(r, acc);
                    run.clear();
                }
                acc = p.cons(t, acc);
                left = left.saturating_sub(20);
            }
        }
        if left == 0 && !stack.is_empty() {
            p.bump(limit / 100);
            let todo = p.list(&stack);
            let state = refs::make_magic(p, Arc::new(Mutex::new(run)));
            let origin = origin.keep(p);
            return Err(p.trap(iovec_on, &[todo, state, acc, origin]));
        }
    }
    p.bump((limit - left) / 100);
    if !run.is_empty() {
        let r = p.binary(&run);
        acc = p.cons(r, acc);
    }
    let items: Vec<Term> = acc.iter().collect();
    Ok(items.iter().fold(Term::NIL, |list, &t| p.cons(t, list)))
}

fn iovec_on(p: &mut Process, a: &[Term]) -> BifResult {
    let stack = a[0].iter().collect();
    let run = refs::magic(a[1])
        .and_then(|m| m.downcast::<Mutex<Vec<u8>>>().ok())
        .map(|m| std::mem::take(&mut *m.lock()))
        .unwrap_or_default();
    iovec_step(p, stack, run, a[2], Origin::Kept(a[3]))
}

fn iolist_to_iovec(p: &mut Process, a: &[Term]) -> BifResult {
    if let Some(b) = bin::bits(a[0]).filter(|b| b.bits % 8 == 0) {
        return Ok(if b.bits == 0 { Term::NIL } else { p.list(a) });
    }
    let origin = Origin::Fresh("erlang", "iolist_to_iovec", a);
    iovec_step(p, vec![a[0]], Vec::new(), Term::NIL, origin)
}

// ---- checksums

/// A checksum over an iolist.
struct Sum<F> {
    state: u32,
    update: F,
}

impl<F: Fn(u32, &[u8]) -> u32 + Send + Sync + 'static> Sink for Sum<F> {
    fn byte(&mut self, b: u8) {
        self.state = (self.update)(self.state, &[b]);
    }
    fn bytes(&mut self, b: &[u8]) {
        self.state = (self.update)(self.state, b);
    }
    fn finish(self, p: &mut Process) -> BifResult {
        Ok(p.uint(self.state as u64))
    }
}

fn checksum(
    p: &mut Process,
    start: Option<u32>,
    name: &'static str,
    a: &[Term],
    f: fn(u32, &[u8]) -> u32,
) -> BifResult {
    match start {
        Some(state) => fold(p, a[a.len() - 1], Sum { state, update: f }, name, a),
        None => Err(p.badarg()),
    }
}

fn number32(t: Term) -> Option<u32> {
    as_i64(t).and_then(|v| u32::try_from(v).ok())
}

fn crc32_1(p: &mut Process, a: &[Term]) -> BifResult {
    checksum(p, Some(0), "crc32", a, super::checksum::crc32)
}
fn crc32_2(p: &mut Process, a: &[Term]) -> BifResult {
    checksum(p, number32(a[0]), "crc32", a, super::checksum::crc32)
}
fn adler32_1(p: &mut Process, a: &[Term]) -> BifResult {
    checksum(p, Some(1), "adler32", a, super::checksum::adler32)
}
fn adler32_2(p: &mut Process, a: &[Term]) -> BifResult {
    checksum(p, number32(a[0]), "adler32", a, super::checksum::adler32)
}

fn combine(p: &mut Process, a: &[Term], f: fn(u32, u32, u64) -> u32) -> BifResult {
    match (number32(a[0]), number32(a[1]), crate::util::as_u64(a[2])) {
        (Some(x), Some(y), Some(n)) => Ok(p.uint(f(x, y, n) as u64)),
        _ => Err(p.badarg()),
    }
}
fn crc32_combine(p: &mut Process, a: &[Term]) -> BifResult {
    combine(p, a, super::checksum::crc32_combine)
}
fn adler32_combine(p: &mut Process, a: &[Term]) -> BifResult {
    combine(p, a, super::checksum::adler32_combine)
}

// ---- MD5

/// A finished digest (`md5/1`, `md5_final/1`) or the context as a binary (`md5_update/2`).
struct Digest {
    state: super::md5::Md5,
    context: bool,
}

impl Sink for Digest {
    fn byte(&mut self, b: u8) {
        self.state.update(&[b]);
    }
    fn bytes(&mut self, b: &[u8]) {
        self.state.update(b);
    }
    fn finish(self, p: &mut Process) -> BifResult {
        Ok(if self.context { p.binary(&self.state.to_bytes()) } else { p.binary(&self.state.finish()) })
    }
}

fn md5(p: &mut Process, a: &[Term]) -> BifResult {
    fold(p, a[0], Digest { state: super::md5::Md5::new(), context: false }, "md5", a)
}
fn md5_init(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.binary(&super::md5::Md5::new().to_bytes()))
}
fn md5_context(t: Term) -> Option<super::md5::Md5> {
    super::md5::Md5::from_bytes(&bin::bytes(t)?)
}
fn md5_update(p: &mut Process, a: &[Term]) -> BifResult {
    match md5_context(a[0]) {
        Some(state) => fold(p, a[1], Digest { state, context: true }, "md5_update", a),
        None => Err(p.badarg()),
    }
}
fn md5_final(p: &mut Process, a: &[Term]) -> BifResult {
    match md5_context(a[0]) {
        Some(state) => Ok(p.binary(&state.finish())),
        None => Err(p.badarg()),
    }
}

bifs! { TABLE, "erlang";
    "binary_part"/2 [GUARD PURE] => binary_part_2,
    "binary_part"/3 [GUARD PURE] => binary_part_3,
    "split_binary"/2 [PURE] => split_binary,
    "bit_size"/1 [GUARD PURE] => bit_size,
    "byte_size"/1 [GUARD PURE] => byte_size,
    "size"/1 [GUARD PURE] => size,
    "binary_to_list"/1 [PURE] => binary_to_list,
    "binary_to_list"/3 [PURE] => binary_to_list_3,
    "bitstring_to_list"/1 [PURE] => bitstring_to_list,
    "list_to_binary"/1 [PURE] => list_to_binary,
    "iolist_to_binary"/1 [PURE] => iolist_to_binary,
    "list_to_bitstring"/1 [PURE] => list_to_bitstring,
    "iolist_size"/1 [PURE] => iolist_size,
    "iolist_to_iovec"/1 [PURE] => iolist_to_iovec,
    "crc32"/1 [PURE] => crc32_1,
    "crc32"/2 [PURE] => crc32_2,
    "crc32_combine"/3 [PURE] => crc32_combine,
    "adler32"/1 [PURE] => adler32_1,
    "adler32"/2 [PURE] => adler32_2,
    "adler32_combine"/3 [PURE] => adler32_combine,
    "md5"/1 [PURE] => md5,
    "md5_init"/0 [PURE] => md5_init,
    "md5_update"/2 [PURE] => md5_update,
    "md5_final"/1 [PURE] => md5_final,
}
