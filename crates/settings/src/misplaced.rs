//! Hooks in places where nothing reads them (ST-5): they look installed, and would be silently off.

use hookloop_dialects::{ForeignEvent, foreign_event};
use hookloop_events::EventName;
use hookloop_hook::{Dialect, HookType, ProblemCode};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

use crate::corrections::COUNTS;
use crate::deny_wish;
use crate::event_names::{FOREIGN_EVENTS, guessed_event};
use crate::near::{is_one_edit, nearest};
use crate::report::Report;
use crate::syntax::{key_start, member, parse};

/// The kind of file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Settings,
    /// A file of hooks of an extension.
    HooksFile,
    /// An extension's manifest.
    Manifest,
}

/// The keys of a settings file that are about hooks.
const ROOTS: [&str; 2] = ["hooks", "hooksConfig"];

/// Reports the keys of a settings file that are events, or misspelt names of what contains them,
/// and hooks that are below other keys, whatever these are called.
///
/// Other unknown keys aren't looked at: a settings file is for more than hooks.
pub(crate) fn report_misplaced(report: &mut Report<'_>, members: &[&ObjectProp<'_>]) {
    for property in members {
        let name = property.name.as_str();
        // Its content is reported where it is read.
        if name == "hooks" {
            continue;
        }
        if switch(report, property) || other_file(report, property) {
            continue;
        }
        if name == "hooksConfig" || !at_the_top(report, Place::Settings, property) {
            below(report, Place::Settings, name, &property.value);
        }
    }
}

/// Reports hooks in a file of hooks of an extension that are in another key than `hooks` (ST-12).
pub(crate) fn report_beside_hooks(report: &mut Report<'_>, root: &Object<'_>) {
    report_beside(report, Place::HooksFile, root);
}

/// Reports hooks in an extension's manifest in another key than `hooks` (ST-12).
pub(crate) fn report_in_manifest(report: &mut Report<'_>, root: &Object<'_>) {
    report_beside(report, Place::Manifest, root);
}

fn report_beside(report: &mut Report<'_>, place: Place, root: &Object<'_>) {
    for property in &root.properties {
        let name = property.name.as_str();
        if deny_wish::is_clear(property) || deny_wish::is_at_the_top(property) {
            report_wish(report, place, property, name);
        } else if name != "hooks" && !at_the_top(report, place, property) {
            below(report, place, name, &property.value);
        }
    }
}

/// Returns whether a key of a settings file is a misspelt `hooks` that contains hooks (IO-21): a
/// single edit, or a look-alike. What can't be read of `hooks` can't be read of it either.
pub(crate) fn is_misspelt_hooks(property: &ObjectProp<'_>) -> bool {
    let value = &property.value;
    is_one_edit(property.name.as_str(), "hooks")
        && (is_text(value) || holds_events(value) || may_be_hooks(value))
}

/// Reports hooks at the top of another agent's file that nothing reads there, not even that agent:
/// a key that was meant to be `hooks`, and an event outside of it.
pub(crate) fn report_misspelt(report: &mut Report<'_>, root: &Object<'_>, dialect: Dialect) {
    for property in &root.properties {
        let name = property.name.as_str();
        let is_container = matches!(property.value, Value::Object(_) | Value::Array(_));
        if name == "hooks" || !is_container {
            continue;
        }
        let (help, meant) = if is_one_edit(name, "hooks") {
            let help = "did you mean \"hooks\"? names are case-sensitive".to_owned();
            (help, Some("hooks"))
        } else if foreign_event(dialect, name).is_some() {
            (into_hooks(name), None)
        } else if holds_events_of(dialect, &property.value) || are_hooks(property) {
            let help = "write it into \"hooks\", below its event".to_owned();
            (help, None)
        } else {
            continue;
        };
        report_misplaced_key(report, property, name, help, meant);
    }
}

/// Reports a switch of hooks that is at the top of the file, where it tightens nothing, and returns
/// whether it was one.
fn switch(report: &mut Report<'_>, property: &ObjectProp<'_>) -> bool {
    let name = property.name.as_str();
    let is_one = match &property.value {
        Value::StringLit(_) => deny_wish::is_name(name),
        Value::BooleanLit(_) => name == "strict",
        Value::Array(_) => name == "adopt",
        _ => false,
    };
    let is_wish = !deny_wish::is_name(name) && deny_wish::is_at_the_top(property);
    if is_one || is_wish {
        let mut message = format!("\"{name}\" has no effect at the top of the file");
        let mut help = format!("move it into \"hooksConfig\": {{\"{name}\": …}}");
        if is_wish {
            message = format!("\"{}\" isn't read here", excerpt(name));
            help = format!("write \"hooksConfig\": {{\"onFailure\": \"deny\"}} instead; {COUNTS}");
        } else if deny_wish::is_name(name) {
            message = format!("\"{name}\" doesn't belong at the top of the file");
            help = format!(
                "move it into \"hooksConfig\": {{\"onFailure\": …}}; {COUNTS}, unless it says \"warn\""
            );
        }
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            &help,
        );
    }
    is_one || is_wish
}

/// Reports a key that is meant to include another file, as in settings of other programs, and
/// returns whether it was one.
fn other_file(report: &mut Report<'_>, property: &ObjectProp<'_>) -> bool {
    const WORDS: [&str; 6] = [
        "extends", "include", "includes", "import", "imports", "$include",
    ];
    let name = property.name.as_str();
    let names_a_file = |value: &Value<'_>| match value {
        Value::StringLit(text) => [".json", ".jsonc", ".json5"]
            .iter()
            .any(|ending| text.value.ends_with(ending)),
        _ => false,
    };
    let is_one = WORDS.contains(&name)
        && match &property.value {
            Value::Array(list) => list.elements.iter().any(names_a_file),
            other => names_a_file(other),
        };
    if is_one {
        let message =
            format!("\"{name}\" doesn't include another file: hooks in that file don't run");
        let help = "write the hooks of that file into this one";
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            help,
        );
    }
    is_one
}

/// Reports a key of the file itself, and returns whether it was one that contains hooks.
fn at_the_top(report: &mut Report<'_>, place: Place, property: &ObjectProp<'_>) -> bool {
    let name = property.name.as_str();
    let is_container = matches!(property.value, Value::Object(_) | Value::Array(_));
    let dotted = name.strip_prefix("hooks.").and_then(event_of);
    let (help, meant) = if let Some(event) = event_of(name).or(dotted).filter(|_| is_container) {
        (into_hooks(event), None)
    } else if let Some(event) = own_event(name).filter(|_| is_text(&property.value)) {
        (into_hooks(event), None)
    } else if let Some(meant) = nearest(name, ROOTS).filter(|_| is_container) {
        let help = format!("did you mean \"{meant}\"? names are case-sensitive");
        (help, Some(meant))
    } else if is_misspelt_hooks(property) {
        let help = "did you mean \"hooks\"? names are case-sensitive".to_owned();
        (help, Some("hooks"))
    } else if let Some(help) = remedy(property) {
        (help, None)
    } else {
        return false;
    };
    if meant == Some("hooksConfig") {
        report_misspelt_config(report, property, help);
        return true;
    }
    let help = match &property.value {
        // A manifest may name a file with hooks.
        Value::StringLit(_) => help,
        _ => place.help(help),
    };
    report_misplaced_key(report, property, name, help, meant);
    true
}

/// Reports a misspelt `hooksConfig`. Nothing in it has an effect but a wish for refusals (IO-21).
fn report_misspelt_config(report: &mut Report<'_>, property: &ObjectProp<'_>, help: String) {
    let message = format!("\"{}\" isn't read here", excerpt(property.name.as_str()));
    let wish = match &property.value {
        Value::Object(config) => deny_wish::in_misplaced(config),
        _ => None,
    };
    let help = if wish.is_some() {
        format!("{help}; {COUNTS}")
    } else {
        help
    };
    let code = ProblemCode::MisplacedHooks;
    let meant = Some("hooksConfig");
    report.add_suggesting(code, key_start(property), message, help, meant);
}

/// Reports hooks that are somewhere below a key. The parser bounds how deep that is.
fn below(report: &mut Report<'_>, place: Place, path: &str, value: &Value<'_>) {
    match value {
        Value::Object(object) => {
            for property in &object.properties {
                inner(report, place, path, property);
            }
        }
        Value::Array(list) => {
            for element in &list.elements {
                below(report, place, path, element);
            }
        }
        _ => {}
    }
}

fn inner(report: &mut Report<'_>, place: Place, path: &str, property: &ObjectProp<'_>) {
    let name = property.name.as_str();
    let own_path = format!("{path}.{name}");
    match remedy(property) {
        Some(help) => report_misplaced_key(report, property, &own_path, place.help(help), None),
        // That of `hooksConfig` itself is read.
        None if deny_wish::is_clear(property) && path != "hooksConfig" => {
            report_wish(report, place, property, &own_path);
        }
        None => below(report, place, &own_path, &property.value),
    }
}

/// Reports an `onFailure` that nothing reads where it is (IO-21).
fn report_wish(report: &mut Report<'_>, place: Place, property: &ObjectProp<'_>, path: &str) {
    let message = format!("\"{}\" isn't read here", excerpt(path));
    let help = match place {
        Place::Settings => {
            format!("move it into \"hooksConfig\": {{\"onFailure\": \"deny\"}}; {COUNTS}")
        }
        Place::HooksFile | Place::Manifest => format!(
            "write \"onFailure\": \"deny\" into each hook of the extension; {COUNTS} for all of them"
        ),
    };
    let code = ProblemCode::MisplacedHooks;
    report.add(code, key_start(property), message, help);
}

impl Place {
    /// Returns what to do with hooks in this kind of file: what to do in a settings file, or move
    /// them.
    fn help(self, in_settings: String) -> String {
        match self {
            Self::Settings | Self::HooksFile => in_settings,
            Self::Manifest => IN_MANIFEST.to_owned(),
        }
    }
}

/// What to do with hooks in an extension's manifest.
const IN_MANIFEST: &str = "move it into \"hooks\" of the extension's hooks/hooks.json";

/// Returns whether a value is a non-empty string, such as a command.
fn is_text(value: &Value<'_>) -> bool {
    matches!(value, Value::StringLit(text) if !text.value.trim().is_empty())
}

/// Returns what to do with a member that contains hooks where nothing reads any; nothing of others.
fn remedy(property: &ObjectProp<'_>) -> Option<String> {
    let name = property.name.as_str();
    if is_text_of_hooks(&property.value) {
        return Some(
            "write it as an object, without quotes around it, to the top of the file: \
             {\"hooks\": {…}}"
                .to_owned(),
        );
    }
    if name.eq_ignore_ascii_case("hooks") && holds_events(&property.value) {
        return Some("move it out of there, to the top of the file: {\"hooks\": {…}}".to_owned());
    }
    let are_hooks = are_hooks(property);
    let event = match event_of(name) {
        Some(event) if are_hooks || may_be_hooks(&property.value) => Some(event),
        _ => meant_event(name).filter(|_| are_hooks),
    };
    match event {
        Some(event) => Some(into_hooks(event)),
        None => are_hooks.then(|| BELOW_AN_EVENT.to_owned()),
    }
}

/// Returns the event of ours that a key of hooks was most probably meant to be.
fn meant_event(name: &str) -> Option<&'static str> {
    let near = nearest(name, EventName::ALL.map(EventName::as_str));
    near.or_else(|| guessed_event(name).map(EventName::as_str))
}

/// What to do with hooks of which nobody knows the event.
const BELOW_AN_EVENT: &str =
    "write it into \"hooks\", below its event, as in \"hooks\": {\"BeforeTool\": […]}";

/// Reports a field of a group or a hook that contains hooks and that nothing reads, and tells
/// whether it was one.
pub(crate) fn report_inside(
    report: &mut Report<'_>,
    place: &str,
    property: &ObjectProp<'_>,
) -> bool {
    let is_one = are_hooks(property);
    if is_one {
        let name = excerpt(property.name.as_str());
        let message =
            format!("hooks in \"{name}\" of {place} have no effect: that key isn't read here");
        let help = "move them into the \"hooks\" of a group, or into a group of their own";
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            help,
        );
    }
    is_one
}

/// Returns whether a member of another object contains hooks, which [`report_misplaced`] reports.
pub(crate) fn is_misplaced(property: &ObjectProp<'_>) -> bool {
    remedy(property).is_some()
}

fn report_misplaced_key(
    report: &mut Report<'_>,
    property: &ObjectProp<'_>,
    path: &str,
    help: String,
    meant: Option<&str>,
) {
    let message = format!(
        "hooks in \"{}\" have no effect: that key isn't read here",
        excerpt(path)
    );
    let code = ProblemCode::MisplacedHooks;
    report.add_suggesting(code, key_start(property), message, help, meant);
}

fn into_hooks(event: &str) -> String {
    format!("move it into \"hooks\", as in \"hooks\": {{\"{event}\": […]}}")
}

/// Returns whether a value is like that of `hooks`: events with hooks.
fn holds_events(value: &Value<'_>) -> bool {
    let Value::Object(object) = value else {
        return false;
    };
    let mut properties = object.properties.iter();
    properties.any(|it| {
        let is_event = event_of(it.name.as_str()).is_some();
        (is_event && (may_be_hooks(&it.value) || is_text(&it.value))) || are_hooks(it)
    })
}

/// Returns whether a value is a text that is itself the JSON of hooks, as programs write it that
/// serialise twice.
fn is_text_of_hooks(value: &Value<'_>) -> bool {
    let Value::StringLit(text) = value else {
        return false;
    };
    let text = text.value.trim();
    if !text.starts_with('{') {
        return false;
    }
    let value = parse(text).ok();
    let holds_hooks = |object: &Object<'_>| {
        let hooks = member(object, "hooks");
        hooks.is_some_and(|it| holds_events(&it.value))
    };
    value.is_some_and(|value| {
        holds_events(&value) || matches!(&value, Value::Object(object) if holds_hooks(object))
    })
}

/// Returns whether a value is what another agent has in its `hooks`.
fn holds_events_of(dialect: Dialect, value: &Value<'_>) -> bool {
    let Value::Object(object) = value else {
        return false;
    };
    let mut properties = object.properties.iter();
    properties.any(|it| {
        let is_event = foreign_event(dialect, it.name.as_str()).is_some();
        (is_event && may_be_hooks(&it.value)) || are_hooks(it)
    })
}

/// Returns whether a value can be like that of an event: groups, or hooks without one. A word such
/// as `stop` is a key of other things too.
fn may_be_hooks(value: &Value<'_>) -> bool {
    let is_hook = |object: &Object<'_>| {
        let fields = ["hooks", "command", "type", "url", "rules", "bash"];
        fields.iter().any(|field| member(object, field).is_some())
    };
    match value {
        Value::Object(object) => is_hook(object),
        Value::Array(Array { elements, .. }) => {
            elements.iter().filter_map(Value::as_object).any(is_hook)
        }
        _ => false,
    }
}

/// What other agents write as a hook is written, and isn't one: commands whose output is shown or
/// listed.
const NO_HOOKS: [&str; 3] = ["statusLine", "subagentStatusLine", "fileSuggestion"];

/// Returns whether a member holds hooks, whatever its key is called.
fn are_hooks(property: &ObjectProp<'_>) -> bool {
    !NO_HOOKS.contains(&property.name.as_str()) && holds_hooks(&property.value)
}

/// Returns whether a value can be nothing but hooks: groups of them, or entries with a type of hook
/// and what that type runs. An MCP server has a `type` and a `url` too, and a key of its own.
fn holds_hooks(value: &Value<'_>) -> bool {
    match value {
        Value::Object(object) => {
            is_group(object) || type_of(object).is_some_and(|it| it != HookType::Http)
        }
        Value::Array(list) => {
            let mut elements = list.elements.iter().filter_map(Value::as_object);
            elements.any(|it| is_group(it) || type_of(it).is_some())
        }
        _ => false,
    }
}

/// Returns whether an object is a group of hooks.
fn is_group(object: &Object<'_>) -> bool {
    let mut members = object.properties.iter();
    members.any(|it| {
        let name = it.name.as_str();
        (name == "hooks" || is_one_edit(name, "hooks")) && may_be_hooks(&it.value)
    })
}

/// Returns the type of hook that an object names and has something to run for.
fn type_of(object: &Object<'_>) -> Option<HookType> {
    let Value::StringLit(named) = &member(object, "type")?.value else {
        return None;
    };
    let mut types = HookType::ALL.iter().copied();
    let named = types.find(|it| it.as_str().eq_ignore_ascii_case(named.value.trim()))?;
    let fields: &[&str] = match named {
        HookType::Command | HookType::Worker => &["command"],
        HookType::Http => &["url"],
        HookType::Plugin => &["plugin"],
        HookType::Rule => &["rules", "when"],
        HookType::McpTool => &["tool"],
        HookType::Prompt => &["prompt"],
    };
    let has_one = fields.iter().any(|it| member(object, it).is_some());
    has_one.then_some(named)
}

/// Returns the event of ours that a key means by its own name, as it may be misspelt.
fn own_event(name: &str) -> Option<&'static str> {
    let mut events = EventName::ALL.into_iter().map(EventName::as_str);
    events.find(|it| *it == name || is_one_edit(name, it))
}

/// Returns the event of ours that a key means, under our name or another agent's.
fn event_of(name: &str) -> Option<&'static str> {
    let ours = EventName::ALL.map(|event| (event.as_str(), event));
    let mut known = ours.iter().chain(FOREIGN_EVENTS);
    if let Some((_, event)) = known.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(event.as_str());
    }
    let mut foreign = Dialect::ALL.iter().map(|it| foreign_event(*it, name));
    foreign.find_map(|it| match it? {
        ForeignEvent::Ours(event) => Some(event.as_str()),
        ForeignEvent::Never(_) => None,
    })
}
