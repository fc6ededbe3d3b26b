//! What the commands of the bridge say.

use std::fmt::Write as _;
use std::path::PathBuf;

use hookloop_bridge::{Agent, InstallScope, InstalledFile};
use hookloop_text::visible;
use serde::Serialize;

use super::program::{self, Program};
use super::setting::{Setting, is_in, last_called};
use crate::commands::change::texts;
use crate::commands::{CommandFailure, Context, Format, views};
use crate::output::{Exit, Output};

/// What was installed.
pub(super) struct Installed<'a> {
    pub(super) agent: Agent,
    pub(super) found: Option<Program>,
    pub(super) written: Vec<PathBuf>,
    pub(super) wanted: &'a [InstalledFile],
}

#[derive(Serialize)]
struct InstalledView {
    agent: &'static str,
    version: Option<String>,
    changed: bool,
    files: Vec<String>,
    events: &'static [&'static str],
    cannot: &'static [&'static str],
    pending: &'static [&'static str],
    warnings: Vec<String>,
}

/// Says what is registered, what the agent can't do, and what stays off.
pub(super) fn installed(
    context: &Context<'_>,
    setting: &Setting<'_>,
    installed: &Installed<'_>,
) -> Result<Output, CommandFailure> {
    let agent = installed.agent;
    let name = agent.name();
    let version = installed.found.as_ref().and_then(|it| it.version.clone());
    let mut warnings = Vec::new();
    match (&installed.found, &version) {
        (None, _) => warnings.push(format!(
            "`{}` isn't on the PATH: nobody knows whether this version obeys",
            agent.program()
        )),
        (Some(_), None) => warnings.push(format!("{name} doesn't say its version")),
        (Some(_), Some(version)) if !agent.observed_versions().contains(&version.as_str()) => {
            warnings.push(format!(
                "{name} {version} was never observed: what is said here holds for {}",
                observed(agent)
            ));
        }
        _ => {}
    }
    let view = InstalledView {
        agent: agent.word(),
        version,
        changed: !installed.written.is_empty(),
        files: installed
            .wanted
            .iter()
            .map(|it| it.path.to_string_lossy().into_owned())
            .collect(),
        events: agent.registered_events(),
        cannot: agent.cannot(),
        pending: agent.pending(),
        warnings,
    };
    let told = || {
        let mut text = if view.changed {
            format!("{name} calls your hooks now.\n")
        } else {
            format!("{name} calls your hooks already; nothing was changed.\n")
        };
        for file in &installed.written {
            let _ = writeln!(text, "  written: {}", visible(&file.to_string_lossy()));
        }
        let _ = writeln!(text, "  events: {}", view.events.join(", "));
        if !view.cannot.is_empty() {
            let _ = writeln!(text, "What {name} can't do:");
        }
        for line in view.cannot {
            let _ = writeln!(text, "  - {line}");
        }
        for line in view.pending {
            let _ = writeln!(text, "Still off: {line}");
        }
        let _ = writeln!(
            text,
            "Check it at any time: hookloop bridge doctor {}",
            agent.word()
        );
        text
    };
    let mut notices = String::new();
    for warning in &view.warnings {
        notices.extend(["warning: ", warning, "\n"]);
    }
    show(context, setting, &view, told, notices, Exit::Done)
}

fn observed(agent: Agent) -> String {
    match agent.observed_versions() {
        [] => "no version at all".to_owned(),
        versions => versions.join(", "),
    }
}

#[derive(Serialize)]
struct UninstalledView {
    agent: &'static str,
    changed: bool,
    files: Vec<String>,
}

/// Says what was taken out.
pub(super) fn uninstalled(
    context: &Context<'_>,
    setting: &Setting<'_>,
    agent: Agent,
    changed: &[PathBuf],
) -> Result<Output, CommandFailure> {
    let view = UninstalledView {
        agent: agent.word(),
        changed: !changed.is_empty(),
        files: texts(changed),
    };
    let told = || {
        if changed.is_empty() {
            return format!(
                "The bridge isn't in {}; nothing was changed.\n",
                agent.name()
            );
        }
        let mut text = format!("{} doesn't call your hooks any more.\n", agent.name());
        for file in &view.files {
            let _ = writeln!(text, "  changed: {}", visible(file));
        }
        text
    };
    show(context, setting, &view, told, String::new(), Exit::Done)
}

#[derive(Serialize)]
struct ListView {
    agents: Vec<ListedView>,
}

#[derive(Serialize)]
struct ListedView {
    agent: &'static str,
    name: &'static str,
    program: Option<String>,
    version: Option<String>,
    observed: bool,
    installed: bool,
    scopes: Vec<&'static str>,
    last_called_at: Option<u64>,
}

/// Lists the agents that are on this machine or have the bridge.
pub(super) fn list(context: &Context<'_>, setting: &Setting<'_>) -> Result<Output, CommandFailure> {
    let mut agents = Vec::new();
    for agent in Agent::ALL {
        let found = program::find(agent, setting.environment);
        let scopes = [
            (InstallScope::User, "user"),
            (InstallScope::Project, "project"),
        ];
        let scopes: Vec<&str> = scopes
            .into_iter()
            .filter(|(scope, _)| is_in(setting, agent, *scope))
            .map(|(_, word)| word)
            .collect();
        if found.is_none() && scopes.is_empty() {
            continue;
        }
        let version = found.as_ref().and_then(|it| it.version.clone());
        agents.push(ListedView {
            agent: agent.word(),
            name: agent.name(),
            program: found.map(|it| it.path.to_string_lossy().into_owned()),
            observed: version
                .as_deref()
                .is_some_and(|it| agent.observed_versions().contains(&it)),
            version,
            installed: !scopes.is_empty(),
            scopes,
            last_called_at: last_called(setting, agent),
        });
    }
    let view = ListView { agents };
    let told = || {
        if view.agents.is_empty() {
            let known = Agent::ALL.map(Agent::word).join(", ");
            return format!("No agent that the bridge knows is on this machine ({known}).\n");
        }
        let mut text = String::new();
        for it in &view.agents {
            let version = it.version.as_deref().unwrap_or("unknown version");
            let state = if it.scopes.is_empty() {
                format!("not connected; hookloop bridge install {}", it.agent)
            } else {
                let called = match it.last_called_at {
                    Some(at) => format!("last called {}", ago(at)),
                    None => "never called".to_owned(),
                };
                format!("connected ({}), {called}", it.scopes.join(", "))
            };
            let _ = writeln!(
                text,
                "{:<12} {} {}: {state}",
                it.agent,
                it.name,
                visible(version)
            );
        }
        text
    };
    show(context, setting, &view, told, String::new(), Exit::Done)
}

/// Says how long ago a time was.
fn ago(at: u64) -> String {
    let seconds = super::records::now().saturating_sub(at);
    match seconds {
        0..120 => "just now".to_owned(),
        120..7200 => format!("{} minutes ago", seconds / 60),
        7200..172_800 => format!("{} hours ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Shows what a command has to say.
pub(super) fn show(
    context: &Context<'_>,
    setting: &Setting<'_>,
    view: &impl Serialize,
    told: impl FnOnce() -> String,
    notices: String,
    exit: Exit,
) -> Result<Output, CommandFailure> {
    let result = match context.format {
        Format::Json => views::document(context.name, &setting.project, view, &[])?,
        Format::Text { .. } => told(),
    };
    Ok(Output {
        result,
        notices,
        exit,
    })
}
