//! Loaded code as the machine runs it.

use crate::bif::BifFn;
use crate::term::Term;
use std::sync::atomic::{AtomicPtr, AtomicU32};

/// What `M:F/A` means right now. One per name, for ever; the entry pointer changes when code is loaded.
#[repr(C)]
pub struct Export {
    /// First instruction of the current version; a stub that loads the module or raises `undef` before.
    pub entry: AtomicPtr<u64>,
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    /// 1 once a loaded module exports it or a built-in implements it.
    pub defined: AtomicU32,
    pub bif: Option<BifFn>,
    pub kind: u8,
    /// Instructions that stand in for code while there is none: `call the error handler` or `call the built-in`.
    pub stub: [u64; 2],
}

/// A `fun` of a module: shared by all closures made by one `fun` expression of one version.
#[repr(C)]
pub struct FunEntry {
    pub entry: AtomicPtr<u64>,
    pub module: Term,
    pub function: Term,
    /// Arity as called: without the environment.
    pub arity: u32,
    pub num_free: u32,
    pub index: u32,
    pub old_uniq: u32,
    pub old_index: u32,
    /// MD5 of the module.
    pub uniq: [u8; 16],
}

/// A function of one loaded version.
#[repr(C)]
pub struct Function {
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    pub code: &'static ModuleInfo,
}

/// What return sites and functions need to know of their module.
pub struct ModuleInfo {
    pub name: Term,
    /// `file` of stack traces, by file index.
    pub files: Vec<Term>,
}

/// What a frame's continuation word points to.
#[repr(C, align(8))]
pub struct ReturnSite {
    /// Machine code to go on in; null: the interpreter does.
    pub native: AtomicPtr<u8>,
    pub ip: *const u64,
    pub function: *const Function,
    /// File index << 24 | line; 0: none.
    pub line: u32,
    /// y registers of the frame that goes on here.
    pub frame: u32,
}
