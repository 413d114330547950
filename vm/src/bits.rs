//! The bit syntax engine: reading from match contexts, building bitstrings.

use crate::bin::{self, Bin, whole_bytes};
use crate::heap::{Alloc, HEAP_BIN_LIMIT};
use crate::num;
use crate::term::{Term, header, sub};

/// Field flags as the compiler writes them.
#[derive(Clone, Copy)]
pub struct Flags(pub u8);

impl Flags {
    pub fn little(self) -> bool {
        self.0 & 2 != 0 || (self.0 & 16 != 0 && cfg!(target_endian = "little"))
    }
    pub fn signed(self) -> bool {
        self.0 & 4 != 0
    }
}

// ---- bits in memory

/// Copies `n` bits from bit `from` of `src` to bit `to` of `dst`; bits around them stay.
///
/// # Safety
/// Both ranges are valid memory and do not overlap.
pub unsafe fn copy_bits(src: *const u8, from: usize, dst: *mut u8, to: usize, n: usize) {
    if n == 0 {
        return;
    }
    // SAFETY: the caller's ranges; every access below stays in the bytes that hold them.
    unsafe {
        let (mut src, mut from) = (src.add(from / 8), from % 8);
        let (mut dst, to) = (dst.add(to / 8), to % 8);
        let mut n = n;
        if to != 0 {
            // Up to the next byte of the destination.
            let head = n.min(8 - to);
            put_few(dst, to, few(src, from, head), head);
            (src, from) = (src.add((from + head) / 8), (from + head) % 8);
            dst = dst.add(1);
            n -= head;
        }
        let whole = n / 8;
        if from == 0 {
            std::ptr::copy_nonoverlapping(src, dst, whole);
        } else {
            // Each byte comes out of two neighbours.
            let mut i = 0;
            while i + 8 <= whole {
                let word = u64::from_be_bytes(src.add(i).cast::<[u8; 8]>().read());
                let word = word << from | (*src.add(i + 8) >> (8 - from)) as u64;
                dst.add(i).cast::<[u8; 8]>().write(word.to_be_bytes());
                i += 8;
            }
            while i < whole {
                *dst.add(i) = *src.add(i) << from | *src.add(i + 1) >> (8 - from);
                i += 1;
            }
        }
        let rest = n % 8;
        if rest > 0 {
            put_few(dst.add(whole), 0, few(src.add(whole), from, rest), rest);
        }
    }
}

/// `n` bits, 0 to 8, from bit `from` of a byte on, at the top of a byte; others are anything.
#[inline(always)]
unsafe fn few(src: *const u8, from: usize, n: usize) -> u8 {
    // SAFETY: reads only bytes that hold the bits, or the first.
    unsafe {
        let first = if n == 0 { 0 } else { *src << from };
        if from + n > 8 { first | *src.add(1) >> (8 - from) } else { first }
    }
}
/// Writes the `n` top bits of `bits` to bit `to` of a byte, whose other bits stay; `to + n` is 8 at most.
#[inline(always)]
unsafe fn put_few(dst: *mut u8, to: usize, bits: u8, n: usize) {
    if n == 0 {
        return;
    }
    let mask = (0xFF00u16 >> n) as u8 >> to;
    // SAFETY: the byte that holds the bits.
    unsafe { *dst = (*dst & !mask) | (bits >> to & mask) };
}

/// As [`read_u64`], where the memory goes on up to bit `end`: one load where that is possible.
#[inline(always)]
unsafe fn read_bits(src: *const u8, from: usize, n: usize, end: usize) -> u64 {
    debug_assert!(n <= 64);
    let byte = from / 8;
    // SAFETY: eight bytes before `end`, or what `read_u64` does.
    unsafe {
        if n.wrapping_sub(1) < 57 && byte * 8 + 64 <= end {
            let word = u64::from_be_bytes(src.add(byte).cast::<[u8; 8]>().read());
            return word << (from % 8) >> (64 - n);
        }
        read_u64(src, from, n)
    }
}

/// Up to 64 bits from bit `from` on, as a number.
#[inline]
unsafe fn read_u64(src: *const u8, from: usize, n: usize) -> u64 {
    debug_assert!(n <= 64);
    // SAFETY: reads only bytes that hold the bits.
    unsafe {
        let (src, from) = (src.add(from / 8), from % 8);
        if from == 0 {
            match n {
                8 => return *src as u64,
                16 => return u16::from_be_bytes(*src.cast()) as u64,
                32 => return u32::from_be_bytes(*src.cast()) as u64,
                64 => return u64::from_be_bytes(*src.cast()),
                _ => {}
            }
        }
        let bytes = (from + n).div_ceil(8);
        let mut v: u128 = 0;
        for i in 0..bytes {
            v = v << 8 | *src.add(i) as u128;
        }
        let v = (v >> (bytes * 8 - from - n)) as u64;
        if n == 64 { v } else { v & ((1 << n) - 1) }
    }
}

// ---- match contexts

/// A context for matching `t` from its start. Constant time.
pub fn start_match<A: Alloc + ?Sized>(a: &mut A, t: Term) -> Option<Term> {
    let (whole, offset, bits) = bin::parts(t)?;
    let ctx = a.boxed(sub::MATCH, 3);
    Some(a.fill(ctx, &[Term(offset as u64), Term((offset + bits) as u64), whole]))
}

#[inline(always)]
fn view(ctx: Term) -> (*const u8, usize, usize) {
    (whole_bytes(ctx.word(3)), ctx.word(1).0 as usize, ctx.word(2).0 as usize)
}
#[inline(always)]
fn seek(ctx: Term, to: usize) {
    // SAFETY: the offset word of a context, which only its matching code holds.
    unsafe { *ctx.ptr().add(1) = Term(to as u64) }
}
/// Bits left.
#[inline(always)]
pub fn remaining(ctx: Term) -> usize {
    (ctx.word(2).0 - ctx.word(1).0) as usize
}
/// The position, for [`set_position`].
pub fn position(ctx: Term) -> Term {
    Term::small(ctx.word(1).0 as i64)
}
pub fn set_position(ctx: Term, at: Term) {
    let at = at.small_value() as u64;
    // A position comes from `position` of the same bits; others cannot be written.
    seek(ctx, at.min(ctx.word(2).0) as usize);
}
/// The rest as a bitstring; the context stays where it is.
pub fn get_tail<A: Alloc + ?Sized>(a: &mut A, ctx: Term) -> Term {
    let (_, at, end) = view(ctx);
    part(a, ctx, at, end - at)
}
/// Bits of the context's binary as a term.
fn part<A: Alloc + ?Sized>(a: &mut A, ctx: Term, at: usize, n: usize) -> Term {
    if (at | n) % 8 == 0 && n <= COPY_LIMIT * 8 {
        let first = view(ctx).0.wrapping_add(at / 8);
        // SAFETY: `n` bits from `at` on are there.
        return a.heap_binary(unsafe { std::slice::from_raw_parts(first, n / 8) });
    }
    a.raw_sub_binary(ctx.word(3), at, n)
}
/// A part of this many bytes is copied: that takes no more words than a sub-binary and keeps nothing else alive.
const COPY_LIMIT: usize = 24;

pub fn get_binary<A: Alloc + ?Sized>(a: &mut A, ctx: Term, n: usize) -> Option<Term> {
    let (_, at, end) = view(ctx);
    if end - at < n {
        return None;
    }
    seek(ctx, at + n);
    Some(part(a, ctx, at, n))
}
pub fn skip(ctx: Term, n: usize) -> bool {
    let (_, at, end) = view(ctx);
    if end - at < n {
        return false;
    }
    seek(ctx, at + n);
    true
}
/// Whether the next `n` bits are those of `bytes`; moves on if so.
pub fn match_string(ctx: Term, n: usize, bytes: &[u8]) -> bool {
    let (p, at, end) = view(ctx);
    if end - at < n || bytes.len() * 8 < n {
        return false;
    }
    let mut i = 0;
    while i < n {
        let step = (n - i).min(64);
        // SAFETY: both have `n` bits.
        let same = unsafe { read_u64(p, at + i, step) == read_u64(bytes.as_ptr(), i, step) };
        if !same {
            return false;
        }
        i += step;
    }
    seek(ctx, at + n);
    true
}

/// An integer of `n` bits.
pub fn get_integer<A: Alloc + ?Sized>(a: &mut A, ctx: Term, n: usize, flags: Flags) -> Option<Term> {
    let (p, at, end) = view(ctx);
    if end - at < n {
        return None;
    }
    seek(ctx, at + n);
    if n == 0 {
        return Some(Term::small(0));
    }
    if n <= 64 && (!flags.little() || n <= 8 || n % 8 == 0) {
        // SAFETY: `n` bits are there.
        let v = unsafe { read_bits(p, at, n, end) };
        let v = if flags.little() && n > 8 { v.swap_bytes() >> (64 - n) } else { v };
        return Some(if flags.signed() { a.int((v as i64) << (64 - n) >> (64 - n)) } else { a.uint(v) });
    }
    // Bytes, least significant first; the top one holds what is left of `n`.
    let size = n.div_ceil(8);
    let mut le = vec![0u8; size];
    if flags.little() {
        let (whole, rest) = (n / 8, n % 8);
        // SAFETY: `n` bits are there; the partial byte is read on its own.
        unsafe {
            copy_bits(p, at, le.as_mut_ptr(), 0, whole * 8);
            if rest > 0 {
                le[whole] = read_u64(p, at + whole * 8, rest) as u8;
            }
        }
    } else {
        // SAFETY: as above; right-aligned, so that the leading bits are zero.
        unsafe { copy_bits(p, at, le.as_mut_ptr(), size * 8 - n, n) };
        le.reverse();
    }
    Some(from_le(a, &mut le, n, flags.signed()))
}

fn from_le<A: Alloc + ?Sized>(a: &mut A, le: &mut [u8], n: usize, signed: bool) -> Term {
    let top_bit = n - 1;
    let negative = signed && le[top_bit / 8] >> (top_bit % 8) & 1 == 1;
    if negative {
        // Fill up the sign, then negate.
        if n % 8 != 0 {
            le[n / 8] |= 0xFF << (n % 8);
        }
        let mut carry = true;
        for b in le.iter_mut() {
            let (v, c) = (!*b).overflowing_add(carry as u8);
            (*b, carry) = (v, c);
        }
    }
    let mut digits: Vec<u64> =
        le.chunks(8).map(|c| c.iter().rev().fold(0u64, |d, &b| d << 8 | b as u64)).collect();
    if negative && digits.iter().all(|&d| d == 0) {
        digits.push(1);
    }
    a.big(negative, &digits)
}

/// A float of 16, 32 or 64 bits; anything that is not a finite number does not match.
pub fn get_float<A: Alloc + ?Sized>(a: &mut A, ctx: Term, n: usize, flags: Flags) -> Option<Term> {
    let (p, at, end) = view(ctx);
    if end - at < n || !matches!(n, 16 | 32 | 64) {
        return None;
    }
    // SAFETY: `n` bits are there.
    let raw = unsafe { read_u64(p, at, n) };
    let raw = if flags.little() { raw.swap_bytes() >> (64 - n) } else { raw };
    let v = match n {
        16 => half::f16::from_bits(raw as u16).to_f64(),
        32 => f32::from_bits(raw as u32) as f64,
        _ => f64::from_bits(raw),
    };
    if !v.is_finite() {
        return None;
    }
    seek(ctx, at + n);
    Some(a.float(v))
}

/// One code point of UTF-8.
pub fn get_utf8(ctx: Term) -> Option<u32> {
    let (p, at, end) = view(ctx);
    let left = (end - at) / 8;
    if left == 0 {
        return None;
    }
    // SAFETY: whole bytes that are left.
    let byte = |i: usize| unsafe { read_u64(p, at + 8 * i, 8) as u32 };
    let first = byte(0);
    let (n, mut c) = match first {
        0..0x80 => (1, first),
        0xC2..0xE0 => (2, first & 0x1F),
        0xE0..0xF0 => (3, first & 0xF),
        0xF0..0xF5 => (4, first & 7),
        _ => return None,
    };
    if left < n {
        return None;
    }
    for i in 1..n {
        let b = byte(i);
        if b & 0xC0 != 0x80 {
            return None;
        }
        c = c << 6 | b & 0x3F;
    }
    let least = [0, 0, 0x80, 0x800, 0x1_0000][n];
    if c < least || char::from_u32(c).is_none() {
        return None;
    }
    seek(ctx, at + 8 * n);
    Some(c)
}
/// One code point of UTF-16.
pub fn get_utf16(ctx: Term, flags: Flags) -> Option<u32> {
    let (p, at, end) = view(ctx);
    let left = (end - at) / 16;
    let unit = |i: usize| {
        // SAFETY: asked only for units that are left.
        let v = unsafe { read_u64(p, at + 16 * i, 16) as u16 };
        if flags.little() { v.swap_bytes() } else { v }
    };
    if left == 0 {
        return None;
    }
    let first = unit(0);
    let (n, c) = match first {
        0xD800..0xDC00 => {
            if left < 2 {
                return None;
            }
            let second = unit(1);
            if !(0xDC00..0xE000).contains(&second) {
                return None;
            }
            (2, 0x1_0000 + ((first as u32 & 0x3FF) << 10 | second as u32 & 0x3FF))
        }
        0xDC00..0xE000 => return None,
        _ => (1, first as u32),
    };
    seek(ctx, at + 16 * n);
    Some(c)
}
/// One code point of UTF-32.
pub fn get_utf32(ctx: Term, flags: Flags) -> Option<u32> {
    let (p, at, end) = view(ctx);
    if end - at < 32 {
        return None;
    }
    // SAFETY: 32 bits are there.
    let v = unsafe { read_u64(p, at, 32) as u32 };
    let c = if flags.little() { v.swap_bytes() } else { v };
    char::from_u32(c)?;
    seek(ctx, at + 32);
    Some(c)
}

// ---- construction

/// Word 5 of a refc binary, and bit 16 of word 3 of a sub-binary: may grow in place.
const WRITABLE: u64 = 1;
const SUB_WRITABLE: u64 = 1 << 16;

enum Target {
    /// Becomes a heap binary.
    Small([u8; HEAP_BIN_LIMIT]),
    /// Becomes a refc binary. Owns one reference until finished.
    Large(*mut Bin),
    /// Grows a binary in place: the refc term that holds it.
    Grown(Term),
    /// Grows a copy of a binary.
    Growing(*mut Bin),
    /// Published already: the bytes of a term.
    Filling,
}

/// A bitstring being built, segment by segment.
pub struct Builder {
    target: Target,
    base: *mut u8,
    /// Bit where the result starts, where the next segment goes, and where it must end.
    start: usize,
    at: usize,
    end: usize,
    /// Bytes that a binary has grown by, for the virtual heap.
    grown: usize,
}

impl Builder {
    /// Room for exactly `bits`.
    pub fn new(bits: usize) -> Builder {
        let bytes = bits.div_ceil(8);
        if bytes <= HEAP_BIN_LIMIT {
            return Builder {
                target: Target::Small([0; HEAP_BIN_LIMIT]),
                base: std::ptr::null_mut(),
                start: 0,
                at: 0,
                end: bits,
                grown: 0,
            };
        }
        let b = Bin::new(bytes, bytes);
        // SAFETY: fresh.
        let base = unsafe { (*b).bytes() };
        Builder { target: Target::Large(b), base, start: 0, at: 0, end: bits, grown: 0 }
    }

    /// Continues the bitstring `t` by `extra` bits: in place where it was made by this very operation and
    /// nothing has been appended to it since, so that growing a binary costs what is appended.
    pub fn append(t: Term, extra: usize, unit: usize) -> Option<Builder> {
        let (whole, offset, bits) = bin::parts(t)?;
        if unit > 1 && bits % unit != 0 {
            return None;
        }
        let end = (offset + bits).checked_add(extra)?;
        if t.is_sub(sub::SUB_BIN)
            && t.word(3).0 & SUB_WRITABLE != 0
            && whole.is_sub(sub::REFC_BIN)
            && whole.word(5).0 & WRITABLE != 0
        {
            let mut b = whole.word(3).0 as *mut Bin;
            // SAFETY: the term holds a reference; a writable binary's spare room is this process's alone.
            unsafe {
                // Another process that has the binary must not see its last byte change, nor its block move.
                let alone = || (*b).refs() == 1;
                if (*b).size == (offset + bits).div_ceil(8)
                    && ((end.div_ceil(8) <= (*b).cap && (offset + bits) % 8 == 0) || alone())
                {
                    // What grows from here is another binary: the old one has no end of its own any more.
                    *t.ptr().add(3) = Term(t.word(3).0 & !SUB_WRITABLE);
                    if end.div_ceil(8) > (*b).cap {
                        b = Bin::grow(b, end.div_ceil(8) * 2);
                        *whole.ptr().add(3) = Term(b as u64);
                        *whole.ptr().add(4) = Term((*b).bytes() as u64);
                    }
                    (*b).size = end.div_ceil(8);
                    *whole.ptr().add(1) = Term((*b).size as u64);
                    return Some(Builder {
                        target: Target::Grown(whole),
                        base: (*b).bytes(),
                        start: offset,
                        at: offset + bits,
                        end,
                        grown: extra / 8,
                    });
                }
            }
        }
        let total = bits + extra;
        let b = Bin::new(total.div_ceil(8), (total.div_ceil(8) * 2).max(256));
        // SAFETY: fresh, large enough.
        unsafe {
            let base = (*b).bytes();
            copy_bits(whole_bytes(whole), offset, base, 0, bits);
            Some(Builder { target: Target::Growing(b), base, start: 0, at: bits, end: total, grown: 0 })
        }
    }

    #[inline(always)]
    fn base(&mut self) -> *mut u8 {
        match &mut self.target {
            Target::Small(bytes) => bytes.as_mut_ptr(),
            _ => self.base,
        }
    }
    /// Bits that still fit.
    fn left(&self) -> usize {
        self.end - self.at
    }

    /// Bits of `bytes`, from the first on.
    pub fn put_string(&mut self, bytes: &[u8], n: usize) {
        let n = n.min(bytes.len() * 8).min(self.left());
        let (base, at) = (self.base(), self.at);
        // SAFETY: the room was counted when the builder was made.
        unsafe { copy_bits(bytes.as_ptr(), 0, base, at, n) };
        self.at += n;
    }
    /// The lowest `n` bits of `v`, 64 at most, most significant first.
    #[inline]
    fn put_bits(&mut self, v: u64, n: usize) {
        if n == 0 {
            return;
        }
        let bytes = (v << (64 - n)).to_be_bytes();
        if (self.at | n) % 8 == 0 && self.left() >= n {
            let at = self.at / 8;
            // SAFETY: room for `n` bits.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base().add(at), n / 8) };
            self.at += n;
            return;
        }
        self.put_string(&bytes, n);
    }

    /// An integer, truncated to `n` bits. False: `t` is no integer.
    pub fn put_integer(&mut self, t: Term, n: usize, flags: Flags) -> bool {
        if t.is_small() && n <= 64 && (!flags.little() || n <= 8) {
            self.put_bits(t.small_value() as u64, n);
            return true;
        }
        if t.is_small() && n <= 64 && n % 8 == 0 {
            self.put_bits((t.small_value() as u64).swap_bytes() >> (64 - n), n);
            return true;
        }
        let mut le: Vec<u8> = Vec::with_capacity(n.div_ceil(8));
        let fill;
        if t.is_small() {
            le.extend_from_slice(&t.small_value().to_le_bytes());
            fill = if t.small_value() < 0 { 0xFF } else { 0 };
        } else if t.is_big() {
            let (negative, digits) = t.big_digits();
            let mut carry = negative;
            for &d in digits {
                let v = if negative {
                    let (v, c) = (!d).overflowing_add(carry as u64);
                    carry = c;
                    v
                } else {
                    d
                };
                le.extend_from_slice(&v.to_le_bytes());
            }
            fill = if negative { 0xFF } else { 0 };
        } else {
            return false;
        }
        let (whole, rest) = (n / 8, n % 8);
        le.resize(n.div_ceil(8), fill);
        if flags.little() {
            let last = le.get(whole).copied();
            self.put_string(&le[..whole], whole * 8);
            if rest > 0 {
                self.put_bits(last.unwrap_or(0) as u64 & ((1 << rest) - 1), rest);
            }
        } else {
            if rest > 0 {
                self.put_bits(le[whole] as u64 & ((1 << rest) - 1), rest);
            }
            le.truncate(whole);
            le.reverse();
            self.put_string(&le, whole * 8);
        }
        true
    }

    /// A float of 16, 32 or 64 bits; too large a number becomes an infinity. False: `t` is no number, or an integer
    /// that no float can hold.
    pub fn put_float(&mut self, t: Term, n: usize, flags: Flags) -> bool {
        let v = if t.is_float() {
            t.float_value()
        } else {
            match num::to_float(t) {
                Ok(v) => v,
                Err(_) => return false,
            }
        };
        let raw = match n {
            16 => half::f16::from_f64(v).to_bits() as u64,
            32 => (v as f32).to_bits() as u64,
            _ => v.to_bits(),
        };
        let raw = if flags.little() { raw.swap_bytes() >> (64 - n) } else { raw };
        self.put_bits(raw, n);
        true
    }

    /// The first `n` bits of a bitstring that has as many.
    pub fn put_binary(&mut self, t: Term, n: usize) {
        let Some((whole, offset, bits)) = bin::parts(t) else { return };
        let n = n.min(bits).min(self.left());
        let (base, at) = (self.base(), self.at);
        // SAFETY: source and room have `n` bits; the source may be the very block that grows, but then lies
        // before the place written.
        unsafe { copy_bits(whole_bytes(whole), offset, base, at, n) };
        self.at += n;
    }
    pub fn put_utf8(&mut self, c: u32) {
        let mut buffer = [0; 4];
        if let Some(c) = char::from_u32(c) {
            let s = c.encode_utf8(&mut buffer).as_bytes();
            self.put_string(s, s.len() * 8);
        }
    }
    pub fn put_utf16(&mut self, c: u32, flags: Flags) {
        let mut buffer = [0; 2];
        if let Some(c) = char::from_u32(c) {
            for u in c.encode_utf16(&mut buffer) {
                self.put_bits(if flags.little() { u.swap_bytes() } else { *u } as u64, 16);
            }
        }
    }
    pub fn put_utf32(&mut self, c: u32, flags: Flags) {
        self.put_bits(if flags.little() { c.swap_bytes() } else { c } as u64, 32);
    }

    /// The finished bitstring.
    pub fn finish<A: Alloc + ?Sized>(mut self, a: &mut A) -> Term {
        self.term(a)
    }
    fn term<A: Alloc + ?Sized>(&mut self, a: &mut A) -> Term {
        let bits = self.end - self.start;
        let t = match &self.target {
            Target::Small(bytes) => {
                // Looked at where it is: moving what was written byte by byte is slow.
                let t = a.heap_binary(&bytes[..bits.div_ceil(8)]);
                self.base = whole_bytes(t);
                if bits % 8 == 0 { t } else { a.raw_sub_binary(t, 0, bits) }
            }
            &Target::Large(b) => {
                let t = a.refc_binary(b);
                if bits % 8 == 0 { t } else { a.raw_sub_binary(t, 0, bits) }
            }
            &Target::Growing(b) => {
                let t = a.refc_binary(b);
                writable(a, t, 0, bits)
            }
            &Target::Grown(whole) => {
                a.off_heap().bytes += self.grown;
                writable(a, whole, self.start, bits)
            }
            Target::Filling => Term::NIL,
        };
        self.target = Target::Filling;
        t
    }
    /// The term before its bytes are there, and the builder to write them: for instructions of old compilers.
    pub fn publish<A: Alloc + ?Sized>(mut self, a: &mut A) -> (Term, Builder) {
        let t = self.term(a);
        (t, self)
    }
    /// The published term has moved.
    pub fn rebase(&mut self, t: Term) {
        if let Some((whole, ..)) = bin::parts(t) {
            self.base = whole_bytes(whole);
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        if let Target::Large(b) | Target::Growing(b) = self.target {
            // SAFETY: an unfinished builder still owns its reference.
            unsafe { Bin::release(b) }
        }
    }
}

/// A sub-binary that may grow in place.
fn writable<A: Alloc + ?Sized>(a: &mut A, whole: Term, offset: usize, bits: usize) -> Term {
    let t = a.raw_sub_binary(whole, offset, bits);
    // SAFETY: flag words of the two objects.
    unsafe {
        *whole.ptr().add(5) = Term(WRITABLE);
        *t.ptr().add(3) = Term(t.word(3).0 | SUB_WRITABLE);
    }
    t
}

/// An empty binary that grows in place, over a fresh block.
pub fn empty_writable<A: Alloc + ?Sized>(a: &mut A, b: *mut Bin) -> Term {
    let t = a.refc_binary(b);
    writable(a, t, 0, 0)
}

/// The header of a match context.
pub const CONTEXT_HEADER: u64 = header(sub::MATCH, 3);

#[cfg(test)]
mod tests;
