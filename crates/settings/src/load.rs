//! Reads all layers (ST-1, ST-2, ST-5).

use std::path::Path;

use jsonc_parser::ast::Value;

use crate::adopted::Adoption;
use crate::adopted_plugins::plugins_left_out;
use crate::agent::AgentSettings;
use crate::agent_read::read_agent;
use crate::config_read::read_config;
use crate::extension::ExtensionFolders;
use crate::extension_folders::read_extensions;
use crate::file_text::FileText;
use crate::hook_ids::HookIds;
use crate::hook_read::{HookReader, Shape};
use crate::layer_state::LayerState;
use crate::layer_state::LoadedLayer;
use crate::load_request::LoadRequest;
use crate::load_request::is_same_folder;
use crate::loader::Loader;
use crate::loosening::ProjectReach;
use crate::misplaced::{is_misspelt_hooks, report_misplaced};
use crate::old_names::report_old_names;
use crate::project_word::ProjectWord;
use crate::provided::Provided;
use crate::read_file::{FileContent, read_file};
use crate::report::Report;
use crate::resolve::{Contents, LayerContent, Resolver};
use crate::restrictions::Restrictions;
use crate::server_enablement::read_switched_off;
use crate::settings::Settings;
use crate::stray_files::stray_files;
use crate::syntax::{is_null, key_start, member, members, parse, start};
use crate::system_files::SystemFiles;
use crate::workspace::{FolderTrust, RunTrust, WorkspaceTrust};
use hookloop_hook::ExtensionScope;
use hookloop_hook::Layer;
use hookloop_hook::{HookDeclaration, Source};
use hookloop_hook::{Problem, ProblemCode};

/// Loads the settings of all layers. It never fails: errors are returned as problems. It runs,
/// trusts and writes nothing (TR-7).
pub fn load(request: &LoadRequest) -> Settings {
    let mut loader = Loader {
        distrusted: request.distrusted.clone(),
        ..Loader::default()
    };
    let (user, user_hooks) = loader.user_files(&request.home);
    let (system, system_hooks) = loader.system_files(&request.system);
    let workspace = workspace_trust(request, &user.agent, &system.agent);
    let project_is_home = is_same_folder(&request.project_root, &request.home);
    let reading = match workspace {
        // In the home folder the project's file is the user's, and counts once.
        _ if project_is_home => Reading::Nothing,
        WorkspaceTrust::DoNotTrust { .. } => Reading::HooksOnly,
        _ => Reading::Everything,
    };
    let project_file = request.project_root.join(".gemini/settings.json");
    let (project, project_hooks) = loader.settings_file(Layer::Project, &project_file, reading);
    let contents = Contents {
        project,
        user,
        system,
    };
    let enabled = [&contents.user, &contents.system].map(|it| it.config.enabled.as_ref());
    let word = contents.project.word.clone().without_redundant(enabled);
    let reach = project_reach(request, &workspace, &word);
    let folders = ExtensionFolders {
        home: &request.home,
        project: (!project_is_home).then_some(request.project_root.as_path()),
        workspace: &request.project_root,
        choice: &request.extensions,
        trust: &workspace,
        restrictions: &Restrictions::for_extensions([
            &contents.system.agent.restrictions,
            &contents.user.agent.restrictions,
        ]),
    };
    let (extensions, extension_hooks) =
        read_extensions(&mut loader, &folders, &|name, scope: ExtensionScope| {
            crate::resolve::disables_extension(&contents, reach, name, scope)
        });
    let (adopted_project, adopted_user) = Adoption::of(request, &contents).read(&mut loader);
    let of_project = [project_hooks, adopted_project];
    let of_user = [user_hooks, adopted_user];
    let of_others = [system_hooks, extension_hooks];
    let hooks = [of_project, of_user, of_others].into_iter().flatten();
    let mut hooks: Vec<_> = hooks.flatten().collect();
    let mut resolver = Resolver::new(reach, &loader.documents);
    let switches = resolver.switches(&contents, &mut hooks);
    if loader.has_project_file() {
        report_do_not_trust(&mut resolver, &workspace);
    }
    resolver.report_extensions(&contents, &extensions);
    resolver.hook_targets(&contents, &extensions, &mut hooks);
    let agent = resolver.agent(contents);
    let left_out = resolver.problems;
    loader.layers.sort_by_key(|layer| layer.layer);
    loader.problems.sort_by_key(|problem| problem.source.layer);
    loader.problems.extend(left_out);
    let mut settings = Settings {
        adopted: loader.adopted,
        layers: loader.layers,
        hooks,
        switches,
        problems: loader.problems,
        broken_files: loader.broken_files,
        project_word: word,
        agent,
        extensions,
        workspace,
        documents: loader.documents,
        host_tools: Vec::new(),
    };
    let is_read = !project_is_home && !settings.workspace.is_kept_out();
    let root = is_read.then_some(request.project_root.as_path());
    let strays = stray_files(&settings, root, &request.home);
    settings.problems.extend(strays);
    let left_out = plugins_left_out(&settings, &request.home);
    settings.problems.extend(left_out);
    settings
}

/// Reports that a project has no say in a folder that is marked so.
fn report_do_not_trust(resolver: &mut Resolver<'_>, workspace: &WorkspaceTrust) {
    let WorkspaceTrust::DoNotTrust { source } = workspace else {
        return;
    };
    let message = "the folder is marked DO_NOT_TRUST: the project's settings, hooks and extensions \
                   have no effect";
    let help = "change the entry to TRUST_FOLDER if you trust the folder";
    resolver.warn(
        ProblemCode::FolderUntrusted,
        source,
        message.to_owned(),
        help,
    );
}

/// Returns how far the project's word reaches (ST-13).
fn project_reach(
    request: &LoadRequest,
    workspace: &WorkspaceTrust,
    word: &ProjectWord,
) -> ProjectReach {
    let is_agreed = word
        .fingerprint()
        .is_some_and(|it| request.agreed_words.contains(&it));
    match (workspace.is_kept_out(), is_agreed) {
        (false, true) => ProjectReach::Agreed,
        _ if workspace.is_trusted() => ProjectReach::Folder,
        _ => ProjectReach::Itself,
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

/// How much of a settings file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Everything,
    HooksOnly,
    Nothing,
}

impl Loader {
    /// Reads what the user wrote: settings, and which servers Gemini CLI switched off (AG-CLI-9).
    fn user_files(&mut self, home: &Path) -> (LayerContent, Vec<HookDeclaration>) {
        let file = home.join(".gemini/settings.json");
        let (mut content, hooks) = self.settings_file(Layer::User, &file, Reading::Everything);
        let switched_off = read_switched_off(self, home);
        let restrictions = std::mem::take(&mut content.agent.restrictions);
        content.agent.restrictions = restrictions.extended_by(switched_off);
        (content, hooks)
    }

    /// Reads what the administrator wrote: settings, and below them defaults, trusted alike (ST-1).
    fn system_files(&mut self, files: &SystemFiles) -> (LayerContent, Vec<HookDeclaration>) {
        let (settings, mut hooks) =
            self.settings_file(Layer::System, &files.settings, Reading::Everything);
        if files.defaults == files.settings {
            return (settings, hooks);
        }
        let (defaults, others) =
            self.settings_file(Layer::System, &files.defaults, Reading::Everything);
        // Hardly anybody has one: it is listed only if it exists.
        self.layers
            .pop_if(|layer| layer.state == LayerState::Missing);
        hooks.extend(others);
        (settings.with_defaults(defaults), hooks)
    }

    fn settings_file(
        &mut self,
        layer: Layer,
        file: &Path,
        reading: Reading,
    ) -> (LayerContent, Vec<HookDeclaration>) {
        let origin = Source {
            layer: Some(layer),
            ..Source::of_file(file)
        };
        let content = match reading {
            Reading::Nothing => FileContent::Missing,
            _ => read_file(&mut self.documents, &origin),
        };
        let mut read = (LayerContent::default(), Vec::new());
        let objection = match content {
            FileContent::Missing => None,
            _ => self.objection(&origin),
        };
        let state = match content {
            _ if objection.is_some() => {
                self.add_broken(layer, None, objection.into_iter().collect());
                LayerState::Unreadable
            }
            FileContent::Missing => LayerState::Missing,
            FileContent::Unreadable(reason) => {
                let help = if file.is_dir() {
                    "remove the folder, and write the settings into a file of this name"
                } else {
                    "make the file readable, or remove it: it may contain a guard"
                };
                let message = format!("the file can't be read: {reason}");
                let code = ProblemCode::UnreadableFile;
                let problem = Problem::new(code, origin.clone(), message, help);
                self.add_broken(layer, None, vec![problem]);
                LayerState::Unreadable
            }
            FileContent::NotUnicode(text, offset) => {
                let mut report = Report::new(&text);
                let message = "the file isn't UTF-8 text";
                let help = "save the file as UTF-8: it may contain a guard";
                report.add(ProblemCode::InvalidJson, offset, message, help);
                self.add_broken(layer, None, report.finish());
                LayerState::Invalid
            }
            FileContent::Text(text) => match self.settings_text(layer, &text, reading) {
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
        layer: Layer,
        text: &FileText,
        reading: Reading,
    ) -> Option<(LayerContent, Vec<HookDeclaration>)> {
        let mut report = Report::new(text);
        let read = read_settings(&mut report, &mut self.hook_ids, reading);
        let problems = report.finish();
        match read {
            Ok((content, hooks)) => {
                self.problems.extend(problems);
                Some((content, hooks))
            }
            Err(Unreadable { offset }) => {
                let place = offset.map(|offset| text.position(offset));
                self.add_broken(layer, place, problems);
                None
            }
        }
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

/// Reports that a file can't be read, and where the cause is; nothing means the first problem.
struct Unreadable {
    offset: Option<usize>,
}

/// Returns where there is a prohibition of tools that can't be read: it would forbid nothing
/// (AG-CLI-9).
fn unreadable_prohibition(root: &jsonc_parser::ast::Object<'_>) -> Option<usize> {
    let Value::Object(tools) = &member(root, "tools")?.value else {
        return None;
    };
    let is_readable = |value: &Value<'_>| match value {
        Value::Array(list) => list
            .elements
            .iter()
            .all(|it| matches!(it, Value::StringLit(_))),
        other => is_null(other),
    };
    ["core", "exclude", "confirmationRequired"]
        .into_iter()
        .filter_map(|key| member(tools, key))
        .find(|it| !is_readable(&it.value))
        .map(|it| start(&it.value))
}

/// Reads a settings file, if it is an object with readable `hooks`.
fn read_settings(
    report: &mut Report<'_>,
    hook_ids: &mut HookIds,
    reading: Reading,
) -> Result<(LayerContent, Vec<HookDeclaration>), Unreadable> {
    let text = report.text;
    let root = match parse(text.text()) {
        Ok(Value::Object(root)) => root,
        Ok(other) => {
            report.wrong_type("the file", &other, "an object");
            return Err(Unreadable { offset: None });
        }
        Err(error) => {
            let message = format!("the file isn't JSON: {}", error.message);
            let rest = text.text().get(error.offset..).unwrap_or_default();
            let help = if rest.starts_with(['“', '”', '„', '‘', '’', '«', '»']) {
                "write straight quotes (\") instead of these: the file may contain a guard"
            } else {
                "correct it here: the file may contain a guard"
            };
            report.add(ProblemCode::InvalidJson, error.offset, message, help);
            return Err(Unreadable { offset: None });
        }
    };
    report.report_repeated(&root, |name| name == "hooks");
    let members = members(&root).0;
    report_misplaced(report, &members);
    let mut reader = HookReader {
        dialect: Ok(None),
        report,
        hook_ids,
        extension: None,
        hooks: Vec::new(),
    };
    reader.read_dialect(&root);
    // If "hooks" is repeated, all values are read (ST-5).
    for property in &root.properties {
        if is_misspelt_hooks(property) {
            // What it contains is reported, and may be a guard.
            let offset = Some(key_start(property));
            return Err(Unreadable { offset });
        }
        if property.name.as_str() == "hooks" && reader.read(&property.value) == Shape::Unreadable {
            let offset = Some(start(&property.value));
            return Err(Unreadable { offset });
        }
    }
    let hooks = reader.hooks;
    let mut content = LayerContent::default();
    if reading == Reading::Everything {
        content.word = ProjectWord::of(text, &root);
        content.config = read_config(report, &root);
        content.agent = read_agent(report, &members);
        report_old_names(report, &members);
        if let Some(offset) = unreadable_prohibition(&root) {
            return Err(Unreadable {
                offset: Some(offset),
            });
        }
        if let Some(Value::Object(extensions)) = member(&root, "extensions").map(|it| &it.value)
            && let Some(disabled) = member(extensions, "disabled").filter(|it| !is_null(&it.value))
        {
            content.disabled_extensions =
                report.texts_of("\"extensions.disabled\"", &disabled.value);
        }
    }
    Ok((content, hooks))
}
