//! Where the bridge is installed, and what is known about the agents there.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_bridge::{Agent, InstallScope, InstalledFile};
use hookloop_session::Environment;
use hookloop_settings::find_project_root;

use crate::files;
use crate::program::{self, Program};
use crate::records::{CALLED_BEFORE, LAST_CALL_FILE, Record, agent_folder};

/// Whose settings agents read.
pub(crate) const SCOPES: [InstallScope; 2] = [InstallScope::User, InstallScope::Project];

/// The home, project and state folders for the bridge.
#[derive(Debug)]
pub struct Setting<'a> {
    pub(crate) environment: &'a Environment,
    /// The home folder as other programs see it.
    pub(crate) home: PathBuf,
    /// The root of the project.
    pub project: PathBuf,
    /// The program's state folder.
    pub(crate) state: PathBuf,
}

impl<'a> Setting<'a> {
    /// Determines the folders from the environment.
    pub fn of(environment: &'a Environment) -> Self {
        let home = environment.home_of_programs();
        Self {
            home: home.unwrap_or_else(|| environment.home.clone()),
            project: find_project_root(&environment.current_dir, &environment.home),
            state: environment.state_dir(),
            environment,
        }
    }

    /// Returns the files that make an agent call the bridge.
    pub(crate) fn files(&self, agent: Agent, scope: InstallScope) -> Vec<InstalledFile> {
        agent.files(
            scope,
            self.folder(agent, scope),
            self.configured_folder(agent).as_deref(),
        )
    }

    /// Returns the file beside an agent's settings whose hooks replace those in the settings, if it
    /// exists.
    pub(crate) fn file_beside(&self, agent: Agent, scope: InstallScope) -> Option<InstalledFile> {
        let moved = self.configured_folder(agent);
        let files = agent.files_beside(scope, self.folder(agent, scope), moved.as_deref());
        files.into_iter().find(|it| it.path.exists())
    }

    /// Returns the files in which an agent may have put copies of the bridge's entries.
    pub(crate) fn files_with_copies(
        &self,
        agent: Agent,
        scope: InstallScope,
    ) -> Vec<InstalledFile> {
        let moved = self.configured_folder(agent);
        agent.files_with_copies(scope, self.folder(agent, scope), moved.as_deref())
    }

    /// Returns the existing files of a scope in which an agent may also find hooks.
    pub(crate) fn further_files(&self, agent: Agent, scope: InstallScope) -> Vec<PathBuf> {
        let moved = self.configured_folder(agent);
        let patterns = agent.further_files(scope, self.folder(agent, scope), moved.as_deref());
        patterns.iter().flat_map(files::matching).collect()
    }

    /// Returns the files that can switch an agent's hooks off.
    pub(crate) fn switching_files(&self, agent: Agent) -> Vec<PathBuf> {
        let of = |scope| self.switching_files_of(agent, scope);
        SCOPES.into_iter().flat_map(of).collect()
    }

    /// Returns the files of a scope that can switch an agent's hooks off.
    pub(crate) fn switching_files_of(&self, agent: Agent, scope: InstallScope) -> Vec<PathBuf> {
        let moved = self.configured_folder(agent);
        agent.switching_files(scope, self.folder(agent, scope), moved.as_deref())
    }

    /// Returns the settings files that an agent reads: the person's, and those of the folder in
    /// which it was started.
    pub(crate) fn files_read(&self, agent: Agent) -> Vec<PathBuf> {
        let mut files = self.switching_files_of(agent, InstallScope::User);
        let started = started_in(agent, self.environment);
        files.extend(agent.switching_files(InstallScope::Project, &started, None));
        files
    }

    /// Returns the folder that replaces the agent's own in the home folder, if a variable names
    /// one.
    pub(crate) fn configured_folder(&self, agent: Agent) -> Option<PathBuf> {
        let value = self.environment.variable(agent.moved_by()?)?;
        let is_said = !value.is_empty();
        is_said.then(|| self.environment.current_dir.join(value))
    }

    fn folder(&self, agent: Agent, scope: InstallScope) -> &Path {
        match (scope, agent) {
            // Moving Gemini CLI's home also moves ours.
            (InstallScope::User, Agent::GeminiCli) => &self.environment.home,
            (InstallScope::User, _) => &self.home,
            (InstallScope::Project, _) => &self.project,
        }
    }

    /// Returns what was recorded about an agent.
    pub(crate) fn record(&self, agent: Agent, scope: InstallScope) -> Option<Record> {
        Record::read(&self.state, agent, scope, &self.project)
    }
}

/// Returns the folder in which an agent says that it was started.
pub(crate) fn start_folder(agent: Agent, environment: &Environment) -> Option<PathBuf> {
    let names = agent.project_variables().iter();
    let folders = names.filter_map(|name| environment.variable(name));
    let mut folders = folders.map(PathBuf::from);
    folders.find(|it| it.is_absolute() && it.is_dir())
}

/// Returns the folder in which an agent was started, if that is reported.
pub(crate) fn started_in(agent: Agent, environment: &Environment) -> PathBuf {
    start_folder(agent, environment).unwrap_or_else(|| environment.process_dir.clone())
}

/// Returns whether an agent's files call the bridge.
pub(crate) fn is_in(setting: &Setting<'_>, agent: Agent, scope: InstallScope) -> bool {
    let beside = setting.file_beside(agent, scope);
    setting
        .files(agent, scope)
        .iter()
        .chain(&beside)
        .any(|file| {
            let text = files::read(&file.path).ok().flatten();
            text.is_some_and(|text| agent.is_installed_in(&text))
        })
}

/// Returns when an agent last called, in seconds since 1970.
pub(crate) fn last_called(setting: &Setting<'_>, agent: Agent) -> Option<u64> {
    let folder = agent_folder(&setting.state, agent);
    let files = [LAST_CALL_FILE, CALLED_BEFORE].map(|it| folder.join(it));
    let times = files
        .iter()
        .filter_map(|it| it.metadata().and_then(|it| it.modified()).ok());
    let since = times.max()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// An agent on this machine, or one that has the bridge.
#[derive(Debug)]
pub struct Connection {
    /// The agent.
    pub agent: Agent,
    /// Its program; `None` if it isn't on the `PATH`.
    pub program: Option<Program>,
    /// The scopes of settings that call the bridge.
    pub scopes: Vec<InstallScope>,
    /// The time of its last call, in seconds since 1970.
    pub last_called_at: Option<u64>,
}

/// Returns the agents that are on this machine or have the bridge.
pub fn connections(setting: &Setting<'_>) -> Vec<Connection> {
    let all = Agent::ALL.into_iter().map(|agent| {
        let scopes = SCOPES.into_iter();
        Connection {
            agent,
            program: program::find(agent, setting.environment),
            scopes: scopes.filter(|it| is_in(setting, agent, *it)).collect(),
            last_called_at: last_called(setting, agent),
        }
    });
    all.filter(|it| it.program.is_some() || !it.scopes.is_empty())
        .collect()
}
