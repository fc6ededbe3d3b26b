//! Describes what a call of a tool that isn't a shell does, judging by its name and its arguments.

use serde_json::Value;

use super::paths::{effect_fact, held_facts, path_fact};
use crate::effects::{Effect, Places, folder_contents, links};
use crate::fact::Fact;

/// Parts of the names of tools that change a file.
const WRITES: &[&str] = &[
    "write",
    "replace",
    "edit",
    "Edit",
    "Write",
    "patch",
    "create",
    "delete",
    "move",
    "save",
    "append",
    "insert",
    "remove",
    "rename",
    "upload_to",
    "touch",
    "truncate",
];

/// Parts of the names of tools that move or remove a file or a folder.
const TAKES_AWAY: &[&str] = &["delete", "remove", "move", "rename"];

/// Arguments of tools that name a file.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "absolute_path",
    "dir_path",
    "notebook_path",
    "paths",
    "filePath",
    "include",
    "include_pattern",
    "includePattern",
    "includes",
    "file_pattern",
    "filePattern",
    "absolutePath",
    "source",
    "destination",
    "file",
    "files",
    "filename",
    "glob",
    "target_file",
    "targetFile",
    "relative_path",
];

/// Finds the paths of a tool that isn't a shell, and what it does to them; nothing if it has too
/// many arguments to look at.
pub(super) fn tool_facts(
    tool: &str,
    input: &Value,
    folder: &str,
    places: &Places,
) -> Option<(Vec<Fact>, Vec<Fact>)> {
    let writes = WRITES.iter().any(|it| tool.contains(it));
    let what = if writes { "write" } else { "read" };
    let takes_away = TAKES_AWAY.iter().any(|it| tool.contains(it));
    // A tool that lists names and sizes shows nothing of a file's content.
    let only_names = !writes && crate::effects::looks_at_names_of(tool);
    let folder = if folder.is_empty() {
        &places.workspace
    } else {
        folder
    };
    let mut paths = Vec::new();
    let mut effects = Vec::new();
    let mut note = |written: &str, absolute: &str| {
        let done = crate::effects::path_effects(absolute, what, places);
        let done = done.into_iter().filter(|_| !only_names);
        effects.extend(done.map(|name| {
            effect_fact(&Effect {
                name,
                line: format!("{tool} {written}"),
                about: absolute.to_owned(),
            })
        }));
    };
    for key in PATHS {
        let named: Vec<&str> = match input.get(*key) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        for path in named {
            // `**/*` and the like name no file in particular.
            let is_particular = !path.ends_with('*') || path.contains(".env");
            let path = path
                .strip_prefix("~/")
                .map_or_else(|| path.to_owned(), |rest| format!("{}/{rest}", places.home));
            let absolute = hookloop_shell::join_path(folder, &path);
            let targets = links::targets_of(&absolute, places);
            for absolute in std::iter::once(absolute).chain(targets) {
                if is_particular {
                    paths.push(path_fact(&absolute, what, places));
                }
                if takes_away {
                    paths.extend(held_facts(
                        &folder_contents::by_path(&absolute, places),
                        places,
                    ));
                }
                note(&path, &absolute);
            }
        }
    }
    for absolute in crate::effects::implied_files(tool, input)? {
        let targets = links::targets_of(&absolute, places);
        for absolute in std::iter::once(absolute).chain(targets) {
            note(&absolute, &absolute);
        }
    }
    if let Some(url) = input
        .get("url")
        .or_else(|| input.get("prompt"))
        .and_then(Value::as_str)
        && tool.starts_with("web_")
    {
        effects.push(effect_fact(&Effect {
            name: "network".to_owned(),
            line: format!("{tool} {url}"),
            about: url.to_owned(),
        }));
    }
    Some((paths, effects))
}
