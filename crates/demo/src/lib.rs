//! `hookloop demo`: shows what hooks do, without any setup. In a temporary project, real hooks run
//! through the real engine while a scripted model works. The timeline shows what each of them did,
//! and what it changed.

mod closing;
mod document;
mod files;
mod model;
mod page;
mod quiet;
mod recorder;
mod stage;
mod story;
mod text;
mod timeline;
mod totals;

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use hookloop_agent::{ApprovalMode, Parts, Session};
use hookloop_events::EndReason;
use hookloop_model::{Matching, Script, ScriptError};
use hookloop_session::{Built, Environment, Options, SessionError, Signals, Workspace};
use hookloop_text::Terminal;
use tokio_util::sync::CancellationToken;

use crate::model::StagedModel;
use crate::quiet::ReportedFailures;
use crate::recorder::Recorder;
use crate::stage::Stage;
use crate::story::{Act, STORY};
use crate::timeline::{Step, Turn, events};
use crate::totals::Totals;

pub use stage::StageError;

/// Why the demo couldn't run.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// Its folders couldn't be created.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// Its session couldn't start.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The model's script can't be read.
    #[error("failed to {0}")]
    Script(#[from] ScriptError),
    /// The timeline can't be written as JSON.
    #[error("the timeline can't be written: {0}")]
    Document(#[from] serde_json::Error),
}

/// Everything that happened in the demo.
#[derive(Debug, Default)]
pub(crate) struct Performance {
    /// What happened before the first turn.
    pub(crate) opening: Vec<Step>,
    /// The turns.
    pub(crate) turns: Vec<Turn>,
    /// What happened after the last one.
    pub(crate) closing: Vec<Step>,
}

impl Performance {
    /// The totals.
    pub(crate) fn totals(&self) -> Totals {
        let turns = self.turns.iter().flat_map(|turn| events(&turn.steps));
        Totals::of(
            events(&self.opening)
                .chain(turns)
                .chain(events(&self.closing)),
        )
    }

    /// Returns what went differently than the story expects.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut differences = self.failures();
        for turn in &self.turns {
            for effect in turn.effects.iter().filter(|effect| !effect.holds) {
                differences.push(format!("{}: not so: {}", turn.title, effect.claim));
            }
        }
        differences
    }

    /// Returns the failures of hooks, each once.
    fn failures(&self) -> Vec<String> {
        let mut failures: Vec<(String, Vec<&str>)> = Vec::new();
        let turns = self.turns.iter().flat_map(|turn| events(&turn.steps));
        let all = events(&self.opening)
            .chain(turns)
            .chain(events(&self.closing));
        for hook in all.flat_map(|event| &event.hooks) {
            let Some(failure) = &hook.failure else {
                continue;
            };
            let program = hook.command.split_whitespace().next().unwrap_or_default();
            let what = match failure.kind() {
                "not_started" => format!("{program} couldn't be started for these hooks"),
                _ => failure.to_string(),
            };
            match failures.iter_mut().find(|(known, _)| *known == what) {
                Some((_, labels)) if labels.contains(&hook.label.as_str()) => {}
                Some((_, labels)) => labels.push(&hook.label),
                None => failures.push((what, vec![&hook.label])),
            }
        }
        let worded = |(what, labels): (String, Vec<&str>)| format!("{what}: {}", labels.join(", "));
        failures.into_iter().map(worded).collect()
    }
}

/// How the demo is shown.
#[derive(Debug, Clone, Copy)]
pub enum Shown {
    /// As text for people, while it happens.
    Text(Terminal),
    /// As one JSON object, at the end.
    Json,
}

/// What happens to the demo's project afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// It is deleted.
    Removed,
    /// It is kept for inspection.
    Kept,
}

/// How the demo ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It ran to its end.
    Whole,
    /// A signal ended it.
    Interrupted,
}

/// Runs the demo. It succeeds even if it goes differently than expected, and reports the
/// differences.
pub fn run(shown: Shown, project: Project, environment: &Environment) -> Result<End, DemoError> {
    let stage = Stage::set_up(environment)?;
    let workspace = stage.open()?;
    if let Shown::Text(terminal) = shown {
        let missing = stage.missing_programs();
        write(&text::opening(&workspace, &missing, terminal));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SessionError::Runtime)?;
    let (performance, end) = runtime.block_on(perform(&stage, &workspace, shown))?;
    // Ends what still runs, so that hooks and tools can't recreate the folder.
    drop(runtime);
    let kept = (project == Project::Kept).then_some(stage.project.as_path());
    match shown {
        Shown::Json => write(&document::document(&performance, kept)?),
        Shown::Text(terminal) => {
            let home = kept.map(|project| (project, stage.home.as_path()));
            write(&closing::closing(&performance, home, terminal));
        }
    }
    if project == Project::Kept {
        stage.keep();
    }
    Ok(end)
}

/// Runs all turns; a signal ends the demo properly.
async fn perform(
    stage: &Stage,
    workspace: &Workspace,
    shown: Shown,
) -> Result<(Performance, End), DemoError> {
    let recorder = Arc::new(Recorder::default());
    let model = Arc::new(StagedModel::new(script(&STORY[0])?, &recorder));
    // In the temporary project, no call needs confirmation; hooks are still asked.
    let options = Options {
        approval_mode: Some(ApprovalMode::Yolo),
        ..Options::default()
    };
    let Built {
        parts, companions, ..
    } = hookloop_session::build(
        &options,
        &stage.environment,
        workspace,
        Arc::<StagedModel>::clone(&model),
        &recorder,
    )?;
    let cancel = CancellationToken::new();
    let mut signals = Signals::listen();
    let hooks = parts.hooks.with_cancel(cancel.clone());
    let parts = Parts { hooks, ..parts };
    let work = async {
        let mut reported = ReportedFailures::default();
        let mut performance = Performance::default();
        let root = &workspace.project_root;
        let mut session = Session::start(parts, root).await;
        performance.opening = recorder.take();
        shown.show(|terminal| text::session_start(&performance.opening, &mut reported, terminal));
        for act in &STORY {
            if cancel.is_cancelled() {
                break;
            }
            model.take_script(script(act)?);
            let end = session.prompt(act.prompt, cancel.clone()).await;
            let turn = act.evaluate(recorder.take(), end, root);
            let number = performance.turns.len() + 1;
            shown.show(|terminal| text::turn(number, &turn, &mut reported, terminal));
            performance.turns.push(turn);
        }
        session.end(EndReason::Exit).await;
        performance.closing = recorder.take();
        Ok::<_, DemoError>(performance)
    };
    tokio::pin!(work);
    let (performance, end) = tokio::select! {
        performance = &mut work => (performance, End::Whole),
        () = signals.next() => {
            cancel.cancel();
            ((&mut work).await, End::Interrupted)
        }
    };
    companions.end().await;
    performance.map(|performance| (performance, end))
}

fn script(act: &Act) -> Result<Script, ScriptError> {
    Script::parse(Path::new(act.script_name), act.script, Matching::Strict)
}

impl Shown {
    /// Writes text, if that is what is shown.
    fn show(self, text: impl FnOnce(Terminal) -> String) {
        if let Self::Text(terminal) = self {
            write(&text(terminal));
        }
    }
}

/// Writes to standard output at once.
fn write(text: &str) {
    let mut stdout = stdout().lock();
    // If the reader has gone, the output is lost; the demo still cleans up.
    drop(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}
