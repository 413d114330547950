//! `cargo xtask test` and `cargo xtask opcodes`.

use std::path::PathBuf;
use std::process::Command;

use chime_tests::peer::Peer;
use chime_tests::{opcodes as coverage, program, suite, target_dir, workspace};

use crate::args::Args;
use crate::checks::{self, Counts};
use crate::{idle, peers, setup};

/// Programs quick enough to run with a collection at every allocation and the heap verified after each.
const STRESSED: [&str; 12] = [
    "apply_variants",
    "bin_",
    "bignums",
    "crash_s",
    "ets_tables",
    "exceptions",
    "floats",
    "funs",
    "gc_binaries",
    "gs_basic",
    "io_pretty",
    "maps_flat",
];

pub fn run(mut args: Args) -> Result<(), String> {
    let only_programs = args.switch("--programs");
    let only_unit = args.switch("--unit");
    let otp_only = args.switch("--otp-only");
    let verbose = args.switch("--verbose");
    let filter = args.values("--filter")?;
    let chime = args.values("--chime")?.pop();
    let again = args.numbers("--again")?.and_then(|n| n.first().copied());
    let chime_flags = args.values("--flag")?;
    let schedulers = args.numbers("--schedulers")?.unwrap_or_else(|| vec![1, 2]);
    let releases = args.numbers("--peers")?;
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let jobs = args.numbers("--jobs")?.and_then(|n| n.first().copied()).map_or(cores, |n| n as usize);
    args.finish()?;

    let whole = filter.is_empty() && !otp_only && !only_programs && !only_unit;
    let mut passed = 0;
    let mut failed = Vec::new();
    let mut add = |(ok, bad): Counts| {
        passed += ok;
        failed.extend(bad);
    };
    if whole || only_unit {
        add(checks::unit()?);
    }
    if !only_unit {
        let peers = find_peers(releases)?;
        let chime = match (otp_only, chime) {
            (true, _) => None,
            (false, Some(path)) => Some(std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?),
            (false, None) => Some(build_chime()?),
        };
        let all = filter.is_empty();
        let mut options = suite::Options {
            filter,
            schedulers,
            chime,
            again,
            chime_flags,
            chime_env: Vec::new(),
            peers: peers.clone(),
            jobs,
            verbose,
        };
        let summary = suite::run(&options)?;
        println!("programs: {} passed, {} failed", summary.passed, summary.failed.len());
        let compiled = !summary.failed.iter().any(|f| f.starts_with(suite::NOT_COMPILED));
        add((summary.passed, summary.failed));
        for peer in peers.iter().filter(|_| all && compiled) {
            match uncovered(peer, false) {
                Ok(()) => add((1, Vec::new())),
                Err(text) => add((0, vec![text])),
            }
        }
        if whole {
            options.filter = STRESSED.map(String::from).to_vec();
            options.schedulers = vec![2];
            options.peers.truncate(1);
            options.chime_env = vec![("CHIME_GC_STRESS", "1"), ("CHIME_VERIFY", "1")];
            let chime_path = options.chime.clone().unwrap_or_default();
            let summary = suite::run(&options)?;
            println!("… with a collection at every allocation: {} passed", summary.passed);
            let label = |f| format!("with a collection at every allocation: {f}");
            add((summary.passed, summary.failed.into_iter().map(label).collect()));
            add(match idle::measure(&chime_path) {
                Ok(()) => (1, Vec::new()),
                Err(text) => (0, vec![text]),
            });
            add(checks::mutants(&peers[0])?);
            add(checks::models()?);
        }
    }
    if !failed.is_empty() {
        println!("\nFailures:");
        for text in &failed {
            println!("  {text}");
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    if failed.is_empty() { Ok(()) } else { Err(String::new()) }
}

/// The wanted peers; without a wish, the system's OTP and every other that has been unpacked.
fn find_peers(releases: Option<Vec<u32>>) -> Result<Vec<Peer>, String> {
    if let Some(releases) = releases {
        return releases.into_iter().map(peers::provide).collect();
    }
    setup::run()?;
    let mut all = vec![Peer::system()?];
    for release in [25, 27] {
        if all[0].release != release {
            match Peer::find(release) {
                Ok(peer) => all.push(peer),
                Err(text) => println!("without OTP {release}: {text}"),
            }
        }
    }
    Ok(all)
}

pub fn build_chime() -> Result<PathBuf, String> {
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--package", "chime"])
        .current_dir(workspace())
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(target_dir().join("release/chime")) } else { Err("chime does not build".into()) }
}

pub fn opcodes(mut args: Args) -> Result<(), String> {
    let verbose = args.switch("--verbose");
    let releases = args.numbers("--peers")?;
    args.finish()?;
    let mut failed = Vec::new();
    for peer in find_peers(releases)? {
        if let Err(text) = uncovered(&peer, verbose) {
            failed.push(text);
        }
    }
    for exempt in coverage::EXEMPT {
        let (from, to) = (exempt.releases.start(), exempt.releases.end());
        let releases = if *from == 0 {
            "every OTP".to_owned()
        } else if *to == u32::MAX {
            format!("OTP {from} on")
        } else {
            format!("OTP {from} to {to}")
        };
        println!("not reachable, {releases}: {}\n    {}", exempt.names.join(" "), exempt.reason);
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Opcodes of the peer that should be in a program and are in none.
fn uncovered(peer: &Peer, verbose: bool) -> Result<(), String> {
    let programs = program::all()?;
    let here: Vec<&program::Program> = programs.iter().filter(|p| p.suits(peer)).collect();
    program::compile(peer, &here)?;
    let result = coverage::coverage(peer, &here)?;
    if verbose {
        for (name, count) in &result.covered {
            println!("{count:5}  {name}");
        }
    }
    println!(
        "OTP {}: {} opcodes covered by {} programs, {} missing",
        peer.version,
        result.covered.len(),
        here.len(),
        result.missing.len()
    );
    let mut faults = Vec::new();
    if !result.missing.is_empty() {
        faults.push(format!("OTP {}: opcodes in no program: {}", peer.release, result.missing.join(" ")));
    }
    if !result.wrongly_exempt.is_empty() {
        faults.push(format!("OTP {}: exempt but used: {}", peer.release, result.wrongly_exempt.join(" ")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}
