//! From the tree of a `hooks` object to declarations (ST-3, ST-5).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookloop_events::EventName;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::mint::{Identity, Mint};
use crate::near::nearest;
use crate::report::{Report, shorten};
use crate::substitution::Substitution;
use crate::syntax::{key_start, kind_of, member, start};
use crate::timeout;
use hookloop_hook::Position;
use hookloop_hook::ProblemCode;
use hookloop_hook::{
    DEFAULT_TIMEOUT, ExtensionOrigin, Grouping, Handler, HookDeclaration, HookPlaces, OnFailure,
};

/// Event names of other agents, and ours for them (CM-7).
pub(crate) const FOREIGN_EVENTS: &[(&str, EventName)] = &[
    ("PreToolUse", EventName::BeforeTool),
    ("PostToolUse", EventName::AfterTool),
    ("UserPromptSubmit", EventName::BeforeAgent),
    ("Stop", EventName::AfterAgent),
    ("SubagentStop", EventName::AfterAgent),
    ("PreCompact", EventName::PreCompress),
];

/// Types whose names are kept for later (ST-3).
const LATER_TYPES: [&str; 3] = ["plugin", "http", "worker"];

pub(crate) const GROUP_FIELDS: &[&str] = &["matcher", "sequential", "hooks"];
pub(crate) const HOOK_FIELDS: &[&str] = &[
    "type",
    "command",
    "name",
    "description",
    "timeout",
    "env",
    "onFailure",
];

/// Keys of `hooks` that are older spellings of `hooksConfig` (ST-6, ST-7).
pub(crate) const OLDER_KEYS: [&str; 3] = ["enabled", "disabled", "notifications"];

/// A declaration whose default for `onFailure` may still have to be filled in.
#[derive(Debug)]
pub(crate) struct ReadHook {
    pub(crate) declaration: HookDeclaration,
    /// The hook's own `onFailure`.
    pub(crate) on_failure: Option<OnFailure>,
}

/// Reads the hooks of one file.
pub(crate) struct HookReader<'r, 'a> {
    pub(crate) report: &'r mut Report<'a>,
    pub(crate) mint: &'r mut Mint,
    /// The extension the file belongs to, with its variables.
    pub(crate) extension: Option<(Arc<ExtensionOrigin>, Substitution)>,
    pub(crate) hooks: Vec<ReadHook>,
}

/// What the hooks of a group share.
struct Group {
    event: EventName,
    matcher: Option<String>,
    matcher_place: Option<Position>,
    grouping: Grouping,
}

impl HookReader<'_, '_> {
    /// Reads a `hooks` object; what is wrong is left out and reported.
    pub(crate) fn read(&mut self, value: &Value<'_>) {
        let Value::Object(object) = value else {
            self.report
                .wrong_type("\"hooks\"", value, "an object with event names as keys");
            return;
        };
        for property in self.report.members(object) {
            let name = property.name.as_str();
            match name.parse::<EventName>() {
                Ok(event) => {
                    self.report.event = Some(event);
                    self.event(event, &property.value);
                    self.report.event = None;
                }
                Err(_) if OLDER_KEYS.contains(&name) && self.extension.is_none() => {}
                Err(_) => self.unknown_event(property),
            }
        }
    }

    fn unknown_event(&mut self, property: &ObjectProp<'_>) {
        let name = property.name.as_str();
        let foreign = FOREIGN_EVENTS
            .iter()
            .find(|(foreign, _)| foreign.eq_ignore_ascii_case(name));
        let meant = foreign
            .map(|(_, event)| event.as_str())
            .or_else(|| nearest(name, EventName::ALL.map(EventName::as_str)));
        let help = match meant {
            None if name == "hooks" => {
                "take this \"hooks\" away: events stand directly in the outer one".to_owned()
            }
            Some(meant) => format!("did you mean \"{meant}\"? names are case-sensitive"),
            None => format!(
                "events are {}",
                EventName::ALL.map(EventName::as_str).join(", ")
            ),
        };
        let message = format!("\"{}\" is no event", shorten(name));
        let code = ProblemCode::UnknownEvent;
        self.report
            .add_suggesting(code, key_start(property), (message, help), meant);
    }

    fn event(&mut self, event: EventName, value: &Value<'_>) {
        let Value::Array(list) = value else {
            self.report.wrong_type(
                &format!("\"{event}\""),
                value,
                "a list of groups, such as [{\"hooks\": [{\"type\": \"command\", …}]}]",
            );
            return;
        };
        for element in &list.elements {
            match element {
                Value::Object(object) => self.group(event, object),
                other => self
                    .report
                    .wrong_type("a group of hooks", other, "an object"),
            }
        }
    }

    fn group(&mut self, event: EventName, object: &Object<'_>) {
        let mut group = Group {
            event,
            matcher: None,
            matcher_place: None,
            grouping: Grouping::Parallel,
        };
        let mut hooks = None;
        let mut sound = true;
        for property in self.report.members(object) {
            let value = &property.value;
            match property.name.as_str() {
                "hooks" => hooks = Some(value),
                "matcher" if !is_null(value) => {
                    group.matcher = self.text("\"matcher\"", value);
                    group.matcher_place = Some(self.report.text.position(start(value)));
                    sound &= group.matcher.is_some();
                }
                "sequential" if !is_null(value) => {
                    match self.report.boolean_of("\"sequential\"", value) {
                        Some(provided) if provided.value => group.grouping = Grouping::Sequential,
                        Some(_) => {}
                        None => sound = false,
                    }
                }
                "matcher" | "sequential" => {}
                // A hook that stands where a group belongs is reported once, below.
                _ if member(object, "hooks").is_none() => {}
                _ => self
                    .report
                    .unknown_field(property, "a group of hooks", GROUP_FIELDS),
            }
        }
        match hooks {
            None => self.group_without_hooks(object),
            Some(Value::Array(list)) if sound => {
                for element in &list.elements {
                    match element {
                        Value::Object(hook) => self.hook(&group, hook),
                        other => self.report.wrong_type("a hook", other, "an object"),
                    }
                }
            }
            // What made the group unsound has been reported.
            Some(Value::Array(_)) => {}
            Some(other) => self
                .report
                .wrong_type("\"hooks\" of a group", other, "a list of hooks"),
        }
    }

    fn group_without_hooks(&mut self, object: &Object<'_>) {
        let help = if member(object, "command").is_some() || member(object, "type").is_some() {
            "put the hook into a group: {\"hooks\": [{\"type\": \"command\", …}]}"
        } else {
            "add \"hooks\": [{\"type\": \"command\", \"command\": …}]"
        };
        let message = "a group has no field \"hooks\"";
        self.report
            .add(ProblemCode::MissingField, start(object), message, help);
    }

    fn hook(&mut self, group: &Group, object: &Object<'_>) {
        let properties = self.report.members(object);
        if !self.is_command(object) {
            return;
        }
        let mut fields = Fields::default();
        let mut sound = true;
        for property in properties {
            let value = &property.value;
            match property.name.as_str() {
                "type" => {}
                "timeout" if !is_null(value) => self.timeout(&mut fields, value),
                "onFailure" if !is_null(value) => {
                    fields.on_failure = on_failure(self.report, value);
                }
                // It decides nothing: without it the hook is still the same.
                "description" if !is_null(value) => {
                    fields.description = self.text("\"description\"", value);
                }
                "command" => sound &= self.command(&mut fields, value),
                "name" if !is_null(value) => {
                    fields.name = self.text("\"name\"", value);
                    sound &= fields.name.is_some();
                }
                "env" if !is_null(value) => sound &= self.env(&mut fields, value),
                name if HOOK_FIELDS.contains(&name) => {}
                _ => self.report.unknown_field(property, "a hook", HOOK_FIELDS),
            }
        }
        if fields.command.is_none() && sound {
            let message = "a hook has no field \"command\"";
            let help = "add \"command\": \"…\", the command that is to run";
            self.report
                .add(ProblemCode::MissingField, start(object), message, help);
        }
        if sound && let Some(command) = fields.command.take() {
            self.declare(group, fields, command, start(object));
        }
    }

    /// Tells whether a hook is of the type that this build runs; reports it otherwise.
    fn is_command(&mut self, object: &Object<'_>) -> bool {
        let Some(property) = member(object, "type") else {
            let help = "add \"type\": \"command\"";
            let message = "a hook has no field \"type\"";
            self.report
                .add(ProblemCode::MissingField, start(object), message, help);
            return false;
        };
        let Some(name) = self.report.text_of("\"type\"", &property.value) else {
            return false;
        };
        if name == "command" {
            return true;
        }
        let place = start(&property.value);
        if LATER_TYPES.contains(&name) {
            let message = format!("hooks of type \"{name}\" are not supported by this build");
            let help = "write the hook as a command; it was left out";
            self.report
                .add(ProblemCode::UnknownHookType, place, message, help);
            return false;
        }
        let known = std::iter::once("command").chain(LATER_TYPES);
        let meant = nearest(name, known).or(Some("command"));
        let message = format!("\"{}\" is no type of hook", shorten(name));
        let help = format!(
            "write \"{}\"; types are case-sensitive",
            meant.unwrap_or_default()
        );
        let code = ProblemCode::UnknownHookType;
        self.report
            .add_suggesting(code, place, (message, help), meant);
        false
    }

    fn command(&mut self, fields: &mut Fields, value: &Value<'_>) -> bool {
        let Some(command) = self.text("\"command\"", value) else {
            return false;
        };
        let complaint = if command.trim().is_empty() {
            "the command is empty"
        } else if command.contains('\0') {
            "the command contains a NUL character"
        } else {
            fields.places.command = Some(self.report.text.position(start(value)));
            fields.command = Some(command);
            return true;
        };
        let help = "write the command that is to run; the hook was left out";
        self.report
            .add(ProblemCode::InvalidValue, start(value), complaint, help);
        false
    }

    fn env(&mut self, fields: &mut Fields, value: &Value<'_>) -> bool {
        let Value::Object(object) = value else {
            self.report
                .wrong_type("\"env\"", value, "an object with strings");
            return false;
        };
        let mut sound = true;
        for property in self.report.members(object) {
            let name = property.name.as_str();
            let what = format!("the variable \"{}\"", shorten(name));
            let Some(text) = self.text(&what, &property.value) else {
                sound = false;
                continue;
            };
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                let message = format!("{what} can't stand in an environment");
                let help = "names are not empty and hold no \"=\"; neither holds a NUL character";
                self.report.add(
                    ProblemCode::InvalidValue,
                    key_start(property),
                    message,
                    help,
                );
                sound = false;
                continue;
            }
            fields.env.insert(name.to_owned(), text);
        }
        sound
    }

    fn timeout(&mut self, fields: &mut Fields, value: &Value<'_>) {
        fields.places.timeout = Some(self.report.text.position(start(value)));
        let read = match value {
            Value::NumberLit(number) => timeout::from_number(number.value),
            Value::StringLit(text) => timeout::from_text(&text.value),
            other => Err(format!("the timeout is {}", kind_of(other))),
        };
        match read {
            Ok(timeout) => fields.timeout = Some(timeout),
            Err(message) => {
                fields.places.timeout = None;
                let help = "write milliseconds (5000), or a number with a unit (\"5s\"); \
                            the default of 60 s is used";
                self.report
                    .add(ProblemCode::InvalidValue, start(value), message, help);
            }
        }
    }

    fn declare(&mut self, group: &Group, fields: Fields, command: String, offset: usize) {
        let source = self.report.text.source_at(offset);
        let extension = self
            .extension
            .as_ref()
            .map(|(origin, _)| Arc::clone(origin));
        let id = self.mint.identify(&Identity {
            layer: source.layer,
            extension: extension
                .as_ref()
                .map(|origin| (&*origin.name, origin.scope)),
            event: group.event,
            matcher: group.matcher.as_deref(),
            name: fields.name.as_deref(),
            command: &command,
            env: &fields.env,
        });
        let mut declaration =
            HookDeclaration::new(id, group.event, Handler::command(command), source);
        // An empty name is none: it could not be disabled or trusted by it.
        declaration.name = fields.name.filter(|name| !name.is_empty());
        declaration.description = fields.description;
        declaration.matcher.clone_from(&group.matcher);
        declaration.grouping = group.grouping;
        declaration.timeout = fields.timeout.unwrap_or(DEFAULT_TIMEOUT);
        declaration.env = fields.env;
        declaration.extension = extension;
        declaration.places = HookPlaces {
            matcher: group.matcher_place,
            ..fields.places
        };
        self.hooks.push(ReadHook {
            declaration,
            on_failure: fields.on_failure,
        });
    }

    /// Returns a text with the extension's variables replaced (EX-2).
    fn text(&mut self, what: &str, value: &Value<'_>) -> Option<String> {
        let text = self.report.text_of(what, value)?;
        let replaced = match &self.extension {
            Some((_, substitution)) => substitution.apply(text),
            None => Cow::Borrowed(text),
        };
        Some(replaced.into_owned())
    }
}

/// What was read of a hook so far.
#[derive(Default)]
struct Fields {
    name: Option<String>,
    description: Option<String>,
    command: Option<String>,
    timeout: Option<Duration>,
    env: BTreeMap<String, String>,
    on_failure: Option<OnFailure>,
    places: HookPlaces,
}

/// Reads an `onFailure` (IO-21); a wrong one is reported, and the default is used.
pub(crate) fn on_failure(report: &mut Report<'_>, value: &Value<'_>) -> Option<OnFailure> {
    match report.text_of("\"onFailure\"", value)? {
        "warn" => Some(OnFailure::Warn),
        "deny" => Some(OnFailure::Deny),
        other => {
            let meant = nearest(other, ["warn", "deny"]);
            let message = format!("\"{}\" is no value of \"onFailure\"", shorten(other));
            let help = "write \"warn\" or \"deny\"; the default is used".to_owned();
            let code = ProblemCode::InvalidValue;
            report.add_suggesting(code, start(value), (message, help), meant);
            None
        }
    }
}

/// Tells whether a value is null, which counts as absent.
pub(crate) const fn is_null(value: &Value<'_>) -> bool {
    matches!(value, Value::NullKeyword(_))
}
