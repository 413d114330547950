//! Deterministic damage to files, and what must hold whatever the damage.

use chime_loader::{ErrorKind, Module};

/// A small generator of pseudo-random numbers (xorshift), so that every run sees the same mutants.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

const INTERESTING: [u8; 14] = [0, 1, 2, 0x0f, 0x10, 0x17, 0x47, 0x57, 0x7f, 0x80, 0xf8, 0xf9, 0xfe, 0xff];

/// Damages a file in one to four ways, mostly inside the chunks that the loader decodes.
pub fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.below(4) + 1 {
        let chunks = chime_loader::chunks(bytes).unwrap_or_default();
        let decoded: Vec<_> = chunks
            .into_iter()
            .filter(|(name, range)| {
                !range.is_empty() && !matches!(name, b"Dbgi" | b"Docs" | b"ExCk" | b"CInf" | b"Attr")
            })
            .collect();
        if bytes.is_empty() {
            return;
        }
        let range = match decoded.len() {
            0 => 0..bytes.len(),
            _ if rng.below(16) == 0 => 0..bytes.len(),
            // Code is where most of the rules are.
            _ if rng.below(2) == 0 => {
                decoded.iter().find(|c| &c.0 == b"Code").map_or(0..bytes.len(), |c| c.1.clone())
            }
            n => decoded[rng.below(n)].1.clone(),
        };
        let at = range.start + rng.below(range.len());
        match rng.below(8) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = INTERESTING[rng.below(INTERESTING.len())],
            2 => bytes[at] = rng.next() as u8,
            3 => bytes[at] = bytes[at].wrapping_add(16),
            4 => bytes[at] = bytes[at].wrapping_sub(16),
            5 => {
                // Copy a few bytes over others of the chunk: often whole instructions.
                let len = (rng.below(12) + 1).min(range.end - at);
                let from = range.start + rng.below(range.len() - len + 1);
                bytes.copy_within(from..from + len, at);
            }
            6 => {
                // A word of a table.
                let at = range.start + (at - range.start) / 4 * 4;
                if at + 4 <= range.end {
                    let word = [0, 1, 0x7fff_ffff, 0xffff_ffff, rng.below(300) as u32][rng.below(5)];
                    bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
                }
            }
            _ if rng.below(20) == 0 => bytes.truncate(at),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

/// How mutants fared.
#[derive(Default, Debug)]
pub struct Tally {
    pub accepted: u64,
    pub not_beam: u64,
    pub too_new: u64,
    pub too_old: u64,
    pub corrupt: u64,
}

/// Loads the bytes; a panic anywhere is the failure that is looked for.
pub fn try_load(bytes: &[u8], tally: &mut Tally) {
    match chime_loader::load(bytes) {
        Ok(m) => {
            walk(&m);
            tally.accepted += 1;
        }
        Err(e) => {
            assert_eq!(e.to_string().lines().count(), 1, "{e}");
            match e.kind {
                ErrorKind::NotBeam => tally.not_beam += 1,
                ErrorKind::TooNew => tally.too_new += 1,
                ErrorKind::TooOld => tally.too_old += 1,
                ErrorKind::Corrupt => tally.corrupt += 1,
            }
        }
    }
}

/// Uses every index of an accepted module.
fn walk(m: &Module) {
    use std::fmt::Write;
    struct Sink;
    impl Write for Sink {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Ok(())
        }
    }
    for instr in &m.instrs {
        write!(Sink, "{}", m.show(*instr)).unwrap();
    }
    for at in 0..m.operands.len() {
        m.operand_type(at);
    }
    for f in &m.functions {
        assert!(m.labels[f.entry as usize].is_defined() && !m.body(f).is_empty());
    }
    for n in 0..m.literal_count() {
        assert_eq!(m.literal(n as u32)[0], 131);
    }
    for line in &m.line.items {
        assert!((line.file as usize) < m.line.files.len());
    }
    for i in &m.imports {
        assert!(!m.atoms[i.module].is_empty() || !m.atoms.is_empty());
    }
}
