//! The built-in functions, one file per Erlang module, or per theme for the large ones.
pub mod atomics;
pub mod binary;
pub mod code;
pub mod direct;
pub mod erlang;
pub mod erts_debug;
pub mod ets;
pub mod io;
pub mod lists;
pub mod logger;
pub mod maps;
pub mod math;
pub mod os;
pub mod persistent_term;
pub mod process;
pub mod program;
pub mod stdio;
#[cfg(test)]
mod testing;
pub mod timer;
pub mod unicode;
pub mod util;

use chime_vm::bif::Bif;

/// Every table of built-ins.
pub fn tables() -> Vec<&'static [Bif]> {
    vec![
        atomics::INTERNAL,
        atomics::TABLE,
        binary::TABLE,
        code::info::INTERNAL,
        code::info::TABLE,
        code::loading::INTERNAL,
        code::loading::TABLE,
        erlang::atoms::TABLE,
        erlang::binaries::TABLE,
        erlang::dictionary::TABLE,
        erlang::exceptions::TABLE,
        erlang::external::TABLE,
        erlang::guards::TABLE,
        erlang::funs::TABLE,
        erlang::hashes::TABLE,
        erlang::identifiers::INTERNAL,
        erlang::identifiers::TABLE,
        erlang::info::TABLE,
        erlang::misc::ERROR_LOGGER,
        erlang::misc::FILE,
        erlang::misc::INTERNAL,
        erlang::misc::NET_KERNEL,
        erlang::misc::TABLE,
        erlang::numbers::TABLE,
        erlang::packet::TABLE,
        erlang::text::INTERNAL,
        erlang::text::STRING,
        erlang::text::TABLE,
        erlang::time::TABLE,
        erlang::tuples::TABLE,
        erts_debug::INTERNAL,
        erts_debug::TABLE,
        ets::ERLANG,
        ets::TABLE,
        io::TABLE,
        lists::ERLANG,
        lists::TABLE,
        maps::ERLANG,
        maps::INTERNAL,
        maps::TABLE,
        math::TABLE,
        os::TABLE,
        persistent_term::INTERNAL,
        persistent_term::TERMS,
        unicode::TABLE,
        process::spawn::TABLE,
        process::spawn::INTERNAL,
        process::send::TABLE,
        process::relations::TABLE,
        process::names::TABLE,
        process::flags::TABLE,
        process::flags::INTERNAL,
        process::info::TABLE,
        process::info::INTERNAL,
        process::system::TABLE,
        process::system::INTERNAL,
        process::node::TABLE,
        process::ports::TABLE,
        process::ports::INTERNAL,
        process::trace::TABLE,
        process::trace::INTERNAL,
        process::system_flag::TABLE,
        process::system_flag::INTERNAL,
        timer::TABLE,
    ]
}

/// Further tables for running without a boot: they take the place of processes that a booted system has.
pub fn direct_tables() -> Vec<&'static [Bif]> {
    vec![
        code::direct::ERROR_HANDLER,
        code::direct::TABLE,
        code::init::TABLE,
        direct::FILE,
        direct::TIMER,
        logger::BACKEND,
        logger::CONFIG,
        logger::ENVIRONMENT,
        logger::LOGGER,
        logger::SERVERS,
        program::SERVERS,
        stdio::SERVERS,
    ]
}
