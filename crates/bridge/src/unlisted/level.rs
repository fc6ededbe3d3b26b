//! The arguments of a call, with normalised names, and the objects inside them.

use hookloop_shell::join;
use serde_json::{Map, Value};

use super::roles::{Role, role_of};
use super::words::{Deed, deed_of, deeds_chosen, is_open_mode, opens_to_write, words_of};

/// An object in the arguments of a call.
pub(super) struct Level<'c> {
    /// Its members, with the role of each by its name.
    members: Vec<(Role, &'c str, &'c Value)>,
    /// What is done, as far as the objects around it say.
    around: Vec<Deed>,
}

/// Returns arguments in which JSON texts are replaced by what they contain: some agents and tools
/// write objects so. New contents of files stay as they are.
pub(super) fn parse_nested(arguments: &Map<String, Value>) -> Map<String, Value> {
    let open = |(name, value): (&String, &Value)| {
        let is_written = matches!(
            role_of(name),
            Role::Content
                | Role::FurtherContent
                | Role::Patch
                | Role::Old
                | Role::New
                | Role::Aside
        );
        let value = if is_written {
            value.clone()
        } else {
            opened_value(value)
        };
        (name.clone(), value)
    };
    arguments.iter().map(open).collect()
}

fn opened_value(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(parse_nested(members)),
        Value::Array(all) => Value::Array(all.iter().map(opened_value).collect()),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => opened_value(&inner),
                _ => value.clone(),
            }
        }
        _ => value.clone(),
    }
}

/// Returns arguments, and all objects inside them.
pub(super) fn levels(arguments: &Map<String, Value>) -> Vec<Level<'_>> {
    let mut all = Vec::new();
    collect(arguments, &[], &mut all);
    all
}

fn collect<'c>(members: &'c Map<String, Value>, around: &[Deed], all: &mut Vec<Level<'c>>) {
    let members = members
        .iter()
        .map(|(name, value)| (role_of(name), name.as_str(), value));
    let level = Level {
        members: members.collect(),
        around: around.to_vec(),
    };
    let (members, deeds) = (level.members.clone(), level.deeds());
    all.push(level);
    for (role, name, value) in members {
        let mut deeds = deeds.clone();
        // Texts may be objects whose keys name the operation.
        if !matches!(role, Role::Content | Role::Old | Role::New) {
            deeds.extend(deed_named(name));
        }
        collect_in(value, &deeds, all);
    }
}

fn collect_in<'c>(value: &'c Value, around: &[Deed], all: &mut Vec<Level<'c>>) {
    match value {
        Value::Object(members) => collect(members, around, all),
        Value::Array(list) => {
            for value in list {
                collect_in(value, around, all);
            }
        }
        _ => {}
    }
}

/// Returns whether the name of a path says that something is written there.
fn speaks_of_output(name: &str) -> bool {
    let words = words_of(name);
    let mut words = words.iter().map(String::as_str);
    words.any(|it| matches!(it, "output" | "out" | "save" | "export"))
}

/// Returns whether an argument names the repository that a tool works in.
fn is_of_repository(name: &str) -> bool {
    let words = words_of(name);
    let mut words = words.iter().map(String::as_str);
    role_of(name) == Role::Folder
        || words.any(|it| matches!(it, "repo" | "repository" | "cwd" | "worktree" | "workdir"))
}

/// Returns the operation that the name of an argument implies for its content.
fn deed_named(name: &str) -> Option<Deed> {
    let words = words_of(name);
    let [word] = words.as_slice() else {
        return None;
    };
    deed_of(word).filter(|it| *it != Deed::Read)
}

impl<'c> Level<'c> {
    fn of(&self, role: Role) -> impl Iterator<Item = &'c Value> {
        let found = self.members.iter().filter(move |it| it.0 == role);
        found.map(|it| it.2).filter(|it| !it.is_null())
    }

    /// Returns whether it has an argument with a role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.of(role).next().is_some()
    }

    /// Returns the texts of arguments with a role, those in lists one by one.
    pub(super) fn texts(&self, role: Role) -> Vec<String> {
        let mut texts = Vec::new();
        for value in self.of(role) {
            add_texts(value, &mut texts);
        }
        texts
    }

    /// Returns every text that it contains itself, whatever its role.
    pub(super) fn all_texts(&self) -> Vec<(Role, String)> {
        let mut all = Vec::new();
        for (role, _, value) in &self.members {
            let mut texts = Vec::new();
            add_texts(value, &mut texts);
            all.extend(texts.into_iter().map(|it| (*role, it)));
        }
        all
    }

    /// Returns the operations that are named here, and around it.
    pub(super) fn deeds(&self) -> Vec<Deed> {
        let mut deeds = self.around.clone();
        for (role, name, value) in &self.members {
            match (role, value) {
                (Role::Choice | Role::Command, Value::String(text)) => {
                    deeds.extend(deeds_chosen(text));
                }
                (_, Value::Bool(true)) => deeds.extend(deed_named(name)),
                _ => {}
            }
            let mode = value.as_str().filter(|it| opens_to_write(it));
            if mode.is_some() && is_open_mode(name) {
                deeds.push(Deed::Write);
            }
        }
        deeds
    }

    /// Returns the paths that it names.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for value in self.of(Role::Path) {
            add_texts(value, &mut paths);
            let Value::Object(members) = value else {
                continue;
            };
            for (name, value) in members {
                // A file's name may be a key, with the content as its value.
                if name.contains(['.', '/', '\\']) {
                    paths.push(name.clone());
                } else if let ("value" | "href" | "url" | "name", Value::String(path)) =
                    (name.as_str(), value)
                {
                    paths.push(path.clone());
                }
            }
        }
        let is_elsewhere = |it: &String| it.starts_with("http://") || it.starts_with("https://");
        paths
            .iter()
            .filter(|it| !is_elsewhere(it))
            .map(|it| as_path(it))
            .collect()
    }

    /// Returns the paths of arguments with a role.
    pub(super) fn paths_of(&self, role: Role) -> Vec<String> {
        self.texts(role).iter().map(|it| as_path(it)).collect()
    }

    /// Returns the arguments that are switched on, in the form of a program's options.
    pub(super) fn flags(&self) -> Vec<String> {
        let on = self.members.iter().filter(|it| *it.2 == Value::Bool(true));
        on.map(|(_, name, _)| format!("--{}", words_of(name).join("-")))
            .collect()
    }

    /// Returns the folder of the repository that it names.
    pub(super) fn repository(&self) -> Option<String> {
        let mut named = self.members.iter().filter(|it| is_of_repository(it.1));
        named.find_map(|it| it.2.as_str().map(as_path))
    }

    /// Returns the arguments of `git` after its command: source or target, and which.
    pub(super) fn words_of_git(&self) -> Vec<String> {
        let says = |(role, name, _): &&(Role, &str, &Value)| {
            let is_named = matches!(role, Role::Path | Role::Source | Role::Destination);
            let words = words_of(name);
            let mut words = words.iter().map(String::as_str);
            !is_of_repository(name)
                && (is_named
                    || words.any(|it| {
                        matches!(
                            it,
                            "remote"
                                | "branch"
                                | "ref"
                                | "refspec"
                                | "revision"
                                | "commit"
                                | "tag"
                                | "url"
                        )
                    }))
        };
        let mut said: Vec<_> = self.members.iter().filter(says).collect();
        said.sort_by_key(|it| !matches!(it.1, "remote" | "url"));
        let mut all = Vec::new();
        for (_, _, value) in said {
            add_texts(value, &mut all);
        }
        all
    }

    /// Returns the commands that arguments called code or a script can mean.
    pub(super) fn commands_called_code(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for (role, name, value) in &self.members {
            let words = words_of(name);
            let mut words = words.iter().map(String::as_str);
            let is_code = |it| matches!(it, "code" | "script" | "snippet" | "sourcecode");
            if *role == Role::Typed && words.any(is_code) {
                add_commands(value, List::OfEither, &mut commands);
            }
        }
        commands.retain(|it| !it.trim().is_empty());
        commands
    }

    /// Returns the paths in arguments that are named after what is done to them, with what is done.
    pub(super) fn affected_paths(&self) -> Vec<(Deed, String)> {
        let mut all = Vec::new();
        for (role, name, value) in &self.members {
            let is_created = |deed: &Deed| *deed == Deed::Delete || *name == "create";
            let is_output = *role == Role::Path && speaks_of_output(name);
            let named = deed_named(name).filter(is_created);
            let Some(deed) = named.or(is_output.then_some(Deed::Write)) else {
                continue;
            };
            let mut texts = Vec::new();
            add_texts(value, &mut texts);
            all.extend(texts.iter().map(|it| (deed, as_path(it))));
        }
        all
    }

    /// Returns the contents of the files that it names as members.
    pub(super) fn content_of(&self, path: &str) -> Option<String> {
        let mut objects = self.of(Role::Path).filter_map(Value::as_object);
        let content = objects.find_map(|it| it.get(path))?;
        Some(
            content
                .as_str()
                .map_or_else(|| content.to_string(), str::to_owned),
        )
    }

    /// Returns the commands that arguments with a role can mean: each text, the words of one, and
    /// each element, if a list may be one of commands.
    pub(super) fn commands(&self, role: Role) -> Vec<String> {
        let found = self.members.iter().filter(|it| it.0 == role);
        let mut commands = Vec::new();
        for (_, name, value) in found {
            let are_words = name.to_lowercase().contains("argv");
            let list = if are_words {
                List::OfWords
            } else {
                List::OfEither
            };
            add_commands(value, list, &mut commands);
        }
        commands.retain(|it| !it.trim().is_empty());
        commands
    }

    /// Returns the arguments of a program as they are written in a command.
    pub(super) fn command_words(&self) -> Option<String> {
        let mut lines = Vec::new();
        for value in self.of(Role::Words) {
            match value {
                Value::String(text) => lines.push(text.clone()),
                Value::Array(all) => {
                    let mut words = Vec::new();
                    for it in all {
                        add_texts(it, &mut words);
                    }
                    lines.push(join(words.iter().map(String::as_str)));
                }
                _ => {}
            }
        }
        lines.retain(|it| !it.is_empty());
        (!lines.is_empty()).then(|| lines.join(" "))
    }
}

/// The possible meanings of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    OfWords,
    OfEither,
}

fn add_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(all) => {
            for value in all {
                add_texts(value, texts);
            }
        }
        _ => {}
    }
}

fn add_commands(value: &Value, list: List, commands: &mut Vec<String>) {
    match value {
        Value::String(text) => commands.push(text.clone()),
        Value::Array(all) => {
            all.iter()
                .filter(|it| it.is_array())
                .for_each(|it| add_commands(it, list, commands));
            let flat = all.iter().filter(|it| !it.is_array());
            let mut words = Vec::new();
            flat.for_each(|it| add_texts(it, &mut words));
            let shell = words
                .first()
                .is_some_and(|it| it.ends_with("sh") || it.ends_with("sh.exe"));
            let is_line = |it: &str| it.contains(char::is_whitespace);
            let begins_with_line = words.first().is_some_and(|it| is_line(it));
            if !begins_with_line && !words.is_empty() {
                commands.push(join(words.iter().map(String::as_str)));
            }
            if list == List::OfEither && !shell {
                commands.extend(
                    words
                        .into_iter()
                        .filter(|it| begins_with_line || is_line(it)),
                );
            }
        }
        _ => {}
    }
}

/// Returns the path that a text names, which may be a file URL.
fn as_path(text: &str) -> String {
    let is_address = text
        .get(..5)
        .is_some_and(|it| it.eq_ignore_ascii_case("file:"));
    if !is_address {
        return text.to_owned();
    }
    let rest = &text[5..];
    let path = rest.strip_prefix("//").map_or(rest, |it| {
        let begin = it.find('/').unwrap_or(it.len());
        if begin == 0 || it[..begin].eq_ignore_ascii_case("localhost") {
            &it[begin..]
        } else {
            it
        }
    });
    let bytes = path.as_bytes();
    let (mut decoded, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let digits = path.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let code = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
        decoded.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
