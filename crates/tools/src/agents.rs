//! Sub-agents: other agents that the model lets work for it (TO-4).

mod definition;
mod delegate_to_agent;
mod discovery;
mod tool_list;

pub use definition::{AgentProblem, SubAgent};
pub use delegate_to_agent::DelegateToAgent;
pub use discovery::{AgentFolders, SubAgents};
pub use tool_list::ToolList;
