//! Words in the names of tools and of their arguments, by which one knows what they are.

/// What a tool does to the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    Write,
    Delete,
    Move,
    Copy,
}

/// The words in names of tools, and in arguments that choose what a tool does, by which one knows.
const DEEDS: [(Deed, &[&str]); 5] = [
    (
        Deed::Delete,
        &[
            "delete", "deletes", "del", "remove", "removes", "rm", "rmdir", "trash", "unlink",
            "erase", "destroy", "purge", "wipe", "discard",
        ],
    ),
    (Deed::Move, &["move", "rename", "mv", "relocate"]),
    (Deed::Copy, &["copy", "cp", "duplicate", "clone"]),
    (
        Deed::Write,
        &[
            "write",
            "writes",
            "edit",
            "edits",
            "create",
            "insert",
            "append",
            "prepend",
            "replace",
            "patch",
            "modify",
            "change",
            "update",
            "save",
            "store",
            "overwrite",
            "rewrite",
            "put",
            "str",
            "apply",
            "multiedit",
            "undo",
            "notebookedit",
            "add",
            "set",
            "touch",
            "truncate",
            "dump",
            "download",
            "revert",
            "restore",
            "refactor",
            "substitute",
        ],
    ),
    (
        Deed::Read,
        &[
            "read", "view", "open", "cat", "show", "get", "load", "fetch", "head", "tail",
        ],
    ),
];

/// What may be joined to such a word without a sign between: `deletefile`, `fswrite`.
const JOINED: [&str; 15] = [
    "a",
    "the",
    "file",
    "files",
    "fs",
    "dir",
    "directory",
    "folder",
    "path",
    "text",
    "line",
    "lines",
    "notebook",
    "document",
    "content",
];

/// Returns what a word says that is done.
pub(super) fn deed_of(word: &str) -> Option<Deed> {
    let is_joined = |known: &str| {
        known.len() > 2
            && (word.strip_prefix(known))
                .or_else(|| word.strip_suffix(known))
                .is_some_and(|rest| JOINED.contains(&rest))
    };
    let says = |names: &[&str], is_it: &dyn Fn(&str) -> bool| names.iter().any(|it| is_it(it));
    let mut all = DEEDS.iter();
    let found = all.find(|(_, names)| says(names, &|it| it == word));
    let found = found.or_else(|| DEEDS.iter().find(|(_, names)| says(names, &is_joined)));
    found.map(|(deed, _)| *deed)
}

/// Returns all that a text says that is done, if it is one word, as those are that choose.
pub(super) fn deeds_chosen(text: &str) -> Vec<Deed> {
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
    if text.chars().all(is_word) {
        deeds_in(&words_of(text))
    } else {
        Vec::new()
    }
}

/// Returns all that words say that is done.
pub(super) fn deeds_in(words: &[String]) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = Vec::new();
    for deed in words.iter().filter_map(|it| deed_of(it)) {
        if !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    deeds
}

/// Takes a name apart: `StrReplace`, `text_editor`, `FSWrite`, `fs.write-file`.
pub(super) fn words_of(name: &str) -> Vec<String> {
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

/// Returns a name as it is compared: small letters and digits alone.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|it| it.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What an argument is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A command, or the words of one.
    Command,
    /// A program, whose arguments stand beside it.
    Program,
    /// The arguments of a program.
    Words,
    /// What is typed into a shell, or carried out by an interpreter.
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
    /// What no tool carries out or writes: an explanation, an id.
    Aside,
    /// Anything else.
    Other,
}

/// The names of arguments, as they are compared, by what they are.
const ROLES: [(Role, &[&str]); 16] = [
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
        Role::Aside,
        &[
            "description",
            "summary",
            "reason",
            "explanation",
            "instruction",
            "instructions",
            "comment",
            "thought",
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

/// Tells what an argument is.
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
    Role::Other
}
