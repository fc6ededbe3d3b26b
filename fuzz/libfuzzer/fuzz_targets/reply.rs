//! The target `reply` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hookloop_fuzz::targets::reply::run(data));
