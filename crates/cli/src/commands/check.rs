//! `hooks check`: everything that is wrong with the configuration (CM-3).

use clap::{Args, ValueEnum};
use hookloop_hook::{Problem, ProblemCode};
use hookloop_session::Workspace;
use hookloop_session::recording::{self, Known};
use hookloop_settings::{lint, lint_commands};
use hookloop_trust::Vouched;

use crate::commands::disk_probe::DiskProbe;
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
    let settings = &workspace.settings;
    let probe = DiskProbe::new(context.environment);
    let mut problems = workspace.problems.clone();
    problems.extend(lint(settings));
    problems.extend(lint_commands(settings, &workspace.project_root, &probe));
    problems.extend(hookloop_engine::lint(&workspace.registry));
    problems.extend_from_slice(&ignored.value);
    problems.extend(workspace.vouched.iter().filter_map(unpinned));
    for problem in &mut problems {
        if problem.snippet.is_none() {
            problem.snippet = settings.documents.snippet(&problem.source);
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

/// Reports a hook that runs files which trust doesn't watch (TR-1).
fn unpinned(vouched: &Vouched) -> Option<Problem> {
    let why = vouched.unpinned().first()?;
    let hook = &vouched.hook;
    let message = format!("hook \"{}\" is unpinned: {why}", hook.label());
    let help = "name the script that it runs by its path from $GEMINI_PROJECT_DIR, or keep in mind \
                that trust doesn't notice when those files change";
    let place = hook.source_of(hook.places.command);
    let mut problem = Problem::new(ProblemCode::Unpinned, place, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}
