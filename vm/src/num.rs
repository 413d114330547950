//! Integers and floats: arithmetic on terms, conversions, text.
//!
//! Small operands and bignums of up to two digits go through `i128`. Beyond that, sums, shifts and bit
//! operations are loops over digits here; large products, quotients and decimal text are num-bigint's.
//!
//! An operand that is no number gives [`ArithError::BadArith`] from the operators and
//! [`ArithError::BadArg`] from the functions (`abs`, `trunc`, `to_float`, …), as on OTP.

mod digits;
mod text;

use crate::heap::Alloc;
use crate::term::Term;
use digits::{Int, with_buffer};
use num_bigint::BigUint;
use std::cmp::Ordering;
pub use text::{int_from_text, int_to_text};

/// Why arithmetic gives no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithError {
    BadArith,
    BadArg,
    /// The integer would need more than [`MAX_DIGITS`].
    SystemLimit,
}
use ArithError::{BadArg, BadArith, SystemLimit};

/// A number, or why there is none.
pub type Arith<T = Term> = Result<T, ArithError>;

/// The most 64-bit digits a bignum may have, as on OTP.
pub const MAX_DIGITS: usize = (1 << 19) - 1;

/// The value of an integer of up to 127 bits.
#[inline]
pub fn as_i128(t: Term) -> Option<i128> {
    if t.is_small() {
        return Some(t.small_value() as i128);
    }
    if !t.is_big() {
        return None;
    }
    let (negative, d) = t.big_digits();
    let magnitude = match *d {
        [lo] => lo as i128,
        [lo, hi] if hi >> 63 == 0 => (hi as i128) << 64 | lo as i128,
        _ => return None,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// The value of an integer that fits.
pub fn as_i64(t: Term) -> Option<i64> {
    if t.is_small() { Some(t.small_value()) } else { as_i128(t)?.try_into().ok() }
}

/// The value of an integer that fits.
pub fn as_u64(t: Term) -> Option<u64> {
    if t.is_small() { t.small_value().try_into().ok() } else { as_i128(t)?.try_into().ok() }
}

/// `true` for an integer below zero.
pub fn is_negative(t: Term) -> bool {
    if t.is_small() { t.small_value() < 0 } else { t.is_big() && t.big_digits().0 }
}

/// A number as float, `None` if it is none or is too large. Digits of bignums are added up from the top
/// in floating point, as OTP does: results are not always the nearest float, but the same on both.
#[inline]
fn float_of(t: Term) -> Option<f64> {
    if t.is_small() {
        return Some(t.small_value() as f64);
    }
    if t.is_float() {
        return Some(t.float_value());
    }
    if !t.is_big() {
        return None;
    }
    let (negative, d) = t.big_digits();
    if d.len() > 17 {
        return None;
    }
    let f = d.iter().rev().fold(0.0, |f, &d| f * 18_446_744_073_709_551_616.0 + d as f64);
    f.is_finite().then_some(if negative { -f } else { f })
}

/// `float/1`.
pub fn to_float(t: Term) -> Arith<f64> {
    float_of(t).ok_or(BadArg)
}

fn finite<A: Alloc + ?Sized>(a: &mut A, f: f64) -> Arith {
    if f.is_finite() { Ok(a.float(f)) } else { Err(BadArith) }
}

/// The operator on floats, when at least one operand is one.
fn float_op<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term, op: impl Fn(f64, f64) -> f64) -> Arith {
    match (float_of(x), float_of(y)) {
        (Some(x), Some(y)) => finite(a, op(x, y)),
        _ => Err(BadArith),
    }
}

/// An integer of any size.
pub fn from_digits<A: Alloc + ?Sized>(a: &mut A, negative: bool, digits: &[u64]) -> Arith {
    let n = digits::significant(digits);
    if n > MAX_DIGITS { Err(SystemLimit) } else { Ok(a.big(negative, &digits[..n])) }
}

fn from_big<A: Alloc + ?Sized>(a: &mut A, negative: bool, big: &BigUint) -> Arith {
    from_digits(a, negative, &big.to_u64_digits())
}

fn sum<A: Alloc + ?Sized>(a: &mut A, x: Int, y: Int) -> Arith {
    let (x, y) = if x.digits.len() >= y.digits.len() { (x, y) } else { (y, x) };
    with_buffer(x.digits.len() + 1, |r| {
        if x.negative == y.negative {
            digits::add(r, x.digits, y.digits);
            return from_digits(a, x.negative, r);
        }
        match digits::compare(x.digits, y.digits) {
            Ordering::Less => {
                digits::sub(r, y.digits, x.digits);
                from_digits(a, y.negative, r)
            }
            _ => {
                digits::sub(r, x.digits, y.digits);
                from_digits(a, x.negative, r)
            }
        }
    })
}

/// `X + Y`
pub fn add<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    if let (Some(v), Some(w)) = (as_i128(x), as_i128(y))
        && let Some(r) = v.checked_add(w)
    {
        return Ok(a.int128(r));
    }
    match (Int::of(x, &mut 0), Int::of(y, &mut 0)) {
        (Some(v), Some(w)) => sum(a, v, w),
        _ => float_op(a, x, y, |x, y| x + y),
    }
}

/// `X - Y`
pub fn sub<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    if let (Some(v), Some(w)) = (as_i128(x), as_i128(y))
        && let Some(r) = v.checked_sub(w)
    {
        return Ok(a.int128(r));
    }
    match (Int::of(x, &mut 0), Int::of(y, &mut 0)) {
        (Some(v), Some(w)) => sum(a, v, Int { negative: !w.negative, ..w }),
        _ => float_op(a, x, y, |x, y| x - y),
    }
}

/// `X * Y`
pub fn mul<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    if let (Some(v), Some(w)) = (as_i128(x), as_i128(y))
        && let Some(r) = v.checked_mul(w)
    {
        return Ok(a.int128(r));
    }
    let [s1, s2] = &mut [0; 2];
    let (Some(v), Some(w)) = (Int::of(x, s1), Int::of(y, s2)) else {
        return float_op(a, x, y, |x, y| x * y);
    };
    let (n, m) = (v.digits.len(), w.digits.len());
    if v.is_zero() || w.is_zero() {
        return Ok(Term::small(0));
    }
    if n + m - 1 > MAX_DIGITS {
        return Err(SystemLimit);
    }
    let negative = v.negative != w.negative;
    if n.min(m) <= 32 {
        return with_buffer(n + m, |r| {
            digits::mul(r, v.digits, w.digits);
            from_digits(a, negative, r)
        });
    }
    from_big(a, negative, &(digits::to_big(v.digits) * digits::to_big(w.digits)))
}

/// Quotient if `QUOTIENT`, else remainder.
fn divide<A: Alloc + ?Sized, const QUOTIENT: bool>(a: &mut A, x: Term, y: Term) -> Arith {
    if let (Some(v), Some(w)) = (as_i128(x), as_i128(y)) {
        let r = if QUOTIENT { v.checked_div(w) } else { v.checked_rem(w) };
        return r.map(|r| a.int128(r)).ok_or(BadArith);
    }
    let [s1, s2] = &mut [0; 2];
    let (Some(v), Some(w)) = (Int::of(x, s1), Int::of(y, s2)) else {
        return Err(BadArith);
    };
    if w.is_zero() {
        return Err(BadArith);
    }
    if digits::compare(v.digits, w.digits) == Ordering::Less {
        return Ok(if QUOTIENT { Term::small(0) } else { x });
    }
    let negative = if QUOTIENT { v.negative != w.negative } else { v.negative };
    if let [d] = *w.digits {
        return with_buffer(v.digits.len(), |q| {
            let rest = digits::div_digit(q, v.digits, d);
            if QUOTIENT { from_digits(a, negative, q) } else { from_digits(a, negative, &[rest]) }
        });
    }
    let (v, w) = (digits::to_big(v.digits), digits::to_big(w.digits));
    from_big(a, negative, &if QUOTIENT { v / w } else { v % w })
}

/// `X div Y`
pub fn int_div<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    divide::<A, true>(a, x, y)
}

/// `X rem Y`
pub fn rem<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    divide::<A, false>(a, x, y)
}

/// `X / Y`
pub fn div<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    float_op(a, x, y, |x, y| x / y)
}

/// `-X`
pub fn neg<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    if let Some(v) = as_i128(x) {
        Ok(a.int128(-v))
    } else if x.is_big() {
        let (negative, d) = x.big_digits();
        Ok(a.big(!negative, d))
    } else if x.is_float() {
        Ok(a.float(-x.float_value()))
    } else {
        Err(BadArith)
    }
}

fn bit_op<A: Alloc + ?Sized>(
    a: &mut A,
    x: Term,
    y: Term,
    small: impl Fn(i128, i128) -> i128,
    op: impl Fn(u64, u64) -> u64,
) -> Arith {
    if let (Some(x), Some(y)) = (as_i128(x), as_i128(y)) {
        return Ok(a.int128(small(x, y)));
    }
    let [s1, s2] = &mut [0; 2];
    let (Some(x), Some(y)) = (Int::of(x, s1), Int::of(y, s2)) else {
        return Err(BadArith);
    };
    with_buffer(x.digits.len().max(y.digits.len()) + 1, |r| {
        let negative = digits::bit_op(r, x, y, op);
        from_digits(a, negative, r)
    })
}

/// `X band Y`
pub fn band<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    bit_op(a, x, y, |x, y| x & y, |x, y| x & y)
}

/// `X bor Y`
pub fn bor<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    bit_op(a, x, y, |x, y| x | y, |x, y| x | y)
}

/// `X bxor Y`
pub fn bxor<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    bit_op(a, x, y, |x, y| x ^ y, |x, y| x ^ y)
}

/// `bnot X`
pub fn bnot<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    if !x.is_integer() {
        return Err(BadArith);
    }
    bxor(a, x, Term::small(-1))
}

fn shift<A: Alloc + ?Sized>(a: &mut A, x: Term, by: Term, left: bool) -> Arith {
    if !by.is_integer() {
        return Err(BadArith);
    }
    let mut slot = 0;
    let Some(v) = Int::of(x, &mut slot) else { return Err(BadArith) };
    let left = left != is_negative(by);
    // A shift too far to count ends like one by the largest count.
    let count = as_i64(by).map_or(u64::MAX, i64::unsigned_abs);
    if v.is_zero() || count == 0 {
        return Ok(x);
    }
    let (words, bits) = ((count / 64) as usize, (count % 64) as u32);
    if left {
        if let Some(v) = as_i128(x)
            && count < v.unsigned_abs().leading_zeros() as u64 - 1
        {
            return Ok(a.int128(v << count));
        }
        if count / 64 >= MAX_DIGITS as u64 || v.digits.len() + words > MAX_DIGITS {
            return Err(SystemLimit);
        }
        with_buffer(v.digits.len() + words + 1, |r| {
            digits::shift_left(r, v.digits, words, bits);
            from_digits(a, v.negative, r)
        })
    } else {
        if let Some(v) = as_i128(x) {
            return Ok(a.int128(v >> count.min(127)));
        }
        if count / 64 >= v.digits.len() as u64 {
            return Ok(Term::small(-(v.negative as i64)));
        }
        // Towards minus infinity: one more if a negative number lost a set bit.
        with_buffer(v.digits.len() - words + 1, |r| {
            let lost = digits::shift_right(r, v.digits, words, bits);
            if v.negative && lost {
                digits::increment(r);
            }
            from_digits(a, v.negative, r)
        })
    }
}

/// `X bsl Y`
pub fn bsl<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    shift(a, x, y, true)
}

/// `X bsr Y`
pub fn bsr<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Arith {
    shift(a, x, y, false)
}

/// `abs/1`. Of `-0.0` it is `-0.0`, as on OTP 25.
pub fn abs<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    if x.is_float() {
        let f = x.float_value();
        return Ok(if f < 0.0 { a.float(-f) } else { x });
    }
    if !x.is_integer() {
        return Err(BadArg);
    }
    if is_negative(x) { neg(a, x) } else { Ok(x) }
}

/// The integer that a float without fraction is.
pub fn int_from_float<A: Alloc + ?Sized>(a: &mut A, f: f64) -> Term {
    if f.abs() < 9.0e18 {
        return a.int(f as i64);
    }
    if !f.is_finite() {
        return Term::small(0);
    }
    // |f| >= 2^62: the mantissa's 53 bits, shifted up.
    let exponent = (f.to_bits() >> 52 & 0x7FF) as usize - 1075;
    let mantissa = f.to_bits() & ((1 << 52) - 1) | 1 << 52;
    let mut d = [0; 17];
    digits::shift_left(&mut d, &[mantissa], exponent / 64, exponent as u32 % 64);
    a.big(f < 0.0, &d)
}

fn rounded<A: Alloc + ?Sized>(a: &mut A, x: Term, f: impl Fn(f64) -> f64) -> Arith {
    if x.is_float() {
        Ok(int_from_float(a, f(x.float_value())))
    } else if x.is_integer() {
        Ok(x)
    } else {
        Err(BadArg)
    }
}

/// `trunc/1`
pub fn trunc<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    rounded(a, x, f64::trunc)
}

/// `round/1`: halves go away from zero.
pub fn round<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    rounded(a, x, f64::round)
}

/// `floor/1`
pub fn floor<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    rounded(a, x, f64::floor)
}

/// `ceil/1`
pub fn ceil<A: Alloc + ?Sized>(a: &mut A, x: Term) -> Arith {
    rounded(a, x, f64::ceil)
}
