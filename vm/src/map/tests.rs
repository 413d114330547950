use super::trie::{HASH_MASK, children};
use super::*;
use crate::heap::FragBuilder;
use std::collections::BTreeMap;

/// xorshift
struct Rng(u64);
impl Rng {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Keys of every kind; equal numbers give equal keys at different addresses.
fn key(a: &mut FragBuilder, k: u64) -> Term {
    match k % 6 {
        0 => Term::small(k as i64 / 6),
        1 => a.float((k / 6) as f64),
        2 => a.binary(k.to_string().as_bytes()),
        3 => a.tuple(&[Term::small(k as i64), Term::NIL]),
        4 => a.cons(Term::small(-(k as i64)), Term::NIL),
        _ => a.uint(u64::MAX - k),
    }
}

fn shape(m: Term, out: &mut Vec<u64>) {
    let (bitmap, kids) = children(m);
    out.push(bitmap as u64 | (kids.len() as u64) << 16);
    for &child in kids {
        if child.is_cons() {
            out.push(u64::MAX);
        } else {
            assert!(children(child).1.len() > 1 || !children(child).1[0].is_cons());
            shape(child, out);
        }
    }
}

/// The map is what the model says, canonical, and all ways to read it agree.
fn check(a: &mut FragBuilder, m: Term, model: &BTreeMap<u64, i64>) {
    assert_eq!(size(m), model.len());
    assert_eq!(is_flat(m), model.len() <= FLAT_LIMIT);
    let mut pairs: Vec<Pair> = model.iter().map(|(&k, &v)| (key(a, k), Term::small(v))).collect();
    for &(k, v) in &pairs {
        assert_eq!(get(m, k), Some(v));
    }
    let other = from_pairs(a, &mut pairs).expect("distinct");
    assert!(iter(m).zip(iter(other)).all(|(x, y)| exact_eq(x.0, y.0) && x.1 == y.1));
    assert_eq!(iter(m).count(), model.len());
    let (ks, vs) = (keys(a, m).to_vec().expect("list"), values(a, m).to_vec().expect("list"));
    assert!(ks.iter().zip(&vs).all(|(&k, &v)| get(m, k) == Some(v)));
    if is_flat(m) {
        let (k, _) = flat_parts(m);
        assert!(k.windows(2).all(|w| compare_exact(w[0], w[1]) == Ordering::Less));
    } else {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        shape(m, &mut x);
        shape(other, &mut y);
        assert_eq!(x, y);
        for limit in [1, 7, 1000] {
            let (mut got, mut at) = (Vec::new(), Some(0));
            while let Some(from) = at {
                at = walk_from(m, from, limit, |k, v| got.push((k, v)));
            }
            assert_eq!(got, iter(m).collect::<Vec<_>>());
        }
    }
}

fn random_walk(seed: u64, mask: u32, range: u64, steps: usize) {
    HASH_MASK.set(mask);
    let mut r = Rng(seed);
    let mut a = FragBuilder::new(1 << 16);
    let a = &mut a;
    let mut m = empty(a);
    let mut model = BTreeMap::new();
    for step in 0..steps {
        let before = (m, model.len());
        let k = r.next(range);
        let (kt, v) = (key(a, k), r.next(1000) as i64);
        match r.next(10) {
            0..4 => {
                m = put(a, m, kt, Term::small(v));
                model.insert(k, v);
                assert_eq!(put(a, m, kt, Term::small(v)), m);
            }
            4..7 => match (take(a, m, kt), model.remove(&k)) {
                (Some((old, new)), Some(v)) => {
                    assert_eq!(old, Term::small(v));
                    m = new;
                }
                (None, None) => assert_eq!(remove(a, m, kt), m),
                _ => panic!("take"),
            },
            7 => match (update_exact(a, m, kt, Term::small(v)), model.get_mut(&k)) {
                (Some(new), Some(slot)) => {
                    *slot = v;
                    m = new;
                }
                (None, None) => assert!(put_many_exact(a, m, &[(kt, kt)]).is_err()),
                _ => panic!("update"),
            },
            _ => {
                let n = [2, 5, 40, 200][r.next(4) as usize];
                let ks: Vec<u64> = (0..n).map(|_| r.next(range)).collect();
                let pairs: Vec<Pair> =
                    ks.iter().enumerate().map(|(i, &k)| (key(a, k), Term::small(i as i64))).collect();
                let other = from_list(a, pairs.clone());
                let mut other_model = BTreeMap::new();
                for (i, &k) in ks.iter().enumerate() {
                    other_model.insert(k, i as i64);
                }
                check(a, other, &other_model);
                assert_eq!(from_pairs(a, &mut pairs.clone()).is_some(), other_model.len() == ks.len());
                match r.next(3) {
                    0 => {
                        m = put_many(a, m, &pairs);
                        model.extend(other_model);
                    }
                    1 => {
                        m = merge(a, m, other);
                        model.extend(other_model);
                    }
                    _ => {
                        let all: Vec<Pair> = iter(other).collect();
                        m = put_missing(a, m, &all);
                        assert_eq!(put_missing(a, m, &all), m);
                        for (k, v) in other_model {
                            model.entry(k).or_insert(v);
                        }
                    }
                }
                if r.next(3) == 0 {
                    m = empty(a);
                    model.clear();
                }
            }
        }
        // Updates leave the old map alone.
        assert_eq!(size(before.0), before.1);
        if step % 7 == 0 {
            check(a, m, &model);
        }
    }
    HASH_MASK.set(u32::MAX);
}

#[test]
fn against_a_model() {
    for seed in 1..6 {
        random_walk(seed, u32::MAX, 120, 600);
    }
    random_walk(77, u32::MAX, 3000, 400);
}

/// Hashes of few different bits: long chains, and buckets at the end of them.
#[test]
fn colliding_hashes() {
    for (seed, mask) in [(1, 0), (2, 1), (3, 0xF000_0000), (4, 0x11), (5, 0xFFFF_0000)] {
        random_walk(seed, mask, 100, 300);
    }
}

#[test]
fn shares_keys() {
    let mut a = FragBuilder::new(1000);
    let a = &mut a;
    let n = Term::small;
    let m = from_pairs(a, &mut [(n(2), n(0)), (n(1), n(0))]).expect("distinct");
    let x = put_many(a, m, &[(n(1), n(5)), (n(2), n(6)), (n(1), n(7))]);
    assert_eq!(x.word(2), m.word(2));
    assert_eq!((get(x, n(1)), get(x, n(2)), get(m, n(1))), (Some(n(7)), Some(n(6)), Some(n(0))));
    assert_eq!(put_many(a, m, &[(n(1), n(0)), (n(2), n(0))]), m);
    assert_eq!(put_many_exact(a, m, &[(n(1), n(3)), (n(9), n(0))]), Err(n(9)));
    let f = a.float(1.0);
    let y = put(a, m, f, n(9));
    assert!(flat_parts(y).0 == [n(1), n(2), f]);
}
