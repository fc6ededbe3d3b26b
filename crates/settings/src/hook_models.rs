//! Which model a `prompt` hook asks by a name (HT-50, MO-6).
//!
//! A name may be an alias, and a model may have settings. Both count as they do for a session, but
//! only from layers that the hook's layer can trust: a project must not choose who judges for the
//! user.

use std::sync::Arc;

use hookloop_hook::{Handler, HookDeclaration, ServedModel};

use crate::extension::Extension;
use crate::loosening::Owner;
use crate::model_settings::{ModelProfile, ModelTable};
use crate::resolve::{Contents, Resolver};

impl Resolver<'_> {
    /// Looks up what hooks name: servers, whose problems are reported, and models.
    pub(crate) fn hook_targets(
        &mut self,
        contents: &Contents,
        extensions: &[Extension],
        hooks: &mut [HookDeclaration],
    ) {
        self.hook_servers(contents, extensions, hooks);
        hook_models(contents, hooks);
    }
}

/// Looks up the models that hooks name.
fn hook_models(contents: &Contents, hooks: &mut [HookDeclaration]) {
    for hook in hooks {
        let owner = Owner::of(hook);
        if let Handler::Prompt(call) = &mut hook.handler {
            call.served = call.model.as_deref().map(|name| {
                let ModelProfile { model, settings } = table_for(owner, contents).profile(name);
                Arc::new(ServedModel {
                    name: model,
                    parameters: settings.parameters,
                })
            });
        }
    }
}

/// Returns what is set for models in the layers that hooks of an owner may rely on, in the order
/// that sessions use.
fn table_for(owner: Owner, contents: &Contents) -> ModelTable {
    let [project, user, system] = [&contents.project, &contents.user, &contents.system]
        .map(|layer| layer.agent.models.clone());
    match owner {
        Owner::System => system,
        Owner::User | Owner::Extension => user.over(system),
        Owner::Project => project.over(user).over(system),
    }
}
