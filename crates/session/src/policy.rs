//! Which tools run without asking: options, settings and policy files together (TO-6).

use std::path::Path;

use hookloop_agent::{AllowAlways, ApprovalMode, PlanFolder, Policy, Programs, Rule, ToolPattern};
use hookloop_hook::{Enablement, ExtensionScope, Problem, ProblemCode, Source};
use hookloop_settings::{AgentSettings, Extension, Provided, Settings};

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::later::Later;
use crate::options::Options;
use crate::unusable::{DependsOn, UnusableSetting};

/// Returns which tools run without asking, from options, settings and the rules of policy files.
pub(super) fn policy(
    options: &Options,
    settings: &Settings,
    rules: Vec<Rule>,
) -> Result<Policy, SessionError> {
    let tools = &settings.agent.tools;
    let patterns = |names: &[String]| -> Vec<ToolPattern> {
        names
            .iter()
            .map(|name| ToolPattern::from(name.as_str()))
            .collect()
    };
    let each = |names: &[Provided<String>]| -> Vec<ToolPattern> {
        names
            .iter()
            .map(|name| ToolPattern::from(name.value.as_str()))
            .collect()
    };
    let mut allowed = patterns(&options.allowed_tools);
    if let Some(names) = &tools.allowed {
        allowed.extend(patterns(&names.value));
    }
    let mut excluded = each(&tools.exclude);
    excluded.extend(excluded_by_extensions(settings).map(ToolPattern::from));
    Ok(Policy {
        mode: allowed_mode(approval_mode(options, &settings.agent)?, settings)?,
        core: tools.core.as_ref().map(|names| patterns(&names.value)),
        excluded,
        allowed,
        confirmation_required: each(&tools.confirmation_required),
        rules,
        protection: None,
        plans: PlanFolder::default(),
        programs: Programs::default(),
        allow_always: match settings.agent.restrictions.of_allow_always() {
            Some(_) => AllowAlways::Forbidden,
            None => AllowAlways::Offered,
        },
    })
}

/// Returns where programs are found, for permissions by name (HT-31): on the PATH that commands
/// have now, which hooks may have set (FD-14).
pub(super) fn programs(environment: &Environment, later: Later) -> Programs {
    let own = environment
        .variables
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.clone())
        .unwrap_or_default();
    let workspace = environment.current_dir.clone();
    Programs::new(move |program| {
        let path = later.value("PATH");
        let path = path.map_or_else(|| own.clone(), Option::unwrap_or_default);
        std::env::split_paths(&path)
            .find(|folder| !folder.is_absolute() || folder.join(program).is_file())
            .is_some_and(|folder| {
                let real = folder.join(program).canonicalize();
                let links_inside = real.is_ok_and(|real| real.starts_with(&workspace));
                folder.is_absolute() && !folder.starts_with(&workspace) && !links_inside
            })
    })
}

/// Returns the tools that extensions in force exclude (EX-1).
fn excluded_by_extensions(settings: &Settings) -> impl Iterator<Item = &str> {
    let counts = |extension: &&Extension| {
        let origin = &extension.origin;
        let is_ours = origin.scope == ExtensionScope::User || settings.workspace.is_trusted();
        origin.enablement == Enablement::Enabled && is_ours
    };
    let extensions = settings.extensions.iter().filter(counts);
    extensions.flat_map(|extension| extension.exclude_tools.iter().map(String::as_str))
}

/// Refuses the mode that never asks if the settings forbid it (AG-CLI-7).
pub(crate) fn allowed_mode(
    mode: ApprovalMode,
    settings: &Settings,
) -> Result<ApprovalMode, SessionError> {
    let forbidden = settings.agent.restrictions.of_never_asking();
    match forbidden.filter(|_| mode == ApprovalMode::Yolo) {
        Some(setting) => Err(SessionError::Setting(UnusableSetting::new(
            Some(setting.source.clone()),
            DependsOn::Itself,
            format_args!(
                "\"{}\" is true: a session that never asks (--yolo) isn't allowed",
                setting.key
            ),
            "choose another \"general.defaultApprovalMode\"",
        ))),
        None => Ok(mode),
    }
}

fn approval_mode(
    options: &Options,
    settings: &AgentSettings,
) -> Result<ApprovalMode, SessionError> {
    match options.approval_mode {
        Some(mode) => Ok(mode),
        None => configured_mode(settings).map_err(|problem| {
            SessionError::Configuration(format!("{}: {}", problem.source, problem.message))
        }),
    }
}

/// Returns the mode that the settings name, or what is wrong with it: then no session starts that
/// isn't given another one (TO-6, CM-3).
pub(crate) fn configured_mode(settings: &AgentSettings) -> Result<ApprovalMode, Box<Problem>> {
    let Some(setting) = &settings.approval_mode else {
        return Ok(ApprovalMode::Default);
    };
    setting.value.parse().map_err(|error| {
        let source = setting.source.clone();
        Box::new(Problem::new(
            ProblemCode::InvalidValue,
            source.unwrap_or_else(|| Source::of_file(Path::new(""))),
            format!("{error}"),
            "no session starts until it is one of these, or left out",
        ))
    })
}
