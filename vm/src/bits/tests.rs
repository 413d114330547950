use super::*;
use crate::cmp::exact_eq;
use crate::heap::FragBuilder;

/// xorshift
struct Rng(u64);
impl Rng {
    fn next(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % n
    }
    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next(256) as u8).collect()
    }
}

fn bit(bytes: &[u8], i: usize) -> bool {
    bytes[i / 8] >> (7 - i % 8) & 1 == 1
}
/// Bits of a bitstring, in order.
fn all(t: Term) -> Vec<bool> {
    let b = bin::bits(t).expect("a bitstring");
    (0..b.bits).map(|i| bit(b.bytes, b.bit + i)).collect()
}
fn sub(a: &mut FragBuilder, bytes: &[u8], from: usize, n: usize) -> Term {
    let t = a.binary(bytes);
    a.raw_sub_binary(t, from, n)
}
/// The integer that a field of these bits holds.
fn integer(a: &mut FragBuilder, field: &[bool], flags: Flags) -> Term {
    // Least significant first: big-endian fields reversed; little-endian ones by bytes, the last perhaps short.
    let mut le: Vec<bool> = if flags.little() {
        field.chunks(8).flat_map(|byte| byte.iter().rev().copied()).collect()
    } else {
        field.iter().rev().copied().collect()
    };
    let negative = flags.signed() && le.last() == Some(&true);
    if negative {
        let low = le.iter().position(|&b| b).unwrap_or(0);
        le[low + 1..].iter_mut().for_each(|b| *b = !*b);
    }
    let digits: Vec<u64> = le.chunks(64).map(|c| c.iter().rev().fold(0, |d, &b| d << 1 | b as u64)).collect();
    a.big(negative, &digits)
}

#[test]
fn copies_bits() {
    let mut r = Rng(5);
    for _ in 0..20_000 {
        let (from, to, n) = (r.next(30), r.next(30), r.next(200));
        let src = r.bytes((from + n).div_ceil(8));
        let before = r.bytes((to + n).div_ceil(8));
        let mut dst = before.clone();
        // SAFETY: both have the bits.
        unsafe { copy_bits(src.as_ptr(), from, dst.as_mut_ptr(), to, n) };
        for i in 0..dst.len() * 8 {
            let want = if (to..to + n).contains(&i) { bit(&src, from + i - to) } else { bit(&before, i) };
            assert_eq!(bit(&dst, i), want);
        }
    }
}

#[test]
fn integers() {
    let mut r = Rng(11);
    for round in 0..20_000 {
        let mut a = FragBuilder::new(256);
        let a = &mut a;
        let flags = Flags([0, 2, 4, 6][r.next(4)]);
        let (from, pad) = (r.next(20), r.next(80));
        let n = if round % 3 == 0 { 8 * r.next(12) } else { r.next(300) };
        let bytes = r.bytes((from + n + pad).div_ceil(8));
        let t = sub(a, &bytes, from, n + pad);
        let ctx = start_match(a, t).expect("a context");
        let v = get_integer(a, ctx, n, flags).expect("enough bits");
        let field = &all(t)[..n];
        let want = integer(a, field, flags);
        assert!(exact_eq(v, want), "{n} bits, flags {}", flags.0);
        assert_eq!(remaining(ctx), pad);
        assert!(get_integer(a, ctx, pad + 1, flags).is_none());
        // Back again, after some bits; higher bits are cut off.
        let lead = r.next(10);
        let mut b = Builder::new(lead + n);
        assert!(b.put_integer(Term::small(0), lead, Flags(0)));
        assert!(b.put_integer(v, n, flags));
        let built = b.finish(a);
        assert_eq!(all(built)[lead..], *field);
    }
}

#[test]
fn as_otp_does() {
    let mut a = FragBuilder::new(256);
    let a = &mut a;
    let t = a.binary(&[0xAB, 0xCD, 0xEF]);
    let ctx = start_match(a, t).expect("a context");
    // <<X:12/little, Y:12/little-signed>> = <<16#ABCDEF:24>> gives {16#CAB, -34}
    assert_eq!(get_integer(a, ctx, 12, Flags(2)), Some(Term::small(0xCAB)));
    assert_eq!(get_integer(a, ctx, 12, Flags(6)), Some(Term::small(-34)));
    // <<-2:12/little, 5:4>>
    let mut b = Builder::new(16);
    assert!(b.put_integer(Term::small(-2), 12, Flags(2)) && b.put_integer(Term::small(5), 4, Flags(0)));
    let t = b.finish(a);
    assert_eq!(&*bin::bytes(t).expect("bytes"), &[0xFE, 0xF5]);
    let mut b = Builder::new(64);
    assert!(!b.put_integer(Term::NIL, 8, Flags(0)));
    let one = a.float(1.5);
    assert!(b.put_float(one, 16, Flags(0)) && b.put_float(Term::small(-2), 32, Flags(2)));
    b.put_utf16(0xE9, Flags(0));
    let t = b.finish(a);
    assert_eq!(&*bin::bytes(t).expect("bytes"), &[0x3E, 0, 0, 0, 0, 0xC0, 0, 0xE9]);
    let huge = a.float(1e300);
    let mut b = Builder::new(48);
    assert!(b.put_float(huge, 32, Flags(0)) && b.put_float(huge, 16, Flags(0)));
    let t = b.finish(a);
    assert_eq!(&*bin::bytes(t).expect("bytes"), &[0x7F, 0x80, 0, 0, 0x7C, 0]);
    let huge = a.big(false, &[0; 17].map(|_: u64| u64::MAX));
    assert!(!Builder::new(64).put_float(huge, 64, Flags(0)));
}

#[test]
fn floats() {
    let mut a = FragBuilder::new(256);
    let a = &mut a;
    for (n, raw, ok) in [
        (16, 0x7C00u64, false),
        (16, 0x7E00, false),
        (16, 0x3C00, true),
        (32, 0x7F80_0000, false),
        (32, 0xFFC0_0000, false),
        (32, 0x3F80_0000, true),
        (64, 0x7FF0_0000_0000_0000, false),
        (64, 0x7FF8_0000_0000_0000, false),
        (64, 0x3FF0_0000_0000_0000, true),
    ] {
        for lead in [0, 3] {
            let mut b = Builder::new(lead + n);
            b.put_bits(0, lead);
            b.put_bits(raw, n);
            let t = b.finish(a);
            let ctx = start_match(a, t).expect("a context");
            assert!(skip(ctx, lead));
            match get_float(a, ctx, n, Flags(0)) {
                Some(f) => assert!(ok && f.float_value() == 1.0 && remaining(ctx) == 0),
                None => assert!(!ok && remaining(ctx) == n),
            }
            assert!(get_float(a, ctx, 8, Flags(0)).is_none());
        }
    }
}

#[test]
fn characters() {
    let mut a = FragBuilder::new(4096);
    let a = &mut a;
    for c in [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFE, 0xFFFF, 0x1_0000, 0x10_FFFF] {
        for (kind, flags) in [(8, Flags(0)), (16, Flags(0)), (16, Flags(2)), (32, Flags(0)), (32, Flags(2))] {
            let c16 = char::from_u32(c).map_or(0, char::len_utf16) * 16;
            let bits = [char::from_u32(c).map_or(0, char::len_utf8) * 8, c16, 32][kind / 16];
            let mut b = Builder::new(5 + bits);
            b.put_bits(1, 5);
            match kind {
                8 => b.put_utf8(c),
                16 => b.put_utf16(c, flags),
                _ => b.put_utf32(c, flags),
            }
            let t = b.finish(a);
            let ctx = start_match(a, t).expect("a context");
            assert!(skip(ctx, 5));
            let got = match kind {
                8 => get_utf8(ctx),
                16 => get_utf16(ctx, flags),
                _ => get_utf32(ctx, flags),
            };
            assert_eq!((got, remaining(ctx)), (Some(c), 0));
        }
    }
    let bad: [&[u8]; 9] = [
        &[0x80],
        &[0xC0, 0x80],
        &[0xC1, 0xBF],
        &[0xE0, 0x80, 0x80],
        &[0xED, 0xA0, 0x80],
        &[0xF4, 0x90, 0x80, 0x80],
        &[0xF5, 0x80, 0x80, 0x80],
        &[0xE2, 0x82],
        &[],
    ];
    for bytes in bad {
        let t = a.binary(bytes);
        let ctx = start_match(a, t).expect("a context");
        assert_eq!(get_utf8(ctx), None);
        assert_eq!(remaining(ctx), bytes.len() * 8);
    }
    let t = a.binary(&[0xD8, 0, 0, 0x20, 0xDC, 0]);
    let ctx = start_match(a, t).expect("a context");
    assert_eq!((get_utf16(ctx, Flags(0)), get_utf32(ctx, Flags(0))), (None, None));
}

#[test]
fn parts_and_strings() {
    let mut r = Rng(3);
    for _ in 0..5000 {
        let mut a = FragBuilder::new(256);
        let a = &mut a;
        let (from, n, rest) = (r.next(20), r.next(400), r.next(400));
        let bytes = r.bytes((from + n + rest).div_ceil(8));
        let t = sub(a, &bytes, from, n + rest);
        let ctx = start_match(a, t).expect("a context");
        let start = position(ctx);
        let part = get_binary(a, ctx, n).expect("enough");
        let tail = get_tail(a, ctx);
        assert_eq!([all(part), all(tail)].concat(), all(t));
        assert!(get_binary(a, ctx, rest + 1).is_none() && !skip(ctx, rest + 1));
        set_position(ctx, start);
        let mut b = Builder::new(n);
        b.put_binary(part, n);
        let string = b.finish(a);
        let whole = bin::bits(string).expect("bits");
        assert!(match_string(ctx, n, whole.bytes));
        assert_eq!(remaining(ctx), rest);
        let lead = r.next(9);
        let mut b = Builder::new(lead + n + rest);
        b.put_bits(0, lead);
        b.put_binary(part, n);
        b.put_binary(tail, rest);
        let built = b.finish(a);
        assert_eq!(all(built)[lead..], all(t));
        assert_eq!(built.is_binary(), (lead + n + rest) % 8 == 0);
    }
}

/// Appending leaves what was there alone, whoever still holds it, and costs what is appended.
#[test]
fn appends() {
    let mut r = Rng(9);
    for round in 0..300 {
        let mut a = FragBuilder::new(4096);
        let a = &mut a;
        let mut kept: Vec<(Term, Vec<bool>)> = Vec::new();
        let first = a.binary(b"abc");
        kept.push((first, all(first)));
        let mut shared = Vec::new();
        for _ in 0..60 {
            // Mostly the last one, sometimes an older one.
            let i = if r.next(5) == 0 { r.next(kept.len()) } else { kept.len() - 1 };
            let (old, mut want) = kept[i].clone();
            let n = if round % 2 == 0 { 8 * r.next(40) } else { r.next(60) };
            if r.next(10) == 0 {
                // A message to somebody else.
                shared.push((crate::copy::copy_to_fragment(old), want.clone()));
            }
            let mut b = Builder::append(old, n, 1).expect("a bitstring");
            let bytes = r.bytes(n.div_ceil(8));
            b.put_string(&bytes, n);
            want.extend((0..n).map(|i| bit(&bytes, i)));
            let new = b.finish(a);
            assert!(new.is_sub(sub::SUB_BIN));
            kept.push((new, want));
            for (t, want) in &kept {
                assert_eq!(&all(*t), want);
            }
        }
        for ((t, fragment), want) in shared {
            assert_eq!(all(t), want);
            // SAFETY: nothing else refers to the copy.
            unsafe { crate::heap::Fragment::free_chain(fragment) };
        }
        assert!(Builder::append(Term::NIL, 1, 1).is_none());
        let odd = sub(a, b"abc", 0, 9);
        assert!(Builder::append(odd, 8, 8).is_none());
    }
    let mut a = FragBuilder::new(1 << 20);
    let mut t = empty_writable(&mut a, Bin::new(0, 256));
    let (mut moves, mut last) = (0, std::ptr::null_mut());
    for i in 0..100_000 {
        let mut b = Builder::append(t, 8, 8).expect("a binary");
        assert!(b.put_integer(Term::small(i), 8, Flags(0)));
        t = b.finish(&mut a);
        let (whole, ..) = bin::parts(t).expect("parts");
        if whole_bytes(whole) != last {
            (moves, last) = (moves + 1, whole_bytes(whole));
        }
    }
    assert!(moves < 15, "{moves}");
    let bytes = bin::bytes(t).expect("bytes");
    assert!(bytes.len() == 100_000 && bytes.iter().enumerate().all(|(i, &b)| b == i as u8));
}
