//! Checks of the project's rules, and the build of the binary for distribution.
//!
//! `cargo xtask check` checks everything and prints each violation as
//! `file:line: what is wrong; what would be right`. `cargo xtask ids` prints which test proves
//! which statement of the specification, `cargo xtask agents` lets real agents take turns with our
//! hooks, `cargo xtask test` runs all tests, `cargo xtask dist` builds the release binary,
//! `cargo xtask book` writes the pages of the site, `cargo xtask package` makes packages,
//! `cargo xtask picture` draws terminal text as SVG.

mod agents;
mod arrow;
mod book;
mod built;
mod circles;
mod dist;
mod drift;
mod ids;
mod links;
mod manifests;
mod markdown;
mod picture;
mod purity;
mod signatures;
mod sizes;
mod source;
mod strays;
mod tests_run;
mod violation;
mod workspace;

use std::io::{self, Write};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs};

use built::Program;
use source::SourceFile;
use violation::Violation;
use workspace::{Workspace, WorkspaceError};

const USAGE: &str = "usage: cargo xtask check | agents [NAME...] | book | fuzz <TARGET>|all \
                     [OPTIONS] | generate | ids | mistakes | test | dist | package [OPTIONS] | \
                     picture <TEXT >SVG";

/// Why a task couldn't do its work; violations that it found don't count.
#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Dist(#[from] dist::DistError),
    #[error("couldn't read the input or write the output: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    let task = env::args().nth(1).unwrap_or_default();
    let result = match task.as_str() {
        "check" => check(),
        "book" => book(),
        "ids" => print_ids(),
        "agents" => agents(),
        "fuzz" => run_built(Program::Binary("hookloop-fuzz"), &[]),
        "generate" => generate(),
        "mistakes" => run_built(Program::Binary("mistakes"), &built::STARTED_BY_TESTS),
        "dist" => dist(),
        "package" => package(),
        "test" => test(),
        "picture" => picture(),
        _ => {
            let _ = writeln!(io::stderr(), "{USAGE}");
            return ExitCode::from(2);
        }
    };
    result.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "failed to {task}: {error}");
        ExitCode::FAILURE
    })
}

fn check() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let files = workspace.rust_files()?;
    let mut violations = arrow::check(workspace.packages());
    violations.extend(purity::check(&files));
    violations.extend(circles::check(&files));
    violations.extend(signatures::check(&files));
    violations.extend(sizes::check(&files));
    violations.extend(strays::check(workspace.root(), &files)?);
    violations.extend(drift::check(workspace.root(), workspace.target())?);
    violations.extend(ids::check(workspace.root(), &files));
    violations.extend(links::check(workspace.root())?);
    let manifest = fs::read_to_string(workspace.root().join("Cargo.toml"))?;
    let packages = workspace.packages();
    violations.extend(manifests::check(
        workspace.root(),
        &manifest,
        packages,
        &files,
    ));
    violations.sort();
    report(&violations, &files)
}

fn report(violations: &[Violation], files: &[SourceFile]) -> Result<ExitCode, TaskError> {
    let mut output = io::stdout().lock();
    for violation in violations {
        writeln!(output, "{violation}")?;
    }
    writeln!(
        output,
        "{} Rust files, median {} lines (goal: at most {}); {} violations",
        files.len(),
        sizes::median(files),
        sizes::MEDIAN_GOAL,
        violations.len()
    )?;
    Ok(if violations.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes every generated file.
fn generate() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    drift::write(workspace.root(), workspace.target())?;
    Ok(ExitCode::SUCCESS)
}

fn run_built(program: Program, started: &[Program]) -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let status = built::run(workspace.root(), workspace.target(), program, started)?;
    Ok(exit_code_of(status))
}

fn exit_code_of(status: ExitStatus) -> ExitCode {
    if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Writes the pages of the site for mdBook.
fn book() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let pages = book::write(workspace.root(), workspace.target(), workspace.repository())?;
    writeln!(io::stdout().lock(), "{pages} pages; now run `mdbook build`")?;
    Ok(ExitCode::SUCCESS)
}

fn print_ids() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let table = ids::table(workspace.root(), &workspace.rust_files()?);
    io::stdout().lock().write_all(table.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn agents() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let status = agents::run(workspace.root(), workspace.target())?;
    Ok(exit_code_of(status))
}

fn picture() -> Result<ExitCode, TaskError> {
    let text = io::read_to_string(io::stdin())?;
    io::stdout()
        .lock()
        .write_all(picture::draw(&text).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn test() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    Ok(
        match tests_run::run(workspace.root(), workspace.target())? {
            tests_run::Verdict::Passed => ExitCode::SUCCESS,
            tests_run::Verdict::Failed => ExitCode::FAILURE,
        },
    )
}

/// Makes packages: of the given program, or otherwise of one that is built for it.
fn package() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let mut arguments: Vec<_> = env::args_os().skip(2).collect();
    let is_asked = |option: &str| arguments.iter().any(|argument| argument == option);
    if !["--binary", "--help", "-h"].into_iter().any(is_asked) {
        let built = dist::build(workspace.root(), workspace.target())?;
        arguments.extend(["--binary".into(), built.path.into()]);
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", "hookloop-packaging", "--"])
        .args(arguments)
        .status()?;
    Ok(exit_code_of(status))
}

fn dist() -> Result<ExitCode, TaskError> {
    let workspace = Workspace::load()?;
    let built = dist::build(workspace.root(), workspace.target())?;
    writeln!(
        io::stdout(),
        "{} {} bytes",
        built.path.display(),
        built.bytes
    )?;
    Ok(ExitCode::SUCCESS)
}
