//! The private message queue of a process.
pub struct Mailbox {}
