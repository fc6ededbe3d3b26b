//! The lines between a host and a worker (HT-10).

use hookloop_engine::events::refusal::Readable;
use hookloop_engine::events::{EventName, Members, Payload};
use serde::de::{Deserialize, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The version of the protocol.
const VERSION: u64 = 1;
/// The most events at once that a worker can request.
const MAX_CONCURRENT: usize = 256;

/// What a worker says about itself first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Greeting {
    /// How many events it takes at once; at least one.
    pub(super) concurrency: usize,
}

/// A worker's answer to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The event that it answers.
    pub(super) id: u64,
    /// The answer.
    pub(super) message: WorkerMessage,
}

/// What a worker can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WorkerMessage {
    /// A reply, as JSON.
    Reply(String),
    /// No, with a reason (as exit code 2).
    Refuse(String),
    /// It failed; a refusal in its reply still counts (IO-14).
    Error {
        /// What went wrong.
        why: String,
        /// What else it said, as JSON.
        reply: String,
    },
}

impl WorkerMessage {
    /// Returns whether it refuses something.
    pub(super) fn refuses(&self) -> bool {
        match self {
            Self::Refuse(_) => true,
            Self::Reply(reply) | Self::Error { reply, .. } => holds_refusal(reply),
        }
    }
}

/// Returns whether a refusal can be read in a reply (IO-24).
pub(super) fn holds_refusal(reply: &str) -> bool {
    // `BeforeTool` recognises the most forms of a refusal.
    Readable::of(EventName::BeforeTool, reply).refusal.is_some()
}

/// What can be read of a line that was cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    /// The event that it is about, if that is before the cut.
    pub(super) id: Option<u64>,
    /// Why it refuses, as far as it is there.
    pub(super) refusal: Option<String>,
    /// What is there of the reply; the whole line if there is no such member.
    pub(super) reply: String,
}

impl Greeting {
    /// Reads the first line of a worker; the error says what it is instead.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let says = |what: &str| format!("its first line {what}: {}", shortened(line));
        let greeting: Value =
            serde_json::from_str(line).map_err(|_| says("isn't a greeting in JSON"))?;
        let Some(version) = greeting.get("hookloop") else {
            return Err(says("isn't {\"hookloop\": 1}"));
        };
        if version.as_u64() != Some(VERSION) {
            return Err(says("is of another version than 1"));
        }
        let concurrency = greeting.get("concurrency").and_then(Value::as_u64);
        let concurrency = usize::try_from(concurrency.unwrap_or(1)).unwrap_or(MAX_CONCURRENT);
        Ok(Self {
            concurrency: concurrency.clamp(1, MAX_CONCURRENT),
        })
    }
}

impl Frame {
    /// Reads a line; nothing if it isn't a frame. A refusal counts beside whatever else is said.
    pub(super) fn read(line: &str) -> Option<Self> {
        let Members::<Box<RawValue>>(fields) = serde_json::from_str(line).ok()?;
        let all = |name: &'static str| {
            let named = fields.iter().filter(move |it| is_named(&it.0, name));
            named.map(|it| it.1.get())
        };
        let given = |name| all(name).filter(|value| *value != "null");
        let id = all("id").next_back().and_then(number)?;
        // If there are several, the one that refuses counts, else the last.
        let replies: Vec<&str> = given("reply").collect();
        let refusing = replies.iter().find(|reply| holds_refusal(reply));
        let reply = refusing.or(replies.last()).map(|it| (*it).to_owned());
        let message = if let Some(reason) = given("refuse").next() {
            WorkerMessage::Refuse(text(reason))
        } else if let Some(error) = given("error").next() {
            WorkerMessage::Error {
                why: text(error),
                reply: reply.unwrap_or_default(),
            }
        } else if let Some(reply) = reply {
            WorkerMessage::Reply(reply)
        } else if let Some(nothing) = all("reply").next() {
            // A worker without an opinion replies `{}`. `null` is what a function leaves that
            // returned nothing, and as malformed as on a command's standard output (IO-12).
            WorkerMessage::Reply(nothing.to_owned())
        } else {
            // The worker may have put the reply's fields beside the id.
            WorkerMessage::Error {
                why: "its answer has neither `reply` nor `refuse` nor `error`".to_owned(),
                reply: line.to_owned(),
            }
        };
        Some(Self { id, message })
    }
}

impl Fragment {
    /// Reads the members that are before the cut, at the top of the line.
    pub(super) fn read(line: &str) -> Self {
        let mut fragment = Self::default();
        let mut reply: Option<&str> = None;
        let mut rest = line.trim_start().strip_prefix('{').unwrap_or_default();
        while let Some((name, length)) = value_at::<String>(rest) {
            let Some(value) = rest[length..].trim_start().strip_prefix(':') else {
                break;
            };
            let value = value.trim_start();
            let length = value_at::<IgnoredAny>(value).map(|(_, length)| length);
            let value_text = &value[..length.unwrap_or(value.len())];
            if is_named(&name, "id") {
                // A number at the cut may have lost digits.
                let is_complete = length.is_some_and(|length| length < value.len());
                fragment.id = number(value_text).filter(|_| is_complete).or(fragment.id);
            } else if is_named(&name, "refuse") && !"null".starts_with(value_text) {
                fragment.refusal.get_or_insert_with(|| cut_text(value_text));
            } else if is_named(&name, "reply") {
                let earlier = reply.filter(|reply| holds_refusal(reply));
                reply = earlier.or(Some(value_text));
            }
            let Some(behind) =
                length.and_then(|length| value[length..].trim_start().strip_prefix(','))
            else {
                break;
            };
            rest = behind;
        }
        reply.unwrap_or(line).clone_into(&mut fragment.reply);
        fragment
    }
}

/// Reads the value that a text begins with, and returns where it ends.
fn value_at<'t, T: Deserialize<'t>>(text: &'t str) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// Returns whether a name means a member; a different case means nothing else.
fn is_named(key: &str, name: &str) -> bool {
    key.eq_ignore_ascii_case(name)
}

/// Reads an id, which some languages write as a text or with a point.
fn number(value: &str) -> Option<u64> {
    let quoted = value.trim_start().starts_with('"');
    let text = quoted.then(|| serde_json::from_str::<String>(value).ok());
    let text = text.flatten();
    let text = text.as_deref().unwrap_or(value).trim();
    let integer = text.split_once('.').filter(|(_, rest)| {
        let mut digits = rest.chars();
        digits.all(|it| it == '0')
    });
    integer.map_or(text, |(digits, _)| digits).parse().ok()
}

/// Returns a text that may be cut, without its quotes.
fn cut_text(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.to_owned();
    };
    // The cut may be inside an escape, which has at most six characters.
    let ends = (0..=inner.len())
        .rev()
        .filter(|at| inner.is_char_boundary(*at));
    let read = |at: usize| serde_json::from_str(&format!("\"{}\"", &inner[..at])).ok();
    ends.take(7)
        .find_map(read)
        .or_else(|| serde_json::from_str(value).ok())
        .unwrap_or_else(|| inner.to_owned())
}

fn text(value: &str) -> String {
    serde_json::from_str(value).unwrap_or_else(|_| value.to_owned())
}

/// Writes the line that asks about an event.
pub(super) fn question(id: u64, payload: &Payload) -> Vec<u8> {
    let begin = format!("{{\"id\":{id},\"payload\":");
    let mut line = Vec::with_capacity(begin.len() + payload.len() + 2);
    line.extend_from_slice(begin.as_bytes());
    let payload_at = line.len();
    for piece in payload.pieces() {
        line.extend_from_slice(piece);
    }
    // Line ends are replaced by spaces: between values they mean the same, and inside a value they
    // can't appear.
    for end in [b'\n', b'\r'] {
        if line[payload_at..].contains(&end) {
            let ends = line[payload_at..].iter_mut().filter(|byte| **byte == end);
            ends.for_each(|byte| *byte = b' ');
        }
    }
    line.extend_from_slice(b"}\n");
    line
}

/// Writes the line that withdraws a question.
pub(super) fn cancellation(id: u64) -> Vec<u8> {
    format!("{}\n", json!({"cancel": id})).into_bytes()
}

/// Shortens what a worker wrote, for a message.
pub(super) fn shortened(line: &str) -> String {
    hookloop_text::shorten::one_line(line, 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-10: what a worker says is read as it was meant, and a refusal counts beside a reply.
    #[test]
    fn frames_are_read() {
        for (line, expected) in [
            (
                r#"{"id": 7, "reply": {"a": 1}}"#,
                Some(WorkerMessage::Reply(r#"{"a": 1}"#.into())),
            ),
            (
                r#"{"reply": null, "id": 7}"#,
                Some(WorkerMessage::Reply("null".into())),
            ),
            (
                r#"{"id":7,"refuse":"no"}"#,
                Some(WorkerMessage::Refuse("no".into())),
            ),
            (
                r#"{"id":7,"reply":{},"refuse":true}"#,
                Some(WorkerMessage::Refuse("true".into())),
            ),
            (
                r#"{"id":7,"refuse":null,"error":"x"}"#,
                Some(error("x", "")),
            ),
            (
                r#"{"id":7,"reply":{"decision":"deny"},"error":"x"}"#,
                Some(error("x", r#"{"decision":"deny"}"#)),
            ),
            // If a name repeats, the refusal counts, whatever follows it.
            (
                r#"{"id":7,"refuse":"no","refuse":null,"reply":{}}"#,
                Some(WorkerMessage::Refuse("no".into())),
            ),
            (
                r#"{"id":7,"reply":{"decision":"deny"},"reply":{}}"#,
                Some(WorkerMessage::Reply(r#"{"decision":"deny"}"#.into())),
            ),
            (
                r#"{"id":7,"Refuse":"no"}"#,
                Some(WorkerMessage::Refuse("no".into())),
            ),
            (
                r#"{"id":"7","refuse":"no"}"#,
                Some(WorkerMessage::Refuse("no".into())),
            ),
            (
                r#"{"id":7.0,"refuse":"no"}"#,
                Some(WorkerMessage::Refuse("no".into())),
            ),
            (r#"{"reply":{}}"#, None),
            (r#"{"id":"x","reply":{}}"#, None),
            (r#"{"id":7.5,"reply":{}}"#, None),
            ("log line", None),
            ("[1]", None),
        ] {
            assert_eq!(Frame::read(line).map(|it| it.message), expected, "{line}");
        }
        for (line, refuses) in [
            (r#"{"id":7}"#, false),
            (r#"{"id":7,"decision":"deny"}"#, true),
        ] {
            let vague = Frame::read(line).map(|it| it.message).expect("a frame");
            assert_eq!(vague.refuses(), refuses, "{line}");
            assert!(
                matches!(vague, WorkerMessage::Error { reply, .. } if reply == line),
                "{line}"
            );
        }
    }

    /// HT-10, IO-24: of a line that was cut, what precedes the cut counts.
    #[test]
    fn a_cut_line_is_read_up_to_its_cut() {
        let read = |line: &str| {
            let fragment = Fragment::read(line);
            (fragment.id, fragment.refusal, fragment.reply)
        };
        let cut = r#"{"id":7,"reply":{"decision":"deny","reason":"xxx"#;
        let reply = r#"{"decision":"deny","reason":"xxx"#;
        assert_eq!(read(cut), (Some(7), None, reply.into()));
        let line = r#"{"refuse":"no \u00"#;
        assert_eq!(read(line), (None, Some("no ".into()), line.into()));
        let line = r#"{"id":7,"refuse":"no","reply":{"reason":"xxx"#;
        let reply = r#"{"reason":"xxx"#;
        assert_eq!(read(line), (Some(7), Some("no".into()), reply.into()));
        for line in [
            r#"{"id":7"#,
            "xxxx",
            r#"{"decision":"deny","#,
            r#"{"refuse":nu"#,
            "",
        ] {
            assert_eq!(read(line), (None, None, line.into()));
        }
    }

    fn error(why: &str, reply: &str) -> WorkerMessage {
        WorkerMessage::Error {
            why: why.to_owned(),
            reply: reply.to_owned(),
        }
    }

    /// HT-10: a worker greets in our version first, and says how many events it takes at once.
    #[test]
    fn greetings_are_read() {
        let read = |line: &str| Greeting::read(line).map(|it| it.concurrency);
        assert_eq!(read(r#"{"hookloop": 1}"#), Ok(1));
        assert_eq!(read(r#"{"hookloop": 1, "concurrency": 8}"#), Ok(8));
        assert_eq!(read(r#"{"hookloop": 1, "concurrency": 0}"#), Ok(1));
        assert!(read(r#"{"hookloop": 2}"#).is_err());
        assert!(read(r#"{"id": 1, "reply": {}}"#).is_err());
        assert!(read("hello").is_err());
    }

    /// HT-10: a question is one line, whatever the payload looks like.
    #[test]
    fn a_question_is_one_line() {
        let line = question(7, &"{\n\"a\":\r\n1}".into());
        assert_eq!(line, b"{\"id\":7,\"payload\":{ \"a\":  1}}\n");
        assert_eq!(cancellation(7), b"{\"cancel\":7}\n");
    }
}
