//! Finds the records of hooks, by project, repository and hook (TR-1, TR-4, TR-12).

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hookloop_hook::HookDeclaration;

use crate::fields::{Fields, fields};
use crate::record::TrustRecord;
use crate::repository::are_worktrees_of_one;
use crate::store_file::StoreContent;

/// Tells whether a hook of the project is at the event of a record, as it was or changed.
pub(crate) fn is_there(record: &TrustRecord, hooks: &[HookDeclaration]) -> bool {
    let mut hooks = hooks.iter().filter(|it| it.is_from_project());
    hooks.any(|hook| record.is_earlier_state_of(hook))
}

/// Returns the places of the records of hooks with neither a name nor a command, such as rules, that are gone. What
/// such hooks are made of tells them apart. Of records that no hook fits any more, as many may have become another as
/// there are hooks that fit no record; the others are gone.
pub(crate) fn gone_without_name(
    records: &[TrustRecord],
    hooks: &[HookDeclaration],
) -> HashSet<usize> {
    let hooks = hooks.iter().filter(|it| it.is_from_project());
    let hooks = hooks.filter(|it| it.name.is_none() && it.command().is_empty());
    let hooks: Vec<_> = hooks.map(|it| (it.event.as_str(), fields(it))).collect();
    let nameless = records.iter().enumerate();
    let nameless: Vec<_> = nameless.filter(|(_, it)| it.is_nameless()).collect();
    let fit = |record: &TrustRecord, (event, fields): &(&str, Fields)| {
        record.event == *event && record.is_made_of(fields)
    };
    let mut gone = HashSet::new();
    let mut changed: HashMap<&str, usize> = HashMap::new();
    for hook in &hooks {
        if !nameless.iter().any(|(_, record)| fit(record, hook)) {
            *changed.entry(hook.0).or_default() += 1;
        }
    }
    for (place, record) in nameless {
        if hooks.iter().any(|hook| fit(record, hook)) {
            continue;
        }
        match changed.get_mut(record.event.as_str()) {
            Some(others) if *others > 0 => *others -= 1,
            _ => {
                gone.insert(place);
            }
        }
    }
    gone
}

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

/// Returns the record that is nearest to a hook, if it is one of its earlier states.
pub(crate) fn nearest_record<'a>(
    records: &'a [TrustRecord],
    hook: &HookDeclaration,
) -> Option<&'a TrustRecord> {
    records
        .iter()
        .filter(|record| record.is_earlier_state_of(hook))
        .max_by_key(|record| {
            [
                record.name == hook.name && record.command == hook.command(),
                record.name == hook.name,
                record.matcher == hook.matcher,
                record.env == hook.env,
            ]
        })
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

/// Returns the keys under which upstream's file has the project: its path as it was reached then.
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
