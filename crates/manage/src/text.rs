//! Text for people about runs, plans, problems and failures, the same wherever it is shown.
//! Everything that comes from a file is printed with its control characters escaped: a hook's name
//! must not move the cursor.

mod diagnostics;
mod explanation;
mod run;

pub use diagnostics::{diagnostics, diagnostics_of_sources, failure, warning};
pub use explanation::{event_heading, explanation, fired_heading, skipped_text};
#[cfg(feature = "trace")]
pub use run::kind_of_stored;
pub use run::{ShownRun, ending, result_style, run_text};
