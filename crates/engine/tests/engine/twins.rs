//! Hooks that look like one hook but aren't: neither replaces the other (PL-7, FD-2).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::events::EventName::{AfterAgent, AfterTool, BeforeTool};
use hookloop_engine::{Registry, Subject, lint};
use hookloop_hook::{
    Dialect, Enablement, ExtensionOrigin, ExtensionScope, Handler, HookDeclaration, HookId, Layer,
    Mode, OnFailure, Position, ProblemCode, Rules, Source,
};
use hookloop_settings::{DisabledEntry, HookSwitches, Owner};

use crate::support::{Setting, hook, silent, source};

/// The commands that would run for a tool, in order.
fn runs(registry: &Registry, tool: &str) -> Vec<String> {
    let explained = registry.explain(BeforeTool, Subject::Known(tool));
    explained
        .planned()
        .map(|it| it.hook.id.to_string())
        .collect()
}

fn in_extension(name: &str, handler: Handler) -> HookDeclaration {
    let mut hook = hook(BeforeTool, name);
    hook.handler = handler;
    hook.source = Source {
        layer: Some(Layer::Extension),
        ..Source::of_file(Path::new(&format!("/extensions/{name}/hooks.json")))
    };
    hook.extension = Some(Arc::new(ExtensionOrigin {
        name: name.into(),
        path: PathBuf::from(format!("/extensions/{name}")),
        scope: ExtensionScope::User,
        enablement: Enablement::Enabled,
        settings_env: Vec::new(),
        in_keyring: Vec::new(),
    }));
    hook
}

/// PL-7: the same words in two extensions name two programs, two files of rules, two environments.
/// Both run, and neither counts as the other.
#[test]
fn hooks_of_two_extensions_are_two() {
    for handler in [
        Handler::command("$HOOKLOOP_EXTENSION_PATH/guard.sh".to_owned()),
        Handler::command("$CLAUDE_PLUGIN_ROOT/guard.sh".to_owned()),
        // What a script does with its environment can't be seen.
        Handler::command("/usr/bin/guard".to_owned()),
        Handler::Rule {
            rules: Rules::File("rules.json".to_owned()),
        },
    ] {
        let registry = Setting::default()
            .hook(in_extension("first", handler.clone()), silent())
            .hook(in_extension("second", handler), silent())
            .registry();
        assert_eq!(
            runs(&registry, "glob"),
            ["BeforeTool-first", "BeforeTool-second"]
        );
        let near = lint(&registry, &[]).into_iter();
        let near: Vec<_> = near.filter(|it| it.code == ProblemCode::NearTwin).collect();
        assert_eq!(near, []);
    }
}

/// PL-7: settings know no extension's folder, so the same words there are another hook; that is
/// reported.
#[test]
fn a_hook_of_settings_is_none_of_an_extension() {
    let command = || Handler::command("guard.sh".to_owned());
    let mut own = hook(BeforeTool, "own");
    own.handler = command();
    let registry = Setting::default()
        .hook(own, silent())
        .hook(in_extension("first", command()), silent())
        .registry();
    assert_eq!(
        runs(&registry, "glob"),
        ["BeforeTool-own", "BeforeTool-first"]
    );
    let near = lint(&registry, &[]).into_iter();
    assert_eq!(
        near.filter(|it| it.code == ProblemCode::NearTwin).count(),
        1
    );
}

/// PL-7, FD-11: one script at several events of its dialect isn't a near twin, though they are one
/// of our events; at one event under two of our names it is.
#[test]
fn one_script_for_several_events_is_not_a_near_twin() {
    let near = |dialect: Dialect, event, names: [Option<&str>; 2]| {
        let mut setting = Setting::default();
        for (number, name) in names.into_iter().enumerate() {
            let mut hook = hook(event, &format!("log-{number}"));
            hook.handler = Handler::command("./log.sh".to_owned());
            hook.dialect = dialect;
            hook.dialect_event = name.map(str::to_owned);
            hook.name = None;
            setting = setting.hook(hook, silent());
        }
        let problems = lint(&setting.registry(), &[]).into_iter();
        problems
            .filter(|it| it.code == ProblemCode::NearTwin)
            .count()
    };
    for (dialect, event, names) in [
        (
            Dialect::ClaudeCode,
            AfterAgent,
            [Some("Stop"), Some("SubagentStop")],
        ),
        (
            Dialect::ClaudeCode,
            AfterTool,
            [Some("PostToolUse"), Some("PostToolUseFailure")],
        ),
        (
            Dialect::ClaudeCode,
            BeforeTool,
            [None, Some("PermissionRequest")],
        ),
        (
            Dialect::Codex,
            BeforeTool,
            [None, Some("PermissionRequest")],
        ),
        (
            Dialect::Qwen,
            AfterAgent,
            [Some("Stop"), Some("SubagentStop")],
        ),
        (
            Dialect::Copilot,
            AfterAgent,
            [Some("agentStop"), Some("subagentStop")],
        ),
        (
            Dialect::Copilot,
            BeforeTool,
            [None, Some("permissionRequest")],
        ),
        (
            Dialect::Cursor,
            BeforeTool,
            [Some("beforeShellExecution"), Some("beforeReadFile")],
        ),
        (
            Dialect::Cursor,
            AfterTool,
            [Some("afterShellExecution"), Some("afterFileEdit")],
        ),
    ] {
        assert_eq!(near(dialect, event, names), 0, "{dialect} {names:?}");
    }
    // One that names none is asked at both.
    let both = [None, Some("PostToolUse")];
    assert_eq!(near(Dialect::ClaudeCode, AfterTool, both), 1);
    let spelled = [Some("PreToolUse"), Some("preToolUse")];
    assert_eq!(near(Dialect::Copilot, BeforeTool, spelled), 1);
}

/// A hook in a file of Claude Code's, on the first line.
fn original(layer: Layer, folder: &str) -> HookDeclaration {
    let file = Path::new(folder).join(".claude/settings.json");
    HookDeclaration {
        id: HookId::from_text("original"),
        dialect: Dialect::ClaudeCode,
        dialect_event: Some("PreToolUse".to_owned()),
        matcher: Some("Bash".to_owned()),
        in_their_file: true,
        source: Source {
            layer: Some(layer),
            position: Some(Position { line: 1, column: 1 }),
            ..Source::of_file(file.as_path())
        },
        ..hook(BeforeTool, "guard.sh")
    }
}

/// What `migrate` made of it, in the settings of a layer.
fn migrated(layer: Layer) -> HookDeclaration {
    HookDeclaration {
        id: HookId::from_text("copy"),
        dialect_event: None,
        matcher: Some("run_shell_command".to_owned()),
        in_their_file: false,
        from: Some(".claude/settings.json:1".to_owned()),
        source: source(layer, 4),
        ..original(layer, "/home/me")
    }
}

/// FD-2: a migrated hook and its original are the same; the original stays, whichever comes first.
#[test]
fn the_original_stays_in_the_place_of_its_copy() {
    for turned in [false, true] {
        let mut hooks = [migrated(Layer::User), original(Layer::User, "/home/me")];
        if turned {
            hooks.reverse();
        }
        let [one, two] = hooks;
        let registry = Setting::default()
            .hook(one, silent())
            .hook(two, silent())
            .registry();
        assert_eq!(runs(&registry, "run_shell_command"), ["original"]);
        assert_eq!(runs(&registry, "glob"), [""; 0]);
    }
}

/// FD-2, PL-7: of two that match every tool, listings too name the copy as the one that gives way.
#[test]
fn listings_name_the_copy_as_the_one_that_gives_way() {
    for turned in [false, true] {
        let mut hooks = [migrated(Layer::User), original(Layer::User, "/home/me")];
        for hook in &mut hooks {
            hook.matcher = None;
            hook.dialect_event = None;
        }
        if turned {
            hooks.reverse();
        }
        let [one, two] = hooks;
        let registry = Setting::default()
            .hook(one, silent())
            .hook(two, silent())
            .registry();
        let listed = registry.list().into_iter();
        let given_way = listed.filter(|it| !it.causes.is_empty());
        let given_way: Vec<_> = given_way.map(|it| it.hook.id.to_string()).collect();
        assert_eq!(given_way, ["copy"]);
        assert_eq!(runs(&registry, "glob"), ["original"]);
    }
}

/// FD-2, PL-7, ST-13: nothing that merely is where the original was replaces a copy: neither
/// another command, nor a softer hook, nor one that counts less, nor one that doesn't run.
#[test]
fn only_the_original_itself_takes_the_place_of_a_copy() {
    type Change = fn(&mut HookDeclaration);
    let changes: [(&str, Change); 9] = [
        ("command", |it| {
            it.handler = Handler::command("exit 0".to_owned());
        }),
        ("file", |it| {
            it.source.file = Path::new("/home/me/.claude/settings.local.json").into();
        }),
        ("matcher", |it| it.matcher = Some("Read".to_owned())),
        ("if", |it| it.condition = Some("Bash(git *)".to_owned())),
        ("async", |it| it.asynchronous = true),
        ("mode", |it| it.mode = Mode::Shadow),
        ("onFailure", |it| it.on_failure = OnFailure::Warn),
        ("once", |it| it.once = true),
        ("dialectEvent", |it| {
            it.dialect_event = Some("PermissionRequest".to_owned());
        }),
    ];
    for (what, change) in changes {
        let mut other = original(Layer::User, "/home/me");
        change(&mut other);
        let registry = Setting::default()
            .hook(migrated(Layer::User), silent())
            .hook(other, silent())
            .registry();
        let runs = runs(&registry, "run_shell_command");
        assert!(runs.iter().any(|it| it == "copy"), "{what}: {runs:?}");
        let listed = registry.list();
        assert!(
            listed.iter().all(|it| it.causes.is_empty()),
            "{what}: {listed:?}"
        );
    }
    let registry = Setting::default()
        .hook(migrated(Layer::User), silent())
        .hook(original(Layer::Project, "/project"), silent())
        .registry();
    assert_eq!(
        runs(&registry, "run_shell_command"),
        ["copy", "original"],
        "a project's file"
    );
}

/// FD-2, PL-7: an original that is switched off replaces nothing.
#[test]
fn an_original_that_is_switched_off_takes_no_place() {
    let disabled = HookSwitches {
        disabled: vec![DisabledEntry {
            name: "original's name".to_owned(),
            source: source(Layer::User, 9),
            reach: vec![Owner::User],
        }],
        ..HookSwitches::default()
    };
    let mut off = original(Layer::User, "/home/me");
    off.name = Some("original's name".to_owned());
    let registry = Setting::default()
        .switches(disabled)
        .hook(migrated(Layer::User), silent())
        .hook(off, silent())
        .registry();
    assert_eq!(runs(&registry, "run_shell_command"), ["copy"]);
}

/// FD-12: a matcher means what it means for the event of its dialect, also beside another event's
/// with the same text.
#[test]
fn matchers_of_two_events_of_a_dialect_are_two() {
    let of = |dialect, event: &str, matcher: &str| HookDeclaration {
        id: HookId::from_text(event),
        dialect,
        dialect_event: Some(event.to_owned()),
        matcher: Some(matcher.to_owned()),
        ..hook(BeforeTool, event)
    };
    let pairs = [
        (Dialect::Cursor, ["preToolUse", "beforeShellExecution"]),
        (Dialect::Cursor, ["beforeMCPExecution", "beforeReadFile"]),
        (Dialect::Copilot, ["preToolUse", "PreToolUse"]),
        (Dialect::Codex, ["PreToolUse", "PermissionRequest"]),
    ];
    let matchers = [
        "git",
        "Shell",
        "^(?!Shell|bash).*$",
        "^(?!Bash$).*",
        "Read|Bash|bash",
    ];
    let tools = ["run_shell_command", "read_file", "mcp__git__log"];
    let alone = |hook: &HookDeclaration, tool: &str| {
        let registry = Setting::default().hook(hook.clone(), silent()).registry();
        runs(&registry, tool)
    };
    for (dialect, events) in pairs {
        for (matcher, tool) in matchers.iter().flat_map(|it| tools.map(|tool| (it, tool))) {
            let [one, two] = events.map(|event| of(dialect, event, matcher));
            for (one, two) in [(&one, &two), (&two, &one)] {
                let registry = Setting::default()
                    .hook(one.clone(), silent())
                    .hook(two.clone(), silent())
                    .registry();
                let expected = [alone(one, tool), alone(two, tool)].concat();
                let found = runs(&registry, tool);
                assert_eq!(found, expected, "{dialect:?} {matcher} {tool}");
            }
        }
    }
}
