//! chime-vm
