//! Each way to name the outside world, and the places that may.

use super::*;

fn found(path: &str, text: &str) -> Vec<(usize, String)> {
    check(&[SourceFile::new(path, text.to_owned())])
        .into_iter()
        .map(|violation| (violation.line, violation.wrong))
        .collect()
}

fn lines(path: &str, text: &str) -> Vec<usize> {
    found(path, text)
        .into_iter()
        .map(|(line, _)| line)
        .collect()
}

#[test]
fn a_use_declaration_counts_with_everything_unfolded() {
    assert_eq!(
        found(
            "crates/events/src/lib.rs",
            "use std::{\n    fmt,\n    fs,\n    time::SystemTime,\n};"
        ),
        [
            (3, "crate `events` uses `std::fs`".to_owned()),
            (4, "crate `events` uses `std::time::SystemTime`".to_owned()),
        ]
    );
    assert_eq!(
        lines("crates/events/src/lib.rs", "use tokio::sync::mpsc;"),
        [1]
    );
    assert_eq!(
        lines("crates/events/src/lib.rs", "use std::time::Duration;"),
        Vec::<usize>::new()
    );
}

#[test]
fn a_path_in_code_counts() {
    let text = "fn read() -> String {\n    std::fs::read_to_string(\"x\").unwrap_or_default()\n}";
    assert_eq!(lines("crates/engine/src/run.rs", text), [2]);
    assert_eq!(
        lines("crates/settings/src/load.rs", text),
        Vec::<usize>::new()
    );
}

#[test]
fn a_module_brought_in_is_followed() {
    let text = "use std::env;\nfn home() {\n    let _ = env::var(\"HOME\");\n}";
    assert_eq!(lines("crates/agent/src/lib.rs", text), [3]);
    let renamed = "use std::process as system;\nfn run() {\n    system::Command::new(\"x\");\n}";
    assert_eq!(lines("crates/agent/src/lib.rs", renamed), [3]);
    assert_eq!(
        lines("crates/exec/src/lib.rs", renamed),
        Vec::<usize>::new()
    );
}

#[test]
fn a_glob_brings_in_what_is_below_it() {
    assert_eq!(
        lines("crates/model/src/lib.rs", "use std::process::*;"),
        [1]
    );
}

#[test]
fn constants_of_the_platform_are_no_environment() {
    let text = "use std::env;\nconst A: &str = env::consts::OS;\nconst B: &str = env!(\"CARGO_PKG_VERSION\");\ninclude!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));";
    assert_eq!(lines("crates/agent/src/lib.rs", text), Vec::<usize>::new());
}

#[test]
fn a_name_in_a_macro_call_counts() {
    let text = "fn f() {\n    g!(a, {\n        std::env::var(\"HOME\")\n    });\n    h!(option_env!(\"HOME\"));\n}";
    assert_eq!(lines("crates/tools/src/lib.rs", text), [3, 5]);
    assert_eq!(
        lines("crates/tools/src/lib.rs", "const H: &str = env!(\"HOME\");"),
        [1]
    );
}

#[test]
fn the_program_reads_the_environment_but_starts_no_process() {
    let text = "use std::env::current_dir;\nuse tokio::process::Command;";
    assert_eq!(
        found("crates/cli/src/main.rs", text),
        [(2, "crate `cli` uses `tokio::process::Command`".to_owned())]
    );
}

#[test]
fn tests_are_free() {
    let text =
        "#[cfg(test)]\nmod tests {\n    use std::fs;\n    fn f() { std::env::var(\"A\"); }\n}";
    assert_eq!(lines("crates/events/src/lib.rs", text), Vec::<usize>::new());
    assert_eq!(
        lines("crates/events/tests/a.rs", "use std::fs;"),
        Vec::<usize>::new()
    );
    let files = [
        SourceFile::new(
            "crates/events/src/lib.rs",
            "#[cfg(test)]\nmod laws;".to_owned(),
        ),
        SourceFile::new("crates/events/src/laws.rs", "use std::fs;".to_owned()),
    ];
    assert_eq!(check(&files), []);
}

#[test]
fn a_file_that_is_not_rust_is_reported() {
    let found = found("crates/events/src/lib.rs", "fn a() {}\nfn {");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, 2);
}

/// TR-10: files of a person or a project are opened in one place, which never waits for a pipe.
#[test]
fn files_are_read_through_one_place() {
    for text in [
        "fn f() { let _ = std::fs::read(\"x\"); }",
        "use std::fs;\nfn f() { let _ = fs::read_to_string(\"x\"); }",
        "use std::fs::File;\nfn f() { let _ = File::open(\"x\"); }",
        "use std::fs::File;\nfn f() { let _ = File::create(\"x\"); }",
        "fn f() -> Option<Vec<u8>> { Some(\"x\").map(std::fs::read)?.ok() }",
    ] {
        assert!(
            !found("crates/session/src/lib.rs", text).is_empty(),
            "{text}"
        );
        assert!(found("crates/settings/src/bounded.rs", text).is_empty());
    }
    let folder = "use std::fs;\nfn f() { let _ = fs::read_dir(\"x\"); }";
    assert!(found("crates/session/src/lib.rs", folder).is_empty());
}
