//! What a hook of another agent costs beside the same hook in our format.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use hookloop_engine::events::EventName;
use hookloop_hook::{Dialect, HookDeclaration};

use crate::Outcome;
use crate::host::{Host, call, hook_for, response};
use crate::pairs::{Nanoseconds, Pairs, interleaved, time};
use crate::table::Row;

const LIMIT: Duration = Duration::from_secs(3);
const KIB: usize = 1024;

/// A typical published hook: it reads its input, and lets the action continue.
const COMMAND: &str = "cat >/dev/null";

/// The dialects that are translated, except the one that is nearly ours.
const DIALECTS: [Dialect; 5] = [
    Dialect::ClaudeCode,
    Dialect::Codex,
    Dialect::Cursor,
    Dialect::Copilot,
    Dialect::Qwen,
];

/// Hooks of each dialect before a call, and after one with a result of 100 KiB.
pub(crate) fn beside_ours() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (event, what) in [
        (EventName::BeforeTool, "a call of 1 KiB"),
        (EventName::AfterTool, "a result of 100 KiB"),
    ] {
        for dialect in DIALECTS {
            let pairs = pairs(dialect, event)?;
            let what = format!("hook of {dialect}, {what}");
            let row = Row::of(what, "the same in our words", &pairs);
            rows.push(row.at_most(1.05, pairs.ratio));
        }
    }
    Ok(rows)
}

fn pairs(dialect: Dialect, event: EventName) -> Outcome<Pairs> {
    let folder = tempfile::tempdir()?;
    let transcript = folder.path().join("transcript.jsonl");
    std::fs::write(
        &transcript,
        "{\"type\":\"session\",\"session_id\":\"s\",\"project_root\":\"/p\"}\n",
    )?;
    let host = |dialect: Dialect| {
        let hook = HookDeclaration {
            dialect,
            ..hook_for(event, 0, COMMAND, None)
        };
        Host::with_transcript(vec![hook], transcript.clone())
    };
    let (theirs, ours) = (host(dialect)?, host(Dialect::Hookloop)?);
    let measured = |host: &Host| {
        // A session's transcript grows from hook to hook.
        grow(&transcript)?;
        fire(host, event)
    };
    let pairs = interleaved(LIMIT, || measured(&theirs), || measured(&ours))?;
    theirs.check(7)?;
    ours.check(7)?;
    Ok(pairs)
}

fn fire(host: &Host, event: EventName) -> Outcome<Nanoseconds> {
    let call = call(KIB);
    let response = response(100 * KIB);
    time(|| {
        if event == EventName::BeforeTool {
            host.before_tool(call);
        } else {
            host.after_tool(&call, response);
        }
        Ok(())
    })
}

fn grow(transcript: &Path) -> Outcome<()> {
    let mut file = OpenOptions::new().append(true).open(transcript)?;
    let text = "a sentence of what a model says ".repeat(8);
    let line = serde_json::json!({
        "type": "message",
        "timestamp": "2026-11-22T12:00:00.000Z",
        "content": {"role": "model", "parts": [{"text": text}]},
    });
    writeln!(file, "{line}")?;
    Ok(())
}
