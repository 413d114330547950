//! Terms as text, as `erlang:display/1` and the machine's own messages show them: no blanks, floats with six
//! decimals, lists of printable characters as strings. Nothing recurses.

use crate::cmp::{byte_at, entry, export};
use crate::term::{Term, sub};
use crate::{atoms, external, map, num};
use std::fmt::Write;

/// The whole text.
pub fn to_string(t: Term) -> String {
    to_string_limited(t, usize::MAX)
}

/// The text; `...` stands for what comes after about `limit` bytes.
pub fn to_string_limited(t: Term, limit: usize) -> String {
    let mut s = String::new();
    write_term(&mut s, t, limit);
    s
}

/// A term in `format!` and the like.
pub struct Show(pub Term);

impl std::fmt::Display for Show {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&to_string(self.0))
    }
}

fn is_lower(c: char) -> bool {
    c.is_ascii_lowercase() || ('ß'..='ÿ').contains(&c) && c != '÷'
}
fn is_word(c: char) -> bool {
    is_lower(c) || c.is_ascii_alphanumeric() || c == '_' || ('À'..='Þ').contains(&c) && c != '×'
}

/// An atom, in quotes if it needs them. Reserved words get none, as with OTP's emulator.
pub fn write_atom(s: &mut String, atom: Term) {
    let name = atoms::name(atom);
    if name.chars().next().is_some_and(is_lower) && name.chars().all(is_word) {
        s.push_str(name);
        return;
    }
    s.push('\'');
    for c in name.chars() {
        match c {
            '\'' | '\\' => s.extend(['\\', c]),
            '\n' => s.push_str("\\n"),
            '\t' => s.push_str("\\t"),
            '\r' => s.push_str("\\r"),
            '\x08' => s.push_str("\\b"),
            '\x0B' => s.push_str("\\v"),
            '\x0C' => s.push_str("\\f"),
            c if c.is_ascii_control() => {
                let _ = write!(s, "\\{:03o}", c as u32);
            }
            c => s.push(c),
        }
    }
    s.push('\'');
}

fn printable(t: Term) -> Option<char> {
    let c = u8::try_from(t.as_small()?).ok()?;
    matches!(c, 9..=13 | 32..=126 | 160..=255).then_some(c as char)
}

/// The characters of a proper, printable list.
fn string(t: Term) -> Option<String> {
    let mut it = t.iter();
    let mut s = String::from("\"");
    for item in it.by_ref() {
        match printable(item)? {
            '\n' => s.push_str("\\n"),
            '"' => s.push_str("\\\""),
            c => s.push(c),
        }
    }
    s.push('"');
    it.rest.is_nil().then_some(s)
}

enum Todo {
    Term(Term),
    Text(&'static str),
    /// What follows an element of a list.
    Rest(Term),
    Elements(&'static [Term]),
    Pairs(map::MapIter, bool),
}

fn write_bits(s: &mut String, t: Term, limit: usize) {
    let Some(b) = crate::bin::bits(t) else { return };
    let (n, rest) = (b.bits / 8, b.bits % 8);
    s.push_str("<<");
    if n > 0 && rest == 0 && (0..n).all(|i| (32..127).contains(&byte_at(b, i))) {
        s.push('"');
        for i in 0..n {
            if s.len() > limit {
                break;
            }
            let c = byte_at(b, i) as char;
            if c == '"' {
                s.push('\\');
            }
            s.push(c);
        }
        s.push('"');
    } else {
        for i in 0..n {
            if s.len() > limit {
                break;
            }
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(s, "{comma}{}", byte_at(b, i));
        }
        if rest > 0 {
            let comma = if n == 0 { "" } else { "," };
            let _ = write!(s, "{comma}{}:{rest}", byte_at(b, n) >> (8 - rest));
        }
    }
    s.push_str(">>");
}

/// What stands first in an identifier: 0 for this node.
fn channel(t: Term) -> u32 {
    if external::is_external(t) { external::node(t).name.atom_index() } else { 0 }
}

fn write_term(s: &mut String, t: Term, limit: usize) {
    let mut stack = vec![Todo::Term(t)];
    while let Some(todo) = stack.pop() {
        if s.len() > limit {
            s.push_str("...");
            return;
        }
        let t = match todo {
            Todo::Term(t) => t,
            Todo::Text(text) => {
                s.push_str(text);
                continue;
            }
            Todo::Rest(t) => {
                if t.is_cons() {
                    s.push(',');
                    stack.push(Todo::Rest(t.tail()));
                    t.head()
                } else {
                    stack.push(Todo::Text("]"));
                    if t.is_nil() {
                        continue;
                    }
                    s.push('|');
                    t
                }
            }
            Todo::Elements(elements) => {
                let [first, rest @ ..] = elements else { continue };
                if !rest.is_empty() {
                    stack.push(Todo::Elements(rest));
                    stack.push(Todo::Text(","));
                }
                *first
            }
            Todo::Pairs(mut it, first) => {
                let Some((key, value)) = it.next() else {
                    s.push('}');
                    continue;
                };
                if !first {
                    s.push(',');
                }
                stack.push(Todo::Pairs(it, false));
                stack.push(Todo::Term(value));
                stack.push(Todo::Text("=>"));
                key
            }
        };
        let _ = match t.subtag() {
            _ if t.is_cons() => match string(t) {
                Some(text) => {
                    s.push_str(&text);
                    Ok(())
                }
                None => {
                    s.push('[');
                    stack.push(Todo::Rest(t.tail()));
                    stack.push(Todo::Term(t.head()));
                    Ok(())
                }
            },
            None if t.is_small() => write!(s, "{}", t.small_value()),
            None if t.is_nil() => s.write_str("[]"),
            None if t.is_atom() => {
                write_atom(s, t);
                Ok(())
            }
            _ if t.is_pid() => {
                let (number, serial) = external::pid_numbers(t);
                write!(s, "<{}.{number}.{serial}>", channel(t))
            }
            _ if t.is_port() => write!(s, "#Port<{}.{}>", channel(t), external::port_number(t)),
            _ if t.is_ref() => {
                let (numbers, n) = external::ref_numbers(t);
                let _ = write!(s, "#Ref<{}", channel(t));
                for n in numbers[..n].iter().rev() {
                    let _ = write!(s, ".{n}");
                }
                s.write_str(">")
            }
            Some(sub::TUPLE) => {
                s.push('{');
                stack.push(Todo::Text("}"));
                stack.push(Todo::Elements(t.body()));
                Ok(())
            }
            Some(sub::POS_BIG | sub::NEG_BIG) => {
                s.push_str(&num::int_to_text(t, 10).unwrap_or_default());
                Ok(())
            }
            Some(sub::FLOAT) => s.write_str(&crate::floats::scientific(t.float_value(), 6)),
            Some(sub::MAP) => {
                s.push_str("#{");
                stack.push(Todo::Pairs(map::iter(t), true));
                Ok(())
            }
            Some(sub::EXPORT) => {
                let e = export(t);
                s.push_str("fun ");
                write_atom(s, e.module);
                s.push(':');
                write_atom(s, e.function);
                write!(s, "/{}", e.arity)
            }
            Some(sub::FUN) => {
                let e = entry(t);
                s.push_str("#Fun<");
                write_atom(s, e.module);
                write!(s, ".{}.{}>", e.old_index, e.old_uniq)
            }
            Some(sub::HEAP_BIN | sub::REFC_BIN | sub::SUB_BIN) => {
                write_bits(s, t, limit);
                Ok(())
            }
            _ => write!(s, "#<{:x}>", t.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{Alloc, FragBuilder};

    #[test]
    fn texts() {
        let mut b = FragBuilder::new(256);
        let small = Term::small;
        let long = b.list(&(0..40).map(small).collect::<Vec<_>>());
        let five = b.binary(b"abc\xA0");
        let odd = crate::bin::sub_binary(&mut b, five, 0, 27);
        let (x, y) = (b.string("x"), b.list(&[small(1), small(2)]));
        let mut pairs = [(atoms::OK, small(1)), (x, y)];
        let cases = [
            (atoms::intern("A b"), "'A b'"),
            (atoms::intern("é"), "é"),
            (atoms::intern("ж"), "'ж'"),
            (atoms::intern("it's\n"), "'it\\'s\\n'"),
            (atoms::intern(""), "''"),
            (atoms::intern("end"), "end"),
            (b.string("a\"b\\c\n\td"), "\"a\"b\\c\\n\td\"".replace("a\"b", "a\\\"b").leak()),
            (b.list(&[small(127)]), "[127]"),
            (b.list_with_tail(&[small(97)], atoms::OK), "[97|ok]"),
            (b.binary(b"a\"b"), "<<\"a\\\"b\">>"),
            (b.binary(b"ab\n"), "<<97,98,10>>"),
            (b.binary(b""), "<<>>"),
            (odd.unwrap_or(Term::NIL), "<<97,98,99,5:3>>"),
            (b.tuple(&[]), "{}"),
            (b.float(-1.5), "-1.500000e+00"),
            (b.float(1e100), "1.000000e+100"),
            (b.big(false, &[0, 1]), "18446744073709551616"),
            (Term::pid(2 << 28 | 5), "<0.5.2>"),
            (Term::port(7), "#Port<0.7>"),
            (crate::map::from_pairs(&mut b, &mut pairs).unwrap_or(Term::NIL), "#{ok=>1,\"x\"=>[1,2]}"),
        ];
        for (t, want) in cases {
            assert_eq!(to_string(t), want);
        }
        assert_eq!(to_string_limited(long, 6), "[0,1,2,3...");
    }
}
