//! Hooks below a key that nothing reads, whatever the key is called (ST-12).

use hookloop_hook::{Layer, Problem, ProblemCode};
use hookloop_settings::Settings;

use super::fixture::{Fixture, load_text};

/// Keys that hold hooks or groups of them by mistake, at any depth.
const KEYS: [&str; 14] = [
    "h00ks",
    "Hooks",
    "hooks ",
    "ho\u{200b}oks",
    "guards",
    "BeforeTools",
    "Before Tool",
    "B3f0reT00l",
    "PreToolUses",
    "hooks.beforeTools",
    "general",
    "tools",
    "mcpServers",
    "profiles",
];

/// What somebody writes for a guard.
const GUARDS: [&str; 8] = [
    r#"[{"matcher": "x", "hooks": [{"type": "command", "command": "c"}]}]"#,
    r#"[{"matcher": "x", "hooks": [{"command": "c"}]}]"#,
    r#"[{"matcher": "x", "Hooks": [{"command": "c"}]}]"#,
    r#"{"matcher": "x", "hooks": [{"type": "command", "command": "c"}]}"#,
    r#"[{"type": "command", "command": "c"}]"#,
    r#"[{"type": "Worker", "command": "c"}]"#,
    r#"{"type": "rule", "when": "true", "then": "deny"}"#,
    r#"[{"type": "http", "url": "http://127.0.0.1/"}]"#,
];

fn tells(settings: &Settings) -> bool {
    let is_error = |it: &Problem| it.code == ProblemCode::MisplacedHooks;
    settings.problems.iter().any(is_error)
}

/// Runs a check for each guard below each of the keys, and below each two of them, for which the
/// guards take turns.
fn each(mut check: impl FnMut(&str)) {
    let keys = KEYS.map(serde_json::Value::from);
    let mut in_turn = GUARDS.iter().cycle();
    for outer in &keys {
        for guard in GUARDS {
            check(&format!("{outer}: {guard}"));
        }
        for (inner, guard) in keys.iter().zip(in_turn.by_ref()) {
            check(&format!("{outer}: {{{inner}: {guard}}}"));
        }
    }
}

/// ST-12: hooks are told whatever the keys above them are called: none is only passed over.
#[test]
fn hooks_below_any_key_are_told() {
    each(|member| {
        let settings = load_text(format!("{{{member}}}"));
        assert!(tells(&settings), "{member}");
        let in_config = load_text(format!(r#"{{"hooksConfig": {{{member}}}}}"#));
        assert!(tells(&in_config), "{member}");
        let beside = r#""hooks": [{"type": "command", "command": "d"}]"#;
        let in_group = format!(r#"{{"hooks": {{"BeforeTool": [{{{beside}, {member}}}]}}}}"#);
        // A key of a group or of a hook may have another meaning there, which is told as well.
        let problems = load_text(&in_group).problems;
        assert!(!problems.is_empty(), "{in_group}");
    });
}

/// ST-12: what other programs keep in the same file isn't taken for hooks.
#[test]
fn what_is_no_hook_is_not_told() {
    for text in [
        r#"{"mcpServers": {"a": {"type": "http", "url": "http://x/"}, "b": {"command": "x", "args": []}}}"#,
        r#"{"statusLine": {"type": "command", "command": "x"}}"#,
        r#"{"tools": {"core": ["a"]}, "ui": {"theme": "x", "stop": {"text": "x"}}}"#,
        r#"{"x": [{"type": "command"}, {"command": "a"}, {"hooks": []}, "hooks"]}"#,
        r#"{"hook": "", "Hooks": null}"#,
    ] {
        assert!(!tells(&load_text(text)), "{text}");
    }
}

/// ST-5: `hooks` under a misspelt name may hold a guard, so the file counts as broken, also where
/// the names below it are wrong as well.
#[test]
fn misspelt_hooks_are_a_broken_file() {
    for value in [
        r#"{"BeforeTool": "guard.sh"}"#,
        r#"{"BeforeTools": [{"hooks": [{"command": "c"}]}]}"#,
        r#"[{"type": "command", "command": "c"}]"#,
        r#""guard.sh""#,
    ] {
        let settings = load_text(format!(r#"{{"Hooks": {value}}}"#));
        assert_eq!(settings.broken_files.len(), 1, "{value}");
        assert!(tells(&settings), "{value}");
    }
}

fn extension(manifest: &str, hooks: &str) -> Settings {
    let folder = "home/.gemini/extensions/e";
    let fixture = Fixture::new();
    let fixture = fixture
        .file(&format!("{folder}/gemini-extension.json"), manifest)
        .file(&format!("{folder}/hooks/hooks.json"), hooks);
    fixture.load()
}

/// ST-12, EX-1: the same in the files of an extension.
#[test]
fn hooks_below_any_key_of_an_extension_are_told() {
    const NAMED: &str = r#""name": "e", "version": "1""#;
    each(|member| {
        let in_manifest = extension(&format!("{{{NAMED}, {member}}}"), r#"{"hooks": {}}"#);
        assert!(tells(&in_manifest), "{member}");
        let of_hooks = extension(
            &format!("{{{NAMED}}}"),
            &format!(r#"{{"hooks": {{}}, {member}}}"#),
        );
        assert!(tells(&of_hooks), "{member}");
    });
}

/// ST-5: of a repeated `hooks` in an extension's file, all values are read.
#[test]
fn repeated_hooks_of_an_extension_are_all_read() {
    let group = |name: &str| {
        format!(
            r#"{{"BeforeTool": [{{"hooks": [{{"type": "command", "name": "{name}", "command": "c"}}]}}]}}"#
        )
    };
    let file = format!(r#"{{"hooks": {}, "hooks": {}}}"#, group("a"), group("b"));
    let settings = extension(r#"{"name": "e", "version": "1"}"#, &file);
    let names: Vec<_> = settings
        .hooks
        .iter()
        .map(hookloop_hook::HookDeclaration::label)
        .collect();
    assert_eq!(names, ["a", "b"]);
    let repeated = settings
        .problems
        .iter()
        .any(|it| it.code == ProblemCode::DuplicateKey);
    assert!(repeated, "{:?}", settings.problems);
}

/// FD-2, ST-12: the same in another agent's file that is read, but for what that agent runs
/// otherwise.
#[test]
fn hooks_below_any_key_of_another_agents_file_are_told() {
    let adopted = |text: &str| {
        let fixture = Fixture::new()
            .user(r#"{"hooksConfig": {"adopt": ["claude-code"]}}"#)
            .file("home/.claude/settings.json", text);
        fixture.load()
    };
    for text in [
        r#"{"h00ks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#,
        r#"{"h00ks": {"PreToolUse": [{"command": "c"}]}}"#,
        r#"{"PreToolUses": [{"hooks": [{"type": "command", "command": "c"}]}]}"#,
    ] {
        let is_reported = adopted(text).problems.into_iter().any(|it| {
            it.code == ProblemCode::MisplacedHooks && it.source.layer == Some(Layer::User)
        });
        assert!(is_reported, "{text}");
    }
    let shown = adopted(r#"{"statusLine": {"type": "command", "command": "c"}}"#);
    assert!(!tells(&shown), "{:?}", shown.problems);
}

/// ST-12: a folder of an extension that is nearly called `hooks` is looked into, and a file there
/// that is called as an event is one with hooks.
#[test]
fn files_beside_an_extensions_hooks_are_told() {
    for path in [
        "hook/hooks.json",
        "HOOKS/hooks.json",
        "hooks/hooks.json ",
        "hooks/BeforeTool.json",
    ] {
        let folder = "home/.gemini/extensions/e";
        let group = r#"[{"hooks": [{"type": "command", "command": "c"}]}]"#;
        let fixture = Fixture::new()
            .file(
                &format!("{folder}/gemini-extension.json"),
                r#"{"name": "e", "version": "1"}"#,
            )
            .file(
                &format!("{folder}/{path}"),
                if path.contains("hooks.json") {
                    format!(r#"{{"hooks": {{"BeforeTool": {group}}}}}"#)
                } else {
                    group.to_owned()
                },
            );
        let problems = fixture.load().problems;
        let reported = problems
            .iter()
            .any(|it| it.code == ProblemCode::MisplacedFile);
        assert!(reported, "{path}: {problems:?}");
    }
}
