//! What is wrong with the commands and scripts of hooks: the part of `hooks check` that looks at
//! files and programs (CM-3). It says what a command would find when the shell runs it, and what
//! its scripts say: refusals that are lost, fields that no event has, other agents' words.
//!
//! The disk and the environment are behind the port [`FileProbe`].
//!
//! ```
//! use std::path::{Path, PathBuf};
//!
//! use hookloop_events::EventName;
//! use hookloop_hook::{Handler, HookDeclaration, ProblemCode};
//! use hookloop_lint::{FileProbe, Place, Probed, lint_commands};
//! use hookloop_settings::Settings;
//!
//! /// A machine on which there is nothing.
//! struct Nothing;
//!
//! impl FileProbe for Nothing {
//!     fn probe(&self, _path: &Path) -> Probed {
//!         Probed::Missing
//!     }
//!     fn text(&self, _path: &Path) -> Option<String> {
//!         None
//!     }
//!     fn real_path(&self, path: &Path) -> Option<PathBuf> {
//!         Some(path.to_owned())
//!     }
//!     fn names_in(&self, _folder: &Path) -> Vec<String> {
//!         Vec::new()
//!     }
//!     fn home(&self) -> Option<&Path> {
//!         None
//!     }
//!     fn is_on_path(&self, _program: &str, _own: Option<&str>) -> bool {
//!         false
//!     }
//!     fn variable(&self, _name: &str) -> Option<String> {
//!         None
//!     }
//!     fn withheld_variables(&self, _hook: &HookDeclaration) -> Vec<String> {
//!         Vec::new()
//!     }
//! }
//!
//! let hook = HookDeclaration {
//!     handler: Handler::command("hooks/guard.sh".to_owned()),
//!     ..HookDeclaration::in_process(EventName::BeforeTool, "guard")
//! };
//! let root = Path::new("/home/ann/shop");
//! let place = Place { root, current: root };
//! let problems = lint_commands(&Settings::default(), [&hook], place, &Nothing);
//! assert_eq!(problems[0].code, ProblemCode::ScriptMissing);
//! ```

mod alone;
mod fields;
mod flaws;
mod never_set;
mod program;
mod read;
mod refusal;
mod script;
mod sought;
mod tested;
mod variables;
mod withheld;
mod words;

use std::path::{Path, PathBuf};

use hookloop_hook::{COMMAND_VARIABLES, Handler, HookDeclaration, Problem, ProblemCode, Shell};
use hookloop_settings::{Settings, expand_project_variables};
use hookloop_shell::{Surroundings, Unclosed, Understood, unclosed, understand};
use hookloop_text::shorten::excerpt;

use program::Programs;
pub use sought::{LookedFor, find_looked_for};
use variables::Variables;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// Nothing.
    Missing,
    /// A file that can be executed.
    Executable,
    /// A file that can't be executed.
    NotExecutable,
    /// A folder.
    Folder,
    /// Links that lead back to themselves.
    LinkLoop,
    /// It can't be known, or it is something else.
    Unknown,
}

/// Looks at the file system and the environment for [`lint_commands`].
pub trait FileProbe {
    /// Returns what is at a path.
    fn probe(&self, path: &Path) -> Probed;
    /// Returns the text of a regular file of bearable size.
    fn text(&self, path: &Path) -> Option<String>;
    /// Returns where a path leads, links resolved.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;
    /// Returns names of files in a folder, not all of a large one.
    fn names_in(&self, folder: &Path) -> Vec<String>;
    /// Returns the home folder that hooks see.
    fn home(&self) -> Option<&Path>;
    /// Returns whether a program of this name is in one of the folders of a list (`PATH`); of the
    /// `PATH` that hooks get, unless they have their own.
    fn is_on_path(&self, program: &str, own: Option<&str>) -> bool;
    /// Returns a variable of the environment that hooks get.
    fn variable(&self, name: &str) -> Option<String>;
    /// Returns the names of variables that are set but that a hook doesn't get because they look
    /// like secrets (ENV-3).
    fn withheld_variables(&self, hook: &HookDeclaration) -> Vec<String>;
}

/// Where hooks run.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// The session's working directory.
    pub current: &'a Path,
}

/// Something that is wrong with a command.
pub(crate) struct Complaint {
    pub(crate) code: ProblemCode,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) suggestion: Option<String>,
}

impl Complaint {
    fn new(code: ProblemCode, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: help.into(),
            suggestion: None,
        }
    }
}

/// Returns what hooks wouldn't find, or not find as intended: scripts that are missing, empty, not
/// executable or unusable for their interpreter, programs, variables that aren't set, incomplete
/// commands (CM-3); and words of other agents in what they run.
///
/// Only what would certainly run is looked at: not what is in a branch, or after a program that may
/// fail. What can't be known isn't reported.
pub fn lint_commands<'h>(
    settings: &Settings,
    hooks: impl IntoIterator<Item = &'h HookDeclaration>,
    place: Place<'_>,
    probe: &dyn FileProbe,
) -> Vec<Problem> {
    let linter = Linter {
        settings,
        place,
        probe,
    };
    hooks
        .into_iter()
        .flat_map(|hook| linter.hook(hook))
        .collect()
}

struct Linter<'a> {
    settings: &'a Settings,
    place: Place<'a>,
    probe: &'a dyn FileProbe,
}

impl Linter<'_> {
    fn hook(&self, hook: &HookDeclaration) -> Vec<Problem> {
        if let Some(complaint) = self.shell(hook) {
            return vec![self.problem(hook, complaint)];
        }
        let text = text_of(hook, self.place.root);
        let Some(text) = text.filter(|_| hook.broken.is_none()) else {
            return Vec::new();
        };
        let text = text.as_str();
        let mut problems = Vec::new();
        if let Some(complaint) = unreadable(text).or_else(|| check_comments_only(text)) {
            return vec![self.problem(hook, complaint)];
        }
        let variables = Variables::of(hook, self.place, self.probe);
        let understood = self.understand(text, &variables);
        let programs = Programs {
            hook,
            text,
            understood: &understood,
            place: self.place,
            probe: self.probe,
            variables: &variables,
        };
        let looked = programs.look();
        let is_fine = looked.complaint.is_none();
        problems.extend(looked.complaint.map(|it| self.problem(hook, it)));
        // Missing or unusable scripts aren't examined.
        let scripts = looked.scripts.iter().filter(|_| is_fine);
        let scripts = read::scripts(self, hook, scripts);
        let texts = read::texts(text, &scripts);
        let found = [
            never_set::look(hook, &variables, &texts)
                .or_else(|| withheld::look(hook, &variables, self.probe, &texts)),
            fields::look(hook, &texts),
            refusal::check_lost_refusal(
                hook,
                &variables,
                &understood,
                text,
                &scripts,
                &flaws::loads_others,
            )
            .or_else(|| {
                let is_set = |name: &str| variables.may_be_set(name);
                flaws::find(hook, text, &scripts, &is_set)
            }),
        ];
        let found = found.into_iter().flatten();
        problems.extend(found.map(|it| self.problem(hook, it)));
        problems.extend(words::in_scripts(self, hook, text, &scripts));
        problems
    }

    /// Looks for the shell that a hook requires (HT-4).
    fn shell(&self, hook: &HookDeclaration) -> Option<Complaint> {
        let Handler::Command {
            shell: Some(shell),
            args: None,
            ..
        } = &hook.handler
        else {
            return None;
        };
        let programs: &[&str] = match shell {
            Shell::Bash => &["bash", "bash.exe"],
            Shell::Sh => &["sh", "sh.exe"],
            Shell::PowerShell => &["pwsh", "powershell", "pwsh.exe", "powershell.exe"],
            Shell::Cmd => &["cmd.exe"],
        };
        if hook.broken.is_some() || programs.iter().any(|it| self.probe.is_on_path(it, None)) {
            return None;
        }
        let message = format!(
            "the shell \"{}\" ({}) isn't on the PATH, so the hook couldn't start",
            shell.as_str(),
            programs[0]
        );
        let help =
            "install it, or leave \"shell\" out and write the command for the shell of this system";
        Some(Complaint::new(
            ProblemCode::InterpreterMissing,
            message,
            help,
        ))
    }

    fn understand(&self, text: &str, variables: &Variables<'_>) -> Understood {
        let current = self.place.current.to_string_lossy();
        let home = self.probe.home().map(|it| it.to_string_lossy());
        let look_up = |name: &str| variables.look_up(name);
        let surroundings = Surroundings {
            folder: Some(&current),
            home: home.as_deref(),
            repository: None,
            variables: Some(&look_up),
            files: None,
        };
        understand(text, surroundings)
    }

    fn problem(&self, hook: &HookDeclaration, complaint: Complaint) -> Problem {
        let source = hook.source_of(hook.places.command);
        let Complaint {
            code,
            message,
            help,
            suggestion,
        } = complaint;
        let mut problem = self.settings.problem(code, source, message, help);
        problem.suggestion = suggestion;
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problem
    }
}

/// Returns the text that a shell runs for a hook, or one that means the same; nothing for what
/// isn't a program, or is written for another kind of shell.
fn text_of(hook: &HookDeclaration, root: &Path) -> Option<String> {
    let (command, args) = match &hook.handler {
        Handler::Command {
            shell: Some(Shell::PowerShell),
            args: None,
            ..
        } => return None,
        Handler::Command { command, args, .. } | Handler::Worker { command, args, .. } => {
            (command, args)
        }
        _ => return None,
    };
    let Some(args) = args else {
        // Values of the hook's own variables are never split (ENV-2), which matters only if a value
        // would be.
        let is_plain = |it: char| it.is_alphanumeric() || "/._-+@:".contains(it);
        let text = if root.to_string_lossy().chars().all(is_plain) {
            command.clone()
        } else {
            hookloop_shell::quote_references(command, &COMMAND_VARIABLES).into_owned()
        };
        return Some(text);
    };
    let words = std::iter::once(command).chain(args);
    let words: Vec<String> = words
        .map(|word| expand_project_variables(word, root))
        .collect();
    Some(hookloop_shell::join(words.iter().map(String::as_str)))
}

/// Looks for a text of comments alone, which lets everything pass.
fn check_comments_only(text: &str) -> Option<Complaint> {
    let mut lines = text.lines().map(str::trim);
    let is_nothing = lines.all(|line| line.is_empty() || line.starts_with('#'));
    is_nothing.then(|| {
        let message = format!(
            "the command is only a comment, so it does nothing ({})",
            excerpt(text.trim())
        );
        let help = "remove the #, or remove the hook";
        let right = text.trim_start_matches([' ', '\t', '#']);
        let is_single = !right.is_empty() && !text.trim().contains('\n');
        Complaint {
            suggestion: is_single.then(|| right.to_owned()),
            ..Complaint::new(ProblemCode::NothingToRun, message, help)
        }
    })
}

/// Looks for what a text lacks to be a command.
fn unreadable(text: &str) -> Option<Complaint> {
    let (message, help) = match unclosed(text)? {
        Unclosed::Sign(sign @ ('\'' | '"' | '`')) => (
            format!("a quote in the command isn't closed: {sign}"),
            format!("write the closing {sign}"),
        ),
        Unclosed::Sign(sign) => {
            let closes = if sign == '(' { ')' } else { '}' };
            (
                format!("a bracket in the command isn't closed: {sign}"),
                format!("write the closing {closes}"),
            )
        }
        Unclosed::Word { opened, closes } => (
            format!("the command's \"{opened}\" isn't closed by \"{closes}\""),
            format!("write \"{closes}\" at its end"),
        ),
        Unclosed::EndsWith(operator) => (
            format!("the command ends with \"{operator}\", and nothing follows it"),
            format!("write a command after \"{operator}\", or remove it"),
        ),
    };
    let code = ProblemCode::CommandUnreadable;
    let message = format!("{message} ({})", excerpt(text));
    Some(Complaint::new(code, message, help))
}
