//! How declarations are read (ST-3, ST-4, ST-5, IO-30).

use std::time::Duration;

use hookloop_events::EventName;
use hookloop_hook::{Grouping, OnFailure, ProblemCode, Severity};

use crate::fixture::{hooks, labels, load_text, told};

/// ST-3: every field of a group and a hook is read; defaults are filled in.
#[test]
fn all_fields_are_read() {
    let settings = load_text(
        r#"{
  // a comment
  "hooks": {
    "BeforeTool": [
      {"matcher": "write_.*", "sequential": true, "hooks": [
        {"type": "command", "command": "x", "name": "n", "description": "d",
         "timeout": "2s", "env": {"A": "1"}, "onFailure": "deny"},
        {"type": "command", "command": "y",},
      ]},
    ],
  },
}"#,
    );
    assert_eq!(told(&settings.problems), [""; 0]);
    let [first, second] = settings.hooks.as_slice() else {
        panic!("two hooks")
    };
    assert_eq!(first.event, EventName::BeforeTool);
    assert_eq!((first.label(), first.command()), ("n", "x"));
    assert_eq!(first.description.as_deref(), Some("d"));
    assert_eq!(first.matcher.as_deref(), Some("write_.*"));
    assert_eq!(first.grouping, Grouping::Sequential);
    assert_eq!(first.timeout, Duration::from_secs(2));
    assert_eq!(first.env["A"], "1");
    assert_eq!(first.on_failure, OnFailure::Deny);
    assert_eq!(
        first.source.to_string().rsplit_once(".json").unwrap().1,
        ":6:9"
    );
    assert_eq!(second.label(), "y");
    assert_eq!(second.timeout, Duration::from_mins(1));
    assert_eq!(second.on_failure, OnFailure::Default);
    assert_ne!(first.id, second.id);
}

/// EV-3, ST-3: an unknown event is reported with its place and the right name; others still work.
#[test]
fn unknown_events_are_reported() {
    let settings = load_text(
        "{\"hooks\": {\n \"beforeTool\": [],\n \"PreToolUse\": [],\n \"Zebra\": [],\n\
         \"AfterTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"good\"}]}]}}",
    );
    assert_eq!(labels(&settings), ["good"]);
    assert_eq!(
        told(&settings.problems),
        [
            "unknown_event 2:2",
            "unknown_event 3:2",
            "unknown_event 4:2"
        ]
    );
    let suggestions: Vec<_> = settings
        .problems
        .iter()
        .map(|problem| problem.suggestion.as_deref())
        .collect();
    assert_eq!(suggestions, [Some("BeforeTool"), Some("BeforeTool"), None]);
    assert_eq!(
        settings.problems[0].snippet.as_deref(),
        Some(" \"beforeTool\": [],")
    );
    assert!(
        settings
            .problems
            .iter()
            .all(|problem| problem.severity == Severity::Error)
    );
}

/// ST-5, IO-21: one wrong hook, group or event doesn't affect a good one, each place is right, and
/// each is replaced by a hook that can't start.
#[test]
fn wrong_parts_stand_alone() {
    let settings = load_text(
        r#"{"hooks": {
"SessionStart": "no list",
"SessionEnd": [7],
"BeforeTool": [
{"hooks": "no list"},
{"matcher": "x"},
{"matcher": 5, "hooks": [{"type": "command", "command": "out"}]},
{"hooks": [
3,
{"command": "no type"},
{"type": "command"},
{"type": "Command", "command": "wrong case"},
{"type": "plugin", "name": "u"},
{"type": "command", "command": 7},
{"type": "command", "command": " "},
{"type": "command", "command": "a\u0000b"},
{"type": "command", "command": "out", "env": {"A": 1}},
{"type": "command", "command": "out", "env": {"A=B": "1"}},
{"type": "command", "command": "out", "name": []},
{"type": "command", "command": "good"}
]}]}}"#,
    );
    let (broken, sound): (Vec<_>, Vec<_>) = settings
        .hooks
        .iter()
        .partition(|hook| hook.broken.is_some());
    assert_eq!(
        sound.iter().map(|it| it.label()).collect::<Vec<_>>(),
        ["good"]
    );
    assert_eq!(broken.len(), 16);
    let ids: std::collections::HashSet<_> = broken.iter().map(|it| &it.id).collect();
    assert_eq!(ids.len(), broken.len());
    assert_eq!(
        (broken[0].event, broken[1].event),
        (EventName::SessionStart, EventName::SessionEnd)
    );
    assert_eq!(broken[3].matcher.as_deref(), Some("x"));
    assert_eq!(
        (broken[4].matcher.as_deref(), broken[4].command()),
        (None, "out")
    );
    assert_eq!(broken[6].command(), "no type");
    assert_eq!(broken[9].handler.type_name(), "plugin");
    assert_eq!(
        told(&settings.problems),
        [
            "wrong_type 2:17",
            "wrong_type 3:16",
            "wrong_type 5:11",
            "missing_field 6:1",
            "wrong_type 7:13",
            "wrong_type 9:1",
            "missing_field 10:1",
            "missing_field 11:1",
            "unknown_hook_type 12:10",
            "missing_field 13:1",
            "wrong_type 14:32",
            "invalid_value 15:32",
            "invalid_value 16:32",
            "wrong_type 17:52",
            "invalid_value 18:47",
            "wrong_type 19:47",
        ]
    );
    each_has_a_remedy(&settings);
}

fn each_has_a_remedy(settings: &hookloop_settings::Settings) {
    assert!(
        settings
            .problems
            .iter()
            .all(|problem| !problem.help.is_empty())
    );
    let about = |word: &str| {
        let mut problems = settings.problems.iter();
        problems.find(|it| it.message.contains(word))
    };
    let case = about("Command").and_then(|it| it.suggestion.as_deref());
    assert_eq!(case, Some("command"));
    // HT-23: a name without a file.
    let older = about("plugin").map(|it| (it.code, it.event));
    assert_eq!(
        older,
        Some((ProblemCode::MissingField, Some(EventName::BeforeTool)))
    );
}

/// ST-5: a key without a meaning is reported with what was meant, and does no harm.
#[test]
fn unknown_fields_are_reported() {
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"macher": "x", "hooks": [
{"type": "command", "command": "good", "timeOut": 5, "zzz": 1}]}]}, "ui": {"x": 1}}"#,
    );
    assert_eq!(labels(&settings), ["good"]);
    assert_eq!(
        told(&settings.problems),
        [
            "unknown_field 1:28",
            "unknown_field 2:40",
            "unknown_field 2:54"
        ]
    );
    let suggestions: Vec<_> = settings
        .problems
        .iter()
        .map(|problem| problem.suggestion.as_deref())
        .collect();
    assert_eq!(suggestions, [Some("matcher"), Some("timeout"), None]);
}

/// ST-5: a duplicate key is reported; of `hooks` and of events both are read, else the last counts.
#[test]
fn of_two_keys_nothing_is_lost() {
    let settings = load_text(
        r#"{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "c"}]}]},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "a"}]}], "BeforeTool": [{"hooks": [], "hooks": [
{"type": "x", "type": "command", "command": "a", "command": "b", "env": {"A": "1", "A": "2"}}
]}]}}"#,
    );
    assert_eq!(labels(&settings), ["c", "a", "b"]);
    assert_eq!(settings.hooks[2].env["A"], "2");
    assert_eq!(
        told(&settings.problems),
        [
            "duplicate_key 2:1",
            "duplicate_key 2:77",
            "duplicate_key 2:106",
            "duplicate_key 3:15",
            "duplicate_key 3:50",
            "duplicate_key 3:84",
        ]
    );
}

/// IO-30: a timeout that can't be used is reported, the default is used, the hook stays.
#[test]
fn wrong_timeouts_leave_the_default() {
    for wrong in [
        "0", "-5", "\"soon\"", "true", "[]", "\"NaN\"", "1e999", "\"0s\"",
    ] {
        let settings = load_text(format!(
            r#"{{"hooks": {{"BeforeTool": [{{"hooks": [
{{"type": "command", "command": "a", "timeout": {wrong}}}]}}]}}}}"#
        ));
        assert_eq!(told(&settings.problems), ["invalid_value 2:48"], "{wrong}");
        assert_eq!(settings.hooks[0].timeout, Duration::from_mins(1), "{wrong}");
    }
}

/// IO-21: a word that isn't a failure policy is reported and counts as `deny`; the hook runs.
#[test]
fn a_wrong_failure_policy_refuses() {
    let settings = load_text(
        r#"{"hooksConfig": {"onFailure": "warn"}, "hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "a", "onFailure": "Deny"}]}]}}"#,
    );
    assert_eq!(told(&settings.problems), ["invalid_value 2:50"]);
    assert_eq!(settings.problems[0].suggestion.as_deref(), Some("deny"));
    assert_eq!(settings.hooks[0].on_failure, OnFailure::Deny);
    assert!(settings.hooks[0].broken.is_none());
}

/// ST-4: an identity stays the same when lines move, and twins are distinguished.
#[test]
fn identities_are_stable_and_unique() {
    let twins = hooks("BeforeTool", &["a", "a", "b"]);
    let before = load_text(&twins);
    let after = load_text(format!("\n\n// moved\n{twins}"));
    let ids = |settings: &hookloop_settings::Settings| -> Vec<String> {
        settings
            .hooks
            .iter()
            .map(|hook| hook.id.to_string())
            .collect()
    };
    assert_eq!(ids(&before), ids(&after));
    let unique: std::collections::HashSet<_> = ids(&before).into_iter().collect();
    assert_eq!(unique.len(), 3);
    let other_event = load_text(hooks("AfterTool", &["a"]));
    assert!(!unique.contains(other_event.hooks[0].id.as_str()));
}

/// ST-3, IO-21: null counts as an absent optional field, except for what a failure means.
#[test]
fn null_counts_as_absent() {
    let settings = load_text(
        r#"{"hooksConfig": null, "hooks": {"BeforeTool": [{"matcher": null, "sequential": null,
"hooks": [{"type": "command", "command": "a", "name": null, "timeout": null, "env": null,
"description": null}]}]}}"#,
    );
    assert_eq!(told(&settings.problems), [""; 0]);
    assert_eq!(labels(&settings), ["a"]);
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "a", "onFailure": null}]}]}}"#,
    );
    assert_eq!(told(&settings.problems), ["wrong_type 1:87"]);
    assert_eq!(settings.hooks[0].on_failure, OnFailure::Deny);
}

/// IO-21: a name that is one edit away from an event's counts as that event, with a hook that can't
/// start; other unknown names are reported (EV-3).
#[test]
fn a_mistyped_event_is_not_left_out() {
    for name in [
        "beforeTool",
        "BeforTool",
        "BeforeTools",
        "BeforeTopl",
        "BefroeTool",
        "before_tool",
    ] {
        let settings = load_text(hooks(name, &["guard"]));
        let [hook] = settings.hooks.as_slice() else {
            panic!("{name}")
        };
        assert_eq!(
            (hook.event, hook.command()),
            (EventName::BeforeTool, "guard"),
            "{name}"
        );
        let broken = hook.broken.as_ref().unwrap();
        assert!(broken.cause.contains(name) && broken.help.contains("BeforeTool"));
    }
    assert!(load_text(hooks("PreToolUse", &["guard"])).hooks.is_empty());
}

/// IO-21: whatever is wrong with an entry, it is in its place, for everything that its matcher
/// could have fitted.
#[test]
fn what_cant_be_built_is_in_its_place() {
    for (wrong, why) in [
        (r#""BeforeTool": 5"#, "a list of the wrong type"),
        (r#""BeforeTool": null"#, "no list"),
        (
            r#""BeforeTool": {"matcher": "x", "hooks": []}, "BeforeTool": {}"#,
            "an object",
        ),
        (r#""BeforeTool": [5]"#, "a group of the wrong type"),
        (
            r#""BeforeTool": [{"type": "command", "command": "x"}]"#,
            "a hook without a group",
        ),
        (
            r#""BeforeTool": [{"hooks": {"type": "command", "command": "x"}}]"#,
            "a hook, no list",
        ),
        (
            r#""BeforeTool": [{"matcher": 5, "hooks": [{"type": "command", "command": "x"}]}]"#,
            "matcher",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"command": "x"}]}]"#,
            "no type",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "cmd", "command": "x"}]}]"#,
            "another type",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "command", "comand": "x"}]}]"#,
            "no command",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "command", "command": "x", "dialect": "no"}]}]"#,
            "dialect",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "command", "command": "x", "mode": 1}]}]"#,
            "mode",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "command", "command": "x", "env": {"GEMINI_CWD": "/"}}]}]"#,
            "our variable",
        ),
        (
            r#""BeforeTool": [{"hooks": [{"type": "rule", "rules": [{"when": "true", "then": "rewrite"}]}]}]"#,
            "rule",
        ),
    ] {
        let settings = load_text(format!("{{\"hooks\": {{{wrong}}}}}"));
        let hook = settings.hooks.iter().find(|hook| hook.broken.is_some());
        let hook = hook.unwrap_or_else(|| panic!("{why}: {:?}", settings.hooks));
        assert_eq!(hook.event, EventName::BeforeTool, "{why}");
        assert!(
            settings
                .problems
                .iter()
                .any(|it| it.severity == Severity::Error),
            "{why}"
        );
    }
}

/// IO-21: a misspelt `onFailure` was meant to refuse.
#[test]
fn a_misspelt_failure_policy_refuses() {
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "a", "onfailure": "deny"}]}]}}"#,
    );
    assert_eq!(told(&settings.problems), ["unknown_field 2:37"]);
    assert_eq!(settings.hooks[0].on_failure, OnFailure::Deny);
}

/// HT-4, HT-10: a command with separate arguments, and a worker, are built.
#[test]
fn programs_without_a_shell_are_read() {
    let settings = load_text(
        r#"{"hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "jq", "args": ["-r", "."]},
{"type": "command", "command": "x", "shell": "sh"},
{"type": "worker", "command": "w", "idle": "2m"}]}]}}"#,
    );
    assert_eq!(told(&settings.problems), [""; 0]);
    assert_eq!(settings.hooks[0].handler.args().map(<[_]>::len), Some(2));
    assert!(settings.hooks.iter().all(|hook| hook.broken.is_none()));
}

/// ST-3, CM-10: for a hook of Claude Code's type `agent`, the equivalent here is named, and that
/// works.
#[test]
fn an_agent_hook_is_told_what_does_its_work() {
    let text = |hook_type: &str| {
        format!(
            r#"{{"hooks": {{"BeforeTool": [{{"hooks": [{{"type": "{hook_type}", "prompt": "Safe?"}}]}}]}}}}"#
        )
    };
    let settings = load_text(text("agent"));
    let [problem] = &settings.problems[..] else {
        panic!("{:?}", settings.problems);
    };
    assert_eq!(problem.suggestion.as_deref(), Some("prompt"));
    assert!(problem.help.contains("\"prompt\"") && problem.help.contains("\"command\""));
    assert!(load_text(text("prompt")).problems.is_empty());
}

/// CM-10, EV-3: the event that people mean by a name that doesn't exist is suggested.
#[test]
fn an_event_that_nobody_has_is_told_with_what_was_meant() {
    for (name, meant) in [
        ("PreTool", "BeforeTool"),
        ("OnToolCall", "BeforeTool"),
        ("before-shell", "BeforeTool"),
        ("beforeShellExecution", "BeforeTool"),
        ("PostTool", "AfterTool"),
        ("onPrompt", "BeforeAgent"),
        ("on_stop", "AfterAgent"),
    ] {
        let text = format!(
            r#"{{"hooks": {{"{name}": [{{"hooks": [{{"type": "command", "command": "exit 2"}}]}}]}}}}"#
        );
        let problems = load_text(&text).problems;
        let found = problems
            .iter()
            .find(|it| it.code == ProblemCode::UnknownEvent);
        let suggestion = found.and_then(|it| it.suggestion.as_deref());
        assert_eq!(suggestion, Some(meant), "{name}");
    }
}
