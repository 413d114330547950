//! `cargo xtask idle`: a machine with 50,000 pending timers and nothing to do must do nothing: no processor time,
//! no context switch, no system call, over 10 seconds. OTP is measured beside it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chime_tests::peer::Peer;
use chime_tests::target_dir;

use crate::args::Args;
use crate::bench::{compile, otp_call};
use crate::setup::present;
use crate::test::build_chime;

const TIMERS: &str = "50000";
const WINDOW: Duration = Duration::from_secs(10);
/// What a machine may take to get quiet after its last output.
const SETTLE: Duration = Duration::from_secs(2);

/// What a process has done in the window.
#[derive(Debug, Default, PartialEq, Eq)]
struct Activity {
    ticks: u64,
    switches: u64,
    /// `None`: there is no strace here, or it may not trace.
    calls: Option<usize>,
}

pub fn run(mut args: Args) -> Result<(), String> {
    let chime = match args.values("--chime")?.pop() {
        Some(path) => std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?,
        None => build_chime()?,
    };
    args.finish()?;
    measure(&chime)
}

/// Measures both machines at the same time; anything but nothing at all on Chime is an error.
pub fn measure(chime: &std::path::Path) -> Result<(), String> {
    let otp = Peer::system()?;
    let dir = compile(&["idle"])?;
    let mut on_chime = Command::new(chime);
    on_chime.arg("run").arg("--pa").arg(&dir).args(["idle", TIMERS]);
    let on_otp = otp_call(&otp, &dir, &["idle", "main", TIMERS]);
    let (a, b) = thread::scope(|s| {
        let b = s.spawn(|| watch(on_otp, "otp"));
        let a = watch(on_chime, "chime");
        (a, b.join().unwrap_or_else(|_| Err("panic".into())))
    });
    let (a, b) = (a.map_err(|e| format!("Chime: {e}"))?, b.map_err(|e| format!("OTP: {e}"))?);
    println!("idle with {TIMERS} pending timers, over {} s:\n", WINDOW.as_secs());
    println!("| | OTP {} | Chime |\n|---|---|---|", otp.version);
    println!("| processor time, ticks of 10 ms | {} | {} |", b.ticks, a.ticks);
    println!("| context switches | {} | {} |", b.switches, a.switches);
    let calls = |c: Option<usize>| c.map_or("no strace".to_owned(), |n| n.to_string());
    println!("| system calls | {} | {} |\n", calls(b.calls), calls(a.calls));
    if a.ticks == 0 && a.switches == 0 && a.calls.unwrap_or(0) == 0 {
        Ok(())
    } else {
        Err(format!("Chime is not idle: {a:?}"))
    }
}

fn watch(mut command: Command, name: &str) -> Result<Activity, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let result = observe(&mut child, name);
    let _ = child.kill();
    let _ = child.wait();
    result
}

fn observe(child: &mut Child, name: &str) -> Result<Activity, String> {
    let out = child.stdout.take().ok_or("no pipe")?;
    let (mut reader, mut line) = (BufReader::new(out), String::new());
    reader.read_line(&mut line).map_err(|e| e.to_string())?;
    if line != "ready\n" {
        return Err(format!("it says {line:?}, not ready"));
    }
    thread::sleep(SETTLE);
    let before = counters(child.id())?;
    thread::sleep(WINDOW);
    let after = counters(child.id())?;
    Ok(Activity {
        ticks: after.0 - before.0,
        switches: after.1 - before.1,
        calls: if present("strace") { system_calls(child.id(), name) } else { None },
    })
}

/// Ticks of processor time, and context switches of all threads.
fn counters(pid: u32) -> Result<(u64, u64), String> {
    let read = |path: String| fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"));
    let stat = read(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    // The state is field 3 of the manual page and 0 here; user and system time are 14 and 15.
    let ticks = fields.get(11..13).into_iter().flatten().filter_map(|f| f.parse::<u64>().ok()).sum();
    let mut switches = 0;
    let tasks = format!("/proc/{pid}/task");
    for task in fs::read_dir(&tasks).map_err(|e| format!("{tasks}: {e}"))?.flatten() {
        let status = read(task.path().join("status").display().to_string())?;
        let counts = status.lines().filter_map(|l| l.split_once("ctxt_switches:"));
        switches += counts.filter_map(|(_, n)| n.trim().parse::<u64>().ok()).sum::<u64>();
    }
    Ok((ticks, switches))
}

/// System calls begun in the window. Attaching interrupts what waits, so what happens in the first second
/// is the tracer's doing.
fn system_calls(pid: u32, name: &str) -> Option<usize> {
    let log = target_dir().join("bench").join(format!("idle-{name}.strace"));
    let seconds = (WINDOW + Duration::from_secs(1)).as_secs().to_string();
    let start = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64() + 1.0;
    let mut tracer = Command::new("timeout");
    tracer.args(["--signal=INT", "--kill-after=5", &seconds, "strace", "-f", "-q", "-ttt", "-o"]);
    tracer.arg(&log).arg("-p").arg(pid.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
    tracer.stderr(Stdio::null()).status().ok()?;
    // Without a line the tracer has not been let in: every thread waits in some call.
    let text = fs::read_to_string(&log).ok().filter(|t| !t.is_empty())?;
    Some(begun_after(&text, start))
}

/// Lines `THREAD TIME CALL…` with a time from `start` on, without those that end the trace.
fn begun_after(log: &str, start: f64) -> usize {
    let lines = log.lines().filter(|l| !l.contains("<detached"));
    lines
        .filter(|l| {
            l.split_whitespace().find_map(|w| w.parse::<f64>().ok().filter(|n| *n > 1e8)) >= Some(start)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::begun_after;

    #[test]
    fn counts_calls_of_the_window() {
        let log = "7 1700000000.5 epoll_wait(3 <unfinished ...>\n7 1700000002.0 read(0, \"\", 1) = 0\n\
                   8 1700000009.0 <... epoll_wait resumed> <detached ...>\n";
        assert_eq!(begun_after(log, 1_700_000_001.0), 1);
    }
}
