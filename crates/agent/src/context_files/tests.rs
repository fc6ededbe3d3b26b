//! Which context files there are, and what of them counts.

use std::fs;

use super::*;

fn names() -> Vec<String> {
    vec![CONTEXT_FILE_NAME.to_owned(), "RULES.md".to_owned()]
}

/// TO-5: user first, then the project's root and the folders down to the current one.
#[test]
fn general_files_come_before_special_ones() {
    let paths = context_paths(
        Path::new("/w/p/a/b"),
        Path::new("/w/p"),
        Path::new("/h"),
        &names(),
    );
    let expected = [
        "/h/.gemini/GEMINI.md",
        "/h/.gemini/RULES.md",
        "/w/p/GEMINI.md",
        "/w/p/RULES.md",
        "/w/p/a/GEMINI.md",
        "/w/p/a/RULES.md",
        "/w/p/a/b/GEMINI.md",
        "/w/p/a/b/RULES.md",
    ];
    assert_eq!(paths, expected.map(PathBuf::from));
    let outside = context_paths(
        Path::new("/x"),
        Path::new("/w/p"),
        Path::new("/h"),
        &names()[..1],
    );
    let expected = ["/h/.gemini/GEMINI.md", "/w/p/GEMINI.md", "/x/GEMINI.md"];
    assert_eq!(outside, expected.map(PathBuf::from));
}

/// TO-5: a file that is found twice is read once.
#[test]
fn no_file_counts_twice() {
    let user = Path::new("/h/.gemini");
    let paths = context_paths(user, user, Path::new("/h"), &names()[..1]);
    assert_eq!(paths, [PathBuf::from("/h/.gemini/GEMINI.md")]);
}

/// TO-5: texts are passed on with their place; absent and empty files are passed over; what is
/// cut or can't be read is told.
#[test]
fn what_does_not_count_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    fs::write(place("good"), "\u{feff}be kind\n").expect("a file");
    fs::write(place("empty"), " \n").expect("a file");
    fs::write(place("odd"), b"caf\xe9").expect("a file");
    fs::create_dir(place("folder")).expect("a folder");
    // The bound goes through the second byte of a character.
    let long = format!("x{}", "é".repeat(LARGEST / 2));
    fs::write(place("long"), &long).expect("a file");
    let paths = ["absent", "good", "empty", "odd", "folder", "long"].map(place);
    let (files, problems) = read_context_files(&paths);
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].text, "be kind\n");
    assert_eq!(files[1].text, long[..LARGEST - 1]);
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for (told, (name, words)) in told.iter().zip([
        ("odd", "no UTF-8 text"),
        ("folder", "not a regular file"),
        ("long", "only the first"),
    ]) {
        let begin = format!("{}: ", place(name).display());
        assert!(told.starts_with(&begin) && told.contains(words), "{told}");
    }
    assert_eq!(told.len(), 3);
    let good = place("good");
    let path = good.display();
    assert_eq!(
        context_instruction(&files[..1]),
        Some(format!(
            "--- Context from: {path} ---\nbe kind\n--- End of Context from: {path} ---"
        ))
    );
    assert_eq!(context_instruction(&[]), None);
}
