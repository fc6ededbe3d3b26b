//! The terminal session as people use it: through a terminal (`agent.md` §6).
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod asking;
mod commands;
mod dialog;
mod headless;
mod leaving;
mod lines;
#[cfg(feature = "mcp")]
mod logging_in;
mod models;
mod own_commands;
mod panel;
mod past;
mod references;
mod resume;
mod rewind;
mod screen;
mod session;
mod slow;
mod stalled;
mod sub_agent;
mod trust;
mod world;
