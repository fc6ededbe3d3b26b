//! `extensions list` (EX-4).

use hookloop_extensions::{Installed, Source};
use hookloop_hook::{Enablement, ExtensionScope};
use hookloop_manage::CommandFailure;
use hookloop_session::Workspace;
use hookloop_settings::Extension;

use super::view::{ExtensionView, ExtensionsView};
use super::words;
use crate::commands::{Beside, Context};
use crate::output::Output;

/// Lists all extensions; runs nothing (TR-7).
pub(super) fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let linked: Vec<_> = Installed::all(&context.environment.home)
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
    let view = ExtensionsView {
        extensions: workspace.settings.extensions.iter().map(one).collect(),
    };
    context.say(Beside::all(&workspace), &view, |output| {
        words::extensions(&view.extensions, output)
    })
}
