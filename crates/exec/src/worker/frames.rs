//! The lines between a host and a worker (HT-10).

use std::collections::HashMap;

use hookloop_engine::events::Payload;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The version of what is spoken.
const VERSION: u64 = 1;
/// The most events at once that a worker can ask for.
const MOST_AT_ONCE: usize = 256;

/// What a worker says of itself first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Greeting {
    /// How many events it takes at once; at least one.
    pub(super) concurrency: usize,
}

/// What a worker says of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The event that it is about.
    pub(super) id: u64,
    /// What it says.
    pub(super) said: Said,
}

/// What a worker can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// A reply, as JSON.
    Reply(String),
    /// No, with a reason (as exit code 2).
    Refuse(String),
    /// It failed.
    Error(String),
}

impl Greeting {
    /// Reads the first line of a worker; the error says what it is instead.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let says = |what: &str| format!("its first line is {what}: {}", shortened(line));
        let greeting: Value =
            serde_json::from_str(line).map_err(|_| says("not a greeting in JSON"))?;
        let Some(version) = greeting.get("hookloop") else {
            return Err(says("not {\"hookloop\": 1}"));
        };
        if version.as_u64() != Some(VERSION) {
            return Err(says("of another version than 1"));
        }
        let concurrency = greeting.get("concurrency").and_then(Value::as_u64);
        let concurrency = usize::try_from(concurrency.unwrap_or(1)).unwrap_or(MOST_AT_ONCE);
        Ok(Self {
            concurrency: concurrency.clamp(1, MOST_AT_ONCE),
        })
    }
}

impl Frame {
    /// Reads a line; nothing if it isn't a frame. A refusal counts beside whatever else is said.
    pub(super) fn read(line: &str) -> Option<Self> {
        let fields: HashMap<String, Box<RawValue>> = serde_json::from_str(line).ok()?;
        let id = fields.get("id")?.get().parse().ok()?;
        let given = |name: &str| fields.get(name).filter(|it| it.get() != "null");
        let said = if let Some(reason) = given("refuse") {
            Said::Refuse(text(reason))
        } else if let Some(error) = given("error") {
            Said::Error(text(error))
        } else if let Some(reply) = given("reply") {
            Said::Reply(reply.get().to_owned())
        } else if fields.contains_key("reply") {
            // A worker without an opinion says nothing about it.
            Said::Reply(String::new())
        } else {
            Said::Error("its answer has neither `reply` nor `refuse` nor `error`".to_owned())
        };
        Some(Self { id, said })
    }
}

fn text(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// Writes the line that asks about an event.
pub(super) fn question(id: u64, payload: &Payload) -> Vec<u8> {
    let mut line = format!("{{\"id\":{id},\"payload\":").into_bytes();
    for piece in payload.pieces() {
        // Between values a line end is as good as a space, and inside of them none can stand.
        line.extend(piece.iter().map(|byte| match byte {
            b'\n' | b'\r' => b' ',
            other => *other,
        }));
    }
    line.extend_from_slice(b"}\n");
    line
}

/// Writes the line that takes a question back.
pub(super) fn cancellation(id: u64) -> Vec<u8> {
    format!("{}\n", json!({"cancel": id})).into_bytes()
}

/// Cuts what a worker wrote, for a message.
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
                Some(Said::Reply(r#"{"a": 1}"#.into())),
            ),
            (
                r#"{"reply": null, "id": 7}"#,
                Some(Said::Reply(String::new())),
            ),
            (r#"{"id":7,"refuse":"no"}"#, Some(Said::Refuse("no".into()))),
            (
                r#"{"id":7,"reply":{},"refuse":true}"#,
                Some(Said::Refuse("true".into())),
            ),
            (
                r#"{"id":7,"refuse":null,"error":"x"}"#,
                Some(Said::Error("x".into())),
            ),
            (r#"{"reply":{}}"#, None),
            (r#"{"id":"7","reply":{}}"#, None),
            ("log line", None),
            ("[1]", None),
        ] {
            assert_eq!(Frame::read(line).map(|it| it.said), expected, "{line}");
        }
        let vague = Frame::read(r#"{"id":7}"#).map(|it| it.said);
        assert!(matches!(vague, Some(Said::Error(_))));
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
