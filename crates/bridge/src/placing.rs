//! Where agents keep their hooks, and in which format.

/// Where an agent keeps its hooks, and how.
pub(crate) struct Installing {
    /// Its program, as it is called.
    pub(crate) program: &'static str,
    /// The file in a home folder; with `/` at its end, a folder for our files.
    pub(crate) user: &'static str,
    /// The file in a project; `None` if it reads none.
    pub(crate) project: Option<&'static str>,
    /// What makes it look for its files elsewhere.
    pub(crate) moved_by: Option<Mover>,
    /// The format of hooks there.
    pub(crate) form: Form,
    /// The events that are registered.
    pub(crate) registered: &'static [&'static str],
    /// Those whose failure is turned into a refusal.
    pub(crate) wrapped: &'static [&'static str],
    /// What is reported instead of a missing answer.
    pub(crate) failing: Failing,
    /// The versions that were observed to obey.
    pub(crate) observed: &'static [&'static str],
    /// The versions that are known to obey nothing.
    pub(crate) obeys_nothing: &'static [&'static str],
    /// What it can't do, each in a sentence.
    pub(crate) cannot: &'static [&'static str],
    /// What stays off until the person acts.
    pub(crate) pending: &'static [&'static str],
}

/// A variable that makes an agent look for its files elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mover {
    /// It names another folder for the first part of a file's name.
    Folder(&'static str),
    /// It names another home folder.
    Home(&'static str),
}

impl Mover {
    /// Returns the variable's name.
    pub(crate) const fn variable(self) -> &'static str {
        match self {
            Self::Folder(name) | Self::Home(name) => name,
        }
    }
}

/// How hooks are written in an agent's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Groups of handlers below `hooks` of a JSON file, with the timeout in this many units per
    /// second.
    Groups {
        /// Units of time per second.
        units: u64,
        /// Whether ours must appear first: an index is part of the agent's trust.
        first: bool,
    },
    /// Handlers without groups below `hooks` of a JSON file with a version.
    Flat,
    /// A file that only contains ours, in Copilot's form.
    CopilotFile,
    /// A plugin that is completely ours, in goose's form.
    GoosePlugin,
    /// Tables `[[hooks]]` of a TOML file.
    Toml,
    /// A program for each event in a folder.
    Scripts,
    /// A JavaScript module of ours.
    Module,
}

/// What a wrapper reports instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    /// Exit code 2 and a reason on standard error.
    ExitCode,
    /// Copilot's own words beside it.
    Copilot,
    /// Cline's own words.
    Cline,
}
