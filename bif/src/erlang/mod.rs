//! Module `erlang`, by theme.

pub mod atoms;
pub mod binaries;
pub mod checksum;
pub mod exceptions;
pub mod iolist;
pub mod md5;
pub mod packet;
pub mod time;
pub mod tuples;
