//! One set of names for the primitives: the real ones, or loom's when built with `--cfg loom`.

#[cfg(not(loom))]
mod real {
    pub use parking_lot::{Mutex, MutexGuard};
    pub use std::sync::atomic;

    /// `std`'s cell with the interface of loom's, which reports every access that races.
    #[derive(Debug)]
    #[repr(transparent)]
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        #[inline(always)]
        pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(not(loom))]
pub use real::*;

#[cfg(loom)]
mod modelled {
    pub use loom::cell::UnsafeCell;
    pub use loom::sync::{MutexGuard, atomic};

    /// loom's mutex with the interface of `parking_lot`'s.
    #[derive(Debug)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }
}

#[cfg(loom)]
pub use modelled::*;

/// Keeps neighbours off each other's cache line (two lines: processors fetch them in pairs).
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

impl<T> std::ops::Deref for Padded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
