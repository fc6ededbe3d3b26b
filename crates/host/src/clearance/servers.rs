//! Calls of MCP servers' tools: the paths and commands in their arguments.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::commands::{Place, max_depth};
use super::concern::Concern;
use crate::protected::Touch;

/// How deep tool arguments are examined.
const MAX_VALUE_DEPTH: usize = 16;

/// The maximum length of a path.
const MAX_PATH_LENGTH: usize = 4096;

/// How many texts of one object are combined into paths.
const MAX_JOINED: usize = 16;

/// The maximum length of an examined text, and the maximum number of its words.
const MAX_TEXT_BYTES: usize = 64 << 10;
const MAX_WORDS: usize = 256;

/// Arguments that people read.
const FOR_PEOPLE: [&str; 11] = [
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
    "title",
];

/// Arguments that people read, that are typed for them, or that are examined as shell text: in
/// these, only an absolute path counts.
const TYPED: [&str; 8] = [
    "text", "keys", "input", "command", "commands", "cmd", "script", "code",
];

/// Beginnings of absolute paths.
const WHOLE: [&str; 4] = ["/", "~/", "$", "file:"];

/// Words in the names of tools that remove files.
const REMOVERS: [&str; 12] = [
    "delete", "remove", "move", "rename", "rm", "mv", "rmdir", "unlink", "trash", "purge", "clean",
    "archive",
];

impl Place {
    /// Examines the arguments of a server's tool: any text may be a path.
    pub(super) fn check_server_call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Concern> {
        let removes = words_of(tool).any(|word| REMOVERS.contains(&word.as_str()));
        let touch = if removes {
            Touch::Remove
        } else {
            Touch::Replace
        };
        self.check_paths(arguments, touch, MAX_VALUE_DEPTH)
            .or_else(|| self.check_commands(arguments))
    }

    /// Examines commands in the arguments of a server's tool. If they run isn't known, so only a
    /// certain change of a guard counts.
    fn check_commands(&self, arguments: &Map<String, Value>) -> Option<Concern> {
        const NAMES: [&str; 7] = [
            "command", "commands", "cmd", "script", "code", "argv", "args",
        ];
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
            let concern = self.check_shell(&text, &self.cwd, max_depth());
            concern.filter(|it| !matches!(it, Concern::Unclear(_)))
        })
    }

    fn check_paths(
        &self,
        arguments: &Map<String, Value>,
        touch: Touch,
        depth: usize,
    ) -> Option<Concern> {
        let texts: Vec<&str> = arguments.values().filter_map(Value::as_str).collect();
        let values = arguments.values();
        let named = first_certain(values.map(|it| self.check_value(it, touch, depth)));
        match named {
            Some(Concern::Unclear(_)) | None => self
                .named_in_keys(arguments, touch)
                .or_else(|| self.named_in_words(arguments, touch))
                .or_else(|| self.named_in_entries(arguments, &texts, touch))
                .or_else(|| self.named_in_parts(&texts, touch))
                .or(named),
            named => named,
        }
    }

    /// `{argv: "cp a /b/c"}`, `{sql: "copy t to '/b/c'"}`, `{list: ["-o/b/c"]}`: paths among the
    /// words of a text that isn't one for people to read.
    fn named_in_words(&self, arguments: &Map<String, Value>, touch: Touch) -> Option<Concern> {
        let judged = arguments
            .iter()
            .filter(|(name, _)| !FOR_PEOPLE.contains(&name.as_str()));
        for (name, value) in judged {
            let mut texts = Vec::new();
            strings_in(value, MAX_VALUE_DEPTH, &mut texts);
            let is_typed = TYPED.contains(&name.as_str());
            let mut words = texts
                .iter()
                .filter(|it| it.len() <= MAX_TEXT_BYTES)
                .flat_map(|it| words_in(it))
                .filter(|word| !is_typed || begins_whole(word));
            let hit = words.find_map(|word| self.hit_by(&word, touch));
            if hit.is_some() {
                return hit;
            }
            // `{path: ["/b", "c"]}`
            let is_plain = |it: &&str| !it.is_empty() && is_path(it);
            if value.is_array() && texts.len() <= MAX_JOINED && texts.iter().all(is_plain) {
                let hit = self.hit_by(&texts.join("/"), touch);
                if hit.is_some() {
                    return hit;
                }
            }
        }
        None
    }

    /// `{files: {"/b/c": "text"}}`
    fn named_in_keys(&self, arguments: &Map<String, Value>, touch: Touch) -> Option<Concern> {
        let is_named = |it: &&String| it.contains(['/', '.', '~', '$']);
        let mut keys = arguments.keys().filter(is_named);
        keys.find_map(|it| self.hit_by(it, touch))
    }

    fn hit_by(&self, word: &str, touch: Touch) -> Option<Concern> {
        let path = self.path_in(word)?;
        let hit = self.protected.affected(touch, &path)?;
        (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
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
        inner.for_each(|it| texts_in(it, MAX_VALUE_DEPTH, &mut names));
        let folders = texts.iter().filter_map(|it| self.path_in(it));
        let mut folders = folders.filter(|it| it.is_dir());
        folders.find_map(|folder| {
            let mut names = names.iter().filter(|it| is_path(it) && !it.is_empty());
            names.find_map(|name| {
                let hit = self.protected.affected(touch, &folder.join(name))?;
                (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
            })
        })
    }

    fn check_value(&self, value: &Value, touch: Touch, depth: usize) -> Option<Concern> {
        let Some(depth) = depth.checked_sub(1) else {
            return Some(Concern::Unclear("an argument that is too deep".to_owned()));
        };
        match value {
            Value::String(text) => {
                let path = self.path_in(text);
                let touched = path.and_then(|it| self.protected.affected(touch, &it));
                let inside = || {
                    // Arguments encoded once more, as a JSON string.
                    let is_json = text.trim_start().starts_with(['{', '[']);
                    let inner: Value =
                        is_json.then(|| serde_json::from_str(text).ok()).flatten()?;
                    (!inner.is_string()).then(|| self.check_value(&inner, touch, depth))?
                };
                touched.map(Concern::Touches).or_else(inside)
            }
            Value::Array(list) => {
                let all = list.iter();
                first_certain(all.map(|it| self.check_value(it, touch, depth)))
            }
            Value::Object(map) => self.check_paths(map, touch, depth),
            _ => None,
        }
    }

    /// `{directory: ".gemini", name: "settings.json"}`
    fn named_in_parts(&self, texts: &[&str], touch: Touch) -> Option<Concern> {
        let folders = texts.iter().filter_map(|it| self.path_in(it));
        let mut folders = folders.filter(|it| it.is_dir());
        if texts.len() > MAX_JOINED {
            // Any of the texts may be part of the path.
            let holds = |it: &PathBuf| {
                !self.protected.below(it).is_empty() || self.protected.affected(touch, it).is_some()
            };
            let folder = folders.find(holds)?;
            return Some(Concern::Unclear(folder.display().to_string()));
        }
        folders.find_map(|folder| {
            let mut names = texts.iter().filter(|it| is_path(it) && !it.is_empty());
            names.find_map(|name| {
                let hit = self.protected.affected(touch, &folder.join(name))?;
                (!self.cwd.starts_with(&hit)).then_some(Concern::Touches(hit))
            })
        })
    }

    /// Returns the path that a text may be.
    fn path_in(&self, text: &str) -> Option<PathBuf> {
        if !is_path(text) {
            return None;
        }
        let is_address = text
            .get(..5)
            .is_some_and(|it| it.eq_ignore_ascii_case("file:"));
        if is_address {
            let rest = &text[5..];
            let local = rest
                .get(..11)
                .filter(|it| it.eq_ignore_ascii_case("//localhost"));
            let rest = local.map_or(rest, |it| &rest[it.len()..]);
            let rest = rest.trim_start_matches('/');
            return Some(self.path_of(&unescaped(&format!("/{rest}"))));
        }
        Some(self.path_of(&self.with_variables(text)))
    }

    /// `$HOME/x`, `${PWD}/x`: a path with the values of variables instead of their names.
    fn with_variables(&self, text: &str) -> String {
        let mut found = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, behind) = rest.split_at(at);
            found.push_str(before);
            let behind = &behind[1..];
            let braced = behind.strip_prefix('{').and_then(|it| it.split_once('}'));
            let (name, end) = braced.map_or_else(
                || {
                    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
                    let end = behind.find(|it| !is_part(it)).unwrap_or(behind.len());
                    (&behind[..end], end)
                },
                |(name, _)| (name, name.len() + 2),
            );
            let value = match (name, &self.home) {
                ("HOME", Some(home)) => Some(home.display().to_string()),
                ("PWD", _) => Some(self.cwd.display().to_string()),
                ("", _) => None,
                (name, _) => self.variable(name),
            };
            match value {
                Some(value) => found.push_str(&value),
                None => found.extend(["$", &behind[..end]]),
            }
            rest = &behind[end..];
        }
        found + rest
    }

    /// Returns where a path leads from the working directory; `~/` is the home folder.
    pub(super) fn path_of(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }
}

/// Collects the texts of a value, and of lists in it.
fn strings_in<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v str>) {
    match (value, depth.checked_sub(1)) {
        (Value::String(text), _) => found.push(text),
        (Value::Array(list), Some(depth)) => {
            for it in list {
                strings_in(it, depth, found);
            }
        }
        _ => {}
    }
}

fn begins_whole(word: &str) -> bool {
    WHOLE.iter().any(|it| {
        let begin = word.get(..it.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(it))
    })
}

/// Returns the words of a text that may be paths: whole words, the part after an option's letter, a
/// host or a sign (`-o/x`, `host:/x`, `@/x`), and each without shell escapes.
fn words_in(text: &str) -> Vec<String> {
    let is_between = |it: char| it.is_whitespace() || "'\"`=,;()<>|&[]".contains(it);
    let mut found = Vec::new();
    for word in text.split(is_between).take(MAX_WORDS) {
        // `${X}` is a word; `{x}` contains one.
        let outer = if word.contains("${") {
            word
        } else {
            word.trim_matches(['{', '}'])
        };
        let parts = outer.split([':', '@']);
        let behind_letter = outer
            .strip_prefix('-')
            .and_then(|it| it.find(['/', '~', '$', '.']).map(|at| &it[at..]));
        let all = std::iter::once(outer).chain(parts).chain(behind_letter);
        for it in all.filter(|it| it.len() > 1) {
            let is_named = begins_whole(it) || it.contains(['/', '.']);
            if is_named && !found.iter().any(|known| known == it) {
                found.push(it.to_owned());
            }
            if is_named && it.contains('\\') {
                found.push(it.replace('\\', ""));
            }
        }
    }
    found
}

/// Collects the texts of a value that are examined.
fn texts_in<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v str>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| found.len() < MAX_WORDS) else {
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
    text.len() <= MAX_PATH_LENGTH && !text.contains('\n')
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

/// Returns the words in a tool's name: `moveFile`, `move_file`, `move-file`.
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

/// Returns whether a tool's name claims, by its first word, that it reads, and contains no word
/// that suggests more.
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
