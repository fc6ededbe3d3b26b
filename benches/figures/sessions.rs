//! What a long session keeps in memory.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::Outcome;
use crate::children::status_of;
use crate::program::Stage;
use crate::table::Row;

const MIB: f64 = 1024.0 * 1024.0;

/// How many turns the session has, and how many of them go by before anything is measured.
const TURNS: u32 = 1_000;
const FIRST: u32 = 100;

/// How long each question and each answer is, in bytes.
const BYTES: usize = 4 * 1024;

/// By how much a session of 1,000 turns grows, beside its history. An editor drives it, because a
/// session without a terminal has a single turn.
pub(crate) fn long_session() -> Outcome<Vec<Row>> {
    let stage = Stage::new()?;
    let text = "word ".repeat(BYTES / 5);
    let mut script = String::new();
    for number in 0..TURNS {
        let parts = [json!({"text": format!("{number} {text}")})];
        let content = json!({"role": "model", "parts": parts});
        let response = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
        let line = json!({"method": "generateContentStream", "response": [response]});
        writeln!(script, "{line}")?;
    }
    let path = stage.home().join("script.jsonl");
    fs::write(&path, script)?;
    let mut editor = Editor::start(&stage, &path.to_string_lossy())?;
    let mut before = 0.0;
    for number in 0..TURNS {
        if number == FIRST {
            before = editor.memory()?;
        }
        editor.ask(&format!("{number} {text}"))?;
    }
    let growth = editor.memory()? - before;
    editor.end()?;
    let texts = f64::from(TURNS - FIRST) * 2.0 * f64::from(u32::try_from(BYTES)?);
    let ratio = growth / texts;
    Ok(vec![
        Row::new(
            "growth in 900 more turns",
            format!("{:.1} MB", growth / MIB),
        )
        .beside(format!("their texts, {:.1} MB", texts / MIB), ratio)
        .at_most(1.0, ratio),
    ])
}

/// An editor that drives a session by the Agent Client Protocol.
struct Editor {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    number: u64,
    session: Value,
}

impl Editor {
    fn start(stage: &Stage, script: &str) -> Outcome<Self> {
        let mut child = stage
            .command(&stage.program, &["--acp", "--fake-responses", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let mut editor = Self {
            child,
            questions: questions.ok_or("no input")?,
            answers: BufReader::new(answers.ok_or("no output")?),
            number: 0,
            session: Value::Null,
        };
        let capabilities = json!({"protocolVersion": 1, "clientCapabilities": {}});
        editor.call("initialize", &capabilities)?;
        let place = json!({"cwd": stage.project(), "mcpServers": []});
        editor.session = editor.call("session/new", &place)?["sessionId"].take();
        Ok(editor)
    }

    fn ask(&mut self, text: &str) -> Outcome<()> {
        let prompt = [json!({"type": "text", "text": text})];
        let parameters = json!({"sessionId": self.session, "prompt": prompt});
        let answer = self.call("session/prompt", &parameters)?;
        if answer["stopReason"] != "end_turn" {
            return Err(format!("a turn ended with {answer}").into());
        }
        Ok(())
    }

    /// Sends a request, and returns its result; what the session reports meanwhile is left out.
    fn call(&mut self, method: &str, parameters: &Value) -> Outcome<Value> {
        self.number += 1;
        let id = self.number;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        writeln!(self.questions, "{request}")?;
        let mut line = String::new();
        while self.answers.read_line(&mut line)? > 0 {
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}").into()),
                    None => Ok(message["result"].take()),
                };
            }
            line.clear();
        }
        Err(format!("the session ended at {method}").into())
    }

    fn memory(&self) -> Outcome<f64> {
        status_of(&self.child.id().to_string(), "VmRSS:")
    }

    fn end(self) -> Outcome<()> {
        let Self {
            mut child,
            questions,
            answers,
            ..
        } = self;
        drop((questions, answers));
        child.wait()?;
        Ok(())
    }
}
