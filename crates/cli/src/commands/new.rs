//! `hooks new`: a hook that runs at once, its settings entry, and a payload to fire it with (CM-8).

mod files;
mod guide;
mod kit;
mod plugin;
mod script;
mod subject;
mod view;
mod words;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookloop_events::{EventName, SubjectKind};
use hookloop_hook::{Grouping, HookType};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, SettingsFile};
use hookloop_trust::{StoreError, Vouched};
use serde_json::{Map, Value, json};

use crate::commands::change::texts;
use crate::commands::event::event;
use crate::commands::failure::FailureCode;
use crate::commands::scope::Scope;
use crate::commands::shell_words::quoted;
use crate::commands::{CommandFailure, Context, Format, switch, text, views};
use crate::output::{Exit, Output};
use view::CreatedView;

pub(super) use files::{Mode, create_all};

/// Holds the arguments of `new` (CM-8).
#[derive(Debug, Clone, Args)]
pub(crate) struct NewArguments {
    /// Its name: letters, digits, "-", "_" and "."
    pub(crate) name: String,
    /// The event, such as `BeforeTool`
    #[arg(long)]
    pub(crate) event: String,
    /// The language it is written in
    #[arg(long, value_enum)]
    pub(crate) lang: Language,
    /// Write it with the kit of its language, as a worker (python and node)
    #[arg(long)]
    pub(crate) kit: bool,
    /// How it is carried out
    #[arg(long = "type", value_enum, default_value = "command")]
    pub(crate) kind: NewType,
    /// Which tools, sources, reasons or triggers it is for; all without it
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) matcher: Option<String>,
    /// Whose settings it is added to
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: Scope,
}

/// Names the language of a new hook (CM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A shell script
    Bash,
    /// A Python 3 script
    Python,
    /// A script for Node.js
    Node,
    /// A crate that is built into a component of WebAssembly (with `--type plugin`)
    Rust,
}

/// Names how a new hook is carried out (HT-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewType {
    /// A program for each event
    Command,
    /// A component of WebAssembly
    Plugin,
}

/// How a new hook is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As a program that reads and writes by itself.
    Plain,
    /// With the kit of its language (HT-13).
    Kit,
}

/// A hook that is to be created.
struct Plan<'a> {
    name: &'a str,
    event: EventName,
    language: Language,
    form: Form,
    matcher: Option<String>,
    scope: Scope,
    script: PathBuf,
    payload: PathBuf,
    /// The folder of its test.
    test: PathBuf,
    settings: PathBuf,
}

/// Says what was created, for people.
#[derive(Debug)]
pub(crate) struct Created {
    /// The hook's name.
    pub(crate) name: String,
    /// The files, the settings file last.
    pub(crate) files: Vec<PathBuf>,
    /// Whether a person has to trust it once it changes.
    pub(crate) scope: Scope,
    /// The commands to try next.
    pub(crate) next: Vec<String>,
}

/// Creates a hook. The person asked for it, so it is trusted as it is created.
pub(crate) fn new(
    context: &Context<'_>,
    arguments: &NewArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    check_name(&arguments.name)?;
    plugin::check(arguments.lang, arguments.kind)?;
    let before = Workspace::open(context.environment, &RunOptions::default());
    let plan = Plan::new(context, &before, arguments, event)?;
    if let Some(hook) = before
        .settings
        .hooks
        .iter()
        .find(|it| it.label() == plan.name)
    {
        let message = format!("a hook named \"{}\" exists ({})", plan.name, hook.source);
        return Err(CommandFailure::new(FailureCode::AlreadyExists, message));
    }
    let script = match plan.form {
        Form::Plain => script::text(plan.name, event, plan.language),
        Form::Kit => kit::text(plan.name, event, plan.language).ok_or_else(|| {
            CommandFailure::bad_input(
                "there is no kit for this language; take --lang python or node",
            )
        })?,
    };
    let subject = subject::fitting(event, plan.matcher.as_deref());
    let payload = script::payload(event, subject.as_deref());
    let expectation = script::expectation(plan.name, event);
    let [input, expected] = ["input.json", "expect.json"].map(|name| plan.test.join(name));
    let around = plugin::around(&plan);
    let mode = match plan.language {
        Language::Rust => files::Mode::Data,
        _ => files::Mode::Program,
    };
    let mut created = vec![
        (&plan.script, script, mode),
        (&plan.payload, format!("{payload:#}\n"), files::Mode::Data),
        (&input, format!("{payload:#}\n"), files::Mode::Data),
        (&expected, format!("{expectation:#}\n"), files::Mode::Data),
    ];
    let around_it = around.iter();
    created.extend(around_it.map(|(path, text)| (path, (*text).to_owned(), files::Mode::Data)));
    let created = files::create_all(&created)?;
    if let Err(error) = plan.add_entry() {
        created.take_back();
        return Err(error.into());
    }
    let mut after = Workspace::open(context.environment, &RunOptions::default());
    let trusted = match plan.scope {
        // What is agreed to of a component is its bytes, and they aren't built yet.
        Scope::Project if plan.language != Language::Rust => trust(&mut after, &plan),
        Scope::Project | Scope::User => Ok(()),
    };
    let after = Workspace::open(context.environment, &RunOptions::default());
    let mut output = report(context, &after, &plan, subject.as_deref())?;
    if let Err(error) = trusted {
        // The hook is there all the same; it waits for trust like any other.
        output.notices.push_str(&text::warning(&error.to_string()));
    }
    Ok(output)
}

impl<'a> Plan<'a> {
    fn new(
        context: &Context<'_>,
        workspace: &Workspace,
        arguments: &'a NewArguments,
        event: EventName,
    ) -> Result<Self, CommandFailure> {
        if arguments.matcher.is_some() && event.subject_kind() == SubjectKind::None {
            let message = format!("--matcher has no effect on {event}: it has no subject");
            return Err(CommandFailure::bad_input(message));
        }
        let scope = arguments.scope;
        let folder = scope.folder(workspace, context.environment).join("hooks");
        let (name, language) = (arguments.name.as_str(), arguments.lang);
        let default = script::default_matcher(event).map(str::to_owned);
        Ok(Self {
            name,
            event,
            language,
            form: if arguments.kit {
                Form::Kit
            } else {
                Form::Plain
            },
            matcher: arguments.matcher.clone().or(default),
            scope,
            script: match language {
                Language::Rust => folder.join(name).join("src").join("lib.rs"),
                _ => folder.join(format!("{name}.{}", script::ending(language))),
            },
            payload: folder.join(format!("{name}.payload.json")),
            test: folder.join("tests").join(event.as_str()).join(name),
            settings: scope.settings_file(workspace, context.environment),
        })
    }

    /// Returns the command that runs the script, wherever the project is moved to.
    fn command(&self) -> String {
        let interpreter = script::interpreter(self.language);
        let file = match self.scope {
            Scope::User => quoted(&self.script.to_string_lossy()),
            Scope::Project => {
                let name = self.script.file_name().unwrap_or_default();
                format!(
                    "\"$GEMINI_PROJECT_DIR/.gemini/hooks/{}\"",
                    name.to_string_lossy()
                )
            }
        };
        format!("{interpreter} {file}")
    }

    fn kind(&self) -> HookType {
        match self.form {
            Form::Kit if kit::stays(self.event) => HookType::Worker,
            Form::Kit | Form::Plain => HookType::Command,
        }
    }

    fn add_entry(&self) -> Result<(), EditError> {
        let mut entry = match self.language {
            Language::Rust => plugin::entry(self),
            _ => json!({
                "type": self.kind().as_str(),
                "name": self.name,
                "description": guide::of(self.event).does,
                "command": self.command(),
            }),
        };
        if self.event.can_refuse() {
            // A guard that fails must not let things pass (IO-20).
            entry["onFailure"] = json!("deny");
        }
        if self.event == EventName::AfterModel {
            entry["chunks"] = json!("joined");
        }
        let new = NewHook {
            event: self.event,
            matcher: self.matcher.clone(),
            grouping: Grouping::Parallel,
            hook: match entry {
                Value::Object(entry) => entry,
                _ => Map::new(),
            },
        };
        let mut file = SettingsFile::open_for_edit(&self.settings)?;
        let added = file.add_hook(&new);
        let _ = added.map_err(|fault| file.error(fault))?;
        file.save().map(drop)
    }

    fn is_this(&self, vouched: &Vouched) -> bool {
        let hook = &vouched.hook;
        hook.label() == self.name
            && hook.event == self.event
            && hook.command() == self.command()
            && *hook.source.file == *self.settings
    }
}

/// Names are names of files too.
fn check_name(name: &str) -> Result<(), CommandFailure> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    if !name.is_empty() && name.chars().all(is_plain) && !name.starts_with(['.', '-']) {
        return Ok(());
    }
    Err(CommandFailure::bad_input(format!(
        "\"{name}\" can't be the name of a hook: use letters, digits, \"-\", \"_\" and \".\""
    )))
}

fn trust(workspace: &mut Workspace, plan: &Plan<'_>) -> Result<(), StoreError> {
    let new: Vec<Vouched> = workspace
        .vouched
        .iter()
        .filter(|it| plan.is_this(it))
        .cloned()
        .collect();
    let new: Vec<&Vouched> = new.iter().collect();
    let root = workspace.project_root.clone();
    workspace.store.trust_as_seen(&root, &new)
}

fn report(
    context: &Context<'_>,
    workspace: &Workspace,
    plan: &Plan<'_>,
    subject: Option<&str>,
) -> Result<Output, CommandFailure> {
    let mut files = vec![plan.script.clone()];
    files.extend(plugin::around(plan).into_iter().map(|(path, _)| path));
    files.extend([
        plan.payload.clone(),
        plan.test.join("input.json"),
        plan.test.join("expect.json"),
        plan.settings.clone(),
    ]);
    let problems = &workspace.problems;
    let told = switch::still_off(workspace, plan.name);
    let (result, notices) = match context.format {
        Format::Json => {
            let view = CreatedView {
                files: texts(&files),
                payload: plan.payload.to_string_lossy().into_owned(),
                label: plan.name,
            };
            let root = &workspace.project_root;
            (views::document(context.name, root, view, problems)?, told)
        }
        Format::Text { notices, .. } => {
            let created = Created {
                name: plan.name.to_owned(),
                files,
                scope: plan.scope,
                next: next(plan, &context.environment.current_dir, subject),
            };
            (
                words::created(&created),
                text::diagnostics(problems, notices) + &told,
            )
        }
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}

/// Returns the commands to try next.
fn next(plan: &Plan<'_>, current_dir: &Path, subject: Option<&str>) -> Vec<String> {
    let (name, event) = (quoted(plan.name), plan.event);
    let payload = plan
        .payload
        .strip_prefix(current_dir)
        .unwrap_or(&plan.payload);
    let payload = quoted(&format!("@{}", payload.to_string_lossy()));
    let option = match (event.subject_kind(), subject) {
        (SubjectKind::Tool, Some(tool)) => format!(" --tool {}", quoted(tool)),
        (SubjectKind::Word, Some(word)) => format!(" --trigger {}", quoted(word)),
        _ => String::new(),
    };
    let mut next = plugin::to_build(plan, current_dir);
    next.extend([
        format!("hookloop hooks fire {event} --only {name} --input {payload}"),
        format!("hookloop hooks why {event}{option}"),
    ]);
    if plan.scope == Scope::Project {
        next.push("hookloop hooks test".to_owned());
        next.push(format!(
            "hookloop hooks trust {name}    # after every change of {}",
            plugin::what_changes(plan)
        ));
    }
    next
}
