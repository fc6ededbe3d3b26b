//! Reads one extension's folder (EX-1…3, EX-5).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_hook::Layer;
use hookloop_hook::{Enablement, ExtensionOrigin, ExtensionScope};
use hookloop_hook::{HookDeclaration, OnFailure, Source};
use hookloop_hook::{Problem, ProblemCode};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};

use crate::absence::may_stand;
use crate::deny_wish;
use crate::dotenv;
use crate::extension::{Extension, ExtensionFolders, REPAIR};
use crate::extension_hooks_file::{HooksFile, is_claude};
use crate::extension_manifest::{Manifest, ManifestForm, object, read_manifest, texts};
use crate::file_text::FileText;
use crate::hook_read::{HookReader, Shape};
use crate::keyring::{self, KEYRING_FILE};
use crate::layer_state::{LayerState, LoadedLayer};
use crate::loader::{BrokenFile, Loader};
use crate::misplaced::{is_misspelt_hooks, report_beside_hooks};
use crate::read_file::{FileContent, read_bytes, read_file};
use crate::report::Report;
use crate::substitution::Substitution;
use crate::syntax::{member, start, to_json};
use crate::workspace::WorkspaceTrust;

/// The file that says how an extension was installed.
pub(crate) const INSTALLED: &str = ".gemini-extension-install.json";

/// The reading of one extension.
pub(crate) struct OneExtension<'a, 'l> {
    pub(crate) loader: &'l mut Loader,
    pub(crate) folders: &'a ExtensionFolders<'a>,
    pub(crate) scope: ExtensionScope,
    pub(crate) path: PathBuf,
    /// Extensions and hooks so far.
    pub(crate) found: &'l mut (Vec<Extension>, Vec<HookDeclaration>),
    /// Whether one of its files says, where nothing reads it, that a failure of its hooks refuses
    /// (IO-21).
    pub(crate) wants_deny: bool,
}

/// Makes a failure refuse, except of hooks that say something else themselves.
fn refuse_on_failure(hooks: &mut [HookDeclaration]) {
    let silent = hooks.iter_mut();
    let silent = silent.filter(|it| it.on_failure == OnFailure::Default);
    silent.for_each(|it| it.on_failure = OnFailure::Deny);
}

impl OneExtension<'_, '_> {
    /// Reads it; if it is broken, that is reported, and nothing of it is left.
    pub(crate) fn read(&mut self, is_enabled: &dyn Fn(&str) -> bool) {
        let called = self.path.file_name().unwrap_or_default().to_owned();
        let was_installed = may_stand(&self.path.join(INSTALLED));
        if let Some(target) = self.linked_target() {
            self.path = target;
        }
        let form = ManifestForm::of(&self.path);
        let origin = self.origin(form.file(), None);
        let known = self.loader.problems.len();
        let text = self.text(&origin, "an extension's manifest is missing");
        let manifest = text.as_ref().and_then(|text| self.manifest(text, form));
        let (Some(text), Some(manifest)) = (&text, manifest) else {
            // Without a name in the manifest, the extension is named after its folder, as at its
            // installation.
            let may_guard = was_installed
                || form == ManifestForm::Claude
                || may_stand(&self.path.join(HooksFile::USUAL))
                || std::fs::read_dir(&self.path).is_err() && may_stand(&self.path)
                || text.is_some_and(|text| text.text().contains("\"hooks\""));
            if may_guard && is_enabled(&called.to_string_lossy()) {
                self.lose_guards(known);
            }
            return;
        };
        let duplicate =
            self.found.0.iter().any(|known| {
                known.origin.name == manifest.name && known.origin.scope == self.scope
            });
        if duplicate {
            let message = format!("there is another extension named \"{}\"", manifest.name);
            self.loader.problems.push(Problem::new(
                ProblemCode::ExtensionInvalid,
                origin,
                message,
                REPAIR,
            ));
            return;
        }
        let enablement = if is_enabled(&manifest.name) {
            Enablement::Enabled
        } else {
            Enablement::Disabled
        };
        let described = Arc::new(ExtensionOrigin {
            name: Arc::clone(&manifest.name),
            path: self.path.clone(),
            scope: self.scope,
            enablement,
            settings_env: self.settings_env(&manifest),
            in_keyring: self.in_keyring(&manifest),
        });
        self.wants_deny = manifest.wants_deny;
        if let Some(mut hooks) = self.all_hooks(&described, &manifest, text) {
            if self.wants_deny {
                refuse_on_failure(&mut hooks);
            }
            self.found.1.extend(hooks);
            let source = Source {
                extension: Some(manifest.name.clone()),
                ..origin
            };
            let extension = self.describe(manifest, described, source);
            self.found.0.push(extension);
        }
    }

    /// Returns the folder that a linked extension of the user's really is in (EX-4).
    fn linked_target(&self) -> Option<PathBuf> {
        if self.scope == ExtensionScope::Project {
            return None;
        }
        let bytes = read_bytes(&self.path.join(INSTALLED));
        let json: serde_json::Value = serde_json::from_slice(&bytes.ok()??).ok()?;
        let target = PathBuf::from(json.get("source")?.as_str()?);
        (json.get("type")?.as_str()? == "link" && target.is_absolute()).then_some(target)
    }

    fn origin(&self, file: &str, name: Option<Arc<str>>) -> Source {
        Source {
            layer: Some(Layer::Extension),
            extension: name,
            ..Source::of_file(self.path.join(file))
        }
    }

    /// Returns the text of a file that must be there, or reports that the extension is broken.
    fn text(&mut self, origin: &Source, if_missing: &str) -> Option<Arc<FileText>> {
        let objection = self.loader.objection(origin);
        if let Some(problem) = objection.or_else(|| self.leads_out(origin)) {
            self.loader.problems.push(problem);
            return None;
        }
        let message = match read_file(&mut self.loader.documents, origin) {
            FileContent::Text(text) => return Some(text),
            FileContent::Missing => if_missing.to_owned(),
            FileContent::Unreadable(reason) => format!("the file can't be read: {reason}"),
            FileContent::NotUnicode(text, offset) => {
                let mut report = Report::new(&text);
                let message = "the file isn't UTF-8 text";
                report.add(ProblemCode::ExtensionInvalid, offset, message, REPAIR);
                self.loader.problems.extend(report.finish());
                return None;
            }
        };
        let code = ProblemCode::ExtensionInvalid;
        self.loader
            .problems
            .push(Problem::new(code, origin.clone(), message, REPAIR));
        None
    }

    fn manifest(&mut self, text: &FileText, form: ManifestForm) -> Option<Manifest> {
        let mut report = Report::new(text);
        let manifest = read_manifest(&mut report, form);
        self.loader.problems.extend(report.finish());
        manifest
    }

    /// Returns the values of the extension's settings, only those that it declares (EX-3).
    fn settings_env(&mut self, manifest: &Manifest) -> Vec<(String, String)> {
        let values = dotenv::read(&self.settings_file(".env", manifest));
        values
            .into_iter()
            .filter(|(name, _)| manifest.variables.contains(name))
            .collect()
    }

    /// Returns the settings that the keyring keeps (EX-3). A project's extension has none there:
    /// what a stranger wrote must not get the user's secrets.
    fn in_keyring(&mut self, manifest: &Manifest) -> Vec<String> {
        if self.scope == ExtensionScope::Project {
            return Vec::new();
        }
        let names = keyring::names(&self.settings_file(KEYRING_FILE, manifest));
        names
            .into_iter()
            .filter(|name| manifest.variables.contains(name))
            .collect()
    }

    /// Returns the text of a file with settings, which need not be there.
    fn settings_file(&mut self, file: &str, manifest: &Manifest) -> String {
        let origin = self.origin(file, Some(Arc::clone(&manifest.name)));
        match read_bytes(&origin.file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            Err(reason) => {
                let message = format!("the extension's settings can't be read: {reason}");
                let help = "make the file readable; its hooks run without these settings";
                let code = ProblemCode::UnreadableFile;
                self.loader
                    .problems
                    .push(Problem::new(code, origin, message, help));
                String::new()
            }
        }
    }

    /// Reads all files of hooks, and the hooks in a manifest of Claude Code's form itself (FD-3);
    /// nothing if one is broken, and the extension with it.
    fn all_hooks(
        &mut self,
        extension: &Arc<ExtensionOrigin>,
        manifest: &Manifest,
        text: &FileText,
    ) -> Option<Vec<HookDeclaration>> {
        let usual = HooksFile::default_file();
        let mut hooks = self.hooks(extension, manifest.form, &usual)?;
        let mut read = vec![usual.path];
        let source = self.origin(manifest.form.file(), Some(Arc::clone(&extension.name)));
        let own = Naming {
            form: manifest.form,
            json: &manifest.json,
            text,
            source: &source,
        };
        hooks.extend(self.named_hooks(extension, &own, &mut read)?);
        if manifest.form == ManifestForm::Claude {
            return Some(hooks);
        }
        // An extension for both agents may declare hooks in only one of its manifests.
        let source = self.origin(
            ManifestForm::Claude.file(),
            Some(Arc::clone(&extension.name)),
        );
        if !may_stand(&source.file) {
            return Some(hooks);
        }
        let known = self.loader.problems.len();
        let text = self.text(&source, "the file is missing");
        let json = text.as_ref().and_then(|text| {
            let mut report = Report::new(text);
            let root = object(&mut report);
            let json = root.map(|root| to_json(&Value::Object(root)));
            self.loader.problems.extend(report.finish());
            json
        });
        let (Some(text), Some(json)) = (text, json) else {
            if extension.enablement == Enablement::Enabled {
                self.lose_guards(known);
            }
            return None;
        };
        let theirs = Naming {
            form: ManifestForm::Claude,
            json: &json,
            text: &text,
            source: &source,
        };
        hooks.extend(self.named_hooks(extension, &theirs, &mut read)?);
        Some(hooks)
    }

    /// Reads the hooks that are in a manifest of Claude Code's form, and the files that a manifest
    /// of any form names, each once (FD-3); nothing if one is broken.
    fn named_hooks(
        &mut self,
        extension: &Arc<ExtensionOrigin>,
        naming: &Naming<'_>,
        read: &mut Vec<PathBuf>,
    ) -> Option<Vec<HookDeclaration>> {
        use serde_json::Value as Json;
        let is_claude = naming.form == ManifestForm::Claude;
        let (files, holds_hooks) = match naming.json.get("hooks") {
            None | Some(Json::Null) => return Some(Vec::new()),
            Some(Json::Object(_)) => (Vec::new(), is_claude),
            Some(named @ Json::String(_)) => (texts(named), false),
            Some(named @ Json::Array(list)) if is_claude || list.iter().all(Json::is_string) => {
                (texts(named), !list.iter().all(Json::is_string))
            }
            Some(_) => {
                let message = "\"hooks\" must name one file or several";
                let code = ProblemCode::ExtensionInvalid;
                let problem = Problem::new(code, naming.source.clone(), message, REPAIR);
                self.report_broken(extension, problem);
                return None;
            }
        };
        let mut hooks = Vec::new();
        if holds_hooks {
            hooks.extend(self.plugin_hooks(naming.text, &naming.source.file, extension));
        }
        for name in files {
            let Some(file) = HooksFile::from_manifest(&self.path, &name) else {
                let message = format!(
                    "\"hooks\" names \"{}\", which isn't a file inside the extension",
                    excerpt(&name)
                );
                let problem = Problem::new(
                    ProblemCode::ExtensionInvalid,
                    naming.source.clone(),
                    message,
                    REPAIR,
                );
                self.report_broken(extension, problem);
                return None;
            };
            if !read.contains(&file.path) {
                hooks.extend(self.hooks(extension, naming.form, &file)?);
                read.push(file.path);
            }
        }
        Some(hooks)
    }

    /// Returns what is wrong with a file of a project's extension if it is a link out of the
    /// project and the extension: a stranger must not choose what is read (TR-10).
    fn leads_out(&self, origin: &Source) -> Option<Problem> {
        if self.scope != ExtensionScope::Project {
            return None;
        }
        let real = origin.file.canonicalize().ok()?;
        let is_inside = |folder: &Path| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| real.starts_with(folder))
        };
        if is_inside(&self.path) || self.folders.project.is_some_and(is_inside) {
            return None;
        }
        let message = "the file is a link out of the project, so it isn't read";
        let help = "put the file itself into the project";
        let code = ProblemCode::UnreadableFile;
        Some(Problem::new(code, origin.clone(), message, help))
    }

    /// Reports that hooks that may have contained a guard were lost (ST-5): the first of the
    /// problems since.
    fn lose_guards(&mut self, known: usize) {
        if let Some(problem) = self.loader.problems.get(known) {
            self.loader.broken_files.push(BrokenFile {
                layer: Layer::Extension,
                scope: Some(self.scope),
                problem: problem.clone(),
            });
        }
    }

    /// Reports what breaks an extension; the hooks of an enabled one may contain a guard (ST-5).
    fn report_broken(&mut self, extension: &ExtensionOrigin, problem: Problem) {
        if extension.enablement == Enablement::Enabled {
            self.loader.broken_files.push(BrokenFile {
                layer: Layer::Extension,
                scope: Some(self.scope),
                problem: problem.clone(),
            });
        }
        self.loader.problems.push(problem);
    }

    /// Reads a file of hooks; nothing if it is broken, and the extension with it.
    fn hooks(
        &mut self,
        extension: &Arc<ExtensionOrigin>,
        form: ManifestForm,
        file: &HooksFile,
    ) -> Option<Vec<HookDeclaration>> {
        let origin = Source {
            layer: Some(Layer::Extension),
            extension: Some(Arc::clone(&extension.name)),
            ..Source::of_file(self.path.join(&file.path))
        };
        let known = self.loader.problems.len();
        let outside = self.leads_out(&origin);
        let content = match &outside {
            Some(_) => FileContent::Missing,
            None => read_file(&mut self.loader.documents, &origin),
        };
        let (hooks, state) = match content {
            _ if outside.is_some() => {
                self.loader.problems.extend(outside);
                (None, LayerState::Unreadable)
            }
            FileContent::Missing if file.may_be_missing => (Some(Vec::new()), LayerState::Missing),
            FileContent::Missing => {
                let message = "the file that the manifest names as \"hooks\" is missing";
                let code = ProblemCode::ExtensionInvalid;
                self.loader
                    .problems
                    .push(Problem::new(code, origin.clone(), message, REPAIR));
                (None, LayerState::Missing)
            }
            FileContent::Text(text) => {
                let hooks = self.read_hooks(&text, extension, form);
                let state = match (&hooks, self.is_kept_out()) {
                    (None, _) => LayerState::Invalid,
                    (Some(_), true) => LayerState::Untrusted,
                    (Some(_), false) => LayerState::Loaded,
                };
                (hooks, state)
            }
            FileContent::Unreadable(reason) => {
                let message = format!("the file can't be read: {reason}");
                let code = ProblemCode::ExtensionInvalid;
                self.loader
                    .problems
                    .push(Problem::new(code, origin.clone(), message, REPAIR));
                (None, LayerState::Unreadable)
            }
            FileContent::NotUnicode(text, offset) => {
                let mut report = Report::new(&text);
                let message = "the file isn't UTF-8 text";
                report.add(ProblemCode::ExtensionInvalid, offset, message, REPAIR);
                self.loader.problems.extend(report.finish());
                (None, LayerState::Invalid)
            }
        };
        // The hooks of an enabled extension may contain a guard (ST-5).
        if hooks.is_none() && extension.enablement == Enablement::Enabled {
            self.lose_guards(known);
        }
        let Source {
            file, extension, ..
        } = origin;
        self.loader.layers.push(LoadedLayer {
            layer: Layer::Extension,
            extension,
            file,
            state,
        });
        hooks
    }

    fn read_hooks(
        &mut self,
        text: &FileText,
        extension: &Arc<ExtensionOrigin>,
        form: ManifestForm,
    ) -> Option<Vec<HookDeclaration>> {
        let mut report = Report::new(text);
        let root = object(&mut report);
        if let Some(root) = &root {
            self.wants_deny |= deny_wish::of_extension_file(root).is_some();
            report_beside_hooks(&mut report, root);
            if root.properties.iter().any(is_misspelt_hooks) {
                self.loader.problems.extend(report.finish());
                return None;
            }
        }
        if let Some(property) = root.as_ref().and_then(|root| member(root, "hooks"))
            && !matches!(property.value, Value::Object(_))
        {
            let message = "\"hooks\" isn't an object with event names as keys";
            let code = ProblemCode::ExtensionInvalid;
            report.add(code, start(&property.value), message, REPAIR);
            self.loader.problems.extend(report.finish());
            return None;
        }
        if root.as_ref().is_some_and(|root| {
            member(root, "hooks").is_some() && (form == ManifestForm::Claude || is_claude(root))
        }) {
            self.loader.problems.extend(report.finish());
            let file = text.source_at(0).file;
            return Some(self.plugin_hooks(text, &file, extension));
        }
        let read = root.and_then(|root| self.own_hooks(&mut report, &root, extension));
        self.loader.problems.extend(report.finish());
        read
    }

    /// Reads what a file of our own form has in `hooks`; where that repeats, all of them (ST-5).
    fn own_hooks(
        &mut self,
        report: &mut Report<'_>,
        root: &Object<'_>,
        extension: &Arc<ExtensionOrigin>,
    ) -> Option<Vec<HookDeclaration>> {
        report.report_repeated(root, |name| name == "hooks");
        if member(root, "hooks").is_none() {
            let message = "the file has no field \"hooks\"";
            report.add(ProblemCode::ExtensionInvalid, start(root), message, REPAIR);
            return None;
        }
        let substitution = Substitution::new(&extension.path, self.folders.workspace);
        let mut reader = HookReader {
            dialect: Ok(None),
            report,
            hook_ids: &mut self.loader.hook_ids,
            extension: Some((Arc::clone(extension), substitution)),
            hooks: Vec::new(),
        };
        let mut all = root.properties.iter();
        let is_readable =
            all.all(|it| it.name.as_str() != "hooks" || reader.read(&it.value) == Shape::Readable);
        is_readable.then_some(reader.hooks)
    }

    /// Reads hooks in the words of Claude Code (FD-3).
    fn plugin_hooks(
        &mut self,
        text: &FileText,
        file: &Path,
        extension: &Arc<ExtensionOrigin>,
    ) -> Vec<HookDeclaration> {
        let workspace = self.folders.workspace;
        let plugin = || {
            let substitution = Substitution::new(&extension.path, workspace);
            (Arc::clone(extension), substitution)
        };
        let mut hooks = self.loader.plugin_hooks(text, file, &plugin);
        // The extension's name wasn't known yet when its manifest was read.
        for hook in &mut hooks {
            hook.source.extension = Some(Arc::clone(&extension.name));
        }
        hooks
    }

    fn is_kept_out(&self) -> bool {
        self.scope == ExtensionScope::Project
            && matches!(self.folders.trust, WorkspaceTrust::DoNotTrust { .. })
    }

    fn describe(
        &mut self,
        manifest: Manifest,
        origin: Arc<ExtensionOrigin>,
        source: Source,
    ) -> Extension {
        let substitution = Substitution::new(&self.path, self.folders.workspace);
        let mut json = manifest.json;
        substitution.apply_to_json(&mut json);
        let mut extension = Extension {
            origin,
            version: manifest.version,
            mcp_servers: match json.get_mut("mcpServers").map(serde_json::Value::take) {
                Some(serde_json::Value::Object(servers)) => servers.into_iter().collect(),
                _ => Vec::new(),
            },
            context_file_names: match json.get("contextFileName") {
                None | Some(serde_json::Value::Null) => vec!["GEMINI.md".to_owned()],
                Some(names) => texts(names),
            },
            exclude_tools: json.get("excludeTools").map(texts).unwrap_or_default(),
            source,
        };
        if self.scope == ExtensionScope::Project && !self.folders.trust.is_trusted() {
            extension.context_file_names.clear();
            if !extension.mcp_servers.is_empty() {
                extension.mcp_servers.clear();
                let code = ProblemCode::FolderUntrusted;
                let message = format!(
                    "the MCP servers of \"{}\", an extension of a project that isn't trusted, \
                     aren't started",
                    extension.origin.name
                );
                let help = "trust the folder to let them start";
                let source = extension.source.clone();
                self.loader
                    .problems
                    .push(Problem::new(code, source, message, help));
            }
        }
        extension
    }
}

/// What names hooks: a manifest.
struct Naming<'n> {
    form: ManifestForm,
    json: &'n serde_json::Value,
    text: &'n FileText,
    source: &'n Source,
}
