//! Timers.
pub struct ReceiveTimer {}
