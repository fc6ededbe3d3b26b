//! The repository of `examples/ci`: its checks pass as it is, and fail when its guard is broken.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
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
        fs::create_dir(folder.path().join(".git")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    /// Runs what the example's workflow, and the repository's `.pre-commit-hooks.yaml`, run.
    fn run(&self, arguments: &[&str]) -> Output {
        let path = env::var("PATH").unwrap_or_default();
        let mut command = self.command(&program(), &path);
        command.args(arguments).output().unwrap()
    }

    /// Runs a step of the action in the project, which is a folder of its repository.
    fn run_step(&self, name: &str) -> Output {
        let programs = self.folder.path().join("bin");
        fs::create_dir_all(&programs).unwrap();
        symlink(program(), programs.join("hookloop")).unwrap();
        let others = env::var("PATH").unwrap_or_default();
        let path = format!("{}:{others}", programs.display());
        let mut command = self.command(Path::new("bash"), &path);
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
            .arg(step(name))
            .env("STRICT", "true");
        command.output().unwrap()
    }

    fn command(&self, program: &Path, path: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .current_dir(self.path(""));
        command
    }
}

/// Returns the program that was built with the tests.
fn program() -> PathBuf {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_hookloop-packaging"));
    env::var_os("HOOKLOOP_PROGRAM").map_or_else(|| own.with_file_name("hookloop"), PathBuf::from)
}

/// Returns the script of a step of `action.yml`.
fn step(name: &str) -> String {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../action.yml");
    let action = fs::read_to_string(action).unwrap();
    let (_, step) = action.split_once(&format!("- name: {name}\n")).unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let lines = script
        .lines()
        .take_while(|line| line.starts_with("        "));
    lines.collect::<Vec<_>>().join("\n")
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
        said.starts_with("::error file=project/.gemini/settings.json,line="),
        "{said}"
    );
}

#[test]
fn the_action_names_files_by_their_path_in_the_repository() {
    let repository = Repository::new();
    fs::remove_file(repository.path(".gemini/hooks/no-keys.sh")).unwrap();
    let checked = repository.run_step("Check the hooks");
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(
        said.starts_with("::error file=project/.gemini/settings.json,line="),
        "{said}"
    );
}
