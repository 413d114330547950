//! `unicode`: from deep lists of code points and binaries to lists or UTF-8, resumable.
//!
//! A character may be split over binaries. What could not be converted is given back: at a bad place, the
//! rest of the data from there with the structure of the lists around it; bytes that were held back as the
//! start of a character come first.

use crate::util::{Origin, budget, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin, exports, refs};
use parking_lot::Mutex;
use std::sync::Arc;

/// Bytes or code points a reduction pays for.
const PER_REDUCTION: usize = 40;

/// What has been converted so far.
enum Out {
    List(Vec<Term>),
    Utf8(Vec<u8>),
}

impl Out {
    fn char(&mut self, c: char) {
        match self {
            Out::List(v) => v.push(Term::small(c as i64)),
            Out::Utf8(v) => v.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    fn str(&mut self, s: &str) {
        match self {
            Out::List(v) => v.extend(s.chars().map(|c| Term::small(c as i64))),
            Out::Utf8(v) => v.extend_from_slice(s.as_bytes()),
        }
    }
    fn finish(self, p: &mut Process) -> Term {
        match self {
            Out::List(v) => p.list(&v),
            Out::Utf8(v) => p.binary(&v),
        }
    }
}

struct State {
    out: Out,
    latin1: bool,
    /// The start of a character at the end of a binary.
    held: Vec<u8>,
}

/// Bytes of a character by its first one; 0: none starts so.
fn length(lead: u8) -> usize {
    match lead {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}

enum Stop {
    /// Not chardata at all.
    BadArg,
    /// Conversion failed; the rest.
    Error(Term),
    /// The turn is over; terms still to visit are on the stack.
    Pause,
}

impl State {
    /// Converts `bytes`. `Ok`: all taken (some perhaps held back). `Err(n)`: bad at byte `n`.
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), usize> {
        if self.latin1 {
            bytes.iter().for_each(|&b| self.out.char(b as char));
            return Ok(());
        }
        let mut from = 0;
        if !self.held.is_empty() {
            let need = length(self.held[0]);
            from = (need - self.held.len()).min(bytes.len());
            let mut all = self.held.clone();
            all.extend_from_slice(&bytes[..from]);
            match std::str::from_utf8(&all) {
                Ok(s) => self.out.str(s),
                Err(e) if e.error_len().is_some() => return Err(0),
                Err(_) if all.len() < need => {
                    self.held = all;
                    return Ok(());
                }
                Err(_) => return Err(0),
            }
            self.held.clear();
        }
        let rest = &bytes[from..];
        match std::str::from_utf8(rest) {
            Ok(s) => {
                self.out.str(s);
                Ok(())
            }
            Err(e) => {
                let (good, bad) = rest.split_at(e.valid_up_to());
                if let Ok(s) = std::str::from_utf8(good) {
                    self.out.str(s);
                }
                let need = length(bad[0]);
                if need > bad.len() {
                    self.held.extend_from_slice(bad);
                    Ok(())
                } else {
                    Err(from + good.len())
                }
            }
        }
    }

    fn visit(&mut self, p: &mut Process, stack: &mut Vec<Term>, left: &mut usize) -> Result<(), Stop> {
        while let Some(mut t) = stack.pop() {
            while t.is_cons() {
                if *left == 0 {
                    stack.push(t);
                    return Err(Stop::Pause);
                }
                *left -= 1;
                let (head, tail) = (t.head(), t.tail());
                if head.is_small() {
                    let limit = if self.latin1 { 0xFF } else { 0x10_FFFF };
                    let c = u32::try_from(head.small_value()).ok().filter(|&c| c <= limit);
                    match c.and_then(char::from_u32) {
                        Some(c) if self.held.is_empty() => self.out.char(c),
                        _ => return Err(self.bad(p, t, stack)),
                    }
                    t = tail;
                } else if head.is_list() {
                    stack.push(tail);
                    t = head;
                } else if head.is_big() {
                    return Err(self.bad(p, t, stack));
                } else {
                    stack.push(tail);
                    self.binary(p, head, stack, left)?;
                    t = stack.pop().unwrap_or(Term::NIL);
                }
            }
            if !t.is_nil() {
                self.binary(p, t, stack, left)?;
            }
        }
        Ok(())
    }

    /// A binary whose surroundings are on the stack.
    fn binary(
        &mut self,
        p: &mut Process,
        t: Term,
        stack: &mut Vec<Term>,
        left: &mut usize,
    ) -> Result<(), Stop> {
        let Some(b) = bin::bits(t).filter(|b| b.bits % 8 == 0) else { return Err(Stop::BadArg) };
        let n = b.bits / 8;
        let take = n.min((*left).max(8));
        let part = if take == n { Some(t) } else { bin::sub_binary(p, t, 0, take * 8) };
        let Some(bytes) = part.and_then(bin::bytes) else { return Err(Stop::BadArg) };
        *left -= take.min(*left);
        match self.bytes(&bytes) {
            Err(at) => {
                let rest = if at == 0 { Some(t) } else { bin::sub_binary(p, t, at * 8, (n - at) * 8) };
                Err(self.bad(p, rest.unwrap_or(t), stack))
            }
            Ok(()) if take < n => {
                stack.extend(bin::sub_binary(p, t, take * 8, (n - take) * 8));
                Err(Stop::Pause)
            }
            Ok(()) => Ok(()),
        }
    }

    /// The rest from `here` on, with the lists around it, the innermost last on the stack.
    fn bad(&mut self, p: &mut Process, here: Term, stack: &mut Vec<Term>) -> Stop {
        let mut rest = here;
        while let Some(tail) = stack.pop() {
            rest = p.cons(rest, tail);
        }
        if !is_chardata(rest) {
            return Stop::BadArg;
        }
        if !self.held.is_empty() {
            let held = p.binary(&self.held);
            rest = p.list(&[held, rest]);
        }
        Stop::Error(rest)
    }
}

/// Lists of integers, binaries and such lists; the outermost may be a binary.
fn is_chardata(t: Term) -> bool {
    let mut stack = vec![t];
    while let Some(mut t) = stack.pop() {
        while t.is_cons() {
            let h = t.head();
            if h.is_cons() {
                stack.push(h);
            } else if !h.is_integer() && !h.is_nil() && !h.is_binary() {
                return false;
            }
            t = t.tail();
        }
        if !t.is_nil() && !t.is_binary() {
            return false;
        }
    }
    true
}

fn run(p: &mut Process, mut stack: Vec<Term>, mut s: State, origin: Origin<'_>) -> BifResult {
    let limit = budget(p, PER_REDUCTION);
    let mut left = limit;
    let end = s.visit(p, &mut stack, &mut left);
    p.bump((limit - left) / PER_REDUCTION);
    match end {
        Ok(()) if s.held.is_empty() => Ok(s.out.finish(p)),
        Ok(()) => {
            // The end of the data inside a character: incomplete, or wrong already.
            let wrong =
                std::str::from_utf8(&s.held).is_err_and(|e| e.error_len().is_some()) && wrong_tail(&s.held);
            let held = p.binary(&s.held);
            let out = s.out.finish(p);
            let tag = if wrong { atoms::ERROR } else { crate::util::atom("incomplete") };
            Ok(p.tuple(&[tag, out, held]))
        }
        Err(Stop::Error(rest)) => {
            let out = s.out.finish(p);
            Ok(p.tuple(&[atoms::ERROR, out, rest]))
        }
        Err(Stop::BadArg) => Err(origin.badarg(p)),
        Err(Stop::Pause) => {
            let origin = origin.keep(p);
            let todo = p.list(&stack);
            let state = refs::make_magic(p, Arc::new(Mutex::new(Some(s))));
            Err(p.trap(resume, &[todo, state, origin]))
        }
    }
}

/// Whether something behind the first byte does not continue a character.
fn wrong_tail(held: &[u8]) -> bool {
    held[1..].iter().any(|b| b & 0xC0 != 0x80)
}

fn resume(p: &mut Process, a: &[Term]) -> BifResult {
    let state = refs::magic(a[1])
        .and_then(|m| m.downcast::<Mutex<Option<State>>>().ok())
        .and_then(|m| m.lock().take());
    match state {
        Some(s) => run(p, a[0].iter().collect(), s, Origin::Kept(a[2])),
        None => Err(Origin::Kept(a[2]).badarg(p)),
    }
}

fn start(p: &mut Process, data: Term, a: &[Term], out: Out, name: &'static str) -> BifResult {
    let int = match out {
        Out::List(_) => "characters_to_list_int",
        Out::Utf8(_) => "characters_to_binary_int",
    };
    let latin1 = match text(a[1]) {
        "latin1" => true,
        "utf8" | "unicode" => false,
        _ => {
            // Other encodings are the library's work, and so is saying what is wrong with the rest.
            let int = exports::get(atoms::intern("unicode"), atoms::intern(int), 2);
            return Err(p.trap_export(int, a));
        }
    };
    if !data.is_list() && !data.is_binary() {
        return Err(p.badarg());
    }
    run(p, vec![data], State { out, latin1, held: Vec::new() }, Origin::Fresh("unicode", name, a))
}

fn characters_to_list(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, a[0], a, Out::List(Vec::new()), "characters_to_list")
}

/// Bytes that are looked at at once to see whether a binary is UTF-8 as it stands.
const AT_ONCE: usize = 1 << 18;

fn characters_to_binary(p: &mut Process, a: &[Term]) -> BifResult {
    // OTP takes a list of just one binary for that binary, which shows in what is left after an error.
    let data =
        if a[0].is_cons() && a[0].tail().is_nil() && a[0].head().is_binary() { a[0].head() } else { a[0] };
    if let Some(bytes) = bin::bits(data).and_then(|b| b.aligned())
        && bytes.len() <= AT_ONCE
    {
        let as_it_is = match text(a[1]) {
            "latin1" => bytes.is_ascii(),
            "utf8" | "unicode" => std::str::from_utf8(bytes).is_ok(),
            _ => false,
        };
        if as_it_is {
            p.bump(bytes.len() / 200);
            return Ok(data);
        }
    }
    start(p, data, a, Out::Utf8(Vec::new()), "characters_to_binary")
}

fn bin_is_7bit(p: &mut Process, a: &[Term]) -> BifResult {
    let bytes = bin::bytes(a[0]);
    p.bump(bytes.as_ref().map_or(0, |b| b.len() / 1000));
    Ok(Term::bool(bytes.is_some_and(|b| b.is_ascii())))
}

bifs! { TABLE, "unicode";
    "characters_to_list"/2 [PURE] => characters_to_list,
    "characters_to_binary"/2 [PURE] => characters_to_binary,
    "bin_is_7bit"/1 [PURE] => bin_is_7bit,
}
