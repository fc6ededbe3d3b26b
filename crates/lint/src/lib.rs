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
mod as_linted;
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

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;

use hookloop_hook::{COMMAND_VARIABLES, Handler, HookDeclaration, Problem, ProblemCode, Shell};
use hookloop_settings::{Settings, expand_project_variables};
use hookloop_shell::{Surroundings, Unclosed, Understood, unclosed, understand};
use hookloop_text::shorten::excerpt;

use as_linted::AsLinted;
use program::{Looked, Programs};
use read::Script;
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
    probe: &(dyn FileProbe + Sync),
) -> Vec<Problem> {
    let linter = Linter {
        settings,
        place,
        probe,
    };
    let (mut known, mut distinct) = (HashMap::new(), Vec::new());
    let places = hooks.into_iter().map(|hook| {
        let place = *known.entry(AsLinted(hook)).or_insert(distinct.len());
        if place == distinct.len() {
            distinct.push(hook);
        }
        (hook, place)
    });
    let places: Vec<(&HookDeclaration, usize)> = places.collect();
    let found = look_at_all(&distinct, &|hook| {
        let linter = Linter {
            settings,
            place,
            probe,
        };
        linter.look(hook)
    });
    let problems = places.into_iter();
    problems
        .flat_map(|(hook, place)| linter.problems(hook, &found[place]))
        .collect()
}

/// With more hooks that differ, several threads look at them.
const MAX_ON_ONE_THREAD: usize = 500;

/// Looks at hooks, and returns what was found in each.
fn look_at_all(
    hooks: &[&HookDeclaration],
    look: &(dyn Fn(&HookDeclaration) -> Findings + Sync),
) -> Vec<Findings> {
    let look_at = |hooks: &[&HookDeclaration]| -> Vec<Findings> {
        hooks.iter().map(|hook| look(hook)).collect()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if threads == 1 || hooks.len() <= MAX_ON_ONE_THREAD {
        return look_at(hooks);
    }
    thread::scope(|scope| {
        let parts = hooks.chunks(hooks.len().div_ceil(threads));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || look_at(part)))
            .collect();
        let found = parts.into_iter().flat_map(|it| {
            let found = it.join();
            found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        found.collect()
    })
}

/// What was found in a hook. It is the same for all hooks that are the same to this crate.
#[derive(Default)]
struct Findings {
    complaints: Vec<Complaint>,
    /// Other agents' words are in places of their own, so they are looked for where each hook is.
    has_foreign_words: bool,
}

impl From<Complaint> for Findings {
    fn from(only: Complaint) -> Self {
        Self {
            complaints: vec![only],
            has_foreign_words: false,
        }
    }
}

struct Linter<'a> {
    settings: &'a Settings,
    place: Place<'a>,
    probe: &'a dyn FileProbe,
}

impl Linter<'_> {
    /// Returns what was found in a hook as problems of that hook.
    fn problems(&self, hook: &HookDeclaration, found: &Findings) -> Vec<Problem> {
        let complaints = found.complaints.iter();
        let mut problems: Vec<Problem> = complaints.map(|it| self.problem(hook, it)).collect();
        if found.has_foreign_words
            && let Some(text) = text_of(hook, self.place.root)
        {
            let variables = Variables::of(hook, self.place, self.probe);
            let understood = self.understand(&text, &variables);
            let programs = self.programs(hook, &text, &understood, &variables);
            let scripts = self.scripts(hook, &programs.look());
            problems.extend(words::in_scripts(self, hook, &text, &scripts));
        }
        problems
    }

    /// Looks for everything that is wrong with a hook.
    fn look(&self, hook: &HookDeclaration) -> Findings {
        if let Some(complaint) = self.shell(hook) {
            return complaint.into();
        }
        let text = text_of(hook, self.place.root);
        let Some(text) = text.filter(|_| hook.broken.is_none()) else {
            return Findings::default();
        };
        let text = text.as_str();
        if let Some(complaint) = unreadable(text).or_else(|| check_comments_only(text)) {
            return complaint.into();
        }
        let variables = Variables::of(hook, self.place, self.probe);
        let understood = self.understand(text, &variables);
        let looked = self.programs(hook, text, &understood, &variables).look();
        let scripts = self.scripts(hook, &looked);
        let texts = read::texts(text, &scripts);
        let found = [
            looked.complaint,
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
        Findings {
            complaints: found.into_iter().flatten().collect(),
            has_foreign_words: !words::in_scripts(self, hook, text, &scripts).is_empty(),
        }
    }

    fn programs<'p>(
        &'p self,
        hook: &'p HookDeclaration,
        text: &'p str,
        understood: &'p Understood,
        variables: &'p Variables<'p>,
    ) -> Programs<'p> {
        Programs {
            hook,
            text,
            understood,
            place: self.place,
            probe: self.probe,
            variables,
        }
    }

    /// Reads the scripts that a hook runs. Missing or unusable ones aren't examined.
    fn scripts(&self, hook: &HookDeclaration, looked: &Looked) -> Vec<Script> {
        let is_fine = looked.complaint.is_none();
        let scripts = looked.scripts.iter().filter(|_| is_fine);
        read::scripts(self, hook, scripts)
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

    fn problem(&self, hook: &HookDeclaration, complaint: &Complaint) -> Problem {
        let source = hook.source_of(hook.places.command);
        let (message, help) = (complaint.message.as_str(), complaint.help.as_str());
        let mut problem = self.settings.problem(complaint.code, source, message, help);
        problem.suggestion.clone_from(&complaint.suggestion);
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
