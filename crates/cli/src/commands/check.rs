//! `hooks check`: everything that is wrong with the configuration (CM-3).

use clap::{Args, ValueEnum};
use hookloop_manage::{
    CommandFailure, FailOn, ProblemCounts, check as checked, github_annotations, sarif_log, text,
};
use hookloop_text::counted;

use crate::commands::context::{AdditionalReport, Context};
use crate::output::{Exit, Output};

/// Contains the arguments of `check` (CM-3).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CheckArguments {
    /// Fail on warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print annotations for GitHub, or SARIF for code scanning
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

/// Finds all problems; reads files and runs nothing (TR-7).
pub(crate) fn check(
    context: &Context<'_>,
    arguments: CheckArguments,
) -> Result<Output, CommandFailure> {
    let fail_on = if arguments.strict {
        FailOn::Warnings
    } else {
        FailOn::Errors
    };
    let checked = checked(context.task(), fail_on);
    let (problems, root) = (&checked.problems, &checked.workspace.project_root);
    let output = match arguments.format {
        Some(ReportFormat::Sarif) => {
            Output::from_text(sarif_log(problems, root, context.environment.version))
        }
        Some(ReportFormat::Github) => Output::from_text(github_annotations(problems, root)),
        None => {
            // Here, the problems are the result.
            let beside = AdditionalReport {
                problems,
                ..AdditionalReport::quietly(&checked.workspace)
            };
            context.say(beside, checked.verdict, |output| {
                let counted = describe_counts(checked.verdict.counts);
                format!("{}{counted}\n", text::diagnostics(problems, output))
            })?
        }
    };
    let exit = if checked.verdict.has_failed() {
        Exit::Failed
    } else {
        Exit::Done
    };
    Ok(output.warn(&checked.warnings).ending(exit))
}

/// Formats the counts.
fn describe_counts(counts: ProblemCounts) -> String {
    let ProblemCounts {
        errors,
        warnings,
        infos,
    } = counts;
    let mut parts = vec![counted(errors, "error"), counted(warnings, "warning")];
    if infos > 0 {
        parts.push(counted(infos, "note"));
    }
    parts.join(", ")
}
