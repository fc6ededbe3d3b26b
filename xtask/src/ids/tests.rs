//! What counts as a proof, and what the two lists may contain.

use std::fmt::Write;
use std::path::PathBuf;

use super::*;

const PAGE: &str = "docs/specification/hooks.md";

/// A page that states these ids, separated by blanks, below one heading.
fn page(ids: &str) -> String {
    let mut text = "# Page\n\n## 1. Input\n".to_owned();
    for id in ids.split_whitespace() {
        let anchor = id.to_ascii_lowercase();
        let _ = writeln!(text, "- <a id=\"{anchor}\"></a>**{id}** A statement.");
    }
    text
}

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(statements: &str, later: &str) -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fixture.write(PAGE, &page(statements));
        fixture.write(LATER_FILE, later);
        fixture
    }

    fn write(&self, file: &str, text: &str) {
        let path: PathBuf = self.folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn found(&self, test: &str) -> Vec<(String, usize, String)> {
        let files = [SourceFile::new("crates/x/tests/a.rs", test.to_owned())];
        check(self.folder.path(), &files)
            .into_iter()
            .map(|violation| (violation.file, violation.line, violation.wrong))
            .collect()
    }
}

#[test]
fn an_id_that_nothing_proves_is_reported_with_its_section() {
    let fixture = Fixture::new("IO-1", "");
    assert_eq!(
        fixture.found("/// IO-1\nfn no_test() {}"),
        [(
            PAGE.to_owned(),
            4,
            "nothing proves IO-1 (hooks: Input)".to_owned()
        )]
    );
}

#[test]
fn a_test_proves_what_the_comment_above_it_names() {
    let fixture = Fixture::new("IO-1 IO-10 AG-CLI-1 SE-1", "");
    let text = "/// IO-1, IO-10: both, in UTF-8.\n#[test]\nfn a() {}\n\n\
                #[tokio::test(start_paused = true)]\n// AG-CLI-1/SE-1\nasync fn b() {}\n";
    assert_eq!(fixture.found(text), []);
}

#[test]
fn an_ignored_test_and_a_distant_comment_prove_nothing() {
    let fixture = Fixture::new("IO-1", "");
    assert_eq!(
        fixture
            .found("/// IO-1\n#[ignore]\n#[test]\nfn a() {}")
            .len(),
        1
    );
    assert_eq!(fixture.found("/// IO-1\n\n#[test]\nfn a() {}").len(), 1);
    assert_eq!(fixture.found("//! IO-1\n#[test]\nfn a() {}").len(), 1);
    assert_eq!(fixture.found("// IO-12\n#[test]\nfn a() {}").len(), 2);
}

/// `UTF-8` in a sentence isn't an id; what a comment begins with is one, even if no page has its
/// family.
#[test]
fn an_id_of_a_misspelt_family_is_reported() {
    let fixture = Fixture::new("IO-1", "");
    let proof = "/// IO-1: text in UTF-8.\n#[test]\nfn a() {}";
    assert_eq!(fixture.found(proof), []);
    let typo = format!("{proof}\n\n/// IQ-1: a typo.\n#[test]\nfn b() {{}}");
    let wrong = "`IQ-1` isn't a statement of the specification".to_owned();
    let file = "crates/x/tests/a.rs".to_owned();
    assert_eq!(fixture.found(&typo), [(file, 5, wrong)]);
}

#[test]
fn a_conformance_case_proves_what_it_says() {
    let fixture = Fixture::new("IO-1", "");
    fixture.write(
        "conformance/before_tool/deny/case.json",
        r#"{"proves": ["IO-1"]}"#,
    );
    assert_eq!(fixture.found(""), []);
}

#[test]
fn a_case_that_proves_nothing_or_something_unknown_is_reported() {
    let fixture = Fixture::new("", "");
    fixture.write("conformance/a/b/case.json", "{\n\"proves\": []}");
    fixture.write("conformance/a/c/case.json", "{");
    fixture.write("conformance/a/d/case.json", r#"{"proves": ["XX-9"]}"#);
    let files: Vec<String> = fixture
        .found("")
        .into_iter()
        .map(|(file, ..)| file)
        .collect();
    assert_eq!(
        files,
        [
            "conformance/a/b/case.json",
            "conformance/a/c/case.json",
            "conformance/a/d/case.json",
        ]
    );
}

#[test]
fn an_id_for_later_needs_a_reason_and_no_proof() {
    let test = "/// IO-1\n#[test]\nfn a() {}";
    let fixture = Fixture::new("IO-1 IO-2", "IO-2\tcomes with the agent\n");
    assert_eq!(fixture.found(test), []);
    let proven = Fixture::new("IO-1", "IO-1\tcomes with the agent\n");
    assert_eq!(proven.found(test).len(), 1);
    let silent = Fixture::new("IO-1 IO-2", "IO-2\n");
    assert_eq!(silent.found(test).len(), 1);
    let unknown = Fixture::new("IO-1", "IO-3\twhy not\n");
    assert_eq!(unknown.found(test).len(), 1);
}

#[test]
fn a_list_with_wrong_lines_keeps_the_good_ones() {
    let later = "IO-1\tlater\nio-2\tb\nIO-1\tagain\n";
    let fixture = Fixture::new("IO-1", later);
    let lines: Vec<usize> = fixture
        .found("")
        .into_iter()
        .map(|(_, line, _)| line)
        .collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn a_statement_without_its_anchor_or_stated_twice_is_reported() {
    let fixture = Fixture::new("", "");
    fixture.write(
        PAGE,
        "- **IO-1** a\n- <a id=\"io-2\"></a>**IO-1** b\n- **no id** c\n",
    );
    let lines: Vec<usize> = fixture
        .found("/// IO-1\n#[test]\nfn a() {}")
        .into_iter()
        .map(|(_, line, _)| line)
        .collect();
    assert_eq!(lines, [1, 2, 2]);
}

#[test]
fn an_id_that_a_comment_cites_is_stated() {
    let fixture = Fixture::new("IO-1", "IO-1\tlater\n");
    let found = fixture.found("//! UTF-8 as in IO-1…IO-9.\nlet code = \"IO-8\";");
    let lines: Vec<usize> = found.iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [1]);
    assert!(found[0].2.contains("IO-9"), "{found:?}");
}

#[test]
fn the_table_has_a_line_for_each_id_and_the_sums() {
    let fixture = Fixture::new("IO-1 IO-2 IO-3", "IO-2\twith the agent\n");
    let files = [SourceFile::new(
        "a.rs",
        "/// IO-1\n#[test]\nfn a() {}".to_owned(),
    )];
    let table = table(fixture.folder.path(), &files);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("IO-1 ") && lines[0].ends_with("1 × a.rs:1"));
    assert!(lines[1].ends_with("later: with the agent"));
    assert!(lines[2].ends_with("NOT PROVEN"));
    assert_eq!(lines[3], "1 proven, 1 later, 1 not proven");
}
