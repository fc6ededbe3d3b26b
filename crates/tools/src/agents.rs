//! Sub-agents: other agents to which the model can delegate work (TO-4).

mod definition;
mod discovery;

use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;

pub use definition::AgentProblem;
pub use discovery::{AgentFolders, SubAgents};

use crate::arguments::required_text;
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, SubAgent,
    Subject, Tool, ToolError, schema,
};

/// Delegates a part of the task to a sub-agent (TO-4).
pub struct DelegateToAgent {
    declaration: Declaration,
    agents: Arc<SubAgents>,
}

impl DelegateToAgent {
    /// The tool's name.
    pub const NAME: &'static str = "delegate_to_agent";

    /// Creates the tool for the agents of a session.
    pub fn new(agents: Arc<SubAgents>) -> Self {
        let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let parameters = json!({
            "type": "object",
            "properties": {
                "agent_name": {
                    "type": "string",
                    "enum": names,
                    "description": "The agent's name.",
                },
                "objective": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What the agent should do, with everything that it needs to \
                        know: it sees nothing of this conversation.",
                },
            },
            "required": ["agent_name", "objective"],
        });
        Self {
            declaration: Declaration {
                name: Self::NAME.to_owned(),
                description: description(&agents),
                parameters,
                access: Access::Delegate,
            },
            agents,
        }
    }

    fn find(&self, arguments: &Arguments) -> Result<&SubAgent, ToolError> {
        let name = required_text(arguments, "agent_name")?;
        self.agents.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.agents.iter().map(|it| it.name.as_str()).collect();
            let known = names.join(", ");
            ToolError::invalid(format!(
                "Agent \"{name}\" not found; the agents are: {known}"
            ))
        })
    }
}

fn description(agents: &SubAgents) -> String {
    let mut text = String::from(
        "Lets another agent do part of the work, in a conversation of its own, and returns its \
         final message. The agents are:\n",
    );
    for agent in agents.iter() {
        let words = agent.description.split_whitespace();
        let line = words.collect::<Vec<_>>().join(" ");
        append(&mut text, format_args!("- {}: {line}\n", agent.name));
    }
    text
}

impl Tool for DelegateToAgent {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        // An unknown name gets its own message, before the schema check.
        self.find(arguments)?;
        schema::check(&self.declaration.parameters, arguments)?;
        if required_text(arguments, "objective")?.trim().is_empty() {
            return Err(ToolError::invalid("params/objective must contain text"));
        }
        Ok(())
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let name = required_text(arguments, "agent_name").unwrap_or_default();
        let objective = required_text(arguments, "objective").unwrap_or_default();
        Preview::new(
            format!("Delegate to the agent {name}"),
            Subject::Info {
                prompt: objective.to_owned(),
                urls: Vec::new(),
            },
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let agent = match self.find(&arguments) {
                Ok(agent) => agent,
                Err(error) => return Output::failed(error),
            };
            let objective = required_text(&arguments, "objective").unwrap_or_default();
            match context.services.delegate(agent, objective).await {
                Ok(text) if text.trim().is_empty() => {
                    Output::new("The agent ended without saying anything.", "No answer")
                }
                Ok(text) => Output::new(text.clone(), text),
                Err(error) => Output::failed(error),
            }
        })
    }
}
