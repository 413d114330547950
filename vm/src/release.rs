//! The OTP release whose library runs: some operations mean different things in different releases.

use std::sync::atomic::{AtomicU32, Ordering};

static RELEASE: AtomicU32 = AtomicU32::new(25);

/// Set once, before any code is loaded.
pub fn set(otp: u32) {
    RELEASE.store(otp, Ordering::Relaxed);
}

/// Whether the library is that of this release or of a later one.
#[inline]
pub fn since(otp: u32) -> bool {
    RELEASE.load(Ordering::Relaxed) >= otp
}
