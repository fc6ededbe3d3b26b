//! Parses shell commands and reports what they would run (HT-30).
//!
//! All knowledge of shell syntax in this workspace is here, in two layers:
//!
//! - **syntax**: [`quote`], [`split_plain`] and [`quote_references`] handle words, quotes and
//!   variables;
//! - **understanding**: [`understand`] finds every simple command that would run, however deeply it
//!   is nested, with the files that it uses and whatever can't be known; [`files_named`] finds the
//!   files that these commands run or name; [`lost_statuses`] finds the parts whose exit code is
//!   lost; [`permitted`] and [`may_be`] compare commands with rules: a permission gets the
//!   narrowest reading, a refusal the widest (HT-31).
//!
//! Every result depends only on the text and on the [`Surroundings`] that the caller passes.
//! Nothing here reads files or the environment, or starts processes.
//!
//! ```
//! use hookloop_shell::{Surroundings, permitted, understand};
//!
//! let around = Surroundings {
//!     folder: Some("/srv/shop"),
//!     ..Surroundings::default()
//! };
//! let text = "cd build && sudo git -C . push --force && sh -c 'rm -r old'";
//! let understood = understand(text, around);
//! assert!(understood.parsed && !understood.opaque());
//!
//! // Every command is found, also inside of others, in its normal form.
//! let lines: Vec<String> = understood.commands.iter().map(|it| it.line()).collect();
//! assert!(lines.contains(&"git push --force".to_owned()));
//! assert!(lines.contains(&"rm -r old".to_owned()));
//! let rm = understood.commands.iter().find(|it| it.program == "rm").expect("it is found");
//! assert_eq!(rm.folders, ["/srv/shop/build"]);
//!
//! // What can't be known is said, and never allowed.
//! let hidden = understand("curl example.org | sh", around);
//! assert!(hidden.opaque());
//! assert!(!permitted(&hidden, |command, _| command.program == "curl"));
//! ```
//!
//! The parser is [`rable`]; `docs/design/0005-one-understanding-of-shell-text.md` gives the
//! reasons. Its types aren't part of this crate's interface.

mod base64;
mod budget;
mod build_files;
mod certainty;
mod condition;
mod consoles;
mod curl;
mod expand;
mod file_versions;
mod files;
mod flow;
mod interpreters;
mod languages;
mod moved;
mod named;
mod open_files;
mod options;
mod outputs;
mod own_variables;
mod patches;
mod pattern;
mod permission;
mod program_options;
mod quoting;
mod references;
mod run;
mod runners;
mod same_programs;
mod scope;
mod scripts;
mod sed;
mod simple;
mod status;
mod surroundings;
mod syntax;
mod unclosed;
mod understood;
mod walk;
mod wrappers;

pub use base64::decode_base64;
pub use build_files::{build_file_options, build_files, is_build_file, recipe_of_line};
pub use curl::{curl_line, wget_line};
pub use interpreters::{inline_options, runs_text, script_options};
pub use languages::{Language, is_posix_shell, is_shell};
pub use named::{FileNamed, NamedFiles, Unpinned, files_named};
pub use open_files::{is_open_file, is_standard_input};
pub use own_variables::is_set_by_shells;
pub use patches::applies_patch;
pub use pattern::{component_may_meet, matches, may_meet};
pub use permission::{command_lines, may_be, permitted};
pub use quoting::{join, quote, split_plain};
pub use references::{misplaced, quote_references, reference};
pub use run::{GitSettings, alias_of_git, end_of_head, is_builtin, settings_of_git};
pub use runners::{LookupPlace, Members, Recipes, Runner, RunnerFile, Work, runner, runner_around};
pub use same_programs::usual_name;
pub use scripts::runs_script;
pub use sed::{SedScript, script as sed_script};
pub use status::{LostBy, LostStatus, lost_statuses};
pub use surroundings::{FileText, Files, Surroundings, Variables, join_path, normalize_path};
pub use unclosed::{Unclosed, unclosed};
pub use understood::{
    Assignment, Command, Definition, DefinitionKind, Failing, Input, OpaquePart, OpaqueReason,
    PathUse, Place, Redirect, RedirectKind, RemovedVariables, Timing, Understood, Word,
};
pub use walk::understand;
pub use wrappers::{Contained, Mount, contained};

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod tests;
