//! Loaded code, as programs see it and change it.
//!
//! The tables here serve every mode; [`direct`] and [`init`] hold what takes the place of the code server and of `init`
//! while no system is booted.
pub mod direct;
pub mod info;
pub mod init;
pub mod loading;
