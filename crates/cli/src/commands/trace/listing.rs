//! `hooks trace`: the record of every hook run (CM-6).

use hookloop_manage::{
    CommandFailure, RunWishes, TraceView, find_run, recorded_losses, recorded_runs, run_filter,
    text,
};
use hookloop_session::{Workspace, recording};
use hookloop_trace::{RunFilter, StoredRun, TraceStore};

use super::{TraceArguments, following, page, words};
use crate::commands::context::{AdditionalReport, Context, Format};
use crate::output::{Exit, Output};

/// How many runs the text shows, unless a number is given.
const SHOWN_AS_TEXT: u32 = 50;

/// Shows what hooks did; runs nothing (TR-7).
pub(crate) fn trace(
    context: &Context<'_>,
    arguments: &TraceArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let store = recording::open(&workspace, context.environment)?;
    if let Some(run_id) = &arguments.run_id {
        let run = find_run(store.as_ref(), run_id)?;
        return show_one(context, &workspace, &run);
    }
    let filter = run_filter(run_wishes(arguments), &workspace, store.as_ref())?;
    if arguments.follow {
        return following::follow(context, &workspace, store, &filter);
    }
    if let Some(file) = &arguments.html {
        return page::write(context, &workspace, store.as_ref(), &filter, file);
    }
    show(context, &workspace, store.as_ref(), filter)
}

/// Returns the selection of runs.
fn run_wishes(arguments: &TraceArguments) -> RunWishes<'_> {
    RunWishes {
        session: arguments.session.as_deref(),
        agent: arguments.agent.as_deref(),
        event: arguments.event.as_deref(),
        label: arguments.hook.as_deref(),
        last: arguments.last,
    }
}

fn show_one(
    context: &Context<'_>,
    workspace: &Workspace,
    run: &StoredRun,
) -> Result<Output, CommandFailure> {
    let view = TraceView {
        runs: std::slice::from_ref(run),
        losses: &[],
        html: None,
    };
    context.say(AdditionalReport::quietly(workspace), view, |output| {
        words::describe_run(run, workspace, output)
    })
}

fn show(
    context: &Context<'_>,
    workspace: &Workspace,
    store: Option<&TraceStore>,
    mut filter: RunFilter,
) -> Result<Output, CommandFailure> {
    let Format::Text { output, notices } = context.format else {
        let runs = recorded_runs(store, &filter)?;
        let losses = recorded_losses(store, &filter)?;
        let view = TraceView {
            runs: &runs,
            losses: &losses,
            html: None,
        };
        return context.say(AdditionalReport::all(workspace), view, |_| String::new());
    };
    let all = store.map(|store| store.count(&filter)).transpose()?;
    let is_chosen = filter.last.is_some();
    filter.last = Some(filter.last.unwrap_or(SHOWN_AS_TEXT));
    let runs = recorded_runs(store, &filter)?;
    let losses = recorded_losses(store, &filter)?;
    let mut report = text::diagnostics(&workspace.problems, notices);
    let left_out = all.unwrap_or_default().saturating_sub(runs.len() as u64);
    if left_out > 0 && !is_chosen {
        report.extend([format!(
            "note: {left_out} earlier runs aren't shown; --last N shows more\n"
        )]);
    }
    Ok(Output {
        result: words::recorded_runs(&runs, workspace, output)
            + &words::recorded_losses(&losses, output),
        notices: report,
        exit: Exit::Done,
    })
}
