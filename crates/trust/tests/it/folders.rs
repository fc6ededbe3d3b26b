//! Trust in folders (TR-5).

use std::path::Path;

use hookloop_settings::FolderTrust;
use hookloop_trust::FolderTrustFile;
use serde_json::json;

use crate::fixture::Fixture;

fn told(file: &FolderTrustFile, folder: &Path) -> &'static str {
    match file.trust_of(folder) {
        FolderTrust::Untold => "untold",
        FolderTrust::Trusted => "trusted",
        FolderTrust::DoNotTrust { .. } => "distrusted",
    }
}

/// TR-5: the rule for the nearest folder wins; `TRUST_PARENT` is about the folder above.
#[test]
fn the_nearest_rule_wins() {
    let fixture = Fixture::new();
    let path = |path: &str| fixture.path(path).display().to_string();
    let rules = json!({
        path("a"): "TRUST_FOLDER",
        path("a/b"): "DO_NOT_TRUST",
        path("a/b/c"): "TRUST_FOLDER",
        path("p/q"): "TRUST_PARENT",
        path("same/x"): "TRUST_PARENT",
        path("same"): "DO_NOT_TRUST",
    });
    let file = fixture.write("trustedFolders.json", rules.to_string());
    let (file, problems) = FolderTrustFile::open(&file);
    assert!(problems.is_empty());
    for (folder, expected) in [
        ("a", "trusted"),
        ("a/x/y", "trusted"),
        ("a/b", "distrusted"),
        ("a/b/x", "distrusted"),
        ("a/b/c/d", "trusted"),
        ("ab", "untold"),
        ("p/other", "trusted"),
        ("p", "trusted"),
        ("same/y", "distrusted"),
    ] {
        assert_eq!(told(&file, &fixture.path(folder)), expected, "{folder}");
    }
}

/// TR-5: the source of a rule is its entry.
#[test]
fn a_rule_has_its_source() {
    let fixture = Fixture::new();
    let folder = fixture.path("project");
    let text = format!(
        "{{\n  // mine\n  {}: \"DO_NOT_TRUST\",\n}}",
        json!(folder.display().to_string())
    );
    let path = fixture.write("trustedFolders.json", text);
    let (file, _) = FolderTrustFile::open(&path);
    let FolderTrust::DoNotTrust { source } = file.trust_of(&folder) else {
        panic!("distrusted")
    };
    assert_eq!(
        (&*source.file, source.position.unwrap().line),
        (path.as_path(), 3)
    );
}

/// TR-5: a folder is recognised however it is reached.
#[cfg(unix)]
#[test]
fn links_do_not_hide_a_folder() {
    let fixture = Fixture::new();
    let link = fixture.path("link");
    std::os::unix::fs::symlink(fixture.project(), &link).unwrap();
    let rules = json!({fixture.project().display().to_string(): "DO_NOT_TRUST"});
    let (file, _) = FolderTrustFile::open(&fixture.write("f.json", rules.to_string()));
    assert_eq!(told(&file, &link), "distrusted");
}

/// TR-5: what can't be read is reported and left out; a missing file is empty.
#[test]
fn what_can_not_be_read_is_reported() {
    let fixture = Fixture::new();
    let folder = fixture.project();
    let key = json!(folder.display().to_string());
    for (text, expected) in [
        (b"{oops".to_vec(), "untold"),
        (b"\xFF".to_vec(), "untold"),
        (b"[]".to_vec(), "untold"),
        (
            format!("{{{key}: \"do_not_trust\"}}").into_bytes(),
            "untold",
        ),
        (
            format!("{{\"/x\": 5, {key}: \"TRUST_FOLDER\"}}").into_bytes(),
            "trusted",
        ),
    ] {
        let (file, problems) = FolderTrustFile::open(&fixture.write("f.json", text));
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].code.as_str(), "trust_file_invalid");
        assert_eq!(told(&file, &folder), expected);
    }
    let (file, problems) = FolderTrustFile::open(Path::new("/no/such/file"));
    assert!(problems.is_empty());
    assert_eq!(told(&file, &folder), "untold");
}

/// TR-8: lists that affect git's answers are looked for in a bounded number of folders, and it is
/// known that there are more.
#[test]
fn folders_beyond_the_bound_are_reported() {
    use hookloop_trust::{Depth, NamedFiles, Part};
    let folder = tempfile::tempdir().unwrap();
    let below = NamedFiles {
        folder: folder.path().to_owned(),
        name: ".gitignore".to_owned(),
        part: Part::GitLines,
        depth: Depth::Any,
    };
    let mut in_part = std::collections::BTreeSet::new();
    for (folders, is_whole) in [(0..4000, true), (4000..4200, false)] {
        for number in folders {
            let path = folder.path().join(format!("d{number}"));
            std::fs::create_dir(&path).unwrap();
        }
        std::fs::write(folder.path().join("d7/.gitignore"), "x\n").unwrap();
        let found = below.existing(&mut in_part);
        assert!(found.len() <= 1 && (!is_whole || found.len() == 1));
        assert_eq!(in_part.is_empty(), is_whole);
    }
}
