//! The content of a `case.json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Fields by JSON pointer, each with its expected value.
pub(crate) type Fields = Map<String, Value>;

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// The statement, as a sentence.
    pub(crate) title: String,
    /// The ids that are violated when this case fails.
    pub(crate) proves: Vec<String>,
    #[serde(default)]
    pub(crate) setup: Setup,
    /// What happened before.
    #[serde(default)]
    pub(crate) first: Vec<Step>,
    /// What the case is about.
    pub(crate) run: Step,
    pub(crate) expect: Expect,
}

impl Case {
    /// Returns whether an agent runs in it.
    pub(crate) fn runs_agent(&self) -> bool {
        let mut steps = self.first.iter().chain([&self.run]);
        steps.any(|step| matches!(step, Step::Agent(_)))
    }
}

/// What exists before anything runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Setup {
    /// Settings of the three layers: an object, or the text of the file.
    pub(crate) project: Option<Value>,
    pub(crate) user: Option<Value>,
    pub(crate) system: Option<Value>,
    /// The hooks' programs, in `hooks/` of the project.
    pub(crate) hooks: BTreeMap<String, HookScript>,
    /// Files of the project; `~/` begins those of the home folder.
    pub(crate) files: BTreeMap<String, Text>,
    /// Components of WebAssembly by their files, each with what it does.
    pub(crate) components: BTreeMap<String, Value>,
    pub(crate) env: BTreeMap<String, String>,
    /// The folder that the program starts in, from the project's root.
    pub(crate) cwd: String,
    /// The name of the project's folder.
    pub(crate) project_name: String,
    /// Whether the workspace is trusted for the run, as with `--skip-trust`.
    pub(crate) trusted: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            project: None,
            user: None,
            system: None,
            hooks: BTreeMap::new(),
            files: BTreeMap::new(),
            components: BTreeMap::new(),
            env: BTreeMap::new(),
            cwd: ".".to_owned(),
            project_name: "project".to_owned(),
            trusted: true,
        }
    }
}

/// A text, or its lines.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Text {
    Whole(String),
    Lines(Vec<String>),
}

impl Text {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Lines(lines) => joined(lines.iter().map(String::as_str)),
        }
    }
}

/// Joins lines, each with its end.
pub(crate) fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A hook's program: one that records what it read and answers, or the program itself.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum HookScript {
    Program(Text),
    Answering(Box<Answering>),
}

/// A hook that records its input, and then acts as specified.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Answering {
    /// Lines of bash that run first; `$INPUT` is what was read, `$RUN` counts from 1.
    pub(crate) before: Vec<String>,
    /// The object that is written to standard output.
    pub(crate) reply: Option<Value>,
    /// One object for each run; none for later runs.
    pub(crate) replies: Option<Vec<Value>>,
    pub(crate) stdout: Option<Text>,
    pub(crate) stderr: Option<Text>,
    pub(crate) exit: u8,
}

/// One run of a program.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Step {
    /// The agent, headless.
    Agent(Box<AgentRun>),
    /// `hookloop hooks …`.
    Hooks(Vec<String>),
    /// `hookloop …`.
    Hookloop(Vec<String>),
    /// A line for bash, in the project.
    Shell(String),
}

/// A headless run of the agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AgentRun {
    pub(crate) prompt: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: String,
    /// What the scripted model answers, one element for each call.
    pub(crate) model: Option<Vec<Value>>,
    /// A signal that is sent once a file of the project exists.
    pub(crate) signal: Option<SignalAt>,
}

impl Default for AgentRun {
    fn default() -> Self {
        Self {
            prompt: Some("Do it.".to_owned()),
            args: Vec::new(),
            stdin: String::new(),
            model: Some(Vec::new()),
            signal: None,
        }
    }
}

/// Which signal is sent, and when.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalAt {
    pub(crate) name: String,
    pub(crate) once_exists: String,
}

/// The expected result.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expect {
    /// The exit code.
    pub(crate) exit: i32,
    /// Set if the program ends by a signal or any code is accepted.
    pub(crate) any_exit: bool,
    pub(crate) stdout: Streams,
    pub(crate) stderr: Streams,
    /// Fields of the one object on standard output.
    pub(crate) json: Fields,
    /// Lines on standard output that are found in this order.
    pub(crate) lines: Vec<Fields>,
    /// Files, by the rules of `setup.files`: their text, `null` if absent, or a matcher.
    pub(crate) files: Map<String, Value>,
    /// For each hook what it read in each of its runs.
    pub(crate) hook_inputs: BTreeMap<String, Vec<Fields>>,
    /// The hooks' names in the order in which they began.
    pub(crate) order: Option<Vec<String>>,
    /// What was sent to the model, for each request.
    pub(crate) requests: Option<Vec<Fields>>,
    /// Records that are in the telemetry, in any order.
    pub(crate) telemetry: Vec<Fields>,
    /// How many records of a kind there are.
    pub(crate) telemetry_counts: BTreeMap<String, usize>,
    /// Texts that are nowhere in the telemetry.
    pub(crate) telemetry_lacks: Vec<String>,
    pub(crate) transcript: Streams,
    /// Files with the ids of processes that must be gone.
    pub(crate) gone: Vec<String>,
    /// Files with the ids of processes that must be running.
    pub(crate) alive: Vec<String>,
    pub(crate) took: Took,
}

/// What a text contains.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Streams {
    pub(crate) is: Option<String>,
    pub(crate) contains: Vec<String>,
    pub(crate) lacks: Vec<String>,
    /// Texts that are found in this order.
    pub(crate) in_order: Vec<String>,
    /// How often a text is found.
    pub(crate) counts: BTreeMap<String, usize>,
}

/// How long the run may take.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Took {
    pub(crate) under_ms: Option<u64>,
    pub(crate) over_ms: Option<u64>,
}
