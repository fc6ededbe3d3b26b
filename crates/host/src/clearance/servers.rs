//! Calls of servers' tools: what their arguments name, and what they are told to run.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::commands::{Place, deepest};
use super::concern::Concern;
use crate::protected::Touch;

/// How deep arguments of tools are looked through.
const DEEPEST_VALUE: usize = 16;

/// Longer texts are no paths.
const LONGEST_PATH: usize = 4096;

/// How many texts of one object are put together to paths.
const MOST_JOINED: usize = 16;

/// How long texts are that are looked through, and how many words of one.
const LONGEST_TEXT: usize = 64 << 10;
const MOST_WORDS: usize = 256;

/// Arguments that people read.
const FOR_PEOPLE: [&str; 12] = [
    "body",
    "comment",
    "description",
    "message",
    "note",
    "notes",
    "prompt",
    "question",
    "reason",
    "summary",
    "text",
    "title",
];

/// Words in names of tools that take files away.
const REMOVERS: [&str; 12] = [
    "delete", "remove", "move", "rename", "rm", "mv", "rmdir", "unlink", "trash", "purge", "clean",
    "archive",
];

impl Place {
    /// Looks at what a tool of a server is given: any text may be a path.
    pub(super) fn of_server(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Concern> {
        let removes = words_of(tool).any(|word| REMOVERS.contains(&word.as_str()));
        let touch = if removes { Touch::Remove } else { Touch::Write };
        self.named_in(arguments, touch, DEEPEST_VALUE)
            .or_else(|| self.told_to_run(arguments))
    }

    /// Looks at what a tool of a server is told to run. Where it runs and what it sees isn't known: only what
    /// certainly touches a guard counts.
    fn told_to_run(&self, arguments: &Map<String, Value>) -> Option<Concern> {
        const NAMES: [&str; 5] = ["command", "commands", "cmd", "script", "code"];
        let texts = NAMES.iter().filter_map(|name| arguments.get(*name));
        let texts = texts.flat_map(|value| match value {
            Value::Array(list) if list.iter().all(Value::is_string) => {
                let words = list.iter().filter_map(Value::as_str);
                let line = hookloop_shell::join(words.clone());
                words.map(str::to_owned).chain([line]).collect()
            }
            Value::String(text) => vec![text.clone()],
            _ => Vec::new(),
        });
        let mut texts = texts.collect::<Vec<_>>().into_iter();
        texts.find_map(|text| {
            let concern = self.of_shell(&text, &self.cwd, deepest());
            concern.filter(|it| !matches!(it, Concern::Unclear(_)))
        })
    }

    fn named_in(
        &self,
        arguments: &Map<String, Value>,
        touch: Touch,
        depth: usize,
    ) -> Option<Concern> {
        let texts: Vec<&str> = arguments.values().filter_map(Value::as_str).collect();
        let values = arguments.values();
        let named = first_certain(values.map(|it| self.named_anywhere(it, touch, depth)));
        match named {
            Some(Concern::Unclear(_)) | None => self
                .named_in_words(arguments, touch)
                .or_else(|| self.named_in_entries(arguments, &texts, touch))
                .or_else(|| self.named_in_parts(&texts, touch))
                .or(named),
            named => named,
        }
    }

    /// `{argv: "cp a /b/c"}`, `{sql: "copy t to '/b/c'"}`: whole paths among the words of a text that isn't one for
    /// people to read.
    fn named_in_words(&self, arguments: &Map<String, Value>, touch: Touch) -> Option<Concern> {
        let told = arguments
            .iter()
            .filter(|(name, _)| !FOR_PEOPLE.contains(&name.as_str()));
        let texts = told.filter_map(|(_, value)| value.as_str());
        let is_between = |it: char| it.is_whitespace() || "'\"`=,;()<>|&[]{}".contains(it);
        let mut words = texts
            .filter(|it| it.len() <= LONGEST_TEXT)
            .flat_map(|it| it.split(is_between).take(MOST_WORDS))
            .filter(|it| it.len() > 1 && it.starts_with(['/', '~']) || it.starts_with("file:"));
        words.find_map(|word| {
            let path = self.path_in(word)?;
            let hit = self.protected.touched_by(touch, &path)?;
            (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
        })
    }

    /// `{directory: ".gemini", entries: [{name: "settings.json"}]}`
    fn named_in_entries(
        &self,
        arguments: &Map<String, Value>,
        texts: &[&str],
        touch: Touch,
    ) -> Option<Concern> {
        let mut names = Vec::new();
        let inner = arguments.values().filter(|it| !it.is_string());
        inner.for_each(|it| texts_in(it, DEEPEST_VALUE, &mut names));
        let folders = texts.iter().filter_map(|it| self.path_in(it));
        let mut folders = folders.filter(|it| it.is_dir());
        folders.find_map(|folder| {
            let mut names = names.iter().filter(|it| is_path(it) && !it.is_empty());
            names.find_map(|name| {
                let hit = self.protected.touched_by(touch, &folder.join(name))?;
                (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
            })
        })
    }

    fn named_anywhere(&self, value: &Value, touch: Touch, depth: usize) -> Option<Concern> {
        let Some(depth) = depth.checked_sub(1) else {
            return Some(Concern::Unclear("an argument that is too deep".to_owned()));
        };
        match value {
            Value::String(text) => {
                let path = self.path_in(text);
                let touched = path.and_then(|it| self.protected.touched_by(touch, &it));
                let inside = || {
                    // Arguments that are written as a text once more.
                    let is_json = text.trim_start().starts_with(['{', '[']);
                    let inner: Value =
                        is_json.then(|| serde_json::from_str(text).ok()).flatten()?;
                    (!inner.is_string()).then(|| self.named_anywhere(&inner, touch, depth))?
                };
                touched.map(Concern::Touches).or_else(inside)
            }
            Value::Array(list) => {
                let all = list.iter();
                first_certain(all.map(|it| self.named_anywhere(it, touch, depth)))
            }
            Value::Object(map) => self.named_in(map, touch, depth),
            _ => None,
        }
    }

    /// `{directory: ".gemini", name: "settings.json"}`
    fn named_in_parts(&self, texts: &[&str], touch: Touch) -> Option<Concern> {
        let folders = texts.iter().filter_map(|it| self.path_in(it));
        let mut folders = folders.filter(|it| it.is_dir());
        if texts.len() > MOST_JOINED {
            // Any of them may be a part.
            let holds = |it: &PathBuf| {
                !self.protected.below(it).is_empty()
                    || self.protected.touched_by(touch, it).is_some()
            };
            let folder = folders.find(holds)?;
            return Some(Concern::Unclear(folder.display().to_string()));
        }
        folders.find_map(|folder| {
            let mut names = texts.iter().filter(|it| is_path(it) && !it.is_empty());
            names.find_map(|name| {
                let hit = self.protected.touched_by(touch, &folder.join(name))?;
                (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
            })
        })
    }

    /// Returns the path that a text may be.
    fn path_in(&self, text: &str) -> Option<PathBuf> {
        if !is_path(text) {
            return None;
        }
        Some(match text.strip_prefix("file:") {
            Some(rest) => {
                let rest = rest.strip_prefix("//localhost").unwrap_or(rest);
                let rest = rest.trim_start_matches('/');
                self.path_of(&unescaped(&format!("/{rest}")))
            }
            None => self.path_of(text),
        })
    }

    /// Returns where a path leads from the working directory; `~/` is the home folder.
    pub(super) fn path_of(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }
}

/// Takes up the texts of a value, as far as they are looked at.
fn texts_in<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v str>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| found.len() < MOST_WORDS) else {
        return;
    };
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|it| texts_in(it, depth, found)),
        Value::Object(map) => map.values().for_each(|it| texts_in(it, depth, found)),
        _ => {}
    }
}

/// Returns the first concern that is certain, or else the first.
fn first_certain(concerns: impl Iterator<Item = Option<Concern>>) -> Option<Concern> {
    let mut unclear = None;
    for concern in concerns.flatten() {
        if !matches!(concern, Concern::Unclear(_)) {
            return Some(concern);
        }
        unclear = unclear.or(Some(concern));
    }
    unclear
}

fn is_path(text: &str) -> bool {
    text.len() <= LONGEST_PATH && !text.contains('\n')
}

/// Resolves `%2E` in an address.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|it| std::str::from_utf8(it).ok())
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the words of which a tool's name is made: `moveFile`, `move_file`, `move-file`.
fn words_of(tool: &str) -> impl Iterator<Item = String> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if ['_', '-', '.', '/'].contains(&letter) || letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.into_iter().filter(|it| !it.is_empty())
}

/// Tells whether a server's tool says of itself, by the first word of its name, that it reads, and by no
/// other one that it does more.
pub(super) fn only_reads(tool: &str) -> bool {
    const READS: [&str; 10] = [
        "read", "get", "list", "search", "view", "stat", "find", "fetch", "show", "query",
    ];
    const MORE: [&str; 22] = [
        "write", "and", "update", "edit", "to", "into", "set", "create", "save", "replace",
        "apply", "run", "exec", "execute", "patch", "insert", "append", "put", "store", "download",
        "copy", "or",
    ];
    if !tool.starts_with("mcp__") {
        return false;
    }
    let mut words = words_of(tool);
    let reads = words.next().is_some_and(|it| READS.contains(&it.as_str()));
    reads && !words.any(|it| MORE.contains(&it.as_str()) || REMOVERS.contains(&it.as_str()))
}
