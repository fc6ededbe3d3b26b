//! Drift: files that are generated and committed are what their generator prints today.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::violation::Violation;

/// A committed file and the command that prints it.
pub(crate) struct Generated {
    /// Path from the workspace's root.
    pub(crate) file: &'static str,
    /// Program and arguments, run in the workspace's root; standard output is the file.
    pub(crate) command: &'static [&'static str],
}

/// Every generated file. An entry looks like
/// `Generated { file: "schemas/x.json", command: &["cargo", "run", "-q", "-p", "hookloop", …] }`.
pub(crate) const GENERATED: &[Generated] = &[
    Generated {
        file: "schemas/settings.schema.json",
        command: &[
            "cargo",
            "run",
            "-q",
            "-p",
            "hookloop-settings",
            "--example",
            "schema",
        ],
    },
    Generated {
        file: "docs/reference.md",
        command: &[
            "cargo",
            "run",
            "-q",
            "-p",
            "hookloop-settings",
            "--example",
            "reference",
        ],
    },
    Generated {
        file: "docs/agents.md",
        command: &[
            "cargo",
            "run",
            "-q",
            "-p",
            "hookloop-real-agents",
            "--",
            "--page",
        ],
    },
];

/// Runs each generator and compares.
pub(crate) fn check(root: &Path, generated: &[Generated]) -> Vec<Violation> {
    generated
        .iter()
        .filter_map(|entry| check_entry(root, entry))
        .collect()
}

fn check_entry(root: &Path, entry: &Generated) -> Option<Violation> {
    let shown = entry.command.join(" ");
    let (program, arguments) = entry.command.split_first()?;
    let fresh = match Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
    {
        Ok(output) if output.status.success() => output.stdout,
        Ok(output) => {
            let wrong = format!("`{shown}` failed with {}", output.status);
            return Some(Violation::new(entry.file, 0, wrong, "it prints the file"));
        }
        Err(error) => {
            let wrong = format!("`{shown}` could not start: {error}");
            return Some(Violation::new(entry.file, 0, wrong, "it prints the file"));
        }
    };
    let Ok(committed) = fs::read(root.join(entry.file)) else {
        let right = format!("write it with `{shown} > {}`", entry.file);
        return Some(Violation::new(
            entry.file,
            0,
            "the generated file is missing",
            right,
        ));
    };
    let line = first_difference(&committed, &fresh)?;
    let right = format!("write it again with `{shown} > {}`", entry.file);
    Some(Violation::new(
        entry.file,
        line,
        "the file differs from what is generated",
        right,
    ))
}

/// The first line, from 1, in which the two differ. Line ends of Windows aren't difference.
fn first_difference(committed: &[u8], fresh: &[u8]) -> Option<usize> {
    let lines = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        text.split('\n').map(str::to_owned).collect::<Vec<_>>()
    };
    let (committed, fresh) = (lines(committed), lines(fresh));
    let longer = committed.len().max(fresh.len());
    (0..longer)
        .find(|index| committed.get(*index) != fresh.get(*index))
        .map(|index| index + 1)
}

#[cfg(test)]
mod tests;
