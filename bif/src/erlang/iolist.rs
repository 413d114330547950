//! Folds over iolists, resumable: every function over an iolist is a [`Sink`].

use crate::util::{Origin, budget};
use chime_vm::bif::BifResult;
use chime_vm::bin::{self, Bits};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::refs;
use chime_vm::term::Term;
use parking_lot::Mutex;
use std::sync::Arc;

/// Bytes a list element costs as much as.
const ELEMENT: usize = 10;

/// Takes in the bytes of an iolist, in order. Kept in a magic reference while the built-in is suspended.
pub trait Sink: Send + Sync + Sized + 'static {
    /// Bytes a reduction pays for.
    const PER_REDUCTION: usize = 100;
    fn byte(&mut self, b: u8);
    fn bytes(&mut self, b: &[u8]);
    /// A bitstring that is not whole aligned bytes; `false`: not allowed here.
    fn bits(&mut self, b: Bits<'_>) -> bool {
        if b.bits % 8 != 0 {
            return false;
        }
        let n = b.bits / 8;
        for i in 0..n {
            self.byte(if b.bit == 0 {
                b.bytes[i]
            } else {
                b.bytes[i] << b.bit | b.bytes[i + 1] >> (8 - b.bit)
            });
        }
        true
    }
    fn finish(self, p: &mut Process) -> BifResult;
}

enum End {
    Done,
    Paused,
    Bad,
}

/// Folds `root` into `sink`, for `erlang:name` called with `args`.
pub fn fold<S: Sink>(p: &mut Process, root: Term, sink: S, name: &'static str, args: &[Term]) -> BifResult {
    run(p, vec![root], sink, Origin::Fresh("erlang", name, args))
}

fn run<S: Sink>(p: &mut Process, mut stack: Vec<Term>, mut sink: S, origin: Origin<'_>) -> BifResult {
    match drain(p, &mut stack, &mut sink) {
        End::Done => sink.finish(p),
        End::Bad => Err(origin.badarg(p)),
        End::Paused => {
            let todo = p.list(&stack);
            let state = refs::make_magic(p, Arc::new(Mutex::new(Some(sink))));
            let origin = origin.keep(p);
            Err(p.trap(resume::<S>, &[todo, state, origin]))
        }
    }
}

fn resume<S: Sink>(p: &mut Process, a: &[Term]) -> BifResult {
    let sink =
        refs::magic(a[1]).and_then(|m| m.downcast::<Mutex<Option<S>>>().ok()).and_then(|m| m.lock().take());
    match sink {
        Some(sink) => run(p, a[0].iter().collect(), sink, Origin::Kept(a[2])),
        None => Err(Origin::Kept(a[2]).badarg(p)),
    }
}

/// Visits the terms of `stack`, last first, until the turn is over.
fn drain<S: Sink>(p: &mut Process, stack: &mut Vec<Term>, sink: &mut S) -> End {
    let limit = budget(p, S::PER_REDUCTION);
    let mut left = limit;
    let end = visit(p, stack, sink, &mut left);
    p.bump((limit - left) / S::PER_REDUCTION);
    end
}

fn visit<S: Sink>(p: &mut Process, stack: &mut Vec<Term>, sink: &mut S, left: &mut usize) -> End {
    while let Some(mut t) = stack.pop() {
        while t.is_cons() {
            if *left < ELEMENT {
                stack.push(t);
                return End::Paused;
            }
            *left -= ELEMENT;
            let (head, tail) = (t.head(), t.tail());
            if head.is_small() {
                let Ok(b) = u8::try_from(head.small_value()) else { return End::Bad };
                sink.byte(b);
                t = tail;
            } else if head.is_nil() {
                t = tail;
            } else if head.is_cons() {
                if !tail.is_nil() {
                    stack.push(tail);
                }
                t = head;
            } else {
                match whole(p, head, sink, left) {
                    Ok(None) => t = tail,
                    Ok(Some(rest)) => {
                        stack.push(tail);
                        stack.push(rest);
                        return End::Paused;
                    }
                    Err(()) => return End::Bad,
                }
            }
        }
        if !t.is_nil() {
            match whole(p, t, sink, left) {
                Ok(None) => {}
                Ok(Some(rest)) => {
                    stack.push(rest);
                    return End::Paused;
                }
                Err(()) => return End::Bad,
            }
        }
    }
    End::Done
}

/// One bitstring; gives back what did not fit into this turn.
fn whole<S: Sink>(p: &mut Process, t: Term, sink: &mut S, left: &mut usize) -> Result<Option<Term>, ()> {
    let b = bin::bits(t).ok_or(())?;
    let (now, rest) = if b.bits / 8 > *left {
        (*left * 8, bin::sub_binary(p, t, *left * 8, b.bits - *left * 8))
    } else {
        (b.bits, None)
    };
    let part = Bits { bytes: &b.bytes[..(b.bit + now).div_ceil(8)], bit: b.bit, bits: now };
    *left -= (now / 8).min(*left);
    match part.aligned() {
        Some(bytes) => sink.bytes(bytes),
        None if sink.bits(part) => {}
        None => return Err(()),
    }
    Ok(rest)
}

/// Collects bytes, and bits where they are allowed.
pub struct Collect {
    pub bytes: Vec<u8>,
    /// Bits used in the last byte; 0: all.
    partial: usize,
    allow_bits: bool,
}

impl Collect {
    pub fn bytes_only() -> Self {
        Collect { bytes: Vec::new(), partial: 0, allow_bits: false }
    }
    pub fn with_bits() -> Self {
        Collect { bytes: Vec::new(), partial: 0, allow_bits: true }
    }
    /// Appends the `n` high bits of `b`.
    fn push(&mut self, b: u8, n: usize) {
        let b = if n == 8 { b } else { b & !(0xFF >> n) };
        if self.partial == 0 {
            self.bytes.push(b);
            self.partial = n % 8;
        } else {
            let at = self.partial;
            if let Some(last) = self.bytes.last_mut() {
                *last |= b >> at;
            }
            if at + n > 8 {
                self.bytes.push(b << (8 - at));
            }
            self.partial = (at + n) % 8;
        }
    }
}

impl Sink for Collect {
    #[inline]
    fn byte(&mut self, b: u8) {
        if self.partial == 0 { self.bytes.push(b) } else { self.push(b, 8) }
    }
    fn bytes(&mut self, b: &[u8]) {
        if self.partial == 0 {
            self.bytes.extend_from_slice(b);
        } else {
            b.iter().for_each(|&b| self.push(b, 8));
        }
    }
    fn bits(&mut self, b: Bits<'_>) -> bool {
        if b.bits % 8 != 0 && !self.allow_bits {
            return false;
        }
        let mut done = 0;
        while done < b.bits {
            let i = done / 8;
            let mut byte = b.bytes[i] << b.bit;
            if b.bit > 0 && i + 1 < b.bytes.len() {
                byte |= b.bytes[i + 1] >> (8 - b.bit);
            }
            let n = (b.bits - done).min(8);
            self.push(byte, n);
            done += n;
        }
        true
    }
    fn finish(self, p: &mut Process) -> BifResult {
        let whole = p.binary(&self.bytes);
        if self.partial == 0 {
            return Ok(whole);
        }
        let bits = self.bytes.len() * 8 - (8 - self.partial);
        match bin::sub_binary(p, whole, 0, bits) {
            Some(t) => Ok(t),
            None => Err(p.badarg()),
        }
    }
}

/// Counts bytes.
pub struct Count(pub usize);

impl Sink for Count {
    /// A binary costs nothing to count.
    const PER_REDUCTION: usize = 1000;
    fn byte(&mut self, _: u8) {
        self.0 += 1;
    }
    fn bytes(&mut self, b: &[u8]) {
        self.0 += b.len();
    }
    fn bits(&mut self, b: Bits<'_>) -> bool {
        self.0 += b.bits / 8;
        b.bits % 8 == 0
    }
    fn finish(self, p: &mut Process) -> BifResult {
        Ok(p.uint(self.0 as u64))
    }
}
