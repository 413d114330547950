//! Floats from and to text.

/// The shortest digits that read back as `f`, and the exponent of ten of the first.
fn digits(f: f64) -> (String, i32) {
    let f = f.abs();
    let mut s = format!("{f:e}");
    // With 16 digits, two decimals can be equally near: the even one counts, as the exact printer rounds.
    if s.len() >= 17 {
        let n = s.find('e').unwrap_or(s.len()) - 2;
        let even = format!("{f:.n$e}");
        if even.parse() == Ok(f) {
            s = even;
        }
    }
    let (mantissa, exponent) = s.split_once('e').unwrap_or((&s, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// As `float_to_list(F, [short])` and `io:format("~w")`: the shortest text that reads back as `f`. Plain if
/// that is no longer than with an exponent and exact, else scientific.
pub fn short(f: f64) -> String {
    if !f.is_finite() {
        return "nan".to_owned();
    }
    let sign = if f.is_sign_negative() { "-" } else { "" };
    if f == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, e) = digits(f);
    let n = digits.len() as i32;
    let exponent_len = if e < 0 { 2 } else { 1 }
        + if e.abs() >= 100 {
            3
        } else if e.abs() >= 10 {
            2
        } else {
            1
        };
    let scientific_len = if n == 1 { 3 } else { n + 1 } + exponent_len;
    let plain_len = if e < 0 {
        n - e + 1
    } else if e + 1 >= n {
        e + 3
    } else {
        n + 1
    };
    if scientific_len < plain_len || f.abs() >= 9_007_199_254_740_992.0 {
        let fraction = if n == 1 { "0" } else { &digits[1..] };
        return format!("{sign}{}.{fraction}e{e}", &digits[..1]);
    }
    if e < 0 {
        format!("{sign}0.{}{digits}", "0".repeat((-e - 1) as usize))
    } else if e + 1 >= n {
        format!("{sign}{digits}{}.0", "0".repeat((e + 1 - n) as usize))
    } else {
        let at = (e + 1) as usize;
        format!("{sign}{}.{}", &digits[..at], &digits[at..])
    }
}

/// As `float_to_list(F)`: `1.23000000000000000000e+00`, 20 digits behind the point.
pub fn long(f: f64) -> String {
    scientific(f, 20)
}

/// As `{scientific, N}`.
pub fn scientific(f: f64, decimals: usize) -> String {
    let s = format!("{f:.decimals$e}");
    let (mantissa, exponent) = s.split_once('e').unwrap_or((&s, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(e) => ('-', e),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// A float as `list_to_float/1` and `binary_to_float/1` accept it: sign, digits, point, digits, and maybe an
/// exponent. `None` as well if it is too large.
pub fn parse(text: &[u8]) -> Option<f64> {
    let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    let unsigned = |s: &[u8]| matches!(s.first(), Some(b'+' | b'-')) as usize;
    let mut at = unsigned(text);
    for part in 0..2 {
        let n = digits(&text[at..]);
        if n == 0 {
            return None;
        }
        at += n;
        if part == 0 {
            if text.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += unsigned(&text[at..]);
        let n = digits(&text[at..]);
        if n == 0 {
            return None;
        }
        at += n;
    }
    if at != text.len() {
        return None;
    }
    let f: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    f.is_finite().then_some(f)
}
