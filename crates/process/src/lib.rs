//! The one way to run a program, for hooks, tools and servers alike: in a process group of its own,
//! with every output read up to a cap, and ended with all that it started.
//!
//! A [`Process`] leads its group; dropping it ends the group, unless it was released. On Linux what
//! left the group is found as well ([`Strays`]): by descent as long as the process leads to it, and
//! by a mark in its environment ([`MARK`]) wherever it went. [`run_to_end`] serves the [`Streams`]
//! of a process until it ends, or is asked to end, gets its grace and is killed.
//!
//! Nothing here reads the environment or the current directory, and deadlines are the caller's.

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
pub use left_alone::{LeftAlone, apart};
pub use leftovers::Leftovers;
#[cfg(unix)]
pub use platform::reap;
pub use platform::{
    Exit, Group, Pipes, Process, Reader, Writer, is_executable, is_refusal, read_at, unread, writer,
};
#[cfg(target_os = "linux")]
pub use platform::{Stray, Strays, adopt_orphans};
pub use search::find_program;
pub use streams::Streams;
pub use termination::{End, GRACE_OF_CANCELLED, run_to_end};
#[cfg(unix)]
pub use watch::watch;

/// How long a group that was asked to end has for it (IO-31).
pub const GRACE: Duration = Duration::from_secs(1);

/// The variable that marks a process and all that descends from it, whatever group or session they
/// move to. Its value is another for each process that is started.
pub const MARK: &str = "HOOKLOOP_RUN";
