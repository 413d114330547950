//! Equality and order of terms.
//!
//! Three comparisons walk the same way: `==` and the standard order, where an integer equals the float of
//! the same value; `=:=`; and the order of map keys, where integers stand before floats of the same value.
//! Nothing recurses: what is left to compare waits on a stack of our own.

use crate::atoms;
use crate::bin::Bits;
use crate::code::{Export, FunEntry};
use crate::external;
use crate::map::is_flat;
use crate::num;
use crate::term::{SMALL_MAX, Term, header_arity, header_subtag, sub};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// `A =:= B`
#[inline]
pub fn exact_eq(a: Term, b: Term) -> bool {
    a == b || (!a.is_immed() && !b.is_immed() && exact_eq_cold(a, b))
}

/// `A == B`
#[inline]
pub fn eq(a: Term, b: Term) -> bool {
    a == b || (!(a.is_immed() && b.is_immed()) && compare_cold::<false>(a, b) == Equal)
}

/// The standard order.
#[inline]
pub fn compare(a: Term, b: Term) -> Ordering {
    if a == b {
        Equal
    } else if Term::both_small(a, b) {
        (a.0 as i64).cmp(&(b.0 as i64))
    } else {
        compare_cold::<false>(a, b)
    }
}

/// The order of map keys: integers before floats of the same value, so only `=:=` terms are equal.
#[inline]
pub fn compare_exact(a: Term, b: Term) -> Ordering {
    if a == b {
        Equal
    } else if Term::both_small(a, b) {
        (a.0 as i64).cmp(&(b.0 as i64))
    } else {
        compare_cold::<true>(a, b)
    }
}

// ---- exact equality

/// What is left to compare: terms side by side.
enum Pair {
    Terms(Term, Term),
    /// Two runs of words of this length.
    Run(*const Term, *const Term, usize),
}

#[inline(never)]
fn exact_eq_cold(a: Term, b: Term) -> bool {
    let mut stack: Vec<Pair> = Vec::new();
    let mut next = Some((a, b));
    loop {
        let (mut a, mut b) = match next.take() {
            Some(pair) => pair,
            None => match stack.pop() {
                None => return true,
                Some(Pair::Terms(a, b)) => (a, b),
                Some(Pair::Run(p, q, n)) => {
                    // SAFETY: a run covers `n` live words of an object.
                    let pair = unsafe {
                        if n > 1 {
                            stack.push(Pair::Run(p.add(1), q.add(1), n - 1));
                        }
                        (*p, *q)
                    };
                    pair
                }
            },
        };
        // Lists: along the tails while heads are decided at once.
        while a != b && a.is_cons() && b.is_cons() {
            let (h, i) = (a.head(), b.head());
            if h != i {
                if h.is_immed() || i.is_immed() {
                    return false;
                }
                stack.push(Pair::Terms(a.tail(), b.tail()));
                (a, b) = (h, i);
            } else {
                (a, b) = (a.tail(), b.tail());
            }
        }
        if a == b {
            continue;
        }
        if !a.is_boxed() || !b.is_boxed() {
            return false;
        }
        let (h, i) = (a.header(), b.header());
        let subtag = header_subtag(h);
        match subtag {
            sub::HEAP_BIN | sub::REFC_BIN | sub::SUB_BIN => {
                match (crate::bin::bits(a), crate::bin::bits(b)) {
                    (Some(x), Some(y)) if x.bits == y.bits && compare_bits(x, y) == Equal => {}
                    _ => return false,
                }
            }
            sub::REF => {
                if header_subtag(i) != sub::REF || a.word(1) != b.word(1) || a.word(2) != b.word(2) {
                    return false;
                }
            }
            _ if h != i => return false,
            sub::TUPLE | sub::HAMT_NODE => {
                stack.push(Pair::Run(a.body().as_ptr(), b.body().as_ptr(), header_arity(h)));
                if header_arity(h) == 0 {
                    stack.pop();
                }
            }
            sub::FLOAT => {
                // 0.0 =:= -0.0 holds before OTP 27.
                let (x, y) = (a.float_value(), b.float_value());
                if x != y || (x.to_bits() != y.to_bits() && crate::release::since(27)) {
                    return false;
                }
            }
            sub::FUN => {
                if !same_fun(a, b) {
                    return false;
                }
                if header_arity(h) > 2 {
                    stack.push(Pair::Run(
                        a.body()[2..].as_ptr(),
                        b.body()[2..].as_ptr(),
                        header_arity(h) - 2,
                    ));
                }
            }
            sub::MAP => {
                if a.word(1) != b.word(1) {
                    return false;
                }
                // Equal maps have equal shapes: flat with sorted keys, or the same trie, whose nodes compare
                // as tuples do.
                stack.push(Pair::Run(a.body()[1..].as_ptr(), b.body()[1..].as_ptr(), header_arity(h) - 1));
            }
            _ => {
                // Bignums, exports, external identifiers: raw words.
                if a.body() != b.body() {
                    return false;
                }
            }
        }
    }
}

pub(crate) fn entry(t: Term) -> &'static FunEntry {
    // SAFETY: word 1 of a fun is the address of its entry; entries are never freed.
    unsafe { &*(t.word(1).0 as *const FunEntry) }
}

pub(crate) fn export(t: Term) -> &'static Export {
    // SAFETY: word 1 of an export fun is the address of an export; exports are never freed.
    unsafe { &*(t.word(1).0 as *const Export) }
}

fn same_fun(a: Term, b: Term) -> bool {
    let (e, f) = (entry(a), entry(b));
    std::ptr::eq(e, f)
        || (e.module == f.module
            && e.old_index == f.old_index
            && e.old_uniq == f.old_uniq
            && e.num_free == f.num_free)
}

// ---- order

/// Kinds of terms in the standard order.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Kind {
    Number,
    Atom,
    Ref,
    Fun,
    Port,
    Pid,
    Tuple,
    Map,
    Nil,
    List,
    Bits,
}

fn kind(t: Term) -> Kind {
    if t.is_cons() {
        Kind::List
    } else if t.is_boxed() {
        match header_subtag(t.header()) {
            sub::TUPLE => Kind::Tuple,
            sub::POS_BIG | sub::NEG_BIG | sub::FLOAT => Kind::Number,
            sub::REF | sub::EXT_REF => Kind::Ref,
            sub::FUN | sub::EXPORT => Kind::Fun,
            sub::EXT_PID => Kind::Pid,
            sub::EXT_PORT => Kind::Port,
            sub::MAP | sub::HAMT_NODE => Kind::Map,
            _ => Kind::Bits,
        }
    } else if t.is_small() {
        Kind::Number
    } else if t.is_atom() {
        Kind::Atom
    } else if t.is_nil() {
        Kind::Nil
    } else if t.is_local_pid() {
        Kind::Pid
    } else {
        Kind::Port
    }
}

/// Work left of a comparison that is a tie so far.
enum Left {
    Terms(Term, Term),
    Run(*const Term, *const Term, usize),
    /// Keys in the key order, whatever the order of the rest.
    KeyRun(*const Term, *const Term, usize),
    /// Pairs of two large maps with equal keys, sorted by key: the values from this index on.
    Values(Box<(Pairs, Pairs)>, usize),
    /// Keys of two large maps from this index on, then their values.
    Keys(Box<(Pairs, Pairs)>, usize),
    /// Back to the order outside the keys.
    EndOfKey,
}
type Pairs = Vec<(Term, Term)>;

#[inline(never)]
fn compare_cold<const EXACT: bool>(a: Term, b: Term) -> Ordering {
    let mut stack: Vec<Left> = Vec::new();
    let mut next = Some((a, b));
    // How many keys we are inside of.
    let mut in_keys = 0usize;
    loop {
        let (mut a, mut b) = match next.take() {
            Some(pair) => pair,
            None => match stack.pop() {
                None => return Equal,
                Some(Left::Terms(a, b)) => (a, b),
                Some(Left::Run(p, q, n)) => {
                    if n == 0 {
                        continue;
                    }
                    // SAFETY: a run covers `n` live words of an object.
                    unsafe {
                        if n > 1 {
                            stack.push(Left::Run(p.add(1), q.add(1), n - 1));
                        }
                        (*p, *q)
                    }
                }
                Some(Left::KeyRun(p, q, n)) => {
                    if n == 0 {
                        continue;
                    }
                    // SAFETY: as above.
                    unsafe {
                        if n > 1 {
                            stack.push(Left::KeyRun(p.add(1), q.add(1), n - 1));
                        }
                        stack.push(Left::EndOfKey);
                        in_keys += 1;
                        (*p, *q)
                    }
                }
                Some(Left::Keys(pairs, i)) => {
                    if i == pairs.0.len() {
                        stack.push(Left::Values(pairs, 0));
                        continue;
                    }
                    let pair = (pairs.0[i].0, pairs.1[i].0);
                    stack.push(Left::Keys(pairs, i + 1));
                    stack.push(Left::EndOfKey);
                    in_keys += 1;
                    pair
                }
                Some(Left::Values(pairs, i)) => {
                    if i == pairs.0.len() {
                        continue;
                    }
                    let pair = (pairs.0[i].1, pairs.1[i].1);
                    stack.push(Left::Values(pairs, i + 1));
                    pair
                }
                Some(Left::EndOfKey) => {
                    in_keys -= 1;
                    continue;
                }
            },
        };
        let exact = EXACT || in_keys > 0;
        while a != b && a.is_cons() && b.is_cons() {
            let (h, i) = (a.head(), b.head());
            if h == i {
                (a, b) = (a.tail(), b.tail());
            } else if Term::both_small(h, i) {
                return (h.0 as i64).cmp(&(i.0 as i64));
            } else {
                stack.push(Left::Terms(a.tail(), b.tail()));
                (a, b) = (h, i);
            }
        }
        if a == b {
            continue;
        }
        let (k, l) = (kind(a), kind(b));
        if k != l {
            return k.cmp(&l);
        }
        let order = match k {
            Kind::Number => compare_numbers(a, b, exact),
            Kind::Atom => compare_atoms(a, b),
            Kind::Ref => compare_refs(a, b),
            Kind::Port | Kind::Pid => compare_ids(a, b),
            Kind::Bits => match (crate::bin::bits(a), crate::bin::bits(b)) {
                (Some(x), Some(y)) => compare_bits(x, y),
                _ => a.0.cmp(&b.0),
            },
            Kind::Nil | Kind::List => Equal,
            Kind::Tuple => {
                let (x, y) = (a.body(), b.body());
                if x.len() == y.len() {
                    stack.push(Left::Run(x.as_ptr(), y.as_ptr(), x.len()));
                }
                x.len().cmp(&y.len())
            }
            Kind::Fun => compare_funs(a, b).then_with(|| {
                if a.is_sub(sub::FUN) {
                    let (x, y) = (a.body(), b.body());
                    if x.len() == y.len() && x.len() > 2 {
                        stack.push(Left::Run(x[2..].as_ptr(), y[2..].as_ptr(), x.len() - 2));
                    }
                }
                Equal
            }),
            Kind::Map => a.word(1).0.cmp(&b.word(1).0).then_with(|| {
                if is_flat(a) && is_flat(b) {
                    let (x, y) = (a.body(), b.body());
                    let (kx, ky) = (x[1].body(), y[1].body());
                    stack.push(Left::Run(x[2..].as_ptr(), y[2..].as_ptr(), x.len() - 2));
                    if x[1] != y[1] {
                        stack.push(Left::KeyRun(kx.as_ptr(), ky.as_ptr(), kx.len().min(ky.len())));
                    }
                } else {
                    let (mut x, mut y) =
                        (crate::map::iter(a).collect::<Pairs>(), crate::map::iter(b).collect::<Pairs>());
                    if x.len() != y.len() {
                        return x.len().cmp(&y.len());
                    }
                    x.sort_by(|p, q| compare_exact(p.0, q.0));
                    y.sort_by(|p, q| compare_exact(p.0, q.0));
                    stack.push(Left::Keys(Box::new((x, y)), 0));
                }
                Equal
            }),
        };
        if order != Equal {
            return order;
        }
    }
}

fn compare_atoms(a: Term, b: Term) -> Ordering {
    // UTF-8 sorts as code points do.
    atoms::name(a).cmp(atoms::name(b))
}

fn compare_bigs(a: Term, b: Term) -> Ordering {
    let ((n, x), (m, y)) = (a.big_digits(), b.big_digits());
    if n != m {
        return if n { Less } else { Greater };
    }
    let order = x.len().cmp(&y.len()).then_with(|| x.iter().rev().cmp(y.iter().rev()));
    if n { order.reverse() } else { order }
}

fn compare_ints(a: Term, b: Term) -> Ordering {
    match (a.is_small(), b.is_small()) {
        (true, true) => a.small_value().cmp(&b.small_value()),
        (true, false) => {
            if num::is_negative(b) {
                Greater
            } else {
                Less
            }
        }
        (false, true) => {
            if num::is_negative(a) {
                Less
            } else {
                Greater
            }
        }
        (false, false) => compare_bigs(a, b),
    }
}

/// An integer against a float, exactly.
fn compare_int_float(a: Term, f: f64) -> Ordering {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if a.is_small() {
        let v = a.small_value();
        if f.abs() >= (SMALL_MAX as f64) * 2.0 {
            return if f > 0.0 { Less } else { Greater };
        }
        if f.abs() < EXACT {
            // Either the integer is exact as a float, or it lies beyond the float's range.
            return (v as f64).partial_cmp(&f).unwrap_or(Equal);
        }
        // The float is an integer that fits.
        return v.cmp(&(f as i64));
    }
    let (negative, d) = a.big_digits();
    if f.abs() < EXACT || (f < 0.0) != negative {
        return if negative { Less } else { Greater };
    }
    // Both beyond 2^53 and of one sign: the float is an integer. Compare magnitudes, top digits first.
    let exponent = (f.to_bits() >> 52 & 0x7FF) as usize - 1075;
    let mantissa = (f.to_bits() & ((1 << 52) - 1) | 1 << 52) as u128;
    let (word, shifted) = (exponent / 64, mantissa << (exponent % 64));
    let digit = |i: usize| {
        if i == word {
            shifted as u64
        } else if i == word + 1 {
            (shifted >> 64) as u64
        } else {
            0
        }
    };
    let order = (0..d.len().max(word + 2))
        .rev()
        .map(|i| d.get(i).copied().unwrap_or(0).cmp(&digit(i)))
        .find(|o| *o != Equal)
        .unwrap_or(Equal);
    if negative { order.reverse() } else { order }
}

fn compare_numbers(a: Term, b: Term, exact: bool) -> Ordering {
    match (a.is_float(), b.is_float()) {
        (false, false) => compare_ints(a, b),
        (true, true) => {
            let (x, y) = (a.float_value(), b.float_value());
            match x.partial_cmp(&y).unwrap_or(Equal) {
                // Keys of maps have an order in which only what is `=:=` is equal.
                Equal if exact && crate::release::since(27) => x.total_cmp(&y),
                order => order,
            }
        }
        (false, true) if exact => Less,
        (true, false) if exact => Greater,
        (false, true) => compare_int_float(a, b.float_value()),
        (true, false) => compare_int_float(b, a.float_value()).reverse(),
    }
}

/// Bitstrings bit by bit; a prefix is less.
pub fn compare_bits(a: Bits, b: Bits) -> Ordering {
    let n = a.bits.min(b.bits);
    let (whole, rest) = (n / 8, n % 8);
    let order = if a.bit == 0 && b.bit == 0 {
        a.bytes[..whole].cmp(&b.bytes[..whole])
    } else {
        (0..whole).map(|i| byte_at(a, i).cmp(&byte_at(b, i))).find(|o| *o != Equal).unwrap_or(Equal)
    };
    order
        .then_with(|| {
            if rest == 0 {
                return Equal;
            }
            let mask = !(0xFFu8 >> rest);
            (byte_at(a, whole) & mask).cmp(&(byte_at(b, whole) & mask))
        })
        .then(a.bits.cmp(&b.bits))
}

/// Byte `i` of the bits; the bits behind the end are whatever stands there, or zero.
pub(crate) fn byte_at(b: Bits, i: usize) -> u8 {
    let high = b.bytes.get(i).copied().unwrap_or(0);
    if b.bit == 0 {
        return high;
    }
    high << b.bit | b.bytes.get(i + 1).copied().unwrap_or(0) >> (8 - b.bit)
}

/// Node, then the numbers, the last first.
fn compare_refs(a: Term, b: Term) -> Ordering {
    let ((x, _), (y, _)) = (external::ref_numbers(a), external::ref_numbers(b));
    compare_nodes(a, b).then_with(|| x.iter().rev().cmp(y.iter().rev()))
}

/// Serial and number of a pid come before the node, that of a port behind.
fn compare_ids(a: Term, b: Term) -> Ordering {
    if a.is_pid() {
        let ((n, s), (m, t)) = (external::pid_numbers(a), external::pid_numbers(b));
        (s, n).cmp(&(t, m)).then_with(|| compare_nodes(a, b))
    } else {
        compare_nodes(a, b).then_with(|| external::port_number(a).cmp(&external::port_number(b)))
    }
}

/// Name, then creation.
fn compare_nodes(a: Term, b: Term) -> Ordering {
    if !external::is_external(a) && !external::is_external(b) {
        return Equal;
    }
    let (n, m) = (external::node(a), external::node(b));
    compare_atoms(n.name, m.name).then(n.creation.cmp(&m.creation))
}

fn compare_funs(a: Term, b: Term) -> Ordering {
    match (a.is_sub(sub::FUN), b.is_sub(sub::FUN)) {
        (true, true) => {
            let (e, f) = (entry(a), entry(b));
            if std::ptr::eq(e, f) {
                return Equal;
            }
            compare_atoms(e.module, f.module)
                .then(e.old_index.cmp(&f.old_index))
                .then(e.old_uniq.cmp(&f.old_uniq))
                .then(e.num_free.cmp(&f.num_free))
        }
        (true, false) => Less,
        (false, true) => Greater,
        (false, false) => {
            let (e, f) = (export(a), export(b));
            compare_atoms(e.module, f.module)
                .then_with(|| compare_atoms(e.function, f.function))
                .then(e.arity.cmp(&f.arity))
        }
    }
}
