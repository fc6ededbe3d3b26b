//! What the commands print as JSON (`cli-json.md`): every field is always there.

mod change;
mod check;
mod created;
mod document;
mod explanation;
mod extensions;
mod fired;
mod hook;
mod list;
mod migration;
#[cfg(feature = "trace")]
mod recorded;
mod review;
mod run;
mod tested;

pub(crate) use change::ChangeView;
pub(crate) use check::CheckView;
pub(crate) use created::CreatedView;
pub(crate) use document::{document, failure_document};
pub(crate) use explanation::{ExplanationView, SubjectView, WhyView};
pub(crate) use extensions::{ExtensionChangeView, ExtensionView, ExtensionsView};
pub(crate) use fired::FiredView;
pub(crate) use list::ListView;
pub(crate) use migration::{MigrationView, source as migration_source};
#[cfg(feature = "trace")]
pub(crate) use recorded::{ReplayView, TraceView, followed_run};
pub(crate) use review::ReviewView;
pub(crate) use run::RunView;
pub(crate) use tested::{RecordedTestView, TestView};
