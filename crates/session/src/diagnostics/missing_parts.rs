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
    use crate::environment::{Environment, Surroundings};
    use crate::options::RunOptions;
    use crate::workspace::Workspace;

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
    }

    /// IO-21, ST-11: `check`, the start of a session and `fire` report hooks without their part,
    /// and no others. Built with all other crates, this one has all parts; so only a run without
    /// features shows what is reported.
    #[test]
    fn every_occasion_reports_a_hook_without_its_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join(".gemini");
        std::fs::create_dir(&home).expect("a home");
        let settings = r#"{"mcpServers": {"s": {"command": "true"}}, "hooks": {"BeforeTool": [{"hooks": [
            {"type": "http", "url": "https://localhost/"},
            {"type": "plugin", "plugin": "/hook.wasm"},
            {"type": "mcp_tool", "server": "s", "tool": "t"},
            {"type": "command", "command": "true"}]}]}}"#;
        std::fs::write(home.join("settings.json"), settings).expect("settings");
        let environment = Environment::new(Surroundings {
            variables: vec![("HOME".into(), folder.path().into())],
            current_dir: folder.path().to_owned(),
            scratch_dir: folder.path().to_owned(),
            program: None,
            version: "1",
        });
        let environment = environment.expect("an environment");
        let workspace = Workspace::open(&environment, &RunOptions::default());
        let event = EventName::BeforeTool;
        let occasions = [
            crate::diagnostics::diagnostics(&workspace, &environment),
            crate::diagnostics::at_start(&workspace, &environment),
            crate::diagnostics::diagnostics_of_event(&workspace, &environment, event),
        ];
        let parts = [
            ("http", cfg!(feature = "http")),
            ("plugins", cfg!(feature = "plugins")),
            ("mcp", cfg!(feature = "mcp")),
        ];
        for problems in &occasions {
            for (feature, is_built) in parts {
                let remedy = format!("--features {feature}`");
                let reported = problems.iter().filter(|it| it.help.ends_with(&remedy));
                assert_eq!(reported.count(), usize::from(!is_built), "{problems:?}");
            }
        }
    }
}
