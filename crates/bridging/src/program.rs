//! Agents' own programs: where they are, and which version (BR-3).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_bridge::Agent;
use hookloop_process::{Question, Reply, ask, ask_until, find_program};
use hookloop_session::Environment;

/// How long a program may take to report its version: some unpack themselves first.
const TIMEOUT: Duration = Duration::from_secs(20);

/// An agent's program.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// Its version, if it reported one.
    pub version: Option<String>,
}

impl Program {
    /// Returns whether this version was tested and obeys.
    pub fn is_observed(&self, agent: Agent) -> bool {
        let version = self.version.as_deref();
        version.is_some_and(|it| agent.observed_versions().contains(&it))
    }
}

/// Finds an agent's program on the `PATH`, and asks it for its version, in a separate home folder,
/// so that it leaves nothing behind.
pub(crate) fn find(agent: Agent, environment: &Environment) -> Option<Program> {
    let path = find_program(&environment.variables, agent.program())?;
    let home = tempfile::tempdir().ok()?;
    let mut variables = environment.variables.clone();
    variables.retain(|(name, _)| !name.to_string_lossy().starts_with("XDG_") && name != "HOME");
    variables.push(("HOME".into(), home.path().into()));
    let reply = run(&path, &["--version"], &variables, home.path(), "", TIMEOUT);
    let version = reply.and_then(|it| version_in(&it.stdout).or_else(|| version_in(&it.stderr)));
    Some(Program { path, version })
}

/// Runs a program briefly and returns its output; `None` if it couldn't be run.
pub(crate) fn run(
    program: &Path,
    arguments: &[&str],
    variables: &[(OsString, OsString)],
    folder: &Path,
    input: &str,
    longest: Duration,
) -> Option<Reply> {
    let question = Question {
        program,
        arguments,
        variables,
        folder,
        input,
        longest,
    };
    runtime()?.block_on(ask(&question)).ok()
}

/// Asks a server, whose input stays open until its output contains the answer; `None` if it
/// couldn't be run.
pub(crate) fn answered(
    question: &Question<'_>,
    is_answer: impl FnMut(&[u8]) -> bool + Send + 'static,
) -> Option<Reply> {
    runtime()?.block_on(ask_until(question, is_answer)).ok()
}

fn runtime() -> Option<tokio::runtime::Runtime> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().ok()
}

/// Finds the first part of a text that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric() && !".-+".contains(it));
    let is_version = |word: &&str| {
        let parts: Vec<&str> = word
            .split(['-', '+'])
            .next()
            .unwrap_or("")
            .split('.')
            .collect();
        parts.len() >= 3
            && parts
                .iter()
                .all(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
    };
    words
        .map(|word| word.trim_start_matches('v').trim_end_matches('.'))
        .find(is_version)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::version_in;

    /// BR-3: versions are found in agents' output.
    #[test]
    fn versions_are_found() {
        for (text, version) in [
            ("2.1.330 (Claude Code)\n", Some("2.1.330")),
            ("codex-cli 0.169.0", Some("0.169.0")),
            (" goose 1.34.0\n", Some("1.34.0")),
            ("v1.18.33", Some("1.18.33")),
            ("GitHub Copilot CLI 1.0.102.", Some("1.0.102")),
            ("nothing at all 12", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }
}
