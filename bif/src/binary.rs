//! The module `binary`.

mod pattern;
mod search;
#[cfg(test)]
mod tests;

use crate::erlang::binaries;
use crate::erlang::iolist::{Collect, fold};
use crate::util::{Origin, budget};
use chime_vm::bif::BifResult;
use chime_vm::bin::{self, Bin, Bits};
use chime_vm::heap::{Alloc, HEAP_BIN_LIMIT};
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};
use chime_vm::{atoms, bifs, num, refs};
use parking_lot::Mutex;
use std::sync::Arc;

/// Bytes a reduction pays for: copied, and looked at one by one.
const COPY_PER: usize = 2048;
const LOOK_PER: usize = 256;
/// Bytes of the largest binary.
const LARGEST: usize = 1 << 43;

/// A view of a binary; none for other bitstrings.
fn whole<'a>(t: Term) -> Option<Bits<'a>> {
    bin::bits(t).filter(|b| b.bits % 8 == 0)
}
#[inline(always)]
fn byte(b: &Bits<'_>, i: usize) -> u8 {
    if b.bit == 0 { b.bytes[i] } else { b.bytes[i] << b.bit | b.bytes[i + 1] >> (8 - b.bit) }
}

// ---- single bytes and parts

fn at(p: &mut Process, a: &[Term]) -> BifResult {
    let found = whole(a[0]).zip(a[1].as_index()).filter(|(b, i)| *i < b.bits / 8);
    match found {
        Some((b, i)) => Ok(Term::small(byte(&b, i) as i64)),
        None => Err(p.badarg()),
    }
}
fn first(p: &mut Process, a: &[Term]) -> BifResult {
    at(p, &[a[0], Term::small(0)])
}
fn last(p: &mut Process, a: &[Term]) -> BifResult {
    let n = whole(a[0]).map_or(0, |b| b.bits / 8);
    at(p, &[a[0], Term::small(n as i64 - 1)])
}

/// First byte and number of bytes of `{Start, Length}`, where the length may be negative.
fn range(start: Term, len: Term) -> Option<(usize, usize)> {
    let (start, len) = (start.as_small()?, len.as_small()?);
    usize::try_from(start).ok()?;
    let from = usize::try_from(start.min(start + len)).ok()?;
    Some((from, len.unsigned_abs() as usize))
}
fn part_2(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].tuple_of(2) {
        Some(t) => part_3(p, &[a[0], t[0], t[1]]),
        None => Err(p.badarg()),
    }
}
fn part_3(p: &mut Process, a: &[Term]) -> BifResult {
    let part = range(a[1], a[2]).and_then(|(from, len)| binaries::part(p, a[0], from, len));
    part.ok_or_else(|| p.badarg())
}

fn referenced_byte_size(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((held, _, bits)) = bin::parts(a[0]) else { return Err(p.badarg()) };
    let size = if held.is_sub(sub::REFC_BIN) {
        // SAFETY: word 3 of a refc binary is its own reference to a live Bin.
        unsafe { (*(held.word(3).0 as *const Bin)).size }
    } else {
        held.word(1).0 as usize
    };
    Ok(Term::small(size.max(bits.div_ceil(8)) as i64))
}

fn list_to_bin(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_list() {
        return Err(p.badarg());
    }
    fold(p, a[0], Collect::bytes_only(), "list_to_binary", a)
}

// ---- copies

/// A block that is being filled with copies.
struct Block {
    bin: *mut Bin,
    /// Bytes of one copy, of all, and how many are there.
    period: usize,
    size: usize,
    filled: usize,
}
// SAFETY: the block is its owner's alone until it is finished.
unsafe impl Send for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        if !self.bin.is_null() {
            // SAFETY: an unfinished block still owns its reference.
            unsafe { Bin::release(self.bin) }
        }
    }
}

fn copy_1(p: &mut Process, a: &[Term]) -> BifResult {
    copy_2(p, &[a[0], Term::small(1)])
}
fn copy_2(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((source, times)) = bin::bytes(a[0]).zip(a[1].as_index()) else { return Err(p.badarg()) };
    let period = source.len();
    let Some(size) = period.checked_mul(times).filter(|&n| n < LARGEST) else {
        return Err(p.system_limit());
    };
    if size <= HEAP_BIN_LIMIT {
        let mut all = [0; HEAP_BIN_LIMIT];
        if period > 0 {
            all[..size].chunks_exact_mut(period).for_each(|c| c.copy_from_slice(&source));
        }
        return Ok(p.heap_binary(&all[..size]));
    }
    p.bump(period / COPY_PER);
    if times == 1 {
        return Ok(p.binary(&source));
    }
    let block = Block { bin: Bin::new(0, size), period, size, filled: period };
    // SAFETY: there is room for `size` bytes, more than one copy.
    unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), (*block.bin).bytes(), period) };
    fill(p, block)
}
/// Repeats what is there until the block is full or the turn is over.
fn fill(p: &mut Process, mut b: Block) -> BifResult {
    let limit = budget(p, COPY_PER);
    let mut left = limit;
    while b.filled < b.size && left > 0 {
        let phase = b.filled % b.period;
        let n = left.min(b.filled - phase).min(b.size - b.filled);
        // SAFETY: both ranges lie in the block; the source ends where the destination begins, or earlier.
        unsafe {
            let bytes = (*b.bin).bytes();
            std::ptr::copy_nonoverlapping(bytes.add(phase), bytes.add(b.filled), n);
        }
        b.filled += n;
        left -= n;
    }
    p.bump((limit - left) / COPY_PER);
    if b.filled < b.size {
        let state = refs::make_magic(p, Arc::new(Mutex::new(Some(b))));
        return Err(p.trap(copy_on, &[state]));
    }
    let bin = std::mem::replace(&mut b.bin, std::ptr::null_mut());
    // SAFETY: filled up to `size`, and not shared yet.
    unsafe { (*bin).size = b.size };
    Ok(p.refc_binary(bin))
}
fn copy_on(p: &mut Process, a: &[Term]) -> BifResult {
    let block = refs::magic(a[0]).and_then(|m| m.downcast::<Mutex<Option<Block>>>().ok());
    match block.and_then(|b| b.lock().take()) {
        Some(b) => fill(p, b),
        None => Err(p.badarg()),
    }
}

// ---- numbers

/// Whether little-endian; `None` for neither.
fn endian(t: Term) -> Option<bool> {
    if t == atoms::LITTLE {
        Some(true)
    } else if t == atoms::BIG {
        Some(false)
    } else {
        None
    }
}

fn decode_1(p: &mut Process, a: &[Term]) -> BifResult {
    decode_2(p, &[a[0], atoms::BIG])
}
fn decode_2(p: &mut Process, a: &[Term]) -> BifResult {
    let Some((bytes, little)) = bin::bytes(a[0]).zip(endian(a[1])) else { return Err(p.badarg()) };
    if bytes.len() > num::MAX_DIGITS * 8 {
        return Err(p.system_limit());
    }
    p.bump(bytes.len() / LOOK_PER);
    let be = |d: u64, &b: &u8| d << 8 | b as u64;
    let digits: Vec<u64> = if little {
        bytes.chunks(8).map(|c| c.iter().rev().fold(0, be)).collect()
    } else {
        bytes.rchunks(8).map(|c| c.iter().fold(0, be)).collect()
    };
    Ok(p.big(false, &digits))
}

fn encode_1(p: &mut Process, a: &[Term]) -> BifResult {
    encode_2(p, &[a[0], atoms::BIG])
}
fn encode_2(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(little) = endian(a[1]) else { return Err(p.badarg()) };
    let one;
    let digits = if let Some(v) = a[0].as_index() {
        one = [v as u64];
        &one[..]
    } else if a[0].is_sub(sub::POS_BIG) {
        a[0].big_digits().1
    } else {
        return Err(p.badarg());
    };
    let mut bytes: Vec<u8> = digits.iter().flat_map(|d| d.to_le_bytes()).collect();
    let n = bytes.iter().rposition(|&b| b != 0).map_or(1, |i| i + 1);
    bytes.truncate(n);
    if !little {
        bytes.reverse();
    }
    p.bump(bytes.len() / LOOK_PER);
    Ok(p.binary(&bytes))
}

// ---- common beginnings and endings

fn longest_common_prefix(p: &mut Process, a: &[Term]) -> BifResult {
    common(p, a, false)
}
fn longest_common_suffix(p: &mut Process, a: &[Term]) -> BifResult {
    common(p, a, true)
}
fn common(p: &mut Process, a: &[Term], suffix: bool) -> BifResult {
    let head = if a[0].is_cons() { whole(a[0].head()) } else { None };
    let Some(head) = head else { return Err(p.badarg()) };
    let name = if suffix { "longest_common_suffix" } else { "longest_common_prefix" };
    let work = Common { first: a[0].head(), rest: a[0].tail(), best: head.bits / 8, from: 0, suffix };
    work.go(p, Origin::Fresh("binary", name, a))
}
fn common_on(p: &mut Process, a: &[Term]) -> BifResult {
    let (best, from) = (a[2].as_index().unwrap_or(0), a[3].as_index().unwrap_or(0));
    let work = Common { first: a[0], rest: a[1], best, from, suffix: a[4] == atoms::TRUE };
    work.go(p, Origin::Kept(a[5]))
}

struct Common {
    first: Term,
    /// Those still to be compared with it.
    rest: Term,
    /// Bytes that all so far have in common, and how many of them the next one is known to have.
    best: usize,
    from: usize,
    /// Compare from the end.
    suffix: bool,
}

impl Common {
    fn go(mut self, p: &mut Process, origin: Origin<'_>) -> BifResult {
        let Some(first) = whole(self.first) else { return Err(origin.badarg(p)) };
        let limit = budget(p, LOOK_PER);
        let mut left = limit;
        while self.rest.is_cons() && left > 0 {
            let Some(other) = whole(self.rest.head()) else { return Err(origin.badarg(p)) };
            self.best = self.best.min(other.bits / 8);
            let to = self.best.min(self.from + left);
            let same = |i: usize| {
                if self.suffix {
                    byte(&first, first.bits / 8 - 1 - i) == byte(&other, other.bits / 8 - 1 - i)
                } else {
                    byte(&first, i) == byte(&other, i)
                }
            };
            let end = (self.from..to).find(|&i| !same(i)).unwrap_or(to);
            left = left.saturating_sub(end - self.from.min(end) + 16);
            if end == to && to < self.best {
                self.from = to;
                break;
            }
            (self.best, self.from) = (end, 0);
            self.rest = self.rest.tail();
        }
        p.bump((limit - left) / LOOK_PER);
        let best = Term::small(self.best as i64);
        if self.rest.is_cons() {
            let (origin, from) = (origin.keep(p), Term::small(self.from as i64));
            return Err(
                p.trap(common_on, &[self.first, self.rest, best, from, Term::bool(self.suffix), origin])
            );
        }
        if self.rest.is_nil() { Ok(best) } else { Err(origin.badarg(p)) }
    }
}

bifs! { TABLE, "binary";
    "at"/2 [PURE] => at,
    "compile_pattern"/1 [] => search::compile_pattern,
    "copy"/1 [PURE] => copy_1,
    "copy"/2 [PURE] => copy_2,
    "decode_unsigned"/1 [PURE] => decode_1,
    "decode_unsigned"/2 [PURE] => decode_2,
    "encode_unsigned"/1 [PURE] => encode_1,
    "encode_unsigned"/2 [PURE] => encode_2,
    "first"/1 [PURE] => first,
    "last"/1 [PURE] => last,
    "list_to_bin"/1 [PURE] => list_to_bin,
    "longest_common_prefix"/1 [PURE] => longest_common_prefix,
    "longest_common_suffix"/1 [PURE] => longest_common_suffix,
    "match"/2 [PURE] => search::match_2,
    "match"/3 [PURE] => search::match_3,
    "matches"/2 [PURE] => search::matches_2,
    "matches"/3 [PURE] => search::matches_3,
    "part"/2 [PURE] => part_2,
    "part"/3 [PURE] => part_3,
    "referenced_byte_size"/1 [PURE] => referenced_byte_size,
    "split"/2 [PURE] => search::split_2,
    "split"/3 [PURE] => search::split_3,
}
