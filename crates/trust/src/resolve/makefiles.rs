//! Makefiles: what they include through names that variables and patterns produce, and what their
//! recipes run (TR-8).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Recipes};

use crate::aspect::Part;
use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::tasks::{MAX_LINES, recipes};
use crate::resolve::{Finder, commands, folders};

/// The names of makefiles, in the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// How many files that a makefile includes are followed.
const MAX_INCLUDED: usize = 128;

/// How deep variables are followed, and how many texts they may stand for.
const MAX_DEPTH: usize = 8;
const MAX_TEXTS: usize = 16;

/// Words that include another makefile.
const INCLUDES: [&str; 3] = ["include", "-include", "sinclude"];

/// What make knows while it reads.
#[derive(Debug, Default)]
struct Variables {
    /// Every value that a variable is given anywhere: conditions decide which of them counts.
    values: BTreeMap<String, Vec<String>>,
    /// Those given on the command line: they count, whatever a file says.
    given: BTreeSet<String>,
    /// The variable whose lines follow, after `define`.
    defined: Option<(String, Vec<String>)>,
    /// Where it runs.
    folder: String,
    /// The file that is read.
    file: String,
}

impl Finder<'_> {
    pub(super) fn makefile(&mut self, command: &Command, folder: &Path, targets: &[String]) {
        let given = command
            .values_of(&["-f", "--file", "--makefile"])
            .into_iter();
        let mut files: Vec<PathBuf> = given.map(|it| folder.join(&it.text)).collect();
        if files.is_empty() {
            for name in MAKEFILES {
                let file = folder.join(name);
                self.teller(&file);
                if file.is_file() {
                    files.push(file);
                    break;
                }
            }
        }
        let mut variables = Variables {
            folder: folder.to_string_lossy().into_owned(),
            ..Variables::default()
        };
        let earlier = self.read_first(command, folder);
        let before = command.env.iter().map(|it| (&it.name, &it.value.text));
        for (name, value) in before.chain(&self.hook.env) {
            variables.values.insert(name.clone(), vec![value.clone()]);
        }
        for (name, value) in targets.iter().filter_map(|it| it.split_once('=')) {
            let name = name.trim_end_matches([':', '?', '+', '!']).to_owned();
            variables.given.insert(name.clone());
            variables.values.insert(name, vec![value.to_owned()]);
        }
        let searched = command.values_of(&["-I", "--include-dir"]).into_iter();
        let searched: Vec<PathBuf> = searched.map(|it| folder.join(&it.text)).collect();
        let Some(first) = files.first().cloned() else {
            return;
        };
        let files = earlier.into_iter().chain(files).collect();
        let text = self.included_by(files, &searched, &mut variables);
        let text = with_tabs(&text);
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        // A file with a target's name would replace what make builds.
        for target in file_targets(&text, &targets) {
            self.teller(&folder.join(target));
        }
        let mut lines = recipes(&text, &targets, Recipes::Make);
        lines.extend(by_patterns(&text, &targets));
        for line in lines {
            for line in variables.possible_values(&line.replace("$$", "\u{1}")) {
                self.started_in(&line.replace('\u{1}', "$"), folder, &first);
            }
        }
    }

    /// Returns the makefiles that are read before all others because of a variable.
    fn read_first(&self, command: &Command, folder: &Path) -> Vec<PathBuf> {
        const NAME: &str = "MAKEFILES";
        let own = command.env.iter().rev().find(|it| it.name == NAME);
        let own = own.map(|it| it.value.text.clone());
        let own = own.or_else(|| self.hook.env.get(NAME).cloned());
        let listed = own.or_else(|| self.start_variable(NAME));
        let listed = commands::expand(&listed.unwrap_or_default(), self.ground);
        listed
            .split_whitespace()
            .map(|it| folder.join(it))
            .collect()
    }

    /// Adds makefiles and what they include; returns their texts.
    fn included_by(
        &mut self,
        files: Vec<PathBuf>,
        searched: &[PathBuf],
        variables: &mut Variables,
    ) -> String {
        let mut waiting = VecDeque::from(files);
        let mut seen = BTreeSet::new();
        let mut text = String::new();
        while let Some(file) = waiting.pop_front() {
            if !seen.insert(file.clone()) {
                continue;
            }
            if seen.len() > MAX_INCLUDED {
                self.unpinned("its makefiles include more files than are watched".to_owned());
                break;
            }
            self.teller(&file);
            let Some(own) = real_path(&file).and_then(|it| text_of(&it)) else {
                continue;
            };
            // Joins continued lines.
            let own = own.replace("\\\r\n", " ").replace("\\\n", " ");
            variables.file = file.to_string_lossy().into_owned();
            own.lines()
                .take(MAX_LINES)
                .for_each(|it| variables.note(it));
            for line in own.lines().take(MAX_LINES) {
                let words = line.trim().split_once(char::is_whitespace);
                let Some((_, list)) = words.filter(|(first, _)| INCLUDES.contains(first)) else {
                    continue;
                };
                let list = list.split(" #").next().unwrap_or(list);
                for names in variables.possible_values(list) {
                    if names.contains('$') {
                        let shown = file.display();
                        self.unpinned(format!(
                            "{shown} includes files by names that aren't known in advance: {names}"
                        ));
                        continue;
                    }
                    for name in names.split_whitespace() {
                        waiting.extend(self.included_as(name, searched, variables));
                    }
                }
            }
            text.push_str(&own);
            text.push('\n');
        }
        text
    }

    /// Returns the files that a makefile includes by a name; a pattern also includes files that
    /// appear later.
    fn included_as(
        &mut self,
        name: &str,
        searched: &[PathBuf],
        variables: &Variables,
    ) -> Vec<PathBuf> {
        let folder = PathBuf::from(&variables.folder);
        let path = folder.join(name);
        if !name.contains(['*', '?', '[']) {
            let mut all = vec![path];
            if !name.starts_with('/') {
                // If the file is missing, these folders are searched.
                all.extend(searched.iter().map(|it| it.join(name)));
            }
            return all;
        }
        if let (Some(above), Some(own)) =
            (path.parent(), path.file_name().and_then(|it| it.to_str()))
        {
            for above in folders::expand(&above.to_string_lossy(), true) {
                self.note_below(&above, own, Part::Whole);
            }
        }
        let found = folders::expand(&path.to_string_lossy(), true);
        found.into_iter().filter(|it| it.is_file()).collect()
    }
}

impl Variables {
    /// Notes the value that a line gives to a variable.
    fn note(&mut self, line: &str) {
        if let Some((name, mut lines)) = self.defined.take() {
            if line.trim() == "endef" {
                let values = self.values.entry(name).or_default();
                values.push(lines.join("\n"));
            } else {
                lines.push(line.trim_start_matches(['\t', '@', '-', '+']).to_owned());
                self.defined = Some((name, lines));
            }
            return;
        }
        if line.starts_with(['\t', '#']) {
            return;
        }
        let assignment = line.trim().trim_start_matches("override ");
        if let Some(name) = assignment.strip_prefix("define ") {
            let name = name.split_whitespace().next().unwrap_or_default();
            let name = name.trim_end_matches(['=', ':', '?', '+']);
            self.defined = Some((name.to_owned(), Vec::new()));
            return;
        }
        let words = line.trim();
        let mut words = words.strip_prefix("export ").unwrap_or(words).trim_start();
        for word in ["override ", "private ", "unexport "] {
            words = words.strip_prefix(word).unwrap_or(words).trim_start();
        }
        let Some((name, value)) = words.split_once('=') else {
            return;
        };
        let kind = name.chars().next_back();
        // A target-specific variable counts too: `guard: D = x`.
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        let name = name.rsplit([':', ' ', '\t']).next().unwrap_or(name);
        if name.is_empty() || name.contains('$') || self.given.contains(name) {
            return;
        }
        let value = value.split(" #").next().unwrap_or(value).trim();
        let values = self.values.entry(name.to_owned()).or_default();
        match (kind, values.is_empty()) {
            (Some('!'), _) => values.push(format!("$(shell {value})")),
            (Some('+'), false) => values
                .iter_mut()
                .for_each(|it| *it = format!("{it} {value}")),
            _ if values.iter().all(|it| it != value) => values.push(value.to_owned()),
            _ => {}
        }
        values.truncate(MAX_TEXTS);
    }

    /// Returns what a text may stand for; what isn't known stays as it is.
    fn possible_values(&self, text: &str) -> Vec<String> {
        let mut found = self.expand(text, MAX_DEPTH);
        found.sort();
        found.dedup();
        found
    }

    fn expand(&self, text: &str, depth: usize) -> Vec<String> {
        let mut found = vec![String::new()];
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, behind) = rest.split_at(at);
            let (name, end) = reference_name(&behind[1..]);
            let whole = &behind[..=end];
            let values = match depth.checked_sub(1) {
                Some(depth) if !name.is_empty() => self.value(name, depth),
                _ => None,
            };
            let values = values.unwrap_or_else(|| vec![whole.to_owned()]);
            found = found
                .iter()
                .flat_map(|it| {
                    values
                        .iter()
                        .map(move |value| format!("{it}{before}{value}"))
                })
                .take(MAX_TEXTS)
                .collect();
            rest = &behind[end + 1..];
        }
        for it in &mut found {
            it.push_str(rest);
        }
        found
    }

    /// Returns the value of a variable, or of a function of file names.
    fn value(&self, name: &str, depth: usize) -> Option<Vec<String>> {
        let one = |text: &str| Some(vec![text.to_owned()]);
        match name {
            "MAKE" => return one("make"),
            "CURDIR" | "PWD" => return one(&self.folder),
            "MAKEFILE_LIST" => return one(&self.file),
            _ => {}
        }
        if let Some((function, words)) = name.split_once(char::is_whitespace) {
            let words = self.expand(words.trim(), depth);
            let each = |done: &dyn Fn(&str) -> String| {
                let all = words.iter().filter(|it| !it.contains('$'));
                let all: Vec<String> = all
                    .map(|it| {
                        it.split_whitespace()
                            .map(done)
                            .collect::<Vec<_>>()
                            .join(" ")
                    })
                    .collect();
                (all.len() == words.len()).then_some(all)
            };
            return match function {
                "wildcard" | "strip" | "sort" => each(&str::to_owned),
                "dir" => each(&|it| it.rfind('/').map_or("./", |at| &it[..=at]).to_owned()),
                "notdir" => each(&|it| it.rsplit('/').next().unwrap_or(it).to_owned()),
                "abspath" | "realpath" => each(&|it| hookloop_shell::join_path(&self.folder, it)),
                "lastword" => Some(words.iter().map(|it| last(it)).collect()),
                "firstword" => {
                    let first = words.iter().map(|it| it.split_whitespace().next());
                    Some(first.map(|it| it.unwrap_or_default().to_owned()).collect())
                }
                _ => None,
            };
        }
        let values = self.values.get(name)?;
        let all = values.iter().flat_map(|it| self.expand(it, depth));
        Some(all.take(MAX_TEXTS).collect())
    }
}

fn last(words: &str) -> String {
    words
        .split_whitespace()
        .next_back()
        .unwrap_or_default()
        .to_owned()
}

/// Returns what follows a `$`, and where it ends: `(X)`, `{X}`, `X`.
fn reference_name(behind: &str) -> (&str, usize) {
    let close = match behind.chars().next() {
        Some('(') => ')',
        Some('{') => '}',
        Some(one) => return (&behind[..one.len_utf8()], one.len_utf8()),
        None => return ("", 0),
    };
    let open = behind.chars().next().unwrap_or_default();
    let mut depth = 0_usize;
    for (at, letter) in behind.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
            if depth == 0 {
                return (&behind[1..at], at + 1);
            }
        }
    }
    ("", behind.len())
}

/// Returns a text with tabs in front of recipes that begin with another character.
fn with_tabs(text: &str) -> String {
    let said = text
        .lines()
        .filter_map(|it| it.trim().strip_prefix(".RECIPEPREFIX"));
    let mut signs = said.filter_map(|it| it.split_once('=')?.1.trim().chars().next());
    let Some(sign) = signs.next() else {
        return text.to_owned();
    };
    let lines = text.lines().map(|it| match it.strip_prefix(sign) {
        Some(recipe) => format!("\t{recipe}\n"),
        None => format!("{it}\n"),
    });
    lines.collect()
}

/// Returns the lines that make runs for targets by rules whose names are patterns: `check-%: …`.
fn by_patterns(text: &str, targets: &[&str]) -> Vec<String> {
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let head = line
            .split_once(':')
            .filter(|_| !line.starts_with(['\t', '#']));
        let Some((names, needs)) = head.filter(|(names, _)| names.contains('%')) else {
            continue;
        };
        for target in targets {
            let mut patterns = names.split_whitespace().filter_map(|it| it.split_once('%'));
            let stem =
                patterns.find_map(|(begin, end)| target.strip_prefix(begin)?.strip_suffix(end));
            let Some(stem) = stem else { continue };
            let here = needs.split_once(';').map(|(_, recipe)| recipe);
            let behind = lines[at + 1..].iter().take_while(|it| it.starts_with('\t'));
            for recipe in here.into_iter().chain(behind.copied()) {
                let recipe = recipe.trim_start_matches(['\t', ' ', '@', '-', '+']);
                found.push(
                    recipe
                        .replace("$*", stem)
                        .replace("$@", target)
                        .replace("$(*)", stem),
                );
            }
            // Prerequisites may be targets, too; their recipes are found by name.
            let needs = needs
                .split(';')
                .next()
                .unwrap_or_default()
                .replace('%', stem);
            let needs: Vec<&str> = needs.split_whitespace().collect();
            if !needs.is_empty() {
                found.extend(recipes(text, &needs, Recipes::Make));
            }
        }
    }
    found
}

/// Returns the targets that are files to make: those that aren't declared to be something else.
fn file_targets<'t>(text: &'t str, targets: &[&'t str]) -> Vec<&'t str> {
    let lines = text.lines().filter_map(|it| it.strip_prefix(".PHONY"));
    let phony = lines.filter_map(|it| it.trim_start().strip_prefix(':'));
    let phony: Vec<&str> = phony.flat_map(str::split_whitespace).collect();
    let names = targets
        .iter()
        .copied()
        .filter(|it| !it.contains('=') && !it.is_empty());
    names.filter(|it| !phony.contains(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: names that makefiles compose are found; what can't be known stays as it is.
    #[test]
    fn names_in_makefiles_are_put_together() {
        let mut variables = Variables {
            folder: "/p".to_owned(),
            file: "/p/tools/x.mk".to_owned(),
            ..Variables::default()
        };
        for line in [
            "D = tools",
            "E := $(D)/deep",
            "export F ?= ${E}.mk",
            "F += b.mk",
            "guard: T = t",
            "N != date",
            "\tR = no",
            "L = $(L)x",
            "define RUN =",
            "\t@sh $(D)/a.sh",
            "endef",
        ] {
            variables.note(line);
        }
        for (text, meant) in [
            ("$(D)/r.mk", "tools/r.mk"),
            ("${F}", "tools/deep.mk b.mk"),
            ("$(dir $(lastword $(MAKEFILE_LIST)))a.mk", "/p/tools/a.mk"),
            ("$(wildcard $(D)/*.mk)", "tools/*.mk"),
            ("$(CURDIR)/x $T", "/p/x t"),
            ("$(MAKE) -C sub", "make -C sub"),
            ("$(R) $(N)", "$(R) $(shell date)"),
            ("$(foreach a,b,c)", "$(foreach a,b,c)"),
            ("$(RUN)", "sh tools/a.sh"),
            ("a$", "a$"),
            ("$(open", "$(open"),
        ] {
            assert_eq!(variables.possible_values(text), [meant], "{text}");
        }
        assert!(!variables.possible_values("$(L)").is_empty());
    }

    /// TR-8: recipes are found by patterns of names, and after another character than a tab.
    #[test]
    fn recipes_are_found_by_patterns() {
        let text =
            with_tabs(".RECIPEPREFIX = >\ncheck-%: lib-%\n>@sh tools/$*.sh\nlib-x:\n>sh lib.sh\n");
        assert_eq!(
            by_patterns(&text, &["check-x"]),
            ["sh tools/x.sh", "sh lib.sh"]
        );
        assert_eq!(by_patterns(&text, &["other"]), [] as [&str; 0]);
    }
}
