//! The contents of an extension: everything that a person agrees to (EX-4).

use std::path::Path;

use hookloop_hook::{Handler, HookDeclaration, Problem, Severity, Source};
use hookloop_settings::bounded::read_text;
use hookloop_settings::{
    ExtensionChoice, FolderTrust, LoadRequest, RunTrust, SettingsText, SystemFiles, load,
};
use serde_json::Value;

use crate::failure::Failure;
use crate::marketplace::plugins_listed_in;
use crate::source::NO_MANIFEST;

/// The contents of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// Its version, or an empty string.
    pub version: String,
    /// Its hooks.
    pub hooks: Vec<BundledHook>,
    /// Its MCP servers.
    pub servers: Vec<BundledServer>,
    /// The files that the model reads.
    pub context_files: Vec<String>,
    /// The tools that it excludes.
    pub excluded_tools: Vec<String>,
    /// The settings that its hooks get.
    pub settings: Vec<SettingDeclaration>,
    /// Its problems.
    pub problems: Vec<Problem>,
}

/// A hook of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledHook {
    /// The event, and the matcher if there is one.
    pub when: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its command.
    pub command: String,
    /// Its variables, as `NAME=value`.
    pub env: Vec<String>,
}

/// An MCP server of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledServer {
    /// Its name.
    pub name: String,
    /// The command that starts it, or its address.
    pub start: String,
}

/// A setting that an extension declares (EX-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingDeclaration {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The environment variable in which hooks receive it.
    pub variable: String,
    /// Whether it is a secret.
    pub sensitive: bool,
}

impl Bundle {
    /// Reads the extension of a staged home folder; `shown_at` is its final path. Reads what a
    /// session would read, and starts nothing.
    pub fn read(home: &Path, shown_at: &Path) -> Result<Self, Failure> {
        let workspace = home.join("workspace");
        let settings = load(&LoadRequest {
            project_root: workspace.clone(),
            home: home.to_path_buf(),
            system: SystemFiles::of(home.join("none.json")),
            folder: FolderTrust::Untold,
            run: RunTrust::NotGiven,
            extensions: ExtensionChoice::Enabled,
            agreed_words: Vec::new(),
            distrusted: Vec::new(),
        });
        let Some(extension) = settings.extensions.first() else {
            return Err(broken_failure(home, &settings.problems));
        };
        let origin = &extension.origin;
        let shown = Shown {
            folder: origin.path.to_string_lossy().into_owned(),
            place: shown_at.join(&*origin.name).to_string_lossy().into_owned(),
            workspace: workspace.to_string_lossy().into_owned(),
            is_linked: !origin.path.starts_with(home),
        };
        let exists = |name: &&String| origin.path.join(name).is_file();
        Ok(Self {
            name: origin.name.to_string(),
            version: extension.version.clone(),
            hooks: settings.hooks.iter().map(|it| shown.hook(it)).collect(),
            servers: extension
                .mcp_servers
                .iter()
                .map(|(name, configuration)| shown.server(name, configuration))
                .collect(),
            context_files: extension
                .context_file_names
                .iter()
                .filter(exists)
                .cloned()
                .collect(),
            excluded_tools: extension.exclude_tools.clone(),
            settings: declared_settings(&extension.source),
            problems: settings
                .problems
                .iter()
                .map(|it| shown.problem(it))
                .collect(),
        })
    }

    /// Returns whether the extension starts programs.
    pub const fn runs_programs(&self) -> bool {
        !self.hooks.is_empty() || !self.servers.is_empty()
    }
}

/// Replaces the staged path of an extension by its final one.
struct Shown {
    folder: String,
    place: String,
    workspace: String,
    is_linked: bool,
}

impl Shown {
    fn text(&self, text: &str) -> String {
        let text = text.replace(&self.workspace, "${workspacePath}");
        if self.is_linked {
            return text;
        }
        text.replace(&self.folder, &self.place)
    }

    fn hook(&self, hook: &HookDeclaration) -> BundledHook {
        let variable = |(name, value): (&String, &String)| format!("{name}={}", self.text(value));
        BundledHook {
            when: match &hook.matcher {
                Some(matcher) => format!("{} ({matcher})", hook.event),
                None => hook.event.to_string(),
            },
            name: hook.name.clone(),
            command: self.text(&runs(hook)),
            env: hook.env.iter().map(variable).collect(),
        }
    }

    fn server(&self, name: &str, configuration: &Value) -> BundledServer {
        let text_of = |key: &str| configuration.get(key).and_then(Value::as_str);
        let start = match text_of("command") {
            Some(command) => {
                let arguments = configuration.get("args").and_then(Value::as_array);
                let arguments = arguments.into_iter().flatten();
                let words = arguments.map(|it| it.as_str().map_or(it.to_string(), str::to_owned));
                let words: Vec<String> = std::iter::once(command.to_owned()).chain(words).collect();
                words.join(" ")
            }
            None => ["httpUrl", "url", "tcp"]
                .into_iter()
                .find_map(text_of)
                .map_or_else(|| configuration.to_string(), str::to_owned),
        };
        let env = configuration.get("env").and_then(Value::as_object);
        let env = env.into_iter().flatten().map(|(name, value)| {
            let value = value.as_str().map_or(value.to_string(), str::to_owned);
            format!("{name}={value}")
        });
        let env: Vec<String> = env.collect();
        let with = if env.is_empty() {
            String::new()
        } else {
            format!(" (with {})", env.join(", "))
        };
        BundledServer {
            name: name.to_owned(),
            start: self.text(&(start + &with)),
        }
    }

    fn problem(&self, problem: &Problem) -> Problem {
        let mut problem = problem.clone();
        let file = self.text(&problem.source.file.to_string_lossy());
        problem.source.file = Path::new(&file).into();
        problem
    }
}

/// Describes what a hook runs: a command literally, anything else by its type.
fn runs(hook: &HookDeclaration) -> String {
    match &hook.handler {
        Handler::Command { .. } => hook.describe_run(),
        other => format!("{} {}", other.type_name(), hook.describe_run()),
    }
}

fn broken_failure(home: &Path, problems: &[Problem]) -> Failure {
    let worst = problems.iter().find(|it| it.severity == Severity::Error);
    let why = match worst.or(problems.first()) {
        Some(problem) => {
            let file = problem.source.file.file_name().unwrap_or_default();
            let place = match problem.source.position {
                Some(place) => format!(":{}:{}", place.line, place.column),
                None => String::new(),
            };
            format!("{}{place}: {}", file.to_string_lossy(), problem.message)
        }
        None => marketplace_in(home).unwrap_or_else(|| NO_MANIFEST.to_owned()),
    };
    Failure::bad_input(format!("the extension is broken: {why}"))
}

/// Returns a message with the plugins that the staged folder lists, if it isn't an extension
/// itself.
fn marketplace_in(home: &Path) -> Option<String> {
    let entries = std::fs::read_dir(home.join(".gemini/extensions")).ok()?;
    let mut folders = entries.filter_map(|it| Some(it.ok()?.path()));
    folders.find_map(|folder| plugins_listed_in(&folder))
}

/// Returns the settings that a manifest declares.
fn declared_settings(manifest: &Source) -> Vec<SettingDeclaration> {
    let text = read_text(&manifest.file).unwrap_or_default();
    let json = SettingsText::new(text.trim_start_matches('\u{FEFF}')).and_then(|it| it.to_value());
    let Ok(json) = json else { return Vec::new() };
    let list = json.get("settings").and_then(Value::as_array);
    let one = |setting: &Value| {
        let text_of = |key: &str| setting.get(key).and_then(Value::as_str);
        let variable = text_of("envVar")?.to_owned();
        Some(SettingDeclaration {
            name: text_of("name").unwrap_or(&variable).to_owned(),
            description: text_of("description").unwrap_or_default().to_owned(),
            sensitive: setting.get("sensitive").and_then(Value::as_bool) == Some(true),
            variable,
        })
    };
    list.into_iter().flatten().filter_map(one).collect()
}
