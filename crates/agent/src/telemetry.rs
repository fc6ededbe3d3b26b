//! Telemetry into a file: one JSON object a line (TE-1, TE-2).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_engine::{Clock, Lifecycle, Observer, RunRecord, SystemClock};
use hookloop_events::{SessionIdentity, ToolCall};
use hookloop_model::Request;
use hookloop_tools::ToolError;
use serde_json::{Map, Value, json};

use crate::arrived::{Arrived, Flaw};
use crate::purpose::Purpose;
use crate::turn_end::TurnEnd;

/// Whether contents are recorded, or just that something happened (`telemetry.logPrompts`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Contents {
    /// They are.
    #[default]
    Recorded,
    /// They are left out.
    LeftOut,
}

/// Writes telemetry; without a file it does nothing.
#[derive(Debug, Default)]
pub struct Telemetry {
    file: Option<Mutex<File>>,
    contents: Contents,
    failure: Mutex<Option<io::Error>>,
}

/// What is told of a tool call that is over.
pub(crate) struct CallReport<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) duration: Duration,
    pub(crate) decision: CallDecision,
    pub(crate) error: Option<&'a ToolError>,
}

/// What is told of a request that was sent.
pub(crate) struct RequestReport<'a> {
    pub(crate) model: &'a str,
    pub(crate) purpose: Purpose,
    pub(crate) duration: Duration,
    pub(crate) arrived: &'a Arrived,
    /// How the turn ends, if the request ended it.
    pub(crate) end: Option<&'a TurnEnd>,
}

/// Says on whose behalf the model was asked, in the words of Gemini CLI's telemetry (TE-4).
fn role(session: &SessionIdentity, purpose: Purpose) -> &'static str {
    match (purpose, &session.agent) {
        (Purpose::Compression, _) => "utility_compressor",
        (Purpose::Web, _) => "utility_tool",
        (Purpose::Conversation, Some(_)) => "subagent",
        (Purpose::Conversation, None) => "main",
    }
}

/// Whether a tool call was let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallDecision {
    Accept,
    Reject,
}

impl CallDecision {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
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
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            file: Some(Mutex::new(file)),
            contents,
            failure: Mutex::default(),
        })
    }

    /// Reports a prompt of the user.
    pub(crate) fn user_prompt(&self, session: &SessionIdentity, prompt: &str) {
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
        self.write(session, "api_request", |attributes| {
            attributes.insert("model".to_owned(), json!(request.model));
            attributes.insert("role".to_owned(), json!(role(session, purpose)));
            self.content(attributes, "request_text", || {
                json!(request.contents).to_string()
            });
        });
    }

    /// Reports what came of a request: `api_response`, or `api_error` where the model failed
    /// (TE-4). What the model said is left out: hooks may have withheld it.
    pub(crate) fn api_end(&self, session: &SessionIdentity, report: &RequestReport<'_>) {
        let RequestReport {
            model,
            purpose,
            duration,
            arrived,
            end,
        } = report;
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
                set("error", json!(self.worded(|| why.clone(), "model_error")));
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

    /// Reports a tool call that is over.
    pub(crate) fn tool_call(&self, session: &SessionIdentity, report: &CallReport<'_>) {
        let CallReport {
            call,
            duration,
            decision,
            error,
        } = report;
        self.write(session, "tool_call", |attributes| {
            attributes.insert("function_name".to_owned(), json!(call.name));
            self.content(attributes, "function_args", || {
                json!(call.arguments).to_string()
            });
            attributes.insert("success".to_owned(), json!(error.is_none()));
            attributes.insert("duration_ms".to_owned(), milliseconds(*duration));
            attributes.insert("decision".to_owned(), json!(decision.as_str()));
            if let Some(error) = error {
                let error_text = self.worded(|| error.message.clone(), error.kind.as_str());
                attributes.insert("error".to_owned(), json!(error_text));
                attributes.insert("error_type".to_owned(), json!(error.kind.as_str()));
            }
        });
    }

    /// Reports the run of a hook; what it suppresses or took back is left out (OUT-2, AT-1).
    fn hook_call(&self, session: &SessionIdentity, run: &RunRecord) {
        self.write(session, "hook_call", |attributes| {
            let mut set = |name: &str, value: Value| attributes.insert(name.to_owned(), value);
            set("hook_event_name", json!(run.event));
            set("hook_name", json!(run.hook.label()));
            set("hook_type", json!(run.hook.handler.type_name()));
            set("duration_ms", milliseconds(run.duration));
            let exit_code = run.ending.exit_code();
            // A refusal by exit code counts as no success, as readers of Gemini CLI's telemetry
            // expect it; `error` is there for failures alone.
            let success = run.failure.is_none() && exit_code.is_none_or(|code| code == 0);
            set("success", json!(success));
            set("exit_code", json!(exit_code));
            if let Some(failure) = &run.failure {
                let failure = self.worded(|| failure.to_string(), failure.kind());
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

    /// Takes the first failure to write that nobody was told of: it must not stop the work, and
    /// not go unsaid either.
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

    /// Words an error: its message may quote what a program wrote, so where contents are left out its
    /// kind has to do (TE-2).
    fn worded(&self, message: impl FnOnce() -> String, kind: &str) -> String {
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
        let Some(file) = &self.file else { return };
        let mut attributes = Map::new();
        attributes.insert(
            "event.name".to_owned(),
            json!(format!("gemini_cli.{event}")),
        );
        attributes.insert("event.timestamp".to_owned(), json!(SystemClock.now()));
        attributes.insert("session.id".to_owned(), json!(session.session_id));
        if let Some(agent) = &session.agent {
            attributes.insert("agent_id".to_owned(), json!(agent.agent_id));
        }
        describe(&mut attributes);
        let line = format!("{}\n", json!({ "attributes": attributes }));
        // Each line is one write, so a poisoned lock guards nothing broken.
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }
}

fn milliseconds(duration: Duration) -> Value {
    json!((duration.as_secs_f64() * 1e6).round() / 1e3)
}

/// Reports hook runs when their event is concluded: only then it is known what of them may be
/// recorded.
#[derive(Debug, Clone)]
pub struct TelemetryObserver(pub Arc<Telemetry>);

impl Observer for TelemetryObserver {
    fn observe(&self, session: &SessionIdentity, happening: &Lifecycle) {
        if let Lifecycle::Concluded(concluded) = happening {
            concluded
                .runs
                .iter()
                .for_each(|run| self.0.hook_call(session, run));
        }
    }
}
