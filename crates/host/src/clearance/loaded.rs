//! Files that a call or its session wrote, and that other programs carry out by themselves: modules, settings
//! of git, programs in the search path.

use std::path::Path;

use hookloop_shell::{Understood, settings_of_git};
use serde_json::Value;

use super::commands::{Place, language_of};
use super::concern::Concern;
use super::tables;
use super::tokens::Language;

impl Place {
    /// Looks at what a text leaves in files and may have carried out without saying so: `echo … > x.py;
    /// python3 -c 'import x'`. What only might touch a guard is left to whoever runs it by its name.
    pub(super) fn of_written(
        &self,
        understood: &Understood,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let starts = |it: &hookloop_shell::Command| {
            let program = it.program.as_str();
            let searched = it.env.iter().any(|it| it.name == "PATH");
            let starts = !tables::holds(tables::PROGRAMS_THAT_START_NOTHING, program);
            !program.is_empty() && (starts || searched)
        };
        if understood.written.is_empty() || !understood.commands.iter().any(starts) {
            return None;
        }
        let mut written = understood.written.iter();
        written.find_map(|(path, text)| {
            let concern = self.of_file(Path::new(path), text, folder, depth);
            concern.filter(|it| !matches!(it, Concern::Unclear(_)))
        })
    }

    fn of_file(&self, path: &Path, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let shell = |line: &str| self.of_shell(line, folder, depth);
        let language = match ending {
            "py" => Some(Language::Python),
            "js" | "mjs" | "cjs" | "ts" => Some(Language::JavaScript),
            "pl" | "pm" => Some(Language::Perl),
            "rb" => Some(Language::Ruby),
            "php" => Some(Language::Php),
            _ => language_of(text),
        };
        if let Some(language) = language {
            let folders = [folder.to_string_lossy().into_owned()];
            return self.of_text(text, language, &folders, &[], depth);
        }
        if name == "package.json" {
            let package: Value = serde_json::from_str(text).ok()?;
            let scripts = package.get("scripts")?.as_object()?;
            return scripts.values().filter_map(Value::as_str).find_map(shell);
        }
        if path.ends_with(".git/config") || ending == "gitconfig" {
            return settings_of_git(text).runs.iter().find_map(|it| shell(it));
        }
        // A program has no ending, or that of a shell; a text that begins otherwise isn't one.
        let is_script = text.starts_with("#!") || ["sh", "bash", "zsh"].contains(&ending);
        let is_program = ending.is_empty() && path.starts_with(folder);
        (is_script || is_program).then(|| shell(text))?
    }
}
