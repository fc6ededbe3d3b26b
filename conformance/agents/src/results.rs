//! What was seen, as data that is committed.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::outcome::{Claim, Seen};

/// What was seen of all agents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The agents in the order of the page.
    pub(crate) agents: Vec<AgentResult>,
}

/// What was seen of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentResult {
    /// Its name.
    pub(crate) name: String,
    /// The version that was run.
    pub(crate) version: String,
    /// The day, ISO 8601.
    pub(crate) date: String,
    /// What was seen.
    pub(crate) checks: Vec<CheckResult>,
}

/// What was seen of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckResult {
    /// What was claimed.
    pub(crate) claim: Claim,
    /// What was expected of this agent.
    pub(crate) expected: Seen,
    /// What was seen.
    pub(crate) seen: Seen,
    /// What belongs to it, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
    /// How long it took; not kept, since each run would change it.
    #[serde(skip)]
    pub(crate) seconds: f64,
}

impl Results {
    /// Reads what was recorded.
    pub(crate) fn load() -> io::Result<Self> {
        let text = fs::read_to_string(path())?;
        serde_json::from_str(&text).map_err(io::Error::other)
    }

    /// Loads what was recorded so far: nothing where there is no file yet. One that can't be read
    /// is an error, so that no result of an earlier run is written over.
    pub(crate) fn load_or_begin() -> io::Result<Self> {
        match Self::load() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            loaded => loaded,
        }
    }

    /// Records it.
    pub(crate) fn save(&self) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        fs::write(path(), text + "\n")
    }

    /// Puts an agent's result in the place of an earlier one.
    pub(crate) fn put(&mut self, result: AgentResult) {
        self.agents.retain(|other| other.name != result.name);
        self.agents.push(result);
        let place = |name: &str| {
            hookloop_rehearsal::agents::AGENTS
                .iter()
                .position(|agent| agent.name == name)
        };
        self.agents.sort_by_key(|result| place(&result.name));
    }
}

impl AgentResult {
    /// Returns whether everything is as it is known to be.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.checks.iter().all(CheckResult::is_as_expected)
    }

    /// Returns what was seen of a claim.
    pub(crate) fn check(&self, claim: Claim) -> Option<&CheckResult> {
        self.checks.iter().find(|check| check.claim == claim)
    }
}

impl CheckResult {
    /// Returns whether what was seen is what is known of the agent.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.expected == self.seen
    }
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn path() -> PathBuf {
    root().join("conformance/agents/results.json")
}
