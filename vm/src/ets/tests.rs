//! Both kinds of stores against a plain list of objects, with random operations.

use super::object::Owned;
use super::tree::{Edge, Key, Tree};
use super::{Hold, Kind};
use crate::cmp::{compare, exact_eq};
use crate::ets::hashed::Hashed;
use crate::hash;
use crate::heap::{Alloc, FragBuilder};
use crate::term::Term;
use std::ops::Bound;

const FREE: Hold = Hold { keep: false, steady: false };
const FIXED: Hold = Hold { keep: true, steady: true };

/// A small generator; the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn object(a: &mut FragBuilder, key: u64, value: u64) -> Term {
    let k = if key % 3 == 0 { a.tuple(&[Term::small(key as i64)]) } else { Term::small(key as i64) };
    let text = a.binary(&vec![value as u8; (value % 100) as usize]);
    a.tuple(&[k, Term::small(value as i64), text])
}

/// The model: what a table of that kind holds, in the order of insertion.
fn put(model: &mut Vec<Term>, kind: Kind, o: Term) {
    match kind {
        Kind::Bag if model.iter().any(|&m| exact_eq(m, o)) => return,
        Kind::Set | Kind::OrderedSet => model.retain(|m| !exact_eq(m.word(1), o.word(1))),
        _ => {}
    }
    model.push(o);
}

fn same(mut x: Vec<Term>, mut y: Vec<Term>) -> bool {
    x.sort_by(|&a, &b| compare(a, b));
    y.sort_by(|&a, &b| compare(a, b));
    x.len() == y.len() && x.iter().zip(&y).all(|(&a, &b)| exact_eq(a, b))
}

#[test]
fn buckets_hold_what_was_put_in() {
    for kind in [Kind::Set, Kind::Bag, Kind::DuplicateBag] {
        let mut random = Numbers(88_172_645_463_325_252);
        let mut area = FragBuilder::new(1 << 16);
        let (mut table, mut model) = (Hashed::new(kind, 1), Vec::new());
        let mut hold = FREE;
        for step in 0..6000 {
            // Growing first, then mostly deleting.
            let range = if step < 3000 { 2000 } else { 600 };
            let (key, value) = (random.below(range), random.below(4));
            let o = object(&mut area, key, value);
            let h = hash::internal(o.word(1));
            match random.below(10) {
                0..6 if step < 3000 => {
                    table.put(Owned::new(o, h), hold);
                    put(&mut model, kind, o);
                }
                6 if step % 100 == 0 => {
                    hold = if hold.keep { FREE } else { FIXED };
                    if !hold.keep {
                        table.purge();
                    }
                }
                7 => {
                    let n = table.remove(h, o.word(1), hold, |x| exact_eq(x, o));
                    let before = model.len();
                    model.retain(|&m| !exact_eq(m, o));
                    assert_eq!(n, before - model.len());
                }
                _ => {
                    let n = table.remove(h, o.word(1), hold, |_| true);
                    let before = model.len();
                    model.retain(|&m| !exact_eq(m.word(1), o.word(1)));
                    assert_eq!(n, before - model.len());
                }
            }
            assert_eq!(table.len(), model.len());
            if step % 50 == 0 {
                let mut found = Vec::new();
                table.get_all(h, o.word(1), &mut found);
                let wanted: Vec<Term> =
                    model.iter().copied().filter(|m| exact_eq(m.word(1), o.word(1))).collect();
                assert!(
                    found.iter().zip(&wanted).all(|(&a, &b)| exact_eq(a, b)) && found.len() == wanted.len()
                );
                let mut all = Vec::new();
                for i in 0..table.buckets() {
                    table.bucket(i, |o| all.push(o));
                }
                assert!(same(all, model.clone()));
                let (mut keys, mut next) = (0, table.first_from(0));
                while let Some(k) = next {
                    keys += 1;
                    next = table.next(hash::internal(k), k).expect("the key is there");
                }
                let mut distinct: Vec<Term> = model.iter().map(|m| m.word(1)).collect();
                distinct.sort_by(|&a, &b| compare(a, b));
                distinct.dedup_by(|a, b| exact_eq(*a, *b));
                assert_eq!(keys, distinct.len());
            }
        }
        assert!(table.buckets() >= 256);
    }
}

#[test]
fn a_deleted_key_of_a_fixed_table_still_leads_on() {
    let mut area = FragBuilder::new(1 << 12);
    let mut table = Hashed::new(Kind::Set, 1);
    for key in 0..500 {
        let o = object(&mut area, key, 1);
        table.put(Owned::new(o, hash::internal(o.word(1))), FREE);
    }
    let (mut n, mut next) = (0, table.first_from(0));
    while let Some(k) = next {
        n += 1;
        table.remove(hash::internal(k), k, FIXED, |_| true);
        next = table.next(hash::internal(k), k).expect("it is kept");
    }
    assert_eq!((n, table.len()), (500, 0));
    let key = object(&mut area, 1, 1).word(1);
    assert!(table.next(hash::internal(key), key).is_ok() && table.get(hash::internal(key), key).is_none());
    table.purge();
    assert!(table.next(hash::internal(key), key).is_err());
    assert_eq!(table.words(), 2 * 256);
}

#[test]
fn trees_keep_order_and_find_prefixes() {
    let mut random = Numbers(88_172_645_463_325_252);
    let mut area = FragBuilder::new(1 << 16);
    let (mut table, mut model) = (Tree::new(1), Vec::new());
    for _ in 0..3000 {
        let o = object(&mut area, random.below(300), random.below(50));
        if random.below(3) == 0 {
            table.remove(o.word(1), |_| true);
            model.retain(|m: &Term| !exact_eq(m.word(1), o.word(1)));
        } else {
            table.put(Owned::new(o, 0));
            put(&mut model, Kind::OrderedSet, o);
        }
    }
    model.sort_by(|&a, &b| compare(a, b));
    let up: Vec<Term> = table.scan(Bound::Unbounded, false).collect();
    let mut down: Vec<Term> = table.scan(Bound::Unbounded, true).collect();
    down.reverse();
    for all in [up, down] {
        assert!(all.len() == model.len() && all.iter().zip(&model).all(|(&a, &b)| exact_eq(a, b)));
    }

    let mut table = Tree::new(1);
    for x in 0..5 {
        for y in 0..5 {
            let key = area.tuple(&[Term::small(x), Term::small(y)]);
            let o = area.tuple(&[key]);
            table.put(Owned::new(o, 0));
        }
    }
    let pattern = area.tuple(&[Term::small(3), crate::atoms::ANY]);
    for upper in [false, true] {
        let edge = Edge { pattern, same: 1, upper };
        let found = table.scan(Bound::Excluded(edge.key()), upper).take_while(|o| edge.within(o.word(1)));
        let seconds: Vec<i64> = found.map(|o| o.word(1).word(2).small_value()).collect();
        assert_eq!(seconds, if upper { [4, 3, 2, 1, 0] } else { [0, 1, 2, 3, 4] });
    }
    let key = Key(pattern);
    assert!(table.get(key.0).is_none());
}
