//! OTP releases used as reference: the one on PATH, and newer ones unpacked under `target/peers`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{target_dir, workspace};

/// One OTP installation that can compile and run programs.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The major release: 25, 27, 29.
    pub release: u32,
    /// The full version, such as 25.2.3.
    pub version: String,
    /// OTP's root folder, the one that holds `lib`.
    pub root: PathBuf,
    launch: Launch,
}

#[derive(Clone, Debug)]
enum Launch {
    /// `erl`, found on PATH.
    Path,
    /// A root of its own with a newer libc: its dynamic loader starts its emulator, so no mount is needed.
    Loader { loader: PathBuf, libraries: PathBuf, emulator: PathBuf, bindir: PathBuf },
}

/// The distribution's suite that carries each release which is not the system's own.
pub const SUITES: [(u32, &str); 2] = [(27, "trixie"), (29, "sid")];

/// Folder of the unpacked peers. `CHIME_PEERS` lets several checkouts share one.
pub fn peers_dir() -> PathBuf {
    match std::env::var_os("CHIME_PEERS") {
        Some(dir) => workspace().join(dir),
        None => target_dir().join("peers"),
    }
}

impl Peer {
    /// The OTP on PATH.
    pub fn system() -> Result<Peer, String> {
        let peer = Peer { release: 0, version: String::new(), root: PathBuf::new(), launch: Launch::Path };
        peer.identified()
    }

    /// The peer of the given release, when it is there.
    pub fn find(release: u32) -> Result<Peer, String> {
        let unpacked = peers_dir().join(format!("otp{release}"));
        if unpacked.join("usr/lib/erlang").is_dir() {
            return Peer::unpacked(release, &unpacked);
        }
        let system = Peer::system()?;
        if system.release == release {
            return Ok(system);
        }
        Err(format!("OTP {release} is not here: `cargo xtask peers {release}` unpacks it"))
    }

    /// A peer unpacked by debootstrap.
    fn unpacked(release: u32, dir: &Path) -> Result<Peer, String> {
        let root = dir.join("usr/lib/erlang");
        let (libraries, loader) = entries(&dir.join("usr/lib"))
            .into_iter()
            .find_map(|lib| {
                let loader = entries(&lib).into_iter().find(|f| name(f).starts_with("ld-linux-"))?;
                Some((lib, loader))
            })
            .ok_or_else(|| format!("{}: no dynamic loader", dir.display()))?;
        let real_bin = entries(&root)
            .into_iter()
            .find(|d| name(d).starts_with("erts-"))
            .map(|d| d.join("bin"))
            .ok_or_else(|| format!("{}: no erts", root.display()))?;
        let bindir = peers_dir().join(format!("otp{release}-bin"));
        // The emulator starts these through BINDIR; they too need the loader of their own root.
        for helper in ["erl_child_setup", "inet_gethost"] {
            let script = format!(
                "#!/bin/sh\nexec {} --library-path {} {} \"$@\"\n",
                loader.display(),
                libraries.display(),
                real_bin.join(helper).display()
            );
            let file = bindir.join(helper);
            if fs::read_to_string(&file).is_ok_and(|old| old == script) {
                continue;
            }
            let write = || -> std::io::Result<()> {
                fs::create_dir_all(&bindir)?;
                fs::write(&file, &script)?;
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755))
            };
            write().map_err(|e| format!("{}: {e}", file.display()))?;
        }
        let launch = Launch::Loader { loader, libraries, emulator: real_bin.join("beam.smp"), bindir };
        Peer { release: 0, version: String::new(), root, launch }.identified()
    }

    /// Asks the emulator what it is.
    fn identified(mut self) -> Result<Peer, String> {
        let ask = "R = erlang:system_info(otp_release), Root = code:root_dir(), \
                   {ok, V} = file:read_file(filename:join([Root, releases, R, 'OTP_VERSION'])), \
                   io:format(\"~s~n~s~n~ts\", [R, string:trim(V), Root]), halt().";
        let out =
            self.erl(1).args(["-noshell", "-eval", ask]).output().map_err(|e| {
                format!("erl does not start: {e}; `cargo xtask setup` installs what is needed")
            })?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let mut lines = text.lines();
        match (lines.next().map(str::parse), lines.next(), lines.next()) {
            (Some(Ok(release)), Some(version), Some(root)) => {
                self.release = release;
                self.version = version.to_owned();
                self.root = PathBuf::from(root);
                Ok(self)
            }
            _ => Err(format!("erl says {text:?} {:?}", String::from_utf8_lossy(&out.stderr))),
        }
    }

    /// A command that starts this OTP with so many schedulers. Arguments are those of `erl`, without emulator flags.
    pub fn erl(&self, schedulers: u32) -> Command {
        let mut command = match &self.launch {
            Launch::Path => {
                let mut c = Command::new("erl");
                c.arg("+S").arg(schedulers.to_string());
                c
            }
            Launch::Loader { loader, libraries, emulator, bindir } => {
                let home = std::env::var_os("HOME").unwrap_or_else(|| "/".into());
                let mut c = Command::new(loader);
                c.arg("--library-path").arg(libraries).arg(emulator);
                c.arg("-S").arg(schedulers.to_string());
                c.arg("--")
                    .arg("-root")
                    .arg(&self.root)
                    .arg("-bindir")
                    .arg(bindir)
                    .args(["-progname", "erl"]);
                c.arg("--").arg("-home").arg(home).arg("--");
                c.env("ROOTDIR", &self.root).env("BINDIR", bindir).env("EMU", "beam").env("PROGNAME", "erl");
                c
            }
        };
        for name in ["ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS", "ERL_COMPILER_OPTIONS"] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C.UTF-8").env("ERL_CRASH_DUMP_SECONDS", "0");
        command
    }

    /// Folder for what this peer compiles and answers.
    pub fn out_dir(&self) -> PathBuf {
        target_dir().join("tests").join(format!("otp{}", self.release))
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = match fs::read_dir(dir) {
        Ok(list) => list.flatten().map(|e| e.path()).collect(),
        Err(_) => Vec::new(),
    };
    all.sort();
    all
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
