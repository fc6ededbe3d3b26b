//! What the engine promises, seen from a host.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod dialects;
mod failing;
mod flowing;
mod in_process;
mod lifecycle;
mod planning;
mod records;
mod running;
mod sealing;
mod second_look;
mod support;
mod timing;
mod twins;
