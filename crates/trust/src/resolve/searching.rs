//! Finds programs that are named without a folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use crate::named_file::Kind;
use crate::resolve::Finder;

/// How long the text of a program that is found through the search path may be to be examined, in
/// bytes.
const MAX_PROGRAM_BYTES: u64 = 256 << 10;

impl Finder<'_> {
    /// Returns whether a program that a hook of the person or the system starts is the person's
    /// own: what such a program starts itself is part of the hook.
    pub(super) fn is_of_person(&self, real: &Path) -> bool {
        let home = self.ground.surroundings.home.as_deref();
        let home = home.and_then(|it| self.reader.real(it));
        // Installed programs, and shims that choose among them, have many files that weren't
        // written for the hook.
        let mut parts = real.iter();
        let is_installed = parts.any(|it| it == "node_modules" || it == "shims");
        let is_small = || {
            real.metadata()
                .is_ok_and(|it| it.len() <= MAX_PROGRAM_BYTES)
        };
        !self.hook.is_from_project()
            && !is_installed
            && home.is_some_and(|home| real.starts_with(home))
            && is_small()
    }

    /// Notes where a program would be found before the current one.
    pub(super) fn rivals_of(&mut self, program: &str, cwd: &Path) {
        if program.is_empty() || program.contains('/') || hookloop_shell::is_builtin(program) {
            return;
        }
        let places = self.searched_places(program, cwd);
        let Some(found) = places.iter().position(|path| self.is_file(path)) else {
            // Wherever the program is, one in these folders would be found first.
            let first = self.searched_first.iter();
            let first: Vec<PathBuf> = first.map(|it| cwd.join(it).join(program)).collect();
            self.found.rivals.extend(first);
            return;
        };
        self.found.programs.insert(places[found].clone());
        let names = self.resolve_links(&places[found]);
        self.found.programs.extend(names);
        self.found.rivals.extend(places.into_iter().take(found));
    }

    /// Adds the folders in which a command looks for programs and modules: `PATH=bin:$PATH x`,
    /// `perl -Ilib`.
    pub(super) fn search_folders(&mut self, command: &Command, folder: &Path) {
        const VARIABLES: [&str; 6] = [
            "PATH",
            "PYTHONPATH",
            "PERL5LIB",
            "RUBYLIB",
            "NODE_PATH",
            "LD_LIBRARY_PATH",
        ];
        let exported = command
            .words_after_program()
            .iter()
            .filter(|_| ["export", "declare", "typeset"].contains(&command.program.as_str()))
            .filter_map(|it| it.text.split_once('='));
        let assigned = command
            .env
            .iter()
            .map(|it| (it.name.as_str(), it.value.text.as_str()));
        let mut searched: Vec<(String, String)> = exported
            .chain(assigned)
            .filter(|(name, _)| VARIABLES.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let option = match command.program.as_str() {
            "perl" | "ruby" => Some("-I"),
            "jq" => Some("-L"),
            _ => None,
        };
        if let Some(option) = option {
            let libraries = command.values_of(&[option]).into_iter();
            searched.extend(libraries.map(|it| (option.to_owned(), it.text)));
        }
        for (name, value) in searched {
            for part in value.split(':').filter(|it| !it.is_empty()) {
                // The existing value is searched as before.
                if ["$PATH", "${PATH}"].contains(&part) {
                    continue;
                }
                let path = folder.join(part);
                if path.is_dir() {
                    self.folder(&path, &name);
                    if name != "PATH" && !self.hook.is_from_project() {
                        self.looks_in(&path);
                    }
                } else if part.contains(['$', '`']) {
                    self.unpinned(format!(
                        "{name} contains `{part}`, which is only known when it runs"
                    ));
                }
            }
        }
    }

    /// Finds a program as the shell will.
    pub(super) fn search(&self, name: &str, cwd: &Path) -> Option<PathBuf> {
        let mut places = self.searched_places(name, cwd).into_iter();
        places.find(|path| self.is_file(path))
    }

    fn is_file(&self, path: &Path) -> bool {
        self.reader.kind(path) == Kind::File
    }

    /// Returns where a program is looked for, in order: in the folders of the hook's own `PATH`,
    /// else of the program's.
    fn searched_places(&self, name: &str, cwd: &Path) -> Vec<PathBuf> {
        let own = self.hook.env.get("PATH").map(|path| {
            let path = path.replace("${PATH}", "").replace("$PATH", "");
            std::env::split_paths(&OsString::from(path))
                .filter(|it| !it.as_os_str().is_empty())
                .collect::<Vec<_>>()
        });
        let usual = &self.ground.surroundings.search_path;
        self.searched_first
            .iter()
            .chain(own.iter().flatten())
            .chain(usual)
            .map(|folder| cwd.join(folder).join(name))
            .collect()
    }
}
