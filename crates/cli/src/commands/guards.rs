//! `hookloop guards`: the guards that come with the program (HT-40, HT-41).

mod words;

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::{
    AskedGuardsView, Change, CommandFailure, GuardView, GuardsView, MeasuredGuardsView, Scope,
    add_guard, ask_guards, measure_guards, remove_guard,
};
use hookloop_rules::guards;
use hookloop_session::{Environment, Workspace};

use crate::commands::context::{AdditionalReport, Context, Format, change_output, failure_output};
use crate::commands::person::Effect;
use crate::names::guard_names;
use crate::output::{Exit, Output};

/// Contains a command for guards.
#[derive(Debug, Clone, Args)]
pub(crate) struct GuardsArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// What to do; the list without it
    #[command(subcommand)]
    command: Option<GuardsCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum GuardsCommand {
    /// List the guards that come with the program, their options, and which are in use
    List,
    /// Add a guard to your settings, where you can read and edit it
    Add(AddArguments),
    /// Remove a guard from your settings
    Remove(RemoveArguments),
    /// Measure the guards: how many dangerous commands they stop, and how many harmless ones
    Test {
        /// The guard (default: all)
        #[arg(add = ArgValueCompleter::new(guard_names))]
        name: Option<String>,
    },
    /// Show what each guard would do about a shell command, and why; runs nothing
    Why {
        /// The text of the command
        text: String,
    },
}

#[derive(Debug, Clone, Args)]
struct AddArguments {
    /// The guard
    #[arg(add = ArgValueCompleter::new(guard_names))]
    name: String,
    /// Whose settings to write
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// Set an option of the guard; `guards list` shows them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Clone, Args)]
struct RemoveArguments {
    /// The guard
    #[arg(add = ArgValueCompleter::new(guard_names))]
    name: String,
    /// Whose settings to write (default: all that contain the guard)
    #[arg(long, value_enum)]
    scope: Option<Scope>,
}

impl GuardsArguments {
    /// Returns the command's effect on files that guards depend on (TR-11). Every new command has
    /// to define it.
    pub(crate) fn effect(&self) -> Effect<'_> {
        match &self.command {
            Some(GuardsCommand::Add(_) | GuardsCommand::Remove(_)) => {
                Effect::on_settings(self.json)
            }
            None
            | Some(GuardsCommand::List | GuardsCommand::Test { .. } | GuardsCommand::Why { .. }) => {
                Effect::Reads
            }
        }
    }
}

/// Runs a command for guards.
pub(crate) fn run(arguments: &GuardsArguments, name: &str, environment: &Environment) -> Output {
    let command = arguments.command.as_ref().unwrap_or(&GuardsCommand::List);
    let format = Format::new(arguments.json, environment);
    let context = Context::plain(name, format, environment);
    let done = match command {
        GuardsCommand::List => list(&context),
        GuardsCommand::Add(arguments) => add(&context, arguments),
        GuardsCommand::Remove(arguments) => remove(&context, arguments),
        GuardsCommand::Test { name } => test(&context, name.as_deref()),
        GuardsCommand::Why { text } => why(&context, text),
    };
    done.unwrap_or_else(|failure| failure_output(&context, &failure))
}

fn open(context: &Context<'_>) -> Workspace {
    Workspace::open(context.environment, context.run)
}

fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let workspace = open(context);
    let guards = guards()?;
    let listed = guards.iter().map(|it| GuardView::new(it, &workspace));
    let listed: Vec<GuardView> = listed.collect();
    let view = GuardsView { guards: &listed };
    context.say(AdditionalReport::quietly(&workspace), view, |output| {
        words::list(&listed, output)
    })
}

fn add(context: &Context<'_>, arguments: &AddArguments) -> Result<Output, CommandFailure> {
    let (name, scope) = (&arguments.name, arguments.scope);
    let added = add_guard(context.task(), name, scope, &arguments.set)?;
    let text = words::describe_added(&added.guard, added.replaced);
    let change = Change {
        labels: vec![added.guard.hook_name()],
        files: vec![added.file],
        warnings: added.warnings,
        ..Change::default()
    };
    report(context, change, text)
}

fn remove(context: &Context<'_>, arguments: &RemoveArguments) -> Result<Output, CommandFailure> {
    let scope = arguments.scope;
    let removed = remove_guard(context.task(), &arguments.name, scope)?;
    let text = words::describe_removed(&removed.guard);
    let change = Change {
        labels: vec![removed.guard.hook_name()],
        files: removed.files,
        ..Change::default()
    };
    report(context, change, text)
}

fn report(
    context: &Context<'_>,
    mut change: Change,
    text: String,
) -> Result<Output, CommandFailure> {
    let workspace = open(context);
    change.warn_of_folder(&workspace);
    change_output(context, &change, &workspace, text)
}

/// Measures guards. If a guard stops less or more than it promises, the command fails.
fn test(context: &Context<'_>, name: Option<&str>) -> Result<Output, CommandFailure> {
    let measured = measure_guards(name)?;
    let is_good = measured.iter().all(|it| it.measured.is_good());
    let workspace = open(context);
    let beside = AdditionalReport::without_problems(&workspace.project_root);
    let view = MeasuredGuardsView::new(&measured);
    let output = context.say(beside, view, |_| words::describe_measured(&measured))?;
    Ok(output.ending(if is_good { Exit::Done } else { Exit::Failed }))
}

/// Asks every guard of rules about a command.
fn why(context: &Context<'_>, command: &str) -> Result<Output, CommandFailure> {
    let workspace = open(context);
    let verdicts = ask_guards(context.task(), &workspace, command)?;
    let beside = AdditionalReport::without_problems(&workspace.project_root);
    let view = AskedGuardsView::new(command, &verdicts);
    context.say(beside, view, |output| {
        words::describe_judgements(&verdicts, output)
    })
}
