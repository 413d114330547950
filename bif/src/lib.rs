//! The built-in functions, one file per Erlang module, or per theme for the large ones.
pub mod erlang;
pub mod os;
pub mod unicode;
pub mod util;

use chime_vm::bif::Bif;

/// Every table of built-ins.
pub fn tables() -> Vec<&'static [Bif]> {
    vec![
        erlang::atoms::TABLE,
        erlang::binaries::TABLE,
        erlang::exceptions::TABLE,
        erlang::packet::TABLE,
        erlang::time::TABLE,
        erlang::tuples::TABLE,
        os::TABLE,
        unicode::TABLE,
    ]
}
