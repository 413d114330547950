//! The machine: terms, heaps, processes, signals, schedulers, timers, code, interpreter.
pub mod atoms;
pub mod bif;
pub mod bin;
pub mod code;
pub mod heap;
pub mod mailbox;
pub mod process;
pub mod refs;
pub mod relations;
pub mod table;
pub mod term;
pub mod timers;
