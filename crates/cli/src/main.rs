//! The `hookloop` program: a coding agent for the terminal whose every step goes through the hook
//! engine, and the tools to manage hooks.
//!
//! This crate is the composition root: it reads arguments and environment, assembles the other
//! crates, and turns results into text and exit codes.

mod arguments;
mod commands;
mod environment;
mod in_session;
mod names;
mod output;
mod terminal;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use hookloop_session::{Environment, HookCommands, settling};
use tokio_util::sync::CancellationToken;

use crate::arguments::{Action, Arguments, TopCommand};
use crate::output::{Exit, Output};

/// The hidden command that compiles a component into a folder.
const COMPILE: &str = "__compile";

fn main() -> ExitCode {
    let code = run();
    if let Ok(program) = std::env::current_exe() {
        hookloop_exec::leave_compiling(&program, &[COMPILE]);
    }
    code
}

/// Compiles a component for later processes.
fn compile(words: &[std::ffi::OsString]) -> ExitCode {
    let [_, _, component, folder] = words else {
        return ExitCode::FAILURE;
    };
    match hookloop_exec::compile_component(component.as_ref(), folder.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> ExitCode {
    // Before anything else, while there is no other thread (ENV-3).
    let words: Vec<_> = std::env::args_os().collect();
    if words
        .get(1)
        .is_some_and(|it| it == hookloop_sandbox::COMMAND)
    {
        return confined(words);
    }
    if words.get(1).is_some_and(|it| it == COMPILE) {
        return compile(&words);
    }
    let invoked = invocation_path(&words);
    hookloop_session::take_own_name();
    let variables = hookloop_environment::take(arguments::exposure(&words));
    if arguments::asks_for_version(&words) {
        return Output::from_text(format!("{}\n", arguments::VERSION_LINE)).emit();
    }
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(usage) => return Output::from_usage(&usage).emit(),
    };
    if let Action::Command(command) = &arguments.action
        && let TopCommand::Watch(watch) = command.as_ref()
    {
        return watch.run();
    }
    if let Some(call) = arguments.action.call() {
        return commands::run_call(call, invoked, variables, arguments::loosens_guards);
    }
    let environment = match environment::read(variables) {
        Ok(environment) => environment,
        Err(error) => return Output::from_error(&error, Exit::Failed).emit(),
    };
    let effect = arguments.action.effect();
    if let Err(declined) = commands::permit(&arguments.name, effect, &environment) {
        return declined.emit();
    }
    let changes = effect.changes();
    let carried_out = || carry_out(arguments, &environment);
    if changes {
        settling(&environment, carried_out)
    } else {
        carried_out()
    }
}

/// Returns the path by which the program was called.
fn invocation_path(words: &[std::ffi::OsString]) -> Option<std::path::PathBuf> {
    if cfg!(unix) {
        words.first().map(Into::into)
    } else {
        // On other systems, the link is a copy, and the first word isn't reliable.
        std::env::current_exe().ok()
    }
}

/// Replaces this process by a confined program, with an unchanged environment.
fn confined(words: Vec<std::ffi::OsString>) -> ExitCode {
    let (why, code) = hookloop_sandbox::enter(words.into_iter().skip(2));
    // Fails if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{why}");
    ExitCode::from(code)
}

/// Runs the parsed command line.
fn carry_out(arguments: Arguments, environment: &Environment) -> ExitCode {
    hookloop_exec::keep_freed_memory();
    let (name, run) = (arguments.name.as_str(), &arguments.run);
    let command = match arguments.action {
        Action::Command(command) => command,
        #[cfg(feature = "acp")]
        Action::Acp(session) => return hookloop_acp::run(&session, run, environment),
        Action::Session(session) => {
            let commands: Arc<dyn HookCommands> = Arc::new(in_session::InSession);
            return hookloop_session::run(&session, run, environment, &commands);
        }
    };
    let output = match *command {
        TopCommand::Hooks(hooks) => {
            let stop = CancellationToken::new();
            commands::run_hooks(&stop, &hooks, name, run, environment)
        }
        TopCommand::Audit(audit) => commands::run_audit(&audit, name, environment),
        TopCommand::Guards(guards) => commands::run_guards(&guards, name, environment),
        TopCommand::Bridge(bridge) => commands::run_bridge(&bridge, name, environment),
        TopCommand::ManageExtensions(it) => commands::run_extensions(&it, name, environment),
        TopCommand::Mcp(mcp) => commands::run_mcp(&mcp, environment),
        TopCommand::Skills(skills) => commands::run_skills(&skills, environment),
        TopCommand::Dashboard(dashboard) => commands::run_dashboard(dashboard, environment),
        TopCommand::Completions(it) => commands::script(it, &mut arguments::grammar()),
        TopCommand::Man(man) => commands::man(&man, arguments::grammar()),
        TopCommand::Complete(it) => commands::complete(&it, &mut arguments::grammar(), environment),
        TopCommand::Demo(arguments) => return commands::run_demo(arguments, environment),
        TopCommand::Watch(_) => return ExitCode::SUCCESS,
    };
    output.emit()
}
