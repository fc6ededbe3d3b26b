//! Which hooks another agent runs by itself (BR-12).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, Firing, InstallScope};
use hookloop_dialects::calls_bridge;
use hookloop_engine::Registry;
use hookloop_hook::{Dialect, HookDeclaration, HookType, quoted};
use hookloop_session::Workspace;
use hookloop_settings::SettingsText;
use hookloop_trust::{RealPaths, real_path};
use serde_json::Value;

use crate::files;
use crate::setting::Setting;

/// Leaves out hooks that are for other agents, or that this one runs by itself (BR-12).
pub(crate) fn host_in(registry: &mut Registry, agent: Agent, setting: &Setting<'_>) {
    let own = Own::of(agent, setting);
    registry.host_in(agent.word(), |hook| own.runs(hook));
}

/// What an agent runs by itself.
struct Own {
    agent: Agent,
    /// The files whose hooks it runs, or their folders.
    files: Vec<PathBuf>,
    /// The names and commands of hooks that one of its files switches off.
    off: BTreeSet<String>,
}

impl Own {
    /// Finds the files whose hooks an agent runs by itself: those that it reads, wherever its own
    /// folder is, unless one of them switches hooks off.
    fn of(agent: Agent, setting: &Setting<'_>) -> Self {
        let mut own = Self {
            agent,
            files: Vec::new(),
            off: BTreeSet::new(),
        };
        match agent {
            Agent::ClaudeCode | Agent::Qwen => {
                let known = [setting.files_read(agent), setting.switching_files(agent)].concat();
                if !known.iter().any(|it| may_disable(it)) {
                    own.files = setting.files_read(agent);
                }
            }
            Agent::GeminiCli => {
                let obeyed = obeyed_by_gemini_cli(setting);
                let off: Option<Vec<_>> = obeyed.iter().map(|it| switched_off(it)).collect();
                // If all are off, or that isn't known, none is left to Gemini CLI.
                if let Some(off) = off {
                    own.files = setting.files_read(agent);
                    own.off = off.into_iter().flatten().collect();
                }
            }
            // Every file in the folder of ours.
            Agent::Copilot => {
                let switches = setting.switching_files(agent);
                let claude_code = setting.files_read(Agent::ClaudeCode);
                let known = [switches, claude_code].concat();
                if known.iter().any(|it| may_disable(it)) {
                    return own;
                }
                let ours = setting.files(agent, InstallScope::User).into_iter();
                let folders = ours.filter_map(|it| it.path.parent().map(Path::to_path_buf));
                own.files = folders.collect();
            }
            // Codex runs the hooks that it trusts, which its files don't show.
            _ => {}
        }
        own
    }

    /// Returns whether the agent runs a hook by itself: it is in that agent's own file, was
    /// observed to run there, and nothing switches it off (BR-12).
    fn runs(&self, hook: &HookDeclaration) -> bool {
        let file: &Path = &hook.source.file;
        let is_own = || self.files.iter().any(|it| is_same(it, file));
        match self.agent {
            Agent::GeminiCli => {
                matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli)
                    && hook.handler.hook_type() == Some(HookType::Command)
                    && ![hook.label(), hook.command()]
                        .iter()
                        .any(|it| self.off.contains(*it))
                    && is_own()
            }
            Agent::Copilot => file
                .parent()
                .is_some_and(|folder| self.files.iter().any(|it| is_same(it, folder))),
            _ => is_own(),
        }
    }
}

/// Returns whether a file may switch hooks off, all or some. A file that can't be read may contain
/// anything.
fn may_disable(path: &Path) -> bool {
    let says = |text: &str| text.contains("disableAllHooks") || text.contains("disabledHooks");
    let text = files::read(path);
    text.is_err() || text.is_ok_and(|it| it.is_some_and(|it| says(&it)))
}

/// Returns the files in which Gemini CLI finds what switches hooks off.
pub(crate) fn obeyed_by_gemini_cli(setting: &Setting<'_>) -> Vec<PathBuf> {
    let agent = Agent::GeminiCli;
    let mut obeyed = [setting.files_read(agent), setting.switching_files(agent)].concat();
    let system = setting.environment.system_files();
    obeyed.extend([system.settings, system.defaults]);
    obeyed
}

/// Returns the hooks that a file of Gemini CLI switches off, by name or command; `None` if it may
/// switch off all.
pub(crate) fn switched_off(path: &Path) -> Option<Vec<String>> {
    let Some(text) = files::read(path).ok()? else {
        return Some(Vec::new());
    };
    let settings = SettingsText::new(text).ok()?.to_value().ok()?;
    let says_no = |place: &str| {
        let value = settings.pointer(place);
        value.is_some_and(|it| !matches!(it, Value::Null | Value::Bool(true)))
    };
    let switches = [
        "/hooksConfig/enabled",
        "/hooks/enabled",
        "/tools/enableHooks",
    ];
    if switches.into_iter().any(says_no) {
        return None;
    }
    let mut off = Vec::new();
    for place in ["/hooksConfig/disabled", "/hooks/disabled"] {
        match settings.pointer(place) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) => {
                off.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Some(_) => return None,
        }
    }
    Some(off)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || real_path(one).is_some_and(|it| real_path(other) == Some(it))
}

/// What is known about hooks that an agent may run by itself, looked up when there are any.
pub(crate) struct Hosting<'a> {
    agent: Agent,
    setting: &'a Setting<'a>,
    /// The hooks that may run in this agent, except for the bridge's own entries.
    hooks: Vec<&'a HookDeclaration>,
}

impl<'a> Hosting<'a> {
    pub(crate) fn of(agent: Agent, setting: &'a Setting<'a>, workspace: &'a Workspace) -> Self {
        let is_here = |hook: &&HookDeclaration| {
            let agents = hook.agents.as_ref();
            agents.is_none_or(|it| it.iter().any(|it| it == agent.word()))
                && !calls_bridge(hook.command())
        };
        let running = workspace.vouched.iter().filter(|it| it.may_run());
        Self {
            agent,
            setting,
            hooks: running.map(|it| &*it.hook).filter(is_here).collect(),
        }
    }

    /// Names the hooks of the events that run here although this agent may run hooks in their files
    /// by itself: it isn't known whether it does, so they may run twice (BR-12).
    pub(crate) fn doubled(&self, firings: &[Firing]) -> Vec<String> {
        let Self { agent, setting, .. } = *self;
        // It is known which hooks Gemini CLI runs itself, and it can't run the others.
        if agent == Agent::GeminiCli {
            return Vec::new();
        }
        let scopes = [InstallScope::User, InstallScope::Project];
        let installed = scopes.into_iter().flat_map(|it| setting.files(agent, it));
        let installed = installed.filter(|it| !it.is_own).map(|it| it.path);
        let files = installed.chain(setting.switching_files(agent));
        let mut real = RealPaths::default();
        let theirs: BTreeSet<PathBuf> = files
            .flat_map(|it| [real.of(&it), Some(it)])
            .flatten()
            .collect();
        let is_theirs = |hook: &&&HookDeclaration| {
            let file: &Path = &hook.source.file;
            firings.iter().any(|it| it.event == hook.event)
                && (theirs.contains(file) || real.of(file).is_some_and(|it| theirs.contains(&it)))
        };
        self.report_remaining(is_theirs, |hook| {
            format!(
                "hook {} ({}) may run twice: it is in a file of {}, and also runs through the \
                 bridge, because nothing shows whether the agent runs it, too",
                quoted(hook.label()),
                hook.source,
                agent.name()
            )
        })
    }

    /// Names the hooks whose event this agent doesn't have, so that they never run there (BR-21).
    pub(crate) fn unsupported_hooks(&self) -> Vec<String> {
        let agent = self.agent;
        self.report_remaining(
            |hook| !agent.fires(hook.event),
            |hook| {
                format!(
                    "hook {} ({}) never runs in {}, which has no event for {}",
                    quoted(hook.label()),
                    hook.source,
                    agent.name(),
                    hook.event
                )
            },
        )
    }

    /// Reports the hooks that match and that the agent doesn't run by itself.
    fn report_remaining(
        &self,
        fits: impl FnMut(&&&HookDeclaration) -> bool,
        describe: impl Fn(&HookDeclaration) -> String,
    ) -> Vec<String> {
        let mut hooks = self.hooks.iter().filter(fits).peekable();
        if hooks.peek().is_none() {
            return Vec::new();
        }
        let own = Own::of(self.agent, self.setting);
        hooks
            .filter(|hook| !own.runs(hook))
            .map(|hook| describe(hook))
            .collect()
    }
}
