//! What programs carry out that take their tasks from files: makefiles, the scripts of `package.json`, programs of
//! installed packages (TR-8).

use std::path::{Path, PathBuf};

use hookloop_shell::Command;
use serde_json::Value;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::{Finder, Presence};

/// The names of makefiles, as they are looked for.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// How deep prerequisites of a target are followed, and how many lines of a makefile.
const DEEPEST: usize = 6;
const MOST_LINES: usize = 4096;

/// Options by which these programs are told where they work.
const FOLDERS: [&str; 5] = ["-C", "--directory", "--prefix", "--cwd", "--dir"];

/// Subcommands that carry out a script of a package by its name, and those that are one.
const RUNNING: [&str; 2] = ["run", "run-script"];
const NAMED: [&str; 4] = ["test", "start", "stop", "restart"];

impl Finder<'_> {
    /// Takes up what a program carries out for a hook that stands before an action. What a project's hook runs of
    /// the project has been told when it was agreed to.
    pub(super) fn tasks(&mut self, command: &Command, folder: &Path) {
        if self.hook.is_from_project() || !self.hook.event.is_before_action() {
            return;
        }
        let mut folder = folder.to_path_buf();
        for part in command.values_of(&FOLDERS) {
            folder.push(&part.text);
        }
        let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        let subcommand = command.args().iter().map(|it| it.text.as_str());
        let mut subcommand = subcommand.filter(|it| RUNNING.contains(it) || NAMED.contains(it));
        match command.program.as_str() {
            "make" | "gmake" => self.makefile(command, &folder, &operands),
            "npx" | "bunx" => {
                if let Some(name) = operands.first() {
                    self.installed_program(name, &folder);
                }
            }
            "npm" | "pnpm" | "yarn" | "bun" => {
                let named = subcommand.next().filter(|it| NAMED.contains(it));
                for name in named.into_iter().chain(operands) {
                    self.package_script(name, &folder);
                    self.installed_program(name, &folder);
                }
            }
            _ => {}
        }
    }

    fn makefile(&mut self, command: &Command, folder: &Path, targets: &[&str]) {
        let given = command
            .values_of(&["-f", "--file", "--makefile"])
            .into_iter();
        let mut files: Vec<PathBuf> = given.map(|it| folder.join(&it.text)).collect();
        if files.is_empty() {
            for name in MAKEFILES {
                let file = folder.join(name);
                self.implicit(&file);
                if file.is_file() {
                    files.push(file);
                    break;
                }
            }
        }
        for file in files {
            self.implicit(&file);
            let Some(text) = real_path(&file).and_then(|it| text_of(&it)) else {
                continue;
            };
            for line in recipes(&text, targets) {
                self.started_in(&line, folder, &file);
            }
        }
    }

    fn package_script(&mut self, name: &str, folder: &Path) {
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
            self.description(&description);
            let folder = description.parent().unwrap_or(folder).to_path_buf();
            self.started_in(line, &folder, &description);
        }
    }

    /// Takes up a `package.json` that says what runs. One of the project is what people work on.
    pub(super) fn description(&mut self, description: &Path) {
        let real = real_path(description);
        if !real.is_some_and(|real| self.is_of_project(&real)) {
            self.loads(description);
        }
    }

    fn installed_program(&mut self, name: &str, folder: &Path) {
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

    /// Takes up what a line runs that is carried out in a folder.
    fn started_in(&mut self, line: &str, folder: &Path, by: &Path) {
        let folder = folder.to_string_lossy();
        let folder = hookloop_shell::quote(&folder);
        self.started(&format!("cd {folder} && {{ {line}\n}}"), by);
    }
}

/// Returns the lines that make carries out for targets, or for the first one.
fn recipes(text: &str, targets: &[&str]) -> Vec<String> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
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
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for (at, names, needs) in heads() {
            let mut names = names.split_whitespace();
            if !names.any(|it| wanted.contains(&it) && !seen.contains(&it)) {
                continue;
            }
            next.extend(needs.split_whitespace());
            let recipe = lines[at + 1..].iter().take_while(|it| it.starts_with('\t'));
            found.extend(
                recipe.map(|it| it.trim_start_matches(['\t', ' ', '@', '-', '+']).to_owned()),
            );
        }
        seen.append(&mut wanted);
        wanted = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: make carries out the recipes of the targets that it is given, with what they need.
    #[test]
    fn recipes_of_targets_and_of_what_they_need_are_found() {
        let text = "X := a:b\n.PHONY: all\nall: lib\n\t@echo all\nlib:\n\t-sh lib.sh\nother:\n\tsh other.sh\n";
        assert_eq!(recipes(text, &[]), ["echo all", "sh lib.sh"]);
        assert_eq!(recipes(text, &["other", "V=1"]), ["sh other.sh"]);
        assert_eq!(recipes(text, &["missing"]), [] as [&str; 0]);
    }
}
