//! `hooks why`: for every hook of an event, whether it would run, and why (CM-4).

use clap::Args;
use hookloop_session::Workspace;

use crate::commands::event::{Subject, SubjectArguments, event};
use crate::commands::views::{self, ExplanationView, WhyView};
use crate::commands::{CommandFailure, Context, Format, text};
use crate::output::{Exit, Output};

/// Holds the arguments of `why` (CM-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct WhyArguments {
    /// The event, such as `BeforeTool`
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

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
