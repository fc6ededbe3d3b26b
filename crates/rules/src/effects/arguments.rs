//! The names of tools and their arguments, whatever the spelling.

use serde_json::Value;

/// Arguments that say what a tool is to do, as `flat` names them.
pub(super) const ACTIONS: &[&str] = &[
    "action",
    "actionname",
    "operation",
    "operationname",
    "op",
    "method",
    "verb",
    "subcommand",
    "apiname",
    "functionname",
];

/// Tools of the agent and of the agents whose hooks we run. What they do is known by their names.
const OWN: &[&str] = &[
    "",
    "read_file",
    "write_file",
    "replace",
    "run_shell_command",
    "glob",
    "search_file_content",
    "grep_search",
    "list_directory",
    "read_many_files",
    "web_fetch",
    "google_web_search",
    "save_memory",
    "write_todos",
    "delegate_to_agent",
    "codebase_investigator",
    "cli_help",
    "get_internal_docs",
    "activate_skill",
    "ask_user",
    "enter_plan_mode",
    "exit_plan_mode",
    "complete_task",
    "Bash",
    "BashOutput",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Task",
    "Agent",
    "Skill",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "SlashCommand",
    "ExitPlanMode",
    "AskUserQuestion",
    "update_plan",
];

/// Returns the words of a tool's name: `mcp__github__delete_file`, `deleteFile`.
pub(crate) fn words_of(tool: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for character in tool.chars() {
        let begins = character.is_uppercase() && was_lower;
        was_lower = character.is_lowercase();
        if !character.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

/// Returns whether a tool is one of a server or of another agent, whose names and arguments aren't
/// ours.
pub(crate) fn is_foreign(tool: &str) -> bool {
    !OWN.contains(&tool)
}

/// Returns whether a tool only looks at the names of files and their metadata.
pub(crate) fn looks_at_names_of(tool: &str) -> bool {
    let words = words_of(tool);
    let has = |name: &str| words.iter().any(|it| it == name);
    tool == "list_directory"
        || is_foreign(tool)
            && (has("directory") && has("list") || has("info") && has("file") || has("stat"))
}

/// Returns the arguments of a call, including those of an object among them, with their names in
/// lower case and without `_` and `-`.
pub(super) fn flat(input: &Value) -> Vec<(String, &Value)> {
    let mut entries = Vec::new();
    let Value::Object(outer) = input else {
        return entries;
    };
    for (key, value) in outer {
        entries.push((plain(key), value));
        if let Value::Object(inner) = value {
            entries.extend(inner.iter().map(|(key, value)| (plain(key), value)));
        }
    }
    entries
}

/// How many arguments of a call are looked at, however deep they are.
const MAX_ARGUMENTS: usize = 50_000;

/// Returns the arguments of a call as `flat` does, at any depth, or `None` if there are too many to
/// look at.
fn flatten_deep(input: &Value) -> Option<Vec<(String, &Value)>> {
    let mut entries: Vec<(String, &Value)> = Vec::new();
    let mut open = vec![input];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(inner) => {
                for (key, value) in inner {
                    let is_left_out = ["exclude", "ignore", "except"]
                        .iter()
                        .any(|it| plain(key).contains(it));
                    if !is_left_out {
                        open.push(value);
                    }
                    entries.push((plain(key), value));
                }
            }
            _ => {}
        }
        if entries.len() > MAX_ARGUMENTS || open.len() > MAX_ARGUMENTS {
            return None;
        }
    }
    Some(entries)
}

/// Returns the name of an argument in lower case and without `_` and `-`.
pub(super) fn plain(key: &str) -> String {
    key.chars()
        .filter(|it| it.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the files that a patch changes.
fn patched_files(text: &str) -> impl Iterator<Item = String> + '_ {
    let marks = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "+++ b/",
        "--- a/",
    ];
    let named = move |line: &'_ str| {
        let rest = marks.iter().find_map(|it| line.strip_prefix(it));
        rest.map(|it| it.trim().to_owned())
    };
    text.lines().filter_map(named)
}

/// Collects the texts of an argument.
pub(super) fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|it| collect(it, texts)),
        _ => {}
    }
}

/// Arguments that are texts for people, or are looked at as commands, as `flat` names them.
const TEXTS: &[&str] = &[
    "query",
    "pattern",
    "text",
    "content",
    "message",
    "title",
    "body",
    "description",
    "name",
    "oldstring",
    "newstring",
    "oldstr",
    "newstr",
    "oldtext",
    "newtext",
    "oldcontent",
    "newcontent",
    "replacement",
    "filetext",
    "contents",
    "summary",
    "comment",
    "prompt",
    "command",
    "commands",
    "cmd",
    "args",
    "arguments",
    "argv",
    "q",
];

/// Returns the files that a call names without an argument called a path: by an address, or by an
/// argument with a name of the server's own. Returns `None` if there are too many arguments to look
/// at.
pub(crate) fn implied_files(tool: &str, input: &Value) -> Option<Vec<String>> {
    let mut named = Vec::new();
    let mut all: Vec<(String, &Value)> = if is_foreign(tool) {
        flatten_deep(input)?
    } else {
        flat(input)
    };
    // Excluded names aren't read.
    all.retain(|(key, _)| {
        !["exclude", "ignore", "except"]
            .iter()
            .any(|it| key.contains(it))
    });
    for (key, value) in all {
        let is_text = TEXTS.contains(&key.as_str());
        if let Value::Array(items) = value
            && is_foreign(tool)
            && !is_text
        {
            let items = items.iter().filter_map(Value::as_str);
            let single = items.filter(|it| !it.contains([' ', '\n']));
            named.extend(single.map(|it| it.trim_start_matches("file://").to_owned()));
        }
        if let Value::Object(entries) = value
            && is_foreign(tool)
            && !is_text
        {
            // `{"files": {".env": …}}`
            let paths = entries.keys().filter(|it| it.starts_with(['.', '/', '~']));
            named.extend(paths.cloned());
        }
        let Value::String(text) = value else {
            continue;
        };
        if is_foreign(tool) && text.contains('\n') {
            named.extend(patched_files(text));
        }
        if tool.starts_with("web_") || is_foreign(tool) {
            let ends = |it: char| it.is_whitespace() || "'\"`)>,".contains(it);
            let addresses = text
                .match_indices("file://")
                .map(|(at, it)| &text[at + it.len()..]);
            let addresses = addresses.filter_map(|it| it.split(ends).next());
            named.extend(addresses.map(str::to_owned));
        }
        if !is_foreign(tool) || is_text {
            continue;
        }
        // `HEAD:.env` names a file of a revision; `HEAD -- .env` names one after the separator.
        let last = match text.split_once("://") {
            Some(_) => text.as_str(),
            None => text.rsplit(':').next().unwrap_or(""),
        };
        let last = last.rsplit(" -- ").next().unwrap_or("");
        if !last.contains([' ', '\n', ':']) && last.len() < 300 {
            named.push(last.to_owned());
            named.extend(
                last.split(',')
                    .filter(|_| !last.contains('{'))
                    .skip(1)
                    .map(str::to_owned),
            );
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{implied_files, words_of};

    /// HT-40: what an edit replaces, and with what, names no file.
    #[test]
    fn texts_of_edits_name_no_files() {
        let edit = |new: &str| {
            let edits = json!([{"oldText": "a", new: ".env"}]);
            let input = json!({"path": "README.md", "edits": edits});
            implied_files("mcp_fs_edit_file", &input).unwrap()
        };
        assert!(!edit("newText").contains(&".env".to_owned()));
        assert!(edit("target").contains(&".env".to_owned()));
    }

    /// HT-40: the words of a tool's name are found in any spelling.
    #[test]
    fn names_of_tools_are_split_into_words() {
        assert_eq!(
            words_of("mcp__x__deleteFile"),
            ["mcp", "x", "delete", "file"]
        );
        assert_eq!(words_of("mcp_git_push-now"), ["mcp", "git", "push", "now"]);
    }
}
