//! The protocol of built-in functions, one for every tier.
//!
//! A built-in gets the process and its arguments and ends in one of these ways:
//! * `Ok(term)`: a value, built with the process as [`crate::heap::Alloc`]. Allocation never collects, so
//!   arguments and intermediate terms stay put.
//! * `Err(p.badarg())`, `Err(p.raise(class, reason))`: an exception. For errors the machine shows the
//!   built-in itself with its arguments at the head of the stack trace and adds `error_info`.
//! * `Err(p.trap(f, args))`: stops part-way. The rule: charge reductions in proportion to work
//!   ([`Process::bump`]) and, where input is unbounded, do at most about a turn's worth, then trap with the
//!   remaining state in `args`. The state is made of terms, or sits in a magic reference.
//! * `Err(p.trap_export(e, args))`: goes on in Erlang.
//! * `Err(p.wait(f, args))`: sleeps until a signal arrives, then is called again.

use crate::atoms;
use crate::process::Process;
use crate::term::Term;

/// The proof that [`Process::bail`] is set. Only `Process` makes it.
#[derive(Debug)]
pub struct Bail(());

impl Bail {
    pub(crate) fn new() -> Bail {
        Bail(())
    }
}

pub type BifResult = Result<Term, Bail>;
pub type BifFn = fn(&mut Process, &[Term]) -> BifResult;

/// What the machine may assume of a built-in.
pub mod kind {
    /// May stand in a guard: has no effect and never traps.
    pub const GUARD: u8 = 1;
    /// Result depends on the arguments only.
    pub const PURE: u8 = 2;
}

/// A row of a module's table.
pub struct Bif {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: u8,
    pub kind: u8,
    pub call: BifFn,
}

/// Declares a module's table: `bifs! { "lists"; "member"/2 [PURE] => member, "reverse"/2 [] => reverse }`.
#[macro_export]
macro_rules! bifs {
    ($table:ident, $module:literal; $($name:literal / $arity:literal [$($k:ident)*] => $f:path),* $(,)?) => {
        pub static $table: &[$crate::bif::Bif] = &[$($crate::bif::Bif {
            module: $module, name: $name, arity: $arity,
            kind: 0 $(| $crate::bif::kind::$k)*, call: $f,
        }),*];
    };
}

/// The module that explains a built-in's errors (`error_info`), as OTP has it.
pub fn error_module(module: &str) -> Option<&'static str> {
    Some(match module {
        "erlang" | "erts_internal" | "persistent_term" | "atomics" | "counters" | "erts_debug" => {
            "erl_erts_errors"
        }
        "lists" | "maps" | "math" | "binary" | "ets" | "re" | "unicode" | "string" | "io" => {
            "erl_stdlib_errors"
        }
        "os" | "code" | "erl_ddll" => "erl_kernel_errors",
        _ => return None,
    })
}

/// `ok`, for built-ins run for their effect.
pub const OK: BifResult = Ok(atoms::OK);
