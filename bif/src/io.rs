//! `io:printable_range/0`.

use chime_vm::bif::BifResult;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs};
use std::sync::atomic::{AtomicBool, Ordering};

/// `+pc unicode`.
pub static PRINTABLE_UNICODE: AtomicBool = AtomicBool::new(false);

fn printable_range(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(if PRINTABLE_UNICODE.load(Ordering::Relaxed) { atoms::UNICODE } else { atoms::LATIN1 })
}

bifs! { TABLE, "io"; "printable_range"/0 [] => printable_range }
