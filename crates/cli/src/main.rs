//! The `hookloop` program: a coding agent for the terminal whose every step goes through the hook
//! engine, and the tools to manage hooks.
//!
//! This crate is the composition root. It reads arguments and environment, puts the other crates
//! together, and turns what came of it into text and exit codes.

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

use crate::arguments::{Action, Arguments};
use crate::output::{Exit, Output};

/// The word before a component that is to be compiled, and the folder that keeps it.
#[cfg(feature = "plugins")]
const COMPILE: &str = "__compile";

fn main() -> ExitCode {
    let code = run();
    #[cfg(feature = "plugins")]
    if let Ok(program) = std::env::current_exe() {
        hookloop_exec::leave_compiling(&program, &[COMPILE]);
    }
    code
}

/// Compiles a component for processes that come.
#[cfg(feature = "plugins")]
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
    // First of all, as long as there is no other thread (ENV-3).
    let words: Vec<_> = std::env::args_os().collect();
    if words
        .get(1)
        .is_some_and(|it| it == hookloop_sandbox::COMMAND)
    {
        return confined(words);
    }
    #[cfg(feature = "plugins")]
    if words.get(1).is_some_and(|it| it == COMPILE) {
        return compile(&words);
    }
    let invoked = invoked(&words);
    let variables = hookloop_environment::take(arguments::exposure(&words));
    if arguments::asks_for_version(&words) {
        return Output::of_text(format!("{}\n", arguments::VERSION_LINE)).emit();
    }
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(usage) => return Output::of_usage(&usage).emit(),
    };
    if let Action::Watch(watch) = arguments.action {
        return watch.run();
    }
    if let Action::Hooks(hooks) = &arguments.action
        && let Some(call) = hooks.call()
    {
        return commands::run_call(call, invoked, variables, arguments::loosens_guards);
    }
    let environment = match environment::read(variables) {
        Ok(environment) => environment,
        Err(error) => return Output::of_error(&error, Exit::Failed).emit(),
    };
    if let Err(declined) = commands::permit(arguments.action.effect(), &environment) {
        return declined.emit();
    }
    let changes = arguments.action.effect().changes();
    let carried_out = || carry_out(arguments, &environment);
    if changes {
        settling(&environment, carried_out)
    } else {
        carried_out()
    }
}

/// Returns the path by which the program was called.
fn invoked(words: &[std::ffi::OsString]) -> Option<std::path::PathBuf> {
    if cfg!(unix) {
        words.first().map(Into::into)
    } else {
        // The first word is whatever the caller wrote; there the link is a copy.
        std::env::current_exe().ok()
    }
}

/// Becomes a program that is confined; its environment is that of this process as it is.
fn confined(words: Vec<std::ffi::OsString>) -> ExitCode {
    let (why, code) = hookloop_sandbox::enter(words.into_iter().skip(2));
    // Nobody reads what can't be written.
    let _ = writeln!(std::io::stderr(), "{why}");
    ExitCode::from(code)
}

/// Does what the command line says.
fn carry_out(arguments: Arguments, environment: &Environment) -> ExitCode {
    hookloop_exec::keep_freed_memory();
    match arguments.action {
        Action::Hooks(hooks) => commands::run_hooks(&hooks, &arguments.run, environment).emit(),
        Action::Audit(audit) => commands::run_audit(&audit, environment).emit(),
        Action::Guards(guards) => commands::run_guards(&guards, environment).emit(),
        Action::Bridge(bridge) => commands::run_bridge(&bridge, environment).emit(),
        Action::Extensions(extensions) => commands::run_extensions(&extensions, environment).emit(),
        Action::Mcp(mcp) => commands::run_mcp(&mcp, environment).emit(),
        Action::Skills(skills) => commands::run_skills(&skills, environment).emit(),
        Action::Dashboard(dashboard) => commands::run_dashboard(dashboard, environment).emit(),
        Action::Completions(completions) => {
            commands::script(completions, &mut arguments::grammar()).emit()
        }
        Action::Man(man) => commands::man(&man, arguments::grammar()).emit(),
        Action::Complete(complete) => {
            commands::complete(&complete, &mut arguments::grammar(), environment).emit()
        }
        Action::Demo(arguments) => commands::run_demo(arguments, environment),
        #[cfg(feature = "acp")]
        Action::Acp(session) => hookloop_acp::run(&session, &arguments.run, environment),
        Action::Session(session) => {
            let commands: Arc<dyn HookCommands> = Arc::new(in_session::InSession);
            hookloop_session::run(&session, &arguments.run, environment, &commands)
        }
        Action::Watch(_) => ExitCode::SUCCESS,
    }
}
