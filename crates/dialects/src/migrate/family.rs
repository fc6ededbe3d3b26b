//! Settings of Claude Code, and of those that took its shape: events, groups with a matcher, hooks.

use hookloop_hook::Dialect;

use super::handler::{self, Source};
use super::matcher::{WordMode, shorten};
use super::report::Report;
use super::tree::{Member, Node, Shape};
use super::vocabulary::{
    CLAUDE_TOOLS, CODEX_TOOLS, CURSOR_EVENTS, CURSOR_TOOLS, EventRule, FAMILY_EVENTS, ToolName,
};

/// Says whose settings are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Claude,
    Codex,
    Cursor,
}

impl Family {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
        }
    }

    pub(super) const fn tools(self) -> &'static [ToolName] {
        match self {
            Self::Claude => CLAUDE_TOOLS,
            Self::Codex => CODEX_TOOLS,
            Self::Cursor => CURSOR_TOOLS,
        }
    }

    pub(super) const fn word_mode(self) -> WordMode {
        match self {
            Self::Claude => WordMode::ListWithCommas,
            Self::Codex => WordMode::List,
            Self::Cursor => WordMode::Pattern,
        }
    }

    /// Returns the dialect in which scripts of the family are run as they are (FD-4).
    pub(super) const fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Claude => Some(Dialect::ClaudeCode),
            Self::Codex | Self::Cursor => None,
        }
    }

    pub(super) fn event(self, name: &str) -> Option<&'static EventRule> {
        let rules = match self {
            Self::Claude | Self::Codex => FAMILY_EVENTS,
            Self::Cursor => CURSOR_EVENTS,
        };
        rules.iter().find(|rule| rule.name == name)
    }
}

/// Settings about hooks that have no counterpart, and why.
const SWITCHES: &[(&str, &str)] = &[
    (
        "disableAllHooks",
        "the hooks of these settings were off; to migrate the switch would turn off your other \
         hooks too: set hooksConfig.enabled to false if that is meant",
    ),
    (
        "allowManagedHooksOnly",
        "hooks can't be confined to an administrator's; hooksConfig.locked of the system's \
         settings protects those",
    ),
];

/// Reads the settings of a file.
pub(super) fn read_settings(report: &mut Report, family: Family, root: &Node) {
    let Some(members) = root.members() else {
        report.switch(root.offset, "the file holds no object");
        return;
    };
    for member in members {
        let switch = SWITCHES.iter().find(|(key, _)| *key == member.key);
        match (member.key.as_str(), switch) {
            ("hooks", _) => read_hooks(report, family, &member.value),
            ("notify", _) if family == Family::Codex => {
                let message = "\"notify\" tells of the end of a turn: write it as a hook of \
                               AfterAgent that reads its input from standard input";
                report.switch(member.offset, message);
            }
            (key, Some((_, reason))) if !member.value.is_false() => {
                report.switch(member.offset, format!("\"{key}\": {reason}"));
            }
            _ => {}
        }
    }
}

fn read_hooks(report: &mut Report, family: Family, hooks: &Node) {
    let Some(events) = hooks.members() else {
        report.switch(hooks.offset, "\"hooks\" is no object");
        return;
    };
    for event in events {
        // Codex keeps there which hooks are trusted.
        if family == Family::Codex && event.key == "state" {
            continue;
        }
        let Some(groups) = event.value.list() else {
            let message = format!("\"{}\" is no list", shorten(&event.key));
            report.switch(event.value.offset, message);
            continue;
        };
        for group in groups {
            read_group(report, family, event, group);
        }
    }
}

fn read_group(report: &mut Report, family: Family, event: &Member, group: &Node) {
    let (Some(members), Some(hooks)) = (group.members(), group.get("hooks").and_then(Node::list))
    else {
        let mut item = report.item(group.offset);
        item.event_from = Some(event.key.clone());
        item.message = Some("a group of hooks needs a list named \"hooks\"".to_owned());
        report.add(item);
        return;
    };
    let matcher = group.get("matcher");
    let unknown: Vec<&str> = members
        .iter()
        .map(|member| member.key.as_str())
        .filter(|key| !matches!(*key, "matcher" | "hooks"))
        .collect();
    for hook in hooks {
        let source = Source {
            family,
            event: &event.key,
            matcher,
            unknown_of_group: &unknown,
        };
        handler::convert(report, &source, hook);
    }
}

/// Returns the text of a matcher, or a refusal's reason.
pub(super) fn matcher_text(matcher: Option<&Node>) -> Result<&str, &'static str> {
    match matcher.map(|it| &it.shape) {
        None => Ok(""),
        Some(Shape::Text(text)) => Ok(text),
        Some(_) => Err("the matcher is no string"),
    }
}
