//! Which secret files a command reads and writes.

use hookloop_shell::{Command, Input, PathUse, RedirectKind, Word, usual_name};

use super::examples::{FileFate, fate_of_file};
use super::secret_settings::is_of_operation;
use super::secret_uses::{
    is_left_of, keys_made, only_hides, shows_changes, used_keys, with_contents,
};
use super::secret_words::{excluded_names, search_pattern, tests_named, with_no_message};
use super::{Effect, Places, note, secret_addresses, secret_code, secret_names};

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
    "wc",
    "dir",
    "Test-Path",
];

/// Programs that write what they read nowhere.
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

/// Returns whether a command only looks at the names of files.
pub(super) fn looks_at_names(command: &Command) -> bool {
    let reads_list = command.program == "file" && command.has_flag("-f")
        || usual_name(&command.program) == "find"
            && command
                .words_after_program()
                .iter()
                .any(|it| it.text == "-delete");
    LOOKS_AT_NAMES.contains(&usual_name(&command.program)) && !reads_list
        || command.program == "git"
            && command
                .subcommand
                .as_deref()
                .is_some_and(|it| GIT_LOOKS_AT_NAMES.contains(&it))
            && (command.subcommand.as_deref() != Some("rm") || command.has_flag("--cached"))
            && !shows_changes(command)
            && !with_contents(command)
        || command.program == "git" && is_left_of(command)
}

/// What is beside a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommandContext<'c> {
    /// The command before it.
    pub(super) previous: Option<&'c Command>,
    /// Another one reads what it prints.
    pub(super) hands_on: bool,
}

/// Finds the files of secrets that a command is redirected to and from.
fn by_redirects(
    command: &Command,
    beside: CommandContext<'_>,
    places: &Places,
    effects: &mut Vec<Effect>,
) {
    for redirect in &command.redirects {
        if redirect.kind == RedirectKind::Text || redirect.kind == RedirectKind::Descriptor {
            continue;
        }
        let target = redirect.target.text.as_str();
        let is_read = redirect.kind == RedirectKind::Read;
        let opens = || (!is_read).then(|| secret_names::opens(target))?;
        let kind = secret_names::secret_kind(target, redirect.target.pattern);
        if let Some(kind) = kind.or_else(opens) {
            let path = command.writes.iter().find(|it| it.written == target);
            let path = path.filter(|_| !is_read);
            let name = path.map_or_else(
                || Some(if is_read { "read" } else { "write" }),
                |it| written(kind, command, it, beside, places),
            );
            if let Some(name) = name {
                note(effects, &format!("{kind}.{name}"), command, target);
            }
        }
    }
}

/// Finds the files of secrets that a command reads and writes.
pub(super) fn by_secrets(
    command: &Command,
    beside: CommandContext<'_>,
    places: &Places,
    effects: &mut Vec<Effect>,
) {
    let shows_changes = shows_changes(command);
    let looks = looks_at_names(command);
    by_redirects(command, beside, places, effects);
    // In `cmd`, it prints a file.
    if command.program == "type" {
        for word in command.operands() {
            if let Some(kind) = secret_names::secret_kind(&word.text, word.pattern) {
                note(effects, &format!("{kind}.read"), command, &word.text);
            }
        }
    }
    opened_to_others(command, effects);
    if looks || only_hides(command) {
        return;
    }
    if command.program == "git" && (shows_changes || with_contents(command)) {
        by_history(command, effects);
    }
    // Certificates are public.
    let first = command.texts_after_program().next();
    if command.name() == "openssl x509" || first == Some("x509") {
        return;
    }
    let left_out = excluded_names(command);
    let mut no_files = used_keys(command);
    no_files.extend(search_pattern(command));
    no_files.extend(tests_named(command));
    no_files.retain(|text| {
        let named = |it: &&str| it == text;
        let words = command.texts_after_program();
        words.filter(|it| named(it)).count() <= 1 || search_pattern(command) == Some(text)
    });
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "put"),
        (&command.deletes, "write"),
    ];
    for (paths, what) in uses {
        for path in paths
            .iter()
            .filter(|it| !no_files.contains(&it.written.as_str()))
            .filter(|it| !left_out.contains(&it.written.as_str()))
        {
            let opens = || (what != "read").then(|| secret_names::opens(&path.written))?;
            let is_own = |it: &String| secret_names::is_own_settings(it, &places.home);
            let of_home = || path.paths.iter().any(is_own).then_some("secret");
            let kind = kind_of(path, command)
                .or_else(|| pattern_kind(path, command))
                .or_else(of_home);
            if let Some(kind) = kind.or_else(opens) {
                let name = match what {
                    "put" => written(kind, command, path, beside, places),
                    "read" => Some(exposure_verb(kind, command, &path.written)),
                    what => Some(what),
                };
                if let Some(name) = name {
                    note(effects, &format!("{kind}.{name}"), command, &path.written);
                }
            } else if what == "read" && is_of_operation(&path.written) {
                note(effects, "settings.read", command, &path.written);
            } else if !path.known {
                computed(&path.written, command, effects);
            }
        }
    }
    in_input(command, effects);
    secret_code::in_code(command, beside.hands_on, effects);
    in_arguments(command, &no_files, effects);
    by_unknown(command, effects);
    secret_addresses::note_fetched(command, effects);
}

/// Files whose contents git shows.
fn by_history(command: &Command, effects: &mut Vec<Effect>) {
    for word in with_no_message(command) {
        let name = match word.text.strip_prefix("-L") {
            Some(lines) => lines.rsplit(':').next().unwrap_or(""),
            None => without_magic(&word.text),
        };
        if let Some(kind) = secret_names::secret_kind(name, is_pattern_of(command, word)) {
            note(effects, &format!("{kind}.read"), command, &word.text);
        }
    }
}

/// Finds keys that a command makes readable for everybody: `chmod 644 ~/.ssh/id_rsa`.
fn opened_to_others(command: &Command, effects: &mut Vec<Effect>) {
    let mut operands = command.operands();
    let mode = match operands.next() {
        Some(mode) if command.program == "chmod" => mode.text.as_str(),
        _ => return,
    };
    let by_digits = mode.bytes().all(|it| it.is_ascii_digit())
        && mode.bytes().last().is_some_and(|it| b"4567".contains(&it));
    let by_letters = mode.split(',').any(|it| {
        let (who, what) = it.split_once(['+', '=']).unwrap_or((it, ""));
        (who.is_empty() || who.contains(['o', 'a'])) && what.contains('r')
    });
    if !by_digits && !by_letters {
        return;
    }
    for word in operands {
        // Files with this extension may be certificates, which are public.
        let may_be_public = [".pem", ".crt"].iter().any(|it| word.text.ends_with(it));
        let kind = secret_names::secret_kind(&word.text, word.pattern);
        if let Some(kind) = kind.filter(|_| !may_be_public) {
            note(effects, &format!("{kind}.write"), command, &word.text);
        }
    }
}

/// Returns whether a word is a pattern of names, for the shell or for the program itself:
/// `git grep -- '.env*'`.
fn is_pattern_of(command: &Command, word: &Word) -> bool {
    const MATCH_THEMSELVES: &[&str] =
        &["git", "zip", "7z", "7za", "tar", "bsdtar", "gtar", "rsync"];
    word.pattern
        || MATCH_THEMSELVES.contains(&command.program.as_str())
            && word.text.contains(['*', '?', '['])
}

/// Returns a path that git is given without the prefix that says how it is compared:
/// `:(glob)**/.env*`.
fn without_magic(text: &str) -> &str {
    let behind = text.strip_prefix(":(").and_then(|it| it.split_once(')'));
    behind.map_or(text, |(_, path)| path)
}

/// Files that are given to a program that isn't known until it runs: `$EDITOR .env`.
fn by_unknown(command: &Command, effects: &mut Vec<Effect>) {
    if command.words.first().is_none_or(|it| it.known) {
        return;
    }
    for word in command.words_after_program().iter().filter(|it| it.known) {
        if let Some(kind) = secret_names::secret_kind(&word.text, word.pattern) {
            note(effects, &format!("{kind}.read"), command, &word.text);
        }
    }
}

/// Returns whether a command shows a file of secrets, or only hands it to a program as its
/// variables.
fn exposure_verb(kind: &str, command: &Command, written: &str) -> &'static str {
    let loads = ["--env-file", "--env-file-if-exists"];
    let has = |word: &str| {
        command
            .words_after_program()
            .iter()
            .any(|it| it.text == word)
    };
    let is_loaded = match command.program.as_str() {
        "source" | "." | "env-cmd" => true,
        "dotenv" | "dotenvx" => has("--") || has("run"),
        _ => {
            let mut pairs = command.words.windows(2);
            let attached = |it: &str| {
                let (option, value) = it.split_once('=')?;
                Some(loads.contains(&option) && [value, it].contains(&written))
            };
            pairs.any(|it| loads.contains(&it[0].text.as_str()) && it[1].text == written)
                || command
                    .words_after_program()
                    .iter()
                    .any(|it| attached(&it.text) == Some(true))
        }
    };
    if kind == "env" && is_loaded {
        "loaded"
    } else {
        "read"
    }
}

/// Returns what happens to a file of secrets that a command writes something into; nothing if that
/// is harmless.
fn written(
    kind: &str,
    command: &Command,
    path: &PathUse,
    beside: CommandContext<'_>,
    places: &Places,
) -> Option<&'static str> {
    if kind != "env" {
        let is_made = keys_made(command).iter().any(|it| it.text == path.written)
            || fate_of_file(command, path, beside.previous, places) == Some(FileFate::Made);
        return (!is_made).then_some("write");
    }
    match fate_of_file(command, path, beside.previous, places) {
        Some(FileFate::Made) => None,
        Some(FileFate::Replaced) => Some("made"),
        None if command.program == "touch" => Some("made"),
        None => Some("write"),
    }
}

/// Returns what a pattern of names means if the program itself expands it: its `*` matches a
/// leading dot too.
fn pattern_kind(path: &PathUse, command: &Command) -> Option<&'static str> {
    let finds = ["find", "fd", "xargs"];
    let is_found = matches!(command.input, Input::Names(_))
        || command
            .through
            .iter()
            .any(|it| finds.contains(&hookloop_shell::usual_name(it)));
    if path.pattern && is_found {
        let is_store = path.written.ends_with("/credentials");
        return secret_names::by_glob(&path.written).or(is_store.then_some("secret"));
    }
    // The result of a search by name is written as everything below it.
    let below = path.written.strip_suffix("/*").filter(|_| path.pattern)?;
    secret_names::secret_kind(below, false).filter(|it| *it == "env")
}

/// Returns what a path is, judging by its name, or by the hidden folder that it is in:
/// `cd ~/.aws; cat credentials`.
fn kind_of(path: &PathUse, command: &Command) -> Option<&'static str> {
    let by_git = || {
        let wild = command.program == "git" && path.written.contains(['*', '?', '[']);
        wild.then(|| secret_names::secret_kind(without_magic(&path.written), true))?
    };
    let by_folder = || {
        let mut paths = path.paths.iter().filter(|it| {
            it.rsplit_once('/')
                .is_some_and(|(folder, _)| folder.contains("/."))
        });
        paths.find_map(|it| secret_names::secret_kind(it, path.pattern))
    };
    secret_names::secret_kind(&path.written, path.pattern)
        .or_else(by_folder)
        .or_else(by_git)
}

/// Returns whether a word is a variable that says where a file of secrets is: `$KUBECONFIG`.
fn holds_path(written: &str) -> bool {
    const NAMES: &[&str] = &[
        "KUBECONFIG",
        "AWS_SHARED_CREDENTIALS_FILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "NETRC",
        "ENV_FILE",
        "DOTENV_PATH",
        "DOTENV_FILE",
    ];
    const ENDINGS: &[&str] = &[
        "_PASSWORD_FILE",
        "_SECRET_FILE",
        "_TOKEN_FILE",
        "_CREDENTIALS_FILE",
    ];
    let name = written
        .strip_prefix('$')
        .map(|it| it.trim_matches(['{', '}']));
    name.is_some_and(|it| NAMES.contains(&it) || ENDINGS.iter().any(|end| it.ends_with(end)))
}

/// A name that is found when the command runs, with a text that shows which:
/// `$(ls -A | grep .env)`.
fn computed(written: &str, command: &Command, effects: &mut Vec<Effect>) {
    if holds_path(written) {
        note(effects, "secret.read", command, written);
    }
    if !written.contains("$(") && !written.contains('`') {
        return;
    }
    let lists_hidden = [
        "ls -a", "ls -A", "ls -1a", "ls -1A", "ls -la", "find ", "fd -H",
    ]
    .iter()
    .any(|it| written.contains(it));
    for word in written.split(|it: char| it.is_whitespace() || "'\"`(),;=|&^$\\".contains(it)) {
        if lists_hidden && word == "env" {
            note(effects, "env.read", command, word);
        }
        if let Some(kind) = secret_names::secret_kind(word, false) {
            note(effects, &format!("{kind}.read"), command, word);
        }
    }
}

/// Files that standard input names: of an archiver, or of a program that sends them.
fn in_input(command: &Command, effects: &mut Vec<Effect>) {
    let names_files = [
        "cpio",
        "pax",
        "sftp",
        "ftp",
        "lftp",
        "tftp",
        "smbclient",
        "ncftp",
    ];
    let lists = ["tar", "bsdtar", "gtar", "zip", "rsync"];
    let is_listed = lists.contains(&command.program.as_str())
        && ["-T", "--files-from", "-@"]
            .iter()
            .any(|it| command.has_flag(it));
    if !names_files.contains(&command.program.as_str()) && !is_listed {
        return;
    }
    let spoken = command.values_of(&["-e", "-c"]);
    let spoken: Vec<&str> = spoken.iter().map(|it| it.text.as_str()).collect();
    let text = match &command.input {
        Input::Text(text) => text.clone(),
        Input::Names(names) => names.join("\n"),
        _ if !spoken.is_empty() && !is_listed => spoken.join("\n").replace(';', " "),
        _ => return,
    };
    for word in text.split_whitespace() {
        if let Some(kind) = secret_names::secret_kind(word, word.contains(['*', '?'])) {
            note(effects, &format!("{kind}.read"), command, word);
        }
    }
}

/// Returns whether a word is a web address, not a file of this machine.
fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "ws://", "wss://"]
        .iter()
        .any(|it| text.starts_with(it))
}

/// Files named by a text that isn't read as a shell's: it may be that of another shell.
pub(super) fn in_unread(text: &str, effects: &mut Vec<Effect>) {
    if !super::calls::reads_files(text) {
        return;
    }
    let seen = secret_code::without_looks(&secret_code::without_seams(text));
    for word in seen.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>|&".contains(it)) {
        if let Some(kind) = secret_names::secret_kind(&word.replace('\\', "/"), false) {
            effects.push(Effect {
                name: format!("{kind}.read"),
                line: text.chars().take(300).collect(),
                about: word.to_owned(),
            });
        }
    }
}

/// Returns whether a word is program text for a command: it is looked at as such.
fn is_code_of(command: &Command, text: &str) -> bool {
    let is_given = command.code.as_deref().is_some_and(|it| it.contains(text));
    is_given && text.contains(['/', '(', ' ', ';']) && command.program == "perl"
}

/// Files in the arguments of programs that pass them on.
fn in_arguments(command: &Command, no_files: &[&str], effects: &mut Vec<Effect>) {
    let searches = [
        "xargs", "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep",
    ];
    // Of those files, `rg --files` prints the names alone.
    let lists = command.program == "rg" && command.has_flag("--files");
    if searches.contains(&command.program.as_str()) && !lists {
        let behind = command.words.windows(2).filter_map(|pair| {
            let names_files = ["-g", "--glob", "--include", "--iglob", "-a", "--arg-file"];
            (names_files.contains(&pair[0].text.as_str())).then_some(pair[1].text.as_str())
        });
        let attached = command.words_after_program().iter().filter_map(|it| {
            let (option, value) = it.text.split_once('=')?;
            ["--include", "--glob", "--iglob"]
                .contains(&option)
                .then_some(value)
        });
        for text in behind.chain(attached) {
            let kind = secret_names::secret_kind(text, text.contains(['*', '?']));
            if let Some(kind) = kind.filter(|_| !text.starts_with('!')) {
                note(effects, &format!("{kind}.read"), command, text);
            }
        }
    }
    // `awk -v f=.env …`
    if ["awk", "gawk", "mawk"].contains(&command.program.as_str()) {
        for word in command.values_of(&["-v", "--assign"]) {
            let value = word.text.split_once('=').map_or("", |(_, it)| it);
            if let Some(kind) = secret_names::secret_kind(value, false) {
                note(effects, &format!("{kind}.read"), command, value);
            }
        }
    }
    let hands_out = command.program == "gh"
        && command.subcommand.as_deref().is_some_and(|it| {
            let gives = ["gist", "release", "secret", "variable"];
            gives.iter().any(|verb| it.starts_with(verb))
        });
    if hands_out {
        for word in command.words_after_program() {
            if let Some(kind) = secret_names::secret_kind(&word.text, word.pattern) {
                note(effects, &format!("{kind}.read"), command, &word.text);
            }
        }
    }
    if [
        "kubectl", "oc", "docker", "podman", "curl", "wget", "scp", "rsync", "aws", "tar", "zip",
        "7z", "nc", "openssl", "base64", "perl", "ruby", "az", "gcloud", "gsutil", "rclone",
        "azcopy", "s3cmd", "mc", "b2", "man", "file", "http", "https", "xh", "bsdtar", "gtar",
    ]
    .contains(&command.program.as_str())
    {
        let left_out = excluded_names(command);
        let made = keys_made(command);
        let words = command
            .words_after_program()
            .iter()
            .filter(|it| !made.contains(it));
        for word in words.filter(|it| {
            !left_out.contains(&it.text.as_str())
                && !it.text.starts_with("--exclude=")
                && !no_files.contains(&it.text.as_str())
                && !is_address(&it.text)
                && !is_code_of(command, &it.text)
        }) {
            let values = word.text.split(['=', '@', ':', ',']);
            let pattern = is_pattern_of(command, word);
            for text in std::iter::once(word.text.as_str()).chain(values) {
                if let Some(kind) = secret_names::secret_kind(text, pattern) {
                    let name = exposure_verb(kind, command, text);
                    note(effects, &format!("{kind}.{name}"), command, text);
                }
            }
        }
    }
}
