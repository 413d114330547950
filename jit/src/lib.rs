//! chime-jit
