//! `cargo xtask bench`: Chime beside OTP, same .beam files, same machine, in turn (A B B A …).
//!
//! Every program times its own work and prints it, so start-up is not part of a figure. What else a program
//! prints must be the same on both machines, or its row says so and the task fails.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use chime_tests::peer::Peer;
use chime_tests::{target_dir, workspace};

use crate::args::Args;
use crate::test::build_chime;

/// What a run printed: lines `… us` are times, the others must agree.
struct Ran {
    text: String,
    times: Vec<(String, f64)>,
    /// Peak resident set, in bytes.
    memory: u64,
}

pub fn run(mut args: Args) -> Result<(), String> {
    let quick = args.switch("--quick");
    let rounds =
        args.numbers("--rounds")?.and_then(|n| n.first().copied()).unwrap_or(if quick { 1 } else { 3 });
    let only = args.values("--only")?;
    let chime = match args.values("--chime")?.pop() {
        Some(path) => std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?,
        None => build_chime()?,
    };
    args.finish()?;
    let otp = Peer::system()?;
    let dir = compile()?;
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| name.contains(o.as_str()));
    let mut failed = Vec::new();

    println!("Chime beside OTP {} on {} cores; {} rounds, best of each", otp.version, cores(), rounds);
    println!("{}", load());
    let mut ratios = Vec::new();
    println!("\n| program | OTP ms | Chime ms | Chime / OTP |\n|---|---|---|---|");
    for name in programs("compute")?.iter().filter(|n| *n != "bench" && wanted(n)) {
        let arguments = ["bench", "main", name.as_str(), if quick { "2" } else { "5" }];
        match pair(&otp, &chime, &dir, &arguments, rounds) {
            Ok((a, b)) => {
                let (a, b) = (a.times[0].1, b.times[0].1);
                ratios.push(b / a);
                println!("| {name} | {:.1} | {:.1} | {:.2} |", a / 1e3, b / 1e3, b / a);
            }
            Err(e) => {
                println!("| {name} | failed | {e} | |");
                failed.push(name.clone());
            }
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("| geometric mean | | | {mean:.2} |");
    }

    if wanted("ring") {
        println!(
            "\n| ring | OTP create ms | Chime | OTP hops/s | Chime | Chime / OTP | OTP peak MB | Chime |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        let sizes: &[(u64, u64)] = if quick {
            &[(10, 200_000), (1_000, 200_000), (100_000, 100_000)]
        } else {
            &[
                (10, 1_000_000),
                (100, 1_000_000),
                (1_000, 1_000_000),
                (10_000, 1_000_000),
                (1_000_000, 1_000_000),
            ]
        };
        for &(n, hops) in sizes {
            let (n_text, hops_text) = (n.to_string(), hops.to_string());
            let rounds = if n >= 1_000_000 { 1 } else { rounds };
            match pair(&otp, &chime, &dir, &["ring", "main", &n_text, &hops_text], rounds) {
                Ok((a, b)) => {
                    let rate = |r: &Ran| hops as f64 * 1e6 / r.times[1].1;
                    println!(
                        "| {n} | {:.1} | {:.1} | {:.0} | {:.0} | {:.2} | {} | {} |",
                        a.times[0].1 / 1e3,
                        b.times[0].1 / 1e3,
                        rate(&a),
                        rate(&b),
                        rate(&b) / rate(&a),
                        a.memory >> 20,
                        b.memory >> 20
                    );
                }
                Err(e) => {
                    println!("| {n} | failed: {e} |");
                    failed.push(format!("ring {n}"));
                }
            }
        }
    }
    println!("\n{}", load());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("load average {}", text.split(' ').next().unwrap_or("?"))
}

fn programs(folder: &str) -> Result<Vec<String>, String> {
    let dir = workspace().join("benchmarks").join(folder);
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .map_err(|e| format!("{}: {e}", dir.display()))?
        .flatten()
        .filter_map(|f| Some(f.file_name().to_str()?.strip_suffix(".erl")?.to_string()))
        .collect();
    names.sort();
    Ok(names)
}

/// Compiles the programs with the system's erlc.
fn compile() -> Result<PathBuf, String> {
    let out = target_dir().join("bench");
    std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    for folder in ["compute", "ring"] {
        let dir = workspace().join("benchmarks").join(folder);
        let files: Vec<PathBuf> = programs(folder)?.iter().map(|p| dir.join(format!("{p}.erl"))).collect();
        let status = Command::new("erlc").arg("-o").arg(&out).args(&files).status();
        match status {
            Ok(s) if s.success() => {}
            Ok(s) => return Err(format!("erlc: {s}")),
            Err(e) => return Err(format!("erlc: {e}; `cargo xtask setup` installs it")),
        }
    }
    Ok(out)
}

/// Runs both in turn; the fastest times of each, once their outputs agree.
fn pair(otp: &Peer, chime: &Path, dir: &Path, call: &[&str], rounds: u32) -> Result<(Ran, Ran), String> {
    let mut best: [Option<Ran>; 2] = [None, None];
    for round in 0..rounds {
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order {
            let ran = if side == 0 { on_otp(otp, dir, call)? } else { on_chime(chime, dir, call)? };
            best[side] = Some(match best[side].take() {
                None => ran,
                Some(old) => fastest(old, ran),
            });
        }
        if let [Some(a), Some(b)] = &best
            && a.text != b.text
        {
            return Err(format!("outputs differ: {:?} and {:?}", a.text, b.text));
        }
    }
    let [Some(a), Some(b)] = best else { return Err("no round".into()) };
    if a.times.is_empty() || a.times.len() != b.times.len() {
        return Err("no times printed".into());
    }
    Ok((a, b))
}

fn fastest(mut a: Ran, b: Ran) -> Ran {
    for (x, y) in a.times.iter_mut().zip(b.times) {
        x.1 = x.1.min(y.1);
    }
    a.memory = a.memory.min(b.memory);
    a
}

fn on_otp(otp: &Peer, dir: &Path, call: &[&str]) -> Result<Ran, String> {
    let mut c = otp.erl(cores() as u32);
    let list: Vec<String> = call[2..].iter().map(|a| format!("{a:?}")).collect();
    c.args(["+P", "2000000", "-noshell", "-pa"]).arg(dir);
    c.arg("-eval").arg(format!("{}:{}([{}]), halt().", call[0], call[1], list.join(",")));
    timed(c)
}
fn on_chime(chime: &Path, dir: &Path, call: &[&str]) -> Result<Ran, String> {
    let mut c = Command::new(chime);
    c.arg("run").arg("--pa").arg(dir).arg(call[0]).args(&call[2..]);
    timed(c)
}

fn timed(mut c: Command) -> Result<Ran, String> {
    let mut child = c
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", c.get_program().display()))?;
    let mut out = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        std::io::Read::read_to_string(&mut pipe, &mut out).map_err(|e| e.to_string())?;
    }
    let mut status = 0;
    // SAFETY: plain numbers, zero is a valid value of each field.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and not waited for elsewhere; both pointers are live.
    if unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) } < 0 {
        return Err("wait4 failed".into());
    }
    let status = ExitStatus::from_raw(status);
    if !status.success() {
        return Err(format!("{status}: {}", out.trim_end()));
    }
    let (times, rest): (Vec<&str>, Vec<&str>) = out.lines().partition(|l| l.ends_with(" us"));
    let times = times
        .iter()
        .filter_map(|l| {
            let words: Vec<&str> = l.split(' ').collect();
            let value = words.get(words.len() - 2)?.parse().ok()?;
            Some((words[0].to_string(), value))
        })
        .collect();
    Ok(Ran { text: rest.join("\n"), times, memory: usage.ru_maxrss as u64 * 1024 })
}
