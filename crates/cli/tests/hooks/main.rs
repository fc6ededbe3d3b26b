//! The commands for hooks, through the real program (`cli-json.md`, `management.md` §4).
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod causes;
mod check;
mod diagnostics;
mod fire;
mod fire_events;
mod fire_input;
mod interrupt;
mod list;
mod shapes;
mod system_defaults;
mod trust;
mod usage;
mod why;
mod world;
