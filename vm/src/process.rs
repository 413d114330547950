//! The process: what its owner (the scheduler that runs it) may touch.
//!
//! What other threads may touch (inbox, run state, pid) is in [`crate::table::Record`], which embeds the
//! `Process` and outlives it.

use crate::atoms;
use crate::bif::{Bail, BifFn};
use crate::code::Export;
use crate::heap::{Alloc, Heap, OffHeap};
use crate::mailbox::Mailbox;
use crate::relations::Relations;
use crate::table::Record;
use crate::term::Term;
use hashbrown::HashTable;

/// Reductions of one turn, as OTP's.
pub const TURN: i64 = 4000;

/// The three classes of exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    Error,
    Exit,
    Throw,
}

impl Class {
    pub fn atom(self) -> Term {
        match self {
            Class::Error => atoms::ERROR,
            Class::Exit => atoms::EXIT,
            Class::Throw => atoms::THROW,
        }
    }
    pub fn from_atom(t: Term) -> Option<Class> {
        [Class::Error, Class::Exit, Class::Throw].into_iter().find(|c| c.atom() == t)
    }
}

/// Why a built-in did not return a value. Held in [`Process::bail`] while the `Err(Bail)` travels.
pub enum BailKind {
    None,
    /// An exception: class and reason are in `exc`.
    Raise,
    /// Go on in this built-in with the arguments in `trap_args`; may yield first.
    TrapBif(BifFn),
    /// Tail-call this Erlang function with the arguments in `trap_args`.
    TrapExport(&'static Export),
    /// Sleep until any signal arrives, then call this built-in with the arguments in `trap_args`.
    Wait(BifFn),
    /// Call this Erlang function with the arguments in `trap_args`, then this built-in with
    /// `[ok | error | exit | throw, Result or reason, State]`.
    CallThen(&'static Export, BifFn),
    /// Drop the stack, sleep until a message arrives, then call this Erlang function with `trap_args`.
    Hibernate(&'static Export),
    /// This is the result, but the turn ends here.
    Yield(Term),
    /// The process ends with the reason in `exc`, uncatchably.
    Die,
}

/// The exception being raised.
pub struct Exception {
    pub class: Class,
    pub reason: Term,
    /// Raw trace (see `error`), `[]`, or a ready stack trace.
    pub trace: Term,
    /// `erlang:error/2,3`: the arguments to show, else `Term::NONE`. A built-in that was resumed: `{M, F, Args}`.
    pub args: Term,
    /// The `error_info` map's extra entries (a list of pairs), for a built-in that names a cause.
    pub cause: Term,
    /// `erlang:error/3`'s and `raise/3`'s: replaces what the machine would add.
    pub info: Term,
    /// The trace is complete: `erlang:raise/3`.
    pub complete: bool,
    /// The function whose frame is on top of the stack; null: the first return site tells.
    pub at: *const crate::code::Function,
}

/// A process dictionary entry; the hash is of the key's value, so that collection may move the key.
pub struct DictEntry {
    pub hash: u32,
    pub key: Term,
    pub value: Term,
}

/// Fields that most processes never need.
#[derive(Default)]
pub struct Rare {
    pub dict: HashTable<DictEntry>,
    /// Literal terms or copies on this process's heap that are roots for another reason.
    pub extra_roots: Vec<Term>,
    /// How often others have suspended this process.
    pub suspend_count: u32,
    /// Whom this process has suspended, and how often.
    pub suspending: Vec<(Term, u32)>,
    pub label: Term2,
    /// The bitstring that instructions of compilers before OTP 25 are filling.
    pub builder: Option<crate::bits::Builder>,
    /// Module set by `process_flag(error_handler, _)`, or none.
    pub error_handler: Term2,
    /// Numbers of the timers that it has started for itself.
    pub timers: hashbrown::HashSet<u64>,
}

/// A term that defaults to none.
#[derive(Clone, Copy)]
pub struct Term2(pub Term);
impl Default for Term2 {
    fn default() -> Self {
        Term2(Term::NONE)
    }
}

/// `process_flag` bits.
pub mod flag {
    pub const TRAP_EXIT: u32 = 1;
    pub const OFF_HEAP_MSGS: u32 = 2;
    pub const EXITING: u32 = 4;
    /// Collect before going on: a built-in overflowed into fragments, or asked for it.
    pub const NEED_GC: u32 = 8;
    pub const FULLSWEEP: u32 = 16;
    pub const KILL_ON_MAX_HEAP: u32 = 32;
    pub const LOG_MAX_HEAP: u32 = 64;
    pub const HIBERNATING: u32 = 128;
    /// In a receive with the timeout already expired.
    pub const TIMED_OUT: u32 = 256;
    pub const SENSITIVE: u32 = 512;
    pub const MAX_HEAP_SHARED_BIN: u32 = 1024;
    /// It handles signals without running: it waits in a receive or a built-in.
    pub const WAITING: u32 = 2048;
    /// As `WAITING`, but it was interrupted and is ready to go on.
    pub const RUNNABLE: u32 = 4096;
    pub const SYSTEM: u32 = 8192;
}

/// How many arguments of a preempted function fit in the record itself.
pub const INLINE_ARGS: usize = 6;

#[repr(C)]
pub struct Process {
    pub heap: Heap,
    /// Reductions left in this turn. Below zero: yield at the next function entry.
    pub fcalls: i64,
    /// Where to go on.
    pub ip: *const u64,
    /// Number of catch and try frames on the stack; none means an exception ends the process.
    pub catches: u32,
    pub flags: u32,
    /// Reductions taken away so that the next function entry looks at `NEED_GC`.
    pub borrowed: i64,
    /// x registers while not running: `nargs` of them, in `args` or, if more, in `spill`.
    pub nargs: u32,
    /// Old-generation collections are forced after this many young ones.
    pub fullsweep_after: u32,
    pub args: [Term; INLINE_ARGS],
    pub spill: Vec<Term>,
    pub mailbox: Mailbox,
    pub exc: Exception,
    pub bail: BailKind,
    pub trap_args: Vec<Term>,
    pub trap_fn: Option<BifFn>,
    /// What a native process keeps across [`BailKind::CallThen`].
    pub call_state: Term,
    pub pid: Term,
    pub group_leader: Term,
    pub parent: Term,
    /// `{module, function, arity}` it started with.
    pub initial: (Term, Term, u32),
    pub relations: Option<Box<Relations>>,
    pub rare: Option<Box<Rare>>,
    /// Turns so far, in reductions of finished turns.
    pub reductions: u64,
    pub min_heap: u32,
    pub minor_gcs: u32,
    pub max_heap: u64,
    pub priority: u8,
    /// Virtual heap: bytes of binaries that trigger a collection.
    pub vheap_limit: usize,
    /// The `receive … after` timer, if armed.
    pub timer: crate::timers::ReceiveTimer,
    pub record: *const Record,
}

// SAFETY: only its owner touches a process (see `table::Record`); it owns everything that it points to, apart from what is
// shared and immutable.
unsafe impl Send for Process {}

impl Alloc for Process {
    #[inline]
    fn alloc(&mut self, words: usize) -> *mut Term {
        self.heap.alloc(words)
    }
    fn off_heap(&mut self) -> &mut OffHeap {
        &mut self.heap.off_heap
    }
}

impl Process {
    // ---- what built-ins use

    /// Charges `n` reductions for work done.
    #[inline(always)]
    pub fn bump(&mut self, n: usize) {
        self.fcalls -= n as i64;
    }
    /// The turn is over: a long built-in should stop part-way ([`Process::trap`]).
    #[inline(always)]
    pub fn exhausted(&self) -> bool {
        self.fcalls <= 0
    }
    /// `Err(p.raise(..))` raises from a built-in; the machine adds the stack trace.
    #[cold]
    pub fn raise(&mut self, class: Class, reason: Term) -> Bail {
        self.exc = Exception {
            class,
            reason,
            trace: Term::NIL,
            args: Term::NONE,
            cause: Term::NONE,
            info: Term::NONE,
            complete: false,
            at: std::ptr::null(),
        };
        self.bail = BailKind::Raise;
        Bail::new()
    }
    #[cold]
    pub fn error(&mut self, reason: Term) -> Bail {
        self.raise(Class::Error, reason)
    }
    #[cold]
    pub fn badarg(&mut self) -> Bail {
        self.error(atoms::BADARG)
    }
    #[cold]
    pub fn badarith(&mut self) -> Bail {
        self.error(atoms::BADARITH)
    }
    #[cold]
    pub fn system_limit(&mut self) -> Bail {
        self.error(atoms::SYSTEM_LIMIT)
    }
    /// `badarg` whose error_info map says `cause => cause`.
    #[cold]
    pub fn badarg_cause(&mut self, cause: Term) -> Bail {
        let b = self.badarg();
        self.exc.cause = cause;
        b
    }
    /// `{Tag, Value}` as an error: `{badkey, K}`, `{badmap, M}`.
    #[cold]
    pub fn error_pair(&mut self, tag: Term, value: Term) -> Bail {
        let reason = self.tuple(&[tag, value]);
        self.error(reason)
    }
    /// Stops a built-in part-way: the machine calls `f` with `args` (terms on this heap, or magic references
    /// for state outside), at once or after other processes had their turn; its result is the result.
    pub fn trap(&mut self, f: BifFn, args: &[Term]) -> Bail {
        self.trap_args.clear();
        self.trap_args.extend_from_slice(args);
        self.bail = BailKind::TrapBif(f);
        Bail::new()
    }
    /// Continues in an Erlang function, whose result becomes this built-in's.
    pub fn trap_export(&mut self, export: &'static Export, args: &[Term]) -> Bail {
        self.trap_args.clear();
        self.trap_args.extend_from_slice(args);
        self.bail = BailKind::TrapExport(export);
        Bail::new()
    }
    /// Sleeps until the next signal, then calls `f` with `args`.
    pub fn wait(&mut self, f: BifFn, args: &[Term]) -> Bail {
        self.trap_args.clear();
        self.trap_args.extend_from_slice(args);
        self.bail = BailKind::Wait(f);
        Bail::new()
    }

    /// For native processes: calls Erlang, then `f` with `[ok | error | exit | throw, Result or reason, state]`.
    pub fn call_then(&mut self, export: &'static Export, args: &[Term], f: BifFn, state: Term) -> Bail {
        self.trap_args.clear();
        self.trap_args.extend_from_slice(args);
        self.call_state = state;
        self.bail = BailKind::CallThen(export, f);
        Bail::new()
    }
    /// Fragments have piled up: collect at the next function entry.
    #[cold]
    pub fn overflowed(&mut self) {
        if self.flags & flag::NEED_GC == 0
            && (self.heap.frag_words * 2 > self.heap.block_words()
                || self.heap.off_heap.bytes > self.vheap_limit)
        {
            self.flags |= flag::NEED_GC;
            self.borrowed = self.fcalls.max(0);
            self.fcalls -= self.borrowed;
        }
    }

    /// Collects at the next function entry; everything, if `full`.
    pub fn collect_soon(&mut self, full: bool) {
        self.flags |= flag::NEED_GC | if full { flag::FULLSWEEP } else { 0 };
        if self.borrowed == 0 {
            self.borrowed = self.fcalls.max(0);
            self.fcalls -= self.borrowed;
        }
    }
    /// Reductions so far, with those of the turn under way.
    pub fn total_reductions(&self) -> u64 {
        self.reductions + (TURN - self.fcalls - self.borrowed).max(0) as u64
    }
    /// The process ends here, with this reason, and nothing can catch it.
    #[cold]
    pub fn die(&mut self, reason: Term) -> Bail {
        if !self.has(flag::EXITING) {
            self.doom(reason);
        }
        self.bail = BailKind::Die;
        Bail::new()
    }
    /// Returns `value` and ends the turn.
    pub fn yield_with(&mut self, value: Term) -> Bail {
        self.bail = BailKind::Yield(value);
        Bail::new()
    }
    /// Drops the stack and sleeps until a signal arrives, then goes on in `export` with `args`.
    pub fn hibernate(&mut self, export: &'static Export, args: &[Term]) -> Bail {
        self.trap_args.clear();
        self.trap_args.extend_from_slice(args);
        self.set(flag::HIBERNATING, true);
        self.mailbox.rewind();
        self.bail = BailKind::Hibernate(export);
        Bail::new()
    }
    /// What other threads may touch of this process.
    #[inline(always)]
    pub fn record(&self) -> &'static Record {
        // SAFETY: a process lives in its record, and records are never freed.
        unsafe { &*self.record }
    }

    pub fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(Default::default)
    }
    pub fn relations(&mut self) -> &mut Relations {
        self.relations.get_or_insert_with(Default::default)
    }
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
    pub fn set(&mut self, flag: u32, on: bool) {
        if on {
            self.flags |= flag;
        } else {
            self.flags &= !flag;
        }
    }
}
