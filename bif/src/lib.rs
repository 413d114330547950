//! chime-bif
