//! Lists all extensions with their state (EX-4).

use hookloop_extensions::{Installed, Source};
use hookloop_hook::{Enablement, ExtensionScope};
use hookloop_session::{Environment, Workspace};
use hookloop_settings::Extension;
use serde::Serialize;

/// All extensions, as JSON.
#[derive(Debug, Serialize)]
pub struct ExtensionsView {
    /// The extensions, the user's first.
    pub extensions: Vec<ExtensionView>,
}

/// An extension, as JSON.
#[derive(Debug, Serialize)]
pub struct ExtensionView {
    /// Its name.
    pub name: String,
    /// Its version, or an empty string.
    pub version: String,
    /// Where it was found.
    pub scope: ExtensionScope,
    /// Its folder.
    pub path: String,
    /// Whether it is linked.
    pub linked: bool,
    /// Whether it is enabled here.
    pub enabled: bool,
    /// The number of its hooks.
    pub hooks: usize,
}

/// Lists all extensions; runs nothing (TR-7).
pub fn list_extensions(workspace: &Workspace, environment: &Environment) -> ExtensionsView {
    let linked: Vec<_> = Installed::all(&environment.home)
        .into_iter()
        .filter_map(|it| match it.source {
            Some(Source::Link(target)) => Some(target),
            _ => None,
        })
        .collect();
    let one = |extension: &Extension| {
        let origin = &extension.origin;
        let is_own = |hook: &&hookloop_hook::HookDeclaration| {
            let of = hook.extension.as_ref();
            of.is_some_and(|it| it.name == origin.name && it.scope == origin.scope)
        };
        ExtensionView {
            name: origin.name.to_string(),
            version: extension.version.clone(),
            scope: origin.scope,
            path: origin.path.to_string_lossy().into_owned(),
            linked: origin.scope == ExtensionScope::User && linked.contains(&origin.path),
            enabled: origin.enablement == Enablement::Enabled,
            hooks: workspace.settings.hooks.iter().filter(is_own).count(),
        }
    };
    ExtensionsView {
        extensions: workspace.settings.extensions.iter().map(one).collect(),
    }
}
