//! The files of the demo, embedded from `examples/`, to which `files/` links, so that the program
//! works anywhere.

use std::path::Path;
use std::{fs, io};

/// Embeds a file from `examples/`.
macro_rules! example {
    ($path:literal) => {
        include_str!(concat!("../files/", $path))
    };
}

pub(crate) use example;

/// A file of the demo's project: its path there, and its text.
type ProjectFile = (&'static str, &'static str);

/// The project's files.
const PROJECT: [ProjectFile; 6] = [
    ("CONVENTIONS.md", example!("demo/project/CONVENTIONS.md")),
    ("NOTES.md", example!("demo/project/NOTES.md")),
    (
        "build/receipt.txt",
        example!("demo/project/build/receipt.txt"),
    ),
    ("check.sh", example!("demo/project/check.sh")),
    ("total.sh", example!("demo/project/total.sh")),
    (
        ".gemini/settings.json",
        example!("demo/project/.gemini/settings.json"),
    ),
];

/// The scripts that its settings name: the same as in `examples/hooks/`.
const HOOKS: [ProjectFile; 5] = [
    (
        ".gemini/hooks/project-context.py",
        example!("hooks/project-context/project-context.py"),
    ),
    (
        ".gemini/hooks/redact.py",
        example!("hooks/redact/redact.py"),
    ),
    (
        ".gemini/hooks/secret-guard.sh",
        example!("hooks/secret-guard/secret-guard.sh"),
    ),
    (
        ".gemini/hooks/test-gate.sh",
        example!("hooks/test-gate/test-gate.sh"),
    ),
    (".gemini/hooks/trash.py", example!("hooks/trash/trash.py")),
];

/// Writes the project into a folder.
pub(crate) fn write_project(folder: &Path) -> io::Result<()> {
    for (path, text) in PROJECT.iter().chain(&HOOKS) {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text)?;
        if text.starts_with("#!") {
            make_executable(&path)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the same signature as where it can fail"
)]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;
    use crate::story::STORY;

    fn files_under(folder: &Path) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.extend(files_under(&path));
            } else {
                files.insert(path);
            }
        }
        files
    }

    /// The files under `examples/demo/` are those that the demo uses: nothing is left out, and
    /// nothing differs.
    #[test]
    fn every_file_of_the_example_is_in_the_program() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let project = examples.join("demo/project");
        let embedded: BTreeSet<_> = PROJECT.iter().map(|(path, _)| project.join(path)).collect();
        assert_eq!(files_under(&project), embedded);
        let turns = examples.join("demo/turns");
        let scripts: BTreeSet<_> = STORY
            .iter()
            .map(|act| turns.join(act.script_name))
            .collect();
        assert_eq!(files_under(&turns), scripts);
    }

    /// The settings of the demo name every hook that is written, and no other.
    #[test]
    fn the_settings_name_every_hook() {
        let folder = tempfile::tempdir().unwrap();
        write_project(folder.path()).unwrap();
        let settings = fs::read_to_string(folder.path().join(".gemini/settings.json")).unwrap();
        for (path, _) in HOOKS {
            assert!(settings.contains(path), "{path}");
        }
        let names = settings.matches("/.gemini/hooks/").count();
        // The context provider is configured for two events.
        assert_eq!(names, HOOKS.len() + 1);
    }
}
