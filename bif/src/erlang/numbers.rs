//! Numbers: the operators as functions, rounding, comparison.

use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::num::{self, ArithError};
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, cmp};
use std::cmp::Ordering;

fn arith(p: &mut Process, r: Result<Term, ArithError>) -> BifResult {
    r.map_err(|e| match e {
        ArithError::SystemLimit => p.system_limit(),
        _ => p.badarith(),
    })
}

macro_rules! operators {
    ($($name:ident)*) => {
        $(fn $name(p: &mut Process, a: &[Term]) -> BifResult {
            let r = num::$name(p, a[0], a[1]);
            arith(p, r)
        })*
    };
}
operators! { add sub mul int_div rem band bor bxor }

/// Shifting left by more bits than this is out of the question.
const MOST_BITS: i64 = 1 << 25;

/// Whether a shift of `x` to the left by `by` bits makes too large an integer.
fn too_far(x: Term, by: Option<i64>, negative: bool) -> bool {
    x.is_integer() && x != Term::small(0) && by.map_or(!negative, |n| n > MOST_BITS)
}

fn is_negative(t: Term) -> bool {
    t.is_big() && t.big_digits().0
}

fn bsl(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].is_integer() && too_far(a[0], a[1].as_small(), is_negative(a[1])) {
        return Err(p.system_limit());
    }
    let r = num::bsl(p, a[0], a[1]);
    arith(p, r)
}

fn bsr(p: &mut Process, a: &[Term]) -> BifResult {
    if a[1].is_integer() && too_far(a[0], a[1].as_small().map(|n| -n), !is_negative(a[1])) {
        return Err(p.system_limit());
    }
    let r = num::bsr(p, a[0], a[1]);
    arith(p, r)
}

fn plus(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_number() { Ok(a[0]) } else { Err(p.badarith()) }
}

fn negate(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_float() {
        return Ok(p.float(-a[0].float_value()));
    }
    let r = num::sub(p, Term::small(0), a[0]);
    arith(p, r)
}

fn bnot(p: &mut Process, a: &[Term]) -> BifResult {
    let r = num::bxor(p, a[0], Term::small(-1));
    arith(p, r)
}

fn divide(p: &mut Process, a: &[Term]) -> BifResult {
    match (num::to_float(a[0]), num::to_float(a[1])) {
        (Ok(x), Ok(y)) if y != 0.0 && (x / y).is_finite() => Ok(p.float(x / y)),
        _ => Err(p.badarith()),
    }
}

// ---- truth

fn truth(t: Term) -> Option<bool> {
    t.is_boolean().then_some(t == atoms::TRUE)
}

fn logic(p: &mut Process, a: &[Term], f: impl Fn(bool, bool) -> bool) -> BifResult {
    match truth(a[0]).zip(truth(a[1])) {
        Some((x, y)) => Ok(Term::bool(f(x, y))),
        None => Err(p.badarg()),
    }
}

fn and(p: &mut Process, a: &[Term]) -> BifResult {
    logic(p, a, |x, y| x && y)
}
fn or(p: &mut Process, a: &[Term]) -> BifResult {
    logic(p, a, |x, y| x || y)
}
fn xor(p: &mut Process, a: &[Term]) -> BifResult {
    logic(p, a, |x, y| x != y)
}
fn not(p: &mut Process, a: &[Term]) -> BifResult {
    match truth(a[0]) {
        Some(x) => Ok(Term::bool(!x)),
        None => Err(p.badarg()),
    }
}

// ---- comparison

fn order(a: &[Term]) -> Ordering {
    cmp::compare(a[0], a[1])
}

macro_rules! comparisons {
    ($($name:ident: |$a:ident| $e:expr;)*) => {
        $(fn $name(_: &mut Process, $a: &[Term]) -> BifResult {
            Ok(Term::bool($e))
        })*
    };
}
comparisons! {
    lt: |a| order(a).is_lt();
    gt: |a| order(a).is_gt();
    le: |a| order(a).is_le();
    ge: |a| order(a).is_ge();
    eq: |a| cmp::eq(a[0], a[1]);
    ne: |a| !cmp::eq(a[0], a[1]);
    exact_eq: |a| cmp::exact_eq(a[0], a[1]);
    exact_ne: |a| !cmp::exact_eq(a[0], a[1]);
}

fn max(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(if order(a).is_ge() { a[0] } else { a[1] })
}
fn min(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(if order(a).is_le() { a[0] } else { a[1] })
}

// ---- rounding

/// A float without fraction as an integer.
pub fn float_to_int(p: &mut Process, f: f64) -> Term {
    if f.abs() < 9.2e18 {
        return p.int(f as i64);
    }
    let bits = f.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as usize - 1075;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let mut digits = vec![0u64; exponent / 64 + 2];
    let wide = (mantissa as u128) << (exponent % 64);
    digits[exponent / 64] = wide as u64;
    digits[exponent / 64 + 1] = (wide >> 64) as u64;
    p.big(f < 0.0, &digits)
}

fn rounded(p: &mut Process, a: &[Term], f: fn(f64) -> f64) -> BifResult {
    if a[0].is_float() {
        Ok(float_to_int(p, f(a[0].float_value())))
    } else if a[0].is_integer() {
        Ok(a[0])
    } else {
        Err(p.badarg())
    }
}

fn trunc(p: &mut Process, a: &[Term]) -> BifResult {
    rounded(p, a, f64::trunc)
}
fn round(p: &mut Process, a: &[Term]) -> BifResult {
    rounded(p, a, f64::round)
}
fn ceil(p: &mut Process, a: &[Term]) -> BifResult {
    rounded(p, a, f64::ceil)
}
fn floor(p: &mut Process, a: &[Term]) -> BifResult {
    rounded(p, a, f64::floor)
}

fn float(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_float() {
        return Ok(a[0]);
    }
    match num::to_float(a[0]) {
        Ok(f) => Ok(p.float(f)),
        Err(_) => Err(p.badarg()),
    }
}

fn abs(p: &mut Process, a: &[Term]) -> BifResult {
    let t = a[0];
    if let Some(v) = t.as_small() {
        Ok(p.int(v.abs()))
    } else if t.is_float() {
        // Zero keeps its sign before OTP 27.
        let f = t.float_value();
        let negative = f < 0.0 || (f.is_sign_negative() && chime_vm::release::since(27));
        Ok(if negative { p.float(-f) } else { t })
    } else if t.is_big() {
        let (negative, digits) = t.big_digits();
        Ok(if negative { p.big(false, digits) } else { t })
    } else {
        let bail: Bail = p.badarg();
        Err(bail)
    }
}

bifs! { TABLE, "erlang";
    "+"/1 [GUARD PURE] => plus,
    "-"/1 [GUARD PURE] => negate,
    "+"/2 [GUARD PURE] => add,
    "-"/2 [GUARD PURE] => sub,
    "*"/2 [GUARD PURE] => mul,
    "/"/2 [GUARD PURE] => divide,
    "div"/2 [GUARD PURE] => int_div,
    "rem"/2 [GUARD PURE] => rem,
    "band"/2 [GUARD PURE] => band,
    "bor"/2 [GUARD PURE] => bor,
    "bxor"/2 [GUARD PURE] => bxor,
    "bnot"/1 [GUARD PURE] => bnot,
    "bsl"/2 [GUARD PURE] => bsl,
    "bsr"/2 [GUARD PURE] => bsr,
    "and"/2 [GUARD PURE] => and,
    "or"/2 [GUARD PURE] => or,
    "xor"/2 [GUARD PURE] => xor,
    "not"/1 [GUARD PURE] => not,
    "<"/2 [GUARD PURE] => lt,
    ">"/2 [GUARD PURE] => gt,
    "=<"/2 [GUARD PURE] => le,
    ">="/2 [GUARD PURE] => ge,
    "=="/2 [GUARD PURE] => eq,
    "/="/2 [GUARD PURE] => ne,
    "=:="/2 [GUARD PURE] => exact_eq,
    "=/="/2 [GUARD PURE] => exact_ne,
    "max"/2 [GUARD PURE] => max,
    "min"/2 [GUARD PURE] => min,
    "trunc"/1 [GUARD PURE] => trunc,
    "round"/1 [GUARD PURE] => round,
    "ceil"/1 [GUARD PURE] => ceil,
    "floor"/1 [GUARD PURE] => floor,
    "float"/1 [GUARD PURE] => float,
    "abs"/1 [GUARD PURE] => abs,
}
