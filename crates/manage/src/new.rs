//! Creates a hook that runs at once, with its settings entry and a payload to fire it with (CM-8).

/// Expands to the result of a macro for each event's templates.
macro_rules! by_event {
    ($event:expr, $text:ident) => {
        match $event {
            EventName::SessionStart => $text!("session_start"),
            EventName::SessionEnd => $text!("session_end"),
            EventName::BeforeAgent => $text!("before_agent"),
            EventName::AfterAgent => $text!("after_agent"),
            EventName::BeforeModel => $text!("before_model"),
            EventName::BeforeToolSelection => $text!("before_tool_selection"),
            EventName::AfterModel => $text!("after_model"),
            EventName::BeforeTool => $text!("before_tool"),
            EventName::AfterTool => $text!("after_tool"),
            EventName::PreCompress => $text!("pre_compress"),
            EventName::Notification => $text!("notification"),
        }
    };
}

mod files;
mod guide;
mod kit;
mod plugin;
mod script;
mod subject;

use std::path::{Path, PathBuf};

use hookloop_events::{EventName, SubjectKind};
use hookloop_hook::{Grouping, HookType};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, SettingsFile};
use hookloop_text::shell_word as quoted;
use hookloop_trust::{StoreError, Vouched};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::scope::Scope;
use crate::subject::event;
use crate::view::texts;

pub(crate) use files::{Mode, create_all};

/// The language of a new hook (CM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Language {
    /// A shell script.
    Bash,
    /// A Python 3 script.
    Python,
    /// A script for Node.js.
    Node,
    /// A crate that builds a WebAssembly component (with `--type plugin`).
    Rust,
}

/// The type of a new hook (HT-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum NewType {
    /// A program for each event.
    Command,
    /// A WebAssembly component.
    Plugin,
}

/// How a new hook is implemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Without a kit.
    Plain,
    /// With the kit of its language (HT-13).
    Kit,
}

/// What a new guard of tool calls does at first (CM-8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Template {
    /// Refuse calls that contain a text from a list (the default).
    #[default]
    Marker,
    /// Refuse calls that name a .env file.
    EnvFiles,
}

/// The requested hook.
#[derive(Debug, Clone)]
pub struct HookWishes<'a> {
    /// Its name, which is also used for file names.
    pub name: &'a str,
    /// Its event.
    pub event: &'a str,
    /// What it does at first, only for `BeforeTool`; `None` for the marker template.
    pub template: Option<Template>,
    /// Its language.
    pub language: Language,
    /// How it is implemented.
    pub form: Form,
    /// Its type.
    pub kind: NewType,
    /// The subjects that it is for; `None` for all.
    pub matcher: Option<&'a str>,
    /// The settings that it is added to.
    pub scope: Scope,
}

/// A hook that has to be created.
struct Plan<'a> {
    name: &'a str,
    event: EventName,
    template: Template,
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

/// The result of creating a hook.
pub struct Created {
    /// The configuration.
    pub workspace: Workspace,
    /// The hook's name.
    pub name: String,
    /// The files; the settings file is the last one.
    pub files: Vec<PathBuf>,
    /// The sample payload.
    pub payload: PathBuf,
    /// The scope. It determines whether a person must trust the hook after changes.
    pub scope: Scope,
    /// Suggested next commands.
    pub next: Vec<String>,
    /// Why the hook isn't trusted yet, if trusting it failed.
    pub untrusted: Option<StoreError>,
}

/// A created hook, as JSON.
#[derive(Debug, Serialize)]
pub struct CreatedView<'a> {
    /// The files, the settings file last.
    files: Vec<String>,
    /// The sample payload.
    payload: String,
    /// The hook's name.
    label: &'a str,
}

impl<'a> CreatedView<'a> {
    /// Creates the view of a created hook.
    pub fn new(created: &'a Created) -> Self {
        Self {
            files: texts(&created.files),
            payload: created.payload.to_string_lossy().into_owned(),
            label: &created.name,
        }
    }
}

/// Creates a hook. The person asked for it, so it is trusted as it is created.
pub fn create_hook(task: Task<'_>, wishes: &HookWishes<'_>) -> Result<Created, CommandFailure> {
    let event = event(wishes.event)?;
    check_name(wishes.name)?;
    plugin::check(wishes.language, wishes.kind)?;
    let before = Workspace::open(task.environment, &RunOptions::default());
    let plan = Plan::new(task, &before, wishes, event)?;
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
        Form::Plain => script::text(&plan),
        Form::Kit => kit::text(&plan).ok_or_else(|| {
            CommandFailure::bad_input(
                "there is no kit for this language; use --lang python or --lang node",
            )
        })?,
    };
    let subject = subject::matching_subject(event, plan.matcher.as_deref());
    let payload = script::payload(&plan, subject.as_deref());
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
    let mut after = Workspace::open(task.environment, &RunOptions::default());
    let trusted = match plan.scope {
        // Trust in a component covers its bytes, which aren't built yet.
        Scope::Project if plan.language != Language::Rust => trust(&mut after, &plan),
        Scope::Project | Scope::User => Ok(()),
    };
    Ok(Created {
        workspace: Workspace::open(task.environment, &RunOptions::default()),
        name: plan.name.to_owned(),
        files: plan.files(),
        payload: plan.payload.clone(),
        scope: plan.scope,
        next: next(&plan, &task.environment.current_dir, subject.as_deref()),
        // The hook exists anyway, and waits for trust like any other.
        untrusted: trusted.err(),
    })
}

impl<'a> Plan<'a> {
    fn new(
        task: Task<'_>,
        workspace: &Workspace,
        wishes: &HookWishes<'a>,
        event: EventName,
    ) -> Result<Self, CommandFailure> {
        if wishes.matcher.is_some() && event.subject_kind() == SubjectKind::None {
            let message = format!("--matcher has no effect on {event}: the event has no subject");
            return Err(CommandFailure::bad_input(message));
        }
        if wishes.template.is_some() && event != EventName::BeforeTool {
            let message =
                format!("--template has no effect on {event}: templates are for BeforeTool");
            return Err(CommandFailure::bad_input(message));
        }
        let scope = wishes.scope;
        let folder = scope.folder(workspace, task.environment).join("hooks");
        let (name, language) = (wishes.name, wishes.language);
        let default = script::default_matcher(event).map(str::to_owned);
        Ok(Self {
            name,
            event,
            template: wishes.template.unwrap_or_default(),
            language,
            form: wishes.form,
            matcher: wishes.matcher.map(str::to_owned).or(default),
            scope,
            script: match language {
                Language::Rust => folder.join(name).join("src").join("lib.rs"),
                _ => folder.join(format!("{name}.{}", script::ending(language))),
            },
            payload: folder.join(format!("{name}.payload.json")),
            test: folder.join("tests").join(event.as_str()).join(name),
            settings: scope.settings_file(workspace, task.environment),
        })
    }

    /// Returns the files that it is made of, the settings file last.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.script.clone()];
        files.extend(plugin::around(self).into_iter().map(|(path, _)| path));
        files.extend([
            self.payload.clone(),
            self.test.join("input.json"),
            self.test.join("expect.json"),
            self.settings.clone(),
        ]);
        files
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
            Form::Kit if kit::is_long_lived(self.event) => HookType::Worker,
            Form::Kit | Form::Plain => HookType::Command,
        }
    }

    fn add_entry(&self) -> Result<(), EditError> {
        let mut entry = match self.language {
            Language::Rust => plugin::entry(self),
            _ => json!({
                "type": self.kind().as_str(),
                "name": self.name,
                "description": guide::purpose(self.event, self.template),
                "command": self.command(),
            }),
        };
        if self.event.can_refuse() {
            // A guard that fails must not permit the action (IO-20).
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

/// Checks a name, which is also used for file names.
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
    next.push("hookloop hooks test".to_owned());
    if plan.scope == Scope::Project {
        next.push(format!(
            "hookloop hooks trust {name}    # after every change of {}",
            plugin::trust_after_change(plan)
        ));
    }
    next
}
