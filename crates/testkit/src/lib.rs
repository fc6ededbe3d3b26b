//! For tests: a hermetic [`Sandbox`], and [`puppet`], a hook program that misbehaves on request.
//!
//! A failure here means a broken test, so most functions panic with what went wrong.
//!
//! ```
//! use hookloop_testkit::Sandbox;
//!
//! let sandbox = Sandbox::new();
//! sandbox.project_settings(r#"{ "hooks": {} }"#);
//! sandbox.script("hello.sh", "#!/bin/sh\necho \"$HOME\"\n");
//!
//! // The program sees the home of the sandbox, and nothing of the person who runs the test.
//! let output = sandbox.command(sandbox.project().join("hello.sh")).output()?;
//! let home = String::from_utf8_lossy(&output.stdout);
//! assert_eq!(home.trim_end(), sandbox.home().to_string_lossy());
//! # Ok::<(), std::io::Error>(())
//! ```
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
