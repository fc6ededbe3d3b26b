//! Builds the process that runs a hook's command.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_process::find_program;

use crate::child_environment::ChildEnvironment;
use crate::confined::Confined;
use crate::shell::Shell;
use crate::substitution::reference;

/// Where the standard streams of a hook lead to.
#[derive(Debug)]
pub(crate) enum Wiring<'a> {
    /// To pipes that the executor serves.
    Pipes,
    /// To files that outlive the executor.
    Files(&'a crate::detached::Files),
}

/// Everything that a process needs, except its streams.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    /// The hook's command, as configured.
    pub(crate) text: &'a str,
    /// The arguments of the program that the text then is (HT-4).
    pub(crate) arguments: Option<&'a [String]>,
    /// The shell that runs the text.
    pub(crate) shell: &'a Shell,
    /// What it sees as its environment.
    pub(crate) environment: &'a ChildEnvironment<'a>,
    /// Where it runs.
    pub(crate) cwd: &'a Path,
    /// The host's own current directory, if known.
    pub(crate) process_cwd: Option<&'a Path>,
    /// What confines it, if its entry says so.
    pub(crate) confined: Option<Confined<'a>>,
}

impl Start<'_> {
    /// Builds the run without a shell, if that is the same.
    #[cfg(unix)]
    pub(crate) fn direct(&self) -> Option<Command> {
        let is_plain = self.arguments.is_none() && self.confined.is_none();
        if self.shell.kind != crate::shell::ShellKind::Bash || !is_plain {
            return None;
        }
        let mut command = crate::direct::command(self.text, self.environment, self.cwd)?;
        self.set_folder(&mut command);
        Some(command)
    }

    /// Builds the run without a shell, if that is the same.
    #[cfg(windows)]
    #[expect(
        clippy::unused_self,
        reason = "PowerShell is never the same as a plain start"
    )]
    pub(crate) fn direct(&self) -> Option<Command> {
        None
    }

    /// Builds the run: of a program with its arguments (HT-4), else through the shell (IO-35).
    ///
    /// # Errors
    /// It has to be confined, and can't be.
    pub(crate) fn command(&self) -> io::Result<Command> {
        let mut command = match self.arguments {
            Some(arguments) => {
                let mut command = Command::new(self.program());
                command.args(arguments.iter().map(|it| self.expand(it)));
                command
            }
            None => self.shell.command(self.text),
        };
        if let Some(confined) = &self.confined {
            command = confined.command(&command)?;
        }
        self.environment.apply(&mut command);
        self.set_folder(&mut command);
        Ok(command)
    }

    /// Returns the program that is started first: the hook's own, or the shell.
    pub(crate) fn program(&self) -> PathBuf {
        if self.arguments.is_none() {
            return self.shell.program().to_owned();
        }
        let program = PathBuf::from(self.expand(self.text));
        if program.components().count() > 1 {
            return self.cwd.join(program);
        }
        let name = program.to_string_lossy();
        let found = find_program(&self.environment.variables(), &name);
        found.unwrap_or_else(|| program.clone())
    }

    /// Inserts the values of our variables into a word (ENV-2).
    pub(crate) fn expand(&self, text: &str) -> OsString {
        let mut word = OsString::new();
        let mut rest = text;
        while let Some(place) = rest.find('$') {
            word.push(&rest[..place]);
            rest = &rest[place..];
            let found = reference(rest)
                .and_then(|(name, length)| Some((self.environment.get(name)?, length)));
            let (value, length) = found.unwrap_or((OsStr::new("$"), 1));
            word.push(value);
            rest = &rest[length..];
        }
        word.push(rest);
        word
    }

    fn set_folder(&self, command: &mut Command) {
        if self.process_cwd != Some(self.cwd) {
            command.current_dir(self.cwd);
        }
    }
}

impl Wiring<'_> {
    /// Connects the streams of a command.
    pub(crate) fn connect(&self, command: &mut Command) -> io::Result<()> {
        match self {
            Self::Pipes => {
                command
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
            }
            Self::Files(files) => files.connect(command)?,
        }
        Ok(())
    }
}
