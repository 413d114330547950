//! Finding OTP's library.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static OPTION: OnceLock<PathBuf> = OnceLock::new();

/// The folder that --otp names.
pub fn set(dir: PathBuf) {
    let _ = OPTION.set(dir);
}

const HOW: &str = "OTP's library is not found. Install it (Debian, Ubuntu: apt install erlang-base), or name its root \
                   folder with --otp DIR or in CHIME_OTP";

/// The root folder: from --otp, from CHIME_OTP, or of the `erl` on PATH.
pub fn find() -> Result<PathBuf, String> {
    if let Some(dir) = OPTION.get() {
        return named(dir, "--otp");
    }
    if let Some(dir) = std::env::var_os("CHIME_OTP").filter(|d| !d.is_empty()) {
        return named(Path::new(&dir), "CHIME_OTP");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find_map(|dir| root_of(&dir.join("erl"))).ok_or_else(|| HOW.to_string())
}

/// Whether the environment asks for UTF-8.
pub fn utf8_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|v| std::env::var(v).ok().filter(|s| !s.is_empty()));
    locale.is_some_and(|l| l.to_ascii_lowercase().replace('-', "").contains("utf8"))
}

/// The release and the version of its emulator, from what an installation says of itself: `("25", "13.1.5")`.
pub fn release(root: &Path) -> Option<(String, String)> {
    let text = std::fs::read_to_string(root.join("releases/start_erl.data")).ok()?;
    let mut words = text.split_whitespace();
    let erts = words.next()?.to_string();
    Some((words.next()?.to_string(), erts))
}

fn named(dir: &Path, by: &str) -> Result<PathBuf, String> {
    match is_root(dir) {
        true => Ok(dir.to_path_buf()),
        false => {
            Err(format!("{by}: {} is not the root folder of an OTP: it has no lib folder", dir.display()))
        }
    }
}

fn is_root(dir: &Path) -> bool {
    dir.join("lib").is_dir()
}

/// The installation that an `erl` belongs to: it stands in ROOT/bin, or in ROOT/erts-V/bin, or is a script that says
/// where ROOT is.
fn root_of(erl: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(erl).ok()?;
    let bin = real.parent()?;
    for up in [bin.parent()?, bin.parent()?.parent()?] {
        for root in [up.to_path_buf(), up.join("lib/erlang")] {
            if root.join("lib").is_dir()
                && (root.join("releases").is_dir() || root.join("bin/start.boot").is_file())
            {
                return Some(root);
            }
        }
    }
    let script = std::fs::read(&real).ok()?;
    let text = String::from_utf8_lossy(&script[..script.len().min(4096)]).into_owned();
    let root = text
        .lines()
        .find_map(|l| l.trim().strip_prefix("ROOTDIR=").map(|r| PathBuf::from(r.trim_matches('"'))))?;
    is_root(&root).then_some(root)
}
