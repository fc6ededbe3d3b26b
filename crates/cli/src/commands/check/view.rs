//! What `check` found, as JSON (CM-3). The diagnostics themselves are part of every object.

use hookloop_hook::{Problem, Severity};
use serde::Serialize;

/// Shows the counts of a check.
#[derive(Debug, Serialize)]
pub(crate) struct CheckView {
    strict: bool,
    counts: Counts,
}

#[derive(Debug, Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    infos: usize,
}

impl CheckView {
    /// Counts problems.
    pub(crate) fn new(strict: bool, problems: &[Problem]) -> Self {
        let count = |severity| {
            problems
                .iter()
                .filter(|problem| problem.severity == severity)
                .count()
        };
        Self {
            strict,
            counts: Counts {
                errors: count(Severity::Error),
                warnings: count(Severity::Warning),
                infos: count(Severity::Info),
            },
        }
    }

    /// Tells whether the check failed.
    pub(crate) const fn has_failed(&self) -> bool {
        self.counts.errors > 0 || (self.strict && self.counts.warnings > 0)
    }

    /// Says the counts in words.
    pub(crate) fn in_words(&self) -> String {
        let Counts {
            errors,
            warnings,
            infos,
        } = self.counts;
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let mut words = format!(
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        );
        if infos > 0 {
            words.push_str(", ");
            words.push_str(&counted(infos, "note"));
        }
        words
    }
}
