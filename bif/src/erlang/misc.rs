//! Small things of several modules: tags for tracing with DTrace (which there is none of), sequential trace
//! tokens (never set), facts about names.

use crate::util::text;
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin};

fn undefined(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::UNDEFINED)
}
fn yes(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::TRUE)
}
fn no(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::FALSE)
}
fn first(_: &mut Process, a: &[Term]) -> BifResult {
    Ok(a[0])
}
fn ok(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::OK)
}
fn warning(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(crate::util::atom("warning"))
}
fn utf8(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::UTF8)
}
fn zero(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::small(0))
}

/// There is no token to change: what would set one is refused, taking it away is fine.
fn seq_trace(p: &mut Process, a: &[Term]) -> BifResult {
    match text(a[0]) {
        "sequential_trace_token" if a[1].is_nil() => Ok(Term::NIL),
        _ => Err(p.badarg()),
    }
}

fn seq_trace_info(p: &mut Process, a: &[Term]) -> BifResult {
    let value = match text(a[0]) {
        "label" | "serial" => Term::NIL,
        "send" | "receive" | "print" | "timestamp" | "monotonic_timestamp" | "strict_monotonic_timestamp" => {
            atoms::FALSE
        }
        _ => return Err(p.badarg()),
    };
    if value.is_nil() { Ok(Term::NIL) } else { Ok(p.tuple(&[a[0], value])) }
}

// ---- .beam files

/// The chunks of a .beam file: name, offset, length.
fn chunks(bytes: &[u8]) -> Vec<([u8; 4], usize, usize)> {
    let mut found = Vec::new();
    if bytes.len() < 12 || &bytes[..4] != b"FOR1" || &bytes[8..12] != b"BEAM" {
        return found;
    }
    let mut at = 12;
    while let Some(head) = bytes.get(at..at + 8) {
        let name = [head[0], head[1], head[2], head[3]];
        let len = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
        if bytes.len() - at - 8 < len {
            break;
        }
        found.push((name, at + 8, len));
        at += 8 + len.next_multiple_of(4);
    }
    found
}

/// `erts_internal:beamfile_chunk(Bytes, "Name")`.
fn beamfile_chunk(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(bytes) = bin::bytes(a[0]) else { return Err(p.badarg()) };
    let Some(Ok(name)) = crate::util::byte_list(a[1], 4).map(<[u8; 4]>::try_from) else {
        return Err(p.badarg());
    };
    p.bump(10);
    let found = chunks(&bytes).into_iter().find(|c| c.0 == name);
    match found.and_then(|(_, at, len)| super::binaries::part(p, a[0], at, len)) {
        Some(t) => Ok(t),
        None => Ok(atoms::UNDEFINED),
    }
}

bifs! { TABLE, "erlang";
    "dt_get_tag"/0 [] => undefined,
    "dt_get_tag_data"/0 [] => undefined,
    "dt_put_tag"/1 [] => undefined,
    "dt_spread_tag"/1 [] => yes,
    "dt_restore_tag"/1 [] => yes,
    "dt_prepend_vm_tag_data"/1 [] => first,
    "dt_append_vm_tag_data"/1 [] => first,
    "seq_trace"/2 [] => seq_trace,
    "seq_trace_info"/1 [] => seq_trace_info,
    "seq_trace_print"/1 [] => no,
    "seq_trace_print"/2 [] => no,
}

bifs! { INTERNAL, "erts_internal";
    "beamfile_chunk"/2 [] => beamfile_chunk,
    "get_creation"/0 [] => undefined,
    "no_aux_work_threads"/0 [] => zero,
    "system_check"/1 [] => ok,
}

bifs! { ERROR_LOGGER, "error_logger"; "warning_map"/0 [] => warning }
bifs! { FILE, "file"; "native_name_encoding"/0 [] => utf8 }
bifs! { NET_KERNEL, "net_kernel"; "dflag_unicode_io"/1 [] => yes }
