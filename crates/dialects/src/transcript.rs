//! Translates a session's transcript for hooks of other agents (FD-13): the format is Claude
//! Code's, with the dialect's names for tools.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use hookloop_hook::Dialect;
use serde_json::{Map, Value, json};

use crate::foreign::DialectTables;
use crate::foreign::call::{Call, text_of};
use crate::translate::tables;

/// Returns the path of a dialect's transcript, which is next to ours, in a folder with the
/// dialect's name. Returns `None` for dialects that read ours.
pub fn foreign_transcript(dialect: Dialect, ours: &Path) -> Option<PathBuf> {
    if matches!(dialect, Dialect::Hookloop | Dialect::GeminiCli) {
        return None;
    }
    Some(
        ours.parent()?
            .join(dialect.as_str())
            .join(ours.file_name()?),
    )
}

/// Returns the path of the transcript of a single sub-agent. Returns `None` for an identity that
/// can't be a file name.
pub fn foreign_transcript_of_agent(dialect: Dialect, ours: &Path, agent: &str) -> Option<PathBuf> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    if agent.is_empty() || agent.len() > 128 || !agent.chars().all(is_plain) {
        return None;
    }
    let whole = foreign_transcript(dialect, ours)?;
    let folder = whole.with_extension("").join("subagents");
    Some(folder.join(format!("agent-{agent}.jsonl")))
}

/// Translates one of our transcripts line by line. The same lines always produce the same text, so
/// a session that continues appends to the existing file.
pub struct ForeignTranscript {
    dialect: Dialect,
    tables: &'static DialectTables,
    /// Fields that are in each line.
    session_id: String,
    cwd: String,
    /// The sub-agent to whose messages the transcript is limited; nothing for all.
    agent: Option<String>,
    /// How many lines were written.
    written: usize,
    /// The identities of calls whose results are awaited, in their order.
    awaited: VecDeque<String>,
}

impl std::fmt::Debug for ForeignTranscript {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("ForeignTranscript");
        shown.field("dialect", &self.dialect);
        shown
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

impl ForeignTranscript {
    /// Starts with the first line of a transcript. Returns `None` if it isn't one of ours, or if
    /// the dialect reads ours.
    pub fn begin(dialect: Dialect, first: &str) -> Option<Self> {
        let tables = tables(dialect).filter(|_| dialect != Dialect::GeminiCli)?;
        let line: Map<String, Value> = serde_json::from_str(first).ok()?;
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        (text("type") == Some("session")).then_some(())?;
        Some(Self {
            dialect,
            tables,
            session_id: text("session_id")?.to_owned(),
            cwd: text("project_root").unwrap_or_default().to_owned(),
            agent: None,
            written: 0,
            awaited: VecDeque::new(),
        })
    }

    /// Restricts the translation to the messages of one sub-agent.
    #[must_use]
    pub fn for_agent(self, agent: &str) -> Self {
        Self {
            agent: Some(agent.to_owned()),
            ..self
        }
    }

    /// Translates the next line, including its line break. Returns an empty text if the other agent
    /// writes nothing.
    pub fn next(&mut self, line: &str) -> String {
        let Ok(line) = serde_json::from_str::<Map<String, Value>>(line) else {
            return String::new();
        };
        let speaker = line.get("agent_id").and_then(Value::as_str);
        let content = match line.get("type").and_then(Value::as_str) {
            Some("message") if self.agent.is_none() || self.agent.as_deref() == speaker => {
                line.get("content")
            }
            _ => None,
        };
        let Some(content) = content else {
            return String::new();
        };
        let parts = content.get("parts").and_then(Value::as_array);
        let is_model = content.get("role").and_then(Value::as_str) == Some("model");
        let mut blocks: Vec<Value> = Vec::new();
        for (index, part) in parts.into_iter().flatten().enumerate() {
            blocks.extend(self.block(part, index));
        }
        if blocks.is_empty() {
            return String::new();
        }
        let role = if is_model { "assistant" } else { "user" };
        let content = match &blocks[..] {
            // In that format, a prompt is plain text.
            [Value::Object(only)] if !is_model && only.contains_key("text") => only["text"].clone(),
            _ => Value::Array(blocks),
        };
        let mut message = json!({"role": role, "content": content});
        if let (true, Some(message)) = (is_model, message.as_object_mut()) {
            message.extend(message_metadata(&line));
        }
        let mut theirs = json!({
            "parentUuid": self.written.checked_sub(1).map(|before| self.identity(before)),
            "isSidechain": line.contains_key("agent_id"),
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "type": role,
            "message": message,
            "uuid": self.identity(self.written),
            "timestamp": line.get("timestamp"),
        });
        if let Some(agent) = line.get("agent_id") {
            theirs["agentId"] = agent.clone();
        }
        if self.dialect == Dialect::Cursor {
            theirs["role"] = Value::from(role);
        }
        self.written += 1;
        format!("{theirs}\n")
    }

    /// Writes a part of a message.
    fn block(&mut self, part: &Value, index: usize) -> Option<Value> {
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            return (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
        }
        if let Some(call) = part.get("functionCall") {
            let id = match call.get("id").and_then(Value::as_str) {
                Some(id) => id.to_owned(),
                None => format!("toolu_{}_{index}", self.written),
            };
            self.awaited.push_back(id.clone());
            let ours = json!({
                "tool_name": call.get("name"),
                "tool_input": call.get("args"),
                "cwd": self.cwd,
            });
            let call = Call::of(ours.as_object()?, self.tables.tools);
            let name = self.tables.mcp.of(call.tool);
            let name = name.unwrap_or_else(|| call.name().to_owned());
            return Some(json!({"type": "tool_use", "id": id, "name": name, "input": call.input}));
        }
        let result = part.get("functionResponse")?;
        let id = match result.get("id").and_then(Value::as_str) {
            Some(id) => {
                self.awaited.retain(|awaited| awaited != id);
                id.to_owned()
            }
            None => self.awaited.pop_front().unwrap_or_default(),
        };
        let response = result.get("response");
        let error = response.and_then(|it| it.get("error"));
        let output = error.or_else(|| response.and_then(|it| it.get("output")));
        let text = text_of(output.or(response).unwrap_or(&Value::Null));
        Some(json!({
            "type": "tool_result",
            "tool_use_id": id,
            "content": text,
            "is_error": error.is_some(),
        }))
    }

    /// Returns the identity of a line: the same for the same line of the same session.
    fn identity(&self, line: usize) -> String {
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        let line = line.to_string();
        let agent = self.agent.as_deref().unwrap_or_default();
        let speaker = self.session_id.bytes().chain([b'/']).chain(agent.bytes());
        for byte in speaker.chain(line.bytes()) {
            hash ^= u128::from(byte);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        let text = format!("{hash:032x}");
        let parts = [
            &text[..8],
            &text[8..12],
            &text[12..16],
            &text[16..20],
            &text[20..],
        ];
        parts.join("-")
    }
}

/// Returns what is known about a message beside its content: the model, and the tokens as its
/// service counted them. What was read from a cache isn't part of the input there, and thoughts are
/// part of the output. What wasn't counted is left out (FD-10).
fn message_metadata(line: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(model) = line.get("model") {
        fields.insert("model".to_owned(), model.clone());
    }
    let Some(usage) = line.get("usage") else {
        return fields;
    };
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let mut counts = Map::new();
    let mut put = |name: &str, value: Option<u64>| {
        counts.extend(value.map(|value| (name.to_owned(), Value::from(value))));
    };
    let cached = count("cachedContentTokenCount");
    let input = count("promptTokenCount");
    let answer = count("candidatesTokenCount");
    let thoughts = count("thoughtsTokenCount");
    let output = answer.or(thoughts);
    put(
        "input_tokens",
        input.map(|it| it.saturating_sub(cached.unwrap_or_default())),
    );
    put("cache_read_input_tokens", cached);
    put(
        "output_tokens",
        output.map(|_| answer.unwrap_or_default() + thoughts.unwrap_or_default()),
    );
    if !counts.is_empty() {
        fields.insert("usage".to_owned(), Value::Object(counts));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: [&str; 5] = [
        r#"{"type":"session","session_id":"s","project_root":"/p","timestamp":"t0"}"#,
        r#"{"type":"message","timestamp":"t1","content":{"role":"user","parts":[{"text":"Do it"}]}}"#,
        r#"{"type":"message","timestamp":"t2","content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"ok"},{"functionCall":{"name":"write_file","args":{"file_path":"a.txt","content":"x"}}}]}}"#,
        r#"{"type":"tool_call","timestamp":"t3","name":"write_file"}"#,
        r#"{"type":"message","timestamp":"t4","content":{"role":"user","parts":[{"functionResponse":{"name":"write_file","response":{"output":"written"}}}]}}"#,
    ];

    fn translated(dialect: Dialect) -> Vec<Value> {
        let mut theirs = ForeignTranscript::begin(dialect, OURS[0]).unwrap();
        let text: String = OURS[1..].iter().map(|line| theirs.next(line)).collect();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// FD-13: prompts, answers, calls and results are in it as Claude Code writes them, in order,
    /// and thoughts don't.
    #[test]
    fn a_session_is_told_in_their_form() {
        let lines = translated(Dialect::ClaudeCode);
        let message = |line: usize| lines[line]["message"].clone();
        assert_eq!(lines.len(), 3);
        assert_eq!(message(0), json!({"role": "user", "content": "Do it"}));
        let input = json!({"file_path": "/p/a.txt", "content": "x"});
        let content = message(1)["content"].clone();
        assert_eq!(content[0], json!({"type": "text", "text": "ok"}));
        let call = json!({"type": "tool_use", "id": content[1]["id"], "name": "Write",
            "input": input});
        assert_eq!(content[1], call);
        assert_eq!(message(2)["content"][0]["tool_use_id"], content[1]["id"]);
        assert_eq!(message(2)["content"][0]["content"], "written");
        assert_eq!(lines[1]["parentUuid"], lines[0]["uuid"]);
        assert_eq!(lines[0]["sessionId"], "s");
        assert_eq!(lines[2]["type"], "user");
    }

    /// FD-13: what the model's service counted is in the message, in the words of Claude Code; a
    /// missing count is left out.
    #[test]
    fn tokens_are_told_as_they_were_counted() {
        let translated = |beside: Value| {
            let mut line = json!({"type": "message", "timestamp": "t",
                "content": {"role": "model", "parts": [{"text": "ok"}]}});
            for (name, value) in beside.as_object().unwrap() {
                line[name] = value.clone();
            }
            let mut theirs = ForeignTranscript::begin(Dialect::ClaudeCode, OURS[0]).unwrap();
            let text = theirs.next(&line.to_string());
            let mut line: Value = serde_json::from_str(&text).unwrap();
            line["message"].take()
        };
        let counted = translated(json!({"model": "m", "usage": {"promptTokenCount": 100,
            "cachedContentTokenCount": 30, "candidatesTokenCount": 7, "thoughtsTokenCount": 5}}));
        assert_eq!(
            counted["usage"],
            json!({"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 12})
        );
        assert_eq!(counted["model"], "m");
        let partly = translated(json!({"model": "m", "usage": {"promptTokenCount": 9}}));
        assert_eq!(partly["usage"], json!({"input_tokens": 9}));
        let nothing = translated(json!({}));
        assert_eq!(
            nothing,
            json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}]})
        );
    }

    /// FD-13: what a sub-agent said and did is also in a transcript of its own, and nothing else
    /// is.
    #[test]
    fn a_sub_agent_has_its_own() {
        let line = |agent: &str, text: &str| {
            let mut line = json!({"type": "message", "timestamp": "t",
                "content": {"role": "model", "parts": [{"text": text}]}});
            if !agent.is_empty() {
                line["agent_id"] = Value::from(agent);
            }
            line.to_string()
        };
        let lines = [
            line("", "main"),
            line("a1", "one"),
            line("a2", "two"),
            line("a1", "three"),
        ];
        let translated = |mut form: ForeignTranscript| -> Vec<Value> {
            let text: String = lines.iter().map(|line| form.next(line)).collect();
            text.lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let new_transcript = || ForeignTranscript::begin(Dialect::ClaudeCode, OURS[0]).unwrap();
        let own = translated(new_transcript().for_agent("a1"));
        let texts: Vec<_> = own
            .iter()
            .map(|it| it["message"]["content"][0]["text"].clone())
            .collect();
        assert_eq!(texts, ["one", "three"]);
        assert_eq!(own[1]["parentUuid"], own[0]["uuid"]);
        let whole = translated(new_transcript());
        assert_eq!(whole.len(), 4);
        assert!(
            own.iter()
                .all(|it| whole.iter().all(|other| other["uuid"] != it["uuid"]))
        );
        let of = |agent: &str| {
            foreign_transcript_of_agent(Dialect::ClaudeCode, Path::new("/s/a.jsonl"), agent)
        };
        let expected = Path::new("/s/claude-code/a/subagents/agent-a1.jsonl");
        assert_eq!(of("a1").as_deref(), Some(expected));
        assert_eq!((of("../x"), of("")), (None, None));
    }

    /// FD-13: tools have the names of the dialect.
    #[test]
    fn tools_are_named_as_there() {
        for (dialect, name) in [
            (Dialect::Codex, "apply_patch"),
            (Dialect::Cursor, "Write"),
            (Dialect::Copilot, "create"),
            (Dialect::Qwen, "write_file"),
        ] {
            let lines = translated(dialect);
            assert_eq!(lines[1]["message"]["content"][1]["name"], name, "{dialect}");
        }
    }

    /// FD-13: what isn't a transcript of ours isn't translated, and some dialects read ours.
    #[test]
    fn other_files_stay_what_they_are() {
        assert!(ForeignTranscript::begin(Dialect::ClaudeCode, r#"{"type":"user"}"#).is_none());
        assert!(ForeignTranscript::begin(Dialect::ClaudeCode, "").is_none());
        let ours = Path::new("/s/a.jsonl");
        assert_eq!(foreign_transcript(Dialect::Hookloop, ours), None);
        let theirs = foreign_transcript(Dialect::ClaudeCode, ours);
        assert_eq!(theirs.as_deref(), Some(Path::new("/s/claude-code/a.jsonl")));
    }
}
