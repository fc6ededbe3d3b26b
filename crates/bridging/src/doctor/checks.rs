//! The checks, one after another.

use hookloop_hook::quoted;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hookloop_bridge::Agent;
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::Strictness;
use serde_json::Value;

use super::{CheckedAgent, Finding, claude_code, codex, copilot, droid, kimi, switches};
use crate::program::Program;
use crate::project_variables::SetVariable;
use crate::records::has_called;
use crate::surroundings::{Person, SEARCH_PATH};
use crate::{files, program, project_variables, unawaited};

/// How long the program may take to refuse an invalid payload.
const SELF_TEST: Duration = Duration::from_secs(20);

/// The longest timeout of a hook: the bridge answers then.
const ANSWERED_AFTER: Duration = Duration::from_mins(8);

/// Runs all checks of an agent.
pub(super) fn all(patient: &CheckedAgent<'_>, program: Option<&Program>) -> Vec<Finding> {
    if patient.scopes.is_empty() {
        let word = patient.agent.word();
        return vec![Finding::error(format!(
            "the bridge isn't installed: hookloop bridge install {word}"
        ))];
    }
    let mut findings = entries(patient);
    let environment = patient.setting.environment;
    let program_here = environment.program.as_deref();
    findings.extend(check_link(
        &patient.setting.home,
        program_here,
        patient.agent,
    ));
    findings.push(self_test(patient));
    findings.push(version(patient.agent, program));
    findings.extend(switches::all(patient));
    findings.extend(variables(patient));
    findings.extend(check_other_hooks(patient));
    findings.extend(calls(patient));
    findings.extend(hooks(patient));
    match patient.agent {
        Agent::Codex => findings.extend(codex::trust(patient, program)),
        Agent::ClaudeCode => findings.extend(claude_code::check_files(patient, program)),
        Agent::Kimi => findings.extend(kimi::check_files(patient, program)),
        Agent::Droid => findings.extend(droid::switches(patient)),
        Agent::Copilot => findings.extend(copilot::switches(patient, program)),
        _ => {}
    }
    findings
}

/// The entries exist, as `install` would write them.
fn entries(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let (setting, agent) = (patient.setting, patient.agent);
    let link = files::link(&setting.home);
    let mut findings = Vec::new();
    for scope in &patient.scopes {
        for file in setting.files(agent, *scope) {
            let path = file.path.display();
            let again = format!("hookloop bridge install {}", agent.word());
            let text = match files::read(&file.path) {
                Ok(Some(text)) => text,
                Ok(None) => {
                    findings.push(Finding::error(format!("{path} is gone: {again}")));
                    continue;
                }
                Err(error) => {
                    findings.push(Finding::error(format!("{path} can't be read: {error}")));
                    continue;
                }
            };
            if file.is_program && !files::is_runnable(&file.path) {
                findings.push(Finding::error(format!(
                    "{path} can't be run, so it is never called: {again}"
                )));
                continue;
            }
            if agent.is_called_by_own(&file, &text) {
                findings.push(Finding::warning(format!(
                    "{path} is a script of your own: anything it prints besides the bridge's \
                     answer invalidates that answer"
                )));
            }
            findings.push(match agent.install(&file, Some(&text), &link) {
                Ok(after) if after == text => Finding::good(format!("{path} calls the bridge")),
                Ok(_) => Finding::error(format!(
                    "entries of the bridge in {path} are missing or changed: {again}"
                )),
                Err(error) => Finding::error(format!("{path}: {error}")),
            });
            if agent == Agent::Codex {
                findings.extend(codex::unknown_keys(&file.path, &text));
            }
        }
    }
    if patient.scopes.len() > 1 {
        findings.push(Finding::warning(
            "the bridge is in both the user's and the project's settings: hooks may run twice; \
             uninstall one (--scope)",
        ));
    }
    findings
}

/// The link leads to this program, or is corrected, which is reported: until then, another program
/// may have answered.
fn check_link(home: &Path, program: Option<&Path>, agent: Agent) -> Option<Finding> {
    let link = files::link(home);
    let unchecked = |why: String| {
        let link = link.display();
        Some(Finding::warning(format!(
            "it wasn't checked whether {link} leads to this program: {why}; run `hookloop bridge \
             install {}` with the program that your agents should call",
            agent.word()
        )))
    };
    let Some(program) = program else {
        return unchecked("the system doesn't report where this program is".to_owned());
    };
    let ours = match std::fs::canonicalize(program) {
        Ok(ours) => ours,
        Err(error) => return unchecked(format!("{}: {error}", program.display())),
    };
    let theirs = std::fs::canonicalize(&link).ok();
    if theirs.as_ref() == Some(&ours) {
        return None;
    }
    if let Err(error) = files::keep_link(home, program) {
        let link = link.display();
        return Some(Finding::error(format!("{link} can't be updated: {error}")));
    }
    let (link, ours) = (link.display(), ours.display());
    Some(Finding::warning(match theirs {
        Some(theirs) => format!(
            "{link} led to {}, and now leads to {ours}: your hooks may not have been asked about \
             what your agents did until now",
            theirs.display()
        ),
        None => {
            format!("{link} led to no program, so actions were refused; it now leads to {ours}")
        }
    }))
}

/// The registered program refuses what can't be understood.
fn self_test(patient: &CheckedAgent<'_>) -> Finding {
    let (setting, agent) = (patient.setting, patient.agent);
    let link = files::link(&setting.home);
    let mut events = agent.events().iter();
    let tool = events.find(|(_, moment)| *moment == hookloop_bridge::Moment::BeforeTool);
    let event = tool.map_or("PreToolUse", |(event, _)| event);
    let arguments = ["hooks", "bridge", agent.word(), event];
    let variables = &setting.environment.variables;
    let output = program::run(
        &link,
        &arguments,
        variables,
        &setting.project,
        "this isn't a payload",
        SELF_TEST,
    );
    let Some(reply) = output else {
        return Finding::error(format!("{} can't be run", link.display()));
    };
    let code = reply.status.and_then(|it| it.code());
    if agent.is_refused_by(code, &reply.stdout) {
        Finding::good(format!(
            "{} refuses what it can't understand",
            link.display()
        ))
    } else {
        Finding::error(format!(
            "{} doesn't refuse what it can't understand (it ended with {code:?})",
            link.display()
        ))
    }
}

fn version(agent: Agent, program: Option<&Program>) -> Finding {
    let observed = agent.observed_versions();
    match program.map(|it| it.version.as_deref()) {
        None => Finding::warning(format!(
            "`{}` isn't on the PATH: whether this version obeys isn't known",
            agent.program()
        )),
        Some(None) => Finding::warning(format!("{} doesn't report its version", agent.name())),
        Some(Some(version)) if agent.obeys_nothing(version) => Finding::error(format!(
            "{} {version} obeys no hook at all; install one of {}",
            agent.name(),
            observed.join(", ")
        )),
        Some(Some(version)) if observed.contains(&version) => {
            Finding::good(format!("{} {version} is known to obey", agent.name()))
        }
        Some(Some(version)) => Finding::warning(format!(
            "{} {version} was never tested ({} was)",
            agent.name(),
            if observed.is_empty() {
                "none".to_owned()
            } else {
                observed.join(", ")
            }
        )),
    }
}

/// Variables that files set for everything that the agent runs, and what decides whose guards apply
/// (BR-25).
fn variables(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let (setting, agent) = (patient.setting, patient.agent);
    let mut findings = Vec::new();
    let advice = |set: &SetVariable| {
        let (place, name, agent) = (set.place(), &set.name, agent.name());
        format!(
            "{place} sets {name} for everything that {agent} runs, including your hooks and what \
             calls them: remove it"
        )
    };
    let person = Person::at(&setting.home, agent);
    let of_project =
        project_variables::from_project(agent, setting.environment, person.as_ref().ok());
    let of_person = project_variables::from_person(agent, setting);
    findings.extend(of_project.unclear.into_iter().map(Finding::error));
    findings.extend(of_person.unclear.into_iter().map(Finding::warning));
    for set in of_project.set {
        if set.decides(agent) {
            findings.push(Finding::error(advice(&set)));
        } else if set.name == SEARCH_PATH {
            findings.push(Finding::warning(advice(&set)));
        }
    }
    let own = of_person.set.into_iter();
    let own = own.filter(|it| it.decides(agent));
    findings.extend(own.map(|it| Finding::warning(advice(&it))));
    match person {
        Err(error) => findings.push(Finding::error(error)),
        Ok(person) if !person.is_noted() => findings.push(Finding::warning(format!(
            "the variables that decide whose hooks run weren't recorded when the bridge was \
             installed: hookloop bridge install {}",
            agent.word()
        ))),
        Ok(person) => {
            let restored = person.restore(&mut setting.environment.variables.clone());
            findings.extend(restored.into_iter().map(Finding::warning));
        }
    }
    findings
}

/// Hooks of others that override a refusal.
fn check_other_hooks(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    if patient.agent != Agent::Qwen {
        return Vec::new();
    }
    let setting = patient.setting;
    let mut findings = Vec::new();
    for root in [&setting.home, &setting.project] {
        let path = root.join(".qwen/settings.json");
        // An unreadable file is reported by the check for switched-off hooks.
        let value = switches::settings(&path).unwrap_or_default();
        let groups = value.pointer("/hooks/PreToolUse").and_then(Value::as_array);
        let commands = groups.into_iter().flatten();
        let commands = commands
            .filter_map(|it| it.get("hooks")?.as_array())
            .flatten();
        let is_other = |handler: &&Value| {
            let command = handler.get("command").and_then(Value::as_str);
            !command.is_some_and(hookloop_dialects::calls_bridge)
        };
        if commands.filter(is_other).count() > 0 {
            findings.push(Finding::warning(format!(
                "{} has other PreToolUse hooks: one that answers `allow` outvotes the wrapper if \
                 hookloop itself is gone",
                path.display()
            )));
        }
    }
    findings
}

/// The agent called since the bridge was installed, if it worked since then.
fn calls(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let (setting, agent) = (patient.setting, patient.agent);
    let installed = patient
        .scopes
        .iter()
        .filter_map(|scope| Some(setting.record(agent, *scope)?.at))
        .max()
        .unwrap_or(0);
    if has_called(&setting.state, agent) {
        return vec![Finding::good(
            "the agent has called the bridge since it was installed",
        )];
    }
    let newest = session_folders(agent)
        .iter()
        .filter_map(|folder| newest_in(&setting.home.join(folder), 4))
        .max();
    let since = |at: SystemTime| {
        at.duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |it| it.as_secs())
    };
    // A session that was running when the bridge was installed continues without it.
    match newest.map(since) {
        Some(at) if at > installed + 60 => vec![Finding::error(format!(
            "{} has been used since the bridge was installed, but never called it",
            agent.name()
        ))],
        _ => vec![Finding::good("installed, but not called yet")],
    }
}

/// Where an agent keeps its sessions, in a home folder.
fn session_folders(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode => &[".claude/projects"],
        Agent::Codex => &[".codex/sessions"],
        Agent::Copilot => &[".copilot/session-state"],
        Agent::Qwen => &[".qwen/projects"],
        Agent::Goose => &[".local/share/goose/sessions"],
        Agent::Kimi => &[".kimi-code/sessions"],
        Agent::Droid => &[".factory/sessions"],
        Agent::GeminiCli => &[".gemini/tmp"],
        Agent::Opencode | Agent::Cline | Agent::Cursor => &[],
    }
}

fn newest_in(folder: &Path, depth: usize) -> Option<SystemTime> {
    let depth = depth.checked_sub(1)?;
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let times = entries.filter_map(|entry| {
        let kind = entry.file_type().ok()?;
        if kind.is_dir() {
            newest_in(&entry.path(), depth)
        } else {
            entry.metadata().ok()?.modified().ok()
        }
    });
    times.max()
}

/// Hooks with a longer timeout than they get there.
fn hooks(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let workspace = Workspace::open(patient.setting.environment, &RunOptions::default());
    let mut findings = Vec::new();
    let settings = &workspace.settings;
    // A project may switch off its own hooks.
    let of_others = settings.hooks.iter().filter(|it| !it.is_from_project());
    let off = of_others.filter_map(|it| settings.switches.turned_off_by(it));
    if let Some(source) = off.min_by_key(|it| it.layer) {
        findings.push(Finding::error(format!(
            "{source} disables your hooks, here and in every agent: set `hooksConfig.enabled` to \
             true"
        )));
    }
    let environment = patient.setting.environment;
    let missing = workspace.start_refusals(Strictness::AsConfigured, environment);
    findings.extend(missing.iter().map(|it| {
        let (place, what) = (&it.source, &it.message);
        Finding::warning(format!(
            "{place}: {what}: until this is fixed, every action and prompt is refused"
        ))
    }));
    let all = workspace.vouched.iter().map(|it| &it.hook);
    for hook in all.filter(|it| !hookloop_dialects::calls_bridge(it.command())) {
        if hook.timeout > ANSWERED_AFTER {
            findings.push(Finding::warning(format!(
                "hook {} ({}) may take {} s, but the bridge answers after {} s: what waits for \
                 the hook is refused then",
                quoted(hook.label()),
                hook.source,
                hook.timeout.as_secs(),
                ANSWERED_AFTER.as_secs()
            )));
        }
        if hook
            .agents
            .as_ref()
            .is_none_or(|it| it.iter().any(|it| it == patient.agent.word()))
        {
            let lost = unawaited::losses(patient.agent, hook);
            findings.extend(lost.into_iter().map(Finding::warning));
        }
        let named = patient
            .agent
            .withheld_variables()
            .iter()
            .filter(|name| hook.command().contains(**name));
        for name in named {
            findings.push(Finding::warning(format!(
                "hook {} ({}) uses {name}, which it doesn't get in {}: the variable belongs \
                 to the agent",
                quoted(hook.label()),
                hook.source,
                patient.agent.name()
            )));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    /// BR-3: whether agents call this program is always reported: it is checked, corrected, or
    /// reported as impossible to check.
    #[test]
    fn where_the_link_leads_is_always_said() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let ours = home.join("ours");
        std::fs::write(&ours, "").unwrap();
        let level =
            |program: Option<&Path>| check_link(home, program, Agent::Codex).map(|it| it.level);
        assert_eq!(
            level(None),
            Some(Level::Warning),
            "nobody knows the program"
        );
        let gone = home.join("gone");
        assert_eq!(level(Some(&gone)), Some(Level::Warning), "it is gone");
        assert_eq!(
            level(Some(&ours)),
            Some(Level::Warning),
            "there was no link"
        );
        assert_eq!(level(Some(&ours)), None, "it leads here");
        let link = files::link(home);
        std::fs::remove_file(&link).unwrap();
        std::fs::create_dir(&link).unwrap();
        std::fs::write(link.join("x"), "").unwrap();
        assert_eq!(level(Some(&ours)), Some(Level::Error), "it can't be made");
    }
}
