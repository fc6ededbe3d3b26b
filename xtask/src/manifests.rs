//! Manifests: every published crate has the metadata that a registry shows, needs nothing that
//! isn't published, and contains every file that it includes into the program.

use std::collections::{BTreeMap, BTreeSet};
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

/// Finds what would keep the profile that is handed out from optimising everything: it inherits
/// from `release`, with all levels that `release` sets for packages.
fn check_profiles(manifest: &str) -> Vec<Violation> {
    let say = |name: &str, wrong: String, right: &str| {
        let is_about = |line: &str| line.trim_matches('"').starts_with(name);
        let line = manifest.lines().position(is_about).map_or(0, |it| it + 1);
        Violation::new("Cargo.toml", line, wrong, right)
    };
    let manifest: toml::Table = match manifest.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![say("[", error.message().to_owned(), "write TOML")],
    };
    let profile = |name: &str| manifest.get("profile")?.get(name)?.as_table();
    let Some(dist) = profile("dist") else {
        return Vec::new();
    };
    let of_dist = package_levels(dist);
    let mut violations = Vec::new();
    let of_all = dist.get("opt-level").and_then(toml::Value::as_integer);
    if of_all != Some(FULL) || of_dist.get("*") != Some(&FULL) {
        let wrong = "`dist` doesn't optimise all packages";
        let right = "set `opt-level = 3`, and `\"*\".opt-level = 3` for packages";
        violations.push(say("[profile.dist]", wrong.to_owned(), right));
    }
    let of_release = profile("release").map(package_levels).unwrap_or_default();
    for (name, level) in &of_release {
        let level = of_dist.get(name).unwrap_or(level);
        if *level != FULL {
            let wrong = format!("`dist` would build {name} at level {level}");
            let right = "add it to [profile.dist.package] with level 3";
            violations.push(say(name, wrong, right));
        }
    }
    for name in of_dist.keys().filter(|it| *it != "*") {
        if !of_release.contains_key(name) {
            let wrong = format!("`release` doesn't set a level for {name}");
            violations.push(say(name, wrong, "leave it out of `dist`, too"));
        }
    }
    violations
}

/// The level at which everything is optimised.
const FULL: i64 = 3;

/// Returns the levels that a profile sets for packages.
fn package_levels(profile: &toml::Table) -> BTreeMap<String, i64> {
    let packages = profile.get("package").and_then(toml::Value::as_table);
    let packages = packages.into_iter().flatten();
    let levels = packages.filter_map(|(name, settings)| {
        let level = settings.get("opt-level")?.as_integer()?;
        Some((name.clone(), level))
    });
    levels.collect()
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
        let manifest = "[workspace.dependencies]\nhookloop-a = { path = \"crates/a\" }\nhookloop-b = { version = \"1\", path = \"crates/b\" }\n";
        let found = check(Path::new("/nowhere"), manifest, &[], &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].line, 2);
    }

    /// What `release` doesn't optimise is optimised in what is handed out.
    #[test]
    fn what_is_handed_out_is_optimised() {
        let release =
            "[profile.release]\nopt-level = 0\n[profile.release.package]\na.opt-level = 2\n";
        let dist = "[profile.dist]\nopt-level = 3\n[profile.dist.package]\n\"*\".opt-level = 3\n";
        let check = |more: &str| {
            let manifest = format!("{release}{dist}{more}");
            let found = super::check(Path::new("/nowhere"), &manifest, &[], &[]);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let found = check("");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("Cargo.toml:4:"), "{found:?}");
        assert_eq!(check("a.opt-level = 3\n"), [""; 0]);
        assert_eq!(check("a.opt-level = 1\n").len(), 1);
        assert_eq!(check("a.opt-level = 3\nb.opt-level = 3\n").len(), 1);
        for low in [
            dist.replace("level = 3\n[", "level = 2\n["),
            dist.replace("\"*\"", "c"),
        ] {
            let manifest = format!("{release}{low}a.opt-level = 3\n");
            let found = super::check(Path::new("/nowhere"), &manifest, &[], &[]);
            assert!(!found.is_empty(), "{low}");
        }
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
