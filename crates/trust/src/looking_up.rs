//! Finds the records of hooks, by project, repository and hook (TR-1, TR-4, TR-12).

use std::path::Path;

use hookloop_hook::HookDeclaration;

use crate::repository::are_worktrees_of_one;
use crate::store_file::StoreContent;

/// Returns the keys of the projects in the store that are worktrees of one repository with this
/// one, and its own.
pub(crate) fn projects_of_one_repository(
    content: &StoreContent,
    project_root: &Path,
) -> Vec<String> {
    let own = project_key(project_root);
    let others = content
        .projects()
        .into_iter()
        .filter(|other| *other != own && are_worktrees_of_one(project_root, Path::new(other)));
    let mut projects: Vec<String> = others.collect();
    projects.push(own);
    projects
}

/// Returns the spellings under which upstream may have listed a hook (TR-4). A name with a colon
/// has none: it could have been cut out of the command that was trusted, so that another one runs.
pub(crate) fn upstream_keys(hook: &HookDeclaration) -> Vec<String> {
    let command = hook.command();
    match &hook.name {
        Some(name) if name.contains(':') => Vec::new(),
        Some(name) => vec![format!("{name}:{command}")],
        None => ["", "undefined", command]
            .map(|name| format!("{name}:{command}"))
            .into(),
    }
}

pub(crate) fn project_key(project_root: &Path) -> String {
    let real = project_root
        .canonicalize()
        .unwrap_or_else(|_| project_root.to_path_buf());
    real.to_string_lossy().into_owned()
}

/// Returns the keys under which upstream's file lists the project: its path as it was reached then.
pub(crate) fn upstream_keys_of_project(content: &StoreContent, project_root: &Path) -> Vec<String> {
    let real = project_key(project_root);
    let plain = project_root.to_string_lossy();
    content
        .upstream_projects()
        .filter(|key| {
            let key = key.trim_end_matches('/');
            key == real || key == plain
        })
        .map(str::to_owned)
        .collect()
}
