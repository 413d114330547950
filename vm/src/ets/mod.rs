//! The tables of `ets`: terms that no process owns, in tables that are found by name or by reference.
//!
//! A table is a reference-counted object. Its name and its identifier (a magic reference) lead to it; once it is deleted
//! they lead nowhere, and whoever still holds the table finds it dead. Objects are deep copies outside all heaps
//! ([`object`]), in a hash table ([`hashed`]) or in key order ([`tree`]), behind a lock; a table with
//! `write_concurrency` consists of several such shards, chosen by the key's hash.

pub mod hashed;
pub mod object;
pub mod owner;
pub mod registry;
#[cfg(test)]
mod tests;
pub mod tree;

use crate::atoms;
use crate::bin::Bin;
use crate::hash;
use crate::heap::Alloc;
use crate::refs;
use crate::signal::Parcel;
use crate::term::Term;
use hashed::Hashed;
use object::Owned;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use tree::Tree;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Set,
    OrderedSet,
    Bag,
    DuplicateBag,
}

impl Kind {
    pub fn is_bag(self) -> bool {
        matches!(self, Kind::Bag | Kind::DuplicateBag)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Protection {
    Private,
    Protected,
    Public,
}

/// What a table must not do for the moment.
#[derive(Clone, Copy)]
pub struct Hold {
    /// It is fixed: deleted objects stay as marks.
    pub keep: bool,
    /// Somebody counts on its buckets: they neither grow nor shrink.
    pub steady: bool,
}

/// What `ets:new/2` was told.
#[derive(Clone)]
pub struct Options {
    pub kind: Kind,
    pub keypos: usize,
    pub protection: Protection,
    pub named: bool,
    pub compressed: bool,
    pub decentralized: bool,
    pub read_concurrency: bool,
    /// `false`, `true` or `auto`.
    pub write_concurrency: Term,
}

/// The objects of a shard.
pub enum Store {
    Hash(Hashed),
    Tree(Tree),
}

/// Who has fixed a table, how often, and since when.
#[derive(Default)]
pub struct Fixed {
    pub by: Vec<(Term, u32)>,
    /// Monotonic and system time in nanoseconds.
    pub since: (i64, i64),
}

/// Who inherits a table, and the term that is told then.
pub struct Heir {
    pub pid: Term,
    pub data: Parcel,
}

pub struct Table {
    /// The number of its reference.
    pub number: u64,
    pub options: Options,
    name: AtomicU64,
    owner: AtomicU64,
    protection: AtomicU8,
    alive: AtomicBool,
    /// Times that it is fixed.
    fixes: AtomicU32,
    /// Long operations on its buckets that are under way.
    scans: AtomicU32,
    pub fixed: Mutex<Fixed>,
    pub heir: Mutex<Option<Heir>>,
    shards: Box<[RwLock<Store>]>,
}

/// Shards of a table with `write_concurrency`.
const SHARDS: usize = 16;

/// Tables that exist.
static COUNT: AtomicU32 = AtomicU32::new(0);

pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed) as usize
}
/// Bytes of all tables. Linear in their number.
pub fn bytes() -> usize {
    registry::all().iter().map(|t| t.words() * 8).sum()
}

impl Table {
    fn new(options: Options, name: Term, owner: Term, heir: Option<Heir>) -> Table {
        let n = match options.kind {
            Kind::OrderedSet => 1,
            _ if options.write_concurrency == atoms::FALSE => 1,
            _ => SHARDS,
        };
        let shards = (0..n).map(|_| RwLock::new(Self::store(&options))).collect();
        Table {
            number: refs::next_number(),
            name: AtomicU64::new(name.0),
            owner: AtomicU64::new(owner.0),
            protection: AtomicU8::new(options.protection as u8),
            options,
            alive: AtomicBool::new(true),
            fixes: AtomicU32::new(0),
            scans: AtomicU32::new(0),
            fixed: Mutex::default(),
            heir: Mutex::new(heir),
            shards,
        }
    }
    fn store(options: &Options) -> Store {
        match options.kind {
            Kind::OrderedSet => Store::Tree(Tree::new(options.keypos)),
            kind => Store::Hash(Hashed::new(kind, options.keypos)),
        }
    }
    pub fn name(&self) -> Term {
        Term(self.name.load(Ordering::Acquire))
    }
    pub fn owner(&self) -> Term {
        Term(self.owner.load(Ordering::Acquire))
    }
    pub fn protection(&self) -> Protection {
        match self.protection.load(Ordering::Relaxed) {
            0 => Protection::Private,
            1 => Protection::Protected,
            _ => Protection::Public,
        }
    }
    pub fn set_protection(&self, p: Protection) {
        self.protection.store(p as u8, Ordering::Relaxed);
    }
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }
    pub fn is_ordered(&self) -> bool {
        self.options.kind == Kind::OrderedSet
    }
    /// The reference that identifies it.
    pub fn reference<A: Alloc + ?Sized>(self: &Arc<Self>, a: &mut A) -> Term {
        refs::make_magic_numbered(a, self.number, self.clone())
    }
    /// What its users call it: the name, or the reference.
    pub fn handle<A: Alloc + ?Sized>(self: &Arc<Self>, a: &mut A) -> Term {
        if self.options.named { self.name() } else { self.reference(a) }
    }

    // ---- access to the objects

    /// The hash by which a key is stored.
    #[inline]
    pub fn hash(&self, key: Term) -> u32 {
        if self.is_ordered() { 0 } else { hash::internal(key) }
    }
    /// A copy of a tuple to store.
    pub fn object(&self, tuple: Term) -> Owned {
        Owned::new(tuple, self.hash(tuple.word(self.options.keypos)))
    }
    pub fn shards(&self) -> usize {
        self.shards.len()
    }
    #[inline]
    pub fn shard_of(&self, hash: u32) -> usize {
        // The low bits choose the bucket, the top ones the shard.
        (hash >> 28) as usize & (self.shards.len() - 1)
    }
    /// A shard to read; `None`: the table is dead.
    #[inline]
    pub fn read(&self, shard: usize) -> Option<RwLockReadGuard<'_, Store>> {
        let guard = self.shards[shard].read();
        self.is_alive().then_some(guard)
    }
    #[inline]
    pub fn write(&self, shard: usize) -> Option<RwLockWriteGuard<'_, Store>> {
        let guard = self.shards[shard].write();
        self.is_alive().then_some(guard)
    }
    /// All shards, in order: nobody sees what happens meanwhile.
    pub fn write_all(&self) -> Option<Vec<RwLockWriteGuard<'_, Store>>> {
        let all = self.shards.iter().map(RwLock::write).collect();
        self.is_alive().then_some(all)
    }
    /// Ask while a shard is locked.
    #[inline]
    pub fn hold(&self) -> Hold {
        let keep = self.fixes.load(Ordering::SeqCst) > 0;
        Hold { keep, steady: keep || self.scans.load(Ordering::SeqCst) > 0 }
    }
    pub fn len(&self) -> usize {
        self.shards.iter().map(|s| s.read().len()).sum()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Words that the table takes, about as OTP counts them.
    pub fn words(&self) -> usize {
        let fixed = if self.is_ordered() { 139 } else { 49 };
        fixed + self.shards.iter().map(|s| s.read().words()).sum::<usize>()
    }
    /// Visits the large binaries that the objects refer to.
    pub fn binaries(&self, mut f: impl FnMut(*mut Bin)) {
        for s in &self.shards {
            s.read().each_object(|o| o.binaries(&mut f));
        }
    }
    /// Takes all objects out; the caller lets go of them where that may take its time.
    pub fn clear(&self) -> Vec<Store> {
        let empty = || Self::store(&self.options);
        self.shards.iter().map(|s| std::mem::replace(&mut *s.write(), empty())).collect()
    }

    /// What was in a shard, which is empty now.
    pub fn emptied(&self, shard: &mut Store) -> Store {
        std::mem::replace(shard, Self::store(&self.options))
    }

    // ---- fixing

    /// The process fixes the table once more.
    pub fn fix(self: &Arc<Self>, pid: Term, now: (i64, i64)) {
        let mut fixed = self.fixed.lock();
        self.fixes.fetch_add(1, Ordering::SeqCst);
        if fixed.by.is_empty() {
            fixed.since = now;
        }
        match fixed.by.iter_mut().find(|f| f.0 == pid) {
            Some(f) => f.1 += 1,
            None => {
                fixed.by.push((pid, 1));
                owner::fixes(pid, self);
            }
        }
    }
    /// Takes back one time that the process has fixed the table, or all of them.
    pub fn release(&self, pid: Term, all: bool) {
        let mut fixed = self.fixed.lock();
        let Some(i) = fixed.by.iter().position(|f| f.0 == pid) else { return };
        let n = if all { fixed.by[i].1 } else { 1 };
        fixed.by[i].1 -= n;
        if fixed.by[i].1 == 0 {
            fixed.by.swap_remove(i);
            owner::fixes_no_more(pid, self);
        }
        drop(fixed);
        if self.fixes.fetch_sub(n, Ordering::SeqCst) == n {
            self.purge();
        }
    }
    fn purge(&self) {
        for s in &self.shards {
            if !s.read().has_kept() {
                continue;
            }
            let mut s = s.write();
            if self.fixes.load(Ordering::SeqCst) > 0 {
                return;
            }
            if let Store::Hash(h) = &mut *s {
                h.purge();
            }
        }
    }
    /// While the result lives, no bucket is split or given up.
    pub fn steady(self: &Arc<Self>) -> Steady {
        self.scans.fetch_add(1, Ordering::SeqCst);
        Steady(self.clone())
    }
}

/// See [`Table::steady`].
pub struct Steady(Arc<Table>);

impl Drop for Steady {
    fn drop(&mut self) {
        self.0.scans.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // A dead table is empty but for what came in while it died.
        debug_assert!(!self.is_alive());
    }
}

impl Store {
    pub fn len(&self) -> usize {
        match self {
            Store::Hash(h) => h.len(),
            Store::Tree(t) => t.len(),
        }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn words(&self) -> usize {
        match self {
            Store::Hash(h) => h.words(),
            Store::Tree(t) => t.words(),
        }
    }
    /// The object of a key; of a bag, one of them.
    #[inline]
    pub fn get(&self, hash: u32, key: Term) -> Option<Term> {
        match self {
            Store::Hash(h) => h.get(hash, key),
            Store::Tree(t) => t.get(key),
        }
    }
    /// The objects of a key, oldest first.
    pub fn get_all(&self, hash: u32, key: Term, out: &mut Vec<Term>) {
        match self {
            Store::Hash(h) => h.get_all(hash, key, out),
            Store::Tree(t) => out.extend(t.get(key)),
        }
    }
    pub fn put(&mut self, object: Owned, hold: Hold) {
        match self {
            Store::Hash(h) => h.put(object, hold),
            Store::Tree(t) => t.put(object),
        }
    }
    /// Deletes the objects of a key that `which` chooses; returns how many.
    pub fn remove(&mut self, hash: u32, key: Term, hold: Hold, mut which: impl FnMut(Term) -> bool) -> usize {
        match self {
            Store::Hash(h) => h.remove(hash, key, hold, which),
            Store::Tree(t) => t.remove(key, &mut which) as usize,
        }
    }
    fn has_kept(&self) -> bool {
        match self {
            Store::Hash(h) => h.has_kept(),
            Store::Tree(_) => false,
        }
    }
    fn each_object(&self, f: impl FnMut(&object::Object)) {
        match self {
            Store::Hash(h) => h.each_object(f),
            Store::Tree(t) => t.each_object(f),
        }
    }
}

/// Changes an element of a stored object in place, where that needs no memory: both values are immediates. The caller
/// has the shard locked for writing.
pub fn poke(object: Term, position: usize, value: Term) -> bool {
    let old = object.word(position);
    if !value.is_immed() || !old.is_immed() {
        return false;
    }
    // SAFETY: an element of a stored tuple, which nobody else sees while the shard is locked.
    unsafe { *object.ptr().add(position) = value };
    true
}
