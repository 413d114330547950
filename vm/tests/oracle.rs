//! Numbers, order, hashes and the external format against the answers of OTP, which `oracle.erl` asks for.

use chime_vm::cmp::{compare, compare_exact, eq, exact_eq};
use chime_vm::etf::{self, DecodeError, EncodeOptions};
use chime_vm::heap::{Alloc, FragBuilder};
use chime_vm::num::{self, ArithError};
use chime_vm::term::Term;
use chime_vm::{atoms, bin, floats, hash};
use std::path::Path;
use std::process::Command;

/// The groups of answers, by name.
fn answers(b: &mut FragBuilder) -> Vec<(&'static str, Vec<Term>)> {
    // Each test may be a process of its own, and two compile at once.
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("oracle-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.erl");
    let ok = Command::new("erlc").arg("-o").arg(&dir).arg(source).status().expect("erlc").success();
    assert!(ok, "oracle.erl does not compile");
    let file = dir.join("answers.etf");
    let call = format!("oracle:main({:?}), halt().", file.to_str().expect("a path in UTF-8"));
    let ok = Command::new("erl").current_dir(&dir).args(["-noshell", "-eval", &call]).status();
    assert!(ok.expect("erl").success(), "oracle:main fails");
    let bytes = std::fs::read(file).expect("the answers");
    let (all, used) = etf::decode(&bytes, b, Default::default()).expect("answers can be decoded");
    assert_eq!(used, bytes.len());
    all.iter().map(|g| (atoms::name(g.word(1)), g.word(2).to_vec().expect("a list"))).collect()
}

fn show(t: Term) -> String {
    format!("{:?}", etf::encode(t, EncodeOptions::default()))
}

/// `{ok, Value}` or the reason.
fn same_result(r: num::Arith, want: Term) -> bool {
    let reason = match r {
        Ok(t) => {
            return want.tuple_of(2).is_some_and(|w| exact_eq(w[1], t) && hash_bits(w[1]) == hash_bits(t));
        }
        Err(ArithError::BadArith) => "badarith",
        Err(ArithError::BadArg) => "badarg",
        Err(ArithError::SystemLimit) => "system_limit",
    };
    want.is_atom() && atoms::name(want) == reason
}

/// Bits of a float: tells `0.0` from `-0.0`.
fn hash_bits(t: Term) -> u64 {
    if t.is_float() { t.float_value().to_bits() } else { 0 }
}

fn sign(o: std::cmp::Ordering) -> Term {
    Term::small(o as i64)
}

fn signum(t: Term) -> Term {
    Term::small(t.small_value().signum())
}

#[test]
fn as_otp() {
    let mut b = FragBuilder::new(1 << 16);
    let mut failures = Vec::new();
    let groups = answers(&mut b);
    assert_eq!(groups.len(), 8);
    for (name, cases) in groups {
        let mut failed = 0;
        let total = cases.len();
        for case in cases {
            let w = case.body();
            let good = match name {
                "binary" | "shift" => {
                    let (x, y) = (w[1], w[2]);
                    let b = &mut b;
                    let r = match atoms::name(w[0]) {
                        "+" => num::add(b, x, y),
                        "-" => num::sub(b, x, y),
                        "*" => num::mul(b, x, y),
                        "/" => num::div(b, x, y),
                        "div" => num::int_div(b, x, y),
                        "rem" => num::rem(b, x, y),
                        "band" => num::band(b, x, y),
                        "bor" => num::bor(b, x, y),
                        "bxor" => num::bxor(b, x, y),
                        "bsl" => num::bsl(b, x, y),
                        _ => num::bsr(b, x, y),
                    };
                    same_result(r, w[3])
                }
                "unary" => {
                    let (b, x) = (&mut b, w[1]);
                    let r = match atoms::name(w[0]) {
                        "-" => num::neg(b, x),
                        "bnot" => num::bnot(b, x),
                        "abs" => num::abs(b, x),
                        "trunc" => num::trunc(b, x),
                        "round" => num::round(b, x),
                        "floor" => num::floor(b, x),
                        "ceil" => num::ceil(b, x),
                        _ => num::to_float(x).map(|f| b.float(f)),
                    };
                    same_result(r, w[2])
                }
                "text" => {
                    let base = w[1].small_value() as u32;
                    let text = bin::bytes(w[2]).expect("a binary");
                    let back = num::int_from_text(&mut b, &text, base);
                    num::int_to_text(w[0], base).is_some_and(|s| s.as_bytes() == &*text)
                        && back.is_ok_and(|t| exact_eq(t, w[0]))
                }
                "float" => {
                    let f = w[0].float_value();
                    let (short, long) = (bin::bytes(w[1]).expect("short"), bin::bytes(w[2]).expect("long"));
                    floats::short(f).as_bytes() == &*short
                        && floats::long(f).as_bytes() == &*long
                        && floats::parse(&short).is_some_and(|g| g.to_bits() == f.to_bits())
                }
                "hash" => hash::phash2(w[0]) as i64 == w[1].small_value(),
                "order" => {
                    let (x, y) = (w[0], w[1]);
                    let same = exact_eq(x, y);
                    sign(compare(x, y)) == w[2]
                        && sign(compare(y, x).reverse()) == w[2]
                        && eq(x, y) == (w[2] == Term::small(0))
                        && Term::bool(same) == w[3]
                        && sign(compare_exact(x, y)) == signum(w[4])
                        && (!same || hash::internal(x) == hash::internal(y))
                }
                _ => {
                    let encode = |minor_version, deterministic, compressed| {
                        etf::encode(w[0], EncodeOptions { minor_version, deterministic, compressed })
                    };
                    let is = |i: usize, got: Vec<u8>| bin::bytes(w[i]).is_some_and(|want| *want == got);
                    let unpacked = |bytes: &[u8], b: &mut FragBuilder| {
                        etf::decode(bytes, b, Default::default())
                            .is_ok_and(|(t, n)| n == bytes.len() && exact_eq(t, w[0]))
                    };
                    is(1, encode(1, true, 0))
                        && is(2, encode(0, true, 0))
                        && is(3, encode(2, true, 0))
                        && unpacked(&encode(1, false, 6), &mut b)
                        && (1..5).all(|i| unpacked(&bin::bytes(w[i]).expect("a binary"), &mut b))
                }
            };
            if !good {
                failed += 1;
                if failed <= 5 {
                    let words: Vec<String> = w.iter().map(|&t| show(t)).collect();
                    failures
                        .push(format!("{name}: {}", words.join(" ").chars().take(600).collect::<String>()));
                }
            }
        }
        if failed > 0 {
            failures.push(format!("{name}: {failed} of {total} differ"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Any cut or changed byte gives a value or an error, in time and space of the input's size.
#[test]
fn hostile_bytes() {
    let mut b = FragBuilder::new(1 << 16);
    let items = [Term::small(7), Term::small(1 << 40), Term::NIL, atoms::OK];
    let t = b.tuple(&items);
    let text = b.byte_list(b"some text", Term::NIL);
    let bytes = b.binary(&[1; 70]);
    let f = b.float(1.5);
    let l = b.list(&[t, text, bytes, f]);
    let mut pairs = [(atoms::OK, l), (Term::small(1), t)];
    let m = chime_vm::map::from_pairs(&mut b, &mut pairs).expect("a map");
    for compressed in [0, 6] {
        let good = etf::encode(m, EncodeOptions { compressed, ..Default::default() });
        for n in 0..good.len() {
            assert!(etf::decode(&good[..n], &mut b, Default::default()).is_err());
            for v in 0..=255 {
                let mut bad = good.clone();
                bad[n] = v;
                let _ = etf::decode(&bad, &mut b, etf::Options { safe: true });
            }
        }
    }
    let mut deep = vec![131];
    deep.extend([108, 0, 0, 0, 1].repeat(300_000));
    assert_eq!(etf::decode(&deep, &mut b, Default::default()).err(), Some(DecodeError::Truncated));
    let long = [131, 108, 255, 255, 255, 255, 97, 1];
    assert_eq!(etf::decode(&long, &mut b, Default::default()).err(), Some(DecodeError::Truncated));
}
