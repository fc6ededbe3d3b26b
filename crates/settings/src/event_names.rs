//! Names of events that aren't ours, and which of ours are meant by them (EV-3).

use hookloop_dialects::{ForeignEvent, foreign_event};
use hookloop_hook::{Dialect, EventName};

/// Event names of other agents, and ours for them (CM-7).
pub(crate) const FOREIGN_EVENTS: &[(&str, EventName)] = &[
    ("PreToolUse", EventName::BeforeTool),
    ("PostToolUse", EventName::AfterTool),
    ("UserPromptSubmit", EventName::BeforeAgent),
    ("Stop", EventName::AfterAgent),
    ("SubagentStop", EventName::AfterAgent),
    ("PreCompact", EventName::PreCompress),
];

/// Returns the event for which other agents have this name, in any case (EV-3).
#[must_use]
pub fn event_from_foreign_name(name: &str) -> Option<EventName> {
    let mut known = FOREIGN_EVENTS.iter();
    known
        .find(|(foreign, _)| foreign.eq_ignore_ascii_case(name))
        .map(|(_, event)| *event)
}

/// Returns the event of ours that an agent whose events stand for single tools calls by a name
/// (FD-11).
pub(crate) fn event_of_others(name: &str) -> Option<EventName> {
    let dialects = [Dialect::Cursor, Dialect::Copilot, Dialect::Codex];
    dialects
        .into_iter()
        .find_map(|dialect| match foreign_event(dialect, name)? {
            ForeignEvent::Ours(event) => Some(event),
            ForeignEvent::Never(_) => None,
        })
}

/// Returns the event that people mean by a name that no agent has.
pub(crate) fn guessed_event(name: &str) -> Option<EventName> {
    const GUESSED: &[(EventName, &[&str])] = &[
        (
            EventName::BeforeTool,
            &[
                "pretool",
                "ontool",
                "ontoolcall",
                "ontooluse",
                "toolcall",
                "tooluse",
                "pretoolcall",
                "beforecommand",
                "beforeshell",
                "beforebash",
                "beforeexec",
                "precommand",
                "onaction",
                "beforeaction",
                "beforeshellcommand",
            ],
        ),
        (
            EventName::AfterTool,
            &[
                "posttool",
                "posttoolcall",
                "aftercommand",
                "aftershell",
                "afterbash",
                "postcommand",
                "toolresult",
                "afterfileedit",
            ],
        ),
        (
            EventName::BeforeAgent,
            &[
                "onprompt",
                "beforeprompt",
                "promptsubmit",
                "userprompt",
                "preprompt",
                "onuserprompt",
            ],
        ),
        (
            EventName::AfterAgent,
            &[
                "onstop",
                "afterresponse",
                "agentstop",
                "onfinish",
                "afterturn",
                "onresponse",
            ],
        ),
        (
            EventName::SessionStart,
            &["onstart", "onsessionstart", "start", "startup"],
        ),
        (
            EventName::SessionEnd,
            &["onexit", "onsessionend", "exit", "shutdown"],
        ),
    ];
    let plain = |it: &str| {
        it.to_ascii_lowercase()
            .replace(['_', '-', ' ', '.', ':'], "")
    };
    let own = plain(name);
    let mut known = GUESSED.iter();
    known
        .find(|(_, names)| names.contains(&own.as_str()))
        .map(|(event, _)| *event)
}
