//! What the commands of the bridge print as JSON (`cli-json.md` §1).

use std::path::PathBuf;

use hookloop_bridge::{Agent, InstallScope};
use hookloop_bridging::{Connection, Examined, Installed, Program};
use hookloop_hook::Problem;
use serde::Serialize;

use crate::commands::change::texts;

/// Shows what was installed.
#[derive(Serialize)]
pub(super) struct InstalledView {
    agent: &'static str,
    version: Option<String>,
    pub(super) changed: bool,
    files: Vec<String>,
    pub(super) events: &'static [&'static str],
    pub(super) cannot: &'static [&'static str],
    pub(super) pending: &'static [&'static str],
    pub(super) warnings: Vec<String>,
}

impl InstalledView {
    pub(super) fn new(agent: Agent, installed: &Installed) -> Self {
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

/// Says why nobody knows whether this version of an agent obeys.
fn unobserved(agent: Agent, program: Option<&Program>) -> Option<String> {
    let name = agent.name();
    let Some(program) = program else {
        return Some(format!(
            "`{}` isn't on the PATH: nobody knows whether this version obeys",
            agent.program()
        ));
    };
    let Some(version) = &program.version else {
        return Some(format!("{name} doesn't say its version"));
    };
    let observed = match agent.observed_versions() {
        [] => "no version at all".to_owned(),
        versions => versions.join(", "),
    };
    (!program.is_observed(agent)).then(|| {
        format!("{name} {version} was never observed: what is said here holds for {observed}")
    })
}

fn version(program: Option<&Program>) -> Option<String> {
    program.and_then(|it| it.version.clone())
}

/// Shows what was taken out.
#[derive(Serialize)]
pub(super) struct UninstalledView {
    agent: &'static str,
    pub(super) changed: bool,
    pub(super) files: Vec<String>,
}

impl UninstalledView {
    pub(super) fn new(agent: Agent, changed: &[PathBuf]) -> Self {
        Self {
            agent: agent.word(),
            changed: !changed.is_empty(),
            files: texts(changed),
        }
    }
}

/// Shows the agents of this machine.
#[derive(Serialize)]
pub(super) struct ListView {
    pub(super) agents: Vec<ListedView>,
}

/// Shows an agent of this machine.
#[derive(Serialize)]
pub(super) struct ListedView {
    pub(super) agent: &'static str,
    pub(super) name: &'static str,
    program: Option<String>,
    pub(super) version: Option<String>,
    observed: bool,
    installed: bool,
    pub(super) scopes: Vec<&'static str>,
    pub(super) last_called_at: Option<u64>,
}

impl ListView {
    pub(super) fn new(connections: Vec<Connection>) -> Self {
        let listed = connections.into_iter().map(|it| {
            let program = it.program.as_ref();
            ListedView {
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

/// Shows what was found of agents.
#[derive(Serialize)]
pub(super) struct DoctorView<'a> {
    agents: Vec<ExaminedView<'a>>,
}

#[derive(Serialize)]
struct ExaminedView<'a> {
    agent: &'static str,
    name: &'static str,
    version: Option<String>,
    observed: bool,
    installed: bool,
    obeys: bool,
    problems: &'a [Problem],
    last_called_at: Option<u64>,
}

impl<'a> DoctorView<'a> {
    pub(super) fn new(examined: &'a [Examined]) -> Self {
        let agents = examined.iter().map(|it| {
            let program = it.program.as_ref();
            ExaminedView {
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
