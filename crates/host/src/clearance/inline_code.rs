//! Program text in the words of a command, and what its program is fed.

use std::path::Path;

use hookloop_shell::{Command, Input};

use super::commands::Place;
use super::concern::Concern;
use super::tokens::Language;

impl Place {
    /// Examines program text in the words of a command (`python3 -c …`), and what its program is
    /// fed.
    pub(super) fn check_code(&self, command: &Command, depth: usize) -> Option<Concern> {
        let code = command.code.as_ref();
        let Some(language) = Language::from_program(&command.program) else {
            return self.check_editor_commands(command, code?, depth);
        };
        let given: Vec<String> = command.operands().map(|it| it.text.clone()).collect();
        let found =
            code.and_then(|code| self.check_text(code, language, &command.folders, &given, depth));
        if matches!(found, Some(Concern::Touches(_) | Concern::Changes(_))) {
            return found;
        }
        self.check_fed(command, language, depth).or(found)
    }

    /// Examines what a program reads that runs a text, a module or a script: it may carry it out,
    /// by whatever name it knows it (`do shift`, `eval STDIN.read`). Mostly it is data, so that
    /// only certain changes count.
    fn check_fed(&self, command: &Command, language: Language, depth: usize) -> Option<Concern> {
        let text = match &command.input {
            Input::Text(text) => text.clone(),
            Input::File(file) => {
                let mut paths = command.folders.iter().map(|it| Path::new(it).join(file));
                let path = paths.find(|it| self.has_file(it) && self.is_of_session(it))?;
                self.script_text(&path)?.ok()?
            }
            _ => return None,
        };
        let found = self.check_text(&text, language, &command.folders, &[], depth);
        found.filter(|it| matches!(it, Concern::Touches(_) | Concern::Changes(_)))
    }
}
