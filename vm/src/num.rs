//! Stand-in until the real one lands (another worktree has it): replace the whole file.
use crate::{heap::Alloc, term::Term};
use num_bigint::{BigInt, BigUint, Sign};
#[derive(Debug)]
pub enum ArithError {
    BadArith,
    SystemLimit,
}
type R = Result<Term, ArithError>;
pub fn big(t: Term) -> Option<BigInt> {
    if t.is_small() {
        return Some(BigInt::from(t.small_value()));
    }
    if t.is_big() {
        let (n, d) = t.big_digits();
        let mut v = Vec::new();
        for &x in d {
            v.push(x as u32);
            v.push((x >> 32) as u32);
        }
        return Some(BigInt::from_biguint(if n { Sign::Minus } else { Sign::Plus }, BigUint::new(v)));
    }
    None
}
pub fn from_big<A: Alloc + ?Sized>(a: &mut A, b: &BigInt) -> Term {
    let (s, d) = b.to_u64_digits();
    a.big(s == Sign::Minus, &d)
}
pub fn to_float(t: Term) -> Result<f64, ArithError> {
    if t.is_small() {
        return Ok(t.small_value() as f64);
    }
    if t.is_float() {
        return Ok(t.float_value());
    }
    let b = big(t).ok_or(ArithError::BadArith)?;
    let f: f64 = b.to_string().parse().unwrap_or(f64::INFINITY);
    if f.is_finite() { Ok(f) } else { Err(ArithError::BadArith) }
}
fn mixed<A: Alloc + ?Sized>(
    a: &mut A,
    x: Term,
    y: Term,
    i: fn(BigInt, BigInt) -> BigInt,
    f: fn(f64, f64) -> f64,
) -> R {
    if let (Some(p), Some(q)) = (big(x), big(y)) {
        return Ok(from_big(a, &i(p, q)));
    }
    let r = f(to_float(x)?, to_float(y)?);
    if r.is_finite() { Ok(a.float(r)) } else { Err(ArithError::BadArith) }
}
pub fn add<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    mixed(a, x, y, |p, q| p + q, |p, q| p + q)
}
pub fn sub<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    mixed(a, x, y, |p, q| p - q, |p, q| p - q)
}
pub fn mul<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    mixed(a, x, y, |p, q| p * q, |p, q| p * q)
}
fn ints(x: Term, y: Term) -> Result<(BigInt, BigInt), ArithError> {
    Ok((big(x).ok_or(ArithError::BadArith)?, big(y).ok_or(ArithError::BadArith)?))
}
pub fn int_div<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, q) = ints(x, y)?;
    if q.sign() == Sign::NoSign {
        return Err(ArithError::BadArith);
    }
    Ok(from_big(a, &(p / q)))
}
pub fn rem<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, q) = ints(x, y)?;
    if q.sign() == Sign::NoSign {
        return Err(ArithError::BadArith);
    }
    Ok(from_big(a, &(p % q)))
}
pub fn band<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, q) = ints(x, y)?;
    Ok(from_big(a, &(p & q)))
}
pub fn bor<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, q) = ints(x, y)?;
    Ok(from_big(a, &(p | q)))
}
pub fn bxor<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, q) = ints(x, y)?;
    Ok(from_big(a, &(p ^ q)))
}
pub fn bsl<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, _) = ints(x, y)?;
    let s = y.as_small().ok_or(ArithError::SystemLimit)?;
    if s >= 0 {
        if s > 1 << 24 {
            return Err(ArithError::SystemLimit);
        }
        Ok(from_big(a, &(p << s as usize)))
    } else {
        Ok(from_big(a, &(p >> (-s) as usize)))
    }
}
pub fn bsr<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> R {
    let (p, _) = ints(x, y)?;
    let s = y.as_small().ok_or(ArithError::SystemLimit)?;
    if s >= 0 { Ok(from_big(a, &(p >> s as usize))) } else { Ok(from_big(a, &(p << (-s) as usize))) }
}
