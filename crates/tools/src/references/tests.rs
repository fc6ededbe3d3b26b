use std::fs;
use std::path::Path;

use super::*;

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn read(folder: &Path, prompt: &str) -> References {
    let workspace = Workspace::open(&folder.canonicalize().unwrap(), &[]).unwrap();
    let cancel = CancellationToken::new();
    gather(&workspace, &mentions(prompt), &cancel)
}

fn words(prompt: &str) -> Vec<String> {
    let found = mentions(prompt);
    let first = found.into_iter().map(|it| it.readings[0].clone());
    first.collect()
}

/// TU-1: an `@` at the beginning of a word begins a path; in an address it is text.
#[test]
fn a_path_begins_a_word() {
    let text = "mail me@host.org about (@a.rs), @b\\ c.md and @a.rs\n@d @";
    assert_eq!(words(text), ["a.rs),", "b c.md", "a.rs", "d"]);
    assert!(words("a@b x@ @").is_empty());
}

/// TU-1: a file that a prompt names is included, without the punctuation after the name.
#[test]
fn a_named_file_is_included() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "src/main.rs", "fn main() {}");
    write(folder.path(), "my notes.md", "remember\n");
    let found = read(
        folder.path(),
        "explain (@src/main.rs), then @my\\ notes.md.",
    );
    assert_eq!(found.included, ["src/main.rs", "my notes.md"]);
    assert!(found.left_out.is_empty(), "{:?}", found.left_out);
    assert_eq!(
        found.content().unwrap(),
        "\n--- src/main.rs ---\nfn main() {}\n\n--- my notes.md ---\nremember\n--- End of the files ---"
    );
}

/// TU-1: a name that no file has is text; one that looks like a path is reported as missing.
#[test]
fn what_is_not_a_file_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(read(folder.path(), "ask @alice"), References::default());
    let found = read(folder.path(), "see @src/mian.rs.");
    assert_eq!(found.content(), None);
    assert_eq!(found.left_out.len(), 1);
    assert!(found.left_out[0].contains("src/mian.rs"));
}

/// TU-1, TO-1: nothing outside of the workspace, nothing that is ignored and nothing that isn't
/// text is included, and each is reported.
#[test]
fn what_may_not_be_read_is_said() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret", "outside");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".gitignore", "out/\n");
    write(folder.path(), ".geminiignore", ".env\n");
    write(folder.path(), ".env", "KEY=hidden");
    write(folder.path(), "out/a", "built");
    fs::write(folder.path().join("image"), [0, 159, 146, 150]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("link")).unwrap();
    let secret = outside.path().join("secret").display().to_string();
    for mention in [".env", "out/a", "out", "image", "../x/y", "link", &secret] {
        let found = read(folder.path(), &format!("@{mention}"));
        assert_eq!(found.content(), None, "{mention}");
        assert!(!found.left_out.is_empty(), "{mention}");
    }
}

/// TU-1, TO-1: a folder adds its text files, without those that ignore files hide.
#[test]
fn a_folder_brings_its_files() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".gitignore", "*.log\n");
    write(folder.path(), "docs/a.md", "first");
    write(folder.path(), "docs/deep/b.md", "second");
    write(folder.path(), "docs/c.log", "third");
    write(folder.path(), "other.md", "fourth");
    let found = read(folder.path(), "read @docs/ and @docs/a.md");
    assert_eq!(found.included, ["docs (2 files)", "docs/a.md"]);
    let content = found.content().unwrap();
    for (text, times) in [("first", 1), ("second", 1), ("third", 0), ("fourth", 0)] {
        assert_eq!(content.matches(text).count(), times, "{text}");
    }
}

/// TU-1: a folder with very many files is cut, which is reported.
#[test]
fn a_large_folder_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..203 {
        write(folder.path(), &format!("many/{number:03}"), "x");
    }
    let found = read(folder.path(), "@many");
    assert_eq!(found.included, ["many (200 files)"]);
    assert!(
        found.left_out[0].contains("many/200"),
        "{:?}",
        found.left_out
    );
}

/// TO-1: an image or a document that somebody names is sent to the model; those in a folder aren't.
#[test]
fn a_named_image_is_attached() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "docs/a.md", "first");
    fs::write(folder.path().join("docs/b.gif"), b"GIF89a\0\0").unwrap();
    write(folder.path(), "c.pdf", "%PDF-1.7");
    let found = read(folder.path(), "look at @c.pdf and @docs");
    let names: Vec<&str> = found
        .files
        .iter()
        .filter_map(|it| Some(it.media.as_ref()?.name.as_str()))
        .collect();
    assert_eq!(names, ["c.pdf"]);
    assert!(found.content().unwrap().contains("attached: c.pdf"));
    assert_eq!(found.included, ["c.pdf", "docs (1 file)"]);
    assert_eq!(
        read(folder.path(), "@docs/b.gif @docs/b.gif").files.len(),
        1
    );
}
