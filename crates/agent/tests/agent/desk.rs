//! Sessions that follow each other: they share hooks, tools, model, screen and telemetry, as those
//! of one process do, and each has its own transcript. All their records can be examined, including
//! spans.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookloop_agent::{
    Contents, Parts, Session, Telemetry, TelemetryObserver, Transcript, TurnEnd, read_transcript,
};
use hookloop_engine::events::SessionIdentity;
use hookloop_engine::{
    BoxFuture, Completion, Executor, Hooks, Invocation, SessionHooks, Span, SpanEnd, SpanStart,
    SpanValue,
};
use hookloop_model::{
    Chunk, ChunkStream, ClearedRequest, Content, ModelClient, ModelError, NativeTool,
};
use hookloop_tools::{Tool, Toolbox};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::stage::{Answer, Log, Plot, Screen, ScriptedModel, chunk, describe_content};

/// The id of the session that a desk begins with.
pub(crate) const FIRST: &str = "11111111-1111-4111-8111-111111111111";
/// The id of the next one.
pub(crate) const SECOND: &str = "22222222-2222-4222-8222-222222222222";

const ROOT: &str = "/project";

/// Lets other tasks run before a hook runs, as starting a program does.
struct Unhurried<E>(E);

impl<E: Executor> Executor for Unhurried<E> {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            for _ in 0..16 {
                tokio::task::yield_now().await;
            }
            self.0.execute(invocation).await
        })
    }
}

/// Observes the model's instruction, in addition to its requests.
struct Overheard {
    model: Arc<ScriptedModel>,
    told: Instructions,
}

/// The model's instruction, request by request.
pub(crate) type Instructions = Arc<Mutex<Vec<String>>>;

impl Overheard {
    fn note(&self, request: &ClearedRequest) {
        let sent = request.system_instruction.as_ref();
        let sent = sent.map(|it| it.visible_text()).unwrap_or_default();
        self.told.lock().unwrap().push(sent);
    }
}

impl ModelClient for Overheard {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        self.note(request);
        self.model.stream(request, cancel)
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        self.note(request);
        self.model.generate(request, cancel)
    }

    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool {
        self.model.has_native_tool(model, tool)
    }
}

/// What sessions share.
pub(crate) struct Desk {
    hooks: Hooks,
    plot: Plot,
    tools: Vec<Arc<dyn Tool>>,
    telemetry: Arc<Telemetry>,
    folder: TempDir,
    pub(crate) log: Log,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) instructions: Instructions,
    pub(crate) screen: Arc<Screen>,
    pub(crate) spans: Arc<Spans>,
    pub(crate) cancel: CancellationToken,
}

impl Desk {
    pub(crate) fn of(plot: Plot) -> Self {
        Self::telling(plot, Contents::Recorded)
    }

    /// Sets whether telemetry includes contents.
    pub(crate) fn telling(mut plot: Plot, contents: Contents) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let telemetry = Telemetry::append_to(&folder.path().join("telemetry"), contents).unwrap();
        let telemetry = Arc::new(telemetry);
        let (log, cancel) = (plot.log.clone(), plot.cancel.clone());
        let spans = Arc::new(Spans::default());
        let hooks = Hooks::builder()
            .registry(plot.hooks.registry())
            .executor(Unhurried(plot.hooks.executor(log.clone())))
            .observer(Arc::new(TelemetryObserver(Arc::clone(&telemetry))))
            .trace(Arc::new(Node::root(&spans)))
            .build();
        let own = plot.tools.drain(..).map(|tool| {
            let tool: Arc<dyn Tool> = Arc::new(tool.on_stage(log.clone(), cancel.clone()));
            tool
        });
        let tools = own.chain(plot.other_tools.clone()).collect();
        let answers = std::mem::take(&mut plot.answers);
        let model = Arc::new(ScriptedModel::new(answers, log.clone()));
        let screen = Arc::new(std::mem::take(&mut plot.screen).with_log(log.clone()));
        Self {
            hooks,
            plot,
            tools,
            telemetry,
            folder,
            log,
            model,
            instructions: Instructions::default(),
            screen,
            spans,
            cancel,
        }
    }

    pub(crate) fn path_of(&self, id: &str) -> PathBuf {
        self.folder.path().join(format!("{id}.jsonl"))
    }

    pub(crate) fn transcript_of(&self, id: &str) -> Transcript {
        Transcript::open(self.path_of(id)).unwrap()
    }

    pub(crate) fn hooks_of(&self, id: &str) -> SessionHooks {
        self.hooks.session(SessionIdentity {
            session_id: id.to_owned(),
            transcript_path: self.path_of(id),
            cwd: PathBuf::from(ROOT),
            agent: None,
        })
    }

    fn parts(&self, id: &str) -> Parts {
        Parts {
            hooks: self.hooks_of(id),
            model: Arc::new(Overheard {
                model: Arc::clone(&self.model),
                told: Arc::clone(&self.instructions),
            }),
            model_name: "gemini-2.5-pro".to_owned(),
            models: Arc::default(),
            system_instruction: Some("Be kind.".to_owned()),
            toolbox: Toolbox::default().with_extra(self.tools.clone()),
            policy: self.plot.policy.clone(),
            frontend: Arc::clone(&self.screen) as _,
            telemetry: Arc::clone(&self.telemetry),
            transcript: self.transcript_of(id),
            limits: self.plot.limits,
            compression: self.plot.compression,
            live_output: self.plot.live_output,
            start_context: self.plot.start_context,
        }
    }

    /// Starts the first session.
    pub(crate) async fn start(&self) -> Session {
        Session::start(self.parts(FIRST), Path::new(ROOT)).await
    }

    /// Continues a session, as another process does.
    pub(crate) async fn resume(&self, id: &str) -> Session {
        let history = read_transcript(&self.path_of(id)).unwrap().history;
        Session::resume(self.parts(id), history).await
    }

    /// Replaces this session by the second one, as `/clear` does.
    pub(crate) async fn clear(&self, session: &mut Session) {
        let (hooks, transcript) = (self.hooks_of(SECOND), self.transcript_of(SECOND));
        session.clear(hooks, transcript, Path::new(ROOT)).await;
    }

    /// Makes the second session an earlier one with what the first one's transcript contains.
    pub(crate) fn copy_to_second(&self) {
        std::fs::copy(self.path_of(FIRST), self.path_of(SECOND)).unwrap();
    }

    /// Replaces this session by an earlier one, as `/resume` does.
    pub(crate) async fn go_back_to(&self, id: &str, session: &mut Session) {
        let history = read_transcript(&self.path_of(id)).unwrap().history;
        let (hooks, transcript) = (self.hooks_of(id), self.transcript_of(id));
        session.switch_to(hooks, transcript, history).await;
    }

    pub(crate) async fn prompt(&self, session: &mut Session, prompt: &str) -> TurnEnd {
        session.prompt(prompt, self.cancel.clone()).await
    }

    /// Starts a session, and runs one turn for the prompt "go".
    pub(crate) async fn play(&self) -> (Session, TurnEnd) {
        let mut session = self.start().await;
        let end = self.prompt(&mut session, "go").await;
        (session, end)
    }

    /// Returns what hooks of an event read, in order.
    pub(crate) fn read_by(&self, event: &str) -> Vec<Value> {
        self.log.read_by(event)
    }

    /// Returns the lines of a session's transcript.
    pub(crate) fn entries(&self, id: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path_of(id)).unwrap();
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    /// Returns the entries of a kind in a session's transcript.
    pub(crate) fn entries_of(&self, id: &str, kind: &str) -> Vec<Value> {
        let all = self.entries(id).into_iter();
        all.filter(|it| it["type"] == kind).collect()
    }

    /// Returns what a resumed session would continue with.
    pub(crate) fn stored(&self, id: &str) -> Vec<Content> {
        let stored = read_transcript(&self.path_of(id)).unwrap();
        stored.history.iter().map(|it| (**it).clone()).collect()
    }

    pub(crate) fn telemetry(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("telemetry")).unwrap()
    }

    /// Returns the events of a kind, in order.
    pub(crate) fn telemetry_of(&self, event: &str) -> Vec<Value> {
        let name = format!("gemini_cli.{event}");
        let text = self.telemetry();
        let events = text.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["attributes"].clone()
        });
        events.filter(|it| it["event.name"] == *name).collect()
    }

    /// Returns everything that is on disk, and what the spans say.
    pub(crate) fn records(&self) -> String {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let mut all: Vec<String> = texts.collect();
        all.push(format!("{:?}", self.spans.all()));
        all.join("\n")
    }
}

pub(crate) fn history(session: &Session) -> Vec<Content> {
    session.history().iter().map(|it| (**it).clone()).collect()
}

/// Returns what the history says, one line per content.
pub(crate) fn history_lines_of(session: &Session) -> Vec<String> {
    session
        .history()
        .iter()
        .map(|it| describe_content(it))
        .collect()
}

/// A response that comes in these pieces.
pub(crate) fn pieces(texts: &[&str]) -> Answer {
    let (last, others) = texts.split_last().unwrap();
    let piece = |text: &str, finish| chunk(json!([{"text": text}]), finish);
    let mut chunks: Vec<Value> = others.iter().map(|text| piece(text, None)).collect();
    chunks.push(piece(last, Some("STOP")));
    Answer::Chunks(chunks)
}

/// A response with what the model's service counted for it.
pub(crate) fn counted(text: &str, usage: Value) -> Answer {
    let mut only = chunk(json!([{"text": text}]), Some("STOP"));
    only["usageMetadata"] = usage;
    Answer::Chunks(vec![only])
}

/// A span, as it was begun and ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) name: &'static str,
    /// The number of the span that it is below, if it is below one.
    pub(crate) parent: Option<usize>,
    /// What is said about it; texts, numbers and flags as JSON.
    pub(crate) says: Map<String, Value>,
    pub(crate) error: Option<String>,
    pub(crate) ends: usize,
}

/// The spans that began, in order.
#[derive(Default)]
pub(crate) struct Spans(Mutex<Vec<Seen>>);

impl Spans {
    pub(crate) fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn named(&self, name: &str) -> Vec<Seen> {
        let all = self.all().into_iter();
        all.filter(|it| it.name == name).collect()
    }

    /// Returns the names from the root to a span.
    pub(crate) fn way_to(&self, span: &Seen) -> Vec<&'static str> {
        let all = self.all();
        let mut way = vec![span.name];
        let mut next = span.parent;
        while let Some(number) = next {
            way.insert(0, all[number].name);
            next = all[number].parent;
        }
        way
    }
}

/// A span, or the root of all.
struct Node {
    number: Option<usize>,
    spans: Arc<Spans>,
}

impl Node {
    fn root(spans: &Arc<Spans>) -> Self {
        Self {
            number: None,
            spans: Arc::clone(spans),
        }
    }
}

impl Span for Node {
    fn begin(&self, start: SpanStart) -> Arc<dyn Span> {
        let mut all = self.spans.0.lock().unwrap();
        let number = all.len();
        let says = start.attributes.into_iter();
        all.push(Seen {
            name: start.name,
            parent: self.number,
            says: says
                .map(|it| (it.name.to_owned(), value(it.value)))
                .collect(),
            error: None,
            ends: 0,
        });
        Arc::new(Self {
            number: Some(number),
            spans: Arc::clone(&self.spans),
        })
    }

    fn end(&self, end: SpanEnd) {
        let Some(number) = self.number else { return };
        let mut all = self.spans.0.lock().unwrap();
        let seen = &mut all[number];
        let says = end.attributes.into_iter();
        seen.says
            .extend(says.map(|it| (it.name.to_owned(), value(it.value))));
        seen.error = end.error;
        seen.ends += 1;
    }

    fn trace_parent(&self) -> Option<String> {
        self.number.map(|it| format!("00-{it:032x}-{it:016x}-01"))
    }
}

fn value(value: SpanValue) -> Value {
    match value {
        SpanValue::Text(text) => json!(text),
        SpanValue::Texts(texts) => json!(texts),
        SpanValue::Integer(number) => json!(number),
        SpanValue::Flag(flag) => json!(flag),
        other => panic!("{other:?} is of no known kind"),
    }
}
