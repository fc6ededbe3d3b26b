//! Converts the tree of a `hooks` object to declarations (ST-3, ST-5, IO-21).
//!
//! An entry that can't be used is reported, and replaced by a hook that can't start. The
//! replacement keeps every field that could be read, so a misspelt guard isn't ignored.

use std::sync::Arc;

use hookloop_hook::{
    Broken, Dialect, EventName, ExtensionOrigin, Grouping, HookDeclaration, HookPlaces, OnFailure,
    Position, ProblemCode,
};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::corrections::{COUNTS, Holder, correction};
use crate::deny_wish;
use crate::event_names::{event_from_foreign_name, event_of_others, guessed_event};
use crate::fields::{CONFIG_FIELDS, GROUP_FIELDS, HOOK_FIELDS, OLDER_KEYS, Written};
use crate::hook_ids::HookIds;
use crate::misplaced::report_inside;
use crate::near::{is_one_edit, look_alikes, nearest};
use crate::report::Report;
use crate::substitution::Substitution;
use crate::syntax::{is_null, key_start, kind_of, member, start};

/// Whether a value has a form that can be read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Readable,
    /// It may contain guards that can't be read: the file counts as broken (ST-5).
    Unreadable,
}

/// Reads the hooks of one file.
pub(crate) struct HookReader<'r, 'a> {
    pub(crate) report: &'r mut Report<'a>,
    pub(crate) hook_ids: &'r mut HookIds,
    /// The extension the file belongs to, with its variables.
    pub(crate) extension: Option<(Arc<ExtensionOrigin>, Substitution)>,
    /// What the file says for hooks that don't name a dialect (FD-1), or why that can't be read.
    pub(crate) dialect: Result<Option<Dialect>, Arc<Broken>>,
    /// The hooks; `Default` as failure policy means that the entry says nothing about it.
    pub(crate) hooks: Vec<HookDeclaration>,
}

/// What the hooks of a group share.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) event: EventName,
    pub(crate) matcher: Option<String>,
    pub(crate) matcher_place: Option<Position>,
    pub(crate) grouping: Grouping,
    pub(crate) dialect: Option<Dialect>,
    /// The dialect's own event under which it is (FD-12).
    pub(crate) dialect_event: Option<String>,
    pub(crate) agents: Option<Vec<String>>,
    /// What the failure of a hook means that doesn't say so itself.
    pub(crate) on_failure: OnFailure,
    /// Why none of its hooks can be built.
    pub(crate) broken: Option<Arc<Broken>>,
    /// What is in its place in the file.
    pub(crate) written: Written,
}

impl Group {
    fn new(event: EventName, broken: Option<Arc<Broken>>) -> Self {
        Self {
            event,
            matcher: None,
            matcher_place: None,
            grouping: Grouping::Parallel,
            dialect: None,
            dialect_event: None,
            agents: None,
            on_failure: OnFailure::Default,
            broken,
            written: Written::AsGroup,
        }
    }

    /// Returns whether the group itself has a field that no hook's entry has.
    pub(crate) fn says(&self, field: &str) -> bool {
        match field {
            "matcher" => self.matcher.is_some(),
            "sequential" => self.grouping == Grouping::Sequential,
            _ => false,
        }
    }
}

impl HookReader<'_, '_> {
    /// Reads a `hooks` object. Of a repeated event name all values are read (ST-5).
    pub(crate) fn read(&mut self, value: &Value<'_>) -> Shape {
        let Value::Object(object) = value else {
            self.report
                .wrong_type("\"hooks\"", value, "an object with event names as keys");
            return Shape::Unreadable;
        };
        self.report.report_repeated(object, |name| !is_older(name));
        for property in &object.properties {
            let name = property.name.as_str();
            if OLDER_KEYS.contains(&name) {
                self.older_key(property);
                continue;
            }
            let mut theirs = None;
            let (event, broken) = if let Ok(event) = name.parse::<EventName>() {
                (event, None)
            } else if let Some(event) = self.event_of_dialect(name, &property.value) {
                theirs = Some(name);
                (event, None)
            } else {
                let broken = self.unknown_event(property);
                let Some(event) = nearest_event(name) else {
                    continue;
                };
                (event, Some(broken))
            };
            self.report.event = Some(event);
            let mut group = Group::new(event, broken);
            group.dialect_event = theirs.map(str::to_owned);
            self.event(group, &property.value);
            self.report.event = None;
        }
        Shape::Readable
    }

    /// Reads `hooksConfig.dialect`, which applies to the file's own hooks (FD-1).
    pub(crate) fn read_dialect(&mut self, root: &Object<'_>) {
        if let Some(Value::Object(config)) = member(root, "hooksConfig").map(|it| &it.value)
            && let Some(property) = member(config, "dialect").filter(|it| !is_null(&it.value))
        {
            self.dialect = self.dialect(&property.value).map(Some);
        }
    }

    fn older_key(&mut self, property: &ObjectProp<'_>) {
        if self.extension.is_some() {
            let name = property.name.as_str();
            self.report.add(
                ProblemCode::UnknownField,
                key_start(property),
                format!("\"{name}\" has no effect in an extension"),
                "remove it; it has an effect in settings files",
            );
        }
    }

    fn unknown_event(&mut self, property: &ObjectProp<'_>) -> Arc<Broken> {
        let name = property.name.as_str();
        let foreign = event_from_foreign_name(name).or_else(|| event_of_others(name));
        let guessed = guessed_event(name);
        let meant = foreign
            .map(EventName::as_str)
            .or_else(|| nearest(name, EventName::ALL.map(EventName::as_str)))
            .or_else(|| guessed.map(EventName::as_str));
        let help = match (meant, foreign) {
            (None, _) if name == "hooks" => {
                "remove this \"hooks\": events belong directly in the outer one".to_owned()
            }
            _ if let Some(events) = several_events(name) => format!(
                "write each event with a list of its own: {}",
                events.map(|it| format!("\"{it}\": […]")).join(", ")
            ),
            _ if let Some(place) = belongs(name) => format!("move \"{name}\" {place}"),
            (Some(meant), Some(_)) => format!(
                "write \"{meant}\", which is what another agent calls \"{}\"; `hookloop hooks \
                 migrate` translates whole files",
                excerpt(name)
            ),
            (Some(meant), None) if guessed.is_some_and(|it| it.as_str() == meant) => format!(
                "write \"{meant}\", and name its tools in \"matcher\", if it is for some only"
            ),
            (Some(meant), None) => match look_alikes(name) {
                Some(letters) => format!("write \"{meant}\": {letters}"),
                None => format!("write \"{meant}\"; names are case-sensitive"),
            },
            (None, _) => format!(
                "events are {}",
                EventName::ALL.map(EventName::as_str).join(", ")
            ),
        };
        let message = format!("\"{}\" isn't an event", excerpt(name));
        let code = ProblemCode::UnknownEvent;
        self.report
            .fault(code, key_start(property), message, help, meant)
    }

    fn event(&mut self, mut group: Group, value: &Value<'_>) {
        let event = group.event;
        match &self.dialect {
            Ok(dialect) => group.dialect = *dialect,
            Err(fault) => _ = group.broken.get_or_insert_with(|| Arc::clone(fault)),
        }
        let Value::Array(list) = value else {
            let fault = self.wrong_type(
                &format!("\"{event}\""),
                value,
                "a list of groups, such as [{\"hooks\": [{\"type\": \"command\", …}]}]",
            );
            group.broken.get_or_insert(fault);
            match value {
                Value::Object(object) => self.group(group, object),
                other => self.stand_in(&group, start(other)),
            }
            return;
        };
        if list.elements.is_empty() && group.broken.is_none() {
            let what = format!("\"{event}\" is an empty list, so nothing runs");
            self.nothing_to_run(start(value), what);
        }
        for element in &list.elements {
            let group = group.clone();
            match element {
                Value::Object(object) => self.group(group, object),
                other => self.stand_in_for(group, "a group of hooks", other, "an object"),
            }
        }
    }

    fn group(&mut self, mut group: Group, object: &Object<'_>) {
        let holds_hooks = member(object, "hooks").is_some();
        if holds_hooks && deny_wish::of_group(object) {
            group.on_failure = OnFailure::Deny;
        }
        for property in self.report.members(object) {
            let value = &property.value;
            match property.name.as_str() {
                "matcher" if !is_null(value) => self.matcher(&mut group, value),
                "sequential" if !is_null(value) => self.sequential(&mut group, value),
                "dialect" if !is_null(value) => match self.dialect(value) {
                    Ok(dialect) => group.dialect = Some(dialect),
                    Err(fault) => _ = group.broken.get_or_insert(fault),
                },
                "agents" if !is_null(value) => match self.agents(value) {
                    Ok(agents) => group.agents = Some(agents),
                    Err(fault) => _ = group.broken.get_or_insert(fault),
                },
                name if GROUP_FIELDS.contains(&name) => {}
                // A hook in the place of a group is reported once, below.
                _ if !holds_hooks => {}
                // `tool` is a field of hooks of type `mcp_tool`.
                "tool" => self.unknown_in_group(property, object, group.written),
                name if HOOK_FIELDS.contains(&name) => {
                    let message = format!("a group of hooks has no field \"{name}\"");
                    let mut help = format!("move \"{name}\" into each of the group's hooks");
                    if name == "onFailure" && group.on_failure == OnFailure::Deny {
                        help = format!("{help}; {COUNTS}");
                    }
                    let code = ProblemCode::UnknownField;
                    self.report.add(code, key_start(property), message, help);
                }
                _ => self.unknown_in_group(property, object, group.written),
            }
        }
        match member(object, "hooks").map(|property| &property.value) {
            None => self.group_without_hooks(group, object),
            Some(value @ Value::Array(list)) => {
                if list.elements.is_empty() {
                    let what = "the \"hooks\" of a group is an empty list, so nothing runs";
                    self.nothing_to_run(start(value), what.to_owned());
                }
                for element in &list.elements {
                    match element {
                        Value::Object(hook) => self.hook(&group, hook),
                        other => {
                            self.stand_in_for(group.clone(), "a hook", other, "an object");
                        }
                    }
                }
            }
            Some(other) => {
                let fault = self.wrong_type("\"hooks\" of a group", other, "a list of hooks");
                group.broken.get_or_insert(fault);
                match other {
                    Value::Object(hook) => self.hook(&group, hook),
                    other => self.stand_in(&group, start(other)),
                }
            }
        }
    }

    /// Reports a field without meaning for a group, with what was meant if its name shows that.
    fn unknown_in_group(
        &mut self,
        property: &ObjectProp<'_>,
        object: &Object<'_>,
        written: Written,
    ) {
        let place = "a group of hooks";
        if report_inside(self.report, place, property) {
            return;
        }
        match correction(property, Holder::Group, object, written) {
            Some(meant) => self.report.report_misplaced_field(property, place, meant),
            None => self.report.unknown_field(property, place, GROUP_FIELDS),
        }
    }

    /// Reads a matcher; one that can't be read matches everything.
    fn matcher(&mut self, group: &mut Group, value: &Value<'_>) {
        match self.text("\"matcher\"", value) {
            Ok(matcher) => {
                group.matcher = Some(matcher);
                group.matcher_place = Some(self.report.text.position(start(value)));
            }
            Err(fault) => _ = group.broken.get_or_insert(fault),
        }
    }

    fn sequential(&mut self, group: &mut Group, value: &Value<'_>) {
        match value {
            Value::BooleanLit(boolean) if !boolean.value => {}
            Value::BooleanLit(_) => group.grouping = Grouping::Sequential,
            other => {
                let fault = self.wrong_type("\"sequential\"", other, "true or false");
                group.broken.get_or_insert(fault);
            }
        }
    }

    fn nothing_to_run(&mut self, offset: usize, message: String) {
        let help =
            "write the hook into it, as {\"type\": \"command\", \"command\": …}, or remove it";
        let code = ProblemCode::NothingToRun;
        self.report.add(code, offset, message, help);
    }

    fn group_without_hooks(&mut self, mut group: Group, object: &Object<'_>) {
        let is_hook = ["command", "type", "url", "rules"]
            .iter()
            .any(|field| member(object, field).is_some());
        let help = if is_hook {
            "put the hook into a group: {\"hooks\": [{\"type\": \"command\", …}]}"
        } else {
            "add \"hooks\": [{\"type\": \"command\", \"command\": …}]"
        };
        let message = "a group has no field \"hooks\"".to_owned();
        let code = ProblemCode::MissingField;
        let fault = self
            .report
            .fault(code, start(object), message, help.to_owned(), None);
        group.broken.get_or_insert(fault);
        if is_hook {
            group.written = Written::AsHook;
            self.hook(&group, object);
        } else {
            self.stand_in(&group, start(object));
        }
    }

    fn stand_in_for(&mut self, mut group: Group, what: &str, value: &Value<'_>, wanted: &str) {
        let fault = if matches!(value, Value::Array(_)) {
            let message = format!("{what} is {}, not {wanted}", kind_of(value));
            let help = "remove this [ and its ]: the objects belong in the outer list".to_owned();
            self.report
                .fault(ProblemCode::WrongType, start(value), message, help, None)
        } else {
            self.wrong_type(what, value, wanted)
        };
        group.broken.get_or_insert(fault);
        self.stand_in(&group, start(value));
    }

    /// Adds a hook that can't start where nothing of a hook can be read.
    fn stand_in(&mut self, group: &Group, offset: usize) {
        let mut declaration = self.declaration(group, offset);
        // Only the cause distinguishes two of them.
        let cause = group.broken.as_ref().map(|it| it.cause.clone());
        self.identify(&mut declaration, cause.as_deref().unwrap_or_default());
        self.hooks.push(declaration);
    }

    /// Declares a hook of a group that has no handler yet.
    pub(crate) fn declaration(&self, group: &Group, offset: usize) -> HookDeclaration {
        let source = self.report.text.source_at(offset);
        let handler = hookloop_hook::Handler::Unreadable { type_name: None };
        let id = hookloop_hook::HookId::from_text("");
        let mut declaration = HookDeclaration::new(id, group.event, handler, source);
        declaration.broken.clone_from(&group.broken);
        declaration.matcher.clone_from(&group.matcher);
        declaration.grouping = group.grouping;
        declaration.on_failure = group.on_failure;
        declaration.dialect = group.dialect.unwrap_or_default();
        declaration.dialect_event.clone_from(&group.dialect_event);
        declaration.agents.clone_from(&group.agents);
        declaration.extension = self
            .extension
            .as_ref()
            .map(|(origin, _)| Arc::clone(origin));
        declaration.places = HookPlaces {
            matcher: group.matcher_place,
            ..HookPlaces::default()
        };
        declaration
    }

    /// Reports a value of the wrong type as the cause why something can't be built.
    pub(crate) fn wrong_type(
        &mut self,
        what: &str,
        value: &Value<'_>,
        wanted: &str,
    ) -> Arc<Broken> {
        let message = format!("{what} is {}, not {wanted}", kind_of(value));
        let help = format!("write {wanted} here");
        self.report
            .fault(ProblemCode::WrongType, start(value), message, help, None)
    }

    /// Returns a text with the extension's variables replaced (EX-2).
    pub(crate) fn text(&mut self, what: &str, value: &Value<'_>) -> Result<String, Arc<Broken>> {
        let Value::StringLit(text) = value else {
            return Err(self.wrong_type(what, value, "a string"));
        };
        Ok(match &self.extension {
            Some((_, substitution)) => substitution.apply(&text.value).into_owned(),
            None => text.value.to_string(),
        })
    }

    /// Returns the texts of a list, variables replaced.
    pub(crate) fn texts(
        &mut self,
        what: &str,
        value: &Value<'_>,
    ) -> Result<Vec<String>, Arc<Broken>> {
        let Value::Array(list) = value else {
            return Err(self.wrong_type(what, value, "a list of strings"));
        };
        let what = format!("an entry of {what}");
        list.elements
            .iter()
            .map(|element| self.text(&what, element))
            .collect()
    }

    pub(crate) fn dialect(&mut self, value: &Value<'_>) -> Result<Dialect, Arc<Broken>> {
        let dialect = self.word("\"dialect\"", value, Dialect::ALL, Dialect::as_str)?;
        if hookloop_dialects::is_supported(dialect) {
            return Ok(dialect);
        }
        let message = format!("the dialect \"{dialect}\" isn't supported by this build");
        let help = "write the hook in the dialect \"hookloop\"".to_owned();
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, start(value), message, help, None))
    }

    /// Returns the value that a word names.
    pub(crate) fn word<T: Copy>(
        &mut self,
        what: &str,
        value: &Value<'_>,
        all: &[T],
        spelling: impl Fn(T) -> &'static str,
    ) -> Result<T, Arc<Broken>> {
        let text = self.text(what, value)?;
        if let Some(found) = all.iter().copied().find(|it| spelling(*it) == text) {
            return Ok(found);
        }
        let words: Vec<&str> = all.iter().map(|it| spelling(*it)).collect();
        let meant = nearest(&text, words.iter().copied());
        let message = format!("\"{}\" isn't a value of {what}", excerpt(&text));
        let help = format!("write one of {}", words.join(", "));
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, start(value), message, help, meant))
    }
}

/// Returns where a field that is among the events belongs.
fn belongs(name: &str) -> Option<&'static str> {
    if GROUP_FIELDS.contains(&name) {
        return Some("into the group: \"BeforeTool\": [{…, \"hooks\": […]}]");
    }
    if name != "onFailure" && HOOK_FIELDS.contains(&name) {
        return Some("into the hook: \"BeforeTool\": [{\"hooks\": [{…}]}]");
    }
    (name == "hooksConfig" || name != "hooks" && CONFIG_FIELDS.contains(&name))
        .then_some("to the top of the file: \"hooksConfig\": {…}")
}

/// Returns the first two of several events that a key names at once: `BeforeTool|AfterTool`.
fn several_events(name: &str) -> Option<[&str; 2]> {
    let between = |sign: char| sign.is_whitespace() || "|,;&+/".contains(sign);
    let mut words = name.split(between).filter(|it| !it.is_empty());
    let events = [words.next()?, words.next()?];
    let are_events = events.iter().all(|it| it.parse::<EventName>().is_ok());
    are_events.then_some(events)
}

fn is_older(name: &str) -> bool {
    OLDER_KEYS.contains(&name)
}

/// Returns the event whose name is a single edit (case, one letter more, less, other, or two
/// swapped) away from this one (IO-21).
fn nearest_event(name: &str) -> Option<EventName> {
    EventName::ALL
        .into_iter()
        .find(|event| is_one_edit(name, event.as_str()))
}
