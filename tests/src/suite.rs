//! The whole run: every program, on OTP and on Chime, side by side on the cores.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use crate::peer::Peer;
use crate::program::{self, Program};
use crate::run::{self, End, Outcome};
use crate::workspace;

/// How the report of programs that do not compile begins.
pub const NOT_COMPILED: &str = "compilation with";

/// What to run.
pub struct Options {
    /// Only programs whose name contains one of these; all when empty.
    pub filter: Vec<String>,
    /// Numbers of schedulers to run Chime with.
    pub schedulers: Vec<u32>,
    /// The program `chime`; without one, only OTP's answers are made.
    pub chime: Option<PathBuf>,
    /// Without `chime`: ask OTP twice, with so many schedulers the second time, and demand the same answer.
    pub again: Option<u32>,
    /// Further flags for `chime run`.
    pub chime_flags: Vec<String>,
    /// Environment variables for `chime run`.
    pub chime_env: Vec<(&'static str, &'static str)>,
    /// Releases whose compilers and libraries are used, the first being compulsory.
    pub peers: Vec<Peer>,
    /// Programs that run at the same time.
    pub jobs: usize,
    /// Print expected and actual output around the first difference.
    pub verbose: bool,
}

/// Counts, and a text for each failure.
#[derive(Default)]
pub struct Summary {
    pub passed: usize,
    pub failed: Vec<String>,
    /// Failures that `tests/known_failures.txt` announces.
    pub expected: BTreeSet<String>,
}

/// The programs in `tests/known_failures.txt`, with the reasons.
pub fn known_failures() -> Result<BTreeMap<String, String>, String> {
    let file = workspace().join("tests/known_failures.txt");
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    lines
        .map(|l| match l.split_once(": ") {
            Some((name, reason)) => Ok((name.to_owned(), reason.to_owned())),
            None => Err(format!("{}: not `name: reason`: {l:?}", file.display())),
        })
        .collect()
}

struct Job<'a> {
    peer: &'a Peer,
    program: &'a Program,
    /// `None`: only ask OTP.
    schedulers: Option<u32>,
}

/// Compiles and runs everything. The error is one that makes the run meaningless.
pub fn run(options: &Options) -> Result<Summary, String> {
    let programs = program::all()?;
    let known = if options.chime.is_some() { known_failures()? } else { BTreeMap::new() };
    let chosen: Vec<&Program> = programs
        .iter()
        .filter(|p| options.filter.is_empty() || options.filter.iter().any(|f| p.name.contains(f.as_str())))
        .collect();
    let mut jobs = VecDeque::new();
    let mut summary = Summary::default();
    for peer in &options.peers {
        let here: Vec<&Program> = chosen.iter().copied().filter(|p| p.suits(peer)).collect();
        if let Err(text) = program::compile(peer, &here) {
            summary.failed.push(format!("{NOT_COMPILED} {text}"));
        }
        for &program in &here {
            if !peer.out_dir().join(format!("{}.beam", program.name)).exists() {
                continue;
            }
            match options.chime {
                Some(_) => jobs.extend(options.schedulers.iter().map(|n| Job {
                    peer,
                    program,
                    schedulers: Some(*n),
                })),
                None => jobs.push_back(Job { peer, program, schedulers: None }),
            }
        }
    }
    let tried: BTreeSet<&str> = jobs.iter().map(|job| job.program.name.as_str()).collect();
    let queue = Mutex::new(jobs);
    let results = Mutex::new(summary);
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let Some(job) = queue.lock().expect("no panics").pop_front() else { break };
                    let result = one(&job, options);
                    let mut results = results.lock().expect("no panics");
                    match result {
                        Ok(()) => results.passed += 1,
                        Err(_) if known.contains_key(&job.program.name) => {
                            results.expected.insert(job.program.name.clone());
                        }
                        Err(text) => {
                            eprintln!("FAILED {text}");
                            results.failed.push(text);
                        }
                    }
                }
            });
        }
    });
    let mut summary = results.into_inner().expect("no panics");
    summary.failed.sort();
    for (name, reason) in &known {
        if summary.expected.contains(name) {
            println!("known failure: {name}: {reason}");
        } else if tried.contains(name.as_str()) {
            summary.failed.push(format!("{name} passes now: take it out of tests/known_failures.txt"));
        }
    }
    Ok(summary)
}

fn one(job: &Job<'_>, options: &Options) -> Result<(), String> {
    let Job { peer, program, schedulers } = job;
    let label = match schedulers {
        Some(n) => format!("{} (OTP {}, {n} schedulers)", program.name, peer.release),
        None => format!("{} (OTP {})", program.name, peer.release),
    };
    let fail = |why: String| format!("{label}: {why}");
    let mut expected = run::on_otp(peer, program).map_err(fail)?;
    if expected.stdout.is_empty() || expected.end != End::Status(0) {
        return Err(fail(format!("on OTP itself: {}, {} bytes", expected.end, expected.stdout.len())));
    }
    let (mut actual, stderr) = match (&options.chime, schedulers, options.again) {
        (Some(chime), Some(schedulers), _) => {
            let (flags, env) = (&options.chime_flags, &options.chime_env);
            let ran = run::on_chime(chime, flags, env, *schedulers, peer, program).map_err(fail)?;
            (ran.outcome, ran.stderr)
        }
        (_, _, Some(schedulers)) => (run::on_otp_anew(peer, program, schedulers).map_err(fail)?, Vec::new()),
        _ => return Ok(()),
    };
    if program.masks_output() {
        expected.stdout = run::mask(&expected.stdout);
        actual.stdout = run::mask(&actual.stdout);
    }
    if expected == actual {
        return Ok(());
    }
    let mut text = difference(&expected, &actual, options.verbose);
    let stderr = String::from_utf8_lossy(&stderr);
    let lines = if options.verbose { 40 } else { 1 };
    for line in stderr.lines().filter(|l| !l.trim().is_empty()).take(lines) {
        text.push_str(&format!("\n    stderr: {}", cut(line)));
    }
    Err(fail(text))
}

/// Says where two outcomes part.
fn difference(expected: &Outcome, actual: &Outcome, verbose: bool) -> String {
    let mut text = String::new();
    if expected.end != actual.end {
        text.push_str(&format!("{}", actual.end));
    }
    let left: Vec<&[u8]> = expected.stdout.split(|b| *b == b'\n').collect();
    let right: Vec<&[u8]> = actual.stdout.split(|b| *b == b'\n').collect();
    let Some(at) = (0..left.len().max(right.len())).find(|i| left.get(*i) != right.get(*i)) else {
        return text;
    };
    text.push_str(&format!("\n    line {}", at + 1));
    let around = if verbose { 5 } else { 1 };
    let show = |lines: &[&[u8]], sign: &str, text: &mut String| {
        for line in lines.iter().skip(at).take(around) {
            text.push_str(&format!("\n    {sign} {}", cut(&String::from_utf8_lossy(line))));
        }
        if at >= lines.len() {
            text.push_str(&format!("\n    {sign} (end of output)"));
        }
    };
    show(&left, "OTP  ", &mut text);
    show(&right, "Chime", &mut text);
    text
}

fn cut(line: &str) -> String {
    if line.chars().count() > 220 {
        line.chars().take(220).chain("…".chars()).collect()
    } else {
        line.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str, status: i32) -> Outcome {
        Outcome { stdout: text.as_bytes().to_vec(), end: End::Status(status) }
    }

    #[test]
    fn difference_names_the_first_line() {
        let text = difference(&outcome("a\nb\nc\n", 0), &outcome("a\nx\nc\n", 0), false);
        assert_eq!(text, "\n    line 2\n    OTP   b\n    Chime x");
        let text = difference(&outcome("a\n", 0), &outcome("", 1), false);
        assert_eq!(text, "exit status 1\n    line 1\n    OTP   a\n    Chime ");
    }
}
