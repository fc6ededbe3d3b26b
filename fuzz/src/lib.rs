//! Fuzz targets: plain functions that read arbitrary bytes and panic when a promise is broken.
//!
//! The driver of this crate feeds them on a stable toolchain; `fuzz/libfuzzer` does the same with
//! libFuzzer where there is a nightly one.

pub mod targets;
