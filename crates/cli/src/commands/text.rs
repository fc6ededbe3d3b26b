//! Words that several commands print for people. Whatever comes from a file is printed with its
//! control characters escaped: a hook's name must not move the cursor.

mod diagnostics;
mod explanation;
mod failure;
mod heading;
mod run;

pub(crate) use diagnostics::{diagnostics, diagnostics_of_sources};
pub(crate) use explanation::{explanation, skipped};
pub(crate) use failure::{failure, warning};
pub(crate) use heading::{event_heading, fired_heading};
pub(crate) use run::{ShownRun, run_text};
#[cfg(feature = "trace")]
pub(crate) use run::{ending, result_style};
