//! What a hook's commands start: programs and scripts, as the shell would find them.

use std::path::{Path, PathBuf};

use hookloop_dialects::project_folder;
use hookloop_hook::{EventName, Handler, HookDeclaration, ProblemCode};
use hookloop_settings::nearest;
use hookloop_shell::{
    Command, DefinitionKind, Failing, Place as Where, Understood, Word, is_builtin,
};
use hookloop_text::shorten::excerpt;

use super::variables::Variables;
use super::{Complaint, FileProbe, Place, Probed, script, tested};

/// Words of the grammar, which aren't programs.
const KEYWORDS: &[&str] = &[
    "[[", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}", "!", "coproc",
];

/// Programs that start others as they are.
const STARTERS: &[&str] = &[
    "bash", "sh", "dash", "zsh", "ksh", "env", "nice", "nohup", "timeout", "command", "exec",
    "eval", "stdbuf", "setsid", "ionice", "time", "builtin", "chronic",
];

/// Shells, to which the ends of lines are part of words.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "source", "."];

/// Quotes that a word processor writes.
const CURLY: [char; 5] = ['“', '”', '„', '‘', '’'];

/// Most words that a path with blanks is pieced together of.
const MAX_PIECES: usize = 5;

/// The commands of a hook, and what is known about where they run.
pub(crate) struct Programs<'a> {
    pub(crate) hook: &'a HookDeclaration,
    pub(crate) text: &'a str,
    pub(crate) understood: &'a Understood,
    pub(crate) place: Place<'a>,
    pub(crate) probe: &'a dyn FileProbe,
    pub(crate) variables: &'a Variables<'a>,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Looked {
    /// The first thing that is wrong.
    pub(crate) complaint: Option<Complaint>,
    /// The scripts that are there.
    pub(crate) scripts: Vec<PathBuf>,
}

impl Programs<'_> {
    /// Looks at everything that would certainly run.
    pub(crate) fn look(&self) -> Looked {
        let mut looked = Looked::default();
        for command in &self.understood.commands {
            let complaint = self.command(command, &mut looked.scripts);
            let complaint = complaint.filter(|it| !self.is_spared(command, it));
            let is_certain = !command.perhaps && is_started_as_it_stands(command);
            if is_certain && looked.complaint.is_none() {
                looked.complaint = complaint;
            } else if looked.complaint.is_none() && self.is_behind_its_own_test(command) {
                looked.complaint = complaint.map(after_a_test);
            }
        }
        // The `else` branch works without the program.
        let has_else = self
            .text
            .split_whitespace()
            .any(|it| matches!(it, "else" | "elif"));
        if looked.complaint.is_none() && self.is_asked_first() && !has_else {
            let needed = tested::required_programs(self.understood).into_iter();
            let missing = needed.filter(|(_, name)| {
                !is_builtin(name) && !self.is_defined(name) && !tested::only_tells(name)
            });
            let mut missing = missing.filter(|(_, name)| !self.is_found(name));
            let found = missing.next();
            looked.complaint =
                found.map(|(command, name)| after_a_test(self.missing_program(name, command)));
        }
        if looked.complaint.is_none() {
            looked.complaint = self.check_empty_command();
        }
        looked
    }

    /// Returns whether the text itself handles a missing program. In a guard whatever checks
    /// counts: without it the alternative lets everything pass.
    fn is_spared(&self, command: &Command, complaint: &Complaint) -> bool {
        complaint.code == ProblemCode::InterpreterMissing
            && command.failing == Failing::HasAlternative
            && (tested::only_tells(&command.program) || !self.is_asked_first())
            && !tested::may_refuse(self.text, self.understood)
    }

    /// Returns whether the hook is asked before something happens: one that does nothing then lets
    /// it pass.
    const fn is_asked_first(&self) -> bool {
        matches!(
            self.hook.event,
            EventName::BeforeTool | EventName::BeforeAgent | EventName::BeforeModel
        )
    }

    /// Returns whether a command runs only if a test finds it, and nothing runs in its place.
    fn is_behind_its_own_test(&self, command: &Command) -> bool {
        let word = if command.invoked.contains('/') {
            command.words.first()
        } else {
            command.script()
        };
        self.is_asked_first()
            && word.is_some_and(|it| {
                tested::is_conditional(self.text, self.understood, command, &it.text)
            })
    }

    /// Looks at one command, and notes the scripts that it runs.
    fn command(&self, command: &Command, scripts: &mut Vec<PathBuf>) -> Option<Complaint> {
        let first = command.words.first().filter(|it| it.known)?;
        let name = command.invoked.as_str();
        if name.is_empty() || first.pattern || self.is_defined(name) {
            return None;
        }
        if name.contains('/') {
            let path = self.path_of(first, command)?;
            let complaint = match self.probe.probe(&path) {
                Probed::Executable => script::look(&path, self.probe),
                other => self.unusable(other, &path, first, command),
            };
            scripts.push(path);
            return complaint;
        }
        let is_own = is_builtin(name) || KEYWORDS.contains(&name);
        if !is_own && !self.is_found(name) {
            return Some(self.missing_program(name, command));
        }
        if name == "cd" {
            return self.folder(command);
        }
        let given = command.script().filter(|it| it.known && !it.pattern)?;
        let is_path = given.text.contains(['/', '.']) && given.text != "-";
        let path = self.path_of(given, command).filter(|_| is_path)?;
        let complaint = match self.probe.probe(&path) {
            Probed::Executable | Probed::NotExecutable => {
                script::look_at_given(&path, SHELLS.contains(&name), self.probe)
            }
            // Interpreters can run a folder through its main file.
            Probed::Folder if !SHELLS.contains(&name) => None,
            other => self.unusable(other, &path, given, command),
        };
        scripts.push(path);
        complaint
    }

    /// Returns whether the text itself defines a name.
    fn is_defined(&self, name: &str) -> bool {
        let mut definitions = self.understood.definitions.iter();
        definitions.any(|it| it.kind != DefinitionKind::Trap && it.name == name)
    }

    fn is_found(&self, program: &str) -> bool {
        if self.sets_path() {
            return true;
        }
        let own = self.hook.env.get("PATH").map(String::as_str);
        self.probe.is_on_path(program, own)
    }

    /// Returns whether the text changes where programs are looked for.
    fn sets_path(&self) -> bool {
        let mut commands = self.understood.commands.iter();
        commands.any(|command| {
            command.env.iter().any(|it| it.name == "PATH")
                || matches!(
                    command.program.as_str(),
                    "export" | "declare" | "source" | "."
                )
        })
    }

    /// Returns where a word leads, if that is one place and the text creates no file there.
    fn path_of(&self, word: &Word, command: &Command) -> Option<PathBuf> {
        let path = if word.text.starts_with('/') {
            PathBuf::from(&word.text)
        } else {
            let mut paths = command
                .folders
                .iter()
                .map(|it| Path::new(it).join(&word.text));
            match &command.folders[..] {
                [_] => paths.next()?,
                // If there are several candidates, an executable one is meant.
                _ => paths.find(|it| self.probe.probe(it) == Probed::Executable)?,
            }
        };
        let written = self.understood.commands.iter().flat_map(|it| &it.writes);
        let mut paths = written.flat_map(|it| &it.paths);
        (!paths.any(|it| Path::new(it) == path)).then_some(path)
    }

    /// Looks at the folder that the commands after `cd` need.
    fn folder(&self, command: &Command) -> Option<Complaint> {
        let word = command
            .operands()
            .next()
            .filter(|it| it.known && !it.pattern)?;
        if word.text.is_empty() || word.text == "-" {
            return None;
        }
        let path = self.path_of(word, command)?;
        (self.probe.probe(&path) == Probed::Missing).then(|| {
            let mut complaint = self.missing(&path, word, command);
            complaint.message.insert_str(0, "the folder ");
            complaint
        })
    }

    /// Returns why a file can't be run.
    fn unusable(
        &self,
        probed: Probed,
        path: &Path,
        word: &Word,
        command: &Command,
    ) -> Option<Complaint> {
        let shown = self.display_path(path, word);
        match probed {
            Probed::Missing => Some(self.missing(path, word, command)),
            Probed::NotExecutable => Some(Complaint::new(
                ProblemCode::ScriptNotExecutable,
                format!("{shown} isn't executable"),
                format!("run: chmod +x {}", hookloop_shell::quote(&shown)),
            )),
            Probed::LinkLoop => Some(Complaint::new(
                ProblemCode::ScriptMissing,
                format!("{shown} is a link that leads back to itself"),
                "put the script in its place, or point the link to it",
            )),
            Probed::Folder => {
                let inside = self.only_script_in(path);
                let help = match &inside {
                    Some(name) => format!("name the script inside it: {name}"),
                    None => "name the script in it".to_owned(),
                };
                let message = format!("{shown} is a folder, which can't be run");
                Some(Complaint::new(
                    ProblemCode::ScriptNotExecutable,
                    message,
                    help,
                ))
            }
            Probed::Executable | Probed::Unknown => None,
        }
    }

    /// Returns what a shell would have expanded a path to, which doesn't happen beside `args`.
    fn beside_args(&self, shown: &str, text: &str) -> Option<Complaint> {
        if !self.has_args() {
            return None;
        }
        let (why, help) = if text.starts_with("~/") {
            (
                "\"~\" is an ordinary character",
                "write the full path, or one that begins with $GEMINI_PROJECT_DIR; or put \
                 everything into \"command\", without \"args\"",
            )
        } else if text == self.hook.command() && text.contains(' ') {
            (
                "no shell splits the command",
                "put only the program into \"command\" and the rest into \"args\", or remove \
                 \"args\"",
            )
        } else {
            return None;
        };
        let message = format!("{shown} doesn't exist: with \"args\", {why}");
        Some(Complaint::new(ProblemCode::ScriptMissing, message, help))
    }

    /// Returns whether the command is run as it is, without a shell.
    const fn has_args(&self) -> bool {
        matches!(
            &self.hook.handler,
            Handler::Command { args: Some(_), .. } | Handler::Worker { args: Some(_), .. }
        )
    }

    fn only_script_in(&self, folder: &Path) -> Option<String> {
        match &self.probe.names_in(folder)[..] {
            [only] => Some(folder.join(only).to_string_lossy().into_owned()),
            _ => None,
        }
    }

    /// Returns the complaint that a file is missing, with what was probably meant, judging by its
    /// name.
    fn missing(&self, path: &Path, word: &Word, command: &Command) -> Complaint {
        let shown = self.display_path(path, word);
        let code = ProblemCode::ScriptMissing;
        let complaint = |message: String, help: String| Complaint::new(code, message, help);
        let text = word.text.as_str();
        if text.contains(CURLY) {
            let message = format!(
                "{shown} doesn't exist: curly quotes are part of the name; the shell doesn't \
                 remove them"
            );
            let help = "write straight quotes (\" or ') instead";
            let right = self.text.replace(CURLY, "\"");
            return Complaint {
                suggestion: (self.text == self.hook.command()).then_some(right),
                ..complaint(message, help.to_owned())
            };
        }
        if let Some(name) = self.variables.unset_in(self.text) {
            let (help, right) = self.variables.remedy(&name);
            let message = format!("{shown} doesn't exist, because {name} isn't set");
            return Complaint {
                suggestion: right.and_then(|right| self.with_variable(&name, &right)),
                ..complaint(message, help)
            };
        }
        if let Some(complaint) = self.beside_args(&shown, text) {
            return complaint;
        }
        if let Some(rest) = text.strip_prefix("~/").filter(|_| word.quoted) {
            return complaint(
                format!("{shown} doesn't exist: in quotes, \"~\" isn't the home folder"),
                format!("write \"$HOME/{rest}\" in double quotes, or ~/{rest} without quotes"),
            );
        }
        if text.contains('$') {
            let (why, help) = if self.text == self.hook.command() {
                ("in single quotes", "write it in double quotes")
            } else {
                (
                    "beside \"args\"",
                    "write the path as it is, or the command without \"args\"",
                )
            };
            let message = format!(
                "\"{}\" doesn't exist: {why} \"$\" is an ordinary character",
                excerpt(text)
            );
            return complaint(message, help.to_owned());
        }
        if !text.starts_with('/') {
            let at_root = self.place.root.join(text);
            if at_root != path && self.probe.probe(&at_root) != Probed::Missing {
                let folder = project_folder(self.hook.dialect);
                let right = format!("{folder}/{}", text.trim_start_matches("./"));
                return Complaint {
                    suggestion: self.corrected_command(text, &right),
                    ..complaint(
                        format!(
                            "{shown} doesn't exist: a relative path is looked for in the folder \
                             where the session begins"
                        ),
                        format!("write \"{right}\""),
                    )
                };
            }
        }
        if let Some(whole) = self.with_blanks(path, word, command) {
            return complaint(
                format!("{shown} doesn't exist: the path contains spaces, but isn't quoted"),
                format!("write {} in quotes", hookloop_shell::quote(&whole)),
            );
        }
        self.check_similar_name(path).unwrap_or_else(|| {
            let message = format!("{shown} doesn't exist");
            complaint(message, "create the file, or correct its path".to_owned())
        })
    }

    /// Pieces a path together from the words that it was split into.
    fn with_blanks(&self, path: &Path, word: &Word, command: &Command) -> Option<String> {
        let words = &command.words;
        let at = words.iter().position(|it| it == word)?;
        let mut whole = path.to_string_lossy().into_owned();
        for next in words.iter().skip(at + 1).take(MAX_PIECES) {
            whole.push(' ');
            whole.push_str(&next.text);
            if self.probe.probe(Path::new(&whole)) != Probed::Missing {
                return Some(whole);
            }
        }
        None
    }

    /// Returns the command with another variable in the place of one.
    fn with_variable(&self, name: &str, right: &str) -> Option<String> {
        self.corrected_command(&format!("${{{name}}}"), right)
            .or_else(|| self.corrected_command(&format!("${name}"), right))
    }

    /// Returns the command with one part of it corrected, if it contains that part as written.
    fn corrected_command(&self, wrong: &str, right: &str) -> Option<String> {
        let is_as_written = self.text == self.hook.command();
        (is_as_written && self.text.matches(wrong).count() == 1)
            .then(|| self.text.replace(wrong, right))
    }

    /// Finds a file of a similar name beside one that is missing.
    fn check_similar_name(&self, path: &Path) -> Option<Complaint> {
        let name = path.file_name()?.to_str()?;
        let folder = path.parent()?;
        let names = self.probe.names_in(folder);
        if names.iter().any(|it| it == name) {
            return Some(Complaint::new(
                ProblemCode::ScriptMissing,
                format!("{} is a link to a file that doesn't exist", path.display()),
                "restore that file, or point the link to another one".to_owned(),
            ));
        }
        let stem = |name: &str| {
            name.rsplit_once('.')
                .map_or(name, |(stem, _)| stem)
                .to_owned()
        };
        let same_stem = names.iter().find(|it| stem(it) == stem(name));
        let meant = same_stem
            .map(String::as_str)
            .or_else(|| nearest(name, names.iter().map(String::as_str)))?;
        let message = format!("{} doesn't exist", path.display());
        let help = format!("did you mean \"{meant}\"? it is in the same folder");
        Some(Complaint {
            suggestion: self.corrected_command(name, meant),
            ..Complaint::new(ProblemCode::ScriptMissing, message, help)
        })
    }

    /// Returns a path as it may be shown: parts from the environment may be a secret.
    fn display_path(&self, path: &Path, word: &Word) -> String {
        if self.variables.can_be_shown() {
            path.to_string_lossy().into_owned()
        } else {
            format!("the file that \"{}\" names", excerpt(self.written(word)))
        }
    }

    fn written<'t>(&'t self, word: &'t Word) -> &'t str {
        // A word that contains a value differs from the written text.
        if self.text.contains(&word.text) {
            &word.text
        } else {
            self.text
        }
    }

    fn missing_program(&self, program: &str, command: &Command) -> Complaint {
        let code = ProblemCode::InterpreterMissing;
        if self.hook.env.contains_key("PATH") {
            let message = format!(
                "there is no program \"{}\" on the PATH that the hook's \"env\" sets",
                excerpt(program)
            );
            let help = "remove \"PATH\" there, or include the usual folders in it, too";
            return Complaint::new(code, message, help);
        }
        let is_beside = |folder: &Path| self.probe.probe(&folder.join(program)) != Probed::Missing;
        let folders = [Some(self.place.current), Some(self.place.root)];
        let mut message = format!("there is no program \"{}\" on the PATH", excerpt(program));
        let mut help = "install it, or correct the command".to_owned();
        let mut suggestion = None;
        if folders.into_iter().flatten().any(is_beside) {
            let right = format!("{}/{program}", project_folder(self.hook.dialect));
            help = format!("write \"{right}\" to run the project's file");
            suggestion = self.corrected_command(program, &right);
        } else if let Some(path) = path_of_windows(self.text, program) {
            message = format!("{message}: the shell removes the backslashes of {path}");
            help = format!("write \"{}\"", path.replace('\\', "/"));
            suggestion = Some(self.text.replace('\\', "/"));
        } else if let Some(name) = self.variables.unset_in(self.text)
            && command.words.len() < self.text.split_whitespace().count()
        {
            message = format!("{message}, because {name} isn't set");
            let right;
            (help, right) = self.variables.remedy(&name);
            suggestion = right.and_then(|right| self.with_variable(&name, &right));
        }
        Complaint {
            suggestion,
            ..Complaint::new(code, message, help)
        }
    }

    /// Looks for a command that is empty because its variables aren't set.
    fn check_empty_command(&self) -> Option<Complaint> {
        let runs = |command: &Command| !command.invoked.is_empty() || !command.env.is_empty();
        if !self.understood.parsed || self.understood.commands.iter().any(runs) {
            return None;
        }
        let name = self.variables.unset_in(self.text)?;
        let message = format!("the command is empty, because {name} isn't set");
        let (help, right) = self.variables.remedy(&name);
        let code = ProblemCode::UnsetVariable;
        Some(Complaint {
            suggestion: right.and_then(|right| self.with_variable(&name, &right)),
            ..Complaint::new(code, message, help)
        })
    }
}

/// Returns the path with backslashes that a shell read as this program: `C:\hooks\guard.exe`.
fn path_of_windows<'t>(text: &'t str, program: &str) -> Option<&'t str> {
    let first = text.split_whitespace().next()?;
    let has_drive = first.get(1..3) == Some(":\\");
    (has_drive && first.replace('\\', "") == program).then_some(first)
}

/// Adds to the complaint about what is missing that a test hides it.
fn after_a_test(complaint: Complaint) -> Complaint {
    let message = format!(
        "{}: the test in front of it fails, and the hook silently does nothing",
        complaint.message
    );
    Complaint {
        message,
        ..complaint
    }
}

/// Returns whether a command runs as it is written, if the hook does.
fn is_started_as_it_stands(command: &Command) -> bool {
    let mut starters = command.through.iter();
    command.place == Where::Here && starters.all(|it| STARTERS.contains(&it.as_str()))
}
