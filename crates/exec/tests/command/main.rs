//! Commands as real processes, most of them the `puppet`.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails says so by a panic"
)]

mod chaos;
mod deadlines;
mod detached;
mod direct;
mod endings;
mod environment;
#[cfg(feature = "http")]
mod http;
mod leaks;
mod missing_part;
#[cfg(feature = "plugins")]
mod plugin;
mod rule;
mod silenced;
mod streams;
mod support;
mod unasked_worker;
mod worker;
