//! The tool `run_shell_command` and the processes that it starts (TO-2).

mod background;
mod capture;
mod command_roots;
mod foreground;
mod program;
mod report;
mod settings;
mod stream;

pub use background::{BackgroundProcess, BackgroundProcesses};
pub use capture::Capture;
pub use settings::{LaterVariables, Leaving, ShellSandbox, ShellSettings};

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookloop_events::McpContext;
use hookloop_process::Process;
use hookloop_settings::bounded::open_regular;
use serde_json::json;

use crate::arguments::{flag, required_text, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Subject, Tool, ToolError, Workspace, schema,
};
use command_roots::command_roots;
use foreground::{Ending, Finished, OutputEnd, Rest};
use report::RequestedCommand;

/// How long a background command is watched, so that one that fails at once is reported as failed.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// Runs a command line (`agent.md` §4, TO-2).
pub(crate) struct RunShellCommand {
    declaration: Declaration,
    workspace: Arc<Workspace>,
    settings: ShellSettings,
}

impl RunShellCommand {
    pub(crate) fn new(workspace: Arc<Workspace>, settings: ShellSettings) -> Self {
        let leaving = settings.sandbox.as_ref().map(|it| it.leaving);
        Self {
            declaration: Declaration {
                name: "run_shell_command".to_owned(),
                description: "Runs a command line with 'bash -c' (PowerShell on Windows) and \
                    returns its output, both streams together, and its exit code. Of a long \
                    output, the beginning and the end are kept. The command gets no input."
                    .to_owned(),
                parameters: parameters(leaving == Some(Leaving::Asked)),
                access: Access::Execute,
            },
            workspace,
            settings,
        }
    }
}

/// The argument with which a command requests to run outside of the sandbox.
const OUTSIDE: &str = "outside_sandbox";

fn parameters(may_leave: bool) -> serde_json::Value {
    let mut parameters = json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "minLength": 1,
                "description": "The command line.",
            },
            "description": {
                "type": "string",
                "description": "What the command is for, in a few words.",
            },
            "dir_path": {
                "type": "string",
                "description": "The folder to run in; the workspace's root by default.",
            },
            "is_background": {
                "type": "boolean",
                "description": "Whether the command keeps running in the background, e.g. a \
                    server.",
            },
        },
        "required": ["command"],
    });
    if may_leave {
        parameters["properties"][OUTSIDE] = json!({
            "type": "boolean",
            "description": "Whether the command has to run outside the sandbox, because it must \
                write outside the workspace and temporary folders, or needs the network. The user \
                is asked each time.",
        });
    }
    parameters
}

impl Tool for RunShellCommand {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        line(arguments)?;
        self.workspace
            .resolve_directory(text(arguments, "dir_path"))
            .map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, arguments: &Arguments) -> bool {
        self.leaves_sandbox(arguments)
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let command = required_text(arguments, "command").unwrap_or_default();
        let directory = self
            .workspace
            .resolve_directory(text(arguments, "dir_path"));
        let problem = directory.as_ref().err().cloned();
        let leaves = self.leaves_sandbox(arguments);
        Preview {
            title: if leaves {
                "Confirm Shell Command outside the sandbox".to_owned()
            } else {
                "Confirm Shell Command".to_owned()
            },
            caution: leaves.then(|| LEAVES.to_owned()),
            subject: Subject::Exec {
                command: command.to_owned(),
                root_command: command_roots(command),
                directory: directory.unwrap_or_else(|_| self.workspace.root().to_path_buf()),
            },
            problem,
        }
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            self.execute(&arguments, &context)
                .await
                .unwrap_or_else(Output::failed)
        })
    }
}

/// What somebody agrees to who lets a command leave the sandbox.
const LEAVES: &str = "The command is to run outside of the sandbox: it could write to any file of \
                      yours, and use the network.";

/// Returns the command line, which must contain a command.
fn line(arguments: &Arguments) -> Result<&str, ToolError> {
    let line = required_text(arguments, "command")?;
    if line.trim().is_empty() {
        return Err(ToolError::invalid("Command cannot be empty."));
    }
    if line.contains('\0') {
        return Err(ToolError::invalid("params/command must not contain NUL"));
    }
    Ok(line)
}

impl RunShellCommand {
    /// Returns whether a call requests to run outside, if that can be requested.
    fn leaves_sandbox(&self, arguments: &Arguments) -> bool {
        let sandbox = self.settings.sandbox.as_ref();
        flag(arguments, OUTSIDE) && sandbox.is_some_and(|it| it.leaving == Leaving::Asked)
    }

    async fn execute(
        &self,
        arguments: &Arguments,
        context: &RunContext<'_>,
    ) -> Result<Output, ToolError> {
        let line = line(arguments)?;
        let directory = self
            .workspace
            .resolve_directory(text(arguments, "dir_path"))?;
        if context.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let asked = RequestedCommand {
            line,
            directory: &directory,
            workspace: &self.workspace,
            sandbox: self
                .settings
                .sandbox
                .as_ref()
                .filter(|_| !self.leaves_sandbox(arguments)),
        };
        let outcome = if flag(arguments, "is_background") {
            self.start_in_background(&asked).await
        } else {
            self.run_to_end(&asked, context).await
        };
        outcome.map_err(|error| {
            ToolError::new(
                ErrorKind::ShellFailed,
                format!("can't run the command in {}: {error}", directory.display()),
            )
        })
    }

    async fn run_to_end(
        &self,
        asked: &RequestedCommand<'_>,
        context: &RunContext<'_>,
    ) -> io::Result<Output> {
        let command = self.command(asked)?;
        let finished = foreground::run(command, self.settings.longest_silence, context).await?;
        Ok(self.conclude(asked, finished))
    }

    fn command(&self, asked: &RequestedCommand<'_>) -> io::Result<std::process::Command> {
        program::command(asked.line, asked.directory, &self.settings, asked.sandbox)
            .map_err(io::Error::other)
    }

    /// Returns how a command ended, and keeps what it left running.
    fn conclude(&self, asked: &RequestedCommand<'_>, mut finished: Finished) -> Output {
        let output = report::finished(asked, &finished);
        if let Some(rest) = finished.rest.take() {
            let process = background_process(asked, finished.pid);
            self.settings.background.adopt_rest(rest, process);
        }
        output
    }

    async fn start_in_background(&self, asked: &RequestedCommand<'_>) -> io::Result<Output> {
        let mut command = self.command(asked)?;
        let log = match &self.settings.log_directory {
            Some(folder) => {
                let (file, path) = new_log(folder)?;
                command.stdout(file.try_clone()?).stderr(file);
                Some(path)
            }
            None => None,
        };
        let (mut process, _) = Process::spawn(command)?;
        let pid = process.id();
        if let Ok(status) = tokio::time::timeout(FIRST_LOOK, process.exited()).await {
            let finished = Finished {
                ending: Ending::Exited(status?),
                text: log.as_deref().map(read_log).unwrap_or_default(),
                pid,
                rest: Rest::of(process, None),
                output: OutputEnd::Closed,
            };
            return Ok(self.conclude(asked, finished));
        }
        self.settings
            .background
            .adopt(process, background_process(asked, pid));
        Ok(report::in_background(asked, pid, log.as_deref()))
    }
}

fn background_process(asked: &RequestedCommand<'_>, pid: u32) -> BackgroundProcess {
    BackgroundProcess {
        pid,
        command: asked.line.to_owned(),
    }
}

fn new_log(folder: &Path) -> io::Result<(File, PathBuf)> {
    tempfile::Builder::new()
        .prefix("background-")
        .suffix(".log")
        .tempfile_in(folder)?
        .keep()
        .map_err(|error| error.error)
}

/// Reads a log, capped; if it can't be read, returns a message about that.
fn read_log(path: &Path) -> String {
    let mut capture = Capture::default();
    let result = open_regular(path)
        .map_err(io::Error::from)
        .and_then(|(mut file, _)| {
            let mut buffer = vec![0; 16 * 1024];
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok(()),
                    length => drop(capture.push(&buffer[..length])),
                }
            }
        });
    match result {
        Ok(()) => capture.text(),
        Err(error) => format!("(the output in {} can't be read: {error})", path.display()),
    }
}
