//! The only code that applies the hooks' decisions, with one file for each event that requires it.

pub(crate) mod after_agent;
pub(crate) mod after_model;
pub(crate) mod after_tool;
pub(crate) mod before_agent;
pub(crate) mod before_model;
pub(crate) mod before_tool;
pub(crate) mod before_tool_selection;
pub(crate) mod session_start;
