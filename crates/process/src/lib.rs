//! Runs programs, for hooks, tools and servers alike: each one in its own process group, with every
//! output read up to a cap, and ended together with everything that it started.
//!
//! A [`Process`] leads its group; dropping it ends the group, unless it was released. On Linux,
//! descendants that left the group are found as well ([`Strays`]): by their parents while the
//! process runs, and otherwise by a mark in their environment ([`MARK`]). [`run_to_end`] serves the
//! [`Streams`] of a process until it ends by itself, or is asked to end and, after a grace period,
//! killed.
//!
//! For a program that answers once, [`ask`] is all it takes:
//!
//! ```
//! use std::time::Duration;
//!
//! use hookloop_process::{Question, ask};
//!
//! # #[cfg(unix)]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let reply = ask(&Question {
//!     program: "/bin/sh".as_ref(),
//!     arguments: &["-c", "cat; sleep 600 & exit 3"],
//!     variables: &[],
//!     folder: "/".as_ref(),
//!     input: "hello",
//!     longest: Duration::from_secs(60),
//! })
//! .await?;
//! // It doesn't wait for what the program left behind, but ends it.
//! assert_eq!(reply.stdout, "hello");
//! assert_eq!(reply.status.and_then(|it| it.code()), Some(3));
//! # Ok(())
//! # }
//! # #[cfg(not(unix))]
//! # fn main() {}
//! ```
//!
//! Nothing here reads the environment or the current directory. The caller sets the deadlines.

use std::time::Duration;

mod asking;
mod attached;
mod capture;
mod left_alone;
mod leftovers;
mod platform;
mod search;
mod streams;
mod termination;
#[cfg(unix)]
mod watch;

pub use asking::{Question, Reply, ask, ask_here, ask_until};
pub use attached::run_attached;
pub use capture::Captured;
pub use left_alone::{LeftAlone, detach};
pub use leftovers::Leftovers;
pub use platform::{
    Exit, Group, Pipes, Process, Reader, Writer, is_executable, is_refusal, read_at, unread_input,
    writer,
};
#[cfg(target_os = "linux")]
pub use platform::{Stray, Strays, adopt_orphans};
#[cfg(unix)]
pub use platform::{kill_running, reap};
pub use search::find_program;
pub use streams::Streams;
pub use termination::{End, GRACE_OF_CANCELLED, run_to_end};
#[cfg(unix)]
pub use watch::watch;

/// The grace period of a group that was asked to end (IO-31).
pub const GRACE: Duration = Duration::from_secs(1);

/// The variable that marks a process and all its descendants, whatever group or session they move
/// to. Each started process has its own value.
pub const MARK: &str = "HOOKLOOP_RUN";
