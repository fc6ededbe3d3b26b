//! `hookloop bridge`: installs the bridge in other agents, removes, lists and checks it (BR-1 to
//! BR-3); and `hooks bridge AGENT EVENT`, which those agents call.

mod call;
mod words;

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use hookloop_bridge::{Agent, InstallScope};
use hookloop_bridging::{
    ConnectionsView, Depth, ExaminedView, InstalledView, Setting, UninstalledView, connections,
    examine, install, uninstall,
};
use hookloop_manage::{CommandFailure, Scope};
use hookloop_session::Environment;

use crate::commands::context::{AdditionalReport, Context, Format, failure_output};
use crate::commands::person::Effect;
use crate::names::bridge_agents;
use crate::output::{Exit, Output};

pub(crate) use call::{CallArguments, run as run_call};

/// Contains a command for the bridge.
#[derive(Debug, Clone, Args)]
pub(crate) struct BridgeArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// What to do; the list without it
    #[command(subcommand)]
    command: Option<BridgeCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum BridgeCommand {
    /// Let an agent call your hooks
    Install(WhereArguments),
    /// Remove from an agent's settings what `install` added
    Uninstall(WhereArguments),
    /// List the agents on this machine, and whether they call your hooks
    List,
    /// Check whether a refusal would be obeyed now; exits with 1 if not
    Doctor {
        /// The agent (default: all that have the bridge)
        #[arg(add = ArgValueCompleter::new(bridge_agents))]
        agent: Option<String>,
        /// Also run an offline turn of the agent with a hook that refuses, and check that it obeys
        #[arg(long)]
        live: bool,
    },
}

#[derive(Debug, Clone, Args)]
struct WhereArguments {
    /// The agent, such as `claude-code`
    #[arg(add = ArgValueCompleter::new(bridge_agents))]
    agent: String,
    /// Which of the agent's settings to write
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
}

impl BridgeArguments {
    /// Returns the command's effect on files that guards depend on (TR-11). Every new command has
    /// to define it.
    pub(crate) fn effect(&self) -> Effect<'_> {
        match &self.command {
            Some(BridgeCommand::Install(_) | BridgeCommand::Uninstall(_)) => {
                Effect::on_settings(self.json)
            }
            None | Some(BridgeCommand::List | BridgeCommand::Doctor { .. }) => Effect::Reads,
        }
    }
}

/// Runs a command for the bridge.
pub(crate) fn run(arguments: &BridgeArguments, name: &str, environment: &Environment) -> Output {
    let command = arguments.command.as_ref().unwrap_or(&BridgeCommand::List);
    let format = Format::new(arguments.json, environment);
    let context = Context::plain(name, format, environment);
    let setting = Setting::of(environment);
    let done = carry_out(command, &context, &setting);
    done.unwrap_or_else(|failure| failure_output(&context, &failure))
}

fn carry_out(
    command: &BridgeCommand,
    context: &Context<'_>,
    setting: &Setting<'_>,
) -> Result<Output, CommandFailure> {
    let beside = AdditionalReport::without_problems(&setting.project);
    match command {
        BridgeCommand::Install(place) => {
            let agent = parse_agent(&place.agent)?;
            let installed = install(setting, agent, scope_of(place.scope))?;
            let view = InstalledView::new(agent, &installed);
            let output = context.say(beside, &view, |_| {
                words::describe_installed(agent, &installed, &view)
            });
            Ok(output?.warn(&view.warnings))
        }
        BridgeCommand::Uninstall(place) => {
            let agent = parse_agent(&place.agent)?;
            let uninstalled = uninstall(setting, agent, scope_of(place.scope))?;
            let view = UninstalledView::new(agent, &uninstalled);
            let output = context.say(beside, &view, |_| {
                words::uninstalled(agent, &uninstalled, &view)
            })?;
            let is_out = view.remaining.is_empty();
            Ok(output.ending(if is_out { Exit::Done } else { Exit::Failed }))
        }
        BridgeCommand::List => {
            let view = ConnectionsView::new(connections(setting));
            context.say(beside, &view, |_| words::list(&view))
        }
        BridgeCommand::Doctor { agent, live } => {
            let agent = agent.as_deref().map(parse_agent).transpose()?;
            let depth = if *live { Depth::Live } else { Depth::Looks };
            let examined = examine(setting, agent, depth);
            let view = ExaminedView::new(&examined);
            let output = context.say(beside, view, |_| words::describe_examined(&examined))?;
            let obey = examined.iter().all(|it| it.obeys() != Some(false));
            Ok(output.ending(if obey { Exit::Done } else { Exit::Failed }))
        }
    }
}

fn parse_agent(word: &str) -> Result<Agent, CommandFailure> {
    Agent::from_word(word).ok_or_else(|| CommandFailure::unknown_agent(word))
}

const fn scope_of(scope: Scope) -> InstallScope {
    match scope {
        Scope::User => InstallScope::User,
        Scope::Project => InstallScope::Project,
    }
}
