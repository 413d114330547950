//! Loops over 64-bit digits, least significant first.

use crate::term::Term;
use num_bigint::BigUint;
use std::cmp::Ordering;

/// Sign and magnitude of an integer term.
#[derive(Clone, Copy)]
pub struct Int<'a> {
    pub negative: bool,
    /// No leading zeros, except that zero is `[0]`.
    pub digits: &'a [u64],
}

impl<'a> Int<'a> {
    /// View of an integer; `slot` holds the magnitude of a small one.
    pub fn of(t: Term, slot: &'a mut u64) -> Option<Int<'a>> {
        if t.is_small() {
            *slot = t.small_value().unsigned_abs();
            Some(Int { negative: t.small_value() < 0, digits: std::slice::from_ref(slot) })
        } else if t.is_big() {
            let (negative, digits) = t.big_digits();
            Some(Int { negative, digits })
        } else {
            None
        }
    }
    pub fn is_zero(&self) -> bool {
        matches!(self.digits, [0])
    }
}

/// Runs `f` on `n` zero digits: on the machine's stack when there are few.
pub fn with_buffer<R>(n: usize, f: impl FnOnce(&mut [u64]) -> R) -> R {
    if n <= 24 { f(&mut [0; 24][..n]) } else { f(&mut vec![0; n]) }
}

/// Number of digits without leading zeros.
pub fn significant(d: &[u64]) -> usize {
    d.iter().rposition(|&d| d != 0).map_or(0, |i| i + 1)
}

/// Compares magnitudes without leading zeros.
pub fn compare(x: &[u64], y: &[u64]) -> Ordering {
    x.len().cmp(&y.len()).then_with(|| x.iter().rev().cmp(y.iter().rev()))
}

pub fn to_big(d: &[u64]) -> BigUint {
    BigUint::new(d.iter().flat_map(|&d| [d as u32, (d >> 32) as u32]).collect())
}

/// `r = x + y`; `x` is the longer, `r` one longer still.
pub fn add(r: &mut [u64], x: &[u64], y: &[u64]) {
    let mut carry = false;
    for (i, r) in r.iter_mut().enumerate() {
        let (s, c1) = x.get(i).unwrap_or(&0).overflowing_add(*y.get(i).unwrap_or(&0));
        let (s, c2) = s.overflowing_add(carry as u64);
        (*r, carry) = (s, c1 | c2);
    }
}

/// `r = x - y`; `x` is not less than `y`.
pub fn sub(r: &mut [u64], x: &[u64], y: &[u64]) {
    let mut borrow = false;
    for (i, r) in r.iter_mut().enumerate() {
        let (s, b1) = x.get(i).unwrap_or(&0).overflowing_sub(*y.get(i).unwrap_or(&0));
        let (s, b2) = s.overflowing_sub(borrow as u64);
        (*r, borrow) = (s, b1 | b2);
    }
}

/// `r += 1`, unless `r` is all ones.
pub fn increment(r: &mut [u64]) {
    for d in r {
        let carry;
        (*d, carry) = d.overflowing_add(1);
        if !carry {
            return;
        }
    }
}

/// `r = x * y`; `r` is zero and as long as both together.
pub fn mul(r: &mut [u64], x: &[u64], y: &[u64]) {
    for (i, &x) in x.iter().enumerate() {
        let mut carry = 0;
        for (&y, r) in y.iter().zip(&mut r[i..]) {
            let t = x as u128 * y as u128 + *r as u128 + carry as u128;
            *r = t as u64;
            carry = (t >> 64) as u64;
        }
        r[i + y.len()] = carry;
    }
}

/// `q = x / d`, and returns the remainder. `d` is not zero.
pub fn div_digit(q: &mut [u64], x: &[u64], d: u64) -> u64 {
    let mut rest = 0;
    for (q, &x) in q.iter_mut().zip(x).rev() {
        let t = (rest as u128) << 64 | x as u128;
        *q = (t / d as u128) as u64;
        rest = (t % d as u128) as u64;
    }
    rest
}

/// `r = x` shifted up by `words` digits and `bits` bits; what does not fit is lost.
pub fn shift_left(r: &mut [u64], x: &[u64], words: usize, bits: u32) {
    let mut low = 0;
    for (i, r) in r.iter_mut().skip(words).enumerate() {
        let d = *x.get(i).unwrap_or(&0);
        *r = if bits == 0 { d } else { d << bits | low >> (64 - bits) };
        low = d;
    }
}

/// `r = x` shifted down by `words` digits and `bits` bits; whether a set bit was lost.
pub fn shift_right(r: &mut [u64], x: &[u64], words: usize, bits: u32) -> bool {
    for (i, r) in r.iter_mut().enumerate() {
        let (d, high) = (*x.get(words + i).unwrap_or(&0), *x.get(words + i + 1).unwrap_or(&0));
        *r = if bits == 0 { d } else { d >> bits | high << (64 - bits) };
    }
    x[..words].iter().any(|&d| d != 0) || x[words] & ((1 << bits) - 1) != 0
}

/// Digit by digit of the two's complement of an integer, without end.
fn complement(x: Int) -> impl Iterator<Item = u64> {
    let mut carry = true;
    x.digits.iter().copied().chain(std::iter::repeat(0)).map(move |d| {
        if !x.negative {
            return d;
        }
        let (r, c) = (!d).overflowing_add(carry as u64);
        carry = c;
        r
    })
}

/// `r = op(x, y)` on two's complements; `r` is one longer than both. Leaves the magnitude, returns the sign.
pub fn bit_op(r: &mut [u64], x: Int, y: Int, op: impl Fn(u64, u64) -> u64) -> bool {
    for ((r, x), y) in r.iter_mut().zip(complement(x)).zip(complement(y)) {
        *r = op(x, y);
    }
    let negative = r.last().is_some_and(|d| d >> 63 == 1);
    if negative {
        r.iter_mut().for_each(|d| *d = !*d);
        increment(r);
    }
    negative
}
