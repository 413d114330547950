//! Links and monitors of a process.
#[derive(Default)]
pub struct Relations {}
