//! The commands: each works on values and returns its output. A command's arguments, work and texts
//! are in its own module.

mod adopt;
mod audit;
mod bridge;
mod check;
mod completion;
mod context;
mod dashboard;
mod demo;
mod extensions;
mod fire;
mod guards;
mod hooks;
mod kept_out;
mod list;
mod man;
mod mcp;
mod migrate;
mod new;
mod person;
mod review;
mod skills;
mod switch;
mod test;
mod trace;
mod trust;
mod watch;
mod why;

pub(crate) use audit::{AuditArguments, run as run_audit};
pub(crate) use bridge::{BridgeArguments, CallArguments, run as run_bridge, run_call};
pub(crate) use completion::{
    CompleteArguments, CompletionsArguments, NAME as COMPLETE_NAME, complete, script,
};
pub(crate) use dashboard::{DashboardArguments, run as run_dashboard};
pub(crate) use demo::{DemoArguments, run as run_demo};
pub(crate) use extensions::{ExtensionsArguments, ExtensionsCommand, run as run_extensions};
pub(crate) use guards::{GuardsArguments, run as run_guards};
pub(crate) use hooks::{HooksArguments, HooksCommand, run as run_hooks};
pub(crate) use man::{ManArguments, man};
pub(crate) use mcp::{McpArguments, run as run_mcp};
pub(crate) use person::{Effect, permit};
pub(crate) use skills::{SkillsArguments, run as run_skills};
pub(crate) use watch::WatchArguments;
