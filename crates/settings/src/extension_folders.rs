//! Finds extensions and reads them: their manifests, hooks and settings (EX-1…3, EX-5).

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use hookloop_hook::{ExtensionScope, HookDeclaration, Layer, Problem, ProblemCode, Source};
use hookloop_text::shorten::excerpt;

use crate::absence::{is_absent, may_stand};
use crate::extension::{Extension, ExtensionChoice, ExtensionFolders};
use crate::extension_enablement::{ENABLEMENT, read_rules};
use crate::extension_read::{INSTALLED, OneExtension};
use crate::loader::{BrokenFile, Loader};
use crate::read_file::read_bytes;
use crate::restrictions::{ExtensionSource, Restriction};

/// Decides by name and scope whether settings disable an extension.
type DisabledBySettings<'a> = dyn Fn(&str, ExtensionScope) -> bool + 'a;

/// Reads all extensions, the user's first; those that are broken are reported and left out (EX-5).
pub(crate) fn read_extensions(
    loader: &mut Loader,
    folders: &ExtensionFolders<'_>,
    disabled: &DisabledBySettings<'_>,
) -> (Vec<Extension>, Vec<HookDeclaration>) {
    let mut found = (Vec::new(), Vec::new());
    let user = folders.home.join(".gemini").join("extensions");
    let user_rules = read_rules(loader, &user);
    let project = folders
        .project
        .map(|root| root.join(".gemini").join("extensions"));
    let project_rules = project.as_ref().map(|folder| read_rules(loader, folder));
    let scopes = [
        (Some(user), ExtensionScope::User),
        (project, ExtensionScope::Project),
    ];
    for (folder, scope) in scopes {
        let Some(folder) = folder else { continue };
        // A project's rules apply only to its own extensions.
        let mut rules = vec![&user_rules];
        if scope == ExtensionScope::Project {
            rules.extend(project_rules.as_ref());
        }
        for path in subfolders(loader, &folder, scope) {
            let installed = Installed::read(&path);
            let restrictions = folders.restrictions;
            let forbidden = restrictions
                .of_extension(installed.source(scope))
                .or_else(|| {
                    // A project's claim about the source of its extensions can only count against
                    // it.
                    restrictions.of_extension(installed.recorded_source())
                });
            let is_enabled = |name: &str| {
                let chosen = match folders.choice {
                    ExtensionChoice::Enabled => true,
                    ExtensionChoice::Only(names) => {
                        names.iter().any(|chosen| chosen.eq_ignore_ascii_case(name))
                    }
                };
                forbidden.is_none()
                    && chosen
                    && !disabled(name, scope)
                    && rules
                        .iter()
                        .all(|rules| rules.enable(name, folders.workspace))
            };
            let mut one = OneExtension {
                loader,
                folders,
                scope,
                path,
                found: &mut found,
                wants_deny: false,
            };
            let known = one.found.0.len();
            one.read(&is_enabled);
            if let (Some(forbidden), Some(left_out)) = (forbidden, found.0.get(known)) {
                report_forbidden(loader, forbidden, left_out);
            }
        }
    }
    report_unknown(loader, folders, &found.0);
    found
}

/// Reports an extension that takes no part, and why: its hooks are off (AG-CLI-9).
fn report_forbidden(loader: &mut Loader, forbidden: &Restriction, extension: &Extension) {
    let source = forbidden.source.clone();
    let message = format!(
        "\"{}\" disables the extension \"{}\" ({})",
        forbidden.key,
        excerpt(&extension.origin.name),
        extension.origin.path.display()
    );
    let help = "uninstall it, or allow it here; its hooks, tools and servers are off";
    let code = ProblemCode::NothingToRun;
    let mut problem = Problem::new(code, source, message, help);
    problem.snippet = loader.documents.snippet(&problem.source);
    loader.problems.push(problem);
}

/// What is recorded about how an extension was installed.
struct Installed {
    kind: String,
    address: Option<String>,
}

impl Installed {
    fn read(extension: &Path) -> Self {
        let bytes = read_bytes(&extension.join(INSTALLED)).ok().flatten();
        let json = bytes.and_then(|it| serde_json::from_slice(&it).ok());
        let json: serde_json::Value = json.unwrap_or_default();
        let text_of = |key: &str| json[key].as_str().map(str::to_owned);
        Self {
            kind: text_of("type").unwrap_or_default(),
            address: text_of("source"),
        }
    }

    /// Returns where an extension came from. A file in a project was written by the project: it
    /// proves nothing.
    fn source(&self, scope: ExtensionScope) -> ExtensionSource<'_> {
        match scope {
            ExtensionScope::User => self.recorded_source(),
            ExtensionScope::Project => ExtensionSource::Unknown,
        }
    }

    /// Returns what the extension's folder says about where it came from.
    fn recorded_source(&self) -> ExtensionSource<'_> {
        match (&self.address, self.kind.as_str()) {
            (None, _) => ExtensionSource::Unknown,
            (Some(address), "local" | "link") => ExtensionSource::Folder(address),
            (Some(address), _) => ExtensionSource::Fetched(address),
        }
    }
}

/// Reports names among the chosen ones that no extension has: what was meant doesn't run.
fn report_unknown(loader: &mut Loader, folders: &ExtensionFolders<'_>, found: &[Extension]) {
    /// The word that chooses none.
    const NONE: &str = "none";
    let ExtensionChoice::Only(names) = folders.choice else {
        return;
    };
    let is_known = |name: &str| {
        let mut known = found.iter().map(|it| &*it.origin.name);
        name.eq_ignore_ascii_case(NONE) || known.any(|it| it.eq_ignore_ascii_case(name))
    };
    for name in names.iter().filter(|name| !is_known(name)) {
        let source = Source {
            layer: Some(Layer::Extension),
            ..Source::of_file(folders.home.join(".gemini").join("extensions"))
        };
        loader.problems.push(Problem::new(
            ProblemCode::ExtensionInvalid,
            source,
            format!("no extension is named \"{}\"", excerpt(name)),
            "name one of those that `hookloop extensions list` shows",
        ));
    }
}

/// Lists the folders of extensions by name; hidden ones don't count. What can't be listed could
/// contain a guard (ST-5): an extension's folder that is a link to nothing is reported when it is
/// read.
fn subfolders(loader: &mut Loader, folder: &Path, scope: ExtensionScope) -> Vec<PathBuf> {
    let mut paths = match list(folder) {
        Ok(paths) => paths,
        Err(reason) => {
            let source = Source {
                layer: Some(Layer::Extension),
                ..Source::of_file(folder)
            };
            let message = format!("the folder of extensions can't be read: {reason}");
            let help = "fix the folder, or the link to it; its extensions were ignored";
            let problem = Problem::new(ProblemCode::UnreadableFile, source, message, help);
            loader.broken_files.push(BrokenFile {
                layer: Layer::Extension,
                scope: Some(scope),
                problem: problem.clone(),
            });
            loader.problems.push(problem);
            return Vec::new();
        }
    };
    paths.sort();
    paths.retain(|path| match path.metadata() {
        Ok(metadata) => metadata.is_dir(),
        Err(_) => may_stand(path) && !path.ends_with(ENABLEMENT),
    });
    paths
}

/// Lists what a folder contains, except hidden files; nothing if there is no such folder.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_absent(folder)? {
        return Ok(Vec::new());
    }
    let is_hidden = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with('.');
    std::fs::read_dir(folder)?
        .filter(|entry| !entry.as_ref().is_ok_and(is_hidden))
        .map(|entry| entry.map(|it| it.path()))
        .collect()
}
