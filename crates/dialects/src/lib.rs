//! Translates between other agents' formats and ours. No other code handles their names.
//!
//! Everything here is pure: text and values in, text and values out.
//!
//! ```
//! use std::path::Path;
//!
//! use hookloop_dialects::{Agent, Manner, MigrationResult, SourceText, migrate};
//!
//! let text = r#"{"hooks": {"PreToolUse": [{
//!     "matcher": "Write|Edit",
//!     "hooks": [{"type": "command", "command": "./guard.sh"}]
//! }]}}"#;
//! let file = SourceText {
//!     path: Path::new(".claude/settings.json"),
//!     text,
//!     runs_in: None,
//! };
//! let migration = migrate(Agent::ClaudeCode, Manner::InDialect, &[file]);
//! // The matcher keeps its own words, and the hook reads what it expects.
//! assert_eq!(migration.items[0].result, MigrationResult::Converted);
//! assert_eq!(migration.items[0].event_to.map(|it| it.as_str()), Some("BeforeTool"));
//! ```

mod bridge_entry;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod foreign;
mod foreign_words;
mod gemini_cli;
mod intricate;
mod migrate;
mod older;
mod part;
mod qwen;
mod transcript;
mod translate;
mod vocabulary;

/// The tables of tools and their arguments, used in both directions.
pub mod tools {
    pub use crate::foreign::tools::{
        Argument, Kind, Paths, Shape, ToolRule, argument, renamed, same, to_our_arguments,
        to_their_arguments, tool,
    };
    pub use crate::translate::tools_of;
}

/// Patches as Codex writes them.
pub mod patch {
    pub use crate::codex::patch::{Patched, Unread, embedded, of, read};
}

pub use bridge_entry::calls_bridge;
pub use foreign::{
    AGENT_TRANSCRIPT, BEGUN_AGENT, ForeignValue, ForeignVariable, HookDialect, HookOutput,
    TOOL_DURATION, TranslatedOutput,
};
pub use foreign_words::{
    AbsentField, ForeignWord, absent_field, foreign_words, is_word_of_an_event,
};
pub use migrate::{
    Addition, Agent, Fault, HooksSwitch, Item, Manner, Migration, MigrationResult, NEVER_SET,
    Place, SourceText, Unfit, hooks_switch, is_present, migrate,
};
pub use older::modernise;
pub use transcript::{ForeignTranscript, foreign_transcript, foreign_transcript_of_agent};
pub use translate::{
    Excluding, ForeignEvent, TURN_GOES_ON, UNTOLD, after_async_announcement, are_two_events,
    default_timeout, depends_on_payload, exact_words, excluding, foreign_environment,
    foreign_event, foreign_events, foreign_pattern, foreign_payload, foreign_tool_names, is_due,
    is_notified_only, is_supported, is_whole_event, may_announce_async, project_folder,
    project_variables, refuses_by_failing, supported_dialects, translate_output, unread_condition,
};
pub use vocabulary::{begins_sub_agent, follows_others};
