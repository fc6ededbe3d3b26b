//! Scripts in the hooks' folder that no entry names (ST-12): a file alone isn't a hook.

use std::path::{Path, PathBuf};

use hookloop_hook::{Layer, Problem, ProblemCode, Source};

use super::{Candidate, Hooks, Ours, entries, read};
use crate::settings::Settings;

/// Endings of scripts.
const ENDINGS: [&str; 12] = [
    "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "ps1", "cmd",
];

/// Parts of names of files that other programs use, and that aren't meant as hooks.
const IGNORED_NAME_PARTS: [&str; 13] = [
    "lib", "util", "common", "helper", "shared", "test", "spec", "example", "sample", "readme",
    "setup", "install", "template",
];

/// Most files of the folder that are looked into (TR-10).
const MAX_FILES: usize = 64;

/// Largest file that is looked into, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Most bytes that are looked into, of all files together.
const MAX_TOTAL_BYTES: usize = 1024 * 1024;

/// Returns a problem for each script in the `hooks` folder of a `.gemini` that nothing names: no
/// entry of any layer, no other text of the settings, and no other file of the folder.
pub(super) fn unnamed(settings: &Settings, root: &Path, layer: Layer) -> Vec<Problem> {
    let folder = root.join(".gemini").join("hooks");
    let Looked { files, beyond } = look(&folder, root, layer);
    let in_settings = |name: &str| {
        settings.layers.iter().any(|layer| {
            let text = settings.documents.get(&layer.file);
            // A pattern may stand for every script of the folder.
            text.is_some_and(|it| it.text().contains(name) || it.text().contains("hooks/*"))
        })
    };
    let scripts = files.iter().filter(|(path, text)| is_script(path, text));
    let mut problems = Vec::new();
    for (path, _) in scripts {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // A module is loaded by its name without the ending.
        let mut others = files.iter().filter(|(other, _)| other != path);
        let is_loaded = others.any(|(_, text)| text.contains(&*stem) || text.contains("/*"));
        if in_settings(&name) || is_loaded {
            continue;
        }
        let source = Source {
            layer: Some(layer),
            ..Source::of_file(path.as_path())
        };
        let shown = match layer {
            Layer::User => "~/.gemini",
            _ => ".gemini",
        };
        let message = format!(
            "no hook runs {shown}/hooks/{name}: a script alone isn't a hook, and no entry names it"
        );
        let help = format!(
            "name it in {shown}/settings.json: \"hooks\": {{\"BeforeTool\": [{{\"hooks\": [{{\"type\": \
             \"command\", \"command\": \"{}/.gemini/hooks/{name}\"}}]}}]}}; or put it elsewhere",
            if layer == Layer::User {
                "~"
            } else {
                "$GEMINI_PROJECT_DIR"
            }
        );
        problems.push(Problem::new(
            ProblemCode::MisplacedFile,
            source,
            message,
            help,
        ));
    }
    let is_unnamed = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        is_script(path, "") && !in_settings(&name)
    };
    let unseen: Vec<&PathBuf> = beyond.iter().filter(is_unnamed).collect();
    problems.extend(
        unseen
            .first()
            .map(|first| too_much(first, unseen.len(), layer)),
    );
    problems
}

/// What there is in a folder.
struct Looked {
    files: Vec<(PathBuf, String)>,
    /// Regular files that were too many, or too large.
    beyond: Vec<PathBuf>,
}

fn look(folder: &Path, root: &Path, layer: Layer) -> Looked {
    let mut looked = Looked {
        files: Vec::new(),
        beyond: Vec::new(),
    };
    let mut left = MAX_TOTAL_BYTES;
    for path in entries(folder, root) {
        let Some(metadata) = path.metadata().ok().filter(std::fs::Metadata::is_file) else {
            continue;
        };
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if looked.files.len() >= MAX_FILES || metadata.len() > MAX_FILE_BYTES || size > left {
            looked.beyond.push(path);
        } else if let Some(text) = text_of(&path, root, layer) {
            left = left.saturating_sub(text.len());
            looked.files.push((path, text));
        }
    }
    looked
}

/// Returns the problem that scripts weren't looked for in all of a folder.
fn too_much(first: &Path, count: usize, layer: Layer) -> Problem {
    let source = Source {
        layer: Some(layer),
        ..Source::of_file(first)
    };
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let others = match count {
        1 => String::new(),
        2 => " and another script".to_owned(),
        more => format!(" and {} other scripts", more - 1),
    };
    let message = format!(
        "no entry of the settings names \"{name}\"{others}, and there is too much next to the \
         settings to check whether another script does: at most {MAX_FILES} files of {} KiB, {} \
         MiB in total",
        MAX_FILE_BYTES / 1024,
        MAX_TOTAL_BYTES / (1024 * 1024)
    );
    let help = "name in the settings what should run, and move the rest to another folder";
    Problem::new(ProblemCode::MisplacedFile, source, message, help)
}

/// Returns the text of a regular file of bearable size.
fn text_of(path: &Path, root: &Path, layer: Layer) -> Option<String> {
    read(&Candidate {
        path: path.to_path_buf(),
        root,
        layer,
        owner: Ours,
        purpose: Hooks,
    })
}

/// Returns whether a file looks like a program that somebody wrote to be a hook.
fn is_script(path: &Path, text: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_aside =
        name.starts_with(['.', '_']) || IGNORED_NAME_PARTS.iter().any(|it| name.contains(it));
    !is_aside && (text.starts_with("#!") || ending.is_some_and(|it| ENDINGS.contains(&it)))
}
