//! The meaning of a tool's name.

use super::words::{Deed, are_beside_files, deeds_in, words_of};

/// Words in the names of tools that are shells, or write to one.
const SHELLS: [&str; 14] = [
    "bash",
    "sh",
    "zsh",
    "fish",
    "shell",
    "powershell",
    "pwsh",
    "terminal",
    "cmd",
    "tty",
    "pty",
    "ssh",
    "subprocess",
    "tmux",
];

/// Words of tools that run what they are given, unless they speak of something that no shell runs.
const RUNNERS: [&str; 9] = [
    "command", "commands", "exec", "execute", "stdin", "script", "repl", "eval", "spawn",
];

/// Words that mean this only with an operation, or as the whole name.
const RUNNING: [&str; 3] = ["process", "console", "run"];

/// Operations on a process or a console that runs its input.
const DONE_TO_RUNNING: [&str; 14] = [
    "run", "start", "launch", "spawn", "exec", "execute", "eval", "send", "write", "interact",
    "input", "feed", "submit", "paste",
];

/// Names of tools, with what they run.
const CODE: [&str; 8] = [
    "code",
    "script",
    "snippet",
    "program",
    "command",
    "commands",
    "cell",
    "interpreter",
];

/// Things that are run, asked or sent, but not by a shell.
const NO_CODE: [&str; 31] = [
    "sql",
    "query",
    "queries",
    "database",
    "db",
    "search",
    "message",
    "messages",
    "graphql",
    "cypher",
    "mutation",
    "table",
    "workflow",
    "workflows",
    "agent",
    "agents",
    "subagent",
    "assistant",
    "plan",
    "prompt",
    "payment",
    "trade",
    "order",
    "transaction",
    "refund",
    "email",
    "image",
    "images",
    "document",
    "test",
    "tests",
];

/// Words of tools that only look at code, or store it.
const LOOKING_AT_CODE: [&str; 27] = [
    "format",
    "lint",
    "highlight",
    "explain",
    "analyze",
    "analyse",
    "review",
    "render",
    "translate",
    "convert",
    "check",
    "validate",
    "parse",
    "tokenize",
    "search",
    "complete",
    "count",
    "save",
    "write",
    "create",
    "insert",
    "add",
    "store",
    "generate",
    "document",
    "overwrite",
    "edit",
];

/// Words of tools that only manage what a shell runs.
const LOOKING_AFTER: [&str; 20] = [
    "output", "kill", "status", "list", "log", "logs", "result", "results", "close", "stop",
    "wait", "poll", "history", "info", "help", "docs", "describe", "search", "resize", "rename",
];

/// Words of tools whose command names something of the agent's own.
const OWN_COMMANDS: [&str; 3] = ["skill", "slash", "prompt"];

/// Other words in the name of such a tool.
const BESIDE_OWN: [&str; 8] = [
    "skills", "command", "tool", "use", "invoke", "activate", "load", "run",
];

/// Words of tools that search, and change nothing.
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

/// Programs after which a tool may be named.
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

/// Other words in the name of a tool that is a program.
const BESIDE_PROGRAMS: [&str; 7] = ["command", "run", "exec", "execute", "cli", "tool", "call"];

/// Words in a name that have no meaning.
const FILLERS: [&str; 8] = ["mcp", "server", "tool", "tools", "use", "call", "in", "to"];

/// Commands of `git`, whose words aren't operations of the tool itself.
const GIT_COMMANDS: [&str; 33] = [
    "add",
    "am",
    "apply",
    "blame",
    "branch",
    "checkout",
    "cherry",
    "clean",
    "clone",
    "commit",
    "config",
    "diff",
    "fetch",
    "init",
    "log",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "revert",
    "rm",
    "show",
    "stash",
    "status",
    "submodule",
    "switch",
    "tag",
    "worktree",
];

/// Usual targets of `make`.
const MAKE_TARGETS: [&str; 9] = [
    "all", "build", "check", "clean", "deploy", "install", "lint", "release", "test",
];

/// The languages of shells.
const SHELL_LANGUAGES: [&str; 9] = [
    "bash",
    "sh",
    "zsh",
    "fish",
    "shell",
    "shellscript",
    "powershell",
    "pwsh",
    "cmd",
];

/// Words of tools that control a browser: they run JavaScript.
const BROWSERS: [&str; 6] = [
    "browser",
    "playwright",
    "puppeteer",
    "page",
    "chrome",
    "selenium",
];

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

/// The name of a tool, split into words.
pub(super) struct Tool {
    words: Vec<String>,
}

impl Tool {
    pub(super) fn from_name(name: &str) -> Self {
        Self {
            words: words_of(name),
        }
    }

    fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|it| names.contains(&it.as_str()))
    }

    /// Returns all operations on files that the name mentions.
    pub(super) fn deeds(&self) -> Vec<Deed> {
        deeds_in(&self.words)
    }

    /// Returns whether the name consists of certain words, besides those without meaning.
    fn is_only(&self, names: &[&[&str]]) -> bool {
        let is_known =
            |it: &&str| FILLERS.contains(it) || names.iter().any(|known| known.contains(it));
        self.words
            .iter()
            .map(String::as_str)
            .all(|it| is_known(&it))
    }

    /// Returns whether it is a shell or an interpreter, or writes to one.
    pub(super) fn is_shell(&self) -> bool {
        let runs = self.has(&RUNNERS) && !self.has(&NO_CODE);
        self.has(&SHELLS) || runs || self.does_to_running() || self.own_interpreter().is_some()
    }

    /// Returns whether it is a shell, and its name says nothing else.
    pub(super) fn is_only_shell(&self) -> bool {
        self.has(&SHELLS) && self.is_only(&[&SHELLS, &RUNNERS, &DONE_TO_RUNNING])
    }

    /// Returns whether it is a shell, and its name says nothing else, or that something is typed
    /// there.
    pub(super) fn is_typed_into(&self) -> bool {
        self.is_only_shell() || self.has(&SHELLS) && self.has(&DONE_TO_RUNNING)
    }

    /// Returns whether it is about something running that may run its input.
    pub(super) fn is_about_running(&self) -> bool {
        self.has(&["process", "processes", "console"]) && !self.has(&NO_CODE)
    }

    /// Returns whether it runs something, or does something to a running program, that runs its
    /// input.
    fn does_to_running(&self) -> bool {
        let is_whole = self.has(&RUNNING) && self.is_only(&[&RUNNING]);
        let runs_code = self.has(&["run"]) && self.has(&CODE) && !self.has(&NO_CODE);
        let is_done_to =
            self.has(&["process", "console"]) && self.has(&DONE_TO_RUNNING) && !self.has(&NO_CODE);
        is_whole || runs_code || is_done_to
    }

    /// Returns whether it runs a text that is called code or a script.
    pub(super) fn carries_out_code(&self, languages: &[String]) -> bool {
        let tells_language = is_language_of_shells(languages)
            || !languages.is_empty() && self.interpreter(languages).is_some();
        let runs = self.has(&DONE_TO_RUNNING[..7]) || self.has(&RUNNERS);
        let speaks_of_language = tells_language || interpreter(&self.words).is_some();
        self.is_shell() || runs || speaks_of_language && !self.has(&LOOKING_AT_CODE)
    }

    /// Returns whether it only manages what a shell runs.
    pub(super) fn looks_after_shells(&self) -> bool {
        self.has(&LOOKING_AFTER) && !self.has(&DONE_TO_RUNNING)
    }

    /// Returns whether its command names something of the agent's own.
    pub(super) fn has_own_commands(&self) -> bool {
        let is_known = |word: &String| {
            let mut known = OWN_COMMANDS.iter().chain(&BESIDE_OWN);
            known.any(|it| it == word)
        };
        self.has(&OWN_COMMANDS) && self.words.iter().all(is_known)
    }

    /// Returns whether it searches, and its name mentions no change.
    pub(super) fn only_searches(&self) -> bool {
        self.has(&SEARCHES) && self.deeds().iter().all(|it| *it == Deed::Read)
    }

    /// Returns whether it is about files.
    pub(super) fn is_about_files(&self) -> bool {
        let joined = |word: &String| FILES.iter().any(|it| it.len() > 3 && word.ends_with(it));
        self.has(&FILES) || self.words.iter().any(|it| it != "profile" && joined(it))
    }

    /// Returns whether it creates folders.
    pub(super) fn makes_folders(&self) -> bool {
        let folders = [
            "mkdir",
            "dir",
            "directory",
            "directories",
            "folder",
            "folders",
        ];
        self.has(&folders) && !self.has(&["file", "files"])
    }

    /// Returns whether it applies patches.
    pub(super) fn is_about_patches(&self) -> bool {
        self.words
            .iter()
            .any(|it| it.contains("patch") || it.contains("diff") || it == "apply")
    }

    /// Returns whether its argument `command` names its operation, as in the text editors that
    /// several providers of models define.
    pub(super) fn is_editor(&self) -> bool {
        self.has(&["editor"]) || self.has(&["edit"]) && self.has(&["tool"])
    }

    /// Returns whether what it sets, adds or removes is stored beside a file.
    pub(super) fn is_beside_files(&self) -> bool {
        are_beside_files(&self.words)
    }

    /// Returns the program after which it is named, and its operation if the name says that, too.
    /// The name of a server may precede it, which is often that of the program.
    pub(super) fn program(&self) -> Option<(&str, &[String])> {
        let says = |it: &String| !matches!(it.as_str(), "mcp" | "server");
        let first = self.words.iter().find(|it| says(it))?;
        let program = PROGRAMS.iter().find(|it| *it == first)?;
        let last = self.words.iter().rposition(|it| it == first)?;
        let rest = &self.words[last + 1..];
        let rest = &rest[rest.iter().position(says).unwrap_or(rest.len())..];
        let is_beside = |it: &String| BESIDE_PROGRAMS.contains(&it.as_str());
        if rest.iter().any(is_beside) {
            return Some((program, &[]));
        }
        // Other arguments of `make` aren't known targets.
        let is_target = |it: &String| MAKE_TARGETS.contains(&it.as_str());
        let is_made = *program != "make" || rest.iter().all(is_target);
        is_made.then_some((program, rest))
    }

    /// Returns whether its name is a command of `git`.
    pub(super) fn is_git_command(&self) -> bool {
        let is_command = |rest: &[String]| {
            let mut rest = rest.iter();
            rest.next()
                .is_some_and(|it| GIT_COMMANDS.contains(&it.as_str()))
        };
        self.program()
            .is_some_and(|(program, rest)| program == "git" && is_command(rest))
    }

    /// Returns the interpreter that the name, or the language argument, mentions.
    pub(super) fn interpreter(&self, languages: &[String]) -> Option<[&'static str; 2]> {
        let words = languages.iter().flat_map(|it| words_of(it));
        interpreter(&words.collect::<Vec<_>>()).or_else(|| {
            let in_browser = self.has(&BROWSERS) && languages.is_empty();
            let script = in_browser.then_some(["node", "-e"]);
            script
                .or_else(|| interpreter(&self.words).filter(|_| !is_language_of_shells(languages)))
        })
    }

    /// Returns the interpreter that it is: the only one that the name mentions, or what is run.
    fn own_interpreter(&self) -> Option<[&'static str; 2]> {
        let found = interpreter(&self.words)?;
        let is_language = |it: &String| interpreter(std::slice::from_ref(it)).is_some();
        let says = |it: &&String| !FILLERS.contains(&it.as_str());
        let is_whole = self.words.iter().filter(says).all(is_language);
        let runs = self.has(&CODE) || self.has(&RUNNERS) || self.has(&DONE_TO_RUNNING);
        let looks = self.has(&LOOKING_AT_CODE) && !self.has(&DONE_TO_RUNNING);
        (is_whole || runs && !looks && !self.has(&NO_CODE)).then_some(found)
    }
}

/// Returns whether a language argument names that of a shell.
pub(super) fn is_language_of_shells(languages: &[String]) -> bool {
    let mut words = languages.iter().flat_map(|it| words_of(it));
    words.any(|it| SHELL_LANGUAGES.contains(&it.as_str()))
}

fn interpreter(words: &[String]) -> Option<[&'static str; 2]> {
    let mut all = INTERPRETERS.iter();
    let is_named = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    all.find(|(names, _)| is_named(names))
        .map(|(_, call)| *call)
}
