//! Runs tests, and contains their results.

use std::fmt;
use std::time::{Duration, Instant};

use hookloop_engine::{Concluded, Explanation, Registry, SkipCause};
use hookloop_hook::{Problem, quoted};
use hookloop_session::{OutcomeView, Workspace};
use hookloop_settings::Strictness;
use hookloop_settings::bounded::read_text;
use hookloop_text::shell_argument;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::cases::Case;
use super::expectation::Expectation;
use super::matching::Difference;
use super::of_agent::OfAgent;
use crate::Task;
use crate::engine::{Engine, Interruption, subject};
use crate::failure::CommandFailure;
use crate::fire::{Staged, Wishes};
use crate::view::RunView;
use crate::warnings;

/// The result of a test.
#[derive(Debug)]
pub struct TestResult {
    /// The event, as its folder is named.
    pub event: String,
    /// The test's name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// How long it took.
    pub duration: Duration,
    /// How it ended.
    pub end: TestEnd,
    /// The hooks that would have to run, but don't.
    pub skipped: Vec<SkippedHook>,
    /// Replies that came too late to decide anything, each with its hook (FD-22).
    pub late: Vec<String>,
}

/// A hook that a test needs, but that doesn't run. Displayed and in JSON, it is one line: its label
/// and the cause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SkippedHook {
    /// The hook's label.
    pub label: String,
    /// Why it doesn't run.
    pub cause: String,
}

impl fmt::Display for SkippedHook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.label, self.cause)
    }
}

impl Serialize for SkippedHook {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl TestResult {
    /// Returns whether a failed test already reports what a warning about trust does: which hook
    /// doesn't run.
    pub fn tells_of(&self, warning: &str) -> bool {
        let names = |skipped: &SkippedHook| {
            warning.starts_with(&format!("hook {} ", quoted(&skipped.label)))
        };
        matches!(self.end, TestEnd::Failed(_)) && self.skipped.iter().any(names)
    }
}

/// How a test ended.
#[derive(Debug)]
pub enum TestEnd {
    /// The result is as expected.
    Passed,
    /// The result differs.
    Failed(Vec<Difference>),
    /// The test couldn't be run; the text gives the reason.
    Broken(String),
}

/// The result of all tests.
#[derive(Debug)]
pub struct Tested {
    /// The results, in order.
    pub results: Vec<TestResult>,
    /// Warnings about trust, each as a sentence, and once.
    pub warnings: Vec<String>,
    interruption: Interruption,
}

impl Tested {
    fn warn(&mut self, workspace: &Workspace, explanation: Option<&Explanation>) {
        for warning in
            explanation.map_or_else(Vec::new, |it| warnings::trust_warnings(workspace, it))
        {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Returns whether a signal ended the tests.
    pub const fn was_interrupted(&self) -> bool {
        matches!(self.interruption, Interruption::Interrupted)
    }
}

/// Runs tests one after another.
pub(super) fn all(
    task: Task<'_>,
    workspace: &Workspace,
    cases: Vec<Case>,
) -> Result<Tested, CommandFailure> {
    let registry = workspace.registry();
    let refusals = workspace.start_refusals(Strictness::AsConfigured, task.environment);
    let prepared: Vec<(Case, Result<Prepared, String>)> = cases
        .into_iter()
        .map(|case| {
            let prepared = match refusals.first() {
                // The result of the remaining hooks would mean nothing for a session.
                Some(problem) => Err(no_session(problem)),
                None => prepare(task, workspace, &registry, &case),
            };
            (case, prepared)
        })
        .collect();
    let engine =
        Engine::new(workspace, registry, task.environment, None)?.until_cancelled(task.stop);
    let mut tested = Tested {
        results: Vec::new(),
        warnings: Vec::new(),
        interruption: Interruption::None,
    };
    for (case, prepared) in prepared {
        let started = Instant::now();
        let mut late = Vec::new();
        let (end, skipped) = match prepared {
            Err(why) => (TestEnd::Broken(why), Vec::new()),
            Ok(prepared) => {
                tested.warn(workspace, prepared.explanation.as_ref());
                let skipped = prepared.skipped.clone();
                match fire(task, &engine, prepared, &mut late) {
                    Ok((_, Interruption::Interrupted)) => {
                        tested.interruption = Interruption::Interrupted;
                        break;
                    }
                    Ok((end, Interruption::None)) => (end, skipped),
                    Err(failure) => (TestEnd::Broken(failure.message), skipped),
                }
            }
        };
        tested.results.push(TestResult {
            event: case.event_folder,
            name: case.name,
            path: case.folder.to_string_lossy().into_owned(),
            duration: started.elapsed(),
            end,
            skipped,
            late,
        });
    }
    Ok(tested)
}

/// Returns the message that no session would start, so there are no hooks to test (ST-5).
fn no_session(problem: &Problem) -> String {
    let Problem {
        source,
        message,
        help,
        ..
    } = problem;
    format!("no session would start: {source}: {message} ({help})")
}

/// What is fired, and the expected result.
enum Trial {
    /// A payload in our own dialect.
    Own {
        event: hookloop_events::EventName,
        expectation: Expectation,
        staged: Box<Staged>,
    },
    /// A payload of another agent.
    OfAgent { of_agent: OfAgent, payload: String },
}

/// A test ready to run.
struct Prepared {
    trial: Trial,
    skipped: Vec<SkippedHook>,
    /// Which hooks run; `None` if another agent's call is tested.
    explanation: Option<Explanation>,
}

/// Reads a test's files. The error says what is wrong with them.
fn prepare(
    task: Task<'_>,
    workspace: &Workspace,
    registry: &Registry,
    case: &Case,
) -> Result<Prepared, String> {
    let event = case.event.clone()?;
    let read = |name: &str| {
        let file = case.folder.join(name);
        read_text(&file).map_err(|error| format!("{name} can't be read: {error}"))
    };
    let payload = read("input.json")?;
    let given: Map<String, Value> = serde_json::from_str(&payload)
        .map_err(|error| format!("input.json isn't a JSON object: {error}"))?;
    let expected = read("expect.json")?;
    let unusable = |why| format!("expect.json can't be used: {why}");
    if let Some(of_agent) = OfAgent::read(&expected).map_err(unusable)? {
        return Ok(Prepared {
            trial: Trial::OfAgent { of_agent, payload },
            skipped: Vec::new(),
            explanation: None,
        });
    }
    let expectation = Expectation::read(&expected).map_err(unusable)?;
    let wishes = Wishes {
        given,
        ..Wishes::default()
    };
    let staged = Staged::new(task.environment, workspace, event, wishes)
        .map_err(|failure| failure.message)?;
    let explanation = registry.explain(event, subject(event, &staged.payload));
    let skipped = explanation.hooks.iter().filter_map(|status| {
        let label = status.hook.label();
        let why = match status.causes.first()? {
            SkipCause::UntrustedNew => format!(
                "nobody has trusted it yet; `hookloop hooks trust {}` lets it run",
                shell_argument(label)
            ),
            other => other.message(),
        };
        Some(SkippedHook {
            label: label.to_owned(),
            cause: why,
        })
    });
    let skipped = skipped.collect();
    Ok(Prepared {
        trial: Trial::Own {
            event,
            expectation,
            staged: Box::new(staged),
        },
        skipped,
        explanation: Some(explanation),
    })
}

fn fire(
    task: Task<'_>,
    engine: &Engine,
    prepared: Prepared,
    late: &mut Vec<String>,
) -> Result<(TestEnd, Interruption), CommandFailure> {
    let (differences, interruption) = match prepared.trial {
        Trial::Own {
            event,
            expectation,
            staged,
        } => {
            let Staged {
                session, payload, ..
            } = *staged;
            let (concluded, interruption) = engine.fire(session, event, payload)?;
            let late_texts = concluded.iter().flat_map(|it| &it.late);
            late.extend(late_texts.map(|it| format!("{}: {}", it.hook, it.text)));
            let differences = differences(&expectation, concluded.as_ref());
            (differences, interruption)
        }
        Trial::OfAgent { of_agent, payload } => match of_agent.differences(task, &payload, late) {
            Ok(differences) => (differences, Interruption::None),
            Err(why) => return Ok((TestEnd::Broken(why), Interruption::None)),
        },
    };
    let end = if differences.is_empty() {
        TestEnd::Passed
    } else {
        TestEnd::Failed(differences)
    };
    Ok((end, interruption))
}

fn differences(expectation: &Expectation, concluded: Option<&Concluded>) -> Vec<Difference> {
    let outcome = serde_json::to_value(OutcomeView::new(concluded)).unwrap_or_default();
    let runs: Vec<Value> = concluded
        .iter()
        .flat_map(|it| &it.runs)
        .map(|run| serde_json::to_value(RunView::from_fire(run)).unwrap_or_default())
        .collect();
    expectation.differences(&outcome, &runs)
}
