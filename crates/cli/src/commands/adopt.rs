//! `hooks adopt`: runs the hooks of other agents where they are (FD-2).

use std::fmt::Write as _;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::{
    AdoptionView, CommandFailure, Scope, adopt_agents, adoptable_agent, find_adoptable,
};
use hookloop_text::visible;

use crate::commands::context::{AdditionalReport, Context};
use crate::names::adoptable_agents;
use crate::output::Output;

/// Contains the arguments of `adopt` (FD-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct AdoptArguments {
    /// The agents whose hooks run here: claude-code, codex, cursor, copilot, qwen
    #[arg(
        value_name = "AGENT",
        required_unless_present = "list",
        add = ArgValueCompleter::new(adoptable_agents)
    )]
    pub(crate) agents: Vec<String>,
    /// Show what is found and what each hook would do here; write nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Whose settings to write; a project's settings adopt only its own files
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: Scope,
}

/// Adopts agents' hooks, or lists them; runs and trusts nothing (TR-7).
pub(crate) fn adopt(
    context: &Context<'_>,
    arguments: &AdoptArguments,
) -> Result<Output, CommandFailure> {
    let agents = arguments.agents.iter().map(|it| adoptable_agent(it));
    let agents: Vec<_> = agents.collect::<Result<_, _>>()?;
    let adoption = if arguments.list {
        find_adoptable(context.task(), &agents)
    } else {
        adopt_agents(context.task(), &agents, arguments.scope)?
    };
    let beside = AdditionalReport::for_sources(&adoption.workspace);
    let output = context.say(beside, &adoption.view, |_| describe(&adoption.view))?;
    Ok(output.warn(&adoption.warnings))
}

fn describe(view: &AdoptionView) -> String {
    let mut text = String::new();
    for hook in &view.found {
        let event = hook.event_from.as_deref().unwrap_or("setting");
        let here = match (hook.runs, hook.event_to) {
            (true, Some(event)) => format!("runs at {event}"),
            _ if hook.turns_off => "disables hooks here, too".to_owned(),
            _ => "has no effect here".to_owned(),
        };
        // Writing to a string can't fail.
        let _ = write!(
            text,
            "{} {}: {here}\n  {}:{}\n",
            hook.agent,
            visible(event),
            visible(&hook.file),
            hook.line
        );
        for line in [&hook.command, &hook.message].into_iter().flatten() {
            let _ = writeln!(text, "  {}", visible(line));
        }
    }
    if view.bridge_entries > 0 {
        let _ = writeln!(
            text,
            "Entries of Hookloop's own bridge are left out ({}): those agents call it through them",
            view.bridge_entries
        );
    }
    if view.found.is_empty() {
        text.push_str("No hooks of other agents were found.\n");
    }
    if let Some(target) = &view.target {
        let _ = writeln!(
            text,
            "{} adopted in {}",
            view.adopted.join(", "),
            visible(target)
        );
        text.push_str(
            "Hooks in the project's files don't run until they are trusted: review them with \
             `hookloop hooks review`, then run `hookloop hooks trust`\n",
        );
    }
    text
}
