//! Hashes of terms that programs see.

use crate::util::as_u64;
use chime_vm::bif::BifResult;
use chime_vm::code::{Export, FunEntry};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};
use chime_vm::{bifs, bin, hash, refs};

/// `phash2/1` gives 27 bits.
const DEFAULT_RANGE: u64 = 1 << 27;

/// 1 to 2^32.
fn range(t: Term) -> Option<u64> {
    as_u64(t).filter(|r| (1..=1 << 32).contains(r))
}

fn phash2_1(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(Term::small((hash::phash2(a[0]) as u64 % DEFAULT_RANGE) as i64))
}

fn phash2_2(p: &mut Process, a: &[Term]) -> BifResult {
    match range(a[1]) {
        Some(r) => Ok(p.uint(hash::phash2(a[0]) as u64 % r)),
        None => Err(p.badarg()),
    }
}

// ---- phash, the hash of old

/// Multipliers: primes, numbered as in the definition of the hash.
mod k {
    pub const K1: u32 = 268_440_163;
    pub const K2: u32 = 268_439_161;
    pub const K3: u32 = 268_435_459;
    pub const K4: u32 = 268_436_141;
    pub const K5: u32 = 268_438_633;
    pub const K6: u32 = 268_437_017;
    pub const K8: u32 = 268_437_511;
    pub const K9: u32 = 268_439_627;
    pub const K10: u32 = 268_440_479;
    pub const K11: u32 = 268_440_577;
    pub const K12: u32 = 268_440_581;
    pub const K13: u32 = 268_440_593;
    pub const K14: u32 = 268_440_611;
}

fn mix(h: u32, by: u32, add: u32) -> u32 {
    h.wrapping_mul(by).wrapping_add(add)
}
/// Takes in four bytes, the lowest first.
fn mix_word(h: u32, word: u32, by: u32) -> u32 {
    word.to_le_bytes().iter().fold(h, |h, &b| mix(h, by, b as u32))
}

/// What is still to be done.
enum Todo {
    Term(Term),
    /// A tuple's arity, after its elements.
    Arity(u32),
    /// The rest of a list, after its head.
    Rest(Term),
    ListEnd,
}

fn integer(mut h: u32, negative: bool, digits: &[u64]) -> u32 {
    let n = digits.len();
    for (i, &d) in digits.iter().enumerate() {
        h = mix_word(h, d as u32, k::K2);
        if i + 1 < n || d >> 32 != 0 {
            h = mix_word(h, (d >> 32) as u32, k::K2);
        }
    }
    h.wrapping_mul(if negative { k::K4 } else { k::K3 })
}

fn bitstring(mut h: u32, b: bin::Bits<'_>) -> u32 {
    let byte = |i: usize| {
        let next = if b.bit > 0 && i + 1 < b.bytes.len() { b.bytes[i + 1] >> (8 - b.bit) } else { 0 };
        b.bytes[i] << b.bit | next
    };
    let n = b.bits / 8;
    h = (0..n).fold(h, |h, i| mix(h, k::K1, byte(i) as u32));
    let rest = b.bits % 8;
    if rest > 0 {
        h = mix(h, k::K1, (byte(n) >> (8 - rest)) as u32);
        h = mix(h, k::K12, rest as u32);
    }
    mix(h, k::K4, n as u32)
}

fn old_hash(t: Term) -> u32 {
    let mut h = 0u32;
    let mut stack = vec![Todo::Term(t)];
    while let Some(todo) = stack.pop() {
        let t = match todo {
            Todo::Arity(n) => {
                h = mix(h, k::K9, n);
                continue;
            }
            Todo::ListEnd => {
                h = h.wrapping_mul(k::K8);
                continue;
            }
            Todo::Rest(t) if !t.is_cons() => {
                stack.push(Todo::ListEnd);
                t
            }
            Todo::Rest(t) | Todo::Term(t) => t,
        };
        match t.subtag() {
            _ if t.is_cons() => {
                // Bytes in a list count as they are.
                let mut l = t;
                while let Some(b) = l.head().as_small().filter(|b| (0..256).contains(b)) {
                    h = mix(h, k::K2, b as u32);
                    l = l.tail();
                    if !l.is_cons() {
                        break;
                    }
                }
                if l.is_cons() {
                    stack.push(Todo::Rest(l.tail()));
                    stack.push(Todo::Term(l.head()));
                } else {
                    stack.push(Todo::Rest(l));
                }
            }
            None if t.is_small() => {
                let v = t.small_value();
                h = integer(h, v < 0, &[v.unsigned_abs()]);
            }
            None if t.is_nil() => h = mix(h, k::K3, 1),
            None if t.is_atom() => h = mix(h, k::K1, hash::phash2(t)),
            None if t.is_local_pid() => {
                h = mix_word(h, t.pid_data() as u32 & 0xFFF_FFFF, k::K5).wrapping_mul(k::K6);
            }
            None => h = mix_word(h, t.pid_data() as u32, k::K9).wrapping_mul(k::K10),
            Some(sub::TUPLE) => {
                stack.push(Todo::Arity(t.body().len() as u32));
                stack.extend(t.body().iter().rev().map(|&e| Todo::Term(e)));
            }
            Some(sub::POS_BIG | sub::NEG_BIG) => {
                let (negative, digits) = t.big_digits();
                h = integer(h, negative, digits);
            }
            Some(sub::FLOAT) => {
                let bits = if t.float_value() == 0.0 { 0 } else { t.word(1).0 };
                h = mix(h, k::K6, (bits ^ bits >> 32) as u32);
            }
            Some(sub::REFC_BIN | sub::HEAP_BIN | sub::SUB_BIN) => {
                if let Some(b) = bin::bits(t) {
                    h = bitstring(h, b);
                }
            }
            Some(sub::REF) => h = mix_word(h, refs::ids(t)[0], k::K9).wrapping_mul(k::K10),
            Some(sub::EXPORT) => {
                // SAFETY: exports live as long as the machine.
                let e = unsafe { &*(t.word(1).0 as *const Export) };
                h = mix(h, k::K11, e.arity);
                h = mix(h, k::K1, hash::phash2(e.module));
                h = mix(h, k::K1, hash::phash2(e.function));
            }
            Some(sub::FUN) => {
                // SAFETY: entries live as long as the machine.
                let e = unsafe { &*(t.word(1).0 as *const FunEntry) };
                h = mix(h, k::K10, e.num_free);
                h = mix(h, k::K1, hash::phash2(e.module));
                h = mix(h, k::K2, e.old_index);
                h = mix(h, k::K2, e.old_uniq);
                stack.extend(t.body()[2..].iter().rev().map(|&e| Todo::Term(e)));
            }
            Some(sub::MAP) => h = mix(h, k::K13, k::K14.wrapping_add(hash::phash2(t))),
            Some(_) => h = mix(h, k::K5, hash::phash2(t)),
        }
    }
    h
}

fn phash(p: &mut Process, a: &[Term]) -> BifResult {
    match range(a[1]) {
        Some(r) => {
            let h = old_hash(a[0]);
            Ok(p.uint(1 + h as u64 % r))
        }
        None => Err(p.badarg()),
    }
}

bifs! { TABLE, "erlang";
    "phash"/2 [PURE] => phash,
    "phash2"/1 [PURE] => phash2_1,
    "phash2"/2 [PURE] => phash2_2,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chime_vm::heap::FragBuilder;

    #[test]
    fn known_hashes() {
        let mut b = FragBuilder::new(64);
        let small = Term::small;
        let cases = [
            (small(1), 2_788_898_427),
            (small(-5), 4_105_959_049),
            (small(1 << 33), 1_282_829_558),
            (b.big(false, &[0, 1]), 2_788_898_427),
            (b.big(false, &[1 << 63]), 384),
            (b.string("abc"), 3_654_580_165),
            (b.list(&[Term::NIL]), 2_952_798_236),
            (b.list(&[small(256)]), 1_015_129_878),
            (b.tuple(&[small(1)]), 381_724_170),
            (b.float(-1.5), 3_220_701_184),
            (b.binary(&[1, 2]), 540_096_579),
        ];
        for (t, want) in cases {
            assert_eq!(old_hash(t), want, "{t:?}");
        }
        let five = b.binary(&[5, 1 << 5]);
        let Some(t) = bin::sub_binary(&mut b, five, 0, 11) else { panic!("a bitstring") };
        assert_eq!(old_hash(t), 3_169_177_080);
    }
}
