//! The agent's built-in tools: what the model may do with the workspace's files and processes
//! (`agent.md` §4).
//!
//! Every tool, built-in or not, implements the port [`Tool`], and a [`Toolbox`] contains them by
//! name. A failure of a tool is a result for the model, never an error of the session (LO-3):
//! running a tool always yields an [`Output`].
//!
//! The crate reads neither the environment nor the home folder nor the current folder; the caller
//! passes them.

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
