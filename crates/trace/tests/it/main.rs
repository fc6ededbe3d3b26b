//! What the trace promises, seen from a host.
#![expect(clippy::unwrap_used, reason = "a test whose ground is missing fails")]

#[path = "../../src/test_support.rs"]
mod support;

mod concurrency;
mod engine;
mod html;
mod ignored;
mod json;
mod losses;
mod opening;
mod queries;
mod replay;
mod round_trip;
mod size;
mod stats;
mod store;
