//! A person with hooks, and an agent that calls.

use std::path::PathBuf;
use std::process::Command;

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
}

impl World {
    /// A world in which the person has one hook for an event.
    pub(crate) fn with_hook(event: &str, command: &str) -> Self {
        let world = Self::new();
        world.settings(&json!({"hooks": {event: [{"hooks": [
            {"type": "command", "name": "mine", "command": command}
        ]}]}}));
        world
    }

    pub(crate) fn new() -> Self {
        Self {
            sandbox: Sandbox::new(),
        }
    }

    pub(crate) fn settings(&self, settings: &Value) {
        self.sandbox.user_settings(&settings.to_string());
    }

    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.sandbox.run(&mut self.program(arguments), b"")
    }

    /// Calls the bridge as an agent does.
    pub(crate) fn call(&self, agent: &str, event: &str, payload: &Value) -> Finished {
        self.call_with(
            &["hooks", "bridge", agent, event],
            payload.to_string().as_bytes(),
        )
    }

    pub(crate) fn call_with(&self, arguments: &[&str], input: &[u8]) -> Finished {
        self.sandbox.run(&mut self.program(arguments), input)
    }

    /// Calls before a shell command of Claude Code.
    pub(crate) fn before_shell(&self, command: &str) -> Finished {
        let payload = json!({
            "session_id": "s", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": "t"
        });
        self.call("claude-code", "PreToolUse", &payload)
    }

    /// Makes Kimi report events, and expects how often hooks had judged the end of a turn after
    /// each: a hook writes a line to `ends` for it.
    pub(crate) fn kimi_ends<const COUNT: usize>(&self, events: [(&str, usize); COUNT]) {
        let payload = json!({"session_id": "s", "prompt": "do", "agent_name": "coder"});
        for (event, ends) in events {
            assert_eq!(self.call("kimi", event, &payload).code, Some(0));
            assert_eq!(self.read("ends").lines().count(), ends, "{event}");
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.sandbox.root().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap_or_default()
    }
}
