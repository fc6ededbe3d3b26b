//! What `/extensions` shows: the extensions as this session has them (EX-1, EX-4).

use std::fmt::Write as _;

use hookloop_hook::{Enablement, ExtensionScope};
use hookloop_settings::Extension;

use crate::options::RunOptions;
use crate::workspace::Workspace;

/// Describes each extension with its standing and what it provides.
pub(super) fn text(workspace: &Workspace, run: &RunOptions) -> String {
    let extensions = &workspace.settings.extensions;
    if extensions.is_empty() {
        return "No extensions are installed; `hookloop extensions install` installs one."
            .to_owned();
    }
    let mut text = String::from("Extensions:");
    for extension in extensions {
        let origin = &extension.origin;
        let sign = match origin.enablement {
            Enablement::Enabled => "●",
            Enablement::Disabled => "○",
        };
        // Writing to a string can't fail.
        let _ = write!(
            text,
            "\n{sign} {} {} · {} · {}\n    from {}",
            origin.name,
            extension.version,
            origin.scope.as_str(),
            standing(workspace, extension, run),
            extension.source.file.display()
        );
        for line in contributions(workspace, extension) {
            let _ = write!(text, "\n    {line}");
        }
    }
    text
}

fn standing(workspace: &Workspace, extension: &Extension, run: &RunOptions) -> String {
    let origin = &extension.origin;
    let is_named = |it: &String| it.eq_ignore_ascii_case(&origin.name);
    match origin.enablement {
        Enablement::Enabled if is_of_stranger(workspace, extension) => {
            "enabled, but the workspace isn't trusted: its MCP servers are left out".to_owned()
        }
        Enablement::Enabled => "enabled".to_owned(),
        Enablement::Disabled
            if !run.extensions.is_empty() && !run.extensions.iter().any(is_named) =>
        {
            "off in this session: --extensions doesn't name it".to_owned()
        }
        Enablement::Disabled => format!(
            "disabled: `hookloop extensions enable {}` enables it",
            origin.name
        ),
    }
}

fn is_of_stranger(workspace: &Workspace, extension: &Extension) -> bool {
    extension.origin.scope == ExtensionScope::Project && !workspace.settings.workspace.is_trusted()
}

fn contributions(workspace: &Workspace, extension: &Extension) -> Vec<String> {
    let origin = &extension.origin;
    let hooks = workspace.settings.hooks.iter().filter(|hook| {
        let of = hook.extension.as_ref();
        of.is_some_and(|it| it.name == origin.name && it.scope == origin.scope)
    });
    let hooks = hooks.map(|hook| format!("{} ({})", hook.label(), hook.event));
    let servers = extension.mcp_servers.iter().map(|(name, _)| name.clone());
    [
        ("hooks", hooks.collect::<Vec<_>>()),
        ("MCP servers", servers.collect()),
        ("excluded tools", extension.exclude_tools.clone()),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(what, names)| format!("{what}: {}", names.join(", ")))
    .collect()
}
