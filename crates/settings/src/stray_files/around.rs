//! Files with hooks that are read elsewhere, or would be under another name: those above the
//! project's root, and those of extensions (ST-1, ST-12, EX-2).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_hook::{Enablement, ExtensionOrigin, ExtensionScope, Layer, Problem, ProblemCode};

use super::{Candidate, Mixed, Ours, Purpose, entries, has_ending, look_into, purpose_of};
use crate::load_request::is_same_folder;
use crate::near::is_one_edit;
use crate::settings::Settings;

/// How far above the project's root is looked.
const MAX_LEVELS: usize = 16;

/// Reports settings with hooks above the project's root, which would count if nothing nearer made
/// another folder the project. What is above the home folder, and the home folder itself, never
/// counts.
pub(super) fn check_ancestors(root: &Path, home: &Path) -> Option<Problem> {
    let folders = root.ancestors().skip(1).take(MAX_LEVELS);
    let mut folders = folders.take_while(|it| !home.starts_with(it) && !is_same_folder(it, home));
    let (folder, found) = folders.find_map(|folder| {
        let found = look_into(&Candidate {
            path: folder.join(".gemini").join("settings.json"),
            root: folder,
            layer: Layer::Project,
            owner: Ours,
            purpose: Mixed,
        })?;
        Some((folder, found))
    })?;
    let nearer = if root.join(".gemini").exists() {
        ".gemini"
    } else {
        ".git"
    };
    let message = format!(
        "hooks in {}/.gemini/settings.json have no effect here: the nearer {nearer} makes {} the \
         project",
        folder.display(),
        root.display()
    );
    let help = format!(
        "start in {}, or write the hooks for both into .gemini/settings.json of this project too, \
         or into ~/.gemini/settings.json",
        folder.display()
    );
    let mut problem = Problem::new(ProblemCode::MisplacedFile, found.source, message, help);
    problem.snippet = found.snippet;
    Some(problem)
}

/// Reports extensions in a folder that is misspelt, or one level too deep: nothing looks for them
/// there.
pub(super) fn misplaced_extensions(root: &Path, layer: Layer) -> Vec<Problem> {
    let user = root.join(".gemini");
    let mut folders: Vec<PathBuf> = ["extension", "Extensions", "plugins"]
        .map(|it| user.join(it))
        .into();
    let right = user.join("extensions");
    folders.retain(|it| !is_same_folder(it, &right));
    let inside = entries(&right, root).into_iter();
    folders.extend(inside.filter(|it| it.is_dir() && !crate::manifest_of(it).exists()));
    let found = folders.iter().flat_map(|folder| entries(folder, root));
    let misplaced = found.filter(|it| it.join("gemini-extension.json").is_file());
    let problems = misplaced.map(|it| {
        let source = hookloop_hook::Source {
            layer: Some(layer),
            ..hookloop_hook::Source::of_file(it.join("gemini-extension.json"))
        };
        let message = "extensions aren't loaded from this folder: its content has no effect";
        let help = format!("move its folder into {}", right.display());
        Problem::new(ProblemCode::MisplacedFile, source, message, help)
    });
    problems.collect()
}

/// Reports files of the enabled extensions that contain hooks and aren't read.
pub(super) fn check_extensions(settings: &Settings, with_project: bool) -> Vec<Problem> {
    let enabled = settings.extensions.iter().filter(|it| {
        it.origin.enablement == Enablement::Enabled
            && (with_project || it.origin.scope == ExtensionScope::User)
    });
    enabled
        .flat_map(|it| check_extension(settings, &it.origin))
        .collect()
}

fn check_extension(settings: &Settings, extension: &ExtensionOrigin) -> Vec<Problem> {
    let root = extension.path.as_path();
    let mut paths: Vec<(PathBuf, Purpose)> = Vec::new();
    let inside = entries(root, root).into_iter();
    let folders = inside.filter(|it| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        name == "hooks" || is_one_edit(&name, "hooks")
    });
    for folder in std::iter::once(root.to_path_buf()).chain(folders) {
        let found = entries(&folder, root).into_iter();
        let files = found.filter(|it| has_ending(it));
        paths.extend(files.filter_map(|it| Some((it.clone(), purpose_of(&it)?))));
    }
    // An extension's author has settings for that work beside it; if there are no others, these
    // were meant.
    let has_hooks = settings.hooks.iter().any(|hook| {
        let own = hook.extension.as_ref();
        own.is_some_and(|it| it.path == extension.path)
    });
    if !has_hooks {
        paths.push((root.join(".gemini").join("settings.json"), Mixed));
    }
    let read: Vec<PathBuf> = settings
        .layers
        .iter()
        .filter(|it| it.layer == Layer::Extension)
        .filter_map(|it| it.file.canonicalize().ok())
        .collect();
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut problems = Vec::new();
    for (path, purpose) in paths {
        let Ok(resolved) = path.canonicalize() else {
            continue;
        };
        // Where case doesn't count, another spelling is the file itself.
        if read.contains(&resolved) || seen.contains(&resolved) {
            continue;
        }
        seen.push(resolved);
        let candidate = Candidate {
            path,
            root,
            layer: Layer::Extension,
            owner: Ours,
            purpose,
        };
        let Some(mut found) = look_into(&candidate) else {
            continue;
        };
        found.source.extension = Some(Arc::clone(&extension.name));
        let shown = candidate.path.strip_prefix(root);
        let message = format!(
            "hooks in {} of the extension \"{}\" have no effect: nothing reads this file",
            shown.unwrap_or(&candidate.path).display(),
            extension.name
        );
        let help = "move its \"hooks\" into hooks/hooks.json of the extension";
        let mut problem = Problem::new(ProblemCode::MisplacedFile, found.source, message, help);
        problem.snippet = found.snippet;
        problems.push(problem);
    }
    problems
}
