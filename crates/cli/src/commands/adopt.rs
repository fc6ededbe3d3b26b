//! `hooks adopt`: runs the hooks of other agents where they are (FD-2).

use std::fmt::Write as _;

use clap::Args;
use hookloop_dialects::{Agent, Item, Manner, MigrationResult, SourceText, migrate};
use hookloop_hook::Layer;
use hookloop_manage::{CommandFailure, FailureCode, Scope};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{SettingsFile, adoptable_files};
use hookloop_text::visible;
use serde::Serialize;

use crate::commands::scope::ScopeArgument;
use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};

/// Holds the arguments of `adopt` (FD-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct AdoptArguments {
    /// Whose hooks run here: claude-code, codex, cursor, copilot, qwen
    #[arg(value_name = "AGENT", required_unless_present = "list")]
    pub(crate) agents: Vec<String>,
    /// Say what is found, and what each would do here; write nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Whose settings are written: the project's adopt its own files only
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArgument,
}

/// What was adopted, or found.
#[derive(Debug, Serialize)]
struct AdoptionView {
    target: Option<String>,
    adopted: Vec<String>,
    changed: Vec<String>,
    found: Vec<FoundView>,
}

/// A hook in a file of another agent.
#[derive(Debug, Serialize)]
struct FoundView {
    agent: &'static str,
    file: String,
    line: u32,
    event_from: Option<String>,
    event_to: Option<&'static str>,
    matcher_from: Option<String>,
    command: Option<String>,
    runs: bool,
    message: Option<String>,
}

/// Adopts agents, or tells what there is of them; runs and trusts nothing (TR-7).
pub(crate) fn adopt(
    context: &Context<'_>,
    arguments: &AdoptArguments,
) -> Result<Output, CommandFailure> {
    let mut agents = Vec::new();
    for word in &arguments.agents {
        let Some(agent) = Agent::from_word(word) else {
            let known = Agent::ALL.map(|it| it.dialect().as_str()).join(", ");
            let message = format!(
                "\"{}\" isn't an agent whose hooks can be adopted; write one of {known}",
                visible(word)
            );
            return Err(CommandFailure::new(FailureCode::NoSource, message));
        };
        agents.push(agent);
    }
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    if arguments.list {
        let chosen = if agents.is_empty() {
            Agent::ALL.to_vec()
        } else {
            agents
        };
        let view = AdoptionView {
            target: None,
            adopted: Vec::new(),
            changed: Vec::new(),
            found: found(context, &workspace, &chosen),
        };
        return show(context, &view);
    }
    let scope = Scope::from(arguments.scope);
    let target = scope.settings_file(&workspace, context.environment);
    let words: Vec<&str> = agents.iter().map(|it| it.dialect().as_str()).collect();
    let mut file = SettingsFile::open_for_edit(&target)?;
    let changed = file
        .add_texts(&["hooksConfig", "adopt"], &words)
        .map_err(|fault| file.error(fault))?;
    file.save().map(drop)?;
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let view = AdoptionView {
        target: Some(target.to_string_lossy().into_owned()),
        adopted: words.iter().map(|it| (*it).to_owned()).collect(),
        changed: if changed == hookloop_settings::Changed::Yes {
            words.iter().map(|it| (*it).to_owned()).collect()
        } else {
            Vec::new()
        },
        found: found(context, &workspace, &agents),
    };
    show(context, &view)
}

/// Looks at all files of agents, in the project and in the home folder.
fn found(context: &Context<'_>, workspace: &Workspace, agents: &[Agent]) -> Vec<FoundView> {
    let mut found = Vec::new();
    let places = [
        (Layer::Project, &workspace.project_root),
        (Layer::User, &context.environment.home),
    ];
    for agent in agents {
        for (layer, above) in places {
            for file in adoptable_files(*agent, layer, above) {
                // What can't be read refuses to start a session, and says why there.
                let Ok(Some(bytes)) = hookloop_settings::read_bytes(&file) else {
                    continue;
                };
                let text = String::from_utf8_lossy(&bytes);
                let source = SourceText {
                    path: &file,
                    text: &text,
                };
                let items = migrate(*agent, Manner::InPlace, &[source]).items;
                found.extend(items.into_iter().map(|item| found_view(*agent, item)));
            }
        }
    }
    found
}

fn found_view(agent: Agent, item: Item) -> FoundView {
    FoundView {
        agent: agent.dialect().as_str(),
        file: item.source.path.to_string_lossy().into_owned(),
        line: item.source.line,
        event_to: item.event_to.map(hookloop_events::EventName::as_str),
        event_from: item.event_from,
        matcher_from: item.matcher_from,
        command: item.command,
        runs: item.addition.is_some() && item.result != MigrationResult::NotPossible,
        message: item.message,
    }
}

fn show(context: &Context<'_>, view: &AdoptionView) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => {
            let root = &workspace.project_root;
            (
                views::document(context.name, root, view, problems)?,
                String::new(),
            )
        }
        Format::Text { notices, .. } => {
            (words(view), text::diagnostics_of_sources(problems, notices))
        }
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}

fn words(view: &AdoptionView) -> String {
    let mut text = String::new();
    for hook in &view.found {
        let event = hook.event_from.as_deref().unwrap_or("setting");
        let here = match (hook.runs, hook.event_to) {
            (true, Some(event)) => format!("runs at {event}"),
            _ => "has no effect here".to_owned(),
        };
        // Writing to a string doesn't fail.
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
            "Hooks in the project's files don't run before they are trusted: look at them with \
             `hookloop hooks review`, then run `hookloop hooks trust`\n",
        );
    }
    text
}
