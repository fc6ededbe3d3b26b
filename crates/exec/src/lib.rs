//! Executors for the engine's port: commands in process groups, with deadlines and capped output.
//!
//! [`CommandExecutor`] runs a hook's command. It reads neither the environment nor the current
//! directory; its creator passes them as [`Surroundings`]. However a process ends, the result is a
//! completion of the engine's port. The engine owns the deadlines and sends a stop signal.
//!
//! `hookloop_host::Host` sets all of this up. If you use an executor directly, wrap it in a gate
//! that checks what runs:
//!
//! ```
//! use hookloop_engine::Hooks;
//! use hookloop_exec::{CommandExecutor, Surroundings};
//!
//! let commands = CommandExecutor::new(Surroundings {
//!     variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
//!     project_root: "/srv/shop".into(),
//!     ..Surroundings::default()
//! });
//! let hooks = Hooks::builder().executor(commands).build();
//! # let _ = hooks;
//! ```

mod child_environment;
mod command;
mod completion;
mod confined;
mod detached;
#[cfg(unix)]
mod direct;
#[cfg(feature = "http")]
mod http;
mod invocation_command;
mod later_environment;
mod links;
mod memory;
mod missing_part;
#[cfg(not(feature = "plugins"))]
mod no_plugins;
#[cfg(feature = "plugins")]
mod plugin;
mod proof;
mod repositories;
mod rule;
mod shell;
mod silenced;
mod substitution;
mod surroundings;
mod transcripts;
mod worker;

pub use command::{CommandExecutor, HookEnvironment};
#[cfg(feature = "plugins")]
pub use hookloop_plugins::{compile as compile_component, unfit as unfit_component, unfit_grants};
#[cfg(unix)]
pub use hookloop_process::watch;
#[cfg(feature = "http")]
pub use http::{is_allowed, unsendable_header};
pub use later_environment::{LaterEnvironment, LaterVariable};
pub use memory::keep_freed_memory;
pub use missing_part::{MissingPart, missing_part};
#[cfg(not(feature = "plugins"))]
pub use no_plugins::{compile_component, leave_compiling};
#[cfg(feature = "plugins")]
pub use plugin::leave_compiling;
pub use proof::is_started_by_hook;
pub use rule::{places_of, rules_file_of, rules_of};
pub use surroundings::{Redaction, Surroundings};
