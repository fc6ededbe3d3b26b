//! What a hook costs in turns of a real agent: none, one that the agent runs itself, and the same
//! one through the bridge (BR-31).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_rehearsal::Turn;
use hookloop_rehearsal::agents::Agent;
use serde_json::{Map, Value, json};

use crate::install::Installed;
use crate::playground::{Playground, write};

/// The hook: a program that does nothing.
const NO_OP: &str = "bash -c 'exit 0'";

/// How many calls a turn has. The first is left out: what precedes it differs.
const CALLS: usize = 16;

/// How many turns each kind of hook has.
const ROUNDS: usize = 4;

/// Which words show an entry of the bridge.
const BRIDGE: &str = "hooks bridge";

/// Settings of an agent: the texts of files, and those that are missing.
type Files = BTreeMap<PathBuf, Option<String>>;

/// What runs before and after each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hooks {
    None,
    Own,
    Bridged,
}

/// Measures an agent, and says what a call takes with each kind of hook.
pub(crate) fn measure(
    agent: &'static Agent,
    installed: &Installed,
    program: &Path,
) -> io::Result<String> {
    let playground = Playground::new(agent, installed, program, false)?;
    configure(&playground)?;
    let variants = variants(&playground, agent)?;
    let mut times: BTreeMap<Hooks, Vec<Duration>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (hooks, files) in &variants {
            place(files)?;
            let calls = (0..CALLS).map(|_| playground.shell("true"));
            let turns = calls.chain([Turn::Say("done".to_owned())]);
            let played = playground.play("do it", turns)?;
            let asked: Vec<_> = played.asked.iter().skip(1).map(|it| it.at).collect();
            if asked.len() < CALLS {
                let message = format!("its turn ended early: {}", played.finished.said);
                return Err(io::Error::other(message));
            }
            let gaps = asked.windows(2).map(|pair| pair[1].duration_since(pair[0]));
            times.entry(*hooks).or_default().extend(gaps);
        }
    }
    let of = |hooks: Hooks| median(times.get(&hooks).map_or(&[][..], Vec::as_slice));
    let (none, own, bridged) = (of(Hooks::None), of(Hooks::Own), of(Hooks::Bridged));
    // What the agent does besides may take longer than its hooks; then they can't be told apart.
    let alone = if own > none {
        format!(", {:.2}× the hooks alone", (bridged - none) / (own - none))
    } else {
        String::new()
    };
    Ok(format!(
        "{}: a call takes {none:.1} ms without hooks, {own:.1} ms with a hook of its own before \
         and after it, {bridged:.1} ms with the same through the bridge: {:.2}× the call{alone}",
        agent.title,
        bridged / own,
    ))
}

/// Lets our hooks be the same no-op.
fn configure(playground: &Playground) -> io::Result<()> {
    let hook = json!([{"hooks": [{"type": "command", "name": "no-op", "command": NO_OP}]}]);
    let settings = json!({"hooks": {"BeforeTool": hook, "AfterTool": hook}});
    let path = playground.stage.home.join(".gemini/settings.json");
    write(&path, &format!("{settings:#}\n"))
}

/// Returns the agent's settings with each kind of hook: those that the bridge writes, the same with
/// the hook in place of the bridge, and those that were there before.
fn variants(playground: &Playground, agent: &Agent) -> io::Result<Vec<(Hooks, Files)>> {
    let home = &playground.stage.home;
    let before = json_files(home)?;
    let finished = playground.hookloop(&["bridge", "install", agent.name])?;
    let mut bridged = json_files(home)?;
    bridged.retain(|_, text| text.as_ref().is_some_and(|it| it.contains(BRIDGE)));
    if bridged.is_empty() {
        let message = format!("its hooks aren't in JSON files: {}", finished.said);
        return Err(io::Error::other(message));
    }
    let mut own = Files::new();
    for (path, text) in &mut bridged {
        let mut settings: Value = serde_json::from_str(text.as_deref().unwrap_or_default())?;
        keep_tools(&mut settings);
        *text = Some(format!("{settings:#}\n"));
        replace(&mut settings);
        own.insert(path.clone(), Some(format!("{settings:#}\n")));
    }
    let none = bridged.keys();
    let none = none.map(|it| (it.clone(), before.get(it).cloned().flatten()));
    Ok(vec![
        (Hooks::None, none.collect()),
        (Hooks::Own, own),
        (Hooks::Bridged, bridged),
    ])
}

/// Leaves only the entries of the events before and after a tool.
fn keep_tools(settings: &mut Value) {
    let is_of_tool = |event: &str| {
        let event = event.to_ascii_lowercase();
        ["pretooluse", "posttooluse"].contains(&event.as_str())
    };
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        let kept = std::mem::take(hooks).into_iter();
        *hooks = kept
            .filter(|(event, _)| is_of_tool(event))
            .collect::<Map<_, _>>();
    }
}

/// Puts the hook in place of every entry of the bridge.
fn replace(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(BRIDGE) => NO_OP.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(replace),
        Value::Object(members) => members.values_mut().for_each(replace),
        _ => {}
    }
}

fn place(files: &Files) -> io::Result<()> {
    for (path, text) in files {
        match text {
            Some(text) => write(path, text)?,
            None if path.exists() => fs::remove_file(path)?,
            None => {}
        }
    }
    Ok(())
}

/// Reads the JSON files of a folder and those below it.
fn json_files(folder: &Path) -> io::Result<Files> {
    let mut found = Files::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(json_files(&path)?);
        } else if path.extension().is_some_and(|it| it == "json") {
            found.insert(path.clone(), fs::read_to_string(&path).ok());
        }
    }
    Ok(found)
}

/// Returns the median in milliseconds.
fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len() / 2);
    middle.map_or(f64::NAN, |it| it.as_secs_f64() * 1000.0)
}
