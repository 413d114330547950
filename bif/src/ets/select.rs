//! Everything that runs a match specification over a table: `select`, `match`, `match_object` and their kin.
//!
//! Where the specification says which keys can match, only their objects are looked at; in an ordered set a tuple whose
//! first elements are known says where to look. All else walks the table, for a turn at a time: bucket by bucket, while
//! the buckets stay what they are, or key by key. Results stand in the order that OTP gives them: a hash table's are
//! consed up on the way.

use super::access::{Want, gone, table};
use super::spec::{self, Dialect, Runner, Spec};
use crate::util::{Origin, budget};
use chime_vm::bif::{Bail, BifResult};
use chime_vm::cmp::{compare, exact_eq};
use chime_vm::ets::object::Owned;
use chime_vm::ets::tree::{Edge, Key};
use chime_vm::ets::{Steady, Store, Table};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::signal::Parcel;
use chime_vm::term::Term;
use chime_vm::{atoms, refs};
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Select,
    Count,
    Delete,
    Replace,
}

/// What the heads of a specification say about keys.
enum Keys {
    /// Any object may match.
    All,
    /// Only the objects of these.
    These(Vec<Term>),
    /// Only the tuples that begin like this one, up to that element.
    Prefix(Term, usize),
}

/// A walk that is under way; between turns it sits in a magic reference.
struct Walk {
    table: Arc<Table>,
    spec: Arc<Spec>,
    action: Action,
    reverse: bool,
    limit: Option<usize>,
    _steady: Option<Steady>,
}

/// Where a walk is.
#[derive(Clone, Copy)]
struct State {
    /// Shard and bucket in one number; in an ordered set the last key, or none.
    at: Term,
    /// Results so far, the latest first.
    list: Term,
    /// How many results there are.
    count: usize,
}

/// Objects that a reduction pays for.
const PER_REDUCTION: usize = 2;
/// Buckets that are looked at before others get a turn at the table.
const AT_A_TIME: usize = 256;

fn keys(t: &Table, spec: &Spec) -> Keys {
    let keypos = t.options.keypos;
    let mut found: Vec<Term> = Vec::new();
    let mut prefix = None;
    let mut open = false;
    for &(head, _) in spec.source() {
        let Some(e) = head.tuple() else {
            if head == atoms::ANY || spec::variable(head).is_some() {
                return Keys::All;
            }
            continue;
        };
        let Some(&key) = e.get(keypos - 1) else { continue };
        if spec::is_ground(key) {
            found.push(key);
            continue;
        }
        let same = key.tuple().map_or(0, |k| k.iter().take_while(|&&x| spec::is_ground(x)).count());
        if !t.is_ordered() || same == 0 || prefix.is_some() || spec.source().len() > 1 {
            open = true;
        }
        prefix = Some((key, same));
    }
    match prefix {
        _ if open => Keys::All,
        Some((key, same)) => Keys::Prefix(key, same),
        None => {
            if t.is_ordered() {
                found.sort_by(|&a, &b| compare(a, b));
                found.dedup_by(|a, b| compare(*a, *b) == Ordering::Equal);
            } else {
                let all = std::mem::take(&mut found);
                for k in all {
                    if !found.iter().any(|&f| exact_eq(f, k)) {
                        found.push(k);
                    }
                }
            }
            Keys::These(found)
        }
    }
}

fn start(
    p: &mut Process,
    name: &'static str,
    a: &[Term],
    t: Arc<Table>,
    spec: Arc<Spec>,
    how: (Action, bool, Option<usize>),
) -> BifResult {
    let (action, reverse, limit) = how;
    let walk = Walk { table: t, spec, action, reverse, limit, _steady: None };
    match keys(&walk.table, &walk.spec) {
        Keys::These(keys) => by_key(p, &walk, &keys),
        _ => {
            go_on(p, walk, State { at: Term::NONE, list: Term::NIL, count: 0 }, Origin::Fresh("ets", name, a))
        }
    }
}

/// Looks at the objects of some keys only. These are few, or all of them are wanted at once.
fn by_key(p: &mut Process, w: &Walk, keys: &[Term]) -> BifResult {
    let t = &*w.table;
    let mut results = Vec::new();
    let mut count = 0;
    let mut run = w.spec.runner();
    for &key in keys {
        let hash = t.hash(key);
        let i = t.shard_of(hash);
        if w.action == Action::Select || w.action == Action::Count {
            let Some(shard) = t.read(i) else { return Err(gone(p)) };
            let mut found = Vec::new();
            shard.get_all(hash, key, &mut found);
            p.bump(found.len() / PER_REDUCTION);
            for o in found {
                match run.run(p, o) {
                    Some(r) if w.action == Action::Select => results.push(r),
                    Some(atoms::TRUE) => count += 1,
                    _ => {}
                }
            }
            continue;
        }
        let Some(mut shard) = t.write(i) else { return Err(gone(p)) };
        if w.action == Action::Delete {
            count += shard.remove(hash, key, t.hold(), |o| run.run(p, o) == Some(atoms::TRUE));
        } else if let Some(o) = shard.get(hash, key)
            && let Some(new) = run.run(p, o)
        {
            let new = replacement(p, t, o, new)?;
            shard.put(new, t.hold());
            count += 1;
        }
    }
    if w.action != Action::Select {
        return Ok(Term::small(count as i64));
    }
    if t.is_ordered() && w.reverse {
        results.reverse();
    }
    let list = p.list(&results);
    match w.limit {
        None => Ok(list),
        Some(limit) => chunk(p, w, limit, list, results.len(), None),
    }
}

/// What `select_replace` puts in place of an object: a tuple of the same key.
fn replacement(p: &mut Process, t: &Table, old: Term, new: Term) -> Result<Owned, Bail> {
    let keypos = t.options.keypos;
    match new.tuple().and_then(|e| e.get(keypos - 1)) {
        Some(&k) if exact_eq(k, old.word(keypos)) => Ok(t.object(new)),
        _ => Err(p.badarg()),
    }
}

/// The result of a limited walk through a hash table: `limit` of the results and how to go on; `next` is the bucket to
/// look at then.
fn chunk(p: &mut Process, w: &Walk, limit: usize, list: Term, count: usize, next: Option<i64>) -> BifResult {
    if count == 0 {
        return Ok(atoms::END_OF_TABLE);
    }
    let (mut list, mut rest, mut left) = (list, Term::NIL, 0);
    if count > limit {
        // The first found are the last in the list.
        left = count - limit;
        let all: Vec<Term> = list.iter().collect();
        let (behind, now) = all.split_at(left);
        rest = p.list(behind);
        list = p.list(now);
    }
    let continuation = if left == 0 && next.is_none() {
        atoms::END_OF_TABLE
    } else if w.table.is_ordered() {
        // Only a key that stands more than once in a specification gets here.
        ordered_continuation(p, w, Term::NIL, rest)
    } else {
        let handle = w.table.reference(p);
        let spec = refs::make_magic(p, w.spec.clone());
        let (next, limit) = (Term::small(next.unwrap_or(-1)), Term::small(limit as i64));
        p.tuple(&[handle, next, limit, spec, rest, Term::small(left as i64)])
    };
    Ok(p.tuple(&[list, continuation]))
}

fn ordered_continuation(p: &mut Process, w: &Walk, last: Term, rest: Term) -> Term {
    let handle = w.table.reference(p);
    let spec = refs::make_magic(p, w.spec.clone());
    let limit = Term::small(w.limit.unwrap_or(0) as i64);
    let reverse = Term::small(w.reverse as i64);
    p.tuple(&[handle, last, rest, limit, spec, Term::NIL, reverse, Term::small(0)])
}

/// Walks until the turn is over.
fn go_on(p: &mut Process, mut w: Walk, s: State, origin: Origin) -> BifResult {
    let table = w.table.clone();
    let ended = if table.is_ordered() { tree_turn(p, &w, s)? } else { hash_turn(p, &mut w, s)? };
    let s = match ended {
        Ended::Done(t) => return Ok(t),
        Ended::Pause(s) => s,
    };
    let origin = origin.keep(p);
    let magic = refs::make_magic(p, Arc::new(parking_lot::Mutex::new(Some(w))));
    Err(p.trap(resume, &[magic, s.at, s.list, Term::small(s.count as i64), origin]))
}

enum Ended {
    Done(Term),
    Pause(State),
}

fn resume(p: &mut Process, a: &[Term]) -> BifResult {
    let walk = refs::magic(a[0])
        .and_then(|m| m.downcast::<parking_lot::Mutex<Option<Walk>>>().ok())
        .and_then(|m| m.lock().take());
    let Some(walk) = walk else { return Err(p.badarg()) };
    let s = State { at: a[1], list: a[2], count: a[3].as_index().unwrap_or(0) };
    let result = go_on(p, walk, s, Origin::Kept(a[4]));
    if result.is_err() && matches!(p.bail, chime_vm::process::BailKind::Raise) {
        p.exc.args = a[4];
    }
    result
}

fn finish(p: &mut Process, w: &Walk, s: State) -> BifResult {
    match w.action {
        Action::Select => match w.limit {
            None => Ok(s.list),
            Some(limit) => chunk(p, w, limit, s.list, s.count, None),
        },
        _ => Ok(Term::small(s.count as i64)),
    }
}

fn hash_turn(p: &mut Process, w: &mut Walk, mut s: State) -> Result<Ended, Bail> {
    let t = w.table.clone();
    let spec = w.spec.clone();
    let mut run = spec.runner();
    let limit = w.limit.unwrap_or(usize::MAX);
    let position = if s.at.is_none() { 0 } else { s.at.small_value() };
    let (mut shard_index, mut bucket) = ((position >> 40) as usize, (position & 0xFF_FFFF_FFFF) as usize);
    let enough = budget(p, PER_REDUCTION);
    let mut seen = 0;
    let mut deleted = 0;
    let ended = loop {
        if shard_index >= t.shards() {
            break finish(p, w, s).map(Ended::Done)?;
        }
        let mut full = false;
        let end;
        if matches!(w.action, Action::Select | Action::Count) {
            let Some(guard) = t.read(shard_index) else { return Err(gone(p)) };
            let Store::Hash(h) = &*guard else { return Err(gone(p)) };
            let stop = h.buckets().min(bucket + AT_A_TIME);
            while bucket < stop && !full && seen < enough {
                seen += 1 + h.bucket(bucket, |o| one(p, w.action, &mut run, o, &mut s));
                bucket += 1;
                full = s.count >= limit && w.action == Action::Select;
            }
            end = bucket >= h.buckets();
            if seen >= enough && !end && w._steady.is_none() {
                w._steady = Some(t.steady());
            }
        } else {
            let Some(mut guard) = t.write(shard_index) else { return Err(gone(p)) };
            let hold = t.hold();
            let Store::Hash(h) = &mut *guard else { return Err(gone(p)) };
            let stop = h.buckets().min(bucket + AT_A_TIME);
            while bucket < stop && seen < enough {
                seen += 1;
                if w.action == Action::Delete {
                    let (n, gone) = h.remove_in_bucket(bucket, hold, |o| run.run(p, o) == Some(atoms::TRUE));
                    seen += n;
                    deleted += gone;
                    s.count += gone;
                } else {
                    let mut failed = None;
                    seen += h.replace_in_bucket(bucket, |o| {
                        if failed.is_some() {
                            return None;
                        }
                        let new = run.run(p, o)?;
                        match replacement(p, &t, o, new) {
                            Ok(new) => {
                                s.count += 1;
                                Some(new)
                            }
                            Err(bail) => {
                                failed = Some(bail);
                                None
                            }
                        }
                    });
                    if let Some(bail) = failed {
                        return Err(bail);
                    }
                }
                bucket += 1;
            }
            end = bucket >= h.buckets();
            if end {
                h.settle(t.hold(), deleted);
                deleted = 0;
            } else if w._steady.is_none() {
                w._steady = Some(t.steady());
            }
        }
        if end {
            shard_index += 1;
            bucket = 0;
        }
        let at = (shard_index as i64) << 40 | bucket as i64;
        if full {
            let next = (shard_index < t.shards()).then_some(at);
            break Ended::Done(chunk(p, w, limit, s.list, s.count, next)?);
        }
        if seen >= enough && shard_index < t.shards() {
            s.at = Term::small(at);
            break Ended::Pause(s);
        }
    };
    p.bump(seen / PER_REDUCTION);
    Ok(ended)
}

/// Runs the specification on one object.
#[inline]
fn one(p: &mut Process, action: Action, run: &mut Runner, o: Term, s: &mut State) {
    match run.run(p, o) {
        Some(r) if action == Action::Select => {
            s.list = p.cons(r, s.list);
            s.count += 1;
        }
        Some(atoms::TRUE) => s.count += 1,
        _ => {}
    }
}

fn tree_turn(p: &mut Process, w: &Walk, mut s: State) -> Result<Ended, Bail> {
    let t = &*w.table;
    let keypos = t.options.keypos;
    // Consing turns the order round, so that a whole select goes downwards.
    let down = match w.limit {
        None => !w.reverse && w.action == Action::Select,
        Some(_) => w.reverse,
    };
    let edge = match keys(t, &w.spec) {
        Keys::Prefix(pattern, same) => Some(Edge { pattern, same, upper: down }),
        _ => None,
    };
    let from = match (&edge, s.at) {
        (_, at) if !at.is_none() => Bound::Excluded(Key(at)),
        (Some(edge), _) => Bound::Excluded(edge.key()),
        (None, _) => Bound::Unbounded,
    };
    let mut run = w.spec.runner();
    let enough = budget(p, PER_REDUCTION);
    let limit = w.limit.unwrap_or(usize::MAX);
    let mut seen = 0;
    let mut last = None;
    let mut changes: Vec<Owned> = Vec::new();
    let mut doomed: Vec<Term> = Vec::new();
    let writes = matches!(w.action, Action::Delete | Action::Replace);
    let mut read = None;
    let mut write = None;
    if writes {
        write = t.write(0);
    } else {
        read = t.read(0);
    }
    let store = match (&read, &write) {
        (Some(s), _) => &**s,
        (_, Some(s)) => &**s,
        _ => return Err(gone(p)),
    };
    let Store::Tree(tree) = store else { return Err(gone(p)) };
    let mut over = true;
    for o in tree.scan(from, down) {
        let key = o.word(keypos);
        if edge.as_ref().is_some_and(|e| !e.within(key)) {
            break;
        }
        seen += 1;
        match w.action {
            Action::Select | Action::Count => one(p, w.action, &mut run, o, &mut s),
            Action::Delete => {
                if run.run(p, o) == Some(atoms::TRUE) {
                    doomed.push(key);
                }
            }
            Action::Replace => {
                if let Some(new) = run.run(p, o) {
                    changes.push(replacement(p, t, o, new)?);
                }
            }
        }
        if s.count >= limit && w.action == Action::Select || seen >= enough {
            last = Some(key);
            over = false;
            break;
        }
    }
    p.bump(seen / PER_REDUCTION);
    let last = last.map(|k| chime_vm::copy::copy(p, k));
    drop(read);
    if let Some(mut guard) = write {
        let hold = t.hold();
        s.count += doomed.len() + changes.len();
        for key in doomed {
            guard.remove(0, key, hold, |_| true);
        }
        for o in changes {
            guard.put(o, hold);
        }
    }
    let full = s.count >= limit && w.action == Action::Select;
    if !over && !full {
        s.at = last.unwrap_or(Term::NIL);
        return Ok(Ended::Pause(s));
    }
    if w.action != Action::Select || w.limit.is_none() {
        return Ok(Ended::Done(finish(p, w, s)?));
    }
    if s.count == 0 {
        return Ok(Ended::Done(atoms::END_OF_TABLE));
    }
    let mut found: Vec<Term> = s.list.iter().collect();
    found.reverse();
    let list = p.list(&found);
    let next = match last {
        Some(key) if full => ordered_continuation(p, w, key, Term::NIL),
        _ => atoms::END_OF_TABLE,
    };
    Ok(Ended::Done(p.tuple(&[list, next])))
}

// ---- the built-ins

fn compiled(p: &mut Process, ms: Term) -> Result<Arc<Spec>, Bail> {
    match spec::compile(ms, Dialect::Table) {
        Ok(s) => Ok(Arc::new(s)),
        Err(_) => Err(p.badarg()),
    }
}

fn limit(p: &mut Process, t: Term) -> Result<usize, Bail> {
    t.as_index().filter(|&n| n > 0).ok_or_else(|| p.badarg())
}

/// A specification without clauses, which `select` and others take for one that nothing matches.
fn is_empty(ms: Term) -> bool {
    ms.is_nil()
}

fn select_all(p: &mut Process, name: &'static str, a: &[Term], reverse: bool) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    if is_empty(a[1]) {
        return Ok(Term::NIL);
    }
    let spec = compiled(p, a[1])?;
    start(p, name, a, t, spec, (Action::Select, reverse, None))
}
fn select_some(p: &mut Process, name: &'static str, a: &[Term], reverse: bool) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let limit = limit(p, a[2])?;
    if is_empty(a[1]) {
        return Ok(atoms::END_OF_TABLE);
    }
    let spec = compiled(p, a[1])?;
    start(p, name, a, t, spec, (Action::Select, reverse, Some(limit)))
}

pub fn select_2(p: &mut Process, a: &[Term]) -> BifResult {
    select_all(p, "select", a, false)
}
pub fn select_3(p: &mut Process, a: &[Term]) -> BifResult {
    select_some(p, "select", a, false)
}
pub fn select_reverse_2(p: &mut Process, a: &[Term]) -> BifResult {
    select_all(p, "select_reverse", a, true)
}
pub fn select_reverse_3(p: &mut Process, a: &[Term]) -> BifResult {
    select_some(p, "select_reverse", a, true)
}

fn pattern(p: &mut Process, name: &'static str, a: &[Term], bindings: bool) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    let limit = match a.get(2) {
        Some(&n) => Some(limit(p, n)?),
        None => None,
    };
    let Some(spec) = spec::of_pattern(a[1], bindings) else { return Err(p.badarg()) };
    start(p, name, a, t, Arc::new(spec), (Action::Select, false, limit))
}
pub fn match_2_3(p: &mut Process, a: &[Term]) -> BifResult {
    pattern(p, "match", a, true)
}
pub fn match_object_2_3(p: &mut Process, a: &[Term]) -> BifResult {
    pattern(p, "match_object", a, false)
}

pub fn select_count(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    if is_empty(a[1]) {
        return Ok(Term::small(0));
    }
    let spec = compiled(p, a[1])?;
    start(p, "select_count", a, t, spec, (Action::Count, false, None))
}
/// `ets:internal_select_delete(Table, Spec)`
pub fn select_delete(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if is_empty(a[1]) {
        return Ok(Term::small(0));
    }
    let spec = compiled(p, a[1])?;
    start(p, "internal_select_delete", a, t, spec, (Action::Delete, false, None))
}
pub fn select_replace(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if t.options.kind.is_bag() {
        return Err(p.badarg_cause(atoms::TABLE_TYPE));
    }
    if is_empty(a[1]) {
        return Ok(Term::small(0));
    }
    let spec = compiled(p, a[1])?;
    if !spec.source().iter().all(|&(head, body)| keeps_key(t.options.keypos, head, body)) {
        return Err(p.badarg());
    }
    start(p, "select_replace", a, t, spec, (Action::Replace, false, None))
}

/// Whether it can be seen that a body makes an object with the key of the one that the head matched.
fn keeps_key(keypos: usize, head: Term, body: Term) -> bool {
    let Some(&key) = head.tuple().and_then(|e| e.get(keypos - 1)) else { return false };
    if !body.is_cons() || !body.tail().is_nil() {
        return false;
    }
    let body = body.head();
    if body == atoms::DOLLAR_ANY {
        return true;
    }
    let Some(&new) = body.tuple_of(1).and_then(|b| b[0].tuple()?.get(keypos - 1)) else { return false };
    if let Some(v) = spec::variable(new) {
        return spec::variable(key) == Some(v);
    }
    match new.tuple() {
        Some(&[atoms::CONST, x]) => spec::is_ground(key) && exact_eq(x, key),
        Some(&[atoms::ELEMENT, n, atoms::DOLLAR_ANY]) => n.as_index() == Some(keypos),
        Some(_) => false,
        None => spec::is_ground(key) && exact_eq(new, key),
    }
}

/// `ets:select(Continuation)` and its kin.
pub fn go_on_select(p: &mut Process, a: &[Term]) -> BifResult {
    continued(p, "select", a)
}
pub fn go_on_reverse(p: &mut Process, a: &[Term]) -> BifResult {
    continued(p, "select_reverse", a)
}
pub fn go_on_match(p: &mut Process, a: &[Term]) -> BifResult {
    continued(p, "match", a)
}
pub fn go_on_match_object(p: &mut Process, a: &[Term]) -> BifResult {
    continued(p, "match_object", a)
}

fn continued(p: &mut Process, name: &'static str, a: &[Term]) -> BifResult {
    if a[0] == atoms::END_OF_TABLE {
        return Ok(a[0]);
    }
    let origin = Origin::Fresh("ets", name, a);
    let spec_of = |t: Term| refs::magic(t).and_then(|m| m.downcast::<Spec>().ok());
    match a[0].tuple() {
        Some(&[t, next, limit, ms, rest, left]) => {
            let table = table(p, t, Want::Read)?;
            let (Some(next), Some(limit), Some(spec), Some(left)) =
                (next.as_small(), limit.as_index().filter(|&n| n > 0), spec_of(ms), left.as_index())
            else {
                return Err(p.badarg());
            };
            if table.is_ordered() || rest.list_len() != Some(left) || next < -1 {
                return Err(p.badarg());
            }
            let w = Walk {
                table,
                spec,
                action: Action::Select,
                reverse: false,
                limit: Some(limit),
                _steady: None,
            };
            if left >= limit || next < 0 {
                return chunk(p, &w, limit, rest, left, (next >= 0).then_some(next));
            }
            go_on(p, w, State { at: Term::small(next), list: rest, count: left }, origin)
        }
        Some(&[t, last, rest, limit, ms, _, reverse, _]) => {
            let table = table(p, t, Want::Read)?;
            let (Some(limit), Some(spec)) = (limit.as_index().filter(|&n| n > 0), spec_of(ms)) else {
                return Err(p.badarg());
            };
            if !table.is_ordered() {
                return Err(p.badarg());
            }
            let reverse = reverse == Term::small(1);
            let w = Walk { table, spec, action: Action::Select, reverse, limit: Some(limit), _steady: None };
            if rest.is_cons() {
                let n = rest.list_len().unwrap_or(0);
                return chunk(p, &w, limit, rest, n, None);
            }
            go_on(p, w, State { at: last, list: Term::NIL, count: 0 }, origin)
        }
        Some(&[t, ..]) => {
            table(p, t, Want::Read)?;
            Err(p.badarg())
        }
        _ => Err(p.badarg()),
    }
}

// ---- specifications as such

pub fn match_spec_compile(p: &mut Process, a: &[Term]) -> BifResult {
    let spec = compiled(p, a[0])?;
    Ok(refs::make_magic(p, spec))
}

pub fn is_compiled_ms(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(Term::bool(refs::magic(a[0]).is_some_and(|m| m.is::<Spec>())))
}

/// `ets:match_spec_run_r(List, Compiled, Results)`
pub fn match_spec_run_r(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(spec) = refs::magic(a[1]).and_then(|m| m.downcast::<Spec>().ok()) else {
        return Err(p.badarg());
    };
    let mut run = spec.runner();
    let mut results = a[2];
    let walked = crate::util::walk(p, a[0], PER_REDUCTION, |p, t| {
        if let Some(r) = run.run(p, t) {
            results = p.cons(r, results);
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    match walked {
        crate::util::Walk::End(tail) if tail.is_nil() => Ok(results),
        crate::util::Walk::Pause(rest) => Err(p.trap(match_spec_run_r, &[rest, a[1], results])),
        _ => Err(p.badarg()),
    }
}

/// `erlang:match_spec_test(Term, Spec, table | trace)`
pub fn match_spec_test(p: &mut Process, a: &[Term]) -> BifResult {
    let dialect = match a[2] {
        atoms::TABLE => Dialect::Table,
        atoms::TRACE if a[0].list_len().is_some() => Dialect::Trace,
        _ => return Err(p.badarg()),
    };
    let spec = match spec::compile(a[1], dialect) {
        Ok(spec) => spec,
        Err(errors) => {
            let errors: Vec<Term> = errors
                .iter()
                .map(|e| {
                    let text = p.string(e);
                    p.tuple(&[atoms::ERROR, text])
                })
                .collect();
            let errors = p.list(&errors);
            return Ok(p.tuple(&[atoms::ERROR, errors]));
        }
    };
    let mut run = spec.runner();
    // What is matched stays where it is, and results are copies.
    let subject = Parcel::new(a[0]);
    let result = run.run(p, subject.term()).unwrap_or(atoms::FALSE);
    let flags = std::mem::take(&mut run.flags);
    let flags = p.list(&flags);
    p.bump(20);
    Ok(p.tuple(&[atoms::OK, result, flags, Term::NIL]))
}
