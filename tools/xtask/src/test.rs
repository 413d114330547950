//! `cargo xtask test` and `cargo xtask opcodes`.

use std::path::PathBuf;
use std::process::Command;

use chime_tests::peer::Peer;
use chime_tests::{opcodes as coverage, program, suite, target_dir, workspace};

use crate::args::Args;
use crate::{peers, setup};

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

    let mut passed = 0;
    let mut failed = Vec::new();
    if !only_programs && filter.is_empty() && !otp_only {
        let (ok, bad) = unit_tests()?;
        passed += ok;
        failed.extend(bad);
    }
    if !only_unit {
        let peers = find_peers(releases)?;
        let chime = match (otp_only, chime) {
            (true, _) => None,
            (false, Some(path)) => Some(std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?),
            (false, None) => Some(build_chime()?),
        };
        let whole = filter.is_empty();
        let options = suite::Options {
            filter,
            schedulers,
            chime,
            again,
            chime_flags,
            peers: peers.clone(),
            jobs,
            verbose,
        };
        let summary = suite::run(&options)?;
        passed += summary.passed;
        failed.extend(summary.failed);
        if whole && !failed.iter().any(|f| f.starts_with(suite::NOT_COMPILED)) {
            for peer in &peers {
                match uncovered(peer, false) {
                    Ok(()) => passed += 1,
                    Err(text) => failed.push(text),
                }
            }
        }
    }
    if !failed.is_empty() {
        println!("\nFailures:");
        for text in &failed {
            println!("  {text}");
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    if failed.is_empty() { Ok(()) } else { Err("tests failed".into()) }
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

/// The workspace's own tests: the number that passed, and a line for each failure.
fn unit_tests() -> Result<(usize, Vec<String>), String> {
    let mut command = Command::new("cargo");
    let next =
        Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success());
    if next {
        command.args(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass", "--color=never"]);
        command.args(["--status-level=fail", "--final-status-level=fail"]);
    } else {
        command.args(["test", "--workspace", "--no-fail-fast", "--color=never"]);
    }
    command.current_dir(workspace()).stdin(std::process::Stdio::null());
    let out = command.output().map_err(|e| format!("cargo: {e}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let (passed, failures) = count(&text);
    let mut failed = Vec::new();
    if !out.status.success() {
        eprintln!("{text}");
        failed.push(format!("tests of the workspace (exit {}), shown above", out.status));
        failed.extend((1..failures).map(|n| format!("  … and {n} more of them")));
    }
    println!("tests of the workspace: {passed} passed, {failures} failed");
    Ok((passed, failed))
}

/// Sums up "N passed" and "N failed" in the summary lines of nextest or of libtest.
fn count(text: &str) -> (usize, usize) {
    let mut sums = (0, 0);
    for line in text.lines().filter(|l| l.contains("Summary [") || l.starts_with("test result:")) {
        let words: Vec<&str> = line.split([' ', ',', ';']).filter(|w| !w.is_empty()).collect();
        for pair in words.windows(2) {
            let Ok(n) = pair[0].parse::<usize>() else { continue };
            match pair[1] {
                "passed" => sums.0 += n,
                "failed" => sums.1 += n,
                _ => {}
            }
        }
    }
    sums
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

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn counts_of_both_runners() {
        assert_eq!(count("     Summary [   0.018s] 6 tests run: 5 passed, 1 failed, 0 skipped\n"), (5, 1));
        let libtest =
            "test result: ok. 2 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 3 failed; 0\n";
        assert_eq!(count(libtest), (3, 3));
    }
}
