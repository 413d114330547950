//! Numbers to text and back.

use crate::util::{byte_list, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin, floats};
use num_bigint::{BigInt, BigUint, Sign};

// ---- integers

const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A small integer's text at the end of `buffer`.
fn small_text(v: i64, base: u32, buffer: &mut [u8; 65]) -> &[u8] {
    let (mut n, mut i, base) = (v.unsigned_abs(), buffer.len(), base as u64);
    loop {
        i -= 1;
        buffer[i] = DIGITS[(n % base) as usize];
        n /= base;
        if n == 0 {
            break;
        }
    }
    if v < 0 {
        i -= 1;
        buffer[i] = b'-';
    }
    &buffer[i..]
}

fn big_text(t: Term, base: u32) -> String {
    let (negative, digits) = t.big_digits();
    let halves = digits.iter().flat_map(|&d| [d as u32, (d >> 32) as u32]).collect();
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let mut s = BigInt::from_biguint(sign, BigUint::new(halves)).to_str_radix(base);
    s.make_ascii_uppercase();
    s
}

/// Text of an integer, given to `f`.
fn with_integer<R>(p: &mut Process, t: Term, base: u32, f: fn(&mut Process, &[u8]) -> R) -> Option<R> {
    if let Some(v) = t.as_small() {
        let mut buffer = [0; 65];
        return Some(f(p, small_text(v, base, &mut buffer)));
    }
    t.is_big().then(|| {
        let s = big_text(t, base);
        p.bump(s.len() / 4);
        f(p, s.as_bytes())
    })
}

fn to_list(p: &mut Process, s: &[u8]) -> Term {
    p.byte_list(s, Term::NIL)
}
fn to_binary(p: &mut Process, s: &[u8]) -> Term {
    p.binary(s)
}

fn base(t: Term) -> Option<u32> {
    t.as_small().filter(|b| (2..=36).contains(b)).map(|b| b as u32)
}

fn integer(p: &mut Process, t: Term, base: Option<u32>, f: fn(&mut Process, &[u8]) -> Term) -> BifResult {
    match base.and_then(|b| with_integer(p, t, b, f)) {
        Some(t) => Ok(t),
        None => Err(p.badarg()),
    }
}

fn integer_to_list_1(p: &mut Process, a: &[Term]) -> BifResult {
    integer(p, a[0], Some(10), to_list)
}
fn integer_to_list_2(p: &mut Process, a: &[Term]) -> BifResult {
    integer(p, a[0], base(a[1]), to_list)
}
fn integer_to_binary_1(p: &mut Process, a: &[Term]) -> BifResult {
    integer(p, a[0], Some(10), to_binary)
}
fn integer_to_binary_2(p: &mut Process, a: &[Term]) -> BifResult {
    integer(p, a[0], base(a[1]), to_binary)
}

/// The digits at the front of `s`, behind an optional sign: the integer and how much of `s` it takes.
/// `None` if there are none.
fn parse_integer(p: &mut Process, s: &[u8], base: u32) -> Option<(Term, usize)> {
    let (negative, skip) = match s.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let n = s[skip..].iter().take_while(|&&c| (c as char).to_digit(base).is_some()).count();
    if n == 0 {
        return None;
    }
    let digits = &s[skip..skip + n];
    let t = if n <= 12 {
        let v = digits
            .iter()
            .fold(0i64, |v, &c| v * base as i64 + (c as char).to_digit(base).unwrap_or(0) as i64);
        p.int(if negative { -v } else { v })
    } else {
        p.bump(n / 4);
        let v = BigUint::parse_bytes(digits, base)?;
        p.big(negative, &v.to_u64_digits())
    };
    Some((t, skip + n))
}

/// Longest text that is taken for an integer.
const LONGEST: usize = 1 << 26;

fn whole_integer(p: &mut Process, s: Option<&[u8]>, base: Option<u32>) -> BifResult {
    let parsed = s.zip(base).and_then(|(s, b)| parse_integer(p, s, b).filter(|&(_, n)| n == s.len()));
    match parsed {
        Some((t, _)) => Ok(t),
        None => Err(p.badarg()),
    }
}

fn list_to_integer_1(p: &mut Process, a: &[Term]) -> BifResult {
    let s = byte_list(a[0], LONGEST);
    whole_integer(p, s.as_deref(), Some(10))
}
fn list_to_integer_2(p: &mut Process, a: &[Term]) -> BifResult {
    let s = byte_list(a[0], LONGEST);
    whole_integer(p, s.as_deref(), base(a[1]))
}
fn binary_to_integer_1(p: &mut Process, a: &[Term]) -> BifResult {
    let s = bin::bytes(a[0]);
    whole_integer(p, s.as_deref(), Some(10))
}
fn binary_to_integer_2(p: &mut Process, a: &[Term]) -> BifResult {
    let s = bin::bytes(a[0]);
    whole_integer(p, s.as_deref(), base(a[1]))
}

/// The characters at the front of a list that are bytes, at most as many as `more` accepts.
fn front(list: Term, mut more: impl FnMut(&[u8], u8) -> bool) -> Vec<u8> {
    let mut s = Vec::new();
    for t in list.iter() {
        match t.as_small().and_then(|v| u8::try_from(v).ok()) {
            Some(c) if more(&s, c) => s.push(c),
            _ => break,
        }
    }
    s
}

/// What is left of a list behind `n` elements.
fn behind(list: Term, n: usize) -> Term {
    let mut it = list.iter();
    it.by_ref().take(n).for_each(drop);
    it.rest
}

/// `{Integer, Rest}`, or why not, for `string:list_to_integer/1` and the like.
fn leading_integer(p: &mut Process, list: Term, base: u32) -> Result<Term, Term> {
    if !list.is_list() {
        return Err(crate::util::atom("not_a_list"));
    }
    let s =
        front(list, |s, c| (c as char).to_digit(base).is_some() || s.is_empty() && matches!(c, b'+' | b'-'));
    match parse_integer(p, &s, base) {
        Some((t, n)) => Ok(p.tuple(&[t, behind(list, n)])),
        None => Err(crate::util::atom("no_integer")),
    }
}

fn string_to_integer(p: &mut Process, a: &[Term]) -> BifResult {
    Ok(leading_integer(p, a[0], 10).unwrap_or_else(|why| p.tuple(&[atoms::ERROR, why])))
}

/// OTP 26 on: `{Integer, Rest}` or a plain reason.
fn internal_list_to_integer(p: &mut Process, a: &[Term]) -> BifResult {
    Ok(match base(a[1]) {
        Some(b) => leading_integer(p, a[0], b).unwrap_or_else(|why| why),
        None => atoms::BADARG,
    })
}

/// OTP 26 on: the integer or `badarg`.
fn internal_binary_to_integer(p: &mut Process, a: &[Term]) -> BifResult {
    let s = bin::bytes(a[0]);
    let parsed =
        s.as_deref().zip(base(a[1])).and_then(|(s, b)| parse_integer(p, s, b).filter(|&(_, n)| n == s.len()));
    Ok(parsed.map_or(atoms::BADARG, |(t, _)| t))
}

// ---- floats

/// Length of a float's text at the front of `s`: sign, digits, point or comma, digits, exponent. 0: none.
fn float_len(s: &[u8]) -> usize {
    let digits = |from: usize| s[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(s.get(at), Some(b'+' | b'-')));
    let mut at = sign(0);
    let whole = digits(at);
    at += whole;
    if whole == 0 || !matches!(s.get(at), Some(b'.' | b',')) {
        return 0;
    }
    let fraction = digits(at + 1);
    if fraction == 0 {
        return 0;
    }
    at += 1 + fraction;
    if matches!(s.get(at), Some(b'e' | b'E')) {
        let exponent = at + 1 + sign(at + 1);
        let n = if exponent <= s.len() { digits(exponent) } else { 0 };
        if n > 0 {
            at = exponent + n;
        }
    }
    at
}

/// The value of text that [`float_len`] accepted, if it is in range.
fn float_value(s: &[u8]) -> Option<f64> {
    let s: String = s.iter().map(|&c| if c == b',' { '.' } else { c as char }).collect();
    s.parse().ok().filter(|f: &f64| f.is_finite())
}

fn whole_float(p: &mut Process, s: Option<&[u8]>) -> BifResult {
    let value = s.filter(|s| !s.is_empty() && float_len(s) == s.len()).and_then(float_value);
    match value {
        Some(f) => Ok(p.float(f)),
        None => Err(p.badarg()),
    }
}

fn list_to_float(p: &mut Process, a: &[Term]) -> BifResult {
    let s = byte_list(a[0], LONGEST);
    whole_float(p, s.as_deref())
}
fn binary_to_float(p: &mut Process, a: &[Term]) -> BifResult {
    let s = bin::bytes(a[0]);
    whole_float(p, s.as_deref())
}

/// `string:list_to_float/1`: `{Float, Rest}` or `{error, Reason}`.
fn string_to_float(p: &mut Process, a: &[Term]) -> BifResult {
    let fail = |p: &mut Process, why: &str| {
        let why = crate::util::atom(why);
        Ok(p.tuple(&[atoms::ERROR, why]))
    };
    if !a[0].is_list() {
        return fail(p, "not_a_list");
    }
    let s = front(a[0], |_, c| c.is_ascii_digit() || matches!(c, b'+' | b'-' | b'.' | b',' | b'e' | b'E'));
    let n = float_len(&s);
    match float_value(&s[..n]).filter(|_| n > 0) {
        Some(f) => {
            let f = p.float(f);
            Ok(p.tuple(&[f, behind(a[0], n)]))
        }
        None => fail(p, "no_float"),
    }
}

/// `1.50000000000000000000e+00`
fn scientific(f: f64, digits: usize) -> String {
    let s = format!("{f:.digits$e}");
    let (mantissa, exponent) = s.split_once('e').unwrap_or((&s, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(e) => ('-', e),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// Fractions up to so many decimals, of floats up to 2^53, are rounded in floating point as OTP does, half
/// away from zero after scaling; beyond, the exact decimal expansion is rounded.
const SCALED_DECIMALS: usize = 18;

fn decimals(f: f64, n: usize, compact: bool) -> Option<String> {
    let abs = f.abs();
    let mut s = if n <= SCALED_DECIMALS && abs < 9_007_199_254_740_992.0 {
        let scale = 10u64.pow(n as u32);
        let mut whole = abs as u64;
        let scaled = (abs - whole as f64) * scale as f64;
        let mut fraction = scaled as u64;
        fraction += u64::from(scaled - fraction as f64 >= 0.5);
        if fraction >= scale {
            whole += 1;
            fraction -= scale;
        }
        let sign = if f < 0.0 { "-" } else { "" };
        if n == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction:0n$}") }
    } else {
        format!("{f:.n$}")
    };
    if s.len() >= LONGEST_FLOAT {
        return None;
    }
    if compact && n > 0 {
        let zeros = s.bytes().rev().take_while(|&b| b == b'0').count();
        s.truncate(s.len() - zeros);
        if s.ends_with('.') {
            s.push('0');
        }
    }
    Some(s)
}

/// Most decimals, and digits behind the point in scientific notation.
const MOST_DECIMALS: i64 = 253;
const MOST_DIGITS: i64 = 249;
/// Longest text.
const LONGEST_FLOAT: usize = 256;

enum Format {
    Scientific(usize),
    Decimals(usize),
    Short,
}

fn format_float(t: Term, options: Term) -> Option<String> {
    if !t.is_float() {
        return None;
    }
    let f = t.float_value();
    let (mut format, mut compact) = (Format::Scientific(20), false);
    for o in options.to_vec()? {
        match text(o) {
            "compact" => compact = true,
            "short" => format = Format::Short,
            _ => {
                let o = o.tuple_of(2)?;
                let n = o[1].as_small()?;
                format = match text(o[0]) {
                    "decimals" if (0..=MOST_DECIMALS).contains(&n) => Format::Decimals(n as usize),
                    "scientific" if (0..=MOST_DIGITS).contains(&n) => Format::Scientific(n as usize),
                    _ => return None,
                };
            }
        }
    }
    let s = match format {
        Format::Scientific(n) => scientific(f, n),
        Format::Decimals(n) => decimals(f, n, compact)?,
        Format::Short => floats::short(f),
    };
    (s.len() < LONGEST_FLOAT).then_some(s)
}

fn float(p: &mut Process, t: Term, options: Term, f: fn(&mut Process, &[u8]) -> Term) -> BifResult {
    match format_float(t, options) {
        Some(s) => Ok(f(p, s.as_bytes())),
        None => Err(p.badarg()),
    }
}

fn float_to_list_1(p: &mut Process, a: &[Term]) -> BifResult {
    float(p, a[0], Term::NIL, to_list)
}
fn float_to_list_2(p: &mut Process, a: &[Term]) -> BifResult {
    float(p, a[0], a[1], to_list)
}
fn float_to_binary_1(p: &mut Process, a: &[Term]) -> BifResult {
    float(p, a[0], Term::NIL, to_binary)
}
fn float_to_binary_2(p: &mut Process, a: &[Term]) -> BifResult {
    float(p, a[0], a[1], to_binary)
}

bifs! { TABLE, "erlang";
    "integer_to_list"/1 [PURE] => integer_to_list_1,
    "integer_to_list"/2 [PURE] => integer_to_list_2,
    "integer_to_binary"/1 [PURE] => integer_to_binary_1,
    "integer_to_binary"/2 [PURE] => integer_to_binary_2,
    "list_to_integer"/1 [PURE] => list_to_integer_1,
    "list_to_integer"/2 [PURE] => list_to_integer_2,
    "binary_to_integer"/1 [PURE] => binary_to_integer_1,
    "binary_to_integer"/2 [PURE] => binary_to_integer_2,
    "list_to_float"/1 [PURE] => list_to_float,
    "binary_to_float"/1 [PURE] => binary_to_float,
    "float_to_list"/1 [PURE] => float_to_list_1,
    "float_to_list"/2 [PURE] => float_to_list_2,
    "float_to_binary"/1 [PURE] => float_to_binary_1,
    "float_to_binary"/2 [PURE] => float_to_binary_2,
}

bifs! { STRING, "string";
    "list_to_integer"/1 [PURE] => string_to_integer,
    "list_to_float"/1 [PURE] => string_to_float,
}

bifs! { INTERNAL, "erts_internal";
    "list_to_integer"/2 [PURE] => internal_list_to_integer,
    "binary_to_integer"/2 [PURE] => internal_binary_to_integer,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_texts() {
        assert_eq!(scientific(1.1, 20), "1.10000000000000008882e+00");
        assert_eq!(scientific(-1.1e-300, 2), "-1.10e-300");
        assert_eq!(scientific(1.1, 0), "1e+00");
        for (f, n, want) in [
            (0.5, 0, "1"),
            (1.5, 0, "2"),
            (2.5, 0, "3"),
            (-0.04, 1, "-0.0"),
            (1.45, 1, "1.5"),
            (1.5e-300, 0, "0"),
        ] {
            assert_eq!(decimals(f, n, false).as_deref(), Some(want));
        }
        assert_eq!(decimals(1.1, 5, true).as_deref(), Some("1.1"));
        assert_eq!(decimals(2.0, 5, true).as_deref(), Some("2.0"));
    }

    #[test]
    fn float_prefixes() {
        for (s, n) in [
            ("1.5abc", 3),
            ("1.5e", 3),
            ("1.5e+", 3),
            ("1.5e5x", 5),
            ("1,5", 3),
            ("1abc", 0),
            ("-.5", 0),
            ("", 0),
            ("-1.5E-3", 7),
        ] {
            assert_eq!(float_len(s.as_bytes()), n, "{s}");
        }
    }
}
