//! Stand-in until the real one lands (another worktree has it): replace the whole file.
use crate::{atoms, exports, heap::Alloc, map, term::Term};
#[derive(Default)]
pub struct O;
struct D<'a> {
    b: &'a [u8],
    i: usize,
}
impl D<'_> {
    fn u(&mut self, n: usize) -> Result<u64, String> {
        let s = self.t(n)?;
        Ok(s.iter().fold(0, |a, &x| a << 8 | x as u64))
    }
    fn t(&mut self, n: usize) -> Result<&[u8], String> {
        if self.i + n > self.b.len() {
            return Err("short".into());
        }
        let s = &self.b[self.i..self.i + n];
        self.i += n;
        Ok(s)
    }
}
pub fn decode<A: Alloc + ?Sized>(b: &[u8], a: &mut A, _o: O) -> Result<(Term, usize), String> {
    if b.first() != Some(&131) {
        return Err("no 131".into());
    }
    if b.get(1) == Some(&80) {
        use std::io::Read;
        let mut o = vec![131u8];
        flate2::read::ZlibDecoder::new(&b[6..]).read_to_end(&mut o).map_err(|e| e.to_string())?;
        return decode(&o, a, O);
    }
    let mut d = D { b, i: 1 };
    let t = term(&mut d, a)?;
    Ok((t, d.i))
}
fn term<A: Alloc + ?Sized>(d: &mut D, a: &mut A) -> Result<Term, String> {
    let tag = d.u(1)?;
    Ok(match tag {
        97 => Term::small(d.u(1)? as i64),
        98 => Term::small(d.u(4)? as u32 as i32 as i64),
        100 | 118 => {
            let n = d.u(2)? as usize;
            let s = d.t(n)?.to_vec();
            let s = if tag == 100 {
                s.iter().map(|&c| c as char).collect()
            } else {
                String::from_utf8(s).map_err(|e| e.to_string())?
            };
            atoms::intern(&s)
        }
        115 | 119 => {
            let n = d.u(1)? as usize;
            let s = d.t(n)?.to_vec();
            let s = if tag == 115 {
                s.iter().map(|&c| c as char).collect()
            } else {
                String::from_utf8(s).map_err(|e| e.to_string())?
            };
            atoms::intern(&s)
        }
        104 | 105 => {
            let n = d.u(if tag == 104 { 1 } else { 4 })? as usize;
            let mut v = Vec::new();
            for _ in 0..n {
                v.push(term(d, a)?)
            }
            a.tuple(&v)
        }
        106 => Term::NIL,
        107 => {
            let n = d.u(2)? as usize;
            let s = d.t(n)?.to_vec();
            a.byte_list(&s, Term::NIL)
        }
        108 => {
            let n = d.u(4)? as usize;
            let mut v = Vec::new();
            for _ in 0..n {
                v.push(term(d, a)?)
            }
            let t = term(d, a)?;
            a.list_with_tail(&v, t)
        }
        109 => {
            let n = d.u(4)? as usize;
            let s = d.t(n)?.to_vec();
            a.binary(&s)
        }
        77 => {
            let n = d.u(4)? as usize;
            let bits = d.u(1)? as usize;
            let s = d.t(n)?.to_vec();
            let w = a.binary(&s);
            crate::bin::sub_binary(a, w, 0, (n - 1) * 8 + bits).unwrap()
        }
        70 => {
            let v = d.u(8)?;
            a.float(f64::from_bits(v))
        }
        110 | 111 => {
            let n = d.u(if tag == 110 { 1 } else { 4 })? as usize;
            let neg = d.u(1)? != 0;
            let s = d.t(n)?.to_vec();
            let v: Vec<u64> =
                s.chunks(8).map(|c| c.iter().rev().fold(0u64, |x, &y| x << 8 | y as u64)).collect();
            a.big(neg, &v)
        }
        116 => {
            let n = d.u(4)? as usize;
            let mut v = Vec::new();
            for _ in 0..n {
                v.push((term(d, a)?, term(d, a)?))
            }
            map::from_pairs(a, &mut v).ok_or("dup")?
        }
        113 => {
            let m = term(d, a)?;
            let f = term(d, a)?;
            let n = term(d, a)?;
            crate::modules::export_fun(a, exports::get(m, f, n.small_value() as u32))
        }
        _ => return Err(format!("tag {tag}")),
    })
}
