//! Shells that never come to what they are told, because of the environment of who started the host (IO-35).
//!
//! bash reads the file that `BASH_ENV` names before a command, takes options from `SHELLOPTS`, and lets
//! functions of the environment stand for its own commands. If such a file ends with `exit`, or `noexec` is
//! among the options, every hook ends with 0 and an empty answer, as if it had looked and found nothing.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_process::{Question, ask};
use tokio::sync::Mutex;

/// What a shell is told to end with.
const CODE: i32 = 79;
const TELLS: &str = "exit 79";

/// How long it may take. One that takes longer is not judged: a hook's own timeout is.
const LONGEST: Duration = Duration::from_secs(5);

/// How the names of functions of the environment begin.
const FUNCTION: &str = "BASH_FUNC_";

/// What was found out about shells, once each.
#[derive(Debug, Default)]
pub(crate) struct Silenced(Mutex<HashMap<PathBuf, Option<String>>>);

impl Silenced {
    /// Says why a shell never comes to a hook's command, if it doesn't: it is tried once.
    pub(crate) async fn by(
        &self,
        variables: &[(OsString, OsString)],
        shell: &Path,
        folder: &Path,
    ) -> Option<String> {
        let names = suspects(variables).collect::<Vec<_>>();
        let mut known = self.0.lock().await;
        if let Some(known) = known.get(shell) {
            return known.clone();
        }
        let question = Question {
            program: shell,
            arguments: &["-c", TELLS],
            variables,
            folder,
            input: "",
            longest: LONGEST,
        };
        // What can't be started says so itself.
        let status = ask(&question).await.ok().and_then(|it| it.status);
        let why = status.filter(|it| it.code() != Some(CODE)).map(|status| {
            format!(
                "{} never comes to a hook's command: the environment sets {}, and with that a shell \
                 that is told to end with {CODE} ends with {}",
                shell.display(),
                names.join(", "),
                status.code().map_or("a signal".to_owned(), |it| it.to_string()),
            )
        });
        known.insert(shell.to_owned(), why.clone());
        why
    }
}

/// Tells whether a shell may do something before a command, or in its place.
pub(crate) fn is_possible(variables: &[(OsString, OsString)]) -> bool {
    suspects(variables).next().is_some()
}

/// Returns the variables of an environment by which that may be.
fn suspects(variables: &[(OsString, OsString)]) -> impl Iterator<Item = &str> {
    let names = variables.iter().filter(|(_, value)| !value.is_empty());
    let names = names.filter_map(|(name, _)| name.to_str());
    let is_suspect = |name: &&str| {
        matches!(*name, "BASH_ENV" | "SHELLOPTS" | "BASHOPTS") || name.starts_with(FUNCTION)
    };
    names.filter(is_suspect)
}
