//! Maps and binaries against OTP's answers, and what those cannot show.

use crate::testing::{Called, call, find, process};
use chime_vm::cmp::{compare_exact, exact_eq};
use chime_vm::heap::{Alloc, FragBuilder};
use chime_vm::process::{Process, TURN};
use chime_vm::term::Term;
use chime_vm::{atoms, bin, etf, map, print};

fn agrees(got: &Called, want: &[Term], sorted: bool) -> bool {
    let (tag, value) = match got.result {
        Ok(t) => (atoms::OK, t),
        Err((class, reason)) => (class.atom(), reason),
    };
    if sorted && let (Some(mut x), Some(mut y)) = (value.to_vec(), want[1].to_vec()) {
        x.sort_by(|a, b| compare_exact(*a, *b));
        y.sort_by(|a, b| compare_exact(*a, *b));
        return x.len() == y.len() && x.iter().zip(&y).all(|(&a, &b)| exact_eq(a, b));
    }
    tag == want[0] && exact_eq(value, want[1])
}

/// The same bits, starting in the middle of a byte of a larger binary.
fn shifted(p: &mut Process, t: Term) -> Term {
    let Some(bytes) = bin::bytes(t) else { return t };
    let mut all = vec![0xA5u8; bytes.len() + 2];
    for (i, &b) in bytes.iter().enumerate() {
        all[i] = (all[i] & 0xE0) | b >> 3;
        all[i + 1] = b << 5 | 0x15;
    }
    let whole = p.binary(&all);
    bin::sub_binary(p, whole, 3, bytes.len() * 8).unwrap_or(t)
}

#[test]
fn agrees_with_otp() {
    let bytes = include_bytes!("../../tests/oracle/containers.etf");
    let mut area = FragBuilder::new(1 << 16);
    let Ok((all, _)) = etf::decode(bytes, &mut area, Default::default()) else { panic!("containers.etf") };
    let (mut asked, mut wrong, mut stops) = (0, 0, 0);
    for row in all.iter() {
        let row = row.tuple_of(4).expect("a row");
        let (m, name) = (atoms::name(row[0]), atoms::name(row[1]));
        let args = row[2].to_vec().expect("arguments");
        let f = find(m, name, args.len() as u8).expect("a built-in");
        let want = row[3].tuple_of(2).expect("an answer");
        // The order of large maps is each machine's own.
        let sorted = matches!(name, "keys" | "values");
        for (turn, how) in [(TURN, 0), (1, 0), (TURN, 1), (1, 2)] {
            let mut p = process();
            let mut args = args.clone();
            if how > 0 && (m != "binary" || name == "referenced_byte_size") {
                continue;
            }
            if how == 1 {
                args[0] = shifted(&mut p, args[0]);
            } else if how == 2 && args.len() > 1 {
                let compile = find("binary", "compile_pattern", 1).expect("a built-in");
                if let ("match" | "matches" | "split", Ok(t)) =
                    (name, call(&mut p, compile, &args[1..2], TURN).result)
                {
                    args[1] = t;
                }
            }
            let got = call(&mut p, f, &args, turn);
            asked += 1;
            stops += got.stops;
            if !agrees(&got, want, sorted) {
                wrong += 1;
                if wrong <= 30 {
                    let show = |t| print::to_string_limited(t, 300);
                    let shown = got.result.map_or_else(|e| show(e.1), show);
                    println!("{m}:{name}({}) gave {shown} (turn {turn}, {how})", show(row[2]));
                    println!("    instead of {}", show(row[3]));
                }
            }
        }
    }
    println!("{asked} calls, {stops} stops");
    assert_eq!(wrong, 0, "of {asked}");
    assert!(asked > 10_000 && stops > 100);
}

/// An iterator gives every pair of a large map once, from any batch on; the lists agree with each other.
#[test]
fn walks_of_large_maps() {
    let mut p = process();
    let next = find("erts_internal", "map_next", 3).expect("a built-in");
    for n in [33, 100, 5000] {
        let mut pairs: Vec<_> = (0..n).map(|i| (Term::small(i), Term::small(-i))).collect();
        let m = map::from_pairs(&mut *p, &mut pairs).expect("distinct");
        let (mut seen, mut path) = (Vec::new(), Term::small(0));
        loop {
            let mut t = call(&mut p, next, &[path, m, atoms::ITERATOR], 1).result.expect("pairs");
            while let Some(pair) = t.tuple_of(3) {
                seen.push(pair[0]);
                t = pair[2];
            }
            if t == atoms::NONE {
                break;
            }
            assert!(exact_eq(t.tail(), m));
            path = t.head();
        }
        let mut acc = Term::NIL;
        let mut path = Term::small(0);
        loop {
            acc = call(&mut p, next, &[path, m, acc], 1).result.expect("pairs");
            if acc.head().is_small() {
                (path, acc) = (acc.head(), acc.tail().tail());
            } else {
                break;
            }
        }
        let keys = find("maps", "keys", 1).expect("a built-in");
        let keys = call(&mut p, keys, &[m], 1);
        assert_eq!(keys.stops > 0, n == 5000);
        let keys = keys.result.expect("keys").to_vec().expect("a list");
        let listed: Vec<Term> = acc.iter().map(|t| t.tuple_of(2).expect("a pair")[0]).collect();
        assert_eq!(listed, keys);
        seen.reverse();
        assert_eq!(seen, keys);
        seen.sort_by_key(|t| t.small_value());
        assert!(
            seen.iter().enumerate().all(|(i, t)| t.small_value() == i as i64) && seen.len() == n as usize
        );
    }
}

/// Long searches, copies, merges and constructions stop part-way and come to the same.
#[test]
fn long_work_stops() {
    let mut p = process();
    let text: Vec<u8> =
        (0..300_000u32).map(|i| if i % 50_000 == 49_999 { b',' } else { b'a' + (i % 7) as u8 }).collect();
    let t = p.binary(&text);
    let comma = p.binary(b",");
    let (ab, ga) = (p.binary(b"abcdefga,"), p.binary(b"ga"));
    let several = p.list(&[ab, comma, ga]);
    for (name, pattern) in [("matches", comma), ("split", comma), ("matches", several)] {
        let f = find("binary", name, 3).expect("a built-in");
        let opts = if name == "split" { p.list(&[atoms::GLOBAL]) } else { Term::NIL };
        let (x, y) = (call(&mut p, f, &[t, pattern, opts], 1), call(&mut p, f, &[t, pattern, opts], 1 << 30));
        assert!(x.stops > 1 && y.stops == 0, "{name}");
        assert!(exact_eq(x.result.expect("a list"), y.result.expect("a list")));
    }
    let copy = find("binary", "copy", 2).expect("a built-in");
    let x = call(&mut p, copy, &[ab, Term::small(100_000)], 1);
    assert!(x.stops > 1);
    let bytes = bin::bytes(x.result.expect("a binary")).expect("bytes");
    assert!(bytes.len() == 900_000 && bytes.chunks(9).all(|c| c == b"abcdefga,"));
    let prefix = find("binary", "longest_common_prefix", 1).expect("a built-in");
    let list = p.list(&[t, t, t]);
    let x = call(&mut p, prefix, &[list], 1);
    assert!(x.stops > 1 && x.result.expect("a number") == Term::small(300_000));

    let merge = find("maps", "merge", 2).expect("a built-in");
    let from_list = find("maps", "from_list", 1).expect("a built-in");
    let pairs: Vec<Term> = (0..3000).map(|i| p.tuple(&[Term::small(i % 2500), Term::small(i)])).collect();
    let (one, two) = (p.list(&pairs), p.list(&pairs[1000..]));
    let one = call(&mut p, from_list, &[one], 1);
    let two = call(&mut p, from_list, &[two], TURN);
    assert!(one.stops > 5 && two.stops == 0);
    let (one, two) = (one.result.expect("a map"), two.result.expect("a map"));
    assert_eq!((map::size(one), map::get(one, Term::small(3))), (2500, Some(Term::small(2503))));
    let three = map::put(&mut *p, one, Term::small(3), Term::NIL);
    for (x, y) in [(one, two), (two, one), (three, two), (two, three)] {
        let (a, b) = (call(&mut p, merge, &[x, y], 1), call(&mut p, merge, &[x, y], TURN));
        let (a, b, stops) = (a.result.expect("a map"), b.result.expect("a map"), a.stops);
        assert!(stops > 5 && exact_eq(a, b));
        assert!(map::iter(y).all(|(k, v)| map::get(a, k) == Some(v)));
    }
}
