//! The registry of names. Every operation is lock-free, and a look-up writes nothing at all.
//!
//! A name, once seen, keeps its slot for good: names are atoms, which are never freed either, so the table is
//! bounded by them, at 16 bytes a name. What changes is the value in the slot, by compare-and-swap. Tables
//! are open-addressed with a bounded probe; a name that finds its places taken goes to the next table, twice
//! as large. Places are never given up, so every thread finds the same first place for a name.
//!
//! A process has at most one name, kept in its [`NameCell`]. Cell and slot are two words; the operations on
//! both keep two promises: a name has one owner at a time, and when an exit and the registrations that raced
//! with it are over, no name belongs to the dead process.

use crate::shim::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// Neither names nor values may be 0.
const NONE: u64 = 0;
/// In the cell of a process that has exited.
const DEAD: u64 = u64::MAX;

#[cfg(not(loom))]
const FIRST: usize = 256;
#[cfg(loom)]
const FIRST: usize = 2;
const TABLES: usize = 32;
/// Places tried for a name in one table.
const PROBES: usize = if FIRST < 8 { FIRST } else { 8 };

struct Slot {
    name: AtomicU64,
    value: AtomicU64,
}

type Table = Box<[Slot]>;

/// The name of one process.
#[derive(Debug)]
pub struct NameCell(AtomicU64);

/// Why a process was not registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The name belongs to another value.
    Taken,
    /// The process has a name already.
    Named,
    /// The process has exited.
    Exited,
}

impl NameCell {
    pub fn new() -> Self {
        Self(AtomicU64::new(NONE))
    }

    /// The name of the process, if it has one (or is just getting one).
    pub fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire)).filter(|&n| n != NONE && n != DEAD)
    }

    /// For the next process of a pooled record. No registration for the last one may be under way.
    pub fn revive(&self) {
        self.0.store(NONE, Ordering::Release);
    }
}

impl Default for NameCell {
    fn default() -> Self {
        Self::new()
    }
}

/// Names of non-zero words, to values of non-zero words.
pub struct Names {
    tables: [OnceLock<Table>; TABLES],
}

impl Names {
    pub fn new() -> Self {
        let names = Self { tables: [const { OnceLock::new() }; TABLES] };
        names.table(0);
        names
    }

    fn table(&self, i: usize) -> &Table {
        self.tables[i].get_or_init(|| {
            (0..FIRST << i)
                .map(|_| Slot { name: AtomicU64::new(NONE), value: AtomicU64::new(NONE) })
                .collect()
        })
    }

    /// The places for a name in a table, in the order in which all threads try them.
    fn places(table: &Table, name: u64) -> impl Iterator<Item = &Slot> {
        let hash = (name.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let mask = table.len() - 1;
        (0..PROBES).map(move |i| &table[(hash + i) & mask])
    }

    /// The slot of a name, if it was ever registered. O(number of tables), normally one line of memory.
    fn find(&self, name: u64) -> Option<&Slot> {
        for table in self.tables.iter().map_while(OnceLock::get) {
            for slot in Self::places(table, name) {
                match slot.name.load(Ordering::Acquire) {
                    n if n == name => return Some(slot),
                    NONE => return None,
                    _ => {}
                }
            }
        }
        None
    }

    fn find_or_add(&self, name: u64) -> &Slot {
        for i in 0..TABLES {
            for slot in Self::places(self.table(i), name) {
                let mut there = slot.name.load(Ordering::Acquire);
                if there == NONE {
                    there = match slot.name.compare_exchange(NONE, name, Ordering::AcqRel, Ordering::Acquire)
                    {
                        Ok(_) => name,
                        Err(other) => other,
                    };
                }
                if there == name {
                    return slot;
                }
            }
        }
        unreachable!("every table of the registry is full")
    }

    /// Gives a free name to a value. `false`: the name is taken. O(1).
    pub fn register(&self, name: u64, value: u64) -> bool {
        assert!(name != NONE && name != DEAD && value != NONE);
        self.find_or_add(name)
            .value
            .compare_exchange(NONE, value, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Frees the name if it belongs to the value. O(1).
    pub fn unregister_if(&self, name: u64, value: u64) -> bool {
        self.find(name).is_some_and(|s| {
            s.value.compare_exchange(value, NONE, Ordering::AcqRel, Ordering::Acquire).is_ok()
        })
    }

    /// The value of a name. Writes nothing. O(1).
    #[inline]
    pub fn whereis(&self, name: u64) -> Option<u64> {
        Some(self.find(name)?.value.load(Ordering::Acquire)).filter(|&v| v != NONE)
    }

    /// Visits every name that has a value, each at the state of its own moment. O(size of the tables).
    pub fn for_each(&self, mut f: impl FnMut(u64, u64)) {
        for slot in self.tables.iter().map_while(OnceLock::get).flat_map(|t| t.iter()) {
            let name = slot.name.load(Ordering::Acquire);
            let value = slot.value.load(Ordering::Acquire);
            if name != NONE && value != NONE {
                f(name, value);
            }
        }
    }

    /// Gives a name to a process, on behalf of any process. The caller keeps the record of `cell` from being
    /// reused.
    pub fn register_process(&self, cell: &NameCell, name: u64, value: u64) -> Result<(), Refused> {
        match cell.0.compare_exchange(NONE, name, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {}
            Err(DEAD) => return Err(Refused::Exited),
            Err(_) => return Err(Refused::Named),
        }
        if !self.register(name, value) {
            // Fails if the process has exited meanwhile: then the cell stays dead.
            let _ = cell.0.compare_exchange(name, NONE, Ordering::AcqRel, Ordering::Acquire);
            return Err(Refused::Taken);
        }
        // The exit may have looked for the name before it was there. A read-modify-write, not a load: it
        // comes before the exit's exchange in the order of the cell, and then the exit sees the slot, or
        // after it, and then it finds DEAD.
        if cell.0.fetch_or(0, Ordering::AcqRel) == DEAD {
            self.unregister_if(name, value);
            return Err(Refused::Exited);
        }
        Ok(())
    }

    /// Takes its name from a process, on behalf of any process. `false`: the name was not its own.
    pub fn unregister_process(&self, cell: &NameCell, name: u64, value: u64) -> bool {
        // The slot first: while the cell holds the name, the process cannot get another.
        let freed = self.unregister_if(name, value);
        if freed {
            let _ = cell.0.compare_exchange(name, NONE, Ordering::AcqRel, Ordering::Acquire);
        }
        freed
    }

    /// The process exits: frees its name and lets it get no other. Returns the name that it had.
    pub fn exit_process(&self, cell: &NameCell, value: u64) -> Option<u64> {
        let name = cell.0.swap(DEAD, Ordering::AcqRel);
        if name == NONE || name == DEAD {
            return None;
        }
        self.unregister_if(name, value).then_some(name)
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_owner_per_name_and_one_name_per_process() {
        let (names, a, b) = (Names::new(), NameCell::new(), NameCell::new());
        assert_eq!(names.register_process(&a, 7, 1), Ok(()));
        assert_eq!(names.register_process(&a, 8, 1), Err(Refused::Named));
        assert_eq!(names.register_process(&b, 7, 2), Err(Refused::Taken));
        assert_eq!((names.whereis(7), b.get()), (Some(1), None));
        assert!(!names.unregister_process(&b, 7, 2));
        assert!(names.unregister_process(&a, 7, 1));
        assert_eq!(names.register_process(&b, 7, 2), Ok(()));
        assert_eq!(names.exit_process(&b, 2), Some(7));
        assert_eq!(names.register_process(&b, 7, 2), Err(Refused::Exited));
        assert_eq!(names.whereis(7), None);
    }

    #[test]
    fn many_names_from_many_threads() {
        let names = Names::new();
        let won = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|s| {
            for t in 1..=4u64 {
                let (names, won) = (&names, &won);
                s.spawn(move || {
                    for n in 1..=20_000u64 {
                        if names.register(n << 6, t) {
                            won.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(won.into_inner(), 20_000);
        let mut seen = std::collections::HashSet::new();
        names.for_each(|n, v| assert!(seen.insert(n) && names.whereis(n) == Some(v)));
        assert_eq!(seen.len(), 20_000);
    }
}
