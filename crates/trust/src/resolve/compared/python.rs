//! Python texts that reach no file.

use super::lexer::{Token, tokens};

/// The modules that a text may import, with what it may use of them.
const MODULES: [(&str, &[&str]); 7] = [
    (
        "json",
        &["load", "loads", "dump", "dumps", "JSONDecodeError"],
    ),
    ("sys", &["stdin", "stdout", "stderr", "exit", "argv"]),
    (
        "re",
        &[
            "search",
            "match",
            "fullmatch",
            "findall",
            "finditer",
            "sub",
            "split",
            "compile",
            "escape",
            "I",
            "IGNORECASE",
            "M",
            "MULTILINE",
            "S",
            "DOTALL",
            "X",
            "VERBOSE",
        ],
    ),
    ("os", &["path", "environ", "getcwd", "getenv"]),
    ("shlex", &["split", "quote", "join"]),
    ("fnmatch", &["fnmatch", "fnmatchcase", "filter"]),
    ("datetime", &["datetime", "date", "timedelta", "timezone"]),
];

/// What may be used of `os.path`: it takes paths apart. Whether a file is there, and where a link
/// leads, would be an answer from the disk.
const PATH_FUNCTIONS: [&str; 13] = [
    "abspath",
    "basename",
    "commonpath",
    "commonprefix",
    "dirname",
    "expanduser",
    "isabs",
    "join",
    "normpath",
    "relpath",
    "sep",
    "split",
    "splitext",
];

/// Names by which a text reaches files, other modules or what it hasn't written itself.
const REACHING: [&str; 30] = [
    "async",
    "breakpoint",
    "class",
    "classmethod",
    "compile",
    "delattr",
    "dir",
    "eval",
    "exec",
    "getattr",
    "global",
    "globals",
    "hasattr",
    "help",
    "input",
    "license",
    "locals",
    "memoryview",
    "nonlocal",
    "object",
    "open",
    "property",
    "quit",
    "setattr",
    "staticmethod",
    "super",
    "type",
    "vars",
    "with",
    "yield",
];

/// How names begin by which running code, or what a class keeps to itself, is reached.
const HIDDEN: [&str; 6] = ["_", "f_", "tb_", "gi_", "cr_", "ag_"];

/// Returns whether a text reaches no file but standard input.
pub(super) fn reaches_no_file(text: &str) -> bool {
    let Some(tokens) = tokens(text) else {
        return false;
    };
    let is_end = |it: &Token| it.is('\n') || it.is(';');
    let mut statements = tokens.split(is_end);
    statements.all(|statement| match imported(statement) {
        Some(is_known) => is_known,
        None => statement_reaches_none(statement),
    })
}

/// Returns whether a statement imports only what is known; `None` if it imports nothing.
fn imported(statement: &[Token]) -> Option<bool> {
    let listed = |tokens: &[Token]| -> Option<Vec<String>> {
        let parts = tokens.split(|it| it.is(','));
        parts
            .map(|part| match part {
                [Token::Name(name)] => Some(name.clone()),
                _ => None,
            })
            .collect()
    };
    let words: Vec<&str> = statement.iter().filter_map(Token::name).collect();
    match *words.first()? {
        "import" => {
            let named = listed(&statement[1..]);
            let is_known = |it: &String| MODULES.iter().any(|(module, _)| module == it);
            Some(named.is_some_and(|it| it.iter().all(is_known)))
        }
        "from" => {
            let [_, Token::Name(module), import, rest @ ..] = statement else {
                return Some(false);
            };
            let parts = parts_of(module).filter(|_| import.name() == Some("import"));
            let named = listed(rest);
            Some(parts.zip(named).is_some_and(|(parts, named)| {
                named
                    .iter()
                    .all(|it| it != "path" && parts.contains(&it.as_str()))
            }))
        }
        _ => None,
    }
}

fn parts_of(module: &str) -> Option<&'static [&'static str]> {
    let mut modules = MODULES.iter();
    modules
        .find(|(it, _)| *it == module)
        .map(|(_, parts)| *parts)
}

fn statement_reaches_none(statement: &[Token]) -> bool {
    let part = |at: usize| {
        let is_part = statement.get(at).is_some_and(|it| it.is('.'));
        statement.get(at + 1).filter(|_| is_part)?.name()
    };
    statement.iter().enumerate().all(|(at, token)| {
        let Some(name) = token.name() else {
            return true;
        };
        if HIDDEN.iter().any(|it| name.starts_with(it)) {
            return false;
        }
        if at > 0 && statement[at - 1].is('.') {
            return true;
        }
        if let Some(parts) = parts_of(name) {
            return match part(at + 1) {
                Some("path") => part(at + 3).is_some_and(|it| PATH_FUNCTIONS.contains(&it)),
                Some(used) => parts.contains(&used),
                None => false,
            };
        }
        !REACHING.contains(&name) && !matches!(name, "import" | "from")
    })
}
