//! The repository of `examples/ci`: its checks pass as it is, and fail when its guard is broken.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/ci");
        copy(&example, &folder.path().join("project"));
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    /// Runs what the example's workflow, and the repository's `.pre-commit-hooks.yaml`, run.
    fn run(&self, arguments: &[&str]) -> Output {
        let own = PathBuf::from(env!("CARGO_BIN_EXE_hookloop-packaging"));
        let program = env::var_os("HOOKLOOP_PROGRAM")
            .map_or_else(|| own.with_file_name("hookloop"), PathBuf::from);
        Command::new(program)
            .args(arguments)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .current_dir(self.path(""))
            .output()
            .unwrap()
    }
}

const CHECK: [&str; 6] = [
    "hooks",
    "check",
    "--skip-trust",
    "--format",
    "github",
    "--strict",
];
const TEST: [&str; 5] = ["hooks", "test", "--skip-trust", "--junit", "hooks-test.xml"];

#[test]
fn the_example_passes_as_it_is() {
    let repository = Repository::new();
    let checked = repository.run(&CHECK);
    assert!(checked.status.success(), "{checked:?}");
    let tested = repository.run(&TEST);
    assert!(tested.status.success(), "{tested:?}");
    let results = fs::read_to_string(repository.path("hooks-test.xml")).unwrap();
    assert!(results.contains(r#"tests="2" failures="0""#), "{results}");
}

#[test]
fn a_guard_that_lets_keys_pass_fails_its_test() {
    let repository = Repository::new();
    let script = repository.path(".gemini/hooks/no-keys.sh");
    let weakened = fs::read_to_string(&script)
        .unwrap()
        .replace("exit 2", "exit 0");
    fs::write(&script, weakened).unwrap();
    assert_eq!(repository.run(&TEST).status.code(), Some(1));
}

#[test]
fn a_guard_that_is_missing_fails_the_check_at_its_line() {
    let repository = Repository::new();
    fs::remove_file(repository.path(".gemini/hooks/no-keys.sh")).unwrap();
    let checked = repository.run(&CHECK);
    assert_eq!(checked.status.code(), Some(1));
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(
        said.starts_with("::error file=.gemini/settings.json,line="),
        "{said}"
    );
}
