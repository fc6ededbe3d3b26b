//! The diagnostics of `hooks check` (CM-3).

use std::path::Path;

use hookloop_hook::ProblemCode;
use hookloop_settings::{lint, lint_rules_file};

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
