//! The bit syntax instructions, on the engine in `bits`.

use crate::atoms;
use crate::bin::{self, Bin};
use crate::bits::{self, Builder, Flags};
use crate::heap::Alloc;
use crate::instr::Op;
use crate::num;
use crate::process::Process;
use crate::term::{Term, sub};
use crate::translate::{Match, Segment};
use crate::wide::{Cx, Flow};

/// Words that results of one match command may need: a bignum of a few digits or a sub-binary.
const MATCH_ROOM: usize = 8;

/// Runs an instruction of the bit syntax.
pub fn run(op: Op, cx: &mut Cx) -> Flow {
    let on_context = matches!(
        op,
        Op::BsGetPosition
            | Op::BsSetPosition
            | Op::BsGetTail
            | Op::BsGetInteger
            | Op::BsGetFloat
            | Op::BsGetBinary
            | Op::BsSkipBits
            | Op::BsTestTail
            | Op::BsTestUnit
            | Op::BsMatchString
            | Op::BsGetUtf
            | Op::BsSkipUtf
            | Op::BsMatch
    );
    // Compilers may know that a register holds a context where the loader could not prove it.
    if on_context && !cx.get(0).is_sub(sub::MATCH) {
        return cx.fail_badarg();
    }
    match op {
        Op::BsStartMatch => {
            let t = cx.get(0);
            // Matching goes on in the same context only where the compiler reuses its register; a fresh one
            // is made otherwise, by position, so that others that hold the old one are not disturbed.
            if t.is_sub(sub::MATCH) {
                cx.set(1, t);
                return Flow::Next;
            }
            if !cx.room(MATCH_ROOM) {
                return Flow::Die;
            }
            let t = cx.get(0);
            match bits::start_match(cx.p, t) {
                Some(ctx) => {
                    cx.set(1, ctx);
                    Flow::Next
                }
                None => Flow::Fail,
            }
        }
        Op::BsGetPosition => {
            let t = bits::position(cx.get(0));
            cx.set(1, t);
            Flow::Next
        }
        Op::BsSetPosition => {
            bits::set_position(cx.get(0), cx.get(1));
            Flow::Next
        }
        Op::BsGetTail => {
            if !cx.room(MATCH_ROOM) {
                return Flow::Die;
            }
            let t = bits::get_tail(cx.p, cx.get(0));
            cx.set(1, t);
            Flow::Next
        }
        Op::BsGetInteger => {
            let Some(n) = field_bits(cx, 1, 3) else { return Flow::Fail };
            get_integer(cx, n, cx.raw(3) as u8, 2, cx.live())
        }
        Op::BsGetFloat => {
            let Some(n) = field_bits(cx, 1, 3) else { return Flow::Fail };
            if !cx.room(MATCH_ROOM) {
                return Flow::Die;
            }
            match bits::get_float(cx.p, cx.get(0), n, Flags(cx.raw(3) as u8)) {
                Some(t) => {
                    cx.set(2, t);
                    Flow::Next
                }
                None => Flow::Fail,
            }
        }
        Op::BsGetBinary => {
            let unit = (cx.raw(3) >> 8) as usize;
            let n = if cx.get(1) == atoms::ALL {
                let left = bits::remaining(cx.get(0));
                if unit != 0 && left % unit != 0 {
                    return Flow::Fail;
                }
                left
            } else {
                match field_bits(cx, 1, 3) {
                    Some(n) => n,
                    None => return Flow::Fail,
                }
            };
            get_binary(cx, n, 2, cx.live())
        }
        Op::BsSkipBits => {
            let unit = (cx.raw(2) >> 8) as usize;
            let n = if cx.get(1) == atoms::ALL {
                let left = bits::remaining(cx.get(0));
                if unit != 0 && left % unit != 0 {
                    return Flow::Fail;
                }
                left
            } else {
                match field_bits(cx, 1, 2) {
                    Some(n) => n,
                    None => return Flow::Fail,
                }
            };
            flow(bits::skip(cx.get(0), n))
        }
        Op::BsTestTail => flow(bits::remaining(cx.get(0)) as u64 == cx.raw(1)),
        Op::BsTestUnit => {
            let unit = cx.raw(1) as usize;
            flow(unit == 0 || bits::remaining(cx.get(0)) % unit == 0)
        }
        Op::BsMatchString => {
            let n = cx.raw(1) as usize;
            // SAFETY: the loader checked that the range lies in the module's strings, which live for ever.
            let bytes = unsafe { std::slice::from_raw_parts(cx.raw(2) as *const u8, n.div_ceil(8)) };
            flow(bits::match_string(cx.get(0), n, bytes))
        }
        Op::BsGetUtf => {
            let (kind, flags) = (cx.raw(2), Flags(cx.raw(3) as u8));
            match get_utf(cx.get(0), kind, flags) {
                Some(c) => {
                    cx.set(1, Term::small(c as i64));
                    Flow::Next
                }
                None => Flow::Fail,
            }
        }
        Op::BsSkipUtf => flow(get_utf(cx.get(0), cx.raw(1), Flags(cx.raw(2) as u8)).is_some()),
        Op::BsMatch => bs_match(cx),
        Op::BsCreateBin => create_bin(cx),
        Op::BsAdd => {
            // a + b * unit, both sizes.
            let (a, b, unit) = (cx.get(0), cx.get(1), cx.raw(2) as i64);
            let unit = Term::small(unit);
            let sum = num::mul(cx.p, b, unit).and_then(|m| num::add(cx.p, a, m));
            let negative = |t: Term| t.is_small() && t.small_value() < 0 || t.is_sub(sub::NEG_BIG);
            match sum {
                Ok(t) if t.is_integer() && !negative(a) && !negative(b) => {
                    cx.set(3, t);
                    Flow::Next
                }
                _ => cx.fail_badarg(),
            }
        }
        Op::BsUtfSize => {
            let c = cx.get(0).as_index().unwrap_or(usize::MAX);
            let n = match (cx.raw(2), c) {
                (8, 0..0x80) => 1,
                (8, 0x80..0x800) => 2,
                (8, 0x800..0x1_0000) => 3,
                (8, _) => 4,
                (_, 0..0x1_0000) => 2,
                _ => 4,
            };
            cx.set(1, Term::small(n));
            Flow::Next
        }
        Op::BsInit => {
            // size, unit of the size, heap words, dst
            let Some(size) = cx.get(0).as_index() else { return size_error(cx, cx.get(0)) };
            let Some(n) = size.checked_mul(cx.raw(1) as usize).filter(|&n| n < MAX_BITS) else {
                let _ = cx.p.system_limit();
                return Flow::Raise;
            };
            if !cx.room(cx.raw(2) as usize + n.div_ceil(64).min(8) + MATCH_ROOM) {
                return Flow::Die;
            }
            let builder = Builder::new(n);
            start_old(cx, builder, 3, cx.raw(2) as usize)
        }
        Op::BsAppend => {
            // size, binary, unit, heap words, dst, private
            let (binary, unit) = (cx.get(1), cx.raw(2) as usize);
            let Some(size) = cx.get(0).as_index() else { return size_error(cx, cx.get(0)) };
            // The size is in bits; the unit is what the binary has to be made of.
            let Some(n) = Some(size).filter(|&n| n < MAX_BITS) else {
                let _ = cx.p.system_limit();
                return Flow::Raise;
            };
            // The private form says nothing of live registers: it must not collect (fragments take what it builds).
            let private = cx.raw(5) != 0;
            if !private && !cx.room(cx.raw(3) as usize + 2 * MATCH_ROOM) {
                return Flow::Die;
            }
            let binary = if binary.is_boxed() { cx.get(1) } else { binary };
            let unit = if private { 1 } else { unit };
            match Builder::append(binary, n, unit) {
                Some(b) => start_old(cx, b, 4, cx.raw(3) as usize),
                None => cx.fail_badarg(),
            }
        }
        Op::BsPutInteger | Op::BsPutFloat | Op::BsPutBinary => put_old(op, cx),
        Op::BsPutString => {
            let n = cx.raw(0) as usize;
            // SAFETY: as for BsMatchString.
            let bytes = unsafe { std::slice::from_raw_parts(cx.raw(1) as *const u8, n) };
            with_old(cx, |b| b.put_string(bytes, n * 8));
            Flow::Next
        }
        Op::BsPutUtf => {
            let (c, kind, flags) = (cx.get(0), cx.raw(1), Flags(cx.raw(2) as u8));
            let Some(c) = code_point(c) else { return cx.fail_badarg() };
            with_old(cx, |b| put_utf(b, c, kind, flags));
            Flow::Next
        }
        _ => cx.fail_badarg(),
    }
}

/// More bits than this in one binary is system_limit.
const MAX_BITS: usize = 1 << 46;

fn flow(ok: bool) -> Flow {
    if ok { Flow::Next } else { Flow::Fail }
}

/// size * unit, in bits; `None` if the size is no size.
fn field_bits(cx: &Cx, size: usize, unit_flags: usize) -> Option<usize> {
    let unit = (cx.raw(unit_flags) >> 8) as usize;
    cx.get(size).as_index()?.checked_mul(unit)
}

fn get_integer(cx: &mut Cx, n: usize, flags: u8, dst: usize, live: usize) -> Flow {
    if n > bits::remaining(cx.get(0)) {
        return Flow::Fail;
    }
    if n >= 60 && !cx.room_live(n.div_ceil(64) + MATCH_ROOM, live) {
        return Flow::Die;
    }
    match bits::get_integer(cx.p, cx.get(0), n, Flags(flags)) {
        Some(t) => {
            cx.set(dst, t);
            Flow::Next
        }
        None => Flow::Fail,
    }
}

fn get_binary(cx: &mut Cx, n: usize, dst: usize, live: usize) -> Flow {
    if n > bits::remaining(cx.get(0)) {
        return Flow::Fail;
    }
    if !cx.room_live(MATCH_ROOM, live) {
        return Flow::Die;
    }
    match bits::get_binary(cx.p, cx.get(0), n) {
        Some(t) => {
            cx.set(dst, t);
            Flow::Next
        }
        None => Flow::Fail,
    }
}

fn get_utf(ctx: Term, kind: u64, flags: Flags) -> Option<u32> {
    match kind {
        8 => bits::get_utf8(ctx),
        16 => bits::get_utf16(ctx, flags),
        _ => bits::get_utf32(ctx, flags),
    }
}

fn code_point(t: Term) -> Option<u32> {
    t.as_index().and_then(|c| u32::try_from(c).ok()).filter(|&c| char::from_u32(c).is_some())
}

fn put_utf(b: &mut Builder, c: u32, kind: u64, flags: Flags) {
    match kind {
        8 => b.put_utf8(c),
        16 => b.put_utf16(c, flags),
        _ => b.put_utf32(c, flags),
    }
}

/// The commands of `bs_match` in turn.
fn bs_match(cx: &mut Cx) -> Flow {
    let mut i = 1;
    while i < cx.len() {
        let command = cx.raw(i);
        let flow = match command {
            c if c == Match::EnsureAtLeast as u64 => {
                let (n, unit) = (cx.raw(i + 1) as usize, cx.raw(i + 2) as usize);
                i += 3;
                let left = bits::remaining(cx.get(0));
                flow(left >= n && (unit <= 1 || (left - n) % unit == 0))
            }
            c if c == Match::EnsureExactly as u64 => {
                let n = cx.raw(i + 1) as usize;
                i += 2;
                flow(bits::remaining(cx.get(0)) == n)
            }
            c if c == Match::Integer as u64 => {
                let (live, flags, n) = (cx.raw(i + 1) as usize, cx.raw(i + 2) as u8, cx.raw(i + 3) as usize);
                i += 5;
                get_integer(cx, n, flags, i - 1, live)
            }
            c if c == Match::Binary as u64 => {
                let (live, n) = (cx.raw(i + 1) as usize, cx.raw(i + 3) as usize);
                i += 5;
                get_binary(cx, n, i - 1, live)
            }
            c if c == Match::Skip as u64 => {
                let n = cx.raw(i + 1) as usize;
                i += 2;
                flow(bits::skip(cx.get(0), n))
            }
            c if c == Match::GetTail as u64 => {
                let live = cx.raw(i + 1) as usize;
                i += 3;
                if !cx.room_live(MATCH_ROOM, live) {
                    return Flow::Die;
                }
                let t = bits::get_tail(cx.p, cx.get(0));
                cx.set(i - 1, t);
                Flow::Next
            }
            _ => {
                let (n, value) = (cx.raw(i + 1) as usize, cx.get(i + 2));
                i += 3;
                equal_bits(cx, n, value)
            }
        };
        if flow != Flow::Next {
            return flow;
        }
    }
    Flow::Next
}

/// Whether the next `n` bits are the unsigned integer `value`.
fn equal_bits(cx: &mut Cx, n: usize, value: Term) -> Flow {
    if n > bits::remaining(cx.get(0)) {
        return Flow::Fail;
    }
    match bits::get_integer(cx.p, cx.get(0), n, Flags(0)) {
        Some(t) => flow(t == value || crate::cmp::exact_eq(t, value)),
        None => Flow::Fail,
    }
}

// ---- construction

/// Why a segment could not be built, as error_info tells it.
struct BadSegment {
    index: usize,
    kind: Segment,
    what: &'static str,
    value: Term,
    limit: bool,
}

fn create_bin(cx: &mut Cx) -> Flow {
    // dst, heap words, unit, then per segment: type, unit << 8 | flags, value, size.
    if !cx.room(cx.raw(1) as usize + 2 * MATCH_ROOM + 8) {
        return Flow::Die;
    }
    match build(cx) {
        Ok(builder) => {
            let t = builder.finish(cx.p);
            cx.set(0, t);
            // What the instruction promised to keep free for those behind it.
            let need = cx.raw(1) as usize;
            if need > 0 && cx.p.heap.free_words() < need && !room_keeping_dst(cx, need) {
                return Flow::Die;
            }
            Flow::Next
        }
        Err(bad) => {
            let kind = match bad.kind {
                Segment::Append | Segment::PrivateAppend | Segment::Binary => "binary",
                Segment::Integer => "integer",
                Segment::Float => "float",
                Segment::String => "string",
                Segment::Utf8 => "utf8",
                Segment::Utf16 => "utf16",
                Segment::Utf32 => "utf32",
            };
            let cause = cx.p.tuple(&[
                Term::small(bad.index as i64),
                atoms::intern(kind),
                atoms::intern(bad.what),
                bad.value,
            ]);
            let mut pairs = vec![
                (atoms::intern("cause"), cause),
                (atoms::intern("function"), atoms::intern("format_bs_fail")),
                (atoms::intern("module"), atoms::intern("erl_erts_errors")),
            ];
            let info = crate::map::from_pairs(cx.p, &mut pairs).unwrap_or(Term::NIL);
            let _ = if bad.limit { cx.p.system_limit() } else { cx.p.badarg() };
            cx.p.exc.info = info;
            Flow::Raise
        }
    }
}

/// Collects with the fresh result, in the destination, as a root: it may not be among the live registers yet.
fn room_keeping_dst(cx: &mut Cx, need: usize) -> bool {
    let t = cx.get(0);
    cx.p.rare().extra_roots.push(t);
    let ok = cx.room(need);
    if let Some(t) = cx.p.rare().extra_roots.pop() {
        cx.set(0, t);
    }
    ok
}

fn build(cx: &mut Cx) -> Result<Builder, BadSegment> {
    let segments = (cx.len() - 3) / 4;
    let segment = |cx: &Cx, i: usize| {
        let at = 3 + 4 * i;
        let kind = SEGMENTS[cx.raw(at) as usize % SEGMENTS.len()];
        (kind, (cx.raw(at + 1) >> 8) as usize, Flags(cx.raw(at + 1) as u8), at + 2, at + 3)
    };
    // First the size of everything, so that the bytes are allocated once. What can be wrong is found in OTP's order: here
    // sizes and what has none, then the binary that is appended to, then the values.
    let mut total = 0usize;
    for i in 0..segments {
        let (kind, unit, _, value, size) = segment(cx, i);
        let bad = |what, value, limit| BadSegment { index: i + 1, kind, what, value, limit };
        let v = cx.get(value);
        let n = match kind {
            Segment::String => cx.raw(size) as usize * 8,
            // Looked at when they are built.
            Segment::Append | Segment::PrivateAppend => 0,
            Segment::Utf8 => code_point(v).and_then(char::from_u32).map_or(4, char::len_utf8) * 8,
            Segment::Utf16 => code_point(v).and_then(char::from_u32).map_or(2, char::len_utf16) * 16,
            Segment::Utf32 => match code_point(v) {
                Some(_) => 32,
                None => return Err(bad("type", v, false)),
            },
            Segment::Binary if cx.get(size) == atoms::ALL => match bin::parts(v) {
                Some((_, _, n)) => n,
                None => return Err(bad("type", v, false)),
            },
            _ => {
                let s = cx.get(size);
                match s.as_index() {
                    Some(n) => match n.checked_mul(unit.max(1)).filter(|&n| n < MAX_BITS) {
                        Some(n) => n,
                        None => return Err(bad("size", s, true)),
                    },
                    None if s.is_sub(sub::POS_BIG) => return Err(bad("size", s, true)),
                    None => return Err(bad("size", s, false)),
                }
            }
        };
        total += n;
        if total >= MAX_BITS {
            return Err(bad("size", cx.get(size), true));
        }
    }
    let (first, unit, ..) = segment(cx, 0);
    let mut b = match first {
        Segment::Append | Segment::PrivateAppend if segments > 0 => {
            let v = cx.get(5);
            let bad = |what| BadSegment { index: 1, kind: first, what, value: v, limit: false };
            match bin::parts(v) {
                None => return Err(bad("type")),
                Some((_, _, n)) if unit > 1 && n % unit != 0 => return Err(bad("unit")),
                Some(_) => Builder::append(v, total, unit.max(1)).ok_or(bad("type"))?,
            }
        }
        _ => Builder::new(total),
    };
    for i in 0..segments {
        let (kind, unit, flags, value, size) = segment(cx, i);
        let bad = |what, value| BadSegment { index: i + 1, kind, what, value, limit: false };
        let v = cx.get(value);
        let n = || cx.get(size).as_index().unwrap_or(0) * unit.max(1);
        match kind {
            Segment::Append | Segment::PrivateAppend => {}
            Segment::String => {
                let n = cx.raw(size) as usize;
                // SAFETY: the loader checked the range; a module's strings live for ever.
                let bytes = unsafe { std::slice::from_raw_parts(cx.raw(value) as *const u8, n) };
                b.put_string(bytes, n * 8);
            }
            Segment::Integer => {
                if !b.put_integer(v, n(), flags) {
                    return Err(bad("type", v));
                }
            }
            Segment::Float => {
                let n = n();
                if !matches!(n, 16 | 32 | 64) {
                    return Err(bad("invalid", cx.get(size)));
                }
                if !v.is_number() {
                    return Err(bad("type", v));
                }
                if !b.put_float(v, n, flags) {
                    return Err(bad("no_float", v));
                }
            }
            Segment::Binary => {
                let n = if cx.get(size) == atoms::ALL { None } else { Some(n()) };
                let Some((_, _, have)) = bin::parts(v) else { return Err(bad("type", v)) };
                if n.is_some_and(|n| n > have) {
                    return Err(bad("short", v));
                }
                if n.is_none() && unit > 1 && have % unit != 0 {
                    return Err(bad("unit", v));
                }
                b.put_binary(v, n.unwrap_or(have));
            }
            Segment::Utf8 | Segment::Utf16 | Segment::Utf32 => {
                let Some(c) = code_point(v) else { return Err(bad("type", v)) };
                match kind {
                    Segment::Utf8 => b.put_utf8(c),
                    Segment::Utf16 => b.put_utf16(c, flags),
                    _ => b.put_utf32(c, flags),
                }
            }
        }
    }
    Ok(b)
}

const SEGMENTS: [Segment; 9] = [
    Segment::Append,
    Segment::PrivateAppend,
    Segment::Integer,
    Segment::Binary,
    Segment::Float,
    Segment::String,
    Segment::Utf8,
    Segment::Utf16,
    Segment::Utf32,
];

// ---- construction by the instructions of compilers before OTP 25: the builder waits in the process

/// Publishes the term at once, as those instructions do, and keeps the builder to fill it.
fn start_old(cx: &mut Cx, builder: Builder, dst: usize, need: usize) -> Flow {
    let (t, filler) = builder.publish(cx.p);
    cx.set(dst, t);
    cx.p.rare().builder = Some(filler);
    if need > 0 && cx.p.heap.free_words() < need {
        cx.p.rare().extra_roots.push(t);
        let ok = cx.room(need);
        if let Some(t) = cx.p.rare().extra_roots.pop() {
            cx.set(dst, t);
            // A heap binary may have moved.
            if let Some(b) = cx.p.rare().builder.as_mut() {
                b.rebase(t);
            }
        }
        if !ok {
            return Flow::Die;
        }
    }
    Flow::Next
}

fn with_old(cx: &mut Cx, f: impl FnOnce(&mut Builder)) {
    if let Some(mut b) = cx.p.rare().builder.take() {
        f(&mut b);
        cx.p.rare().builder = Some(b);
    }
}

fn put_old(op: Op, cx: &mut Cx) -> Flow {
    // size, unit << 8 | flags, value
    let (size, value) = (cx.get(0), cx.get(2));
    let (unit, flags) = ((cx.raw(1) >> 8) as usize, Flags(cx.raw(1) as u8));
    let n = if size == atoms::ALL {
        match bin::parts(value) {
            Some((_, _, n)) if unit <= 1 || n % unit == 0 => n,
            _ => return cx.fail_badarg(),
        }
    } else {
        match size.as_index().and_then(|n| n.checked_mul(unit.max(1))) {
            Some(n) => n,
            None => return cx.fail_badarg(),
        }
    };
    let mut ok = false;
    with_old(cx, |b| {
        ok = match op {
            Op::BsPutInteger => b.put_integer(value, n, flags),
            Op::BsPutFloat => matches!(n, 16 | 32 | 64) && b.put_float(value, n, flags),
            _ => match bin::parts(value) {
                Some((_, _, have)) if n <= have => {
                    b.put_binary(value, n);
                    true
                }
                _ => false,
            },
        };
    });
    if ok { Flow::Next } else { cx.fail_badarg() }
}

fn size_error(cx: &mut Cx, t: Term) -> Flow {
    if t.is_sub(sub::POS_BIG) {
        let _ = cx.p.system_limit();
        return Flow::Raise;
    }
    cx.fail_badarg()
}

/// `bs_init_writable`: an empty binary with room to grow; `size` is how many bytes to start with.
pub fn init_writable(p: &mut Process, size: Term) -> Term {
    let cap = size.as_index().filter(|&n| n <= 1 << 30).unwrap_or(1024).max(256);
    bits::empty_writable(p, Bin::new(0, cap))
}
