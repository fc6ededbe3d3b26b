//! What a tool other than the shell does: MCP tools say it in their names and arguments.

mod handed;
mod loaded;
mod searched;
mod versioned;

use hookloop_shell::Command;
use regex::Regex;
use serde_json::Value;

use super::arguments::{ACTIONS, collect, flat, is_foreign, words_of};
use super::hosts::is_here;
use super::places::PlaceKind;
use super::table::codes;
use super::{Effect, Places};

/// Words in the names of tools that permanently delete something.
const DESTROYS: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "terminate",
    "truncate",
    "wipe",
    "erase",
    "uninstall",
    "flush",
    "prune",
    "rm",
    "rmdir",
    "unlink",
    "flushall",
    "flushdb",
    "trash",
];

/// Words for what may be deleted: it is the session's own, or is soon written again.
const SLIGHT: &[&str] = &[
    "todo",
    "todos",
    "task",
    "tasks",
    "comment",
    "label",
    "labels",
    "reaction",
    "draft",
    "filter",
    "breakpoint",
    "breakpoints",
    "cart",
    "watch",
    "highlight",
    "bookmarks",
    "filters",
    "drafts",
    "comments",
    "reactions",
    "entities",
    "memory",
    "observations",
    "relations",
    "cell",
    "cache",
    "note",
    "reminder",
    "watcher",
    "assignee",
    "reviewer",
    "subscription",
    "bookmark",
    "tab",
    "whitespace",
    "background",
    "duplicates",
];

/// Words in the names of tools that only look.
const READ_ONLY_WORDS: &[&str] = &[
    "list", "get", "search", "describe", "read", "status", "diff", "plan", "preview", "show",
    "find", "view", "explain", "validate", "check",
];

/// Words in the names of tools that are about a database.
const DATABASES: &[&str] = &[
    "sql",
    "postgres",
    "postgresql",
    "pg",
    "mysql",
    "mariadb",
    "sqlite",
    "mssql",
    "oracle",
    "db",
    "database",
    "snowflake",
    "bigquery",
    "clickhouse",
    "duckdb",
    "supabase",
    "neon",
    "redis",
    "mongo",
    "mongodb",
    "elasticsearch",
    "cassandra",
];

/// Words for what is lost as a whole when it is reset.
const WHOLE: &[&str] = &[
    "schema",
    "bucket",
    "cluster",
    "trash",
    "project",
    "queue",
    "directory",
    "folder",
    "table",
    "collection",
    "index",
];

/// Beginnings of words with the same meaning: `deletemany`.
const BEGINNINGS: &[&str] = &[
    "delete",
    "destroy",
    "purge",
    "truncate",
    "terminate",
    "uninstall",
];

/// Arguments that name a file or a folder, as `flat` names them.
pub(super) const FILES: &[&str] = &[
    "filepath",
    "path",
    "file",
    "filename",
    "absolutepath",
    "targetfile",
];
const FOLDERS: &[&str] = &["directory", "dirpath", "dir", "folder"];

/// Finds what a call of a tool does by its name and arguments.
pub(crate) fn call_effects(tool: &str, input: &Value, places: &Places) -> Vec<Effect> {
    let entries = flat(input);
    // A request's address also shows what it does.
    let words = words_of(tool);
    let requests = ["http", "fetch", "request", "curl", "rest", "api"];
    let requests = words.iter().any(|it| requests.contains(&it.as_str()));
    let action = entries
        .iter()
        .filter(|(key, _)| ACTIONS.contains(&key.as_str()))
        .filter(|(key, _)| !(requests && ["method", "verb"].contains(&key.as_str())));
    let action: Vec<String> = action
        .filter_map(|(_, value)| value.as_str())
        .filter(|it| it.len() < 40)
        .flat_map(words_of)
        .collect();
    let mut call = Call {
        tool,
        entries,
        words,
        places,
        effects: Vec::new(),
    };
    let writes = ["write", "save", "overwrite", "put", "replace"];
    let is_ours = ["write_file", "replace", "Write", "Edit"].contains(&tool);
    if is_ours || is_foreign(tool) && call.has(&writes) {
        call.check_emptied();
        call.check_script();
        call.check_installation();
    }
    call.searched();
    call.searched_code();
    if is_foreign(tool) && !call.is_dry() {
        // A tool's arguments take precedence over its name: `manage_pod` with `delete`.
        let looks = if action.is_empty() {
            call.has(READ_ONLY_WORDS)
        } else {
            action
                .iter()
                .any(|it| READ_ONLY_WORDS.contains(&it.as_str()))
        };
        call.words.extend(action);
        call.versioned();
        call.check_query();
        call.check_secret_store();
        call.check_patch();
        if !looks {
            call.check_destruction();
            call.handed_out();
            call.check_exposure();
            call.check_command(input);
        }
    }
    let mut effects = call.effects;
    // Several actions in one call count as separate calls.
    if is_foreign(tool) {
        let several = flat(input)
            .into_iter()
            .filter_map(|(_, value)| value.as_array());
        let acts = |it: &&Value| {
            let mut keys = it.as_object().into_iter().flat_map(|it| it.keys());
            keys.any(|key| ACTIONS.contains(&key.as_str()))
        };
        for one in several.flatten().filter(acts) {
            effects.extend(call_effects(tool, one, places));
        }
    }
    effects
}

pub(super) struct Call<'c> {
    tool: &'c str,
    entries: Vec<(String, &'c Value)>,
    words: Vec<String>,
    pub(super) places: &'c Places,
    effects: Vec<Effect>,
}

impl Call<'_> {
    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|it| words.contains(&it.as_str()))
    }

    /// Returns the first of these arguments that is there, by their names in `flat`.
    fn first_argument(&self, keys: &[&str]) -> Option<&Value> {
        let named = |key: &&str| self.entries.iter().find(|(it, _)| it == key);
        keys.iter().find_map(named).map(|(_, value)| *value)
    }

    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        let named = |key: &&str| {
            let mut same = self.entries.iter().filter(|(it, _)| it == key);
            same.find_map(|(_, value)| value.as_str())
        };
        keys.iter().find_map(named)
    }

    fn is_set(&self, keys: &[&str]) -> bool {
        self.entries.iter().any(|(key, value)| {
            let is_true = **value == Value::Bool(true) || value.as_str() == Some("true");
            is_true && keys.contains(&key.as_str())
        })
    }

    fn is_dry(&self) -> bool {
        self.is_set(&["dryrun", "preview", "simulate", "whatif"])
    }

    pub(super) fn note(&mut self, name: &str, about: &str) {
        self.effects.push(Effect {
            name: name.to_owned(),
            line: format!("{} {about}", self.tool).trim_end().to_owned(),
            about: about.to_owned(),
        });
    }

    /// What a database is asked by a tool.
    fn check_query(&mut self) {
        if self.has(&["search", "docs", "fetch", "web", "ask"]) {
            return;
        }
        let is_database = self.has(DATABASES);
        let asked = self.entries.iter().filter(|(key, _)| {
            let asks = ["sql", "query", "queries", "statement"];
            let runs = [
                "command", "cmd", "commands", "script", "code", "args", "pipeline",
            ];
            asks.iter().any(|it| key.contains(it)) || is_database && runs.contains(&key.as_str())
        });
        let mut texts: Vec<String> = Vec::new();
        for (_, value) in asked {
            let mut found = Vec::new();
            collect(value, &mut found);
            texts.extend(found.into_iter().map(str::to_owned));
        }
        let codes = codes().filter(|it| it.effect == "database");
        let codes: Vec<_> = codes.collect();
        let harms = |text: &String| {
            let bare = super::without_literals(text);
            codes.iter().any(|it| it.matches(&bare))
        };
        let loaded: Vec<(String, String)> = texts.iter().flat_map(|it| loaded::files(it)).collect();
        for (name, path) in loaded {
            self.note(&name, &path);
        }
        if let Some(text) = texts.iter().find(|it| harms(it)) {
            let about: String = text.chars().take(200).collect();
            self.note("database", &about);
        } else if self.changes_all() {
            self.note("database", "");
        }
        self.manifested();
    }

    /// What a tool shows of a store of secrets.
    fn check_secret_store(&mut self) {
        let stores = [
            "secret",
            "secrets",
            "credential",
            "credentials",
            "password",
            "passwords",
        ];
        let tells = [
            "get", "read", "show", "fetch", "access", "reveal", "retrieve", "export", "download",
            "pull",
        ];
        let kind = self.text(&["resourcetype", "resource", "kind", "type"]);
        let is_kept = kind.is_some_and(|it| stores.contains(&it.to_lowercase().as_str()));
        let keeps = [
            "vault",
            "1password",
            "onepassword",
            "bitwarden",
            "lastpass",
            "keychain",
            "keepass",
        ];
        if (self.has(&stores) || self.has(&keeps) || is_kept) && self.has(&tells) {
            self.note("secret.read", "");
        }
        if self.has(&["ssm", "parameter"]) && self.is_set(&["withdecryption", "decrypt"]) {
            self.note("secret.read", "");
        }
        let variables = self.has(&["env", "environment"])
            && self.has(&[
                "list", "get", "show", "dump", "print", "read", "export", "all", "pull", "download",
            ]);
        let inspects = self.has(&["inspect"])
            && self.has(&["docker", "podman", "nerdctl", "container", "containers"])
            && !self.has(&["image", "images", "network", "volume"]);
        if inspects {
            self.note("environment", "");
        }
        let of_what = [
            "conda",
            "python",
            "venv",
            "branch",
            "deployment",
            "deployments",
            "details",
        ];
        if variables
            && self.words.len() < 6
            && !self.has(&of_what)
            && self.first_argument(&["name", "key"]).is_none()
        {
            self.note("environment", "");
        }
    }

    /// What a tool permanently deletes.
    fn check_destruction(&mut self) {
        let moves = self.has(&["move", "rename", "mv"]);
        let target = self.text(&["destination", "target", "to", "newpath", "dst", "dest"]);
        let target = target.map(str::to_owned);
        if moves && target.as_deref() == Some("/dev/null") {
            return self.note("delete.project", "/dev/null");
        }
        let source = self.text(&["source", "src", "from", "oldpath", "sourcepath"]);
        if let Some(path) = source.filter(|_| moves) {
            let absolute = self.absolute(path);
            if matches!(
                self.places.kind(&absolute, false),
                PlaceKind::Root
                    | PlaceKind::System
                    | PlaceKind::Home
                    | PlaceKind::Whole
                    | PlaceKind::Repository
            ) || self.places.kind(&absolute, false) == PlaceKind::Outside
                && target.is_some_and(|it| it.starts_with("/tmp/") || it.starts_with("/dev/"))
            {
                self.note("delete.outside", &absolute);
            }
            if super::branches::is_check_file(&absolute) {
                self.note("git.no-verify", &absolute);
            }
        }
        let recursive = self.is_set(&["recursive", "force"]) || self.has(&["directory", "folder"]);
        let destroys = |word: &String| {
            DESTROYS.contains(&word.as_str())
                || BEGINNINGS.iter().any(|it| word.starts_with(it)) && !word.ends_with("ed")
        };
        let resets = self.has(&["reset", "clear", "empty", "nuke", "reinit"])
            && (self.has(DATABASES) || self.has(WHOLE) || self.has(&["prisma", "migrate"]));
        if !(self.words.iter().any(destroys) || resets) || self.has(SLIGHT) {
            return;
        }
        let of_store = [
            "firestore",
            "document",
            "record",
            "secret",
            "object",
            "vault",
            "storage",
            "blob",
            "kv",
        ];
        let is_local = self.first_argument(&["owner", "repo"]).is_none() && !self.has(&of_store);
        let path = self.text(FILES).or_else(|| self.text(FOLDERS));
        let Some(path) = path.filter(|_| is_local).map(str::to_owned) else {
            return self.note("tool.delete", "");
        };
        let absolute = self.absolute(&path);
        if super::branches::is_check_file(&absolute) {
            self.note("git.no-verify", &absolute);
        }
        let name = match self.places.kind(&absolute, path.contains('*')) {
            PlaceKind::Root => "delete.root",
            PlaceKind::Outside | PlaceKind::System | PlaceKind::Home => "delete.outside",
            PlaceKind::Repository => "delete.repository",
            PlaceKind::Whole => "delete.project",
            PlaceKind::Inside if recursive || path.contains('*') => "delete.project",
            PlaceKind::Inside | PlaceKind::Temporary | PlaceKind::Disposable => return,
        };
        self.note(name, &absolute);
    }

    fn absolute(&self, path: &str) -> String {
        let starts = usize::from(path == "~" || path.starts_with("~/"));
        let path = path.trim_start_matches("file://");
        let path = path.replacen('~', &self.places.home, starts);
        hookloop_shell::join_path(&self.places.workspace, &path)
    }

    /// What a tool opens to others or ends.
    fn check_exposure(&mut self) {
        let changes = self.has(&["chmod", "chown", "permissions", "acl"]);
        let mode = self.text(&["mode", "permissions", "perms"]).unwrap_or("");
        let mode = mode.trim_start_matches("0o").trim_start_matches('0');
        let is_open = mode.len() == 3 && mode.ends_with(['6', '7']) || mode.contains("+w");
        if changes && (is_open || self.is_set(&["recursive"])) {
            self.note("permissions.open", "");
        }
        let number = self
            .first_argument(&["pid", "processid"])
            .and_then(Value::as_i64);
        let is_named = self.text(&["name", "processname", "pattern"]).is_some();
        if self.has(&["kill"])
            && self.has(&["process", "processes"])
            && (is_named || number.is_some_and(|it| it < 2))
        {
            self.note("process", "");
        }
    }

    /// What the command that a tool stands for does.
    fn check_command(&mut self, input: &Value) {
        let Some(line) = super::runs::structured(self.tool, input) else {
            return;
        };
        let understood = hookloop_shell::understand(&line, self.around());
        let done = super::effects_of(&understood, self.places);
        // Effects on branches are determined from its arguments.
        let done = done
            .into_iter()
            .filter(|it| !it.name.starts_with("branch."));
        self.effects.extend(done);
    }

    pub(super) fn around(&self) -> hookloop_shell::Surroundings<'_> {
        let absolute = |it: &&str| it.starts_with('/');
        hookloop_shell::Surroundings {
            folder: Some(self.places.workspace.as_str()).filter(absolute),
            home: Some(self.places.home.as_str()).filter(absolute),
            ..hookloop_shell::Surroundings::default()
        }
    }

    /// What a tool gives to others or changes where others use it.
    fn handed_out(&mut self) {
        if self.has(&["publish", "deploy"]) {
            self.note("publish", "");
        }
        self.check_ended();
        let provisions = ["terraform", "pulumi", "tofu", "cloudformation"];
        if self.has(&provisions) && self.has(&["apply", "up", "deploy", "import"]) {
            self.note("cloud", "");
        }
        if self.has(&["drain", "cordon"])
            || self.has(&["scale"])
                && self
                    .first_argument(&["replicas"])
                    .is_some_and(|it| *it == 0)
        {
            self.note("container", "");
        }
        let stops =
            self.has(&["kill", "stop"]) && self.has(&["service", "server", "vm", "instance"]);
        if self.has(&["shutdown", "reboot", "poweroff"]) || stops {
            self.note("process", "");
        }
        let deletes = self
            .text(&["method", "httpmethod", "verb"])
            .is_some_and(|it| it.eq_ignore_ascii_case("DELETE"));
        let address = self
            .text(&["url", "uri", "endpoint", "address"])
            .unwrap_or("");
        if deletes && !is_here(address) {
            self.note("cloud", "");
        }
    }
}

/// Finds start files and the like that program text in another language writes.
pub(super) fn written_by_code(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    const WRITES: &[&str] = &[
        "write",
        "append",
        "'a'",
        "\"a\"",
        "'w'",
        "\"w\"",
        "'a+'",
        "copy",
        "put_contents",
        ">>",
        "\">",
        "'>",
        "symlink",
        "rename",
    ];
    let quotes_data = [
        "git", "grep", "rg", "echo", "printf", "gh", "sed", "awk", "jq",
    ]
    .contains(&command.program.as_str());
    let Some(code) = command.code.as_deref().filter(|_| !quotes_data) else {
        return;
    };
    if !WRITES.iter().any(|it| code.contains(it)) {
        return;
    }
    for word in code.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>".contains(it)) {
        let path = match word.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", places.home),
            None => word.to_owned(),
        };
        if path.starts_with('/') && places.is_start_file(&path) {
            super::note(effects, "persist", command, &path);
        }
    }
}

/// Program text that reads a file, whatever the language.
pub(super) fn reads_files(code: &str) -> bool {
    static READS: std::sync::LazyLock<Option<Regex>> = std::sync::LazyLock::new(|| {
        Regex::new(
            r"(?i)\bopen\b|\bf?open\(|(read|load|values|file|path|copy|copyfile|slurp|contents|exec|execsync|system|write|rename|unlink|remove|popen|run|call|check_output|spawn|include|glob|config|move|stat|lines|text|sync|parse|overload|netrc|make_archive|cp|zip)\s*\(|find-file|insert-file|\bfs\b|(io|file|path|deno|bun)\.[a-z]|<|`|require\b.*\.env|\bcat |source |\bsystem\b|\bexec\b|\bread\b.*\.env\b.*\||\bcopy\b|readfile|slurp|file->string|in_channel|get-string|file-to-string|readtext|contentsof|readalltext|readlines|fileinput|load_file|posix file|\b(?:gc|get-content|type|cat)\s+\(|\bfor\s+/f\s|\((?:gc|get-content|type|cat)\s|load\s+data|read_(text|csv|blob|json)",
        )
        .ok()
    });
    // Without the expression everything counts.
    READS.as_ref().is_none_or(|it| it.is_match(code))
}

#[cfg(test)]
mod tests;
