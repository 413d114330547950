//! The export table: what every `M:F/A` means. Entries live for ever; finding one takes a shared lock on
//! one of 64 shards, calling through one takes none.

use crate::atoms;
use crate::bif::{Bif, BifFn};
use crate::code::Export;
use crate::instr::Op;
use crate::term::Term;
use hashbrown::HashTable;
use parking_lot::RwLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

const SHARDS: usize = 64;
static TABLE: [RwLock<HashTable<&'static Export>>; SHARDS] =
    [const { RwLock::new(HashTable::new()) }; SHARDS];

fn hash(module: Term, function: Term, arity: u32) -> u64 {
    let mut h =
        module.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ function.0.rotate_left(29) ^ (arity as u64) << 1;
    h = h.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h ^ h >> 31
}

/// The export, if anybody has mentioned it yet.
pub fn find(module: Term, function: Term, arity: u32) -> Option<&'static Export> {
    let h = hash(module, function, arity);
    let same = |e: &&Export| e.module == module && e.function == function && e.arity == arity;
    TABLE[h as usize % SHARDS].read().find(h, same).copied()
}

/// The export, made if need be.
pub fn get(module: Term, function: Term, arity: u32) -> &'static Export {
    match find(module, function, arity) {
        Some(e) => e,
        None => insert(module, function, arity, None),
    }
}

fn insert(module: Term, function: Term, arity: u32, bif: Option<&Bif>) -> &'static Export {
    let h = hash(module, function, arity);
    let mut shard = TABLE[h as usize % SHARDS].write();
    let same = |e: &&Export| e.module == module && e.function == function && e.arity == arity;
    if let Some(e) = shard.find(h, same) {
        return e;
    }
    let call: Option<BifFn> = bif.map(|b| b.call);
    let e: &'static mut Export = Box::leak(Box::new(Export {
        entry: AtomicPtr::new(std::ptr::null_mut()),
        module,
        function,
        arity,
        defined: AtomicU32::new(call.is_some() as u32),
        bif: call,
        kind: bif.map_or(0, |b| b.kind),
        stub: [0; 2],
    }));
    e.stub = [
        if call.is_some() { Op::BifStub as u64 | (arity as u64) << 16 } else { Op::LoadModule as u64 },
        e as *const Export as u64,
    ];
    if module == atoms::ERLANG && function == atoms::APPLY {
        let op = match arity {
            2 => Op::ApplyFunLast,
            3 => Op::ApplyMfaLast,
            _ => Op::LoadModule,
        };
        e.stub[0] = op as u64;
        e.defined = AtomicU32::new((arity == 2 || arity == 3) as u32);
    }
    let stub = e.stub.as_ptr() as *mut u64;
    e.entry.store(stub, Ordering::Release);
    let e: &'static Export = e;
    shard.insert_unique(h, e, |e| hash(e.module, e.function, e.arity));
    e
}

/// Makes the built-ins known. Called once, before any code is loaded.
pub fn register(table: &'static [Bif]) {
    for b in table {
        insert(atoms::intern(b.module), atoms::intern(b.name), b.arity as u32, Some(b));
    }
}

impl Export {
    /// Whether calling it runs code or a built-in rather than the loading stub.
    pub fn is_defined(&self) -> bool {
        self.defined.load(Ordering::Acquire) != 0
    }
    /// Whether it is implemented by a built-in.
    pub fn is_bif(&self) -> bool {
        self.bif.is_some()
    }
    /// Points the export at loaded code.
    pub fn define(&self, entry: *const u64) {
        if self.bif.is_none() && self.stub[0] as u16 == Op::LoadModule as u16 {
            self.entry.store(entry as *mut u64, Ordering::Release);
            self.defined.store(1, Ordering::Release);
        }
    }
    /// Back to "not loaded".
    pub fn undefine(&self) {
        if self.bif.is_none() {
            self.entry.store(self.stub.as_ptr() as *mut u64, Ordering::Release);
            self.defined.store(0, Ordering::Release);
        }
    }
}

/// Calls `f` for every export. Takes each shard's lock in turn.
pub fn for_each(mut f: impl FnMut(&'static Export)) {
    for shard in &TABLE {
        for e in shard.read().iter() {
            f(e);
        }
    }
}
