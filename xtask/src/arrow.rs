//! The dependency arrow: a crate depends only on crates before it.

use crate::violation::Violation;
use crate::workspace::{Dependency, DependencyKind, Package};

/// The crates from the innermost to the outermost, by the names of their folders.
const ORDER: [&str; 36] = [
    "hook",
    "events",
    "text",
    "shell",
    "dialects",
    "tls",
    "rehearsal",
    "rules",
    "environment",
    "settings",
    "lint",
    "bridge",
    "trust",
    "engine",
    "sandbox",
    "process",
    "plugins",
    "exec",
    "trace",
    "dashboard",
    "model",
    "otlp",
    "tools",
    "mcp",
    "host",
    "agent",
    "tui",
    "extensions",
    "keyring",
    "session",
    "bridging",
    "manage",
    "acp",
    "demo",
    "cli",
    // Fuzz targets reach inward like the program does, and nothing reaches them.
    "fuzz",
];

/// Crates that only tests may depend on.
const TESTS_ONLY: &str = "hookloop-testkit";

/// Crates of ours without a place in the order: they may depend on anything, except `xtask`.
const OUTSIDE: [&str; 6] = [
    TESTS_ONLY,
    "hookloop-benches",
    "hookloop-conformance",
    "hookloop-example-embed",
    "hookloop-packaging",
    "hookloop-real-agents",
];

/// Checks every dependency of every package.
pub(crate) fn check(packages: &[Package]) -> Vec<Violation> {
    packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &Package) -> Vec<Violation> {
    let mut violations = Vec::new();
    let known = crate_order(&package.name).is_some()
        || package.name == "xtask"
        || OUTSIDE.contains(&package.name.as_str());
    if !known {
        violations.push(Violation::new(
            &package.manifest,
            line_of(&package.text, &package.name),
            format!(
                "crate `{}` has no place in the dependency order",
                package.name
            ),
            "give it one in xtask/src/arrow.rs and in ARCHITECTURE.md",
        ));
    }
    for dependency in package
        .dependencies
        .iter()
        .filter(|dependency| is_ours(&dependency.name))
    {
        if let Some((wrong, right)) = judge(&package.name, dependency) {
            let line = line_of(&package.text, &dependency.name);
            violations.push(Violation::new(&package.manifest, line, wrong, right));
        }
    }
    violations
}

fn judge(package: &str, dependency: &Dependency) -> Option<(String, String)> {
    let name = dependency.name.as_str();
    if package == "xtask" {
        let wrong = format!("`xtask` depends on `{name}`");
        return Some((wrong, "xtask depends on no crate of ours".to_owned()));
    }
    if dependency.kind == DependencyKind::Development {
        return None;
    }
    if name == TESTS_ONLY && !OUTSIDE.contains(&package) {
        let wrong = format!("`{package}` depends on `{name}` outside of tests");
        return Some((wrong, "list it under [dev-dependencies]".to_owned()));
    }
    if OUTSIDE.contains(&package) {
        return None;
    }
    match (crate_order(package), crate_order(name)) {
        (Some(own), Some(other)) if other < own => None,
        (None, _) => None,
        (Some(own), _) => {
            let wrong = format!("`{package}` depends on `{name}`, which isn't above it");
            let before = ORDER.get(..own).unwrap_or_default().join(", ");
            let right = if before.is_empty() {
                "it may depend on no crate of ours".to_owned()
            } else {
                format!("it may depend on: {before}")
            };
            Some((wrong, right))
        }
    }
}

fn is_ours(name: &str) -> bool {
    name == "hookloop" || name == "xtask" || name.starts_with("hookloop-")
}

/// The place of a crate in the order; the program's crate is in the folder `cli`.
fn crate_order(name: &str) -> Option<usize> {
    let folder = if name == "hookloop" {
        "cli"
    } else {
        name.strip_prefix("hookloop-")?
    };
    ORDER.iter().position(|entry| *entry == folder)
}

fn line_of(manifest: &str, name: &str) -> usize {
    manifest
        .lines()
        .position(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
                || line.ends_with(&format!("\"{name}\""))
        })
        .map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests;
