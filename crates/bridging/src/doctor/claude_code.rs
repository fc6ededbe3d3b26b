//! Checks for Claude Code only: one wrong value in a settings file voids the whole file, including
//! its hooks.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::time::Duration;

use super::{CheckedAgent, Finding};
use crate::files;
use crate::program::{self, Program};

/// The time limit.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The beginning of its report.
const HEADING: &str = "Claude Code doctor";

/// The message about an entry that alone is left out.
const LEFT_OUT: &str = "ignored";

/// It only examines the file then, without using the network.
const ALONE: [(&str, &str); 3] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// Asks Claude Code whether it accepts the files that contain the bridge. It reads copies in a
/// separate home folder, so that it leaves nothing behind.
pub(super) fn check_files(patient: &CheckedAgent<'_>, found: Option<&Program>) -> Vec<Finding> {
    let Some(found) = found else {
        return Vec::new();
    };
    let setting = patient.setting;
    let scopes = patient.scopes.iter();
    let installed = scopes.flat_map(|scope| setting.files(patient.agent, *scope));
    let mut findings = Vec::new();
    for file in installed {
        // Unreadable files were reported by the check of the entries.
        let Ok(Some(text)) = files::read(&file.path) else {
            continue;
        };
        let shown = file.path.display();
        let report = run_doctor(patient, found, &text).ok().flatten();
        let Some(report) = report.filter(|it| it.contains(HEADING)) else {
            findings.push(Finding::warning(format!(
                "Claude Code didn't say whether it accepts {shown}: start it, and look at /doctor"
            )));
            continue;
        };
        findings.extend(objections(&report).map(|objection| {
            if objection.contains(LEFT_OUT) {
                Finding::warning(format!(
                    "Claude Code ignores something in {shown}: {objection}"
                ))
            } else {
                Finding::error(format!(
                    "Claude Code ignores everything in {shown}, including hooks, until this is \
                     fixed: {objection}"
                ))
            }
        }));
    }
    findings
}

/// Makes it examine settings, and returns its report.
fn run_doctor(
    patient: &CheckedAgent<'_>,
    found: &Program,
    text: &str,
) -> io::Result<Option<String>> {
    let home = tempfile::tempdir()?;
    let folder = home.path().join(".claude");
    let project = home.path().join("project");
    fs::create_dir(&folder)?;
    fs::create_dir(&project)?;
    fs::write(folder.join("settings.json"), text)?;
    let mut variables = patient.setting.environment.variables.clone();
    let own = |name: &OsString| name == "HOME" || name == "CLAUDE_CONFIG_DIR";
    variables.retain(|(name, _)| !own(name));
    variables.push(("HOME".into(), home.path().into()));
    variables.extend(ALONE.map(|(name, value)| (name.into(), value.into())));
    let reply = program::run(&found.path, &["doctor"], &variables, &project, "", TIMEOUT);
    Ok(reply.map(|it| it.stdout))
}

/// Finds a report's objections to a settings file: where in it, and what is wrong there.
fn objections(report: &str) -> impl Iterator<Item = &str> {
    let lines = report.lines().map(str::trim_start);
    let lines = lines.filter_map(|it| it.strip_prefix("- "));
    lines.filter_map(|line| {
        let (_, after) = line.split_once(".claude/settings.json")?;
        Some(after.trim_start_matches([' ', '\u{203a}', ':', '(']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-3: objections to a settings file are found, and nothing else.
    #[test]
    fn objections_to_a_settings_file_are_found() {
        let report = "Claude Code doctor\n\nRunning: npm (2.1.330)\n\nInvalid settings\n\
            - /h/.claude/settings.json \u{203a} permissions: Expected object, but received number\n\
            - /h/.claude/settings.json \u{203a} hooks.Foo: Unknown hook event \"Foo\" was ignored.\n\n\
            Remote Control\n- Not signed in\n";
        let found: Vec<&str> = objections(report).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("permissions") && !found[0].contains(LEFT_OUT));
        assert!(found[1].starts_with("hooks.Foo") && found[1].contains(LEFT_OUT));
        assert_eq!(objections("Claude Code doctor\n\nNo issues.\n").count(), 0);
    }
}
