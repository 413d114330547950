//! `phash2`: Bob Jenkins' mixing of 1996 over the term, the same on every node and every release.

use crate::atoms;
use crate::bin::Bits;
use crate::cmp::{byte_at, entry, export};
use crate::term::{Term, sub};

const GOLDEN: u32 = 0x9E37_79B9;

/// The constant of a kind of term.
const fn k(n: u32) -> u32 {
    GOLDEN.wrapping_mul(n)
}

fn jenkins(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    macro_rules! step {
        ($x:ident, $y:ident, $z:ident, $shifted:expr) => {
            $x = $x.wrapping_sub($y).wrapping_sub($z);
            $x ^= $shifted;
        };
    }
    step!(a, b, c, c >> 13);
    step!(b, c, a, a << 8);
    step!(c, a, b, b >> 13);
    step!(a, b, c, c >> 12);
    step!(b, c, a, a << 16);
    step!(c, a, b, b >> 5);
    step!(a, b, c, c >> 3);
    step!(b, c, a, a << 10);
    step!(c, a, b, b >> 15);
    (a, b, c)
}

fn two(h: u32, x: u32, y: u32, k: u32) -> u32 {
    jenkins(k.wrapping_add(x), k.wrapping_add(y), h).2
}

fn one(h: u32, x: u32, k: u32) -> u32 {
    two(h, x, 0, k)
}

fn block(bytes: &[u8], start: u32) -> u32 {
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, start);
    let word = |w: &[u8]| w.iter().rev().fold(0u32, |v, &b| v << 8 | b as u32);
    let mut chunks = bytes.chunks_exact(12);
    for w in &mut chunks {
        a = a.wrapping_add(word(&w[..4]));
        b = b.wrapping_add(word(&w[4..8]));
        c = c.wrapping_add(word(&w[8..]));
        (a, b, c) = jenkins(a, b, c);
    }
    let rest = chunks.remainder();
    let part = |from: usize, to: usize| word(&rest[from.min(rest.len())..to.min(rest.len())]);
    c = c.wrapping_add(bytes.len() as u32);
    // The lowest byte of the last word holds the length.
    c = c.wrapping_add(part(8, 11) << 8);
    b = b.wrapping_add(part(4, 8));
    a = a.wrapping_add(part(0, 4));
    jenkins(a, b, c).2
}

fn bits(h: u32, b: Bits) -> u32 {
    let start = k(13).wrapping_add(h);
    if b.bits == 0 {
        return start;
    }
    let n = b.bits / 8;
    let h = if b.bit == 0 {
        block(&b.bytes[..n], start)
    } else {
        block(&(0..n).map(|i| byte_at(b, i)).collect::<Vec<u8>>(), start)
    };
    match b.bits % 8 {
        0 => h,
        rest => two(h, rest as u32, (byte_at(b, n) >> (8 - rest)) as u32, k(15)),
    }
}

/// The hash of an atom's name: PJW's, on characters where they are Latin-1, else on bytes of UTF-8.
pub fn atom_hash(atom: Term) -> u32 {
    let mut bytes = atoms::name(atom).bytes().peekable();
    let mut h = 0u32;
    while let Some(mut v) = bytes.next() {
        if v & 0xFE == 0xC2
            && let Some(low) = bytes.next_if(|b| b & 0xC0 == 0x80)
        {
            v = v << 6 | low & 0x3F;
        }
        h = (h << 4).wrapping_add(v as u32);
        let g = h & 0xF000_0000;
        h ^= g >> 24;
        h ^= g;
    }
    h
}

fn integer(h: u32, negative: bool, digits: &[u64]) -> u32 {
    let k = if negative { k(10) } else { k(11) };
    digits.iter().fold(h, |h, &d| two(h, d as u32, (d >> 32) as u32, k))
}

fn small(mut h: u32, v: i64) -> u32 {
    if !(-(1 << 27)..1 << 27).contains(&v) {
        return integer(h, v < 0, &[v.unsigned_abs()]);
    }
    if v < 0 {
        h = one(h, v.unsigned_abs() as u32, GOLDEN);
    }
    one(h, v as u32, GOLDEN)
}

fn port(h: u32, number: u64) -> u32 {
    two(h, number as u32, (number >> 32) as u32, k(6))
}

enum Todo {
    Terms(&'static [Term]),
    /// A pair of the innermost map is done.
    Pair,
    /// A map is done: its hash without the pairs, and the pairs' of the map around it.
    Map {
        before: u32,
        outer: u32,
    },
}

/// The hash, 32 bits. `erlang:phash2/1` shows the low 27.
pub fn phash2(t: Term) -> u32 {
    let mut h = 0u32;
    // The pairs of a map hash independently of their order: each from 0, combined by xor.
    let mut pairs = 0u32;
    let mut stack: Vec<Todo> = Vec::new();
    let mut t = t;
    loop {
        match t.subtag() {
            _ if t.is_cons() => {
                // Bytes at the front of a list are taken four at a time.
                let (mut n, mut bytes, mut l) = (0, 0u32, t);
                while l.is_cons()
                    && let Some(b) = l.head().as_small().filter(|b| (0..256).contains(b))
                {
                    bytes = bytes << 8 | b as u32;
                    n += 1;
                    if n == 4 {
                        h = one(h, bytes, k(4));
                        (n, bytes) = (0, 0);
                    }
                    l = l.tail();
                }
                if n > 0 {
                    h = one(h, bytes, k(4));
                }
                if l.is_cons() {
                    // SAFETY: the second word of a live list cell.
                    let tail = unsafe { std::slice::from_raw_parts(l.ptr().wrapping_add(1), 1) };
                    stack.push(Todo::Terms(tail));
                    t = l.head();
                } else {
                    t = l;
                }
                continue;
            }
            None if t.is_small() => h = small(h, t.small_value()),
            None if t.is_atom() => {
                let a = atom_hash(t);
                h = if h == 0 { a } else { one(h, a, k(3)) };
            }
            None if t.is_nil() => h = if h == 0 { 3_468_870_702 } else { one(h, NIL, k(2)) },
            None if t.is_local_pid() => h = one(h, t.pid_data() as u32 & 0xFFF_FFFF, k(5)),
            None => h = port(h, t.pid_data()),
            Some(sub::TUPLE) => {
                h = one(h, t.body().len() as u32, k(9));
                stack.push(Todo::Terms(t.body()));
            }
            Some(sub::POS_BIG | sub::NEG_BIG) => {
                let (negative, digits) = t.big_digits();
                h = integer(h, negative, digits);
            }
            Some(sub::FLOAT) => {
                let bits = if t.float_value() == 0.0 { 0 } else { t.word(1).0 };
                h = two(h, (bits >> 32) as u32, bits as u32, k(12));
            }
            Some(sub::REF) => h = one(h, crate::refs::ids(t)[0], k(7)),
            Some(sub::EXT_REF) => h = one(h, crate::external::ref_numbers(t).0[0], k(7)),
            Some(sub::EXT_PID) => h = one(h, t.word(2).0 as u32, k(5)),
            Some(sub::EXT_PORT) => h = port(h, t.word(2).0),
            Some(sub::EXPORT) => {
                let e = export(t);
                h = two(h, e.arity, atom_hash(e.module), k(1));
                h = one(h, atom_hash(e.function), k(14));
            }
            Some(sub::FUN) => {
                let e = entry(t);
                h = two(h, e.num_free, atom_hash(e.module), k(1));
                h = two(h, e.old_index, e.old_uniq, k(1));
                stack.push(Todo::Terms(&t.body()[2..]));
            }
            Some(sub::MAP) => {
                h = one(h, t.word(1).0 as u32, k(16));
                if t.word(1).0 != 0 {
                    stack.push(Todo::Map { before: h, outer: pairs });
                    (h, pairs) = (0, 0);
                    if crate::map::is_flat(t) {
                        let (keys, values) = crate::map::flat_parts(t);
                        for i in 0..keys.len() {
                            stack.push(Todo::Pair);
                            stack.push(Todo::Terms(&values[i..=i]));
                            stack.push(Todo::Terms(&keys[i..=i]));
                        }
                    } else {
                        push_leaves(&mut stack, t);
                    }
                }
            }
            Some(_) => {
                if let Some(b) = crate::bin::bits(t) {
                    h = bits(h, b);
                }
            }
        }
        loop {
            match stack.pop() {
                None => return h,
                Some(Todo::Terms([])) => {}
                Some(Todo::Terms([first, rest @ ..])) => {
                    if !rest.is_empty() {
                        stack.push(Todo::Terms(rest));
                    }
                    t = *first;
                    break;
                }
                Some(Todo::Pair) => {
                    pairs ^= h;
                    h = 0;
                }
                Some(Todo::Map { before, outer }) => {
                    h = one(before, pairs, k(19));
                    pairs = outer;
                }
            }
        }
    }
}

/// What stands for the end of a list.
const NIL: u32 = 2;

/// The leaves of a hashed map, cells `[Key | Value]`, as pairs.
fn push_leaves(stack: &mut Vec<Todo>, map: Term) {
    let mut nodes: Vec<&'static [Term]> = vec![&map.body()[1..]];
    while let Some(kids) = nodes.pop() {
        for kid in kids {
            if kid.is_cons() {
                // SAFETY: the two words of a live list cell.
                let cell: &'static [Term] = unsafe { std::slice::from_raw_parts(kid.ptr(), 2) };
                stack.push(Todo::Pair);
                stack.push(Todo::Terms(cell));
            } else {
                nodes.push(kid.body());
            }
        }
    }
}
