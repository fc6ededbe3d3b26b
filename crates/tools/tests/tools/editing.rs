//! `write_file` and `replace`.

use std::fs::{self, File};
use std::io::Read;

use hookloop_tools::{Preview, Subject};
use serde_json::json;

use crate::bench::Bench;

fn diff(preview: &Preview) -> &str {
    match &preview.subject {
        Subject::Edit { diff, .. } => diff,
        other => panic!("{other:?}"),
    }
}

/// TO-1: a new file is created with its folders, an old one overwritten, and each is reported.
#[tokio::test]
async fn files_are_created_and_overwritten() {
    let bench = Bench::new();
    let arguments = json!({"file_path": "a/b/c.txt", "content": "one\n"});
    let output = bench.call("write_file", arguments).await;
    assert!(
        output.display.starts_with("Created a/b/c.txt\n"),
        "{}",
        output.display
    );
    assert!(output.display.contains("\n+one\n"), "{}", output.display);
    assert!(
        output
            .llm_content
            .starts_with("Successfully created and wrote to new file: ")
    );
    let output = bench
        .call(
            "write_file",
            json!({"file_path": "a/b/c.txt", "content": "two\r\n"}),
        )
        .await;
    assert!(
        output.display.starts_with("Overwrote a/b/c.txt\n"),
        "{}",
        output.display
    );
    assert!(
        output.display.contains("\n-one\n+two"),
        "{}",
        output.display
    );
    assert!(
        output
            .llm_content
            .starts_with("Successfully overwrote file: ")
    );
    assert_eq!(bench.read("a/b/c.txt"), "two\r\n");
    let names = fs::read_dir(bench.root().join("a/b"))
        .expect("a folder")
        .count();
    assert_eq!(names, 1, "no temporary file is left");
}

/// TO-1: a reader sees the old or the new file while it is written, never a part.
#[tokio::test]
async fn writes_are_atomic() {
    let bench = Bench::new();
    let place = bench.write("a.txt", "the old content");
    let mut open_before = File::open(place).expect("a file");
    bench
        .text(
            "write_file",
            json!({"file_path": "a.txt", "content": "new"}),
        )
        .await;
    let mut seen = String::new();
    open_before.read_to_string(&mut seen).expect("text");
    assert_eq!(seen, "the old content");
    assert_eq!(bench.read("a.txt"), "new");
}

/// TO-1: permissions are kept, new files get the usual ones, links stay links, write protection is
/// respected.
#[cfg(unix)]
#[tokio::test]
async fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = Bench::new();
    let mode = |name: &str| {
        let metadata = fs::metadata(bench.root().join(name)).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    let script = bench.write("run.sh", "old");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).expect("permissions");
    symlink("run.sh", bench.root().join("link")).expect("a link");
    bench
        .text("write_file", json!({"file_path": "link", "content": "new"}))
        .await;
    assert_eq!(
        (bench.read("run.sh").as_str(), mode("run.sh")),
        ("new", 0o750)
    );
    assert!(bench.root().join("link").is_symlink());

    let usual = bench.write("usual", "");
    bench
        .text("write_file", json!({"file_path": "new", "content": ""}))
        .await;
    let usual = fs::metadata(usual).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode("new"), usual);

    fs::set_permissions(&script, fs::Permissions::from_mode(0o444)).expect("permissions");
    let protected = json!({"file_path": "run.sh", "content": "x"});
    assert_eq!(
        bench.fault("write_file", protected).await,
        "permission_denied"
    );
    assert_eq!(bench.read("run.sh"), "new");
}

/// TO-1: no edit leaves the workspace, nor touches the repository's own folder or what
/// `.geminiignore` hides.
#[tokio::test]
async fn edits_stay_where_they_may() {
    let bench = Bench::new();
    bench.write(".gitignore", "build/\n");
    bench.write(".geminiignore", "secret.txt\n");
    bench.write("secret.txt", "secret");
    fs::create_dir(bench.root().join("folder")).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside/new", bench.root().join("link")).expect("a link");
    let mut cases = vec![
        ("../outside/new", "path_not_in_workspace"),
        ("secret.txt", "path_ignored"),
        (".git/hooks/pre-commit", "path_ignored"),
        ("folder", "target_is_directory"),
        ("", "invalid_tool_params"),
    ];
    if cfg!(unix) {
        cases.push(("link", "path_not_in_workspace"));
    }
    for (path, kind) in cases {
        let write = json!({"file_path": path, "content": "x"});
        let replace = json!({"file_path": path, "old_string": "", "new_string": "x"});
        for (tool, arguments) in [("write_file", write), ("replace", replace)] {
            let refusal = bench
                .validate(tool, arguments.clone())
                .expect_err("refused");
            assert_eq!(refusal.kind.as_str(), kind, "{tool} {path}");
            assert_eq!(
                bench.fault(tool, arguments.clone()).await,
                kind,
                "{tool} {path}"
            );
            assert!(bench.preview(tool, arguments).problem.is_some());
        }
    }
    assert!(!bench.outside().join("new").exists());
    assert_eq!(bench.read("secret.txt"), "secret");
    bench
        .text(
            "write_file",
            json!({"file_path": "build/out", "content": "x"}),
        )
        .await;
    assert_eq!(bench.read("build/out"), "x");
}

/// LO-4: a call that was cancelled before it began changes nothing.
#[tokio::test]
async fn a_cancelled_edit_changes_nothing() {
    let bench = Bench::new();
    bench.cancel.cancel();
    let arguments = json!({"file_path": "a.txt", "content": "x"});
    assert_eq!(bench.fault("write_file", arguments).await, "cancelled");
    assert!(!bench.root().join("a.txt").exists());
    assert_eq!(
        bench.fault("glob", json!({"pattern": "*"})).await,
        "cancelled"
    );
}

/// NO-1: the preview of an edit is its diff, and previewing changes nothing.
#[tokio::test]
async fn the_preview_shows_the_diff() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\n");
    let arguments = json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"});
    let preview = bench.preview("replace", arguments.clone());
    assert_eq!((preview.kind(), preview.problem.clone()), ("edit", None));
    assert!(
        diff(&preview).contains(" one\n-two\n+2\n"),
        "{}",
        diff(&preview)
    );
    assert_eq!(bench.read("a.txt"), "one\ntwo\n");
    let details = preview.details();
    assert_eq!(details["fileName"], "a.txt");
    assert_eq!(
        details["filePath"],
        bench.root().join("a.txt").display().to_string()
    );
    assert_eq!(details["fileDiff"], diff(&preview));
    let output = bench.call("replace", arguments).await;
    assert_eq!(output.display, format!("Changed a.txt\n{}", diff(&preview)));
    let binary = bench.write("b.bin", b"\0");
    assert!(binary.exists());
    let preview = bench.preview("write_file", json!({"file_path": "b.bin", "content": "x"}));
    assert!(diff(&preview).contains("can't be shown as text"));
}

/// TO-1: text is replaced exactly as often as expected, or not at all.
#[tokio::test]
async fn replacements_are_counted() {
    let bench = Bench::new();
    let cases = [
        (json!({}), Some("edit_expected_occurrence_mismatch")),
        (
            json!({"expected_replacements": 2}),
            Some("edit_expected_occurrence_mismatch"),
        ),
        (json!({"expected_replacements": 3}), None),
        (json!({"allow_multiple": true}), None),
        (
            json!({"allow_multiple": true, "expected_replacements": 2}),
            Some("edit_expected_occurrence_mismatch"),
        ),
        (json!({"old_string": "x"}), Some("edit_no_occurrence_found")),
        (
            json!({"new_string": "a", "allow_multiple": true}),
            Some("edit_no_change"),
        ),
        (
            json!({"old_string": ""}),
            Some("attempt_to_create_existing_file"),
        ),
    ];
    for (more, fault) in cases {
        bench.write("a.txt", "a b a b a");
        let mut arguments = json!({"file_path": "a.txt", "old_string": "a", "new_string": "c"});
        for (name, value) in crate::bench::object(more.clone()) {
            arguments[name] = value;
        }
        let output = bench.call("replace", arguments).await;
        assert_eq!(
            output.error.map(|error| error.kind.as_str()),
            fault,
            "{more}"
        );
        let expected = if fault.is_none() {
            "c b c b c"
        } else {
            "a b a b a"
        };
        assert_eq!(bench.read("a.txt"), expected, "{more}");
    }
}

/// TO-1: an empty old text creates a file, and an absent file can't be changed.
#[tokio::test]
async fn replace_creates_only_what_is_absent() {
    let bench = Bench::new();
    let absent = json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"});
    assert_eq!(bench.fault("replace", absent).await, "file_not_found");
    let created = json!({"file_path": "n/a.txt", "old_string": "", "new_string": "y"});
    let output = bench.call("replace", created).await;
    assert!(
        output.display.starts_with("Created n/a.txt"),
        "{}",
        output.display
    );
    assert_eq!(bench.read("n/a.txt"), "y");
}

/// TO-1: CRLF, the byte-order mark and everything around the edit are kept, `$` is plain text.
#[tokio::test]
async fn the_rest_of_the_file_is_kept() {
    let bench = Bench::new();
    bench.write("a.txt", "\u{feff}one\r\ntwo\r\nthree\nfour\r\n");
    let arguments =
        json!({"file_path": "a.txt", "old_string": "one\ntwo\n", "new_string": "$1\n$&\n"});
    let text = bench.text("replace", arguments).await;
    assert!(text.ends_with("(1 replacements)."), "{text}");
    assert_eq!(bench.read("a.txt"), "\u{feff}$1\r\n$&\r\nthree\nfour\r\n");
}
