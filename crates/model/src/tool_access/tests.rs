use std::sync::Arc;

use super::*;
use crate::function::FunctionDeclaration;

fn request() -> RequestParts {
    let tools = ["read_file", "replace", "mcp__git__log"].map(|name| {
        Arc::new(FunctionDeclaration {
            name: name.to_owned(),
            description: String::new(),
            parameters_json_schema: Value::Null,
        })
    });
    RequestParts {
        tools: tools.into(),
        ..RequestParts::default()
    }
}

fn config(mode: ToolMode, names: Option<&[&str]>) -> ToolConfig {
    ToolConfig {
        mode: Some(mode),
        allowed_function_names: names
            .map(|names| names.iter().map(|&name| name.to_owned()).collect()),
    }
}

fn declared(request: &RequestParts) -> Vec<&str> {
    request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect()
}

/// TS-1: in AUTO with names only those tools are declared, by any of their names.
#[test]
fn auto_with_names_declares_only_those() {
    let mut request = request();
    request.narrow_tool_config(config(ToolMode::Auto, Some(&["edit", "mcp_git_log"])));
    assert_eq!(declared(&request), ["replace", "mcp__git__log"]);
    assert_eq!(
        request.function_calling_config(),
        Some(json!({"mode": "AUTO"}))
    );
    assert!(request.allowed_tools().permits("replace"));
    assert!(!request.allowed_tools().permits("read_file"));
}

/// TS-1: ANY with names leaves the declarations and sends the names.
#[test]
fn any_with_names_sends_the_names() {
    let mut request = request();
    request.narrow_tool_config(config(ToolMode::Any, Some(&["EditTool", "unheard_of"])));
    assert_eq!(declared(&request).len(), 3);
    assert_eq!(
        request.function_calling_config(),
        Some(json!({"mode": "ANY", "allowedFunctionNames": ["replace"]}))
    );
}

/// AG-5: the names are sent sorted, whatever the order of the declarations.
#[test]
fn names_are_sent_sorted() {
    let mut request = request();
    let names = ["replace", "read_file", "mcp__git__log"];
    request.narrow_tool_config(config(ToolMode::Any, Some(&names)));
    let sent = request.function_calling_config().unwrap();
    assert_eq!(
        sent["allowedFunctionNames"],
        json!(["mcp__git__log", "read_file", "replace"])
    );
}

/// TS-2: NONE permits no tool.
#[test]
fn none_permits_nothing() {
    let mut request = request();
    request.narrow_tool_config(config(ToolMode::None, None));
    assert_eq!(request.allowed_tools(), AllowedTools::None);
    assert!(!request.allowed_tools().permits("read_file"));
    assert_eq!(
        request.function_calling_config(),
        Some(json!({"mode": "NONE"}))
    );
}

/// TS-5: a list that matches no tool, or an empty one, permits none.
#[test]
fn a_list_that_fits_nothing_opens_nothing() {
    for names in [&["unheard_of"] as &[&str], &[]] {
        for mode in [ToolMode::Any, ToolMode::Auto] {
            let mut request = request();
            request.narrow_tool_config(config(mode, Some(names)));
            assert!(!request.allowed_tools().permits("read_file"));
            match request.function_calling_config() {
                Some(sent) => assert_eq!(sent, json!({"mode": "NONE"})),
                None => assert!(declared(&request).is_empty()),
            }
        }
    }
}

/// TS-2, AG-4: a later event can't open what an earlier one has closed.
#[test]
fn a_later_choice_only_narrows() {
    let mut forbidden = request();
    forbidden.set_tool_config(config(ToolMode::None, None));
    forbidden.narrow_tool_config(config(ToolMode::Any, Some(&["read_file"])));
    assert_eq!(forbidden.allowed_tools(), AllowedTools::None);

    let mut listed = request();
    listed.set_tool_config(config(ToolMode::Any, Some(&["read_file", "edit"])));
    listed.narrow_tool_config(config(ToolMode::Auto, None));
    assert!(!listed.allowed_tools().permits("mcp__git__log"));
    listed.narrow_tool_config(config(ToolMode::Any, Some(&["replace", "mcp_git_log"])));
    assert_eq!(
        listed.allowed_tools(),
        AllowedTools::Only(vec!["replace".to_owned()])
    );
}

/// TS-5: without a configuration every tool may be called, and nothing is sent.
#[test]
fn without_a_configuration_everything_is_permitted() {
    assert_eq!(request().allowed_tools(), AllowedTools::All);
    assert_eq!(request().function_calling_config(), None);
}
