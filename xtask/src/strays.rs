//! Strays: files that no `mod` names, and paths on the map of the architecture that don't exist.
//!
//! The compiler never sees a file that no module declares, so it can become outdated unnoticed.

use std::collections::HashSet;
use std::path::Path;
use std::{fs, io};

use syn::{Expr, ExprLit, Item, ItemMod, Lit, Meta};

use crate::source::{SourceFile, module_folder};
use crate::violation::Violation;

/// The map of the architecture, from the root.
const MAP: &str = "ARCHITECTURE.md";

/// Returns the files that no module declares, and the paths on the map that don't exist.
pub(crate) fn check(root: &Path, files: &[SourceFile]) -> io::Result<Vec<Violation>> {
    let mut violations = undeclared(files);
    let map = fs::read_to_string(root.join(MAP))?;
    let exists =
        |place: &str| root.join(place).exists() || root.join("crates").join(place).exists();
    violations.extend(missing_places(&map, exists));
    Ok(violations)
}

/// Finds files of crates and their tests that no module declares.
fn undeclared(files: &[SourceFile]) -> Vec<Violation> {
    let mut declared = HashSet::new();
    for file in files {
        // Files that can't be parsed are reported by the check for purity.
        if let Ok(syntax) = file.syntax() {
            declare(
                &syntax.items,
                &file.path,
                &module_folder(&file.path),
                &mut declared,
            );
        }
    }
    let strays = files
        .iter()
        .filter(|file| !is_root(&file.path) && !declared.contains(&file.path));
    strays
        .map(|file| {
            Violation::new(
                &file.path,
                0,
                "no module declares this file, so nothing compiles it",
                "declare it with `mod`, or remove it",
            )
        })
        .collect()
}

/// Adds the files in which the modules of a file may be.
fn declare(items: &[Item], file: &str, folder: &str, declared: &mut HashSet<String>) {
    for item in items {
        let Item::Mod(module) = item else {
            continue;
        };
        let below = format!("{folder}/{}", module.ident);
        if let Some((_, items)) = &module.content {
            declare(items, file, &below, declared);
        } else if let Some(path) = named_path(module) {
            let beside = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            declared.insert(plain(&format!("{beside}/{path}")));
        } else {
            declared.insert(format!("{below}.rs"));
            declared.insert(format!("{below}/mod.rs"));
        }
    }
}

/// Returns the path of `#[path = "…"]`.
fn named_path(module: &ItemMod) -> Option<String> {
    module
        .attrs
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
}

/// Resolves `..` and `.` in a path.
fn plain(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns whether Cargo itself compiles a file.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [.., "main.rs" | "lib.rs" | "build.rs"] => true,
        [
            ..,
            "bin" | "tests" | "benches" | "examples" | "fuzz_targets",
            _,
        ] => {
            // A folder of modules may be called `tests`, too.
            !parts.contains(&"src") || parts[parts.len() - 2] == "bin"
        }
        _ => false,
    }
}

/// Finds paths in code spans that don't exist: those with a folder and without placeholders.
fn missing_places(map: &str, exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (before, line) in map.lines().enumerate() {
        let marked = line.split('`').skip(1).step_by(2);
        let places = marked.filter(|it| {
            let is_path = |letter: char| letter.is_ascii_alphanumeric() || "/_-.".contains(letter);
            it.contains('/') && !it.starts_with(['/', '.']) && it.chars().all(is_path)
        });
        for place in places.filter(|it| !exists(it)) {
            violations.push(Violation::new(
                MAP,
                before + 1,
                format!("`{place}` isn't there"),
                "name the file as it is called from the root or from `crates`",
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests;
