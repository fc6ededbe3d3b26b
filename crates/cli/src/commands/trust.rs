//! `hooks trust` and `hooks untrust` (TR-4).

mod words;

use std::fmt::Write as _;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_hook::HookDeclaration;
use hookloop_manage::{CommandFailure, FailureCode, near_matches};
use hookloop_session::{RunOptions, Workspace, forget_changed_guards};
use hookloop_settings::WorkspaceTrust;
use hookloop_text::visible;
use hookloop_trust::{Standing, Vouched};

use crate::commands::change::ChangeView;
use crate::commands::{Context, Format, text, views};
use crate::names::hook_labels;
use crate::output::{Exit, Output};

/// Names the hooks that a command is about.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamesArguments {
    /// Names of hooks, or commands of those without one; all without any
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) names: Vec<String>,
}

/// Holds the arguments of `trust`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrustArguments {
    #[command(flatten)]
    pub(crate) hooks: NamesArguments,
    /// Agree to the hooks that Gemini CLI has run here, and to no others
    #[arg(long, conflicts_with = "names")]
    pub(crate) from_gemini: bool,
}

/// Trusts the project's hooks as they are now: all, or those named. All means what the project's
/// settings say about hooks of others too (ST-13).
pub(crate) fn trust(
    context: &Context<'_>,
    arguments: &TrustArguments,
) -> Result<Output, CommandFailure> {
    let names = &arguments.hooks.names;
    // Hooks are trusted as the settings have them, whatever holds for this run.
    let mut workspace = Workspace::open(context.environment, &RunOptions::default());
    let chosen = choose(&workspace, names)?;
    let is_meant = |it: &&&Vouched| !arguments.from_gemini || it.known_to_gemini;
    let due: Vec<Vouched> = chosen
        .iter()
        .filter(is_meant)
        .filter(|it| matches!(it.standing, Standing::New | Standing::Modified { .. }))
        .map(|it| (*it).clone())
        .collect();
    let due: Vec<&Vouched> = due.iter().collect();
    let labels = labels(if names.is_empty() { &due } else { &chosen });
    if !due.is_empty() {
        workspace.trust_as_seen(&due)?;
    }
    let is_all = names.is_empty() && !arguments.from_gemini;
    let word = workspace.word_to_agree_to().filter(|_| is_all).cloned();
    if let Some(word) = &word {
        workspace.agree_to(word)?;
    }
    let settings = word.map(|it| words::agreed(&it)).unwrap_or_default();
    let hooks: Vec<&HookDeclaration> = due.iter().map(|it| &*it.hook).collect();
    let unready = workspace.compile_components(context.environment, &hooks);
    let told = Told {
        due: &due,
        labels,
        settings,
        gone: Vec::new(),
    };
    let mut output = report(context, &workspace, &told)?;
    if is_all {
        // Whoever agrees to all that is there sees first what isn't as it was.
        for line in forget_changed_guards(context.environment) {
            let _ = writeln!(output.notices, "{}", visible(&line));
        }
    }
    for why in unready {
        output.notices.push_str(&text::warning(&why));
    }
    Ok(output)
}

/// What is trusted, or not, from now on.
struct Told<'a> {
    due: &'a [&'a Vouched],
    labels: Vec<String>,
    /// What became of the project's word about hooks of others.
    settings: String,
    /// Hooks that aren't configured any more, and that nobody trusts from now on.
    gone: Vec<String>,
}

/// Takes trust away from the project's hooks: all, or those named.
pub(crate) fn untrust(context: &Context<'_>, names: &[String]) -> Result<Output, CommandFailure> {
    let mut workspace = Workspace::open(context.environment, &RunOptions::default());
    // What is gone has no other name than the one that it was trusted by.
    let gone = workspace.untrust_gone(names)?;
    let mut left = names.to_vec();
    left.retain(|it| !gone.contains(it));
    let chosen = if left.is_empty() && !names.is_empty() {
        Vec::new()
    } else {
        choose(&workspace, &left)?
    };
    let due: Vec<Vouched> = chosen
        .iter()
        .filter(|it| matches!(it.standing, Standing::Trusted | Standing::Modified { .. }))
        .map(|it| (*it).clone())
        .collect();
    let due: Vec<&Vouched> = due.iter().collect();
    let labels = labels(if names.is_empty() { &due } else { &chosen });
    if !due.is_empty() {
        let hooks: Vec<&HookDeclaration> = due.iter().map(|it| &*it.hook).collect();
        workspace.untrust(&hooks)?;
    }
    let word = if names.is_empty() && workspace.withdraw_word()? {
        words::withdrawn()
    } else {
        String::new()
    };
    report(
        context,
        &workspace,
        &Told {
            due: &due,
            labels,
            settings: word,
            gone,
        },
    )
}

/// Returns the hooks that are meant: all that need trust, or those of the given names.
fn choose<'a>(
    workspace: &'a Workspace,
    names: &[String],
) -> Result<Vec<&'a Vouched>, CommandFailure> {
    let of_project = workspace
        .vouched
        .iter()
        .filter(|it| it.hook.is_from_project());
    if names.is_empty() {
        return Ok(of_project.collect());
    }
    let known: Vec<&str> = workspace.vouched.iter().map(|it| it.hook.label()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("no hook is named \"{unknown}\"");
        return Err(CommandFailure::new(FailureCode::UnknownHook, message)
            .with_candidates(near_matches(unknown, &known)));
    }
    let is_named = |it: &&Vouched| names.iter().any(|name| name == it.hook.label());
    Ok(workspace.vouched.iter().filter(is_named).collect())
}

fn labels(hooks: &[&Vouched]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for hook in hooks {
        let label = hook.hook.label();
        if labels.iter().all(|known| known != label) {
            labels.push(label.to_owned());
        }
    }
    labels
}

fn report(
    context: &Context<'_>,
    workspace: &Workspace,
    told: &Told<'_>,
) -> Result<Output, CommandFailure> {
    let changed = told.due;
    let has_changed = !changed.is_empty() || !told.settings.is_empty() || !told.gone.is_empty();
    let notice = match &workspace.settings.workspace {
        WorkspaceTrust::DoNotTrust { source } => text::folder_notice(source),
        _ => String::new(),
    };
    let store = workspace.store.file().to_string_lossy().into_owned();
    let (result, notices) = match context.format {
        Format::Json => {
            let view = ChangeView {
                changed: has_changed,
                files: if has_changed { vec![store] } else { Vec::new() },
                labels: [told.labels.as_slice(), &told.gone].concat(),
                still_disabled_by: Vec::new(),
            };
            let problems = &workspace.problems;
            (
                views::document(context.name, &workspace.project_root, view, problems)?,
                notice,
            )
        }
        Format::Text { notices, .. } => {
            let hooks = match changed {
                [] if !told.gone.is_empty() => String::new(),
                changed => words::trust_change(context.name, changed, &told.labels),
            };
            let hooks = words::gone(&told.gone) + &hooks;
            (
                hooks + &told.settings,
                text::diagnostics(&workspace.problems, notices) + &notice,
            )
        }
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}
