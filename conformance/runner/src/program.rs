//! Finds the program that the cases are played through, and builds it when it is out of date.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The variable that names another program to play the cases through.
const CHOSEN: &str = "HOOKLOOP_PROGRAM";

/// Returns the program, built from the sources as they are.
pub(crate) fn hookloop() -> Result<PathBuf, String> {
    if let Some(chosen) = env::var_os(CHOSEN) {
        return Ok(PathBuf::from(chosen));
    }
    let folder = profile_folder()?;
    let program = folder
        .join("hookloop")
        .with_extension(env::consts::EXE_EXTENSION);
    if is_fresh(&program) {
        return Ok(program);
    }
    // Every case is a process of its own under nextest: one of them builds, the others wait.
    let lock = File::create(folder.join(".hookloop.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    if !is_fresh(&program) {
        build_once(&folder)?;
        // Cargo leaves a program that did not change as old as it is.
        let touched = File::options().append(true).open(&program);
        touched
            .and_then(|file| file.set_modified(SystemTime::now()))
            .map_err(|error| format!("{}: {error}", program.display()))?;
    }
    Ok(program)
}

/// Returns whether no file that the program was made of is newer: cargo lists them beside it.
fn is_fresh(program: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified());
    let (Ok(built), Ok(list)) = (
        modified(program),
        fs::read_to_string(program.with_extension("d")),
    ) else {
        return false;
    };
    let sources = list
        .lines()
        .next()
        .and_then(|line| line.split_once(": "))
        .map_or("", |it| it.1);
    // A space in a path is escaped by a backslash.
    let paths = sources.replace("\\ ", "\0");
    let mut paths = paths
        .split_whitespace()
        .map(|path| PathBuf::from(path.replace('\0', " ")));
    paths.all(|path| modified(&path).is_ok_and(|changed| changed <= built))
}

/// Builds; where that failed in this run of all cases, the others need not try again.
fn build_once(folder: &Path) -> Result<(), String> {
    let note = folder.join(".hookloop.failed");
    let run = env::var("NEXTEST_RUN_ID").unwrap_or_default();
    if let Some((failed, error)) = fs::read_to_string(&note)
        .unwrap_or_default()
        .split_once('\n')
        && !run.is_empty()
        && failed == run
    {
        return Err(error.to_owned());
    }
    let built = build(folder);
    if let Err(error) = &built {
        let _ = fs::write(&note, format!("{run}\n{error}"));
    }
    built
}

fn build(folder: &Path) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let target = folder.parent().unwrap_or(folder);
    let output = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            // With the features that the tests have: nothing is compiled twice.
            "--workspace",
            "--bin",
            "hookloop",
            "--test",
            "taken",
            "--profile",
            profile,
            "--target-dir",
        ])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|error| format!("cargo can't be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "hookloop can't be built: {}",
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Returns the folder that cargo puts programs in: that of the running test, without `deps`.
fn profile_folder() -> Result<PathBuf, String> {
    let test = env::current_exe().map_err(|error| error.to_string())?;
    let folder = test
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"));
    folder
        .map(Path::to_owned)
        .ok_or_else(|| "the test is in no folder".to_owned())
}
