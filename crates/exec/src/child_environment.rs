//! The environment of a hook's process (ENV-1, ENV-3, ENV-4, TE-3).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use hookloop_dialects::{ForeignValue, foreign_environment, foreign_transcript};
use hookloop_engine::Invocation;
use hookloop_engine::events::SessionIdentity;
use hookloop_environment::looks_secret;
use hookloop_hook::{Dialect, EXTENSION_PATH_VARIABLE, ExtensionScope, HookDeclaration, Layer};

use tempfile::TempPath;

use crate::proof::Proof;
use crate::surroundings::Surroundings;
use crate::transcripts::make_folder;

/// The environments of a host's hooks, without the parts that differ from run to run; each is
/// prepared once, when the first hook needs it.
#[derive(Debug, Default)]
pub(crate) struct Environments {
    complete: OfAuthors,
    cleaned: OfAuthors,
}

/// The environments of hooks: of those of projects, and of all others.
#[derive(Debug, Default)]
struct OfAuthors {
    project: OnceLock<Prepared>,
    others: OnceLock<Prepared>,
}

/// An environment, and what was left out of it.
#[derive(Debug)]
pub(crate) struct Prepared {
    variables: Vec<(OsString, OsString)>,
    withheld: Vec<String>,
}

/// The environment of one run.
#[derive(Debug)]
pub(crate) struct ChildEnvironment<'a> {
    prepared: &'a Prepared,
    added: Vec<(OsString, OsString)>,
    /// Variables of ours that the agent for which the hook was written doesn't have (FD-14).
    hidden: Vec<&'static str>,
    /// The file in which the hook sets variables for later shell commands; it is removed with this
    /// value.
    later: Option<TempPath>,
    /// Vouches for the run while it lasts (TR-11).
    _proof: Option<Proof>,
}

/// Our variables that a script would branch on, if its agent doesn't set them.
const OURS: [&str; 5] = [
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "GEMINI_PLANS_DIR",
];

/// Keeps Python from writing compiled files into the folders of modules.
const NO_BYTECODE: &str = "PYTHONDONTWRITEBYTECODE";

impl Environments {
    /// Returns the environment of a run of a hook.
    pub(crate) fn of<'a>(
        &'a self,
        surroundings: &Surroundings,
        invocation: &Invocation,
    ) -> Result<ChildEnvironment<'a>, String> {
        let hook = &invocation.hook;
        let (authors, withholds): (_, fn(&str, &str) -> bool) =
            if surroundings.redaction.cleans(hook.source.layer) {
                (&self.cleaned, looks_secret)
            } else {
                (&self.complete, |_, _| false)
            };
        let prepared = if is_of_project(hook) {
            let all = || Prepared::new(surroundings, &surroundings.of_project, withholds);
            authors.project.get_or_init(all)
        } else {
            let without =
                || Prepared::new(surroundings, &[], withholds).without_projects(surroundings);
            authors.others.get_or_init(without)
        };
        let session = &invocation.session;
        let mut added = vec![
            ("GEMINI_CWD".into(), session.cwd.clone().into_os_string()),
            (
                "GEMINI_SESSION_ID".into(),
                OsString::from(&session.session_id),
            ),
        ];
        // A bytecode file beside a module would be a file that nobody has agreed to (ENV-1, TR-1).
        let keeps_bytecode = matches!(hook.source.layer, Some(Layer::User | Layer::System));
        if !keeps_bytecode && !prepared.variables.iter().any(|(it, _)| it == NO_BYTECODE) {
            added.push((NO_BYTECODE.into(), "1".into()));
        }
        for variable in foreign_environment(hook.dialect) {
            let value = match variable.value {
                ForeignValue::Text(text) => OsString::from(text),
                ForeignValue::ProjectRoot => surroundings.project_root.clone().into_os_string(),
                ForeignValue::SessionId => OsString::from(&session.session_id),
                ForeignValue::Transcript => transcript_of(hook, session).into_os_string(),
                ForeignValue::AgentId => {
                    let agent = session.agent.as_ref();
                    agent
                        .map(|it| OsString::from(&it.agent_id))
                        .unwrap_or_default()
                }
                ForeignValue::HookFolder => {
                    folder_of_entry(hook, &surroundings.project_root).into_os_string()
                }
            };
            added.push((variable.name.into(), value));
        }
        let mut later = None;
        if hook.dialect != Dialect::Hookloop {
            added.extend(plugin_folders(surroundings, hook)?);
            if let Some(kept) = &surroundings.later_environment {
                later = kept.file(hook, invocation.event)?;
            }
            let named = later.as_deref().map(|it| it.as_os_str().to_owned());
            added.extend(named.map(|file| ("CLAUDE_ENV_FILE".into(), file)));
        }
        added.extend(hook.extension.as_ref().map(|extension| {
            let path = extension.path.clone().into_os_string();
            (EXTENSION_PATH_VARIABLE.into(), path)
        }));
        let proof = Proof::of(&hook.handler, surroundings.proofs.as_deref())
            .map_err(|error| format!("its run can't be verified: {error}"))?;
        added.extend(proof.iter().map(Proof::variable));
        // The hook's own variables come after this one, and may override it.
        let parent = invocation.trace_parent.as_ref();
        added.extend(parent.map(|it| ("TRACEPARENT".into(), it.into())));
        added.extend(settings_of(hook).map(|(name, value)| (name.into(), value.into())));
        Ok(ChildEnvironment {
            prepared,
            added,
            hidden: hidden_from(hook),
            later,
            _proof: proof,
        })
    }
}

/// Returns the transcript that a hook reads: that of its dialect, if there is one (FD-13).
fn transcript_of(hook: &HookDeclaration, session: &SessionIdentity) -> PathBuf {
    let ours = &session.transcript_path;
    let theirs = foreign_transcript(hook.dialect, ours).filter(|it| it.exists());
    theirs.unwrap_or_else(|| ours.clone())
}

/// Returns the folder with the file that declares a hook; for a hook that was brought over, with
/// the file that its agent reads.
fn folder_of_entry(hook: &HookDeclaration, project_root: &Path) -> PathBuf {
    let original = hook.from.as_deref().and_then(|from| from.rsplit_once(':'));
    let file = original.map_or(&*hook.source.file, |(file, _)| Path::new(file));
    let folder = file.parent().unwrap_or_else(|| Path::new(""));
    project_root.join(folder)
}

/// Returns the folders of a plugin: where it is, and one for its data, which an update leaves alone
/// (FD-3).
fn plugin_folders(
    surroundings: &Surroundings,
    hook: &HookDeclaration,
) -> Result<Vec<(OsString, OsString)>, String> {
    let Some(extension) = &hook.extension else {
        return Ok(Vec::new());
    };
    let mut folders = vec![(
        "CLAUDE_PLUGIN_ROOT".into(),
        extension.path.clone().into_os_string(),
    )];
    let above = match extension.scope {
        ExtensionScope::User => surroundings.plugin_data.clone(),
        // The data of a project's extensions is kept apart from that of the user's.
        ExtensionScope::Project => surroundings.plugin_data.as_ref().map(|folder| {
            let project = surroundings.project_root.to_string_lossy();
            folder
                .join(".projects")
                .join(project.replace(['/', '\\', ':'], "-"))
        }),
    };
    if let Some(folder) = above.map(|above| above.join(&*extension.name)) {
        make_folder(&folder).map_err(|error| {
            let folder = folder.display();
            format!("the plugin's data folder, {folder}, can't be created: {error}")
        })?;
        folders.push(("CLAUDE_PLUGIN_DATA".into(), folder.into_os_string()));
    }
    Ok(folders)
}

/// Returns the names of variables that a hook of another dialect doesn't get, except those that its
/// own entry names.
fn hidden_from(hook: &HookDeclaration) -> Vec<&'static str> {
    if matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli) {
        return Vec::new();
    }
    let theirs = foreign_environment(hook.dialect);
    let is_named = |name: &&str| {
        hook.command().contains(name)
            || hook.env.contains_key(*name)
            || theirs.iter().any(|variable| variable.name == *name)
    };
    OURS.into_iter().filter(|name| !is_named(name)).collect()
}

/// Returns whether a hook is the project's own.
fn is_of_project(hook: &HookDeclaration) -> bool {
    let extension = hook.extension.as_ref();
    hook.source.layer == Some(Layer::Project)
        || extension.is_some_and(|it| it.scope == ExtensionScope::Project)
}

/// Yields what is added last: the extension's settings, then the hook's `env` (ENV-4).
fn settings_of(hook: &HookDeclaration) -> impl Iterator<Item = (&String, &String)> {
    let extension = hook.extension.iter().flat_map(|it| &it.settings_env);
    extension
        .map(|(name, value)| (name, value))
        .chain(&hook.env)
}

impl Prepared {
    fn new(
        surroundings: &Surroundings,
        further: &[(OsString, OsString)],
        withholds: fn(&str, &str) -> bool,
    ) -> Self {
        let redaction = &surroundings.redaction;
        let named = |names: &[String], name: &str| {
            names.iter().any(|listed| listed.eq_ignore_ascii_case(name))
        };
        let mut variables = Vec::with_capacity(surroundings.variables.len() + 3);
        let mut withheld = Vec::new();
        for (name, value) in surroundings.variables.iter().chain(further) {
            let text = name.to_string_lossy();
            let is_withheld = named(&redaction.blocked, &text)
                || (!named(&redaction.allowed, &text)
                    && withholds(&text, &value.to_string_lossy()));
            if is_withheld {
                withheld.push(text.into_owned());
            } else {
                variables.push((name.clone(), value.clone()));
            }
        }
        withheld.sort();
        withheld.dedup();
        let own = |name: &str, path: &Path| (name.into(), path.as_os_str().to_owned());
        variables.push(own("GEMINI_PROJECT_DIR", &surroundings.project_root));
        variables.push(own("CLAUDE_PROJECT_DIR", &surroundings.project_root));
        variables.push(own("GEMINI_PLANS_DIR", &surroundings.plans_dir));
        Self {
            variables,
            withheld,
        }
    }

    /// Also names what the project set as withheld (BR-25).
    fn without_projects(mut self, surroundings: &Surroundings) -> Self {
        let names = surroundings.of_project.iter();
        let names = names.map(|(name, _)| name.to_string_lossy().into_owned());
        self.withheld.extend(names);
        self.withheld.sort();
        self.withheld.dedup();
        self
    }
}

impl ChildEnvironment<'_> {
    /// Gives this environment to a command, and no other.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.env_clear();
        for (name, value) in self.iter() {
            command.env(name, value);
        }
    }

    /// Yields the variables; if a name occurs twice, the later one counts.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&OsStr, &OsStr)> {
        let all = self.prepared.variables.iter().chain(&self.added);
        all.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
            .filter(|(name, _)| !self.hidden.iter().any(|hidden| name == hidden))
    }

    /// Returns the variables; if a name occurs twice, the later one counts.
    pub(crate) fn variables(&self) -> Vec<(OsString, OsString)> {
        self.iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// Returns the file in which the hook sets variables for later shell commands (FD-14).
    pub(crate) fn later_variables_file(&self) -> Option<&Path> {
        self.later.as_deref()
    }

    /// Yields the names; a name may occur twice.
    #[cfg(unix)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.iter().map(|(name, _)| name)
    }

    /// Returns the value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.iter()
            .rev()
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value)
    }

    /// Returns the name of a variable that no environment can contain, if one was to be added:
    /// without it, the hook would run with less than was configured.
    pub(crate) fn impossible_variable(&self) -> Option<String> {
        let found = self
            .added
            .iter()
            .find(|(name, value)| !is_possible(name, value));
        found.map(|(name, _)| name.to_string_lossy().into_owned())
    }

    /// Returns the names that were withheld and not set in another way, sorted.
    pub(crate) fn withheld_names(&self) -> Vec<String> {
        let is_added = |name: &str| self.added.iter().any(|(added, _)| added == name);
        self.prepared
            .withheld
            .iter()
            .filter(|name| !is_added(name))
            .cloned()
            .collect()
    }
}

/// Returns whether an environment can contain a variable.
fn is_possible(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.as_encoded_bytes(), value.as_encoded_bytes());
    !name.is_empty() && !name[1..].contains(&b'=') && !name.contains(&0) && !value.contains(&0)
}

#[cfg(all(test, unix))]
impl Prepared {
    /// Prepares an environment with only the given variables.
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        Self {
            variables: variables.collect(),
            withheld: Vec::new(),
        }
    }

    /// Makes it that of a run, with nothing added.
    pub(crate) fn as_child(&self) -> ChildEnvironment<'_> {
        ChildEnvironment {
            prepared: self,
            added: Vec::new(),
            hidden: Vec::new(),
            later: None,
            _proof: None,
        }
    }
}
