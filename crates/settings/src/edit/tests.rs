mod laws;

use serde_json::{Value, json};

use super::*;
use hookloop_events::EventName;
use hookloop_hook::Grouping;

fn text(content: &str) -> SettingsText {
    SettingsText::new(content).unwrap()
}

fn disabled(content: &str, names: &[&str]) -> String {
    let mut text = text(content);
    let _ = text.disable(names.iter().copied()).unwrap();
    text.as_str().to_owned()
}

fn enabled(content: &str, names: &[&str]) -> String {
    let mut text = text(content);
    let _ = text.enable(names.iter().copied()).unwrap();
    text.as_str().to_owned()
}

fn hook(event: EventName, matcher: Option<&str>, command: &str) -> NewHook {
    let Value::Object(hook) = json!({"type": "command", "command": command}) else {
        panic!("an object")
    };
    NewHook {
        event,
        matcher: matcher.map(str::to_owned),
        grouping: Grouping::Parallel,
        hook,
    }
}

/// ST-10, HT-40: a hook is removed by its name, with its group if it was alone in it; every other
/// byte stays.
#[test]
fn hooks_are_removed_by_name() {
    let before = r#"{
  // mine
  "hooks": {
    "BeforeTool": [
      {"matcher": "a", "hooks": [{"name": "g", "type": "rule"}]},
      {"hooks": [{"name": "g"}, {"name": "other"}]}
    ]
  }
}
"#;
    let mut edited = text(before);
    assert!(edited.remove_hooks("g").unwrap().is_yes());
    let after = edited.as_str();
    assert!(
        after.contains("// mine") && after.contains(r#"{"name": "other"}"#),
        "{after}"
    );
    assert_eq!(
        edited.to_value().unwrap(),
        json!({"hooks": {"BeforeTool": [{"hooks": [{"name": "other"}]}]}})
    );
    assert!(!edited.remove_hooks("g").unwrap().is_yes());
}

/// ST-10, HT-40: an event that contained nothing else is removed with its hook, and so is `hooks`;
/// what was empty before stays.
#[test]
fn what_is_emptied_goes_too() {
    for (before, after) in [
        (
            json!({"a": 1, "hooks": {"BeforeTool": [{"hooks": [{"name": "g"}]}],
                "AfterAgent": [{"hooks": [{"name": "g"}]}, {"matcher": "x", "hooks": [{"name": "g"}]}]}}),
            json!({"a": 1}),
        ),
        (
            json!({"hooks": {"BeforeTool": [{"hooks": [{"name": "g"}]}], "AfterTool": [],
                "AfterAgent": [{"hooks": [{"name": "h"}]}]}}),
            json!({"hooks": {"AfterTool": [], "AfterAgent": [{"hooks": [{"name": "h"}]}]}}),
        ),
    ] {
        for written in [before.to_string(), format!("{before:#}")] {
            let mut edited = text(&written);
            assert!(edited.remove_hooks("g").unwrap().is_yes());
            assert_eq!(edited.to_value().unwrap(), after, "{}", edited.as_str());
        }
    }
}

/// ST-10: what is new is laid out like what is there.
#[test]
fn new_names_are_laid_out_like_the_others() {
    let cases = [
        (
            "",
            "{\n  \"hooksConfig\": {\n    \"disabled\": [\n      \"x\"\n    ]\n  }\n}\n",
        ),
        (
            "{\"a\": 1}",
            "{\"a\": 1, \"hooksConfig\": {\"disabled\": [\"x\"]}}",
        ),
        (
            "{\n\t\"a\": 1\n}\n",
            "{\n\t\"a\": 1,\n\t\"hooksConfig\": {\n\t\t\"disabled\": [\n\t\t\t\"x\"\n\t\t]\n\t}\n}\n",
        ),
        (
            "{\r\n  \"a\": 1, // one\r\n}",
            "{\r\n  \"a\": 1, // one\r\n  \"hooksConfig\": {\r\n    \"disabled\": [\r\n      \"x\"\r\n    ]\r\n  },\r\n}",
        ),
        (
            "{\"hooksConfig\": {\"disabled\": [\"a\" // first\n]}}",
            "{\"hooksConfig\": {\"disabled\": [\"a\", \"x\" // first\n]}}",
        ),
        (
            "{\"hooksConfig\": {\"disabled\": [\n  \"a\" // first\n]}}",
            "{\"hooksConfig\": {\"disabled\": [\n  \"a\", // first\n  \"x\"\n]}}",
        ),
        (
            "{\"hooksConfig\": {\"disabled\": [\n  \"a\", /* first */\n]}}",
            "{\"hooksConfig\": {\"disabled\": [\n  \"a\", /* first */\n  \"x\",\n]}}",
        ),
        (
            "{\n  \"hooksConfig\": {\n    // none yet \n  }\n}",
            "{\n  \"hooksConfig\": {\n    // none yet \n    \"disabled\": [\n      \"x\"\n    ]\n  }\n}",
        ),
        (
            "{\"hooksConfig\": null}",
            "{\"hooksConfig\": {\"disabled\": [\"x\"]}}",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(disabled(before, &["x"]), after, "{before}");
    }
}

/// ST-10: a name is removed with its comma; comments stay, and lines that are left blank are
/// removed.
#[test]
fn removed_names_take_nothing_along() {
    let in_list = |list: &str| format!("{{\"hooksConfig\": {{\"disabled\": {list}}}}}");
    let cases = [
        ("[\"x\"]", "[]"),
        ("[ \"x\" , ]", "[]"),
        ("[\"x\", \"a\"]", "[\"a\"]"),
        ("[\"a\", \"x\"]", "[\"a\"]"),
        ("[\"a\", \"x\",]", "[\"a\",]"),
        ("[\"a\", \"x\", \"x\"]", "[\"a\"]"),
        ("[\n  \"a\",\n  \"x\"\n]", "[\n  \"a\"\n]"),
        ("[\n  \"x\",\n  \"a\"\n]", "[\n  \"a\"\n]"),
        (
            "[\n  \"a\", // a\n  \"x\" // x\n]",
            "[\n  \"a\" // a\n  // x\n]",
        ),
        ("[\n  // only\n  \"x\"\n]", "[\n  // only\n]"),
        ("[\"x\" /* c */, \"a\"]", "[ /* c */ \"a\"]"),
        ("[7, \"x\", null]", "[7, null]"),
    ];
    for (before, after) in cases {
        assert_eq!(
            enabled(&in_list(before), &["x"]),
            in_list(after),
            "{before}"
        );
    }
}

/// ST-7, CM-2: a name counts as disabled in the older list too, and is removed from both.
#[test]
fn the_older_list_is_minded() {
    let both = r#"{"hooks": {"disabled": ["x"]}, "hooksConfig": {"disabled": ["x", "y"]}}"#;
    let neither = r#"{"hooks": {"disabled": []}, "hooksConfig": {"disabled": ["y"]}}"#;
    assert_eq!(enabled(both, &["x"]), neither);
    assert_eq!(text(both).disabled_names().unwrap(), ["x", "y"]);
    let older = r#"{"hooks": {"disabled": ["x"]}}"#;
    assert_eq!(disabled(older, &["x"]), older);
}

/// ST-5, ST-10: of a key that appears twice the last one counts, and is the one that is edited.
#[test]
fn the_last_of_two_keys_is_edited() {
    let before = r#"{"hooksConfig": {"disabled": ["a"]}, "hooksConfig": {"disabled": ["b"]}}"#;
    let after = r#"{"hooksConfig": {"disabled": ["a"]}, "hooksConfig": {"disabled": ["b", "x"]}}"#;
    assert_eq!(disabled(before, &["x"]), after);
}

/// ST-10: a value of the wrong type is never overwritten, but named with its place.
#[test]
fn wrong_types_are_never_overwritten() {
    for before in [
        r#"{"hooksConfig": []}"#,
        r#"{"hooksConfig": {"disabled": "a"}}"#,
        r#"{"hooksConfig": {"disabled": {}}}"#,
    ] {
        let mut text = text(before);
        let fault = text.disable(["x"]).unwrap_err();
        assert!(matches!(fault, EditFault::WrongType { .. }), "{before}");
        assert_eq!(fault.position().line, 1);
        assert_eq!(text.as_str(), before);
    }
    let mut broken_hooks = text(r#"{"hooks": {"BeforeTool": {}}}"#);
    let new = hook(EventName::BeforeTool, None, "c");
    assert!(broken_hooks.add_hook(&new).is_err());
    for broken in ["[]", "{", "// only a comment", "{\"a\": 1]"] {
        assert!(SettingsText::new(broken).is_err(), "{broken}");
    }
}

/// ST-6, ST-8, ST-10: a scalar of `hooksConfig` is set in place.
#[test]
fn scalars_are_set_in_place() {
    let mut text = text("{\n  \"hooksConfig\": {\"enabled\": /* off? */ true, \"x\": 1}\n}");
    assert!(text.set_hooks_config("enabled", false).unwrap().is_yes());
    assert!(!text.set_hooks_config("enabled", false).unwrap().is_yes());
    assert!(text.set_hooks_config("maxRetries", 3).unwrap().is_yes());
    assert_eq!(
        text.as_str(),
        "{\n  \"hooksConfig\": {\"enabled\": /* off? */ false, \"x\": 1, \"maxRetries\": 3}\n}"
    );
}

/// CM-8, ST-10: a hook goes into the group with its matcher, else into a group of its own.
#[test]
fn hooks_join_the_group_of_their_matcher() {
    let before = "{\n  \"hooks\": {\n    \"BeforeTool\": [\n      {\n        \"matcher\": \"glob\",\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"a\"} // first\n        ]\n      }\n    ]\n  }\n}\n";
    let mut text = text(before);
    let joined = text
        .add_hook(&hook(EventName::BeforeTool, Some("glob"), "b"))
        .unwrap();
    let apart = text
        .add_hook(&hook(EventName::BeforeTool, None, "c"))
        .unwrap();
    assert!(joined.is_yes() && apart.is_yes());
    let command = |command: &str| json!({"type": "command", "command": command});
    assert_eq!(
        text.hooks().unwrap()["BeforeTool"],
        json!([
            {"matcher": "glob", "hooks": [command("a"), command("b")]},
            {"hooks": [command("c")]},
        ])
    );
    let mut rest = text.as_str().chars();
    let kept = before
        .chars()
        .all(|letter| rest.any(|other| other == letter));
    assert!(kept, "{}", text.as_str());
    assert!(
        text.as_str()
            .contains("\"a\"}, // first\n          {\n            \"type\"")
    );
}

/// PL-8, ST-10: a hook is never put into a sequential group unless that was requested.
#[test]
fn sequential_groups_stay_apart() {
    let before = r#"{"hooks": {"BeforeTool": [{"sequential": true, "hooks": []}]}}"#;
    let mut parallel = text(before);
    let new = hook(EventName::BeforeTool, None, "c");
    let _ = parallel.add_hook(&new).unwrap();
    let groups = parallel.hooks().unwrap()["BeforeTool"].clone();
    assert_eq!(groups[0], json!({"sequential": true, "hooks": []}));
    assert_eq!(groups[1]["hooks"][0]["command"], "c");
    let mut sequential = text(before);
    let new = NewHook {
        grouping: Grouping::Sequential,
        ..new
    };
    let _ = sequential.add_hook(&new).unwrap();
    assert_eq!(
        sequential.hooks().unwrap()["BeforeTool"],
        json!([{"sequential": true, "hooks": [{"type": "command", "command": "c"}]}])
    );
}
