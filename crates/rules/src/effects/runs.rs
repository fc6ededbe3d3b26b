//! The shell text that a tool call would run, whatever the tool and its arguments are called.

use serde_json::Value;

use super::arguments::{ACTIONS, flat, is_foreign, plain, words_of};

/// Words in the names of tools that run something.
const RUNS: &[&str] = &[
    "shell",
    "exec",
    "execute",
    "executor",
    "run",
    "runner",
    "terminal",
    "command",
    "commands",
    "bash",
    "process",
    "ssh",
    "cmd",
    "start",
    "sh",
    "zsh",
    "console",
    "spawn",
    "subprocess",
    "pty",
    "tty",
    "tmux",
    "screen",
    "cli",
    "powershell",
    "pwsh",
];

/// Words in the names of tools whose plain text goes to a shell.
const TYPES: &[&str] = &[
    "shell", "terminal", "bash", "sh", "zsh", "console", "ssh", "cmd", "command", "commands",
    "pty", "tty", "tmux", "screen", "interact", "exec", "execute", "process", "term", "iterm",
];

/// Words in the names of tools that only describe a command.
const REPORTING_WORDS: &[&str] = &[
    "explain", "search", "describe", "validate", "check", "lint", "parse", "suggest", "docs",
    "help", "history", "format",
];

/// Arguments that are a command, whatever the tool is called, in lower case and without `_` and
/// `-`.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commandline",
    "cmdline",
    "shellcommand",
    "clicommand",
    "bashcommand",
    "terminalcommand",
    "commandstring",
    "bash",
    "commands",
    "cmds",
    "shell",
];

/// Arguments that are a command in a tool that runs something.
const PROGRAMS: &[&str] = &[
    "script",
    "program",
    "executable",
    "binary",
    "argv",
    "exec",
    "run",
    "line",
    "lines",
    "cmdargs",
];

/// Arguments that are a command in a tool whose plain text goes to a shell.
const TYPED: &[&str] = &["input", "text", "keys", "data", "stdin", "payload", "code"];

/// Arguments that follow a program.
const ARGUMENTS: &[&str] = &[
    "args",
    "arguments",
    "argv",
    "parameters",
    "params",
    "flags",
    "options",
];

/// Programs that tools are named after, and what starts them.
const NAMED_AFTER: &[(&str, &str)] = &[
    ("git", "git"),
    ("kubectl", "kubectl"),
    ("docker", "docker"),
    ("podman", "podman"),
    ("helm", "helm"),
    ("terraform", "terraform"),
    ("tofu", "tofu"),
    ("pulumi", "pulumi"),
    ("aws", "aws"),
    ("gcloud", "gcloud"),
    ("gsutil", "gsutil"),
    ("az", "az"),
    ("azure", "az"),
    ("gcp", "gcloud"),
    ("k8s", "kubectl"),
    ("kubernetes", "kubectl"),
    ("gh", "gh"),
    ("glab", "glab"),
    ("jj", "jj"),
    ("npm", "npm"),
    ("pnpm", "pnpm"),
    ("yarn", "yarn"),
    ("cargo", "cargo"),
    ("pip", "pip"),
    ("brew", "brew"),
    ("apt", "apt"),
    ("systemctl", "systemctl"),
    ("redis", "redis-cli"),
    ("valkey", "redis-cli"),
    ("heroku", "heroku"),
    ("rclone", "rclone"),
    ("vault", "vault"),
    ("adb", "adb"),
    ("find", "find"),
    ("rsync", "rsync"),
    ("rm", "rm"),
];

/// Words in the names of tools that run program text, in whatever language.
const NOTEBOOKS: &[&str] = &[
    "jupyter",
    "ide",
    "notebook",
    "ipython",
    "colab",
    "interpreter",
    "repl",
    "sandbox",
    "e2b",
    "code",
    "snippet",
    "debugger",
    "debug",
];

/// Languages, and what runs a text in one.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("python", "python3", "-c"),
    ("python3", "python3", "-c"),
    ("py", "python3", "-c"),
    ("node", "node", "-e"),
    ("nodejs", "node", "-e"),
    ("js", "node", "-e"),
    ("javascript", "node", "-e"),
    ("typescript", "node", "-e"),
    ("ts", "node", "-e"),
    ("deno", "deno", "eval"),
    ("bun", "bun", "-e"),
    ("ruby", "ruby", "-e"),
    ("perl", "perl", "-e"),
    ("php", "php", "-r"),
    ("powershell", "pwsh", "-c"),
    ("pwsh", "pwsh", "-c"),
    ("lua", "lua", "-e"),
    ("mongo", "mongosh", "--eval"),
    ("mongodb", "mongosh", "--eval"),
    ("mongosh", "mongosh", "--eval"),
    ("r", "Rscript", "-e"),
    ("rscript", "Rscript", "-e"),
    ("rails", "ruby", "-e"),
    ("irb", "ruby", "-e"),
    ("osascript", "osascript", "-e"),
    ("applescript", "osascript", "-e"),
    ("shellscript", "bash", "-c"),
    ("bash", "bash", "-c"),
    ("shell", "bash", "-c"),
    ("sh", "bash", "-c"),
];

/// Words in the names of tools that run the text that they are given, or store it to run it later.
const RUNS_CODE: &[&str] = &[
    "execute",
    "run",
    "insert",
    "append",
    "eval",
    "evaluate",
    "exec",
    "cell",
    "code",
    "interpreter",
    "repl",
    "snippet",
    "command",
    "query",
    "edit",
    "powershell",
    "pwsh",
    "bash",
    "shell",
];

/// Arguments that are program text.
const CODE: &[&str] = &[
    "code",
    "source",
    "cell",
    "cellsource",
    "content",
    "script",
    "snippet",
    "program",
    "expression",
    "newsource",
    "javascript",
    "python",
    "input",
    "eval",
    "js",
    "py",
    "ts",
];

/// Returns the shell text that a tool of a server would run, if it runs any.
pub(crate) fn shell_text(tool: &str, input: &Value) -> Option<String> {
    if !is_foreign(tool) {
        return None;
    }
    let given = CallArguments {
        words: words_of(tool),
        entries: flat(input),
    };
    let mut lines = Vec::new();
    lines.extend(given.code());
    if lines.is_empty() {
        lines.extend(given.commands());
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the command that a tool stands for, if it is named after a program and has options of
/// its own.
pub(super) fn structured(tool: &str, input: &Value) -> Option<String> {
    let given = CallArguments {
        words: words_of(tool),
        entries: flat(input),
    };
    given.structured()
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-_:".contains(it))
}

struct CallArguments<'c> {
    words: Vec<String>,
    entries: Vec<(String, &'c Value)>,
}

impl<'c> CallArguments<'c> {
    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|it| words.contains(&it.as_str()))
    }

    fn arguments_named<'k>(&'k self, keys: &'k [&str]) -> impl Iterator<Item = &'c Value> + 'k {
        let named = self.entries.iter();
        let named = named.filter(|(key, _)| keys.contains(&key.as_str()));
        named.map(|(_, value)| *value)
    }

    /// The commands of these arguments: a text, the words of one, or several of them.
    fn texts<'k>(&'k self, keys: &'k [&str]) -> impl Iterator<Item = String> + 'k {
        let named = self.entries.iter();
        let named = named.filter(|(key, _)| keys.contains(&key.as_str()));
        named.flat_map(|(key, value)| {
            let several = if key.ends_with('s') {
                Several::Named
            } else {
                Several::Unknown
            };
            texts_of(value, several)
        })
    }

    /// The commands that the arguments are.
    fn commands(&self) -> Vec<String> {
        let runs = self.has(RUNS);
        if self.has(REPORTING_WORDS) && !runs {
            return Vec::new();
        }
        let mut lines: Vec<String> = self.texts(COMMANDS).collect();
        if runs {
            lines.extend(self.texts(PROGRAMS));
        }
        if self.has(TYPES) || self.has(&["send"]) && self.has(&["keys"]) {
            lines.extend(self.texts(TYPED));
        }
        let arguments = self.arguments_named(ARGUMENTS).find_map(arguments_of);
        // Without a program, the first word of a list is one.
        let is_named = |word: &String| NAMED_AFTER.iter().any(|(name, _)| name == word);
        if lines.is_empty() && runs && !self.words.iter().any(is_named) {
            let mut lists = self.arguments_named(ARGUMENTS).filter(|it| it.is_array());
            lines.extend(lists.find_map(arguments_of));
            return lines;
        }
        if let (Some(arguments), Some(first)) = (&arguments, lines.first_mut())
            && self.arguments_named(&["argv"]).next().is_none()
        {
            first.push(' ');
            first.push_str(arguments);
        }
        lines.extend(self.program_command(lines.first().map(String::as_str), arguments.as_deref()));
        lines
    }

    /// The command of a tool that is named after its program: `mcp_git_push` with `["--force"]`.
    fn program_command(&self, line: Option<&str>, arguments: Option<&str>) -> Option<String> {
        let found = |word: &String| NAMED_AFTER.iter().find(|(name, _)| name == word);
        let at = self.words.iter().rposition(|it| found(it).is_some())?;
        let (_, program) = found(&self.words[at])?;
        // A command that such a tool runs inside something else counts by itself.
        let enters = !["git", "gh", "glab", "jj"].contains(program);
        if self.has(&["shell", "bash", "terminal", "ssh"]) || enters && self.has(&["exec"]) {
            return None;
        }
        let behind = line.or(arguments)?;
        if behind.split_whitespace().next() == Some(program) {
            return None;
        }
        let skipped = [
            "run", "execute", "exec", "command", "cli", "call", "mcp", "invoke", "raw", "args",
            "with",
        ];
        let words = self.words[at + 1..].iter();
        let words: Vec<&str> = words
            .map(String::as_str)
            .filter(|it| !skipped.contains(it))
            .collect();
        let action = self.arguments_named(&["subcommand", "operation", "action"]);
        let action = action.filter_map(Value::as_str).filter(|it| is_word(it));
        let behind_words = if line.is_some() {
            String::new()
        } else {
            let words: Vec<&str> = words.into_iter().chain(action).collect();
            words.join(" ")
        };
        Some(format!("{program} {behind_words} {behind}"))
    }

    /// The command that a tool with options of its own stands for: `mcp_git_clean` with
    /// `{"force": true}`.
    fn structured(&self) -> Option<String> {
        let named = |word: &String| NAMED_AFTER.iter().find(|(name, _)| name == word);
        let at = self.words.iter().rposition(|it| named(it).is_some())?;
        let (_, program) = named(&self.words[at])?;
        let mut words = vec![(*program).to_owned()];
        words.extend(self.words[at + 1..].iter().cloned());
        for (key, value) in &self.entries {
            let is_true = **value == Value::Bool(true) || value.as_str() == Some("true");
            if is_true {
                words.push(format!("--{key}"));
            } else if let Some(text) = value.as_str().filter(|it| is_word(it))
                && ACTIONS.contains(&key.as_str())
            {
                words.insert(words.len().min(2), text.to_owned());
            }
        }
        (words.len() > 1).then(|| words.join(" "))
    }

    /// The shell text that does what program text in another language does; a notebook's line after
    /// `!` is one already.
    fn code(&self) -> Option<String> {
        // A page in a browser has no files.
        let browsers = [
            "browser",
            "playwright",
            "puppeteer",
            "page",
            "chrome",
            "devtools",
        ];
        let known = self.language();
        // A tool whose name is just a language runs code in it.
        let is_language = known.is_some() && self.words.len() == 1;
        let code = self.arguments_named(CODE).find_map(Value::as_str);
        // A single word with a list of arguments is a program.
        let is_program = code.is_some_and(|it| !it.contains(char::is_whitespace))
            && self.arguments_named(ARGUMENTS).any(Value::is_array);
        if is_program {
            return None;
        }
        let is_page = self.has(&browsers) && !code.is_some_and(|it| it.contains("require("));
        if !self.has(RUNS_CODE) && !is_language || is_page {
            return None;
        }
        let known = known.or_else(|| {
            self.has(&browsers)
                .then(|| LANGUAGES.iter().find(|it| it.0 == "node"))?
        });
        if known.is_none() && !self.has(NOTEBOOKS) {
            return None;
        }
        let is_powershell = known.is_some_and(|(_, program, _)| *program == "pwsh");
        let command = ["command", "cmd"];
        let code = code.or_else(|| {
            let mut commands = self.arguments_named(&command).filter(|_| is_powershell);
            commands.find_map(Value::as_str)
        })?;
        let shell: Vec<&str> = code
            .lines()
            .filter_map(|it| it.trim().strip_prefix(['!', '%']))
            .collect();
        if !shell.is_empty() {
            return Some(shell.join("\n"));
        }
        let run =
            |program: &str, option: &str, text: &str| hookloop_shell::join([program, option, text]);
        // A cell shows its last line.
        let shown = code
            .trim_end()
            .rsplit(['\n', ';'])
            .next()
            .unwrap_or("")
            .trim();
        // An assigned value isn't shown.
        let is_given = shown.split_once('=').is_some_and(|(name, rest)| {
            !rest.starts_with('=') && !name.contains(['(', '"', '\'', '!', '<', '>'])
        });
        let whole = if is_given {
            code.to_owned()
        } else {
            format!("{code}\nprint({shown})")
        };
        let evaluates = self.has(&["repl", "console", "debugger", "debug", "evaluate", "eval"]);
        let option = if evaluates { "-p" } else { "-e" };
        match known {
            Some(("python" | "python3" | "py", ..)) => Some(run("python3", "-c", &whole)),
            Some((_, "node", _)) if evaluates => Some(run("node", "-p", code)),
            Some((_, program, option)) => Some(run(program, option, code)),
            // The language isn't known.
            None => {
                let other = run("node", option, code);
                Some(format!("{}\n{other}", run("python3", "-c", &whole)))
            }
        }
    }

    /// The language that an argument or the name of the tool indicates.
    fn language(&self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        let keys = [
            "language",
            "languageid",
            "lang",
            "runtime",
            "interpreter",
            "kernel",
        ];
        let language = self
            .arguments_named(&keys)
            .find_map(Value::as_str)
            .map(plain);
        LANGUAGES.iter().find(|(name, ..)| match &language {
            Some(language) => language == name,
            None => self.has(&[name]),
        })
    }
}

/// Returns the commands of an argument: a text, the words of one, or, if its name is a plural,
/// several of them.
fn texts_of(value: &Value, several: Several) -> Vec<String> {
    let Value::Array(items) = value else {
        let text = value.as_str().filter(|it| !it.trim().is_empty());
        return text.map(str::to_owned).into_iter().collect();
    };
    let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    let has_blanks = |it: &&str| it.contains(' ');
    let are_lines = match several {
        Several::Named => words.iter().any(has_blanks),
        Several::Unknown => words.iter().all(has_blanks),
    };
    let mut lines = Vec::new();
    if are_lines || words.len() == 1 {
        lines.extend(words.into_iter().map(str::to_owned));
    } else if !words.is_empty() {
        lines.push(hookloop_shell::join(words));
    }
    for (key, value) in items.iter().filter(|it| it.is_object()).flat_map(flat) {
        let text = value.as_str().filter(|_| COMMANDS.contains(&key.as_str()));
        lines.extend(text.map(str::to_owned));
    }
    lines
}

/// Returns whether an argument's name is a plural.
#[derive(Debug, Clone, Copy)]
enum Several {
    Named,
    Unknown,
}

/// Returns the text of what follows a program.
fn arguments_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Array(items) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (!words.is_empty()).then(|| hookloop_shell::join(words))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::shell_text;

    fn text(tool: &str, input: &Value) -> String {
        shell_text(tool, input).unwrap_or_default()
    }

    /// HT-40: a tool that runs shell text is recognised, whatever it and its arguments are called.
    #[test]
    fn shell_text_of_servers_is_found() {
        let call = json!({"command": "rm", "args": ["-rf", "a b"]});
        assert_eq!(text("mcp__os__run", &call), "rm -rf 'a b'");
        assert_eq!(text("read_file", &call), "");
        for (tool, call) in [
            ("execute", json!({"input": "rm -rf x"})),
            ("run_in_terminal", json!({"Command_Line": "rm -rf x"})),
            (
                "mcp_a_start_process",
                json!({"program": "rm", "arguments": ["-rf", "x"]}),
            ),
            (
                "mcp_a_invoke",
                json!({"params": {"cmd": ["rm", "-rf", "x"]}}),
            ),
            (
                "mcp_a_batch",
                json!({"commands": [{"command": "rm -rf x"}]}),
            ),
            ("mcp_a_shell", json!({"argv": ["rm", "-rf", "x"]})),
            ("mcp_a_shell", json!({"args": ["rm", "-rf", "x"]})),
            (
                "mcp_shell_exec",
                json!({"program": "rm", "args": ["-rf", "x"]}),
            ),
        ] {
            assert_eq!(text(tool, &call).trim(), "rm -rf x", "{tool}");
        }
    }

    /// HT-40: a tool that is named after a program runs it.
    #[test]
    fn a_tool_may_be_named_after_its_program() {
        let line = text("mcp_git_push", &json!({"args": ["--force"]}));
        assert_eq!(line, "git push --force");
        let line = text("mcp_k8s_kubectl", &json!({"command": "delete ns x"}));
        assert!(line.contains("kubectl  delete ns x"), "{line}");
    }

    /// HT-40: a command that a tool explains isn't run.
    #[test]
    fn what_is_explained_is_not_run() {
        let call = json!({"command": "rm -rf /"});
        assert_eq!(text("mcp_man_explain", &call), "");
        assert_eq!(text("mcp_chat_post", &json!({"text": "rm -rf /"})), "");
    }
}
