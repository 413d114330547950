//! What is known of tables.

use crate::util::pair;
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::ets::registry::{self, Missing};
use chime_vm::ets::{Kind, Protection, Table};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{sched, signal};
use std::sync::Arc;

/// `ets:whereis(Name)`
pub fn whereis(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.badarg());
    }
    Ok(match registry::whereis(a[0]) {
        Some(t) => t.reference(p),
        None => atoms::UNDEFINED,
    })
}

/// `ets:internal_request_all()`: as many messages `{Ref, Tables}` as there are schedulers; the first has all tables.
pub fn request_all(p: &mut Process, _: &[Term]) -> BifResult {
    let reference = chime_vm::refs::make_ref(p);
    let all: Vec<Term> = registry::all().iter().map(|t| t.handle(p)).collect();
    p.bump(all.len() / 4);
    let mut list = p.list(&all);
    for _ in 0..sched::count().max(1) {
        let message = pair(p, reference, list);
        signal::send(p, p.pid, message)?;
        list = Term::NIL;
    }
    Ok(reference)
}

/// The items of `ets:info/1`, in their order.
const ITEMS: [Term; 15] = [
    atoms::ID,
    atoms::DECENTRALIZED_COUNTERS,
    atoms::READ_CONCURRENCY,
    atoms::WRITE_CONCURRENCY,
    atoms::COMPRESSED,
    atoms::MEMORY,
    atoms::OWNER,
    atoms::HEIR,
    atoms::NAME,
    atoms::SIZE,
    atoms::NODE,
    atoms::NAMED_TABLE,
    atoms::TYPE,
    atoms::KEYPOS,
    atoms::PROTECTION,
];

/// `ets:info(Table)`
pub fn info_1(p: &mut Process, a: &[Term]) -> BifResult {
    let t = match registry::find(a[0]) {
        Ok(t) => t,
        Err(Missing::Table) => return Ok(atoms::UNDEFINED),
        Err(Missing::Type) => return Err(p.badarg_cause(atoms::TYPE)),
    };
    let mut list = Vec::with_capacity(ITEMS.len());
    for item in ITEMS {
        let Some(value) = about(p, &t, item) else { continue };
        list.push(pair(p, item, value));
    }
    Ok(p.list(&list))
}

/// `ets:info(Table, Item)`
pub fn info_2(p: &mut Process, a: &[Term]) -> BifResult {
    let t = match registry::find(a[0]) {
        Ok(t) => t,
        Err(Missing::Table) => return Ok(atoms::UNDEFINED),
        Err(Missing::Type) => return Err(p.badarg_cause(atoms::TYPE)),
    };
    about(p, &t, a[1]).ok_or_else(|| p.badarg())
}

fn about(p: &mut Process, t: &Arc<Table>, item: Term) -> Option<Term> {
    let o = &t.options;
    Some(match item {
        atoms::ID => t.reference(p),
        atoms::DECENTRALIZED_COUNTERS => Term::bool(o.decentralized),
        atoms::READ_CONCURRENCY => Term::bool(o.read_concurrency),
        atoms::WRITE_CONCURRENCY => o.write_concurrency,
        atoms::COMPRESSED => Term::bool(o.compressed),
        atoms::MEMORY => Term::small(t.words() as i64),
        atoms::OWNER => t.owner(),
        atoms::HEIR => t.heir.lock().as_ref().map_or(atoms::NONE, |h| h.pid),
        atoms::NAME => t.name(),
        atoms::SIZE => Term::small(t.len() as i64),
        atoms::NODE => sched::node_name(),
        atoms::NAMED_TABLE => Term::bool(o.named),
        atoms::TYPE => match o.kind {
            Kind::Set => atoms::SET,
            Kind::OrderedSet => atoms::ORDERED_SET,
            Kind::Bag => atoms::BAG,
            Kind::DuplicateBag => atoms::DUPLICATE_BAG,
        },
        atoms::KEYPOS => Term::small(o.keypos as i64),
        atoms::PROTECTION => match t.protection() {
            Protection::Private => atoms::PRIVATE,
            Protection::Protected => atoms::PROTECTED,
            Protection::Public => atoms::PUBLIC,
        },
        atoms::FIXED => Term::bool(!t.fixed.lock().by.is_empty()),
        atoms::SAFE_FIXED | atoms::SAFE_FIXED_MONOTONIC_TIME => {
            let (by, since) = {
                let fixed = t.fixed.lock();
                (fixed.by.clone(), fixed.since)
            };
            if by.is_empty() {
                return Some(atoms::FALSE);
            }
            let by: Vec<Term> = by.into_iter().map(|(pid, n)| pair(p, pid, Term::small(n as i64))).collect();
            let by = p.list(&by);
            let when = if item == atoms::SAFE_FIXED {
                let micros = since.1 / 1000;
                let parts = [micros / 1_000_000_000_000, micros / 1_000_000 % 1_000_000, micros % 1_000_000];
                p.tuple(&parts.map(Term::small))
            } else {
                p.int(since.0)
            };
            pair(p, when, by)
        }
        atoms::BINARY => {
            let mut all = Vec::new();
            t.binaries(|b| {
                // SAFETY: the shard that refers to the binary is locked.
                all.push(unsafe { (b as usize, (*b).size, (*b).refs()) });
            });
            p.bump(all.len() / 4);
            let all: Vec<Term> = all
                .into_iter()
                .map(|(id, size, refs)| {
                    let id = p.uint(id as u64);
                    p.tuple(&[id, Term::small(size as i64), Term::small(refs as i64)])
                })
                .collect();
            p.list(&all)
        }
        atoms::STATS => atoms::FALSE,
        _ => return None,
    })
}
