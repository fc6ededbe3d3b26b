//! What the commands print as JSON (`cli-json.md`): every field is always there.

mod change;
mod check;
mod document;
mod explanation;
mod fired;
mod hook;
mod list;
mod outcome;
mod run;

pub(crate) use change::ChangeView;
pub(crate) use check::CheckView;
pub(crate) use document::{document, failure_document};
pub(crate) use explanation::{ExplanationView, SubjectView, WhyView};
pub(crate) use fired::FiredView;
pub(crate) use hook::Status;
pub(crate) use list::ListView;
pub(crate) use outcome::OutcomeView;
pub(crate) use run::{RunView, milliseconds};
