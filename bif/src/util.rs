//! What many built-ins share: budgets, resumable walks, small conversions.

use chime_vm::atoms;
use chime_vm::bif::Bail;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use std::ops::ControlFlow;

/// Work a built-in does at least before it stops part-way, in reductions, so that it always gets on.
const LEAST: i64 = 20;

/// Units of work until the turn is over, at `per` units a reduction.
pub fn budget(p: &Process, per: usize) -> usize {
    p.fcalls.max(LEAST) as usize * per
}

/// How a walk over a list ended.
pub enum Walk<B> {
    /// At this tail: nil for a proper list.
    End(Term),
    /// The turn is over; go on here.
    Pause(Term),
    Break(B),
}

/// Walks `list` for the rest of the turn, `per` elements a reduction, and charges for it.
pub fn walk<B>(
    p: &mut Process,
    list: Term,
    per: usize,
    mut f: impl FnMut(&mut Process, Term) -> ControlFlow<B>,
) -> Walk<B> {
    let limit = budget(p, per);
    let (mut t, mut n) = (list, 0);
    let end = loop {
        if !t.is_cons() {
            break Walk::End(t);
        }
        if n == limit {
            break Walk::Pause(t);
        }
        n += 1;
        if let ControlFlow::Break(b) = f(p, t.head()) {
            break Walk::Break(b);
        }
        t = t.tail();
    };
    p.bump(n / per);
    end
}

/// Which built-in is at work: its own arguments while it has not stopped yet, and afterwards, when the
/// machine sees only its state, the term `{Module, Function, Args}` in that state.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    Fresh(&'static str, &'static str, &'a [Term]),
    Kept(Term),
}

impl Origin<'_> {
    /// For the state of a built-in that stops.
    pub fn keep(self, p: &mut Process) -> Term {
        match self {
            Origin::Fresh(module, function, args) => {
                let args = p.list(args);
                p.tuple(&[atom(module), atom(function), args])
            }
            Origin::Kept(t) => t,
        }
    }
    /// `badarg` of that built-in.
    #[cold]
    pub fn badarg(self, p: &mut Process) -> Bail {
        let bail = p.badarg();
        if let Origin::Kept(t) = self {
            p.exc.args = t;
        }
        bail
    }
}

/// The text of an atom, "" for anything else: for matching options.
pub fn text(t: Term) -> &'static str {
    if t.is_atom() { atoms::name(t) } else { "" }
}

/// An integer from 0 to `u64::MAX`.
pub fn as_u64(t: Term) -> Option<u64> {
    match t.as_small() {
        Some(v) => u64::try_from(v).ok(),
        None if t.is_big() => match t.big_digits() {
            (false, &[d]) => Some(d),
            _ => None,
        },
        None => None,
    }
}

/// An integer of 64 bits.
pub fn as_i64(t: Term) -> Option<i64> {
    match t.as_small() {
        Some(v) => Some(v),
        None if t.is_big() => match t.big_digits() {
            (negative, &[d]) if negative && d <= 1 << 63 => Some((d as i64).wrapping_neg()),
            (false, &[d]) => i64::try_from(d).ok(),
            _ => None,
        },
        None => None,
    }
}

/// An integer of 32 bits without sign.
pub fn as_u32(t: Term) -> Option<u32> {
    as_u64(t).and_then(|v| u32::try_from(v).ok())
}

/// Bytes of a list of small integers below 256; `None` for anything else.
pub fn byte_list(list: Term, limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut it = list.iter();
    for t in it.by_ref() {
        if out.len() == limit {
            return None;
        }
        out.push(u8::try_from(t.as_small()?).ok()?);
    }
    it.rest.is_nil().then_some(out)
}

/// An atom that need not be known in advance.
pub fn atom(name: &str) -> Term {
    atoms::intern(name)
}

/// `{a, b}`
pub fn pair<A: Alloc + ?Sized>(a: &mut A, x: Term, y: Term) -> Term {
    a.tuple(&[x, y])
}
