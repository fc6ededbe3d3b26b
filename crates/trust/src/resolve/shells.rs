//! Files that shells read at startup, and files that those read in turn (TR-8).

use std::path::Path;

use crate::resolve::Finder;

/// What follows a shell, if it belongs to the shell: not the words of its script.
#[derive(Debug, Default)]
struct ShellCall {
    /// The letters of its options.
    letters: String,
    long: Vec<String>,
}

impl ShellCall {
    fn of<'w>(mut words: impl Iterator<Item = &'w str>) -> Self {
        let mut call = Self::default();
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--").filter(|it| !it.is_empty()) {
                call.long.push(long.to_owned());
                if ["rcfile", "init-file"].contains(&long) {
                    words.next();
                }
                continue;
            }
            let Some(letters) = word
                .strip_prefix(['-', '+'])
                .filter(|it| !it.starts_with('-'))
            else {
                break;
            };
            if letters.is_empty() {
                break;
            }
            if word.starts_with('-') {
                call.letters.push_str(letters);
            }
            // `-o pipefail`, `-O extglob`
            if letters.ends_with(['o', 'O']) {
                words.next();
            }
        }
        call
    }

    fn is_for_login(&self) -> bool {
        self.letters.contains('l') || self.long.iter().any(|it| it == "login")
    }

    fn is_interactive(&self) -> bool {
        self.letters.contains('i') || self.long.iter().any(|it| it == "interactive")
    }
}

impl Finder<'_> {
    /// Notes what a login shell, or an interactive shell, reads at startup.
    pub(super) fn shell_starts<'w>(&mut self, program: &str, words: impl Iterator<Item = &'w str>) {
        if !is_shell(program) {
            return;
        }
        let call = ShellCall::of(words);
        let (login, interactive) = (call.is_for_login(), call.is_interactive());
        match program {
            "zsh" => {
                if login {
                    self.zsh_reads(&[".zprofile", ".zlogin"]);
                }
                if interactive {
                    self.zsh_reads(&[".zshrc"]);
                }
            }
            "bash" => {
                if login {
                    self.home_shell_reads(&[".bash_profile", ".bash_login", ".profile"]);
                }
                // Login files source it nearly everywhere.
                if login || interactive {
                    self.home_shell_reads(&[".bashrc"]);
                }
            }
            _ => {
                if login {
                    self.home_shell_reads(&[".profile"]);
                }
                if program == "ksh" && interactive {
                    self.home_shell_reads(&[".kshrc"]);
                }
            }
        }
    }

    /// Notes the files that login shells read, if a text starts one: `bash -lc '…'`.
    pub(super) fn shells_in(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let program = word.rsplit('/').next().unwrap_or_default();
            self.shell_starts(program, words[at + 1..].iter().copied());
        }
    }

    fn home_shell_reads(&mut self, names: &[&str]) {
        let home = self.ground.surroundings.home.clone();
        for name in names {
            if let Some(home) = &home {
                self.shell_reads(&home.join(name));
            }
        }
    }

    /// Notes what zsh reads, in the folder that `ZDOTDIR` names or the person's. `ZDOTDIR` isn't
    /// known to everything that starts zsh.
    pub(super) fn zsh_reads(&mut self, names: &[&str]) {
        self.home_shell_reads(names);
        if let Some(folder) = self.start_variable("ZDOTDIR") {
            let folder = self.ground.cwd.join(folder);
            for name in names {
                self.shell_reads(&folder.join(name));
            }
        }
    }

    /// Notes a file that a shell reads at startup, and what that file reads.
    pub(super) fn shell_reads(&mut self, file: &Path) {
        self.implicit(file);
        if !self.hook.is_from_project() {
            self.script(file);
        }
    }
}

pub(super) fn is_shell(program: &str) -> bool {
    hookloop_shell::is_posix_shell(program)
}
