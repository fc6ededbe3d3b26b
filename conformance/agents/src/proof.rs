//! The proof: turns of a real agent, and what is on the disk and in the requests afterwards.

mod files;
mod trusting;
mod turns;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hookloop_rehearsal::agents::Agent;
use jiff::Timestamp;
use serde_json::json;

use crate::expected::{Expectation, expected};
use crate::install::Installed;
use crate::outcome::{Claim, Seen};
use crate::playground::{Finished, Playground, write};
use crate::results::{AgentResult, CheckResult};

/// The hook that the person has, in a file of its own so that it can be read.
const HOOK: &str = include_str!("hook.sh");

/// How much of what a program said is shown, in bytes.
const SHOWN_BYTES: usize = 400;

/// What was seen of a claim, with what belongs to it.
pub(crate) struct Observation {
    pub(crate) claim: Claim,
    pub(crate) seen: Seen,
    pub(crate) note: String,
}

impl Observation {
    fn of(claim: Claim, holds: bool, otherwise: impl FnOnce() -> String) -> Self {
        let (seen, note) = if holds {
            (Seen::Holds, String::new())
        } else {
            (Seen::Fails, otherwise())
        };
        Self { claim, seen, note }
    }
}

/// What bounds a proof.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// When no turn is begun any more.
    pub(crate) end: Option<Instant>,
    /// Whether the folders of turns are kept.
    pub(crate) keep: bool,
}

/// The result of a proof.
pub(crate) struct Proof {
    pub(crate) result: AgentResult,
    /// Whether all of it was run.
    pub(crate) is_whole: bool,
    /// Where its turns were, if that is kept.
    pub(crate) kept: Option<PathBuf>,
}

/// Lets an agent prove what its hooks are worth.
pub(crate) fn prove(
    agent: &'static Agent,
    installed: &Installed,
    program: &Path,
    bounds: &Bounds,
) -> io::Result<Proof> {
    let mut checks = Vec::new();
    let mut is_whole = true;
    let playground = Playground::new(agent, installed, program, bounds.keep)?;
    let kept = bounds.keep.then(|| playground.folder().to_owned());
    configure(&playground, agent)?;
    let mut steps: Vec<Step> = vec![files::come_and_go, turns::tools, turns::context_and_retry];
    steps.extend([turns::endless_retries, turns::prompt, turns::late_hook] as [Step; 3]);
    steps.extend([turns::patch, files::doctor, turns::missing, turns::killed] as [Step; 4]);
    for step in steps {
        let began = Instant::now();
        if bounds.end.is_some_and(|end| began >= end) {
            is_whole = false;
            break;
        }
        let observations = step(&playground, agent)?;
        let seconds = began.elapsed().as_secs_f64();
        let found = observations
            .into_iter()
            .filter_map(|observation| judged(agent, observation, seconds));
        checks.extend(found);
    }
    checks.sort_by_key(|check: &CheckResult| check.claim);
    let result = AgentResult {
        name: agent.name.to_owned(),
        version: installed.version.clone(),
        date: Timestamp::now().strftime("%Y-%m-%d").to_string(),
        checks,
    };
    Ok(Proof {
        result,
        is_whole,
        kept,
    })
}

type Step = fn(&Playground, &'static Agent) -> io::Result<Vec<Observation>>;

/// Sets what was seen against what is known of the agent.
fn judged(agent: &Agent, observation: Observation, seconds: f64) -> Option<CheckResult> {
    let Observation { claim, seen, note } = observation;
    match expected(agent, claim) {
        Expectation::Impossible(_) => None,
        Expectation::Proven(wanted, _) => Some(CheckResult {
            claim,
            expected: wanted,
            seen,
            note: if seen == wanted { String::new() } else { note },
            seconds,
        }),
    }
}

/// Returns whether a step is worth a turn of the agent.
fn is_possible(agent: &Agent, claim: Claim) -> bool {
    matches!(expected(agent, claim), Expectation::Proven(..))
}

/// Writes the person's hooks, where they have them for every agent.
fn configure(playground: &Playground, agent: &Agent) -> io::Result<()> {
    let script = playground.folder().join("hook.sh");
    write(&script, HOOK)?;
    // The commands of these settings are run by Gemini CLI itself (BR-12).
    let (kind, word) = match agent.name {
        "gemini-cli" => ("worker", "worker "),
        _ => ("command", ""),
    };
    let hook = |role: &str| {
        let command = format!("sh '{}' {word}{role}", script.display());
        json!({"type": kind, "name": format!("proof-{role}"), "command": command})
    };
    let mut late = hook("Late");
    late["timeout"] = json!(1500);
    late["onFailure"] = json!("deny");
    let hooks = json!({
        "hooksConfig": {"maxRetries": 3},
        "hooks": {
            "BeforeTool": [
                {"matcher": "run_shell_command", "hooks": [hook("BeforeTool"), late]},
                {"matcher": "write_file|replace", "hooks": [hook("Write")]},
            ],
            "AfterTool": [{"hooks": [hook("AfterTool")]}],
            "BeforeAgent": [{"hooks": [hook("BeforeAgent")]}],
            "AfterAgent": [{"hooks": [hook("AfterAgent")]}],
        },
    });
    let path = playground.stage.home.join(".gemini/settings.json");
    // The file may be that of the agent, too.
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut settings: serde_json::Map<_, _> = serde_json::from_str(&text)?;
    settings.extend(hooks.as_object().cloned().unwrap_or_default());
    write(&path, &format!("{:#}\n", serde_json::Value::from(settings)))
}

/// Shows the end of what a program said.
fn shown(finished: &Finished) -> String {
    let said = finished.said.trim();
    let begin = said.ceil_char_boundary(said.len().saturating_sub(SHOWN_BYTES));
    let ending = match (finished.is_late, finished.code) {
        (true, _) => "it didn't end".to_owned(),
        (_, Some(code)) => format!("exit code {code}"),
        (_, None) => "it was killed".to_owned(),
    };
    format!("{ending}, it said …{}", said[begin..].replace('\n', " | "))
}
