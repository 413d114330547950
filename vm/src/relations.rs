//! Links, monitors and aliases of a process. Owned by the process; changed by its own built-ins and by signals.

use crate::heap::Fragment;
use crate::term::Term;
use std::collections::BTreeMap;

/// A small ordered map: a sorted vector while it is short, a tree beyond.
pub enum SmallMap<V> {
    Short(Vec<(u64, V)>),
    Long(BTreeMap<u64, V>),
}

const SHORT: usize = 16;

impl<V> Default for SmallMap<V> {
    fn default() -> Self {
        SmallMap::Short(Vec::new())
    }
}

impl<V> SmallMap<V> {
    pub fn len(&self) -> usize {
        match self {
            SmallMap::Short(v) => v.len(),
            SmallMap::Long(m) => m.len(),
        }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        match self {
            SmallMap::Short(v) => {
                let i = v.binary_search_by_key(&key, |e| e.0).ok()?;
                Some(&mut v[i].1)
            }
            SmallMap::Long(m) => m.get_mut(&key),
        }
    }
    pub fn get(&self, key: u64) -> Option<&V> {
        match self {
            SmallMap::Short(v) => Some(&v[v.binary_search_by_key(&key, |e| e.0).ok()?].1),
            SmallMap::Long(m) => m.get(&key),
        }
    }
    pub fn contains(&self, key: u64) -> bool {
        self.get(key).is_some()
    }
    pub fn insert(&mut self, key: u64, value: V) -> Option<V> {
        match self {
            SmallMap::Short(v) => match v.binary_search_by_key(&key, |e| e.0) {
                Ok(i) => Some(std::mem::replace(&mut v[i].1, value)),
                Err(i) => {
                    if v.len() == SHORT {
                        let mut m: BTreeMap<u64, V> = std::mem::take(v).into_iter().collect();
                        m.insert(key, value);
                        *self = SmallMap::Long(m);
                    } else {
                        if v.is_empty() {
                            v.reserve_exact(1);
                        }
                        v.insert(i, (key, value));
                    }
                    None
                }
            },
            SmallMap::Long(m) => m.insert(key, value),
        }
    }
    pub fn remove(&mut self, key: u64) -> Option<V> {
        match self {
            SmallMap::Short(v) => {
                let i = v.binary_search_by_key(&key, |e| e.0).ok()?;
                Some(v.remove(i).1)
            }
            SmallMap::Long(m) => {
                let out = m.remove(&key);
                if m.is_empty() {
                    *self = SmallMap::default();
                }
                out
            }
        }
    }
    /// In order of keys.
    pub fn for_each(&self, mut f: impl FnMut(u64, &V)) {
        match self {
            SmallMap::Short(v) => v.iter().for_each(|(k, v)| f(*k, v)),
            SmallMap::Long(m) => m.iter().for_each(|(k, v)| f(*k, v)),
        }
    }
    /// Empties it, in order of keys.
    pub fn drain(&mut self, mut f: impl FnMut(u64, V)) {
        match std::mem::take(self) {
            SmallMap::Short(v) => v.into_iter().for_each(|(k, v)| f(k, v)),
            SmallMap::Long(m) => m.into_iter().for_each(|(k, v)| f(k, v)),
        }
    }
}

/// One side of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linked {
    Active,
    /// This side has called unlink and waits for the acknowledgement with this number. Until then, whatever
    /// comes along the link is ignored.
    Unlinking(u64),
}

/// When an alias stops being one, apart from `unalias`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasMode {
    Explicit,
    /// With its monitor: when that is removed, or delivers.
    Demonitor,
    /// As `Demonitor`, and with the first message sent through it.
    Reply,
}

/// A monitor that this process has set.
pub struct Monitor {
    /// The pid; `NONE` for the clock service, which never goes down.
    pub target: Term,
    /// The name it was set with, or `NONE`.
    pub name: Term,
    /// First element of the message: an atom, or a term in `tag_frag`.
    pub tag: Term,
    /// Owned.
    pub tag_frag: *mut Fragment,
    /// The reference is an alias, too (so it is longer by a word).
    pub alias: bool,
    /// A spawn request that has not been answered yet.
    pub spawn: bool,
}

impl Drop for Monitor {
    fn drop(&mut self) {
        // SAFETY: the monitor owns the tag's fragment.
        unsafe { Fragment::free_chain(self.tag_frag) }
    }
}

/// A monitor that another process has set on this one.
#[derive(Clone, Copy)]
pub struct Watcher {
    pub pid: Term,
    /// The name it was set with, or `NONE`.
    pub name: Term,
}

#[derive(Default)]
pub struct Relations {
    /// By the other process's pid word.
    pub links: SmallMap<Linked>,
    /// By the number of the reference.
    pub monitors: SmallMap<Monitor>,
    /// By the number of the reference.
    pub watchers: SmallMap<Watcher>,
    /// By the number of the reference.
    pub aliases: SmallMap<AliasMode>,
    /// Number of the last unlink.
    pub unlinks: u64,
}

impl Relations {
    /// Terms of the process's heap held here: none, for tags of monitors have fragments of their own.
    pub fn roots(&mut self, _f: &mut dyn FnMut(&mut Term)) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_map_agrees_with_a_tree() {
        let (mut m, mut model, mut x) = (SmallMap::default(), BTreeMap::new(), 1u64);
        for i in 0..20_000u64 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let key = x % if i % 4_000 < 2_000 { 60 } else { 9 };
            if x >> 40 & 1 == 0 {
                assert_eq!(m.insert(key, i), model.insert(key, i));
            } else {
                assert_eq!(m.remove(key), model.remove(&key));
            }
            assert_eq!(m.len(), model.len());
            assert_eq!(m.get(x % 50), model.get(&(x % 50)));
        }
        let mut all = Vec::new();
        m.drain(|k, v| all.push((k, v)));
        assert_eq!(all, model.into_iter().collect::<Vec<_>>());
    }
}
