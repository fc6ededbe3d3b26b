//! What programs that no table lists delete, judging by the verb of their subcommand; and what
//! mines for a pool.

use hookloop_shell::Command;

use super::{Effect, cmdlets, note};

/// Verbs that permanently remove something, whatever the program is called.
const DESTROYS: &[&str] = &[
    "delete",
    "destroy",
    "purge",
    "terminate",
    "wipe",
    "erase",
    "nuke",
    "obliterate",
    "decommission",
    "drop",
    "deprovision",
    "teardown",
    "forget",
    "poweroff",
];

/// Options that suppress a question: what they remove would otherwise have needed a confirmation.
const FORCES: &[&str] = &[
    "--force",
    "-f",
    "--yes",
    "-y",
    "--confirm",
    "--all",
    "--no-prompt",
    "--auto-approve",
    "-F",
];

/// Words that do so only together with such an option.
const REMOVES: &[&str] = &[
    "remove",
    "rm",
    "reset",
    "down",
    "uninstall",
    "stop",
    "rollback",
    "disable",
];

/// Verbs that give something to everybody.
const PUBLISHES: &[&str] = &["publish", "unpublish", "yank"];

/// Programs that publish messages rather than packages.
const MESSENGERS: &[&str] = &[
    "rabbitmqadmin",
    "ros2",
    "rostopic",
    "nats",
    "mqtt",
    "mqttx",
    "wrangler",
    "dapr",
    "centrifugo",
];

/// Programs whose words mean something else, that work on files of a project, or that the table
/// covers.
const OTHERS: &[&str] = &[
    "git",
    "hg",
    "jj",
    "svn",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "deno",
    "node",
    "cargo",
    "go",
    "make",
    "gmake",
    "just",
    "task",
    "rake",
    "rails",
    "bundle",
    "python",
    "python3",
    "ruby",
    "perl",
    "php",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "k",
    "aws",
    "gcloud",
    "az",
    "terraform",
    "tofu",
    "helm",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "echo",
    "printf",
    "cat",
    "ls",
    "man",
    "help",
    "tldr",
    "which",
    "whereis",
    "type",
    "apropos",
    "whatis",
    "info",
    "cp",
    "mv",
    "mkdir",
    "touch",
    "rm",
    "ln",
    "find",
    "sed",
    "awk",
    "gawk",
    "jq",
    "yq",
    "test",
    "[",
    "[[",
    "export",
    "alias",
    "unalias",
    "cd",
    "pushd",
    "set",
    "unset",
    "local",
    "declare",
    "read",
    "for",
    "return",
    "exit",
    "trap",
    "kill",
    "tmux",
    "screen",
    "psql",
    "mysql",
    "sqlite3",
    "redis-cli",
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "tar",
    "zip",
    "rustup",
    "conda",
    "mamba",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "pacman",
    "vim",
    "vi",
    "nvim",
    "code",
    "adb",
    "dotnet",
    "mvn",
    "gradle",
    "gradlew",
    "sbt",
    "pytest",
    "jest",
    "vitest",
    "playwright",
    "cypress",
    "rspec",
    "phpunit",
    "artisan",
    "mix",
    "elixir",
    "xargs",
    "env",
    "sudo",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "pipx",
    "gem",
    "composer",
    "nx",
    "lerna",
    "turbo",
    "ng",
    "say",
    "notify-send",
    "logger",
    "wall",
    "git-flow",
    "tee",
    "diff",
    "wc",
    "sort",
    "head",
    "tail",
    "file",
    "stat",
    "open",
    "xdg-open",
    "basename",
    "dirname",
    "expr",
    "systemctl",
    "service",
    "launchctl",
    "ip",
    "nmcli",
    "crontab",
    "bash",
    "sh",
    "zsh",
    "source",
    ".",
    "eval",
    "exec",
    "command",
    "true",
    "false",
    ":",
    "hookloop",
    "claude",
    "gemini",
    "codex",
    "aider",
    "cursor",
    "todo",
    "taskwarrior",
    "tig",
    "fzf",
    "gum",
    "dialog",
    "whiptail",
    "zenity",
    "mise",
    "asdf",
    "nvm",
    "pre-commit",
    "tmuxinator",
    "coverage",
    "ember",
    "rush",
];

/// Finds what the subcommand of a program that the table doesn't know removes.
pub(super) fn by_verb(command: &Command, effects: &mut Vec<Effect>) {
    if mines(command) {
        note(effects, "process.mines", command, "");
    }
    let becomes = ["sudo", "doas", "su", "pkexec", "run0"];
    let has_rights = becomes.contains(&command.program.as_str())
        || command
            .through
            .iter()
            .any(|it| becomes.contains(&it.as_str()));
    if sets(command, preloads) || has_rights && sets(command, preloads_own) {
        note(effects, "run.unknown", command, "");
    }
    if sets(command, trusts_anybody) {
        note(effects, "persist", command, "");
    }
    if cmdlets::takes_away(command) {
        note(effects, "tool.delete", command, "");
        return;
    }
    let program = command.program.as_str();
    let is_own = command.invoked.contains('/')
        && !["/usr/", "/bin/", "/opt/"]
            .iter()
            .any(|it| command.invoked.starts_with(it));
    let is_program = !program.is_empty()
        && program
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-_.".contains(it));
    if is_own || !is_program || OTHERS.contains(&program) || is_tried(command) {
        return;
    }
    let words = words_of(command);
    // A separate command follows these.
    let runs = |it: &&str| {
        ["run", "exec", "develop", "shell", "with"].contains(it) || it.ends_with(":run")
    };
    let words: Vec<&str> = words.into_iter().take_while(|it| !runs(it)).collect();
    // What follows an option may be its value.
    let leads = command
        .words_after_program()
        .first()
        .is_some_and(|it| !it.text.starts_with('-'));
    let forces = command.flags.iter().any(|it| is_force(it));
    let goes_down = ["-r", "-R", "--recursive"]
        .iter()
        .any(|it| command.has_flag(it));
    let alone = command.words_after_program().len() == 1;
    let found = words.iter().enumerate().any(|(at, word)| match at {
        0 if !leads => false,
        // A verb alone means what is here.
        0 if alone => {
            ["delete", "destroy", "terminate", "teardown"].contains(word)
                || word.contains([':', '-']) && says(word, DESTROYS)
        }
        0 => says(word, DESTROYS) || forces && ["uninstall", "down"].contains(word),
        _ => {
            says(word, DESTROYS)
                || forces && says(word, REMOVES)
                || goes_down && ["rm", "remove"].contains(word)
        }
    });
    if found {
        note(effects, "tool.delete", command, "");
    }
    let publishes = leads
        && !MESSENGERS.contains(&program)
        && words.iter().take(2).any(|it| PUBLISHES.contains(it));
    if publishes {
        note(effects, "publish", command, "");
    }
}

/// Returns the first words after a program that may be a subcommand of it.
fn words_of(command: &Command) -> Vec<&str> {
    let subcommand = command.subcommand.as_deref().unwrap_or("");
    let subcommands = subcommand.split(' ').filter(|it| !it.is_empty());
    // Options come before the subcommand only; later a word may be the value of an option.
    let skips = subcommand.is_empty();
    let behind = command.arguments().iter().map(|it| it.text.as_str());
    let behind = behind.skip_while(|it| skips && it.starts_with('-'));
    subcommands
        .chain(behind)
        .take(4)
        .take_while(|it| is_word(it))
        .collect()
}

/// Returns whether a word of a subcommand is one of these verbs: `delete`, `db:drop`,
/// `delete-project`, `DeleteInstance`.
fn says(word: &str, verbs: &[&str]) -> bool {
    let parts = || word.split([':', '.']);
    if parts().any(|it| ["make", "create", "generate", "new", "add"].contains(&it)) {
        return false;
    }
    let camel = verbs.iter().any(|verb| {
        let rest = word
            .get(..verb.len())
            .filter(|it| it.eq_ignore_ascii_case(verb));
        rest.is_some() && word[verb.len()..].starts_with(|it: char| it.is_ascii_uppercase())
    });
    // What follows a dot may be the ending of a file name.
    let last = word.rsplit('.').next().unwrap_or(word);
    let parts = last.split(':');
    camel
        || parts
            .into_iter()
            .any(|it| verbs.contains(&it) || begins_with_verb(it, verbs))
}

/// Returns whether an option suppresses the confirmation of a removal, or says what is removed.
fn is_force(flag: &str) -> bool {
    let begins = ["--delete-", "--purge", "--destroy", "--remove-", "--all"];
    FORCES.contains(&flag) || begins.iter().any(|it| flag.starts_with(it))
}

/// Returns whether a word is a verb with what it is for: `delete-bucket`, `db-drop`.
fn begins_with_verb(word: &str, verbs: &[&str]) -> bool {
    let begins = word.split_once(['-', '_']).is_some_and(|(verb, noun)| {
        verbs.contains(&verb) && !noun.is_empty() && !["markers", "docs", "help"].contains(&noun)
    });
    let ends = word.rsplit_once(['-', '_']).is_some_and(|(noun, verb)| {
        verbs.contains(&verb)
            && [
                "db", "database", "schema", "bucket", "table", "app", "stack",
            ]
            .contains(&noun)
    });
    begins || ends
}

/// Returns whether a word may be a subcommand: `kv:namespace`.
fn is_word(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-_:.".contains(it))
}

/// Returns whether a command only shows what it would do, or explains itself.
fn is_tried(command: &Command) -> bool {
    // A short option, and one that may have a value, mean something else to each program.
    ["--dry-run", "--dryrun", "--what-if", "--simulate", "--help"]
        .iter()
        .any(|it| command.has_flag(it))
        || command
            .words_after_program()
            .first()
            .is_some_and(|it| it.text == "help")
}

/// Returns whether a variable makes programs load a library from a place that anybody can write to.
fn preloads(name: &str, value: &str) -> bool {
    let names = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];
    let folders = ["/tmp/", "/var/tmp/", "/dev/shm/"];
    names.contains(&name) && folders.iter().any(|it| value.starts_with(it))
}

/// Returns whether a variable makes programs load a library from a place that the person can write
/// to: with another user's rights, that concerns not only the person.
fn preloads_own(name: &str, value: &str) -> bool {
    let folders = ["/usr/", "/lib/", "/lib64/", "/opt/", "lib"];
    ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"].contains(&name)
        && !value.is_empty()
        && !folders.iter().any(|it| value.starts_with(it))
}

/// Returns whether a variable makes programs trust any server without verification.
fn trusts_anybody(name: &str, value: &str) -> bool {
    let is_off = ["0", "false", "no", "off"].contains(&value.to_lowercase().as_str());
    match name {
        "NODE_TLS_REJECT_UNAUTHORIZED"
        | "PYTHONHTTPSVERIFY"
        | "npm_config_strict_ssl"
        | "NPM_CONFIG_STRICT_SSL"
        | "YARN_ENABLE_STRICT_SSL" => is_off,
        "GIT_SSL_NO_VERIFY" => !is_off && !value.is_empty(),
        _ => false,
    }
}

/// Returns whether a command sets such a variable, for itself or for all that follow.
fn sets(command: &Command, is_one: fn(&str, &str) -> bool) -> bool {
    let exports = ["export", "env", "declare", "typeset"].contains(&command.program.as_str());
    let mut words = command.words_after_program().iter().filter(|_| exports);
    let mut assigned = command.env.iter();
    assigned.any(|it| is_one(&it.name, &it.value.text))
        || words.any(|it| {
            it.text
                .split_once('=')
                .is_some_and(|(name, value)| is_one(name, value))
        })
}

/// Returns whether a command mines for a pool, judging by the name of the program or by the
/// address.
fn mines(command: &Command) -> bool {
    const MINERS: &[&str] = &[
        "xmrig",
        "xmr-stak",
        "minerd",
        "cpuminer",
        "cpuminer-multi",
        "ethminer",
        "nbminer",
        "phoenixminer",
        "lolminer",
        "t-rex",
        "cgminer",
        "bfgminer",
        "teamredminer",
        "srbminer-multi",
        "gminer",
        "nanominer",
        "ccminer",
        "wildrig",
        "claymore",
        "nheqminer",
        "xmrig-notls",
        "rigel",
        "bzminer",
    ];
    let reads = [
        "grep", "rg", "echo", "printf", "git", "gh", "cat", "sed", "awk", "jq", "ag",
    ];
    let program = command.program.to_lowercase();
    let program = program.trim_end_matches(".exe");
    let asks = ["--help", "--version", "-h", "-V"]
        .iter()
        .any(|it| command.has_flag(it));
    let is_pool = |text: &str| {
        let pools = [
            "stratum+",
            "stratum1+",
            "stratum2+",
            "ethproxy+",
            "daemon+http",
        ];
        pools.iter().any(|it| text.contains(it)) && text.contains("://")
    };
    !asks
        && (MINERS.contains(&program)
            || !reads.contains(&program)
                && command
                    .words_after_program()
                    .iter()
                    .any(|it| is_pool(&it.text) || it.text.starts_with("--donate-level")))
        || ["docker", "podman", "kubectl", "nomad"].contains(&program)
            && command.words_after_program().iter().any(|it| {
                let name = it.text.rsplit(['/', '=']).next().unwrap_or("");
                let name = name.split(':').next().unwrap_or("");
                MINERS.contains(&name)
            })
}

#[cfg(test)]
mod tests {
    use hookloop_shell::{Surroundings, understand};

    use super::by_verb;

    fn effects(text: &str) -> Vec<String> {
        let understood = understand(text, Surroundings::default());
        let mut effects = Vec::new();
        for command in &understood.commands {
            by_verb(command, &mut effects);
        }
        effects.into_iter().map(|it| it.name).collect()
    }

    /// HT-40: a program that nobody listed removes what its subcommand says.
    #[test]
    fn unknown_programs_are_known_by_their_verbs() {
        for text in [
            "acmectl db delete main",
            "acme apps:destroy web",
            "acme cluster terminate c1",
            "acme delete-project p",
            "acme volume rm v1 --force",
            "acme delete",
            "acme vm.destroy x",
            "acme deleteVM x",
            "acme ecs DeleteInstance --id i",
            "acme down --delete-volumes",
            "acme fs rm -r store:/a",
        ] {
            assert_eq!(effects(text), ["tool.delete"], "{text}");
        }
        for text in ["acme publish", "acme pkg publish --access public"] {
            assert_eq!(effects(text), ["publish"], "{text}");
        }
        for text in [
            "acmectl db list",
            "acme delete --help",
            "acme db delete main --dry-run",
            "acme volume rm v1",
            "acme publish --dry-run",
            "ros2 topic publish /a",
            "./acme db delete main",
            "acme open delete.txt",
            "echo delete all",
            "rg delete src",
            "jest delete user",
            "acme --search delete",
            "destroy",
        ] {
            assert!(effects(text).is_empty(), "{text}");
        }
    }

    /// HT-40: a program that mines for a pool is recognised by its name or by the address.
    #[test]
    fn mining_is_seen() {
        for text in [
            "xmrig -o a:1",
            "./x -o stratum+tcp://a:1",
            "docker run a/xmrig -o a:1",
        ] {
            assert_eq!(effects(text), ["process.mines"], "{text}");
        }
        assert!(effects("grep -r stratum+tcp:// .").is_empty());
        assert!(effects("xmrig --help").is_empty());
    }
}
