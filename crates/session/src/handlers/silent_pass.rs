//! Guards that let through what they look for (IO-27): their test doesn't match what they read, or
//! their refusal gets lost on the way, and nothing else would show it.

mod witness;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_engine::{BoxFuture, Completion, Ending, Executor, ExecutorLayer, Invocation};
use hookloop_events::EventName;
use hookloop_exec::Redaction;
use hookloop_hook::{HookDeclaration, HookId, Mode};
use hookloop_lint::{LookedFor, Place, find_looked_for};
use serde_json::{Map, Value, json};

use crate::diagnostics::disk::DiskProbe;
use crate::environment::Environment;
use crate::workspace::Workspace;
use witness::{Seen as SeenFiles, Witness};

/// Longest value that is looked into, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Determines what the programs of hooks look for.
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

    fn probe(&self) -> DiskProbe<'_> {
        DiskProbe::new(&self.environment, self.redaction.clone())
    }

    /// Looks into the programs of a hook, as they are now.
    fn look(&self, hook: &HookDeclaration) -> Looked {
        let place = Place {
            root: &self.root,
            current: &self.current,
        };
        let probe = self.probe();
        let witness = Witness::of(&probe);
        let texts = find_looked_for(hook, place, &witness).into();
        Looked {
            texts,
            files: witness.into_seen().into(),
            is_told: false,
        }
    }

    /// Returns whether programs are still what was examined.
    fn is_as_looked(&self, files: &SeenFiles) -> bool {
        files.is_still_so(&self.probe())
    }
}

/// Wraps an executor, and reports a hook that ended successfully and said nothing, although what it
/// looks for is in the event.
pub(super) struct SilentPass<E> {
    executor: E,
    looker: Looker,
    known: Mutex<BTreeMap<HookId, Looked>>,
}

/// What a hook looks for, the files in which that was found, and whether it was reported.
#[derive(Debug, Clone)]
struct Looked {
    texts: Arc<[LookedFor]>,
    files: Arc<SeenFiles>,
    is_told: bool,
}

impl<E> SilentPass<E> {
    pub(super) fn new(executor: E, looker: Looker) -> Self {
        Self {
            executor,
            looker,
            known: Mutex::default(),
        }
    }

    fn lock_known(&self) -> MutexGuard<'_, BTreeMap<HookId, Looked>> {
        // Entries are never half written, so a poisoned lock guards nothing broken.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known about a hook. Scripts change during a session: one that did is
    /// examined again.
    fn look_up(&self, hook: &HookDeclaration) -> Looked {
        let known = self.lock_known().get(&hook.id).cloned();
        if let Some(known) = known.filter(|it| self.looker.is_as_looked(&it.files)) {
            return known;
        }
        let found = self.looker.look(hook);
        self.lock_known().insert(hook.id.clone(), found.clone());
        found
    }

    /// Returns what has to be reported about a hook that let an event pass, once for each state of
    /// a hook.
    fn remark(&self, run: &Run) -> Option<String> {
        let hook = &*run.hook;
        if hook.mode != Mode::Active {
            return None;
        }
        let looked = self.look_up(hook);
        if looked.is_told || looked.texts.is_empty() {
            return None;
        }
        let payload: Map<String, Value> = run.input.read().ok()?;
        let seen = Seen::of(run.event, &payload);
        let remark = looked.texts.iter().find_map(|it| seen.remark(it))?;
        if let Some(known) = self.lock_known().get_mut(&hook.id) {
            known.is_told = true;
        }
        Some(remark)
    }
}

/// A run of a hook, as far as it is needed afterwards.
struct Run {
    hook: Arc<HookDeclaration>,
    event: EventName,
    input: hookloop_events::Payload,
}

impl<E: Executor> ExecutorLayer for SilentPass<E> {
    type Inner = E;

    fn inner(&self) -> &E {
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
            if is_silent(&completion) {
                completion.remarks.extend(self.remark(&run));
            }
            completion
        })
    }
}

fn is_silent(completion: &Completion) -> bool {
    let is_silent = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    completion.ending == Ending::Exited(0)
        && is_silent(&completion.stdout.bytes)
        && is_silent(&completion.stderr.bytes)
}

/// The part of an event that guards look at.
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
        values.retain(|(_, value)| value.len() <= MAX_BYTES);
        Self {
            event,
            tool,
            values,
        }
    }

    /// Returns what is reported if a text that a hook looks for is in the event.
    fn remark(&self, looked_for: &LookedFor) -> Option<String> {
        let mut values = self.values.iter();
        let (key, _) = values.find(|(key, value)| looked_for.matches(self.tool, key, value))?;
        let (shown, place) = (looked_for.text(), looked_for.place());
        let why = match self.tool {
            Some(_) if !looked_for.names(key) => {
                format!("it is in `tool_input.{key}`, which the program doesn't name")
            }
            _ => "what it compares there isn't what it reads, or its refusal is lost afterwards"
                .to_owned(),
        };
        let try_it = self.trial_command(key, looked_for);
        Some(format!(
            "it silently let pass what it looks for, \"{shown}\" ({place}): {why}; fix that, and try \
             it{try_it}; if such an event should pass, let it print {{}} on standard output"
        ))
    }

    /// Returns how to try such an event: with the text of the program, and never with what was in
    /// the event, where keys and passwords may be.
    fn trial_command(&self, key: &str, looked_for: &LookedFor) -> String {
        let event = self.event;
        let sample = looked_for.sample();
        match self.tool {
            Some(tool) => {
                let input = json!({"tool_input": {key: sample}}).to_string();
                let (tool, input) = (hookloop_shell::quote(tool), hookloop_shell::quote(&input));
                format!(" with `hookloop hooks fire {event} --tool {tool} --input {input}`")
            }
            None if event == EventName::BeforeAgent => {
                let prompt = hookloop_shell::quote(&sample);
                format!(" with `hookloop hooks fire {event} --prompt {prompt}`")
            }
            None => format!(" with `hookloop hooks fire {event}`"),
        }
    }
}

#[cfg(test)]
mod tests;
