//! The agents that are known to run offline, and how: their files, arguments and environment.
//!
//! All of it was observed with the listed versions, without an account and without a network.
//! Proprietary agents are test clients that a person installs; nothing of them is included here.

mod environments;
mod files;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::{ToolCall, ToolInput};

/// Where an agent runs: separate folders, and the model service that it uses.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The home folder that the agent sees.
    pub home: PathBuf,
    /// The folder that it works in.
    pub project: PathBuf,
    /// The address of the model service, without a path.
    pub model: String,
}

/// An agent and how it is run for one turn, without a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its name as `hookloop bridge install` takes it.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its name for `hookloop bridge install`.
    pub package: &'static str,
    /// The version that was observed.
    pub version: &'static str,
    /// The program's name on the `PATH`.
    pub program: &'static str,
    /// The path of the program in the package's folder.
    pub path: &'static str,
    /// How long a turn may take before it counts as hanging.
    pub patience: Duration,
    /// Creates the arguments of its shell tool for a shell command.
    shell: fn(&str) -> ToolCall,
    files: fn(&Stage) -> Vec<File>,
    environment: fn(&Stage) -> Vec<Variable>,
    arguments: fn(&str) -> Vec<String>,
    /// The arguments of a run that has to precede the first turn, if any.
    preparation: Option<fn(&Stage) -> Vec<String>>,
}

/// A file that an agent needs to run offline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

/// A variable of an agent's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The time limit for a turn of most agents.
const TURN_TIMEOUT: Duration = Duration::from_secs(90);

/// The time limit for slow ones.
const LONG_TURN_TIMEOUT: Duration = Duration::from_mins(4);

/// The agents, starting with those whose turns gate a change.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        package: "@anthropic-ai/claude-code",
        version: "2.1.332",
        program: "claude",
        path: "bin/claude.exe",
        patience: TURN_TIMEOUT,
        shell: |command| {
            ToolCall::new("Bash", json!({"command": command, "description": "A step"}))
        },
        files: |_| Vec::new(),
        environment: environments::claude_code,
        arguments: |prompt| {
            let mut arguments = words("-p");
            arguments.push(prompt.to_owned());
            arguments.extend(words(
                "--model claude-sonnet-4-5 --allowedTools Bash Write Read Edit",
            ));
            arguments
        },
        preparation: None,
    },
    Agent {
        name: "codex",
        title: "Codex CLI",
        package: "@openai/codex",
        version: "0.171.0",
        program: "codex",
        path: "bin/codex.js",
        patience: TURN_TIMEOUT,
        shell: |command| ToolCall::new("exec_command", json!({"cmd": command})),
        files: files::codex,
        environment: environments::codex,
        arguments: |prompt| {
            let flags = "exec --skip-git-repo-check --dangerously-bypass-hook-trust";
            with_prompt(flags, prompt)
        },
        preparation: None,
    },
    Agent {
        name: "goose",
        title: "goose",
        package: "@aaif/goose-binary-linux-x64",
        version: "1.52.0",
        program: "goose",
        path: "bin/goose",
        patience: TURN_TIMEOUT,
        shell: |command| ToolCall::new("shell", json!({"command": command})),
        files: |_| Vec::new(),
        environment: environments::goose,
        arguments: |prompt| {
            let mut arguments = with_prompt("run --name rehearsal -t", prompt);
            arguments.extend(words("--with-builtin developer"));
            arguments
        },
        preparation: None,
    },
    Agent {
        name: "copilot",
        title: "Copilot CLI",
        package: "@github/copilot",
        version: "1.0.102",
        program: "copilot",
        path: "npm-loader.js",
        patience: LONG_TURN_TIMEOUT,
        shell: |command| {
            let wait = json!({"command": command, "description": "A step", "initial_wait": 10});
            ToolCall::new("bash", wait)
        },
        files: |_| Vec::new(),
        environment: environments::copilot,
        arguments: |prompt| {
            let mut arguments = with_prompt("-p", prompt);
            arguments.push("--allow-all-tools".to_owned());
            arguments
        },
        preparation: None,
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: "qwen",
        path: "cli-entry.js",
        patience: TURN_TIMEOUT,
        shell: |command| {
            let arguments = json!({"command": command, "is_background": false});
            ToolCall::new("run_shell_command", arguments)
        },
        files: files::qwen,
        environment: environments::qwen,
        arguments: |prompt| {
            let mut arguments = with_prompt("-p", prompt);
            arguments.push("--yolo".to_owned());
            arguments
        },
        preparation: None,
    },
    Agent {
        name: "kimi",
        title: "Kimi Code",
        package: "@moonshot-ai/kimi-code",
        version: "2.1.0",
        program: "kimi",
        path: "dist/main.mjs",
        patience: TURN_TIMEOUT,
        shell: |command| ToolCall::new("Bash", json!({"command": command})),
        files: files::kimi,
        environment: |_| Vec::new(),
        arguments: |prompt| with_prompt("-p", prompt),
        preparation: None,
    },
    Agent {
        name: "opencode",
        title: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode",
        path: "bin/opencode.exe",
        patience: LONG_TURN_TIMEOUT,
        shell: |command| {
            ToolCall::new("bash", json!({"command": command, "description": "A step"}))
        },
        files: files::opencode,
        environment: environments::opencode,
        arguments: |prompt| with_prompt("run", prompt),
        preparation: None,
    },
    Agent {
        name: "droid",
        title: "Factory Droid",
        package: "droid",
        version: "0.215.0",
        program: "droid",
        path: "bin/droid",
        patience: TURN_TIMEOUT,
        shell: |command| {
            let arguments = json!({
                "command": command, "summary": "A step", "timeout": 60,
                "riskLevel": "low", "riskLevelReason": "It is harmless",
            });
            ToolCall::new("Execute", arguments)
        },
        files: files::droid,
        environment: environments::droid,
        arguments: |prompt| with_prompt("exec --auto high -m custom:fake-0", prompt),
        preparation: None,
    },
    Agent {
        name: "cline",
        title: "Cline CLI",
        package: "cline",
        version: "3.0.65",
        program: "cline",
        path: "bin/cline",
        patience: LONG_TURN_TIMEOUT,
        shell: |command| ToolCall::new("run_commands", json!({"commands": [command]})),
        files: |_| Vec::new(),
        environment: |_| Vec::new(),
        arguments: |prompt| with_prompt("--json", prompt),
        preparation: Some(|stage| {
            words(&format!(
                "auth -p openai-compatible -k x -b {}/v1 -m fake",
                stage.model
            ))
        }),
    },
    Agent {
        name: "gemini-cli",
        title: "Gemini CLI",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        path: "bundle/gemini.js",
        patience: TURN_TIMEOUT,
        shell: |command| ToolCall::new("run_shell_command", json!({"command": command})),
        files: files::gemini_cli,
        environment: environments::gemini_cli,
        arguments: |prompt| {
            let mut arguments = with_prompt("-p", prompt);
            // Without a model's name it asks another model first which one to take.
            arguments.extend(words("--yolo -m gemini-2.5-flash"));
            arguments
        },
        preparation: None,
    },
];

impl Agent {
    /// Finds an agent by its name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// Returns the call with which its model runs a shell command.
    pub fn shell(&self, command: &str) -> ToolCall {
        (self.shell)(command)
    }

    /// Returns the files that have to exist before it starts.
    pub fn files(&self, stage: &Stage) -> Vec<File> {
        (self.files)(stage)
    }

    /// Returns the variables of its environment besides `HOME` and `PATH`.
    pub fn environment(&self, stage: &Stage) -> Vec<Variable> {
        (self.environment)(stage)
    }

    /// Returns the arguments of one turn with a prompt.
    pub fn arguments(&self, prompt: &str) -> Vec<String> {
        (self.arguments)(prompt)
    }

    /// Returns the arguments of a run that has to precede the first turn.
    pub fn preparation(&self, stage: &Stage) -> Option<Vec<String>> {
        self.preparation.map(|preparation| preparation(stage))
    }
}

impl Stage {
    /// Returns the address of the model service in the form for clients of `OpenAI`'s protocols.
    fn versioned(&self) -> String {
        format!("{}/v1", self.model)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn with_prompt(before: &str, prompt: &str) -> Vec<String> {
    let mut arguments = words(before);
    arguments.push(prompt.to_owned());
    arguments
}

/// Builds the call with which Codex's model edits files with its own tool.
pub fn patch(text: impl Into<String>) -> ToolCall {
    ToolCall {
        name: "apply_patch".to_owned(),
        input: ToolInput::Text(text.into()),
        namespace: None,
    }
}

fn file(path: &Path, text: impl Into<String>) -> File {
    File {
        path: path.to_owned(),
        text: text.into(),
    }
}
