//! Finding the programs of this workspace, and building them when they are missing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Returns the path of the `puppet`, built if need be.
pub fn puppet() -> PathBuf {
    static PUPPET: OnceLock<PathBuf> = OnceLock::new();
    PUPPET
        .get_or_init(|| {
            let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
            built("puppet", Some(&sources))
        })
        .clone()
}

/// Returns the path of the `mcp-puppet`, built if need be.
pub fn mcp_puppet() -> PathBuf {
    static PUPPET: OnceLock<PathBuf> = OnceLock::new();
    PUPPET
        .get_or_init(|| {
            let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
            built("mcp-puppet", Some(&sources))
        })
        .clone()
}

/// Returns the path of a program of this workspace, built once if it is missing or, for programs
/// that a change of `sources` outdates, too old.
///
/// Tests of the package that the program belongs to have it from cargo and need no search.
pub fn program(name: &str) -> PathBuf {
    built(name, None)
}

fn built(name: &str, sources: Option<&Path>) -> PathBuf {
    let folder = profile_folder();
    let program = folder
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    // When it was last built is noted beside it: cargo leaves an unchanged program as old as it is.
    let stamp = folder.join(format!(".{name}.built"));
    let is_fresh = || {
        let built = fs::metadata(&stamp).and_then(|it| it.modified());
        program.is_file()
            && sources.is_none_or(|sources| built.is_ok_and(|built| newest(sources) <= built))
    };
    if is_fresh() {
        return program;
    }
    // Every test is a process of its own under nextest: one of them builds, the others wait.
    let lock = File::create(folder.join(format!(".{name}.lock"))).expect("a lock file");
    lock.lock().expect("the lock");
    if !is_fresh() {
        // Taken before: a change during the build makes the program too old.
        let begun = SystemTime::now();
        build(name, &folder);
        let stamp = File::create(&stamp).expect("a stamp");
        stamp.set_modified(begun).expect("the time of the stamp");
    }
    assert!(program.is_file(), "{} was not built", program.display());
    program
}

fn build(name: &str, folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let target = folder
        .parent()
        .expect("the folder of a profile is inside the target folder");
    let output = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            // With the features that the tests have: nothing is compiled twice.
            "--workspace",
            "--bin",
            name,
            "--test",
            "taken",
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} can't be built: {errors}");
}

/// Returns the folder that cargo puts programs in: that of the running test, without `deps`.
pub(crate) fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps") && !folder.ends_with("examples"))
        .expect("a test is in a folder")
        .to_owned()
}

/// Returns when a file in a folder was last changed.
fn newest(folder: &Path) -> SystemTime {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            if metadata.is_dir() {
                Some(newest(&entry.path()))
            } else {
                metadata.modified().ok()
            }
        })
        .max()
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
