//! Assembles sessions, and turns their end into an exit code. A headless session runs a single turn
//! here; the terminal session is in `interactive`.
//!
//! ```
//! use hookloop_session::{Environment, RunOptions, Surroundings, Workspace, diagnostics};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (home, project) = (folder.path().join("home"), folder.path().join("project"));
//! # std::fs::create_dir_all(&home)?;
//! # std::fs::create_dir_all(project.join(".git"))?;
//! let environment = Environment::new(Surroundings {
//!     variables: vec![("HOME".into(), home.into())],
//!     current_dir: project.join("."),
//!     scratch_dir: std::env::temp_dir(),
//!     program: None,
//!     version: env!("CARGO_PKG_VERSION"),
//! })?;
//! // Everything that is configured for the project, and everything that is wrong with it. Nothing
//! // runs.
//! let workspace = Workspace::open(&environment, &RunOptions::default());
//! assert!(workspace.settings.hooks.is_empty());
//! assert!(diagnostics(&workspace, &environment).is_empty());
//! # Ok(())
//! # }
//! ```

mod assets;
#[cfg(feature = "terminal")]
mod background;
mod build;
#[cfg(feature = "terminal")]
mod checkpoints;
mod companions;
mod custom_commands;
mod diagnostics;
mod environment;
mod exit;
mod guarded;
mod guarding;
mod handlers;
mod hook_commands;
mod hook_counts;
mod hook_times;
mod hook_words;
mod hosted;
mod hosted_commands;
mod hosted_prompt;
#[cfg(feature = "terminal")]
mod hyperlinks;
mod included;
mod input;
mod instruction;
#[cfg(feature = "terminal")]
mod interactive;
mod later;
mod mcp;
mod model;
mod news;
mod notices;
mod options;
mod outcome;
pub mod output;
mod path_problems;
mod person;
mod plans;
mod policy;
mod policy_files;
pub mod recording;
mod refusals;
mod reported_states;
mod sandbox;
mod screen;
mod signals;
mod stage;
mod standing;
mod stored;
mod suspects;
mod telemetry_variables;
mod telling;
mod tracing;
mod uncovered;
mod unknown_names;
mod unknown_restrictions;
mod unmatched;
mod unoffered;
mod unusable;
mod watchdog;
mod watching;
mod workspace;

use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hookloop_agent::{Frontend, Session, SessionEvent, Stats, TurnEnd};
use hookloop_engine::Patience;
use hookloop_events::EndReason;
use hookloop_tools::References;
use tokio_util::sync::CancellationToken;

use crate::custom_commands::{CustomCommands, Expanded, Unsent, expand};
use crate::exit::{CANCELLED, FAILED, exit_code};
use crate::input::PromptInput;
use crate::mcp::Mcp;
use crate::screen::{Answer, HookNotifications, Screen};
use crate::standing::Announcement;
use crate::stored::Stored;
use crate::suspects::Suspects;

pub use assets::{installed_skills, skills, skills_kept_out};
pub use build::{Built, build};
pub use companions::Companions;
pub use diagnostics::{diagnostics, diagnostics_of_event};
#[cfg(feature = "otlp")]
pub use environment::TraceVariables;
pub use environment::{Environment, EnvironmentError, ModelVariables, Surroundings};
pub use exit::SessionError;
pub use handlers::executors;
pub use hook_commands::{CommandEnd, CommandOutput, HookCommand, HookCommands};
pub use hook_words::{
    Status, cause_texts, duration, hooks_off, manner_texts, origin, result_word, short_label,
};
pub use hookloop_host::take_own_name;
pub use hosted::{Hosted, HostedEnd, HostedServer, Hosting, KnownSession, known_sessions};
pub use hosted_prompt::{HostedCommand, HostedPrompt};
pub use mcp::{McpLogin, log_in};
pub use model::model_variable;
pub use notices::print as print_notice;
pub use options::{Answers, ConfigEdits, Detail, Options, OutputFormat, RunOptions};
pub use outcome::{NO_HOOK_RUNS, OutcomeView, milliseconds};
pub use signals::Signals;
pub use stage::Stage;
pub use suspects::forget_changed_guards;
pub use uncovered::uncovered;
pub use watchdog::begin as watch_for_hangs;
pub use workspace::{WATCH_COMMAND, Workspace, settling};

/// Runs a session and returns the program's exit code (AG-CLI-4).
///
/// In a terminal, commands for hooks are run by `commands`.
pub fn run(
    options: &Options,
    run: &RunOptions,
    environment: &Environment,
    commands: &Arc<dyn HookCommands>,
) -> ExitCode {
    let screen = Arc::new(Screen::new(options));
    let code = match try_run(options, run, environment, commands, &screen) {
        Ok(code) => code,
        Err(error) => screen.could_not_start(&error),
    };
    ExitCode::from(code)
}

fn try_run(
    options: &Options,
    run: &RunOptions,
    environment: &Environment,
    commands: &Arc<dyn HookCommands>,
    screen: &Arc<Screen>,
) -> Result<u8, SessionError> {
    input::reject_what_cannot_be(options)?;
    if options.list_sessions || options.delete_session.is_some() {
        return manage_sessions(options, run, environment);
    }
    #[cfg(feature = "terminal")]
    if interactive::is_wanted(options, environment) {
        return interactive::run(options, run, environment, commands);
    }
    #[cfg(not(feature = "terminal"))]
    let _ = commands;
    let prompt = input::prompt(options)?;
    let mut workspace = Workspace::open(environment, run);
    let resumed = match &options.resume {
        None => None,
        Some(choice) => Some(choose_session(&workspace, environment, choice)?),
    };
    screen.name_hooks(hook_notifications(options, &workspace));
    Suspects::of(environment).hold(&mut workspace);
    let announcement = Announcement::of(&workspace, environment);
    let renewed = standing::renew(&mut workspace);
    let refusals = workspace.start_refusals(options.strictness, environment);
    let said_with_the_refusal: Vec<String> =
        refusals.iter().map(hook_words::problem_line).collect();
    for line in announcement.warnings.into_iter().chain(renewed) {
        match line.strip_prefix("error: ") {
            Some(said) if said_with_the_refusal.iter().any(|it| it == said) => {
                screen.keep_warning(&line);
            }
            _ => screen.warning_line(&line),
        }
    }
    if let Some(summary) = announcement.summary {
        notices::print(&summary);
    }
    if !refusals.is_empty() {
        return Err(SessionError::Guards(guarded::refusal(&refusals)));
    }
    model::authentication::check(&workspace.settings, environment)?;
    let settings = &workspace.settings.agent;
    let teller = Arc::clone(screen);
    let tell = move |it: &str| teller.warning_line(it);
    let model = model::client(options, environment, settings, tell)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SessionError::Runtime)?;
    let custom = custom_commands(&prompt, environment, &workspace, screen);
    let code = runtime.block_on(async {
        let built = build::session(options, environment, &workspace, model, screen, resumed)?;
        Ok(converse(built, prompt, custom, &workspace, screen).await)
    });
    // A thread that still reads or runs something must not delay the end (TR-10).
    runtime.shutdown_background();
    code
}

/// Lists or deletes sessions of the project; no session starts (AG-CLI-2).
fn manage_sessions(
    options: &Options,
    run: &RunOptions,
    environment: &Environment,
) -> Result<u8, SessionError> {
    let workspace = Workspace::open(environment, run);
    if let Some(choice) = &options.delete_session {
        let stored = choose_session(&workspace, environment, choice)?;
        stored::delete(&stored).map_err(SessionError::Transcript)?;
        notices::print(&format!("deleted session {}", stored.session.session_id));
    }
    if options.list_sessions {
        let list = stored::list(&stored_sessions(&workspace, environment));
        if let Err(error) = output::write_result(&list) {
            notices::print(&format!("error: {}", output::unwritten(&error)));
            return Ok(FAILED);
        }
    }
    Ok(0)
}

fn choose_session(
    workspace: &Workspace,
    environment: &Environment,
    choice: &str,
) -> Result<Stored, SessionError> {
    stored::choose(stored_sessions(workspace, environment), choice)
}

fn stored_sessions(workspace: &Workspace, environment: &Environment) -> Vec<Stored> {
    let folder = build::sessions_folder(workspace, environment);
    let (sessions, warnings) = stored::all(&folder);
    for warning in warnings {
        notices::print(&format!("warning: {warning}"));
    }
    sessions
}

/// Returns whether the user wants to see which hooks run (ST-8): somebody who waits does, but a
/// program that reads a pipe doesn't (AG-CLI-8).
fn hook_notifications(options: &Options, workspace: &Workspace) -> HookNotifications {
    let is_watched = stderr().is_terminal() || options.detail == Detail::Streams;
    if is_watched && workspace.settings.switches.notifications.value {
        HookNotifications::Shown
    } else {
        HookNotifications::Hidden
    }
}

/// Finds the commands of the user, the project and extensions if a prompt may call one (TU-5), and
/// reports what is wrong with them.
fn custom_commands(
    asked: &PromptInput,
    environment: &Environment,
    workspace: &Workspace,
    screen: &Screen,
) -> CustomCommands {
    if !asked.typed.trim_start().starts_with('/') {
        return CustomCommands::default();
    }
    let mut tell = |problem: String| screen.warning_line(&format!("warning: {problem}"));
    CustomCommands::find(environment, workspace, &mut tell)
}

/// Assembles the prompt that is sent: what a command or a prompt of an MCP server makes of it
/// follows what was piped in.
async fn expand_prompt(
    session: &mut Session,
    asked: &PromptInput,
    custom: &CustomCommands,
    mcp: &Mcp,
    cancel: &CancellationToken,
) -> Result<Expanded, Unsent> {
    let made = if let Some((command, arguments)) = custom.match_prompt(&asked.typed) {
        expand(session, command, arguments, cancel).await?
    } else if let Some((prompt, arguments)) =
        mcp.match_prompt(&asked.typed, &|name| custom.has_taken(name))
    {
        mcp.expand(&prompt, arguments, cancel).await?
    } else {
        return Ok(Expanded {
            prompt: asked.prompt.clone(),
            typed: asked.typed.clone(),
        });
    };
    let piped = asked.prompt.strip_suffix(&asked.typed).unwrap_or_default();
    Ok(Expanded {
        prompt: format!("{piped}{}", made.prompt),
        ..made
    })
}

/// Runs the turn of a prompt, with the files that it refers to; without an assembled prompt there
/// is no turn.
async fn turn(
    session: &mut Session,
    prompt: Result<Expanded, Unsent>,
    files: Arc<hookloop_tools::Workspace>,
    screen: &Screen,
    cancel: &CancellationToken,
) -> TurnEnd {
    let Expanded { prompt, typed } = match prompt {
        Ok(prompt) => prompt,
        Err(Unsent::Ended(end)) => return end,
        Err(Unsent::Refused(why)) => {
            screen.show(&SessionEvent::Failed(&why));
            return TurnEnd::Failed(why);
        }
    };
    let references = References::read(files, &typed, cancel).await;
    for left_out in &references.left_out {
        screen.show(&SessionEvent::Warning(left_out));
    }
    session
        .prompt_with(&prompt, references, cancel.clone())
        .await
}

/// How long a headless session waits after its turn for hooks that may begin another one (FD-22).
const HOOKS_TIMEOUT: Duration = Duration::from_mins(1);

/// Starts the session, runs the turn, and ends the session with the true reason (SE-1).
async fn converse(
    built: Built,
    asked: PromptInput,
    custom: CustomCommands,
    workspace: &Workspace,
    screen: &Screen,
) -> u8 {
    let Built {
        parts,
        companions,
        resumed,
        files,
        ..
    } = built;
    // Before any process starts, so that no signal is missed.
    let mut signals = signals::Signals::listen();
    watchdog::begin(|| {});
    output::bound_waiting();
    screen.begin(parts.hooks.identity(), &parts.model_name, &asked.prompt);
    tokio::select! {
        () = companions.ready() => {}
        () = signals.next() => {
            // No session has started, so none ends.
            companions.end().await;
            screen.finish(&TurnEnd::Cancelled, &Stats::default());
            return exit_code(&TurnEnd::Cancelled);
        }
    }
    let cancel = CancellationToken::new();
    let hooks = parts.hooks.with_cancel(cancel.clone());
    // Cancelling the turn must not cancel the `SessionEnd` hooks.
    let parting = hooks.with_cancel(CancellationToken::new());
    let parts = hookloop_agent::Parts { hooks, ..parts };
    let is_ending = Cell::new(false);
    let mut work = Box::pin(async {
        let mut session = match resumed {
            None => Session::start(parts, &workspace.project_root).await,
            Some(history) => Session::resume(parts, history).await,
        };
        let mut end = if cancel.is_cancelled() {
            TurnEnd::Cancelled
        } else {
            let mcp = &companions.mcp;
            let prompt = expand_prompt(&mut session, &asked, &custom, mcp, &cancel).await;
            turn(&mut session, prompt, files, screen, &cancel).await
        };
        if end == TurnEnd::Completed {
            end = turns_of_hooks(&mut session, &cancel).await;
        }
        is_ending.set(true);
        let reason = end_reason(&end);
        let stats = session.end(reason).await;
        (end, stats)
    });
    let ended = tokio::select! {
        ended = &mut work => Some(ended),
        () = signals.next() => {
            cancel.cancel();
            // A second signal leaves at once; dropping the future ends whatever still runs.
            tokio::select! {
                ended = &mut work => Some(ended),
                () = signals.next() => None,
            }
        }
    };
    drop(work);
    if ended.is_none() && !is_ending.get() {
        // Leaving at once also ends the session (SE-1).
        parting.session_end(EndReason::Other).await;
    }
    companions.end().await;
    match ended {
        Some((end, stats)) => match (screen.finish(&end, &stats), screen.exit_code(&end)) {
            // An incomplete output must not be mistaken for the whole, so the exit code reports it.
            (Answer::Incomplete, 0) => FAILED,
            (_, code) => code,
        },
        None => CANCELLED,
    }
}

/// Runs the turns that hooks begin when nobody waits for them (FD-22), and returns how the last one
/// ended.
async fn turns_of_hooks(session: &mut Session, cancel: &CancellationToken) -> TurnEnd {
    loop {
        let asked = session.next_turn_of_hook(Patience::WhileTheyRun(HOOKS_TIMEOUT));
        let Some(Some(prompt)) = cancel.run_until_cancelled(asked).await else {
            return TurnEnd::Completed;
        };
        let end = session.prompt_of_hook(&prompt, cancel.clone()).await;
        if end != TurnEnd::Completed {
            return end;
        }
    }
}

/// Returns why the session ends, from how its only turn did (SE-1).
const fn end_reason(end: &TurnEnd) -> EndReason {
    match end {
        TurnEnd::Completed | TurnEnd::Refused(..) | TurnEnd::Stopped(_) => EndReason::Exit,
        TurnEnd::Cancelled
        | TurnEnd::LimitReached(_)
        | TurnEnd::EndedEarly(_)
        | TurnEnd::Failed(_) => EndReason::Other,
    }
}
