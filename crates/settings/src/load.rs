//! Reads all layers (ST-1, ST-2, ST-5).

use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value;

use crate::agent::AgentSettings;
use crate::agent_read::read_agent;
use crate::config_read::read_config;
use crate::extension::{ExtensionChoice, ExtensionFolders, read_extensions};
use crate::file_text::{Documents, FileText};
use crate::hook_read::{HookReader, ReadHook, is_null};
use crate::layer_state::LayerState;
use crate::layer_state::LoadedLayer;
use crate::mint::Mint;
use crate::misplaced::report_misplaced;
use crate::project_root::is_same_folder;
use crate::provided::Provided;
use crate::read_file::{FileContent, read_file};
use crate::report::Report;
use crate::resolve::{Contents, LayerContent, ProjectReach, Resolver};
use crate::settings::Settings;
use crate::syntax::{member, parse};
use crate::workspace::{FolderTrust, RunTrust, WorkspaceTrust};
use hookloop_hook::ExtensionScope;
use hookloop_hook::Layer;
use hookloop_hook::Source;
use hookloop_hook::{Problem, ProblemCode};

/// Says which files to read, and what is known about trust.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The project's root, see [`crate::find_project_root`].
    pub project_root: PathBuf,
    /// The folder that holds the user's `.gemini`.
    pub home: PathBuf,
    /// The system's settings file.
    pub system_file: PathBuf,
    /// What `trustedFolders.json` says.
    pub folder: FolderTrust,
    /// Whether the workspace was trusted for this run.
    pub run: RunTrust,
    /// Which extensions take part.
    pub extensions: ExtensionChoice,
}

/// Loads the settings of all layers. It never fails: what is wrong comes back as problems, and
/// nothing is run, trusted or written (TR-7).
pub fn load(request: &LoadRequest) -> Settings {
    let mut loader = Loader::default();
    let user_file = request.home.join(".gemini").join("settings.json");
    let (user, user_hooks) = loader.settings_file(Layer::User, &user_file, Reading::Everything);
    let (system, system_hooks) =
        loader.settings_file(Layer::System, &request.system_file, Reading::Everything);
    let workspace = workspace_trust(request, &user.agent, &system.agent);
    let project_is_home = is_same_folder(&request.project_root, &request.home);
    let reading = match workspace {
        // In the home folder the project's file is the user's, and counts once.
        _ if project_is_home => Reading::Nothing,
        WorkspaceTrust::DoNotTrust { .. } => Reading::HooksOnly,
        _ => Reading::Everything,
    };
    let project_file = request.project_root.join(".gemini").join("settings.json");
    let (project, project_hooks) = loader.settings_file(Layer::Project, &project_file, reading);
    let contents = Contents {
        project,
        user,
        system,
    };
    let reach = if workspace.is_trusted() {
        ProjectReach::Everything
    } else {
        ProjectReach::Itself
    };
    let folders = ExtensionFolders {
        home: &request.home,
        project: (!project_is_home).then_some(request.project_root.as_path()),
        workspace: &request.project_root,
        choice: &request.extensions,
        trust: &workspace,
    };
    let (extensions, extension_hooks) =
        read_extensions(&mut loader, &folders, &|name, scope: ExtensionScope| {
            crate::resolve::disables_extension(&contents, reach, name, scope)
        });
    let hooks = [project_hooks, user_hooks, system_hooks, extension_hooks]
        .into_iter()
        .flatten();
    let mut resolver = Resolver::new(reach, &loader.documents);
    let (switches, hooks) = resolver.switches(&contents, hooks.collect());
    if let WorkspaceTrust::DoNotTrust { source } = &workspace
        && loader.has_project_file()
    {
        let message = "the folder is marked DO_NOT_TRUST: the project's settings, hooks and \
                       extensions have no effect";
        let help = "change the entry to TRUST_FOLDER if you trust the folder";
        resolver.warn(
            ProblemCode::FolderUntrusted,
            source,
            message.to_owned(),
            help,
        );
    }
    resolver.report_extensions(&contents, &extensions);
    let agent = resolver.agent(contents);
    let left_out = resolver.problems;
    loader.layers.sort_by_key(|layer| layer.layer);
    let mut problems = loader.problems;
    problems.sort_by_key(|problem| problem.source.layer);
    problems.extend(left_out);
    let documents = loader.documents;
    Settings {
        layers: loader.layers,
        hooks,
        switches,
        problems,
        agent,
        extensions,
        workspace,
        documents,
    }
}

fn workspace_trust(
    request: &LoadRequest,
    user: &AgentSettings,
    system: &AgentSettings,
) -> WorkspaceTrust {
    if let FolderTrust::DoNotTrust { source } = &request.folder {
        return WorkspaceTrust::DoNotTrust {
            source: source.clone(),
        };
    }
    if request.run != RunTrust::NotGiven {
        return WorkspaceTrust::ThisRun(request.run);
    }
    match user
        .folder_trust_enabled
        .as_ref()
        .or(system.folder_trust_enabled.as_ref())
    {
        Some(Provided {
            value: false,
            source,
        }) => WorkspaceTrust::FolderTrustOff {
            source: source.clone(),
        },
        _ if request.folder == FolderTrust::Trusted => WorkspaceTrust::Folder,
        _ => WorkspaceTrust::Untold,
    }
}

/// Says how much of a settings file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Everything,
    HooksOnly,
    Nothing,
}

/// Collects while files are read.
#[derive(Default)]
pub(crate) struct Loader {
    pub(crate) layers: Vec<LoadedLayer>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) documents: Documents,
    pub(crate) mint: Mint,
}

impl Loader {
    fn settings_file(
        &mut self,
        layer: Layer,
        file: &Path,
        reading: Reading,
    ) -> (LayerContent, Vec<ReadHook>) {
        let origin = Source {
            layer: Some(layer),
            ..Source::of_file(file)
        };
        let content = match reading {
            Reading::Nothing => FileContent::Missing,
            _ => read_file(&mut self.documents, &origin),
        };
        let mut read = (LayerContent::default(), Vec::new());
        let state = match content {
            FileContent::Missing => LayerState::Missing,
            FileContent::Unreadable(reason) => {
                let help = "make the file readable, or remove it; the layer counts as empty";
                let message = format!("the file can't be read: {reason}");
                let code = ProblemCode::UnreadableFile;
                self.problems
                    .push(Problem::new(code, origin.clone(), message, help));
                LayerState::Unreadable
            }
            FileContent::NotUnicode(text, offset) => {
                let mut report = Report::new(&text);
                let message = "the file is no UTF-8 text";
                let help = "save the file as UTF-8; the layer counts as empty";
                report.add(ProblemCode::InvalidJson, offset, message, help);
                self.problems.extend(report.finish());
                LayerState::Invalid
            }
            FileContent::Text(text) => match self.settings_text(&text, reading) {
                Some(sound) => {
                    read = sound;
                    match reading {
                        Reading::HooksOnly => LayerState::Untrusted,
                        _ => LayerState::Loaded,
                    }
                }
                None => LayerState::Invalid,
            },
        };
        self.layers.push(LoadedLayer {
            layer,
            extension: None,
            file: origin.file,
            state,
        });
        read
    }

    fn settings_text(
        &mut self,
        text: &FileText,
        reading: Reading,
    ) -> Option<(LayerContent, Vec<ReadHook>)> {
        let mut report = Report::new(text);
        let read = read_settings(&mut report, &mut self.mint, reading);
        self.problems.extend(report.finish());
        read
    }

    fn has_project_file(&self) -> bool {
        self.layers
            .iter()
            .any(|layer| layer.layer == Layer::Project && layer.state != LayerState::Missing)
            || self
                .layers
                .iter()
                .any(|layer| layer.state == LayerState::Untrusted)
    }
}

/// Reads a settings file; nothing if it is no JSON, or no object.
fn read_settings(
    report: &mut Report<'_>,
    mint: &mut Mint,
    reading: Reading,
) -> Option<(LayerContent, Vec<ReadHook>)> {
    let text = report.text;
    let root = match parse(text.text()) {
        Ok(Value::Object(root)) => root,
        Ok(other) => {
            report.wrong_type("the file", &other, "an object");
            return None;
        }
        Err(error) => {
            let message = format!("the file is no JSON: {}", error.message);
            let help = "correct it here; until then all of this file counts as empty";
            report.add(ProblemCode::InvalidJson, error.offset, message, help);
            return None;
        }
    };
    let members = report.members(&root);
    report_misplaced(report, &members);
    let mut hooks = Vec::new();
    if let Some(property) = member(&root, "hooks").filter(|it| !is_null(&it.value)) {
        let mut reader = HookReader {
            report,
            mint,
            extension: None,
            hooks: Vec::new(),
        };
        reader.read(&property.value);
        hooks = reader.hooks;
    }
    let mut content = LayerContent::default();
    if reading == Reading::Everything {
        content.config = read_config(report, &root);
        content.agent = read_agent(report, &members);
        if let Some(Value::Object(extensions)) = member(&root, "extensions").map(|it| &it.value)
            && let Some(disabled) = member(extensions, "disabled").filter(|it| !is_null(&it.value))
        {
            content.disabled_extensions =
                report.texts_of("\"extensions.disabled\"", &disabled.value);
        }
    }
    Some((content, hooks))
}
