//! A hook's scripts, each read once for everything that examines it.

use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;

use super::Linter;

/// A script that a hook runs, and what is in it.
pub(super) struct Script {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Script {
    /// Returns its path as it is shown.
    pub(super) fn display_path(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the last part of its path.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Reads those of the scripts that may be looked into, and are texts.
pub(super) fn scripts<'p>(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    paths: impl Iterator<Item = &'p PathBuf>,
) -> Vec<Script> {
    let allowed = paths.filter(|it| may_be_read(linter, hook, it));
    let read = allowed.filter_map(|path| {
        let text = linter.probe.text(path).filter(|it| !it.contains('\0'))?;
        Some(Script {
            path: path.clone(),
            text,
        })
    });
    read.collect()
}

/// Returns whether a script may be read: what a project names must be in it (TR-10).
fn may_be_read(linter: &Linter<'_>, hook: &HookDeclaration, path: &Path) -> bool {
    let real = |path: &Path| linter.probe.real_path(path);
    let is_inside = || match (real(path), real(linter.place.root)) {
        (Some(path), Some(root)) => path.starts_with(root),
        _ => false,
    };
    !hook.is_from_project() || is_inside()
}

/// The code of a command, or of one of its scripts.
pub(super) struct Code {
    /// Its name in messages.
    pub(super) what: String,
    /// The text without its comments.
    pub(super) text: String,
    pub(super) is_command: bool,
}

/// Returns the code of a command and of its scripts, the command's first.
pub(super) fn texts(command: &str, scripts: &[Script]) -> Vec<Code> {
    let own = Code {
        what: "the command".to_owned(),
        text: code_of(command),
        is_command: true,
    };
    let others = scripts.iter().map(|script| Code {
        what: script.display_path(),
        text: code_of(&script.text),
        is_command: false,
    });
    std::iter::once(own).chain(others).collect()
}

/// Returns a text without its comments.
fn code_of(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !["#", "//", "/*", "* "]
            .iter()
            .any(|it| line.starts_with(it))
    });
    lines.collect::<Vec<_>>().join("\n")
}
