//! Which files of secrets a command reads and writes.

use hookloop_shell::{Command, RedirectKind};

use super::{Effect, note, secret_names};

/// Programs that only look at names.
const LOOKS_AT_NAMES: &[&str] = &[
    "ls",
    "ll",
    "stat",
    "test",
    "[",
    "[[",
    "file",
    "du",
    "echo",
    "printf",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "touch",
    "exa",
    "eza",
    "tree",
    "mkdir",
    "find",
    "fd",
    "which",
    "type",
    "chmod",
    "chown",
    "lsof",
    "inotifywait",
    "cd",
];

/// Programs that don't put what they read anywhere.
const GIT_LOOKS_AT_NAMES: &[&str] = &[
    "check-ignore",
    "ls-files",
    "status",
    "log",
    "rm",
    "update-index",
    "ls-tree",
    "rev-parse",
    "config",
];

pub(super) fn by_secrets(command: &Command, effects: &mut Vec<Effect>) {
    let shows_changes = ["-p", "--patch", "-u"]
        .iter()
        .any(|it| command.has_flag(it));
    let looks = LOOKS_AT_NAMES.contains(&command.program.as_str())
        || command.program == "git"
            && command
                .subcommand
                .as_deref()
                .is_some_and(|it| GIT_LOOKS_AT_NAMES.contains(&it))
            && !shows_changes;
    for redirect in &command.redirects {
        if redirect.kind == RedirectKind::Text || redirect.kind == RedirectKind::Descriptor {
            continue;
        }
        if let Some(kind) =
            secret_names::secret_kind(&redirect.target.text, redirect.target.pattern)
        {
            let name = if redirect.kind == RedirectKind::Read {
                "read"
            } else {
                "write"
            };
            note(
                effects,
                &format!("{kind}.{name}"),
                command,
                &redirect.target.text,
            );
        }
    }
    if looks {
        return;
    }
    if command.program == "git" && shows_changes {
        for word in command.operands() {
            if let Some(kind) = secret_names::secret_kind(&word.text, word.pattern) {
                note(effects, &format!("{kind}.read"), command, &word.text);
            }
        }
    }
    // What is a certificate is shown to everybody.
    if command.name() == "openssl x509"
        || command.args().first().is_some_and(|it| it.text == "x509")
    {
        return;
    }
    // The first operand of a search is what is looked for.
    let looked_for = (command.name() == "git grep")
        .then(|| command.operands().next().map(|it| it.text.as_str()))
        .flatten();
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "write"),
        (&command.deletes, "write"),
    ];
    for (paths, what) in uses {
        for path in paths
            .iter()
            .filter(|it| looked_for != Some(it.written.as_str()))
        {
            if let Some(kind) = secret_names::secret_kind(&path.written, path.pattern) {
                note(effects, &format!("{kind}.{what}"), command, &path.written);
            }
        }
    }
    in_code(command, effects);
    in_arguments(command, effects);
}

/// Files that program text names.
fn in_code(command: &Command, effects: &mut Vec<Effect>) {
    let quotes_data = ["git", "grep", "rg", "echo", "printf", "gh", "sed", "awk"]
        .contains(&command.program.as_str());
    if let Some(code) = command.code.as_deref().filter(|_| !quotes_data) {
        for word in code.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>".contains(it)) {
            if let Some(kind) =
                secret_names::secret_kind(word, false).filter(|_| !word.starts_with("process.env"))
            {
                note(effects, &format!("{kind}.read"), command, word);
            }
        }
    }
}

/// Files that the arguments of programs name which pass them on.
fn in_arguments(command: &Command, effects: &mut Vec<Effect>) {
    if [
        "docker", "podman", "curl", "wget", "scp", "rsync", "aws", "tar", "zip", "7z", "nc",
        "openssl", "base64", "perl", "ruby",
    ]
    .contains(&command.program.as_str())
    {
        for word in command.args() {
            let value = word.text.rsplit(['=', '@', ':']).next().unwrap_or("");
            for text in [word.text.as_str(), value] {
                if let Some(kind) = secret_names::secret_kind(text, word.pattern) {
                    note(effects, &format!("{kind}.read"), command, text);
                }
            }
        }
    }
}
