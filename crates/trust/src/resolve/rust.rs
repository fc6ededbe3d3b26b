//! What Rust and Cargo files name: packages, and files that sources include (TR-8).

use std::path::{Path, PathBuf};

/// Macros that include a file.
const INCLUDING: [&str; 3] = ["include!", "include_str!", "include_bytes!"];

/// How far after such a macro its words may appear, in bytes.
const MAX_DISTANCE: usize = 512;

/// Returns the values of `path` in a package's manifest.
pub(super) fn paths(text: &str) -> Vec<String> {
    let values = text.split("path").skip(1).filter_map(|behind| {
        let value = behind.trim_start().strip_prefix('=')?.trim_start();
        value.strip_prefix(['"', '\''])?.split(['"', '\'']).next()
    });
    values.map(str::to_owned).collect()
}

/// Returns the workspace that a manifest names: `workspace = ".."`.
pub(super) fn workspace_of(text: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .filter_map(|it| it.trim().strip_prefix("workspace"));
    lines.find_map(|it| {
        let value = it.trim_start().strip_prefix('=')?.trim();
        let value = value.strip_prefix(['"', '\''])?;
        Some(value.split(['"', '\'']).next()?.to_owned())
    })
}

/// Returns the packages that a workspace names with their folders.
pub(super) fn dependencies_of_workspace(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            let head = head.split(']').next().unwrap_or(head);
            head.replace([' ', '"', '\''], "").clone_into(&mut section);
            continue;
        }
        let Some(behind) = section.strip_prefix("workspace") else {
            continue;
        };
        // `[workspace] dependencies = {…}`, `[workspace.dependencies.r]`
        let own = behind.strip_prefix(".dependencies.");
        let key = line.split(['=', '.']).next().unwrap_or_default();
        let key = own.unwrap_or(key).trim().trim_matches(['"', '\'']);
        for path in paths(line) {
            found.push((key.to_owned(), path));
        }
    }
    found
}

/// Returns the words that an alias in Cargo's settings stands for.
pub(super) fn alias(text: &str, name: &str) -> Option<String> {
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.split(']').next().unwrap_or(head).trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let is_it = match section {
            "alias" => key == name,
            "" => key
                .strip_prefix("alias.")
                .is_some_and(|it| it.trim() == name),
            _ => false,
        };
        if !is_it {
            continue;
        }
        let value = value.trim();
        if let Some(list) = value.strip_prefix('[') {
            let words = list.split(['"', '\'']).skip(1).step_by(2);
            return Some(hookloop_shell::join(words));
        }
        let value = value.strip_prefix(['"', '\''])?;
        return Some(value.split(['"', '\'']).next()?.to_owned());
    }
    None
}

/// Returns the files that a source includes, from its folder or that of its package.
pub(super) fn included_files(text: &str, source: &Path, package: &Path) -> Vec<PathBuf> {
    let folder = source.parent().unwrap_or(source);
    let mut found = Vec::new();
    for name in INCLUDING {
        for behind in text.split(name).skip(1) {
            let words = behind.trim_start().trim_start_matches(['(', '[', '{']);
            let end = words.find(';').unwrap_or(words.len()).min(MAX_DISTANCE);
            let end = (0..=end).rev().find(|it| words.is_char_boundary(*it));
            let words = &words[..end.unwrap_or(0)];
            let of_package = words.contains("CARGO_MANIFEST_DIR");
            let mut literals = words.split('"').skip(1).step_by(2);
            let literal = literals.find(|it| *it != "CARGO_MANIFEST_DIR");
            let Some(literal) = literal.filter(|_| !words.contains("OUT_DIR")) else {
                continue;
            };
            found.push(if of_package {
                package.join(literal.trim_start_matches('/'))
            } else {
                folder.join(literal)
            });
        }
    }
    for behind in text.split("path").skip(1) {
        let value = behind.trim_start().strip_prefix('=').map(str::trim_start);
        let Some(value) = value.and_then(|it| it.strip_prefix('"')) else {
            continue;
        };
        let name = value.split('"').next().unwrap_or_default();
        // A module in braces adds a folder with its name.
        let inner = source.file_stem().map(|it| folder.join(it).join(name));
        found.extend([Some(folder.join(name)), inner].into_iter().flatten());
    }
    found.retain(|it| it.is_file());
    found
}

/// Returns the files of a package that the text of its build script names.
pub(super) fn read_by_script(text: &str, package: &Path) -> Vec<PathBuf> {
    const MAX_FILES: usize = 64;
    let named = text.split('"').skip(1).step_by(2);
    let named = named.filter(|it| !it.is_empty() && it.len() < MAX_DISTANCE && !it.contains('\n'));
    let files = named.map(|it| package.join(it.trim_start_matches("cargo:rerun-if-changed=")));
    files.filter(|it| it.is_file()).take(MAX_FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: packages of a workspace, aliases and files that sources include are found in every way
    /// of writing.
    #[test]
    fn what_texts_name_is_found() {
        let manifest = "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\nr = { path = \"r\" }\n\
                    \"s\".path = 's'\nserde = \"1\"\n[workspace.dependencies.t]\nversion = \"1\"\npath = \"x/t\"\n\
                    [profile.dev]\npath = \"no\"\n";
        let of = |name: &str, path: &str| (name.to_owned(), path.to_owned());
        let expected = [of("r", "r"), of("s", "s"), of("t", "x/t")];
        assert_eq!(dependencies_of_workspace(manifest), expected);
        assert_eq!(
            workspace_of("[package]\nworkspace = \"..\"\n").as_deref(),
            Some("..")
        );
        assert_eq!(workspace_of("r.workspace = true\n"), None);
        let settings = "[alias]\nguard = \"run -q -p guard\"\nlist = [\"run\", \"-p\", \"a b\"]\n";
        assert_eq!(alias(settings, "guard").as_deref(), Some("run -q -p guard"));
        assert_eq!(alias(settings, "list").as_deref(), Some("run -p 'a b'"));
        assert_eq!(alias("alias.x = 'run'", "x").as_deref(), Some("run"));
        assert_eq!(alias("[build]\nguard = \"run\"", "guard"), None);
    }

    /// TR-8: files that a source includes are beside it, below a module's folder, or in the
    /// package.
    #[test]
    fn files_of_sources_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = folder.path();
        std::fs::create_dir_all(package.join("src/main")).expect("a folder");
        let files = [
            "src/deny.txt",
            "list.txt",
            "src/other.rs",
            "src/main/deep.rs",
            "src/no.txt",
        ];
        for file in files {
            std::fs::write(package.join(file), "").expect("a file");
        }
        let text = "#[path = \"other.rs\"]\nmod a;\nmod b { #[path = \"deep.rs\"] mod c; }\n\
                    let d = include_str!(\"deny.txt\");\nlet e = \"no.txt\";\nlet f = include_bytes! [\n\
                    concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/list.txt\")];\n\
                    include!(concat!(env!(\"OUT_DIR\"), \"/no.txt\"));\n";
        let found = included_files(text, &package.join("src/main.rs"), package);
        let mut names: Vec<&str> = found
            .iter()
            .filter_map(|it| it.strip_prefix(package).ok()?.to_str())
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "list.txt",
                "src/deny.txt",
                "src/main/deep.rs",
                "src/other.rs"
            ]
        );
    }
}
