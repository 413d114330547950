//! Finds the .beam files of the installed systems.

use std::path::{Path, PathBuf};

fn beams(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            beams(&path, found);
        } else if path.extension().is_some_and(|e| e == "beam") {
            found.push(path);
        }
    }
}

/// Where systems usually have them; `CHIME_BEAMS` names further directories, separated by colons.
pub fn system_beams() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let more = std::env::var("CHIME_BEAMS").unwrap_or_default();
    for dir in
        ["/usr/lib/erlang", "/usr/lib/elixir"].into_iter().chain(more.split(':').filter(|d| !d.is_empty()))
    {
        beams(Path::new(dir), &mut found);
    }
    found.sort();
    found
}
