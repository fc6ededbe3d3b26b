//! What hooks of other agents set for later shell commands (FD-14).

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;

use crate::transcripts::{make_folder, private};

/// Returns the file of a hook: they are read in the order of their names.
fn file_of(folder: &Path, hook: &HookDeclaration) -> PathBuf {
    let line = hook.source.position.map_or(0, |it| it.line);
    let layer = hook.source.layer.map_or("", |it| it.as_str());
    folder.join(format!("{layer}-{line:06}-{}.sh", hook.id.as_str()))
}

/// Makes the file of a hook anew, empty.
///
/// # Errors
/// It can't be made, for this reason.
pub(crate) fn create(folder: &Path, hook: &HookDeclaration) -> Result<PathBuf, String> {
    write(folder, hook, "")
}

/// Writes variables for later commands.
///
/// # Errors
/// They have no effect, for this reason.
pub(crate) fn set(
    folder: Option<&Path>,
    hook: &HookDeclaration,
    variables: &[(String, String)],
) -> Result<(), String> {
    let Some(folder) = folder else {
        return Err("nothing is kept for later commands here".to_owned());
    };
    let mut text = String::new();
    for (name, value) in variables {
        let is_name = !name.starts_with(|it: char| it.is_ascii_digit())
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_');
        if name.is_empty() || !is_name {
            return Err(format!("{name:?} can't be the name of a variable"));
        }
        let value = value.replace('\'', r"'\''");
        text.extend(["export ", name.as_str(), "='", value.as_str(), "'\n"]);
    }
    write(folder, hook, &text).map(drop)
}

fn write(folder: &Path, hook: &HookDeclaration, text: &str) -> Result<PathBuf, String> {
    let file = file_of(folder, hook);
    make_folder(folder)
        .and_then(|()| {
            private()
                .write(true)
                .create(true)
                .truncate(true)
                .open(&file)
        })
        .and_then(|mut open| open.write_all(text.as_bytes()))
        .map_err(|error| format!("{} can't be written: {error}", file.display()))?;
    Ok(file)
}
