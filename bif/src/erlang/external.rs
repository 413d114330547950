//! The external term format.

use crate::util::text;
use chime_vm::bif::{Bail, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{bifs, bin, etf};

/// First byte of every external term.
const VERSION: u8 = 131;

/// The term at the front of a binary, and how many bytes it takes.
fn decode(p: &mut Process, t: Term) -> Result<(Term, usize), Bail> {
    let Some(bytes) = bin::bytes(t).filter(|b| b.first() == Some(&VERSION)) else { return Err(p.badarg()) };
    p.bump(bytes.len() / 50);
    etf::decode(&bytes, p, Default::default()).map_err(|_| p.badarg())
}

fn binary_to_term_1(p: &mut Process, a: &[Term]) -> BifResult {
    decode(p, a[0]).map(|d| d.0)
}

fn binary_to_term_2(p: &mut Process, a: &[Term]) -> BifResult {
    let mut used = false;
    let Some(options) = a[1].to_vec() else { return Err(p.badarg_cause(crate::util::atom("badopt"))) };
    for o in options {
        match text(o) {
            "used" => used = true,
            "safe" => {}
            _ => return Err(p.badarg_cause(crate::util::atom("badopt"))),
        }
    }
    let (t, n) = decode(p, a[0])?;
    Ok(if used { p.tuple(&[t, Term::small(n as i64)]) } else { t })
}

bifs! { TABLE, "erlang";
    "binary_to_term"/1 [PURE] => binary_to_term_1,
    "binary_to_term"/2 [PURE] => binary_to_term_2,
}
