//! `hooks replay`: today's hooks on a recorded input (CM-6).

use hookloop_manage::{CommandFailure, Interruption, replay as replayed};
use hookloop_session::OutcomeView;

use super::view::ReplayView;
use super::{ReplayArguments, words};
use crate::commands::views::{self, ExplanationView};
use crate::commands::{Context, Format, text};
use crate::output::{Exit, Output};

/// Runs all of today's hooks of a run's event on what it was fired with, and shows what changed.
pub(crate) fn replay(
    context: &Context<'_>,
    arguments: &ReplayArguments,
) -> Result<Output, CommandFailure> {
    let replayed = replayed(context.task(), &arguments.run_id)?;
    let workspace = &replayed.workspace;
    let concluded = replayed.concluded.as_ref();
    let outcome = OutcomeView::new(concluded);
    let mut told = text::trust_notices(workspace, &replayed.explanation);
    told += &text::engine_notices(concluded);
    let warnings = replayed.warnings.iter().map(|it| text::warning(it));
    told.extend(warnings);
    let view = ReplayView {
        recorded: &replayed.recorded,
        runs: &replayed.today,
        outcome: &outcome,
        changed: !replayed.changes.is_empty(),
        changes: &replayed.changes,
        explanation: ExplanationView::new(&replayed.explanation),
    };
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => (
            views::document(context.name, &workspace.project_root, view, problems)?,
            told,
        ),
        Format::Text { output, notices } => (
            words::replayed(&view, &replayed.explanation, output),
            text::diagnostics(problems, notices) + &told,
        ),
    };
    let exit = match replayed.interruption {
        Interruption::Interrupted => Exit::Cancelled,
        Interruption::None => Exit::Done,
    };
    Ok(Output {
        result,
        notices,
        exit,
    })
}
