//! Which tools run without asking: the approval mode and the lists of the settings (TO-6).

use hookloop_events::{ToolArguments, tool_name};
use hookloop_tools::{Access, Declaration};

use crate::approval_mode::ApprovalMode;
use crate::command_line::{begins_with, command, commands_of, covers_command};
use crate::grants::SessionGrants;
use crate::rules::{Rule, RuleDecision, decide};

/// Decides about tools, hooks aside.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The mode.
    pub mode: ApprovalMode,
    /// The only tools there are; nothing restricts them without a list (`tools.core`).
    pub core: Option<Vec<ToolPattern>>,
    /// Tools that there are not (`tools.exclude`).
    pub excluded: Vec<ToolPattern>,
    /// Tools that run without asking (`tools.allowed`, `--allowed-tools`).
    pub allowed: Vec<ToolPattern>,
    /// Tools that are always asked about (`tools.confirmationRequired`).
    pub confirmation_required: Vec<ToolPattern>,
    /// The rules of policy files.
    pub rules: Vec<Rule>,
}

/// A tool, or the commands of a tool that begin with some words: `name` or `name(prefix)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPattern {
    name: String,
    prefix: Option<String>,
}

/// What the policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It may run.
    Granted,
    /// The user is to be asked.
    NeedsConfirmation,
    /// It may not run; the text says why, for the model.
    Refused(String),
}

impl From<&str> for ToolPattern {
    fn from(text: &str) -> Self {
        let text = text.trim();
        let split = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let (name, prefix) = match split {
            Some((name, prefix)) => (name, Some(prefix.trim().to_owned())),
            None => (text, None),
        };
        let name = tool_name::canonical(name).unwrap_or(name).to_owned();
        Self { name, prefix }
    }
}

impl ToolPattern {
    fn names(&self, tool: &str) -> bool {
        self.name == tool || tool_name::other_names(tool).contains(&self.name)
    }

    /// Tells whether some part of the call is of this pattern: enough to refuse or to ask.
    fn touches(&self, tool: &str, arguments: &ToolArguments) -> bool {
        self.names(tool)
            && self.prefix.as_deref().is_none_or(|prefix| {
                commands_of(command(arguments)).any(|command| begins_with(command, prefix))
            })
    }

    /// Tells whether the whole call is of this pattern: only then it may be granted.
    fn covers(&self, tool: &str, arguments: &ToolArguments) -> bool {
        self.names(tool)
            && self
                .prefix
                .as_deref()
                .is_none_or(|prefix| covers_command(command(arguments), prefix))
    }
}

impl Policy {
    /// Tells whether a tool exists for the model at all.
    pub fn offers(&self, tool: &Declaration) -> bool {
        let excluded = self
            .excluded
            .iter()
            .any(|it| it.prefix.is_none() && it.names(&tool.name));
        let in_core = self
            .core
            .as_ref()
            .is_none_or(|core| core.iter().any(|it| it.names(&tool.name)));
        in_core && !excluded
    }

    /// Decides about a call.
    pub fn permission(&self, tool: &Declaration, arguments: &ToolArguments) -> Permission {
        self.permission_in_session(tool, arguments, &SessionGrants::default())
    }

    /// Decides about a call, with what the user allowed in this session (TO-6).
    pub(crate) fn permission_in_session(
        &self,
        tool: &Declaration,
        arguments: &ToolArguments,
        grants: &SessionGrants,
    ) -> Permission {
        let name = tool.name.as_str();
        let touched = |list: &[ToolPattern]| list.iter().any(|it| it.touches(name, arguments));
        let covered = |list: &[ToolPattern]| list.iter().any(|it| it.covers(name, arguments));
        if !self.offers(tool) || touched(&self.excluded) {
            return Permission::Refused(format!("Tool \"{name}\" is excluded by the settings"));
        }
        if let Some(core) = &self.core
            && !covered(core)
        {
            return Permission::Refused(format!(
                "this call of tool \"{name}\" is not among those that the settings allow"
            ));
        }
        let only_reads = matches!(tool.access, Access::Read | Access::Delegate);
        if self.mode == ApprovalMode::Plan && !only_reads {
            return Permission::Refused(format!(
                "Tool \"{name}\" does more than read, and the approval mode is plan"
            ));
        }
        let ruled = decide(&self.rules, name, arguments, self.mode);
        if ruled == Some(RuleDecision::Deny) {
            return Permission::Refused(format!("a policy rule refuses this call of \"{name}\""));
        }
        if ruled == Some(RuleDecision::AskUser) && !grants.cover(name, arguments) {
            return Permission::NeedsConfirmation;
        }
        if touched(&self.confirmation_required) {
            return Permission::NeedsConfirmation;
        }
        let granted = ruled == Some(RuleDecision::Allow)
            || covered(&self.allowed)
            || grants.cover(name, arguments);
        if granted || self.grants(tool.access) {
            return Permission::Granted;
        }
        Permission::NeedsConfirmation
    }

    const fn grants(&self, access: Access) -> bool {
        matches!(
            (self.mode, access),
            (_, Access::Read | Access::Delegate | Access::TrustedMcp)
                | (ApprovalMode::Yolo, _)
                | (ApprovalMode::AutoEdit, Access::Edit)
        )
    }
}

#[cfg(test)]
mod tests;
