//! The command line.

mod args;
mod otp;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = args::command().get_matches();
    match matches.subcommand() {
        Some(("run", m)) => run::run(m),
        Some(("disasm", m)) => disasm(m),
        _ => {
            println!("chime {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
    }
}

/// Shows one line about what went wrong; exit status 1.
fn fail(fault: impl std::fmt::Display) -> ExitCode {
    eprintln!("chime: {fault}");
    ExitCode::FAILURE
}

fn disasm(m: &clap::ArgMatches) -> ExitCode {
    let Some(path) = m.get_one::<std::path::PathBuf>("file") else { return ExitCode::from(2) };
    let listing = std::fs::read(path)
        .map_err(|e| e.to_string())
        .and_then(|bytes| chime_vm::disasm::disassemble(&bytes, chime_vm::print::to_string_limited));
    match listing {
        Ok(text) => {
            use std::io::Write;
            // A reader that has seen enough is no failure.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(e) => fail(format_args!("{}: {e}", path.display())),
    }
}
