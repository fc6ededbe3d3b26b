//! Other agents' names, and their counterparts here (dialects.md, 3.1 to 3.8).

use hookloop_hook::Dialect;

/// What a word means to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The name of an event.
    Event,
    /// The name of a tool.
    Tool,
    /// A field of a hook's input.
    Field,
    /// A field that is at the top there, and inside of `tool_input` here.
    TopField,
    /// A field of a hook's answer.
    Reply,
    /// A variable of the environment.
    Variable,
}

/// A word of another agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) word: &'static str,
    pub(super) kind: Kind,
    pub(super) agent: &'static str,
    pub(super) dialect: Option<Dialect>,
    /// What to write instead, as the end of "write …".
    pub(super) right: &'static str,
    /// Our words: a script that uses one of them is also written for us.
    pub(super) ours: &'static [&'static str],
    /// It is an everyday word, which means nothing by itself.
    pub(super) is_everyday: bool,
}

/// Whose word it is.
#[derive(Clone, Copy)]
struct Speaker {
    agent: &'static str,
    dialect: Option<Dialect>,
}

impl Speaker {
    const fn of(agent: &'static str, dialect: Dialect) -> Self {
        Self {
            agent,
            dialect: Some(dialect),
        }
    }

    /// An agent whose hooks can't be run here.
    const fn without_dialect(agent: &'static str) -> Self {
        Self {
            agent,
            dialect: None,
        }
    }
}

const CLAUDE: Speaker = Speaker::of("Claude Code", Dialect::ClaudeCode);
const CURSOR: Speaker = Speaker::of("Cursor", Dialect::Cursor);
const COPILOT: Speaker = Speaker::of("Copilot", Dialect::Copilot);
const QWEN: Speaker = Speaker::of("Qwen Code", Dialect::Qwen);
const CODEX: Speaker = Speaker::of("Codex", Dialect::Codex);
const WINDSURF: Speaker = Speaker::without_dialect("Windsurf");
const FACTORY: Speaker = Speaker::without_dialect("Factory Droid");

const fn rule(
    kind: Kind,
    speaker: Speaker,
    word: &'static str,
    right: &'static str,
    ours: &'static [&'static str],
) -> Rule {
    Rule {
        word,
        kind,
        agent: speaker.agent,
        dialect: speaker.dialect,
        right,
        ours,
        is_everyday: false,
    }
}

const fn everyday(rule: Rule) -> Rule {
    Rule {
        is_everyday: true,
        ..rule
    }
}

macro_rules! rules {
    ($kind:ident: $($agent:ident $word:literal => $right:literal, [$($ours:literal),*];)*) => {
        &[$(rule(Kind::$kind, $agent, $word, $right, &[$($ours),*]),)*]
    };
}

/// The names of events.
pub(super) const EVENTS: &[Rule] = rules! { Event:
        CLAUDE "PreToolUse" => "\"BeforeTool\"", ["BeforeTool"];
        CLAUDE "PostToolUse" => "\"AfterTool\"", ["AfterTool"];
        CLAUDE "PostToolUseFailure" => "\"AfterTool\"", ["AfterTool"];
        CLAUDE "UserPromptSubmit" => "\"BeforeAgent\"", ["BeforeAgent"];
        CLAUDE "SubagentStop" => "\"AfterAgent\"", ["AfterAgent"];
        CLAUDE "PreCompact" => "\"PreCompress\"", ["PreCompress"];
        CLAUDE "PermissionRequest" => "\"BeforeTool\"", ["BeforeTool", "Notification"];
        CURSOR "beforeShellExecution" => "\"BeforeTool\"", ["BeforeTool"];
        CURSOR "beforeMCPExecution" => "\"BeforeTool\"", ["BeforeTool"];
        CURSOR "beforeReadFile" => "\"BeforeTool\"", ["BeforeTool"];
        CURSOR "afterShellExecution" => "\"AfterTool\"", ["AfterTool"];
        CURSOR "afterMCPExecution" => "\"AfterTool\"", ["AfterTool"];
        CURSOR "afterFileEdit" => "\"AfterTool\"", ["AfterTool"];
        CURSOR "beforeSubmitPrompt" => "\"BeforeAgent\"", ["BeforeAgent"];
        CURSOR "afterAgentResponse" => "\"AfterAgent\"", ["AfterAgent", "AfterModel"];
        COPILOT "preToolUse" => "\"BeforeTool\"", ["BeforeTool"];
        COPILOT "postToolUse" => "\"AfterTool\"", ["AfterTool"];
        COPILOT "userPromptSubmitted" => "\"BeforeAgent\"", ["BeforeAgent"];
        COPILOT "agentStop" => "\"AfterAgent\"", ["AfterAgent"];
        WINDSURF "pre_run_command" => "\"BeforeTool\"", ["BeforeTool"];
        WINDSURF "pre_write_code" => "\"BeforeTool\"", ["BeforeTool"];
        WINDSURF "pre_read_code" => "\"BeforeTool\"", ["BeforeTool"];
        WINDSURF "pre_mcp_tool_use" => "\"BeforeTool\"", ["BeforeTool"];
        WINDSURF "pre_user_prompt" => "\"BeforeAgent\"", ["BeforeAgent"];
        WINDSURF "post_run_command" => "\"AfterTool\"", ["AfterTool"];
        WINDSURF "post_write_code" => "\"AfterTool\"", ["AfterTool"];
};

/// The names of tools.
pub(super) const TOOLS: &[Rule] = &[
    tool(
        CLAUDE,
        "Bash",
        "\"run_shell_command\"",
        &["run_shell_command", "ShellTool"],
    ),
    tool(CLAUDE, "MultiEdit", "\"replace\"", &["replace", "EditTool"]),
    tool(
        CLAUDE,
        "NotebookEdit",
        "\"replace\"",
        &["replace", "EditTool"],
    ),
    tool(
        CLAUDE,
        "WebFetch",
        "\"web_fetch\"",
        &["web_fetch", "WebFetchTool"],
    ),
    tool(
        CLAUDE,
        "WebSearch",
        "\"google_web_search\"",
        &["google_web_search"],
    ),
    tool(CLAUDE, "TodoWrite", "\"write_todos\"", &["write_todos"]),
    tool(
        CODEX,
        "apply_patch",
        "\"replace\" or \"write_file\"",
        &["replace", "write_file"],
    ),
    everyday(tool(
        CLAUDE,
        "Write",
        "\"write_file\"",
        &["write_file", "WriteFileTool"],
    )),
    everyday(tool(
        CLAUDE,
        "Edit",
        "\"replace\"",
        &["replace", "EditTool"],
    )),
    everyday(tool(
        CLAUDE,
        "Read",
        "\"read_file\"",
        &["read_file", "ReadFileTool"],
    )),
    everyday(tool(CLAUDE, "Glob", "\"glob\"", &["glob"])),
    everyday(tool(
        CLAUDE,
        "Grep",
        "\"search_file_content\"",
        &["search_file_content", "grep_search", "GrepTool"],
    )),
    everyday(tool(
        CLAUDE,
        "LS",
        "\"list_directory\"",
        &["list_directory", "LSTool"],
    )),
    everyday(tool(
        CLAUDE,
        "Task",
        "\"delegate_to_agent\"",
        &["delegate_to_agent", "invoke_agent"],
    )),
    everyday(tool(
        CURSOR,
        "Shell",
        "\"run_shell_command\"",
        &["run_shell_command", "ShellTool"],
    )),
    everyday(tool(
        FACTORY,
        "Execute",
        "\"run_shell_command\"",
        &["run_shell_command"],
    )),
];

const fn tool(
    speaker: Speaker,
    word: &'static str,
    right: &'static str,
    ours: &'static [&'static str],
) -> Rule {
    rule(Kind::Tool, speaker, word, right, ours)
}

/// Fields of a hook's input.
pub(super) const FIELDS: &[Rule] = rules! { Field:
    COPILOT "toolName" => "\"tool_name\"", ["tool_name"];
    COPILOT "toolArgs" => "\"tool_input\"", ["tool_input"];
    COPILOT "toolResult" => "\"tool_response\"", ["tool_response"];
    COPILOT "textResultForLlm" => "\"llmContent\"", ["llmContent"];
    COPILOT "transcriptPath" => "\"transcript_path\"", ["transcript_path"];
    CURSOR "conversation_id" => "\"session_id\"", ["session_id"];
    CURSOR "workspace_roots" => "\"cwd\"", ["cwd"];
    CURSOR "tool_output" => "\"tool_response\"", ["tool_response"];
    CLAUDE "last_assistant_message" => "\"prompt_response\"", ["prompt_response"];
    WINDSURF "agent_action_name" => "\"hook_event_name\"", ["hook_event_name"];
    WINDSURF "tool_info" => "\"tool_input\"", ["tool_input"];
    WINDSURF "trajectory_id" => "\"session_id\"", ["session_id"];
};

/// Fields that are at the top there.
pub(super) const TOP_FIELDS: &[Rule] = rules! { TopField:
    CURSOR "command" => "\"command\" of \"tool_input\"", [];
    CURSOR "file_path" => "\"file_path\" of \"tool_input\"", [];
};

/// Fields of a hook's answer.
pub(super) const REPLIES: &[Rule] = rules! { Reply:
    CURSOR "permission" => "\"decision\": \"deny\", with a \"reason\"", ["decision"];
    CURSOR "user_message" => "\"systemMessage\"", ["systemMessage"];
    CURSOR "agent_message" => "\"reason\"", ["reason"];
    CURSOR "userMessage" => "\"systemMessage\"", ["systemMessage"];
    CURSOR "agentMessage" => "\"reason\"", ["reason"];
    CURSOR "followup_message" => "\"decision\": \"deny\" with a \"reason\", at AfterAgent", ["decision"];
    CURSOR "updated_input" => "\"hookSpecificOutput\": {\"tool_input\": …}", ["hookSpecificOutput"];
    CURSOR "updated_mcp_tool_output" => "\"decision\": \"deny\" with a \"reason\"", ["decision"];
    CURSOR "additional_context" => "\"additionalContext\"", ["additionalContext"];
    CLAUDE "updatedToolOutput" => "\"decision\": \"deny\" with a \"reason\"", ["decision"];
    CLAUDE "updatedMCPToolOutput" => "\"decision\": \"deny\" with a \"reason\"", ["decision"];
    COPILOT "modifiedArgs" => "\"hookSpecificOutput\": {\"tool_input\": …}", ["hookSpecificOutput"];
    COPILOT "modifiedResult" => "\"decision\": \"deny\" with a \"reason\"", ["decision"];
    COPILOT "modifiedPrompt" => "\"hookSpecificOutput\": {\"additionalContext\": …}", ["hookSpecificOutput"];
};

/// Variables of the environment.
pub(super) const VARIABLES: &[Rule] = rules! { Variable:
    CLAUDE "CLAUDE_PLUGIN_ROOT" => "\"$GEMINI_PROJECT_DIR\", or \"${extensionPath}\" in an extension", [];
    CLAUDE "CLAUDE_PLUGIN_DATA" => "a folder below \"$HOME\"", [];
    CLAUDE "CLAUDE_ENV_FILE" => "the values in the environment of each command", [];
    CLAUDE "CLAUDE_TOOL_NAME" => "a script that reads \"tool_name\" from standard input", [];
    CLAUDE "CLAUDE_TOOL_INPUT" => "a script that reads \"tool_input\" from standard input", [];
    CLAUDE "CLAUDE_TOOL_OUTPUT" => "a script that reads \"tool_response\" from standard input", [];
    CLAUDE "CLAUDE_FILE_PATHS" => "a script that reads \"tool_input\" from standard input", [];
    CURSOR "CURSOR_PROJECT_DIR" => "\"$GEMINI_PROJECT_DIR\"", ["GEMINI_PROJECT_DIR"];
    CURSOR "CURSOR_TRANSCRIPT_PATH" => "a script that reads \"transcript_path\" from standard input", [];
    QWEN "QWEN_PROJECT_DIR" => "\"$GEMINI_PROJECT_DIR\"", ["GEMINI_PROJECT_DIR"];
    FACTORY "FACTORY_PROJECT_DIR" => "\"$GEMINI_PROJECT_DIR\"", ["GEMINI_PROJECT_DIR"];
    FACTORY "DROID_PROJECT_DIR" => "\"$GEMINI_PROJECT_DIR\"", ["GEMINI_PROJECT_DIR"];
    FACTORY "DROID_PLUGIN_ROOT" => "\"$GEMINI_PROJECT_DIR\"", ["GEMINI_PROJECT_DIR"];
};
