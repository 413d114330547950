//! Integers from and to text.

use super::{Arith, ArithError, MAX_DIGITS, as_i128, digits, from_big};
use crate::heap::Alloc;
use crate::term::Term;
use num_bigint::BigUint;

/// Characters parsed in one go; longer text is halved, so that its cost is that of a few products.
const PIECE: usize = 512;

/// An integer from an optional sign and at least one digit of `base` (2 to 36). Nothing else may stand there.
pub fn int_from_text<A: Alloc + ?Sized>(a: &mut A, text: &[u8], base: u32) -> Arith {
    if !(2..=36).contains(&base) {
        return Err(ArithError::BadArg);
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(|&c| (c as char).is_digit(base)) {
        return Err(ArithError::BadArg);
    }
    if digits.len() <= 24 {
        // 36^24 < 2^127
        let v = digits
            .iter()
            .fold(0i128, |v, &c| v * base as i128 + (c as char).to_digit(base).unwrap_or(0) as i128);
        return Ok(a.int128(if negative { -v } else { v }));
    }
    let digits = &digits[digits.iter().position(|&c| c != b'0').unwrap_or(digits.len() - 1)..];
    if digits.len() > MAX_DIGITS * 64 + 1 {
        return Err(ArithError::SystemLimit);
    }
    from_big(a, negative, &parse(digits, base, &mut Vec::new(), 0))
}

/// Halves at `PIECE << level` from the end; `powers[i]` is `base ^ (PIECE << i)`.
fn parse(text: &[u8], base: u32, powers: &mut Vec<BigUint>, depth: usize) -> BigUint {
    debug_assert!(depth < 64);
    if text.len() <= PIECE {
        return BigUint::parse_bytes(text, base).unwrap_or_default();
    }
    let mut level = 0;
    while PIECE << (level + 1) < text.len() {
        level += 1;
    }
    let (high, low) = text.split_at(text.len() - (PIECE << level));
    let high = parse(high, base, powers, depth + 1);
    let low = parse(low, base, powers, depth + 1);
    while powers.len() <= level {
        let next = match powers.last() {
            None => BigUint::from(base).pow(PIECE as u32),
            Some(p) => p * p,
        };
        powers.push(next);
    }
    high * &powers[level] + low
}

/// The digits of an integer in `base` (2 to 36), upper case; `None` if the term or the base is none.
pub fn int_to_text(t: Term, base: u32) -> Option<String> {
    if !(2..=36).contains(&base) {
        return None;
    }
    if let Some(v) = as_i128(t) {
        if base == 10 {
            return Some(match i64::try_from(v) {
                Ok(v) => v.to_string(),
                Err(_) => v.to_string(),
            });
        }
        let mut m = v.unsigned_abs();
        let mut text = Vec::new();
        loop {
            let d = (m % base as u128) as u32;
            text.push(char::from_digit(d, base).unwrap_or('0').to_ascii_uppercase());
            m /= base as u128;
            if m == 0 {
                break;
            }
        }
        if v < 0 {
            text.push('-');
        }
        return Some(text.into_iter().rev().collect());
    }
    if !t.is_big() {
        return None;
    }
    let (negative, d) = t.big_digits();
    let mut text = digits::to_big(d).to_str_radix(base);
    text.make_ascii_uppercase();
    if negative {
        text.insert(0, '-');
    }
    Some(text)
}
