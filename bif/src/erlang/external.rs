//! The external term format.

use crate::util::{atom, text};
use chime_vm::bif::{Bail, BifResult};
use chime_vm::etf::{self, EncodeOptions};
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{bifs, bin};

/// Bytes that a reduction pays for.
const PER_REDUCTION: usize = 50;

// ---- from bytes

/// The term at the front of a binary, and how many bytes it takes.
fn decode(p: &mut Process, t: Term, options: etf::Options) -> Result<(Term, usize), Bail> {
    let Some(bytes) = bin::bytes(t) else { return Err(p.badarg()) };
    p.bump(bytes.len() / PER_REDUCTION);
    etf::decode(&bytes, p, options).map_err(|_| p.badarg())
}

fn binary_to_term_1(p: &mut Process, a: &[Term]) -> BifResult {
    decode(p, a[0], etf::Options::default()).map(|d| d.0)
}

fn binary_to_term_2(p: &mut Process, a: &[Term]) -> BifResult {
    let (mut used, mut options) = (false, etf::Options::default());
    let mut list = a[1].iter();
    let known = list.by_ref().all(|o| {
        match text(o) {
            "used" => used = true,
            "safe" => options.safe = true,
            _ => return false,
        }
        true
    });
    if !known || !list.rest.is_nil() {
        return Err(p.badarg_cause(atom("badopt")));
    }
    let (t, n) = decode(p, a[0], options)?;
    Ok(if used { p.tuple(&[t, Term::small(n as i64)]) } else { t })
}

// ---- to bytes

/// Level of `compressed` without a number, as zlib's default.
const DEFAULT_LEVEL: u8 = 6;

/// Options of `term_to_binary/2`, `term_to_iovec/2` and `external_size/2`.
fn encode_options(list: Term) -> Option<EncodeOptions> {
    let mut options = EncodeOptions::default();
    for o in list.to_vec()? {
        match text(o) {
            "compressed" => options.compressed = DEFAULT_LEVEL,
            "deterministic" => options.deterministic = true,
            // Without a distribution channel there is nothing to be local to.
            "local" => {}
            _ => {
                let [key, value]: [Term; 2] = o.tuple_of(2)?.try_into().ok()?;
                let n = value.as_index()?;
                match text(key) {
                    "compressed" if n <= 9 => options.compressed = n as u8,
                    "minor_version" if n <= 2 => options.minor_version = n as u8,
                    _ => return None,
                }
            }
        }
    }
    Some(options)
}

fn encode(p: &mut Process, t: Term, options: Option<EncodeOptions>) -> Result<Vec<u8>, Bail> {
    let Some(options) = options else { return Err(p.badarg()) };
    let bytes = etf::encode(t, options);
    p.bump(bytes.len() / PER_REDUCTION);
    Ok(bytes)
}

fn to_binary(p: &mut Process, t: Term, options: Option<EncodeOptions>) -> BifResult {
    let bytes = encode(p, t, options)?;
    Ok(p.binary(&bytes))
}

fn term_to_binary_1(p: &mut Process, a: &[Term]) -> BifResult {
    to_binary(p, a[0], Some(EncodeOptions::default()))
}
fn term_to_binary_2(p: &mut Process, a: &[Term]) -> BifResult {
    to_binary(p, a[0], encode_options(a[1]))
}
fn term_to_iovec_1(p: &mut Process, a: &[Term]) -> BifResult {
    let t = term_to_binary_1(p, a)?;
    Ok(p.list(&[t]))
}
fn term_to_iovec_2(p: &mut Process, a: &[Term]) -> BifResult {
    let t = term_to_binary_2(p, a)?;
    Ok(p.list(&[t]))
}

fn size(p: &mut Process, t: Term, options: Option<EncodeOptions>) -> BifResult {
    let plain = options.map(|o| EncodeOptions { compressed: 0, ..o });
    let n = encode(p, t, plain)?.len();
    Ok(p.uint(n as u64))
}
fn external_size_1(p: &mut Process, a: &[Term]) -> BifResult {
    size(p, a[0], Some(EncodeOptions::default()))
}
fn external_size_2(p: &mut Process, a: &[Term]) -> BifResult {
    size(p, a[0], encode_options(a[1]))
}

bifs! { TABLE, "erlang";
    "binary_to_term"/1 [PURE] => binary_to_term_1,
    "binary_to_term"/2 [PURE] => binary_to_term_2,
    "term_to_binary"/1 [PURE] => term_to_binary_1,
    "term_to_binary"/2 [PURE] => term_to_binary_2,
    "term_to_iovec"/1 [PURE] => term_to_iovec_1,
    "term_to_iovec"/2 [PURE] => term_to_iovec_2,
    "external_size"/1 [PURE] => external_size_1,
    "external_size"/2 [PURE] => external_size_2,
}
