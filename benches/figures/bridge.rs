//! What a call of another agent costs: the program as that agent starts it, with the person's
//! settings.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Outcome;
use crate::host::bash;
use crate::pairs::{Pairs, interleaved, time};
use crate::program::Stage;
use crate::raw;
use crate::table::Row;

const LIMIT: Duration = Duration::from_secs(3);

/// How long a call may take if there is nothing to do, in nanoseconds.
const IDLE: f64 = 3_000_000.0;

const NO_OP: &str = "exit 0";

/// The guards that judge calls by rules.
const GUARDS: [&str; 7] = [
    "dangerous-commands",
    "env-files",
    "branch-policy",
    "secrets",
    "protected-paths",
    "package-install",
    "network",
];

/// A call without hooks, with a small and a large prompt, one with a hook that does nothing, beside
/// that hook's own command, and one with the guards that come with the program.
pub(crate) fn calls() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (what, bytes) in [("1 KiB", 1024), ("1 MiB", 1024 * 1024)] {
        let stage = Stage::new()?;
        let pairs = call_pairs(&stage, bytes)?;
        rows.push(
            Row::of(
                format!("bridge without hooks, {what}"),
                "a bash that does nothing",
                &pairs,
            )
            .goal("≤ 3 ms", pairs.measured <= IDLE),
        );
    }
    let stage = Stage::new()?;
    configure(
        &stage,
        &json!({"type": "command", "name": "no-op", "command": NO_OP}),
    )?;
    let pairs = call_pairs(&stage, 1024)?;
    rows.push(Row::of(
        "bridge with a no-op hook, 1 KiB",
        "the same bash",
        &pairs,
    ));
    rows.extend(as_node_starts_it(&stage, "a no-op hook")?);
    // The same guard, as a rule instead of a program.
    let rule = json!({"name": "no-push", "then": "deny", "reason": "no",
        "when": "shell.commands.exists(c, c.program == 'git' && 'push' in c.args)"});
    configure(
        &stage,
        &json!({"type": "rule", "name": "no-push", "rules": [rule]}),
    )?;
    rows.extend(as_node_starts_it(&stage, "a rule")?);
    let stage = Stage::new()?;
    for guard in GUARDS {
        let mut add = stage.command(&stage.program, &["guards", "add", guard]);
        if !add.stdout(Stdio::null()).status()?.success() {
            return Err(format!("{guard} can't be added").into());
        }
    }
    let pairs = call_pairs(&stage, 64)?;
    rows.push(Row::of(
        "bridge with seven guards",
        "a bash that does nothing",
        &pairs,
    ));
    Ok(rows)
}

/// Makes a hook the person's only one.
fn configure(stage: &Stage, hook: &Value) -> Outcome<()> {
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
    let path = stage.home().join(".gemini/settings.json");
    Ok(fs::write(path, settings.to_string())?)
}

/// Measures a call before a shell command beside a bash that does nothing.
fn call_pairs(stage: &Stage, bytes: usize) -> Outcome<Pairs> {
    let input = payload(bytes);
    let mut call = call(stage);
    let mut alone = raw::command(bash()?, &["-c", NO_OP]);
    interleaved(
        LIMIT,
        || time(|| raw::run(&mut call, &input)),
        || time(|| raw::run(&mut alone, &input)),
    )
}

fn call(stage: &Stage) -> Command {
    let arguments = ["hooks", "bridge", "claude-code", "PreToolUse"];
    let mut command = stage.command(&stage.program, &arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn payload(bytes: usize) -> Vec<u8> {
    let command = format!("ls # {}", "x".repeat(bytes));
    let payload = json!({
        "session_id": "bench", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "A step"}, "tool_use_id": "t",
    });
    payload.to_string().into_bytes()
}

/// Most agents are Node.js programs, so this is what one of them waits for: the bridge as it is
/// registered, beside the hook's own command, both started and read as agents do it.
fn as_node_starts_it(stage: &Stage, hook: &str) -> Outcome<Vec<Row>> {
    let what = format!("bridge with {hook}, from Node.js");
    if Command::new("node").arg("--version").output().is_err() {
        return Ok(vec![Row::new(what, "not measured: no node")]);
    }
    let program = stage.program.display();
    let bridged = format!(
        "{{ '{program}' hooks bridge claude-code PreToolUse; r=$?; [ $r = 0 ] || [ $r = 2 ] || r=2; exit $r; }}"
    );
    let own = format!("bash -c '{NO_OP}'");
    let script = write_agent(stage)?;
    let mut node = stage.command("node".as_ref(), &[]);
    node.arg(script).args([&bridged, &own]);
    let output = node
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let pairs: Vec<(f64, f64)> = serde_json::from_slice(&output.stdout)?;
    // The first pair warms up.
    let measured = pairs.get(1..).ok_or("nothing was measured")?;
    let pairs = Pairs::of(measured);
    Ok(vec![
        Row::of(what, "a command that does nothing", &pairs).at_most(1.15, pairs.ratio),
    ])
}

/// Writes a program that starts two commands in turn, as agents do, and prints how long each took.
fn write_agent(stage: &Stage) -> Outcome<PathBuf> {
    let path = stage.home().join("agent.cjs");
    let payload = String::from_utf8(payload(1024))?;
    let text = format!(
        r#"const {{ spawn }} = require("node:child_process");
const payload = {payload:?};
const once = (command) => new Promise((done) => {{
  const begun = process.hrtime.bigint();
  const child = spawn("/bin/sh", ["-c", command], {{ stdio: ["pipe", "pipe", "pipe"] }});
  child.stdout.on("data", () => {{}});
  child.stderr.on("data", () => {{}});
  child.stdin.on("error", () => {{}});
  child.on("close", () => done(Number(process.hrtime.bigint() - begun)));
  child.stdin.end(payload);
}});
(async () => {{
  const pairs = [];
  for (let round = 0; round < 101; round++) {{
    const [one, other] = process.argv.slice(2);
    if (round % 2 === 0) pairs.push([await once(one), await once(other)]);
    else {{ const theirs = await once(other); pairs.push([await once(one), theirs]); }}
  }}
  console.log(JSON.stringify(pairs));
}})();
"#
    );
    fs::write(&path, text)?;
    Ok(path)
}
