//! Interpreters that the environment keeps from running their program (IO-35).
//!
//! bash reads the file in `BASH_ENV` before a command, Python loads `sitecustomize` from
//! `PYTHONPATH`, and Node loads what `NODE_OPTIONS` requires. If such a file ends the program,
//! consumes its input or changes its exit code, every hook exits with 0 and an empty answer, as if
//! it had found nothing to object to. So if the environment could do that, each interpreter that a
//! hook starts is tested once: it must return its input and exit as instructed.

mod interpreter;
mod shell_variables;
mod started;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_process::{Question, Reply, ask};
use tokio::sync::OnceCell;

use crate::invocation_command::Start;

use interpreter::{CODE, Interpreter, is_suspect};
use started::{Started, find_interpreters};

/// How long it may take. One that takes longer isn't judged: a hook's own timeout is.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The results, one for each way to start an interpreter.
#[derive(Debug, Default)]
pub(crate) struct Silenced(Mutex<HashMap<Key, Arc<OnceCell<Option<String>>>>>);

/// An interpreter, how it is started, and the variables that may change what it does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    program: PathBuf,
    arguments: Vec<String>,
    /// What a variable names may be there in one folder and not in another.
    folder: PathBuf,
    suspects: Vec<(OsString, OsString)>,
}

impl Silenced {
    /// Returns why an interpreter that a hook starts never runs its program, if it doesn't.
    pub(crate) async fn by(&self, start: &Start<'_>) -> Option<String> {
        if !start.environment.iter().any(|(name, _)| is_suspect(name)) {
            return None;
        }
        let all = variables_of(start);
        for started in find_interpreters(start, &all) {
            let is_left =
                |name: &OsStr| !name.to_str().is_some_and(|it| started.without.contains(it));
            let variables = all.iter().filter(|(name, _)| is_left(name)).cloned();
            let variables: Vec<_> = variables.collect();
            let suspects = suspects(&variables, &started.interpreters);
            if suspects.is_empty() {
                continue;
            }
            let key = Key {
                program: started.program.clone(),
                arguments: started.arguments.clone(),
                folder: start.cwd.to_owned(),
                suspects,
            };
            let found = {
                let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(known.entry(key.clone()).or_default())
            };
            let why = found
                .get_or_init(|| silencing_cause(&started, &key.suspects, &variables, start.cwd));
            if let Some(why) = why.await {
                return Some(why.clone());
            }
        }
        None
    }
}

/// Returns the environment of a run, each variable once.
fn variables_of(start: &Start<'_>) -> Vec<(OsString, OsString)> {
    let all: HashMap<&OsStr, &OsStr> = start.environment.iter().collect();
    let owned = |(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned());
    all.into_iter().map(owned).collect()
}

/// Returns the variables that may change what one of these interpreters does, sorted.
fn suspects(
    variables: &[(OsString, OsString)],
    interpreters: &[Interpreter],
) -> Vec<(OsString, OsString)> {
    let may_change = |name: &OsStr| interpreters.iter().any(|it| it.is_affected_by(name));
    let found = variables
        .iter()
        .filter(|(name, value)| !value.is_empty() && may_change(name));
    let mut found: Vec<_> = found.cloned().collect();
    found.sort();
    found
}

/// Tries an interpreter, and returns why it never runs a program.
async fn silencing_cause(
    started: &Started,
    suspects: &[(OsString, OsString)],
    variables: &[(OsString, OsString)],
    folder: &Path,
) -> Option<String> {
    let fault = fault_of(started, variables, folder).await?;
    let joined = |suspects: &[&(OsString, OsString)]| {
        let names = suspects
            .iter()
            .map(|(name, _)| name.to_string_lossy().into_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut guilty = Vec::new();
    for suspect in suspects {
        let others = variables.iter().filter(|it| *it != suspect).cloned();
        let others: Vec<_> = others.collect();
        if fault_of(started, &others, folder).await.is_none() {
            guilty.push(suspect);
        }
    }
    let names = if guilty.is_empty() {
        // No single variable is to blame: it may take several, or the program is broken without
        // them and reports that itself.
        let others = variables
            .iter()
            .filter(|it| !suspects.contains(it))
            .cloned();
        let others: Vec<_> = others.collect();
        if fault_of(started, &others, folder).await.is_some() {
            return None;
        }
        joined(&suspects.iter().collect::<Vec<_>>())
    } else {
        joined(&guilty)
    };
    Some(format!(
        "the environment sets {names}, which keeps {} from running a hook's program as written: \
         {fault}. Unset {names} where you start the agent, or give the hook other values in its \
         `env`",
        started.interpreter_name(),
    ))
}

/// Returns what an interpreter does instead of what it is told.
async fn fault_of(
    started: &Started,
    variables: &[(OsString, OsString)],
    folder: &Path,
) -> Option<String> {
    let word = uuid::Uuid::new_v4().simple().to_string();
    let arguments: Vec<&str> = started.arguments.iter().map(String::as_str).collect();
    let question = Question {
        program: &started.program,
        arguments: &arguments,
        variables,
        folder,
        input: &format!("{word}\n"),
        longest: TIMEOUT,
    };
    // A program that can't be started is reported when the hook runs.
    let Reply { status, stdout, .. } = ask(&question).await.ok()?;
    let status = status?;
    if status.code() != Some(CODE) {
        let code = status.code();
        let code = code.map_or("a signal".to_owned(), |it| it.to_string());
        return Some(format!("told to exit with {CODE}, it exits with {code}"));
    }
    let comes_back = stdout.contains(&word);
    (!comes_back).then(|| "what it reads isn't printed back unchanged".to_owned())
}
