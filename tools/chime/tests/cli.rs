//! The command line, from outside. `erl` and `erlc` must be installed: OTP gives the expected answers.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Folder with the compiled programs.
fn programs() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        // Each test may be a process of its own, and several compile at once.
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder for compiled programs");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let files = std::fs::read_dir(&sources).expect("the programs").map(|f| f.expect("a file").path());
        let files = files.filter(|f| f.is_file()).collect();
        compile(&dir, &[], files);
        for version in ["1", "2", "3"] {
            let define = format!("-DVERSION={version}");
            compile(&dir.join(version), &[&define], vec![sources.join("versions/cli_made.erl")]);
        }
        dir
    })
}

fn compile(dir: &Path, flags: &[&str], files: Vec<PathBuf>) {
    std::fs::create_dir_all(dir).expect("a folder for compiled programs");
    let status = Command::new("erlc").args(flags).arg("-o").arg(dir).args(files).status();
    assert!(status.expect("erlc is installed (Debian: erlang-base)").success());
}

fn chime(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chime"));
    command.args(args).current_dir(programs());
    command
}

fn output(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input is written");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit status and standard output on Chime.
fn run(args: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let out = output(chime(&["run"]).args(args), input);
    (out.status.code(), out.stdout.iter().map(|&b| b as char).collect())
}

/// The same on OTP.
fn otp(module: &str, function: &str, input: &[u8]) -> (Option<i32>, String) {
    let mut erl = Command::new("erl");
    erl.args(["-noshell", "-run", module, function, "-run", "erlang", "halt"]);
    let out = output(erl.current_dir(programs()).env("ERL_CRASH_DUMP_SECONDS", "0"), input);
    (out.status.code(), out.stdout.iter().map(|&b| b as char).collect())
}

/// Chime's output and status are OTP's, with one scheduler and with two.
fn same(module: &str, function: &str, input: &[u8]) {
    let expected = otp(module, function, input);
    for n in ["1", "2"] {
        let ours = run(&["--schedulers", n, "-f", function, module], input);
        assert_eq!(ours, expected, "{module}:{function} with {n} schedulers");
    }
}

#[test]
fn runs_without_a_library() {
    for dir in ["", "/"] {
        let mut command = chime(&["run", "cli_hello.beam"]);
        let out = output(command.env_clear().env("PATH", dir), b"");
        assert_eq!(
            (out.status.code(), text(&out.stdout), text(&out.stderr)),
            (Some(0), "hello\n".into(), "".into())
        );
    }
}

#[test]
fn says_how_to_get_a_library() {
    let out = output(chime(&["run", "cli_input.beam", "x"]).args(["-f"]).env_clear(), b"");
    assert_eq!(out.status.code(), Some(1), "no main in there");
    let out = output(chime(&["run", "-f", "lines", "cli_input.beam"]).env_clear(), b"");
    let err = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(err.matches("OTP's library is not found").count(), 1, "{err}");
    assert!(err.contains("--otp") && err.contains("CHIME_OTP"), "{err}");
    let out = output(chime(&["run", "--otp", "/no/such", "-f", "lines", "cli_input.beam"]).env_clear(), b"");
    assert!(text(&out.stderr).contains("--otp: /no/such is not the root folder"), "{}", text(&out.stderr));
}

#[test]
fn arguments() {
    assert_eq!(run(&["-f", "echo", "cli_hello.beam", "a", "-b", "λ é"], b"").1, "<a><-b><\\x{3BB} \u{e9}>\n");
    assert_eq!(run(&["-f", "echo", "cli_hello"], b"").1, "\n");
    assert_eq!(run(&["-f", "both", "cli_hello"], b"").1, "both/1\n");
    assert_eq!(run(&["-m", "cli_hello", "-f", "both", "cli_input.beam"], b"").1, "both/1\n");
    let dir = programs().to_str().expect("a readable path");
    let mut command = chime(&["run", "--pa", dir, "cli_hello"]);
    let out = output(command.current_dir("/"), b"");
    assert_eq!(text(&out.stdout), "hello\n");
    let file = programs().join("cli_hello.beam");
    let out = output(chime(&["run"]).arg(file).current_dir("/"), b"");
    assert_eq!(text(&out.stdout), "hello\n");
}

#[test]
fn usage() {
    let cases: [&[&str]; 7] = [
        &[],
        &["run"],
        &["run", "--schedulers", "0", "cli_hello"],
        &["run", "--schedulers", "many", "cli_hello"],
        &["run", "--unknown", "cli_hello"],
        &["disasm"],
        &["walk"],
    ];
    for args in cases {
        let out = output(&mut chime(args), b"");
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(!out.stderr.is_empty(), "{args:?}");
    }
    let out = output(&mut chime(&["version"]), b"");
    assert_eq!(text(&out.stdout), format!("chime {}\n", env!("CARGO_PKG_VERSION")));
    let help = text(&output(&mut chime(&["run", "--help"]), b"").stdout);
    for word in ["--schedulers", "--otp", "--pa", "CHIME_OTP", "exit status"] {
        assert!(help.contains(word), "{word} is not in {help}");
    }
}

#[test]
fn ends_as_on_otp() {
    for function in ["main", "stop", "fail", "leave", "toss", "missing"] {
        same("cli_hello", function, b"");
    }
    let out = output(&mut chime(&["run", "-f", "fail", "cli_hello"]), b"");
    assert!(text(&out.stderr).starts_with("init terminating in do_boot ({{bad,[thing]},[{cli_hello,fail,0,"));
    assert_eq!(run(&["no_such_module"], b"").0, Some(1));
    assert_eq!(run(&["-f", "no_such", "cli_hello"], b"").0, Some(1));
}

#[test]
fn everything_is_written_before_the_end() {
    let (status, out) = run(&["-f", "many", "cli_hello"], b"");
    assert_eq!((status, out.lines().count()), (Some(0), 20000));
}

#[test]
fn ends_when_nobody_reads() {
    let mut child =
        chime(&["run", "-f", "forever", "cli_hello"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0; 1000]).expect("some output");
    drop(stdout);
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(child.wait()));
    let status = ended.recv_timeout(Duration::from_secs(20)).expect("it ends").expect("a status");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn input() {
    same("cli_input", "lines", b"one\n\ntwo\xe9\nlast");
    same("cli_input", "lines", b"");
    same("cli_input", "mixed", b"abcdef\nghi 12 xyz rest\nof \xff it");
    same("cli_input", "terms", b"foo. {bar,\n [1,2]}.\n 'a b'. \"str\".");
    same("cli_input", "terms", b"oops oops.\nfine.\n");
    let (_, out) = run(&["-f", "binaries", "cli_input"], "aλb\nλλλλ\nrest".as_bytes());
    let expected = "[{binary,true},{encoding,unicode}]\n<<97,206,187,98,10>>\n<<206,187,206,187,206,187>>\n\
                    <<206,187,10>>\n<<114,101,115,116>>\n";
    assert_eq!(out, expected);
}

#[test]
fn protocol() {
    same("cli_protocol", "main", b"");
}

#[test]
fn writers_do_not_wait_for_readers() {
    let mut child = chime(&["run", "-f", "served", "cli_input"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let expected = b"waiting> not kept waiting\n";
    let mut buffer = vec![0; expected.len()];
    stdout.read_exact(&mut buffer).expect("output before input");
    assert_eq!(text(&buffer), text(expected));
    child.stdin.take().expect("a pipe").write_all(b"x\n").expect("it reads");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the rest");
    assert_eq!(rest, "[120,10]\n");
    assert!(child.wait().expect("a status").success());
}

#[test]
fn code() {
    same("cli_code", "main", b"");
}

/// A report without what differs from run to run and from machine to machine.
fn masked(report: &str) -> String {
    let line = |l: &str| {
        let l = l.trim_end();
        if let Some(at) = l.find("==== ") {
            return l[..at].to_string();
        }
        for key in ["heap_size: ", "stack_size: ", "reductions: "] {
            if let Some(at) = l.find(key) {
                return l[..at + key.len()].to_string();
            }
        }
        let parts: Vec<&str> = l.split("<0.").collect();
        let rest = parts[1..].iter().map(|p| p.split_once('>').map_or("", |p| p.1));
        std::iter::once(parts[0]).chain(rest).collect::<Vec<_>>().join("<pid>")
    };
    report.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn crash_reports() {
    let (status, out) = otp("cli_crashes", "main", b"");
    let ours = run(&["cli_crashes"], b"");
    assert_eq!(status, ours.0);
    assert_eq!(masked(&ours.1), masked(&out));
}

/// One line that names the file; exit status 1.
fn refused(path: &Path, words: &[&str]) {
    let path = path.to_str().expect("a readable path");
    for args in [["run", path], ["disasm", path]] {
        let out = output(&mut chime(&args), b"");
        let err = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
        assert!(err.contains(path) && words.iter().all(|w| err.contains(w)), "{args:?}: {err}");
        assert!(out.stdout.is_empty());
    }
}

#[test]
fn damaged_files() {
    let dir = programs().join("damaged");
    std::fs::create_dir_all(&dir).expect("a folder");
    let good = std::fs::read(programs().join("cli_hello.beam")).expect("a compiled program");
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    };
    refused(&dir.join("absent.beam"), &["No such file"]);
    refused(&dir.join("../damaged/"), &[]);
    refused(&file("empty.beam", b""), &[]);
    refused(&file("foreign.beam", b"#!/bin/sh\necho hello\n"), &["not a BEAM file"]);
    for n in (0..20).map(|i| good.len() * i / 20) {
        refused(&file("short.beam", &good[..n]), &[]);
    }
    for name in ["AtU8", "Code", "ImpT", "ExpT", "StrT"] {
        let at = good.windows(4).position(|w| w == name.as_bytes()).expect("the chunk");
        let mut bad = good.clone();
        bad[at] = b'x';
        refused(&file("missing.beam", &bad), &[name, "missing"]);
        let mut bad = good.clone();
        bad[at + 8..at + 12].fill(0xFF);
        if name != "StrT" {
            refused(&file("damaged.beam", &bad), &[name]);
        }
    }
}

#[test]
fn disassembles() {
    let out = output(&mut chime(&["disasm", "cli_hello.beam"]), b"");
    let listing = text(&out.stdout);
    assert!(out.status.success());
    let lines = [
        "module cli_hello",
        "main/0",
        "cli_hello.erl:5",
        "func_info",
        "call_ext",
        "erlang:halt/1",
        "literal 0:",
    ];
    for words in lines {
        assert!(listing.contains(words), "{words} is not in\n{listing}");
    }
}
