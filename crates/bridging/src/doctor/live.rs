//! `--live`: one turn of the real agent, offline, with a hook that refuses (BR-3).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use hookloop_bridge::InstallScope;
use hookloop_process::find_program;
use hookloop_rehearsal::agents::{Agent, Stage};
use hookloop_rehearsal::{ScriptedModel, Turn};
use hookloop_text::shorten::first_line;
use serde_json::{Value, json};

use super::{CheckedAgent, Finding};
use crate::{files, program};

/// The reason of the refusing hook, which the model has to read.
const REASON: &str = "refused by a test of hookloop";

/// The file that the model tries to create, and that must not appear.
const FILE: &str = "the-command-ran";

/// How much of the agent's output is shown, in characters.
const MAX_SHOWN: usize = 200;

/// The result of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// Whether the command ran.
    ran: bool,
    /// How often the model was called.
    asked: usize,
    /// Whether the model read the reason.
    is_told: bool,
}

/// Lets the agent take the turn in a separate home folder, with the entries that `install` writes
/// and the registered program.
pub(super) fn rehearse(patient: &CheckedAgent<'_>) -> Finding {
    let word = patient.agent.word();
    let Some(actor) = Agent::by_name(word) else {
        return Finding::warning("how to run it offline isn't known: no turn was run");
    };
    let variables = &patient.setting.environment.variables;
    let Some(found) = find_program(variables, actor.program) else {
        return Finding::warning(format!(
            "`{}` isn't on the PATH: no turn was run",
            actor.program
        ));
    };
    match turn(patient, actor, &found) {
        Ok((seen, output)) => judge(seen, &output),
        Err(error) => Finding::warning(format!("a test turn can't be prepared: {error}")),
    }
}

fn turn(patient: &CheckedAgent<'_>, actor: &Agent, found: &Path) -> io::Result<(Seen, String)> {
    let folder = tempfile::tempdir()?;
    // Agents compare resolved paths.
    let root = folder.path().canonicalize()?;
    let call = Turn::Call(actor.shell(&format!("touch {FILE}")));
    let model = ScriptedModel::start([call, Turn::Say("done".to_owned())])?;
    let stage = Stage {
        home: root.join("home"),
        project: root.join("project"),
        model: model.url(),
    };
    std::fs::create_dir(&stage.home)?;
    std::fs::create_dir(&stage.project)?;
    write_files(patient, actor, &stage)?;
    let variables = variables(patient, actor, &stage);
    let run = |arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let longest = actor.patience;
        program::run(found, &arguments, &variables, &stage.project, "", longest)
    };
    if let Some(arguments) = actor.preparation(&stage) {
        run(&arguments);
    }
    let reply = run(&actor.arguments("Do one step"));
    let asked = model.turns_asked();
    let seen = Seen {
        ran: stage.project.join(FILE).exists(),
        asked: asked.len(),
        is_told: asked.iter().any(|request| request.mentions(REASON)),
    };
    let output = reply.map_or_else(String::new, |reply| reply.stderr + &reply.stdout);
    Ok((seen, output))
}

/// Writes what the agent needs to run offline, a hook that refuses everything, and the entries of
/// the bridge, as `install` would write them.
fn write_files(patient: &CheckedAgent<'_>, actor: &Agent, stage: &Stage) -> io::Result<()> {
    let mut texts: BTreeMap<PathBuf, (String, bool)> = actor
        .files(stage)
        .into_iter()
        .map(|file| (file.path, (file.text, false)))
        .collect();
    let settings = stage.home.join(".gemini/settings.json");
    let before = texts.get(&settings).map_or("{}", |(text, _)| text);
    let mut settings_of_person: Value = serde_json::from_str(before)?;
    let hook = json!({"type": "command", "command": format!("echo '{REASON}' >&2; exit 2")});
    settings_of_person["hooks"] = json!({"BeforeTool": [{"hooks": [hook]}]});
    texts.insert(settings, (format!("{settings_of_person:#}\n"), false));
    // The link's path determines whose hooks run (BR-25): here those of the stage.
    let link = files::link(&stage.home);
    files::keep_link(&stage.home, &files::link(&patient.setting.home))?;
    for file in patient.agent.files(InstallScope::User, &stage.home, None) {
        let before = texts.get(&file.path).map(|(text, _)| text.as_str());
        let text = patient.agent.install(&file, before, &link);
        let text = text.map_err(|error| io::Error::other(error.to_string()))?;
        texts.insert(file.path, (text, file.is_program));
    }
    for (path, (text, is_program)) in texts {
        files::make_folders(&path)?;
        files::write(&path, &text, is_program)?;
    }
    Ok(())
}

/// Returns an environment without anything of the person's: no keys, and no other model.
fn variables(
    patient: &CheckedAgent<'_>,
    actor: &Agent,
    stage: &Stage,
) -> Vec<(OsString, OsString)> {
    let own = &patient.setting.environment.variables;
    let kept = ["PATH", "LANG", "TMPDIR", "SystemRoot"];
    let mut variables: Vec<(OsString, OsString)> = own
        .iter()
        .filter(|(name, _)| kept.iter().any(|it| name == it))
        .cloned()
        .collect();
    variables.push(("HOME".into(), stage.home.clone().into()));
    let of_actor = actor.environment(stage).into_iter();
    variables.extend(of_actor.map(|it| (it.name.into(), it.value.into())));
    variables
}

/// Returns what a turn proves. One in which the model was never called proves nothing.
fn judge(seen: Seen, output: &str) -> Finding {
    match seen {
        Seen { ran: true, .. } => {
            Finding::error("in an offline test turn, a command ran that a hook had refused")
        }
        Seen { is_told: true, .. } => Finding::good(
            "in an offline test turn, a refused command didn't run, and the model read why",
        ),
        Seen { asked: 0, .. } => {
            let line =
                first_line(output, MAX_SHOWN).unwrap_or_else(|| "it printed nothing".to_owned());
            Finding::warning(format!(
                "its test turn called no model, so nothing is proven: {line}"
            ))
        }
        Seen { .. } => Finding::good(
            "in an offline test turn, a refused command didn't run; the model didn't read why",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    /// BR-3: a command that ran is an error whatever else was observed; a turn that called no model
    /// proves nothing, and says so.
    #[test]
    fn only_what_was_seen_is_proven() {
        let seen = |ran, asked, is_told| Seen {
            ran,
            asked,
            is_told,
        };
        for (seen, level) in [
            (seen(true, 2, true), Level::Error),
            (seen(true, 0, false), Level::Error),
            (seen(false, 2, true), Level::Good),
            (seen(false, 1, false), Level::Good),
            (seen(false, 0, false), Level::Warning),
        ] {
            assert_eq!(judge(seen, "").level, level, "{seen:?}");
        }
        let silent = judge(seen(false, 0, false), "\nno login\nmore");
        assert!(silent.text.ends_with("no login"), "{}", silent.text);
    }
}
