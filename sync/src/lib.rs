//! chime-sync
