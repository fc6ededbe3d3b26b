//! `hooks list`: all hooks, where they come from, and whether they run (CM-1).

mod view;
mod words;

use hookloop_manage::CommandFailure;
use hookloop_session::{Workspace, recording};

use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};
use view::ListView;

/// Lists all hooks; runs nothing (TR-7).
pub(crate) fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let hooks = workspace.registry.list();
    let stats = recording::statistics(&workspace, context.environment);
    let warnings: String = stats.warnings.iter().map(|it| text::warning(it)).collect();
    let (result, notices) = match context.format {
        Format::Json => {
            let view = ListView::new(&workspace, &hooks, stats.value);
            let problems = &workspace.problems;
            (
                views::document(context.name, &workspace.project_root, view, problems)?,
                warnings,
            )
        }
        Format::Text { output, notices } => (
            words::list(&workspace, &hooks, &stats.value, output),
            text::diagnostics(&workspace.problems, notices) + &warnings,
        ),
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}
