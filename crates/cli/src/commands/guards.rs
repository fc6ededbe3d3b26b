//! `hookloop guards`: the guards that come with the program (HT-40, HT-41).

mod view;
mod words;

use clap::{Args, Subcommand};
use hookloop_events::EventName;
use hookloop_hook::Grouping;
use hookloop_rules::{
    CORPORA, Guard, GuardError, Judgement, Measured, RuleSet, guard, guards, judge_command, measure,
};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, Saved, SettingsFile};
use hookloop_trust::Vouched;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::commands::change::Change;
use crate::commands::failure::FailureCode;
use crate::commands::person::Effect;
use crate::commands::scope::Scope;
use crate::commands::{
    CommandFailure, Context, Format, Named, begin_audit, failed, person, text, views,
};
use crate::near_matches::near_matches;
use crate::output::{Exit, Output};

/// Holds a command for guards.
#[derive(Debug, Clone, Args)]
pub(crate) struct GuardsArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// What is to be done; the list without it
    #[command(subcommand)]
    command: Option<GuardsCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum GuardsCommand {
    /// List the guards that come with the program, their options, and which are in use
    List,
    /// Add a guard to your settings, where you can read and edit it
    Add(AddArguments),
    /// Take a guard out of your settings
    Remove(RemoveArguments),
    /// Measure the guards: how many dangerous commands they hold up, and how many harmless ones
    Test(TestArguments),
    /// Say what each guard would do about a shell command, and why; runs nothing
    Why(WhyArguments),
}

#[derive(Debug, Clone, Args)]
struct AddArguments {
    /// The guard
    name: String,
    /// Whose settings are written
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// Sets an option of the guard; `guards list` names them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Clone, Args)]
struct RemoveArguments {
    /// The guard
    name: String,
    /// Whose settings are written: wherever it stands without it
    #[arg(long, value_enum)]
    scope: Option<Scope>,
}

#[derive(Debug, Clone, Args)]
struct TestArguments {
    /// The guard; all of them without it
    name: Option<String>,
}

#[derive(Debug, Clone, Args)]
struct WhyArguments {
    /// The text of the command
    text: String,
}

/// What a guard says about a command.
pub(crate) struct Said {
    /// The guard.
    guard: Guard,
    /// What its rules say.
    judgement: Judgement,
}

impl GuardsArguments {
    /// Says what the command does to what guards are made of (TR-11). A new one has to decide.
    pub(crate) fn effect(&self) -> Effect<'_> {
        match &self.command {
            Some(command @ (GuardsCommand::Add(_) | GuardsCommand::Remove(_))) => {
                Effect::Changes(person::Change {
                    name: name(command),
                    json: self.json,
                    path: None,
                })
            }
            None | Some(GuardsCommand::List | GuardsCommand::Test(_) | GuardsCommand::Why(_)) => {
                Effect::Reads
            }
        }
    }
}

const fn name(command: &GuardsCommand) -> Named {
    Named(match command {
        GuardsCommand::List => "guards list",
        GuardsCommand::Add(_) => "guards add",
        GuardsCommand::Remove(_) => "guards remove",
        GuardsCommand::Test(_) => "guards test",
        GuardsCommand::Why(_) => "guards why",
    })
}

/// Runs a command for guards.
pub(crate) fn run(arguments: &GuardsArguments, environment: &Environment) -> Output {
    let command = arguments.command.as_ref().unwrap_or(&GuardsCommand::List);
    let run = RunOptions::default();
    let context = Context {
        name: name(command),
        format: Format::new(arguments.json, environment),
        environment,
        run: &run,
        stop: CancellationToken::new(),
    };
    let done = match command {
        GuardsCommand::List => list(&context),
        GuardsCommand::Add(arguments) => add(&context, arguments),
        GuardsCommand::Remove(arguments) => remove(&context, arguments),
        GuardsCommand::Test(arguments) => test(&context, arguments.name.as_deref()),
        GuardsCommand::Why(arguments) => why(&context, &arguments.text),
    };
    done.unwrap_or_else(|failure| failed(&context, &failure))
}

impl From<GuardError> for CommandFailure {
    fn from(error: GuardError) -> Self {
        match error {
            GuardError::Unreadable(_) => Self::internal(error.to_string()),
            _ => Self::bad_input(error.to_string()),
        }
    }
}

fn open(context: &Context<'_>) -> Workspace {
    Workspace::open(context.environment, context.run)
}

fn named(name: &str) -> Result<Guard, CommandFailure> {
    if let Some(guard) = guard(name)? {
        return Ok(guard);
    }
    let known = guards()?;
    let names: Vec<&str> = known.iter().map(|it| it.name.as_str()).collect();
    let message = format!("there is no guard \"{name}\"; `hookloop guards list` names all");
    Err(CommandFailure::bad_input(message).with_candidates(near_matches(name, &names)))
}

fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let workspace = open(context);
    let listed: Vec<view::GuardView> = guards()?
        .iter()
        .map(|guard| view::GuardView::new(guard, &workspace))
        .collect();
    let result = match context.format {
        Format::Json => {
            let body = view::ListView { guards: &listed };
            let root = &workspace.project_root;
            views::document(context.name, root, body, &workspace.problems)?
        }
        Format::Text { output, .. } => words::list(&listed, output),
    };
    Ok(Output::of_text(result))
}

/// Adds a guard; one that stands there already is replaced, so that options can be set anew.
fn add(context: &Context<'_>, arguments: &AddArguments) -> Result<Output, CommandFailure> {
    let guard = named(&arguments.name)?;
    let mut values = values(&arguments.set)?;
    // A guard that is this program is named by its path: a PATH may change.
    if guard.options.iter().any(|it| it.name == "program")
        && let Some(program) = &context.environment.program
    {
        let path = Value::from(program.to_string_lossy());
        values.entry("program").or_insert(path);
    }
    let entry = guard.entry(&values).map_err(|error| {
        let options: Vec<&str> = guard.options.iter().map(|it| it.name.as_str()).collect();
        let has = match options.as_slice() {
            [] => "it has no options".to_owned(),
            options => format!("its options are {}", options.join(", ")),
        };
        CommandFailure::bad_input(format!("{}: {error}; {has}", guard.name))
    })?;
    let new = hooks_of(&guard, &entry)?;
    let before = open(context);
    let file = arguments.scope.settings_file(&before, context.environment);
    let replaced = save(&file, |settings| {
        let replaced = settings.remove_hooks(&guard.hook_name());
        let replaced = replaced.map_err(|fault| settings.error(fault))?;
        for hook in &new {
            let added = settings.add_hook(hook);
            let _ = added.map_err(|fault| settings.error(fault))?;
        }
        Ok(replaced.is_yes())
    })?;
    let mut notices = String::new();
    if arguments.scope == Scope::Project {
        notices = trust(context, &guard, &file);
    }
    if guard.name == "audit"
        && let Err(error) = begin_audit(context.environment)
    {
        notices.push_str(&text::warning(&format!(
            "the audit can't be begun: {error}"
        )));
    }
    let change = Change {
        told: words::added(&guard, replaced),
        files: vec![file],
        labels: vec![guard.hook_name()],
        notices,
        ..Change::default()
    };
    change.report(context, &open(context))
}

/// Returns the hooks that stand for a guard: one for each event that it listens to.
fn hooks_of(guard: &Guard, entry: &Map<String, Value>) -> Result<Vec<NewHook>, CommandFailure> {
    let no_fields = Map::new();
    let first = (&guard.event, guard.matcher.clone(), &no_fields);
    let others = guard.also.iter().map(|it| (&it.event, None, &it.with));
    let hook = |(event, matcher, with): (&String, Option<String>, &Map<String, Value>)| {
        let event: EventName = event.parse().map_err(|_| {
            CommandFailure::internal(format!("{} waits for an unknown event", guard.name))
        })?;
        let mut hook = entry.clone();
        hook.extend(with.clone());
        Ok(NewHook {
            event,
            matcher,
            grouping: Grouping::Parallel,
            hook,
        })
    };
    std::iter::once(first).chain(others).map(hook).collect()
}

/// The person asked for it, so it is trusted as it is added, like a hook that `new` creates.
fn trust(context: &Context<'_>, guard: &Guard, file: &std::path::Path) -> String {
    let mut workspace = open(context);
    let is_this =
        |it: &&Vouched| it.hook.label() == guard.hook_name() && *it.hook.source.file == *file;
    let added: Vec<Vouched> = workspace.vouched.iter().filter(is_this).cloned().collect();
    let added: Vec<&Vouched> = added.iter().collect();
    let root = workspace.project_root.clone();
    match workspace.store.trust_as_seen(&root, &added) {
        Ok(()) => String::new(),
        Err(error) => text::warning(&error.to_string()),
    }
}

fn remove(context: &Context<'_>, arguments: &RemoveArguments) -> Result<Output, CommandFailure> {
    let guard = named(&arguments.name)?;
    let before = open(context);
    let scopes = match arguments.scope {
        Some(scope) => vec![scope],
        None => vec![Scope::Project, Scope::User],
    };
    let mut change = Change {
        labels: vec![guard.hook_name()],
        ..Change::default()
    };
    for scope in scopes {
        let file = scope.settings_file(&before, context.environment);
        if !file.exists() || change.files.contains(&file) {
            continue;
        }
        let removed = save(&file, |settings| {
            let removed = settings.remove_hooks(&guard.hook_name());
            Ok(removed.map_err(|fault| settings.error(fault))?.is_yes())
        })?;
        if removed {
            change.files.push(file);
        }
    }
    if change.files.is_empty() {
        let message = format!("the guard \"{}\" isn't in use there", guard.name);
        return Err(CommandFailure::new(FailureCode::UnknownHook, message));
    }
    change.told = words::removed(&guard);
    change.report(context, &open(context))
}

/// Edits a settings file under its lock (ST-10), and tells what the edit told.
fn save(
    file: &std::path::Path,
    edit: impl FnOnce(&mut SettingsFile) -> Result<bool, EditError>,
) -> Result<bool, EditError> {
    let mut settings = SettingsFile::open_for_edit(file)?;
    let told = edit(&mut settings)?;
    let saved = settings.save()?;
    Ok(told && saved == Saved::Written)
}

/// Reads `KEY=VALUE`: a value that is JSON counts as that, every other one is a text.
fn values(set: &[String]) -> Result<Map<String, Value>, CommandFailure> {
    let mut values = Map::new();
    for pair in set {
        let Some((key, value)) = pair.split_once('=') else {
            let message = format!("--set {pair}: write KEY=VALUE");
            return Err(CommandFailure::bad_input(message));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        values.insert(key.to_owned(), value);
    }
    Ok(values)
}

/// Measures guards. A guard that holds up less or more than it promises fails the command.
fn test(context: &Context<'_>, name: Option<&str>) -> Result<Output, CommandFailure> {
    if let Some(name) = name {
        named(name)?;
    }
    let mut measured: Vec<(&str, Measured)> = Vec::new();
    for corpus in CORPORA {
        if name.is_none_or(|it| it == corpus.guard) {
            measured.push((corpus.guard, measure(&named(corpus.guard)?, corpus)?));
        }
    }
    if let Some(name) = name.filter(|_| measured.is_empty()) {
        let message = format!("there is no corpus for the guard \"{name}\"");
        return Err(CommandFailure::bad_input(message));
    }
    let is_good = measured.iter().all(|(_, it)| it.is_good());
    let result = match context.format {
        Format::Json => {
            let workspace = open(context);
            let body = view::TestView::new(&measured);
            views::document(context.name, &workspace.project_root, body, &[])?
        }
        Format::Text { .. } => words::measured(&measured),
    };
    Ok(Output {
        result,
        notices: String::new(),
        exit: if is_good { Exit::Done } else { Exit::Failed },
    })
}

/// Asks every guard of rules about a command, with its options as they are by default.
fn why(context: &Context<'_>, command: &str) -> Result<Output, CommandFailure> {
    let workspace = open(context);
    let home = context.environment.home.to_string_lossy();
    let places = hookloop_exec::places_of(&workspace.project_root, &home);
    let mut said = Vec::new();
    for guard in guards()? {
        let rules = guard.rules_with(&Map::new())?;
        if rules.is_empty() {
            continue;
        }
        let rules = RuleSet::read(&rules).map_err(GuardError::from)?;
        let judgement = judge_command(&rules, command, &places);
        said.push(Said { guard, judgement });
    }
    let result = match context.format {
        Format::Json => {
            let body = view::WhyView::new(command, &said);
            views::document(context.name, &workspace.project_root, body, &[])?
        }
        Format::Text { output, .. } => words::why(&said, output),
    };
    Ok(Output::of_text(result))
}
