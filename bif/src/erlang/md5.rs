//! MD5, with a context that travels as a binary between calls.

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

static SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// Bytes of a context: state, number of bits, block.
pub const CONTEXT: usize = 88;

#[derive(Clone)]
pub struct Md5 {
    state: [u32; 4],
    /// Bytes so far.
    len: u64,
    block: [u8; 64],
}

impl Md5 {
    pub fn new() -> Md5 {
        Md5 { state: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476], len: 0, block: [0; 64] }
    }
    pub fn to_bytes(&self) -> [u8; CONTEXT] {
        let mut out = [0; CONTEXT];
        for (o, s) in out[..16].chunks_mut(4).zip(self.state) {
            o.copy_from_slice(&s.to_le_bytes());
        }
        out[16..24].copy_from_slice(&self.len.wrapping_mul(8).to_le_bytes());
        out[24..].copy_from_slice(&self.block);
        out
    }
    pub fn from_bytes(b: &[u8]) -> Option<Md5> {
        let b: &[u8; CONTEXT] = b.try_into().ok()?;
        let word = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let bits = word(16) as u64 | (word(20) as u64) << 32;
        let mut block = [0; 64];
        block.copy_from_slice(&b[24..]);
        Some(Md5 { state: [word(0), word(4), word(8), word(12)], len: bits / 8, block })
    }
    pub fn update(&mut self, mut bytes: &[u8]) {
        let used = (self.len % 64) as usize;
        self.len = self.len.wrapping_add(bytes.len() as u64);
        if used > 0 {
            let n = bytes.len().min(64 - used);
            self.block[used..used + n].copy_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            if used + n < 64 {
                return;
            }
            let block = self.block;
            self.mix(&block);
        }
        let (blocks, rest) = bytes.as_chunks::<64>();
        for block in blocks {
            self.mix(block);
        }
        self.block[..rest.len()].copy_from_slice(rest);
    }
    pub fn finish(mut self) -> [u8; 16] {
        let bits = self.len.wrapping_mul(8);
        let used = (self.len % 64) as usize;
        let mut pad = [0; 72];
        pad[0] = 0x80;
        self.update(&pad[..if used < 56 { 56 - used } else { 120 - used }]);
        self.update(&bits.to_le_bytes());
        let mut out = [0; 16];
        for (o, s) in out.chunks_mut(4).zip(self.state) {
            o.copy_from_slice(&s.to_le_bytes());
        }
        out
    }
    fn mix(&mut self, block: &[u8; 64]) {
        let (words, _) = block.as_chunks::<4>();
        let m: [u32; 16] = std::array::from_fn(|i| u32::from_le_bytes(words[i]));
        let [mut a, mut b, mut c, mut d] = self.state;
        for i in 0..64 {
            let (f, k) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let x = a.wrapping_add(f).wrapping_add(SINES[i]).wrapping_add(m[k]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(x.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (s, v) in self.state.iter_mut().zip([a, b, c, d]) {
            *s = s.wrapping_add(v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let mut m = Md5::new();
        for part in bytes.chunks(7) {
            m = Md5::from_bytes(&m.to_bytes()).expect("a context");
            m.update(part);
        }
        m.finish().iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn known_digests() {
        assert_eq!(hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(
            hex(b"12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }
}
