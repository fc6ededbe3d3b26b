//! Secret files whose names a command finds and passes on: `ls -a | grep env | xargs cat`.

use hookloop_shell::{Command, Input};

use super::{Effect, note, secret_names};

/// Programs that count files, and don't show what is in them.
const COUNTS: &[&str] = &["wc", "xargs", "read", "cd"];

/// What the commands so far have listed.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Names of files were listed.
    listed: bool,
    /// With names that begin with a dot.
    hidden: bool,
    /// Names of files of secrets were picked.
    picked: bool,
}

impl Listing {
    /// Notes which names a command lists or picks, and whether it reads what was picked before.
    pub(super) fn by_names(&mut self, command: &Command, looks: bool, effects: &mut Vec<Effect>) {
        let has = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
        let name = command.name();
        let hidden = match hookloop_shell::usual_name(&name) {
            "ls" | "eza" | "exa" | "tree" => has(&["-a", "-A", "--all", "--almost-all"]),
            "fd" => has(&["-H", "-u", "--hidden", "--unrestricted"]),
            "find" | "git ls-files" | "git ls-tree" | "locate" => true,
            "rg" if has(&["--files"]) => has(&["--hidden", "-.", "-u"]) || globs_secrets(command),
            _ => return self.by_filter(command, looks, effects),
        };
        *self = Self {
            listed: true,
            hidden,
            picked: globs_secrets(command),
        };
    }

    fn by_filter(&mut self, command: &Command, looks: bool, effects: &mut Vec<Effect>) {
        let from_list = command.input != Input::Inherited;
        if self.listed && from_list && picks_env(command, self.hidden) {
            self.picked = true;
            return;
        }
        let filters = ["grep", "egrep", "fgrep", "rg"].contains(&command.program.as_str());
        if filters
            && from_list
            && !inverts(command)
            && !command.through.iter().any(|it| it == "xargs")
        {
            self.hidden = false;
        }
        let through_xargs = command.through.iter().any(|it| it == "xargs");
        let gets_all = |it: &hookloop_shell::PathUse| {
            !it.known || it.pattern && it.written.trim_start_matches("./") == "*"
        };
        let reads = command.reads.iter().any(gets_all);
        let is_reader = !looks && !COUNTS.contains(&command.program.as_str());
        // A listing that includes hidden files omits nothing.
        let shows_all = through_xargs
            && self.listed
            && self.hidden
            && ["cat", "bat", "head", "tail", "strings", "nl"].contains(&command.program.as_str())
            && command
                .reads
                .iter()
                .any(|it| it.pattern && it.written == "*");
        if is_reader && self.picked && (through_xargs || reads) || shows_all {
            note(effects, "env.read", command, "the files that were found");
        }
    }
}

/// Returns whether `rg --files` lists files of secrets alone: `-g '.env*'`.
fn globs_secrets(command: &Command) -> bool {
    let is_secret = |it: &str| {
        let kind = secret_names::secret_kind(it, it.contains(['*', '?']));
        kind.is_some() && !it.starts_with('!')
    };
    let mut globs = command.values_of(&["-g", "--glob", "--iglob"]).into_iter();
    command.program == "rg" && globs.any(|it| is_secret(&it.text))
}

fn inverts(command: &Command) -> bool {
    command.has_flag("-v") || command.has_flag("--invert-match")
}

/// Returns whether a filter lets the names of files of secrets through.
fn picks_env(command: &Command, hidden: bool) -> bool {
    let words = command.texts_after_program();
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            !inverts(command) && words.into_iter().any(|it| names_env(it, hidden))
        }
        "awk" | "gawk" | "sed" => words
            .filter(|it| !it.contains('!'))
            .flat_map(|it| it.split('/'))
            .any(|it| names_env(it, hidden)),
        _ => false,
    }
}

/// Returns whether a regular expression means the name of such a file, judging by its letters.
fn names_env(expression: &str, hidden: bool) -> bool {
    expression.split('|').any(|it| {
        let letters: String = it
            .chars()
            .filter(|it| !"\\^$()*+?[]".contains(*it))
            .collect();
        let name = letters.trim_end_matches('.');
        hidden && name == "env" || secret_names::secret_kind(name, false) == Some("env")
    })
}
