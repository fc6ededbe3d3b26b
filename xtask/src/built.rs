//! Programs of the workspace, built with the features that its tests have: what one step compiles,
//! the next one can use.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// A program that the workspace builds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    Binary(&'static str),
    Example(&'static str),
}

/// The programs that tests, and the catalogue of mistakes, start.
pub(crate) const STARTED_BY_TESTS: [Program; 3] = [
    Program::Binary("hookloop"),
    Program::Binary("puppet"),
    Program::Binary("mcp-puppet"),
];

impl Program {
    /// Returns where the built program is.
    pub(crate) fn path(self, target: &Path) -> PathBuf {
        let folder = target.join("debug");
        let path = match self {
            Self::Binary(name) => folder.join(name),
            Self::Example(name) => folder.join("examples").join(name),
        };
        path.with_extension(env::consts::EXE_EXTENSION)
    }

    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Binary(name) => ["--bin", name],
            Self::Example(name) => ["--example", name],
        }
    }
}

/// A small test: if one is built too, features of development dependencies count, as in a run of
/// all tests.
const WITH_A_TEST: [&str; 2] = ["--test", "taken"];

/// Builds programs.
pub(crate) fn build(root: &Path, programs: &[Program]) -> io::Result<ExitStatus> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo)
        .args(["build", "--locked", "--quiet", "--workspace"])
        .args(programs.iter().flat_map(|it| it.words()))
        .args(WITH_A_TEST)
        .current_dir(root)
        .status()
}

/// Builds a program and those that it starts, and runs it with the words after the task's name.
pub(crate) fn run(
    root: &Path,
    target: &Path,
    program: Program,
    started: &[Program],
) -> io::Result<ExitStatus> {
    let built = build(root, &[&[program], started].concat())?;
    if !built.success() {
        return Ok(built);
    }
    Command::new(program.path(target))
        .args(env::args_os().skip(2))
        .status()
}
