//! Loads hooks from settings on disk, vouches for them, registers them, checks each one before it
//! runs, and watches their files.
//!
//! Every program that embeds the engine uses this crate for these steps, including the agent in
//! this repository, so that none can forget one. The settings of all layers are loaded with their
//! places, each hook gets its standing, and the hooks that may run are registered. Right before a
//! hook runs, it is checked again, in its real working directory ([TR-1], [TR-6]).
//!
//! - [`Host`] does all of it: three lines from a folder to a guarded call.
//! - [`Workspace`] is everything that is configured for a project, including which hooks may run.
//! - [`Gate`] wraps an executor, and checks each hook right before it runs.
//! - [`Stamps`] detect whether a file that hooks come from has changed.
//! - [`Protected`] lists the files that guards depend on, and that tool calls must not change
//!   ([TR-8]).
//! - [`OuterAgents`] distinguishes a person from an agent ([TR-11]).
//!
//! Your own host needs only this crate, `hookloop-engine` and tokio. Whatever can't be loaded is
//! returned as problems. Print them, and set an observer: otherwise a hook may be off without
//! anybody knowing.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hookloop_engine::LineObserver;
//! use hookloop_engine::events::{BeforeTool, BeforeToolOutcome, Ruling, ToolArguments, ToolCall};
//! use hookloop_host::Host;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (project, home) = (folder.path().join("project"), folder.path().join("home"));
//! # std::fs::create_dir_all(&project)?;
//! let host = Host::builder(project)
//!     .home(home)
//!     // Besides the hooks in the settings, one of the program's own.
//!     .hooks(|hooks| {
//!         hooks
//!             .on::<BeforeTool>("no-shell")
//!             .matching("run_shell_command")
//!             .answer(async |_| Ruling::deny("no shell here"))
//!             // Shows which hooks are skipped or fail, and what they say.
//!             .observer(Arc::new(LineObserver::new(|line| eprintln!("{line}"))))
//!     })
//!     .open()?;
//! for problem in host.problems() {
//!     eprintln!("{problem}");
//! }
//! let session = host.session("one");
//! let call = ToolCall::new("call-1", "run_shell_command", ToolArguments::new());
//! let conclusion = session.before_tool(call, |_| Ok::<_, String>(())).await?;
//! // Only `Proceed` contains a call that may run.
//! assert!(matches!(conclusion.outcome, BeforeToolOutcome::Deny(..)));
//! # Ok(())
//! # }
//! ```
//!
//! [TR-1]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-1
//! [TR-11]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-11
//! [TR-6]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-6
//! [TR-8]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-8

mod agency;
mod clearance;
mod compared;
mod content;
mod digests;
mod examining;
mod folders;
mod gate;
mod held;
mod host;
mod kinds;
mod lazy_protected;
mod own_hooks;
mod places;
mod private;
mod protected;
mod searched;
mod settled;
mod snapshot;
mod start_files;
mod tainted;
mod watch;
mod workspace;

pub use agency::{
    AGENT_MARK, AgentMark, Answer, Answerer, OuterAgent, OuterAgents, keep_descendants,
    take_own_name,
};
pub use clearance::{CallWatch, Concern, Judged, LaterValue, OwnProgram, only_reads};
pub use folders::{state_folder, system_files, usual_settings_file};
pub use gate::{Gate, Vouching};
pub use held::Held;
pub use hookloop_hook::{Problem, ProblemCode, Severity};
pub use hookloop_settings::RunTrust;
pub use host::{Host, HostBuilder, HostError, Refresh};
pub use lazy_protected::LazyProtected;
pub use own_hooks::own_hooks;
pub use private::{make_private_folder, private_options};
pub use protected::{Protected, Touch};
pub use settled::settling;
pub use snapshot::{ProtectedChange, Snapshot};
pub use tainted::Tainted;
pub use watch::Stamps;
pub use workspace::{Opening, Workspace, folder_name};
