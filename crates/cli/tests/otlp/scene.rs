//! A session whose spans go to a collector.

use std::fs;
use std::path::PathBuf;

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

/// A world with a script of the model's answers.
pub(crate) struct Scene {
    pub(crate) world: World,
    answers: Vec<Value>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self {
            world: World::new(),
            answers: Vec::new(),
        }
    }

    /// Writes the user's settings, with telemetry to this address.
    pub(crate) fn settings(self, address: &str, hooks: &Value) -> Self {
        self.telemetry(
            &json!({ "enabled": true, "target": "local", "otlpEndpoint": address }),
            hooks,
        )
    }

    pub(crate) fn telemetry(self, telemetry: &Value, hooks: &Value) -> Self {
        let settings = json!({ "telemetry": telemetry, "hooks": hooks });
        let text = serde_json::to_string_pretty(&settings).unwrap();
        self.world.sandbox.user_settings(&text);
        self
    }

    /// The model says something, for this many tokens.
    pub(crate) fn says(self, text: &str) -> Self {
        self.answers_with(&json!([{ "text": text }]))
    }

    /// The model calls tools in parallel.
    pub(crate) fn calls(self, calls: &[(&str, Value)]) -> Self {
        let parts = calls.iter().map(|(tool, arguments)| {
            json!({ "functionCall": { "id": format!("id-of-{tool}"), "name": tool,
                "args": arguments } })
        });
        self.answers_with(&parts.collect())
    }

    fn answers_with(mut self, parts: &Value) -> Self {
        self.answers
            .push(json!({ "method": "generateContentStream", "response": [{
            "candidates": [{ "content": { "role": "model", "parts": parts },
                "finishReason": "STOP", "index": 0 }],
            "usageMetadata": { "promptTokenCount": 11, "candidatesTokenCount": 7 },
        }] }));
        self
    }

    /// Writes the model's answers, and returns their file.
    pub(crate) fn script(&self) -> PathBuf {
        let lines = self.answers.iter().map(|answer| format!("{answer}\n"));
        let file = self.world.sandbox.root().join("answers.jsonl");
        fs::write(&file, lines.collect::<String>()).unwrap();
        file
    }

    /// Runs a headless session.
    pub(crate) fn run(&self, variables: &[(&str, &str)]) -> Finished {
        let script = self.script();
        let script = script.to_str().unwrap();
        let arguments = ["--yolo", "--fake-responses", script, "-p", "my-prompt"];
        self.world.run_with(&arguments, variables, "")
    }

    /// Runs a headless session, which must succeed without complaints.
    pub(crate) fn runs_well(&self, variables: &[(&str, &str)]) -> Finished {
        let finished = self.run(variables);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(!finished.stderr.contains("span"), "{}", finished.stderr);
        finished
    }

    /// The command of a hook that records what it reads, below which span, and then does more.
    pub(crate) fn noting(&self, more: &str) -> String {
        let script = format!(
            "#!/bin/sh\ninput=$(cat)\n\
             printf '%s %s\\n' \"${{TRACEPARENT-none}}\" \"$input\" >> \"$GEMINI_PROJECT_DIR/noted\"\n\
             {more}\n"
        );
        let number = fs::read_dir(self.world.project()).unwrap().count();
        let path = self.world.sandbox.script(format!("note-{number}"), &script);
        path.to_str().unwrap().to_owned()
    }

    /// What hooks recorded: the trace's parent, and the payload.
    pub(crate) fn noted(&self) -> Vec<(String, Value)> {
        let text = fs::read_to_string(self.world.project().join("noted")).unwrap();
        let lines = text.lines().map(|line| {
            let (parent, payload) = line.split_once(' ').unwrap();
            (parent.to_owned(), serde_json::from_str(payload).unwrap())
        });
        lines.collect()
    }
}

/// A named hook.
pub(crate) fn hook(name: &str, command: &str) -> Value {
    json!({ "type": "command", "name": name, "command": command })
}

/// The hooks of one event.
pub(crate) fn of(hooks: &[Value]) -> Value {
    json!([{ "hooks": hooks }])
}
