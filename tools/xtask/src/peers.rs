//! `cargo xtask peers`: further OTP releases, each unpacked as a root of its own under `target/peers`.

use std::fs;
use std::path::Path;

use chime_tests::peer::{Peer, SUITES, peers_dir};

use crate::args::Args;
use crate::setup::{as_root, install};

const PACKAGES: &str = "erlang-base,erlang-dev,erlang-eunit,erlang-tools,erlang-crypto,erlang-syntax-tools,\
                        erlang-parsetools,erlang-runtime-tools";

pub fn run(args: Args) -> Result<(), String> {
    let words = args.words()?;
    let words = if words.is_empty() { vec!["27".to_owned()] } else { words };
    let mut failed = Vec::new();
    for word in words {
        let release = word.parse().map_err(|_| format!("{word:?} is not a release"))?;
        match provide(release) {
            Ok(peer) => println!("OTP {release}: {} in {}", peer.version, peer.root.display()),
            Err(text) => {
                println!("OTP {release}: not to be had: {text}");
                failed.push(word);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not to be had: OTP {}", failed.join(", "))) }
}

/// The peer, unpacked now when it is not there.
pub fn provide(release: u32) -> Result<Peer, String> {
    if let Ok(peer) = Peer::find(release) {
        return Ok(peer);
    }
    let Some((_, suite)) = SUITES.iter().find(|(r, _)| *r == release) else {
        return Err("neither the system's OTP nor in a suite of the distribution".into());
    };
    install(&[("debootstrap", "debootstrap")])?;
    let mirror = mirror().ok_or("no Debian mirror in the system's package sources")?;
    let dir = peers_dir().join(format!("otp{release}"));
    let part = peers_dir().join(format!("otp{release}.part"));
    fs::create_dir_all(peers_dir()).map_err(|e| format!("{}: {e}", peers_dir().display()))?;
    // What an interrupted run has left.
    for old in [&dir, &part] {
        if old.exists() {
            as_root("rm", &["-rf", "--one-file-system", &old.display().to_string()])?;
        }
    }
    println!("OTP {release}: unpacking it from {suite}");
    let include = format!("--include={PACKAGES}");
    let place = part.display().to_string();
    as_root("debootstrap", &["--variant=minbase", &include, suite, &place, &mirror])?;
    // A root that runs in place needs neither package archives nor their lists.
    let archives = part.join("var/cache/apt/archives").display().to_string();
    as_root("rm", &["-rf", "--one-file-system", &archives])?;
    as_root("mv", &[&place, &dir.display().to_string()])?;
    let peer = Peer::find(release)?;
    if peer.release == release { Ok(peer) } else { Err(format!("{suite} has OTP {}", peer.version)) }
}

/// The mirror in the system's own package sources.
fn mirror() -> Option<String> {
    let mut files = vec!["/etc/apt/sources.list".into()];
    if let Ok(list) = fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(list.flatten().map(|e| e.path()));
    }
    files.sort();
    files
        .iter()
        .filter_map(|f: &std::path::PathBuf| fs::read_to_string(f as &Path).ok())
        .find_map(|t| debian_in(&t))
}

/// The first address of a Debian archive in an apt source file of either format.
fn debian_in(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|l| l.starts_with("URIs:") || l.starts_with("deb "));
    let mut words = lines.flat_map(str::split_whitespace);
    words.find(|w| w.contains("://") && w.trim_end_matches('/').ends_with("/debian")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::debian_in;

    #[test]
    fn mirror_from_both_formats() {
        let modern =
            "Types: deb\nURIs: http://example.org/debian-security\n\nURIs: http://example.org/debian\n";
        assert_eq!(debian_in(modern).as_deref(), Some("http://example.org/debian"));
        let old = "# deb http://no.example/debian x main\ndeb [arch=amd64] http://example.org/debian/ stable main\n";
        assert_eq!(debian_in(old).as_deref(), Some("http://example.org/debian/"));
        assert_eq!(debian_in("deb https://example.org/apt all main\n"), None);
    }
}
