//! The test programs: what they say about themselves, and their compilation.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::peer::Peer;
use crate::{hash, workspace};

/// One program, `NAME.erl` in `tests/programs` or `NAME.S` in `tests/asm`, with an exported `main/0`.
///
/// Comments at the top of the file steer its run:
/// `%% timeout: SECONDS`, `%% min-otp: N`, `%% max-otp: N` (releases that can compile and run it).
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub file: PathBuf,
    pub source: Vec<u8>,
    pub timeout: Duration,
    pub min_otp: u32,
    pub max_otp: u32,
}

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

impl Program {
    fn read(file: PathBuf) -> Result<Program, String> {
        let source = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let mut program =
            Program { name, file, source, timeout: DEFAULT_TIMEOUT, min_otp: 0, max_otp: u32::MAX };
        let text = String::from_utf8_lossy(&program.source).into_owned();
        for line in text.lines().take_while(|l| l.starts_with('%') || l.is_empty()) {
            let Some((key, value)) = line.trim_start_matches(['%', ' ']).split_once(": ") else { continue };
            let number = value.trim().parse::<u32>();
            match (key, number) {
                ("timeout", Ok(n)) => program.timeout = Duration::from_secs(n.into()),
                ("min-otp", Ok(n)) => program.min_otp = n,
                ("max-otp", Ok(n)) => program.max_otp = n,
                ("timeout" | "min-otp" | "max-otp", Err(_)) => {
                    return Err(format!("{}: bad directive {line:?}", program.file.display()));
                }
                _ => {}
            }
        }
        Ok(program)
    }

    pub fn suits(&self, peer: &Peer) -> bool {
        (self.min_otp..=self.max_otp).contains(&peer.release)
    }

    /// Crash reports name processes and times of day; these are masked before the comparison.
    pub fn masks_output(&self) -> bool {
        self.name.starts_with("crash_")
    }

    /// What the program's beam file and OTP's answer depend on.
    pub fn key(&self, peer: &Peer) -> String {
        format!("{:016x}", hash(&[b"2", self.name.as_bytes(), &self.source, peer.version.as_bytes()]))
    }
}

/// All programs, sorted by name.
pub fn all() -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for (dir, extension) in [("tests/programs", "erl"), ("tests/asm", "S")] {
        let dir = workspace().join(dir);
        let Ok(list) = fs::read_dir(&dir) else { continue };
        for entry in list.flatten() {
            let file = entry.path();
            if file.extension().is_some_and(|e| e == extension) {
                programs.push(Program::read(file)?);
            }
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Compiles what a list names. Assembly goes to the assembler directly: the compiler's validator refuses old
/// instructions that the assembler still knows.
const COMPILE: &str = r#"
    Split = fun S([]) -> []; S([{function, N, A, E} | T]) ->
        {Is, R} = lists:splitwith(fun(I) -> not is_tuple(I) orelse element(1, I) =/= function end, T),
        [{function, N, A, E, Is} | S(R)] end,
    Asm = fun(F, Name) ->
        {ok, [{module, M}, {exports, E}, {attributes, A}, {labels, N} | Code]} = file:consult(F),
        {ok, Bin} = beam_asm:module({M, E, A, Split(Code), N}, [], [], []),
        ok = file:write_file(filename:join(Out, Name ++ ".beam"), Bin), {ok, M} end,
    Options = [{outdir, Out}, debug_info, report_errors, nowarn_deprecated_catch],
    {ok, L} = file:consult(List),
    R = [begin
             file:set_cwd(D),
             case catch case filename:extension(F) of ".S" -> Asm(F, Name); _ -> compile:file(F, Options) end of
                 {ok, _} -> true;
                 Why -> io:format("~p~n~ts does not compile~n", [Why, Name]), false
             end
         end || {D, F, Name} <- L],
    halt(case lists:member(false, R) of true -> 1; false -> 0 end)."#;

/// Compiles those programs whose beam file is missing or stale, in one run of the peer's compiler.
pub fn compile(peer: &Peer, programs: &[&Program]) -> Result<(), String> {
    let out = peer.out_dir();
    fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let stale: Vec<&&Program> = programs
        .iter()
        .filter(|p| {
            let stamp = fs::read_to_string(stamp_file(&out, p)).unwrap_or_default();
            stamp != p.key(peer) || !out.join(format!("{}.beam", p.name)).exists()
        })
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    // Names are relative, so that stack traces say the same in every checkout.
    let mut list = String::new();
    for program in &stale {
        let dir = program.file.parent().unwrap_or(Path::new(".")).display();
        let name = &program.name;
        let base = if program.file.extension().is_some_and(|e| e == "S") { "S" } else { "erl" };
        let _ = writeln!(list, "{{\"{dir}\", \"{name}.{base}\", \"{name}\"}}.");
    }
    let list_file = out.join("compile.list");
    fs::write(&list_file, list).map_err(|e| format!("{}: {e}", list_file.display()))?;
    let script = format!("Out = \"{}\", List = \"{}\", {COMPILE}", out.display(), list_file.display());
    let result =
        peer.erl(1).args(["-noshell", "-eval", &script]).output().map_err(|e| format!("erl: {e}"))?;
    let failed = String::from_utf8_lossy(&result.stdout).into_owned();
    for program in &stale {
        let broken =
            failed.lines().any(|l| l.strip_suffix(" does not compile").is_some_and(|f| f == program.name));
        let file = stamp_file(&out, program);
        if broken {
            let _ = fs::remove_file(file);
            let _ = fs::remove_file(out.join(format!("{}.beam", program.name)));
        } else {
            fs::write(&file, program.key(peer)).map_err(|e| format!("{}: {e}", file.display()))?;
        }
    }
    if result.status.success() {
        return Ok(());
    }
    Err(format!("OTP {}:\n{failed}{}", peer.version, String::from_utf8_lossy(&result.stderr)))
}

fn stamp_file(out: &Path, program: &Program) -> PathBuf {
    out.join(format!("{}.key", program.name))
}
