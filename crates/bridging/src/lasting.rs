//! Calls in which a hook may announce in its first line that nobody needs to wait for it (FD-22). A
//! separate process answers them, and continues after the agent has its answer.
//!
//! This costs a process, so it is done only if something suggests that a hook will announce this:
//! its text, or an earlier announcement in the session. Any other hook that announces it is waited
//! for, and that is reported.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookloop_bridge::{Answer, Firing};
use hookloop_dialects::may_announce_async;
use hookloop_hook::HookDeclaration;
use hookloop_session::Workspace;
use hookloop_settings::bounded::read_regular;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::memory::Remembered;

/// The longest script that is examined, in bytes.
const MAX_SCRIPT_BYTES: u64 = 1024 * 1024;

/// What a process must know to answer a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Answering {
    /// The payload, as the agent wrote it.
    pub(crate) payload: Map<String, Value>,
    /// The folder in which the agent called.
    pub(crate) cwd: PathBuf,
    /// What the agent's environment sets, but has no effect (BR-25).
    pub(crate) surroundings: Vec<String>,
    /// How long hooks may take.
    pub(crate) left: Duration,
}

/// An answer on its way from one process to the other.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    exit: u8,
    stdout: String,
    stderr: String,
}

/// Returns the hooks that may say that nobody needs to wait for them, as far as anything suggests.
pub(crate) fn announcing(
    workspace: &Workspace,
    firings: &[Firing],
    remembered: &Remembered,
) -> Vec<Arc<HookDeclaration>> {
    let is_fired = |hook: &HookDeclaration| firings.iter().any(|it| it.event == hook.event);
    let may_run = workspace.vouched.iter().filter(|it| it.may_run());
    let hooks = may_run.map(|it| &it.hook).filter(|hook| {
        !hook.asynchronous
            && may_announce_async(hook.dialect, hook.event)
            && is_fired(hook)
            && (remembered.announced.contains(hook.id.as_str()) || mentions_event(workspace, hook))
    });
    hooks.cloned().collect()
}

/// Returns whether the text of a hook mentions it.
fn mentions_event(workspace: &Workspace, hook: &HookDeclaration) -> bool {
    const WORD: &str = "async";
    let command = hook.command();
    if command.contains(WORD) {
        return true;
    }
    let opening = &workspace.opening;
    let home = opening.home.to_string_lossy();
    let project = workspace.project_root.to_string_lossy();
    let mut command = command.replace("~/", &format!("{home}/"));
    let mut put = |name: &str, value: &str| {
        for written in [format!("${{{name}}}"), format!("${name}")] {
            command = command.replace(&written, value);
        }
    };
    put("CLAUDE_PROJECT_DIR", &project);
    put("HOME", &home);
    if let Some(extension) = &hook.extension {
        put("CLAUDE_PLUGIN_ROOT", &extension.path.to_string_lossy());
    }
    let unquoted = command.replace(['"', '\'', ';', '(', ')'], " ");
    let mut words = unquoted.split_whitespace();
    words.any(|word| {
        let path = opening.current_dir.join(word);
        let text = read_regular(&path, MAX_SCRIPT_BYTES);
        text.is_ok_and(|it| String::from_utf8_lossy(&it).contains(WORD))
    })
}

/// Reads the answer from the process of a call.
///
/// # Errors
/// It ended without one.
pub(crate) fn read(output: impl io::Read) -> io::Result<Answer> {
    let mut line = String::new();
    // Agents' own limits are far lower.
    BufReader::new(output.take(256 * 1024 * 1024)).read_line(&mut line)?;
    let Line {
        exit,
        stdout,
        stderr,
    } = serde_json::from_str(&line)?;
    Ok(Answer {
        exit,
        stdout,
        stderr,
    })
}

/// Writes an answer for the process that waits for it.
///
/// # Errors
/// Nobody reads it any more.
pub(crate) fn write(answer: &Answer) -> io::Result<()> {
    let line = serde_json::to_string(&Line {
        exit: answer.exit,
        stdout: answer.stdout.clone(),
        stderr: answer.stderr.clone(),
    })?;
    let mut output = io::stdout().lock();
    output.write_all(line.as_bytes())?;
    output.write_all(b"\n")?;
    output.flush()
}
