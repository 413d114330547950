//! Hashes of terms: [`internal`] for the machine's own tables, [`phash2`] as programs see it. Terms that are
//! `=:=` hash alike, so `0.0` and `-0.0` do before OTP 27.

mod portable;

use crate::bin::Bits;
use crate::cmp::{byte_at, entry};
use crate::term::{Term, header_subtag, sub};
pub use portable::{atom_hash, phash2};

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline(always)]
fn mix(h: u64, v: u64) -> u64 {
    let r = (h ^ v) as u128 * 0xD6E8_FEB8_6659_FD93_u128;
    r as u64 ^ (r >> 64) as u64
}

/// The hash of maps, of the process dictionary and of tables. It lasts as long as the machine, not longer.
#[inline]
pub fn internal(t: Term) -> u32 {
    if t.is_immed() { mix(SEED, t.0) as u32 } else { compound(t) }
}

fn bits(mut h: u64, b: Bits) -> u64 {
    h = mix(h, b.bits as u64);
    let n = b.bits / 8;
    if b.bit == 0 {
        let mut chunks = b.bytes[..n].chunks_exact(8);
        for c in &mut chunks {
            h = mix(h, c.try_into().map_or(0, u64::from_le_bytes));
        }
        let last = chunks.remainder().iter().rev().fold(0, |v, &b| v << 8 | b as u64);
        if n % 8 != 0 {
            h = mix(h, last);
        }
    } else {
        for at in (0..n).step_by(8) {
            let v = (at..n.min(at + 8)).rev().fold(0, |v, i| v << 8 | byte_at(b, i) as u64);
            h = mix(h, v);
        }
    }
    match b.bits % 8 {
        0 => h,
        rest => mix(h, (byte_at(b, n) >> (8 - rest)) as u64),
    }
}

#[inline(never)]
fn compound(t: Term) -> u32 {
    let mut h = SEED;
    // Runs of words still to be hashed, and single terms as runs of their own list cell.
    let mut stack: Vec<&'static [Term]> = Vec::new();
    let mut t = t;
    loop {
        if t.is_cons() {
            h = mix(h, 1);
            let tail = t.ptr().wrapping_add(1);
            // SAFETY: the second word of a live list cell.
            stack.push(unsafe { std::slice::from_raw_parts(tail, 1) });
            t = t.head();
            continue;
        }
        if !t.is_boxed() {
            h = mix(h, t.0);
        } else {
            let (header, body): (u64, &'static [Term]) = (t.header(), t.body());
            match header_subtag(header) {
                sub::HEAP_BIN | sub::REFC_BIN | sub::SUB_BIN => {
                    if let Some(b) = crate::bin::bits(t) {
                        h = bits(h, b);
                    }
                }
                sub::FLOAT => {
                    let same = t.float_value() == 0.0 && !crate::release::since(27);
                    let bits = if same { 0 } else { body[0].0 };
                    h = mix(mix(h, header), bits);
                }
                sub::REF => h = mix(mix(h, body[0].0), body[1].0),
                sub::FUN => {
                    let e = entry(t);
                    h = mix(mix(h, e.module.0), (e.old_index as u64) << 32 | e.old_uniq as u64);
                    stack.push(&body[2..]);
                }
                sub::TUPLE | sub::HAMT_NODE => {
                    h = mix(h, header);
                    stack.push(body);
                }
                sub::MAP => {
                    // Equal maps have equal shapes.
                    h = mix(mix(h, header), body[0].0);
                    stack.push(&body[1..]);
                }
                _ => {
                    h = mix(h, header);
                    h = body.iter().fold(h, |h, w| mix(h, w.0));
                }
            }
        }
        // The next term: the first of the topmost run that is not empty.
        loop {
            match stack.pop() {
                None => return (h ^ h >> 32) as u32,
                Some([]) => {}
                Some([first, rest @ ..]) => {
                    if !rest.is_empty() {
                        stack.push(rest);
                    }
                    t = *first;
                    break;
                }
            }
        }
    }
}
