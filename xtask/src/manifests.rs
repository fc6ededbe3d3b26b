//! Manifests: every published crate has the metadata that a registry shows, needs nothing that
//! isn't published, and contains every file that it includes into the program.

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

/// Checks the manifests and the included files; `root_manifest` is the text of the workspace's.
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
                let wrong = format!("it needs {}, which isn't published", dependency.name);
                say(wrong, "publish both or neither");
            }
        }
    }
    violations.extend(without_version(root_manifest, &private));
    violations.extend(check_profiles(root_manifest));
    violations.extend(files.iter().filter_map(check_outside_file));
    violations
}

fn is_private(package: &Package) -> bool {
    package.text.lines().any(|line| line == "publish = false")
}

/// Finds inner dependencies without a version: a published crate must name one.
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

/// Finds packages that `release` builds without optimisation and the profile that inherits from it,
/// which is what is handed out, would too.
fn check_profiles(manifest: &str) -> Vec<Violation> {
    let dist = package_levels(manifest, "dist");
    let release = package_levels(manifest, "release").into_iter();
    release
        .filter(|it| it.level != "3")
        .filter(|it| {
            !dist
                .iter()
                .any(|other| other.name == it.name && other.level == "3")
        })
        .map(|it| {
            Violation::new(
                "Cargo.toml",
                it.line,
                format!("`dist` would build {} at level {}", it.name, it.level),
                format!(
                    "add [profile.dist.package.{}] with `opt-level = 3`",
                    it.name
                ),
            )
        })
        .collect()
}

/// How a profile optimises one package.
struct PackageLevel<'m> {
    name: &'m str,
    level: &'m str,
    line: usize,
}

fn package_levels<'m>(manifest: &'m str, profile: &str) -> Vec<PackageLevel<'m>> {
    let header = format!("[profile.{profile}.package.");
    let mut current = None;
    let mut levels = Vec::new();
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            let name = line.strip_prefix(&header);
            current = name.and_then(|it| it.strip_suffix(']'));
        }
        if let (Some(name), Some(level)) = (current, line.strip_prefix("opt-level = ")) {
            let line = index + 1;
            levels.push(PackageLevel { name, level, line });
        }
    }
    levels
}

/// Finds a file that the code includes from outside of its crate: a package wouldn't contain it.
fn check_outside_file(file: &SourceFile) -> Option<Violation> {
    let folder = file.product_crate()?;
    let inside = file.path.strip_prefix(&format!("crates/{folder}/"))?;
    let depth = inside.matches('/').count();
    for (index, line) in file.text.lines().enumerate() {
        let included = ["include_str!(", "include_bytes!("]
            .iter()
            .find_map(|word| line.split_once(word));
        let literal = included.and_then(|(_, rest)| rest.split('"').nth(1));
        let ups = literal.map_or(0, |path| path.matches("../").count());
        if ups > depth {
            return Some(Violation::new(
                &file.path,
                index + 1,
                "it includes a file from outside its crate",
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

    /// A published crate without the metadata that a registry shows is found; a private one needs
    /// none.
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

    /// What `release` doesn't optimise is optimised in what is handed out.
    #[test]
    fn what_is_handed_out_is_optimised() {
        let release = "[profile.release.package.a]\nopt-level = 0\n\n[profile.release.package.b]\nopt-level = 3\n";
        let check = |manifest: &str| super::check(Path::new("/nowhere"), manifest, &[], &[]);
        let found = check(release);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].line, 2);
        let dist = format!("{release}[profile.dist.package.a]\nopt-level = 3\n");
        assert_eq!(check(&dist), []);
        let low = format!("{release}[profile.dist.package.a]\nopt-level = 1\n");
        assert_eq!(check(&low).len(), 1);
    }

    /// A file from outside of the crate is found, one inside isn't.
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
