//! The paths that a command's operands refer to.

use std::path::PathBuf;

use hookloop_shell::{Command, Word};

/// Returns the sources of a command that copies or moves, and its target.
pub(super) fn targets(command: &Command) -> Option<(Vec<Word>, Word)> {
    let mut operands: Vec<Word> = command.operands().cloned().collect();
    if let Some(target) = command.target_folder() {
        operands.retain(|it| it.text != target.text);
        return Some((operands, target));
    }
    let target = operands.pop()?;
    Some((operands, target))
}

/// Returns the paths of a word, one for each folder that the command may run in.
pub(super) fn absolute(command: &Command, word: &Word) -> Vec<PathBuf> {
    let folders = command.folders.iter();
    folders
        .map(|folder| PathBuf::from(hookloop_shell::join_path(folder, &word.text)))
        .collect()
}

/// Returns the paths of a word, with patterns expanded.
pub(super) fn expand(command: &Command, word: &Word) -> Vec<PathBuf> {
    let paths = absolute(command, word).into_iter();
    paths
        .flat_map(|path| {
            let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
            let (Some(pattern), Some(folder), true) = (name, path.parent(), word.pattern) else {
                return vec![path];
            };
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
            names
                .filter(|it| hookloop_shell::matches(&pattern, it))
                .map(|it| folder.join(it))
                .collect()
        })
        .collect()
}
