//! Runs all tests of the workspace: the examples in the documentation, then everything else.

use std::io;
use std::path::Path;
use std::process::Command;

/// Whether the tests passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
}

/// Runs the tests with cargo-nextest where it is installed, else with `cargo test`. The
/// runner's own summary ends the output.
pub(crate) fn run(root: &Path) -> io::Result<Verdict> {
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
    Ok(Verdict::Passed)
}

fn has_nextest(root: &Path) -> io::Result<bool> {
    let output = Command::new("cargo")
        .args(["nextest", "--version"])
        .current_dir(root)
        .output()?;
    Ok(output.status.success())
}
