//! The executor of commands.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hookloop_engine::{
    BoxFuture, Captured, Completion, Ending, Executor, Invocation, Leak, Lifetime,
};
use hookloop_hook::Handler;

use crate::child_environment::Environments;
use crate::completion::{ending_of, not_started};
use crate::detached::{Files, Handover};
use crate::invocation_command::{Start, Wiring};
use crate::leftovers::Leftovers;
use crate::platform::{Pipes, Process, is_refusal};
use crate::shell::Shell;
use crate::streams::Streams;
use crate::surroundings::Surroundings;
use crate::termination::{End, run_to_end};

/// Runs hooks that are commands, each in a process group of its own (IO-31 … IO-35).
///
/// Its futures need a tokio runtime with I/O and time. Clones are cheap and share everything; when
/// the last one is dropped, what hooks have left behind is ended (IO-34).
#[derive(Clone)]
pub struct CommandExecutor {
    shared: Arc<Shared>,
}

struct Shared {
    surroundings: Surroundings,
    environments: Environments,
    shell: OnceLock<Shell>,
    leftovers: Leftovers,
}

/// What became of a process: how it ended, its outputs, and whether they were still open.
type Outcome = (Ending, (Captured, Captured), Leak);

impl fmt::Debug for CommandExecutor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The surroundings hold the environment, and so the user's secrets.
        formatter
            .debug_struct("CommandExecutor")
            .finish_non_exhaustive()
    }
}

impl CommandExecutor {
    /// Creates an executor for a host.
    pub fn new(surroundings: Surroundings) -> Self {
        let shared = Shared {
            surroundings,
            environments: Environments::default(),
            shell: OnceLock::new(),
            leftovers: Leftovers::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Kills the process groups that outlived their hooks, and returns how many there were
    /// (IO-32, IO-34). Dropping the executor does the same.
    pub fn end_leaked(&self) -> usize {
        self.shared.leftovers.end()
    }
}

impl Executor for CommandExecutor {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move { self.shared.run(&invocation).await })
    }
}

impl Shared {
    async fn run(&self, invocation: &Invocation) -> Completion {
        let started = Instant::now();
        if invocation.stop.cause().is_some() {
            return Completion::ended(Ending::Stopped);
        }
        let Handler::Command { command: text, .. } = &invocation.hook.handler else {
            return Completion::not_started("it is no command");
        };
        let environment = self.environments.of(&self.surroundings, invocation);
        if let Some(name) = environment.impossible() {
            let why = format!("the environment variable {name:?} can't be set");
            return Completion::not_started(why);
        }
        let start = Start {
            text,
            environment: &environment,
            cwd: &invocation.session.cwd,
            process_cwd: self.surroundings.process_cwd.as_deref(),
        };
        let (ending, (stdout, stderr), leak) = match invocation.lifetime {
            Lifetime::Bound => self.run_bound(invocation, &start).await,
            Lifetime::Detached { timeout } => self.run_detached(invocation, &start, timeout).await,
        };
        Completion {
            ending,
            stdout,
            stderr,
            leak,
            duration: started.elapsed(),
            withheld_env: environment.withheld(),
        }
    }

    /// Runs a hook that does not outlive this future.
    async fn run_bound(&self, invocation: &Invocation, start: &Start<'_>) -> Outcome {
        let (mut process, pipes) = match self.start(start, &Wiring::Pipes) {
            Ok(started) => started,
            Err(error) => return self.failed(&error, invocation),
        };
        let streams = Streams::new(pipes, &invocation.input, invocation.max_output_bytes);
        let mut streams = Some(streams);
        let end = run_to_end(&mut process, &mut streams, &invocation.stop).await;
        if let End::OfItself(_) = end {
            process.release();
            self.leftovers.remember(process.group());
        }
        let leaks = streams.as_ref().is_some_and(|streams| !streams.are_read());
        let captured = streams.map(Streams::into_captured).unwrap_or_default();
        (
            ending(end, &captured),
            captured,
            if leaks { Leak::Leaked } else { Leak::None },
        )
    }

    /// Runs a hook that goes on when this future is dropped (SE-2).
    async fn run_detached(
        &self,
        invocation: &Invocation,
        start: &Start<'_>,
        timeout: Duration,
    ) -> Outcome {
        let deadline = Instant::now() + timeout;
        let files = match Files::create(&self.surroundings.scratch_dir, &invocation.input) {
            Ok(files) => files,
            Err(error) => {
                let folder = self.surroundings.scratch_dir.display();
                let ending =
                    Ending::NotStarted(format!("no file for its streams in {folder}: {error}"));
                return (ending, Default::default(), Leak::None);
            }
        };
        let process = match self.start(start, &Wiring::Files(&files)) {
            Ok((process, _)) => process,
            Err(error) => return self.failed(&error, invocation),
        };
        let surroundings = &self.surroundings;
        let mut handover = Handover {
            process: Some(process),
            deadline,
            surroundings,
        };
        let end = match &mut handover.process {
            Some(process) => run_to_end(process, &mut None, &invocation.stop).await,
            None => End::Stopped(None),
        };
        if let Some(mut process) = handover.process.take()
            && let End::OfItself(_) = end
        {
            process.release();
        }
        let captured = files.captured(invocation.max_output_bytes);
        (ending(end, &captured), captured, Leak::None)
    }

    /// Starts the hook: without a shell where that is the same, else with it (IO-35).
    fn start(&self, start: &Start<'_>, wiring: &Wiring<'_>) -> io::Result<(Process, Pipes)> {
        let shell = self.shell();
        if let Some(mut command) = start.direct(shell) {
            wiring.connect(&mut command)?;
            match Process::spawn(command) {
                // What the kernel refuses, the shell may know how to run, or how to explain.
                Err(error) if is_refusal(&error) => {}
                started => return started,
            }
        }
        let mut command = start.through_shell(shell);
        wiring.connect(&mut command)?;
        Process::spawn(command)
    }

    fn shell(&self) -> &Shell {
        self.shell
            .get_or_init(|| Shell::find(&self.surroundings.variables))
    }

    fn failed(&self, error: &io::Error, invocation: &Invocation) -> Outcome {
        let ending = not_started(error, self.shell(), &invocation.session.cwd);
        (ending, Default::default(), Leak::None)
    }
}

fn ending(end: End, (_, stderr): &(Captured, Captured)) -> Ending {
    match end {
        End::OfItself(status) => ending_of(status, stderr),
        // Even a hook that was asked to end refuses by exit code 2 (IO-13).
        End::Stopped(Some(Ok(status))) if status.code() == Some(2) => Ending::Exited(2),
        End::Stopped(_) => Ending::Stopped,
    }
}
