//! Conformance tests: Erlang programs of this project's own run on OTP and on Chime, whose output must be
//! the same byte for byte.
//!
//! * [`peer`]: the OTP releases that serve as reference, and how to start them.
//! * [`program`]: the programs under `tests/programs` and `tests/asm`, and their compilation.
//! * [`run`]: running one program under a timeout, and the cache of OTP's answers.
//! * [`suite`]: the whole run, side by side, with its summary.
//! * [`opcodes`]: which generic opcodes occur in the compiled programs.

pub mod opcodes;
pub mod peer;
pub mod program;
pub mod run;
pub mod suite;

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn workspace() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("tests/ lies in the workspace").to_path_buf()
}

/// Cargo's target folder, where everything that is generated goes.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => workspace().join(dir),
        None => workspace().join("target"),
    }
}

/// FNV-1a. The keys of the caches need a hash that is the same in every build.
pub fn hash(parts: &[&[u8]]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in *part {
            h = (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        h = (h ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }
    h
}
