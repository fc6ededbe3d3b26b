//! Files that a call or its session wrote, and that other programs run automatically: modules, git
//! settings, programs in the search path.

use std::path::{Path, PathBuf};

use hookloop_shell::{Understood, settings_of_git};
use serde_json::Value;

use super::commands::{Place, language_of, max_depth};
use super::concern::Concern;
use super::tokens::Language;
use super::{recipes, tables};

impl Place {
    /// Examines files that a text writes and may run without naming them:
    /// `echo … > x.py; python3 -c 'import x'`. A possible change of a guard is left to the call
    /// that runs the file by name.
    pub(super) fn check_written(
        &self,
        understood: &Understood,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let starts = |it: &hookloop_shell::Command| {
            let program = it.program.as_str();
            let searched = it.env.iter().any(|it| it.name == "PATH");
            let starts = !tables::PROGRAMS_THAT_START_NOTHING.holds(program);
            !program.is_empty() && (starts || searched)
        };
        if !understood.commands.iter().any(starts) {
            return None;
        }
        let mut written = understood.versions.iter();
        let found = written.find_map(|(path, text)| {
            let concern = self.check_file(Path::new(path), text, folder, depth);
            concern.filter(|it| !matches!(it, Concern::Unclear(_)))
        });
        let written = understood.versions.iter();
        let written = written.map(|(path, text)| {
            let path = PathBuf::from(path);
            let found = self.effects_of(&path, text, depth);
            (path, found)
        });
        let written: Vec<_> = written.collect();
        // Files written earlier are examined once per call, not for each text in it.
        let is_outermost = depth + 1 == max_depth();
        found
            .or_else(|| self.held_by_effects(understood, written))
            .or_else(|| is_outermost.then(|| self.check_planted(understood, depth))?)
    }

    pub(super) fn check_file(
        &self,
        path: &Path,
        text: &str,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let shell = |line: &str| self.check_shell(line, folder, depth);
        let language = match ending {
            "py" | "pyw" | "pth" => Some(Language::Python),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => {
                Some(Language::JavaScript)
            }
            "pl" | "pm" | "t" => Some(Language::Perl),
            "rb" | "rake" | "gemspec" => Some(Language::Ruby),
            "php" => Some(Language::Php),
            "lua" => Some(Language::Lua),
            "tcl" => Some(Language::Tcl),
            _ if ["Rakefile", "Gemfile", "Guardfile"].contains(&name.as_str()) => {
                Some(Language::Ruby)
            }
            _ if ["SConstruct", "SConscript", "wscript"].contains(&name.as_str()) => {
                Some(Language::Python)
            }
            _ => language_of(text),
        };
        if let Some(language) = language {
            let folders = [folder.to_string_lossy().into_owned()];
            return self.check_text(text, language, &folders, &[], depth);
        }
        if tables::ENDINGS_OF_SOURCES.holds(ending) {
            return self.named_by_source(text, folder, depth);
        }
        if hookloop_shell::is_build_file(&name) || ending == "mk" {
            return recipes::lines_of(text).iter().find_map(|it| shell(it));
        }
        if name == "package.json" {
            let package: Value = serde_json::from_str(text).ok()?;
            let scripts = package.get("scripts")?.as_object()?;
            return scripts.values().filter_map(Value::as_str).find_map(shell);
        }
        if path.ends_with(".git/config") || ending == "gitconfig" {
            return settings_of_git(text).runs.iter().find_map(|it| shell(it));
        }
        // A script has no extension, or a shell's; a file that begins differently isn't a script.
        let is_script = text.starts_with("#!")
            || ["sh", "bash", "zsh"].contains(&ending)
            || tables::STARTUP_FILES.holds(&name);
        let is_program = ending.is_empty() && path.starts_with(folder);
        (is_script || is_program).then(|| shell(text))?
    }
}
