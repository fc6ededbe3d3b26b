//! What the name of a tool says.

use super::words::{Deed, deeds_in, words_of};

/// Words in the names of tools that are shells or interpreters, or write to one.
const SHELLS: [&str; 24] = [
    "bash",
    "sh",
    "zsh",
    "fish",
    "shell",
    "powershell",
    "pwsh",
    "terminal",
    "console",
    "command",
    "commands",
    "cmd",
    "exec",
    "execute",
    "process",
    "stdin",
    "script",
    "repl",
    "eval",
    "spawn",
    "tty",
    "pty",
    "ssh",
    "subprocess",
];

/// Words of tools that only look after what a shell runs.
const LOOKING_AFTER: [&str; 14] = [
    "output", "kill", "status", "list", "log", "logs", "result", "results", "close", "stop",
    "wait", "poll", "history", "info",
];

/// Words of tools whose command names something of the agent's own.
const OWN_COMMANDS: [&str; 3] = ["skill", "slash", "prompt"];

/// What else may stand in the name of such a tool.
const BESIDE_OWN: [&str; 8] = [
    "skills", "command", "tool", "use", "invoke", "activate", "load", "run",
];

/// Words of tools that look for something, and change nothing.
const SEARCHES: [&str; 5] = ["search", "grep", "find", "list", "glob"];

/// Words of tools that are about files.
const FILES: [&str; 9] = [
    "file",
    "files",
    "fs",
    "filesystem",
    "dir",
    "directory",
    "folder",
    "path",
    "notebook",
];

/// Programs that a tool may be named by.
const PROGRAMS: [&str; 22] = [
    "git",
    "gh",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "cargo",
    "pip",
    "make",
    "aws",
    "gcloud",
    "az",
    "psql",
    "mysql",
    "sqlite3",
    "curl",
];

/// What the name of a tool that is a program may say besides.
const BESIDE_PROGRAMS: [&str; 7] = ["command", "run", "exec", "execute", "cli", "tool", "call"];

/// Interpreters by the words for their languages, and how each is given code.
const INTERPRETERS: [(&[&str], [&str; 2]); 4] = [
    (
        &["python", "python3", "py", "ipython", "jupyter"],
        ["python3", "-c"],
    ),
    (
        &[
            "node",
            "nodejs",
            "javascript",
            "js",
            "typescript",
            "ts",
            "deno",
        ],
        ["node", "-e"],
    ),
    (&["ruby", "rb"], ["ruby", "-e"]),
    (&["perl"], ["perl", "-e"]),
];

/// The name of a tool, taken apart.
pub(super) struct Tool {
    words: Vec<String>,
}

impl Tool {
    pub(super) fn named(name: &str) -> Self {
        Self {
            words: words_of(name),
        }
    }

    fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|it| names.contains(&it.as_str()))
    }

    /// Returns all that the name says that is done to files.
    pub(super) fn deeds(&self) -> Vec<Deed> {
        deeds_in(&self.words)
    }

    /// Tells whether it is a shell or an interpreter, or writes to one.
    pub(super) fn is_shell(&self) -> bool {
        self.has(&SHELLS) || interpreter(&self.words).is_some()
    }

    /// Tells whether it only looks after what a shell runs.
    pub(super) fn looks_after_shells(&self) -> bool {
        self.has(&LOOKING_AFTER)
    }

    /// Tells whether its command names something of the agent's own.
    pub(super) fn has_own_commands(&self) -> bool {
        let is_known = |word: &String| {
            let mut known = OWN_COMMANDS.iter().chain(&BESIDE_OWN);
            known.any(|it| it == word)
        };
        self.has(&OWN_COMMANDS) && self.words.iter().all(is_known)
    }

    /// Tells whether it looks for something, and its name speaks of no change.
    pub(super) fn only_searches(&self) -> bool {
        self.has(&SEARCHES) && self.deeds().iter().all(|it| *it == Deed::Read)
    }

    /// Tells whether it is about files.
    pub(super) fn is_about_files(&self) -> bool {
        let joined = |word: &String| FILES.iter().any(|it| it.len() > 3 && word.ends_with(it));
        self.has(&FILES) || self.words.iter().any(|it| it != "profile" && joined(it))
    }

    /// Tells whether it applies patches.
    pub(super) fn is_about_patches(&self) -> bool {
        self.words
            .iter()
            .any(|it| it.contains("patch") || it.contains("diff") || it == "apply")
    }

    /// Tells whether its argument `command` is a word for what it does, as of the editors of text that
    /// several makers of models describe.
    pub(super) fn is_editor(&self) -> bool {
        self.has(&["editor"]) || self.has(&["edit"]) && self.has(&["tool"])
    }

    /// Returns the program that it is named by, and what it does with it if the name says that, too.
    pub(super) fn program(&self) -> Option<(&str, &[String])> {
        let (first, rest) = self.words.split_first()?;
        let program = PROGRAMS.iter().find(|it| *it == first)?;
        let is_beside = |it: &String| BESIDE_PROGRAMS.contains(&it.as_str());
        Some((
            program,
            if rest.iter().any(is_beside) {
                &[]
            } else {
                rest
            },
        ))
    }

    /// Returns the interpreter that the name, or what says the language, speaks of.
    pub(super) fn interpreter(&self, languages: &[String]) -> Option<[&'static str; 2]> {
        let told = languages.iter().flat_map(|it| words_of(it));
        interpreter(&told.collect::<Vec<_>>()).or_else(|| interpreter(&self.words))
    }
}

fn interpreter(words: &[String]) -> Option<[&'static str; 2]> {
    let mut all = INTERPRETERS.iter();
    let is_named = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    all.find(|(names, _)| is_named(names))
        .map(|(_, call)| *call)
}
