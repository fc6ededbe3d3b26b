//! The bridge at work (`bridge.md`): answers another agent's calls, and makes that agent call.
//! `hookloop-bridge`, which is pure, interprets payloads and writes answers; this crate has the
//! processes, files and hooks.
//!
//! - [`answer_call`] reads an agent's payload, runs the person's hooks, and answers so that the
//!   agent obeys (BR-10 to BR-31).
//! - [`install`] and [`uninstall`] edit the settings that make an agent call (BR-1, BR-2).
//! - [`connections`] lists the agents on this machine, and [`examine`] checks whether they would
//!   obey a refusal now (BR-3).
//!
//! ```
//! use hookloop_bridging::{Setting, connections};
//! use hookloop_session::{Environment, Surroundings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (home, project) = (folder.path().join("home"), folder.path().join("project"));
//! # std::fs::create_dir_all(&home)?;
//! # std::fs::create_dir_all(project.join(".git"))?;
//! let environment = Environment::new(Surroundings {
//!     variables: vec![("HOME".into(), home.into())],
//!     current_dir: project,
//!     scratch_dir: std::env::temp_dir(),
//!     program: None,
//!     version: env!("CARGO_PKG_VERSION"),
//! })?;
//! for connection in connections(&Setting::of(&environment)) {
//!     // Nothing was installed for this home, so no agent calls the bridge.
//!     assert!(connection.scopes.is_empty());
//! }
//! # Ok(())
//! # }
//! ```

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
    Failure, FailureKind, Installed, RemainingCall, StaleCalls, Uninstalled, install, uninstall,
};
pub use memory::kept_for_next_call;
pub use program::Program;
pub use setting::{Connection, Setting, connections};
pub use view::{ConnectionView, ConnectionsView, ExaminedView, InstalledView, UninstalledView};

/// A call of another agent, as given on the command line.
#[derive(Debug, Clone)]
pub struct AgentCall {
    /// The calling agent, such as `claude-code`.
    pub agent: String,
    /// Its event, as the agent names it.
    pub event: String,
    /// The path by which the program was called. The link's path identifies the person for whom the
    /// bridge was installed (BR-25).
    pub invoked: Option<PathBuf>,
    /// Whether hooks also read the payload as the agent wrote it, under `bridge.raw`.
    pub raw: bool,
    /// Where state and records are kept, for tests of a call.
    pub state: Option<PathBuf>,
    /// The file that lists the hooks that nobody waits for, if the call itself was already
    /// answered.
    pub unawaited: Option<PathBuf>,
    /// The timeout with which the call is registered. The answer is given at 80 % of it.
    pub timeout: Duration,
}

/// The variables of a process, by name.
pub type Variables = Vec<(OsString, OsString)>;

/// What only the program that contains the bridge knows.
#[derive(Debug, Clone, Copy)]
pub struct ProgramPort {
    /// Interprets its environment. The variables were already collected (ENV-3).
    pub environment: fn(Variables) -> Result<Environment, EnvironmentError>,
    /// Returns whether the arguments of the program would change guards (TR-11).
    pub changes: fn(&[String]) -> bool,
}
