//! Which tables there are: by name, and by the number of their reference.

use super::{COUNT, Heir, Options, Table, owner};
use crate::refs;
use crate::term::Term;
use hashbrown::HashMap;
use parking_lot::RwLock;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

type Map = RwLock<HashMap<u64, Arc<Table>>>;

const SHARDS: usize = 16;

static NAMES: LazyLock<[Map; SHARDS]> = LazyLock::new(|| std::array::from_fn(|_| Map::default()));
static NUMBERS: LazyLock<[Map; SHARDS]> = LazyLock::new(|| std::array::from_fn(|_| Map::default()));

fn names(name: Term) -> &'static Map {
    &NAMES[name.atom_index() as usize % SHARDS]
}
fn numbers(number: u64) -> &'static Map {
    &NUMBERS[number as usize % SHARDS]
}

/// Why a term leads to no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// It never could.
    Type,
    /// There is none.
    Table,
}

/// The table that a name or a reference leads to.
#[inline]
pub fn find(t: Term) -> Result<Arc<Table>, Missing> {
    if t.is_atom() {
        return whereis(t).ok_or(Missing::Table);
    }
    if let Some(value) = refs::magic(t) {
        let table = value.downcast::<Table>().map_err(|_| Missing::Type)?;
        return if table.is_alive() { Ok(table) } else { Err(Missing::Table) };
    }
    // A reference that came from outside has the number alone.
    let number = refs::number(t).ok_or(Missing::Type)?;
    numbers(number).read().get(&number).cloned().ok_or(Missing::Type)
}

pub fn whereis(name: Term) -> Option<Arc<Table>> {
    names(name).read().get(&name.0).cloned()
}

/// Makes a table; `None`: the name is taken.
pub fn create(options: Options, name: Term, owner: Term, heir: Option<Heir>) -> Option<Arc<Table>> {
    let named = options.named;
    let table = Arc::new(Table::new(options, name, owner, heir));
    if named {
        let mut map = names(name).write();
        if map.contains_key(&name.0) {
            table.alive.store(false, Ordering::Release);
            return None;
        }
        map.insert(name.0, table.clone());
    }
    COUNT.fetch_add(1, Ordering::Relaxed);
    numbers(table.number).write().insert(table.number, table.clone());
    owner::owns(owner, &table);
    Some(table)
}

/// Gives a table another name; `false`: that one is taken.
pub fn rename(table: &Arc<Table>, name: Term) -> bool {
    if table.options.named {
        {
            let mut map = names(name).write();
            if map.contains_key(&name.0) {
                return false;
            }
            map.insert(name.0, table.clone());
        }
        let old = table.name();
        names(old).write().remove(&old.0);
    }
    table.name.store(name.0, Ordering::Release);
    true
}

/// Every table. Linear.
pub fn all() -> Vec<Arc<Table>> {
    let mut v: Vec<Arc<Table>> =
        NUMBERS.iter().flat_map(|m| m.read().values().cloned().collect::<Vec<_>>()).collect();
    v.sort_by_key(|t| std::cmp::Reverse(t.number));
    v
}

/// Deletes a table; `false`: somebody else did. Its objects go where that takes nobody's time.
pub fn delete(table: &Arc<Table>) -> bool {
    if !table.alive.swap(false, Ordering::AcqRel) {
        return false;
    }
    if table.options.named {
        let name = table.name();
        let mut map = names(name).write();
        if map.get(&name.0).is_some_and(|t| Arc::ptr_eq(t, table)) {
            map.remove(&name.0);
        }
    }
    numbers(table.number).write().remove(&table.number);
    COUNT.fetch_sub(1, Ordering::Relaxed);
    owner::owns_no_more(table.owner(), table);
    *table.heir.lock() = None;
    for pid in std::mem::take(&mut *table.fixed.lock()).by {
        owner::fixes_no_more(pid.0, table);
    }
    owner::discard(table.clear());
    true
}
