//! Clocks, dates, unique integers.
//!
//! Erlang monotonic time starts at [`START`] when the machine does and follows `CLOCK_MONOTONIC`; the offset to
//! system time is fixed then ("no time warp").

use crate::util::{Walk, as_i64, text, walk};
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use num_bigint::BigInt;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Erlang monotonic time at start: the least whole second in the range of small integers.
pub const START: i64 = -576_460_752_000_000_000;
pub const SECOND: i64 = 1_000_000_000;

/// Nanoseconds of one of the system's clocks.
pub fn clock(id: libc::clockid_t) -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is ours.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec as i64 * SECOND + t.tv_nsec as i64
}

struct Base {
    /// `CLOCK_MONOTONIC` at start.
    monotonic: i64,
    offset: i64,
}

static BASE: LazyLock<Base> = LazyLock::new(|| {
    let monotonic = clock(libc::CLOCK_MONOTONIC);
    Base { monotonic, offset: clock(libc::CLOCK_REALTIME) - START }
});

/// Erlang monotonic time in nanoseconds, the native unit.
pub fn monotonic_ns() -> i64 {
    let base = &*BASE;
    clock(libc::CLOCK_MONOTONIC) - base.monotonic + START
}
/// What to add to a time of `CLOCK_MONOTONIC` to get Erlang monotonic time.
pub fn monotonic_shift() -> i64 {
    START - BASE.monotonic
}
pub fn offset_ns() -> i64 {
    BASE.offset
}
pub fn system_ns() -> i64 {
    monotonic_ns() + offset_ns()
}
/// Nanoseconds since the machine started.
pub fn uptime_ns() -> i64 {
    monotonic_ns() - START
}

/// `ns` in a time unit, rounded down; `None` if `unit` is none.
fn convert(p: &mut Process, ns: i64, unit: Term) -> Option<Term> {
    let parts = match text(unit) {
        "second" | "seconds" => 1,
        "millisecond" | "milli_seconds" => 1000,
        "microsecond" | "micro_seconds" => 1_000_000,
        "nanosecond" | "nano_seconds" | "native" | "perf_counter" => SECOND,
        _ => match unit.as_small() {
            Some(n) if n > 0 => n,
            None if unit.is_big() => {
                let (negative, digits) = unit.big_digits();
                return (!negative).then(|| convert_big(p, ns, digits));
            }
            _ => return None,
        },
    };
    Some(p.int128((ns as i128 * parts as i128).div_euclid(SECOND as i128)))
}

fn convert_big(p: &mut Process, ns: i64, digits: &[u64]) -> Term {
    let bytes: Vec<u8> = digits.iter().flat_map(|d| d.to_le_bytes()).collect();
    let parts = BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes) * ns;
    let mut whole = &parts / SECOND;
    if parts < BigInt::ZERO && &whole * SECOND != parts {
        whole -= 1;
    }
    let (sign, digits) = whole.to_u64_digits();
    p.big(sign == num_bigint::Sign::Minus, &digits)
}

fn in_unit(p: &mut Process, ns: i64, unit: Term) -> BifResult {
    match convert(p, ns, unit) {
        Some(t) => Ok(t),
        None => Err(p.badarg()),
    }
}

fn monotonic_time_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.int(monotonic_ns()))
}
fn monotonic_time_1(p: &mut Process, a: &[Term]) -> BifResult {
    in_unit(p, monotonic_ns(), a[0])
}
fn system_time_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.int(system_ns()))
}
fn system_time_1(p: &mut Process, a: &[Term]) -> BifResult {
    in_unit(p, system_ns(), a[0])
}
fn time_offset_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.int(offset_ns()))
}
fn time_offset_1(p: &mut Process, a: &[Term]) -> BifResult {
    in_unit(p, offset_ns(), a[0])
}
pub fn os_system_time_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.int(clock(libc::CLOCK_REALTIME)))
}
pub fn os_system_time_1(p: &mut Process, a: &[Term]) -> BifResult {
    in_unit(p, clock(libc::CLOCK_REALTIME), a[0])
}
pub fn perf_counter(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(p.int(clock(libc::CLOCK_MONOTONIC)))
}

fn stamp(p: &mut Process, micros: i64) -> Term {
    let m = 1_000_000;
    p.tuple(&[Term::small(micros / m / m), Term::small(micros / m % m), Term::small(micros % m)])
}
fn timestamp(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(stamp(p, system_ns() / 1000))
}
pub fn os_timestamp(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(stamp(p, clock(libc::CLOCK_REALTIME) / 1000))
}

/// Each call gives a later time than all before.
fn now(p: &mut Process, _: &[Term]) -> BifResult {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let t = system_ns() / 1000;
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(t.max(last + 1)));
    let last = last.unwrap_or_else(|l| l);
    Ok(stamp(p, t.max(last + 1)))
}

// ---- unique integers

/// The least small integer: where unique integers that may be negative start.
const LEAST_UNIQUE: i64 = chime_vm::term::SMALL_MIN;

fn unique(p: &mut Process, positive: bool, monotonic: bool) -> Term {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let n = if monotonic {
        NEXT.fetch_add(1, Ordering::Relaxed)
    } else {
        chime_vm::refs::next_number().wrapping_add(1)
    };
    if positive { p.uint(n) } else { p.int128(LEAST_UNIQUE as i128 + n as i128 - 1) }
}

fn unique_integer_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(unique(p, false, false))
}

fn unique_integer_1(p: &mut Process, a: &[Term]) -> BifResult {
    let (mut positive, mut monotonic) = (false, false);
    let end = walk(p, a[0], 10, |_, t| {
        match text(t) {
            "positive" => positive = true,
            "monotonic" => monotonic = true,
            _ => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    });
    match end {
        Walk::End(t) if t.is_nil() => Ok(unique(p, positive, monotonic)),
        _ => Err(p.badarg()),
    }
}

// ---- dates

#[derive(Clone, Copy, PartialEq, Debug)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

const DAY: i64 = 86_400;

/// Days since 1970 of a date in the Gregorian calendar, years counted from March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && year % 100 != 0 || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Date {
    fn from_term(t: Term) -> Option<Date> {
        let [d, c]: [Term; 2] = t.tuple_of(2)?.try_into().ok()?;
        let (d, c) = (d.tuple_of(3)?, c.tuple_of(3)?);
        let n = |t: Term| t.as_small();
        let v = Date {
            year: n(d[0])?,
            month: n(d[1])?,
            day: n(d[2])?,
            hour: n(c[0])?,
            minute: n(c[1])?,
            second: n(c[2])?,
        };
        let i32_range = (i32::MIN as i64..=i32::MAX as i64 - 1).contains(&v.year);
        let valid = i32_range
            && (1..=12).contains(&v.month)
            && (1..=days_in(v.year, v.month)).contains(&v.day)
            && (0..24).contains(&v.hour)
            && (0..60).contains(&v.minute)
            && (0..60).contains(&v.second);
        valid.then_some(v)
    }
    fn to_term(self, p: &mut Process) -> Term {
        let d = p.tuple(&[Term::small(self.year), Term::small(self.month), Term::small(self.day)]);
        let c = p.tuple(&[Term::small(self.hour), Term::small(self.minute), Term::small(self.second)]);
        p.tuple(&[d, c])
    }
    fn posix(self) -> i64 {
        days(self.year, self.month, self.day) * DAY + self.hour * 3600 + self.minute * 60 + self.second
    }
    fn from_posix(t: i64) -> Date {
        let (day, rest) = (t.div_euclid(DAY) + 719_468, t.rem_euclid(DAY));
        let era = day.div_euclid(146_097);
        let d = day - era * 146_097;
        let year_of_era = (d - d / 1460 + d / 36_524 - d / 146_096) / 365;
        let day_of_year = d - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let m = (5 * day_of_year + 2) / 153;
        let month = if m < 10 { m + 3 } else { m - 9 };
        Date {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * m + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }
    fn from_tm(tm: &libc::tm) -> Date {
        Date {
            year: tm.tm_year as i64 + 1900,
            month: tm.tm_mon as i64 + 1,
            day: tm.tm_mday as i64,
            hour: tm.tm_hour as i64,
            minute: tm.tm_min as i64,
            second: tm.tm_sec as i64,
        }
    }
    /// Local time of a moment.
    fn local(posix: i64) -> Option<Date> {
        let mut tm = no_time();
        let t = posix as libc::time_t;
        // SAFETY: both are ours.
        let r = unsafe { libc::localtime_r(&t, &mut tm) };
        (!r.is_null()).then(|| Date::from_tm(&tm))
    }
}

fn no_time() -> libc::tm {
    // SAFETY: all zero bytes are a valid `tm`.
    unsafe { std::mem::zeroed() }
}

/// Years before this are out of the range of conversions through the system.
const FIRST_LOCAL_YEAR: i64 = 1902;
const FIRST_POSIX_YEAR: i64 = 1600;

/// The moment that local time `d` names; `dst` as in `tm_isdst`.
fn local_to_posix(d: Date, dst: i32) -> Option<i64> {
    let mut tm = no_time();
    tm.tm_year = i32::try_from(d.year - 1900).ok()?;
    tm.tm_mon = d.month as i32 - 1;
    tm.tm_mday = d.day as i32;
    tm.tm_hour = d.hour as i32;
    tm.tm_min = d.minute as i32;
    tm.tm_sec = d.second as i32;
    tm.tm_isdst = dst;
    // SAFETY: `tm` is ours.
    let t = unsafe { libc::mktime(&mut tm) };
    // -1 is also a moment: the last second of 1969.
    (t != -1 || tm.tm_wday != 0 || tm.tm_yday != 0).then_some(t as i64)
}

fn localtime_to_universaltime(p: &mut Process, a: &[Term]) -> BifResult {
    let dst = match text(a[1]) {
        "true" => 1,
        "false" => 0,
        "undefined" => -1,
        _ => return Err(p.badarg()),
    };
    let moment = Date::from_term(a[0]).filter(|d| d.year >= FIRST_LOCAL_YEAR);
    match moment.and_then(|d| local_to_posix(d, dst)) {
        Some(t) => Ok(Date::from_posix(t).to_term(p)),
        None => Err(p.badarg()),
    }
}

fn universaltime_to_localtime(p: &mut Process, a: &[Term]) -> BifResult {
    let date = Date::from_term(a[0]).filter(|d| d.year >= FIRST_LOCAL_YEAR);
    match date.and_then(|d| Date::local(d.posix())) {
        Some(d) => Ok(d.to_term(p)),
        None => Err(p.badarg()),
    }
}

fn posixtime_to_universaltime(p: &mut Process, a: &[Term]) -> BifResult {
    match as_i64(a[0]) {
        Some(t) => Ok(Date::from_posix(t).to_term(p)),
        None => Err(p.badarg()),
    }
}

fn universaltime_to_posixtime(p: &mut Process, a: &[Term]) -> BifResult {
    match Date::from_term(a[0]).filter(|d| d.year >= FIRST_POSIX_YEAR) {
        Some(d) => Ok(p.int(d.posix())),
        None => Err(p.badarg()),
    }
}

fn local_now() -> Date {
    let t = system_ns() / SECOND;
    Date::local(t).unwrap_or_else(|| Date::from_posix(t))
}

fn localtime(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(local_now().to_term(p))
}
fn universaltime(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(Date::from_posix(system_ns() / SECOND).to_term(p))
}
fn date(p: &mut Process, _: &[Term]) -> BifResult {
    let d = local_now();
    Ok(p.tuple(&[Term::small(d.year), Term::small(d.month), Term::small(d.day)]))
}
fn time(p: &mut Process, _: &[Term]) -> BifResult {
    let d = local_now();
    Ok(p.tuple(&[Term::small(d.hour), Term::small(d.minute), Term::small(d.second)]))
}

/// `{cpu or wall time since start, since the last call}` in milliseconds, for `statistics/1`.
pub fn elapsed(p: &mut Process, ms: i64, last: &AtomicI64) -> Term {
    let before = last.swap(ms, Ordering::Relaxed);
    let (x, y) = (p.int(ms), p.int(ms - before));
    p.tuple(&[x, y])
}

bifs! { TABLE, "erlang";
    "monotonic_time"/0 [] => monotonic_time_0,
    "monotonic_time"/1 [] => monotonic_time_1,
    "system_time"/0 [] => system_time_0,
    "system_time"/1 [] => system_time_1,
    "time_offset"/0 [] => time_offset_0,
    "time_offset"/1 [] => time_offset_1,
    "timestamp"/0 [] => timestamp,
    "now"/0 [] => now,
    "unique_integer"/0 [] => unique_integer_0,
    "unique_integer"/1 [] => unique_integer_1,
    "localtime"/0 [] => localtime,
    "universaltime"/0 [] => universaltime,
    "date"/0 [] => date,
    "time"/0 [] => time,
    "localtime_to_universaltime"/2 [] => localtime_to_universaltime,
    "universaltime_to_localtime"/1 [] => universaltime_to_localtime,
    "posixtime_to_universaltime"/1 [PURE] => posixtime_to_universaltime,
    "universaltime_to_posixtime"/1 [PURE] => universaltime_to_posixtime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar() {
        for (t, want) in [
            (0, (1970, 1, 1, 0, 0, 0)),
            (-1, (1969, 12, 31, 23, 59, 59)),
            (951_782_400, (2000, 2, 29, 0, 0, 0)),
            (1_577_836_800, (2020, 1, 1, 0, 0, 0)),
            (-11_676_096_000, (1600, 1, 1, 0, 0, 0)),
            (1 << 45, (1_116_918, 5, 14, 19, 20, 32)),
        ] {
            let d = Date::from_posix(t);
            assert_eq!((d.year, d.month, d.day, d.hour, d.minute, d.second), want);
            assert_eq!(d.posix(), t);
        }
    }
}
