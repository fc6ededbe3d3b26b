//! What the arguments of a call are, by their names.

use super::words::words_of;

/// What an argument is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A command, or the words of one.
    Command,
    /// A program, whose arguments are beside it.
    Program,
    /// The arguments of a program.
    Words,
    /// What is typed into a shell, or run by an interpreter.
    Typed,
    /// The language of such a text.
    Language,
    /// The folder that a command runs in.
    Folder,
    /// A file or a folder.
    Path,
    /// Where something comes from that is moved or copied.
    Source,
    /// Where something goes.
    Destination,
    /// What names a file where the tool is about files.
    Name,
    /// What a file becomes.
    Content,
    /// What is changed in files, which it may name itself.
    Patch,
    /// What it becomes where the tool writes.
    FurtherContent,
    /// The text that an edit looks for.
    Old,
    /// The text in its place.
    New,
    /// What says which of several things the tool does.
    Choice,
    /// What is asked, looked for or told: text that no shell runs.
    Said,
    /// What no tool runs or writes: an explanation, an id.
    Aside,
    /// Anything else.
    Other,
}

/// The names of arguments, as they are compared, by what they are.
const ROLES: [(Role, &[&str]); 17] = [
    (
        Role::Command,
        &[
            "command",
            "commands",
            "cmd",
            "cmds",
            "commandline",
            "commandlines",
            "cmdline",
            "shellcommand",
            "bashcommand",
            "shell",
            "bash",
            "argv",
            "powershell",
            "pwsh",
            "shellscript",
            "bashscript",
        ],
    ),
    (
        Role::Program,
        &[
            "program",
            "executable",
            "binary",
            "exe",
            "bin",
            "interpreter",
            "exec",
        ],
    ),
    (
        Role::Words,
        &[
            "args",
            "arguments",
            "params",
            "parameters",
            "flags",
            "options",
            "argumentlist",
        ],
    ),
    (
        Role::Typed,
        &[
            "script",
            "code",
            "input",
            "chars",
            "keys",
            "line",
            "lines",
            "stdin",
            "expression",
            "statement",
            "snippet",
            "cell",
            "cellsource",
            "sourcecode",
            "keystrokes",
        ],
    ),
    (Role::Language, &["language", "lang", "runtime", "kernel"]),
    (
        Role::Folder,
        &[
            "cwd",
            "workdir",
            "workingdir",
            "workingdirectory",
            "currentdirectory",
            "rundirectory",
            "chdir",
        ],
    ),
    (
        Role::Destination,
        &[
            "destination",
            "destinations",
            "destinationpath",
            "destinationfile",
            "dest",
            "destpath",
            "newpath",
            "newname",
            "newfilename",
            "newfilepath",
            "newfile",
            "newuri",
            "topath",
            "tofile",
            "to",
            "dst",
            "into",
        ],
    ),
    (
        Role::Source,
        &[
            "from",
            "frompath",
            "fromfile",
            "oldname",
            "oldpath",
            "oldfilepath",
            "olduri",
            "src",
            "srcpath",
        ],
    ),
    (
        Role::Name,
        &["name", "key", "entry", "item", "resource", "title", "id"],
    ),
    (
        Role::Content,
        &[
            "content",
            "contents",
            "filetext",
            "filecontent",
            "filecontents",
            "newcontent",
            "newcontents",
            "updatedcontent",
            "codeedit",
            "newsource",
            "newcode",
        ],
    ),
    (
        Role::Patch,
        &[
            "diff",
            "diffs",
            "patch",
            "patches",
            "patchtext",
            "unifieddiff",
            "hunks",
        ],
    ),
    (
        Role::FurtherContent,
        &[
            "text", "data", "body", "insert", "append", "prepend", "value", "bytes", "base64",
            "payload", "html", "markdown",
        ],
    ),
    (
        Role::Old,
        &[
            "oldstring",
            "oldstr",
            "oldtext",
            "oldcode",
            "old",
            "search",
            "searchtext",
            "find",
            "original",
            "before",
        ],
    ),
    (
        Role::New,
        &[
            "newstring",
            "newstr",
            "newtext",
            "new",
            "replace",
            "replacewith",
            "replacement",
            "replacementtext",
            "updated",
            "after",
        ],
    ),
    (
        Role::Choice,
        &[
            "action",
            "operation",
            "op",
            "mode",
            "type",
            "kind",
            "method",
            "verb",
            "subcommand",
            "function",
            "do",
        ],
    ),
    (
        Role::Said,
        &[
            "sql",
            "query",
            "queries",
            "cypher",
            "graphql",
            "mutation",
            "database",
            "db",
            "schema",
            "table",
            "collection",
            "message",
            "messages",
            "question",
            "questions",
            "topic",
            "subject",
            "keyword",
            "keywords",
            "host",
            "hostname",
            "user",
            "username",
        ],
    ),
    (
        Role::Aside,
        &[
            "description",
            "summary",
            "reason",
            "reasoning",
            "rationale",
            "justification",
            "purpose",
            "goal",
            "intent",
            "explanation",
            "instruction",
            "instructions",
            "comment",
            "comments",
            "note",
            "notes",
            "label",
            "labels",
            "tag",
            "tags",
            "thought",
            "thoughts",
            "timeout",
            "prompt",
        ],
    ),
];

/// The words by which one knows a path among the words of a name.
const PATH_WORDS: [&str; 10] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "uri",
    "uris",
];

/// Those by which one knows it as the last word.
const LAST_PATH_WORDS: [&str; 11] = [
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "notebook",
    "target",
    "targets",
    "document",
    "source",
];

/// The last words of names that only say something of a file or a command.
const QUALIFIERS: [&str; 24] = [
    "type",
    "types",
    "pattern",
    "patterns",
    "filter",
    "filters",
    "extension",
    "extensions",
    "encoding",
    "format",
    "mode",
    "size",
    "count",
    "limit",
    "offset",
    "id",
    "ids",
    "status",
    "timeout",
    "index",
    "description",
    "version",
    "hash",
    "result",
];

/// Returns what an argument is.
pub(super) fn role_of(name: &str) -> Role {
    let plain = plain(name);
    let known = ROLES
        .iter()
        .find(|(_, names)| names.contains(&plain.as_str()));
    if let Some((role, _)) = known {
        return *role;
    }
    let words = words_of(name);
    let Some(last) = words.last().map(String::as_str) else {
        return Role::Other;
    };
    let has = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    if QUALIFIERS.contains(&last) {
        return Role::Aside;
    }
    if has(&["content", "contents"]) {
        return Role::Content;
    }
    if has(&[
        "command",
        "commands",
        "cmd",
        "cmds",
        "cmdline",
        "commandline",
        "argv",
    ]) {
        return Role::Command;
    }
    if has(&["destination", "dest"]) {
        return Role::Destination;
    }
    let is_joined = words.len() == 1
        && !matches!(last, "profile" | "basedir")
        && PATH_WORDS
            .iter()
            .chain(&LAST_PATH_WORDS)
            .any(|it| last.ends_with(it));
    if has(&PATH_WORDS) || LAST_PATH_WORDS.contains(&last) || is_joined {
        return Role::Path;
    }
    if words.len() == 1 && last.ends_with("command") {
        return Role::Command;
    }
    if matches!(last, "code" | "script" | "snippet" | "keys") {
        return Role::Typed;
    }
    if matches!(last, "sql" | "query" | "queries" | "message" | "messages") {
        return Role::Said;
    }
    Role::Other
}

/// Returns a name as it is compared: small letters and digits alone.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|it| it.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
