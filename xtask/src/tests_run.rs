//! Runs all tests of the workspace: the examples in the documentation, then everything else.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

use crate::built;

/// Whether the tests passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
}

/// Runs the tests with cargo-nextest if it is installed, or otherwise with `cargo test`. The
/// runner's own summary ends the output.
pub(crate) fn run(root: &Path, target: &Path) -> io::Result<Verdict> {
    let skipped = target.join("skipped");
    if skipped.exists() {
        fs::remove_dir_all(&skipped)?;
    }
    // The programs that tests start are built before the first test runs.
    if !built::build(root, &built::STARTED_BY_TESTS)?.success() {
        return Ok(Verdict::Failed);
    }
    let runner: &[&str] = if has_nextest(root)? {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        &[
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
        ]
    };
    for arguments in [&["test", "--workspace", "--doc", "--quiet"], runner] {
        let status = Command::new("cargo")
            .args(arguments)
            .current_dir(root)
            .status()?;
        if !status.success() {
            return Ok(Verdict::Failed);
        }
    }
    tell_skipped(&skipped)?;
    Ok(Verdict::Passed)
}

/// Counts the tests that were skipped, and says why.
fn tell_skipped(folder: &Path) -> io::Result<()> {
    let mut reports = Vec::new();
    if folder.exists() {
        for entry in fs::read_dir(folder)? {
            reports.push(fs::read_to_string(entry?.path())?);
        }
    }
    reports.sort();
    let mut output = io::stderr().lock();
    for line in &reports {
        write!(output, "SKIPPED: {line}")?;
    }
    writeln!(
        output,
        "{} tests passed without checking anything",
        reports.len()
    )
}

fn has_nextest(root: &Path) -> io::Result<bool> {
    let output = Command::new("cargo")
        .args(["nextest", "--version"])
        .current_dir(root)
        .output()?;
    Ok(output.status.success())
}
