//! Checks for Kimi only: one wrong entry voids all hooks in its file, which it reports itself.

use std::fs;
use std::io;
use std::time::Duration;

use super::{CheckedAgent, Finding};
use crate::files;
use crate::program::{self, Program};

/// The time limit.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The file that contains hooks.
const FILE: &str = "config.toml";

/// Asks Kimi whether it accepts the file that contains the bridge. It reads a copy in a separate
/// folder, so that it leaves nothing behind.
pub(super) fn check_files(patient: &CheckedAgent<'_>, found: Option<&Program>) -> Vec<Finding> {
    let Some(found) = found else {
        return Vec::new();
    };
    let scopes = patient.scopes.iter();
    let installed = scopes.flat_map(|scope| patient.setting.files(patient.agent, *scope));
    let judged = installed.filter_map(|file| {
        // Unreadable files were reported by the check of the entries.
        let text = files::read(&file.path).ok().flatten()?;
        let shown = file.path.display();
        match run_doctor(patient, found, &text).ok().flatten() {
            Some(report) => objections(&report).map(|why| {
                Finding::error(format!(
                    "Kimi runs none of the hooks in {shown} until this is fixed: {why}"
                ))
            }),
            None => Some(Finding::warning(format!(
                "Kimi didn't say whether it accepts {shown}: run `kimi doctor`"
            ))),
        }
    });
    judged.collect()
}

/// Makes it examine a file, and returns its report; `None` if it made none.
fn run_doctor(
    patient: &CheckedAgent<'_>,
    found: &Program,
    text: &str,
) -> io::Result<Option<String>> {
    let home = tempfile::tempdir()?;
    fs::write(home.path().join(FILE), text)?;
    let mut variables = patient.setting.environment.variables.clone();
    let own = patient.agent.moved_by().unwrap_or_default();
    variables.retain(|(name, _)| name != "HOME" && name != own);
    variables.extend(["HOME", own].map(|name| (name.into(), home.path().into())));
    let reply = program::run(
        &found.path,
        &["doctor"],
        &variables,
        home.path(),
        "",
        TIMEOUT,
    );
    let reports = reply.map(|it| format!("{}\n{}", it.stdout, it.stderr));
    Ok(reports.filter(|it| it.contains(FILE)))
}

/// Finds a report's objections to hooks, or to the whole file.
fn objections(report: &str) -> Option<String> {
    let mut lines = report.lines().map(str::trim);
    lines.find(|it| it.starts_with("ERROR") && it.contains(FILE))?;
    let of_file = lines.take_while(|it| !it.starts_with("SKIP") && !it.starts_with("OK"));
    let lines: Vec<&str> = of_file.filter(|it| !it.is_empty()).collect();
    let is_about = |it: &&&str| it.starts_with("hooks");
    let hooks: Vec<&str> = lines.iter().filter(is_about).copied().collect();
    // If single sections are wrong, the others still apply.
    let names_sections = lines.iter().any(|it| it.starts_with("Validation issues"));
    match (hooks.is_empty(), names_sections) {
        (false, _) => Some(hooks.join("; ")),
        (true, false) => Some(lines.join(" ")),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::objections;

    /// BR-3: objections to hooks are found, and objections to something else aren't.
    #[test]
    fn what_is_wrong_with_hooks_is_found() {
        let report = |issue: &str| {
            format!(
                "Kimi doctor found 1 issue.\n\nERROR config.toml  /h/config.toml\n  Invalid configuration in \
                 /h/config.toml.\n  Validation issues:\n    {issue}\nSKIP tui.toml     /h/tui.toml\n  none\n"
            )
        };
        let found = objections(&report(
            "hooks[10].event: Invalid option: expected one of \"Stop\"",
        ));
        assert!(found.is_some_and(|it| it.starts_with("hooks[10].event")));
        assert_eq!(objections(&report("telemetry: Invalid input")), None);
        let broken = "ERROR config.toml  /h/config.toml\n  Invalid TOML in /h/config.toml: line 1\nSKIP tui.toml\n";
        assert!(objections(broken).is_some_and(|it| it.contains("Invalid TOML")));
        assert_eq!(
            objections("Kimi doctor\n\nOK config.toml  /h/config.toml\n"),
            None
        );
    }
}
