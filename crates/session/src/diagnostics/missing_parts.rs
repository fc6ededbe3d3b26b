//! Hooks that need a part that this program was built without (IO-21).

use hookloop_exec::{MissingPart, missing_part};
use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode};

/// Reports hooks that need a part that is missing.
pub(super) fn diagnostics(
    hooks: &[&HookDeclaration],
    missing: impl Fn(&Handler) -> Option<MissingPart>,
) -> Vec<Problem> {
    let readable = hooks.iter().filter(|it| it.broken.is_none());
    let found = readable.filter_map(|hook| {
        let part = missing(&hook.handler)?;
        let place = hook.source_of(hook.places.command);
        let of_type = hook.handler.type_name();
        let message = format!("hooks of type \"{of_type}\" can't start: {part}");
        let code = ProblemCode::UnknownHookType;
        let mut problem = Problem::new(code, place, message, part.remedy());
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        Some(problem)
    });
    found.collect()
}

/// Returns the part that a handler needs and that this program was built without.
pub(super) fn of_handler(handler: &Handler) -> Option<MissingPart> {
    let has_servers = cfg!(feature = "mcp");
    match handler {
        Handler::McpTool(_) if !has_servers => Some(MissingPart::new("MCP", "mcp")),
        _ => missing_part(handler),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookloop_events::EventName;
    use hookloop_hook::{Broken, Plugin};

    use super::*;

    fn hook(name: &str, handler: Handler) -> HookDeclaration {
        HookDeclaration {
            handler,
            ..HookDeclaration::in_process(EventName::BeforeTool, name)
        }
    }

    /// IO-21, CM-3: a hook whose type the program was built without is reported, with its place,
    /// the cause and the remedy; one that can't be read has been reported already.
    #[test]
    fn hooks_without_their_part_are_reported() {
        let plugin = hook("a", Handler::Plugin(Plugin::default()));
        let command = hook("b", Handler::command("true"));
        let mut broken = hook("c", Handler::Plugin(Plugin::default()));
        broken.broken = Some(Arc::new(Broken {
            cause: "it can't be read".to_owned(),
            help: "correct it".to_owned(),
            source: broken.source.clone(),
        }));
        let lacks_plugins = |handler: &Handler| {
            let is_plugin = matches!(handler, Handler::Plugin(_));
            is_plugin.then_some(MissingPart::new("plugins", "plugins"))
        };
        let found = diagnostics(&[&plugin, &command, &broken], lacks_plugins);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].code, ProblemCode::UnknownHookType);
        assert_eq!(found[0].hook_id, Some(plugin.id.clone()));
        assert_eq!(found[0].source, plugin.source);
        let wanted = "hooks of type \"plugin\" can't start: this program was built without plugins";
        assert_eq!(found[0].message, wanted);
        assert!(found[0].help.contains("--features plugins"), "{found:?}");
        // What this program has isn't missing.
        let built = diagnostics(&[&plugin], of_handler);
        assert_eq!(built.is_empty(), cfg!(feature = "plugins"), "{built:?}");
    }
}
