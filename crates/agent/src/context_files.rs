//! Context files: what the project and the user tell the model from the start (TO-5).

use std::io;
use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_start;

#[cfg(test)]
mod tests;

/// The name of context files, unless `context.fileName` says otherwise.
pub const CONTEXT_FILE_NAME: &str = "GEMINI.md";

/// The most of a context file that is passed on, in bytes.
const MAX_BYTES: usize = 128 * 1024;

/// A text file for the system instruction (TO-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// A possible location of a context file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPath {
    /// The file.
    pub path: PathBuf,
    /// The folder that must contain the resolved file: a project's files must not pass anything
    /// else on the machine to the model (TR-10). `None` for the user's own files, which may be
    /// anywhere.
    pub within: Option<PathBuf>,
}

/// A context file that isn't used, or not completely (TO-5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .path.display())]
pub struct ContextFileProblem {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub message: String,
}

/// Returns the possible locations of context files, from the most general to the most specific: the
/// user's folder, then the project's root and the folders down to the current one (TO-5).
///
/// Show a project's files to the model only if the workspace is trusted; otherwise use
/// [`user_context_paths`]. If the current folder is outside the project, only it is added after the
/// project's root.
pub fn context_paths(
    current_dir: &Path,
    project_root: &Path,
    home: &Path,
    names: &[String],
) -> Vec<ContextPath> {
    let mut folders: Vec<&Path> = current_dir
        .ancestors()
        .take_while(|folder| folder.starts_with(project_root))
        .collect();
    if folders.is_empty() {
        folders = vec![current_dir, project_root];
    }
    let mut paths = user_context_paths(home, names);
    for folder in folders.into_iter().rev() {
        let root = if folder.starts_with(project_root) {
            project_root
        } else {
            folder
        };
        for path in names.iter().map(|name| folder.join(name)) {
            if paths.iter().all(|it| it.path != path) {
                let within = Some(root.to_owned());
                paths.push(ContextPath { path, within });
            }
        }
    }
    paths
}

/// Returns the possible locations of the user's context files (TO-5).
pub fn user_context_paths(home: &Path, names: &[String]) -> Vec<ContextPath> {
    let folder = home.join(".gemini");
    let paths = names.iter().map(|name| folder.join(name));
    let own = |path| ContextPath { path, within: None };
    paths.map(own).collect()
}

/// Reads context files. Missing and empty files are skipped; all other files that aren't used are
/// reported as problems (TO-5).
pub fn read_context_files(paths: &[ContextPath]) -> (Vec<ContextFile>, Vec<ContextFileProblem>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for ContextPath { path, within } in paths {
        let problem = |message: String| ContextFileProblem {
            path: path.clone(),
            message,
        };
        match read(path, within.as_deref()) {
            Ok((text, cut)) => {
                problems.extend(cut.map(problem));
                if !text.trim().is_empty() {
                    let path = path.clone();
                    files.push(ContextFile { path, text });
                }
            }
            Err(error) if is_absence(&error) => {}
            Err(error) => problems.push(problem(format!("the context file is left out: {error}"))),
        }
    }
    (files, problems)
}

/// Returns the texts as part of the system instruction, each with its file name, or `None` if there
/// are none (TO-5).
pub fn context_instruction(files: &[ContextFile]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let parts: Vec<String> = files
        .iter()
        .map(|ContextFile { path, text }| {
            let path = path.display();
            let text = text.trim();
            format!("--- Context from: {path} ---\n{text}\n--- End of Context from: {path} ---")
        })
        .collect();
    Some(parts.join("\n\n"))
}

/// Reads a file's text, and returns whether it was cut.
fn read(path: &Path, within: Option<&Path>) -> io::Result<(String, Option<String>)> {
    // Opens the very file that was checked, even if links change meanwhile.
    let path = &path.canonicalize()?;
    if let Some(folder) = within
        && !path.starts_with(folder.canonicalize()?)
    {
        let message = format!(
            "it links to {}, which is outside {}",
            path.display(),
            folder.display()
        );
        return Err(io::Error::other(message));
    }
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = read_start(path, limit.saturating_add(1))?;
    let cut = (bytes.len() > MAX_BYTES)
        .then(|| format!("only the first {MAX_BYTES} bytes of the context file are used"));
    bytes.truncate(MAX_BYTES);
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The cut may split a character.
        Err(error) if cut.is_some() && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return Err(io::Error::other(format!("it isn't UTF-8 text: {error}"))),
    };
    Ok((text.trim_start_matches('\u{feff}').to_owned(), cut))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
