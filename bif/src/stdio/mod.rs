//! Standard input and output: native processes that speak the I/O protocol.
pub mod chars;
pub mod device;
mod server;

pub use server::{SERVERS, start};
