//! The record of hook runs through the real program (CM-6), and what is made from it: statistics
//! (CM-1), fields without effect (CM-3), replay, tests of hooks, a page.
#![cfg(all(unix, feature = "trace"))]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod broken;
mod chromium;
mod following;
mod listing;
mod page;
mod recording;
mod replay;
mod statistics;
mod suites;
mod support;
mod suppressed;
#[allow(dead_code, reason = "shared with the tests of the other commands")]
#[path = "../hooks/world.rs"]
mod world;
