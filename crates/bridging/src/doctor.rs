//! `bridge doctor`: would the agent obey a refusal now (BR-3)?

mod checks;
mod claude_code;
mod codex;
mod copilot;
mod droid;
mod kimi;
mod live;
mod switches;

use hookloop_bridge::{Agent, InstallScope};
use hookloop_hook::{Problem, ProblemCode, Source};

use crate::program::{self, Program};
use crate::setting::{SCOPES, Setting, is_in, last_called};

/// The result of a check.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its severity.
    pub level: Level,
    /// What was found, and the remedy.
    pub text: String,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Correct.
    Good,
    /// Worth knowing.
    Warning,
    /// A guard wouldn't be enforced.
    Error,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Self {
            level: Level::Good,
            text: text.into(),
        }
    }

    fn warning(text: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            text: text.into(),
        }
    }

    fn error(text: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            text: text.into(),
        }
    }
}

/// How thorough a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It inspects files and settings.
    Looks,
    /// It also makes the agent take a turn, offline.
    Live,
}

/// An agent that is checked, in the scopes in which it has the bridge.
struct CheckedAgent<'a> {
    setting: &'a Setting<'a>,
    agent: Agent,
    scopes: Vec<InstallScope>,
}

/// The result of the checks of an agent.
#[derive(Debug)]
pub struct Examined {
    /// The agent.
    pub agent: Agent,
    /// Its program; `None` if it isn't on the `PATH`.
    pub program: Option<Program>,
    /// Whether its settings call the bridge.
    pub installed: bool,
    /// Problems with the bridge's files.
    pub problems: Vec<Problem>,
    /// The time of its last call, in seconds since 1970.
    pub last_called_at: Option<u64>,
    /// All findings, good or bad.
    pub findings: Vec<Finding>,
}

impl Examined {
    /// Returns whether the agent would obey a refusal now. Returns `None` if no check failed but
    /// the agent's program, and so its version, isn't known.
    pub fn obeys(&self) -> Option<bool> {
        let is_well = self.findings.iter().all(|it| it.level != Level::Error);
        match (is_well, &self.program) {
            (true, None) => None,
            (is_well, _) => Some(is_well),
        }
    }
}

impl Finding {
    /// Returns the diagnostic for a finding that isn't good.
    fn problem(&self, patient: &CheckedAgent<'_>) -> Option<Problem> {
        let code = match self.level {
            Level::Good => return None,
            Level::Warning => ProblemCode::Lossy,
            Level::Error => ProblemCode::AgentObeysNothing,
        };
        let scope = patient
            .scopes
            .first()
            .copied()
            .unwrap_or(InstallScope::User);
        let file = patient
            .setting
            .files(patient.agent, scope)
            .into_iter()
            .next();
        let file = file.map(|it| it.path).unwrap_or_default();
        let help = format!(
            "follow it, then run `hookloop bridge doctor {}` again",
            patient.agent.word()
        );
        let source = Source::of_file(file.as_path());
        Some(Problem::new(code, source, self.text.clone(), help))
    }
}

/// Checks an agent, or all that have the bridge.
pub fn examine(setting: &Setting<'_>, only: Option<Agent>, depth: Depth) -> Vec<Examined> {
    let mut agents = Vec::new();
    for agent in Agent::ALL {
        let is_known = |scope: &InstallScope| {
            is_in(setting, agent, *scope) || setting.record(agent, *scope).is_some()
        };
        let scopes: Vec<InstallScope> = SCOPES.into_iter().filter(is_known).collect();
        let is_meant = only.map_or(!scopes.is_empty(), |only| only == agent);
        if !is_meant {
            continue;
        }
        let patient = CheckedAgent {
            setting,
            agent,
            scopes,
        };
        let program = program::find(agent, setting.environment);
        let mut findings = checks::all(&patient, program.as_ref());
        if depth == Depth::Live {
            findings.push(live::rehearse(&patient));
        }
        let problems = findings.iter().filter_map(|it| it.problem(&patient));
        agents.push(Examined {
            agent,
            program,
            installed: patient.scopes.iter().any(|it| is_in(setting, agent, *it)),
            problems: problems.collect(),
            last_called_at: last_called(setting, agent),
            findings,
        });
    }
    agents
}
