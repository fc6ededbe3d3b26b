//! `list_directory`.

use std::fs;

use serde_json::json;

use crate::bench::Bench;

/// TO-1: folders come first, then files, each by name; what is ignored is counted.
#[tokio::test]
async fn folders_come_first() {
    let bench = Bench::new();
    bench.write(".geminiignore", "private\n");
    for name in [
        "b.txt",
        "a.txt",
        "zoo/x",
        "art/x",
        "private/x",
        "c.tmp",
        ".git/config",
    ] {
        bench.write(name, "12345");
    }
    let output = bench
        .call(
            "list_directory",
            json!({"dir_path": ".", "ignore": ["*.tmp"]}),
        )
        .await;
    let expected = format!(
        "Directory listing for {}:\n[DIR] art\n[DIR] zoo\n.geminiignore (8 bytes)\na.txt (5 bytes)\n\
         b.txt (5 bytes)\n\n(3 ignored)",
        bench.root().display()
    );
    assert_eq!(output.llm_content, expected);
    assert_eq!(output.display, "Listed 5 item(s). (3 ignored)");
}

/// TO-1: folders that can't be listed give an answer.
#[tokio::test]
async fn what_can_not_be_listed_gives_an_answer() {
    let bench = Bench::new();
    bench.write("file", "");
    bench.write(".gitignore", "hidden/\n");
    bench.write("hidden/x", "");
    fs::create_dir(bench.root().join("empty")).expect("a folder");
    for (path, kind) in [
        ("file", "path_is_not_a_directory"),
        ("absent", "file_not_found"),
        ("..", "path_not_in_workspace"),
        ("hidden", "path_ignored"),
    ] {
        assert_eq!(
            bench
                .fault("list_directory", json!({"dir_path": path}))
                .await,
            kind,
            "{path}"
        );
    }
    let text = bench
        .text("list_directory", json!({"dir_path": "empty"}))
        .await;
    assert!(text.ends_with("is empty."), "{text}");
    let faulty = json!({"dir_path": ".", "ignore": ["[a"]});
    assert!(bench.validate("list_directory", faulty).is_err());
}

/// TO-1: an ignore rule that can't be understood is reported, and the others count.
#[tokio::test]
async fn a_faulty_ignore_rule_is_reported() {
    let bench = Bench::new();
    bench.write(".gitignore", "a{b\n*.log\n");
    bench.write("x.log", "");
    for (tool, arguments) in [
        ("list_directory", json!({"dir_path": "."})),
        ("glob", json!({"pattern": "*"})),
    ] {
        let text = bench.text(tool, arguments).await;
        assert!(
            text.contains(".gitignore") && text.contains("(has an invalid ignore rule)"),
            "{text}"
        );
        assert!(!text.contains("x.log"), "{text}");
    }
}

/// TR-10: an ignore file that is endless, blocks, is too large or leads out of the project is
/// reported and not read, and nothing waits for it.
#[cfg(unix)]
#[tokio::test]
async fn ignore_files_are_bounded() {
    use std::os::unix::fs::symlink;
    type Make<'a> = &'a dyn Fn(&std::path::Path);

    let elsewhere = tempfile::tempdir().expect("a folder");
    let outside = elsewhere.path().join("rules");
    std::fs::write(&outside, "a.txt\n").expect("a file");
    let endless: [(&str, Make<'_>); 4] = [
        ("it links out of the project", &|place| {
            symlink("/dev/zero", place).expect("a link");
        }),
        ("it links out of the project", &|place| {
            symlink(&outside, place).expect("a link");
        }),
        ("it isn't a regular file", &|place| {
            rustix::fs::mkfifoat(
                rustix::fs::CWD,
                place,
                rustix::fs::Mode::from_raw_mode(0o600),
            )
            .expect("a pipe");
        }),
        ("it is larger than 1 MiB", &|place| {
            std::fs::write(place, "a.txt\n".repeat(200_000)).expect("a file");
        }),
    ];
    for name in [
        ".gitignore",
        ".geminiignore",
        "sub/.gitignore",
        ".git/info/exclude",
    ] {
        for (why, make) in &endless {
            let bench = Bench::new();
            bench.write("sub/a.txt", "x");
            bench.write(".git/info/other", "");
            make(&bench.root().join(name));
            let listing = json!({"dir_path": "sub"});
            let text = bench.text("list_directory", listing).await;
            assert!(text.contains("a.txt"), "{name}: {text}");
            assert!(text.contains(why), "{name}: {text}");
        }
    }
}

/// TO-1: all rules of a repository around the workspace count, and only its own in one inside; the
/// nearest rule wins, and `.geminiignore` wins over git.
#[tokio::test]
async fn rules_of_repositories_are_understood() {
    let bench = Bench::new();
    bench.write(".git/info/exclude", "excluded.txt\n");
    bench.write(".gitignore", "*.log\nhidden.txt\n");
    bench.write(".geminiignore", "!shown.log\n");
    bench.write("inner/.git/HEAD", "");
    for name in ["excluded.txt", "a.log", "shown.log", "inner/a.log", "b.txt"] {
        bench.write(name, "");
    }
    let text = bench.text("list_directory", json!({"dir_path": "."})).await;
    assert!(
        text.contains("shown.log") && text.contains("b.txt"),
        "{text}"
    );
    assert!(
        !text.contains("excluded.txt") && !text.contains("a.log"),
        "{text}"
    );
    let inner = bench
        .text("list_directory", json!({"dir_path": "inner"}))
        .await;
    assert!(inner.contains("a.log"), "{inner}");
}
