use super::*;
use crate::cmp::exact_eq;
use crate::literal::LiteralArea;
use crate::map;
use std::sync::Arc;

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

/// A term of any kind, which may share parts with others.
fn any(a: &mut FragBuilder, r: &mut Rng, literal: Term, depth: u32, pool: &mut Vec<Term>) -> Term {
    if depth == 0 || r.next(4) == 0 {
        let n = r.next(1000) as usize;
        let t = match r.next(10) {
            0 => a.float(n as f64),
            1 => a.uint(u64::MAX - n as u64),
            2 => a.binary(&vec![n as u8; n % 65]),
            3 => a.binary(&vec![n as u8; 65 + n]),
            4 => refs::make_ref(a),
            5 => a.string("some text"),
            6 => literal,
            7 => a.big(true, &[1, n as u64, 3]),
            8 if !pool.is_empty() => pool[n % pool.len()],
            _ => Term::small(n as i64),
        };
        pool.push(t);
        return t;
    }
    let n = r.next(6) as usize;
    let kids: Vec<Term> = (0..n).map(|_| any(a, r, literal, depth - 1, pool)).collect();
    let t = match r.next(5) {
        0 => a.tuple(&kids),
        1 => a.list(&kids),
        2 if n > 0 => a.list_with_tail(&kids[1..], kids[0]),
        3 => {
            let count = [3, 40][r.next(2) as usize];
            let mut pairs: Vec<_> = (0..count)
                .map(|i| (Term::small(i), kids.get(i as usize).copied().unwrap_or(Term::NIL)))
                .collect();
            map::from_pairs(a, &mut pairs).unwrap_or(Term::NIL)
        }
        _ => {
            let whole = a.binary(&[7; 300]);
            let (from, len) = (r.next(900) as usize, r.next(1400) as usize);
            a.raw_sub_binary(whole, from, len)
        }
    };
    pool.push(t);
    t
}

#[test]
fn copies_are_equal_and_exactly_sized() {
    let mut area = LiteralArea::new();
    let literal = area.tuple(&[Term::small(1), Term::NIL]);
    let mut r = Rng(21);
    for _ in 0..2000 {
        let mut a = FragBuilder::new(1024);
        let t = any(&mut a, &mut r, literal, 5, &mut Vec::new());
        let words = size(t);
        let (new, fragment) = copy_to_fragment(t);
        if words == 0 {
            assert!(fragment.is_null() && new == t);
            continue;
        }
        // SAFETY: the fragment just made, which nothing refers to afterwards.
        unsafe {
            assert!((*fragment).used == words && (*fragment).cap == words && (*fragment).next.is_null());
            assert!(exact_eq(t, new) && size(new) == words);
            // Everything is in the fragment, or shared on purpose.
            let mut todo = vec![new];
            while let Some(t) = todo.pop() {
                if is_literal(t) {
                    assert!(t == literal);
                } else if t.is_cons() {
                    assert!(Fragment::contains(fragment, t.ptr()));
                    todo.extend([t.head(), t.tail()]);
                } else if t.is_boxed() {
                    assert!(Fragment::contains(fragment, t.ptr()));
                    let raw = RAW_WORDS[header_subtag(t.header()) as usize];
                    if raw != ALL_RAW {
                        todo.extend_from_slice(&t.body()[raw as usize..]);
                    }
                }
            }
            Fragment::free_chain(fragment);
        }
    }
}

#[test]
fn deep_and_long_terms() {
    let mut a = FragBuilder::new(1 << 20);
    let (mut left, mut nested, mut right) = (Term::NIL, Term::NIL, Term::NIL);
    for i in 0..200_000 {
        left = a.cons(left, Term::small(i));
        nested = a.tuple(&[Term::small(i), nested, Term::NIL]);
        right = a.cons(Term::small(i), right);
    }
    for (t, words) in [(left, 400_000), (nested, 800_000), (right, 400_000)] {
        assert_eq!(size(t), words);
        let new = copy(&mut a, t);
        assert!(new != t && exact_eq(new, t));
    }
}

#[test]
fn binaries_and_references() {
    let mut a = FragBuilder::new(256);
    let large = Bin::from_bytes(&[1; 100]);
    let whole = a.refc_binary(large);
    let small = a.raw_sub_binary(whole, 16, 64 * 8);
    let bits = a.raw_sub_binary(whole, 3, 64 * 8);
    // SAFETY: `whole` keeps the block alive.
    let refs = || unsafe { (*large).refs() };
    let (new, fragment) = copy_to_fragment(whole);
    assert!(refs() == 2 && new.word(3) == whole.word(3));
    let (part, _part) = copy_to_fragment(small);
    assert!(part.is_sub(sub::HEAP_BIN) && refs() == 2);
    let (odd, odd_fragment) = copy_to_fragment(bits);
    assert!(odd.is_sub(sub::SUB_BIN) && refs() == 3);
    // SAFETY: the copies are not used any more.
    unsafe {
        Fragment::free_chain(fragment);
        Fragment::free_chain(odd_fragment);
        Fragment::free_chain(_part);
    }
    assert_eq!(refs(), 1);

    let value = Arc::new(5u32);
    let magic = refs::make_magic(&mut a, value.clone());
    let (copied, fragment) = copy_to_fragment(magic);
    assert!(exact_eq(magic, copied) && Arc::strong_count(&value) == 3);
    assert!(refs::magic(copied).is_some_and(|m| *m.downcast::<u32>().expect("u32") == 5));
    // SAFETY: as above.
    unsafe { Fragment::free_chain(fragment) };
    assert_eq!(Arc::strong_count(&value), 2);
}

/// A fun's environment may hold a match context: it is copied with its binary.
#[test]
fn match_contexts() {
    let mut a = FragBuilder::new(256);
    let t = a.binary(b"hello");
    let ctx = crate::bits::start_match(&mut a, t).expect("a context");
    assert!(crate::bits::skip(ctx, 8));
    let holder = a.tuple(&[ctx]);
    let (new, fragment) = copy_to_fragment(holder);
    let ctx = new.word(1);
    assert_eq!(crate::bits::remaining(ctx), 32);
    assert_eq!(crate::bits::get_utf8(ctx), Some('e' as u32));
    // SAFETY: as above.
    unsafe { Fragment::free_chain(fragment) };
}
