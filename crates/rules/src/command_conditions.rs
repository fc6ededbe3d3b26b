//! Conditions that can be evaluated only for shell commands (HT-26).

use serde_json::json;

use crate::condition::Condition;
use crate::effects::Places;
use crate::facts::{Asks, Call, facts_of};

impl Condition {
    /// Returns whether the condition can't be evaluated for a call of a tool that runs no command.
    /// A rule that refuses, asks or stops then applies.
    pub fn needs_command(&self) -> bool {
        let payload = json!({
            "hook_event_name": "BeforeTool",
            "session_id": "s",
            "cwd": "/work",
            "tool_name": "read_file",
            "tool_input": {"file_path": "notes.txt"},
        });
        let call = Call {
            payload: &payload,
            places: &Places::default(),
            asks: Asks::of([self.text()]),
        };
        self.text().contains("shell") && self.holds(&facts_of(&call)).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-26: a condition that uses the command of a call that has none can't be evaluated; one
    /// that checks the tool first, or whether there is a command, can.
    #[test]
    fn what_only_a_command_answers_is_found() {
        for (text, needs) in [
            ("shell.commands.exists(c, c.program == 'rm')", true),
            (
                "tool.name == 'run_shell_command' && shell.commands.exists(c, c.program == 'rm')",
                false,
            ),
            ("effects.exists(e, e.name == 'deletes')", false),
            ("tool.name == 'write_file'", false),
        ] {
            let condition = Condition::read(text).unwrap();
            assert_eq!(condition.needs_command(), needs, "{text}");
        }
    }
}
