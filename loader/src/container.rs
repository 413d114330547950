//! The outer form of a .beam file: an IFF container of named chunks, perhaps gzip-compressed as a whole.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use crate::error::{ErrorKind, LoadError, Result};

/// Unpacked sizes above this are refused, so that a small file cannot claim all memory.
pub(crate) const MAX_UNPACKED: u64 = 1 << 30;

/// A chunk's name.
pub type ChunkName = [u8; 4];

/// The container's bytes, unpacked if they were compressed.
pub fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut out = Vec::new();
    // MultiGz: OTP's gunzip reads concatenated members, too.
    let read = flate2::read::MultiGzDecoder::new(bytes).take(MAX_UNPACKED + 1).read_to_end(&mut out);
    match read {
        Ok(_) if out.len() as u64 > MAX_UNPACKED => {
            Err(LoadError::container(ErrorKind::Corrupt, "the compressed file unpacks to more than 1 GiB"))
        }
        Ok(_) => Ok(Cow::Owned(out)),
        Err(e) => {
            let fault = format!("the file looks gzip-compressed but does not unpack: {e}");
            Err(LoadError::container(ErrorKind::NotBeam, fault))
        }
    }
}

/// Names and places of the chunks of an (unpacked) file, in its order.
pub fn chunks(bytes: &[u8]) -> Result<Vec<(ChunkName, Range<usize>)>> {
    let word = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(four)
    };
    if word(0) != Some(*b"FOR1") || word(8) != Some(*b"BEAM") {
        return Err(LoadError::container(ErrorKind::NotBeam, "not a BEAM file (no FOR1 … BEAM header)"));
    }
    // Saturating: a size beyond memory is beyond the file as well.
    let claimed = word(4).map_or(0, |w| u32::from_be_bytes(w) as usize).saturating_add(8);
    if claimed > bytes.len() {
        let fault = format!("the header claims {claimed} bytes but the file has {}", bytes.len());
        return Err(LoadError::container(ErrorKind::Corrupt, fault));
    }
    let mut found = Vec::with_capacity(16);
    let mut at = 12usize;
    while at < claimed {
        let (Some(name), Some(size)) = (word(at), word(at + 4)) else {
            return Err(LoadError::container(
                ErrorKind::Corrupt,
                format!("the chunk header at byte {at} is cut off"),
            ));
        };
        let start = at + 8;
        let size = u32::from_be_bytes(size) as usize;
        let end = start.checked_add(size).filter(|&end| end <= claimed);
        let Some(end) = end else {
            return Err(LoadError::corrupt(
                &name,
                format!("claims {size} bytes but {} remain", claimed - start.min(claimed)),
            ));
        };
        found.push((name, start..end));
        // The last chunk may lack its padding; then this ends the loop.
        at = end.saturating_add(3) & !3;
    }
    Ok(found)
}

/// A cursor over one chunk; every read is checked and its error names the chunk.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    pub chunk: &'static ChunkName,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(chunk: &'static ChunkName, bytes: &'a [u8]) -> Reader<'a> {
        Reader { chunk, bytes, at: 0 }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }

    #[cold]
    pub fn error(&self, fault: impl std::fmt::Display) -> LoadError {
        LoadError::corrupt(self.chunk, fault)
    }

    #[cold]
    fn cut_off(&self) -> LoadError {
        self.error(format!("cut off after {} bytes", self.bytes.len()))
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.cut_off()),
        }
    }

    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at += n;
                Ok(taken)
            }
            None => Err(self.cut_off()),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A count of entries of at least `min_size` bytes each: checked against what remains, so that it can
    /// be used to reserve memory.
    pub fn count(&mut self, what: &str, min_size: usize) -> Result<usize> {
        let n = self.u32()? as usize;
        self.check_count(n, what, min_size)
    }

    pub fn check_count(&self, n: usize, what: &str, min_size: usize) -> Result<usize> {
        if n > self.remaining() / min_size.max(1) {
            return Err(self.error(format!("claims {n} {what} but only {} bytes follow", self.remaining())));
        }
        Ok(n)
    }
}
