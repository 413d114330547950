//! Processes: starting, signalling, inspecting and steering them.

pub mod flags;
pub mod info;
pub mod names;
pub mod node;
pub mod ports;
pub mod relations;
pub mod send;
pub mod spawn;
pub mod system;
pub mod system_flag;
pub mod trace;

use chime_vm::heap::Alloc;
use chime_vm::term::{Term, sub};

/// The elements of a small map as pairs; `None` for anything else. Maps of options are small.
pub(crate) fn small_map(t: Term) -> Option<Vec<(Term, Term)>> {
    if !t.is_map() {
        return None;
    }
    let body = t.body();
    let size = body[0].0 as usize;
    let keys = body.get(1)?.tuple()?;
    (size <= 32 && keys.len() == size).then(|| keys.iter().copied().zip(body[2..].iter().copied()).collect())
}

/// A small map from pairs whose keys are in term order.
pub(crate) fn map_of<A: Alloc + ?Sized>(a: &mut A, pairs: &[(Term, Term)]) -> Term {
    let keys: Vec<Term> = pairs.iter().map(|e| e.0).collect();
    let mut body = vec![Term(pairs.len() as u64), a.tuple(&keys)];
    body.extend(pairs.iter().map(|e| e.1));
    let t = a.boxed(sub::MAP, body.len());
    a.fill(t, &body)
}
