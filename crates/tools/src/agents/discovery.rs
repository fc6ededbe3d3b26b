//! Finding sub-agents in the project's and the user's folder (TO-4).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::definition::{self, AgentProblem};
use crate::SubAgent;

/// The folders with sub-agents, each of which is a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFolders {
    /// The folders whose agents count, in order of precedence: the project's `.gemini/agents` if
    /// the workspace is trusted, then the user's, then the project's if its trust isn't known.
    pub used: Vec<PathBuf>,
    /// The folders whose agents don't count: the project's if the workspace must not be trusted.
    pub untrusted: Vec<PathBuf>,
}

/// The sub-agents of a session, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubAgents {
    agents: BTreeMap<String, SubAgent>,
}

impl SubAgents {
    /// Finds agents, and returns them with the problems that were found (TO-4).
    pub fn discover(folders: &AgentFolders) -> (Self, Vec<AgentProblem>) {
        let mut agents = Self::default();
        let mut problems = Vec::new();
        for folder in &folders.used {
            for file in files(folder, &mut problems) {
                match definition::read(&file) {
                    Ok((agent, unused)) => {
                        problems.extend(unused);
                        agents.add(agent, &mut problems);
                    }
                    Err(problem) => problems.push(problem),
                }
            }
        }
        for folder in &folders.untrusted {
            let count = files(folder, &mut problems).len();
            if count > 0 {
                problems.push(AgentProblem {
                    file: folder.clone(),
                    line: None,
                    message: format!(
                        "{count} agents are left out, because the workspace isn't trusted"
                    ),
                });
            }
        }
        (agents, problems)
    }

    fn add(&mut self, agent: SubAgent, problems: &mut Vec<AgentProblem>) {
        if let Some(first) = self.agents.get(&agent.name) {
            problems.push(AgentProblem {
                message: format!(
                    "the agent is left out, because {} has the name \"{}\" too",
                    first.file.display(),
                    agent.name
                ),
                file: agent.file,
                line: None,
            });
        } else {
            self.agents.insert(agent.name.clone(), agent);
        }
    }

    /// Removes the agents that don't count.
    #[must_use]
    pub fn retain(mut self, counts: impl Fn(&SubAgent) -> bool) -> Self {
        self.agents.retain(|_, it| counts(it));
        self
    }

    /// Returns the agents, by name.
    pub fn iter(&self) -> impl Iterator<Item = &SubAgent> {
        self.agents.values()
    }

    /// Returns an agent.
    pub fn get(&self, name: &str) -> Option<&SubAgent> {
        self.agents.get(name)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }
}

/// Returns the files of the agents in a folder, by name. A file whose name begins with a dot or an
/// underscore isn't one, so that drafts and notes can be kept there.
fn files(folder: &Path, problems: &mut Vec<AgentProblem>) -> Vec<PathBuf> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                problems.push(AgentProblem {
                    file: folder.to_path_buf(),
                    line: None,
                    message: format!("the folder of agents can't be read: {error}"),
                });
            }
            return Vec::new();
        }
    };
    let is_agent = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        path.extension().is_some_and(|it| it == "md")
            && !name.starts_with(b".")
            && !name.starts_with(b"_")
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(is_agent).collect();
    files.sort();
    files
}
