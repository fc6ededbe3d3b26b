//! Manifests: every crate that is published says what a registry shows of it, needs nothing that is
//! not published, and holds every file that it takes into the program.

use std::collections::BTreeSet;
use std::path::Path;

use crate::source::SourceFile;
use crate::violation::Violation;
use crate::workspace::{DependencyKind, Package};

/// What the manifest of a published crate must have.
const REQUIRED_FIELDS: [&str; 8] = [
    "description = \"",
    "version.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "repository.workspace = true",
    "readme = \"README.md\"",
    "keywords = [",
    "categories = [",
];

/// Checks the manifests and what the code takes in; `root_manifest` is the text of the workspace's.
pub(crate) fn check(
    root: &Path,
    root_manifest: &str,
    packages: &[Package],
    files: &[SourceFile],
) -> Vec<Violation> {
    let private: BTreeSet<&str> = packages
        .iter()
        .filter(|package| is_private(package))
        .map(|package| package.name.as_str())
        .collect();
    let published = packages.iter().filter(|package| !is_private(package));
    let mut violations = Vec::new();
    for package in published {
        let mut say = |wrong: String, right: &str| {
            violations.push(Violation::new(&package.manifest, 0, wrong, right));
        };
        for wanted in REQUIRED_FIELDS {
            if !package.text.lines().any(|line| line.starts_with(wanted)) {
                say(
                    format!("there is no `{wanted}`"),
                    "say what a registry shows",
                );
            }
        }
        let folder = Path::new(&package.manifest).with_file_name("README.md");
        if !root.join(folder).is_file() {
            say("there is no README.md".to_owned(), "write what it is for");
        }
        for dependency in &package.dependencies {
            let counts = dependency.kind != DependencyKind::Development;
            if counts && private.contains(dependency.name.as_str()) {
                let wrong = format!("it needs {}, which is not published", dependency.name);
                say(wrong, "publish both or neither");
            }
        }
    }
    violations.extend(without_version(root_manifest, &private));
    violations.extend(files.iter().filter_map(check_outside_file));
    violations
}

fn is_private(package: &Package) -> bool {
    package.text.lines().any(|line| line == "publish = false")
}

/// Finds inner dependencies without a version: what is published must name one.
fn without_version(manifest: &str, private: &BTreeSet<&str>) -> Vec<Violation> {
    let lines = manifest.lines().enumerate();
    let inner = lines.filter_map(|(index, line)| {
        let (name, value) = line.split_once(" = { ")?;
        let counts = value.contains("path = \"crates/") && !private.contains(name);
        (counts && !value.contains("version = \"")).then_some((index, name))
    });
    let violation = |(index, name)| {
        let wrong = format!("{name} has no version");
        Violation::new("Cargo.toml", index + 1, wrong, "write one beside its path")
    };
    inner.map(violation).collect()
}

/// Finds a file that the code takes in from outside of its crate: a package would not hold it.
fn check_outside_file(file: &SourceFile) -> Option<Violation> {
    let folder = file.product_crate()?;
    let inside = file.path.strip_prefix(&format!("crates/{folder}/"))?;
    let depth = inside.matches('/').count();
    for (index, line) in file.text.lines().enumerate() {
        let taken = ["include_str!(", "include_bytes!("]
            .iter()
            .find_map(|word| line.split_once(word));
        let literal = taken.and_then(|(_, rest)| rest.split('"').nth(1));
        let ups = literal.map_or(0, |path| path.matches("../").count());
        if ups > depth {
            return Some(Violation::new(
                &file.path,
                index + 1,
                "it takes in a file from outside of its crate",
                "link to the file or its folder from inside of the crate",
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(text: &str) -> Package {
        Package {
            name: "hookloop-a".to_owned(),
            manifest: "crates/a/Cargo.toml".to_owned(),
            text: text.to_owned(),
            dependencies: Vec::new(),
        }
    }

    /// A published crate without what a registry shows is found; a private one needs nothing.
    #[test]
    fn published_crates_say_what_they_are() {
        let root = Path::new("/nowhere");
        let bare = [package("[package]\nname = \"hookloop-a\"\n")];
        assert_eq!(check(root, "", &bare, &[]).len(), REQUIRED_FIELDS.len() + 1);
        let private = [package("[package]\npublish = false\n")];
        assert_eq!(check(root, "", &private, &[]), []);
    }

    /// An inner dependency of a published crate has a version.
    #[test]
    fn inner_dependencies_have_a_version() {
        let manifest = "hookloop-a = { path = \"crates/a\" }\nhookloop-b = { version = \"1\", path = \"crates/b\" }\n";
        let found = check(Path::new("/nowhere"), manifest, &[], &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].line, 1);
    }

    /// A file from outside of the crate is found, one inside is not.
    #[test]
    fn crates_hold_what_they_take_in() {
        let file = |path: &str| {
            let text = format!("const A: &str = include_str!(\"{path}\");\n");
            SourceFile::new("crates/a/src/b.rs", text)
        };
        for (path, is_found) in [
            ("../../../guards/a", true),
            ("../guards/a", false),
            ("a", false),
        ] {
            let found = check(Path::new("/nowhere"), "", &[], &[file(path)]);
            assert_eq!(found.len(), usize::from(is_found), "{path}");
        }
    }
}
