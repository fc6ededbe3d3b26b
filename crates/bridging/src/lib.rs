//! The bridge at work (`bridge.md`): what another agent's call comes to here, and how that agent is brought to
//! call. What its payloads and answers mean is decided by `hookloop-bridge`, which is pure; here are the
//! processes, files and hooks.
//!
//! - [`answer_call`] reads an agent's payload, runs the person's hooks, and answers so that the agent obeys
//!   (BR-10 to BR-31).
//! - [`install`] and [`uninstall`] write what makes an agent call (BR-1, BR-2).
//! - [`connections`] says which agents are on this machine, and [`examine`] whether a refusal would be obeyed
//!   now (BR-3).

mod around;
mod call;
mod concluding;
mod config_change;
mod doctor;
mod files;
mod firing;
mod hosting;
mod installation;
mod lasting;
mod late;
mod memory;
mod program;
mod project_variables;
mod protecting;
mod reading;
mod records;
mod setting;
mod surroundings;
mod unawaited;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hookloop_session::{Environment, EnvironmentError};

pub use call::answer_call;
pub use doctor::{Depth, Examined, Finding, Level, examine};
pub use installation::{
    Failure, FailureKind, Installed, RemainingCall, Uninstalled, UntilThen, install, uninstall,
};
pub use memory::kept_for_next_call;
pub use program::Program;
pub use setting::{Connection, Setting, connections};
pub use view::{ConnectionView, ConnectionsView, ExaminedView, InstalledView, UninstalledView};

/// A call of another agent, as the command line that it was registered with says it.
#[derive(Debug, Clone)]
pub struct AgentCall {
    /// Who calls, such as `claude-code`.
    pub agent: String,
    /// Its event, in its own words.
    pub event: String,
    /// The path by which the program was called: that of the link says for whom the bridge was installed
    /// (BR-25).
    pub invoked: Option<PathBuf>,
    /// Whether hooks read the payload as the agent wrote it, too, as `bridge.raw`.
    pub raw: bool,
    /// Where is kept what is remembered and recorded, for a test of the call.
    pub state: Option<PathBuf>,
    /// The file that says which hooks are to run that nobody waits for, of a call that was answered.
    pub unawaited: Option<PathBuf>,
    /// The timeout with which the call is registered; at 80 % of it the answer is given.
    pub timeout: Duration,
}

/// The variables of a process, by name.
pub type Variables = Vec<(OsString, OsString)>;

/// What only the program around a call knows.
#[derive(Debug, Clone, Copy)]
pub struct ProgramPort {
    /// Reads its surroundings; the variables were taken over already (ENV-3).
    pub environment: fn(Variables) -> Result<Environment, EnvironmentError>,
    /// Tells of the words behind the program's name whether they change guards (TR-11).
    pub changes: fn(&[String]) -> bool,
}
