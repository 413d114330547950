//! What is known about the content of a register, in one word.

use std::fmt;

/// An abstract value. The order of the numbers has no meaning except that 0 is "not set".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value(pub u32);

const TRY: u32 = 1 << 31;
const CATCH: u32 = 3 << 30;
const TUPLE: u32 = 1 << 30;
const SIZE: u32 = TUPLE - 1;

impl Value {
    /// Never written, or lost.
    pub const UNSET: Value = Value(0);
    /// A catch tag on one path and something else, or nothing, on another: of no use to anybody.
    pub const MIXED: Value = Value(1);
    /// Any term.
    pub const ANY: Value = Value(2);
    pub const CONS: Value = Value(3);
    pub const FLOAT: Value = Value(4);
    pub const MAP: Value = Value(5);
    pub const BITSTRING: Value = Value(6);
    pub const CONTEXT: Value = Value(7);
    pub const POSITION: Value = Value(8);
    pub const MARKER: Value = Value(9);
    /// A tuple that `setelement/3` has just made: nobody else sees it, so it may still be changed.
    pub const FRESH: Value = Value(11);
    /// The register from which a running timer was set; only the same `wait_timeout` may name it again, and
    /// then it does not look at it.
    pub const TIMER: Value = Value(10);

    /// A tuple with at least that many elements.
    pub fn tuple(size: u64) -> Value {
        Value(TUPLE | size.min(SIZE as u64) as u32)
    }

    /// The tag of `try`, with the label of its handler.
    pub fn try_tag(label: u32) -> Value {
        Value(TRY | label)
    }

    /// The tag of `catch`, with the label of its handler.
    pub fn catch_tag(label: u32) -> Value {
        Value(CATCH | label)
    }

    pub fn is_tag(self) -> bool {
        self.0 & TRY != 0
    }

    pub fn is_try(self) -> bool {
        self.0 & CATCH == TRY
    }

    pub fn is_catch(self) -> bool {
        self.0 & CATCH == CATCH
    }

    /// The handler of a tag.
    pub fn handler(self) -> Option<u32> {
        self.is_tag().then_some(self.0 & SIZE)
    }

    /// For tuples, how many elements there are at least.
    pub fn tuple_size(self) -> Option<u64> {
        (!self.is_tag() && self.0 & TUPLE != 0).then_some((self.0 & SIZE) as u64)
    }

    /// What equality with this value teaches about another one: contexts, markers and the like are equal to
    /// terms of other shapes, and freshness is a matter of identity.
    pub fn shape(self) -> Value {
        match self {
            Value::CONS | Value::FLOAT | Value::MAP => self,
            value if value.tuple_size().is_some() => value,
            _ => Value::ANY,
        }
    }

    /// What is known when control may come with either value.
    pub fn join(self, other: Value) -> Value {
        if self == other {
            return self;
        }
        let mixed = |v: Value| v.is_tag() || v == Value::MIXED;
        if mixed(self) || mixed(other) {
            // A tag must not be forgotten: an exception could still find it.
            return Value::MIXED;
        }
        if self == Value::UNSET || other == Value::UNSET {
            return Value::UNSET;
        }
        if self == Value::TIMER || other == Value::TIMER {
            return Value::TIMER;
        }
        match (self.tuple_size(), other.tuple_size()) {
            (Some(a), Some(b)) => Value::tuple(a.min(b)),
            _ => Value::ANY,
        }
    }

    /// What the first bytes of an external term tell.
    pub fn of_literal(term: &[u8]) -> Value {
        match *term {
            [131, 104, n, ..] => Value::tuple(n as u64),
            [131, 105, a, b, c, d, ..] => Value::tuple(u32::from_be_bytes([a, b, c, d]) as u64),
            [131, 107, a, b, ..] if (a, b) != (0, 0) => Value::CONS,
            [131, 108, a, b, c, d, ..] if [a, b, c, d] != [0; 4] => Value::CONS,
            [131, 116, ..] => Value::MAP,
            [131, 70 | 99, ..] => Value::FLOAT,
            [131, 109 | 77, ..] => Value::BITSTRING,
            _ => Value::ANY,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::UNSET => f.write_str("nothing"),
            Value::MIXED => f.write_str("perhaps a catch tag"),
            Value::TIMER => f.write_str("a time-out that is running"),
            v if v.is_try() => f.write_str("a try tag"),
            v if v.is_catch() => f.write_str("a catch tag"),
            _ => f.write_str("a term"),
        }
    }
}
