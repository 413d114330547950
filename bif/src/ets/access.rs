//! From a built-in's first argument to the table, if the caller may do what it wants.

use chime_vm::atoms;
use chime_vm::bif::Bail;
use chime_vm::copy;
use chime_vm::ets::registry::{self, Missing};
use chime_vm::ets::{Protection, Store, Table};
use chime_vm::process::Process;
use chime_vm::term::Term;
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};
use std::sync::Arc;

/// What a built-in wants of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Read,
    Write,
}

/// The table; errors say why not.
#[inline]
pub fn table(p: &mut Process, t: Term, want: Want) -> Result<Arc<Table>, Bail> {
    let table = registry::find(t).map_err(|missing| {
        p.badarg_cause(match missing {
            Missing::Type => atoms::TYPE,
            Missing::Table => atoms::ID,
        })
    })?;
    let allowed = match want {
        Want::Read => table.protection() != Protection::Private || table.owner() == p.pid,
        Want::Write => table.protection() == Protection::Public || table.owner() == p.pid,
    };
    if allowed { Ok(table) } else { Err(p.badarg_cause(atoms::ACCESS)) }
}

/// The table has been deleted meanwhile.
#[cold]
pub fn gone(p: &mut Process) -> Bail {
    p.badarg_cause(atoms::ID)
}

#[inline]
pub fn read<'a>(p: &mut Process, t: &'a Table, hash: u32) -> Result<RwLockReadGuard<'a, Store>, Bail> {
    t.read(t.shard_of(hash)).ok_or_else(|| gone(p))
}
#[inline]
pub fn write<'a>(p: &mut Process, t: &'a Table, hash: u32) -> Result<RwLockWriteGuard<'a, Store>, Bail> {
    t.write(t.shard_of(hash)).ok_or_else(|| gone(p))
}

/// A copy of a stored term for the caller; charged for.
#[inline]
pub fn copied(p: &mut Process, t: Term) -> Term {
    if t.is_immed() {
        return t;
    }
    let words = copy::size(t);
    p.bump(words / 32);
    copy::copy_sized(p, t, words)
}

/// A tuple that the table can store.
pub fn storable(table: &Table, t: Term) -> bool {
    t.tuple().is_some_and(|e| e.len() >= table.options.keypos)
}
