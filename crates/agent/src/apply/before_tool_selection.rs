//! Applies `BeforeToolSelection` to the model's response. The engine has put the choice into the
//! request; if the model calls another tool anyway, the call is refused (TS-2, TS-5).

use hookloop_model::AllowedTools;
use hookloop_tools::{ErrorKind, ToolError};

/// Refuses a call of a tool that the request didn't offer.
pub(crate) fn apply(allowed: &AllowedTools, tool: &str) -> Result<(), ToolError> {
    if allowed.permits(tool) {
        return Ok(());
    }
    let message = match allowed {
        AllowedTools::Only(names) => format!(
            "Tool \"{tool}\" isn't allowed in answer to this request; allowed: {}",
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        ),
        AllowedTools::All | AllowedTools::None => {
            format!("Tool \"{tool}\" isn't allowed in answer to this request; no tool is")
        }
    };
    Err(ToolError::new(ErrorKind::PolicyViolation, message))
}
