//! What a process has of tables: those that it owns and those that it has fixed; what becomes of them when it exits.

use super::{Store, Table, registry};
use crate::atoms;
use crate::exits;
use crate::heap::Alloc;
use crate::mailbox::Message;
use crate::process::Process;
use crate::signal::{self, Parcel, SignalKind};
use crate::table;
use crate::term::Term;
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Once};

#[derive(Default)]
struct Belongings {
    owned: HashMap<u64, Arc<Table>>,
    fixed: HashMap<u64, Arc<Table>>,
}

const SHARDS: usize = 16;
type Map = Mutex<HashMap<u64, Belongings>>;

static PROCESSES: LazyLock<[Map; SHARDS]> = LazyLock::new(|| std::array::from_fn(|_| Map::default()));

fn of(pid: Term) -> &'static Map {
    &PROCESSES[pid.pid_data() as usize % SHARDS]
}

fn change(pid: Term, f: impl FnOnce(&mut Belongings)) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| exits::on_exit(exited));
    let mut map = of(pid).lock();
    let b = map.entry(pid.0).or_default();
    f(b);
    if b.owned.is_empty() && b.fixed.is_empty() {
        map.remove(&pid.0);
    }
}

pub(super) fn owns(pid: Term, table: &Arc<Table>) {
    change(pid, |b| {
        b.owned.insert(table.number, table.clone());
    });
}
pub(super) fn owns_no_more(pid: Term, table: &Table) {
    change(pid, |b| {
        b.owned.remove(&table.number);
    });
}
pub(super) fn fixes(pid: Term, table: &Arc<Table>) {
    change(pid, |b| {
        b.fixed.insert(table.number, table.clone());
    });
}
pub(super) fn fixes_no_more(pid: Term, table: &Table) {
    change(pid, |b| {
        b.fixed.remove(&table.number);
    });
}

/// Hands a table over and tells the new owner; `false`: that one is dead.
pub fn give(table: &Arc<Table>, from: Term, to: Term, data: Term) -> bool {
    {
        // A process that exits is hidden before it looks here for what it owns.
        let mut map = of(to).lock();
        if table::lookup(to).is_none() {
            return false;
        }
        map.entry(to.0).or_default().owned.insert(table.number, table.clone());
    }
    owns_no_more(from, table);
    table.owner.store(to.0, Ordering::Release);
    let parcel = Parcel::build(|b| {
        let handle = table.handle(b);
        let data = b.copy(data);
        b.tuple(&[atoms::ETS_TRANSFER, handle, from, data])
    });
    let (term, frag) = parcel.into_raw();
    signal::deliver_or_reject(to, SignalKind::Message(Message::new(term, frag)));
    if !table.is_alive() {
        owns_no_more(to, table);
    }
    true
}

/// A process exits: its tables go to their heirs, or away.
fn exited(p: &mut Process) {
    let pid = p.pid;
    let Some(b) = of(pid).lock().remove(&pid.0) else { return };
    for t in b.fixed.into_values() {
        t.release(pid, true);
    }
    for t in b.owned.into_values() {
        let heir = t.heir.lock();
        let inherited = heir.as_ref().is_some_and(|h| h.pid != pid && give(&t, pid, h.pid, h.data.term()));
        drop(heir);
        if !inherited {
            registry::delete(&t);
        }
    }
}

/// So many objects are freed at once.
const FEW: usize = 2000;

/// Frees what was in a table: a thread does it if it is much.
pub fn discard(stores: Vec<Store>) {
    if stores.iter().map(Store::len).sum::<usize>() <= FEW {
        return;
    }
    static THREAD: LazyLock<Mutex<Option<Sender<Vec<Store>>>>> = LazyLock::new(|| {
        let (sender, receiver) = channel::<Vec<Store>>();
        let thread = std::thread::Builder::new().name("tables".into());
        let started = thread.spawn(move || receiver.into_iter().for_each(drop));
        Mutex::new(started.is_ok().then_some(sender))
    });
    if let Some(sender) = &*THREAD.lock() {
        let _ = sender.send(stores);
    }
}
