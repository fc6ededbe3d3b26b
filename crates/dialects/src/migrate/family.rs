//! The formats of hook settings: events with groups that have a matcher and hooks, as in Claude
//! Code, and events with hooks that each have a matcher, as in Cursor and Copilot.

use hookloop_hook::Grouping;
use serde_json::Value;

use super::Manner;
use super::agent::Agent;
use super::conversion::Source;
use super::handler;
use super::matcher::shorten;
use super::report::Report;
use super::tree::{Member, Node, Shape};

/// The message about a switch that `migrate` finds.
const WERE_OFF: &str = "the hooks of these settings were off; migrating the switch would turn off \
                        your other hooks too: set hooksConfig.enabled to false if that is what you \
                        want";

/// The table of Codex's `config.toml` that says what is on.
const FEATURES: &str = "features";

/// Settings about hooks that have no counterpart, and why.
const SWITCHES: &[(&str, &str)] = &[
    ("disableAllHooks", WERE_OFF),
    (
        "allowManagedHooksOnly",
        "hooks can't be restricted to the administrator's; use hooksConfig.locked in the \
         system's settings to protect those",
    ),
];

/// Reads the settings of a file.
pub(super) fn read_settings(report: &mut Report, agent: Agent, root: &Node) {
    let Some(members) = root.every_member() else {
        report.unreadable(root.offset, "the file doesn't contain an object");
        return;
    };
    for member in root.repeated_members() {
        if member.key == "hooks" {
            report.report_repeated(member, &shorten(&member.key));
        }
    }
    read_environment(report, agent, root);
    let off = switch_off(agent, root);
    let is_off = off.is_some();
    for member in members {
        let switch = SWITCHES.iter().find(|(key, _)| *key == member.key);
        match (member.key.as_str(), switch) {
            ("hooks", _) if is_off && report.manner.stays() => {}
            ("hooks", _) => read_hooks(report, agent, &member.value),
            ("notify", _) if agent == Agent::Codex => handler::convert_notify(report, member),
            (key, _) if off.is_some_and(|(name, _)| name == key) && report.manner.stays() => {
                report.report_disabled(member.offset, off.map_or("", |(_, message)| message));
            }
            (FEATURES, _) if is_off => report.switch(
                member.offset,
                format!("\"hooks\" in [{FEATURES}]: {WERE_OFF}"),
            ),
            (key, _) if report.manner.stays() && agent.event(key).is_some() => {
                report.switch(
                    member.offset,
                    format!("\"{key}\" is outside \"hooks\", where nothing reads it"),
                );
            }
            (key, Some((_, reason))) if !member.value.is_false() => {
                report.switch(member.offset, format!("\"{key}\": {reason}"));
            }
            _ => {}
        }
    }
}

/// Reads the variables that settings set, for their hooks among others. Values may be secrets, so
/// they are copied into no other file: of hooks that are taken over, it is said.
fn read_environment(report: &mut Report, agent: Agent, root: &Node) {
    let sets_them = matches!(agent, Agent::ClaudeCode | Agent::Qwen);
    let members = root.members().unwrap_or_default();
    let environment = members.into_iter().find(|it| it.key == "env");
    let Some(member) = environment.filter(|_| sets_them) else {
        return;
    };
    let variables = member.value.members().unwrap_or_default();
    if report.manner.stays() {
        let text = |value: &Node| match &value.shape {
            Shape::Text(text) => Some(text.clone()),
            Shape::Number(number) => Some(number.to_string()),
            Shape::Boolean(value) => Some(value.to_string()),
            Shape::Null | Shape::List(_) | Shape::Object(_) => None,
        };
        let set = variables.into_iter().filter_map(|it| {
            let value = Value::from(text(&it.value)?);
            Some((it.key.clone(), value))
        });
        report.environment = set.collect();
    } else if !variables.is_empty() && root.get("hooks").is_some() {
        let names: Vec<String> = variables.iter().map(|it| shorten(&it.key)).collect();
        let message = format!(
            "\"env\": not set for the hooks here ({}), because values may be secrets: put what a \
             hook needs into its own \"env\"",
            names.join(", ")
        );
        report.switch(member.offset, message);
    }
}

/// Returns the key with which a file turns its own hooks off, and the message about it. If it says
/// both, they are on.
fn switch_off(agent: Agent, root: &Node) -> Option<(&'static str, &'static str)> {
    let is_off = |switches: &[&Node], is_no: fn(&Node) -> bool| {
        !switches.is_empty() && switches.iter().all(|it| is_no(it))
    };
    if agent == Agent::Codex {
        let tables = root.every(FEATURES).into_iter();
        let switches: Vec<&Node> = tables.flat_map(|it| it.every("hooks")).collect();
        let message = "\"hooks = false\" in [features] turns off the hooks of this file, and of \
                       the \"hooks.json\" beside it";
        return is_off(&switches, Node::is_false).then_some((FEATURES, message));
    }
    let switches = root.every("disableAllHooks");
    let message = "\"disableAllHooks\" turns off the hooks of this file";
    is_off(&switches, Node::is_true).then_some(("disableAllHooks", message))
}

/// What settings say about an agent's hooks as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksSwitch {
    /// They run.
    On,
    /// None runs.
    Off,
    /// Nothing.
    Unsaid,
}

/// Returns what settings say about an agent's hooks as a whole.
pub(super) fn hooks_switch(agent: Agent, root: &Node) -> HooksSwitch {
    let says_on = || {
        let tables = root.every(FEATURES).into_iter();
        tables.flat_map(|it| it.every("hooks")).any(Node::is_true)
    };
    match switch_off(agent, root) {
        Some(_) => HooksSwitch::Off,
        None if agent == Agent::Codex && says_on() => HooksSwitch::On,
        None => HooksSwitch::Unsaid,
    }
}

fn read_hooks(report: &mut Report, agent: Agent, hooks: &Node) {
    // A plugin's manifest may list several objects, and files, which are read separately.
    if let (Some(list), Manner::InPlugin) = (hooks.list(), report.manner) {
        for hooks in list.iter().filter(|it| it.text().is_none()) {
            read_hooks(report, agent, hooks);
        }
        return;
    }
    let Some(events) = hooks.every_member() else {
        report.unreadable(hooks.offset, "\"hooks\" isn't an object");
        return;
    };
    for event in hooks.repeated_members() {
        report.report_repeated(event, &shorten(&event.key));
    }
    // A plugin's manifest may contain the content of its hooks file.
    if let ([inner], Manner::InPlugin) = (&events[..], report.manner)
        && inner.key == "hooks"
        && inner.value.members().is_some()
    {
        return read_hooks(report, agent, &inner.value);
    }
    for event in events {
        // Codex stores there which hooks are trusted.
        if agent == Agent::Codex && event.key == "state" {
            continue;
        }
        let Some(groups) = event.value.list() else {
            let message = format!("\"{}\" isn't a list", shorten(&event.key));
            stand_in(report, agent, event, &event.value, &message);
            continue;
        };
        for group in groups {
            if group.get("hooks").is_none() && is_flat(agent) {
                read_flat(report, agent, event, group);
            } else {
                read_group(report, agent, event, group);
            }
        }
    }
}

/// Returns whether an agent writes hooks without groups.
const fn is_flat(agent: Agent) -> bool {
    matches!(agent, Agent::Cursor | Agent::Copilot)
}

fn read_flat(report: &mut Report, agent: Agent, event: &Member, hook: &Node) {
    let source = Source {
        agent,
        event: &event.key,
        // A repeated matcher is ambiguous: the hook's replacement then matches everything.
        matcher: match hook.every("matcher")[..] {
            [only] => Some(only),
            _ => None,
        },
        grouping: Grouping::Parallel,
        unknown_of_group: &[],
    };
    handler::convert(report, &source, hook);
}

/// Reads a group of hooks. Where its lists or its matcher appear twice, all of them count.
fn read_group(report: &mut Report, agent: Agent, event: &Member, group: &Node) {
    let lists: Option<Vec<&[Node]>> = group.every("hooks").into_iter().map(Node::list).collect();
    let (Some(members), Some(lists)) = (group.members(), lists.filter(|it| !it.is_empty())) else {
        let why = "a group of hooks needs a list named \"hooks\"";
        return stand_in(report, agent, event, group, why);
    };
    for member in group.repeated_members() {
        report.report_repeated(member, &shorten(&member.key));
    }
    let unknown: Vec<&str> = members
        .iter()
        .map(|member| member.key.as_str())
        .filter(|key| !matches!(*key, "matcher" | "hooks"))
        .filter(|key| !(agent == Agent::Qwen && *key == "sequential"))
        .collect();
    // Qwen Code has this from Gemini CLI.
    let is_sequential = agent == Agent::Qwen && group.get("sequential").is_some_and(Node::is_true);
    let grouping = if is_sequential {
        Grouping::Sequential
    } else {
        Grouping::Parallel
    };
    let matchers = group.every("matcher");
    let matchers: Vec<Option<&Node>> = match &matchers[..] {
        [] => vec![None],
        several => several.iter().copied().map(Some).collect(),
    };
    for hook in lists.into_iter().flatten() {
        for matcher in &matchers {
            let source = Source {
                agent,
                event: &event.key,
                matcher: *matcher,
                grouping,
                unknown_of_group: &unknown,
            };
            handler::convert(report, &source, hook);
        }
    }
}

/// Adds a hook that can't be built where there is something other than a group of hooks.
fn stand_in(report: &mut Report, agent: Agent, event: &Member, node: &Node, why: &str) {
    let source = Source {
        agent,
        event: &event.key,
        matcher: node.get("matcher"),
        grouping: Grouping::Parallel,
        unknown_of_group: &[],
    };
    handler::stand_in(report, &source, node, why);
}
