//! What a call of a tool that isn't the shell does: tools of servers say it in their names and
//! arguments.

use hookloop_shell::Command;
use regex::Regex;
use serde_json::Value;

use super::places::PlaceKind;
use super::table::table;
use super::{Effect, Places};

/// Words in the names of tools that take something away for good.
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
];

/// Words of what may be taken away: it is the session's own, or is written again in a moment.
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
const LOOKS: &[&str] = &[
    "list", "get", "search", "describe", "read", "status", "diff", "plan", "preview", "show",
    "find", "view", "explain", "validate", "check",
];

/// Arguments of tools that hold a query.
const QUERIES: &[&str] = &["sql", "query", "statement", "queries", "statements"];

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

/// Tells whether a tool is one of a server, whose names aren't ours.
pub(crate) fn is_foreign(tool: &str) -> bool {
    tool.starts_with("mcp_") || tool.contains("__")
}

/// Tells whether a tool only looks at the names of files, and at what is known of them.
pub(crate) fn looks_at_names_of(tool: &str) -> bool {
    let words = words_of(tool);
    let has = |name: &str| words.iter().any(|it| it == name);
    tool == "list_directory"
        || is_foreign(tool)
            && (has("directory") && has("list") || has("info") && has("file") || has("stat"))
}

/// Finds what a call of a tool does by its name and arguments. The error says why nobody can tell.
pub(crate) fn of_call(
    tool: &str,
    input: &Value,
    places: &Places,
) -> Result<Vec<Effect>, &'static str> {
    let mut call = Call {
        tool,
        input,
        words: words_of(tool),
        places,
        effects: Vec::new(),
    };
    if ["write_file", "replace"].contains(&tool) {
        call.emptied();
        call.scripted()?;
    }
    if is_foreign(tool) && !call.is_dry() {
        call.queried()?;
        call.versioned();
        call.told();
        if !call.has(LOOKS) {
            call.destroyed();
            call.handed_out();
        }
    }
    Ok(call.effects)
}

struct Call<'c> {
    tool: &'c str,
    input: &'c Value,
    words: Vec<String>,
    places: &'c Places,
    effects: Vec<Effect>,
}

impl Call<'_> {
    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|it| words.contains(&it.as_str()))
    }

    fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter()
            .find_map(|key| self.input.get(*key).and_then(Value::as_str))
    }

    fn is_set(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| {
            self.input
                .get(*key)
                .is_some_and(|it| *it == Value::Bool(true))
        })
    }

    fn is_dry(&self) -> bool {
        self.is_set(&["dry_run", "dryRun", "dryrun", "preview"])
    }

    fn note(&mut self, name: &str, about: &str) {
        self.effects.push(Effect {
            name: name.to_owned(),
            line: format!("{} {about}", self.tool).trim_end().to_owned(),
            about: about.to_owned(),
        });
    }

    /// A file that is written with nothing in it.
    fn emptied(&mut self) {
        let path = self.text(&["file_path", "path"]).unwrap_or("").to_owned();
        let content = self.text(&["content", "new_string"]).map(str::to_owned);
        let moves_checks = |it: &str| it.to_lowercase().contains("hookspath");
        if path.ends_with(".gitconfig") && content.as_deref().is_some_and(moves_checks) {
            self.note("git.no-verify", &path);
        }
        if content
            .as_deref()
            .is_some_and(|it| super::branches::checks_nothing(&path, it))
        {
            self.note("git.no-verify", &path);
        }
        if self.text(&["content"]) == Some("") && self.places.is_worth_keeping(&path) {
            self.note("overwrite.project", &path);
        }
    }

    /// A script that is written, and destroys a whole system or opens it to others.
    fn scripted(&mut self) -> Result<(), &'static str> {
        let path = self.text(&["file_path", "path"]).unwrap_or("");
        let Some(content) = self.text(&["content", "new_string"]) else {
            return Ok(());
        };
        let ending = path.rsplit('.').next().unwrap_or("");
        let first = content.lines().next().unwrap_or("");
        let is_shell = ["sh", "bash", "zsh", "ksh", "command"].contains(&ending)
            || first.starts_with("#!") && first.ends_with("sh");
        let harms = ["rm ", "dd ", "mkfs", "/dev/", "shred", "nc ", ":|:"];
        if !is_shell || !harms.iter().any(|it| content.contains(it)) {
            return Ok(());
        }
        let absolute = |it: &&str| it.starts_with('/');
        let around = hookloop_shell::Surroundings {
            folder: Some(self.places.workspace.as_str()).filter(absolute),
            home: Some(self.places.home.as_str()).filter(absolute),
            ..hookloop_shell::Surroundings::default()
        };
        let understood = hookloop_shell::understand(content, around);
        let of_home = |it: &str| it.trim_end_matches("/*") == self.places.home;
        let done = super::effects_of(&understood, self.places)?;
        let found = done.into_iter().find(|it| match it.name.as_str() {
            "delete.root" | "disk" | "disk.write" | "remote.shell" | "process.bomb" => true,
            "delete.outside" => of_home(&it.about),
            _ => false,
        });
        if let Some(effect) = found {
            self.note("tool.delete", &effect.line);
        }
        Ok(())
    }

    /// What a database is asked by a tool.
    fn queried(&mut self) -> Result<(), &'static str> {
        if self.has(&["search", "docs", "fetch", "web", "ask"]) {
            return Ok(());
        }
        let mut texts = Vec::new();
        for key in QUERIES {
            match self.input.get(*key) {
                Some(Value::String(text)) => texts.push(text.clone()),
                Some(Value::Array(items)) => {
                    texts.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
        let codes = table()?.codes().filter(|it| it.effect == "database");
        let codes: Vec<_> = codes.collect();
        let harms = |text: &String| {
            let bare = super::without_literals(text);
            codes.iter().any(|it| it.fits(&bare))
        };
        if let Some(text) = texts.iter().find(|it| harms(it)) {
            let about: String = text.chars().take(200).collect();
            self.note("database", &about);
        }
        Ok(())
    }

    /// What a tool does to branches and history.
    fn versioned(&mut self) {
        if self.has(&["push"]) && self.is_set(&["force", "forceWithLease", "force_with_lease"]) {
            self.note("git.force-push", "");
        }
        if self.is_set(&["no_verify", "noVerify", "skip_hooks", "skipHooks"]) {
            self.note("git.no-verify", "");
        }
        if self.has(&["reset"]) && self.text(&["mode"]) == Some("hard") {
            self.note("git.discard", "");
        }
        let changes = [
            "push", "commit", "update", "delete", "write", "merge", "revert",
        ];
        if self.has(LOOKS) || !self.has(&changes) {
            return;
        }
        if self.has(&["branch", "ref"]) && self.has(DESTROYS)
            || self.is_set(&["force"]) && self.has(&["ref", "branch"])
        {
            let about = self
                .text(&["branch", "ref", "name"])
                .unwrap_or("")
                .to_owned();
            self.note("git.force-push", &about);
        }
        if self.has(&["protection", "ruleset"]) {
            self.note("branch.rewrite", "all branches");
        }
        let only_tells = [
            "create", "open", "update", "add", "review", "comment", "close",
        ];
        if !self.has(&only_tells)
            && self.has(&["merge", "accept"])
            && self.has(&["pull", "pr", "request", "requests", "mr"])
        {
            self.note("branch.detour", "");
        }
        let named = self.text(&["branch", "branch_name", "branchName", "ref"]);
        if let Some(branch) = named.map(|it| it.trim_start_matches("refs/heads/").to_owned()) {
            if self.places.is_protected_branch(&branch) {
                self.note("branch.push", &branch);
            }
        } else if self.has(&["git"])
            && self.has(&["commit", "push", "merge", "revert"])
            && let Some(branch) = self.places.branch.clone()
            && self.places.is_protected_branch(&branch)
        {
            self.note("branch.commit", &branch);
        }
    }

    /// What a tool tells of a store of secrets.
    fn told(&mut self) {
        let stores = [
            "secret",
            "secrets",
            "credential",
            "credentials",
            "password",
            "passwords",
        ];
        let tells = [
            "get", "read", "show", "fetch", "access", "reveal", "retrieve", "export",
        ];
        let kind = self.text(&["resourceType", "resource_type", "resource", "kind", "type"]);
        let is_kept = kind.is_some_and(|it| stores.contains(&it.to_lowercase().as_str()));
        if (self.has(&stores) || is_kept) && self.has(&tells) {
            self.note("secret.read", "");
        }
    }

    /// What a tool takes away for good.
    fn destroyed(&mut self) {
        let moves = self.has(&["move", "rename", "mv"]);
        if moves && self.text(&["destination", "target", "to", "new_path"]) == Some("/dev/null") {
            return self.note("delete.project", "/dev/null");
        }
        let recursive = self.is_set(&["recursive", "force"]) || self.has(&["directory", "folder"]);
        if !self.has(DESTROYS) || self.has(SLIGHT) {
            return;
        }
        let is_local = self.input.get("owner").is_none() && self.input.get("repo").is_none();
        let path = self.text(&["path", "file_path", "directory", "dir_path", "filePath"]);
        let Some(path) = path.filter(|_| is_local).map(str::to_owned) else {
            return self.note("tool.delete", "");
        };
        let absolute = hookloop_shell::join_path(
            &self.places.workspace,
            &path.replacen('~', &self.places.home, usize::from(path.starts_with("~/"))),
        );
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

    /// What a tool gives to others or changes where others use it.
    fn handed_out(&mut self) {
        if self.has(&["publish", "deploy"]) {
            self.note("publish", "");
        }
        let provisions = ["terraform", "pulumi", "tofu", "cloudformation"];
        if self.has(&provisions) && self.has(&["apply", "up", "deploy", "import"]) {
            self.note("cloud", "");
        }
        if self.has(&["drain", "cordon"])
            || self.has(&["scale"]) && self.input.get("replicas").is_some_and(|it| *it == 0)
        {
            self.note("container", "");
        }
        if self.has(&["shutdown", "reboot"]) {
            self.note("process", "");
        }
    }
}

/// Returns the files that a call names where no argument is called a path: by an address, or by
/// an argument of a server's own name.
pub(crate) fn named_by(tool: &str, input: &Value) -> Vec<String> {
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
        "old_string",
        "new_string",
        "command",
        "cmd",
        "q",
    ];
    let mut named = Vec::new();
    let Value::Object(entries) = input else {
        return named;
    };
    for (key, value) in entries {
        if let Value::Array(items) = value
            && is_foreign(tool)
            && !TEXTS.contains(&key.as_str())
        {
            let items = items.iter().filter_map(Value::as_str);
            named.extend(
                items
                    .filter(|it| !it.contains([' ', '\n']))
                    .map(str::to_owned),
            );
        }
        let Value::String(text) = value else {
            continue;
        };
        let addresses = text
            .split_whitespace()
            .filter_map(|it| it.strip_prefix("file://"))
            .filter(|_| tool.starts_with("web_") || is_foreign(tool));
        named.extend(addresses.map(str::to_owned));
        // `HEAD:.env` names a file of a revision.
        let last = match text.split_once("://") {
            Some(_) => text.as_str(),
            None => text.rsplit(':').next().unwrap_or(""),
        };
        let is_one = !last.contains([' ', '\n', ':']) && last.len() < 300;
        if is_foreign(tool) && is_one && !TEXTS.contains(&key.as_str()) {
            named.push(last.to_owned());
        }
    }
    named
}

/// Returns the shell text that a tool of a server is to run, if it is one that does.
pub(crate) fn shell_text(tool: &str, input: &Value) -> Option<String> {
    const KEYS: &[&str] = &[
        "command",
        "cmd",
        "script",
        "commandLine",
        "command_line",
        "shell_command",
        "shellCommand",
        "bash",
    ];
    const RUNS: &[&str] = &[
        "shell", "exec", "execute", "run", "terminal", "command", "bash", "process", "ssh", "cmd",
        "start", "sh", "zsh", "console",
    ];
    let words = words_of(tool);
    if let Some(text) = code_text(tool, &words, input) {
        return Some(text);
    }
    if !is_foreign(tool) || !words.iter().any(|it| RUNS.contains(&it.as_str())) {
        return None;
    }
    let given = KEYS.iter().find_map(|key| input.get(*key))?;
    let arguments = input.get("args").or_else(|| input.get("arguments"));
    let listed = |items: &Value| -> Vec<String> {
        let items = items.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    match (given, arguments) {
        (Value::String(text), Some(more @ Value::Array(_))) => {
            let more = listed(more);
            Some(format!(
                "{text} {}",
                hookloop_shell::join(more.iter().map(String::as_str))
            ))
        }
        (Value::String(text), _) => Some(text.clone()),
        (list @ Value::Array(_), _) => {
            let words = listed(list);
            Some(hookloop_shell::join(words.iter().map(String::as_str)))
        }
        _ => None,
    }
}

/// Returns the shell text that does what a tool of a notebook is to run; a line behind `!` is one already.
fn code_text(tool: &str, words: &[String], input: &Value) -> Option<String> {
    let notebooks = [
        "jupyter",
        "ide",
        "notebook",
        "python",
        "ipython",
        "colab",
        "interpreter",
        "repl",
        "sandbox",
        "e2b",
    ];
    let has = |names: &[&str]| words.iter().any(|it| names.contains(&it.as_str()));
    let runs = has(&["execute", "run", "insert", "append", "eval", "cell", "code"]);
    if !is_foreign(tool) || !runs || !has(&notebooks) {
        return None;
    }
    let keys = ["code", "source", "cell", "cell_source", "content", "script"];
    let code = keys.iter().find_map(|key| input.get(*key)?.as_str())?;
    let shell: Vec<&str> = code
        .lines()
        .filter_map(|it| it.trim().strip_prefix(['!', '%']))
        .collect();
    if shell.is_empty() {
        // A cell shows its last line.
        let shown = code.trim_end().rsplit('\n').next().unwrap_or("");
        let whole = format!("{code}\nprint({shown})");
        return Some(hookloop_shell::join(["python3", "-c", &whole]));
    }
    Some(shell.join("\n"))
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
            r"(?i)\bopen\b|\bf?open\(|(read|load|values|file|path|copy|copyfile|slurp|contents|exec|execsync|system|write|rename|unlink|remove|popen|run|call|check_output|spawn|include|glob|config|move|stat|lines|text|sync|parse|overload)\s*\(|find-file|insert-file|\bfs\b|(io|file|path|deno|bun)\.[a-z]|<|`|require\b.*\.env|\bcat |source |\bsystem\b|\bexec\b|\bread\b.*\.env\b.*\||\bcopy\b|readfile|slurp|file->string|in_channel|get-string|file-to-string|readtext|contentsof|readalltext|readlines|fileinput|load_file|posix file|load\s+data|read_(text|csv|blob|json)",
        )
        .ok()
    });
    // Without the expression everything counts.
    READS.as_ref().is_none_or(|it| it.is_match(code))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{shell_text, words_of};

    /// HT-40: the words of a tool's name are found in any spelling.
    #[test]
    fn names_of_tools_are_split_into_words() {
        assert_eq!(
            words_of("mcp__x__deleteFile"),
            ["mcp", "x", "delete", "file"]
        );
        assert_eq!(words_of("mcp_git_push-now"), ["mcp", "git", "push", "now"]);
    }

    /// HT-40: a tool of a server that runs shell text is one, with its arguments as a list too.
    #[test]
    fn shell_text_of_servers_is_found() {
        let call = json!({"command": "rm", "args": ["-rf", "a b"]});
        assert_eq!(
            shell_text("mcp__os__run", &call).as_deref(),
            Some("rm -rf 'a b'")
        );
        assert_eq!(shell_text("mcp__os__note", &call), None);
        assert_eq!(shell_text("read_file", &call), None);
    }
}
