//! The comments of a new hook about its event (CM-8).

use hookloop_events::EventName;

use super::Template;

/// The description of an event for the author of a hook.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guide {
    /// What the new hook does.
    pub(super) does: &'static str,
    /// When the event fires.
    pub(super) fires: &'static str,
    /// The event's own fields of the input.
    pub(super) reads: &'static [(&'static str, &'static str)],
    /// The possible replies.
    pub(super) answers: &'static [&'static str],
    /// What exit code 2 does.
    pub(super) exit_two: &'static str,
}

const REFUSES: &str = "refuse; standard error says why";
const WARNS: &str = "a warning: this event can't be refused";

const MESSAGE: &str = r#"{"systemMessage": "shown to the user"}"#;

/// Returns what a new hook does.
pub(super) const fn purpose(event: EventName, template: Template) -> &'static str {
    match (event, template) {
        (EventName::BeforeTool, Template::Marker) => {
            "Refuses tool calls that contain a forbidden text, such as DO-NOT-TOUCH"
        }
        _ => of(event).does,
    }
}

/// Returns the description of an event.
pub(super) const fn of(event: EventName) -> Guide {
    match event {
        EventName::SessionStart => SESSION_START,
        EventName::SessionEnd => SESSION_END,
        EventName::BeforeAgent => BEFORE_AGENT,
        EventName::AfterAgent => AFTER_AGENT,
        EventName::BeforeModel => BEFORE_MODEL,
        EventName::BeforeToolSelection => BEFORE_TOOL_SELECTION,
        EventName::AfterModel => AFTER_MODEL,
        EventName::BeforeTool => BEFORE_TOOL,
        EventName::AfterTool => AFTER_TOOL,
        EventName::PreCompress => PRE_COMPRESS,
        EventName::Notification => NOTIFICATION,
    }
}

const SESSION_START: Guide = Guide {
    does: "Tells the agent which git branch it works on",
    fires: "when a session starts, is resumed, or starts again after /clear",
    reads: &[("source", "startup, resume or clear")],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "..."}}"#,
        MESSAGE,
    ],
    exit_two: WARNS,
};

const SESSION_END: Guide = Guide {
    does: "Says goodbye when a session ends",
    fires: "when a session ends; the exit doesn't wait for it",
    reads: &[("reason", "exit, clear, logout, prompt_input_exit or other")],
    answers: &[MESSAGE],
    exit_two: WARNS,
};

const BEFORE_AGENT: Guide = Guide {
    does: "Tells the agent today's date with every prompt",
    fires: "when the user has submitted a prompt, before the agent plans",
    reads: &[("prompt", "what the user wrote")],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "..."}}"#,
        r#"{"decision": "deny", "reason": "..."}   the prompt isn't sent"#,
    ],
    exit_two: REFUSES,
};

const AFTER_AGENT: Guide = Guide {
    does: "Sends the agent back while its answer still contains a TODO",
    fires: "when the agent has given its final answer",
    reads: &[
        ("prompt", "what the user wrote"),
        ("prompt_response", "what the agent answered"),
        (
            "stop_hook_active",
            "true if this answer is a second attempt already",
        ),
    ],
    answers: &[
        r#"{"decision": "deny", "reason": "..."}   the agent tries again"#,
        r#"{"continue": false, "stopReason": "..."}   no further attempt"#,
    ],
    exit_two: REFUSES,
};

const BEFORE_MODEL: Guide = Guide {
    does: "Lowers the temperature of every request",
    fires: "before each request to the model",
    reads: &[("llm_request", "model, messages, config and toolConfig")],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_request": {...}}}   changes these parts"#,
        r#"{"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_response": {...}}}   answers instead"#,
        r#"{"decision": "deny", "reason": "..."}   no request is made"#,
    ],
    exit_two: REFUSES,
};

const BEFORE_TOOL_SELECTION: Guide = Guide {
    does: "Leaves only tools that read while something is to be explained",
    fires: "before the tools of a request are fixed",
    reads: &[("llm_request", "model, messages, config and toolConfig")],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "BeforeToolSelection","#,
        r#"   "toolConfig": {"mode": "AUTO", "allowedFunctionNames": ["read_file"]}}}"#,
    ],
    exit_two: WARNS,
};

const AFTER_MODEL: Guide = Guide {
    does: "Stops an answer that quotes text marked INTERNAL-ONLY",
    fires: "for every chunk of the model's response, before it is shown",
    reads: &[
        ("llm_request", "what was asked"),
        ("llm_response", "this chunk"),
        ("content", "the text of this chunk"),
        ("full_content", "all text of this response so far"),
    ],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "AfterModel", "llm_response": {...}}}   replaces the chunk"#,
        r#"{"decision": "deny", "reason": "..."}   the chunk is discarded, the turn ends"#,
    ],
    exit_two: REFUSES,
};

const BEFORE_TOOL: Guide = Guide {
    does: "Keeps the agent away from .env files",
    fires: "before a tool runs",
    reads: &[
        (
            "tool_name",
            "the tool, such as write_file or run_shell_command",
        ),
        ("tool_input", "its arguments, an object"),
        (
            "mcp_context",
            "the server, if it is a tool of an MCP server",
        ),
    ],
    answers: &[
        r#"{"decision": "deny", "reason": "..."}   the tool doesn't run"#,
        r#"{"decision": "ask", "reason": "..."}    the user is asked"#,
        r#"{"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {...}}}   changes arguments"#,
    ],
    exit_two: REFUSES,
};

const AFTER_TOOL: Guide = Guide {
    does: "Reminds the agent to run the tests after an edit",
    fires: "after a tool has run, even if it failed",
    reads: &[
        ("tool_name", "the tool"),
        ("tool_input", "its arguments, an object"),
        ("tool_response", "llmContent, returnDisplay and error"),
    ],
    answers: &[
        r#"{"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "..."}}"#,
        r#"{"decision": "deny", "reason": "..."}   the agent reads the reason instead of the result"#,
    ],
    exit_two: REFUSES,
};

const PRE_COMPRESS: Guide = Guide {
    does: "Says that the history is being compressed",
    fires: "before the history is compressed; the compression doesn't wait for it",
    reads: &[("trigger", "auto or manual")],
    answers: &[MESSAGE],
    exit_two: WARNS,
};

const NOTIFICATION: Guide = Guide {
    does: "Says what the agent waits for",
    fires: "when the user is about to be asked for permission",
    reads: &[
        ("notification_type", "ToolPermission"),
        ("message", "what is asked"),
        ("details", "the tool, and the command, path or address"),
    ],
    answers: &[MESSAGE],
    exit_two: WARNS,
};

/// Returns the fields of an event's payload, one per line.
pub(super) fn fields(event: EventName) -> Vec<String> {
    let guide = of(event);
    let mut lines = Vec::new();
    let common = ("cwd, session_id, transcript_path, ...", "in every event");
    for (field, meaning) in guide.reads.iter().chain([&common]) {
        lines.push(format!("  {field:<18} {meaning}"));
    }
    lines
}
