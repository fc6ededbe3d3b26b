//! For tests: a hermetic [`Sandbox`], and [`puppet`], a hook program that misbehaves on request.
//!
//! A failure here means a broken test, so most functions panic with what went wrong.
#![expect(
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::expect_used,
    reason = "a test that can't be set up fails"
)]

mod component;
pub mod log_in;
pub mod mcp_puppet_actions;
pub mod model_server;
#[cfg(target_os = "linux")]
mod processes;
mod program;
#[cfg(unix)]
pub mod puppet_actions;
mod sandbox;
mod seeded_rng;
mod skipped;
mod waiting;

pub use component::component;
pub use hookloop_rehearsal as rehearsal;
#[cfg(target_os = "linux")]
pub use processes::{SandboxProcess, private_bytes, processes_of};
pub use program::{Unbuilt, mcp_puppet, program, puppet};
pub use sandbox::{Finished, Sandbox};
pub use seeded_rng::SeededRng;
pub use skipped::skipped;
pub use waiting::wait_until;
#[cfg(unix)]
pub use waiting::{is_process_alive, no_process_left};
