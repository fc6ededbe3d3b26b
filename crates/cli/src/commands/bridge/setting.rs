//! What the commands for the bridge work with.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_bridge::{Agent, InstallScope, InstalledFile};
use hookloop_session::Environment;
use hookloop_settings::find_project_root;

use super::files;
use super::records::{CALLED, CALLED_BEFORE, Record, agent_folder};

/// Whose settings agents read.
pub(super) const SCOPES: [InstallScope; 2] = [InstallScope::User, InstallScope::Project];

/// What everything here works with.
pub(super) struct Setting<'a> {
    pub(super) environment: &'a Environment,
    /// The home folder as other programs see it.
    pub(super) home: PathBuf,
    /// The root of the project.
    pub(super) project: PathBuf,
    /// The program's state folder.
    pub(super) state: PathBuf,
}

impl<'a> Setting<'a> {
    pub(super) fn of(environment: &'a Environment) -> Self {
        let home = environment.home_of_programs();
        Self {
            home: home.unwrap_or_else(|| environment.home.clone()),
            project: find_project_root(&environment.current_dir, &environment.home),
            state: environment.state_dir(),
            environment,
        }
    }

    /// Returns the files that make an agent call the bridge.
    pub(super) fn files(&self, agent: Agent, scope: InstallScope) -> Vec<InstalledFile> {
        agent.files(
            scope,
            self.folder(agent, scope),
            self.moved(agent).as_deref(),
        )
    }

    /// Returns the files that can switch an agent's hooks off.
    pub(super) fn switching_files(&self, agent: Agent) -> Vec<PathBuf> {
        let moved = self.moved(agent);
        let of = |scope| agent.switching_files(scope, self.folder(agent, scope), moved.as_deref());
        SCOPES.into_iter().flat_map(of).collect()
    }

    /// Returns the folder that takes the place of the agent's own in the home folder, if it is told of
    /// one.
    pub(super) fn moved(&self, agent: Agent) -> Option<PathBuf> {
        let value = self.environment.variable(agent.moved_by()?)?;
        let is_said = !value.is_empty();
        is_said.then(|| self.environment.current_dir.join(value))
    }

    fn folder(&self, agent: Agent, scope: InstallScope) -> &Path {
        match (scope, agent) {
            // What moves its home moves ours.
            (InstallScope::User, Agent::GeminiCli) => &self.environment.home,
            (InstallScope::User, _) => &self.home,
            (InstallScope::Project, _) => &self.project,
        }
    }

    /// Returns what was recorded of an agent.
    pub(super) fn record(&self, agent: Agent, scope: InstallScope) -> Option<Record> {
        Record::read(&self.state, agent, scope, &self.project)
    }
}

/// Tells whether an agent's files call the bridge.
pub(super) fn is_in(setting: &Setting<'_>, agent: Agent, scope: InstallScope) -> bool {
    setting.files(agent, scope).iter().any(|file| {
        let text = files::read(&file.path).ok().flatten();
        text.is_some_and(|text| agent.is_installed_in(&text))
    })
}

/// Returns when an agent called last, in seconds since 1970.
pub(super) fn last_called(setting: &Setting<'_>, agent: Agent) -> Option<u64> {
    let folder = agent_folder(&setting.state, agent);
    let files = [CALLED, CALLED_BEFORE].map(|it| folder.join(it));
    let times = files
        .iter()
        .filter_map(|it| it.metadata().and_then(|it| it.modified()).ok());
    let since = times.max()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}
