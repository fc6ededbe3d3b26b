//! The codes of the problems that `hooks check` finds.

use hookloop_hook::{ProblemCode, Severity};

/// Returns a table of all codes, by severity.
pub(crate) fn table() -> String {
    let of = |severity: Severity| {
        let codes = ProblemCode::ALL
            .iter()
            .filter(|it| it.severity() == severity);
        let codes: Vec<String> = codes.map(|code| format!("`{code}`")).collect();
        codes.join(" ")
    };
    format!(
        "| severity | codes |\n|---|---|\n| error | {} |\n| warning | {} |\n| info | {} |\n",
        of(Severity::Error),
        of(Severity::Warning),
        of(Severity::Info)
    )
}
