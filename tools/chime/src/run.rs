//! `chime run`

use crate::{fail, otp};
use chime_bif::program::Start;
use chime_bif::{code, logger, program, stdio};
use chime_vm::atoms;
use chime_vm::modules::{self, Loaded};
use chime_vm::release;
use chime_vm::sched::{self, Machine, Options};
use chime_vm::term::Term;
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(m: &ArgMatches) -> ExitCode {
    match start(m) {
        Ok(()) => {}
        Err(fault) => return fail(fault),
    }
    let status = sched::wait_main();
    logger::settle();
    #[cfg(feature = "opcode-stats")]
    if let Some(file) = m.get_one::<PathBuf>("opcode-stats")
        && let Err(e) = std::fs::write(file, chime_vm::stats::report())
    {
        eprintln!("chime: {}: {e}", file.display());
    }
    sched::halt(status, true)
}

fn start(m: &ArgMatches) -> Result<(), String> {
    for table in chime_bif::tables().into_iter().chain(chime_bif::direct_tables()) {
        chime_vm::exports::register(table);
    }
    if let Some(dir) = m.get_one::<PathBuf>("otp") {
        otp::set(dir.clone());
    }
    modules::set_library(otp::find);
    if let Some((otp, erts)) = otp::find().ok().and_then(|root| otp::release(&root)) {
        chime_bif::erlang::info::set_release(&otp, &erts);
        // Later releases take the terminal for what the locale says.
        stdio::device::STDIO.set_unicode(release::since(26) && otp::utf8_locale());
    }
    let program = m.get_one::<String>("program").map_or("", String::as_str);
    let arguments: Vec<String> =
        m.get_many::<std::ffi::OsString>("args").into_iter().flatten().map(|a| text(a)).collect();
    let version = load(program, m.get_many::<PathBuf>("pa").into_iter().flatten())?;
    let version = match m.get_one::<String>("module") {
        Some(name) => find(name)?,
        None => version,
    };
    let function = m.get_one::<String>("function").map_or("main", String::as_str);
    let name = atoms::intern(function);
    let with_arguments = version.exports.contains(&(name, 1));
    if !with_arguments && !version.exports.contains(&(name, 0)) {
        let module = atoms::name(version.name);
        return Err(format!("module {module} exports neither {function}/1 nor {function}/0"));
    }
    code::init::set_plain_arguments(arguments.clone());

    let mut options = Options::default();
    if let Some(&n) = m.get_one::<u16>("schedulers") {
        options.schedulers = n.into();
    }
    chime_vm::gc::read_environment();
    Machine::start(&options).map_err(|e| format!("the machine cannot start: {e}"))?;
    let start =
        Start { module: version.name, function: name, arguments: with_arguments.then_some(arguments) };
    let started = stdio::start().and_then(|user| {
        logger::start(user)?;
        program::start(&start, user)
    });
    started.map(|_: Term| ()).ok_or_else(|| "the first processes cannot start".to_string())
}

/// An argument's text: UTF-8, or else bytes taken as Latin-1.
fn text(a: &std::ffi::OsStr) -> String {
    match a.to_str() {
        Some(s) => s.to_string(),
        None => std::os::unix::ffi::OsStrExt::as_bytes(a).iter().map(|&b| b as char).collect(),
    }
}

/// Loads the program and sets the search path: its folder, then those of --pa.
fn load<'a>(program: &str, pa: impl Iterator<Item = &'a PathBuf>) -> Result<&'static Loaded, String> {
    let file = Path::new(program);
    let is_file = program.ends_with(".beam") || program.contains('/');
    let folder = if is_file { file.parent().filter(|d| !d.as_os_str().is_empty()) } else { None };
    modules::add_paths([folder.unwrap_or(Path::new(".")).to_path_buf()]);
    modules::add_paths(pa.cloned());
    if is_file { modules::load_file(file) } else { find(program) }
}

fn find(name: &str) -> Result<&'static Loaded, String> {
    modules::ensure(atoms::intern(name))?
        .ok_or_else(|| format!("module {name} is in none of the folders that are searched"))
}
