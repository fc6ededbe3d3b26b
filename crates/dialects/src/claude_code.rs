//! Claude Code: by far the most hooks are written for it. Measured on its build 2.1.330.

mod payload;
mod reply;
mod tools;

use crate::foreign::{ForeignValue, ForeignVariable, Speech};

/// The dialect's parts.
pub(crate) const SPEECH: Speech = Speech {
    tools: tools::TOOLS,
    payload: payload::of,
    reply: reply::heard,
    environment: &[
        ForeignVariable {
            name: "CLAUDECODE",
            value: ForeignValue::Text("1"),
        },
        ForeignVariable {
            name: "CLAUDE_CODE_ENTRYPOINT",
            value: ForeignValue::Text("cli"),
        },
        ForeignVariable {
            name: "CLAUDE_PROJECT_DIR",
            value: ForeignValue::ProjectRoot,
        },
    ],
};
