//! Telemetry: events and metrics, written to a file as JSON lines and passed to another sink (TE-1,
//! TE-2, TE-4).

mod decisions;
mod metrics;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_engine::{Clock, Lifecycle, Observer, RunRecord, SystemClock};
use hookloop_events::{SessionIdentity, ToolCall};
use hookloop_model::Request;
use hookloop_settings::bounded::{Unread, append_regular};
use hookloop_tools::{ErrorKind, ToolError};
use serde_json::{Map, Value, json};

use crate::arrived::{Arrived, Flaw, Purpose};
use crate::turn_end::TurnEnd;

pub use metrics::{BOUNDS, Latencies, Measured, Metric, Point};

use metrics::Metrics;

/// Whether content is recorded, or only what happened (`telemetry.logPrompts`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Contents {
    /// Content is recorded.
    #[default]
    Recorded,
    /// Content is left out.
    LeftOut,
}

/// Receives telemetry in addition to the file, such as a collector.
pub trait TelemetrySink: std::fmt::Debug + Send + Sync {
    /// Takes an event.
    fn event(&self, attributes: &Map<String, Value>);

    /// Takes everything that was measured so far; `about` is added to the attributes of each value.
    fn metrics(&self, all: &[Metric], about: &Map<String, Value>);
}

/// Common attributes of everything that a session reports (TE-4).
#[derive(Debug, Clone, Default)]
pub struct About {
    /// `installation.id`: the same for all sessions of this installation.
    pub installation: Option<String>,
    /// `interactive`: whether a person is present.
    pub interactive: bool,
    /// `auth_type`: how requests to the model are authenticated.
    pub authentication: Option<String>,
    /// Why this model is used: `decision_source` of `model_routing`.
    pub model_source: &'static str,
}

/// Writes telemetry. Without a file and a sink, it does nothing.
#[derive(Debug, Default)]
pub struct Telemetry {
    file: Option<Mutex<File>>,
    sink: Option<Arc<dyn TelemetrySink>>,
    contents: Contents,
    about: About,
    failure: Mutex<Option<io::Error>>,
    metrics: Mutex<Metrics>,
    prompts: Mutex<Prompts>,
}

/// Numbers the prompts of the current session.
#[derive(Debug, Default)]
struct Prompts {
    session: String,
    /// How many there were; before the first one, there is none to name.
    so_far: u64,
    /// Which agent and model were already reported for the prompt.
    routed: Vec<(Option<String>, String)>,
}

/// What is reported about a finished tool call.
pub(crate) struct CallReport<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) duration: Duration,
    pub(crate) decision: CallDecision,
    pub(crate) error: Option<&'a ToolError>,
}

/// What is reported about a request that was sent.
pub(crate) struct RequestReport<'a> {
    pub(crate) model: &'a str,
    pub(crate) purpose: Purpose,
    pub(crate) duration: Duration,
    pub(crate) arrived: &'a Arrived,
    /// How the turn ends, if the request ended it.
    pub(crate) end: Option<&'a TurnEnd>,
}

/// Returns on whose behalf the model was called, in the words of Gemini CLI's telemetry (TE-4).
fn role(session: &SessionIdentity, purpose: Purpose) -> &'static str {
    match (purpose, &session.agent) {
        (Purpose::Compression, _) => "utility_compressor",
        (Purpose::Web, _) => "utility_tool",
        (Purpose::Conversation, Some(_)) => "subagent",
        (Purpose::Conversation, None) => "main",
    }
}

/// Whether a tool call was let through, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallDecision {
    /// The user accepted it.
    Accept,
    /// Nobody had to be asked, or has to be from now on.
    AutoAccept,
    /// The user accepted other arguments.
    Modify,
    /// Hooks, the policy or the user refused it.
    Reject,
}

impl CallDecision {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Accept | Self::AutoAccept | Self::Modify => "accept",
            Self::Reject => "reject",
        }
    }
}

impl Telemetry {
    /// Opens the file that telemetry is appended to.
    pub fn append_to(path: &Path, contents: Contents) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = append_regular(path).map_err(|error| match error {
            Unread::System(error) => error,
            other => io::Error::other(other),
        })?;
        Ok(Self {
            file: Some(Mutex::new(file)),
            contents,
            ..Self::default()
        })
    }

    /// Sets whether content is reported, also to a sink other than a file.
    #[must_use]
    pub fn with_contents(self, contents: Contents) -> Self {
        Self { contents, ..self }
    }

    /// Sets the common attributes of everything that is reported.
    #[must_use]
    pub fn with_attributes(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// Adds a sink that receives everything, too.
    #[must_use]
    pub fn with_sink(self, sink: Option<Arc<dyn TelemetrySink>>) -> Self {
        Self { sink, ..self }
    }

    /// Returns whether a file or a sink receives telemetry.
    pub fn is_taken(&self) -> bool {
        self.file.is_some() || self.sink.is_some()
    }

    /// Reports the start of a session and its configuration.
    pub fn session(&self, session: &SessionIdentity, configuration: Map<String, Value>) {
        self.write(session, "config", |attributes| {
            attributes.extend(configuration);
        });
        self.measure(|metrics| metrics.count("session.count", Map::new(), 1));
    }

    /// Writes the measurements, if they have changed.
    pub(crate) fn report_metrics(&self) {
        let mut metrics = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(all) = metrics.take_changed() else {
            return;
        };
        drop(metrics);
        let mut about = self.beside_all();
        if let Some(session) = self.session_of_metrics() {
            about.insert("session.id".to_owned(), json!(session));
        }
        self.append(&metrics::line(&all, &about));
        if let Some(sink) = &self.sink {
            sink.metrics(&all, &about);
        }
    }

    fn session_of_metrics(&self) -> Option<String> {
        let prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        Some(prompts.session.clone()).filter(|it| !it.is_empty())
    }

    /// Measures something, if there is a recipient.
    fn measure(&self, measure: impl FnOnce(&mut Metrics)) {
        if self.is_taken() {
            measure(&mut self.metrics.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn beside_all(&self) -> Map<String, Value> {
        let mut attributes = Map::new();
        if let Some(id) = &self.about.installation {
            attributes.insert("installation.id".to_owned(), json!(id));
        }
        attributes.insert("interactive".to_owned(), json!(self.about.interactive));
        if let Some(authentication) = &self.about.authentication {
            attributes.insert("auth_type".to_owned(), json!(authentication));
        }
        attributes
    }

    /// Reports a prompt of the user.
    pub(crate) fn user_prompt(&self, session: &SessionIdentity, prompt: &str) {
        let mut prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        if prompts.session != session.session_id {
            *prompts = Prompts {
                session: session.session_id.clone(),
                ..Prompts::default()
            };
        }
        prompts.so_far += 1;
        prompts.routed.clear();
        drop(prompts);
        let length = prompt.chars().count();
        self.write(session, "user_prompt", |attributes| {
            attributes.insert("prompt_length".to_owned(), json!(length));
            self.content(attributes, "prompt", || prompt.to_owned());
        });
    }

    /// Reports a request that goes to the model.
    pub(crate) fn api_request(
        &self,
        session: &SessionIdentity,
        request: &Request,
        purpose: Purpose,
    ) {
        if purpose == Purpose::Conversation {
            self.model_routing(session, &request.model);
        }
        self.write(session, "api_request", |attributes| {
            attributes.insert("model".to_owned(), json!(request.model));
            attributes.insert("role".to_owned(), json!(role(session, purpose)));
            self.content(attributes, "request_text", || {
                json!(request.contents).to_string()
            });
        });
    }

    /// Reports which model answers to a prompt, once for each (TE-4).
    fn model_routing(&self, session: &SessionIdentity, model: &str) {
        let agent = session.agent.as_ref().map(|it| it.agent_id.clone());
        let route = (agent, model.to_owned());
        let mut prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        if prompts.routed.contains(&route) {
            return;
        }
        // A second model for the same prompt was chosen by a hook.
        let is_first = prompts.routed.iter().all(|(agent, _)| *agent != route.0);
        prompts.routed.push(route);
        drop(prompts);
        let source = if is_first {
            self.about.model_source
        } else {
            "hook"
        };
        self.write(session, "model_routing", |attributes| {
            attributes.insert("decision_model".to_owned(), json!(model));
            attributes.insert("decision_source".to_owned(), json!(source));
            attributes.insert("routing_latency_ms".to_owned(), json!(0));
            attributes.insert("failed".to_owned(), json!(false));
        });
    }

    /// Reports the result of a request: `api_response`, or `api_error` if the model failed (TE-4).
    /// What the model said is left out: hooks may have withheld it.
    pub(crate) fn api_end(&self, session: &SessionIdentity, report: &RequestReport<'_>) {
        let RequestReport {
            model,
            purpose,
            duration,
            arrived,
            end,
        } = report;
        self.measure_request(report);
        let event = match end {
            Some(TurnEnd::Failed(_)) => "api_error",
            _ => "api_response",
        };
        self.write(session, event, |attributes| {
            let mut set = |name: &str, value: Value| attributes.insert(name.to_owned(), value);
            set("model", json!(model));
            set("role", json!(role(session, *purpose)));
            set("duration_ms", milliseconds(*duration));
            if let Some(TurnEnd::Failed(why)) = end {
                set(
                    "error",
                    json!(self.error_text(|| why.clone(), "model_error")),
                );
                set("error_type", json!("model_error"));
                return;
            }
            let usage = arrived.usage.clone().unwrap_or_default();
            let count = |tokens: Option<u64>| json!(tokens.unwrap_or_default());
            set("input_token_count", count(usage.prompt_token_count));
            set("output_token_count", count(usage.candidates_token_count));
            let cached = usage.cached_content_token_count;
            set("cached_content_token_count", count(cached));
            set("thoughts_token_count", count(usage.thoughts_token_count));
            set("tool_token_count", count(usage.tool_use_prompt_token_count));
            set("total_token_count", count(usage.total_token_count));
            let reasons: Vec<&str> = arrived.finish_reason.as_deref().into_iter().collect();
            set("finish_reasons", json!(reasons));
        });
    }

    fn measure_request(&self, report: &RequestReport<'_>) {
        let named = |more: &[(&str, Value)]| {
            let model = [("model".to_owned(), json!(report.model))];
            let more = more
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()));
            model.into_iter().chain(more).collect::<Map<_, _>>()
        };
        let failed = matches!(report.end, Some(TurnEnd::Failed(_)));
        let (status, error) = if failed {
            ("error", Some(("error_type", json!("model_error"))))
        } else {
            ("ok", None)
        };
        let status: Vec<_> = [("status", json!(status))]
            .into_iter()
            .chain(error)
            .collect();
        self.measure(|metrics| {
            metrics.count("api.request.count", named(&status), 1);
            metrics.record_duration("api.request.latency", named(&[]), report.duration);
            let usage = report.arrived.usage.as_ref();
            let tokens = usage.map(|it| {
                [
                    ("input", it.prompt_token_count),
                    ("output", it.candidates_token_count),
                    ("thought", it.thoughts_token_count),
                    ("cache", it.cached_content_token_count),
                    ("tool", it.tool_use_prompt_token_count),
                ]
            });
            for (kind, tokens) in tokens.into_iter().flatten() {
                let tokens = tokens.unwrap_or_default();
                if tokens > 0 {
                    metrics.count("token.usage", named(&[("type", json!(kind))]), tokens);
                }
            }
        });
    }

    /// Reports that the model is asked again, because its answer was none (LO-3, TE-4).
    pub(crate) fn content_retry(&self, session: &SessionIdentity, attempt: u32, flaw: &Flaw) {
        self.write(session, "content_retry", |attributes| {
            attributes.insert("attempt_number".to_owned(), json!(attempt));
            attributes.insert("error_type".to_owned(), json!(flaw.word()));
            attributes.insert("retry_delay_ms".to_owned(), json!(0));
        });
    }

    /// Reports that the history was compressed; sizes in tokens, estimated (LO-5, TE-4).
    pub(crate) fn chat_compression(&self, session: &SessionIdentity, before: u64, after: u64) {
        self.write(session, "chat_compression", |attributes| {
            attributes.insert("tokens_before".to_owned(), json!(before));
            attributes.insert("tokens_after".to_owned(), json!(after));
        });
    }

    /// Reports a finished tool call.
    pub(crate) fn tool_call(&self, session: &SessionIdentity, report: &CallReport<'_>) {
        let CallReport {
            call,
            duration,
            decision,
            error,
        } = report;
        self.measure(|metrics| {
            let mut named = Map::new();
            named.insert("function_name".to_owned(), json!(function_name(call)));
            metrics.record_duration("tool.call.latency", named.clone(), *duration);
            named.insert("success".to_owned(), json!(error.is_none()));
            named.insert("decision".to_owned(), json!(decision.as_str()));
            named.insert("tool_type".to_owned(), json!(tool_type(call)));
            metrics.count("tool.call.count", named, 1);
        });
        // Refusals by hooks are recorded under the hooks' names.
        if let Some(error) = error
            && *decision == CallDecision::Reject
            && error.kind == ErrorKind::PolicyViolation
            && !error.message.starts_with("Tool execution blocked")
        {
            self.policy_decision(session, report, error);
        }
        self.write(session, "tool_call", |attributes| {
            attributes.insert("function_name".to_owned(), json!(function_name(call)));
            self.content(attributes, "function_args", || {
                json!(call.arguments).to_string()
            });
            attributes.insert("success".to_owned(), json!(error.is_none()));
            attributes.insert("duration_ms".to_owned(), milliseconds(*duration));
            attributes.insert("decision".to_owned(), json!(decision.as_str()));
            attributes.insert("tool_type".to_owned(), json!(tool_type(call)));
            if let Some(error) = error {
                let error_text = self.error_text(|| error.message.clone(), error.kind.as_str());
                attributes.insert("error".to_owned(), json!(error_text));
                attributes.insert("error_type".to_owned(), json!(error.kind.as_str()));
            }
        });
    }

    /// Reports the run of a hook; what it suppresses or withheld is left out (OUT-2, AT-1).
    fn hook_call(&self, session: &SessionIdentity, run: &RunRecord) {
        self.measure(|metrics| {
            let mut named = Map::new();
            named.insert("hook_event_name".to_owned(), json!(run.event));
            named.insert("hook_name".to_owned(), json!(run.hook.label()));
            let exit_code = run.ending.exit_code();
            let success = run.failure.is_none() && exit_code.is_none_or(|code| code == 0);
            named.insert("success".to_owned(), json!(success));
            metrics.record_duration("hook_call.latency", named.clone(), run.duration);
            metrics.count("hook_call.count", named, 1);
        });
        self.write(session, "hook_call", |attributes| {
            let mut set = |name: &str, value: Value| attributes.insert(name.to_owned(), value);
            set("hook_event_name", json!(run.event));
            set("hook_name", json!(run.hook.label()));
            set("hook_type", json!(run.hook.handler.type_name()));
            set("duration_ms", milliseconds(run.duration));
            let exit_code = run.ending.exit_code();
            // A refusal by exit code isn't a success, as in Gemini CLI's telemetry; `error` is only
            // for failures.
            let success = run.failure.is_none() && exit_code.is_none_or(|code| code == 0);
            set("success", json!(success));
            set("exit_code", json!(exit_code));
            if let Some(failure) = &run.failure {
                let failure = self.error_text(|| failure.to_string(), failure.kind());
                set("error", json!(failure));
            }
            if let Some(content) = run.recordable_content() {
                self.content(attributes, "hook_input", || {
                    content.input.text().into_owned()
                });
                self.content(attributes, "hook_output", || {
                    content
                        .reply
                        .as_ref()
                        .map_or_else(|| "{}".to_owned(), |it| json!(it).to_string())
                });
                self.content(attributes, "stdout", || content.stdout.clone());
                self.content(attributes, "stderr", || content.stderr.clone());
            }
        });
    }

    /// Takes the first write failure that hasn't been reported: it must neither stop the work nor
    /// go unreported.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn content(
        &self,
        attributes: &mut Map<String, Value>,
        name: &str,
        content: impl FnOnce() -> String,
    ) {
        if self.contents == Contents::Recorded {
            attributes.insert(name.to_owned(), Value::from(content()));
        }
    }

    /// Writes an error: its message may quote what a program wrote, so if contents are left out,
    /// only its kind is given (TE-2).
    fn error_text(&self, message: impl FnOnce() -> String, kind: &str) -> String {
        match self.contents {
            Contents::Recorded => message(),
            Contents::LeftOut => kind.to_owned(),
        }
    }

    fn write(
        &self,
        session: &SessionIdentity,
        event: &str,
        describe: impl FnOnce(&mut Map<String, Value>),
    ) {
        if !self.is_taken() {
            return;
        }
        let mut attributes = self.common_attributes(session, event);
        describe(&mut attributes);
        self.write_attributes(&attributes);
    }

    /// Returns what is said of each event.
    fn common_attributes(&self, session: &SessionIdentity, event: &str) -> Map<String, Value> {
        let mut attributes = self.beside_all();
        attributes.insert(
            "event.name".to_owned(),
            json!(format!("gemini_cli.{event}")),
        );
        attributes.insert("event.timestamp".to_owned(), json!(SystemClock.now()));
        attributes.insert("session.id".to_owned(), json!(session.session_id));
        if let Some(agent) = &session.agent {
            attributes.insert("agent_id".to_owned(), json!(agent.agent_id));
        }
        if let Some(prompt) = self.prompt_id(session) {
            attributes.insert("prompt_id".to_owned(), json!(prompt));
        }
        attributes
    }

    fn write_attributes(&self, attributes: &Map<String, Value>) {
        if let Some(sink) = &self.sink {
            sink.event(attributes);
        }
        if self.file.is_some() {
            self.append(&format!("{}\n", json!({ "attributes": attributes })));
        }
    }

    /// Names the prompt that something belongs to, if there was one in the session.
    fn prompt_id(&self, session: &SessionIdentity) -> Option<String> {
        let prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_one = prompts.so_far > 0 && prompts.session == session.session_id;
        is_one.then(|| format!("{}########{}", prompts.session, prompts.so_far - 1))
    }

    fn append(&self, line: &str) {
        let Some(file) = &self.file else { return };
        // Each line is one write, so a poisoned lock guards nothing broken.
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }
}

/// Names a tool as Gemini CLI's telemetry does: those of servers as `mcp_<server>_<tool>`.
fn function_name(call: &ToolCall) -> String {
    let Some(mcp) = &call.mcp else {
        return call.name.clone();
    };
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    let name = format!("mcp_{}_{}", mcp.server_name, mcp.tool_name);
    name.replace(|it| !is_plain(it), "_")
}

/// Returns where a tool comes from, in the words of Gemini CLI's telemetry.
fn tool_type(call: &ToolCall) -> &'static str {
    if call.mcp.is_some() { "mcp" } else { "native" }
}

fn milliseconds(duration: Duration) -> Value {
    json!((duration.as_secs_f64() * 1e6).round() / 1e3)
}

/// Reports hook runs when their event is concluded: only then it is known what may be recorded of
/// them.
#[derive(Debug, Clone)]
pub struct TelemetryObserver(pub Arc<Telemetry>);

impl Observer for TelemetryObserver {
    fn observe(&self, session: &SessionIdentity, lifecycle: &Lifecycle) {
        if let Lifecycle::Concluded(concluded) = lifecycle {
            concluded
                .runs
                .iter()
                .for_each(|run| self.0.hook_call(session, run));
            self.0.decision(session, concluded);
        }
    }
}
