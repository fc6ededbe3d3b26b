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

/// TO-1: an ignore rule that can't be understood is told, and the others count.
#[tokio::test]
async fn a_faulty_ignore_rule_is_told() {
    let bench = Bench::new();
    bench.write(".gitignore", "a{b\n*.log\n");
    bench.write("x.log", "");
    for (tool, arguments) in [
        ("list_directory", json!({"dir_path": "."})),
        ("glob", json!({"pattern": "*"})),
    ] {
        let text = bench.text(tool, arguments).await;
        assert!(
            text.contains(".gitignore") && text.contains("(has a faulty ignore rule)"),
            "{text}"
        );
        assert!(!text.contains("x.log"), "{text}");
    }
}
