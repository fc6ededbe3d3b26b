//! The agent's built-in tools: what the model may do with the workspace's files and processes
//! (`agent.md` §4).
//!
//! Every tool, built-in or not, implements the port [`Tool`], and a [`Toolbox`] contains them by
//! name. A failure of a tool is a result for the model, never an error of the session (LO-3):
//! running a tool always yields an [`Output`].
//!
//! The crate reads neither the environment nor the home folder nor the current folder; the caller
//! passes them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hookloop_events::{ToolArguments, ToolCall};
//! use hookloop_tools::{ShellSettings, Toolbox, Workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let workspace = Arc::new(Workspace::open(folder.path(), &[])?);
//! let toolbox = Toolbox::built_in(&workspace, ShellSettings::default());
//!
//! // What the model is told about a tool, and the arguments that the tool accepts.
//! let tool = toolbox.get("read_file").ok_or("there is no such tool")?;
//! assert!(tool.declaration().access.is_read_only());
//! let call = ToolCall::new("call-1", "read_file", ToolArguments::new());
//! let refused = tool.declaration().check(&call.arguments);
//! assert!(refused.is_err_and(|error| error.message.contains("file_path")));
//! # Ok(())
//! # }
//! ```

mod agents;
pub mod arguments;
mod ask_user;
mod blocking;
mod change;
mod diff;
mod error;
mod files;
mod filter;
mod front_matter;
mod media;
mod memory;
mod open_files;
mod plan;
mod port;
mod preview;
mod references;
mod schema;
mod search;
mod services;
mod shell;
mod skills;
mod sub_agent;
mod todos;
mod toolbox;
mod walk;
mod web;
mod wording;
mod workspace;

pub use agents::{AgentFolders, AgentProblem, DelegateToAgent, SubAgents};
pub use arguments::Arguments;
pub use ask_user::{AskUser, Asker, Choice, NoAnswer, Question, QuestionKind};
pub use change::FileChange;
pub use error::{ErrorKind, ToolError};
pub use files::files_to_read;
pub use filter::Filtering;
pub use media::{MAX_MEDIA_BYTES, Media};
pub use memory::{SaveMemory, remember};
pub use open_files::{OpenFiles, Opened};
pub use plan::{EnterPlanMode, ExitPlanMode};
pub use port::{Access, Declaration, EditsFile, Output, RunContext, Tool};
pub use preview::{Preview, Subject};
pub use references::{References, ReferredFile};
pub use schema::check;
pub use services::{BoxFuture, GroundingKind, NoSession, Services};
pub use shell::{
    BackgroundProcess, BackgroundProcesses, Capture, LaterVariables, Leaving, ShellSandbox,
    ShellSettings,
};
pub use skills::{ActivateSkill, Skill, SkillFolders, SkillProblem, Skills};
pub use sub_agent::{SubAgent, ToolList};
pub use todos::WriteTodos;
pub use toolbox::{ToolSource, Toolbox};
pub use web::{GoogleWebSearch, WebFetch};
pub use workspace::{Workspace, WorkspaceError};
