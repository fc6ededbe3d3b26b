//! `hookloop audit`: the record that the guard `audit` keeps of what an agent does (HT-40).

mod chain;
mod meter;

use std::io::Read as _;

use clap::{Args, Subcommand};
use hookloop_engine::{Clock as _, SystemClock};
use hookloop_exec::is_started_by_hook;
use hookloop_hook::Handler;
use hookloop_host::OuterAgents;
use hookloop_rules::{names_secret, redacted};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::find_project_root;
use hookloop_text::shell_word;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::commands::failure::FailureCode;
use crate::commands::person::Effect;
use crate::commands::{CommandFailure, Context, Format, Named, failed, views};
use crate::output::{Exit, Output};
use chain::{Chain, Problem, Verified};

/// Payloads larger than this aren't read whole.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Texts longer than this are cut in the record, in characters.
const LONGEST: usize = 4000;

/// The fields of a payload that are kept, with what their texts hold of keys and tokens taken out.
const KEPT: &[&str] = &[
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "prompt",
    "source",
    "reason",
    "agent",
];

/// Holds a command for the audit.
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// What is to be done
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum AuditCommand {
    /// Look for lines of the audit that were changed, cut or taken out
    ///
    /// Each line holds the hash of the one before it, and head.json that of the last one. No key is
    /// in them: whoever can write to the folder, as you can, could write the whole chain anew, or
    /// take all of it away and begin another one. Against that keep a copy of head.json elsewhere,
    /// or send decisions to a collector as well. Tool calls can't write to the folder without a
    /// person's yes. Exits with 1 if anything is wrong, also where the guard "audit" is configured
    /// and no audit is there.
    Verify,
    /// Append the event on standard input; what the guard "audit" runs
    #[command(hide = true)]
    Record,
    /// Count the tokens of the event on standard input; what the guard "cost-meter" runs
    #[command(hide = true)]
    Meter {
        /// How many tokens a session may use
        #[arg(long, value_name = "TOKENS")]
        budget: u64,
    },
}

/// Shows what came of verifying.
#[derive(Serialize)]
struct VerifyView {
    folder: String,
    files: usize,
    lines: u64,
    /// How many lines no session of Hookloop vouches for: they were recorded by hand, or by another
    /// agent's own run of the guard.
    unvouched: u64,
    problems: Vec<ProblemView>,
    /// What was found that is no sign of tampering: what a program left that was ended.
    notes: Vec<ProblemView>,
}

/// Shows something that is wrong with the audit.
#[derive(Serialize)]
struct ProblemView {
    file: String,
    /// The line, from 1; nothing for what is missing at the end.
    line: Option<usize>,
    problem: String,
}

impl AuditArguments {
    /// Says what the command does to what guards are made of (TR-11): lines are only added.
    #[expect(clippy::unused_self, reason = "it reads like its neighbours")]
    pub(crate) const fn effect(&self) -> Effect<'_> {
        Effect::Reads
    }
}

/// Runs a command for the audit.
pub(crate) fn run(arguments: &AuditArguments, environment: &Environment) -> Output {
    let name = Named(match arguments.command {
        AuditCommand::Verify => "audit verify",
        AuditCommand::Record => "audit record",
        AuditCommand::Meter { .. } => "audit meter",
    });
    let run = RunOptions::default();
    let context = Context {
        name,
        format: Format::new(arguments.json, environment),
        environment,
        run: &run,
        stop: CancellationToken::new(),
    };
    let done = match arguments.command {
        AuditCommand::Verify => verify(&context),
        AuditCommand::Record => record(&context),
        AuditCommand::Meter { budget } => meter(&context, budget),
    };
    done.unwrap_or_else(|failure| failed(&context, &failure))
}

fn chain(context: &Context<'_>) -> Chain {
    Chain::new(context.environment.state_dir().join("audit"))
}

/// Reads the event on standard input.
fn event() -> Result<Value, CommandFailure> {
    let mut text = String::new();
    let mut input = std::io::stdin().lock().take(LARGEST);
    input
        .read_to_string(&mut text)
        .map_err(|error| CommandFailure::bad_input(format!("the event can't be read: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| CommandFailure::bad_input(format!("the event isn't JSON: {error}")))
}

/// Counts the tokens of an event, and answers it.
fn meter(context: &Context<'_>, budget: u64) -> Result<Output, CommandFailure> {
    let folder = context.environment.state_dir().join("meter");
    let reply = meter::counted(&folder, &event()?, budget).map_err(|error| {
        CommandFailure::internal(format!("the count of tokens can't be kept: {error}"))
    })?;
    let reply = reply.map(|it| format!("{it}\n"));
    Ok(Output::of_text(reply.unwrap_or_default()))
}

/// Appends the event on standard input.
fn record(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let is_vouched = is_vouched(context.environment)?;
    let payload = event()?;
    let now = SystemClock.now();
    let mut entry = entry(&payload, &now);
    if !is_vouched {
        entry.insert(chain::VOUCHED.to_owned(), json!(false));
    }
    let told = chain(context).append(entry, &now).map_err(|error| {
        CommandFailure::internal(format!("the audit can't be written: {error}"))
    })?;
    // What is told this way reaches the person, and the event is recorded all the same.
    let reply = told.map(|told| format!("{}\n", json!({"systemMessage": told})));
    Ok(Output::of_text(reply.unwrap_or_default()))
}

/// Tells whether a session's hook has started this. Below a session of ours nobody else may: a tool
/// call isn't what the audit is told by (TR-11).
fn is_vouched(environment: &Environment) -> Result<bool, CommandFailure> {
    if is_started_by_hook(&environment.proofs_dir(), &environment.variables) {
        return Ok(true);
    }
    let agents = OuterAgents::find(&environment.variables);
    let root = find_project_root(&environment.current_dir, &environment.home);
    match agents.concerned_by(&environment.home, &root) {
        Some(agent) if agent.name == "hookloop" => Err(CommandFailure::new(
            FailureCode::Declined,
            "only the hooks of a session record for the audit, and no hook started this".to_owned(),
        )),
        _ => Ok(false),
    }
}

/// Begins the audit where none is kept yet, so that it is known from then on that there is one.
pub(crate) fn begin(environment: &Environment) -> std::io::Result<()> {
    Chain::new(environment.state_dir().join("audit")).begin()
}

/// Says where the guard stands that keeps the audit, if it does.
fn guard(context: &Context<'_>) -> Option<String> {
    let workspace = Workspace::open(context.environment, context.run);
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

/// Returns what is kept of an event.
fn entry(payload: &Value, now: &str) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("at".to_owned(), json!(now));
    let event = payload.get("hook_event_name").unwrap_or(&Value::Null);
    entry.insert("event".to_owned(), event.clone());
    for key in KEPT {
        if let Some(value) = payload.get(*key) {
            entry.insert((*key).to_owned(), cleaned(value));
        }
    }
    if let Some(error) = payload
        .pointer("/tool_response/error")
        .filter(|it| !it.is_null())
    {
        entry.insert("error".to_owned(), cleaned(error));
    }
    entry
}

/// Returns a value without keys and tokens, and its texts no longer than is kept.
fn cleaned(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let text = redacted(text);
            match text.char_indices().nth(LONGEST) {
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

/// Words of a list may be an option and its value, and are looked at as a command line.
fn cleaned_list(items: &[Value]) -> Value {
    let mut before: Option<&str> = None;
    let cleaned = items.iter().map(|item| {
        let option = std::mem::replace(&mut before, item.as_str());
        let option = option.filter(|it| it.starts_with('-'));
        match (option, item) {
            (Some(option), Value::String(text)) if redacted(text) == *text => {
                let told = format!("{option} {}", shell_word(text));
                if redacted(&told) == told {
                    cleaned(item)
                } else {
                    json!("[redacted]")
                }
            }
            _ => cleaned(item),
        }
    });
    cleaned.collect()
}

/// A value whose name tells that it is a secret isn't kept at all.
fn cleaned_under(key: &str, value: &Value) -> Value {
    if names_secret(key) {
        hidden(value)
    } else {
        cleaned(value)
    }
}

fn hidden(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(hidden).collect(),
        Value::Object(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, value)| (redacted(key), hidden(value)))
                    .collect(),
            )
        }
        Value::String(_) | Value::Number(_) => json!("[redacted]"),
        other => other.clone(),
    }
}

/// Looks for what was changed, cut or taken out; anything found fails the command.
fn verify(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let chain = chain(context);
    let guard = guard(context);
    let Verified {
        files,
        lines,
        unvouched,
        problems,
        notes,
    } = chain
        .verify(guard.as_deref())
        .map_err(|error| CommandFailure::internal(format!("the audit can't be read: {error}")))?;
    let shown = |list: Vec<Problem>| -> Vec<ProblemView> {
        let view = |it: Problem| ProblemView {
            file: it.file,
            line: it.line,
            problem: it.what,
        };
        list.into_iter().map(view).collect()
    };
    let view = VerifyView {
        folder: chain.folder().display().to_string(),
        files,
        lines,
        unvouched,
        problems: shown(problems),
        notes: shown(notes),
    };
    let exit = if view.problems.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    let result = match context.format {
        Format::Json => {
            let workspace = Workspace::open(context.environment, context.run);
            views::document(context.name, &workspace.project_root, view, &[])?
        }
        Format::Text { .. } if guard.is_none() && !chain.folder().exists() => format!(
            "No audit is kept in {} (`hookloop guards add audit`).\n",
            view.folder
        ),
        Format::Text { .. } => words(&view),
    };
    Ok(Output {
        result,
        notices: String::new(),
        exit,
    })
}

fn words(view: &VerifyView) -> String {
    use std::fmt::Write as _;

    let VerifyView {
        folder,
        files,
        lines,
        unvouched,
        problems,
        notes,
    } = view;
    let mut told = String::new();
    for (kind, list) in [("", problems), ("note: ", notes)] {
        for it in list {
            let line = it.line.map(|it| format!(":{it}")).unwrap_or_default();
            let _ = writeln!(told, "{kind}{}{line}: {}", it.file, it.problem);
        }
    }
    if *unvouched > 0 {
        let _ = writeln!(
            told,
            "note: no session of Hookloop vouches for {}: recorded by hand or by another agent",
            counted(*unvouched, "line")
        );
    }
    let looked_at = format!(
        "{} in {} of {folder}",
        counted(*lines, "line"),
        counted(*files, "file")
    );
    let _ = match problems.len() {
        0 => writeln!(told, "{looked_at}: none was changed, cut or taken out."),
        count => writeln!(told, "{} with {looked_at}.", counted(count, "problem")),
    };
    told
}

/// Writes a number with what it counts: `1 line`, `2 lines`.
fn counted(count: impl std::fmt::Display, one: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {one}{ending}")
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

    /// HT-40: what a field is called tells that it is a secret, and so does the option before it in a
    /// list, whatever it looks like; other fields are kept.
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
