//! Module `erlang`, by theme.

pub mod atoms;
pub mod binaries;
pub mod checksum;
pub mod dictionary;
pub mod exceptions;
pub mod external;
pub mod funs;
pub mod guards;
pub mod hashes;
pub mod identifiers;
pub mod info;
pub mod iolist;
pub mod md5;
pub mod misc;
pub mod numbers;
pub mod packet;
pub mod text;
pub mod time;
pub mod tuples;
