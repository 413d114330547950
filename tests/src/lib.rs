//! chime-tests
