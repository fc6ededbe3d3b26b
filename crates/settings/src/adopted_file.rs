//! The files of other agents that hooks are read from (FD-2).

use std::path::{Path, PathBuf};

use hookloop_dialects::Agent;
use hookloop_hook::Layer;

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
