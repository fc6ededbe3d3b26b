//! Generators that agree, differ and fail.

use super::*;

const VERSION: Generated = Generated {
    file: "version.txt",
    command: &["cargo", "--version"],
};

fn cargo_version() -> Vec<u8> {
    Command::new("cargo")
        .arg("--version")
        .output()
        .unwrap()
        .stdout
}

#[test]
fn a_file_equal_to_what_is_generated_passes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(VERSION.file), cargo_version()).unwrap();
    assert_eq!(check(folder.path(), &[VERSION]), []);
}

#[test]
fn a_file_that_differs_is_reported_with_the_command_that_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(VERSION.file), "cargo 0.0.0\n").unwrap();
    let found = check(folder.path(), &[VERSION]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 1);
    assert!(found[0].right.contains("`cargo --version > version.txt`"));
}

#[test]
fn a_missing_file_and_a_failing_generator_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(check(folder.path(), &[VERSION]).len(), 1);
    let failing = Generated {
        file: "a",
        command: &["cargo", "--no-such-option"],
    };
    assert!(check(folder.path(), &[failing])[0].wrong.contains("failed"));
    let missing = Generated {
        file: "a",
        command: &["no-such-program-anywhere"],
    };
    assert!(
        check(folder.path(), &[missing])[0]
            .wrong
            .contains("could not start")
    );
}

#[test]
fn the_first_line_that_differs_is_named() {
    assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
    assert_eq!(first_difference(b"a\r\nb\r\n", b"a\nb\n"), None);
    assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), Some(2));
    assert_eq!(first_difference(b"a\n", b"a"), Some(2));
}
