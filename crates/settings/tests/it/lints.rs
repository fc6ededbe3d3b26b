//! The diagnostics of `hooks check` (CM-3).

use std::path::{Path, PathBuf};

use hookloop_hook::{HookDeclaration, ProblemCode};
use hookloop_settings::{FileProbe, Place, Probed, lint, lint_commands, lint_rules_file};

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

/// CM-10: a timeout of half a second is proposed as one, and not as nothing.
#[test]
fn a_timeout_of_half_a_second_is_proposed_as_one() {
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "a", "timeout": 0.5}]}]}}"#,
    );
    let problems = lint(&settings);
    assert!(problems.iter().any(|it| it.help.contains("500")));
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

/// CM-3, ST-5: hooks that are beside `hooks`, or under a misspelt name, are reported: they look
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
    let settings = Fixture::new().project(text.to_string()).load();
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
    let settings = Fixture::new().project(text.to_string()).load();
    let place = Place {
        root: Path::new("/p"),
        current: Path::new("/p"),
    };
    let found = lint_commands(&settings, &settings.hooks, place, &Disk);
    assert_eq!(told(&found), [""; 0]);
}

/// CM-3, HT-50: a question to a model where nothing can be refused.
#[test]
fn questions_that_refuse_nothing() {
    assert_eq!(
        linted(
            r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "prompt", "prompt": "a"}]}],
"BeforeTool": [{"hooks": [{"type": "prompt", "prompt": "b"}]}]}}"#
        ),
        ["refusal_lost 1:40"]
    );
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

/// CM-3, HT-26: a rule for every tool that can be evaluated only for commands blocks all other
/// calls; that is reported, with the matcher that fixes it.
#[test]
fn rules_that_refuse_what_they_are_not_about_are_told() {
    let found = |group: serde_json::Value| {
        let settings = serde_json::json!({"hooks": {"BeforeTool": [group]}});
        let settings = Fixture::new().project(settings.to_string()).load();
        let reported = lint(&settings).into_iter();
        reported
            .filter(|it| it.code == ProblemCode::ConditionDoubtful)
            .count()
    };
    let group = |matcher: &str, when: &str, then: &str| {
        let text = if then == "deny" { "reason" } else { "message" };
        found(
            serde_json::json!({"matcher": matcher, "hooks": [{"type": "rule",
            "rules": [{"when": when, "then": then, text: "no"}]}]}),
        )
    };
    let about = "shell.commands.exists(c, c.program == \"rm\")";
    assert_eq!(group("", about, "deny"), 1);
    assert_eq!(group("*", about, "deny"), 1);
    assert_eq!(group("run_shell_command", about, "deny"), 0);
    assert_eq!(group("", about, "message"), 0);
    let narrowed = format!("tool.name == \"run_shell_command\" && {about}");
    assert_eq!(group("", &narrowed, "deny"), 0);
    assert_eq!(group("", "tool.name == \"write_file\"", "deny"), 0);
}

/// HT-1, HT-25, ST-5: what is wrong with a condition is reported with its line and column in the
/// file, escapes counted as they are written; so is what it can't mean.
#[test]
fn mistakes_in_conditions_are_told_where_they_stand() {
    let text = r#"{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [
{"type": "command", "name": "a", "command": "true", "if": "tool.name == \"Bash\""},
{"type": "rule", "name": "b", "rules": [
  {"when": "true", "then": "ask"},
  {"when": "tool.input.comand == \"x\"", "then": "deny"}]},
{"type": "rule", "name": "c", "when": "paths.exists(p, p.use == 'modify')", "then": "deny"}]}]}}"#;
    let settings = load_text(text);
    assert_eq!(told(&settings.problems), [""; 0]);
    assert_eq!(
        told(&lint(&settings)),
        [
            "condition_doubtful 2:75",
            "condition_doubtful 5:24",
            "condition_doubtful 6:66",
        ]
    );
    let wrong = r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "rule", "name": "a", "when": "\"promptx\" == prompt && promptx == 1", "then": "deny"}]}]}}"#;
    assert_eq!(told(&load_text(wrong).problems), ["condition_invalid 2:65"]);
}

/// HT-1: for a function that doesn't exist, the existing ones are named, or the one that was meant.
#[test]
fn unknown_functions_are_told_with_those_there_are() {
    let help = |condition: &str| {
        let hook = serde_json::json!({"type": "command", "command": "true", "if": condition});
        let settings = serde_json::json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
        let problems = load_text(settings.to_string()).problems;
        problems
            .first()
            .map_or_else(String::new, |it| it.help.clone())
    };
    assert!(help("paths.exist(it, true)").contains("\"exists\""));
    assert!(help("prompt.contain('a')").contains("\"contains\""));
    assert!(help("promt == 'a'").contains("\"prompt\""));
    for known in ["glob", "like", "within", "has("] {
        assert!(help("frobnicate(prompt)").contains(known), "{known}");
    }
    assert!(help("exists(tool.input)").contains(".exists(it, "));
}

/// FD-2, PL-7: a hook that was migrated from a file that is also adopted isn't reported here: the
/// engine says which of the two runs.
#[test]
fn a_copy_is_no_duplicate_of_its_original() {
    let hook = r#"{"type": "command", "command": "./g.sh"}"#;
    let theirs =
        format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{hook}]}}]}}}}"#);
    let ours = r#"{"hooksConfig": {"adopt": ["claude-code"]}, "hooks": {"BeforeTool": [{"matcher": "^run_shell_command$",
"hooks": [{"type": "command", "command": "./g.sh", "dialect": "claude-code", "from": ".claude/settings.json:1"}]}]}}"#;
    let fixture = Fixture::new().file("project/.claude/settings.json", theirs);
    let settings = fixture.project(ours).trusted().load();
    assert_eq!(settings.hooks.len(), 2, "{:?}", settings.problems);
    let found = lint(&settings);
    assert!(
        found.iter().all(|it| it.code != ProblemCode::DuplicateHook),
        "{found:?}"
    );
}

/// HT-26, CM-3: what is wrong in a file of rules is reported at its line and column in that file,
/// and a file in which nothing is wrong isn't reported.
#[test]
fn faults_in_files_of_rules_have_their_places() {
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "rule", "rules": "rules/a.json"}]}]}}"#,
    );
    let file = Path::new("/srv/rules/a.json");
    let rule = |when: &str| format!("[\n  {{\"then\": \"deny\",\n   \"when\": \"{when}\"}}\n]");
    for (text, expected) in [
        (rule("tool.name == 'write_file'"), &[][..]),
        (rule("tool.name == "), &["condition_invalid 3:26"]),
        (rule("tool.nmae == 'x'"), &["condition_doubtful 3:18"]),
        (rule("nmae == 'x'"), &["condition_invalid 3:13"]),
        (
            rule("tool.name == \\\"Bash\\\""),
            &["condition_doubtful 3:28"],
        ),
        (
            r#"{"rules": [{"when": "true", "then": "no"}]}"#.to_owned(),
            &["handler_invalid 1:12"],
        ),
        (
            "[\n {\"when\": \"true\" \"then\": \"deny\"}]".to_owned(),
            &["handler_invalid 2:18"],
        ),
        (
            r#"[{"when": "prompt == 'x'", "then": "deny", "when": "tool.name == 'glob'"}]"#
                .to_owned(),
            &["duplicate_key 1:44"],
        ),
        ("[]".to_owned(), &[]),
    ] {
        let found = lint_rules_file(&settings, &settings.hooks[0], file, &text);
        assert_eq!(told(&found), expected, "{text}: {found:?}");
        assert!(found.iter().all(|it| &*it.source.file == file));
        assert!(
            found
                .iter()
                .all(|it| it.snippet.is_some() && it.hook_id.is_some())
        );
    }
}
