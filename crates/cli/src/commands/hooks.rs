//! The commands for hooks (`management.md` §4).

use clap::{Args, Subcommand};
use hookloop_manage::{CommandFailure, Turn};
use hookloop_session::{Environment, RunOptions};
use hookloop_settings::json_schema_text;
use tokio_util::sync::CancellationToken;

use crate::commands::adopt::AdoptArguments;
use crate::commands::bridge::CallArguments;
use crate::commands::check::CheckArguments;
use crate::commands::context::{Context, Format, failure_output};
use crate::commands::fire::FireArguments;
use crate::commands::migrate::MigrateArguments;
use crate::commands::new::NewArguments;
use crate::commands::person::Effect;
use crate::commands::review::ReviewArguments;
use crate::commands::switch::ScopeArguments;
use crate::commands::switch::SwitchArguments;
use crate::commands::test::TestArguments;
#[cfg(feature = "trace")]
use crate::commands::trace;
use crate::commands::trace::{ReplayArguments, ShadowArguments, TraceArguments};
use crate::commands::trust::{NamesArguments, TrustArguments};
use crate::commands::why::WhyArguments;
use crate::commands::{adopt, check, fire, list, migrate, new, review, switch, test, trust, why};
use crate::output::Output;

/// Contains a command for hooks.
#[derive(Debug, Clone, Args)]
pub(crate) struct HooksArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to do; the list without it.
    #[command(subcommand)]
    pub(crate) command: Option<HooksCommand>,
}

/// Names what is done with hooks.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum HooksCommand {
    /// List all hooks, where they come from, and whether they run
    #[command(visible_aliases = ["panel", "show"])]
    List,
    /// Show for every hook of an event whether it would run, and why; runs nothing
    Why(WhyArguments),
    /// Fire an event with a realistic payload, and show what its hooks do
    Fire(FireArguments),
    /// Check the configuration for mistakes; runs nothing
    Check(CheckArguments),
    /// Trust the project's hooks as they are now: all, or those that you name
    Trust(TrustArguments),
    /// Withdraw trust from the project's hooks: all, or those that you name
    Untrust(NamesArguments),
    /// Show what hooks did: every recorded run
    Trace(TraceArguments),
    /// Run today's hooks on the input of a recorded run, and show what changed
    Replay(ReplayArguments),
    /// Show what hooks in shadow mode would have refused, changed or asked, and how often; runs
    /// nothing
    Shadow(ShadowArguments),
    /// Run tests of hooks: a folder of payloads and expected outcomes
    Test(TestArguments),
    /// Show what hooks would run, and what changed since they were trusted; runs nothing
    Review(ReviewArguments),
    /// Enable a disabled hook again, by name
    Enable(SwitchArguments),
    /// Disable a hook, by name
    Disable(SwitchArguments),
    /// Turn hooks on again
    EnableAll(ScopeArguments),
    /// Turn all hooks off
    DisableAll(ScopeArguments),
    /// Create a working hook, with a payload to try it with
    New(NewArguments),
    /// Print the JSON Schema of settings files
    Schema,
    /// Copy the hooks of another agent into your settings; runs and trusts nothing
    Migrate(MigrateArguments),
    /// Run other agents' hooks from their own files, unchanged; trusts nothing
    Adopt(AdoptArguments),
    /// Answer another agent, which calls this command for its events
    Bridge(CallArguments),
}

impl HooksCommand {
    /// Returns whether the command changes files that guards depend on (TR-11). Every new command
    /// has to define it.
    const fn changes(&self) -> bool {
        match self {
            Self::Trust(_)
            | Self::Untrust(_)
            | Self::Enable(_)
            | Self::Disable(_)
            | Self::EnableAll(_)
            | Self::DisableAll(_)
            | Self::New(_) => true,
            Self::Migrate(arguments) => !arguments.dry_run,
            Self::Adopt(arguments) => !arguments.list,
            Self::List
            | Self::Why(_)
            | Self::Fire(_)
            | Self::Check(_)
            | Self::Trace(_)
            | Self::Replay(_)
            | Self::Shadow(_)
            | Self::Test(_)
            | Self::Review(_)
            | Self::Bridge(_)
            | Self::Schema => false,
        }
    }

    /// Returns whether options that apply to one run would have no effect on the command.
    pub(crate) const fn ignores_run_options(&self) -> bool {
        !matches!(
            self,
            Self::List
                | Self::Why(_)
                | Self::Fire(_)
                | Self::Check(_)
                | Self::Replay(_)
                | Self::Test(_)
        )
    }
}

impl HooksArguments {
    /// Makes the command that answers another agent.
    pub(crate) const fn for_call(call: CallArguments) -> Self {
        Self {
            json: false,
            command: Some(HooksCommand::Bridge(call)),
        }
    }

    /// Returns the command's effect on files that guards depend on (TR-11).
    pub(crate) fn effect(&self) -> Effect<'_> {
        match &self.command {
            Some(command) if command.changes() => Effect::on_settings(self.json),
            _ => Effect::Reads,
        }
    }
}

/// Runs a command for hooks; if it is stopped, it ends the hooks that it runs.
pub(crate) fn run(
    stop: &CancellationToken,
    arguments: &HooksArguments,
    name: &str,
    run: &RunOptions,
    environment: &Environment,
) -> Output {
    let format = Format::new(arguments.json, environment);
    let command = arguments.command.as_ref().unwrap_or(&HooksCommand::List);
    let context = Context {
        name,
        format,
        environment,
        run,
        stop: stop.clone(),
    };
    let done = match command {
        HooksCommand::List => list::list(&context),
        HooksCommand::Why(arguments) => why::why(&context, arguments),
        HooksCommand::Fire(arguments) => fire::fire(&context, arguments),
        HooksCommand::Check(arguments) => check::check(&context, *arguments),
        HooksCommand::Trust(arguments) => trust::trust(&context, arguments),
        HooksCommand::Untrust(arguments) => trust::untrust(&context, &arguments.names),
        #[cfg(feature = "trace")]
        HooksCommand::Trace(arguments) => trace::trace(&context, arguments),
        #[cfg(feature = "trace")]
        HooksCommand::Replay(arguments) => trace::replay(&context, arguments),
        #[cfg(feature = "trace")]
        HooksCommand::Shadow(arguments) => trace::shadow(&context, arguments),
        #[cfg(not(feature = "trace"))]
        HooksCommand::Trace(_) | HooksCommand::Replay(_) | HooksCommand::Shadow(_) => {
            Err(CommandFailure::without_trace())
        }
        HooksCommand::Test(arguments) => test::test(&context, arguments),
        HooksCommand::Review(arguments) => review::review(&context, arguments.name.as_deref()),
        HooksCommand::Enable(arguments) => switch::enable(&context, &arguments.name),
        HooksCommand::Disable(arguments) => switch::disable(&context, arguments),
        HooksCommand::EnableAll(arguments) => switch::switch_all(&context, *arguments, Turn::On),
        HooksCommand::DisableAll(arguments) => switch::switch_all(&context, *arguments, Turn::Off),
        HooksCommand::New(arguments) => new::new(&context, arguments),
        // The output is one JSON object in either format.
        HooksCommand::Schema => Ok(Output::from_text(json_schema_text())),
        HooksCommand::Migrate(arguments) => migrate::migrate(&context, *arguments),
        HooksCommand::Adopt(arguments) => adopt::adopt(&context, arguments),
        // The program handles this call before anything else.
        HooksCommand::Bridge(_) => Err(CommandFailure::bad_input(
            "other agents call `hooks bridge`; it has no use in a session",
        )),
    };
    done.unwrap_or_else(|failure| failure_output(&context, &failure))
}
