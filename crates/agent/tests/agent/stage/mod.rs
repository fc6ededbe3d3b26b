//! A session whose model, hooks, tools and user do what a test specifies, and that remembers
//! everything that left it.

mod hooks;
mod model;
mod screen;
mod seen;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookloop_agent::{
    CompressionThreshold, Contents, Limits, LiveOutput, Parts, Policy, Session, StartContext,
    Telemetry, TelemetryObserver, Transcript, TurnEnd, read_transcript,
};
use hookloop_engine::events::{EndReason, SessionIdentity};
use hookloop_engine::{Hooks, Lifecycle, Observer};
use hookloop_model::Content;
use hookloop_tools::{Tool, Toolbox};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) use hooks::{
    Act, Fired, HookBook, adds, asks, chains, denies, hook, rewrites, says, stops,
};
pub(crate) use model::{
    Answer, ScriptedModel, call, calls, chunk, numbered, text, thought, unfinished,
};
pub(crate) use screen::{Screen, Shown};
pub(crate) use tools::StubTool;

/// Something that left the session, or reached something outside of it, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A hook was executed.
    Hook(Fired),
    /// The model was called: the texts and results that it got.
    Asked(String),
    /// A tool ran, with these arguments.
    Ran(String, Value),
    /// The user was asked about a tool, with these arguments.
    Confirmed(String, Value),
    /// The user said something.
    Prompted,
    /// A hook refused a request to the model.
    Refused,
}

/// The order of events, which everything outside of the session writes to.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Step>>>);

impl Log {
    pub(crate) fn push(&self, step: Step) {
        self.0.lock().unwrap().push(step);
    }

    pub(crate) fn steps(&self) -> Vec<Step> {
        self.0.lock().unwrap().clone()
    }

    /// Returns what hooks of an event read, in order.
    pub(crate) fn read_by(&self, event: &str) -> Vec<Value> {
        let read = self.steps().into_iter().filter_map(|step| match step {
            Step::Hook(fired) if fired.event == event => Some(fired.input),
            _ => None,
        });
        read.collect()
    }
}

/// The events of a turn, in the order in which they first happen.
pub(crate) const TURN: [&str; 7] = [
    "BeforeAgent",
    "BeforeModel",
    "BeforeToolSelection",
    "AfterModel",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
];

/// What a test specifies.
pub(crate) struct Plot {
    pub(crate) hooks: HookBook,
    pub(crate) answers: Vec<Answer>,
    pub(crate) tools: Vec<StubTool>,
    pub(crate) other_tools: Vec<Arc<dyn Tool>>,
    pub(crate) screen: Screen,
    pub(crate) policy: Policy,
    pub(crate) limits: Limits,
    pub(crate) compression: CompressionThreshold,
    pub(crate) live_output: LiveOutput,
    pub(crate) start_context: StartContext,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) log: Log,
    pub(crate) cancel: CancellationToken,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            hooks: HookBook::default(),
            answers: Vec::new(),
            tools: Vec::new(),
            other_tools: Vec::new(),
            screen: Screen::default(),
            policy: Policy::default(),
            limits: Limits::default(),
            compression: CompressionThreshold::Tokens(u64::MAX),
            live_output: LiveOutput::Shown,
            start_context: StartContext::BeforePrompt,
            folder: None,
            log: Log::default(),
            cancel: CancellationToken::new(),
        }
    }
}

impl Plot {
    /// Begins with what the model answers.
    pub(crate) fn of(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
            ..Self::default()
        }
    }

    pub(crate) fn hook(mut self, event: &str, name: &str, act: Act) -> Self {
        self.hooks.add(hook(event, name), act);
        self
    }

    /// Adds an `AfterModel` hook that holds back incomplete lines (AM-6).
    pub(crate) fn line_hook(mut self, name: &str, act: Act) -> Self {
        let mut declared = hook("AfterModel", name);
        declared.hold_back = Some(hookloop_hook::HoldBack::Line);
        self.hooks.add(declared, act);
        self
    }

    pub(crate) fn tool(mut self, tool: StubTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Creates the session, and starts it.
    pub(crate) async fn stage(self) -> Stage {
        let log = self.log;
        let kept = self.folder.is_none().then(|| tempfile::tempdir().unwrap());
        let own = kept.as_ref().map(|it| it.path().to_owned());
        let folder = self.folder.or(own).unwrap();
        let transcript_path = folder.join("transcript.jsonl");
        let telemetry_path = folder.join("telemetry.jsonl");
        let telemetry = Telemetry::append_to(&telemetry_path, Contents::Recorded).unwrap();
        let telemetry = Arc::new(telemetry);
        let observed = Arc::new(Observed::default());
        let observers = Observers(vec![
            Arc::clone(&observed) as Arc<dyn Observer>,
            Arc::new(TelemetryObserver(Arc::clone(&telemetry))),
        ]);
        let hooks = Hooks::builder()
            .registry(self.hooks.registry())
            .executor(self.hooks.executor(log.clone()))
            .observer(Arc::new(observers))
            .build();
        let identity = SessionIdentity {
            session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
            transcript_path: transcript_path.clone(),
            cwd: PathBuf::from("/project"),
            agent: None,
        };
        let model = Arc::new(ScriptedModel::new(self.answers, log.clone()));
        let screen = Arc::new(self.screen.with_log(log.clone()));
        let cancel = self.cancel;
        let tools = self.tools.into_iter().map(|tool| {
            let tool: Arc<dyn Tool> = Arc::new(tool.on_stage(log.clone(), cancel.clone()));
            tool
        });
        let parts = Parts {
            hooks: hooks.session(identity),
            model: Arc::clone(&model) as _,
            model_name: "gemini-2.5-pro".to_owned(),
            models: Arc::default(),
            system_instruction: Some("Be kind.".to_owned()),
            toolbox: Toolbox::default()
                .with_extra(tools)
                .with_extra(self.other_tools),
            policy: self.policy,
            frontend: Arc::clone(&screen) as _,
            telemetry,
            transcript: Transcript::open(transcript_path.clone()).unwrap(),
            limits: self.limits,
            compression: self.compression,
            live_output: self.live_output,
            start_context: self.start_context,
        };
        let session = Session::start(parts, Path::new("/project")).await;
        Stage {
            session,
            cancel,
            log,
            screen,
            model,
            observed,
            transcript_path,
            telemetry_path,
            _folder: kept,
        }
    }

    /// Runs one turn for the prompt "go".
    pub(crate) async fn play(self) -> Played {
        let mut stage = self.stage().await;
        let end = stage.prompt("go").await;
        Played { stage, end }
    }
}

/// Everything that happened to hooks.
#[derive(Default)]
pub(crate) struct Observed(Mutex<Vec<Lifecycle>>);

impl Observer for Observed {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        self.0.lock().unwrap().push(lifecycle.clone());
    }
}

struct Observers(Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn observe(&self, session: &SessionIdentity, lifecycle: &Lifecycle) {
        self.0.iter().for_each(|it| it.observe(session, lifecycle));
    }
}

/// A running session.
pub(crate) struct Stage {
    pub(crate) session: Session,
    pub(crate) cancel: CancellationToken,
    pub(crate) log: Log,
    pub(crate) screen: Arc<Screen>,
    pub(crate) model: Arc<ScriptedModel>,
    observed: Arc<Observed>,
    transcript_path: PathBuf,
    telemetry_path: PathBuf,
    _folder: Option<TempDir>,
}

/// A session after a turn.
pub(crate) struct Played {
    pub(crate) stage: Stage,
    pub(crate) end: TurnEnd,
}

impl Stage {
    pub(crate) async fn prompt(&mut self, prompt: &str) -> TurnEnd {
        let cancel = self.cancel.clone();
        self.session.prompt(prompt, cancel).await
    }

    pub(crate) async fn compress(&mut self) -> TurnEnd {
        let cancel = self.cancel.clone();
        self.session.compress(cancel).await
    }

    /// Ends the session, so that the hooks of its end have run.
    pub(crate) async fn end(self) {
        self.session.end(EndReason::Exit).await;
    }

    pub(crate) fn observed(&self) -> Vec<Lifecycle> {
        self.observed.0.lock().unwrap().clone()
    }

    /// Returns the names of the events whose hooks were executed, in order.
    pub(crate) fn fired(&self) -> Vec<String> {
        let steps = self.log.steps().into_iter();
        let fired = steps.filter_map(|step| match step {
            Step::Hook(fired) => Some(fired.event),
            _ => None,
        });
        fired.collect()
    }

    /// Returns what hooks of an event read, in order.
    pub(crate) fn read_by(&self, event: &str) -> Vec<Value> {
        self.log.read_by(event)
    }

    /// Returns the tools that ran, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        let steps = self.log.steps().into_iter();
        let ran = steps.filter_map(|step| match step {
            Step::Ran(tool, _) => Some(tool),
            _ => None,
        });
        ran.collect()
    }

    pub(crate) fn history(&self) -> Vec<Content> {
        self.session
            .history()
            .iter()
            .map(|it| (**it).clone())
            .collect()
    }

    /// Returns what the history says, one line per content: `user: go`, `model: hi`,
    /// `model calls glob`, `glob says error: …`.
    pub(crate) fn history_lines(&self) -> Vec<String> {
        self.session
            .history()
            .iter()
            .map(|it| describe_content(it))
            .collect()
    }

    /// Returns what a resumed session would continue with.
    pub(crate) fn resumed(&self) -> Vec<Content> {
        let stored = read_transcript(&self.transcript_path).unwrap();
        stored.history.iter().map(|it| (**it).clone()).collect()
    }

    pub(crate) fn transcript(&self) -> String {
        std::fs::read_to_string(&self.transcript_path).unwrap()
    }

    pub(crate) fn telemetry(&self) -> String {
        std::fs::read_to_string(&self.telemetry_path).unwrap()
    }

    /// Returns the telemetry of an event.
    pub(crate) fn telemetry_of(&self, event: &str) -> Vec<Value> {
        let lines = self.telemetry();
        let lines = lines.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["attributes"].clone()
        });
        let name = format!("gemini_cli.{event}");
        lines
            .filter(|it| it["event.name"] == name.as_str())
            .collect()
    }
}

/// Returns what a content says.
pub(crate) fn describe_content(content: &Content) -> String {
    let mut said = Vec::new();
    let text = content.visible_text();
    let who = String::from(content.role.clone());
    if !text.is_empty() {
        said.push(format!("{who}: {text}"));
    }
    said.extend(
        content
            .function_calls()
            .map(|call| format!("{who} calls {}", call.name)),
    );
    said.extend(content.function_responses().map(|response| {
        let (kind, value) = response.response.iter().next().unwrap();
        format!("{} says {kind}: {}", response.name, value.as_str().unwrap())
    }));
    said.join("; ")
}
