//! The toolbox and the port.

use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Tool, ToolError,
};
use serde_json::json;

use crate::bench::Bench;

/// A tool from elsewhere.
struct Foreign(Declaration);

impl Foreign {
    fn named(name: &str) -> Arc<Self> {
        Arc::new(Self(Declaration {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object", "required": ["x"]}),
            access: Access::Mcp,
        }))
    }
}

impl Tool for Foreign {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("foreign")
    }

    fn run<'a>(
        &'a self,
        _arguments: Arc<Arguments>,
        _context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async { Output::new("done", "done") })
    }
}

/// PL-5: tools are in a fixed order, independent of when they were added, and answer to their other
/// names.
#[test]
fn the_order_is_fixed_and_other_names_work() {
    let mut bench = Bench::new();
    for name in ["mcp__b__y", "mcp__a__x"] {
        assert!(bench.toolbox.insert(Foreign::named(name)).is_none());
    }
    assert!(bench.toolbox.insert(Foreign::named("mcp__a__x")).is_some());
    let names: Vec<&str> = bench
        .toolbox
        .declarations()
        .map(|declaration| declaration.name.as_str())
        .collect();
    let expected = [
        "read_file",
        "read_many_files",
        "write_file",
        "replace",
        "list_directory",
        "glob",
        "search_file_content",
        "run_shell_command",
        "mcp__a__x",
        "mcp__b__y",
    ];
    assert_eq!(names, expected);
    for (name, own) in [
        ("grep_search", "search_file_content"),
        ("ShellTool", "run_shell_command"),
        ("mcp_a_x", "mcp__a__x"),
        ("glob", "glob"),
    ] {
        let tool = bench.toolbox.get(name).expect("a tool");
        assert_eq!(tool.declaration().name, own);
    }
}

/// LO-3: an unknown tool is an error that names the known ones; tools can be removed.
#[test]
fn an_unknown_tool_is_an_error() {
    let mut bench = Bench::new();
    bench
        .toolbox
        .retain(|declaration| declaration.access.is_read_only());
    assert!(bench.toolbox.remove("glob").is_some());
    let error = bench.toolbox.find("write_file").err().expect("an error");
    assert_eq!(error.kind, ErrorKind::UnknownTool);
    assert_eq!(
        error.message,
        "Tool \"write_file\" not found. Available tools: read_file, read_many_files, \
         list_directory, search_file_content"
    );
}

/// LO-3: the answer to an unknown tool is short, however many tools there are, and names the one
/// that may be meant.
#[test]
fn the_answer_to_an_unknown_tool_is_bounded() {
    let mut bench = Bench::new();
    for number in 0..5_000 {
        bench
            .toolbox
            .insert(Foreign::named(&format!("mcp__many__tool_{number}")));
    }
    bench.toolbox.insert(Foreign::named("mcp__mail__send"));
    let error = bench
        .toolbox
        .find("mcp__mail__sned")
        .err()
        .expect("an error");
    assert!(error.message.contains("Did you mean \"mcp__mail__send\"?"));
    assert!(error.message.len() < 3_000, "{}", error.message.len());
}

/// BT-3: every tool checks its schema; a tool from elsewhere does without doing anything for it.
#[test]
fn every_tool_checks_its_schema() {
    let mut bench = Bench::new();
    bench.toolbox.insert(Foreign::named("mcp__a__x"));
    for declaration in bench.toolbox.declarations() {
        assert_eq!(declaration.parameters["type"], "object");
        let tool = bench.toolbox.get(&declaration.name).expect("a tool");
        let error = tool.validate(&Arguments::new()).expect_err("refused");
        assert_eq!(error.kind, ErrorKind::InvalidParams, "{}", declaration.name);
        assert!(
            error
                .message
                .starts_with("params must have required property")
        );
    }
    let wrong = bench.validate("read_file", json!({"file_path": "a", "limit": "x"}));
    assert_eq!(
        wrong.expect_err("refused").message,
        "params/limit must be integer"
    );
}

/// LO-2: only tools that read may run in parallel.
#[test]
fn access_tells_what_may_run_together() {
    let bench = Bench::new();
    let parallel: Vec<&str> = bench
        .toolbox
        .declarations()
        .filter(|declaration| declaration.access.is_read_only())
        .map(|declaration| declaration.name.as_str())
        .collect();
    assert_eq!(
        parallel,
        [
            "read_file",
            "read_many_files",
            "list_directory",
            "glob",
            "search_file_content"
        ]
    );
}

/// AT-1: hooks read result and error in the documented fields.
#[test]
fn the_response_has_the_documented_fields() {
    assert_eq!(
        Output::new("for the model", "for the user").to_response(),
        json!({"llmContent": "for the model", "returnDisplay": "for the user"})
    );
    let failed = Output::failed(ToolError::new(ErrorKind::FileNotFound, "gone"));
    assert_eq!(
        failed.to_response(),
        json!({
            "llmContent": "Error: gone",
            "returnDisplay": "Error: gone",
            "error": {"message": "gone", "type": "file_not_found"},
        })
    );
}
