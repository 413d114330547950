//! `cargo xtask setup`: the system packages that building and testing need.

use std::path::Path;
use std::process::{Command, Stdio};

/// A program or file that shows that a package is there, and the package.
const NEEDED: &[(&str, &str)] =
    &[("erl", "erlang-base"), ("/usr/include/erl_nif.h", "erlang-dev"), ("cc", "gcc")];

pub fn run() -> Result<(), String> {
    install(NEEDED)
}

/// Installs the packages whose witness is absent.
pub fn install(needed: &[(&str, &str)]) -> Result<(), String> {
    let missing: Vec<&str> =
        needed.iter().filter(|(w, _)| !present(w)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        println!("setup: everything is here");
        return Ok(());
    }
    if !present("apt-get") {
        return Err(format!("install these packages (there is no apt-get here): {}", missing.join(" ")));
    }
    println!("setup: installing {}", missing.join(" "));
    as_root("apt-get", &["update", "-qq"])?;
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(&missing);
    as_root("apt-get", &arguments)
}

/// Runs a command as root, through sudo where that is needed.
pub fn as_root(program: &str, arguments: &[&str]) -> Result<(), String> {
    let root = std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0);
    let mut command = if root {
        Command::new(program)
    } else {
        let mut c = Command::new("sudo");
        c.arg("-n").arg(program);
        c
    };
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} {}: {status}", arguments.join(" "))),
        Err(e) => Err(format!("{program}: {e}{}", if root { "" } else { " (root is needed)" })),
    }
}

/// Is this file, or this program on PATH, there?
pub fn present(witness: &str) -> bool {
    if witness.starts_with('/') {
        return Path::new(witness).exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain(["/usr/sbin".into()]).any(|dir| dir.join(witness).is_file())
}
