//! Files and keys with hooks that nothing reads, and those that only look like them.

use hookloop_hook::{ProblemCode, Severity};

use super::fixture::{Fixture, load_text};

const HOOKS: &str =
    r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
const EXTENSION: &str = "home/.gemini/extensions/e";

fn strays(fixture: &Fixture) -> Vec<String> {
    let problems = fixture.load().problems.into_iter();
    problems
        .filter(|it| it.code == ProblemCode::MisplacedFile)
        .map(|it| it.message)
        .collect()
}

fn extension(manifest: &str) -> Fixture {
    Fixture::new()
        .trusted()
        .file(&format!("{EXTENSION}/gemini-extension.json"), manifest)
}

/// ST-12, EX-2: hooks that an extension has where nothing reads them are reported; what its
/// manifest names, data beside its hooks and the settings for work on it aren't.
#[test]
fn stray_hooks_of_an_extension_are_told() {
    let plain = r#"{"name": "e", "version": "1"}"#;
    for file in [
        "hooks.json",
        "hooks/hook.json",
        "settings.json",
        ".gemini/settings.json",
    ] {
        let fixture = extension(plain).file(&format!("{EXTENSION}/{file}"), HOOKS);
        let reported = strays(&fixture);
        assert_eq!(reported.len(), 1, "{file}: {reported:?}");
        assert!(reported[0].starts_with(&format!("hooks in {file} of the extension \"e\"")));
    }
    let named = r#"{"name": "e", "version": "1", "hooks": "./hooks.json"}"#;
    let named = extension(named).file(&format!("{EXTENSION}/hooks.json"), HOOKS);
    assert_eq!(strays(&named), Vec::<String>::new());
    let developed = extension(plain)
        .file(&format!("{EXTENSION}/hooks/hooks.json"), HOOKS)
        .file(
            &format!("{EXTENSION}/hooks/rules.json"),
            r#"{"hooks": ["a"]}"#,
        )
        .file(&format!("{EXTENSION}/config.json"), r#"{"theme": "dark"}"#)
        .file(&format!("{EXTENSION}/.gemini/settings.json"), HOOKS);
    assert_eq!(strays(&developed), Vec::<String>::new());
}

/// ST-12, TR-10: the search for scripts that no entry names is bounded, and it is reported if there
/// is more.
#[test]
fn scripts_beyond_the_bounds_are_told() {
    let named = r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "$GEMINI_PROJECT_DIR/.gemini/hooks/z-large.sh"}]}]}}"#;
    let script = "#!/bin/sh\ntrue\n";
    let large = format!("{script}{}", "#\n".repeat(33 * 1024));
    let folder = "project/.gemini/hooks";
    let fixture = || Fixture::new().trusted().project(named);
    let reported = strays(&fixture().file(&format!("{folder}/z-large.sh"), &large));
    assert_eq!(reported, Vec::<String>::new());
    let reported = strays(&fixture().file(&format!("{folder}/y-large.sh"), &large));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("\"y-large.sh\","), "{reported:?}");
    let many = |count: usize, text: &str| {
        (0..count).fold(fixture(), |fixture, at| {
            fixture.file(&format!("{folder}/{at:03}.data"), text)
        })
    };
    let within = many(63, "x").file(&format!("{folder}/z.sh"), script);
    let reported = strays(&within);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].starts_with("no hook runs"), "{reported:?}");
    let beyond = many(64, "x").file(&format!("{folder}/z.sh"), script);
    let reported = strays(&beyond);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("too much"), "{reported:?}");
    let padded = format!("{script}{}", "#\n".repeat(16 * 1024));
    let together = many(16, &"x".repeat(63 * 1024)).file(&format!("{folder}/z.sh"), padded);
    let reported = strays(&together);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("too much"), "{reported:?}");
}

/// ST-1, ST-12: hooks above a nearer root are reported, unless the folder is the home folder or
/// above it.
#[test]
fn hooks_above_the_root_are_told() {
    let below = |above: &str, content: &str| {
        let mut fixture = Fixture::new().trusted().file(above, content);
        std::fs::create_dir_all(fixture.root().join("project/sub/.git")).expect("a folder");
        fixture.request.project_root = fixture.root().join("project/sub");
        fixture
    };
    let reported = strays(&below("project/.gemini/settings.json", HOOKS));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].contains("the nearer .git makes"),
        "{reported:?}"
    );
    let without = below("project/.gemini/settings.json", "{}");
    assert_eq!(strays(&without), Vec::<String>::new());
    let mut at_home = Fixture::new()
        .trusted()
        .user(HOOKS)
        .file(".gemini/settings.json", HOOKS);
    at_home.request.project_root = at_home.root().join("home/code");
    assert_eq!(strays(&at_home), Vec::<String>::new());
}

/// ST-5: switches of hooks and names of other files do nothing at the top of a file, which is
/// reported; keys of other programs of these names aren't.
#[test]
fn keys_at_the_top_that_do_nothing_are_told() {
    let reported = |text: &str| {
        let problems = load_text(text).problems;
        let mut codes = problems.iter().map(|it| it.code);
        codes.any(|it| it == ProblemCode::MisplacedHooks)
    };
    for text in [
        r#"{"onFailure": "deny"}"#,
        r#"{"strict": true}"#,
        r#"{"adopt": ["claude-code"]}"#,
        r#"{"extends": "../base.json"}"#,
        r#"{"include": ["a.json"]}"#,
    ] {
        assert!(reported(text), "{text}");
    }
    for text in [
        r#"{"strict": {"null": true}}"#,
        r#"{"extends": "base"}"#,
        r#"{"include": ["src"]}"#,
        r#"{"hooksConfig": {"onFailure": "deny", "strict": true}}"#,
    ] {
        assert!(!reported(text), "{text}");
    }
}

/// AG-CLI-9: names of earlier formats at the top are reported with the current ones, at their
/// place, and keep nothing from starting; current names, and those that set nothing, aren't.
#[test]
fn names_of_earlier_formats_are_told() {
    let old = |text: &str| {
        let problems = load_text(text).problems;
        let reported = problems.into_iter();
        reported
            .filter(|it| it.code == ProblemCode::UnknownField)
            .map(|it| {
                (
                    it.message,
                    it.source.position.map(|it| (it.line, it.column)),
                )
            })
            .collect::<Vec<_>>()
    };
    for (text, today) in [
        (r#"{"theme": "GitHub"}"#, "ui.theme"),
        (r#"{"vimMode": true}"#, "general.vimMode"),
        (r#"{"autoAccept": true}"#, "tools.autoAccept"),
        (r#"{"contextFileName": "AGENTS.md"}"#, "context.fileName"),
        (r#"{"maxSessionTurns": 5}"#, "model.maxSessionTurns"),
        (r#"{"enableHooks": false}"#, "hooksConfig.enabled"),
    ] {
        let text = format!("\n {text}");
        let reported = old(&text);
        assert_eq!(reported.len(), 1, "{text}: {reported:?}");
        assert!(
            reported[0].0.contains(&format!("\"{today}\"")),
            "{reported:?}"
        );
        assert_eq!(reported[0].1, Some((2, 3)), "{text}");
    }
    for text in [
        r#"{"ui": {"theme": "GitHub"}, "context": {"fileName": "AGENTS.md"}}"#,
        r#"{"vimMode": false, "autoAccept": null, "enableHooks": true}"#,
    ] {
        assert_eq!(old(text), [], "{text}");
    }
}

/// AG-CLI-9: current names that have no effect here and would mislead somebody are noted at their
/// place, and only if they set something.
#[test]
fn names_of_today_without_an_effect_are_noted() {
    let noted = |text: &str| {
        let problems = load_text(text).problems;
        let reported = problems.into_iter();
        reported
            .filter(|it| it.code == ProblemCode::UnknownField)
            .map(|it| (it.severity, it.source.position.map(|it| it.column)))
            .collect::<Vec<_>>()
    };
    for (section, member) in [
        ("general", r#""vimMode": true"#),
        ("general", r#""preferredEditor": "code""#),
        ("tools", r#""autoAccept": true"#),
        ("context", r#""fileFiltering": {"respectGitIgnore": false}"#),
        ("advanced", r#""excludedEnvVars": ["DEBUG"]"#),
        ("ui", r#""accessibility": {"screenReader": true}"#),
    ] {
        let text = format!(r#"{{"{section}": {{{member}}}}}"#);
        let column = u32::try_from(text.find(member).unwrap()).unwrap() + 1;
        let expected = [(Severity::Info, Some(column))];
        assert_eq!(noted(&text), expected, "{text}");
    }
    for text in [
        r#"{"general": {"vimMode": false, "preferredEditor": null, "checkpointing": {"enabled": true}}}"#,
        r#"{"context": {"fileFiltering": {"respectGitIgnore": true}, "includeDirectories": ["../b"]}}"#,
        r#"{"ui": {"theme": "GitHub", "accessibility": {"screenReader": false}}}"#,
    ] {
        assert_eq!(noted(text), [], "{text}");
    }
}
