//! A run of a hook as JSON (`cli-json.md` §2, "Run").

use hookloop_engine::{Failure, RunRecord, RunResult, Suppression, Truncation};
use hookloop_events::{EventName, Reply};
use hookloop_hook::{Dialect, Mode, Source};
use hookloop_session::milliseconds;
use serde::Serialize;
use serde_json::value::RawValue;

/// A run, as JSON.
#[derive(Debug, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "fields of a published form, each by itself"
)]
pub struct RunView<'a> {
    run_id: &'a str,
    session_id: &'a str,
    origin: &'static str,
    event: EventName,
    hook_id: &'a str,
    label: &'a str,
    source: &'a Source,
    started_at: &'a str,
    duration_ms: f64,
    ending: EndingView,
    result: RunResult,
    failure: Option<&'a Failure>,
    input: Option<Box<RawValue>>,
    stdout: &'a str,
    stderr: &'a str,
    truncated: bool,
    reply: Option<&'a Reply>,
    withheld_env: &'a [String],
    dialect: Dialect,
    unknown_fields: &'a [String],
    lost_refusal: bool,
    suppressed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shadow: bool,
}

#[derive(Debug, Serialize)]
struct EndingView {
    kind: &'static str,
    exit_code: Option<i32>,
    signal: Option<String>,
}

impl<'a> RunView<'a> {
    /// Creates the view of a run that `fire` started.
    pub fn from_fire(record: &'a RunRecord) -> Self {
        let content = &record.content;
        Self {
            run_id: &record.run_id,
            session_id: &record.session_id,
            origin: "fire",
            event: record.event,
            hook_id: record.hook.id.as_str(),
            label: record.hook.label(),
            source: &record.hook.source,
            started_at: &record.started_at,
            duration_ms: milliseconds(record),
            ending: EndingView {
                kind: record.ending.kind(),
                exit_code: record.ending.exit_code(),
                signal: record.ending.signal().map(|signal| signal.to_string()),
            },
            result: record.result,
            failure: record.failure.as_ref(),
            // The engine wrote it, so it is an object.
            input: serde_json::from_str(&content.input.text()).ok(),
            stdout: &content.stdout,
            stderr: &content.stderr,
            truncated: content.truncation == Truncation::Cut,
            reply: content.reply.as_ref(),
            withheld_env: &record.withheld_env,
            dialect: record.hook.dialect,
            unknown_fields: &record.unknown_fields,
            lost_refusal: record.lost_refusal,
            suppressed: record.suppression == Suppression::Suppressed,
            shadow: record.hook.mode == Mode::Shadow,
        }
    }
}
