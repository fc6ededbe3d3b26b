//! Which context files exist, and what in them counts.

use std::fs;

use super::*;

fn names() -> Vec<String> {
    vec![CONTEXT_FILE_NAME.to_owned(), "RULES.md".to_owned()]
}

fn only_paths(paths: &[ContextPath]) -> Vec<&Path> {
    paths.iter().map(|it| it.path.as_path()).collect()
}

fn in_project(path: PathBuf, root: &Path) -> ContextPath {
    ContextPath {
        path,
        within: Some(root.to_owned()),
    }
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
    assert_eq!(only_paths(&paths), expected.map(Path::new));
    let outside = context_paths(
        Path::new("/x"),
        Path::new("/w/p"),
        Path::new("/h"),
        &names()[..1],
    );
    let expected = ["/h/.gemini/GEMINI.md", "/w/p/GEMINI.md", "/x/GEMINI.md"];
    assert_eq!(only_paths(&outside), expected.map(Path::new));
}

/// TO-5: a file that is found twice is read once.
#[test]
fn no_file_counts_twice() {
    let user = Path::new("/h/.gemini");
    let paths = context_paths(user, user, Path::new("/h"), &names()[..1]);
    assert_eq!(only_paths(&paths), [Path::new("/h/.gemini/GEMINI.md")]);
}

/// TO-5: texts are passed on with their place; absent and empty files are skipped; what is cut or
/// can't be read is reported.
#[test]
fn what_does_not_count_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    fs::write(place("good"), "\u{feff}be kind\n").expect("a file");
    fs::write(place("empty"), " \n").expect("a file");
    fs::write(place("odd"), b"caf\xe9").expect("a file");
    fs::create_dir(place("folder")).expect("a folder");
    // The limit falls inside a character.
    let long = format!("x{}", "é".repeat(MAX_BYTES / 2));
    fs::write(place("long"), &long).expect("a file");
    let paths = ["absent", "good", "empty", "odd", "folder", "long"].map(place);
    let paths = paths.map(|path| in_project(path, folder.path()));
    let (files, problems) = read_context_files(&paths);
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].text, "be kind\n");
    assert_eq!(files[1].text, long[..MAX_BYTES - 1]);
    let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for (reported, (name, words)) in reported.iter().zip([
        ("odd", "isn't UTF-8 text"),
        ("folder", "isn't a regular file"),
        ("long", "only the first"),
    ]) {
        let begin = format!("{}: ", place(name).display());
        assert!(
            reported.starts_with(&begin) && reported.contains(words),
            "{reported}"
        );
    }
    assert_eq!(reported.len(), 3);
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

/// TR-10: a project's context file can't lead out of the project, neither by its own link, nor a
/// link of a folder on the way, nor by the name in the settings; the user's own may be anywhere.
#[cfg(unix)]
#[test]
fn no_context_file_leads_out_of_the_project() {
    use std::os::unix::fs::symlink;

    let home = tempfile::tempdir().expect("a folder");
    let project = home.path().join("project");
    let secret = home.path().join("secret");
    fs::create_dir_all(project.join("sub")).expect("a folder");
    fs::write(&secret, "the key").expect("a file");
    fs::write(project.join("real.md"), "be kind").expect("a file");
    symlink(&secret, project.join("GEMINI.md")).expect("a link");
    symlink(home.path(), project.join("sub/up")).expect("a link");
    symlink("real.md", project.join("inside.md")).expect("a link");
    let names = ["GEMINI.md", "sub/up/secret", "../secret", "inside.md"].map(str::to_owned);
    fs::create_dir(home.path().join(".gemini")).expect("a folder");
    let all = context_paths(&project, &project, home.path(), &names);
    let (files, problems) = read_context_files(&all);
    let texts: Vec<&str> = files.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        texts,
        ["the key", "be kind"],
        "the first is ~/.gemini/../secret"
    );
    assert_eq!(files[0].path, home.path().join(".gemini/../secret"));
    assert_eq!(problems.len(), 3);
    for problem in &problems {
        assert!(problem.message.contains("outside"), "{problem}");
    }
}
