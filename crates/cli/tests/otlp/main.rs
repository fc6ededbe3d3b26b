//! The spans of sessions, as a collector receives them (TE-3).
#![cfg(all(unix, feature = "otlp"))]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod collector;
mod endings;
mod lost;
#[allow(dead_code, reason = "shared with the tests of the terminal session")]
#[path = "../terminal/world.rs"]
mod on_terminal;
mod scene;
mod settings;
mod signals;
mod terminal;
mod tree;
#[allow(dead_code, reason = "shared with the tests of the other commands")]
#[path = "../hooks/world.rs"]
mod world;
