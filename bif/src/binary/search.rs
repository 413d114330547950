//! Searching: `match`, `matches`, `split`, and compiled patterns.

use super::pattern::{Bad, Pattern, compiled};
use super::range;
use crate::erlang::binaries::part;
use crate::util::{atom, budget};
use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bin, refs};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::sync::Arc;

/// Subjects from this size on are worth a well prepared pattern.
const LONG: usize = 1 << 14;
/// Occurrences a reduction pays for, when they are found and when they are made terms.
const FOUND_PER: usize = 4;

#[derive(Clone, Copy, PartialEq)]
enum Job {
    First,
    All,
    Split,
}

/// A search, its options and how far it has got.
struct Search {
    job: Job,
    global: bool,
    trim: bool,
    trim_all: bool,
    /// Part of the subject still to be searched.
    from: usize,
    to: usize,
    found: Vec<(usize, usize)>,
    /// Everything found is in the list, which is built from behind.
    listed: bool,
    /// The subject's size, or where the last part listed begins.
    end: usize,
}

/// A suspended search.
struct Suspended {
    search: Search,
    /// None once the search is finished.
    pattern: Option<Arc<Pattern<'static>>>,
    /// The bytes of a subject that does not start at a byte.
    bytes: Option<Vec<u8>>,
}

fn bad(p: &mut Process, why: Bad) -> Bail {
    match why {
        Bad::Argument => p.badarg(),
        Bad::TooLarge => p.system_limit(),
    }
}

pub fn compile_pattern(p: &mut Process, a: &[Term]) -> BifResult {
    let pattern = match Pattern::from_term(a[0], true) {
        Ok(pattern) => pattern.into_owned(),
        Err(why) => return Err(bad(p, why)),
    };
    p.bump(pattern.total / 8);
    let tag = atom(if pattern.single { "bm" } else { "ac" });
    let magic = refs::make_magic(p, Arc::new(pattern));
    Ok(p.tuple(&[tag, magic]))
}

pub fn match_2(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::First, a[0], a[1], Term::NIL)
}
pub fn match_3(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::First, a[0], a[1], a[2])
}
pub fn matches_2(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::All, a[0], a[1], Term::NIL)
}
pub fn matches_3(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::All, a[0], a[1], a[2])
}
pub fn split_2(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::Split, a[0], a[1], Term::NIL)
}
pub fn split_3(p: &mut Process, a: &[Term]) -> BifResult {
    start(p, Job::Split, a[0], a[1], a[2])
}

/// Reads the options. Like OTP, it does not mind how a list that is not empty ends.
fn options(search: &mut Search, options: Term) -> Option<()> {
    if !options.is_list() {
        return None;
    }
    for option in options.iter() {
        if let Some(t) = option.tuple_of(2)
            && t[0] == atoms::SCOPE
        {
            let t = t[1].tuple_of(2)?;
            let (from, len) = range(t[0], t[1])?;
            (search.from, search.to) = (from, from.checked_add(len)?);
        } else if search.job != Job::Split {
            return None;
        } else if option == atoms::GLOBAL {
            search.global = true;
        } else if option == atoms::TRIM {
            search.trim = true;
        } else if option == atoms::TRIM_ALL {
            search.trim_all = true;
        } else {
            return None;
        }
    }
    Some(())
}

fn start(p: &mut Process, job: Job, subject: Term, pattern: Term, opts: Term) -> BifResult {
    let Some(view) = super::whole(subject) else { return Err(p.badarg()) };
    let size = view.bits / 8;
    let mut search = Search {
        job,
        global: job == Job::All,
        trim: false,
        trim_all: false,
        from: 0,
        to: size,
        found: Vec::new(),
        listed: false,
        end: size,
    };
    if options(&mut search, opts).is_none() || search.to > size {
        return Err(p.badarg());
    }
    if size == 0 {
        return list(p, subject, search, Term::NIL);
    }
    let Some(bytes) = bin::bytes(subject) else { return Err(p.badarg()) };
    let held = match compiled(pattern) {
        Some(pattern) => Held::Shared(pattern),
        None => match Pattern::from_term(pattern, search.to - search.from >= LONG) {
            Ok(pattern) => {
                p.bump(pattern.total / 64);
                Held::Own(pattern)
            }
            Err(why) => return Err(bad(p, why)),
        },
    };
    if search.run(p, &bytes, held.pattern()) {
        return list(p, subject, search, Term::NIL);
    }
    let bytes = match bytes {
        Cow::Borrowed(_) => None,
        Cow::Owned(bytes) => Some(bytes),
    };
    suspend(p, subject, Suspended { search, pattern: Some(held.share()), bytes }, Term::NIL)
}

/// A pattern made for this search, or a compiled one.
enum Held<'a> {
    Own(Pattern<'a>),
    Shared(Arc<Pattern<'static>>),
}
impl<'a> Held<'a> {
    fn pattern(&self) -> &Pattern<'a> {
        match self {
            Held::Own(p) => p,
            Held::Shared(p) => p,
        }
    }
    fn share(self) -> Arc<Pattern<'static>> {
        match self {
            Held::Own(p) => Arc::new(p.into_owned()),
            Held::Shared(p) => p,
        }
    }
}

impl Search {
    /// Searches for a turn; whether that was all.
    fn run(&mut self, p: &mut Process, bytes: &[u8], pattern: &Pattern<'_>) -> bool {
        let per = pattern.per_reduction();
        let limit = budget(p, per);
        let mut left = limit;
        while self.from < self.to && left > 0 {
            // An occurrence counts if it starts before `until`: then all that compete with it lie in the window.
            let until = self.to.min(self.from + left.max(pattern.longest));
            let window = self.to.min(until + (pattern.longest - 1));
            match pattern.find(&bytes[..window], self.from) {
                Some((at, len)) if at < until => {
                    self.found.push((at, len));
                    left = left.saturating_sub(at + len - self.from + per / FOUND_PER);
                    self.from = at + len;
                    if !self.global {
                        self.from = self.to;
                    }
                }
                _ => {
                    left = left.saturating_sub(until - self.from);
                    self.from = until;
                }
            }
        }
        p.bump((limit - left) / per);
        self.from >= self.to
    }
}

fn suspend(p: &mut Process, subject: Term, state: Suspended, acc: Term) -> BifResult {
    let state = refs::make_magic(p, Arc::new(Mutex::new(Some(state))));
    Err(p.trap(resume, &[subject, state, acc]))
}

/// Subject, state, list so far.
fn resume(p: &mut Process, a: &[Term]) -> BifResult {
    let state = refs::magic(a[1]).and_then(|m| m.downcast::<Mutex<Option<Suspended>>>().ok());
    let state = state.and_then(|m| m.lock().take());
    let (Some(mut state), Some(view)) = (state, bin::bits(a[0])) else { return Err(p.badarg()) };
    if let Some(pattern) = &state.pattern {
        let bytes = state.bytes.as_deref().unwrap_or(view.bytes);
        if !state.search.run(p, bytes, pattern) {
            return suspend(p, a[0], state, a[2]);
        }
    }
    list(p, a[0], state.search, a[2])
}

/// The result of a finished search: a list is built from behind, a turn at a time.
fn list(p: &mut Process, subject: Term, mut search: Search, mut acc: Term) -> BifResult {
    let pair = |p: &mut Process, (at, len): (usize, usize)| {
        p.tuple(&[Term::small(at as i64), Term::small(len as i64)])
    };
    if search.job == Job::First {
        return Ok(match search.found.first() {
            Some(&found) => pair(p, found),
            None => atoms::NOMATCH,
        });
    }
    let limit = budget(p, FOUND_PER);
    let mut n = 0;
    while n < limit && !search.listed {
        n += 1;
        let Some((at, len)) = search.found.pop() else {
            search.listed = true;
            if search.job == Job::Split {
                acc = search.part(p, subject, 0, acc);
            }
            break;
        };
        if search.job == Job::All {
            let found = pair(p, (at, len));
            acc = p.cons(found, acc);
        } else {
            acc = search.part(p, subject, at + len, acc);
            search.end = at;
        }
    }
    p.bump(n / FOUND_PER);
    if search.listed {
        return Ok(acc);
    }
    suspend(p, subject, Suspended { search, pattern: None, bytes: None }, acc)
}

impl Search {
    /// The part of the subject from `start` to where the next one begins, in front of `acc`, unless trimmed.
    fn part(&self, p: &mut Process, subject: Term, start: usize, acc: Term) -> Term {
        if start == self.end && (self.trim_all || (self.trim && acc.is_nil())) {
            return acc;
        }
        let whole = start == 0 && bin::bits(subject).is_some_and(|b| b.bits == self.end * 8);
        let part = if whole { Some(subject) } else { part(p, subject, start, self.end - start) };
        match part {
            Some(part) => p.cons(part, acc),
            None => acc,
        }
    }
}
