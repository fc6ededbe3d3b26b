//! Decides which tools run without asking: the approval mode and the lists in the settings (TO-6).

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::{ToolArguments, tool_name};
use hookloop_shell::Command;
use hookloop_tools::{Access, Declaration, EnterPlanMode, ExitPlanMode, Tool};

use crate::approval_mode::ApprovalMode;
use crate::command_line::{CommandLine, is_of};
use crate::frontend::Audience;
use crate::grants::SessionGrants;
use crate::rules::{Rule, RuleDecision, always_refused, decide, may_allow};

/// The policy's decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It may run.
    Granted,
    /// The user must be asked, even if somebody else has agreed.
    NeedsConfirmation,
    /// No rule grants it, and none requires a confirmation: the user is asked, unless a hook that
    /// may decide for the user consents (FD-21).
    Ungranted,
    /// It must not run; the text is the reason, for the model.
    Refused(String),
}

/// Knows which files the session's guards depend on.
pub trait Protection: Debug + Send + Sync {
    /// Returns what has to happen, in every approval mode, before a call that would change such a
    /// file may run; `None` for all other calls.
    fn permission(&self, tool: &str, arguments: &ToolArguments) -> Option<Permission>;
}

/// Decides about tool calls, independently of hooks.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The approval mode at the start of a session.
    pub mode: ApprovalMode,
    /// The only available tools; `None` makes all tools available (`tools.core`).
    pub core: Option<Vec<ToolPattern>>,
    /// Tools that aren't available (`tools.exclude`).
    pub excluded: Vec<ToolPattern>,
    /// Tools that run without asking (`tools.allowed`, `--allowed-tools`).
    pub allowed: Vec<ToolPattern>,
    /// Tools that always require a confirmation (`tools.confirmationRequired`).
    pub confirmation_required: Vec<ToolPattern>,
    /// The rules of policy files.
    pub rules: Vec<Rule>,
    /// Determines where programs are found.
    pub programs: Programs,
    /// The files that guards depend on; `None` if they aren't protected (TR-8).
    pub protection: Option<Arc<dyn Protection>>,
    /// Where plan mode may write.
    pub plans: PlanFolder,
    /// Whether a person may allow a tool for the rest of a session.
    pub allow_always: AllowAlways,
}

/// Whether a person may allow a tool for the rest of a session (TO-6, AG-CLI-9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AllowAlways {
    /// It is offered.
    #[default]
    Offered,
    /// The settings forbid it: each call is confirmed separately.
    Forbidden,
}

/// Where plan mode may write (TO-6). By default, it may write nowhere.
#[derive(Clone, Default)]
pub struct PlanFolder(Option<Plans>);

#[derive(Clone)]
struct Plans {
    folder: PathBuf,
    is_plan: Arc<IsPlan>,
}

/// Returns whether a file is a plan.
type IsPlan = dyn Fn(&Path) -> bool + Send + Sync;

impl PlanFolder {
    /// Creates it from the folder of plans and a function that returns whether a file is a plan.
    /// The function's path is absolute and resolved.
    pub fn new(folder: PathBuf, is_plan: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Plans {
            folder,
            is_plan: Arc::new(is_plan),
        }))
    }

    /// Returns whether a call writes a plan and nothing else: the tool reports what it writes, and
    /// arguments that it doesn't read itself don't count.
    fn is_written_by(&self, tool: &dyn Tool, arguments: &ToolArguments) -> bool {
        let file = tool.edits().and_then(|it| it.target(arguments).ok());
        self.0
            .as_ref()
            .zip(file)
            .is_some_and(|(plans, file)| (plans.is_plan)(&file))
    }

    fn may_be_written_by(&self, tool: &dyn Tool) -> bool {
        self.writer(tool).is_some()
    }

    /// Returns the folder, for a tool that can write plans.
    fn writer(&self, tool: &dyn Tool) -> Option<&Path> {
        let plans = self.0.as_ref()?;
        tool.edits().map(|_| plans.folder.as_path())
    }
}

impl fmt::Debug for PlanFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PlanFolder").finish_non_exhaustive()
    }
}

/// Where programs are found (HT-31): a permission for a program's name doesn't extend to a file
/// with that name in the workspace.
#[derive(Clone, Default)]
pub struct Programs(Option<Arc<IsTrusted>>);

/// Returns whether a program is trusted to be what its name says.
type IsTrusted = dyn Fn(&str) -> bool + Send + Sync;

impl Programs {
    /// Creates it from a function that returns whether the first program with a name on the `PATH`
    /// is outside the workspace.
    pub fn new(is_outside: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_outside)))
    }

    fn is_trusted(&self, program: &str) -> bool {
        hookloop_shell::is_builtin(program) || self.0.as_ref().is_none_or(|it| it(program))
    }
}

impl fmt::Debug for Programs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Programs").finish_non_exhaustive()
    }
}

/// A tool, or those commands of a tool that begin with a prefix: `name` or `name(prefix)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPattern {
    name: String,
    prefix: Option<String>,
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
    /// Returns the tool's name, without a prefix of commands.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is about a tool, or about some of its commands.
    pub fn names(&self, tool: &str) -> bool {
        self.name == tool || tool_name::other_names(tool).contains(&self.name)
    }

    /// Returns whether it may be about a tool, or about some of its commands. Wildcards count:
    /// that is enough to refuse or to ask.
    pub fn may_mean(&self, tool: &str) -> bool {
        self.names(tool) || tool_name::may_mean(&self.name, tool)
    }

    /// Returns whether some command of the call may match this pattern: enough to refuse or to ask.
    fn touches(&self, tool: &str, line: &CommandLine<'_>) -> bool {
        self.may_mean(tool)
            && self
                .prefix
                .as_deref()
                .is_none_or(|prefix| line.touches(prefix))
    }

    /// Returns whether a command of the call matches this pattern.
    fn covers(&self, tool: &str, command: &Command, line: &str) -> bool {
        let prefix = self.prefix.as_deref();
        self.names(tool) && prefix.is_some_and(|prefix| is_of(command, line, prefix))
    }

    /// Returns whether every call of the tool matches this pattern.
    fn covers_all(&self, tool: &str) -> bool {
        self.prefix.is_none() && self.names(tool)
    }
}

impl Policy {
    /// Returns whether a tool is available to the model.
    pub fn offers(&self, tool: &Declaration) -> bool {
        let excluded = self
            .excluded
            .iter()
            .any(|it| it.prefix.is_none() && it.may_mean(&tool.name));
        let in_core = self
            .core
            .as_ref()
            .is_none_or(|core| core.iter().any(|it| it.names(&tool.name)));
        in_core && !excluded
    }

    /// Decides about a call.
    pub fn permission(&self, tool: &dyn Tool, arguments: &ToolArguments) -> Permission {
        self.permission_in_session(tool, arguments, self.mode, &SessionGrants::default())
    }

    /// Decides about a call, with what the user allowed in this session (TO-6).
    pub(crate) fn permission_in_session(
        &self,
        tool: &dyn Tool,
        arguments: &ToolArguments,
        mode: ApprovalMode,
        grants: &SessionGrants,
    ) -> Permission {
        let needs_person = tool.needs_person(arguments);
        let writes_plan = mode == ApprovalMode::Plan && self.plans.is_written_by(tool, arguments);
        let plan_folder = self.plans.writer(tool);
        let tool = tool.declaration();
        let name = tool.name.as_str();
        let line = &CommandLine::of(arguments);
        let touched = |list: &[ToolPattern]| list.iter().any(|it| it.touches(name, line));
        let is_about_commands =
            |list: &[ToolPattern]| list.iter().any(|it| it.prefix.is_some() && it.names(name));
        if !self.offers(tool) || touched(&self.excluded) {
            return Permission::Refused(format!("Tool \"{name}\" is excluded by the settings"));
        }
        if let Some(core) = &self.core
            && !self.all_covered(core, name, line)
        {
            return Permission::Refused(format!(
                "this call of tool \"{name}\" isn't among those that the settings allow"
            ));
        }
        if mode == ApprovalMode::Plan && !only_reads(tool.access) && !writes_plan {
            return Permission::Refused(more_than_planning(name, plan_folder));
        }
        let ruled = decide(&self.rules, name, arguments, line, mode);
        if ruled.decision == Some(RuleDecision::Deny) {
            return Permission::Refused(format!(
                "Tool execution denied by policy: a rule refuses this call (Tool \"{name}\" not \
                 found among those that it allows)"
            ));
        }
        // A plan always needs confirmation, whatever else was permitted.
        if tool.access == Access::Plan {
            return Permission::NeedsConfirmation;
        }
        // No mode, list, rule or earlier consent permits a call to change files that guards depend
        // on.
        let protection = self.protection.as_ref();
        if let Some(permission) = protection.and_then(|it| it.permission(name, arguments)) {
            return permission;
        }
        if needs_person {
            return Permission::NeedsConfirmation;
        }
        if ruled.decision == Some(RuleDecision::AskUser) && !grants.cover(name, line) {
            return Permission::NeedsConfirmation;
        }
        // Parts of a command that can't be known may be what the lists exclude or ask about.
        let unseen = line.is_blind()
            && (is_about_commands(&self.excluded)
                || is_about_commands(&self.confirmation_required))
            && !grants.cover_call(name, line);
        if unseen || touched(&self.confirmation_required) {
            return Permission::NeedsConfirmation;
        }
        let mut numbers = ruled.allowed.iter().copied();
        let every_command = line.is_permitted(|command, text| {
            numbers.next().unwrap_or_default() && self.is_found(command)
                || self.is_found(command)
                    && self.allowed.iter().any(|it| it.covers(name, command, text))
                || grants.cover_command(name, command, text)
        });
        let granted = self.allowed.iter().any(|it| it.covers_all(name))
            || ruled.allows_tool
            || grants.cover_call(name, line)
            || every_command;
        if granted || writes_plan || grants_access(mode, tool.access) {
            return Permission::Granted;
        }
        Permission::Ungranted
    }

    fn all_covered(&self, list: &[ToolPattern], tool: &str, line: &CommandLine<'_>) -> bool {
        list.iter().any(|it| it.covers_all(tool))
            || line.is_permitted(|command, text| {
                self.is_found(command) && list.iter().any(|it| it.covers(tool, command, text))
            })
    }

    /// Returns whether a program is what its name says, and not a file that a repository contains.
    fn is_found(&self, command: &Command) -> bool {
        self.programs.is_trusted(&command.program)
    }

    /// Returns whether a tool is worth declaring: whether any call of it could run with suitable
    /// arguments (TO-6). If nobody answers, what needs an answer never runs; in plan mode, only
    /// what reads runs.
    pub(crate) fn may_ever_run(
        &self,
        tool: &dyn Tool,
        mode: ApprovalMode,
        ways: WaysToRun<'_>,
    ) -> bool {
        let audience = ways.audience;
        let writes_plans = self.plans.may_be_written_by(tool);
        let tool = tool.declaration();
        let name = tool.name.as_str();
        let is_planning = mode == ApprovalMode::Plan;
        if is_planning && !only_reads(tool.access) && !writes_plans {
            return false;
        }
        let fits = match name {
            // Without a person to ask, plan mode could never be left again.
            EnterPlanMode::NAME => !is_planning && audience == Audience::Present,
            ExitPlanMode::NAME => is_planning,
            _ => true,
        };
        if !fits {
            return false;
        }
        if always_refused(&self.rules, name, mode) {
            return false;
        }
        audience == Audience::Present
            || grants_access(mode, tool.access)
            || is_planning && writes_plans
            || self.allowed.iter().any(|it| it.names(name))
            || may_allow(&self.rules, name, mode)
            || (ways.hooks_consent)(name)
    }
}

/// Returns why plan mode refuses a call; the folder is that of plans, for a tool that could write
/// one.
fn more_than_planning(tool: &str, folder: Option<&Path>) -> String {
    let place = folder.map_or_else(String::new, |folder| {
        let folder = folder.display();
        format!("; the plan goes into a Markdown file below {folder}")
    });
    format!(
        "Tool execution denied by policy: \"{tool}\" does more than read, and the approval mode is \
         \"plan\"{place}"
    )
}

/// Who may consent to a call that nothing grants.
#[derive(Clone, Copy)]
pub(crate) struct WaysToRun<'a> {
    /// Whether a person is there.
    pub(crate) audience: Audience,
    /// Returns whether hooks may consent to calls of a tool (FD-21).
    pub(crate) hooks_consent: &'a dyn Fn(&str) -> bool,
}

/// Returns whether a tool does no more than plan mode allows.
const fn only_reads(access: Access) -> bool {
    matches!(access, Access::Read | Access::Delegate | Access::Plan)
}

/// Returns whether a mode lets tools run without asking.
const fn grants_access(mode: ApprovalMode, access: Access) -> bool {
    matches!(
        (mode, access),
        (_, Access::Read | Access::Delegate | Access::TrustedMcp)
            | (
                ApprovalMode::Yolo,
                Access::Edit | Access::Execute | Access::Web | Access::Mcp
            )
            | (ApprovalMode::AutoEdit, Access::Edit)
    )
}

#[cfg(test)]
pub(crate) mod tests;
