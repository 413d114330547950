//! Terms as text, until the machine's printer is linked in: identifiers, funs, and a plain form of the rest.

use chime_vm::code::{Export, FunEntry};
use chime_vm::term::{Term, sub};
use chime_vm::{atoms, bin, refs};

pub fn to_string(t: Term) -> String {
    to_string_limited(t, usize::MAX)
}

/// At most `limit` characters.
pub fn to_string_limited(t: Term, limit: usize) -> String {
    let mut out = String::new();
    write(&mut out, t, limit.saturating_mul(4), 0);
    match out.char_indices().nth(limit) {
        Some((at, _)) => out[..at].to_owned(),
        None => out,
    }
}

/// Deeper terms are cut.
const DEEPEST: usize = 1000;

fn write(out: &mut String, t: Term, limit: usize, depth: usize) {
    if out.len() >= limit || depth > DEEPEST {
        return out.push_str("...");
    }
    if t.is_cons() {
        out.push('[');
        let mut it = t.iter();
        for (i, e) in it.by_ref().enumerate() {
            if out.len() >= limit {
                break;
            }
            if i > 0 {
                out.push(',');
            }
            write(out, e, limit, depth + 1);
        }
        if !it.rest.is_list() {
            out.push('|');
            write(out, it.rest, limit, depth + 1);
        }
        return out.push(']');
    }
    let text = match t.subtag() {
        Some(sub::TUPLE) => {
            out.push('{');
            for (i, &e) in t.body().iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(out, e, limit, depth + 1);
            }
            return out.push('}');
        }
        Some(sub::FLOAT) => crate::erlang::text::short(t.float_value()),
        Some(sub::POS_BIG | sub::NEG_BIG) => crate::erlang::text::big_text(t, 10),
        Some(sub::REF) => {
            let [salt, low, high] = refs::ids(t);
            format!("#Ref<0.{high}.{low}.{salt}>")
        }
        Some(sub::EXPORT) => {
            // SAFETY: exports live as long as the machine.
            let e = unsafe { &*(t.word(1).0 as *const Export) };
            format!("fun {}:{}/{}", atoms::name(e.module), atoms::name(e.function), e.arity)
        }
        Some(sub::FUN) => {
            // SAFETY: entries live as long as the machine.
            let e = unsafe { &*(t.word(1).0 as *const FunEntry) };
            format!("#Fun<{}.{}.{}>", atoms::name(e.module), e.old_index, e.old_uniq)
        }
        Some(sub::MAP) => {
            out.push_str("#{");
            for (i, (k, v)) in chime_vm::map::iter(t).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(out, k, limit, depth + 1);
                out.push_str("=>");
                write(out, v, limit, depth + 1);
            }
            return out.push('}');
        }
        Some(_) => match bin::bytes(t) {
            Some(b) => {
                let b: Vec<String> = b.iter().take(limit).map(u8::to_string).collect();
                format!("<<{}>>", b.join(","))
            }
            None => "#Term".to_owned(),
        },
        None if t.is_local_pid() => format!("<0.{}.{}>", t.pid_data() & 0xFFF_FFFF, t.pid_data() >> 28),
        None if t.is_local_port() => format!("#Port<0.{}>", t.pid_data()),
        None => format!("{t:?}"),
    };
    out.push_str(&text);
}
