//! Registered names.

use crate::table;
use crate::term::Term;
use chime_sync::names::Names;
pub use chime_sync::names::Refused;
use std::sync::LazyLock;

static NAMES: LazyLock<Names> = LazyLock::new(Names::new);

/// Who has the name: a local pid. Lock-free.
pub fn whereis(name: Term) -> Option<Term> {
    debug_assert!(name.is_atom());
    NAMES.whereis(name.0).map(Term)
}

/// Gives a name to a live process.
pub fn register(name: Term, pid: Term) -> Result<(), Refused> {
    table::pinned(pid, |rec| NAMES.register_process(&rec.name, name.0, pid.0)).unwrap_or(Err(Refused::Exited))
}

/// Takes a name away. `false`: nobody has it.
pub fn unregister(name: Term) -> bool {
    let Some(pid) = whereis(name) else { return false };
    table::pinned(pid, |rec| NAMES.unregister_process(&rec.name, name.0, pid.0)).unwrap_or(false)
}

/// The name of a process.
pub fn name_of(rec: &table::Record) -> Option<Term> {
    rec.name.get().map(Term)
}

/// The process exits; returns the name that it had.
pub(crate) fn exit(rec: &table::Record, pid: Term) -> Option<Term> {
    NAMES.exit_process(&rec.name, pid.0).map(Term)
}

/// All names.
pub fn all() -> Vec<Term> {
    let mut names = Vec::new();
    NAMES.for_each(|name, _| names.push(Term(name)));
    names
}
