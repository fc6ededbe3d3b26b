//! `hooks why`: for every hook of an event, whether it would run, and why (CM-4).

use hookloop_session::Workspace;

use crate::arguments::WhyArguments;
use crate::commands::event::{Subject, event};
use crate::commands::{CommandFailure, Context, Format};
use crate::output::{Exit, Output};
use crate::text;
use crate::views::{self, ExplanationView, WhyView};

/// Explains which hooks of an event would run; runs nothing (TR-7).
pub(crate) fn why(
    context: &Context<'_>,
    arguments: &WhyArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    let subject = Subject::new(event, &arguments.subject)?;
    let workspace = Workspace::open(context.environment, context.run);
    let explanation = workspace.registry.explain(event, subject.for_engine());
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => {
            let explanation = ExplanationView::new(&explanation);
            let view = WhyView {
                event,
                subject: subject.view(),
                explanation,
            };
            (
                views::document(context.name, &workspace.project_root, view, problems)?,
                String::new(),
            )
        }
        Format::Text { output, notices } => {
            let heading = text::event_heading(event, subject.view());
            let result = text::explanation(&heading, &explanation, output);
            (result, text::diagnostics(problems, notices))
        }
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}
