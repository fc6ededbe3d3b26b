//! Answers in an agent's own format, byte for byte (BR-20).

use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::conclusion::{Conclusion, Ruling};
use crate::moment::Moment;

/// The bridge's answer to an agent. Nothing else may be written to its streams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The exit code.
    pub exit: u8,
    /// Standard output: one JSON object or nothing; at Kimi's prompts, text for the model.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// What has to be answered, and to which agent.
#[derive(Debug, Clone, Copy)]
pub struct AnswerRequest<'a> {
    /// The calling agent.
    pub agent: Agent,
    /// Its event, as the agent names it.
    pub event: &'a str,
    /// The moment that the event represents.
    pub moment: Moment,
    /// What hooks decided, fitted to the agent.
    pub conclusion: &'a Conclusion,
    /// The payload in the usual form; `None` if it wasn't understood.
    pub payload: Option<&'a Map<String, Value>>,
}

impl Answer {
    /// Creates an empty answer: no opinion.
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    /// Creates an answer from an object; an empty answer if it is empty.
    pub(crate) fn of(fields: Map<String, Value>) -> Self {
        if fields.is_empty() {
            return Self::empty();
        }
        Self {
            stdout: Value::Object(fields).to_string(),
            ..Self::default()
        }
    }

    /// Refuses by exit code 2: a reason on standard error, and an object beside it.
    pub(crate) fn refusal(reason: &str, fields: Map<String, Value>) -> Self {
        Self {
            exit: 2,
            stderr: format!("{}\n", reason_or_default(reason)),
            ..Self::of(fields)
        }
    }
}

/// Returns a reason that isn't empty: one agent lets the action run if there is no reason.
pub(crate) fn reason_or_default(reason: &str) -> &str {
    if reason.trim().is_empty() {
        "a hook refused"
    } else {
        reason
    }
}

impl AnswerRequest<'_> {
    /// Returns the message for the person; nothing if there is none.
    pub(crate) fn message(&self) -> Option<String> {
        let messages = &self.conclusion.messages;
        (!messages.is_empty()).then(|| messages.join("\n"))
    }

    /// Returns the rewritten arguments.
    pub(crate) fn arguments(&self) -> Option<&Map<String, Value>> {
        self.conclusion.rewrite.as_ref()?.theirs.as_ref()
    }

    /// Returns a field of the payload in the usual form.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.payload?.get(name)
    }

    pub(crate) fn context(&self) -> Option<&str> {
        self.conclusion.context.as_deref()
    }
}

/// Makes an object of the existing fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let fields = fields.into_iter();
    fields
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// How an agent of Claude Code's family deviates in its answers.
pub(crate) struct Family {
    /// The answer that refuses before a tool.
    pub(crate) refusal: FamilyRefusal,
    /// A rewrite needs `permissionDecision: "allow"` beside it.
    pub(crate) rewrite_needs_allow: bool,
    /// Replies may contain a message for the person.
    pub(crate) messages: bool,
}

/// How a refusal that nothing overrides is expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FamilyRefusal {
    /// By exit code 2.
    ByExitCode,
    /// By `continue: false`, which a foreign hook's consent doesn't override.
    ByEndingIt,
}

/// Writes an answer in the format of Claude Code.
pub(crate) fn family(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    match asked.moment {
        Moment::BeforeTool => before_tool(asked, family),
        Moment::Prompt => prompt(asked, family),
        Moment::End => end(asked, family),
        Moment::SessionStart => start(asked, family),
        _ => Answer::of(object([("systemMessage", message_in(asked, family))])),
    }
}

/// Writes beside a tool's result what hooks refused of it and added to it, for agents in which a
/// result can't be withheld.
pub(crate) fn beside_result(asked: &AnswerRequest<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    let texts: Vec<&str> = reason.into_iter().chain(asked.context()).collect();
    let own = (!texts.is_empty())
        .then(|| json!({"hookEventName": asked.event, "additionalContext": texts.join("\n")}));
    Answer::of(object([
        ("hookSpecificOutput", own),
        ("systemMessage", asked.message().map(Value::from)),
    ]))
}

fn message_in(asked: &AnswerRequest<'_>, family: &Family) -> Option<Value> {
    let message = asked.message().filter(|_| family.messages);
    message.map(Value::from)
}

fn before_tool(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    let message = message_in(asked, family);
    let event = ("hookEventName", Some(Value::from("PreToolUse")));
    let context = || asked.context().map(Value::from);
    match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) => {
            let reason = reason_or_default(reason);
            let own = object([
                event,
                ("permissionDecision", Some(Value::from("deny"))),
                ("permissionDecisionReason", Some(Value::from(reason))),
                ("additionalContext", context()),
            ]);
            let ends = matches!(asked.conclusion.ruling, Ruling::Stop(_))
                || family.refusal == FamilyRefusal::ByEndingIt;
            // For a stop, only the message conveys the reason.
            let message = match (&asked.conclusion.ruling, message) {
                (Ruling::Stop(_), None) if family.messages => Some(Value::from(reason)),
                (_, message) => message,
            };
            let fields = object([
                ("continue", ends.then_some(Value::Bool(false))),
                ("stopReason", ends.then(|| Value::from(reason))),
                ("hookSpecificOutput", Some(Value::Object(own))),
                ("systemMessage", message),
            ]);
            let by_exit_code =
                family.refusal == FamilyRefusal::ByExitCode && asked.context().is_none();
            if by_exit_code {
                Answer::refusal(reason, fields)
            } else {
                Answer {
                    stderr: format!("{reason}\n"),
                    ..Answer::of(fields)
                }
            }
        }
        ruling => {
            let (decision, reason) = match ruling {
                Ruling::Ask(reason) => (Some("ask"), Some(reason_or_default(reason))),
                _ if asked.arguments().is_some() && family.rewrite_needs_allow => {
                    (Some("allow"), None)
                }
                _ => (None, None),
            };
            let own = object([
                event,
                ("permissionDecision", decision.map(Value::from)),
                ("permissionDecisionReason", reason.map(Value::from)),
                (
                    "updatedInput",
                    asked.arguments().cloned().map(Value::Object),
                ),
                ("additionalContext", context()),
            ]);
            let own = (own.len() > 1).then_some(Value::Object(own));
            Answer::of(object([
                ("hookSpecificOutput", own),
                ("systemMessage", message),
            ]))
        }
    }
}

fn prompt(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    let (reason, ends) = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) => (reason, family.refusal == FamilyRefusal::ByEndingIt),
        Ruling::Stop(reason) => (reason, true),
        _ => return context_alone(asked, family),
    };
    let reason = reason_or_default(reason);
    let fields = object([
        ("continue", ends.then_some(Value::Bool(false))),
        ("stopReason", ends.then(|| Value::from(reason))),
        ("decision", Some(Value::from("block"))),
        ("reason", Some(Value::from(reason))),
        ("systemMessage", message_in(asked, family)),
    ]);
    match family.refusal {
        FamilyRefusal::ByExitCode => Answer::refusal(reason, fields),
        FamilyRefusal::ByEndingIt => Answer {
            stderr: format!("{reason}\n"),
            ..Answer::of(fields)
        },
    }
}

fn start(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    let Ruling::Stop(reason) = &asked.conclusion.ruling else {
        return context_alone(asked, family);
    };
    Answer::of(object([
        ("continue", Some(Value::Bool(false))),
        ("stopReason", Some(Value::from(reason_or_default(reason)))),
        ("systemMessage", message_in(asked, family)),
    ]))
}

fn end(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    let message = message_in(asked, family);
    match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Ask(reason) => Answer::of(object([
            ("decision", Some(Value::from("block"))),
            ("reason", Some(Value::from(reason_or_default(reason)))),
            ("systemMessage", message),
        ])),
        Ruling::Stop(reason) => Answer::of(object([
            ("continue", Some(Value::Bool(false))),
            ("stopReason", Some(Value::from(reason_or_default(reason)))),
            ("systemMessage", message),
        ])),
        Ruling::Silent => Answer::of(object([("systemMessage", message)])),
    }
}

/// Writes text for the model, and nothing else.
pub(crate) fn context_alone(asked: &AnswerRequest<'_>, family: &Family) -> Answer {
    let own = asked
        .context()
        .map(|context| json!({"hookEventName": asked.event, "additionalContext": context}));
    Answer::of(object([
        ("hookSpecificOutput", own),
        ("systemMessage", message_in(asked, family)),
    ]))
}
