//! The kits for hook authors in `kits/`, by their own test runners. If an interpreter isn't
//! installed, they are skipped.
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::path::Path;
use std::process::{Command, Stdio};

fn passes(kit: &str, program: &str, arguments: &[&str]) {
    let is_there = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !is_there.is_ok_and(|it| it.success()) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../kits")
        .join(kit);
    let ran = Command::new(program)
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// HT-13: the kit for Python answers as a command and as a worker.
#[test]
fn the_kit_for_python_keeps_its_word() {
    passes(
        "python",
        "python3",
        &["-m", "unittest", "discover", "-s", "tests"],
    );
}

/// HT-13: the kit for Node.js answers as a command and as a worker.
#[test]
fn the_kit_for_node_keeps_its_word() {
    passes("node", "node", &["--test", "test/"]);
}
