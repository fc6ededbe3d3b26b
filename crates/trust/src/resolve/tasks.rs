//! What programs run that read their tasks from files: makefiles, the scripts in `package.json`,
//! programs of installed packages (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::{Command, LookupPlace, Recipes, Runner, RunnerFile, Work};
use serde_json::Value;

use crate::aspect::{Part, aspect};
use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::{Finder, Presence, commands};

/// How deep the prerequisites of a target are followed, and how many lines of a makefile.
const MAX_DEPTH: usize = 6;
pub(super) const MAX_LINES: usize = 4096;

/// How deep lines that start runners are followed.
const MAX_LINE_DEPTH: u8 = 4;

/// How many files are followed that are named in a text with a format of its own.
const MAX_NAMED: usize = 64;

impl Finder<'_> {
    /// Adds what a program runs for a hook that precedes an action.
    pub(super) fn tasks(&mut self, command: &Command, folder: &Path) {
        if !self.hook.event.is_before_action() {
            return;
        }
        self.asks_git(command, folder);
        if !self.reading.looks_into_tasks() && self.hook.is_from_project() {
            return;
        }
        let around = hookloop_shell::runner_around(command);
        for runner in around.into_iter().chain(hookloop_shell::runner(command)) {
            self.follow_runner(&runner, command, folder);
        }
    }

    fn follow_runner(&mut self, runner: &Runner, command: &Command, folder: &Path) {
        let mut reached = Vec::new();
        for read in &runner.reads {
            reached.extend(self.note_runner_file(read, &runner.tasks, folder));
        }
        for searched in runner.searched {
            for above in self.ancestors(folder) {
                let searched = above.join(searched);
                if !self.searched_first.contains(&searched) {
                    self.searched_first.push(searched);
                }
            }
        }
        match &runner.work {
            Some(Work::Recipes(Recipes::Make)) => self.makefile(command, folder, &runner.tasks),
            Some(Work::Recipes(Recipes::Just)) => {
                for file in reached {
                    self.recipes_of(&file, folder, &runner.tasks);
                }
            }
            Some(Work::Package) => {
                // The shell for scripts, and the interpreter of packages' programs.
                for program in ["sh", "node"] {
                    self.rivals_of(program, folder);
                }
                for name in &runner.tasks {
                    self.package_script(name, folder);
                    self.installed_program(name, folder);
                }
                self.in_members(runner, folder);
            }
            Some(Work::Cargo {
                package,
                description,
            }) => self.cargo(command, package.as_deref(), description.as_deref(), folder),
            Some(Work::Go(packages)) => self.go(packages, folder),
            Some(Work::Python) => self.follow_python_environment(command, folder),
            Some(Work::Lines) => {
                for file in reached {
                    self.named_in_lines(&file, folder);
                }
                for script in command.operands() {
                    self.script_if_there(&folder.join(&script.text));
                }
            }
            None => {}
        }
    }

    /// Notes a file that tells a runner what to do, and where another one would be found instead;
    /// returns the places that have such files.
    fn note_runner_file(
        &mut self,
        read: &RunnerFile,
        tasks: &[String],
        folder: &Path,
    ) -> Vec<PathBuf> {
        let folders = match read.looked_up {
            LookupPlace::Home => self.ground.surroundings.home.iter().cloned().collect(),
            LookupPlace::Nearest | LookupPlace::Each => self.ancestors(folder),
        };
        let mut found = Vec::new();
        for folder in folders {
            for name in read.names {
                let file = folder.join(name);
                self.tells(&file, tasks);
                if file.is_file() {
                    found.push(file);
                    break;
                }
            }
            if read.looked_up == LookupPlace::Nearest && !found.is_empty() {
                break;
            }
        }
        found
    }

    pub(super) fn tells(&mut self, file: &Path, tasks: &[String]) {
        let name = file
            .file_name()
            .and_then(|it| it.to_str())
            .unwrap_or_default();
        let part = match name {
            "package.json" => Part::Scripts(tasks.iter().cloned().collect()),
            ".npmrc" | "rc" => Part::PackageSettings,
            "pyproject.toml" => Part::PythonTools,
            _ => return self.teller(file),
        };
        self.aspect(file, part);
    }

    /// Adds a file that tells a program what to run with its whole content: it is part of what a
    /// person agrees to with a hook of the project, including its absence.
    pub(super) fn teller(&mut self, file: &Path) {
        self.implicit(file);
        if self.reading.watches_tellers() && self.hook.is_from_project() {
            self.take(file, Presence::Perhaps);
        }
    }

    pub(super) fn aspect(&mut self, file: &Path, part: Part) {
        if !self.is_data(file) {
            self.found.aspects.insert(aspect(file, part));
        }
    }

    /// Returns a folder and those above it that belong to the project or the person.
    pub(super) fn ancestors(&self, folder: &Path) -> Vec<PathBuf> {
        let home = self.ground.surroundings.home.as_deref();
        let tops = [Some(self.ground.root), home];
        let mut tops = tops.into_iter().flatten();
        let top = tops.find(|it| folder.starts_with(it)).unwrap_or(folder);
        let above = folder.ancestors().take_while(|it| it.starts_with(top));
        above.map(Path::to_path_buf).collect()
    }

    /// Adds the files that a text with a format of its own names by a path from a folder.
    pub(super) fn named_in_lines(&mut self, file: &Path, folder: &Path) {
        let Some(text) = real_path(file).and_then(|it| text_of(&it)) else {
            return;
        };
        let words = text.split(|it: char| it.is_whitespace() || "'\"`()[]{},;=".contains(it));
        let named = words.filter(|it| it.contains(['/', '.']) && it.len() < 256);
        let named: BTreeSet<&str> = named.collect();
        for name in named.into_iter().take(MAX_NAMED) {
            self.script_if_there(&folder.join(name));
        }
    }

    fn script_if_there(&mut self, file: &Path) {
        if file.is_file() {
            self.loads(file);
            self.implicit(file);
            self.script(file);
        }
    }

    /// Adds what `just` recipes run, and the files that are read with them.
    fn recipes_of(&mut self, file: &Path, folder: &Path, targets: &[String]) {
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let Some(own) = real_path(file).and_then(|it| text_of(&it)) else {
            return;
        };
        let mut text = own.to_string();
        for name in included_files(&own) {
            let inner = folder.join(name);
            self.teller(&inner);
            if let Some(more) = real_path(&inner).and_then(|it| text_of(&it)) {
                text.extend(["\n", &*more]);
            }
        }
        for line in recipes(&text, &targets, Recipes::Just) {
            self.started_in(&line, folder, file);
        }
    }

    pub(super) fn package_script(&mut self, name: &str, folder: &Path) {
        let mut descriptions = folder.ancestors().map(|it| it.join("package.json"));
        let Some(description) = descriptions.find(|it| it.is_file()) else {
            return;
        };
        let text = real_path(&description).and_then(|it| text_of(&it));
        let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
        let scripts = described.as_ref().and_then(|it| it.get("scripts"));
        for name in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
            let line = scripts.and_then(|it| it.get(&name)?.as_str());
            let Some(line) = line else { continue };
            if !self.hook.is_from_project() {
                self.description(&description);
            }
            let folder = description.parent().unwrap_or(folder).to_path_buf();
            self.started_in(line, &folder, &description);
        }
    }

    /// Adds a `package.json` that says what runs. One in the project is what people work on.
    pub(super) fn description(&mut self, description: &Path) {
        let real = real_path(description);
        if !real.is_some_and(|real| self.is_of_project(&real)) {
            self.loads(description);
        }
    }

    pub(super) fn installed_program(&mut self, name: &str, folder: &Path) {
        if name.is_empty() || name.contains('/') {
            return;
        }
        let mut programs = folder
            .ancestors()
            .map(|it| it.join("node_modules/.bin").join(name));
        if let Some(program) = programs.find(|it| it.is_file()) {
            self.follow(&program, Presence::Perhaps);
        }
    }

    /// Adds what a line runs in a folder.
    pub(super) fn started_in(&mut self, line: &str, folder: &Path, by: &Path) {
        let folder = folder.to_string_lossy();
        let folder = hookloop_shell::quote(&folder);
        self.follow_start(&format!("cd {folder} && {{ {line}\n}}"), by);
    }

    /// Adds the files of the commands in a line that something starts for the hook.
    pub(super) fn started_commands(&mut self, look: &commands::Look) {
        if self.depth >= MAX_LINE_DEPTH || !self.reading.looks_into_tasks() {
            return;
        }
        self.depth += 1;
        for command in &look.commands {
            for folder in command.folders.iter().map(Path::new) {
                self.tasks(command, folder);
                if !self.searched_first.is_empty() {
                    self.rivals_of(&command.invoked, folder);
                    self.started_by(command, folder);
                    self.installed_program(&command.invoked, folder);
                }
            }
        }
        self.depth -= 1;
    }
}

/// Returns the files that a justfile includes.
fn included_files(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).take(MAX_LINES);
    let words = lines.filter_map(|line| {
        let (first, rest) = line.split_once(char::is_whitespace)?;
        (first.trim_end_matches('?') == "import").then_some(rest)
    });
    let names = words.flat_map(str::split_whitespace);
    let names = names.map(|it| it.trim_matches(['\'', '"']).to_owned());
    names
        .filter(|it| !it.contains('$') && !it.is_empty())
        .collect()
}

/// Returns the lines that make runs for targets, or for the first target.
pub(super) fn recipes(text: &str, targets: &[&str], form: Recipes) -> Vec<String> {
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    let heads = || {
        lines.iter().enumerate().filter_map(|(at, line)| {
            let is_head = !line.starts_with(['\t', '#', '.', ' ']) && !line.contains('=');
            let (names, needs) = line.split_once(':').filter(|_| is_head)?;
            Some((at, names, needs))
        })
    };
    let first = || {
        heads()
            .next()
            .and_then(|(_, names, _)| names.split_whitespace().next())
    };
    let mut wanted: Vec<&str> = targets
        .iter()
        .copied()
        .filter(|it| !it.contains('='))
        .collect();
    if wanted.is_empty() {
        wanted.extend(first());
    }
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for (at, names, needs) in heads() {
            let mut names = names.split_whitespace();
            if !names.any(|it| wanted.contains(&it) && !seen.contains(&it)) {
                continue;
            }
            let (needs, here) = needs.split_once(';').unwrap_or((needs, ""));
            next.extend(needs.split_whitespace());
            found.extend((!here.trim().is_empty()).then(|| bare(here)));
            let is_recipe = |it: &&&str| match form {
                Recipes::Make => it.starts_with('\t'),
                Recipes::Just => it.starts_with([' ', '\t']),
            };
            let recipe = lines[at + 1..].iter().take_while(is_recipe);
            found.extend(recipe.map(|it| bare(it)));
        }
        seen.append(&mut wanted);
        wanted = next;
    }
    found
}

/// Returns a line of a recipe without the characters in front of it.
fn bare(line: &str) -> String {
    line.trim_start_matches(['\t', ' ', '@', '-', '+'])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: make runs the recipes of the given targets and of their prerequisites.
    #[test]
    fn recipes_of_targets_and_of_what_they_need_are_found() {
        let text = "X := a:b\n.PHONY: all\nall: lib\n\t@echo all\nlib:\n\t-sh lib.sh\nother:\n\tsh other.sh\n";
        assert_eq!(recipes(text, &[], Recipes::Make), ["echo all", "sh lib.sh"]);
        assert_eq!(
            recipes(text, &["other", "V=1"], Recipes::Make),
            ["sh other.sh"]
        );
        assert_eq!(recipes(text, &["missing"], Recipes::Make), [] as [&str; 0]);
    }
}
