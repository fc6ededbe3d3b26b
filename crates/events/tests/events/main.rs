//! The laws of the eleven events.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod context;
mod laws;
mod merging;
mod payloads;
mod replies;
mod support;
mod threading;
mod tool_choice;
