//! The diagnostics of `hooks check` about commands and scripts (CM-3).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_hook::{
    EXTENSION_PATH_VARIABLE, Enablement, EventName, ExtensionOrigin, ExtensionScope, Handler,
    HookDeclaration,
};
use hookloop_lint::{FileProbe, Place, Probed, lint_commands};
use hookloop_settings::Settings;

use crate::loaded::load_text;

struct Disk;

impl FileProbe for Disk {
    fn probe(&self, path: &Path) -> Probed {
        let name = path.file_name().and_then(|name| name.to_str());
        match name.unwrap_or_default() {
            "gone.sh" | "gone" => Probed::Missing,
            "plain.sh" => Probed::NotExecutable,
            "loop.sh" => Probed::LinkLoop,
            "folder" => Probed::Folder,
            "here.sh" if path.parent() != Some(Path::new("/p")) => Probed::Missing,
            _ if path.starts_with("/hooks") || path.starts_with("/p/~") => Probed::Missing,
            _ if path.to_string_lossy().contains('$') => Probed::Missing,
            _ => Probed::Executable,
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        let text = match path.file_name()?.to_str()? {
            "returns.sh" => "#!/bin/sh\r\ntrue\r\n",
            "mark.sh" => "\u{FEFF}#!/bin/sh\ntrue\n",
            "bare.py" => "import sys\nsys.exit(2)\n",
            "bare.sh" => "echo x\n",
            "bare-python" => "import json, sys\n",
            "old.py" => "#!/usr/bin/env python2\nexit(2)\n",
            "odd.sh" => "#!/opt/gone -x\ntrue\n",
            "blank.sh" => "#!/usr/folder bash\ntrue\n",
            "options.sh" => "#!/usr/bin/env bash -e\ntrue\n",
            "split.sh" => "#!/usr/bin/env -S bash -e\ntrue\n",
            "empty.sh" => "",
            "comment.sh" => "#!/bin/sh\n\n# later\n",
            "guard.sh" => "#!/bin/sh\ncat > /dev/null\nexit 2\n",
            "reply.sh" => "#!/bin/sh\necho '{\"decision\": \"deny\"}'\n",
            "foreign.sh" => "#!/bin/sh\ntool=$(jq -r .toolName)\n",
            _ => "#!/bin/sh\ntrue\n",
        };
        Some(text.to_owned())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn names_in(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
    }

    fn home(&self) -> Option<&Path> {
        Some(Path::new("/home/me"))
    }

    fn is_on_path(&self, program: &str, own: Option<&str>) -> bool {
        own.is_none()
            && [
                "bash", "sh", "node", "jq", "env", "cat", "timeout", "ssh", "tee",
            ]
            .contains(&program)
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "IS_SET").then(|| "/set".to_owned())
    }

    fn withheld_variables(&self, _hook: &HookDeclaration) -> Vec<String> {
        Vec::new()
    }
}

/// Checks a command as the only hook of a project; returns the codes that are found.
fn codes(hook: &serde_json::Value, current: &str) -> Vec<String> {
    codes_at("BeforeTool", hook, current)
}

fn codes_at(event: &str, hook: &serde_json::Value, current: &str) -> Vec<String> {
    let text = serde_json::json!({"hooks": {event: [{"hooks": [hook]}]}});
    let settings = load_text(text.to_string());
    let place = Place {
        root: Path::new("/p"),
        current: Path::new(current),
    };
    let found = lint_commands(&settings, &settings.hooks, place, &Disk);
    for problem in &found {
        assert!(problem.snippet.is_some() && problem.source.position.is_some());
        assert!(!problem.help.is_empty());
    }
    found.iter().map(|it| it.code.to_string()).collect()
}

fn check(command: &str) -> Option<String> {
    let hook = serde_json::json!({"type": "command", "command": command});
    codes(&hook, "/p").into_iter().next()
}

/// CM-3: scripts and programs that are missing, or that can't be run as they are.
#[test]
fn commands_that_can_not_start() {
    for (code, commands) in [
        (
            "script_missing",
            &[
                "./gone.sh",
                "\"$GEMINI_PROJECT_DIR/gone.sh\" x",
                "LANG=C bash hooks/gone.sh",
                "~/gone.sh",
                "sh $HOME/gone.sh",
                "${HOME}/gone.sh",
                "jq .x | bash ./gone.sh | jq .",
                "./loop.sh",
                "cd x && ./gone.sh",
                "set -e; source ./gone.sh",
                "env A=b timeout 5 ./gone.sh",
                "bash -c './gone.sh'",
                "\"~/guard\"",
                "'$HOME/guard'",
                "$PROJECT_ROOT/hooks/guard",
                "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/guard",
                "python3() { true; }; bash $NOWHERE/hooks/guard",
            ][..],
        ),
        (
            "script_not_executable",
            &["./plain.sh", "./folder", "bash ./folder"],
        ),
        (
            "interpreter_missing",
            &[
                "ruby x.rb",
                "nothing --x",
                "jq .x | nothing -",
                "bash -c 'gone'",
                "./old.py",
                "./odd.sh",
                "./returns.sh",
                "./blank.sh",
                #[cfg(target_os = "linux")]
                "./options.sh",
            ],
        ),
        ("script_line_ends", &["bash ./returns.sh"]),
        (
            "script_without_interpreter",
            &["./mark.sh", "./bare.py", "./bare-python"],
        ),
        (
            "script_empty",
            &["./empty.sh", "bash empty.sh", "./comment.sh"],
        ),
        (
            "command_unreadable",
            &[
                "bash -c 'exit 2",
                "echo $(date",
                "jq . |",
                "if true; then exit 2;",
            ],
        ),
        ("unset_variable", &["$GUARD", "${GUARD}"]),
        (
            "foreign_words",
            &["./foreign.sh", "bash foreign.sh", "jq -r '.toolName'"],
        ),
    ] {
        for command in commands {
            assert_eq!(check(command).as_deref(), Some(code), "{command}");
        }
    }
}

/// CM-3: missing guards that a test hides, and refusals that are lost.
#[test]
fn guards_that_are_off_in_silence() {
    for (code, commands) in [
        (
            "script_missing",
            &[
                "[ -f gone.sh ] && ./gone.sh",
                "test -x $HOME/gone.sh && $HOME/gone.sh || true",
                "if [ -x ./gone.sh ]; then ./gone.sh; fi",
                "if [[ -x ./gone.sh ]]; then ./gone.sh; fi",
                "[ -e ./gone.sh ] || exit 0; ./gone.sh",
                "[ -f gone.sh ] && bash gone.sh",
            ][..],
        ),
        (
            "interpreter_missing",
            &[
                "command -v gone >/dev/null && gone check",
                "if which gone; then ./good.sh; fi",
            ],
        ),
        (
            "refusal_lost",
            &[
                "./guard.sh || true",
                "./reply.sh > /dev/null",
                "./reply.sh &> /dev/null",
                "bash reply.sh >> log 2>&1",
                "./reply.sh | cat > /dev/null",
                "bash -c exit 2",
            ],
        ),
    ] {
        for command in commands {
            assert_eq!(check(command).as_deref(), Some(code), "{command}");
        }
    }
}

/// CM-3: nothing is reported about what can't be known, or would be found.
#[test]
fn commands_that_start_are_left_alone() {
    for fine in [
        "./bare.sh",
        "jq .x || nothing",
        "jq .x > out | jq .",
        "bash ./bare.sh",
        "bash ./plain.sh",
        "node ./returns.sh",
        "./good.sh",
        "./split.sh",
        "jq .",
        "echo x",
        "if true; then x; fi",
        "if jq .x; then ./gone.sh; fi",
        "[ -f gone.sh ] && ./gone.sh || exit 2",
        "[ -f gone.sh ] || { echo gone >&2; exit 2; }; ./gone.sh",
        "[ -f x ] && ./gone.sh",
        "if [ -x gone.sh ]; then ./gone.sh; else ./good.sh; fi",
        "command -v jq && ./good.sh",
        "if command -v gone; then gone; else ./good.sh; fi",
        "[ -f x ]",
        "[ -x guard.sh ] || { echo missing >&2; exit 2; }; ./guard.sh",
        ". ./guard.sh; check",
        "./guard.sh > /dev/null",
        "./reply.sh",
        "./reply.sh 2> /dev/null",
        "./reply.sh | tee -a log",
        "./reply.sh > /tmp/reply; cat /tmp/reply",
        "bash -c 'exit 2'",
        "# a comment\njq .",
        "f() { jq .; }; f",
        "cat > gone.sh; bash gone.sh",
        "${TOOL:-jq} x",
        "\"${NOWHERE:-$HOME}/x.sh\"",
        "$IS_SET/x.sh",
        "X=/a; $X/y.sh",
        "exit 0; ./gone.sh",
        "export PATH=/x:$PATH; nothing",
        "ssh host ./gone.sh",
        "",
    ] {
        assert_eq!(check(fine), None, "{fine}");
    }
}

/// CM-3: a program that a hook tests for may be missing if nothing is to be refused.
#[test]
fn tests_of_what_is_optional_are_left_alone() {
    let hook = serde_json::json!({"type": "command", "command": "command -v gone && gone ."});
    let text = serde_json::json!({"hooks": {"AfterTool": [{"hooks": [hook]}]}});
    let settings = load_text(text.to_string());
    let place = Place {
        root: Path::new("/p"),
        current: Path::new("/p"),
    };
    let found = lint_commands(&settings, &settings.hooks, place, &Disk);
    assert!(found.is_empty(), "{found:?}");
}

/// CM-3: a relative path is looked for where the session begins.
#[test]
fn relative_paths_begin_in_the_working_directory() {
    let hook = serde_json::json!({"type": "command", "command": "./here.sh"});
    assert_eq!(codes(&hook, "/p"), [""; 0]);
    assert_eq!(codes(&hook, "/p/sub"), ["script_missing"]);
}

/// CM-3, FD-1: variables of a hook's `env` count, and a hook in its own dialect uses no foreign
/// words.
#[test]
fn what_the_entry_says_counts() {
    let with = |fields: serde_json::Value| {
        let mut hook = serde_json::json!({"type": "command", "command": "$ROOT/hooks/x.sh"});
        for (name, value) in fields.as_object().unwrap() {
            hook[name] = value.clone();
        }
        codes(&hook, "/p")
    };
    assert_eq!(with(serde_json::json!({})), ["script_missing"]);
    assert_eq!(with(serde_json::json!({"env": {"ROOT": "/p"}})), [""; 0]);
    let foreign = serde_json::json!({"command": "./foreign.sh", "dialect": "copilot"});
    assert_eq!(with(foreign), [""; 0]);
    let own_path = serde_json::json!({"command": "jq .", "env": {"PATH": "/nowhere"}});
    assert_eq!(with(own_path), ["interpreter_missing"]);
}

/// CM-3: a program before `||` may be missing if there is an alternative; one that a guard checks
/// with may not.
#[test]
fn a_program_with_an_alternative_may_be_missing() {
    let at = |event: &str, command: &str| {
        let hook = serde_json::json!({"type": "command", "command": command});
        let found = codes_at(event, &hook, "/p");
        found.iter().any(|it| it == "interpreter_missing")
    };
    for command in [
        "afplay x 2>/dev/null || paplay y 2>/dev/null || true",
        "say done 2>/dev/null || true",
        "cat | notify-send it || true",
        "command -v say >/dev/null && say done",
        "command -v say >/dev/null && say done || true",
    ] {
        for event in ["Notification", "AfterAgent", "BeforeTool", "BeforeAgent"] {
            assert!(!at(event, command), "{event} {command}");
        }
    }
    assert!(!at("AfterTool", "prettier --write . || true"));
    for (event, command) in [
        ("AfterAgent", "pytest -q || { echo fails >&2; exit 2; }"),
        ("AfterAgent", "pytest -q && exit 0 || exit 2"),
        ("BeforeTool", "gitleaks stdin || true"),
        ("Notification", "say done"),
    ] {
        assert!(at(event, command), "{event} {command}");
    }
}

/// Returns a hook of an extension in this folder.
fn of_extension(folder: &str, hook: HookDeclaration) -> HookDeclaration {
    let extension = ExtensionOrigin {
        name: "x".into(),
        path: folder.into(),
        scope: ExtensionScope::User,
        enablement: Enablement::Enabled,
        settings_env: Vec::new(),
        in_keyring: Vec::new(),
    };
    HookDeclaration {
        extension: Some(Arc::new(extension)),
        ..hook
    }
}

/// CM-3: in each of many hooks the same is found as in that hook alone, although what several share
/// is looked at once: the same command may be in another folder, have other variables, or be asked
/// about other tools.
#[test]
fn each_hook_is_judged_as_it_would_be_alone() {
    let hook = |command: &str| HookDeclaration {
        handler: Handler::command(command),
        ..HookDeclaration::in_process(EventName::BeforeTool, "guard")
    };
    let in_extension = hook(&format!("${EXTENSION_PATH_VARIABLE}/here.sh"));
    let reads = "jq -e .tool_input.content | grep -q x && exit 2";
    let asked_about = |matcher: &str| HookDeclaration {
        matcher: Some(matcher.to_owned()),
        ..hook(reads)
    };
    let mut hooks = vec![
        of_extension("/p", in_extension.clone()),
        of_extension("/q", in_extension.clone()),
        of_extension("/p", in_extension),
        asked_about("write_file"),
        asked_about("run_shell_command"),
        asked_about("anything"),
        hook("$TOOLS/here.sh"),
        HookDeclaration {
            env: [("TOOLS".to_owned(), "/p".to_owned())].into(),
            ..hook("$TOOLS/here.sh")
        },
        HookDeclaration {
            event: EventName::AfterAgent,
            ..hook(reads)
        },
    ];
    // Enough for several threads.
    hooks.extend((0..600).map(|it| hook(&format!("./gone.sh {it}"))));
    let settings = Settings::default();
    let root = Path::new("/p");
    let place = Place {
        root,
        current: root,
    };
    let look = |hooks: &[HookDeclaration]| lint_commands(&settings, hooks, place, &Disk);
    let alone: Vec<_> = hooks
        .iter()
        .map(|it| look(std::slice::from_ref(it)))
        .collect();
    // Otherwise it would prove nothing.
    for (one, other) in [(0, 1), (3, 4), (6, 7), (4, 8)] {
        assert_ne!(alone[one], alone[other], "{}", hooks[one].command());
    }
    assert_eq!(look(&hooks), alone.concat());
}
