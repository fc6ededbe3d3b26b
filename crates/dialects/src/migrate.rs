//! Migration: converts other agents' hooks to ours, and reports what was lost (CM-7).
//!
//! Pure: takes texts, and returns a report and hooks. A hook is `converted` if its configuration
//! has the same meaning in both agents. What its script reads and answers may still differ; if that
//! matters for an event, the message says so.

mod agent;
mod codex_toml;
mod command;
mod conversion;
mod family;
mod handler;
mod jsonc;
mod matcher;
mod present;
mod readers;
mod report;
mod running;
mod subject;
mod tree;
mod verdict;

pub use agent::Agent;
pub use command::NEVER_SET;
pub use family::HooksSwitch;
pub use present::is_present;
pub use report::{Addition, Fault, Item, MigrationResult, Place, SourceText, Unfit};

use hookloop_events::EventName;
use hookloop_hook::Grouping;
use serde_json::{Map, Value};

use report::Report;

/// What happens to another agent's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// Scripts run as they are, in their dialect (FD-4).
    #[default]
    InDialect,
    /// The same, and the entry stays in its file, whose own switches count (FD-2).
    InPlace,
    /// The same, in the file of a plugin, whose folder has variables of its own (FD-3).
    InPlugin,
    /// Settings are rewritten with our names, and scripts must be adapted (FD-4).
    Rewritten,
}

impl Manner {
    /// Returns whether an entry stays in the file that it was found in.
    pub(crate) const fn stays(self) -> bool {
        matches!(self, Self::InPlace | Self::InPlugin)
    }
}

/// What happened to every hook that was found, in the order of the files (CM-7).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Migration {
    /// One item for each hook, and for each switch that couldn't be kept.
    pub items: Vec<Item>,
}

/// Migrates the hooks in files of an agent (CM-7, FD-4). Comments and trailing commas are accepted.
/// A file is parsed as TOML if its extension says so.
pub fn migrate(agent: Agent, manner: Manner, files: &[SourceText<'_>]) -> Migration {
    let mut report = Report::new(manner);
    for file in files {
        if let Some(root) = report.read(file, parser_of(file)) {
            family::read_settings(&mut report, agent, &root);
        }
    }
    report.finish()
}

/// Returns what a settings file says about its agent's hooks as a whole, as that agent interprets
/// it (FD-2).
pub fn hooks_switch(agent: Agent, file: &SourceText<'_>) -> HooksSwitch {
    let root = Report::new(Manner::InPlace).read(file, parser_of(file));
    root.map_or(HooksSwitch::Unsaid, |root| {
        family::hooks_switch(agent, &root)
    })
}

fn parser_of(file: &SourceText<'_>) -> fn(&str) -> Result<tree::Tree, (usize, String)> {
    if file.path.extension().is_some_and(|it| it == "toml") {
        codex_toml::parse
    } else {
        jsonc::parse
    }
}

impl Migration {
    /// Removes hooks that the target's `hooks` already contain, so migrating twice has the same
    /// result as migrating once (CM-7).
    pub fn leave_out_present(&mut self, present: &Map<String, Value>) {
        for item in &mut self.items {
            if let Some(addition) = &item.addition
                && is_present(present, addition)
            {
                item.addition = None;
                item.result = MigrationResult::AlreadyThere;
                item.message = Some("the hook is already in the settings".to_owned());
            }
        }
    }

    /// Returns the hooks to add, in order.
    pub fn additions(&self) -> impl Iterator<Item = &Addition> {
        self.items.iter().filter_map(|item| item.addition.as_ref())
    }

    /// Returns the same as a `hooks` object: events in listing order, each with one group for every
    /// matcher.
    pub fn hooks(&self) -> Map<String, Value> {
        let mut hooks = Map::new();
        for event in EventName::ALL {
            let mut groups: Vec<(GroupKey<'_>, Vec<Value>)> = Vec::new();
            for addition in self.additions().filter(|it| it.event == event) {
                let key = (addition.matcher.as_deref(), addition.grouping);
                let hook = Value::Object(addition.hook.clone());
                match groups.iter_mut().find(|(theirs, _)| *theirs == key) {
                    Some((_, hooks)) => hooks.push(hook),
                    None => groups.push((key, vec![hook])),
                }
            }
            if !groups.is_empty() {
                let groups = groups.into_iter().map(|(key, hooks)| group(key, hooks));
                hooks.insert(event.as_str().to_owned(), groups.collect());
            }
        }
        hooks
    }
}

/// What hooks of one group share: their matcher, and how they follow each other.
type GroupKey<'m> = (Option<&'m str>, Grouping);

fn group((matcher, grouping): GroupKey<'_>, hooks: Vec<Value>) -> Value {
    let mut group = Map::new();
    if let Some(matcher) = matcher {
        group.insert("matcher".to_owned(), Value::from(matcher));
    }
    if grouping == Grouping::Sequential {
        group.insert("sequential".to_owned(), Value::Bool(true));
    }
    group.insert("hooks".to_owned(), Value::Array(hooks));
    Value::Object(group)
}

#[cfg(test)]
mod tests;
