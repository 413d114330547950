//! Character data (nested lists of code points and binaries) to the bytes of a device, and back.

use chime_vm::bin;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use std::fmt::Write;

/// Data that is no text in the encoding it claims to have.
pub struct NoText;

/// How a walk ended.
#[derive(PartialEq, Eq)]
pub enum End {
    Done,
    /// The turn is over; the stack says what is left.
    Pause,
}

/// The encodings on both sides.
#[derive(Clone, Copy)]
pub struct Encoding {
    /// Binaries are Latin-1, and so are code points.
    pub from_latin1: bool,
    pub to_unicode: bool,
}

/// A text of `\x{…}` for what the device cannot show.
fn put_char(out: &mut Vec<u8>, c: u32, e: Encoding) -> Result<(), NoText> {
    if c < 0x80 || c < 0x100 && !e.to_unicode {
        out.push(c as u8);
        return Ok(());
    }
    let ch = char::from_u32(c).filter(|_| c < 0x100 || !e.from_latin1).ok_or(NoText)?;
    if e.to_unicode {
        out.extend_from_slice(ch.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let mut s = String::new();
        let _ = write!(s, "\\x{{{c:X}}}");
        out.extend_from_slice(s.as_bytes());
    }
    Ok(())
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8], e: Encoding) -> Result<(), NoText> {
    if e.from_latin1 {
        if e.to_unicode {
            out.extend(bytes.iter().flat_map(|&b| (b as char).to_string().into_bytes()));
        } else {
            out.extend_from_slice(bytes);
        }
        return Ok(());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| NoText)?;
    if e.to_unicode || text.is_ascii() {
        out.extend_from_slice(bytes);
        return Ok(());
    }
    text.chars().try_for_each(|c| put_char(out, c as u32, e))
}

/// Appends the bytes of what is on the stack (first part last), for at most `budget` elements.
pub fn encode(
    stack: &mut Vec<Term>,
    out: &mut Vec<u8>,
    e: Encoding,
    budget: &mut usize,
) -> Result<End, NoText> {
    while let Some(mut t) = stack.pop() {
        loop {
            if *budget == 0 {
                stack.push(t);
                return Ok(End::Pause);
            }
            if t.is_nil() {
                break;
            }
            *budget -= 1;
            if t.is_cons() {
                let head = t.head();
                t = t.tail();
                if let Some(c) = head.as_index() {
                    put_char(out, u32::try_from(c).map_err(|_| NoText)?, e)?;
                } else if head.is_list() || head.is_bitstring() {
                    stack.push(t);
                    t = head;
                } else {
                    return Err(NoText);
                }
            } else {
                let bytes = bin::bytes(t).ok_or(NoText)?;
                *budget = budget.saturating_sub(bytes.len() / 16);
                put_bytes(out, &bytes, e)?;
                break;
            }
        }
    }
    Ok(End::Done)
}

/// The bytes of some character data, at once.
pub fn encode_all(t: Term, e: Encoding) -> Result<Vec<u8>, NoText> {
    let mut out = Vec::new();
    if !t.is_list() && !t.is_bitstring() {
        return Err(NoText);
    }
    encode(&mut vec![t], &mut out, e, &mut usize::MAX.clone()).map(|_| out)
}

/// Text that was read, as code points or as a binary.
pub fn decode(
    p: &mut Process,
    bytes: &[u8],
    unicode_device: bool,
    to_unicode: bool,
    binary: bool,
) -> Result<Term, NoText> {
    let text = if unicode_device { Some(std::str::from_utf8(bytes).map_err(|_| NoText)?) } else { None };
    p.bump(bytes.len() / 16);
    match (text, binary) {
        (Some(s), false) => {
            if !to_unicode && s.chars().any(|c| c as u32 > 255) {
                return Err(NoText);
            }
            Ok(p.string(s))
        }
        (Some(_), true) if to_unicode => Ok(p.binary(bytes)),
        (Some(s), true) => {
            let bytes: Option<Vec<u8>> = s.chars().map(|c| u8::try_from(c as u32).ok()).collect();
            Ok(p.binary(&bytes.ok_or(NoText)?))
        }
        (None, false) => Ok(p.byte_list(bytes, Term::NIL)),
        (None, true) if to_unicode => {
            let s: String = bytes.iter().map(|&b| b as char).collect();
            Ok(p.binary(s.as_bytes()))
        }
        (None, true) => Ok(p.binary(bytes)),
    }
}

/// Bytes of the first `n` characters, if there are so many.
pub fn prefix(bytes: &[u8], n: usize, unicode: bool) -> Option<usize> {
    if !unicode {
        return (bytes.len() >= n).then_some(n);
    }
    let mut at = 0;
    for _ in 0..n {
        at += char_len(*bytes.get(at)?);
    }
    (at <= bytes.len()).then_some(at)
}

fn char_len(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// Bytes at the end that begin a character and do not finish it.
pub fn incomplete(bytes: &[u8], unicode: bool) -> usize {
    if !unicode {
        return 0;
    }
    let last = bytes.len().saturating_sub(4);
    for (i, &b) in bytes.iter().enumerate().skip(last).rev() {
        if b & 0xC0 != 0x80 {
            return if i + char_len(b) > bytes.len() { bytes.len() - i } else { 0 };
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        assert_eq!(prefix("aλb".as_bytes(), 2, true), Some(3));
        assert_eq!(prefix("aλb".as_bytes(), 4, true), None);
        assert_eq!(prefix(&"aλ".as_bytes()[..2], 2, true), None);
        assert_eq!(prefix(b"abc", 2, false), Some(2));
        assert_eq!(incomplete(&"aλ".as_bytes()[..2], true), 1);
        assert_eq!(incomplete("aλ".as_bytes(), true), 0);
        assert_eq!(incomplete(&"a𝄞".as_bytes()[..4], true), 3);
        assert_eq!(incomplete(b"\xFF", false), 0);
    }

    #[test]
    fn encodings() {
        let e = |from_latin1, to_unicode| Encoding { from_latin1, to_unicode };
        let mut out = Vec::new();
        for c in [97, 233, 955] {
            assert!(put_char(&mut out, c, e(false, false)).is_ok());
        }
        assert_eq!(out, b"a\xE9\\x{3BB}");
        out.clear();
        assert!(put_bytes(&mut out, "aéλ".as_bytes(), e(false, true)).is_ok());
        assert!(put_char(&mut out, 955, e(true, true)).is_err());
        assert!(put_char(&mut out, 0xD800, e(false, true)).is_err());
        assert!(put_bytes(&mut out, b"\xFF", e(false, true)).is_err());
        assert_eq!(out, "aéλ".as_bytes());
    }
}
