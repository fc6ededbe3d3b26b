//! What coming and going does to the person's files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookloop_rehearsal::agents::Agent;

use super::trusting::trust_codex;
use super::{Observation, shown};
use crate::outcome::Claim;
use crate::playground::{Playground, write};

/// The files below a folder with what is in them.
type Snapshot = BTreeMap<PathBuf, Vec<u8>>;

/// Installs twice, uninstalls, and looks at the person's files; then installs for good.
pub(super) fn come_and_go(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    own_entries(playground, agent)?;
    let before = snapshot(&playground.stage.home)?;
    let mut wrong = Vec::new();
    let mut step = |verb: &str| -> io::Result<Snapshot> {
        let finished = playground.hookloop(&["bridge", verb, agent.name])?;
        if finished.code != Some(0) {
            wrong.push(format!("{verb}: {}", shown(&finished)));
        }
        snapshot(&playground.stage.home)
    };
    let once = step("install")?;
    let twice = step("install")?;
    let after = step("uninstall")?;
    step("install")?;
    if once == before {
        wrong.push("installing changed nothing".to_owned());
    }
    wrong.extend(
        differences(&once, &twice).map(|path| format!("the second install changed {path}")),
    );
    wrong.extend(differences(&before, &after).map(|path| format!("{path} isn't as it was")));
    Ok(vec![Observation::of(
        Claim::Files,
        wrong.is_empty(),
        || wrong.join("; "),
    )])
}

/// Asks doctor while everything should be in force.
pub(super) fn doctor(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    let mut finished = playground.hookloop(&["bridge", "doctor", agent.name])?;
    let mut is_right = finished.code == Some(0);
    if agent.name == "codex" {
        // Nobody trusted the hooks yet, so that they are skipped.
        let is_found = finished.code == Some(1) && finished.said.contains("trusted");
        trust_codex(playground)?;
        finished = playground.hookloop(&["bridge", "doctor", agent.name])?;
        is_right = is_found && finished.code == Some(0);
    }
    let live = playground.hookloop(&["bridge", "doctor", agent.name, "--live"])?;
    let is_live = live.code == Some(0) && live.said.contains("a refused command didn't run");
    Ok(vec![
        Observation::of(Claim::Doctor, is_right, || shown(&finished)),
        Observation::of(Claim::LiveDoctor, is_live, || shown(&live)),
    ])
}

/// Gives the person entries of their own in the files that the bridge changes.
fn own_entries(playground: &Playground, agent: &Agent) -> io::Result<()> {
    let home = &playground.stage.home;
    match agent.name {
        "claude-code" => write(
            &home.join(".claude/settings.json"),
            "{\n    \"cleanupPeriodDays\": 20,\n    \"hooks\": {\n        \"Stop\": [\n            \
             {\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}\n        ]\n    }\n}\n",
        ),
        "codex" => write(
            &home.join(".codex/hooks.json"),
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}",
        ),
        "kimi" => {
            let path = home.join(".kimi-code/config.toml");
            let text = fs::read_to_string(&path)?;
            write(&path, &format!("# my own words\n{text}\n\n# the end"))
        }
        _ => Ok(()),
    }
}

/// Returns the files whose content isn't the same. An agent that is asked for its version may
/// write logs, so files that only came count where they have to do with us.
fn differences<'a>(
    before: &'a Snapshot,
    after: &'a Snapshot,
) -> impl Iterator<Item = String> + use<'a> {
    let changed = before
        .iter()
        .filter(|(path, text)| after.get(*path) != Some(text))
        .map(|(path, _)| path);
    let came = after
        .iter()
        .filter(|(path, text)| {
            let is_named = path.to_string_lossy().contains("hookloop");
            !before.contains_key(*path) && (is_named || holds(text, b"hooks bridge"))
        })
        .map(|(path, _)| path);
    changed.chain(came).map(|path| path.display().to_string())
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Reads all files of the person's home but those of our own state.
fn snapshot(home: &Path) -> io::Result<Snapshot> {
    let mut files = Snapshot::new();
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let is_state = path.parent().is_some_and(|folder| {
                [".local/share", ".local/state", ".cache"]
                    .iter()
                    .any(|it| folder.ends_with(it))
            }) && path.ends_with("hookloop");
            if is_state {
                continue;
            }
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path)?;
                files.insert(path, target.into_os_string().into_encoded_bytes());
            } else if metadata.is_file() {
                let text = fs::read(&path)?;
                files.insert(path, text);
            }
        }
    }
    Ok(files)
}
