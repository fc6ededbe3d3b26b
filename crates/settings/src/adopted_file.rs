//! The files of other agents from which hooks are read (FD-2).

use std::path::{Path, PathBuf};

use hookloop_dialects::{Agent, HooksSwitch, SourceText, hooks_switch};
use hookloop_hook::Layer;

use crate::absence::is_absent;
use crate::read_file::read_bytes;

/// A file of another agent from which hooks are read. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedFile {
    /// The agent.
    pub agent: Agent,
    /// The layer of its hooks.
    pub layer: Layer,
    /// The absolute path, with links not resolved.
    pub file: PathBuf,
}

/// Returns the files of an agent below a folder for a layer, in the order in which they are read. A
/// folder is listed with its current content and itself, so that a new file is noticed.
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
        let folder = above.join(folder);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            files.extend(unreadable(folder));
            continue;
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut found: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|it| it == "json"))
            .collect();
        found.sort();
        files.extend(found);
    }
    files
}

/// Represents the files of a folder that can't be listed: reading it reports what is wrong (ST-5).
fn unreadable(folder: PathBuf) -> Option<PathBuf> {
    match is_absent(&folder) {
        Ok(true) => None,
        Ok(false) if folder.is_file() => Some(folder.join("hooks.json")),
        _ => Some(folder),
    }
}

/// Returns the folder in which the hooks of a layer run, or the variable that names it, if that
/// isn't the session's folder (FD-14).
pub fn folder_of_hooks(agent: Agent, layer: Layer, above: &Path) -> Option<PathBuf> {
    match layer {
        Layer::User => Some(above.join(agent.runs_user_hooks_in()?)),
        Layer::Project => agent.runs_project_hooks_in().map(PathBuf::from),
        _ => None,
    }
}

/// Returns whether another file of the same folder turns off the hooks of a file: in Codex, one of
/// its two files determines that for both (FD-2).
pub fn is_turned_off(agent: Agent, layer: Layer, above: &Path, file: &Path) -> bool {
    let is_beside = agent == Agent::Codex && file.extension().is_some_and(|it| it == "json");
    let switch = file.with_file_name("config.toml");
    if !is_beside || (layer == Layer::Project && leads_out(&switch, above)) {
        return false;
    }
    switch_in(agent, &switch) == HooksSwitch::Off
}

/// Returns the person's file that turns off an agent's hooks in projects that don't turn them on.
/// Codex merges its settings, and those of a project take precedence (FD-2).
pub fn turned_off_by_person(agent: Agent, project: &Path, home: &Path) -> Option<PathBuf> {
    let name = ".codex/config.toml";
    let of_person = home.join(name);
    if agent != Agent::Codex || switch_in(agent, &of_person) != HooksSwitch::Off {
        return None;
    }
    let of_project = project.join(name);
    let is_on =
        !leads_out(&of_project, project) && switch_in(agent, &of_project) == HooksSwitch::On;
    (!is_on).then_some(of_person)
}

fn switch_in(agent: Agent, file: &Path) -> HooksSwitch {
    let Ok(Some(bytes)) = read_bytes(file) else {
        return HooksSwitch::Unsaid;
    };
    let text = String::from_utf8_lossy(&bytes);
    let source = SourceText {
        path: file,
        text: &text,
        runs_in: None,
    };
    hooks_switch(agent, &source)
}

/// Returns whether a file is reached through links that leave a folder (TR-10).
pub(crate) fn leads_out(file: &Path, above: &Path) -> bool {
    let (Ok(real), Ok(root)) = (file.canonicalize(), above.canonicalize()) else {
        return false;
    };
    !real.starts_with(root)
}
