//! How a session reports a response that isn't complete, whichever service gave it (LO-3): half a
//! response never counts as success.

use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_testkit::{Sandbox, wait_until};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use crate::terminal::Session;
use crate::world::{hookloop, run};

/// A protocol, with its words for the ends of a response.
struct Protocol {
    name: &'static str,
    variables: fn(&str) -> Vec<(&'static str, String)>,
    settings: &'static str,
    whole: &'static str,
    bound: &'static str,
    answer: fn(Option<&str>) -> Vec<Value>,
}

const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        name: "gemini",
        variables: |url| {
            vec![
                ("GEMINI_API_KEY", "key".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
            ]
        },
        settings: "{}",
        whole: "STOP",
        bound: "MAX_TOKENS",
        answer: |word| {
            let content = json!({"role": "model", "parts": [{"text": "tok-said"}]});
            vec![json!({"candidates": [{"content": content, "finishReason": word}]})]
        },
    },
    Protocol {
        name: "chat completions",
        variables: |url| vec![("OPENAI_BASE_URL", format!("{url}/v1"))],
        settings: "{}",
        whole: "stop",
        bound: "length",
        answer: |word| {
            let text = json!({"choices": [{"index": 0, "delta": {"content": "tok-said"}}]});
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]});
            vec![text, end, json!("[DONE]")]
        },
    },
    Protocol {
        name: "responses",
        variables: |url| vec![("OPENAI_BASE_URL", format!("{url}/v1"))],
        settings: r#"{"openai": {"api": "responses"}}"#,
        whole: "completed",
        bound: "max_output_tokens",
        answer: |word| {
            let text = json!({"type": "response.output_text.delta", "delta": "tok-said"});
            let end = |kind: &str, response: Value| json!({"type": kind, "response": response});
            match word {
                None => vec![text],
                Some("completed") => vec![
                    text,
                    end(
                        "response.completed",
                        json!({"status": "completed", "output": []}),
                    ),
                ],
                Some(word) => vec![
                    text,
                    end(
                        "response.incomplete",
                        json!({"status": "incomplete", "incomplete_details": {"reason": word}}),
                    ),
                ],
            }
        },
    },
    Protocol {
        name: "anthropic",
        variables: |url| {
            vec![
                ("ANTHROPIC_API_KEY", "key".to_owned()),
                ("ANTHROPIC_BASE_URL", url.to_owned()),
            ]
        },
        settings: "{}",
        whole: "end_turn",
        bound: "max_tokens",
        answer: |word| {
            let delta = json!({"type": "text_delta", "text": "tok-said"});
            vec![
                json!({"type": "message_start", "message": {"model": "claude"}}),
                json!({"type": "content_block_start", "index": 0,
                    "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": delta}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": word}}),
                json!({"type": "message_stop"}),
            ]
        },
    },
];

impl Protocol {
    /// Builds a response that ends with a word of the service, or with none.
    fn reply(&self, word: Option<&str>) -> Reply {
        let events = (self.answer)(word);
        let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
        let events: Vec<String> = events.iter().map(text).collect();
        Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the ends to try, with what is reported about each; nothing for a complete response.
    const fn ends(&self) -> [(Option<&'static str>, Option<&'static str>); 4] {
        [
            (Some(self.whole), None),
            (Some(self.bound), Some("MAX_TOKENS")),
            (Some("of_tomorrow"), Some("of_tomorrow")),
            (None, Some("no finish reason")),
        ]
    }

    fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.user_settings(self.settings);
        sandbox
    }
}

/// LO-3, AG-CLI-4, AG-CLI-5: headless, a complete response exits with 0 and has no error; any other
/// one exits with 1, and the error says how it ended. What was said is there in both cases, in
/// every output format.
#[test]
fn headless_programs_are_told_of_every_end() {
    for protocol in PROTOCOLS {
        for (word, told) in protocol.ends() {
            for format in ["text", "json", "stream-json"] {
                let case = format!("{} {word:?} {format}", protocol.name);
                // If it was cut, the model is asked again.
                let server = ModelServer::start(vec![protocol.reply(word); 4]);
                let sandbox = protocol.sandbox();
                let mut command = hookloop(&sandbox, &["-o", format, "-p", "hi"]);
                command.envs((protocol.variables)(&server.url()));
                let finished = run(command);
                let code = i32::from(told.is_some());
                assert_eq!(finished.code, Some(code), "{case}: {}", finished.stderr);
                assert!(
                    finished.stdout.contains("tok-said"),
                    "{case}: {}",
                    finished.stdout
                );
                let requests = if word.is_none() { 4 } else { 1 };
                assert_eq!(server.requests().len(), requests, "{case}");
                let error = match format {
                    "text" => finished.stderr.clone(),
                    "json" => {
                        let object: Value = serde_json::from_str(&finished.stdout).unwrap();
                        assert_eq!(object.get("error").is_some(), told.is_some(), "{case}");
                        object["error"].to_string()
                    }
                    _ => finished.stdout.clone(),
                };
                assert!(error.contains(told.unwrap_or_default()), "{case}: {error}");
            }
        }
    }
}

/// LO-3, TU-1: on the screen, a response that isn't complete is followed by an error that says how
/// it ended, and the session continues.
#[test]
fn the_screen_says_how_an_answer_ended() {
    for protocol in PROTOCOLS {
        let cut = protocol.reply(None);
        let server = ModelServer::start([
            protocol.reply(Some("of_tomorrow")),
            protocol.reply(Some(protocol.bound)),
            cut.clone(),
            cut.clone(),
            cut.clone(),
            cut,
            protocol.reply(Some(protocol.whole)),
        ]);
        let sandbox = protocol.sandbox();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
        command.env_clear();
        for (name, value) in sandbox.variables() {
            command.env(name, value);
        }
        for (name, value) in (protocol.variables)(&server.url()) {
            command.env(name, value);
        }
        let system = sandbox.root().join("system.json");
        command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
        command.env("TERM", "xterm-256color");
        command.cwd(sandbox.project());
        let mut session = Session::start(command, 120);
        session.sends("one");
        session.sees("early (of_tomorrow)");
        session.sends("two");
        session.sees("early (MAX_TOKENS)");
        session.sends("three");
        session.sees("no finish reason");
        session.is_at_prompt();
        let errors = |rows: &[String]| rows.iter().filter(|row| row.contains("Error")).count();
        let before = errors(&session.rows());
        session.sends("four");
        wait_until("the last request", || server.requests().len() == 7);
        session.is_at_prompt();
        assert_eq!(
            errors(&session.rows()),
            before,
            "{}",
            session.rows().join("\n")
        );
    }
}
