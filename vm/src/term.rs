//! Terms: one 64-bit word each, tagged in the manner of ERTS.
//!
//! Low two bits, the primary tag:
//!
//! | bits | meaning |
//! |---|---|
//! | `00` | a header (first word of a boxed object) or, on the stack, a continuation pointer; never a value |
//! | `01` | pointer to a cons cell |
//! | `10` | pointer to a boxed object |
//! | `11` | immediate: small integer, atom, local pid, port, nil, catch tag |
//!
//! A header word is `extra:16 | arity:42 | subtag:4 | 00`. `arity` counts the words behind the header for
//! every kind of object, so that whoever walks a heap needs no knowledge beyond [`RAW_WORDS`].
//!
//! Everything here is address arithmetic on words. Functions that read through a pointer are `unsafe`-free
//! at their call sites on purpose: a `Term` is only made by the modules that allocate it (`heap`, `copy`,
//! `gc`, the loader's literals), and those keep it pointing at a live object of the tagged kind. That is the
//! invariant of every `unsafe` block in this file.

use std::fmt;

/// One Erlang value, or [`Term::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Term(pub u64);

const _: () = assert!(size_of::<Term>() == 8);

pub const PRIMARY_MASK: u64 = 3;
pub const TAG_HEADER: u64 = 0;
pub const TAG_LIST: u64 = 1;
pub const TAG_BOXED: u64 = 2;
pub const TAG_IMMED: u64 = 3;

const IMMED1_MASK: u64 = 0xF;
const TAG_PID: u64 = 0x3;
const TAG_PORT: u64 = 0x7;
const TAG_SMALL: u64 = 0xF;
const IMMED2_MASK: u64 = 0x3F;
const TAG_ATOM: u64 = 0x0B;
const TAG_CATCH: u64 = 0x1B;
const NIL: u64 = 0x3B;

/// Subtags of header words.
pub mod sub {
    pub const TUPLE: u64 = 0;
    pub const MATCH: u64 = 1;
    pub const POS_BIG: u64 = 2;
    pub const NEG_BIG: u64 = 3;
    pub const REF: u64 = 4;
    pub const FUN: u64 = 5;
    pub const FLOAT: u64 = 6;
    /// `fun M:F/A`
    pub const EXPORT: u64 = 7;
    pub const REFC_BIN: u64 = 8;
    pub const HEAP_BIN: u64 = 9;
    pub const SUB_BIN: u64 = 10;
    /// Inner node of a hashed map; only reachable from a `MAP` head.
    pub const HAMT_NODE: u64 = 11;
    pub const EXT_PID: u64 = 12;
    pub const EXT_PORT: u64 = 13;
    pub const EXT_REF: u64 = 14;
    pub const MAP: u64 = 15;
}

/// All words behind the header are raw.
pub const ALL_RAW: u8 = 255;

/// How many words behind a header are not terms, by subtag; terms follow to the end of the object.
///
/// | object | words behind the header |
/// |---|---|
/// | tuple | elements |
/// | match context | raw: offset in bits, end in bits; term: the binary |
/// | bignum | raw 64-bit digits, least significant first |
/// | reference | raw (see `refs`) |
/// | fun | raw: entry; terms: creator pid, environment |
/// | export fun | raw: entry |
/// | refc binary | raw: size, next in the off-heap list, `*Bin`, bytes, flags |
/// | heap binary | raw: size in bytes, bytes |
/// | sub-binary | raw: size in bytes, byte offset, `bitsize | bitoffs << 8 | writable << 16`; term: the binary |
/// | flat map | raw: size; terms: key tuple, values |
/// | hashed map head | raw: size; terms: children |
/// | hashed map node | terms: children |
/// | external pid, port, ref | raw: creation, numbers…; the node atom stands in the first word as a raw index |
pub const RAW_WORDS: [u8; 16] = [
    0, 2, ALL_RAW, ALL_RAW, ALL_RAW, 1, ALL_RAW, ALL_RAW, ALL_RAW, ALL_RAW, 3, 0, ALL_RAW, ALL_RAW, ALL_RAW,
    1,
];

pub const SMALL_BITS: u32 = 60;
pub const SMALL_MAX: i64 = (1 << 59) - 1;
pub const SMALL_MIN: i64 = -(1 << 59);

/// Builds a header word.
pub const fn header(subtag: u64, arity: usize) -> u64 {
    (arity as u64) << 6 | subtag << 2
}
/// Builds a header word with the 16 extra bits (hashed maps keep their bitmap there).
pub const fn header_extra(subtag: u64, arity: usize, extra: u16) -> u64 {
    (extra as u64) << 48 | (arity as u64) << 6 | subtag << 2
}
pub const fn header_arity(h: u64) -> usize {
    ((h >> 6) & ((1 << 42) - 1)) as usize
}
pub const fn header_subtag(h: u64) -> u64 {
    (h >> 2) & 0xF
}
pub const fn header_bits(h: u64) -> u16 {
    (h >> 48) as u16
}

impl Term {
    /// Not a value. Marks "no result" from built-ins and moved cons cells during collection.
    pub const NONE: Term = Term(0);
    pub const NIL: Term = Term(NIL);

    // ---- immediates

    #[inline(always)]
    pub const fn small(v: i64) -> Term {
        Term((v as u64) << 4 | TAG_SMALL)
    }
    #[inline(always)]
    pub const fn fits_small(v: i64) -> bool {
        v >= SMALL_MIN && v <= SMALL_MAX
    }
    #[inline(always)]
    pub const fn atom(index: u32) -> Term {
        Term((index as u64) << 6 | TAG_ATOM)
    }
    pub const fn catch_tag(index: u32) -> Term {
        Term((index as u64) << 6 | TAG_CATCH)
    }
    /// `data` is `serial << 28 | slot`.
    pub const fn pid(data: u64) -> Term {
        Term(data << 4 | TAG_PID)
    }
    pub const fn port(data: u64) -> Term {
        Term(data << 4 | TAG_PORT)
    }
    pub fn bool(b: bool) -> Term {
        if b { crate::atoms::TRUE } else { crate::atoms::FALSE }
    }

    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
    #[inline(always)]
    pub const fn is_immed(self) -> bool {
        self.0 & PRIMARY_MASK == TAG_IMMED
    }
    #[inline(always)]
    pub const fn is_small(self) -> bool {
        self.0 & IMMED1_MASK == TAG_SMALL
    }
    #[inline(always)]
    pub const fn both_small(a: Term, b: Term) -> bool {
        a.0 & b.0 & IMMED1_MASK == TAG_SMALL
    }
    #[inline(always)]
    pub const fn is_atom(self) -> bool {
        self.0 & IMMED2_MASK == TAG_ATOM
    }
    #[inline(always)]
    pub const fn is_nil(self) -> bool {
        self.0 == NIL
    }
    #[inline(always)]
    pub const fn is_local_pid(self) -> bool {
        self.0 & IMMED1_MASK == TAG_PID
    }
    pub const fn is_local_port(self) -> bool {
        self.0 & IMMED1_MASK == TAG_PORT
    }
    pub const fn is_catch(self) -> bool {
        self.0 & IMMED2_MASK == TAG_CATCH
    }
    /// A word on the stack that is a continuation pointer, or the first word of a boxed object.
    #[inline(always)]
    pub const fn is_header(self) -> bool {
        self.0 & PRIMARY_MASK == TAG_HEADER
    }
    /// The value of a small integer.
    #[inline(always)]
    pub const fn small_value(self) -> i64 {
        self.0 as i64 >> 4
    }
    #[inline(always)]
    pub const fn atom_index(self) -> u32 {
        (self.0 >> 6) as u32
    }
    pub const fn catch_index(self) -> u32 {
        (self.0 >> 6) as u32
    }
    /// The 60 data bits of a local pid or port.
    pub const fn pid_data(self) -> u64 {
        self.0 >> 4
    }
    /// `Some` for a small integer.
    pub fn as_small(self) -> Option<i64> {
        self.is_small().then(|| self.small_value())
    }
    /// A small integer that is not negative, as usize.
    pub fn as_index(self) -> Option<usize> {
        (self.is_small() && self.small_value() >= 0).then(|| self.small_value() as usize)
    }

    // ---- pointers

    #[inline(always)]
    pub fn list_ptr(p: *const Term) -> Term {
        Term(p as u64 | TAG_LIST)
    }
    #[inline(always)]
    pub fn boxed_ptr(p: *const Term) -> Term {
        Term(p as u64 | TAG_BOXED)
    }
    #[inline(always)]
    pub const fn is_cons(self) -> bool {
        self.0 & PRIMARY_MASK == TAG_LIST
    }
    #[inline(always)]
    pub const fn is_list(self) -> bool {
        self.is_cons() || self.is_nil()
    }
    #[inline(always)]
    pub const fn is_boxed(self) -> bool {
        self.0 & PRIMARY_MASK == TAG_BOXED
    }
    /// Address of the cons cell or boxed object.
    #[inline(always)]
    pub fn ptr(self) -> *mut Term {
        (self.0 & !PRIMARY_MASK) as *mut Term
    }
    #[inline(always)]
    pub fn head(self) -> Term {
        debug_assert!(self.is_cons());
        // SAFETY: a list pointer addresses two live words.
        unsafe { *self.ptr() }
    }
    #[inline(always)]
    pub fn tail(self) -> Term {
        debug_assert!(self.is_cons());
        // SAFETY: as for `head`.
        unsafe { *self.ptr().add(1) }
    }
    /// The header word of a boxed object.
    #[inline(always)]
    pub fn header(self) -> u64 {
        debug_assert!(self.is_boxed());
        // SAFETY: a boxed pointer addresses a live header.
        unsafe { (*self.ptr()).0 }
    }
    /// Word `i` of a boxed object; 0 is the header.
    #[inline(always)]
    pub fn word(self, i: usize) -> Term {
        debug_assert!(self.is_boxed());
        debug_assert!(i <= header_arity(self.header()));
        // SAFETY: `i` lies inside the object.
        unsafe { *self.ptr().add(i) }
    }
    /// The words behind the header.
    #[inline]
    pub fn body<'a>(self) -> &'a [Term] {
        // SAFETY: the header's arity counts the words behind it. The lifetime is that of the object; no
        // collection happens while a built-in or an instruction holds such a slice.
        unsafe { std::slice::from_raw_parts(self.ptr().add(1), header_arity(self.header())) }
    }
    /// Subtag of a boxed object, or `None`.
    #[inline(always)]
    pub fn subtag(self) -> Option<u64> {
        if self.is_boxed() { Some(header_subtag(self.header())) } else { None }
    }
    #[inline(always)]
    pub fn is_sub(self, subtag: u64) -> bool {
        self.is_boxed() && header_subtag(self.header()) == subtag
    }
    #[inline(always)]
    pub fn is_tuple(self) -> bool {
        self.is_sub(sub::TUPLE)
    }
    /// The elements of a tuple.
    #[inline]
    pub fn tuple<'a>(self) -> Option<&'a [Term]> {
        if self.is_tuple() { Some(self.body()) } else { None }
    }
    /// A tuple of exactly `n` elements.
    #[inline]
    pub fn tuple_of<'a>(self, n: usize) -> Option<&'a [Term]> {
        if self.is_boxed() && self.header() == header(sub::TUPLE, n) { Some(self.body()) } else { None }
    }
    #[inline(always)]
    pub fn is_float(self) -> bool {
        self.is_sub(sub::FLOAT)
    }
    #[inline(always)]
    pub fn float_value(self) -> f64 {
        f64::from_bits(self.word(1).0)
    }
    pub fn is_big(self) -> bool {
        matches!(self.subtag(), Some(sub::POS_BIG | sub::NEG_BIG))
    }
    pub fn is_integer(self) -> bool {
        self.is_small() || self.is_big()
    }
    pub fn is_number(self) -> bool {
        self.is_small() || matches!(self.subtag(), Some(sub::POS_BIG | sub::NEG_BIG | sub::FLOAT))
    }
    /// Sign (true: negative) and digits of a bignum.
    pub fn big_digits<'a>(self) -> (bool, &'a [u64]) {
        debug_assert!(self.is_big());
        let body = self.body();
        // SAFETY: Term is a transparent u64.
        let digits = unsafe { std::slice::from_raw_parts(body.as_ptr().cast::<u64>(), body.len()) };
        (header_subtag(self.header()) == sub::NEG_BIG, digits)
    }
    pub fn is_map(self) -> bool {
        self.is_sub(sub::MAP)
    }
    pub fn is_ref(self) -> bool {
        matches!(self.subtag(), Some(sub::REF | sub::EXT_REF))
    }
    pub fn is_pid(self) -> bool {
        self.is_local_pid() || self.is_sub(sub::EXT_PID)
    }
    pub fn is_port(self) -> bool {
        self.is_local_port() || self.is_sub(sub::EXT_PORT)
    }
    pub fn is_fun(self) -> bool {
        matches!(self.subtag(), Some(sub::FUN | sub::EXPORT))
    }
    /// Any bitstring; match contexts are not values and do not count.
    pub fn is_bitstring(self) -> bool {
        matches!(self.subtag(), Some(sub::REFC_BIN | sub::HEAP_BIN | sub::SUB_BIN))
    }
    /// A bitstring of whole bytes.
    pub fn is_binary(self) -> bool {
        match self.subtag() {
            Some(sub::REFC_BIN | sub::HEAP_BIN) => true,
            Some(sub::SUB_BIN) => self.word(3).0 & 0xFF == 0,
            _ => false,
        }
    }
    pub fn is_boolean(self) -> bool {
        self == crate::atoms::TRUE || self == crate::atoms::FALSE
    }
    /// Walks a list. The iterator stops at the first tail that is not a cons; see [`ListIter::rest`].
    pub fn iter(self) -> ListIter {
        ListIter { rest: self }
    }
    /// The elements of a proper list, or `None`. Linear.
    pub fn to_vec(self) -> Option<Vec<Term>> {
        let mut it = self.iter();
        let v: Vec<Term> = it.by_ref().collect();
        it.rest.is_nil().then_some(v)
    }
    /// Length of a proper list, or `None`. Linear.
    pub fn list_len(self) -> Option<usize> {
        let (mut n, mut t) = (0, self);
        while t.is_cons() {
            n += 1;
            t = t.tail();
        }
        t.is_nil().then_some(n)
    }
}

/// See [`Term::iter`].
pub struct ListIter {
    /// What is left: a cons, nil at the end of a proper list, anything else for an improper one.
    pub rest: Term,
}

impl Iterator for ListIter {
    type Item = Term;
    fn next(&mut self) -> Option<Term> {
        if self.rest.is_cons() {
            let h = self.rest.head();
            self.rest = self.rest.tail();
            Some(h)
        } else {
            None
        }
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_small() {
            write!(f, "{}", self.small_value())
        } else if self.is_atom() {
            write!(f, "{}", crate::atoms::name(*self))
        } else if self.is_nil() {
            write!(f, "[]")
        } else {
            write!(f, "#{:x}", self.0)
        }
    }
}
