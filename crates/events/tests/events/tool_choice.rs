//! The choice of tools: TS-1, TS-2, TS-4, AG-5.

use hookloop_events::llm::ToolMode;
use hookloop_events::{BeforeToolSelection, Event, ToolChoice};
use serde_json::{Value, json};

use crate::support::{before_tool_selection, merged};

fn config(mode: Option<&str>, names: Option<&[&str]>) -> Value {
    json!({"hookSpecificOutput": {"toolConfig": {"mode": mode, "allowedFunctionNames": names}}})
}

fn choice(replies: &[Value]) -> ToolChoice {
    merged::<BeforeToolSelection>(&before_tool_selection(), replies).outcome
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// AG-5: `NONE` wins over all, otherwise `ANY`, otherwise `AUTO`; names are the sorted union.
#[test]
fn the_strongest_mode_wins() {
    let auto = config(Some("AUTO"), Some(&["c", "a"]));
    let any = config(Some("ANY"), Some(&["b", "a"]));
    let none = config(Some("NONE"), None);
    assert_eq!(
        choice(std::slice::from_ref(&auto)),
        ToolChoice::Offered(Some(names(&["a", "c"])))
    );
    assert_eq!(
        choice(&[any.clone(), auto.clone()]),
        ToolChoice::Required(Some(names(&["a", "b", "c"])))
    );
    for order in [[&none, &any, &auto], [&auto, &any, &none]] {
        assert_eq!(choice(&order.map(Clone::clone)), ToolChoice::Forbidden);
    }
}

/// AG-5: hooks without a configuration don't count; without any the request is unchanged.
#[test]
fn silent_hooks_do_not_count() {
    assert_eq!(
        choice(&[json!({}), json!({"decision": "deny"})]),
        ToolChoice::Unchanged
    );
    assert_eq!(ToolChoice::Unchanged.tool_config(), None);
    let any = config(Some("ANY"), None);
    assert_eq!(choice(&[json!({}), any]), ToolChoice::Required(None));
}

/// TS-1: a list without a mode is offered, and an empty list offers nothing.
#[test]
fn a_list_alone_is_offered() {
    assert_eq!(
        choice(&[config(None, Some(&["a"]))]),
        ToolChoice::Offered(Some(names(&["a"])))
    );
    assert_eq!(
        choice(&[config(Some("AUTO"), Some(&[]))]),
        ToolChoice::Offered(Some(names(&[])))
    );
}

/// TS-2: a choice is written into the request as its configuration.
#[test]
fn a_choice_is_a_configuration() {
    let config = ToolChoice::Forbidden.tool_config().unwrap();
    assert_eq!(config.mode, Some(ToolMode::None));
    let config = ToolChoice::Required(Some(names(&["a"])))
        .tool_config()
        .unwrap();
    assert_eq!(config.mode, Some(ToolMode::Any));
    assert_eq!(config.allowed_function_names, Some(names(&["a"])));
    let merged = merged::<BeforeToolSelection>(
        &before_tool_selection(),
        &[json!({"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}})],
    );
    assert_eq!(
        merged.summary.changes["toolConfig"],
        json!({"mode": "NONE"})
    );
}

/// TS-4: names separated by commas choose tools; sentences and a stray word don't.
#[test]
fn a_list_of_names_is_read() {
    let read = |text| {
        let config = BeforeToolSelection::decode_plain_text(text)?.tool_config?;
        assert_eq!(config.mode, Some(ToolMode::Any));
        config.allowed_function_names
    };
    assert_eq!(
        read(" glob , own_tool\n"),
        Some(names(&["glob", "own_tool"]))
    );
    assert_eq!(
        read("mcp__git__log,replace"),
        Some(names(&["mcp__git__log", "replace"]))
    );
    assert_eq!(read("EditTool"), Some(names(&["EditTool"])));
    for text in [
        "",
        ",",
        "done",
        "glob,",
        "use glob, please do",
        "{\"a\", b}",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}
