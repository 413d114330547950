//! The atom table: append-only, names found by index without a lock.
//!
//! An index is stable for the life of the machine. Looking a name up takes a shared lock; reading the name
//! of an atom takes none, because chunks of names never move once published.

use crate::term::Term;
use hashbrown::HashMap;
use parking_lot::RwLock;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// OTP's default limit on the number of atoms.
pub const LIMIT: u32 = 1_048_576;
const CHUNK: usize = 4096;

static NAMES: [OnceLock<Box<[OnceLock<&'static str>]>>; LIMIT as usize / CHUNK] =
    [const { OnceLock::new() }; LIMIT as usize / CHUNK];
static COUNT: AtomicU32 = AtomicU32::new(0);
static BY_NAME: RwLock<Option<HashMap<&'static str, u32>>> = RwLock::new(None);

/// Declares the atoms the machine itself uses; they take the first indexes, in order.
macro_rules! known_atoms {
    ($($id:ident = $text:expr),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Known { $($id),* }
        $(pub const $id: Term = Term::atom(Known::$id as u32);)*
        const KNOWN: &[&str] = &[$($text),*];
    };
}

include!("atoms_known.rs");

fn insert(map: &mut HashMap<&'static str, u32>, text: &str) -> Option<u32> {
    let index = COUNT.load(Ordering::Relaxed);
    if index >= LIMIT {
        return None;
    }
    let name: &'static str = Box::leak(text.to_owned().into_boxed_str());
    let chunk = NAMES[index as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| OnceLock::new()).collect());
    let _ = chunk[index as usize % CHUNK].set(name);
    map.insert(name, index);
    COUNT.store(index + 1, Ordering::Release);
    Some(index)
}

fn init() -> HashMap<&'static str, u32> {
    let mut map = HashMap::with_capacity(8192);
    for (i, text) in KNOWN.iter().enumerate() {
        assert_eq!(insert(&mut map, text), Some(i as u32), "known atom {text} is listed twice");
    }
    map
}

/// The atom of that name if it exists already. One shared lock, one hash.
pub fn existing(text: &str) -> Option<Term> {
    if let Some(map) = BY_NAME.read().as_ref() {
        return map.get(text).map(|&i| Term::atom(i));
    }
    BY_NAME.write().get_or_insert_with(init).get(text).map(|&i| Term::atom(i))
}

/// The atom of that name, made if need be; `None` when the table is full.
pub fn try_intern(text: &str) -> Option<Term> {
    if let Some(atom) = existing(text) {
        return Some(atom);
    }
    let mut guard = BY_NAME.write();
    let map = guard.get_or_insert_with(init);
    match map.get(text) {
        Some(&i) => Some(Term::atom(i)),
        None => insert(map, text).map(Term::atom),
    }
}

/// As [`try_intern`]; a full table ends the machine, as on OTP.
pub fn intern(text: &str) -> Term {
    try_intern(text).unwrap_or_else(|| {
        eprintln!("no more index entries in atom_tab (max={LIMIT})");
        std::process::exit(1)
    })
}

/// The text of an atom. No lock.
pub fn name(atom: Term) -> &'static str {
    debug_assert!(atom.is_atom());
    let i = atom.atom_index() as usize;
    if i < KNOWN.len() {
        return KNOWN[i];
    }
    NAMES[i / CHUNK].get().and_then(|c| c[i % CHUNK].get()).copied().unwrap_or("?")
}

/// How many atoms there are.
pub fn count() -> u32 {
    let _ = existing("");
    COUNT.load(Ordering::Acquire)
}
