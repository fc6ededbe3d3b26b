//! Everything that is wrong with the configuration, as `hooks check` reports it (CM-3), and the
//! part that a session reports when it starts (ST-11).

#[cfg(feature = "plugins")]
mod components;
pub(crate) mod disk;
mod missing_parts;
mod rules;
mod startup;
mod sub_agents;

use std::collections::HashSet;

use hookloop_dialects::project_folder;
use hookloop_engine::lint_patterns;
use hookloop_events::EventName;
#[cfg(feature = "http")]
use hookloop_hook::{Handler, Layer};
use hookloop_hook::{HookDeclaration, Problem, ProblemCode, quoted};
use hookloop_lint::{Place, lint_commands};
use hookloop_settings::{Settings, guards_without_on_failure, lint, lint_at_start};
use hookloop_trust::Vouched;

use crate::environment::Environment;
use crate::hook_words::short_label;
use crate::policy_files::PolicyFiles;
use crate::unknown_names::{tools_of_extensions, tools_of_settings};
use crate::unknown_restrictions::{Occasion, of_workspace};
use crate::workspace::Workspace;
use disk::DiskProbe;

/// The most hooks whose commands are looked at when a session begins: with more, one runs `check`.
const MAX_HOOKS_AT_START: usize = 1000;

/// Returns all diagnostics that require only the configuration and the files that it names, in the
/// order in which they are found. Runs nothing (TR-7).
pub fn diagnostics(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
    let settings = &workspace.settings;
    let mut problems = workspace.problems.clone();
    problems.extend(lint(settings));
    problems.extend(command_problems(workspace, environment, &settings.hooks));
    problems.extend(guards_without_on_failure(settings));
    problems.extend(service_problems(settings, environment, &settings.hooks));
    problems.extend(environment.misnamed_system_settings());
    problems.extend(environment.misnamed_home());
    problems.extend(policy_problems(workspace, environment));
    let of_registry = hookloop_engine::lint(workspace.listed(), &settings.host_tools).into_iter();
    // The settings already report that hooks are off.
    problems.extend(of_registry.filter(|it| it.code != ProblemCode::HooksOff));
    problems.extend(workspace.vouched.iter().filter_map(unpinned));
    problems.extend(workspace.gone_hooks());
    problems
}

/// Returns what keeps a session from starting, or is reported by it, about modes and policy files
/// (TO-6).
fn policy_problems(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
    let settings = &workspace.settings;
    let files = PolicyFiles::read(&[], environment, settings, &workspace.project_root);
    let mut problems = files.into_problems();
    problems.extend(tools_of_settings(&settings.agent.tools));
    problems.extend(tools_of_extensions(settings));
    problems.extend(of_workspace(workspace, environment, Occasion::Check));
    problems.extend(startup::of_settings(workspace, environment));
    problems.extend(plan_folder_problem(workspace, environment));
    problems
}

/// Returns why the folder that settings name for plans can't be used: no session starts with it.
fn plan_folder_problem(workspace: &Workspace, environment: &Environment) -> Option<Problem> {
    let setting = workspace.settings.agent.plan_directory.as_ref()?;
    let why = workspace.plans_dir(environment).err()?;
    let message = why.strip_prefix(&setting.place()).unwrap_or(&why);
    let help = "name another folder, or leave it out; no session starts until then";
    let source = setting.source.clone()?;
    Some(Problem::new(
        ProblemCode::InvalidValue,
        source,
        message,
        help,
    ))
}

/// Returns what is wrong with the commands of the hooks that would run.
pub(crate) fn watch_problems(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
    let listed = workspace.listed().list();
    let watching = listed.iter().filter(|it| it.causes.is_empty());
    let hooks = watching.map(|it| &*it.hook).take(MAX_HOOKS_AT_START);
    command_problems(workspace, environment, hooks)
}

/// Returns what is wrong with commands, in words for the start of a session: each names its hook,
/// and of several words of other agents in one hook only the first is named.
pub(crate) fn at_start(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
    let listed = workspace.listed().list();
    let watching = listed.iter().filter(|it| it.causes.is_empty());
    let hooks = watching.map(|it| &*it.hook).take(MAX_HOOKS_AT_START);
    let mut of_settings = lint_at_start(&workspace.settings, hooks);
    of_settings.extend(environment.misnamed_system_settings());
    of_settings.extend(environment.misnamed_home());
    let mut problems = watch_problems(workspace, environment);
    let watching = listed.iter().filter(|it| it.causes.is_empty());
    let hooks = watching.map(|it| &*it.hook).take(MAX_HOOKS_AT_START);
    problems.extend(service_problems(&workspace.settings, environment, hooks));
    name_hooks(workspace, &mut problems);
    problems.extend(of_settings);
    problems
}

/// Names in each problem its hook, and leaves of several of one kind the first.
fn name_hooks(workspace: &Workspace, problems: &mut Vec<Problem>) {
    let mut reported = HashSet::new();
    problems.retain(|it| reported.insert((it.hook_id.clone(), it.code)));
    for problem in problems {
        let id = problem.hook_id.as_ref();
        let hook = id.and_then(|it| workspace.listed().find(it));
        if let Some(hook) = hook.filter(|_| problem.code != ProblemCode::ForeignWords) {
            problem.message = format!("hook {}: {}", quoted(&short_label(hook)), problem.message);
        }
    }
}

/// Returns what a session would report at its start about the hooks of one event, in addition to
/// the problems while loading (CM-11).
pub fn diagnostics_of_event(
    workspace: &Workspace,
    environment: &Environment,
    event: EventName,
) -> Vec<Problem> {
    let settings = &workspace.settings;
    // The hooks of a fired event may not be trusted yet.
    let hooks = settings.hooks.iter().filter(|it| it.event == event);
    let hooks: Vec<&HookDeclaration> = hooks.take(MAX_HOOKS_AT_START).collect();
    let mut problems = command_problems(workspace, environment, hooks.iter().copied());
    name_hooks(workspace, &mut problems);
    problems.extend(lint_at_start(settings, hooks));
    problems.extend(lint_patterns(
        workspace.listed(),
        &workspace.settings.host_tools,
    ));
    problems.retain(|it| it.event == Some(event));
    problems
}

fn command_problems<'h>(
    workspace: &Workspace,
    environment: &Environment,
    hooks: impl IntoIterator<Item = &'h HookDeclaration>,
) -> Vec<Problem> {
    let place = Place {
        root: &workspace.project_root,
        current: &workspace.opening.current_dir,
    };
    let hooks: Vec<&HookDeclaration> = hooks.into_iter().collect();
    let problems = lint_commands(
        &workspace.settings,
        hooks.iter().copied(),
        place,
        &DiskProbe::new(environment, workspace.redaction()),
    );
    let of_rules = rules::diagnostics(workspace, &hooks);
    let of_sub_agents = sub_agents::diagnostics(workspace, environment, &hooks);
    let of_parts = missing_parts::diagnostics(&hooks, missing_parts::of_handler);
    let all = problems.into_iter().chain(of_rules).chain(of_sub_agents);
    let problems: Vec<Problem> = all.chain(of_parts).collect();
    #[cfg(feature = "plugins")]
    let problems = {
        let of_components = components::diagnostics(workspace, environment, &hooks);
        problems.into_iter().chain(of_components).collect()
    };
    problems
}

/// Returns what keeps hooks from calling their services.
#[cfg(feature = "http")]
fn service_problems<'h>(
    settings: &Settings,
    environment: &Environment,
    hooks: impl IntoIterator<Item = &'h HookDeclaration>,
) -> Vec<Problem> {
    let hooks = hooks.into_iter().filter(|it| it.broken.is_none());
    let problems = hooks.filter_map(|hook| {
        unreachable(settings, hook).or_else(|| unsendable(settings, environment, hook))
    });
    problems.collect()
}

/// Returns what keeps hooks from calling their services: in this build, that is their type.
#[cfg(not(feature = "http"))]
fn service_problems<'h>(
    _settings: &Settings,
    _environment: &Environment,
    _hooks: impl IntoIterator<Item = &'h HookDeclaration>,
) -> Vec<Problem> {
    Vec::new()
}

/// Reports a header that can't be sent: it needs a variable that the hook doesn't get (HT-15).
#[cfg(feature = "http")]
fn unsendable(
    settings: &Settings,
    environment: &Environment,
    hook: &HookDeclaration,
) -> Option<Problem> {
    let Handler::Http(request) = &hook.handler else {
        return None;
    };
    let own = |name: &str| {
        let own = hook.env.get(name).cloned();
        own.or_else(|| environment.variable(name))
    };
    let why = hookloop_exec::unsendable_header(request, &own)?;
    let message = format!("{why}, so the hook couldn't start");
    let help = "write the variable's name without \"$\" into \"allowedEnv\", as in \"allowedEnv\": \
                [\"TOKEN\"], and set it where the agent starts";
    let code = ProblemCode::HandlerInvalid;
    let mut problem = settings.problem(code, hook.source.clone(), message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// Reports a hook of a project or an extension whose service nobody allowed (HT-15).
#[cfg(feature = "http")]
fn unreachable(settings: &Settings, hook: &HookDeclaration) -> Option<Problem> {
    let Handler::Http(request) = &hook.handler else {
        return None;
    };
    let allowed = settings.switches.http_allowed.iter();
    let allowed: Vec<String> = allowed.map(|it| it.value.clone()).collect();
    let is_own = matches!(hook.source.layer, Some(Layer::User | Layer::System));
    if is_own || hookloop_exec::is_allowed(&allowed, &request.url) {
        return None;
    }
    let message = format!(
        "hook {} isn't allowed to reach its service",
        quoted(hook.label())
    );
    let help = "add its origin to \"hooksConfig\": {\"http\": {\"allowed\": [\"https://…\"]}} in your own \
                settings; until then, the hook can't start";
    let code = ProblemCode::HandlerInvalid;
    let mut problem = Problem::new(code, hook.source.clone(), message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// Reports a hook that runs files which trust doesn't watch (TR-1).
fn unpinned(vouched: &Vouched) -> Option<Problem> {
    let why = vouched.unpinned().first()?;
    let hook = &vouched.hook;
    let message = format!("hook {} is unpinned: {why}", quoted(hook.label()));
    let help = format!(
        "name the script that it runs by its path from {}, or bear in mind that trust doesn't \
         notice changes of those files",
        project_folder(hook.dialect)
    );
    let place = hook.source_of(hook.places.command);
    let mut problem = Problem::new(ProblemCode::Unpinned, place, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}
