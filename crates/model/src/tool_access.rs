//! Which tools a request lets the model call, and how the model is told (TS-1…5).

use std::collections::BTreeSet;

use hookloop_events::llm::{ToolConfig, ToolMode};
use hookloop_events::tool_name;
use serde_json::{Value, json};

use crate::request::RequestParts;

/// The tools that the model may call in response to a request (TS-2, TS-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedTools {
    /// Every tool.
    All,
    /// These tools, by the names that hooks used.
    Only(Vec<String>),
    /// No tools.
    None,
}

impl AllowedTools {
    /// Returns whether a tool may be called. Hooks may name a tool by any of its names (PL-5).
    pub fn permits(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|name| names_tool(name, tool)),
            Self::None => false,
        }
    }
}

impl RequestParts {
    /// Returns which tools the model may call, to check its response (TS-2, TS-5).
    pub fn allowed_tools(&self) -> AllowedTools {
        match &self.tool_config {
            Some(ToolConfig {
                mode: Some(ToolMode::None),
                ..
            }) => AllowedTools::None,
            Some(ToolConfig {
                allowed_function_names: Some(names),
                ..
            }) if names.is_empty() => AllowedTools::None,
            Some(ToolConfig {
                allowed_function_names: Some(names),
                ..
            }) => AllowedTools::Only(names.clone()),
            _ => AllowedTools::All,
        }
    }

    /// Returns the `functionCallingConfig` to send, if there is one.
    ///
    /// Names are sent only with `ANY`, and only those of declared tools, because the API rejects
    /// others. If none is left, no call can be required, and the mode is `NONE`: a list that
    /// matches no tool must not allow all of them.
    pub fn function_calling_config(&self) -> Option<Value> {
        // The API refuses a configuration for tools that aren't declared.
        let config = self
            .tool_config
            .as_ref()
            .filter(|_| !self.tools.is_empty())?;
        let names = match (self.allowed_tools(), config.mode) {
            (AllowedTools::None, _) => return Some(json!({"mode": ToolMode::None})),
            (_, None | Some(ToolMode::Auto | ToolMode::None)) => {
                return Some(json!({"mode": config.mode?}));
            }
            (AllowedTools::All, Some(ToolMode::Any)) => {
                return Some(json!({"mode": ToolMode::Any}));
            }
            (allowed, Some(ToolMode::Any)) => self
                .tools
                .iter()
                .map(|tool| tool.name.as_str())
                .filter(|name| allowed.permits(name))
                .collect::<BTreeSet<_>>(),
        };
        Some(if names.is_empty() {
            json!({"mode": ToolMode::None})
        } else {
            json!({"mode": ToolMode::Any, "allowedFunctionNames": names})
        })
    }

    /// Sets the tool configuration; in `AUTO` with names only those tools stay declared
    /// (TS-1).
    pub(crate) fn set_tool_config(&mut self, config: ToolConfig) {
        let offered = matches!(config.mode, None | Some(ToolMode::Auto));
        if let (true, Some(names)) = (offered, &config.allowed_function_names) {
            self.tools
                .retain(|tool| names.iter().any(|name| names_tool(name, &tool.name)));
        }
        self.tool_config = Some(config);
    }

    /// Narrows the tool configuration: what is forbidden stays forbidden, whatever a later hook
    /// offers; a list keeps only those of an earlier list that both name.
    pub(crate) fn narrow_tool_config(&mut self, config: ToolConfig) {
        let earlier = self.tool_config.take().unwrap_or_default();
        let mode = match (earlier.mode, config.mode) {
            (Some(ToolMode::None), _) => Some(ToolMode::None),
            (earlier, later) => later.or(earlier),
        };
        let allowed_function_names = match (
            earlier.allowed_function_names,
            config.allowed_function_names,
        ) {
            (Some(earlier), Some(later)) => Some(
                later
                    .into_iter()
                    .filter(|name| earlier.iter().any(|other| same_tool(name, other)))
                    .collect(),
            ),
            (earlier, later) => later.or(earlier),
        };
        self.set_tool_config(ToolConfig {
            mode,
            allowed_function_names,
        });
    }
}

/// Returns whether `name` is a name of the tool whose own name is `tool`.
fn names_tool(name: &str, tool: &str) -> bool {
    same_tool(name, tool) || tool_name::other_names(tool).iter().any(|it| it == name)
}

/// Returns whether two names stand for one tool.
fn same_tool(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    match (tool_name::canonical(left), tool_name::canonical(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => {
            tool_name::other_names(left).iter().any(|it| it == right)
                || tool_name::other_names(right).iter().any(|it| it == left)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
