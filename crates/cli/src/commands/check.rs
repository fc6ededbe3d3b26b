//! `hooks check`: everything that is wrong with the configuration (CM-3).

use clap::{Args, ValueEnum};
use hookloop_hook::Problem;
use hookloop_session::Workspace;
use hookloop_session::recording::{self, Known};

use crate::commands::{CommandFailure, Context, Format, text, views};
use crate::output::{Exit, Output};
use view::CheckView;

mod report;
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
    let problems = diagnostics(context, &workspace, &ignored);
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
                    report::sarif(&problems, root, context.environment.version)
                }
                _ => report::github(&problems, root),
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

/// Returns all diagnostics, by file and place.
fn diagnostics(
    context: &Context<'_>,
    workspace: &Workspace,
    ignored: &Known<Vec<Problem>>,
) -> Vec<Problem> {
    let mut problems = hookloop_session::diagnostics(workspace, context.environment);
    problems.extend_from_slice(&ignored.value);
    for problem in &mut problems {
        if problem.snippet.is_none() {
            problem.snippet = workspace.settings.documents.snippet(&problem.source);
        }
    }
    problems.sort_by(|left, right| {
        let key = |problem: &Problem| (problem.source.file.clone(), problem.source.position);
        key(left)
            .cmp(&key(right))
            .then_with(|| left.code.as_str().cmp(right.code.as_str()))
    });
    problems.dedup();
    problems
}
