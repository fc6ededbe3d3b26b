//! Which hooks another agent runs by itself (BR-12).

use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, Firing, InstallScope};
use hookloop_dialects::calls_bridge;
use hookloop_engine::Registry;
use hookloop_hook::{Dialect, HookDeclaration, HookType};
use hookloop_session::Workspace;
use hookloop_trust::real_path;

use super::files;
use super::setting::Setting;

/// Leaves hooks out that are for other agents, or that this one runs by itself (BR-12).
pub(super) fn host_in(registry: &mut Registry, agent: Agent, setting: &Setting<'_>) {
    let own = own_files(agent, setting);
    registry.host_in(agent.word(), |hook| runs_itself(agent, hook, &own));
}

/// Returns the files whose hooks an agent runs by itself: those that it reads, wherever its own folder
/// is, unless one of them switches hooks off.
fn own_files(agent: Agent, setting: &Setting<'_>) -> Vec<PathBuf> {
    let files = match agent {
        Agent::ClaudeCode | Agent::Qwen => setting.switching_files(agent),
        Agent::GeminiCli => return setting.switching_files(agent),
        // Every file of the folder in which ours is.
        Agent::Copilot => {
            let ours = setting.files(agent, InstallScope::User).into_iter();
            return ours
                .filter_map(|it| it.path.parent().map(Path::to_path_buf))
                .collect();
        }
        // Codex runs what it was told to trust, which can't be seen in its files.
        _ => return Vec::new(),
    };
    // What can't be read may hold anything.
    let is_off = |path: &PathBuf| {
        let text = files::read(path);
        text.is_err() || text.is_ok_and(|it| it.is_some_and(|it| it.contains("disableAllHooks")))
    };
    if files.iter().any(is_off) {
        return Vec::new();
    }
    files
}

/// Tells whether an agent runs a hook by itself: it stands in that agent's own file, was observed to
/// run there, and nothing switches it off (BR-12).
fn runs_itself(agent: Agent, hook: &HookDeclaration, own: &[PathBuf]) -> bool {
    let file: &Path = &hook.source.file;
    let is_own = || own.iter().any(|it| is_same(it, file));
    match agent {
        Agent::GeminiCli => {
            matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli)
                && hook.handler.hook_type() == Some(HookType::Command)
                && is_own()
        }
        Agent::Copilot => file
            .parent()
            .is_some_and(|folder| own.iter().any(|it| is_same(it, folder))),
        _ => is_own(),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || real_path(one).is_some_and(|it| real_path(other) == Some(it))
}

/// Names the hooks of the events that run here although they stand in files of which this agent may run
/// hooks by itself: whether it does can't be told, so they may run twice (BR-12).
pub(super) fn doubled(
    agent: Agent,
    setting: &Setting<'_>,
    workspace: &Workspace,
    firings: &[Firing],
) -> Vec<String> {
    // What Gemini CLI runs is its law; the rest it can't.
    if agent == Agent::GeminiCli {
        return Vec::new();
    }
    let left = own_files(agent, setting);
    let scopes = [InstallScope::User, InstallScope::Project];
    let installed = scopes.into_iter().flat_map(|it| setting.files(agent, it));
    let installed = installed.filter(|it| !it.is_own).map(|it| it.path);
    let theirs: Vec<PathBuf> = installed.chain(setting.switching_files(agent)).collect();
    let is_doubled = |hook: &&HookDeclaration| {
        let file: &Path = &hook.source.file;
        firings.iter().any(|it| it.event == hook.event)
            && hook
                .agents
                .as_ref()
                .is_none_or(|it| it.iter().any(|it| it == agent.word()))
            && !calls_bridge(hook.command())
            && !runs_itself(agent, hook, &left)
            && theirs.iter().any(|it| is_same(it, file))
    };
    let running = workspace.vouched.iter().filter(|it| it.may_run());
    let hooks = running.map(|it| &*it.hook).filter(is_doubled);
    let told = hooks.map(|hook| {
        format!(
            "hook \"{}\" ({}) may run twice: it stands in a file of {}, and runs through the bridge, since \
             nobody can tell whether the agent runs it, too",
            hook.label(),
            hook.source,
            agent.name()
        )
    });
    told.collect()
}
