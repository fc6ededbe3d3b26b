//! Words in the names of tools and arguments that reveal their purpose.

/// What a tool does to the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    Write,
    Delete,
    Move,
    Copy,
}

/// The words that identify this, in names of tools, and in arguments that choose what a tool does.
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

/// What may be joined to such a word without a separator: `deletefile`, `fswrite`.
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

/// What a debugger stops at.
const STOPS: [&str; 5] = [
    "breakpoint",
    "breakpoints",
    "logpoint",
    "logpoints",
    "watchpoint",
];

/// What a review or an editor's window stores about a file, and what isn't part of its text.
const BESIDE_FILES: [&str; 8] = [
    "bookmark",
    "bookmarks",
    "comment",
    "comments",
    "review",
    "reviews",
    "reviewer",
    "reaction",
];

/// Words for the content of files, and for putting it there.
const IN_FILES: [&str; 15] = [
    "file",
    "files",
    "text",
    "content",
    "contents",
    "code",
    "save",
    "write",
    "store",
    "export",
    "dump",
    "append",
    "overwrite",
    "patch",
    "apply",
];

/// Returns whether words refer to something that is stored beside a file, and not to its text:
/// setting a breakpoint writes nothing.
pub(super) fn are_beside_files(words: &[String]) -> bool {
    let has = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    has(&STOPS) || has(&BESIDE_FILES) && !has(&IN_FILES)
}

/// Returns whether a text is a mode in which a file is opened for changing: `w`, `wb`, `a+`, `wx`,
/// `O_WRONLY|O_CREAT`.
pub(super) fn opens_to_write(text: &str) -> bool {
    let flags = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"];
    if flags.iter().any(|it| text.contains(it)) {
        return true;
    }
    let (reads, rest) = match text.strip_prefix("rw") {
        Some(rest) => (false, rest),
        None => (text.starts_with('r'), text.get(1..).unwrap_or_default()),
    };
    let is_further = |it: char| matches!(it, 'b' | 't' | 'x' | 's' | '+');
    text.starts_with(['r', 'w', 'a', 'x'])
        && rest.len() <= 3
        && rest.chars().all(is_further)
        && (!reads || rest.contains('+'))
}

/// Returns whether an argument is the mode in which something is opened.
pub(super) fn is_open_mode(name: &str) -> bool {
    let words = words_of(name);
    let last = words.last().map(String::as_str);
    matches!(last, Some("mode" | "modes" | "flag" | "flags" | "access"))
}

/// Returns the operation that a word means.
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

/// Returns all operations that words mean.
pub(super) fn deeds_in(words: &[String]) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = Vec::new();
    for deed in words.iter().filter_map(|it| deed_of(it)) {
        if !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    deeds
}

/// Splits a name: `StrReplace`, `text_editor`, `FSWrite`, `fs.write-file`.
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
