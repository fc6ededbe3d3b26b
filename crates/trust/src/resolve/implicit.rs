//! Files that programs read automatically at startup: files in the home folder, files that the
//! environment lists, packages next to a script (TR-8).
//!
//! None of them is part of what a person agreed to, but each affects the hook as much as the hook's
//! own lines: whoever writes `~/.local/lib/python3.11/site-packages/usercustomize.py` controls
//! every Python hook.

use std::path::Path;

use hookloop_hook::{Handler, Shell};
use hookloop_shell::{Command, Language, script_options};

use crate::resolve::start::Start;
use crate::resolve::{Finder, commands, is_python};

/// The variables that make programs load files without naming them in a command. A host passes
/// their values in [`Surroundings::start_variables`](crate::Surroundings::start_variables).
pub const START_VARIABLES: [&str; 15] = [
    "BASH_ENV",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MAKEFILES",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PYTHONPATH",
    "PYTHONUSERBASE",
    "RUBYLIB",
    "RUBYOPT",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
];

/// How many packages and modules of a hook are followed.
const MAX_IMPLICIT: usize = 8192;

/// Returns the files that a program reads in the home folder at startup.
fn home_files(program: &str) -> &'static [&'static str] {
    match program {
        "curl" => &[".curlrc", ".config/curlrc"],
        "jq" => &[".jq"],
        "psql" => &[".psqlrc"],
        "sqlite3" => &[".sqliterc"],
        "wget" => &[".wgetrc"],
        "yq" => &[".yq"],
        "fish" => &[".config/fish/config.fish"],
        _ => &[],
    }
}

impl Finder<'_> {
    /// Notes what the programs of a command read at startup.
    pub(super) fn started_by(&mut self, command: &Command, folder: &Path) {
        for around in &command.through {
            self.program_starts(&Start::of(around, folder));
        }
        let words = || command.texts_after_program();
        let start = Start::of(&command.invoked, folder)
            .with_words(words())
            .with_env(&command.env);
        self.program_starts(&start);
        self.shell_starts(&command.program, words());
    }

    /// Notes what the shell that runs a hook's text reads at startup.
    pub(super) fn shell_of_the_hook(&mut self) {
        let named = match &self.hook.handler {
            Handler::Command { shell, .. } => *shell,
            _ => None,
        };
        let folder = self.ground.cwd;
        let program = match named {
            Some(Shell::PowerShell | Shell::Cmd) => return,
            Some(Shell::Sh) => "sh",
            Some(Shell::Bash) => "bash",
            None => self.search("bash", folder).map_or("sh", |_| "bash"),
        };
        self.rivals_of(program, folder);
        self.program_starts(&Start::of(program, folder));
    }

    /// Notes what the interpreter of a script reads at startup, and where another one would be
    /// found instead.
    pub(super) fn shebang(&mut self, text: &str, folder: &Path) {
        let Some(line) = text.lines().next().and_then(|it| it.strip_prefix("#!")) else {
            return;
        };
        let mut words = line.split_whitespace().peekable();
        let Some(mut invoked) = words.next() else {
            return;
        };
        if invoked.ends_with("/env") || invoked == "env" {
            // `env -S python3 -I`, `env -SA=1 python3`
            let mut searched = None;
            while let Some(word) = words.next() {
                let word = word.strip_prefix("-S").unwrap_or(word);
                if ["-u", "-C"].contains(&word) {
                    words.next();
                } else if !(word.is_empty() || word.starts_with('-') || word.contains('=')) {
                    searched = Some(word);
                    break;
                }
            }
            let Some(searched) = searched else {
                return;
            };
            self.rivals_of(searched, folder);
            invoked = searched;
        }
        let options: Vec<&str> = words.collect();
        let start = Start::of(invoked, folder).with_words(options.iter().copied());
        self.program_starts(&start);
        self.shell_starts(start.program(), options.iter().copied());
    }

    fn in_home(&mut self, names: &[&str]) {
        let Some(home) = self.ground.surroundings.home.clone() else {
            return;
        };
        for name in names {
            self.implicit(&home.join(name));
        }
    }

    fn program_starts(&mut self, start: &Start<'_>) {
        let (program, folder) = (start.program(), start.folder);
        self.in_home(home_files(program));
        self.note_listed("LD_PRELOAD", folder, [':', ' ']);
        self.searched_by("LD_LIBRARY_PATH", folder);
        if is_python(program) {
            self.python_starts(start);
        } else if program == "bash" {
            if let Some(file) = self.start_variable("BASH_ENV") {
                self.shell_reads(&folder.join(file));
            }
        } else if program == "zsh" {
            self.zsh_reads(&[".zshenv"]);
        } else if is_javascript(program) {
            self.searched_by("NODE_PATH", folder);
            self.node_options(folder);
        } else if program == "perl" {
            self.searched_by("PERL5LIB", folder);
        } else if program == "ruby" {
            self.searched_by("RUBYLIB", folder);
            let options = self.start_variable("RUBYOPT").unwrap_or_default();
            let required = options
                .split_whitespace()
                .filter_map(|it| it.strip_prefix("-r"));
            for file in required.filter(|it| it.contains('/')) {
                self.implicit(&folder.join(file));
            }
        }
    }

    /// Notes the scripts that `NODE_OPTIONS` makes every Node load first.
    fn node_options(&mut self, folder: &Path) {
        let options = self.start_variable("NODE_OPTIONS").unwrap_or_default();
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word, None),
            };
            if script_options("node").contains(&option)
                && let Some(file) = value.or_else(|| words.next())
            {
                let file = file.trim_start_matches("file://").trim_matches('"');
                self.implicit(&folder.join(file));
            }
        }
    }

    /// Returns the value of a variable for a program: set in front of it, by the hook, or by its
    /// surroundings.
    pub(super) fn variable_value(&self, name: &str, start: &Start<'_>) -> Option<String> {
        let own = || {
            self.hook
                .env
                .get(name)
                .map(|it| commands::expand(it, self.ground))
        };
        let before = start.variable_value(name).map(str::to_owned);
        before.or_else(own).or_else(|| self.start_variable(name))
    }

    pub(super) fn start_variable(&self, name: &str) -> Option<String> {
        if self.hook.env.contains_key(name) {
            return None;
        }
        let variables = &self.ground.surroundings.start_variables;
        variables.get(name).cloned()
    }

    /// Notes the files that a variable lists.
    fn note_listed(&mut self, variable: &str, folder: &Path, between: [char; 2]) {
        let value = self.start_variable(variable).unwrap_or_default();
        for file in value.split(between).filter(|it| !it.is_empty()) {
            self.implicit(&folder.join(file));
        }
    }

    /// Notes the folders in which modules and libraries are looked for because of a variable,
    /// unless a folder contains everything.
    pub(super) fn searched_by(&mut self, variable: &str, folder: &Path) {
        let value = self.start_variable(variable).unwrap_or_default();
        for part in value.split(':').filter(|it| !it.is_empty()) {
            self.looks_in(&folder.join(part));
        }
    }

    /// Notes a file that is read without being named, even if it doesn't exist yet.
    pub(super) fn implicit(&mut self, file: &Path) {
        if self.found.implicit.len() >= MAX_IMPLICIT {
            return self.unpinned("its programs load more files than are watched".to_owned());
        }
        if !self.is_data(file) {
            let names = self.resolve_links(file);
            self.found.implicit.extend(names);
        }
    }
}

/// Returns whether a program runs in Node or an equivalent.
fn is_javascript(program: &str) -> bool {
    Language::from_program(program) == Some(Language::JavaScript)
        || ["npx", "npm", "pnpm", "yarn"].contains(&program)
}
