//! The guards of `examples/hooks`, unchanged, in a turn of several agents: what a picture in the
//! README shows. All of it is what was seen in real turns.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use hookloop_rehearsal::Turn;
use hookloop_rehearsal::agents::Agent;
use serde_json::{Map, Value, json};

use crate::install::Installed;
use crate::playground::{Finished, Played, Playground, write};
use crate::results::root;

/// The guards.
const GUARDS: [&str; 2] = ["secret-guard", "trash"];

/// What the model asks for: the first holds a key, the second deletes a file.
const ASKED: [&str; 2] = ["echo S3_KEY=AKIAIOSFODNN7EXAMPLE >> .env", "rm notes.txt"];

/// How many characters of what a hook said are shown.
const SHOWN: usize = 64;

/// Lets an agent take the turn, and tells its result, with colours.
pub(crate) fn play(
    agent: &'static Agent,
    installed: &Installed,
    program: &Path,
) -> io::Result<String> {
    let playground = Playground::new(agent, installed, program, false)?;
    put_guards(&playground)?;
    done(&playground.hookloop(&["hooks", "trust"])?)?;
    done(&playground.hookloop(&["bridge", "install", agent.name])?)?;
    write(&playground.in_project("notes.txt"), "buy milk\n")?;
    let mut turns: Vec<Turn> = ASKED.iter().map(|it| playground.shell(it)).collect();
    turns.push(Turn::Say("Done.".to_owned()));
    let played = playground.play("Keep our S3 key in .env, and remove notes.txt", turns)?;
    if played.asked.len() <= ASKED.len() {
        let said = played.finished.said;
        return Err(io::Error::other(format!(
            "{}: the turn ended early: {said}",
            agent.title
        )));
    }
    let trace = playground.hookloop(&["hooks", "trace", "--json"])?;
    let trace: Value = serde_json::from_str(&trace.said)?;
    let runs = trace.get("runs").and_then(Value::as_array);
    let runs = runs.map_or(&[][..], Vec::as_slice);
    let mut text = format!("\u{1b}[1m{} {}\u{1b}[0m\n", agent.title, installed.version);
    tell_hooks(&mut text, runs);
    tell_disk(&mut text, &playground, &played);
    Ok(text)
}

/// Puts the guards into the project as their README says: the scripts, and the settings as they
/// stand.
fn put_guards(playground: &Playground) -> io::Result<()> {
    let mut groups = Vec::new();
    for guard in GUARDS {
        let folder = root().join("examples/hooks").join(guard);
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let is_script = path.extension().is_some_and(|it| it == "sh" || it == "py");
            if let (true, Some(name)) = (is_script, path.file_name()) {
                let hooks = playground.in_project(".gemini/hooks");
                fs::create_dir_all(&hooks)?;
                fs::copy(&path, hooks.join(name))?;
            }
        }
        let settings: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("settings.json"))?)?;
        let of_guard = settings.pointer("/hooks/BeforeTool");
        groups.extend(
            of_guard
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    let settings = json!({"hooks": {"BeforeTool": groups}});
    let path = playground.in_project(".gemini/settings.json");
    write(&path, &format!("{settings:#}\n"))
}

fn done(finished: &Finished) -> io::Result<()> {
    if finished.code == Some(0) {
        return Ok(());
    }
    Err(io::Error::other(finished.said.clone()))
}

/// Prints what hooks said to what the model requested.
fn tell_hooks(text: &mut String, runs: &[Value]) {
    for command in ASKED {
        line(text, 2, &format!("the model asks for: {command}"));
        for run in runs.iter().filter(|it| is_of(it, command)) {
            if let Some((colour, word, what)) = came(run) {
                let label = run.get("label").and_then(Value::as_str).unwrap_or_default();
                // Writing to a string can't fail.
                let _ = write!(text, "    \u{1b}[{colour}m{word}\u{1b}[0m by {label}: ");
                let what = what.lines().next().unwrap_or_default();
                let cut: String = what.chars().take(SHOWN).collect();
                let rest = if cut.len() < what.len() { "…" } else { "" };
                line(text, 0, &format!("{cut}{rest}"));
            }
        }
    }
}

/// Prints what is on the disk after the turn.
fn tell_disk(text: &mut String, playground: &Playground, played: &Played) {
    let kept = if playground.has(".env") {
        "written"
    } else {
        "not written"
    };
    let moved = match (playground.has("notes.txt"), playground.has(".trash")) {
        (false, true) => "is in .trash/",
        (true, _) if played.later_mentions("mv -- notes.txt") => {
            "stays: the model was told what to call instead"
        }
        (true, _) => "stays",
        (false, false) => "is gone",
    };
    line(
        text,
        2,
        &format!("on the disk: .env is {kept}, notes.txt {moved}"),
    );
}

/// Adds a line, indented.
fn line(text: &mut String, indent: usize, what: &str) {
    // Writing to a string can't fail.
    let _ = writeln!(text, "{:indent$}{what}", "");
}

fn is_of(run: &Value, command: &str) -> bool {
    run.pointer("/input/tool_input/command") == Some(&Value::from(command))
}

/// Returns what a hook wanted, if it wanted something: the colour, the word, and what.
fn came(run: &Value) -> Option<(u8, &'static str, String)> {
    let text = |name: &str| run.get(name).and_then(Value::as_str);
    if text("result") == Some("refused") {
        return Some((31, "refused", text("stderr").unwrap_or_default().to_owned()));
    }
    let changes = run.pointer("/reply/hookSpecificOutput/tool_input")?;
    let changes: &Map<_, _> = changes.as_object()?;
    let command = changes.get("command")?.as_str()?;
    Some((33, "rewritten", command.to_owned()))
}
