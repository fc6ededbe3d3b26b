//! Drift: files that are generated and committed are what their generator prints now.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

use crate::built::{self, Program};
use crate::violation::Violation;

/// A committed file and the program that prints it.
pub(crate) struct Generated {
    /// Path from the workspace's root.
    pub(crate) file: &'static str,
    /// The program that prints the file on standard output.
    pub(crate) program: Program,
    /// Its arguments.
    pub(crate) arguments: &'static [&'static str],
}

/// Every generated file.
pub(crate) const GENERATED: &[Generated] = &[
    Generated {
        file: "schemas/settings.schema.json",
        program: Program::Example("schema"),
        arguments: &[],
    },
    Generated {
        file: "docs/reference.md",
        program: Program::Example("reference"),
        arguments: &[],
    },
    Generated {
        file: "docs/agents.md",
        program: Program::Binary("real-agents"),
        arguments: &["--page"],
    },
];

/// The command that writes all of them.
const REMEDY: &str = "write it with `cargo xtask generate`";

impl Generated {
    fn output(&self, root: &Path, target: &Path) -> io::Result<Output> {
        Command::new(self.program.path(target))
            .args(self.arguments)
            .current_dir(root)
            .output()
    }
}

/// Builds the generators, runs each, and compares.
pub(crate) fn check(root: &Path, target: &Path) -> io::Result<Vec<Violation>> {
    build_all(root)?;
    let found = GENERATED
        .iter()
        .filter_map(|entry| compare(root, entry.file, &entry.output(root, target)));
    Ok(found.collect())
}

/// Builds the generators, and writes what they print.
pub(crate) fn write(root: &Path, target: &Path) -> io::Result<()> {
    build_all(root)?;
    for entry in GENERATED {
        let output = entry.output(root, target)?;
        if !output.status.success() {
            let text = format!("the generator of {} failed: {}", entry.file, output.status);
            return Err(io::Error::other(text));
        }
        fs::write(root.join(entry.file), output.stdout)?;
    }
    Ok(())
}

fn build_all(root: &Path) -> io::Result<()> {
    let programs: Vec<_> = GENERATED.iter().map(|it| it.program).collect();
    let status = built::build(root, &programs)?;
    if status.success() {
        return Ok(());
    }
    let text = format!("the generators couldn't be built: {status}");
    Err(io::Error::other(text))
}

fn compare(root: &Path, file: &'static str, output: &io::Result<Output>) -> Option<Violation> {
    let fresh = match output {
        Ok(output) if output.status.success() => &output.stdout,
        Ok(output) => {
            let wrong = format!("its generator failed: {}", output.status);
            return Some(Violation::new(file, 0, wrong, "it prints the file"));
        }
        Err(error) => {
            let wrong = format!("its generator couldn't start: {error}");
            return Some(Violation::new(file, 0, wrong, "it prints the file"));
        }
    };
    let Ok(committed) = fs::read(root.join(file)) else {
        let wrong = "the generated file is missing";
        return Some(Violation::new(file, 0, wrong, REMEDY));
    };
    let line = first_difference(&committed, fresh)?;
    let wrong = "the file differs from what is generated";
    Some(Violation::new(file, line, wrong, REMEDY))
}

/// Returns the first line, from 1, in which the two differ. Windows line ends don't count as
/// differences.
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
