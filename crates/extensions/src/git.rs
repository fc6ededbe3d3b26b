//! Fetches a repository with the `git` program, which isn't allowed to run anything (EX-4).

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Completion, Ending, Executor, Invocation, Lifetime, StopCause, StopSignal};
use hookloop_events::{EventName, Payload, SessionIdentity};
use hookloop_exec::{CommandExecutor, Redaction, Surroundings};
use hookloop_hook::{Handler, HookDeclaration};
use hookloop_text::{powershell_word, quote};

use crate::failure::Failure;
use crate::staging::not_writable;

/// How long a step may take.
const TIMEOUT: Duration = Duration::from_mins(5);

/// How many bytes of git's output are kept.
const OUTPUT: usize = 64 * 1024;

/// Git's variables for reaching a server. All others are withheld: in a git hook, they would
/// redirect it to another repository.
const PASSED_VARIABLES: [&str; 8] = [
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Settings with which git runs nothing from the repository.
const HARMLESS: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "protocol.ext.allow=never",
];

/// Attributes that override the repository's own: no filter runs at checkout, whatever the user has
/// configured.
const ATTRIBUTES: &str = "* -filter -ident -text -working-tree-encoding\n";

/// The surroundings of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The variables that git inherits, except for its own.
    pub variables: &'a [(OsString, OsString)],
    /// The current folder.
    pub current_dir: &'a Path,
    /// The folder for temporary files.
    pub scratch_dir: &'a Path,
}

/// Fetches the latest state of a repository into a new folder.
pub fn fetch(
    around: &Around<'_>,
    url: &str,
    reference: Option<&str>,
    into: &Path,
) -> Result<(), Failure> {
    let place = into.to_string_lossy();
    let mut clone = vec!["git"];
    clone.extend(HARMLESS);
    clone.extend([
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--single-branch",
        "--no-tags",
    ]);
    clone.extend(["--no-checkout", "--no-recurse-submodules", "--template="]);
    if let Some(reference) = reference {
        clone.extend(["--branch", reference]);
    }
    clone.extend(["--", url, &place]);
    let mut checkout = vec!["git", "-C", &place];
    checkout.extend(HARMLESS);
    checkout.extend(["checkout", "--quiet", "--force", "HEAD"]);
    let above = into.parent().unwrap_or(into);
    run(around, &clone, above, url)?;
    let attributes = into.join(".git").join("info").join("attributes");
    std::fs::create_dir_all(attributes.with_file_name(""))
        .and_then(|()| std::fs::write(&attributes, ATTRIBUTES))
        .map_err(|error| not_writable(&attributes, &error))?;
    run(around, &checkout, above, url)
}

fn run(around: &Around<'_>, words: &[&str], folder: &Path, url: &str) -> Result<(), Failure> {
    let completion = complete(around, words, folder)?;
    let why = match &completion.ending {
        Ending::Exited(0) => return Ok(()),
        Ending::Exited(code) => {
            let stderr = String::from_utf8_lossy(&completion.stderr.bytes);
            match stderr.trim() {
                "" => format!("git exited with {code}"),
                stderr => stderr.to_owned(),
            }
        }
        Ending::Signalled(signal) => format!("git was killed by signal {}", signal.0),
        Ending::Stopped => "git took too long, or was interrupted".to_owned(),
        Ending::NotStarted(why) => format!("git couldn't start: {why}"),
        Ending::Failed(why) => why.clone(),
        other => format!("git ended otherwise: {other:?}"),
    };
    Err(Failure::bad_input(format!("{url} can't be fetched: {why}")))
}

/// Runs git like a hook: in its own process group, with a deadline and limited output.
fn complete(around: &Around<'_>, words: &[&str], folder: &Path) -> Result<Completion, Failure> {
    let mut program = HookDeclaration::in_process(EventName::SessionStart, "git");
    let words: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
    program.handler = Handler::command(words.join(" "));
    program.env.extend([
        // Nobody can answer: git has no terminal here.
        ("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned()),
        ("GIT_ALLOW_PROTOCOL".to_owned(), "https:ssh:file".to_owned()),
        ("GIT_LFS_SKIP_SMUDGE".to_owned(), "1".to_owned()),
        ("GIT_ATTR_NOSYSTEM".to_owned(), "1".to_owned()),
    ]);
    let stop = StopSignal::new();
    let invocation = Invocation {
        hook: Arc::new(program),
        event: EventName::SessionStart,
        session: Arc::new(SessionIdentity {
            session_id: String::new(),
            transcript_path: folder.to_path_buf(),
            cwd: folder.to_path_buf(),
            agent: None,
        }),
        input: Payload::default(),
        max_output_bytes: OUTPUT,
        stop: stop.clone(),
        lifetime: Lifetime::Bound,
        first_line: None,
        is_alone: true,
        run_id: String::new(),
        trace_parent: None,
        agreed: None,
    };
    let executor = CommandExecutor::new(Surroundings {
        compiled: None,
        variables: variables(around),
        of_project: Vec::new(),
        project_root: folder.to_path_buf(),
        plugin_data: None,
        later_environment: None,
        proofs: None,
        plans_dir: folder.to_path_buf(),
        redaction: Redaction::default(),
        http_allowed: Vec::new(),
        scratch_dir: around.scratch_dir.to_owned(),
        process_cwd: Some(around.current_dir.to_owned()),
        sandbox: None,
        watchdog: None,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("the runtime can't start: {error}")))?;
    Ok(runtime.block_on(async {
        let work = executor.execute(invocation);
        tokio::pin!(work);
        let cause = tokio::select! {
            completion = &mut work => return completion,
            () = tokio::time::sleep(TIMEOUT) => StopCause::TimedOut,
            _ = tokio::signal::ctrl_c() => StopCause::Cancelled,
        };
        stop.stop(cause);
        work.await
    }))
}

fn variables(around: &Around<'_>) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsString| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || PASSED_VARIABLES.contains(&&*name)
    };
    let variables = around.variables.iter();
    variables
        .filter(|(name, _)| is_kept(name))
        .cloned()
        .collect()
}

/// Quotes a word for the shell that commands run in.
fn quote_word(word: &str) -> String {
    if cfg!(windows) {
        powershell_word(word)
    } else {
        quote(word).into_owned()
    }
}
