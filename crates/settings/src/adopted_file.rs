//! The files of other agents that hooks are read from (FD-2).

use std::path::{Path, PathBuf};

use hookloop_dialects::{Agent, SourceText, turns_hooks_off};
use hookloop_hook::Layer;

use crate::read_file::read_bytes;

/// A file of another agent that is read, whether or not it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedFile {
    /// The agent.
    pub agent: Agent,
    /// The layer that its hooks are of.
    pub layer: Layer,
    /// The file, absolute, links not resolved.
    pub file: PathBuf,
}

/// Returns the files of an agent below a folder, those of a layer, in the order in which they are
/// read. A folder stands for what it holds now, and for itself, so that a new file is noticed.
pub fn adoptable_files(agent: Agent, layer: Layer, above: &Path) -> Vec<PathBuf> {
    let names = match layer {
        Layer::Project => agent.project_files(),
        _ => agent.user_files(),
    };
    let mut files = Vec::new();
    for name in names {
        let Some(folder) = name.strip_suffix("/*.json") else {
            files.push(above.join(name));
            continue;
        };
        let entries = std::fs::read_dir(above.join(folder)).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut found: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|it| it == "json"))
            .collect();
        found.sort();
        files.extend(found);
    }
    files
}

/// Returns the folder in which the hooks of a layer run, where that isn't the session's (FD-14).
pub fn folder_of_hooks(agent: Agent, layer: Layer, above: &Path) -> Option<PathBuf> {
    let folder = agent.runs_user_hooks_in()?;
    (layer == Layer::User).then(|| above.join(folder))
}

/// Tells whether the hooks of a file are turned off by another file of the same folder: Codex says for both
/// of its files in one of them whether hooks run (FD-2).
pub fn is_turned_off(agent: Agent, layer: Layer, above: &Path, file: &Path) -> bool {
    let is_beside = agent == Agent::Codex && file.extension().is_some_and(|it| it == "json");
    let switch = file.with_file_name("config.toml");
    if !is_beside || (layer == Layer::Project && leads_out(&switch, above)) {
        return false;
    }
    let Ok(Some(bytes)) = read_bytes(&switch) else {
        return false;
    };
    let text = String::from_utf8_lossy(&bytes);
    let source = SourceText {
        path: &switch,
        text: &text,
        runs_in: None,
    };
    turns_hooks_off(agent, &source)
}

/// Tells whether a file is reached through links that leave a folder (TR-10).
pub(crate) fn leads_out(file: &Path, above: &Path) -> bool {
    let (Ok(real), Ok(root)) = (file.canonicalize(), above.canonicalize()) else {
        return false;
    };
    !real.starts_with(root)
}
