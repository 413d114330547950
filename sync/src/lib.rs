//! The concurrency protocols of the runtime, free of any knowledge of terms.
//!
//! | module | what it is | who waits for it |
//! |---|---|---|
//! | [`inbox`] | intrusive many-producer, one-consumer list of signals | the receiving process |
//! | [`runstate`] | the word that says whether a process runs, is queued or must look at its inbox | run queues |
//! | [`park`] | how a scheduler falls asleep and is woken without losing a wake-up | schedulers |
//! | [`epoll`] | the sleeping primitive on Linux: eventfd, timerfd and descriptors in one epoll | schedulers |
//! | [`wheel`] | hierarchical timer wheel, O(1) start, cancel and next deadline | schedulers |
//! | [`names`] | registry of names, lock-free in all operations | everyone |
//! | [`runqueue`] | run queue with the four priorities of processes | schedulers |
//!
//! Everything here runs under loom unchanged: [`shim`] swaps the atomics.
//! `RUSTFLAGS="--cfg loom" cargo test -p chime-sync --release` runs the models in `tests/models.rs`.
//!
//! loom treats sequentially consistent accesses as acquire/release, so the code relies on explicit
//! sequentially consistent fences, or on read-modify-write operations, wherever it needs more than that.

#[cfg(all(target_os = "linux", not(loom)))]
pub mod epoll;
pub mod inbox;
pub mod names;
pub mod park;
pub mod runqueue;
pub mod runstate;
pub mod shim;
pub mod wheel;
