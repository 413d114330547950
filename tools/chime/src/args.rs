//! What the command line understands.

use clap::{Arg, ArgAction, Command, value_parser};
use std::path::PathBuf;

const RUN: &str = "\
Loads FILE.beam (or finds MODULE on the search path) and calls main/1 with the list of ARGS, each a list of
characters, if the module exports it, else main/0. With -f, FUN takes the place of main; with -m, the function
is taken from MOD.

The exit status is 0 when the function has returned and all output is written, what halt/1 says, or 1 after an
error that nobody caught: its text goes to standard output and standard error as `erl -noshell -run MODULE FUN`
of OTP 25 has it. As there, the function runs in a process that traps exits.";

const PATHS: &str = "\
Modules are loaded when first called, from the folder of FILE.beam (or the current one), the --pa folders, and OTP's
library: the folder that --otp names, else the one in CHIME_OTP, else that of `erl` on PATH. A program that needs
no module of the library runs without one.

Environment:
  CHIME_OTP  OTP's root folder, the one with lib/ in it
  PATH       where `erl` is looked for";

pub fn command() -> Command {
    Command::new("chime")
        .about("A virtual machine for BEAM bytecode")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(run())
        .subcommand(
            Command::new("disasm")
                .about("Show a module: generic and translated instructions, lines, literals")
                .arg(
                    Arg::new("file")
                        .value_name("FILE.beam")
                        .required(true)
                        .value_parser(value_parser!(PathBuf)),
                ),
        )
        .subcommand(Command::new("version").about("Show the version"))
}

fn run() -> Command {
    let command = Command::new("run")
        .about("Run a program")
        .long_about(RUN)
        .after_long_help(PATHS)
        .arg(
            Arg::new("schedulers")
                .long("schedulers")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..=1024))
                .help("Threads that run processes [default: the cores this process may use]"),
        )
        .arg(
            Arg::new("otp")
                .long("otp")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("OTP's root folder"),
        )
        .arg(
            Arg::new("pa")
                .long("pa")
                .value_name("DIR")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Look for modules here, before the library; may be repeated"),
        )
        .arg(Arg::new("module").short('m').value_name("MOD").help("Take the function from this module"))
        .arg(Arg::new("function").short('f').value_name("FUN").help("Call this function instead of main"))
        .arg(Arg::new("program").value_name("FILE.beam|MODULE").required(true).help("What to run"))
        .arg(
            Arg::new("args")
                .value_name("ARGS")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(std::ffi::OsString))
                .help("Arguments of the program"),
        );
    #[cfg(feature = "opcode-stats")]
    let command = command.arg(
        Arg::new("opcode-stats")
            .long("opcode-stats")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Write how often each instruction was executed"),
    );
    command
}
