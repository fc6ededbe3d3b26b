//! What several commands print as JSON (`cli-json.md`): every field is always there.

mod document;
mod explanation;
mod hook;

#[cfg(feature = "trace")]
pub(crate) use document::SCHEMA_VERSION;
pub(crate) use document::{document, failure_document};
pub(crate) use explanation::{ExplanationView, SubjectView, WhyView};
pub(crate) use hook::HookView;
