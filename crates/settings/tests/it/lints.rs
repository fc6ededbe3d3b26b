//! The diagnostics of `hooks check` (CM-3).

use std::path::Path;

use hookloop_settings::{FileProbe, Probed, lint, lint_commands};

use crate::fixture::{Fixture, load_text, told};

fn linted(text: &str) -> Vec<String> {
    let settings = load_text(text);
    assert_eq!(told(&settings.problems), [""; 0]);
    told(&lint(&settings))
}

/// CM-3: a timeout that is probably meant in another unit.
#[test]
fn suspicious_timeouts() {
    assert_eq!(
        linted(
            r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "a", "timeout": 30},
{"type": "command", "command": "b", "timeout": 100},
{"type": "command", "command": "c", "timeout": "1h"},
{"type": "command", "command": "d", "timeout": 3600001}]}]}}"#
        ),
        ["timeout_suspicious 2:48", "timeout_suspicious 5:48"]
    );
}

/// PL-3, PL-4, CM-3: matchers that can't match what their event has.
#[test]
fn matchers_that_do_not_fit_their_event() {
    let settings = load_text(
        r#"{"hooks": {
"BeforeAgent": [{"matcher": "x", "hooks": [{"type": "command", "command": "a"}]},
{"matcher": "*", "hooks": [{"type": "command", "command": "b"}]}],
"SessionStart": [{"matcher": "startup|Resume", "hooks": [{"type": "command", "command": "c"}]}]}}"#,
    );
    let found = lint(&settings);
    assert_eq!(
        told(&found),
        ["matcher_without_subject 2:29", "matcher_no_tool 4:30"]
    );
    assert_eq!(found[1].suggestion.as_deref(), Some("resume"));
    assert_eq!(found[1].hook_id.as_ref(), Some(&settings.hooks[2].id));
    assert!(found[0].snippet.as_ref().unwrap().contains("BeforeAgent"));
}

/// CM-3, ST-5: hooks that stand beside `hooks`, or under a misspelt name, are reported: they look
/// installed, and never run.
#[test]
fn hooks_in_the_wrong_place_are_reported() {
    let settings = load_text(
        r#"{"BeforeTool": [{"hooks": [{"type": "command", "command": "a"}]}],
"preToolUse": [], "Hooks": {"BeforeTool": []},
"hooks_config": {"disabled": []}, "tools": {}, "mcpServers": {}, "notification": true,
"hooks": {"hooks": {"BeforeTool": []}}}"#,
    );
    assert_eq!(
        told(&settings.problems),
        [
            "misplaced_hooks 1:2",
            "misplaced_hooks 2:1",
            "misplaced_hooks 2:19",
            "misplaced_hooks 3:1",
            "unknown_event 4:11"
        ]
    );
    assert_eq!(settings.problems[2].suggestion.as_deref(), Some("hooks"));
    assert_eq!(
        settings.problems[3].suggestion.as_deref(),
        Some("hooksConfig")
    );
}

/// CM-3: the same name or command twice in one event and layer.
#[test]
fn duplicates() {
    assert_eq!(
        linted(
            r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "a", "name": "n"},
{"type": "command", "command": "b", "name": "n"},
{"type": "command", "command": "a", "name": "m"},
{"type": "command", "command": "c"}]}],
"AfterTool": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#
        ),
        ["duplicate_hook 3:1", "duplicate_hook 4:1"]
    );
}

/// CM-3, ST-7: an entry of a `disabled` list that names nothing.
#[test]
fn names_that_disable_nothing() {
    let settings = load_text(
        r#"{"hooksConfig": {"disabled": ["lnit", "lint"]}, "hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "a", "name": "lint"}]}]}}"#,
    );
    let found = lint(&settings);
    assert_eq!(told(&found), ["unknown_disabled_name 1:31"]);
    assert_eq!(found[0].suggestion.as_deref(), Some("lint"));
}

struct Disk;

impl FileProbe for Disk {
    fn probe(&self, path: &Path) -> Probed {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("gone.sh" | "gone") => Probed::Missing,
            Some("plain.sh") => Probed::NotExecutable,
            _ => Probed::Executable,
        }
    }

    fn home(&self) -> Option<&Path> {
        Some(Path::new("/home/me"))
    }

    fn first_line(&self, path: &Path) -> Option<String> {
        match path.file_name()?.to_str()? {
            "returns.sh" => Some("#!/bin/sh\r".to_owned()),
            "mark.sh" => Some("\u{FEFF}#!/bin/sh".to_owned()),
            "bare.py" | "bare.sh" => Some("import sys".to_owned()),
            "old.py" => Some("#!/usr/bin/env python2".to_owned()),
            "odd.sh" => Some("#!/opt/gone -x".to_owned()),
            _ => Some("#!/bin/sh".to_owned()),
        }
    }

    fn is_on_path(&self, program: &str) -> bool {
        ["bash", "sh", "node", "jq"].contains(&program)
    }
}

/// CM-3: scripts and programs that are missing, and nothing that can't be known.
#[test]
fn commands_that_can_not_start() {
    let check = |command: &str| -> Option<String> {
        let text = serde_json::json!({"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "command": command}]}]}});
        let settings = Fixture::new().project(text.to_string()).load();
        let found = lint_commands(&settings, Path::new("/p"), &Disk);
        assert!(
            found
                .iter()
                .all(|it| it.snippet.is_some() && it.source.position.is_some())
        );
        found.first().map(|problem| problem.code.to_string())
    };
    let missing = Some("script_missing".to_owned());
    assert_eq!(check("./gone.sh"), missing);
    assert_eq!(check("\"$GEMINI_PROJECT_DIR/gone.sh\" x"), missing);
    assert_eq!(check("LANG=C bash hooks/gone.sh"), missing);
    assert_eq!(
        check("./plain.sh"),
        Some("script_not_executable".to_owned())
    );
    assert_eq!(check("bash ./plain.sh"), None);
    let interpreter = Some("interpreter_missing".to_owned());
    assert_eq!(check("ruby x.rb"), interpreter);
    assert_eq!(check("nothing --x"), interpreter);
    assert_eq!(check("./old.py"), interpreter);
    assert_eq!(check("./odd.sh"), interpreter);
    assert_eq!(check("~/gone.sh"), missing);
    assert_eq!(check("sh $HOME/gone.sh"), missing);
    assert_eq!(check("${HOME}/gone.sh"), missing);
    assert_eq!(check("./returns.sh"), interpreter);
    assert_eq!(
        check("bash ./returns.sh"),
        Some("script_line_ends".to_owned())
    );
    assert_eq!(check("jq .x | nothing -"), interpreter);
    assert_eq!(check("jq .x | bash ./gone.sh | jq ."), missing);
    let shell = Some("script_without_interpreter".to_owned());
    assert_eq!(check("./mark.sh"), shell);
    assert_eq!(check("./bare.py"), shell);
    for fine in [
        "./bare.sh",
        "jq .x || nothing",
        "jq .x | (nothing)",
        "jq .x > out | jq .",
        "bash ./bare.sh",
        "node ./returns.sh",
        "./good.sh",
        "jq .",
        "echo x",
        "if true; then x; fi",
        "$TOOL x",
        "bash -c 'gone'",
        "cd x && ./gone.sh",
        "[ -f x ]",
        "{ x; }",
        "",
    ] {
        assert_eq!(check(fine), None, "{fine}");
    }
}
