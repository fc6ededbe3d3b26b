//! `bridge doctor`: would a refusal be obeyed now (BR-3)?

mod checks;
mod codex;
mod live;

use std::fmt::Write as _;

use hookloop_bridge::{Agent, InstallScope};
use hookloop_hook::{Problem, ProblemCode, Source};
use hookloop_text::visible;
use serde::Serialize;

use super::program;
use super::records::has_called;
use super::setting::{Setting, is_in, last_called};
use super::words::show;
use crate::commands::{CommandFailure, Context};
use crate::output::{Exit, Output};

/// What a check found.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    /// How bad it is.
    pub(super) level: Level,
    /// What was found, and what to do.
    pub(super) text: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Warning,
    /// A guard would not hold.
    Error,
}

impl Finding {
    pub(super) fn good(text: impl Into<String>) -> Self {
        Self {
            level: Level::Good,
            text: text.into(),
        }
    }

    pub(super) fn warning(text: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            text: text.into(),
        }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            text: text.into(),
        }
    }
}

/// How far a check goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// It looks at what is there.
    Looks,
    /// It also lets the agent take a turn, offline.
    Live,
}

/// An agent that is checked, in the scopes in which it has the bridge.
pub(super) struct Patient<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) agent: Agent,
    pub(super) scopes: Vec<InstallScope>,
}

#[derive(Serialize)]
struct DoctorView {
    agents: Vec<ExaminedView>,
}

#[derive(Serialize)]
struct ExaminedView {
    agent: &'static str,
    name: &'static str,
    version: Option<String>,
    observed: bool,
    installed: bool,
    obeys: bool,
    problems: Vec<Problem>,
    last_called_at: Option<u64>,
    #[serde(skip)]
    findings: Vec<Finding>,
}

impl Finding {
    /// Returns the diagnostic of what isn't as it should be.
    fn problem(&self, patient: &Patient<'_>) -> Option<Problem> {
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
            "do what it says, then run `hookloop bridge doctor {}` again",
            patient.agent.word()
        );
        let source = Source::of_file(file.as_path());
        Some(Problem::new(code, source, self.text.clone(), help))
    }
}

/// Checks an agent, or all that have the bridge.
pub(super) fn doctor(
    context: &Context<'_>,
    setting: &Setting<'_>,
    only: Option<Agent>,
    depth: Depth,
) -> Result<Output, CommandFailure> {
    let mut agents = Vec::new();
    for agent in Agent::ALL {
        let scopes = [InstallScope::User, InstallScope::Project];
        let is_known = |scope: &InstallScope| {
            is_in(setting, agent, *scope) || setting.record(agent, *scope).is_some()
        };
        let scopes: Vec<InstallScope> = scopes.into_iter().filter(is_known).collect();
        let is_meant = only.map_or(!scopes.is_empty(), |only| only == agent);
        if !is_meant {
            continue;
        }
        let patient = Patient {
            setting,
            agent,
            scopes,
        };
        let program = program::find(agent, setting.environment);
        let mut findings = checks::all(&patient, program.as_ref());
        if depth == Depth::Live {
            findings.push(live::rehearse(&patient));
        }
        let version = program.and_then(|it| it.version);
        agents.push(ExaminedView {
            agent: agent.word(),
            name: agent.name(),
            observed: version
                .as_deref()
                .is_some_and(|it| agent.observed_versions().contains(&it)),
            version,
            installed: patient.scopes.iter().any(|it| is_in(setting, agent, *it)),
            obeys: findings.iter().all(|it| it.level != Level::Error),
            problems: findings
                .iter()
                .filter_map(|it| it.problem(&patient))
                .collect(),
            last_called_at: last_called(setting, agent),
            findings,
        });
    }
    let view = DoctorView { agents };
    let exit = if view.agents.iter().all(|it| it.obeys) {
        Exit::Done
    } else {
        Exit::Failed
    };
    let told = || {
        let mut text = String::new();
        if view.agents.is_empty() {
            text.push_str("No agent has the bridge: hookloop bridge install AGENT\n");
        }
        for it in &view.agents {
            let verdict = if it.obeys {
                "a refusal would be obeyed"
            } else {
                "a refusal would NOT be obeyed"
            };
            let _ = writeln!(text, "{}: {verdict}", it.name);
            for finding in &it.findings {
                let mark = match finding.level {
                    Level::Good => "ok",
                    Level::Warning => "warning",
                    Level::Error => "error",
                };
                let _ = writeln!(text, "  {mark}: {}", visible(&finding.text));
            }
        }
        text
    };
    show(context, setting, &view, told, String::new(), exit)
}
