//! Fuzzing without special tools: damages the .beam files found under the given directories, for as many
//! seconds as the first argument says, and loads the mutants. A panic names the file and the seed.
//!
//! `cargo run --release -p chime-loader --example mutants -- 60 DIRECTORY…`

#[path = "../tests/common/mutate.rs"]
mod mutate;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::{Rng, Tally, damage, try_load};

fn beams(path: &Path, found: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().for_each(|e| beams(&e.path(), found));
    } else if path.extension().is_some_and(|e| e == "beam") {
        found.push(path.into());
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().and_then(|s| s.parse().ok()).unwrap_or(10);
    let mut paths = Vec::new();
    args.for_each(|dir| beams(Path::new(&dir), &mut paths));
    let files: Vec<(PathBuf, Vec<u8>)> =
        paths.into_iter().filter_map(|p| std::fs::read(&p).ok().map(|bytes| (p, bytes))).collect();
    if files.is_empty() {
        eprintln!("usage: mutants SECONDS DIRECTORY…");
        std::process::exit(2);
    }
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut tally, mut slowest) = (1u64, Tally::default(), (Duration::ZERO, 0));
    while Instant::now() < end {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (path, bytes) = &files[rng.below(files.len())];
        let mut bytes = bytes.clone();
        damage(&mut bytes, &mut rng);
        // Printed before the crash, because the release profile aborts on a panic.
        std::panic::set_hook(Box::new({
            let path = path.clone();
            move |info| eprintln!("{}: seed {seed}: {info}", path.display())
        }));
        let start = Instant::now();
        try_load(&bytes, &mut tally);
        slowest = slowest.max((start.elapsed(), seed));
        seed += 1;
    }
    println!("{} mutants of {} files without a panic: {tally:?}", seed - 1, files.len());
    println!("slowest {:?} (seed {})", slowest.0, slowest.1);
}
