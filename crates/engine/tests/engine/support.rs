//! A host with hooks whose behaviour a test defines, and that remembers what happened.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_engine::events::{EventName, SessionIdentity, ToolCall};
use hookloop_engine::{
    BoxFuture, Builder, Captured, Clock, Completion, Concluded, Ending, Executor, Hooks,
    Invocation, Lifecycle, Observer, Registry, RunSwitch, SessionHooks,
};
use hookloop_hook::{Handler, HookDeclaration, HookId, Layer, Position, Source};
use hookloop_settings::HookSwitches;
use hookloop_trust::{Acceptance, Standing, Vouched};
use serde_json::{Value, json};

/// What a hook does when it is executed.
#[derive(Clone)]
pub(crate) enum Act {
    /// Ends like this after a while.
    Ends(Duration, Completion),
    /// Runs until it is asked to stop, and then ends like this.
    UntilStopped(Completion),
    /// Ends like these at once, one run after another.
    InTurn(Arc<Mutex<Vec<Completion>>>),
    /// Runs forever, whatever it is asked.
    Never,
    /// Answers what it reads at once.
    Answers(Answer),
}

/// What a hook makes of what it reads: nothing, or a reply.
pub(crate) type Answer = Arc<dyn Fn(&Value) -> Option<Value> + Send + Sync>;

/// Runs commands as a test defines, and keeps their input.
#[derive(Default)]
pub(crate) struct Script {
    acts: HashMap<String, Act>,
    invocations: Mutex<Vec<Invocation>>,
}

struct Runner(Arc<Stage>);

impl Executor for Runner {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        let script = &self.0.script;
        let act = script.acts.get(invocation.hook.command()).cloned();
        let stop = invocation.stop.clone();
        let input = invocation.input.clone();
        script.invocations.lock().unwrap().push(invocation);
        Box::pin(async move {
            match act {
                None => Completion::ended(Ending::Exited(0)),
                Some(Act::Ends(after, completion)) => {
                    tokio::time::sleep(after).await;
                    completion
                }
                Some(Act::UntilStopped(completion)) => {
                    stop.stopped().await;
                    completion
                }
                Some(Act::InTurn(completions)) => completions.lock().unwrap().remove(0),
                Some(Act::Never) => std::future::pending().await,
                Some(Act::Answers(answer)) => {
                    let read = serde_json::from_str(&input.text()).expect("a payload is JSON");
                    let reply = answer(&read).map(|reply| reply.to_string());
                    completion(Ending::Exited(0), &reply.unwrap_or_default(), "")
                }
            }
        })
    }
}

/// What the test looks at afterwards.
#[derive(Default)]
pub(crate) struct Stage {
    script: Script,
    observed: Mutex<Vec<Lifecycle>>,
}

impl Observer for Stage {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        self.observed.lock().unwrap().push(lifecycle.clone());
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> String {
        "2026-01-02T03:04:05.678Z".to_owned()
    }
}

/// Collects hooks and what they do.
#[derive(Default)]
pub(crate) struct Setting {
    hooks: Vec<Vouched>,
    acts: HashMap<String, Act>,
    switches: HookSwitches,
}

impl Setting {
    /// Adds a hook that may run: one of the project is trusted.
    pub(crate) fn hook(self, hook: HookDeclaration, act: Act) -> Self {
        let mut vouched = Vouched::by_host(hook);
        if vouched.hook.is_from_project() {
            vouched.accepted = Acceptance::ByStore;
            vouched.standing = Standing::Trusted;
        }
        self.vouched(vouched, act)
    }

    pub(crate) fn vouched(mut self, vouched: Vouched, act: Act) -> Self {
        self.acts.insert(vouched.hook.command().to_owned(), act);
        self.hooks.push(vouched);
        self
    }

    pub(crate) fn switches(mut self, switches: HookSwitches) -> Self {
        self.switches = switches;
        self
    }

    pub(crate) fn registry(&self) -> Registry {
        let hooks = self.hooks.clone();
        Registry::new(hooks, &self.switches, RunSwitch::AsConfigured, root())
    }

    pub(crate) fn host(self) -> Host {
        self.host_with(|builder| builder)
    }

    pub(crate) fn host_with(self, change: impl FnOnce(Builder) -> Builder) -> Host {
        let registry = self.registry();
        let stage = Arc::new(Stage {
            script: Script {
                acts: self.acts,
                ..Script::default()
            },
            ..Stage::default()
        });
        let builder = Hooks::builder()
            .registry(registry)
            .executor(Runner(Arc::clone(&stage)))
            .observer(Arc::clone(&stage) as Arc<dyn Observer>)
            .clock(FixedClock);
        let hooks = change(builder).build();
        let session = hooks.session(identity());
        Host {
            hooks,
            session,
            stage,
        }
    }
}

/// An engine with a session and what happened in it.
pub(crate) struct Host {
    pub(crate) hooks: Hooks,
    pub(crate) session: SessionHooks,
    stage: Arc<Stage>,
}

impl Host {
    /// Returns the commands that were executed, in the order of their start.
    pub(crate) fn executed(&self) -> Vec<String> {
        let invocations = self.stage.script.invocations.lock().unwrap();
        let commands = invocations.iter().map(|it| it.hook.command().to_owned());
        commands.collect()
    }

    pub(crate) fn invocations(&self) -> Vec<Invocation> {
        self.stage.script.invocations.lock().unwrap().clone()
    }

    /// Returns what the hook with this command read.
    pub(crate) fn input_of(&self, command: &str) -> Value {
        let invocations = self.stage.script.invocations.lock().unwrap();
        let invocation = invocations
            .iter()
            .find(|it| it.hook.command() == command)
            .expect("the hook ran");
        serde_json::from_str(&invocation.input.text()).expect("a payload is JSON")
    }

    pub(crate) fn observed(&self) -> Vec<Lifecycle> {
        self.stage.observed.lock().unwrap().clone()
    }

    /// Returns how the last event was concluded.
    pub(crate) fn concluded(&self) -> Concluded {
        let observed = self.stage.observed.lock().unwrap();
        let concluded = observed.iter().rev().find_map(|it| match it {
            Lifecycle::Concluded(concluded) => Some(concluded.clone()),
            _ => None,
        });
        concluded.expect("an event was concluded")
    }

    /// Returns the notices of all events, as texts.
    pub(crate) fn all_notices(&self) -> Vec<String> {
        let observed = self.stage.observed.lock().unwrap();
        let concluded = observed.iter().filter_map(|it| match it {
            Lifecycle::Concluded(concluded) => Some(&concluded.notices),
            _ => None,
        });
        let notices = concluded.flatten();
        notices.map(|notice| notice.text.clone()).collect()
    }

    /// Returns the notices of the last event, as texts.
    pub(crate) fn notices(&self) -> Vec<String> {
        let notices = self.concluded().notices;
        notices.into_iter().map(|notice| notice.text).collect()
    }
}

pub(crate) fn root() -> &'static Path {
    Path::new("/project")
}

pub(crate) fn identity() -> SessionIdentity {
    SessionIdentity {
        session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
        transcript_path: PathBuf::from("/home/me/transcript.json"),
        cwd: PathBuf::from("/project"),
        agent: None,
    }
}

/// A hook of the user whose command is its label.
pub(crate) fn hook(event: EventName, command: &str) -> HookDeclaration {
    HookDeclaration {
        id: HookId::from_text(&format!("{event}-{command}")),
        handler: Handler::command(command.to_owned()),
        name: None,
        source: source(Layer::User, 1),
        ..HookDeclaration::in_process(event, command)
    }
}

pub(crate) fn source(layer: Layer, line: u32) -> Source {
    Source {
        layer: Some(layer),
        position: Some(Position { line, column: 1 }),
        ..Source::of_file(Path::new("/home/me/.gemini/settings.json"))
    }
}

pub(crate) fn call(tool: &str) -> ToolCall {
    let Value::Object(arguments) = json!({"path": "a", "text": "b"}) else {
        unreachable!("an object is an object")
    };
    ToolCall {
        id: "call-1".to_owned(),
        name: tool.to_owned(),
        arguments: arguments.into(),
        mcp: None,
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}

/// A tool that accepts every argument.
#[expect(clippy::unnecessary_wraps, reason = "it has the shape of a validation")]
pub(crate) fn accepted(_: &ToolCall) -> Result<(), Infallible> {
    Ok(())
}

pub(crate) fn captured(text: &str) -> Captured {
    Captured {
        bytes: text.as_bytes().to_vec(),
        total: text.len() as u64,
    }
}

pub(crate) fn completion(ending: Ending, stdout: &str, stderr: &str) -> Completion {
    Completion {
        stdout: captured(stdout),
        stderr: captured(stderr),
        ..Completion::ended(ending)
    }
}

/// Exits with 0 at once, with this reply.
pub(crate) fn says(reply: &Value) -> Act {
    says_after(0, reply)
}

/// Exits with 0 after some milliseconds, with this reply.
pub(crate) fn says_after(milliseconds: u64, reply: &Value) -> Act {
    let completion = completion(Ending::Exited(0), &reply.to_string(), "");
    Act::Ends(Duration::from_millis(milliseconds), completion)
}

/// Ends like this at once.
pub(crate) fn ends(ending: Ending, stdout: &str, stderr: &str) -> Act {
    Act::Ends(Duration::ZERO, completion(ending, stdout, stderr))
}

/// Exits with 0 at once, with another output each time.
pub(crate) fn ends_in_turn(outputs: &[&str]) -> Act {
    let completions = outputs
        .iter()
        .map(|stdout| completion(Ending::Exited(0), stdout, ""));
    Act::InTurn(Arc::new(Mutex::new(completions.collect())))
}

/// Answers what it reads at once.
pub(crate) fn answers(answer: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Act {
    Act::Answers(Arc::new(answer))
}

/// A hook of a layer whose command is its label.
pub(crate) fn hook_of(layer: Layer, event: EventName, command: &str) -> HookDeclaration {
    HookDeclaration {
        source: source(layer, 1),
        ..hook(event, command)
    }
}

pub(crate) fn denies(reason: &str) -> Act {
    says(&json!({"decision": "deny", "reason": reason}))
}

pub(crate) fn silent() -> Act {
    ends(Ending::Exited(0), "", "")
}
