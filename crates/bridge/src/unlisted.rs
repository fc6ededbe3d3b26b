//! Tools that no table lists, understood by their names and arguments (BR-10): agents gain tools with each
//! build, and a guard of commands or files must not miss one because of what it is called.

use hookloop_shell::quote;
use serde_json::{Map, Value};

use crate::planned::PlannedCall;

/// Arguments that hold a command, as they are compared: small letters and digits alone.
const COMMANDS: [&str; 8] = [
    "command",
    "cmd",
    "commandline",
    "shellcommand",
    "bashcommand",
    "shell",
    "bash",
    "argv",
];

/// Arguments that hold one where the tool is a shell, or writes to one: elsewhere a script may be anything.
const SHELL_INPUTS: [&str; 7] = ["script", "code", "input", "chars", "keys", "line", "stdin"];

/// Words in the names of tools that are shells, or write to one.
const SHELLS: [&str; 14] = [
    "bash",
    "sh",
    "zsh",
    "shell",
    "powershell",
    "terminal",
    "console",
    "command",
    "cmd",
    "exec",
    "execute",
    "process",
    "stdin",
    "script",
];

/// Arguments that name a file or a folder.
const PATHS: [&str; 19] = [
    "path",
    "filepath",
    "file",
    "filename",
    "targetfile",
    "targetpath",
    "targetnotebook",
    "target",
    "absolutepath",
    "relativepath",
    "relativeworkspacepath",
    "notebookpath",
    "outputpath",
    "outputfile",
    "uri",
    "paths",
    "files",
    "filepaths",
    "source",
];

/// Arguments that name where something goes.
const DESTINATIONS: [&str; 8] = [
    "destination",
    "destinationpath",
    "dest",
    "newpath",
    "newname",
    "newfilepath",
    "topath",
    "to",
];

/// Arguments that hold what a file becomes.
const CONTENTS: [&str; 8] = [
    "content",
    "contents",
    "filetext",
    "filecontent",
    "codeedit",
    "newsource",
    "diff",
    "patch",
];

/// Arguments that hold it where the tool writes.
const FURTHER_CONTENTS: [&str; 4] = ["text", "data", "body", "insert"];

/// Arguments that hold the text that an edit looks for.
const OLD: [&str; 7] = [
    "oldstring",
    "oldstr",
    "oldtext",
    "old",
    "search",
    "find",
    "original",
];

/// Arguments that hold the text in its place.
const NEW: [&str; 7] = [
    "newstring",
    "newstr",
    "newtext",
    "new",
    "replace",
    "replacement",
    "updated",
];

/// What a tool does to the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Read,
    Write,
    Delete,
    Move,
    Copy,
}

/// The words in names of tools, and in arguments that choose what a tool does, by which one knows.
const WORDS: [(Deed, &[&str]); 5] = [
    (
        Deed::Delete,
        &["delete", "remove", "rm", "trash", "unlink", "erase"],
    ),
    (Deed::Move, &["move", "rename", "mv"]),
    (Deed::Copy, &["copy", "cp", "duplicate"]),
    (
        Deed::Write,
        &[
            "write",
            "edit",
            "create",
            "insert",
            "append",
            "replace",
            "patch",
            "modify",
            "update",
            "save",
            "overwrite",
            "put",
            "str",
            "apply",
            "multiedit",
            "undo",
            "notebookedit",
        ],
    ),
    (
        Deed::Read,
        &["read", "view", "open", "cat", "show", "get", "load"],
    ),
];

/// Tools whose command names something of the agent's own.
const OWN_COMMANDS: [&str; 3] = ["skill", "slash", "prompt"];

/// Tools that look for something, and change nothing.
const SEARCHES: [&str; 5] = ["search", "grep", "find", "list", "glob"];

/// How deep objects in arguments are looked into.
const DEEPEST: usize = 6;

/// Returns what a call of a tool that nobody listed would do, in our words: nothing where it neither runs
/// commands nor touches files as far as its name and arguments tell.
pub(crate) fn calls(name: &str, arguments: &Map<String, Value>) -> Vec<PlannedCall> {
    let words = words_of(name);
    let has = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    let mut calls = Vec::new();
    for arguments in Arguments(arguments).levels() {
        let paths = arguments.texts(&PATHS);
        let chosen = arguments.chosen().filter(|_| !paths.is_empty());
        if chosen.is_none() && !has(&OWN_COMMANDS) {
            let further: &[&str] = if has(&SHELLS) { &SHELL_INPUTS } else { &[] };
            let commands = arguments.commands(further).into_iter();
            calls.extend(
                commands.map(|it| PlannedCall::of("run_shell_command", &[("command", &it)])),
            );
        }
        if !has(&SEARCHES) {
            let deed = chosen.or_else(|| deed(&words));
            calls.extend(
                paths
                    .iter()
                    .filter_map(|path| on_file(path, deed, arguments)),
            );
        }
    }
    calls
}

/// Returns what is done to a file.
fn on_file(path: &str, deed: Option<Deed>, arguments: Arguments<'_>) -> Option<PlannedCall> {
    let shell = |words: &[&str]| {
        let quoted: Vec<String> = words.iter().map(|it| quote(it).to_string()).collect();
        PlannedCall::of("run_shell_command", &[("command", &quoted.join(" "))])
    };
    let to = arguments.texts(&DESTINATIONS).into_iter().next();
    // A list of edits names the file once.
    let levels = arguments.levels();
    let texts = |names: &[&str]| {
        let all = levels.iter().flat_map(|it| it.texts(names));
        all.collect::<Vec<_>>().join("\n")
    };
    let has = |names: &[&str]| levels.iter().any(|it| it.has(names));
    let call = match (deed, to) {
        (Some(Deed::Delete), _) => shell(&["rm", "-rf", "--", path]),
        (Some(Deed::Move), Some(to)) => shell(&["mv", "--", path, &to]),
        (Some(Deed::Copy), Some(to)) => shell(&["cp", "-r", "--", path, &to]),
        _ if has(&NEW) && has(&OLD) => PlannedCall::of(
            "replace",
            &[
                ("file_path", path),
                ("old_string", &texts(&OLD)),
                ("new_string", &texts(&NEW)),
            ],
        ),
        (Some(Deed::Read), _) if !has(&CONTENTS) => {
            PlannedCall::of("read_file", &[("file_path", path)])
        }
        (Some(Deed::Write | Deed::Move | Deed::Copy), _) => {
            let content = [texts(&CONTENTS), texts(&FURTHER_CONTENTS), texts(&NEW)].join("\n");
            let content = content.trim_matches('\n');
            PlannedCall::of("write_file", &[("file_path", path), ("content", content)])
        }
        _ if has(&CONTENTS) => {
            let content = texts(&CONTENTS);
            PlannedCall::of("write_file", &[("file_path", path), ("content", &content)])
        }
        _ => return None,
    };
    Some(call)
}

/// Returns what a name says that a tool does.
fn deed(words: &[String]) -> Option<Deed> {
    let mut known = words.iter().filter_map(|word| {
        let mut all = WORDS.iter();
        let found = all.find(|(_, names)| names.contains(&word.as_str()));
        found.map(|(deed, _)| *deed)
    });
    known.next()
}

/// Takes a name apart: `StrReplace`, `text_editor`, `FSWrite`, `fs.write-file`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut was_small = false;
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|it| it.is_lowercase());
        if !letter.is_alphanumeric() || letter.is_uppercase() && (was_small || next_is_small) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
        if let Some(last) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            last.extend(letter.to_lowercase());
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

/// The arguments of a call, whatever they are called to the letter.
#[derive(Clone, Copy)]
struct Arguments<'c>(&'c Map<String, Value>);

impl<'c> Arguments<'c> {
    /// Returns them, and the objects inside them.
    fn levels(self) -> Vec<Self> {
        let mut all = vec![self];
        let (mut begin, mut depth) = (0, 0);
        while begin < all.len() && depth < DEEPEST {
            let end = all.len();
            for at in begin..end {
                for value in all[at].0.values() {
                    match value {
                        Value::Object(object) => all.push(Self(object)),
                        Value::Array(list) => {
                            all.extend(list.iter().filter_map(Value::as_object).map(Self));
                        }
                        _ => {}
                    }
                }
            }
            (begin, depth) = (end, depth + 1);
        }
        all
    }

    /// Returns what an argument says that is to be done: an editor's `command` is such a word.
    fn chosen(self) -> Option<Deed> {
        let said = self.texts(&["command", "action", "operation", "mode", "type"]);
        let mut words = said.iter().filter(|it| !it.contains(char::is_whitespace));
        words.find_map(|it| deed(&words_of(it)))
    }

    fn named(self, names: &[&str]) -> impl Iterator<Item = &'c Value> {
        let is_it = |name: &str| {
            let plain: String = name.chars().filter(|it| it.is_alphanumeric()).collect();
            names.contains(&plain.to_lowercase().as_str())
        };
        let found = self.0.iter().filter(move |(name, _)| is_it(name));
        found.map(|(_, value)| value)
    }

    fn has(self, names: &[&str]) -> bool {
        self.named(names).any(|it| !it.is_null())
    }

    /// Returns the texts of arguments, those in lists one by one.
    fn texts(self, names: &[&str]) -> Vec<String> {
        let texts = self.named(names).flat_map(|value| match value {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        });
        let texts = texts.map(|it| it.strip_prefix("file://").unwrap_or(it));
        texts.map(str::to_owned).collect()
    }

    /// Returns the commands: a text, or the words of one.
    fn commands(self, further: &[&str]) -> Vec<String> {
        let named = self.named(&COMMANDS).chain(self.named(further));
        let commands = named.filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(words) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                let words = words?.into_iter().map(|it| quote(it).to_string());
                Some(words.collect::<Vec<_>>().join(" "))
            }
            _ => None,
        });
        let several = self.texts(&["commands"]).into_iter();
        let all = commands.chain(several);
        all.filter(|it| !it.trim().is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn planned(name: &str, arguments: Value) -> Vec<(String, Value)> {
        let Value::Object(arguments) = arguments else {
            unreachable!("arguments are an object")
        };
        let calls = calls(name, &arguments).into_iter();
        calls
            .map(|it| (it.tool, Value::Object(it.arguments)))
            .collect()
    }

    /// BR-10: whatever it is called, a tool with a command runs it.
    #[test]
    fn commands_are_found() {
        for (name, arguments, command) in [
            ("Background", json!({"command": "rm -rf x"}), "rm -rf x"),
            ("terminal", json!({"cmd": "rm x", "path": "/w"}), "rm x"),
            ("x", json!({"command": "rm x", "path": "/w"}), "rm x"),
            ("exec", json!({"argv": ["sh", "-c", "a b"]}), "sh -c 'a b'"),
            ("task", json!({"input": {"shell_command": "ls"}}), "ls"),
            (
                "run",
                json!({"steps": [{"do": {"bashCommand": "ls"}}]}),
                "ls",
            ),
            ("batch", json!({"commands": ["make all"]}), "make all"),
            ("send_to_terminal", json!({"input": "make\n"}), "make\n"),
            ("RunScript", json!({"script": "make"}), "make"),
        ] {
            let expected = ("run_shell_command".to_owned(), json!({"command": command}));
            assert_eq!(planned(name, arguments), [expected], "{name}");
        }
        for (name, arguments) in [
            ("Skill", json!({"command": "pdf"})),
            ("SlashCommand", json!({"command": "/review"})),
            ("x", json!({"command": " "})),
            ("x", json!({"query": "rm"})),
            ("Workflow", json!({"script": "export default 1"})),
        ] {
            assert_eq!(planned(name, arguments), [], "{name}");
        }
    }

    /// BR-10: whatever it is called, a tool that changes or reads a file is planned as that.
    #[test]
    fn files_are_found() {
        let replaced = |path: &str, old: &str, new: &str| {
            let arguments = json!({"file_path": path, "old_string": old, "new_string": new});
            ("replace", arguments)
        };
        let written = |path: &str, content: &str| {
            ("write_file", json!({"file_path": path, "content": content}))
        };
        let read = |path: &str| ("read_file", json!({"file_path": path}));
        for (name, arguments, expected) in [
            (
                "StrReplace",
                json!({"path": "f", "old_string": "a", "new_string": "b"}),
                replaced("f", "a", "b"),
            ),
            (
                "edit_file",
                json!({"target_file": "f", "edits": [{"oldText": "a", "newText": "b"}]}),
                replaced("f", "a", "b"),
            ),
            (
                "text_editor",
                json!({"command": "write", "path": "f", "file_text": "t"}),
                written("f", "t"),
            ),
            (
                "text_editor",
                json!({"command": "view", "path": "f"}),
                read("f"),
            ),
            (
                "text_editor",
                json!({"command": "insert", "path": "f", "insert_line": 1, "new_str": "t"}),
                written("f", "t"),
            ),
        ] {
            let (tool, fields) = expected;
            assert_eq!(
                planned(name, arguments),
                [(tool.to_owned(), fields)],
                "{name}"
            );
        }
    }

    /// BR-10: what is deleted, moved and copied is planned as the command that would do it.
    #[test]
    fn what_goes_elsewhere_is_found() {
        let written = |path: &str, content: &str| {
            ("write_file", json!({"file_path": path, "content": content}))
        };
        let ran = |command: &str| ("run_shell_command", json!({"command": command}));
        let read = |path: &str| ("read_file", json!({"file_path": path}));
        for (name, arguments, expected) in [
            (
                "Delete",
                json!({"file_path": "a b"}),
                ran("rm -rf -- 'a b'"),
            ),
            (
                "fs.removeFile",
                json!({"uri": "file:///x"}),
                ran("rm -rf -- /x"),
            ),
            (
                "FSMove",
                json!({"source": "a", "destination": "b"}),
                ran("mv -- a b"),
            ),
            (
                "copy_path",
                json!({"path": "a", "newPath": "b"}),
                ran("cp -r -- a b"),
            ),
            (
                "x",
                json!({"files": [{"path": "f", "content": "t"}]}),
                written("f", "t"),
            ),
            (
                "append",
                json!({"filename": "f", "text": "t"}),
                written("f", "t"),
            ),
            ("view_image", json!({"path": "f"}), read("f")),
        ] {
            let (tool, fields) = expected;
            assert_eq!(
                planned(name, arguments),
                [(tool.to_owned(), fields)],
                "{name}"
            );
        }
        for (name, arguments) in [
            (
                "search_code",
                json!({"path": "src", "text": "x", "content": "y"}),
            ),
            ("lint", json!({"paths": ["a", "b"]})),
            ("describe", json!({"path": "a", "text": "x"})),
        ] {
            assert_eq!(planned(name, arguments), [], "{name}");
        }
    }
}
