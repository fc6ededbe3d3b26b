//! `BeforeTool`: fires before a tool runs (BT-1…9).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::HookContext;
use crate::event::{
    Attributed, Author, Conflict, Event, Merged, Summary, by_weight, combined_ruling,
    joined_context, sealed::Sealed,
};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::tool::{McpContext, ToolArguments, ToolCall, text_bytes};
use crate::tool_name;
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A tool is about to run.
#[derive(Debug, Clone, Copy)]
pub struct BeforeTool;

/// What a `BeforeTool` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeforeToolInput {
    /// The tool's own name.
    pub tool_name: String,
    /// The arguments.
    pub tool_input: Arc<ToolArguments>,
    /// The origin of an MCP tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_context: Option<McpContext>,
    /// In a tail call, the tool that was called first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_request_name: Option<String>,
    /// The id of the call.
    pub tool_call_id: String,
}

impl From<&ToolCall> for BeforeToolInput {
    fn from(call: &ToolCall) -> Self {
        Self {
            tool_name: call.name.clone(),
            tool_input: Arc::clone(&call.arguments),
            mcp_context: call.mcp.clone(),
            original_request_name: call.original_request_name.clone(),
            tool_call_id: call.id.clone(),
        }
    }
}

/// The answer of a `BeforeTool` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeToolAnswer {
    /// Whether the tool may run.
    pub ruling: Ruling,
    /// Arguments that replace those of the same name (BT-3).
    pub tool_input: Option<ToolArguments>,
    /// The names of arguments that the rewrite leaves out, if it replaces all of them (FD-20).
    pub removed: Vec<String>,
    /// Text that the model reads with the call's result (FD-20).
    pub context: Option<HookContext>,
}

impl From<Ruling> for BeforeToolAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What the host must do with the call.
///
/// A call that may run is wrapped in `C`, and a call that the user must confirm in `P`. The events
/// crate doesn't know these wrappers; the engine provides them.
///
/// Deliberately exhaustive, like the outcomes of all events: a host that doesn't know a variant
/// would continue in spite of it.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeToolOutcome<C = Arc<ToolArguments>, P = Arc<ToolArguments>> {
    /// Run the tool with these arguments, if the approval mode agrees (BT-6).
    Proceed(C),
    /// Ask the user, whatever the approval mode (BT-5).
    Ask(P, Reason),
    /// Don't run the tool, and tell the model why; the turn continues (BT-1).
    Deny(Reason, Cause),
    /// Don't run the tool, and end the loop (BT-7).
    Stop(Reason),
}

impl Sealed for BeforeTool {}

impl Event for BeforeTool {
    const NAME: EventName = EventName::BeforeTool;
    const OWN_FIELDS: &'static [&'static str] = &["tool_input", "additionalContext"];
    type Input = BeforeToolInput;
    type Answer = BeforeToolAnswer;
    type Outcome = BeforeToolOutcome;
    const ASKS_USER: bool = true;
    const REFUSAL_ENDS: bool = true;
    const CHANGES: &'static [&'static str] = &["tool_input"];

    fn text_bytes(input: &Self::Input) -> usize {
        input.tool_input.values().map(text_bytes).sum()
    }

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(&input.tool_name)
    }

    fn own_name(input: &Self::Input) -> Option<String> {
        input.mcp_context.as_ref()?.own_name(&input.tool_name)
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(BeforeToolAnswer {
            ruling: reply.ruling(hook),
            tool_input: reply.specific_object("tool_input")?,
            context: reply
                .specific_text("additionalContext")?
                .as_deref()
                .and_then(HookContext::new),
            ..BeforeToolAnswer::default()
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(BeforeToolAnswer {
            ruling: Ruling::Deny(reason, cause),
            ..BeforeToolAnswer::default()
        })
    }

    fn leaving_out(answer: Self::Answer, removed: Vec<String>) -> Self::Answer {
        BeforeToolAnswer { removed, ..answer }
    }

    fn thread(input: &mut Self::Input, answer: &Self::Answer) {
        for (key, value) in answer.changes() {
            change(&mut input.tool_input, key, value);
        }
    }

    fn unknown_in_rewrite(input: &Self::Input, answer: &Self::Answer) -> Vec<String> {
        let Some(known) = tool_name::arguments(&input.tool_name) else {
            return Vec::new();
        };
        let names = answer.tool_input.iter().flatten().map(|(name, _)| name);
        let is_unknown = |name: &&String| {
            !known.contains(&name.as_str()) && !input.tool_input.contains_key(*name)
        };
        names.filter(is_unknown).cloned().collect()
    }

    fn rewrites_in_vain(input: &Self::Input, answer: &Self::Answer) -> bool {
        let count = answer.tool_input.iter().flatten().count();
        count > 0 && Self::unknown_in_rewrite(input, answer).len() == count
    }

    fn rewrites(answer: &Self::Answer) -> bool {
        answer.tool_input.is_some()
    }

    fn let_through(input: &Self::Input, outcome: &Self::Outcome) -> Option<Self::Input> {
        let (BeforeToolOutcome::Proceed(arguments) | BeforeToolOutcome::Ask(arguments, _)) =
            outcome
        else {
            return None;
        };
        Some(BeforeToolInput {
            tool_input: Arc::clone(arguments),
            ..input.clone()
        })
    }

    fn ruling_alone(answer: Self::Answer) -> Self::Answer {
        BeforeToolAnswer {
            ruling: answer.ruling,
            ..BeforeToolAnswer::default()
        }
    }

    fn merge(input: &Self::Input, answers: Vec<Attributed<Self::Answer>>) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let (overrides, conflicts) = merged_overrides(&answers);
        let mut arguments = Arc::clone(&input.tool_input);
        for (key, value) in &overrides {
            change(&mut arguments, key, value.as_ref());
        }
        // Arguments that were left out are reported as null.
        let overrides: ToolArguments = overrides
            .into_iter()
            .map(|(key, value)| (key, value.unwrap_or_default()))
            .collect();
        let action = action(&ruling, &input.tool_name, arguments != input.tool_input);
        let changes = (!overrides.is_empty()).then_some(Value::Object(overrides));
        let context = joined_context(&answers, |answer| answer.context.as_ref());
        let summary = Summary::of_ruling(&ruling, action)
            .with_context(context.as_ref())
            .with_change("tool_input", changes);
        let outcome = match ruling {
            Ruling::Silent | Ruling::Allow(_) => BeforeToolOutcome::Proceed(arguments),
            Ruling::Ask(reason) => BeforeToolOutcome::Ask(arguments, reason),
            Ruling::Deny(reason, cause) => BeforeToolOutcome::Deny(reason, cause),
            Ruling::Stop(reason) => BeforeToolOutcome::Stop(reason),
        };
        Merged {
            outcome,
            summary,
            conflicts,
        }
    }
}

impl BeforeToolAnswer {
    /// Yields the arguments that a rewrite of all of them leaves out.
    fn left_out(&self) -> impl Iterator<Item = &String> {
        let is_kept = |key: &String| {
            self.tool_input
                .as_ref()
                .is_none_or(|input| input.contains_key(key))
        };
        self.removed.iter().filter(move |key| !is_kept(key))
    }

    /// Yields the changes to arguments: a value, or `None` if one is left out.
    fn changes(&self) -> impl Iterator<Item = (&String, Option<&Value>)> {
        let set = self.tool_input.iter().flatten();
        set.map(|(key, value)| (key, Some(value)))
            .chain(self.left_out().map(|key| (key, None)))
    }
}

/// Sets an argument, or removes it. Arguments that are shared are copied for that.
fn change(arguments: &mut Arc<ToolArguments>, key: &str, value: Option<&Value>) {
    let arguments = Arc::make_mut(arguments);
    match value {
        Some(value) => _ = arguments.insert(key.to_owned(), value.clone()),
        None => _ = arguments.remove(key),
    }
}

/// The hooks' changes to arguments: a value, or `None` for one that is left out.
type Overrides = BTreeMap<String, Option<Value>>;

/// Merges the hooks' arguments, key by key (PL-9).
fn merged_overrides(answers: &[Attributed<BeforeToolAnswer>]) -> (Overrides, Vec<Conflict>) {
    let mut overrides = Overrides::new();
    let mut setters: Vec<(&str, &Author)> = Vec::new();
    let mut conflicts = Vec::new();
    for attributed in by_weight(answers) {
        for (key, value) in attributed.answer.changes() {
            let value = value.cloned();
            let earlier = overrides.insert(key.clone(), value.clone());
            let setter = setters.iter().rposition(|(set, _)| set == key);
            if let (Some(earlier), Some(setter)) = (earlier, setter)
                && earlier != value
            {
                conflicts.push(Conflict {
                    field: format!("tool_input.{key}"),
                    winner: attributed.hook.clone(),
                    loser: setters[setter].1.clone(),
                });
            }
            setters.push((key, &attributed.hook));
        }
    }
    (overrides, conflicts)
}

fn action(ruling: &Ruling, tool: &str, rewritten: bool) -> String {
    match ruling {
        Ruling::Silent | Ruling::Allow(_) if rewritten => {
            format!("`{tool}` runs with the rewritten arguments, and the model learns which")
        }
        Ruling::Silent | Ruling::Allow(_) => format!("`{tool}` runs as the model asked"),
        Ruling::Ask(_) => format!(
            "the user is asked whether `{tool}` may run; without anybody to ask, it doesn't run"
        ),
        Ruling::Deny(..) => {
            format!("`{tool}` doesn't run, the model is told why, and the turn continues")
        }
        Ruling::Stop(_) => format!("`{tool}` doesn't run and the agent loop ends"),
    }
}
