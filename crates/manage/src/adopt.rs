//! Adopts other agents' hooks: runs them from their own files (FD-2).

use hookloop_dialects::{
    Agent, Fault, Item, Manner, MigrationResult, SourceText, calls_bridge, migrate,
};
use hookloop_hook::{HookDeclaration, Layer};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{
    Saved, adoptable_files, folder_of_hooks, is_turned_off, turned_off_by_person,
};
use hookloop_text::visible;
use serde::Serialize;

use crate::Task;
use crate::change::edit;
use crate::failure::{CommandFailure, FailureCode};
use crate::scope::Scope;

/// The result of adopting, or of looking for hooks to adopt.
pub struct Adoption {
    /// The resulting configuration.
    pub workspace: Workspace,
    /// What was adopted or found.
    pub view: AdoptionView,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// What was adopted or found, as JSON.
#[derive(Debug, Serialize)]
pub struct AdoptionView {
    /// The settings file that was written.
    pub target: Option<String>,
    /// The agents that are adopted.
    pub adopted: Vec<String>,
    /// The agents that were adopted now.
    pub changed: Vec<String>,
    /// The hooks in their files.
    pub found: Vec<FoundHook>,
    /// The number of entries left out because they call this program's bridge, for their own agents
    /// (BR-12).
    pub bridge_entries: usize,
}

/// A hook in a file of another agent.
#[derive(Debug, Serialize)]
pub struct FoundHook {
    /// The agent.
    pub agent: &'static str,
    /// Its file.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// The event in that agent.
    pub event_from: Option<String>,
    /// The event here.
    pub event_to: Option<&'static str>,
    matcher_from: Option<String>,
    /// What it runs.
    pub command: Option<String>,
    /// Whether it runs here.
    pub runs: bool,
    /// A remark for the person.
    pub message: Option<String>,
    /// Whether it is a switch that turns hooks off.
    #[serde(skip)]
    pub turns_off: bool,
}

/// Returns the agent with a name, if its hooks can be adopted.
pub fn adoptable_agent(word: &str) -> Result<Agent, CommandFailure> {
    Agent::from_word(word).ok_or_else(|| {
        let known = Agent::ALL.map(|it| it.dialect().as_str()).join(", ");
        let message = format!(
            "\"{}\" isn't an agent whose hooks can be adopted; write one of {known}",
            visible(word)
        );
        CommandFailure::new(FailureCode::NoSource, message)
    })
}

/// Finds hooks of the named agents, or of all agents; writes nothing.
pub fn find_adoptable(task: Task<'_>, agents: &[Agent]) -> Adoption {
    let chosen = if agents.is_empty() {
        &Agent::ALL[..]
    } else {
        agents
    };
    let workspace = Workspace::open(task.environment, &RunOptions::default());
    let (found, bridge_entries) = find_hooks(task, &workspace, chosen);
    let view = AdoptionView {
        target: None,
        adopted: Vec::new(),
        changed: Vec::new(),
        found,
        bridge_entries,
    };
    Adoption {
        workspace,
        view,
        warnings: Vec::new(),
    }
}

/// Adopts agents; runs and trusts nothing (TR-7).
pub fn adopt_agents(
    task: Task<'_>,
    agents: &[Agent],
    scope: Scope,
) -> Result<Adoption, CommandFailure> {
    let before = Workspace::open(task.environment, &RunOptions::default());
    let target = scope.settings_file(&before, task.environment);
    let words: Vec<&str> = agents.iter().map(|it| it.dialect().as_str()).collect();
    let adopted: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
    let saved = edit(&target, |file| {
        file.add_texts(&["hooksConfig", "adopt"], &words)
    })?;
    let workspace = Workspace::open(task.environment, &RunOptions::default());
    let (found, bridge_entries) = find_hooks(task, &workspace, agents);
    let view = AdoptionView {
        target: Some(target.to_string_lossy().into_owned()),
        changed: match saved {
            Saved::Written => adopted.clone(),
            Saved::Unchanged => Vec::new(),
        },
        adopted,
        found,
        bridge_entries,
    };
    Ok(Adoption {
        warnings: copies(&workspace).into_iter().collect(),
        workspace,
        view,
    })
}

/// Returns a warning about hooks that were migrated from files that are now adopted: the originals
/// run, and the copies are redundant (FD-2).
fn copies(workspace: &Workspace) -> Option<String> {
    let hooks = &workspace.settings.hooks;
    let is_copy = |hook: &&HookDeclaration| hooks.iter().any(|it| hook.is_copied_from(it));
    let places: Vec<String> = hooks
        .iter()
        .filter(is_copy)
        .map(|it| it.source.to_string())
        .collect();
    if places.is_empty() {
        return None;
    }
    Some(format!(
        "hooks of these files were migrated before: as long as a copy matches its original, only \
         the original runs; remove the copies ({})",
        places.join(", ")
    ))
}

/// Reads all files of agents, in the project and in the home folder. Returns the hooks, and the
/// number of entries for our own bridge.
fn find_hooks(task: Task<'_>, workspace: &Workspace, agents: &[Agent]) -> (Vec<FoundHook>, usize) {
    let mut found = Vec::new();
    let mut bridge_entries = 0;
    let places = [
        (Layer::Project, &workspace.project_root),
        (Layer::User, &task.environment.home),
    ];
    for agent in agents {
        let project = &workspace.project_root;
        let is_off = turned_off_by_person(*agent, project, &task.environment.home).is_some();
        for (layer, above) in places {
            if is_off && layer == Layer::Project {
                continue;
            }
            for file in adoptable_files(*agent, layer, above) {
                if is_turned_off(*agent, layer, above, &file) {
                    continue;
                }
                // An unreadable file prevents a session from starting, which is reported there.
                let Ok(Some(bytes)) = hookloop_settings::read_bytes(&file) else {
                    continue;
                };
                let text = String::from_utf8_lossy(&bytes);
                let folder = folder_of_hooks(*agent, layer, above);
                let source = SourceText {
                    path: &file,
                    text: &text,
                    runs_in: folder.as_deref(),
                };
                let items = migrate(*agent, Manner::InPlace, &[source]).items;
                let (own, hooks): (Vec<Item>, _) = items.into_iter().partition(is_bridge_entry);
                bridge_entries += own.len();
                found.extend(hooks.into_iter().map(|item| found_hook(*agent, item)));
            }
        }
    }
    (found, bridge_entries)
}

/// Returns whether an item is an entry that `bridge install` wrote, and so can't be adopted.
fn is_bridge_entry(item: &Item) -> bool {
    item.fault == Fault::None && item.command.as_deref().is_some_and(calls_bridge)
}

fn found_hook(agent: Agent, item: Item) -> FoundHook {
    FoundHook {
        agent: agent.dialect().as_str(),
        file: item.source.path.to_string_lossy().into_owned(),
        line: item.source.line,
        event_to: item.event_to.map(hookloop_events::EventName::as_str),
        event_from: item.event_from,
        turns_off: item.fault == Fault::Off,
        matcher_from: item.matcher_from,
        command: item.command,
        runs: item.addition.is_some() && item.result != MigrationResult::NotPossible,
        message: item.message,
    }
}
