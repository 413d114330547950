//! `cargo xtask bench`: Chime beside OTP, same .beam files, same machine, in turn (A B B A …).
//!
//! Every program times its own work and prints it, so start-up is not part of a figure. What else a program
//! prints must be the same on both machines, or its row says so and the task fails.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use chime_tests::peer::Peer;
use chime_tests::{run::mask, target_dir, workspace};

use crate::args::Args;
use crate::setup;
use crate::test::build_chime;

/// What a run printed: lines `… us` are times, the others must agree.
struct Ran {
    text: String,
    times: Vec<(String, f64)>,
    /// Peak resident set, in bytes.
    memory: u64,
}

/// How `docs/performance.md` begins.
const HEAD: &str = "\
# Chime beside OTP

Written by `cargo xtask bench --write`: the same .beam files on the same machine, in turn. Every program times its own
work, so start-up is in no figure, and both must print the same result. One line again:
`cargo xtask bench --only PROGRAM`, the rings with `--only ring`. `benchmarks/` has the sources.
";

/// Lines that are shown as they come and kept.
struct Report(String);

impl Report {
    fn line(&mut self, line: String) {
        println!("{line}");
        self.0.push_str(&line);
        self.0.push('\n');
    }
}

pub fn run(mut args: Args) -> Result<(), String> {
    let quick = args.switch("--quick");
    let write = args.switch("--write");
    let rounds =
        args.numbers("--rounds")?.and_then(|n| n.first().copied()).unwrap_or(if quick { 1 } else { 3 });
    let only = args.values("--only")?;
    let chime = match args.values("--chime")?.pop() {
        Some(_) if write => {
            return Err("--write measures what this checkout builds, not another chime".into());
        }
        Some(path) => std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?,
        None => build_chime()?,
    };
    args.finish()?;
    let otp = Peer::system()?;
    let dir = compile(&["compute", "ring"])?;
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| name.contains(o.as_str()));
    let mut failed = Vec::new();

    let mut report = Report(String::new());
    report.line(format!("On {} cores, {}, {}.", cores(), processor(), system()));
    report.line(format!("{}, {}.", today(), revision()));
    report.line(format!(
        "OTP {} (with its JIT, as installed); {} rounds, best of each; {}.",
        otp.version,
        rounds,
        load()
    ));
    let mut ratios = Vec::new();
    report.line(format!("\n| program | OTP ms | Chime ms | Chime / OTP |\n|---|---|---|---|"));
    for name in programs("compute")?.iter().filter(|n| *n != "bench" && wanted(n)) {
        let arguments = ["bench", "main", name.as_str(), if quick { "2" } else { "5" }];
        match pair(&otp, &chime, &dir, &arguments, rounds) {
            Ok((a, b)) => {
                let (a, b) = (a.times[0].1, b.times[0].1);
                ratios.push(b / a);
                report.line(format!("| {name} | {:.1} | {:.1} | {:.2} |", a / 1e3, b / 1e3, b / a));
            }
            Err(e) => {
                report.line(format!("| {name} | failed | {e} | |"));
                failed.push(name.clone());
            }
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        report.line(format!("| geometric mean | | | {mean:.2} |"));
    }

    if wanted("ring") {
        report.line(format!(
            "\n| ring | OTP create ms | Chime | OTP hops/s | Chime | Chime / OTP | OTP peak MB | Chime |"
        ));
        report.line(format!("|---|---|---|---|---|---|---|---|"));
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
                    report.line(format!(
                        "| {n} | {:.1} | {:.1} | {:.0} | {:.0} | {:.2} | {} | {} |",
                        a.times[0].1 / 1e3,
                        b.times[0].1 / 1e3,
                        rate(&a),
                        rate(&b),
                        rate(&b) / rate(&a),
                        a.memory >> 20,
                        b.memory >> 20
                    ));
                }
                Err(e) => {
                    report.line(format!("| {n} | failed: {e} |"));
                    failed.push(format!("ring {n}"));
                }
            }
        }
    }
    report.line(format!("\nAt the end: {}.", load()));
    if load_average() > cores() as f64 {
        report.line("The machine was busy with other work: these figures are not to be relied on.".into());
    }
    if write {
        let file = workspace().join("docs/performance.md");
        std::fs::write(&file, format!("{HEAD}\n{}", report.0))
            .map_err(|e| format!("{}: {e}", file.display()))?;
        println!("written to {}", file.display());
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// `cargo xtask demo`: what Chime is for, in a few seconds.
pub fn demo(args: Args) -> Result<(), String> {
    args.finish()?;
    setup::run()?;
    println!("building Chime (the first time takes a minute or two)");
    let chime = build_chime()?;
    let otp = Peer::system()?;
    let dir = compile(&["ring", "demo"])?;
    const CALLS: &str = "100000";
    let (a, b) = pair(&otp, &chime, &dir, &["demo", "main", CALLS], 1)?;
    println!("\nA supervised gen_server on Chime, its crash reports included; OTP prints the same:\n");
    b.text.lines().for_each(|l| println!("    {l}"));
    let (c, d) = pair(&otp, &chime, &dir, &["ring", "main", "1000", "1000000"], 1)?;
    println!("\n| | OTP {} | Chime |\n|---|---|---|", otp.version);
    let row = |what: &str, unit: &str, a: f64, b: f64| println!("| {what} | {a:.0} {unit} | {b:.0} {unit} |");
    row("gen_server calls", "per second", 1e11 / a.times[0].1, 1e11 / b.times[0].1);
    row("crash to restart", "µs", a.times[1].1, b.times[1].1);
    row("ring of 1,000 processes: create", "µs", c.times[0].1, d.times[0].1);
    row("a million hops around it", "per second", 1e12 / c.times[1].1, 1e12 / d.times[1].1);
    Ok(())
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}
fn system() -> String {
    format!("Linux {}", std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim_end())
}
fn today() -> String {
    output("date", &["-u", "+%Y-%m-%d"])
}
fn revision() -> String {
    format!(
        "Chime {}, {}",
        output("git", &["describe", "--always", "--dirty"]),
        output("rustc", &["--version"])
    )
}
/// What a command prints, or a question mark.
fn output(program: &str, arguments: &[&str]) -> String {
    let out = Command::new(program).args(arguments).current_dir(workspace()).output();
    match out {
        Ok(o) if o.status.success() => String::from_utf8_lossy(&o.stdout).trim_end().to_owned(),
        _ => "?".into(),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0)
}
fn load() -> String {
    format!("load average {}", load_average())
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

/// Compiles the programs of these folders with the system's erlc.
pub fn compile(folders: &[&str]) -> Result<PathBuf, String> {
    let out = target_dir().join("bench");
    std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    for folder in folders {
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

/// OTP that calls a function with a list of strings, as `chime run` does.
pub fn otp_call(otp: &Peer, dir: &Path, call: &[&str]) -> Command {
    let mut c = otp.erl(cores() as u32);
    c.args(["+P", "2000000", "-noshell", "-pa"]).arg(dir);
    c.arg("-run").args(call).args(["-run", "erlang", "halt"]);
    c
}
fn on_otp(otp: &Peer, dir: &Path, call: &[&str]) -> Result<Ran, String> {
    timed(otp_call(otp, dir, call))
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
    // Process numbers and times of day in crash reports differ on every run.
    let text = String::from_utf8_lossy(&mask((rest.join("\n") + "\n").as_bytes())).into_owned();
    Ok(Ran { text, times, memory: usage.ru_maxrss as u64 * 1024 })
}
