//! The parts of `cargo xtask test` beside the programs: the workspace's own tests, the models of the concurrent
//! protocols, damaged files for the loader. Each runs under `timeout`, so that a hang is a failure.

use std::process::{Command, Stdio};

use chime_tests::peer::Peer;
use chime_tests::{target_dir, workspace};

/// How much passed, and a line for each failure.
pub type Counts = (usize, Vec<String>);

/// The workspace's own tests, by nextest where that is installed.
pub fn unit() -> Result<Counts, String> {
    let next =
        Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success());
    let arguments: &[&str] = if next {
        &[
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--no-tests=pass",
            "--color=never",
            "--status-level=fail",
            "--final-status-level=fail",
        ]
    } else {
        &["test", "--workspace", "--no-fail-fast", "--color=never"]
    };
    cargo("tests of the workspace", 900, arguments, |_| {})
}

/// The models of `chime-sync`, which want a build of their own.
pub fn models() -> Result<Counts, String> {
    let arguments = ["test", "--package", "chime-sync", "--release", "--test", "models", "--color=never"];
    cargo("loom models", 900, &arguments, |c| {
        c.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", target_dir().join("loom"));
    })
}

/// Damaged .beam files, for 20 seconds: the loader must not panic.
pub fn mutants(peer: &Peer) -> Result<Counts, String> {
    let mut command = timeout(600);
    command.args(["cargo", "run", "--quiet", "--release", "--package", "chime-loader"]);
    command.args(["--example", "mutants", "--", "20"]).arg(peer.out_dir()).current_dir(workspace());
    let out = command.output().map_err(|e| format!("timeout: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    print!("{text}");
    if out.status.success() {
        return Ok((1, Vec::new()));
    }
    eprint!("{}", String::from_utf8_lossy(&out.stderr));
    Ok((0, vec![format!("mutants ({}), shown above", out.status)]))
}

/// A command that is killed, with all that it has started, after so many seconds.
pub fn timeout(seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &seconds.to_string()]).stdin(Stdio::null());
    command
}

fn cargo(
    what: &str,
    seconds: u32,
    arguments: &[&str],
    prepare: impl FnOnce(&mut Command),
) -> Result<Counts, String> {
    let mut command = timeout(seconds);
    command.arg("cargo").args(arguments).current_dir(workspace());
    prepare(&mut command);
    let out = command.output().map_err(|e| format!("timeout: {e}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let (passed, failures) = count(&text);
    let mut failed = Vec::new();
    if !out.status.success() {
        eprintln!("{text}");
        failed.push(format!("{what} ({}), shown above", out.status));
        failed.extend((1..failures).map(|n| format!("  … and {n} more of them")));
    } else if passed == 0 {
        failed.push(format!("{what}: none has run"));
    }
    println!("{what}: {passed} passed, {failures} failed");
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
