//! `read_file` and `read_many_files`.

use std::fs::{self, File};

use serde_json::json;

use crate::bench::Bench;

/// TO-1: a small file is returned completely, with line feeds as line ends and without a byte-order
/// mark.
#[tokio::test]
async fn a_small_file_is_given_whole() {
    let bench = Bench::new();
    bench.write("a.txt", "\u{feff}one\r\ntwo\nthree");
    let output = bench.call("read_file", json!({"file_path": "a.txt"})).await;
    assert_eq!(output.llm_content, "one\ntwo\nthree");
    assert_eq!(output.display, "Read 3 lines of a.txt");
    bench.write("empty", "");
    let text = bench.text("read_file", json!({"file_path": "empty"})).await;
    assert_eq!(text, "(The file empty is empty.)");
}

/// TO-1: parts are requested in either spelling, and the answer says how to continue.
#[tokio::test]
async fn parts_of_a_file_say_how_to_go_on() {
    let bench = Bench::new();
    let lines: Vec<String> = (1..=10).map(|line| format!("line {line}")).collect();
    bench.write("a.txt", lines.join("\n") + "\n");
    for part in [
        json!({"file_path": "a.txt", "offset": 2, "limit": 3}),
        json!({"file_path": "a.txt", "offset": 2.0, "limit": 3.0}),
        json!({"file_path": "a.txt", "start_line": 3, "end_line": 5}),
    ] {
        let text = bench.text("read_file", part).await;
        assert!(
            text.contains("Showing lines 3-5 of 10 total lines"),
            "{text}"
        );
        assert!(text.contains("use offset: 5."), "{text}");
        assert!(text.ends_with("---\nline 3\nline 4\nline 5\n"), "{text}");
    }
    let rest = bench
        .text("read_file", json!({"file_path": "a.txt", "offset": 8}))
        .await;
    assert!(
        rest.ends_with("line 9\nline 10\n") && !rest.contains("use offset"),
        "{rest}"
    );
    let past = json!({"file_path": "a.txt", "offset": 10});
    assert_eq!(bench.fault("read_file", past).await, "invalid_tool_params");
    let backwards = json!({"file_path": "a.txt", "start_line": 5, "end_line": 4});
    assert!(bench.validate("read_file", backwards).is_err());
}

/// TO-1: a long file is cut after 2000 lines.
#[tokio::test]
async fn a_long_file_is_cut() {
    let bench = Bench::new();
    bench.write("a.txt", "x\n".repeat(2001));
    let text = bench.text("read_file", json!({"file_path": "a.txt"})).await;
    assert!(text.contains("Showing lines 1-2000 of 2001") && text.contains("offset: 2000."));
}

/// TO-1: images and documents are passed to the model unchanged, and hooks read them as parts.
#[tokio::test]
async fn images_and_documents_are_given_as_they_are() {
    let bench = Bench::new();
    for (name, content, kind, data) in [
        (
            "a.txt",
            &b"\x89PNG\r\n\x1a\n"[..],
            "image/png",
            "iVBORw0KGgo=",
        ),
        ("b", b"%PDF-1.7\n", "application/pdf", "JVBERi0xLjcK"),
    ] {
        bench.write(name, content);
        let output = bench.call("read_file", json!({"file_path": name})).await;
        assert_eq!(output.error, None);
        let media: Vec<_> = output.media.iter().collect();
        assert_eq!(media.len(), 1, "{name}");
        assert_eq!((media[0].mime_type, media[0].data.as_str()), (kind, data));
        assert_eq!(
            output.to_response()["llmContent"][1],
            json!({"inlineData": {"mimeType": kind, "data": data}})
        );
    }
    let edit = json!({"file_path": "b", "old_string": "PDF", "new_string": "x"});
    assert!(bench.call("replace", edit).await.error.is_some());
}

/// TO-1: if a file isn't text, the answer names what it is.
#[tokio::test]
async fn what_is_not_text_is_named() {
    let bench = Bench::new();
    let cases: [(&str, &[u8], &str); 5] = [
        ("a.bin", b"abc\0def", "a binary file"),
        ("a.zip", b"PK\x03\x04\0", "a ZIP archive"),
        (
            "utf16.txt",
            b"\xff\xfea\0b",
            "not UTF-16 (invalid byte at offset 4)",
        ),
        (
            "cyrillic.txt",
            b"\xf0\xd2\xc9\xd7\xc5\xd4\n",
            "not UTF-8 (invalid byte at offset 0)",
        ),
        (
            "cut.txt",
            b"\xc3\xa9 caf\xc3",
            "not UTF-8 (invalid byte at offset 6)",
        ),
    ];
    for (name, content, what) in cases {
        bench.write(name, content);
        let output = bench.call("read_file", json!({"file_path": name})).await;
        let error = output.error.expect("an error");
        assert_eq!(error.kind.as_str(), "not_text");
        assert!(error.message.contains(what), "{name}: {}", error.message);
    }
}

/// TO-1: huge files, folders, missing files and pipes give an answer, and never block.
#[tokio::test]
async fn what_can_not_be_read_gives_an_answer() {
    let bench = Bench::new();
    let huge = File::create(bench.root().join("huge")).expect("a file");
    huge.set_len(20 * 1024 * 1024 + 1).expect("a size");
    fs::create_dir(bench.root().join("folder")).expect("a folder");
    let mut cases = vec![
        ("huge", "file_too_large"),
        ("folder", "target_is_directory"),
        ("absent", "file_not_found"),
        ("huge/below", "file_not_found"),
    ];
    if cfg!(unix) {
        let made = std::process::Command::new("mkfifo")
            .arg(bench.root().join("pipe"))
            .status();
        assert!(made.expect("mkfifo").success());
        cases.push(("pipe", "read_content_failure"));
    }
    for (name, kind) in cases {
        assert_eq!(
            bench.fault("read_file", json!({"file_path": name})).await,
            kind,
            "{name}"
        );
    }
}

/// TO-1: ignored files aren't read, whichever file ignores them; validation says so before any
/// hook.
#[tokio::test]
async fn ignored_files_are_not_read() {
    let bench = Bench::new();
    bench.write(".gitignore", "*.log\nbuild/\n!keep.log\n");
    bench.write(".geminiignore", "/secret.txt\n");
    bench.write("sub/.geminiignore", "local.txt\n");
    for name in [
        "a.log",
        "build/out.txt",
        "secret.txt",
        "sub/local.txt",
        ".git/config",
    ] {
        bench.write(name, "hidden");
        let arguments = json!({"file_path": name});
        assert_eq!(
            bench.fault("read_file", arguments.clone()).await,
            "path_ignored",
            "{name}"
        );
        let refusal = bench.validate("read_file", arguments).expect_err("refused");
        assert_eq!(refusal.kind.as_str(), "path_ignored", "{name}");
    }
    for name in ["keep.log", "sub/secret.txt", "local.txt", ".hidden"] {
        bench.write(name, "seen");
        assert_eq!(
            bench.text("read_file", json!({"file_path": name})).await,
            "seen",
            "{name}"
        );
    }
}

/// TO-1: nothing outside is read, even through links; and links inside may be used.
#[cfg(unix)]
#[tokio::test]
async fn nothing_outside_is_read() {
    use std::os::unix::fs::symlink;
    let bench = Bench::new();
    fs::write(bench.outside().join("secret"), "outside").expect("a file");
    symlink(bench.outside(), bench.root().join("link")).expect("a link");
    symlink("a.txt", bench.root().join("inside")).expect("a link");
    bench.write("a.txt", "inside");
    let absolute = bench.outside().join("secret").display().to_string();
    for path in ["../outside/secret", "link/secret", absolute.as_str()] {
        let arguments = json!({"file_path": path});
        let refusal = bench
            .validate("read_file", arguments.clone())
            .expect_err("refused");
        assert_eq!(refusal.kind.as_str(), "path_not_in_workspace");
        assert_eq!(
            bench.fault("read_file", arguments).await,
            "path_not_in_workspace"
        );
    }
    assert_eq!(
        bench
            .text("read_file", json!({"file_path": "inside"}))
            .await,
        "inside"
    );
    let many = json!({"include": ["**/*"]});
    assert!(
        !bench
            .text("read_many_files", many)
            .await
            .contains("outside")
    );
}

/// TO-1: many files come with their names, in order; what was skipped is reported with its cause.
#[tokio::test]
async fn many_files_come_with_names_and_causes() {
    let bench = Bench::new();
    bench.write(".gitignore", "ignored.rs\nbuild/\n");
    bench.write("build/out.rs", "hidden");
    for (name, content) in [
        ("src/b.rs", "bee\n"),
        ("src/a.rs", "ay\n"),
        ("src/ignored.rs", "hidden"),
        ("src/test/a_test.rs", "test"),
        ("docs/x.md", "ex\n"),
        ("odd[1].txt", "odd\n"),
    ] {
        bench.write(name, content);
    }
    bench.write("src/c.rs", b"\0");
    let text = bench
        .text(
            "read_many_files",
            json!({
                "include": ["src/**/*.rs", "docs", "odd[1].txt", "absent.txt", "src/ignored.rs", "build"],
                "exclude": ["test"],
            }),
        )
        .await;
    let mut names: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("--- "))
        .collect();
    assert_eq!(names.pop(), Some("--- End of content ---"));
    assert_eq!(
        names,
        [
            "--- docs/x.md ---",
            "--- odd[1].txt ---",
            "--- src/a.rs ---",
            "--- src/b.rs ---"
        ]
    );
    assert!(text.contains("--- src/a.rs ---\n\nay\n"), "{text}");
    assert!(text.contains("Skipped 4 file(s):"), "{text}");
    assert!(text.contains("absent.txt: File not found"), "{text}");
    assert!(
        text.contains("src/c.rs is a binary file") || text.contains("c.rs is a binary"),
        "{text}"
    );
    assert!(
        text.contains("- src/ignored.rs: File path") && !text.contains("hidden"),
        "{text}"
    );
}

/// TO-1: one call returns no more than the limit, and names the files left out.
#[tokio::test]
async fn many_files_are_capped() {
    let bench = Bench::new();
    for index in 0..5 {
        bench.write(
            &format!("{index}.txt"),
            format!("{}\n", "x".repeat(1999)).repeat(200),
        );
    }
    let text = bench
        .text("read_many_files", json!({"include": ["*.txt"]}))
        .await;
    assert!(text.len() < 1_600_000);
    assert!(
        text.contains("- 4.txt: no room left"),
        "{}",
        &text[text.len() - 200..]
    );
    let none = bench
        .text("read_many_files", json!({"include": ["*.none"]}))
        .await;
    assert!(none.starts_with("No files matching"), "{none}");
}

/// TO-1: text in UTF-16 and UTF-32 with a byte-order mark is read, changed and written back as
/// it was.
#[tokio::test]
async fn marked_encodings_are_kept() {
    let bench = Bench::new();
    let little_16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect()
    };
    let big_32 = |text: &str| -> Vec<u8> {
        let units = text.chars().flat_map(|it| u32::from(it).to_be_bytes());
        [0, 0, 0xfe, 0xff].into_iter().chain(units).collect()
    };
    for (name, encoded) in [
        ("a.txt", &little_16 as &dyn Fn(&str) -> Vec<u8>),
        ("b.txt", &big_32),
    ] {
        let place = bench.root().join(name);
        fs::write(&place, encoded("süß 🦀\r\nend\r\n")).expect("a file");
        let text = bench.text("read_file", json!({"file_path": name})).await;
        assert!(text.contains("süß 🦀\nend"), "{text}");
        let edit = json!({"file_path": name, "old_string": "end", "new_string": "x\ny"});
        bench.text("replace", edit).await;
        assert_eq!(
            fs::read(&place).expect("bytes"),
            encoded("süß 🦀\r\nx\r\ny\r\n")
        );
        bench
            .text("write_file", json!({"file_path": name, "content": "neu\n"}))
            .await;
        assert_eq!(fs::read(&place).expect("bytes"), encoded("neu\r\n"));
    }
}

/// TO-1: a file in Latin-1 or Windows-1252 is read, changed and written back as it was: its
/// encoding, its line ends, and a last line without one.
#[tokio::test]
async fn an_encoding_without_a_mark_is_kept() {
    let bench = Bench::new();
    let place = bench.root().join("a.txt");
    fs::write(&place, b"caf\xe9 \x80 1\r\n\xfcber\r\nend").expect("a file");
    let text = bench.text("read_file", json!({"file_path": "a.txt"})).await;
    assert_eq!(text, "café € 1\nüber\nend");
    let edit =
        json!({"file_path": "a.txt", "old_string": "über", "new_string": "\u{e4}\n\u{201c}"});
    bench.text("replace", edit).await;
    let bytes = fs::read(&place).expect("bytes");
    assert_eq!(bytes, b"caf\xe9 \x80 1\r\n\xe4\r\n\x93\r\nend");
    let content = json!({"file_path": "a.txt", "content": "d\u{e9}j\u{e0}\nvu"});
    bench.text("write_file", content).await;
    assert_eq!(fs::read(&place).expect("bytes"), b"d\xe9j\xe0\r\nvu");
}

/// TO-1: text that the encoding of a file can't express isn't written, and the model is told why.
#[tokio::test]
async fn text_that_an_encoding_lacks_is_refused() {
    let bench = Bench::new();
    let place = bench.root().join("a.txt");
    let before = b"caf\xe9\n";
    for (tool, arguments) in [
        (
            "replace",
            json!({"file_path": "a.txt", "old_string": "caf", "new_string": "\u{2192}"}),
        ),
        (
            "write_file",
            json!({"file_path": "a.txt", "content": "caf\u{e9} \u{2192}\n"}),
        ),
    ] {
        fs::write(&place, before).expect("a file");
        let error = bench.call(tool, arguments).await.error.expect("an error");
        assert!(error.message.contains("U+2192"), "{}", error.message);
        assert_eq!(fs::read(&place).expect("bytes"), before, "{tool}");
    }
}

/// TO-1: a file in an encoding that isn't known may be overwritten, which the model is told.
#[tokio::test]
async fn a_lost_encoding_is_told() {
    let bench = Bench::new();
    bench.write("a.txt", b"\xf0\xd2\xc9\xd7\xc5\xd4\n");
    let content = json!({"file_path": "a.txt", "content": "new\n"});
    let told = bench.text("write_file", content).await;
    assert!(told.contains("not UTF-8 (invalid byte"), "{told}");
}
