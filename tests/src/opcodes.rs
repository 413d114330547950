//! Which generic opcodes occur in the compiled programs.
//!
//! Names and arities come from the compiler that wrote the files (`beam_opcodes`), and the code is walked by a
//! decoder of its own, so that this check shares nothing with Chime's loader.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;

use crate::peer::Peer;
use crate::program::Program;

/// An opcode that no program can contain, and why.
pub struct Exempt {
    pub names: &'static [&'static str],
    /// The OTP releases it holds for.
    pub releases: RangeInclusive<u32>,
    pub reason: &'static str,
}

/// Opcodes that the compilers of OTP 25 and later never write.
pub const EXEMPT: &[Exempt] = &[
    Exempt {
        names: &[
            "m_plus",
            "m_minus",
            "m_times",
            "m_div",
            "int_div",
            "int_rem",
            "int_band",
            "int_bor",
            "int_bxor",
            "int_bsl",
            "int_bsr",
            "int_bnot",
            "is_constant",
            "put_string",
            "put_tuple",
            "put",
            "make_fun",
            "bs_start_match",
            "bs_get_integer",
            "bs_get_float",
            "bs_get_binary",
            "bs_skip_bits",
            "bs_test_tail",
            "bs_save",
            "bs_restore",
            "bs_init",
            "bs_final",
            "bs_need_buf",
            "bs_bits_to_bytes",
            "bs_start_match2",
            "bs_save2",
            "bs_restore2",
            "bs_final2",
            "bs_bits_to_bytes2",
            "put_literal",
            "bs_context_to_binary",
        ],
        releases: 0..=u32::MAX,
        reason: "deprecated: the assembler of OTP 25 and later has the number but refuses to write it",
    },
    Exempt {
        names: &[
            "allocate_zero",
            "allocate_heap_zero",
            "init",
            "fclearerror",
            "fcheckerror",
            "make_fun2",
            "recv_mark",
            "recv_set",
        ],
        releases: 26..=u32::MAX,
        reason: "deprecated since OTP 26: programs for OTP 25 contain them",
    },
    Exempt {
        names: &["set_tuple_element", "bs_init2", "bs_put_string", "bs_test_tail2", "bs_test_unit"],
        releases: 26..=u32::MAX,
        reason: "no longer written by the compiler of OTP 26 and later: programs for OTP 25 contain them",
    },
];

/// Opcode number to name and arity, as the peer's own compiler has it.
pub fn table(peer: &Peer) -> Result<BTreeMap<u32, (String, u32)>, String> {
    let script = "F = fun F(N) -> case catch beam_opcodes:opname(N) of \
                    {Name, Arity} when is_integer(Arity) -> \
                    io:format(\"~w ~s ~w~n\", [N, Name, Arity]), F(N + 1); _ -> ok end end, \
                  F(1), halt().";
    let out = peer.erl(1).args(["-noshell", "-eval", script]).output().map_err(|e| format!("erl: {e}"))?;
    let mut table = BTreeMap::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let mut words = line.split(' ');
        if let (Some(n), Some(name), Some(arity)) = (words.next(), words.next(), words.next())
            && let (Ok(n), Ok(arity)) = (n.parse(), arity.parse())
        {
            table.insert(n, (name.to_owned(), arity));
        }
    }
    if table.is_empty() { Err("beam_opcodes has no opcodes".into()) } else { Ok(table) }
}

/// The opcode numbers in a beam file.
pub fn in_file(bytes: &[u8], table: &BTreeMap<u32, (String, u32)>) -> Result<BTreeSet<u32>, String> {
    let code = chunk(bytes, b"Code").ok_or("no Code chunk")?;
    let head = code.get(..4).ok_or("Code chunk is short")?;
    let sub = u32::from_be_bytes(head.try_into().expect("four bytes")) as usize;
    let mut walk = Walk { bytes: code.get(4 + sub..).ok_or("Code chunk is short")?, at: 0 };
    let mut seen = BTreeSet::new();
    while walk.at < walk.bytes.len() {
        let opcode = u32::from(walk.byte()?);
        let (name, arity) = table.get(&opcode).ok_or_else(|| format!("unknown opcode {opcode}"))?;
        seen.insert(opcode);
        for _ in 0..*arity {
            walk.operand()?;
        }
        if name == "int_code_end" {
            return Ok(seen);
        }
    }
    Err("no int_code_end".into())
}

fn chunk<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    let mut rest = bytes.strip_prefix(b"FOR1")?.get(8..)?;
    loop {
        let size = u32::from_be_bytes(rest.get(4..8)?.try_into().ok()?) as usize;
        let body = rest.get(8..8 + size)?;
        if rest.starts_with(name) {
            return Some(body);
        }
        rest = rest.get(8 + size.next_multiple_of(4)..)?;
    }
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let byte = *self.bytes.get(self.at).ok_or("code ends inside an instruction")?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a compact term. Returns tag and value; the value of a number of more than eight bytes does not matter.
    fn term(&mut self) -> Result<(u8, u64), String> {
        let first = self.byte()?;
        let tag = first & 7;
        if tag == 7 {
            return Ok((7, u64::from(first >> 4)));
        }
        if first & 0b1000 == 0 {
            return Ok((tag, u64::from(first >> 4)));
        }
        if first & 0b1_0000 == 0 {
            return Ok((tag, (u64::from(first >> 5) << 8) | u64::from(self.byte()?)));
        }
        let mut size = u64::from(first >> 5) + 2;
        if size == 9 {
            size = self.term()?.1 + 9;
        }
        let mut value = 0;
        for _ in 0..size {
            value = (value << 8) | u64::from(self.byte()?);
        }
        Ok((tag, value))
    }

    fn operand(&mut self) -> Result<(), String> {
        let (tag, value) = self.term()?;
        if tag != 7 {
            return Ok(());
        }
        match value {
            // A list of operands.
            1 => {
                for _ in 0..self.term()?.1 {
                    self.operand()?;
                }
            }
            // A floating-point register, a literal.
            2 | 4 => drop(self.term()?),
            // What an allocation needs: pairs of kind and number.
            3 => {
                for _ in 0..self.term()?.1 {
                    self.term()?;
                    self.term()?;
                }
            }
            // A register with its type.
            5 => {
                self.term()?;
                self.term()?;
            }
            other => return Err(format!("unknown extended operand {other}")),
        }
        Ok(())
    }
}

/// Coverage of one peer's opcodes by its compiled programs.
pub struct Coverage {
    /// Opcode name and the number of programs that contain it.
    pub covered: BTreeMap<String, usize>,
    /// Opcodes that should be in some program and are in none.
    pub missing: Vec<String>,
    /// Exempt opcodes that a program contains after all: the exemption is wrong.
    pub wrongly_exempt: Vec<String>,
}

/// Looks through the beam files of all programs that suit the peer.
pub fn coverage(peer: &Peer, programs: &[&Program]) -> Result<Coverage, String> {
    let table = table(peer)?;
    let mut counts: BTreeMap<u32, usize> = table.keys().map(|n| (*n, 0)).collect();
    for program in programs {
        let file = peer.out_dir().join(format!("{}.beam", program.name));
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        for opcode in in_file(&bytes, &table).map_err(|e| format!("{}: {e}", file.display()))? {
            *counts.entry(opcode).or_default() += 1;
        }
    }
    let exempt: BTreeSet<&str> = EXEMPT
        .iter()
        .filter(|e| e.releases.contains(&peer.release))
        .flat_map(|e| e.names.iter().copied())
        .collect();
    let mut result = Coverage { covered: BTreeMap::new(), missing: Vec::new(), wrongly_exempt: Vec::new() };
    for (opcode, count) in counts {
        let name = &table[&opcode].0;
        match (count, exempt.contains(name.as_str())) {
            (0, true) => {}
            (0, false) => result.missing.push(name.clone()),
            (_, true) => result.wrongly_exempt.push(name.clone()),
            (n, false) => drop(result.covered.insert(name.clone(), n)),
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_terms_of_every_size() {
        for (bytes, expected) in [
            (&[0x12u8][..], (2, 1)),
            (&[0b0010_1001, 0x05][..], (1, 0x105)),
            (&[0b0001_1001, 0x01, 0x02][..], (1, 0x102)),
            (&[0b1111_1001, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], (1, 0x0203_0405_0607_0809)),
        ] {
            let mut walk = Walk { bytes, at: 0 };
            assert_eq!(walk.term().unwrap(), expected);
            assert_eq!(walk.at, bytes.len());
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        assert!(in_file(b"FOR1", &BTreeMap::new()).is_err());
        assert!(in_file(b"FOR1\0\0\0\x0cBEAMCode\0\0\0\x63", &BTreeMap::new()).is_err());
    }
}
