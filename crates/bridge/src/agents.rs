//! A table for each agent, all with the same structure.

pub(crate) mod claude_code;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod droid;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
pub(crate) mod kimi;
pub(crate) mod opencode;
pub(crate) mod qwen;
