//! CRC-32 and Adler-32, and how to combine those of two parts.

const POLY: u32 = 0xEDB8_8320;

/// Table `k` advances a byte by `k` further zero bytes: eight bytes are folded at once.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut t = [[0u32; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let (mut c, mut k) = (i as u32, 0);
        while k < 8 {
            c = if c & 1 == 1 { c >> 1 ^ POLY } else { c >> 1 };
            k += 1;
        }
        t[0][i] = c;
        i += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut i = 0;
        while i < 256 {
            let c = t[k - 1][i];
            t[k][i] = c >> 8 ^ t[0][(c & 0xFF) as usize];
            i += 1;
        }
        k += 1;
    }
    t
}

/// Continues the CRC `crc` over `bytes`; starts from 0.
pub fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut c = !crc;
    let (words, rest) = bytes.as_chunks::<8>();
    for w in words {
        let x = u64::from_le_bytes(*w) ^ c as u64;
        c = 0;
        for (k, table) in TABLES.iter().rev().enumerate() {
            c ^= table[(x >> (8 * k)) as usize & 0xFF];
        }
    }
    for &b in rest {
        c = c >> 8 ^ TABLES[0][((c ^ b as u32) & 0xFF) as usize];
    }
    !c
}

/// A 32×32 matrix over GF(2) as columns.
type Matrix = [u32; 32];

fn times(m: &Matrix, mut v: u32) -> u32 {
    let mut sum = 0;
    for column in m {
        if v & 1 == 1 {
            sum ^= column;
        }
        v >>= 1;
    }
    sum
}

fn square(m: &Matrix) -> Matrix {
    std::array::from_fn(|i| times(m, m[i]))
}

/// CRC of two parts from their CRCs and the length of the second: `a` is advanced by `len` zero bytes.
pub fn crc32_combine(mut a: u32, b: u32, mut len: u64) -> u32 {
    // One zero bit, then two, four, eight: one zero byte.
    let bit: Matrix = std::array::from_fn(|i| if i == 0 { POLY } else { 1 << (i - 1) });
    let mut m = square(&square(&square(&bit)));
    while len > 0 {
        if len & 1 == 1 {
            a = times(&m, a);
        }
        m = square(&m);
        len >>= 1;
    }
    a ^ b
}

const BASE: u32 = 65521;

/// Continues the Adler-32 sum `sum` over `bytes`; starts from 1.
pub fn adler32(sum: u32, bytes: &[u8]) -> u32 {
    let (mut a, mut b) = ((sum & 0xFFFF) as u64, (sum >> 16) as u64);
    // `b` grows by at most 255 n (n + 1) / 2 a chunk: far from 2^64.
    for chunk in bytes.chunks(1 << 16) {
        for &byte in chunk {
            a += byte as u64;
            b += a;
        }
        a %= BASE as u64;
        b %= BASE as u64;
    }
    (b as u32) << 16 | a as u32
}

/// Adler-32 of two parts from their sums and the length of the second.
pub fn adler32_combine(x: u32, y: u32, len: u64) -> u32 {
    let base = BASE as u64;
    let n = len % base;
    let (xa, xb) = ((x & 0xFFFF) as u64, (x >> 16) as u64);
    let (ya, yb) = ((y & 0xFFFF) as u64, (y >> 16) as u64);
    let a = (xa + ya + base - 1) % base;
    let b = (n * xa + xb + yb + base - n) % base;
    (b as u32) << 16 | a as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        assert_eq!(crc32(0, b"abc"), 891_568_578);
        assert_eq!(crc32(5, b"abc"), 871_334_697);
        assert_eq!(adler32(1, b"abc"), 38_600_999);
        assert_eq!(crc32(0, b"The quick brown fox jumps over the lazy dog"), 0x414F_A339);
    }

    #[test]
    fn parts_combine() {
        assert_eq!(crc32_combine(891_568_578, 891_568_578, 3), 1_919_850_828);
        let text: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        for cut in [0, 1, 7, 500, 1000] {
            let (x, y) = text.split_at(cut);
            let n = y.len() as u64;
            assert_eq!(crc32_combine(crc32(0, x), crc32(0, y), n), crc32(0, &text));
            assert_eq!(adler32_combine(adler32(1, x), adler32(1, y), n), adler32(1, &text));
        }
    }
}
