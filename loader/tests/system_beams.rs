//! Loads every .beam file of the installed OTP and Elixir: whatever real compilers produce must pass the checks.

mod common;

use common::system_beams;

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
