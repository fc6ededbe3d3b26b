//! What a migration reports about each hook.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hookloop_events::EventName;
use hookloop_hook::Grouping;
use serde_json::{Map, Value};

use super::tree::{Member, Node, Tree, place_in};
use super::{Manner, Migration};

/// A file that the caller has read.
#[derive(Debug, Clone, Copy)]
pub struct SourceText<'a> {
    /// The path, for messages.
    pub path: &'a Path,
    /// Its content.
    pub text: &'a str,
    /// The folder in which its hooks run, if that isn't the session's folder (FD-14).
    pub runs_in: Option<&'a Path>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

/// What happened to a hook (CM-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MigrationResult {
    /// The configuration has the same meaning.
    Converted,
    /// It was migrated with nearly the same meaning; the message describes the difference.
    Approximated,
    /// It was left out; the message gives the reason.
    NotPossible,
    /// The target already contains it, or it was migrated from another place.
    AlreadyThere,
    /// It was migrated, but its script uses a format that isn't understood here (FD-4).
    WillNotWork,
}

impl MigrationResult {
    /// Returns its name in JSON (`cli-json.md` §3).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Converted => "converted",
            Self::Approximated => "approximated",
            Self::NotPossible => "not_possible",
            Self::AlreadyThere => "already_there",
            Self::WillNotWork => "will_not_work",
        }
    }
}

/// A hook to add to settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// Its event.
    pub event: EventName,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// Whether the hooks of its group run in parallel or in sequence.
    pub grouping: Grouping,
    /// The hook's entry.
    pub hook: Map<String, Value>,
}

/// Which part of a file can't be used although it was meant to have an effect (IO-21, ST-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// None.
    #[default]
    None,
    /// A hook. A hook that can't start replaces it, with the fields that could be read.
    Entry,
    /// The name of an event.
    Event,
    /// All hooks of the file.
    File,
    /// None: a key occurs twice, and both values are used.
    Repeated,
    /// None: the agent's own switch turns off the hooks of the file.
    Off,
}

/// A part of a matcher that matches no tool of the agent for which it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The part.
    pub part: String,
    /// Whether the rest of the matcher matches nothing either.
    pub is_all: bool,
}

/// The report about one hook or switch (`cli-json.md` §3, `hooks migrate`).
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What happened to it.
    pub result: MigrationResult,
    /// Where it is.
    pub source: Place,
    /// Its event in the other agent; `None` for a switch.
    pub event_from: Option<String>,
    /// Its event here, if it has one.
    pub event_to: Option<EventName>,
    /// Its matcher in the other agent.
    pub matcher_from: Option<String>,
    /// Its matcher here.
    pub matcher_to: Option<String>,
    /// Its command in the other agent, or what represents it.
    pub command: Option<String>,
    /// What differs, or why it was left out; `None` only if it was converted.
    pub message: Option<String>,
    /// What to add; `None` if it was left out.
    pub addition: Option<Addition>,
    /// What can't be used; the message gives the reason.
    pub fault: Fault,
    /// The part of its matcher that matches nothing.
    pub unfit: Option<Unfit>,
}

/// Collects items, with places in the file that is being read.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// What happens to the agent's words.
    pub(super) manner: Manner,
    /// The folder that the hooks of the file run in, if that isn't the session's.
    pub(super) runs_in: Option<PathBuf>,
    /// The variables that the file sets for its hooks.
    pub(super) environment: Map<String, Value>,
    path: PathBuf,
    text: String,
    items: Vec<Item>,
}

impl Report {
    /// Begins a report.
    pub(super) fn new(manner: Manner) -> Self {
        Self {
            manner,
            ..Self::default()
        }
    }

    /// Parses a file; what can't be parsed is reported.
    pub(super) fn read(
        &mut self,
        file: &SourceText<'_>,
        parse: fn(&str) -> Result<Tree, (usize, String)>,
    ) -> Option<Node> {
        let text = file.text.strip_prefix('\u{FEFF}').unwrap_or(file.text);
        self.path = file.path.to_path_buf();
        self.runs_in = file.runs_in.map(Path::to_path_buf);
        self.environment = Map::new();
        text.clone_into(&mut self.text);
        match parse(text) {
            Ok(tree) => tree,
            Err((offset, message)) => {
                self.unreadable(offset, format!("the file can't be read: {message}"));
                None
            }
        }
    }

    /// Adds an item about something that isn't a hook and has no counterpart.
    pub(super) fn switch(&mut self, offset: usize, message: impl Into<String>) {
        let item = self.item(offset);
        self.items.push(Item {
            message: Some(message.into()),
            ..item
        });
    }

    /// Adds an item about a switch that turns the hooks of its file off, if that file stays the one
    /// that is read.
    pub(super) fn report_disabled(&mut self, offset: usize, message: impl Into<String>) {
        let item = self.item(offset);
        self.items.push(Item {
            message: Some(message.into()),
            fault: Fault::Off,
            ..item
        });
    }

    /// Adds an item about a repeated key, all of whose values count, if the file stays the one that
    /// is read.
    pub(super) fn report_repeated(&mut self, member: &Member, key: &str) {
        if !self.manner.stays() {
            return;
        }
        let item = self.item(member.offset);
        self.items.push(Item {
            message: Some(format!("the key \"{key}\" occurs twice; both are read")),
            fault: Fault::Repeated,
            ..item
        });
    }

    /// Adds an item about hooks that can't be read.
    pub(super) fn unreadable(&mut self, offset: usize, message: impl Into<String>) {
        let item = self.item(offset);
        self.items.push(Item {
            message: Some(message.into()),
            fault: Fault::File,
            ..item
        });
    }

    /// Begins an item about what is at a byte; it counts as left out until something else is set.
    pub(super) fn item(&self, offset: usize) -> Item {
        let (line, column) = place_in(&self.text, offset);
        Item {
            result: MigrationResult::NotPossible,
            source: Place {
                path: self.path.clone(),
                line,
                column,
            },
            event_from: None,
            event_to: None,
            matcher_from: None,
            matcher_to: None,
            command: None,
            message: None,
            addition: None,
            fault: Fault::None,
            unfit: None,
        }
    }

    pub(super) fn add(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Returns the migration; of hooks that are the same here the first one stays.
    pub(super) fn finish(mut self) -> Migration {
        let mut seen: HashMap<_, Place> = HashMap::new();
        for item in &mut self.items {
            let Some(addition) = &item.addition else {
                continue;
            };
            let mut hook = addition.hook.clone();
            hook.remove("from");
            let same = serde_json::Value::Object(hook).to_string();
            let key = (addition.event, addition.matcher.clone(), same);
            if let Some(first) = seen.get(&key) {
                item.addition = None;
                item.result = MigrationResult::AlreadyThere;
                item.message = Some(format!(
                    "here it is the same hook as that of {}:{}",
                    first.path.display(),
                    first.line
                ));
            } else {
                seen.insert(key, item.source.clone());
            }
        }
        Migration { items: self.items }
    }
}
