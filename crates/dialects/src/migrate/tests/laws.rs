//! Laws of migrating, on whatever may be written.

use hookloop_events::tool_name;
use proptest::prelude::*;
use regress::Regex;

use super::*;
use crate::vocabulary::tools_named_by;

fn word() -> impl Strategy<Value = String> {
    let words = [
        "hooks",
        "matcher",
        "type",
        "command",
        "timeout",
        "if",
        "args",
        "PreToolUse",
        "Stop",
        "SessionStart",
        "preToolUse",
        "beforeShellExecution",
        "disableAllHooks",
        "Bash",
        "Edit|Write",
        "Web.*",
        "(",
        "[",
        "compact",
        "mcp__a__b",
        "$CLAUDE_PROJECT_DIR",
        "Bash(git:*)",
        "\u{0}",
        "é",
    ];
    prop_oneof![
        6 => prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Settings that have the shape of settings, with anything in each place.
fn settings() -> impl Strategy<Value = Value> {
    let hook = (word(), word(), anything(), word(), anything()).prop_map(
        |(kind, command, timeout, key, value)| {
            json!({"type": if kind.len() > 5 { "command" } else { &kind }, "command": command,
                "timeout": timeout, key: value})
        },
    );
    let group = (
        word(),
        prop::collection::vec(prop_oneof![4 => hook, 1 => anything()], 0..3),
    )
        .prop_map(|(matcher, hooks)| json!({"matcher": matcher, "hooks": hooks}));
    let group = prop_oneof![5 => group, 1 => anything()];
    prop::collection::vec((word(), prop::collection::vec(group, 0..3)), 0..4).prop_map(|events| {
        let events = events
            .into_iter()
            .map(|(event, groups)| (event, Value::from(groups)));
        json!({"hooks": events.collect::<Map<_, _>>()})
    })
}

fn check(migration: &Migration) -> Result<(), TestCaseError> {
    for item in &migration.items {
        let accepted = matches!(item.result, Converted | Approximated);
        prop_assert_eq!(accepted, item.addition.is_some(), "{:?}", item);
        prop_assert!(
            item.result == Converted || !explanation(item).is_empty(),
            "{:?}",
            item
        );
        prop_assert!(item.source.line > 0 && item.source.column > 0);
        if let Some(addition) = &item.addition {
            prop_assert_eq!(&addition.hook["type"], "command");
            prop_assert!(!addition.hook["command"].as_str().unwrap().trim().is_empty());
            prop_assert_eq!(Some(addition.event), item.event_to);
            // A hook for some tools never becomes one for all.
            let selective = item
                .matcher_from
                .as_deref()
                .is_some_and(|it| !matches!(it.trim(), "" | "*"));
            if selective
                && matches!(
                    item.event_to,
                    Some(EventName::BeforeTool | EventName::AfterTool)
                )
            {
                prop_assert!(addition.matcher.is_some(), "{:?}", item);
            }
        }
    }
    let mut again = migration.clone();
    again.leave_out_present(&migration.hooks());
    prop_assert_eq!(again.additions().count(), 0);
    Ok(())
}

fn check_all(text: &str) -> Result<(), TestCaseError> {
    let json = SourceText {
        path: Path::new("hooks.json"),
        text,
        runs_in: None,
    };
    let toml = SourceText {
        path: Path::new("config.toml"),
        text,
        runs_in: None,
    };
    check(&migrate(
        Agent::ClaudeCode,
        Manner::InDialect,
        &[json, json],
    ))?;
    check(&migrate(Agent::Codex, Manner::InDialect, &[json, toml]))?;
    check(&migrate(Agent::Cursor, Manner::InDialect, &[json]))
}

/// Patterns made of names, parts of names, and syntax of patterns.
fn pattern() -> impl Strategy<Value = String> {
    let parts = vec![
        "Bash",
        "Edit",
        "Write",
        "Read",
        "Web",
        "Task",
        "mcp__",
        "mcp__a__b",
        ".*",
        "|",
        "|",
        "|",
        "^",
        "$",
        "(?:",
        "(",
        "mcp__a__",
        ")",
        "(?!",
        "[A-M]",
        r"\w",
        r"\b",
        "?",
        ", ",
        "_",
    ];
    prop::collection::vec(prop::sample::select(parts), 1..6).prop_map(|parts| parts.concat())
}

fn is_list(matcher: &str) -> bool {
    matcher
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || "_-|, ".contains(it))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// CM-7: whatever a file contains, migrating never panics, and reports what it left out.
    #[test]
    fn every_value_is_survived(value in prop_oneof![anything(), settings()]) {
        check_all(&value.to_string())?;
    }

    /// CM-7: the same for texts that are neither JSON nor TOML.
    #[test]
    fn every_text_is_survived(text in prop_oneof!["\\PC{0,40}", "[\\[\\]{}\",:/*\\\\a0=# \n\r\u{feff}é]{0,40}"]) {
        check_all(&text)?;
    }

    /// CM-7: a matcher matches our tools exactly where it matched theirs.
    #[test]
    fn matchers_fit_the_same_tools(theirs in pattern()) {
        let item = only(group_of("PreToolUse", &json!({"matcher": theirs,
            "hooks": [{"type": "command", "command": "c"}]})));
        // A rule with a pattern for arguments is wider here, which is reported.
        let is_rule = ["pattern for arguments", "so the rule"].iter().any(|it| explanation(&item).contains(it));
        prop_assume!(!is_rule);
        let fits_theirs = |name: &str| if is_list(&theirs) {
            theirs.split(['|', ',']).any(|it| it.trim() == name)
        } else {
            Regex::new(&theirs).is_ok_and(|it| it.find(name).is_some())
        };
        let ours = item.addition.as_ref().map(|it| it.matcher.as_deref().unwrap_or(".*"));
        let ours = ours.map(|it| Regex::new(it).unwrap());
        let tools: Vec<&str> = tools_named_by(hookloop_hook::Dialect::ClaudeCode).iter().flat_map(|(_, ours)| ours.iter().copied()).collect();
        for name in tool_name::built_in().filter(|name| tools.contains(name)) {
            let fitted = tools_named_by(hookloop_hook::Dialect::ClaudeCode).iter().any(|(it, ours)| ours.contains(&name) && fits_theirs(it));
            let fits = ours.as_ref().is_some_and(|it| it.find(name).is_some());
            prop_assert_eq!(fitted, fits, "{} {:?}", name, item);
        }
        for name in ["mcp__a__b", "mcp__server__tool"] {
            let fits = ours.as_ref().is_some_and(|it| it.find(name).is_some());
            if item.result == Converted {
                prop_assert_eq!(fits_theirs(name), fits, "{} {:?}", name, item);
            }
            prop_assert!(fits || ours.is_none() || !fits_theirs(name), "{} {:?}", name, item);
        }
    }
}

/// CM-7: a file that is nested without end is refused, not followed.
#[test]
fn deep_nesting_is_refused() {
    for text in [
        "[".repeat(100_000),
        r#"{"hooks":"#.repeat(50_000),
        "a = [".repeat(1000) + &"[".repeat(100_000),
    ] {
        assert!(check_all(&text).is_ok());
    }
    assert_eq!(results(&claude(&"[\"]\",".repeat(50_000))), [NotPossible]);
}
