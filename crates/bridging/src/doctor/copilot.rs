//! Checks for Copilot only: a repository's settings of Claude Code that switch its hooks off, and
//! individual hooks that a person switched off, which its own server names.

use std::collections::BTreeSet;
use std::fs::canonicalize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_bridge::InstallScope;
use hookloop_hook::quoted;
use hookloop_process::Question;
use serde_json::{Value, json};

use super::switches::{judge_file, settings};
use super::{CheckedAgent, Finding};
use crate::program::{self, Program};

/// The time limit for its server.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The key that switches all hooks off, and the one that lists disabled hooks.
const ALL_OFF: &str = "disableAllHooks";
const OFF: &str = "disabledHooks";

/// The files of a repository that it obeys besides its own.
const OF_CLAUDE_CODE: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// Finds what switches hooks off in files that aren't Copilot's, and asks Copilot about the
/// bridge's.
pub(super) fn switches(patient: &CheckedAgent<'_>, program: Option<&Program>) -> Vec<Finding> {
    let project = &patient.setting.project;
    let files = OF_CLAUDE_CODE.into_iter().map(|it| project.join(it));
    let mut found: Vec<Finding> = files
        .filter_map(|file| judge_file(&file, |value| all_off(&file, value)))
        .collect();
    if let Some(hooks) = program.and_then(|it| list_hooks(patient, it)) {
        found.push(check_bridge(patient, &hooks));
        return found;
    }
    found.extend(check_disabled(patient));
    if program.is_some() {
        found.push(Finding::warning(
            "Copilot didn't say which hooks it runs, so it isn't known whether some are disabled",
        ));
    }
    found
}

fn all_off(file: &Path, value: &Value) -> Option<Finding> {
    (value.get(ALL_OFF) == Some(&Value::Bool(true))).then(|| {
        Finding::error(format!(
            "{} disables all hooks in Copilot, too: remove `{ALL_OFF}`",
            file.display()
        ))
    })
}

/// Names the person's settings if they list disabled hooks, by hashes that don't reveal which.
fn check_disabled(patient: &CheckedAgent<'_>) -> Option<Finding> {
    let user = InstallScope::User;
    let files = patient.setting.switching_files_of(patient.agent, user);
    let lists_some = |file: &PathBuf| {
        // What can't be read is reported already.
        let value = settings(file).unwrap_or_default();
        let off = value.get(OFF).and_then(Value::as_array);
        off.is_some_and(|it| !it.is_empty())
    };
    files.into_iter().find(lists_some).map(|file| {
        Finding::warning(format!(
            "{} disables individual hooks (`{OFF}`), and it isn't known whether the bridge's are among them: run \
             `bridge doctor` where `copilot` is on the PATH, so that it can be asked",
            file.display()
        ))
    })
}

/// Returns whether Copilot runs the bridge's hooks, according to its list.
fn check_bridge(patient: &CheckedAgent<'_>, hooks: &[Value]) -> Finding {
    let (setting, agent) = (patient.setting, patient.agent);
    let scopes = patient.scopes.iter();
    let files = scopes.flat_map(|scope| setting.files(agent, *scope));
    let files: Vec<PathBuf> = files.filter_map(|it| canonicalize(it.path).ok()).collect();
    let is_ours = |hook: &&Value| {
        let source = hook.get("source").and_then(Value::as_str);
        let source = source.and_then(|it| canonicalize(it).ok());
        source.is_some_and(|it| files.contains(&it))
    };
    let ours: Vec<&Value> = hooks.iter().filter(is_ours).collect();
    if ours.is_empty() {
        return Finding::error(
            "Copilot lists no hook of the bridge: it doesn't trust this folder, or reads its hooks \
             elsewhere",
        );
    }
    let is_off = |hook: &&&Value| hook.get("enabled") == Some(&Value::Bool(false));
    let off: Vec<&&Value> = ours.iter().filter(is_off).collect();
    let key = |hook: &&&Value| hook.get("disableKey").and_then(Value::as_str).map(quoted);
    let keys: BTreeSet<String> = off.iter().filter_map(key).collect();
    if off.is_empty() {
        return Finding::good("Copilot runs every hook of the bridge");
    }
    if keys.is_empty() {
        return Finding::error(
            "Copilot runs no hook of the bridge: all hooks are disabled: in its settings, in the \
             repository, or by the administrator of this machine",
        );
    }
    let file = setting.switching_files_of(agent, InstallScope::User);
    let file = file.last().map(|it| it.display().to_string());
    Finding::error(format!(
        "{} disables {} of {} hooks of the bridge: remove {} from `{OFF}`",
        file.unwrap_or_default(),
        off.len(),
        ours.len(),
        keys.into_iter().collect::<Vec<_>>().join(", ")
    ))
}

/// Asks Copilot's own server which hooks it runs; `None` if it doesn't say.
fn list_hooks(patient: &CheckedAgent<'_>, found: &Program) -> Option<Vec<Value>> {
    let setting = patient.setting;
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "hooks.discover", "params": {
        "projectPaths": [setting.project.to_string_lossy()]
    }});
    let asked = asked.to_string();
    let question = Question {
        program: &found.path,
        arguments: &["--headless", "--stdio"],
        variables: &setting.environment.variables,
        folder: &setting.project,
        input: &format!("Content-Length: {}\r\n\r\n{asked}", asked.len()),
        longest: TIMEOUT,
    };
    let answered = program::answered(&question, |output| answer(output).is_some())?;
    let reply = answer(answered.stdout.as_bytes())?;
    reply.pointer("/result/hooks")?.as_array().cloned()
}

/// Finds the answer among messages that begin with their length.
fn answer(mut output: &[u8]) -> Option<Value> {
    const END: &[u8] = b"\r\n\r\n";
    loop {
        let head = output.windows(END.len()).position(|it| it == END)?;
        let lines = std::str::from_utf8(&output[..head]).ok()?.lines();
        let mut lengths = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.trim().eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        });
        let body = &output[head + END.len()..];
        let (message, rest) = body.split_at_checked(lengths.next()?)?;
        match serde_json::from_slice::<Value>(message) {
            Ok(value) if value.get("id") == Some(&json!(1)) => return Some(value),
            _ => output = rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-3: the answer of Copilot's server is read completely, after notices, and not before it
    /// has arrived.
    #[test]
    fn the_answer_is_found_among_messages() {
        let message = |value: &Value| {
            let text = value.to_string();
            format!("Content-Length: {}\r\nX: y\r\n\r\n{text}", text.len())
        };
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {"hooks": []}});
        let said = message(&json!({"method": "notice"})) + &message(&reply);
        for cut in 0..said.len() {
            assert_eq!(answer(&said.as_bytes()[..cut]), None, "{cut}");
        }
        assert_eq!(answer(said.as_bytes()), Some(reply));
        assert_eq!(answer(b"Content-Length: x\r\n\r\n{}"), None);
    }
}
