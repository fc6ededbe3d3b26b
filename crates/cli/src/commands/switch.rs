//! `hooks enable`, `disable`, `enable-all` and `disable-all` (CM-2, ST-6, ST-7).

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_hook::Source;
use hookloop_manage::{
    CommandFailure, Scope, SwitchEffect, Switched, Turn, describe_source, disable_hook,
    enable_hook, switch_all_hooks,
};
use hookloop_text::visible;

use crate::commands::context::{Context, change_output};
use crate::names::hook_labels;
use crate::output::Output;

/// Contains the arguments of `enable` and `disable` (CM-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct SwitchArguments {
    /// The name of the hook, or its command if it has none
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: String,
    /// Whose settings to write (default: those that the hook comes from; `enable` changes both)
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

/// Whose settings are written; by default, the user's.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScopeArguments {
    /// Whose settings to write
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: Scope,
}

/// Removes a name from every `disabled` list that may be written, and reports lists that still
/// contain it.
pub(crate) fn enable(context: &Context<'_>, name: &str) -> Result<Output, CommandFailure> {
    let switched = enable_hook(context.task(), name)?;
    let still = &switched.change.still_disabled_by;
    let text = enabled(name, still, has_changed(&switched));
    change_output(context, &switched.change, &switched.workspace, text)
}

/// Adds a name to the `disabled` list of a scope.
pub(crate) fn disable(
    context: &Context<'_>,
    arguments: &SwitchArguments,
) -> Result<Output, CommandFailure> {
    let scope = arguments.scope;
    let switched = disable_hook(context.task(), &arguments.name, scope)?;
    let verb = match (switched.effect, has_changed(&switched)) {
        (SwitchEffect::Effective, true) => "disabled",
        (SwitchEffect::Effective, false) => "disabled already",
        (_, true) => "listed as disabled, but that has no effect",
        (_, false) => "already listed as disabled, but that has no effect",
    };
    let text = format!("{verb}: {}\n", visible(&arguments.name));
    change_output(context, &switched.change, &switched.workspace, text)
}

/// Turns all hooks on or off in a scope, and reports if a higher layer overrides that.
pub(crate) fn switch_all(
    context: &Context<'_>,
    arguments: ScopeArguments,
    turn: Turn,
) -> Result<Output, CommandFailure> {
    let switched = switch_all_hooks(context.task(), arguments.scope, turn)?;
    let what = match turn {
        Turn::On => "hooks are turned on",
        Turn::Off => "hooks are turned off",
    };
    let text = match (switched.effect, has_changed(&switched)) {
        (SwitchEffect::Locked, _) => {
            "nothing was changed: the system's settings lock \"enabled\"\n".to_owned()
        }
        (_, true) => format!("{what}\n"),
        (_, false) => format!("nothing was changed: {what} here already\n"),
    };
    change_output(context, &switched.change, &switched.workspace, text)
}

const fn has_changed(switched: &Switched) -> bool {
    !switched.change.files.is_empty()
}

/// Reports that a hook is enabled, or what still disables it.
fn enabled(name: &str, still: &[Source], is_changed: bool) -> String {
    let name = visible(name);
    let mut text = match (still, is_changed) {
        ([], true) => format!("enabled: {name}\n"),
        ([], false) => format!("nothing disables it: {name}\n"),
        _ => format!("still disabled: {name}\n"),
    };
    for source in still {
        let source = visible(&describe_source(source));
        text.extend([format!("  by {source}, which can't be written here\n")]);
    }
    text
}
