//! The process table.
pub struct Record {}
