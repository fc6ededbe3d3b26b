//! What the commands of the bridge print as JSON (`cli-json.md` §1).

use std::path::PathBuf;

use hookloop_bridge::{Agent, InstallScope};
use hookloop_hook::Problem;
use serde::Serialize;

use crate::doctor::Examined;
use crate::installation::{Installed, RemainingCall, StaleCalls, Uninstalled};
use crate::program::Program;
use crate::setting::Connection;

/// The result of an installation, as JSON.
#[derive(Serialize)]
pub struct InstalledView {
    agent: &'static str,
    version: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
    files: Vec<String>,
    /// The events that are registered with the agent.
    pub events: &'static [&'static str],
    /// What the agent can't do, each as a sentence.
    pub cannot: &'static [&'static str],
    /// What stays off for now.
    pub pending: &'static [&'static str],
    /// Other warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

impl InstalledView {
    /// Creates the view of an installation.
    pub fn new(agent: Agent, installed: &Installed) -> Self {
        Self {
            agent: agent.word(),
            version: version(installed.program.as_ref()),
            changed: !installed.written.is_empty(),
            files: texts(&installed.wanted),
            events: agent.registered_events(),
            cannot: agent.cannot(),
            pending: agent.pending(),
            warnings: unobserved(agent, installed.program.as_ref())
                .into_iter()
                .collect(),
        }
    }
}

/// Returns why nobody knows whether this version of an agent obeys.
fn unobserved(agent: Agent, program: Option<&Program>) -> Option<String> {
    let name = agent.name();
    let Some(program) = program else {
        return Some(format!(
            "`{}` isn't on the PATH: whether this version obeys isn't known",
            agent.program()
        ));
    };
    let Some(version) = &program.version else {
        return Some(format!("{name} doesn't report its version"));
    };
    let observed = match agent.observed_versions() {
        [] => "no version".to_owned(),
        versions => versions.join(", "),
    };
    (!program.is_observed(agent))
        .then(|| format!("{name} {version} was never tested: this applies to {observed}"))
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    let texts = paths.iter().map(|it| it.to_string_lossy().into_owned());
    texts.collect()
}

fn version(program: Option<&Program>) -> Option<String> {
    program.and_then(|it| it.version.clone())
}

/// The result of a removal, as JSON.
#[derive(Serialize)]
pub struct UninstalledView {
    agent: &'static str,
    /// Whether anything changed.
    pub changed: bool,
    /// The files that were written.
    pub files: Vec<String>,
    /// What still calls the bridge, each as `file:line`.
    pub remaining: Vec<String>,
    /// Another scope of the agent's settings that calls the bridge.
    pub elsewhere: Option<&'static str>,
    /// The agents whose running sessions must be restarted, because they continue with the previous
    /// settings.
    pub restart: Vec<&'static str>,
    /// What those sessions do until then: `refuses`, because the program that they call is gone, or
    /// `hooks_answer`.
    pub until_then: Option<&'static str>,
}

impl UninstalledView {
    /// Creates the view of a removal.
    pub fn new(agent: Agent, uninstalled: &Uninstalled) -> Self {
        let place = |it: &RemainingCall| format!("{}:{}", it.path.display(), it.line);
        Self {
            agent: agent.word(),
            changed: !uninstalled.changed.is_empty(),
            files: texts(&uninstalled.changed),
            remaining: uninstalled.remaining.iter().map(place).collect(),
            elsewhere: uninstalled.elsewhere.map(scope),
            restart: uninstalled.restart.iter().map(|it| it.word()).collect(),
            until_then: (!uninstalled.restart.is_empty()).then_some(match uninstalled.until_then {
                StaleCalls::HooksAnswer => "hooks_answer",
                StaleCalls::Refuses => "refuses",
            }),
        }
    }
}

/// The agents on this machine, as JSON.
#[derive(Serialize)]
pub struct ConnectionsView {
    /// The agents that are here, or have the bridge.
    pub agents: Vec<ConnectionView>,
}

/// An agent on this machine, as JSON.
#[derive(Serialize)]
pub struct ConnectionView {
    /// Its name on the command line.
    pub agent: &'static str,
    /// Its display name.
    pub name: &'static str,
    program: Option<String>,
    /// The version that it reports.
    pub version: Option<String>,
    observed: bool,
    installed: bool,
    /// The scopes of its settings that call the bridge.
    pub scopes: Vec<&'static str>,
    /// The time of its last call, in seconds since 1970.
    pub last_called_at: Option<u64>,
}

impl ConnectionsView {
    /// Creates the view of connections.
    pub fn new(connections: Vec<Connection>) -> Self {
        let listed = connections.into_iter().map(|it| {
            let program = it.program.as_ref();
            ConnectionView {
                agent: it.agent.word(),
                name: it.agent.name(),
                observed: program.is_some_and(|program| program.is_observed(it.agent)),
                version: version(program),
                installed: !it.scopes.is_empty(),
                scopes: it.scopes.iter().copied().map(scope).collect(),
                last_called_at: it.last_called_at,
                program: it.program.map(|it| it.path.to_string_lossy().into_owned()),
            }
        });
        Self {
            agents: listed.collect(),
        }
    }
}

const fn scope(scope: InstallScope) -> &'static str {
    match scope {
        InstallScope::User => "user",
        InstallScope::Project => "project",
    }
}

/// The results of checks, as JSON.
#[derive(Serialize)]
pub struct ExaminedView<'a> {
    agents: Vec<ExaminedAgent<'a>>,
}

#[derive(Serialize)]
struct ExaminedAgent<'a> {
    agent: &'static str,
    name: &'static str,
    version: Option<String>,
    observed: bool,
    installed: bool,
    /// `None` if it isn't known.
    obeys: Option<bool>,
    problems: &'a [Problem],
    last_called_at: Option<u64>,
}

impl<'a> ExaminedView<'a> {
    /// Creates the view of results.
    pub fn new(examined: &'a [Examined]) -> Self {
        let agents = examined.iter().map(|it| {
            let program = it.program.as_ref();
            ExaminedAgent {
                agent: it.agent.word(),
                name: it.agent.name(),
                version: version(program),
                observed: program.is_some_and(|program| program.is_observed(it.agent)),
                installed: it.installed,
                obeys: it.obeys(),
                problems: &it.problems,
                last_called_at: it.last_called_at,
            }
        });
        Self {
            agents: agents.collect(),
        }
    }
}
