//! Files with hooks in places that nothing reads (ST-12): what looks installed must not be silently
//! off.
//!
//! What a project can make us read is limited (TR-10): only regular files of a reasonable size,
//! only so many, and not through links that lead out of the project.

mod around;
mod nested;
mod scripts;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::EventName;
use hookloop_hook::{Layer, Problem, ProblemCode, Source};
use jsonc_parser::ast::{Object, Value};
use sha2::{Digest, Sha256};

use crate::event_names::FOREIGN_EVENTS;
use crate::fields::OLDER_KEYS;
use crate::file_text::FileText;
use crate::near::is_one_edit;
use crate::read_file::read_bytes;
use crate::settings::Settings;
use crate::syntax::{key_start, member, parse};

/// Largest file that is looked into, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 256;

/// Who writes hooks into a file, and what to do about it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Ours, in a wrong place.
    Ours,
    /// Another agent's, by its name in `hooksConfig.adopt` (FD-2).
    Agent(&'static str),
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// For hooks alone: whatever is in it is meant as a hook.
    Hooks,
    /// For settings of all kinds, hooks among them.
    Settings,
}

use Owner::{Agent, Ours};
use Purpose::{Hooks, Settings as Mixed};

/// The files of a project, from its root.
const FILES: &[(&str, Owner, Purpose)] = &[
    ("settings.json", Ours, Mixed),
    ("hooks.json", Ours, Mixed),
    ("hookloop.json", Ours, Mixed),
    ("gemini/settings.json", Ours, Mixed),
    (".Gemini/settings.json", Ours, Mixed),
    (".gemini-cli/settings.json", Ours, Mixed),
    (".gemini/hooks/hooks.json", Ours, Hooks),
    (".gemini/hooks/settings.json", Ours, Mixed),
    (".gemini/hooks/config.json", Ours, Mixed),
    (".gemini/config/settings.json", Ours, Mixed),
    (".gemini/settings/settings.json", Ours, Mixed),
    (".gemini/settings/hooks.json", Ours, Hooks),
    (".hookloop.json", Ours, Hooks),
    (".hookloop.jsonc", Ours, Hooks),
    (".hookloop.yaml", Ours, Hooks),
    (".hookloop.yml", Ours, Hooks),
    (".hookloop.toml", Ours, Hooks),
    (".config/hookloop/settings.json", Ours, Mixed),
    (".config/hookloop/hooks.json", Ours, Hooks),
    (".claude/settings.json", Agent("claude-code"), Mixed),
    (".claude/settings.local.json", Agent("claude-code"), Mixed),
    (".claude/hooks.json", Agent("claude-code"), Hooks),
    (".claude/hooks/hooks.json", Agent("claude-code"), Hooks),
    (".codex/hooks.json", Agent("codex"), Hooks),
    (".codex/config.toml", Agent("codex"), Mixed),
    (".cursor/hooks.json", Agent("cursor"), Hooks),
    (".qwen/settings.json", Agent("qwen"), Mixed),
];

/// The files of a user, from the home folder.
const FILES_OF_THE_USER: &[(&str, Purpose)] = &[
    (".gemini/hooks/hooks.json", Hooks),
    (".gemini/hooks/settings.json", Mixed),
    (".gemini/config/settings.json", Mixed),
    (".Gemini/settings.json", Mixed),
    (".gemini-cli/settings.json", Mixed),
    (".gemini/.gemini/settings.json", Mixed),
    ("settings.json", Mixed),
    (".config/gemini/settings.json", Mixed),
    (".config/gemini/hooks.json", Hooks),
    (".config/gemini-cli/settings.json", Mixed),
    (".config/.gemini/settings.json", Mixed),
    (".config/hookloop.json", Hooks),
    (".config/hookloop/settings.json", Mixed),
    (".config/hookloop/hooks.json", Hooks),
    (".config/hookloop/config.json", Mixed),
    (".config/hookloop/config.toml", Mixed),
    (".hookloop.json", Hooks),
    (".hookloop/settings.json", Mixed),
    (".hookloop/hooks.json", Hooks),
    (".hookloop/config.json", Mixed),
];

/// The folders of a project in which every file with a certain extension is for hooks.
const FOLDERS: &[(&str, Owner, Purpose)] = &[
    (".github/hooks", Agent("copilot"), Hooks),
    (".hookloop", Ours, Hooks),
    (".hookloop/hooks", Ours, Hooks),
];

/// Endings of files that may contain settings.
const ENDINGS: [&str; 8] = [
    "json", "jsonc", "json5", "yaml", "yml", "toml", "txt", "local",
];

/// Parts of names of files that aren't meant to be read.
const IGNORED_NAME_PARTS: [&str; 7] = [
    "example", "sample", "template", "backup", "schema", "package", "lock",
];

/// Returns a problem for each file with hooks that nothing reads: of the project, and of the user
/// beside the settings (ST-12).
pub(crate) fn stray_files(
    settings: &Settings,
    project: Option<&Path>,
    home: &Path,
) -> Vec<Problem> {
    let mut finder = Finder {
        settings,
        problems: Vec::new(),
    };
    if let Some(root) = project {
        finder.project(root);
        finder.problems.extend(around::check_ancestors(root, home));
    }
    if let Some(root) = project {
        let unnamed = scripts::unnamed(settings, root, Layer::Project);
        finder.problems.extend(unnamed);
        let misplaced = around::misplaced_extensions(root, Layer::Project);
        finder.problems.extend(misplaced);
    }
    let unnamed = scripts::unnamed(settings, home, Layer::User);
    finder.problems.extend(unnamed);
    let misplaced = around::misplaced_extensions(home, Layer::User);
    finder.problems.extend(misplaced);
    let of_extensions = around::check_extensions(settings, project.is_some());
    finder.problems.extend(of_extensions);
    let root = home.join(".gemini");
    finder.beside_settings(&root, home, Layer::User);
    for (name, purpose) in FILES_OF_THE_USER {
        finder.candidate(&Candidate {
            path: home.join(name),
            root: home,
            layer: Layer::User,
            owner: Ours,
            purpose: *purpose,
        });
    }
    finder.problems
}

struct Finder<'a> {
    settings: &'a Settings,
    problems: Vec<Problem>,
}

/// A file that may contain hooks.
struct Candidate<'a> {
    path: PathBuf,
    /// The folder that it must be in, links resolved.
    root: &'a Path,
    layer: Layer,
    owner: Owner,
    purpose: Purpose,
}

/// What was found in a file.
struct StrayHooks {
    source: Source,
    snippet: Option<String>,
}

impl Finder<'_> {
    fn project(&mut self, root: &Path) {
        // An extension's own repository has its hooks where extensions have them.
        let is_extension = crate::manifest_of(root).exists();
        for (name, owner, purpose) in FILES {
            if is_extension && !name.starts_with('.') {
                continue;
            }
            self.file(root, root.join(name), *owner, *purpose);
        }
        for (folder, owner, purpose) in FOLDERS {
            for path in entries(&root.join(folder), root) {
                if has_ending(&path) {
                    self.file(root, path, *owner, *purpose);
                }
            }
        }
        self.beside_settings(&root.join(".gemini"), root, Layer::Project);
        for folder in nested::folders_below(root) {
            self.problems.extend(nested::look_at(&folder, root));
        }
    }

    fn file(&mut self, root: &Path, path: PathBuf, owner: Owner, purpose: Purpose) {
        self.candidate(&Candidate {
            path,
            root,
            layer: Layer::Project,
            owner,
            purpose,
        });
    }

    /// Looks at the files beside a `settings.json` that are named like it, or like hooks.
    fn beside_settings(&mut self, folder: &Path, root: &Path, layer: Layer) {
        for path in entries(folder, root) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(purpose) = purpose_of(&path) else {
                continue;
            };
            if name != "settings.json" && has_ending(&path) {
                self.candidate(&Candidate {
                    path,
                    root,
                    layer,
                    owner: Ours,
                    purpose,
                });
            }
        }
    }

    fn candidate(&mut self, candidate: &Candidate<'_>) {
        let (Some(found), false) = (look_into(candidate), self.is_read(candidate)) else {
            return;
        };
        // Where case doesn't count, another spelling is the file itself; a link may lead to it too.
        if candidate.owner == Ours && is_settings_file(candidate) {
            return;
        }
        let shown = candidate.path.strip_prefix(candidate.root);
        let shown = shown.unwrap_or(&candidate.path).display().to_string();
        let message = match candidate.owner {
            // Its agent may well run them.
            Agent(agent) if project_hooks_file(agent, &name_of(candidate)).is_none() => format!(
                "the hooks in {shown} don't run in Hookloop: it only reads this file of {} once \
                 you adopt or migrate it",
                name_of_agent(agent)
            ),
            _ => format!("hooks in {shown} have no effect: nothing reads this file"),
        };
        let settings = match candidate.layer {
            Layer::User => "~/.gemini/settings.json",
            _ => ".gemini/settings.json",
        };
        let is_in_moved_home =
            candidate.root.ends_with(".gemini") && candidate.path.parent() == Some(candidate.root);
        let help = match candidate.owner {
            Ours if candidate.layer == Layer::User && is_in_moved_home => {
                "GEMINI_CLI_HOME names the folder that contains .gemini: leave \"/.gemini\" off \
                 its end"
                    .to_owned()
            }
            Ours => format!("move its \"hooks\" into {settings}"),
            Agent(agent) => match project_hooks_file(agent, &name_of(candidate)) {
                Some(file) => {
                    format!("its agent doesn't read it either: move its hooks into {file}")
                }
                None => remedy(agent, settings),
            },
        };
        let code = ProblemCode::MisplacedFile;
        let mut problem = Problem::new(code, found.source, message, help);
        problem.snippet = found.snippet;
        self.problems.push(problem);
    }

    /// Returns whether another agent's file counts here after all: it is adopted (FD-2), or its
    /// hooks were migrated (CM-7).
    fn is_read(&self, candidate: &Candidate<'_>) -> bool {
        let Agent(agent) = candidate.owner else {
            return false;
        };
        let adopted = &self.settings.switches.adopt;
        let name = name_of(candidate);
        if name.is_empty() {
            return false;
        }
        let is_adopted = project_hooks_file(agent, &name).is_none();
        let comes_from_it = |from: &str| from.replace('\\', "/").contains(&name);
        is_adopted && adopted.iter().any(|it| it.value == agent)
            || self
                .settings
                .hooks
                .iter()
                .filter_map(|hook| hook.from.as_deref())
                .any(comes_from_it)
    }
}

/// Returns what a file that is named like settings, or like hooks, is for; nothing for others.
fn purpose_of(path: &Path) -> Option<Purpose> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').find(|it| !it.is_empty());
    let stem = stem.unwrap_or_default().to_ascii_lowercase();
    let is_like = |word: &str| stem == word || is_one_edit(&stem, word);
    if is_like("hooks") || is_event(&stem) {
        return Some(Hooks);
    }
    (is_like("settings") || is_like("config")).then_some(Mixed)
}

/// Returns whether a file is the one that is read, under another name.
fn is_settings_file(candidate: &Candidate<'_>) -> bool {
    let settings = candidate.root.join(".gemini").join("settings.json");
    match (candidate.path.canonicalize(), settings.canonicalize()) {
        (Ok(path), Ok(settings)) => path == settings,
        _ => false,
    }
}

/// Returns a file's name from its root on, with `/`.
fn name_of(candidate: &Candidate<'_>) -> String {
    let name = candidate.path.strip_prefix(candidate.root);
    let name = name.map(|it| it.to_string_lossy().replace('\\', "/"));
    name.unwrap_or_default()
}

/// Returns the file of a project that an agent reads its hooks from, if it doesn't read one of this
/// name (FD-2).
fn project_hooks_file(agent: &str, name: &str) -> Option<&'static str> {
    let files = hookloop_dialects::Agent::from_word(agent)?.project_files();
    let is_read = files.iter().any(|file| match file.strip_suffix("*.json") {
        Some(folder) => name.starts_with(folder),
        None => *file == name,
    });
    files.first().copied().filter(|_| !is_read)
}

/// Returns what people call an agent.
fn name_of_agent(word: &'static str) -> &'static str {
    hookloop_dialects::Agent::from_word(word).map_or(word, hookloop_dialects::Agent::name)
}

/// Returns what to do about another agent's file.
fn remedy(agent: &str, settings: &str) -> String {
    let option = match agent {
        "claude-code" => "--from-claude",
        "codex" => "--from-codex",
        "cursor" => "--from-cursor",
        "copilot" => "--from-copilot",
        "qwen" => "--from-qwen",
        _ => "",
    };
    if option.is_empty() {
        return format!("write its hooks into {settings} with \"dialect\": \"{agent}\"");
    }
    format!(
        "run `hookloop hooks adopt {agent}` to run its hooks unchanged, or `hookloop hooks migrate \
         {option}` to copy them into {settings}"
    )
}

/// Returns the files of a folder, by name; nothing of a folder that a link places outside the root.
fn entries(folder: &Path, root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    if !is_within(folder, root) {
        return Vec::new();
    }
    let mut paths: Vec<PathBuf> = entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| entry.ok().map(|it| it.path()))
        .collect();
    paths.sort();
    paths
}

fn is_within(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}

/// Returns whether a file's name says that it may contain settings, and isn't that of a copy.
fn has_ending(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or_default();
    ENDINGS.contains(&ending.trim_end())
        && !IGNORED_NAME_PARTS.iter().any(|word| name.contains(word))
}

/// Looks for hooks in a file. One only for hooks that can't be read counts as one that contains
/// some.
fn look_into(candidate: &Candidate<'_>) -> Option<StrayHooks> {
    let path = candidate.path.as_path();
    path.symlink_metadata().ok().filter(|it| !it.is_dir())?;
    let origin = Source {
        layer: Some(candidate.layer),
        ..Source::of_file(path)
    };
    let Some(text) = read(candidate) else {
        let unread = StrayHooks {
            source: origin,
            snippet: None,
        };
        return (candidate.purpose == Hooks).then_some(unread);
    };
    let text = FileText::new(origin, text);
    let offset = place_of_hooks(&text, candidate)?;
    let source = text.source_at(offset);
    let snippet = source.position.and_then(|it| text.snippet(it));
    Some(StrayHooks { source, snippet })
}

/// Reads a regular file of reasonable size that is really where it seems to be.
fn read(candidate: &Candidate<'_>) -> Option<String> {
    let metadata = candidate.path.metadata().ok()?;
    let is_bearable = metadata.is_file()
        && metadata.len() <= MAX_BYTES
        && is_within(&candidate.path, candidate.root);
    // What a project contains may be a pipe, a device, or endless (TR-10).
    if !is_bearable {
        return None;
    }
    let bytes = read_bytes(&candidate.path).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns where the hooks of a file begin.
fn place_of_hooks(text: &FileText, candidate: &Candidate<'_>) -> Option<usize> {
    let content = text.text();
    let name = candidate.path.file_name()?.to_string_lossy();
    if name.ends_with(".toml") {
        return line_that(content, |line| {
            line.starts_with("[hooks") || line.starts_with("[[hooks")
        });
    }
    if name.ends_with(".yaml") || name.ends_with(".yml") {
        return line_that(content, |line| {
            line.starts_with("hooks:") || begins_with_event(line)
        });
    }
    match parse(content) {
        Ok(Value::Object(root)) => place_in(&root, candidate.purpose),
        Ok(_) => (candidate.purpose == Hooks).then_some(0),
        // Even broken, it was meant to be read.
        Err(_) => content.find("\"hooks\"").or_else(|| {
            let is_meant = candidate.purpose == Hooks && !content.trim().is_empty();
            is_meant.then_some(0)
        }),
    }
}

fn place_in(root: &Object<'_>, purpose: Purpose) -> Option<usize> {
    if let Some(property) = member(root, "hooks") {
        let holds_some = match &property.value {
            Value::Object(hooks) => hooks
                .properties
                .iter()
                .any(|it| !OLDER_KEYS.contains(&it.name.as_str())),
            Value::Array(hooks) => !hooks.elements.is_empty(),
            _ => false,
        };
        return holds_some.then(|| key_start(property));
    }
    let mut properties = root.properties.iter();
    let event = properties.find(|it| is_event(it.name.as_str()) && purpose == Hooks);
    event.map(key_start)
}

fn is_event(name: &str) -> bool {
    let ours = EventName::ALL.iter().map(|event| event.as_str());
    ours.chain(FOREIGN_EVENTS.iter().map(|(foreign, _)| *foreign))
        .any(|event| event.eq_ignore_ascii_case(name))
}

fn begins_with_event(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, _)| is_event(name))
}

fn line_that(text: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if fits(line) {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

/// Distinguishes one state of a stray file from another: a session reports each once (ST-12).
pub fn stray_state(problem: &Problem) -> Option<String> {
    if problem.code != ProblemCode::MisplacedFile {
        return None;
    }
    let file: &Arc<Path> = &problem.source.file;
    let metadata = file.metadata().ok();
    let bytes = metadata
        .filter(|it| it.is_file() && it.len() <= MAX_BYTES)
        .and_then(|_| read_bytes(file).ok().flatten())
        .unwrap_or_default();
    let mut hasher = Sha256::new();
    hasher.update(file.to_string_lossy().as_bytes());
    hasher.update([0]);
    hasher.update(&bytes);
    let mut state = format!("{:x}", hasher.finalize());
    state.truncate(32);
    Some(state)
}
