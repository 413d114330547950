//! The compact term encoding used for operands in code and in some tables.

use crate::container::Reader;
use crate::error::Result;

/// The three low bits of an operand's first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    Unsigned,
    Integer,
    Atom,
    X,
    Y,
    Label,
    Character,
    Extended,
}

impl Tag {
    #[inline]
    fn of(byte: u8) -> Tag {
        match byte & 7 {
            0 => Tag::Unsigned,
            1 => Tag::Integer,
            2 => Tag::Atom,
            3 => Tag::X,
            4 => Tag::Y,
            5 => Tag::Label,
            6 => Tag::Character,
            _ => Tag::Extended,
        }
    }
}

/// A number of the encoding: small, or the big-endian two's complement bytes of one that exceeds 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number<'a> {
    Small(i64),
    Big(&'a [u8]),
}

/// Reads one tagged number. For [`Tag::Extended`] the number is the kind of the extension.
#[inline]
pub(crate) fn read<'a>(r: &mut Reader<'a>) -> Result<(Tag, Number<'a>)> {
    let byte = r.u8()?;
    let tag = Tag::of(byte);
    if byte & 0x08 == 0 {
        return Ok((tag, Number::Small((byte >> 4) as i64)));
    }
    if byte & 0x10 == 0 {
        let low = r.u8()?;
        return Ok((tag, Number::Small(((byte & 0xe0) as i64) << 3 | low as i64)));
    }
    Ok((tag, wide(r, byte)?))
}

fn wide<'a>(r: &mut Reader<'a>, byte: u8) -> Result<Number<'a>> {
    let size = match byte >> 5 {
        7 => {
            let mut ahead = r.clone();
            // A length that is itself of the longest form would let crafted bytes recurse without end.
            if ahead.u8()? >= 0xf8 {
                return Err(r.error(format!("a number at byte {} has an absurd length", r.position())));
            }
            match read(r)? {
                (Tag::Unsigned, Number::Small(n)) if n >= 0 => 9usize.saturating_add(n as usize),
                _ => return Err(r.error(format!("bad length of a number before byte {}", r.position()))),
            }
        }
        n => n as usize + 2,
    };
    let bytes = r.take(size)?;
    // Skip sign bytes, so that padded numbers fit.
    let mut digits = bytes;
    while let [first, second, ..] = digits {
        let redundant = (*first == 0 && *second < 0x80) || (*first == 0xff && *second >= 0x80);
        if !redundant {
            break;
        }
        digits = &digits[1..];
    }
    if digits.len() > 8 {
        return Ok(Number::Big(digits));
    }
    let mut value = if digits.first().is_some_and(|&b| b >= 0x80) { -1i64 } else { 0 };
    for &b in digits {
        value = value << 8 | b as i64;
    }
    Ok(Number::Small(value))
}

/// Reads a number that must have the given tag and fit in 32 bits.
pub(crate) fn read_u32(r: &mut Reader<'_>, want: Tag, what: &str) -> Result<u32> {
    match read(r)? {
        (tag, Number::Small(n)) if tag == want && u32::try_from(n).is_ok() => Ok(n as u32),
        _ => Err(r.error(format!("{what} before byte {} is not of the right form", r.position()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bytes: &[u8]) -> Result<(Tag, Number<'_>)> {
        read(&mut Reader::new(b"Code", bytes))
    }

    #[test]
    fn all_sizes_decode() {
        assert_eq!(one(&[0x35]).unwrap(), (Tag::Label, Number::Small(3)));
        assert_eq!(one(&[0xea, 0xff]).unwrap(), (Tag::Atom, Number::Small(2047)));
        assert_eq!(one(&[0x19, 0xff, 0xfe]).unwrap(), (Tag::Integer, Number::Small(-2)));
        assert_eq!(one(&[0x39, 0x00, 0xff, 0xfe]).unwrap(), (Tag::Integer, Number::Small(0xfffe)));
        assert_eq!(one(&[0xd9, 0x80, 0, 0, 0, 0, 0, 0, 0]).unwrap(), (Tag::Integer, Number::Small(i64::MIN)));
        assert_eq!(
            one(&[0xf9, 0x00, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]).unwrap(),
            (Tag::Integer, Number::Big(&[0, 0x80, 0, 0, 0, 0, 0, 0, 0]))
        );
    }

    #[test]
    fn cut_off_numbers_are_errors() {
        for bytes in [&[][..], &[0x0a], &[0x19, 0], &[0xf9], &[0xf9, 0x10, 0], &[0xf9, 0xf9, 0xf9]] {
            assert!(one(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn nested_lengths_do_not_overflow_the_stack() {
        assert!(one(&[0xf8; 1 << 20]).is_err());
    }
}
