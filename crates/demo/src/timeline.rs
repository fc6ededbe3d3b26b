//! What happened in the demo, as data for both text and JSON.

use std::sync::Arc;

use hookloop_agent::TurnEnd;
use hookloop_engine::{Concluded, Failure, RunRecord, RunResult};
use hookloop_events::{EventName, ToolCall};
use hookloop_hook::Source;
use hookloop_session::{OutcomeView, milliseconds};
use serde::Serialize;
use serde_json::{Map, Value};

/// A step of the timeline.
#[derive(Debug)]
pub(crate) enum Step {
    /// An event had hooks, and they ran.
    Event(Box<FiredEvent>),
    /// The model said something, and hooks let it through.
    HookReply(String),
    /// The model asked for a tool.
    Called(ToolCall),
    /// A tool call finished.
    Returned(ToolReturn),
    /// The model was called, with something new to read.
    Asked(Reading),
    /// The response was rejected, and the agent tries again.
    Retried(String),
    /// A notice for the user.
    Noticed(String),
}

/// An event with its hooks' runs, and the outcome.
#[derive(Debug, Serialize)]
pub(crate) struct FiredEvent {
    /// The event.
    pub(crate) event: EventName,
    /// What matchers were compared with.
    pub(crate) subject: Option<String>,
    /// What each hook did, in order.
    pub(crate) hooks: Vec<HookRun>,
    /// The outcome.
    pub(crate) outcome: OutcomeView,
    /// The replaced texts.
    pub(crate) rewrites: Vec<Rewrite>,
    /// Failures, and answers without effect.
    pub(crate) notices: Vec<String>,
}

/// A hook's run.
#[derive(Debug, Serialize)]
pub(crate) struct HookRun {
    /// Its name.
    pub(crate) label: String,
    /// Where it is configured.
    pub(crate) source: Source,
    /// How long it ran.
    pub(crate) duration_ms: f64,
    /// Its result.
    pub(crate) result: RunResult,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// Its reply.
    pub(crate) said: HookReply,
    #[serde(skip)]
    pub(crate) command: String,
}

/// A hook's reply.
#[derive(Debug, Default, Serialize)]
pub(crate) struct HookReply {
    /// The reason of its decision.
    pub(crate) reason: Option<String>,
    /// The message to the user.
    pub(crate) system_message: Option<String>,
    /// The context for the model.
    pub(crate) additional_context: Option<String>,
    /// Its own fields of the event, as it gave them.
    pub(crate) output: Map<String, Value>,
}

/// A text that a hook replaced.
#[derive(Debug, Serialize)]
pub(crate) struct Rewrite {
    /// The field that contained it.
    pub(crate) field: String,
    /// The old text.
    pub(crate) before: Option<String>,
    /// The new text.
    pub(crate) after: String,
}

/// How a tool call ended.
#[derive(Debug, Serialize)]
pub(crate) struct ToolReturn {
    /// The tool.
    pub(crate) name: String,
    /// Its arguments, as they were in the end.
    pub(crate) arguments: Arc<Map<String, Value>>,
    /// What the user sees of the result.
    pub(crate) display: String,
    /// What went wrong.
    pub(crate) error: Option<String>,
}

/// What is new to the model in a request.
#[derive(Debug, Serialize)]
pub(crate) struct Reading {
    /// The new messages.
    pub(crate) text: String,
    /// The results of tools.
    pub(crate) results: Vec<String>,
}

/// A turn with everything that happened in it.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Its title.
    pub(crate) title: &'static str,
    /// The user's prompt.
    pub(crate) prompt: &'static str,
    /// What happened.
    pub(crate) steps: Vec<Step>,
    /// How it ended.
    pub(crate) end: TurnEnd,
    /// The expected results, and whether they are true.
    pub(crate) effects: Vec<Effect>,
}

/// An evaluated claim.
#[derive(Debug, Serialize)]
pub(crate) struct Effect {
    /// The claim.
    pub(crate) claim: &'static str,
    /// Whether it is true.
    pub(crate) holds: bool,
}

impl FiredEvent {
    /// Converts the engine's report about an event; `model_text` is the text of the chunk that it
    /// was about.
    pub(crate) fn new(concluded: &Concluded, model_text: &str) -> Self {
        let input = concluded
            .runs
            .first()
            .map(|run| input_of(run))
            .unwrap_or_default();
        let subject = concluded.event.subject_field().and_then(|field| {
            let value = input.get(field)?.as_str()?;
            Some(value.to_owned())
        });
        Self {
            event: concluded.event,
            subject,
            hooks: concluded.runs.iter().map(|run| HookRun::new(run)).collect(),
            outcome: OutcomeView::new(Some(concluded)),
            rewrites: match concluded.event {
                EventName::AfterModel => chunk_rewrite(&concluded.summary.changes, model_text),
                _ => argument_rewrites(&concluded.summary.changes, &input),
            },
            notices: concluded
                .notices
                .iter()
                .map(|it| format!("{} ({}): {}", it.hook, it.source, it.text))
                .collect(),
        }
    }

    /// Returns whether hooks failed, and nothing else happened.
    pub(crate) fn is_failure_alone(&self) -> bool {
        self.hooks
            .iter()
            .all(|hook| hook.result == RunResult::Failed)
            && self.rewrites.is_empty()
            && self.outcome.system_messages.is_empty()
    }

    /// Returns whether no hook objected or has anything to report.
    pub(crate) fn is_uneventful(&self) -> bool {
        self.hooks
            .iter()
            .all(|hook| hook.result == RunResult::Proceed)
            && self.rewrites.is_empty()
            && self.notices.is_empty()
            && self.outcome.system_messages.is_empty()
    }
}

fn input_of(run: &RunRecord) -> Map<String, Value> {
    serde_json::from_str(&run.content.input.text()).unwrap_or_default()
}

/// Compares the arguments that hooks set with those that the model gave.
fn argument_rewrites(changes: &Map<String, Value>, input: &Map<String, Value>) -> Vec<Rewrite> {
    let given = |name: &str| input.get("tool_input").and_then(|it| it.get(name));
    let set = changes.get("tool_input").and_then(Value::as_object);
    set.into_iter()
        .flatten()
        .filter(|(name, value)| given(name) != Some(*value))
        .map(|(name, value)| Rewrite {
            field: name.clone(),
            before: given(name).map(plain),
            after: plain(value),
        })
        .collect()
}

/// Compares a chunk's text with the model's. The record no longer contains the latter (AM-2), but
/// the demo knows its own script.
fn chunk_rewrite(changes: &Map<String, Value>, model_text: &str) -> Vec<Rewrite> {
    let text = changes
        .get("llm_response")
        .and_then(|it| it.get("text"))
        .and_then(Value::as_str);
    text.filter(|text| *text != model_text)
        .map(|text| Rewrite {
            field: "text".to_owned(),
            before: Some(model_text.to_owned()),
            after: text.to_owned(),
        })
        .into_iter()
        .collect()
}

/// Returns a text without quotes, and any other value as JSON.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl HookRun {
    fn new(run: &RunRecord) -> Self {
        let reply = run.content.reply.as_ref();
        let output = reply.map(|it| it.specific.clone()).unwrap_or_default();
        let context = output.get("additionalContext").and_then(Value::as_str);
        Self {
            label: run.hook.label().to_owned(),
            source: run.hook.source.clone(),
            duration_ms: milliseconds(run),
            result: run.result,
            failure: run.failure.clone(),
            said: HookReply {
                reason: reply.and_then(|it| it.reason.clone()),
                system_message: reply.and_then(|it| it.system_message.clone()),
                additional_context: context.map(str::to_owned),
                output,
            },
            command: run.hook.handler.summary().to_owned(),
        }
    }
}

impl HookRun {
    /// Returns whether it replaced something.
    pub(crate) fn rewrote(&self) -> bool {
        let set = ["tool_input", "llm_request", "llm_response", "toolConfig"];
        set.iter()
            .any(|field| self.said.output.contains_key(*field))
    }
}

impl Turn {
    /// Returns the model's response since the last retry, as hooks left it.
    pub(crate) fn response(&self) -> String {
        let mut response = String::new();
        for step in &self.steps {
            match step {
                Step::HookReply(text) => response.push_str(text),
                Step::Retried(_) => response.clear(),
                _ => {}
            }
        }
        response
    }

    /// Returns how many hooks refused something.
    pub(crate) fn refusals(&self) -> usize {
        let hooks = events(&self.steps).flat_map(|event| &event.hooks);
        hooks
            .filter(|hook| hook.result == RunResult::Refused)
            .count()
    }

    /// Returns how often the agent had to try again.
    pub(crate) fn retries(&self) -> usize {
        self.steps
            .iter()
            .filter(|step| matches!(step, Step::Retried(_)))
            .count()
    }
}

/// Returns the events among the steps.
pub(crate) fn events(steps: &[Step]) -> impl Iterator<Item = &FiredEvent> {
    steps.iter().filter_map(|step| match step {
        Step::Event(event) => Some(&**event),
        _ => None,
    })
}
