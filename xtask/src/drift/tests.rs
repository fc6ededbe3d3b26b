//! Generators that agree, differ and fail.

use super::*;

const FILE: &str = "version.txt";

fn cargo(argument: &str) -> io::Result<Output> {
    Command::new("cargo").arg(argument).output()
}

#[test]
fn a_file_equal_to_what_is_generated_passes() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = cargo("--version");
    fs::write(folder.path().join(FILE), &fresh.as_ref().unwrap().stdout).unwrap();
    assert_eq!(compare(folder.path(), FILE, &fresh), None);
}

#[test]
fn a_file_that_differs_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), "cargo 0.0.0\n").unwrap();
    let found = compare(folder.path(), FILE, &cargo("--version")).unwrap();
    assert_eq!((found.file.as_str(), found.line), (FILE, 1));
}

#[test]
fn a_missing_file_and_a_failing_generator_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    assert!(compare(folder.path(), FILE, &cargo("--version")).is_some());
    let failing = compare(folder.path(), FILE, &cargo("--no-such-option")).unwrap();
    assert!(failing.wrong.contains("failed"));
    let missing = Command::new("no-such-program-anywhere").output();
    let found = compare(folder.path(), FILE, &missing).unwrap();
    assert!(found.wrong.contains("couldn't start"));
}

#[test]
fn the_first_line_that_differs_is_named() {
    assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
    assert_eq!(first_difference(b"a\r\nb\r\n", b"a\nb\n"), None);
    assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), Some(2));
    assert_eq!(first_difference(b"a\n", b"a"), Some(2));
}
