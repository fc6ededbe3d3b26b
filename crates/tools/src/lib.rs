//! The built-in tools: what the model may do to files and processes of the workspace (`agent.md` §4).
//!
//! Every tool, built in or not, stands behind the port [`Tool`]. A [`Toolbox`] holds them by name.
//! A failing tool is a result for the model and never an error of the session (LO-3): running a tool
//! always yields an [`Output`].
//!
//! The crate reads neither environment nor home folder nor current folder; it gets values.

mod arguments;
mod blocking;
mod diff;
mod error;
mod files;
mod filter;
mod port;
mod preview;
mod schema;
mod search;
mod shell;
mod toolbox;
mod walk;
mod wording;
mod workspace;

pub use error::{ErrorKind, ToolError};
pub use port::{Access, Arguments, BoxFuture, Declaration, Output, RunContext, Tool};
pub use preview::{Preview, Subject};
pub use schema::check;
pub use shell::{BackgroundProcess, BackgroundProcesses, ShellSettings};
pub use toolbox::Toolbox;
pub use workspace::{Filtering, Workspace, WorkspaceError};
