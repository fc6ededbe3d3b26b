//! Guards that let pass what they look for (IO-27): their test doesn't fit what they read, or their refusal gets lost on
//! the way, and nothing else would tell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_engine::{BoxFuture, Completion, Ending, Executor, ExecutorLayer, Invocation};
use hookloop_events::EventName;
use hookloop_exec::Redaction;
use hookloop_hook::{HookDeclaration, HookId, Mode};
use hookloop_settings::{LookedFor, Place, looked_for};
use serde_json::{Map, Value, json};

use crate::diagnostics::disk::DiskProbe;
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Longest value that is looked into, in bytes.
const LONGEST: usize = 64 * 1024;

/// Longest call that is shown as one to try, in bytes.
const LONGEST_SHOWN: usize = 200;

/// Finds out what the programs of hooks look for.
#[derive(Debug, Clone)]
pub(crate) struct Looker {
    environment: Environment,
    redaction: Redaction,
    root: PathBuf,
    current: PathBuf,
}

impl Looker {
    /// Looks where a workspace's hooks run.
    pub(crate) fn of(workspace: &Workspace, environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            redaction: workspace.redaction(),
            root: workspace.project_root.clone(),
            current: workspace.opening.current_dir.clone(),
        }
    }

    fn looked_for(&self, hook: &HookDeclaration) -> Vec<LookedFor> {
        let place = Place {
            root: &self.root,
            current: &self.current,
        };
        let probe = DiskProbe::new(&self.environment, self.redaction.clone());
        looked_for(hook, place, &probe)
    }
}

/// Stands in front of an executor, and tells of a hook that ended well and said nothing, although what it looks for is
/// in the event.
pub(super) struct LetPass<E> {
    executor: E,
    looker: Looker,
    known: Mutex<Known>,
}

/// What hooks look for, and those of which was told.
#[derive(Debug, Default)]
struct Known {
    looked_for: BTreeMap<HookId, Arc<[LookedFor]>>,
    told: BTreeSet<HookId>,
}

impl<E> LetPass<E> {
    pub(super) fn new(executor: E, looker: Looker) -> Self {
        Self {
            executor,
            looker,
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing in it is ever half written.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn looked_for(&self, hook: &HookDeclaration) -> Arc<[LookedFor]> {
        if let Some(found) = self.known().looked_for.get(&hook.id) {
            return Arc::clone(found);
        }
        let found: Arc<[LookedFor]> = self.looker.looked_for(hook).into();
        let mut known = self.known();
        known.looked_for.insert(hook.id.clone(), Arc::clone(&found));
        found
    }

    /// Returns what is to be told of a hook that let an event pass, once for each hook.
    fn remark(&self, run: &Run) -> Option<String> {
        let hook = &*run.hook;
        if hook.mode != Mode::Active || self.known().told.contains(&hook.id) {
            return None;
        }
        let looked_for = self.looked_for(hook);
        if looked_for.is_empty() {
            return None;
        }
        let payload: Map<String, Value> = run.input.read().ok()?;
        let seen = Seen::of(run.event, &payload);
        let remark = looked_for.iter().find_map(|it| seen.remark(it))?;
        self.known().told.insert(hook.id.clone());
        Some(remark)
    }
}

/// A run of a hook, as far as it is needed behind it.
struct Run {
    hook: Arc<HookDeclaration>,
    event: EventName,
    input: hookloop_events::Payload,
}

impl<E: Executor> ExecutorLayer for LetPass<E> {
    type Behind = E;

    fn behind(&self) -> &E {
        &self.executor
    }

    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            let run = Run {
                hook: Arc::clone(&invocation.hook),
                event: invocation.event,
                input: invocation.input.clone(),
            };
            let mut completion = self.executor.execute(invocation).await;
            if said_nothing(&completion) {
                completion.remarks.extend(self.remark(&run));
            }
            completion
        })
    }
}

fn said_nothing(completion: &Completion) -> bool {
    let is_silent = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    completion.ending == Ending::Exited(0)
        && is_silent(&completion.stdout.bytes)
        && is_silent(&completion.stderr.bytes)
}

/// What of an event guards look at.
struct Seen<'p> {
    event: EventName,
    tool: Option<&'p str>,
    values: Vec<(&'p str, &'p str)>,
}

impl<'p> Seen<'p> {
    fn of(event: EventName, payload: &'p Map<String, Value>) -> Self {
        let text = |value: Option<&'p Value>| value.and_then(Value::as_str);
        let named = |key: &'p str, value: Option<&'p Value>| -> Vec<(&'p str, &'p str)> {
            text(value).map(|it| (key, it)).into_iter().collect()
        };
        let mut tool = None;
        let mut values = match event {
            EventName::BeforeTool => {
                tool = text(payload.get("tool_name"));
                let input = payload.get("tool_input").and_then(Value::as_object);
                let input = input.into_iter().flatten();
                input
                    .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
                    .collect()
            }
            EventName::BeforeAgent => named("prompt", payload.get("prompt")),
            EventName::AfterAgent => named("text", payload.get("prompt_response")),
            EventName::AfterModel => named("text", payload.get("content")),
            EventName::AfterTool => {
                let response = payload.get("tool_response");
                named("text", response.and_then(|it| it.get("llmContent")))
            }
            EventName::BeforeModel => {
                let messages = payload
                    .get("llm_request")
                    .and_then(|it| it.get("messages"))
                    .and_then(Value::as_array);
                let last = messages.and_then(|it| it.last());
                named("text", last.and_then(|it| it.get("content")))
            }
            _ => Vec::new(),
        };
        values.retain(|(_, value)| value.len() <= LONGEST);
        Self {
            event,
            tool,
            values,
        }
    }

    /// Returns what is told where a text that a hook looks for is in the event.
    fn remark(&self, looked_for: &LookedFor) -> Option<String> {
        let mut values = self.values.iter();
        let (key, value) = values.find(|(key, value)| looked_for.fits(self.tool, key, value))?;
        let (shown, place) = (looked_for.shown(), looked_for.place());
        let why = match self.tool {
            Some(_) if !looked_for.names(key) => {
                format!("it is in `tool_input.{key}`, which the program doesn't name")
            }
            _ => "what is compared there isn't what it reads, or its refusal is lost behind it"
                .to_owned(),
        };
        let try_it = self.to_try(key, value);
        Some(format!(
            "it let pass what it looks for, \"{shown}\" ({place}), without a word: {why}; mend that, and try \
             it{try_it}; if such an event is to pass, let it answer with {{}} on standard output"
        ))
    }

    fn to_try(&self, key: &str, value: &str) -> String {
        let event = self.event;
        let is_long = value.len() > LONGEST_SHOWN;
        match self.tool {
            Some(tool) if !is_long => {
                let input = json!({"tool_input": {key: value}}).to_string();
                let input = hookloop_shell::quote(&input);
                format!(" with `hookloop hooks fire {event} --tool {tool} --input {input}`")
            }
            _ if event == EventName::BeforeAgent && !is_long => {
                let prompt = hookloop_shell::quote(value);
                format!(" with `hookloop hooks fire {event} --prompt {prompt}`")
            }
            _ => format!(" with `hookloop hooks fire {event}`"),
        }
    }
}
