//! `hooks check`: everything that is wrong with the configuration (CM-3).

use clap::{Args, ValueEnum};
use hookloop_manage::{CommandFailure, diagnostics, github_annotations, sarif_log};
use hookloop_session::{Workspace, recording};

use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};
use view::CheckView;

mod view;

/// Holds the arguments of `check` (CM-3).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CheckArguments {
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print annotations of GitHub, or SARIF for code scanning
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<ReportFormat>,
}

/// Names a form in which CI systems read what was found (CM-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Workflow commands of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Looks for everything that is wrong; looks at files and runs nothing (TR-7).
pub(crate) fn check(
    context: &Context<'_>,
    arguments: CheckArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let ignored = recording::ignored_fields(&workspace, context.environment);
    let problems = diagnostics(context.task(), &workspace, &ignored.value);
    let view = CheckView::new(arguments.strict, &problems);
    let exit = if view.has_failed() {
        Exit::Failed
    } else {
        Exit::Done
    };
    let result = match context.format {
        _ if arguments.format.is_some() => {
            let root = &workspace.project_root;
            match arguments.format {
                Some(ReportFormat::Sarif) => {
                    sarif_log(&problems, root, context.environment.version)
                }
                _ => github_annotations(&problems, root),
            }
        }
        Format::Json => views::document(context.name, &workspace.project_root, view, &problems)?,
        Format::Text { output, .. } => {
            format!(
                "{}{}\n",
                text::diagnostics(&problems, output),
                view.in_words()
            )
        }
    };
    Ok(Output {
        result,
        notices: ignored
            .warnings
            .iter()
            .map(|it| text::warning(it))
            .collect(),
        exit,
    })
}
