//! The `/hooks` commands in a session: the same as on the command line (CM-9).

use hookloop_session::{CommandEnd, CommandOutput, HookCommand, HookCommands, settling};

use crate::arguments::{Action, Arguments, TopCommand};
use crate::commands;
use crate::output::Exit;

/// Runs commands for hooks as the command line does.
pub(crate) struct InSession;

impl HookCommands for InSession {
    fn carry_out(&self, command: &HookCommand) -> CommandOutput {
        let beginning = ["hookloop", "hooks"].into_iter().map(Into::into);
        let words = beginning.chain(command.words.iter().map(Into::into));
        let not_understood = |result: String| CommandOutput {
            result,
            ..CommandOutput::default()
        };
        let Arguments { action, name, .. } = match Arguments::read(words.collect()) {
            Ok(arguments) => arguments,
            Err(usage) => return not_understood(usage.render().to_string()),
        };
        let permitted = commands::permit(&name, action.effect(), &command.environment);
        if let Err(declined) = permitted {
            return CommandOutput {
                result: declined.result,
                notices: declined.notices,
                end: CommandEnd::Failed,
            };
        }
        let hooks = match action {
            Action::Command(command) => match *command {
                TopCommand::Hooks(hooks) => Some(hooks),
                _ => None,
            },
            _ => None,
        };
        let Some(hooks) = hooks else {
            return not_understood("This isn't a command for hooks.".to_owned());
        };
        let HookCommand {
            run,
            environment,
            stop,
            ..
        } = command;
        let carried_out = || commands::run_hooks(stop, &hooks, &name, run, environment);
        let output = if hooks.effect().changes() {
            settling(environment, carried_out)
        } else {
            carried_out()
        };
        CommandOutput {
            result: output.result,
            notices: output.notices,
            end: match output.exit {
                Exit::Failed => CommandEnd::Failed,
                _ => CommandEnd::Done,
            },
        }
    }
}
