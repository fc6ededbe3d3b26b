//! Which files of secrets a command reads and writes.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input, PathUse, RedirectKind};
use regex::Regex;

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
    let left_out = left_out(command);
    let looked_for = looked_for(command);
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "write"),
        (&command.deletes, "write"),
    ];
    for (paths, what) in uses {
        for path in paths
            .iter()
            .filter(|it| looked_for != Some(it.written.as_str()))
            .filter(|it| !left_out.contains(&it.written.as_str()))
        {
            if let Some(kind) = kind_of(path) {
                note(effects, &format!("{kind}.{what}"), command, &path.written);
            } else if !path.known {
                computed(&path.written, command, effects);
            }
        }
    }
    in_input(command, effects);
    in_code(command, effects);
    in_arguments(command, effects);
}

/// Returns what a path is by its name, or by the hidden folder that it is taken from:
/// `cd ~/.aws; cat credentials`.
fn kind_of(path: &PathUse) -> Option<&'static str> {
    let by_folder = || {
        let mut paths = path.paths.iter().filter(|it| {
            it.rsplit_once('/')
                .is_some_and(|(folder, _)| folder.contains("/."))
        });
        paths.find_map(|it| secret_names::secret_kind(it, path.pattern))
    };
    secret_names::secret_kind(&path.written, path.pattern).or_else(by_folder)
}

/// Returns what a search looks for: that names no file.
fn looked_for(command: &Command) -> Option<&str> {
    // The first operand of a search is what is looked for.
    let searches = ["grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep"];
    let is_search = searches.contains(&command.program.as_str())
        && !["-e", "-f", "--regexp", "--file"]
            .iter()
            .any(|it| command.has_flag(it));
    (is_search || command.name() == "git grep")
        .then(|| command.operands().next().map(|it| it.text.as_str()))
        .flatten()
        // What stands behind `--` is a file in any case.
        .filter(|looked_for| {
            let mut behind = command.words.iter().skip_while(|it| it.text != "--");
            !behind.any(|it| it.text == *looked_for)
        })
}

/// A name that is found when the command runs, by a text that tells which: `$(ls -A | grep .env)`.
fn computed(written: &str, command: &Command, effects: &mut Vec<Effect>) {
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
    let Input::Text(text) = &command.input else {
        return;
    };
    if !names_files.contains(&command.program.as_str()) {
        return;
    }
    for word in text.split_whitespace() {
        if let Some(kind) = secret_names::secret_kind(word, word.contains(['*', '?'])) {
            note(effects, &format!("{kind}.read"), command, word);
        }
    }
}

/// Returns the names that options of archivers and the like leave out.
fn left_out(command: &Command) -> Vec<&str> {
    let archives = ["zip", "7z", "7za"].contains(&command.program.as_str());
    let behind = command.words.windows(2).filter_map(|pair| {
        let leaves_out = ["--exclude", "--exclude-dir", "--ignore-pattern", "--ignore"]
            .contains(&pair[0].text.as_str())
            || archives && pair[0].text == "-x";
        leaves_out.then_some(pair[1].text.as_str())
    });
    let negated = command.args().iter().filter_map(|it| {
        let text = it.text.as_str();
        text.strip_prefix("--exclude=")
            .or_else(|| text.starts_with('!').then_some(text))
    });
    // `git add . ':!.env'`
    let pathspecs = command.args().iter().filter_map(|it| {
        let rest = it.text.strip_prefix(':')?;
        (rest.starts_with(['!', '^']) || rest.starts_with("(exclude")).then_some(rest)
    });
    let whole = command.args().iter().map(|it| it.text.as_str());
    let leaves_out = [":!", ":^", ":(exclude"];
    let whole = whole.filter(|text| leaves_out.iter().any(|it| text.starts_with(it)));
    behind
        .chain(negated)
        .chain(pathspecs)
        .chain(whole)
        .collect()
}

/// Files that program text names.
fn in_code(command: &Command, effects: &mut Vec<Effect>) {
    let quotes_data = ["git", "grep", "rg", "echo", "printf", "gh", "sed", "awk"]
        .contains(&command.program.as_str());
    // `getline < "file"` of awk.
    let is_read = |code: &&str| !quotes_data || code.contains("getline");
    if let Some(code) = command.code.as_deref().filter(is_read) {
        let loads = code.contains("dotenv")
            || command
                .args()
                .iter()
                .any(|it| it.text.starts_with("dotenv"));
        let shows = [
            "log(process.env",
            "environ",
            "print(dotenv_values",
            "print(dotenv.dotenv_values",
            "print(d(",
        ]
        .iter()
        .any(|it| code.contains(it));
        if loads && shows && !code.contains(".env.example") {
            note(effects, "env.read", command, "dotenv");
        }
        let code = &["'+'", "\"+\"", "' + '", "\" + \""]
            .iter()
            .fold(code.to_owned(), |code, seam| code.replace(seam, ""));
        let code = &without_looks(code);
        if !super::calls::reads_files(code) {
            return;
        }
        let finds = code.contains("glob");
        for word in code.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>".contains(it)) {
            let is_pattern = finds && word.contains(['*', '?']);
            if let Some(kind) = secret_names::secret_kind(word, is_pattern)
                .filter(|_| !word.starts_with("process.env"))
            {
                note(effects, &format!("{kind}.read"), command, word);
            }
        }
    }
}

/// Takes out what only asks whether a file is there: `fs.existsSync('.env')`.
fn without_looks(code: &str) -> String {
    static LOOKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)[\w.]*(?:\brequire\(["'](?:node:)?fs["']\)\.)?
            \b(?:existsSync|exists|isfile|is_file|exist\?|file\?|file_exists|statSync|lstatSync|accessSync|getsize|getmtime)
            \(\s*["'][^"'\n]*["']\s*\)
            |\bPath\(\s*["'][^"'\n]*["']\s*\)\.(?:exists|is_file|stat)\(\)"#,
        )
        .ok()
    });
    match LOOKS.as_ref() {
        Some(looks) => looks.replace_all(code, " ").into_owned(),
        None => code.to_owned(),
    }
}

/// Files that the arguments of programs name which pass them on.
fn in_arguments(command: &Command, effects: &mut Vec<Effect>) {
    let searches = [
        "xargs", "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep",
    ];
    if searches.contains(&command.program.as_str()) {
        let behind = command.words.windows(2).filter_map(|pair| {
            let names_files = ["-g", "--glob", "--include", "--iglob", "-a", "--arg-file"];
            (names_files.contains(&pair[0].text.as_str())).then_some(pair[1].text.as_str())
        });
        let attached = command.args().iter().filter_map(|it| {
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
    let hands_out = command.program == "gh"
        && command.subcommand.as_deref().is_some_and(|it| {
            let gives = ["gist", "release", "secret", "variable"];
            gives.iter().any(|verb| it.starts_with(verb))
        });
    if hands_out {
        for word in command.args() {
            if let Some(kind) = secret_names::secret_kind(&word.text, word.pattern) {
                note(effects, &format!("{kind}.read"), command, &word.text);
            }
        }
    }
    if [
        "kubectl", "oc", "docker", "podman", "curl", "wget", "scp", "rsync", "aws", "tar", "zip",
        "7z", "nc", "openssl", "base64", "perl", "ruby", "az", "gcloud", "gsutil", "rclone",
        "azcopy", "s3cmd", "mc", "b2",
    ]
    .contains(&command.program.as_str())
    {
        let left_out = left_out(command);
        let words = command.args().iter();
        for word in words.filter(|it| {
            !left_out.contains(&it.text.as_str()) && !it.text.starts_with("--exclude=")
        }) {
            let values = word.text.split(['=', '@', ':', ',']);
            for text in std::iter::once(word.text.as_str()).chain(values) {
                if let Some(kind) = secret_names::secret_kind(text, word.pattern) {
                    note(effects, &format!("{kind}.read"), command, text);
                }
            }
        }
    }
}
