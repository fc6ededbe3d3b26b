//! Manages hooks outside a session: the operations of the program's commands, as functions that
//! other programs can call, too.
//!
//! - [`fire`] fires an event at the hooks of a project, with a realistic payload (CM-5).
//! - [`run_tests`] fires the payloads in a folder, and compares the outcomes (CM-6).
//! - `replay` runs the current hooks on a recorded payload (CM-6).
//! - [`create_hook`] creates a hook that runs at once, with its test (CM-8); [`add_guard`] adds one
//!   that comes with the program (HT-40).
//! - [`verify_audit`] finds changes in the log of the guard `audit` (HT-40).
//! - [`check`](check()) finds all problems, and [`github_annotations`] and [`sarif_log`] report
//!   them to CI systems (CM-3).
//!
//! Nothing here checks who the caller is. A program that lets others choose what to do must check
//! that itself (TR-11), as `hookloop` does before it runs a command.
//!
//! Errors are [`CommandFailure`]s, whose codes programs can rely on.
//!
//! ```
//! use hookloop_manage::{FailOn, Task, check};
//! use hookloop_session::{Environment, RunOptions, Surroundings};
//! use tokio_util::sync::CancellationToken;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (home, project) = (folder.path().join("home"), folder.path().join("project"));
//! # std::fs::create_dir_all(&home)?;
//! # std::fs::create_dir_all(project.join(".git"))?;
//! # std::fs::create_dir_all(project.join(".gemini"))?;
//! # let settings = r#"{ "hooks": { "BeforeTol": [] } }"#;
//! # std::fs::write(project.join(".gemini/settings.json"), settings)?;
//! let environment = Environment::new(Surroundings {
//!     variables: vec![("HOME".into(), home.into())],
//!     current_dir: project,
//!     scratch_dir: std::env::temp_dir(),
//!     program: None,
//!     version: env!("CARGO_PKG_VERSION"),
//! })?;
//! let task = Task {
//!     environment: &environment,
//!     run: &RunOptions::default(),
//!     stop: &CancellationToken::new(),
//! };
//! let checked = check(task, FailOn::Errors);
//! for problem in &checked.problems {
//!     println!("{problem}");
//! }
//! assert!(checked.verdict.has_failed());
//! # Ok(())
//! # }
//! ```

mod adopt;
mod audit;
mod change;
mod check;
mod document;
mod engine;
mod extensions;
mod failure;
mod fire;
mod guards;
mod kept_out;
mod list;
mod migrate;
mod near_matches;
mod new;
mod person;
mod review;
mod scope;
mod servers;
mod skills;
mod subject;
mod switch;
mod test;
pub mod text;
mod trace;
mod trust;
mod view;
mod warnings;
#[cfg(test)]
mod world;

pub use adopt::{Adoption, AdoptionView, FoundHook, adopt_agents, adoptable_agent, find_adoptable};
pub use audit::{
    Audit, AuditProblem, AuditView, Verified, Voucher, audit_voucher, count_tokens, record_event,
    verify_audit,
};
pub use change::{Change, ChangeView};
pub use check::{
    CheckView, Checked, FailOn, ProblemCounts, check, github as github_annotations,
    sarif as sarif_log,
};
pub use document::{document, failure_document, part_document};
pub use engine::{Interruption, Task};
pub use extensions::{
    Agreement, Consent, CreatedExtension, ExtensionSettings, ExtensionView, ExtensionsView,
    InstalledExtension, Proposal, SwitchedExtension, UninstalledExtension, Update,
    create_extension, disable_extension, enable_extension, install_extension, link_extension,
    list_extensions, set_extension_settings, uninstall_extension, update_extension,
    update_extensions, validate_extension,
};
pub use failure::{CommandFailure, FailureCode};
pub use fire::{Fired, FiredView, Staged, Wishes, explain_payload, fire};
pub use guards::{
    AddedGuard, AskedGuardsView, GuardJudgement, GuardView, GuardsView, MeasuredGuard,
    MeasuredGuardsView, RemovedGuard, add_guard, ask_guards, decision, measure_guards,
    remove_guard,
};
pub use kept_out::{Admitted, KeptOut, keep_out, let_in};
pub use list::{ListView, ListedHooks, list_hooks};
pub use migrate::{Migrated, MigrationView, MigrationWishes, Writing, item_source, migrate_hooks};
pub use near_matches::near_matches;
pub use new::{Created, CreatedView, Form, HookWishes, Language, NewType, Template, create_hook};
pub use person::permit_change;
pub use review::{ReviewView, ReviewedHook, review_hooks, unified_diff};
pub use scope::Scope;
pub use servers::{
    AddedServer, ConfiguredServer, RemovedServer, ServerConfirmation, ServerWishes, Transport,
    add_server, configured_servers, remove_server, servers_not_started,
};
pub use skills::{
    AgreeToSkills, InstalledSkill, SkillWishes, install_skills, link_skills, uninstall_skill,
};
pub use subject::{Subject, event};
pub use switch::{
    SwitchEffect, Switched, Turn, describe_source, disable_hook, enable_hook, still_off_warnings,
    switch_all_hooks,
};
pub use test::{
    Difference, RecordedTestView, SkippedHook, TestEnd, TestPlace, TestResult, TestView, Tested,
    painted_differences, record_test, run_tests, tests_folders, write_junit,
};
#[cfg(feature = "trace")]
pub use trace::{
    ReplayView, Replayed, RunWishes, ShadowExample, ShadowOf, ShadowView, TracePage, TraceView,
    find_run, follow_runs, in_shadow, recorded_losses, recorded_runs, replay, run_filter,
    write_page,
};
pub use trust::{TrustChanged, TrustWish, WordChange, trust_hooks, untrust_hooks};
pub use view::{ExplanationView, HookView, RunView, SubjectView, WhyView};
