//! Stand-in until the real one lands (another worktree has it): replace the whole file.
use crate::term::*;
pub fn internal(t: Term) -> u32 {
    go(t, 0x9E3779B9)
}
pub fn phash2(t: Term) -> u32 {
    go(t, 0x1234567)
}
fn mix(h: u32, v: u64) -> u32 {
    let x = (h as u64 ^ v).wrapping_mul(0xBF58476D1CE4E5B9);
    (x ^ x >> 32) as u32
}
fn go(t: Term, mut h: u32) -> u32 {
    let mut st = vec![t];
    while let Some(t) = st.pop() {
        if t.is_cons() {
            h = mix(h, 1);
            st.push(t.tail());
            st.push(t.head());
            continue;
        }
        if !t.is_boxed() {
            h = mix(h, t.0);
            continue;
        }
        if let Some(b) = crate::bin::bits(t) {
            h = mix(h, b.bits as u64);
            for i in 0..b.bits / 8 {
                let v =
                    if b.bit == 0 { b.bytes[i] } else { b.bytes[i] << b.bit | b.bytes[i + 1] >> (8 - b.bit) };
                h = mix(h, v as u64)
            }
            continue;
        }
        if t.is_map() {
            let mut s = 0u32;
            for (k, v) in crate::map::iter(t) {
                s = s.wrapping_add(mix(go(k, 1), go(v, 2) as u64))
            }
            h = mix(h, s as u64);
            continue;
        }
        let hd = t.header();
        h = mix(h, hd);
        let tag = header_subtag(hd);
        let raw = RAW_WORDS[tag as usize];
        let n = header_arity(hd);
        let raw = if raw == 255 { n } else { raw as usize };
        let lim = if tag == sub::REF { 1 } else { n };
        for i in 1..=lim {
            if i <= raw { h = mix(h, t.word(i).0) } else { st.push(t.word(i)) }
        }
    }
    h
}
