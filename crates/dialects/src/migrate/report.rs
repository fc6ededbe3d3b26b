//! What a migration reports about each hook.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hookloop_events::EventName;
use hookloop_hook::Grouping;
use serde_json::{Map, Value};

use super::tree::{Member, Node, Tree, place_in};
use super::{Manner, Migration};

/// Contains a file that was read elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct SourceText<'a> {
    /// The file, as it is to be named.
    pub path: &'a Path,
    /// What it contains.
    pub text: &'a str,
    /// The folder that its hooks run in, where that isn't the session's (FD-14).
    pub runs_in: Option<&'a Path>,
}

/// Says where something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

/// Says what happened to a hook (CM-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MigrationResult {
    /// The configuration means the same.
    Converted,
    /// It was taken over, and means nearly the same; the message says what differs.
    Approximated,
    /// It was left out; the message says why.
    NotPossible,
    /// It is in the target, or was taken from another place.
    AlreadyThere,
    /// It was taken over, and its script speaks words that nobody knows here (FD-4).
    WillNotWork,
}

impl MigrationResult {
    /// Returns the word as JSON output spells it (`cli-json.md` §3).
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

/// Holds a hook that is to be added to settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// Its event.
    pub event: EventName,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// How the hooks of its group follow each other.
    pub grouping: Grouping,
    /// The hook as it is written.
    pub hook: Map<String, Value>,
}

/// What of a file can't be built although somebody wrote it to count (IO-21, ST-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// A hook: one that could not start is in its place, with what could be read of it.
    Entry,
    /// The name of an event.
    Event,
    /// All hooks of the file.
    File,
    /// Nothing: a key occurs twice, and both of its values are read.
    Repeated,
    /// Nothing: the agent's own switch turns the hooks of the file off.
    Off,
}

/// A part of a matcher that fits no tool of the agent that it was written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The part.
    pub part: String,
    /// Whether nothing else of the matcher fits anything.
    pub is_all: bool,
}

/// Reports one hook that was found, or of a switch (`cli-json.md` §3, `hooks migrate`).
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What happened to it.
    pub result: MigrationResult,
    /// Where it is.
    pub source: Place,
    /// Its event there; nothing for a switch.
    pub event_from: Option<String>,
    /// Its event here, if it has one.
    pub event_to: Option<EventName>,
    /// Its matcher there.
    pub matcher_from: Option<String>,
    /// Its matcher here.
    pub matcher_to: Option<String>,
    /// Its command there, or what stands for it.
    pub command: Option<String>,
    /// What differs, or why it was left out; nothing only if it was converted.
    pub message: Option<String>,
    /// What is to be added; nothing if it was left out.
    pub addition: Option<Addition>,
    /// What can't be built; the message says why.
    pub fault: Fault,
    /// What of its matcher fits nothing.
    pub unfit: Option<Unfit>,
}

/// Collects items, with places in the file that is being read.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// What happens to the agent's words.
    pub(super) manner: Manner,
    /// The folder that the hooks of the file run in, where that isn't the session's.
    pub(super) runs_in: Option<PathBuf>,
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

    /// Adds an item about a switch that turns the hooks of its file off, where that file stays the one
    /// that is read.
    pub(super) fn turned_off(&mut self, offset: usize, message: impl Into<String>) {
        let item = self.item(offset);
        self.items.push(Item {
            message: Some(message.into()),
            fault: Fault::Off,
            ..item
        });
    }

    /// Adds an item about a key that appears again, all of whose values count, where the file stays the
    /// one that is read.
    pub(super) fn repeated(&mut self, member: &Member, key: &str) {
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

    /// Begins an item about what is at a byte; it says no until it is told otherwise.
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
                    "it is the same hook here as the one of {}:{}",
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
