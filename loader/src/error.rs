//! The one error type of the loader.

use std::fmt;

/// What kind of refusal an error is, for callers that answer with different Erlang terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The bytes are not a BEAM file at all.
    NotBeam,
    /// The file needs a newer loader.
    TooNew,
    /// The file uses instructions that no supported release accepts.
    TooOld,
    /// The file is damaged or its code breaks a rule.
    Corrupt,
}

/// Why a file was refused: the chunk at fault and one clear sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The kind of refusal.
    pub kind: ErrorKind,
    /// Name of the chunk at fault; `None` when the container itself is.
    pub chunk: Option<[u8; 4]>,
    /// What is wrong, without the chunk's name.
    pub fault: Box<str>,
}

pub(crate) type Result<T> = std::result::Result<T, LoadError>;

impl LoadError {
    #[cold]
    pub(crate) fn corrupt(chunk: &[u8; 4], fault: impl fmt::Display) -> LoadError {
        LoadError { kind: ErrorKind::Corrupt, chunk: Some(*chunk), fault: fault.to_string().into() }
    }

    #[cold]
    pub(crate) fn container(kind: ErrorKind, fault: impl fmt::Display) -> LoadError {
        LoadError { kind, chunk: None, fault: fault.to_string().into() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(chunk) = &self.chunk {
            write!(f, "chunk {}: ", chunk.escape_ascii())?;
        }
        f.write_str(&self.fault)
    }
}

impl std::error::Error for LoadError {}
