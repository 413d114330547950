//! Running one program, on OTP and on Chime.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::peer::Peer;
use crate::program::Program;

/// What a run shows to the outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub end: End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Status(i32),
    Signal(i32),
    Timeout,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Status(n) => write!(f, "exit status {n}"),
            End::Signal(n) => write!(f, "killed by signal {n}"),
            End::Timeout => write!(f, "timeout"),
        }
    }
}

/// A run's outcome with what helps to understand a failure.
pub struct Ran {
    pub outcome: Outcome,
    pub stderr: Vec<u8>,
    pub time: Duration,
}

/// Runs a command to its end or to the timeout, whichever comes first.
pub fn run(mut command: Command, timeout: Duration) -> Result<Ran, String> {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("{:?}: {e}", command.get_program()))?;
    let (done, finished) = mpsc::channel();
    let mut stdout = child.stdout.take().expect("piped");
    let mut stderr = child.stderr.take().expect("piped");
    let err = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.by_ref().take(1 << 20).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        bytes
    });
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.by_ref().take(64 << 20).read_to_end(&mut bytes);
        let _ = done.send(());
        bytes
    });
    let _ = finished.recv_timeout(timeout);
    // Its output has ended: it is about to exit, or has closed its output and goes on.
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if start.elapsed() < timeout => thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let end = match status {
        Some(status) => match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
            (Some(code), _) => End::Status(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
        None => End::Timeout,
    };
    let stdout = out.join().unwrap_or_default();
    let stderr = err.join().unwrap_or_default();
    Ok(Ran { outcome: Outcome { stdout, end }, stderr, time: start.elapsed() })
}

/// OTP's answer, from the cache when the program has not changed.
pub fn on_otp(peer: &Peer, program: &Program) -> Result<Outcome, String> {
    let out = peer.out_dir();
    let cache = out.join(format!("{}.answer", program.name));
    let key = program.key(peer);
    if let Some(outcome) = read_answer(&cache, &key) {
        return Ok(outcome);
    }
    let mut command = peer.erl(2);
    // `-run M main` without arguments calls M:main/0; halt/0 flushes before it ends the emulator.
    command.args(["-noshell", "-pa"]).arg(&out).args([
        "-run",
        &program.name,
        "main",
        "-run",
        "erlang",
        "halt",
    ]);
    command.current_dir(&out);
    let ran = run(command, program.timeout.max(Duration::from_secs(60)))?;
    let outcome = ran.outcome;
    match outcome.end {
        End::Status(status) => {
            let mut bytes = format!("{key} {status}\n").into_bytes();
            bytes.extend_from_slice(&outcome.stdout);
            fs::write(&cache, bytes).map_err(|e| format!("{}: {e}", cache.display()))?;
        }
        _ => return Err(format!("on OTP {}: {}", peer.version, outcome.end)),
    }
    Ok(outcome)
}

/// OTP's answer, without the cache.
pub fn on_otp_anew(peer: &Peer, program: &Program, schedulers: u32) -> Result<Outcome, String> {
    let out = peer.out_dir();
    let mut command = peer.erl(schedulers);
    // `-run M main` without arguments calls M:main/0; halt/0 flushes before it ends the emulator.
    command.args(["-noshell", "-pa"]).arg(&out).args([
        "-run",
        &program.name,
        "main",
        "-run",
        "erlang",
        "halt",
    ]);
    command.current_dir(&out);
    Ok(run(command, program.timeout.max(Duration::from_secs(60)))?.outcome)
}

fn read_answer(cache: &Path, key: &str) -> Option<Outcome> {
    let bytes = fs::read(cache).ok()?;
    let newline = bytes.iter().position(|b| *b == b'\n')?;
    let head = std::str::from_utf8(&bytes[..newline]).ok()?;
    let (found, status) = head.split_once(' ')?;
    if found != key {
        return None;
    }
    Some(Outcome { stdout: bytes[newline + 1..].to_vec(), end: End::Status(status.parse().ok()?) })
}

/// Chime's answer.
pub fn on_chime(
    chime: &Path,
    flags: &[String],
    environment: &[(&str, &str)],
    schedulers: u32,
    peer: &Peer,
    program: &Program,
) -> Result<Ran, String> {
    let out = peer.out_dir();
    let mut command = Command::new(chime);
    command.envs(environment.iter().copied());
    command.arg("run").arg("--schedulers").arg(schedulers.to_string()).args(flags);
    command.arg("--otp").arg(&peer.root).arg("--pa").arg(&out).arg(&program.name);
    command.current_dir(&out).env("LC_ALL", "C.UTF-8");
    run(command, program.timeout)
}

/// Makes the output of a program that provokes crash reports comparable: process identifiers, references and times
/// of day are replaced, and the reports come after everything else, for the logger prints beside the program.
pub fn mask(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut own = String::with_capacity(text.len());
    let mut reports = String::new();
    let mut in_report = false;
    for line in text.split_inclusive('\n') {
        if let Some(at) = line.find("==== ").filter(|_| line.starts_with('=') && line.ends_with("===\n")) {
            in_report = true;
            reports.push_str(&line[..at]);
            reports.push_str("==== TIME ===\n");
            continue;
        }
        let out = if in_report { &mut reports } else { &mut own };
        in_report &= line != "\n";
        // What a process has consumed is not part of the comparison.
        let item = line.trim_start().split_once(": ").filter(|(_, v)| v.trim_end().parse::<u64>().is_ok());
        if let Some((name @ ("reductions" | "heap_size" | "stack_size"), _)) = item {
            out.push_str(&format!("    {name}: _\n"));
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(['<', '#']) {
            let (before, tail) = rest.split_at(at);
            out.push_str(before);
            let body = tail.trim_start_matches("#Ref").trim_start_matches("#Port");
            let digits = body.strip_prefix('<').map_or(0, |d| {
                d.find(|c: char| !c.is_ascii_digit() && c != '.')
                    .filter(|n| d[*n..].starts_with('>'))
                    .unwrap_or(0)
            });
            if digits > 0 {
                out.push_str(&tail[..tail.len() - body.len()]);
                out.push_str("<_>");
                rest = &body[digits + 2..];
            } else {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
            }
        }
        out.push_str(rest);
    }
    own.push_str(&reports);
    own.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_pids_refs_and_times() {
        let report =
            b"own\n=ERROR REPORT==== 1-Dec-2026::03:41:32.123456 ===\nin <0.81.0> <a> #Ref<0.1.2.3> x#1\n<\n\nown\n";
        let masked = String::from_utf8(mask(report)).unwrap();
        assert_eq!(masked, "own\nown\n=ERROR REPORT==== TIME ===\nin <_> <a> #Ref<_> x#1\n<\n\n");
        assert_eq!(mask(b"    heap_size: 233\n"), b"    heap_size: _\n");
    }

    #[test]
    fn run_reports_status_output_and_timeout() {
        let mut ok = Command::new("sh");
        ok.args(["-c", "echo hi; exit 3"]);
        let ran = run(ok, Duration::from_secs(10)).unwrap();
        assert_eq!(ran.outcome, Outcome { stdout: b"hi\n".to_vec(), end: End::Status(3) });
        let mut slow = Command::new("sleep");
        slow.arg("5");
        let ran = run(slow, Duration::from_millis(50)).unwrap();
        assert_eq!(ran.outcome.end, End::Timeout);
    }
}
