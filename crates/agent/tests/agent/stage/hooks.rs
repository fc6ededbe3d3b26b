//! Hooks that do what a test specifies.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookloop_engine::{
    BoxFuture, Captured, Completion, Ending, Executor, Invocation, Registry, RunSwitch,
};
use hookloop_hook::{Handler, HookDeclaration, HookId, Layer, OnFailure, Position, Source};
use hookloop_settings::HookSwitches;
use hookloop_trust::Vouched;
use serde_json::{Value, json};

use super::{Log, Step};

/// What a hook does when it is executed.
#[derive(Clone)]
pub(crate) enum Act {
    /// Ends with this code, having written this to standard output and standard error.
    Ends(i32, String, String),
    /// Runs until it is asked to stop.
    Hangs,
    /// Takes this long first.
    Waits(std::time::Duration, Box<Act>),
    /// Does what this function returns, depending on what it reads.
    Decides(Arc<dyn Fn(&Value) -> Act + Send + Sync>),
}

impl Act {
    pub(crate) fn decides(decide: impl Fn(&Value) -> Self + Send + Sync + 'static) -> Self {
        Self::Decides(Arc::new(decide))
    }

    /// Does these, one run after another, and repeats the last.
    pub(crate) fn in_turn(acts: Vec<Self>) -> Self {
        let next = std::sync::atomic::AtomicUsize::new(0);
        Self::decides(move |_| {
            let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            acts[index.min(acts.len() - 1)].clone()
        })
    }

    /// Does this for the call with this number, and says nothing about all others.
    pub(crate) fn at(n: u64, act: Self) -> Self {
        Self::decides(move |input| match input["tool_input"]["n"].as_u64() {
            Some(it) if it == n => act.clone(),
            _ => Self::silent(),
        })
    }

    pub(crate) fn silent() -> Self {
        Self::Ends(0, String::new(), String::new())
    }

    pub(crate) fn exits(code: i32, stderr: &str) -> Self {
        Self::Ends(code, String::new(), stderr.to_owned())
    }
}

/// Exits with 0 and this reply.
pub(crate) fn says(reply: &Value) -> Act {
    Act::Ends(0, reply.to_string(), String::new())
}

pub(crate) fn denies(reason: &str) -> Act {
    says(&json!({"decision": "deny", "reason": reason}))
}

pub(crate) fn asks(reason: &str) -> Act {
    says(&json!({"decision": "ask", "reason": reason}))
}

pub(crate) fn stops(reason: &str) -> Act {
    says(&json!({"continue": false, "stopReason": reason}))
}

/// Overrides arguments of a call with these.
pub(crate) fn rewrites(arguments: &Value) -> Act {
    says(&json!({"hookSpecificOutput": {"tool_input": arguments}}))
}

/// Runs a tool instead of a result, with this number (AT-3).
pub(crate) fn chains(tool: &str, n: u64) -> Act {
    let request = json!({"name": tool, "args": {"n": n}});
    says(&json!({"hookSpecificOutput": {"tailToolCallRequest": request}}))
}

pub(crate) fn adds(context: &str) -> Act {
    says(&json!({"hookSpecificOutput": {"additionalContext": context}}))
}

/// A hook that was executed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fired {
    pub(crate) event: String,
    pub(crate) hook: String,
    pub(crate) input: Value,
}

/// The hooks of a session with what they do.
#[derive(Default)]
pub(crate) struct HookBook {
    hooks: Vec<HookDeclaration>,
    acts: HashMap<String, Act>,
}

/// A hook of the user; its command is its name.
pub(crate) fn hook(event: &str, name: &str) -> HookDeclaration {
    let event = serde_json::from_value(Value::from(event)).unwrap();
    HookDeclaration {
        id: HookId::from_text(&format!("{event}-{name}")),
        handler: Handler::command(name.to_owned()),
        source: Source {
            layer: Some(Layer::User),
            position: Some(Position { line: 1, column: 1 }),
            ..Source::of_file(Path::new("/home/me/.gemini/settings.json"))
        },
        ..HookDeclaration::in_process(event, name)
    }
}

impl HookBook {
    pub(crate) fn add(&mut self, hook: HookDeclaration, act: Act) {
        self.acts.insert(hook.id.to_string(), act);
        self.hooks.push(hook);
    }

    pub(crate) fn add_strict(&mut self, mut hook: HookDeclaration, act: Act) {
        hook.on_failure = OnFailure::Deny;
        self.add(hook, act);
    }

    pub(crate) fn registry(&self) -> Registry {
        let hooks = self.hooks.iter().cloned().map(Vouched::by_host).collect();
        Registry::new(
            hooks,
            &HookSwitches::default(),
            RunSwitch::AsConfigured,
            Path::new("/project"),
        )
    }

    pub(crate) fn executor(&self, log: Log) -> impl Executor + 'static {
        Runner {
            acts: self.acts.clone(),
            log,
        }
    }
}

struct Runner {
    acts: HashMap<String, Act>,
    log: Log,
}

impl Executor for Runner {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        let input: Value = serde_json::from_str(&invocation.input.text()).unwrap();
        let act = self.acts[&invocation.hook.id.to_string()].clone();
        self.log.push(Step::Hook(Fired {
            event: invocation.event.to_string(),
            hook: invocation.hook.label().to_owned(),
            input: input.clone(),
        }));
        Box::pin(async move { perform(act, &input, &invocation).await })
    }
}

async fn perform(mut act: Act, input: &Value, invocation: &Invocation) -> Completion {
    loop {
        act = match act {
            Act::Ends(code, stdout, stderr) => {
                return Completion {
                    stdout: captured(&stdout),
                    stderr: captured(&stderr),
                    ..Completion::ended(Ending::Exited(code))
                };
            }
            Act::Hangs => {
                invocation.stop.stopped().await;
                return Completion::ended(Ending::Stopped);
            }
            Act::Waits(time, next) => {
                tokio::time::sleep(time).await;
                *next
            }
            Act::Decides(decide) => decide(input),
        }
    }
}

fn captured(text: &str) -> Captured {
    Captured {
        bytes: text.as_bytes().to_vec(),
        total: text.len() as u64,
    }
}
