//! `glob` and `search_file_content`.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::bench::Bench;

fn names(bench: &Bench, text: &str) -> Vec<String> {
    let root = format!("{}/", bench.root().display());
    text.lines()
        .filter_map(|line| line.strip_prefix(&root))
        .map(str::to_owned)
        .collect()
}

/// TO-1: files are sorted with the newest first, and by name if they have the same time; ignored
/// ones aren't listed.
#[tokio::test]
async fn the_newest_come_first() {
    let bench = Bench::new();
    bench.write(".gitignore", "target/\n");
    let base = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for (name, age) in [
        ("old.rs", 9),
        ("src/b.rs", 5),
        ("src/a.rs", 5),
        ("new.RS", 1),
        ("target/x.rs", 0),
    ] {
        let place = bench.write(name, "");
        let file = File::options().write(true).open(place).expect("a file");
        file.set_modified(base - Duration::from_secs(age))
            .expect("a time");
    }
    let text = bench.text("glob", json!({"pattern": "**/*.rs"})).await;
    assert_eq!(
        names(&bench, &text),
        ["new.RS", "src/a.rs", "src/b.rs", "old.rs"]
    );
    let cases = [
        (json!({"pattern": "**/*.rs", "case_sensitive": true}), 3),
        (json!({"pattern": "*.rs"}), 2),
        (json!({"pattern": "./src/{a,b}.rs"}), 2),
        (json!({"pattern": "*.rs", "dir_path": "src"}), 2),
        (
            json!({"pattern": bench.root().join("src/*.rs").display().to_string()}),
            2,
        ),
        (json!({"pattern": "**/*.rs", "dir_path": "target"}), 0),
    ];
    for (arguments, count) in cases {
        let text = bench.text("glob", arguments.clone()).await;
        assert_eq!(names(&bench, &text).len(), count, "{arguments} {text}");
    }
    let faulty = bench
        .validate("glob", json!({"pattern": "a{b"}))
        .expect_err("refused");
    assert!(
        faulty.message.contains("invalid glob pattern"),
        "{}",
        faulty.message
    );
    assert_eq!(
        bench
            .fault("glob", json!({"pattern": "*", "dir_path": ".."}))
            .await,
        "path_not_in_workspace"
    );
}

/// TO-1: the listing is capped and says how much is left out.
#[tokio::test]
async fn many_files_are_capped() {
    let bench = Bench::new();
    for index in 0..1001 {
        bench.write(&format!("{index}"), "");
    }
    let text = bench.text("glob", json!({"pattern": "*"})).await;
    assert_eq!(names(&bench, &text).len(), 1000);
    assert!(
        text.ends_with("… 1 more files left out …"),
        "{}",
        &text[text.len() - 60..]
    );
}

/// TO-1: links that lead out aren't reported, and linked folders aren't entered.
#[cfg(unix)]
#[tokio::test]
async fn links_out_are_not_followed() {
    use std::os::unix::fs::symlink;
    let bench = Bench::new();
    fs::write(bench.outside().join("x.rs"), "needle").expect("a file");
    bench.write("a.rs", "needle");
    symlink(bench.outside(), bench.root().join("folder")).expect("a link");
    symlink(bench.outside().join("x.rs"), bench.root().join("out.rs")).expect("a link");
    symlink("a.rs", bench.root().join("in.rs")).expect("a link");
    symlink(".", bench.root().join("loop")).expect("a link");
    let text = bench.text("glob", json!({"pattern": "**/*.rs"})).await;
    let mut found = names(&bench, &text);
    found.sort();
    assert_eq!(found, ["a.rs", "in.rs"]);
    let text = bench
        .text("search_file_content", json!({"pattern": "needle"}))
        .await;
    assert!(text.starts_with("Found 1 match "), "{text}");
}

/// TO-1: matching lines come with path and number; ignored and binary files aren't searched.
#[tokio::test]
async fn matching_lines_are_reported() {
    let bench = Bench::new();
    bench.write(".gitignore", "*.log\n");
    bench.write("src/a.rs", "nothing\r\nlet Needle = 1;\r\n");
    bench.write("src/b.md", "needle\nneedles\n");
    bench.write("x.log", "needle");
    bench.write("x.bin", b"needle\0needle\n");
    bench.write("latin1.txt", b"caf\xe9 needle\n");
    let text = bench
        .text("search_file_content", json!({"pattern": r"needle\b"}))
        .await;
    assert_eq!(
        text,
        "Found 3 matches for pattern \"needle\\b\":\n---\nlatin1.txt:1: caf\u{fffd} needle\n\
         src/a.rs:2: let Needle = 1;\nsrc/b.md:1: needle\n---"
    );
    let cases = [
        (
            json!({"pattern": "needle", "include": "*.rs"}),
            "Found 1 match ",
        ),
        (
            json!({"pattern": "needle", "include": "src/*.{rs,md}"}),
            "Found 3 matches ",
        ),
        (
            json!({"pattern": "needle", "case_sensitive": true, "dir_path": "src"}),
            "Found 2 matches ",
        ),
        (
            json!({"pattern": "needle", "dir_path": "src/b.md"}),
            "Found 2 matches ",
        ),
        (json!({"pattern": "^needle$"}), "Found 1 match "),
        (
            json!({"pattern": "needle", "dir_path": "x.log"}),
            "No matches found ",
        ),
        (
            json!({"pattern": "haystack"}),
            "No matches found for pattern \"haystack\".",
        ),
    ];
    for (arguments, start) in cases {
        let text = bench.text("grep_search", arguments.clone()).await;
        assert!(text.starts_with(start), "{arguments} {text}");
    }
}

/// LO-3: what can't be searched gives a clear answer.
#[tokio::test]
async fn what_can_not_be_searched_gives_an_answer() {
    let bench = Bench::new();
    let error = bench
        .validate("search_file_content", json!({"pattern": "a(b"}))
        .expect_err("refused");
    assert!(
        error
            .message
            .starts_with("invalid regular expression \"a(b\""),
        "{}",
        error.message
    );
    for (path, kind) in [
        ("absent", "file_not_found"),
        ("..", "path_not_in_workspace"),
    ] {
        let arguments = json!({"pattern": "a", "dir_path": path});
        assert_eq!(bench.fault("search_file_content", arguments).await, kind);
    }
}

/// TO-1: matches and long lines are capped, which is reported.
#[tokio::test]
async fn matches_are_capped() {
    let bench = Bench::new();
    bench.write("a.txt", format!("{}\n", "x".repeat(600)).repeat(501));
    let text = bench
        .text("search_file_content", json!({"pattern": "x"}))
        .await;
    assert!(text.contains("Found 500 matches") && text.contains("only the first 500 matches"));
    assert!(text.contains("xxx... [truncated]\n") && !text.contains(&"x".repeat(501)));
    bench.write("a.txt", "x\n".repeat(500));
    let text = bench
        .text("search_file_content", json!({"pattern": "x"}))
        .await;
    assert!(
        !text.contains("only the first"),
        "exactly as many as fit are all"
    );
}

/// TO-1: a file with an extremely long line doesn't fill the memory; it is reported, and the others
/// searched.
#[tokio::test]
async fn a_line_beyond_measure_is_reported() {
    let bench = Bench::new();
    bench.write("a.txt", "x".repeat(17 * 1024 * 1024));
    bench.write("b.txt", "needle\n");
    let text = bench
        .text("search_file_content", json!({"pattern": "needle"}))
        .await;
    assert!(text.starts_with("Found 1 match "), "{text}");
    assert!(
        text.contains("Note: a.txt: ") && text.contains("(couldn't be read)"),
        "{text}"
    );
}
