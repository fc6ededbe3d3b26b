//! The log that the guard `audit` keeps of an agent's actions, and the count that `cost-meter`
//! keeps (HT-40).

mod chain;
mod meter;

use std::borrow::Cow;

use hookloop_engine::{Clock as _, SystemClock};
use hookloop_exec::is_started_by_hook;
use hookloop_hook::Handler;
use hookloop_host::OuterAgents;
use hookloop_rules::{names_secret, redacted};
use hookloop_session::{Environment, Workspace};
use hookloop_settings::find_project_root;
use hookloop_text::shell_word;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use chain::Chain;

pub use chain::{Problem as AuditProblem, Verified};

/// Texts longer than this are cut in the record, in characters.
const MAX_CHARACTERS: usize = 4000;

/// The fields of a payload that are recorded, with keys and tokens removed from their texts.
const RECORDED_FIELDS: &[&str] = &[
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "prompt",
    "source",
    "reason",
    "agent",
];

fn chain(environment: &Environment) -> Chain {
    Chain::new(environment.state_dir().join("audit"))
}

/// Counts the tokens of an event for the guard `cost-meter`, and returns its reply.
pub fn count_tokens(
    environment: &Environment,
    event: &Value,
    budget: u64,
) -> Result<Option<Value>, CommandFailure> {
    let folder = environment.state_dir().join("meter");
    meter::count_event(&folder, event, budget).map_err(|error| {
        CommandFailure::internal(format!("the token count can't be saved: {error}"))
    })
}

/// Whether a session's hook vouches for an event.
#[derive(Debug, Clone, Copy)]
pub struct Voucher(bool);

/// Returns whether a session's hook started this process. Under a session of ours, nothing else
/// may: a tool call must not write to the audit log (TR-11).
pub fn audit_voucher(environment: &Environment) -> Result<Voucher, CommandFailure> {
    if is_started_by_hook(&environment.proofs_dir(), &environment.variables) {
        return Ok(Voucher(true));
    }
    let agents = OuterAgents::find(&environment.variables);
    let root = find_project_root(&environment.current_dir, &environment.home);
    match agents.concerned_by(&environment.home, &root) {
        Some(agent) if agent.name == "hookloop" => Err(CommandFailure::new(
            FailureCode::Declined,
            "only hooks of a session write to the audit, and this wasn't started by one".to_owned(),
        )),
        _ => Ok(Voucher(false)),
    }
}

/// Appends an event, and returns the reply of the guard `audit`: none, or a message to the person.
///
/// The voucher comes from [`audit_voucher`].
pub fn record_event(
    environment: &Environment,
    voucher: Voucher,
    event: &Value,
) -> Result<Option<Value>, CommandFailure> {
    let now = SystemClock.now();
    let mut entry = entry(event, &now);
    if !voucher.0 {
        entry.insert(chain::VOUCHED.to_owned(), json!(false));
    }
    let message = chain(environment).append(entry, &now).map_err(|error| {
        CommandFailure::internal(format!("the audit can't be written: {error}"))
    })?;
    // The message reaches the person, and the event is still recorded.
    Ok(message.map(|message| json!({"systemMessage": message})))
}

/// Starts the audit log if there is none, so that a missing log is noticed from then on.
pub(crate) fn begin(environment: &Environment) -> std::io::Result<()> {
    chain(environment).begin()
}

/// Returns where the guard `audit` is configured, if it is.
fn guard(task: Task<'_>) -> Option<String> {
    let workspace = Workspace::open(task.environment, task.run);
    let keeps = |handler: &Handler| match handler {
        Handler::Command { command, args, .. } => match args.as_deref() {
            Some(args) => args.starts_with(&["audit".to_owned(), "record".to_owned()]),
            None => command.contains("audit record"),
        },
        _ => false,
    };
    let mut hooks = workspace.vouched.iter();
    let found = hooks.find(|it| it.may_run() && keeps(&it.hook.handler))?;
    Some(found.hook.source.to_string())
}

/// The state of the audit log.
#[derive(Debug)]
pub struct Audit {
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// Whether there is a log: because a guard is configured, or because lines exist.
    pub is_kept: bool,
    /// The result of verifying it.
    pub verified: Verified,
}

/// The result of verifying the log, as JSON.
#[derive(Debug, Serialize)]
pub struct AuditView<'a> {
    folder: Cow<'a, str>,
    #[serde(flatten)]
    verified: &'a Verified,
}

impl<'a> AuditView<'a> {
    /// Creates the view of a log.
    pub fn new(audit: &'a Audit) -> Self {
        Self {
            folder: audit.folder.to_string_lossy(),
            verified: &audit.verified,
        }
    }
}

/// Looks for lines that were changed, cut or removed.
pub fn verify_audit(task: Task<'_>) -> Result<Audit, CommandFailure> {
    let chain = chain(task.environment);
    let guard = guard(task);
    let verified = chain
        .verify(guard.as_deref())
        .map_err(|error| CommandFailure::internal(format!("the audit can't be read: {error}")))?;
    Ok(Audit {
        is_kept: guard.is_some() || chain.folder().exists(),
        folder: chain.folder().to_path_buf(),
        verified,
    })
}

/// Returns the record of an event.
fn entry(payload: &Value, now: &str) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("at".to_owned(), json!(now));
    let event = payload.get("hook_event_name").unwrap_or(&Value::Null);
    entry.insert("event".to_owned(), event.clone());
    for key in RECORDED_FIELDS {
        if let Some(value) = payload.get(*key) {
            entry.insert((*key).to_owned(), clean(value));
        }
    }
    if let Some(error) = payload
        .pointer("/tool_response/error")
        .filter(|it| !it.is_null())
    {
        entry.insert("error".to_owned(), clean(error));
    }
    entry
}

/// Returns a value with keys and tokens removed, and its texts cut.
fn clean(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let text = redacted(text);
            match text.char_indices().nth(MAX_CHARACTERS) {
                Some((at, _)) => {
                    let left = text[at..].chars().count();
                    json!(format!("{}… ({left} characters more)", &text[..at]))
                }
                None => Value::String(text),
            }
        }
        Value::Array(items) => cleaned_list(items),
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (redacted(key), cleaned_under(key, value)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// Cleans a list. Its items may be an option and its value, so they are examined as a command line.
fn cleaned_list(items: &[Value]) -> Value {
    let mut before: Option<&str> = None;
    let cleaned = items.iter().map(|item| {
        let option = std::mem::replace(&mut before, item.as_str());
        let option = option.filter(|it| it.starts_with('-'));
        match (option, item) {
            (Some(option), Value::String(text)) if redacted(text) == *text => {
                let option_and_value = format!("{option} {}", shell_word(text));
                if redacted(&option_and_value) == option_and_value {
                    clean(item)
                } else {
                    json!("[redacted]")
                }
            }
            _ => clean(item),
        }
    });
    cleaned.collect()
}

/// Cleans a named value. If the name suggests a secret, the value isn't recorded at all.
fn cleaned_under(key: &str, value: &Value) -> Value {
    if names_secret(key) {
        redact(value)
    } else {
        clean(value)
    }
}

fn redact(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Object(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, value)| (redacted(key), redact(value)))
                    .collect(),
            )
        }
        Value::String(_) | Value::Number(_) => json!("[redacted]"),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::entry;

    /// HT-40: the audit keeps what was asked, without keys, and no results.
    #[test]
    fn an_entry_holds_no_keys() {
        let key = "ghp_q7Rk2Vx9LmT4bWz8NcJfq7Rk2Vx9LmT4bWz8";
        let payload = json!({
            "hook_event_name": "AfterTool",
            "session_id": "s",
            "tool_name": "run_shell_command",
            "tool_input": {"command": format!("curl -H 'X: {key}'"), "api_key": "q7Rk2Vx9LmT4bWz8NcJf"},
            "tool_response": {"llmContent": "result", "error": null},
        });
        let entry = entry(&payload, "2026-01-01T00:00:00.000Z");
        let text = serde_json::to_string(&entry).unwrap();
        assert!(
            !text.contains(key) && !text.contains("q7Rk2Vx9LmT4bWz8NcJf"),
            "{text}"
        );
        assert!(text.contains("curl -H 'X: [redacted"), "{text}");
        assert!(!text.contains("result"), "{text}");
    }

    /// HT-40: a field's name shows that it is a secret, and so does the option before it in a list,
    /// whatever it looks like; other fields are kept.
    #[test]
    fn fields_and_lists_hold_no_secrets() {
        let payload = json!({
            "hook_event_name": "BeforeTool",
            "tool_name": "mcp__s__t",
            "tool_input": {
                "password": "SECRET words", "auth": {"token": "SECRET", "user": "SECRET"}, "pin": 424_242,
                "args": ["curl", "-u", "me:SECRET", "--token", "SECRET", "-v", "kept"],
                "author": "kept", "max_tokens": 100, "key": "kept",
            },
        });
        let entry = entry(&payload, "2026-01-01T00:00:00.000Z");
        let text = serde_json::to_string(&entry).unwrap();
        assert!(
            !text.contains("SECRET") && !text.contains("424242"),
            "{text}"
        );
        assert_eq!(text.matches("kept").count(), 3, "{text}");
        assert!(text.contains("100"), "{text}");
    }
}
