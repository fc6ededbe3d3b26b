//! The tool `write_todos`.

use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::{Value, json};

use crate::arguments::text;
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError, schema,
};

/// Stores the model's task list (`agent.md` §4). The list is part of the conversation.
pub struct WriteTodos {
    declaration: Declaration,
}

impl Default for WriteTodos {
    fn default() -> Self {
        Self {
            declaration: Declaration {
                name: "write_todos".to_owned(),
                description: "Saves the complete list of tasks of a larger piece of work, and \
                    shows it to the user. At most one task may be in progress. Save the list again \
                    whenever a task changes."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "todos": {
                            "type": "array",
                            "description": "All tasks, including those that are done.",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "description": {
                                        "type": "string",
                                        "minLength": 1,
                                        "description": "What to do.",
                                    },
                                    "status": {
                                        "type": "string",
                                        "enum": [
                                            "pending", "in_progress", "completed", "cancelled",
                                            "blocked",
                                        ],
                                        "description": "Its status.",
                                    },
                                },
                                "required": ["description", "status"],
                            },
                        },
                    },
                    "required": ["todos"],
                }),
                access: Access::Read,
            },
        }
    }
}

impl Tool for WriteTodos {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        let in_progress = todos(arguments).filter(|(_, status)| *status == "in_progress");
        if in_progress.count() > 1 {
            return Err(ToolError::invalid("only one task can be in_progress"));
        }
        Ok(())
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("Write the list of tasks")
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        _context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            if let Err(error) = self.validate(&arguments) {
                return Output::failed(error);
            }
            let mut list = String::new();
            let mut shown = String::new();
            for (index, (description, status)) in todos(&arguments).enumerate() {
                append(
                    &mut list,
                    format_args!("\n{}. [{status}] {description}", index + 1),
                );
                let mark = match status {
                    "completed" => 'x',
                    "in_progress" => '>',
                    "cancelled" => '-',
                    "blocked" => '!',
                    _ => ' ',
                };
                append(&mut shown, format_args!("[{mark}] {description}\n"));
            }
            if list.is_empty() {
                return Output::new("Successfully cleared the todo list.", "No tasks");
            }
            Output::new(
                format!("Successfully updated the todo list. The current list is now:{list}"),
                shown.trim_end(),
            )
        })
    }
}

fn todos(arguments: &Arguments) -> impl Iterator<Item = (&str, &str)> {
    let items = arguments.get("todos").and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .filter_map(|item| Some((text(item, "description")?, text(item, "status")?)))
}
