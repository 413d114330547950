//! Making tables, giving them away, fixing and deleting them.

use super::access::{Want, table};
use crate::erlang::time::{monotonic_ns, system_ns};
use crate::util::{atom, text};
use chime_vm::atoms;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::ets::{Heir, Kind, Options, Protection, owner, registry};
use chime_vm::process::Process;
use chime_vm::signal::Parcel;
use chime_vm::term::Term;

fn boolean(t: Term) -> Option<bool> {
    t.is_boolean().then(|| t == atoms::TRUE)
}

fn protection(t: Term) -> Option<Protection> {
    Some(match t {
        atoms::PUBLIC => Protection::Public,
        atoms::PROTECTED => Protection::Protected,
        atoms::PRIVATE => Protection::Private,
        _ => return None,
    })
}

/// Who inherits: `{heir, none}` or `{heir, Pid, Data}`.
fn heir(option: &[Term]) -> Option<Option<(Term, Term)>> {
    match *option {
        [atoms::HEIR, atoms::NONE] => Some(None),
        [atoms::HEIR, pid, data] if pid.is_local_pid() => Some(Some((pid, data))),
        _ => None,
    }
}

fn heir_of((pid, data): (Term, Term)) -> Option<Heir> {
    chime_vm::table::lookup(pid).map(|_| Heir { pid, data: Parcel::whole(data) })
}

struct Wish {
    options: Options,
    decentralized: Option<bool>,
    heir: Option<(Term, Term)>,
}

fn option(w: &mut Wish, t: Term) -> Option<()> {
    let o = &mut w.options;
    if let Some(p) = protection(t) {
        o.protection = p;
        return Some(());
    }
    match t {
        atoms::SET => o.kind = Kind::Set,
        atoms::ORDERED_SET => o.kind = Kind::OrderedSet,
        atoms::BAG => o.kind = Kind::Bag,
        atoms::DUPLICATE_BAG => o.kind = Kind::DuplicateBag,
        atoms::NAMED_TABLE => o.named = true,
        atoms::COMPRESSED => o.compressed = true,
        _ => match *t.tuple()? {
            [atoms::KEYPOS, n] => o.keypos = n.as_index().filter(|&n| n > 0)?,
            [atoms::READ_CONCURRENCY, b] => o.read_concurrency = boolean(b)?,
            [atoms::WRITE_CONCURRENCY, atoms::AUTO] => o.write_concurrency = atoms::AUTO,
            [atoms::WRITE_CONCURRENCY, b] => o.write_concurrency = Term::bool(boolean(b)?),
            [atoms::DECENTRALIZED_COUNTERS, b] => w.decentralized = Some(boolean(b)?),
            ref other => w.heir = heir(other)?,
        },
    }
    Some(())
}

/// `ets:new(Name, Options)`
pub fn new(p: &mut Process, a: &[Term]) -> BifResult {
    let mut w = Wish {
        options: Options {
            kind: Kind::Set,
            keypos: 1,
            protection: Protection::Protected,
            named: false,
            compressed: false,
            decentralized: false,
            read_concurrency: false,
            write_concurrency: atoms::FALSE,
        },
        decentralized: None,
        heir: None,
    };
    let mut it = a[1].iter();
    let good = it.by_ref().all(|t| option(&mut w, t).is_some());
    if !a[0].is_atom() || !good || !it.rest.is_nil() {
        return Err(p.badarg());
    }
    let mut o = w.options;
    let concurrent = o.write_concurrency;
    o.decentralized = w
        .decentralized
        .unwrap_or(concurrent == atoms::AUTO || (concurrent == atoms::TRUE && o.kind == Kind::OrderedSet))
        && concurrent != atoms::FALSE;
    p.bump(20);
    match registry::create(o, a[0], p.pid, w.heir.and_then(heir_of)) {
        Some(table) => Ok(table.handle(p)),
        None => Err(p.badarg_cause(atoms::ALREADY_EXISTS)),
    }
}

/// `ets:rename(Table, Name)`
pub fn rename(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if !a[1].is_atom() || !registry::rename(&t, a[1]) {
        return Err(p.badarg());
    }
    Ok(t.handle(p))
}

/// `ets:setopts(Table, Options)`
pub fn setopts(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if t.owner() != p.pid {
        return Err(p.badarg());
    }
    let single = [a[1]];
    let all = match a[1].to_vec() {
        Some(v) => v,
        None if a[1].is_tuple() => single.to_vec(),
        None => return Err(p.badarg()),
    };
    let (mut new_heir, mut new_protection) = (None, None);
    for t in all {
        let ok = match t.tuple() {
            Some(&[atoms::PROTECTION, x]) if new_protection.is_none() => {
                new_protection = protection(x);
                new_protection.is_some()
            }
            Some(o) if new_heir.is_none() => {
                new_heir = heir(o);
                new_heir.is_some()
            }
            _ => false,
        };
        if !ok {
            return Err(p.badarg());
        }
    }
    if let Some(h) = new_heir {
        *t.heir.lock() = h.and_then(heir_of);
    }
    if let Some(x) = new_protection {
        t.set_protection(x);
    }
    Ok(atoms::TRUE)
}

/// `ets:give_away(Table, Pid, Data)`
pub fn give_away(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    if t.owner() != p.pid {
        return Err(p.badarg_cause(atom("not_owner")));
    }
    if a[1] == p.pid {
        return Err(p.badarg_cause(atoms::OWNER));
    }
    if !a[1].is_local_pid() || !owner::give(&t, p.pid, a[1], a[2]) {
        return Err(p.badarg());
    }
    Ok(atoms::TRUE)
}

/// `ets:safe_fixtable(Table, Bool)`
pub fn safe_fixtable(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Read)?;
    match text(a[1]) {
        "true" => t.fix(p.pid, (monotonic_ns(), system_ns())),
        "false" => t.release(p.pid, false),
        _ => return Err(p.badarg()),
    }
    Ok(atoms::TRUE)
}

/// `ets:delete(Table)`
pub fn delete(p: &mut Process, a: &[Term]) -> BifResult {
    let t = table(p, a[0], Want::Write)?;
    p.bump(20);
    if registry::delete(&t) { Ok(atoms::TRUE) } else { Err(gone(p)) }
}

fn gone(p: &mut Process) -> Bail {
    super::access::gone(p)
}
