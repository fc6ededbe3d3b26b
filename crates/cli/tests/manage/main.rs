//! The commands that change hooks, settings and extensions, through the real program
//! (`management.md` §3, §4).
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod asking;
mod completion;
mod completion_shells;
mod concurrent;
mod editor;
mod extension_sources;
mod extension_switches;
mod extensions;
#[cfg(all(feature = "keyring", not(target_os = "macos")))]
mod keyring;
mod mcp;
mod migrate;
mod new;
mod review;
mod schema;
mod switch;
mod switch_all;
mod usage;
#[path = "../hooks/world.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod world;
