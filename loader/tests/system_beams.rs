//! Loads every .beam file of the installed OTP and Elixir: whatever real compilers produce must pass the checks.

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
    for dir in ["/usr/lib/erlang", "/usr/lib/elixir"].into_iter().chain(more.split(':').filter(|d| !d.is_empty())) {
        beams(Path::new(dir), &mut found);
    }
    found.sort();
    found
}

#[test]
fn every_installed_module_loads() {
    let beams = system_beams();
    let mut faults = Vec::new();
    let (mut time, mut size) = (std::time::Duration::ZERO, 0);
    for path in &beams {
        let bytes = std::fs::read(path).unwrap();
        let start = std::time::Instant::now();
        let loaded = chime_loader::load(&bytes);
        time += start.elapsed();
        size += bytes.len();
        if let Err(e) = loaded {
            faults.push(format!("{}: {e}", path.display()));
        }
    }
    println!("{} modules, {size} bytes, {time:?}", beams.len());
    assert!(faults.is_empty(), "{} of {} refused:\n{}", faults.len(), beams.len(), faults.join("\n"));
}
