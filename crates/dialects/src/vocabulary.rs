//! The names of events, tools and subjects: theirs and ours (CM-7).

mod tools;

use hookloop_events::EventName;
use hookloop_hook::Dialect;

use crate::part::Part;

pub(crate) use tools::{COPILOT_ASKING_TOOLS, ToolName, our_names, tools_named_by};

use EventName::{
    AfterAgent, AfterTool, BeforeAgent, BeforeTool, Notification, PreCompress, SessionEnd,
    SessionStart,
};

/// What an event of theirs becomes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// The same moment.
    Same(EventName),
    /// Nearly the same moment; this is the difference.
    Nearly(EventName, &'static str),
    /// There is no such moment, for this reason.
    Nothing(&'static str),
}

/// What the matcher of an event is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject {
    /// The name of a tool.
    Tool,
    /// One of these words; each with ours.
    Words(&'static [(&'static str, &'static [&'static str])]),
    /// Nothing: a matcher has no effect there either.
    Nothing,
    /// Something that isn't known here.
    Untold(&'static str),
    /// The event there is for one kind of tool, which is a matcher here; a matcher there means
    /// something else.
    Fixed(&'static str, &'static str),
}

/// What is known about an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventRule {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    pub(crate) subject: Subject,
    /// Which firings of our event are theirs (FD-11).
    pub(crate) part: Part,
    /// The reason why a script may have to be changed.
    pub(crate) note: Option<&'static str>,
}

impl EventRule {
    const fn part(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// Returns whether its name adds nothing to our event's: all of its firings are meant, in the
    /// words that the dialect uses for them anyway.
    pub(crate) fn says_nothing_more(&self, dialect: Dialect) -> bool {
        self.part == Part::Whole
            && !(dialect == Dialect::Copilot && self.name.starts_with(char::is_uppercase))
            && !self.name.eq_ignore_ascii_case("permissionRequest")
    }

    /// Returns whether nothing changes for a hook that keeps its dialect: only our event's name
    /// differs, and when else it fires.
    pub(crate) fn differs_in_words_alone(&self) -> bool {
        matches!(
            self.target,
            Target::Nearly(_, TYPED | SUBAGENT_STOP | SUBAGENT_START | FAILED_TOOL)
        )
    }
}

const fn rule(
    name: &'static str,
    target: Target,
    subject: Subject,
    note: Option<&'static str>,
) -> EventRule {
    EventRule {
        name,
        target,
        subject,
        part: Part::Whole,
        note,
    }
}

const fn none(name: &'static str, reason: &'static str) -> EventRule {
    rule(name, Target::Nothing(reason), Subject::Nothing, None)
}

const BEFORE_TOOL_NOTE: &str = "a refusal means the same, by exit code 2 and as a reply with \
    \"permissionDecision\"; but \"tool_name\" and the names in \"tool_input\" are ours, so a \
    script that compares with them must be changed";
const AFTER_TOOL_NOTE: &str = "\"tool_name\" and \"tool_response\" in the input are ours; a \
    refusal withholds the tool's result";
const PLAIN_TEXT_NOTE: &str = "plain text on standard output is shown to the user; text for the \
    model must be \"hookSpecificOutput.additionalContext\" in a JSON reply";
const STOP_NOTE: &str =
    "the last message is in \"prompt_response\" instead of \"last_assistant_message\"";

const BEFORE_RULES: &str = "here it fires before each call of a tool, as the first of its hooks do";
const NO_MOMENT: &str = "there is no event for this moment";
const PERMISSION: &str = "here it fires before each call of a tool that does more than read, even \
    if nobody is asked; its refusal counts, but its consent skips no confirmation";
const SUBAGENT_STOP: &str = "AfterAgent fires at the end of every turn, not only of sub-agents'";
const SUBAGENT_START: &str = "sub-agents start as calls of the tool delegate_to_agent, so the \
    input is that of a tool call";
const FAILED_TOOL: &str =
    "AfterTool fires for every call; \"tool_response.error\" says whether it failed";

const SOURCES: Subject = Subject::Words(&[
    ("startup", &["startup"]),
    ("resume", &["resume"]),
    ("clear", &["clear"]),
    ("compact", &[]),
    ("fork", &[]),
]);
const REASONS: Subject = Subject::Words(&[
    ("clear", &["clear"]),
    ("logout", &["logout"]),
    ("prompt_input_exit", &["prompt_input_exit"]),
    ("other", &["exit", "other"]),
    ("resume", &[]),
    ("bypass_permissions_disabled", &[]),
]);
const TRIGGERS: Subject = Subject::Words(&[("auto", &["auto"]), ("manual", &["manual"])]);
const ALERTS: Subject = Subject::Words(&[
    ("permission_prompt", &["ToolPermission"]),
    ("idle_prompt", &[]),
    ("auth_success", &[]),
    ("elicitation_dialog", &[]),
    ("elicitation_complete", &[]),
    ("elicitation_response", &[]),
]);

/// The tools of ours whose calls begin a sub-agent.
const DELEGATING: &[&str] = &["delegate_to_agent"];
const DELEGATES: Part = Part::Tools(DELEGATING);
const SHELL: Part = Part::Tools(&["run_shell_command"]);
const READS: Part = Part::Tools(&["read_file", "read_many_files"]);
const EDITS: Part = Part::Tools(&["write_file", "replace"]);

/// Returns whether a call of a tool of ours begins a sub-agent.
pub fn begins_sub_agent(tool: &str) -> bool {
    DELEGATING.contains(&tool)
}

/// Returns whether an event of theirs comes after the others that are the same event here, and only
/// if those refuse nothing: a sub-agent begins once its call may run, and a shell command is looked
/// at after the call of the tool was (FD-11).
pub fn follows_others(dialect: Dialect, event: &str) -> bool {
    match event {
        "SubagentStart" | "subagentStart" => true,
        "PermissionRequest" => dialect != Dialect::Copilot,
        "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" | "stop" => {
            dialect == Dialect::Cursor
        }
        _ => false,
    }
}

/// The events of Claude Code and the agents that follow it.
const FAMILY_EVENTS: &[EventRule] = &[
    rule(
        "PreToolUse",
        Target::Same(BeforeTool),
        Subject::Tool,
        Some(BEFORE_TOOL_NOTE),
    ),
    rule(
        "PostToolUse",
        Target::Same(AfterTool),
        Subject::Tool,
        Some(AFTER_TOOL_NOTE),
    )
    .part(Part::Succeeded),
    rule(
        "PostToolUseFailure",
        Target::Nearly(AfterTool, FAILED_TOOL),
        Subject::Tool,
        Some(AFTER_TOOL_NOTE),
    )
    .part(Part::Failed),
    rule(
        "UserPromptSubmit",
        Target::Same(BeforeAgent),
        Subject::Nothing,
        Some(PLAIN_TEXT_NOTE),
    ),
    rule(
        "Stop",
        Target::Same(AfterAgent),
        Subject::Nothing,
        Some(STOP_NOTE),
    )
    .part(Part::MainTurn),
    rule(
        "SubagentStop",
        Target::Nearly(AfterAgent, SUBAGENT_STOP),
        Subject::Untold("the kind of sub-agent"),
        None,
    )
    .part(Part::SubAgent),
    rule(
        "SubagentStart",
        Target::Nearly(BeforeTool, SUBAGENT_START),
        Subject::Fixed("^delegate_to_agent$", "the kind of sub-agent"),
        None,
    )
    .part(DELEGATES),
    rule("PreCompact", Target::Same(PreCompress), TRIGGERS, None),
    rule(
        "SessionStart",
        Target::Same(SessionStart),
        SOURCES,
        Some(PLAIN_TEXT_NOTE),
    ),
    rule("SessionEnd", Target::Same(SessionEnd), REASONS, None),
    rule(
        "Notification",
        Target::Same(Notification),
        ALERTS,
        Some("here it fires only for permission prompts of tools"),
    ),
    rule(
        "PermissionRequest",
        Target::Nearly(BeforeTool, PERMISSION),
        Subject::Tool,
        Some(BEFORE_TOOL_NOTE),
    )
    .part(Part::Changing),
    none("PermissionDenied", NO_MOMENT),
    none("PostToolBatch", NO_MOMENT),
    none("UserPromptExpansion", NO_MOMENT),
    none(
        "MessageDisplay",
        "AfterModel gets chunks of the response, not messages",
    ),
    none("StopFailure", NO_MOMENT),
    none("Interrupt", NO_MOMENT),
    none("PostCompact", NO_MOMENT),
    none("Setup", NO_MOMENT),
    none("TaskCreated", NO_MOMENT),
    none("TaskCompleted", NO_MOMENT),
    none("TodoCreated", NO_MOMENT),
    none("TodoCompleted", NO_MOMENT),
    none("SessionDelete", NO_MOMENT),
    none("TeammateIdle", NO_MOMENT),
    none("InstructionsLoaded", NO_MOMENT),
    none("ConfigChange", NO_MOMENT),
    none("CwdChanged", NO_MOMENT),
    none("DirectoryAdded", NO_MOMENT),
    none("FileChanged", NO_MOMENT),
    none("WorktreeCreate", NO_MOMENT),
    none("WorktreeRemove", NO_MOMENT),
    none("Elicitation", NO_MOMENT),
    none("ElicitationResult", NO_MOMENT),
    none("PreModelSwitch", NO_MOMENT),
    none("PostModelSwitch", NO_MOMENT),
];

/// What represents Codex's `notify` program among its events.
pub(crate) const NOTIFY: &str = "notify";

/// The events that only Codex has.
pub(crate) const CODEX_EVENTS: &[EventRule] =
    &[rule(NOTIFY, Target::Same(AfterAgent), Subject::Nothing, None).part(Part::MainTurn)];

const CURSOR_TOOL_NOTE: &str = "a refusal by exit code 2 means the same, but a JSON reply must \
    contain \"decision\" and \"reason\" instead of \"permission\", \"user_message\" and \
    \"agent_message\"; \"tool_name\" is ours";
const TYPED: &str = "the input is that of a tool call: what was at the top level is in \
    \"tool_input\"; a JSON reply must contain \"decision\" and \"reason\"";

/// The events of Cursor.
const CURSOR_EVENTS: &[EventRule] = &[
    rule(
        "sessionStart",
        Target::Same(SessionStart),
        Subject::Nothing,
        Some(
            "context is \"hookSpecificOutput.additionalContext\" instead of \"additional_context\"",
        ),
    ),
    rule(
        "sessionEnd",
        Target::Same(SessionEnd),
        Subject::Nothing,
        None,
    ),
    rule(
        "beforeSubmitPrompt",
        Target::Same(BeforeAgent),
        Subject::Nothing,
        None,
    ),
    rule(
        "preToolUse",
        Target::Same(BeforeTool),
        Subject::Tool,
        Some(CURSOR_TOOL_NOTE),
    ),
    rule(
        "beforeShellExecution",
        Target::Nearly(BeforeTool, TYPED),
        Subject::Fixed("^run_shell_command$", "the text of the command"),
        None,
    )
    .part(SHELL),
    rule(
        "beforeMCPExecution",
        Target::Nearly(BeforeTool, TYPED),
        Subject::Fixed("^mcp__", "the MCP tool"),
        None,
    )
    .part(Part::Mcp),
    rule(
        "beforeReadFile",
        Target::Nearly(BeforeTool, TYPED),
        Subject::Fixed("^(?:read_file|read_many_files)$", "the kind of reading"),
        None,
    )
    .part(READS),
    rule(
        "postToolUse",
        Target::Same(AfterTool),
        Subject::Tool,
        Some(AFTER_TOOL_NOTE),
    )
    .part(Part::Succeeded),
    rule(
        "postToolUseFailure",
        Target::Nearly(AfterTool, FAILED_TOOL),
        Subject::Tool,
        None,
    )
    .part(Part::Failed),
    rule(
        "afterShellExecution",
        Target::Nearly(AfterTool, TYPED),
        Subject::Fixed("^run_shell_command$", "the text of the command"),
        None,
    )
    .part(SHELL),
    rule(
        "afterMCPExecution",
        Target::Nearly(AfterTool, TYPED),
        Subject::Fixed("^mcp__", "the MCP tool"),
        None,
    )
    .part(Part::Mcp),
    rule(
        "afterFileEdit",
        Target::Nearly(AfterTool, TYPED),
        Subject::Fixed("^(?:write_file|replace)$", "the kind of edit"),
        None,
    )
    .part(EDITS),
    rule(
        "stop",
        Target::Same(AfterAgent),
        Subject::Nothing,
        Some(
            "to continue, the reply must say \"decision\": \"deny\" with a \"reason\" instead of \
             \"followup_message\"",
        ),
    )
    .part(Part::MainTurn),
    rule(
        "subagentStart",
        Target::Nearly(BeforeTool, SUBAGENT_START),
        Subject::Fixed("^delegate_to_agent$", "the kind of sub-agent"),
        None,
    )
    .part(DELEGATES),
    rule(
        "subagentStop",
        Target::Nearly(AfterAgent, SUBAGENT_STOP),
        Subject::Untold("the kind of sub-agent"),
        None,
    )
    .part(Part::SubAgent),
    rule("preCompact", Target::Same(PreCompress), TRIGGERS, None),
    rule(
        "afterAgentResponse",
        Target::Nearly(
            AfterAgent,
            "it is reported once, with the complete answer of the turn",
        ),
        Subject::Nothing,
        None,
    )
    .part(Part::MainTurn),
    none("afterAgentThought", NO_MOMENT),
    none("beforeTabFileRead", NO_MOMENT),
    none("afterTabFileEdit", NO_MOMENT),
    none("workspaceOpen", NO_MOMENT),
];

/// The events of Copilot in their own spelling; it knows those of Claude Code, too.
const COPILOT_EVENTS: &[EventRule] = &[
    rule(
        "sessionStart",
        Target::Same(SessionStart),
        Subject::Nothing,
        Some(PLAIN_TEXT_NOTE),
    ),
    rule(
        "sessionEnd",
        Target::Same(SessionEnd),
        Subject::Nothing,
        None,
    ),
    rule(
        "userPromptSubmitted",
        Target::Same(BeforeAgent),
        Subject::Nothing,
        Some(PLAIN_TEXT_NOTE),
    ),
    rule(
        "preToolUse",
        Target::Same(BeforeTool),
        Subject::Tool,
        Some(BEFORE_TOOL_NOTE),
    ),
    rule(
        "postToolUse",
        Target::Same(AfterTool),
        Subject::Tool,
        Some(AFTER_TOOL_NOTE),
    )
    .part(Part::Succeeded),
    rule(
        "postToolUseFailure",
        Target::Nearly(AfterTool, FAILED_TOOL),
        Subject::Tool,
        Some(AFTER_TOOL_NOTE),
    )
    .part(Part::Failed),
    rule(
        "agentStop",
        Target::Same(AfterAgent),
        Subject::Nothing,
        Some(STOP_NOTE),
    )
    .part(Part::MainTurn),
    rule(
        "subagentStart",
        Target::Nearly(BeforeTool, SUBAGENT_START),
        Subject::Fixed("^delegate_to_agent$", "the kind of sub-agent"),
        None,
    )
    .part(DELEGATES),
    rule(
        "subagentStop",
        Target::Nearly(AfterAgent, SUBAGENT_STOP),
        Subject::Untold("the kind of sub-agent"),
        None,
    )
    .part(Part::SubAgent),
    rule("preCompact", Target::Same(PreCompress), TRIGGERS, None),
    rule(
        "notification",
        Target::Same(Notification),
        ALERTS,
        Some("here it fires only for permission prompts of tools"),
    ),
    rule(
        "permissionRequest",
        Target::Nearly(BeforeTool, BEFORE_RULES),
        Subject::Tool,
        Some(BEFORE_TOOL_NOTE),
    ),
    none("userPromptTransformed", NO_MOMENT),
    none("errorOccurred", NO_MOMENT),
    none("ErrorOccurred", NO_MOMENT),
];

/// Returns the events of a dialect, in the order in which they are looked at.
pub(crate) const fn events_of(dialect: Dialect) -> &'static [&'static [EventRule]] {
    match dialect {
        Dialect::Hookloop | Dialect::GeminiCli => &[],
        Dialect::ClaudeCode | Dialect::Qwen => &[FAMILY_EVENTS],
        // Codex's own events come last: a hook that names none means one of the family's.
        Dialect::Codex => &[FAMILY_EVENTS, CODEX_EVENTS],
        Dialect::Cursor => &[CURSOR_EVENTS],
        Dialect::Copilot => &[COPILOT_EVENTS, FAMILY_EVENTS],
    }
}

/// Returns our event at the moment of one of Claude Code's, if the moments are the same or nearly
/// so.
pub(crate) fn claude_event(name: &str) -> Option<EventName> {
    let rule = FAMILY_EVENTS.iter().find(|rule| rule.name == name)?;
    match rule.target {
        Target::Same(event) | Target::Nearly(event, _) => Some(event),
        Target::Nothing(_) => None,
    }
}
