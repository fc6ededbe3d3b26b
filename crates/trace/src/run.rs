//! One recorded run, as JSON shows it (`cli-json.md` §2, "Run").

use hookloop_engine::{RunEnding, RunRecord, RunResult, Suppression};
use hookloop_events::EventName;
use hookloop_hook::{HookId, Mode, Source};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::entry::Entry;

/// What made a hook run (`cli-json.md` §2, `origin`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A session of the agent.
    Session,
    /// `hooks fire` (CM-5).
    Fire,
    /// `hooks replay` (CM-6).
    Replay,
}

impl Origin {
    /// All origins.
    pub(crate) const ALL: [Self; 3] = [Self::Session, Self::Fire, Self::Replay];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Fire => "fire",
            Self::Replay => "replay",
        }
    }
}

/// What made a hook run, and for which agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// What made it run.
    pub origin: Origin,
    /// The other agent whose session it is; `None` for a session of this program.
    pub agent: Option<String>,
}

impl From<Origin> for Occasion {
    fn from(origin: Origin) -> Self {
        Self {
            origin,
            agent: None,
        }
    }
}

/// What went wrong in a run (IO-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredFailure {
    /// The kind's word: `not_started`, `timed_out`, …
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

/// One run of one hook, as recorded in the trace. Serialises to the object "Run" of `cli-json.md`
/// §2.
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of its own in the JSON"
)]
pub struct StoredRun {
    /// Its position in the trace, which increases with time; 0 for a run that isn't in the trace.
    #[serde(skip)]
    pub position: i64,
    /// The position of the first run of the same firing; 0 as above.
    #[serde(skip)]
    pub firing: i64,
    /// The run's id.
    pub run_id: String,
    /// The session it belongs to.
    pub session_id: String,
    /// What made it run.
    pub origin: Origin,
    /// The other agent whose session it is, by the bridge's name for it; `None` for a session of
    /// this program (BR-30).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The event.
    pub event: EventName,
    /// The hook.
    pub hook_id: HookId,
    /// The hook's name, else its command.
    pub label: String,
    /// Where the hook was configured.
    pub source: Source,
    /// When it started, ISO 8601 in UTC.
    pub started_at: String,
    /// How long it ran, in milliseconds, to the microsecond.
    pub duration_ms: f64,
    /// How its program ended.
    #[serde(serialize_with = "serialize_ending")]
    pub ending: RunEnding,
    /// Its result.
    pub result: RunResult,
    /// What went wrong.
    pub failure: Option<StoredFailure>,
    /// The object that it read; `None` if suppressed (OUT-2).
    pub input: Option<Box<RawValue>>,
    /// Standard output; `None` if suppressed.
    pub stdout: Option<String>,
    /// Standard error; `None` if suppressed.
    pub stderr: Option<String>,
    /// Whether a stream exceeded the limit of a hook's output or of the trace.
    pub truncated: bool,
    /// The reply as understood; `None` if there was none, or it is suppressed.
    pub reply: Option<Box<RawValue>>,
    /// The names of the variables that were withheld (ENV-3).
    pub withheld_env: Vec<String>,
    /// The hook's dialect (FD-1).
    pub dialect: String,
    /// The fields of its reply that the event doesn't know (IO-23); none if it is suppressed.
    pub unknown_fields: Vec<String>,
    /// Whether it wrote a refusal that had no effect where it was (IO-11).
    pub lost_refusal: bool,
    /// Whether the hook keeps its content out of records (OUT-2).
    pub suppressed: bool,
    /// Whether the hook was in shadow, so that its answer had no effect (HT-2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

impl StoredRun {
    /// Converts a run that wasn't read from the trace, with `suppressOutput` applied, for `replay`
    /// (OUT-2, CM-6).
    pub fn from_record(record: &RunRecord, origin: Origin) -> Self {
        let entry = Entry::new(record);
        Self {
            position: 0,
            firing: 0,
            run_id: record.run_id.clone(),
            session_id: record.session_id.clone(),
            origin,
            agent: None,
            event: record.event,
            hook_id: record.hook.id.clone(),
            label: record.hook.label().to_owned(),
            source: record.hook.source.clone(),
            started_at: record.started_at.clone(),
            duration_ms: milliseconds(entry.microseconds()),
            ending: record.ending.clone(),
            result: record.result,
            failure: record.failure.as_ref().map(|failure| StoredFailure {
                kind: failure.kind().to_owned(),
                message: failure.to_string(),
            }),
            input: entry.input.as_deref().and_then(raw),
            stdout: entry.stdout.as_deref().map(str::to_owned),
            stderr: entry.stderr.as_deref().map(str::to_owned),
            truncated: entry.is_cut,
            reply: entry.reply.as_deref().and_then(raw),
            withheld_env: record.withheld_env.clone(),
            dialect: record.hook.dialect.as_str().to_owned(),
            unknown_fields: record
                .recordable_content()
                .map_or_else(Vec::new, |_| record.unknown_fields.clone()),
            lost_refusal: record.lost_refusal,
            suppressed: record.suppression == Suppression::Suppressed,
            shadow: record.hook.mode == Mode::Shadow,
        }
    }
}

/// Parses text as JSON; text that isn't JSON becomes a JSON string, so that nothing is lost.
pub(crate) fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned())
        .or_else(|_| serde_json::value::to_raw_value(text))
        .ok()
}

/// Returns a duration for JSON.
#[expect(
    clippy::cast_precision_loss,
    reason = "2^53 microseconds are 285 years"
)]
pub(crate) fn milliseconds(microseconds: i64) -> f64 {
    microseconds as f64 / 1000.0
}

fn serialize_ending<S: Serializer>(ending: &RunEnding, serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct("Ending", 3)?;
    object.serialize_field("kind", ending.kind())?;
    object.serialize_field("exit_code", &ending.exit_code())?;
    let signal = ending.signal().map(|signal| signal.to_string());
    object.serialize_field("signal", &signal)?;
    object.end()
}
