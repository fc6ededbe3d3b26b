//! Work on hooks outside of a session, as values: what the commands of the program do, and programs that embed
//! it may do, too.
//!
//! - [`fire`] fires an event at the hooks of a project, with a payload that could have happened there (CM-5).
//! - [`run_tests`] fires the payloads of a folder, and compares what comes of them (CM-6).
//! - `replay` fires what was recorded at today's hooks (CM-6).
//! - [`create_hook`] creates a hook that runs at once, with its test (CM-8); [`add_guard`] adds one that comes
//!   with the program (HT-40).
//! - [`verify_audit`] looks for what was changed in the record that the guard `audit` keeps (HT-40).
//! - [`diagnostics`] is everything that is wrong, and [`github_annotations`] and [`sarif_log`] say it to CI
//!   systems (CM-3).
//!
//! What went wrong is a [`CommandFailure`], whose code programs can rely on.

mod audit;
mod check;
mod engine;
mod extension;
mod failure;
mod fire;
mod guards;
mod near_matches;
mod new;
mod report;
mod run_view;
mod scope;
mod subject;
mod task;
mod test;
mod trace;

pub use audit::{
    Audit, AuditProblem, Verified, Voucher, audit_voucher, count_tokens, record_event, verify_audit,
};
pub use check::diagnostics;
pub use engine::Interruption;
pub use extension::{CreatedExtension, create_extension};
pub use failure::{CommandFailure, FailureCode};
pub use fire::{Fired, Staged, Wishes, decided, fire};
pub use guards::{
    AddedGuard, MeasuredGuard, RemovedGuard, Said, add_guard, ask_guards, measure_guards,
    remove_guard,
};
pub use near_matches::near_matches;
pub use new::{Created, Form, HookWishes, Language, NewType, create_hook};
pub use report::{github as github_annotations, sarif as sarif_log};
pub use run_view::RunView;
pub use scope::Scope;
pub use subject::{Subject, event};
pub use task::Task;
pub use test::{
    Difference, TestEnd, TestPlace, TestResult, Tested, painted_differences, record_test,
    run_tests, tests_folder, write_junit,
};
#[cfg(feature = "trace")]
pub use trace::{
    Replayed, RunWishes, ShadowExample, ShadowOf, find_run, in_shadow_since, last_session,
    recorded_losses, recorded_runs, replay, run_filter,
};
