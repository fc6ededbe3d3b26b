//! Laws of editing, on random settings with random comments.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{hook, text};
use crate::edit::{Changed, EditFault, SettingsText};
use hookloop_events::EventName;

const NAMES: [&str; 5] = [
    "format",
    "lint",
    "guard/the \"door\"",
    "é",
    "npx lint // not",
];

#[derive(Debug, Clone)]
enum Edit {
    Disable(Vec<&'static str>),
    Enable(Vec<&'static str>),
    SetFlag(i64),
    AddHook(Option<&'static str>, &'static str),
}

impl Edit {
    fn apply(&self, text: &mut SettingsText) -> Result<Changed, EditFault> {
        match self {
            Self::Disable(names) => text.disable(names.iter().copied()),
            Self::Enable(names) => text.enable(names.iter().copied()),
            Self::SetFlag(value) => text.set_hooks_config("flag", *value),
            Self::AddHook(matcher, command) => {
                text.add_hook(&hook(EventName::BeforeTool, *matcher, command))
            }
        }
    }

    /// What the edit does to the value alone; nothing if a wrong type is in the way.
    fn model(&self, mut value: Value) -> Option<Value> {
        match self {
            Self::Disable(names) => {
                let older = list(&value, "/hooks/disabled");
                let newer = list(&value, "/hooksConfig/disabled");
                let mut added = Vec::new();
                for name in names {
                    let name = json!(name);
                    if ![&older, &newer, &added].iter().any(|it| it.contains(&name)) {
                        added.push(name);
                    }
                }
                if !added.is_empty() {
                    let config = object(&mut value, "hooksConfig")?;
                    array(config, "disabled")?.extend(added);
                }
            }
            Self::Enable(names) => {
                for place in ["/hooksConfig/disabled", "/hooks/disabled"] {
                    if let Some(Value::Array(list)) = value.pointer_mut(place) {
                        list.retain(|it| !names.iter().any(|name| it == name));
                    }
                }
            }
            Self::SetFlag(number) => {
                object(&mut value, "hooksConfig")?.insert("flag".to_owned(), json!(number));
            }
            Self::AddHook(matcher, command) => {
                let groups = array(object(&mut value, "hooks")?, "BeforeTool")?;
                let new = json!({"type": "command", "command": command});
                let fitting = groups.iter_mut().rev().find(|group| {
                    let theirs = group.get("matcher").filter(|it| !it.is_null());
                    group["hooks"].is_array() && theirs == matcher.map(|it| json!(it)).as_ref()
                });
                match (fitting.and_then(|it| it["hooks"].as_array_mut()), matcher) {
                    (Some(hooks), _) => hooks.push(new),
                    (None, Some(matcher)) => {
                        groups.push(json!({"matcher": matcher, "hooks": [new]}));
                    }
                    (None, None) => groups.push(json!({"hooks": [new]})),
                }
            }
        }
        Some(value)
    }
}

fn list(value: &Value, place: &str) -> Vec<Value> {
    value
        .pointer(place)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn object<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Map<String, Value>> {
    let entry = value.as_object_mut()?.entry(key).or_insert(Value::Null);
    if entry.is_null() {
        *entry = json!({});
    }
    entry.as_object_mut()
}

fn array<'v>(object: &'v mut Map<String, Value>, key: &str) -> Option<&'v mut Vec<Value>> {
    let entry = object.entry(key).or_insert(Value::Null);
    if entry.is_null() {
        *entry = json!([]);
    }
    entry.as_array_mut()
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 0..4)
}

fn edit() -> impl Strategy<Value = Edit> {
    let matcher = prop::sample::select(vec![None, Some("glob"), Some("^(?:a|b)$")]);
    prop_oneof![
        names().prop_map(Edit::Disable),
        names().prop_map(Edit::Enable),
        (0..4_i64).prop_map(Edit::SetFlag),
        (matcher, prop::sample::select(&NAMES[..])).prop_map(|(m, c)| Edit::AddHook(m, c)),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(&NAMES[..]).prop_map(Value::from),
    ]
}

fn texts() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => names().prop_map(|names| json!(names)),
        1 => prop::collection::vec(scalar(), 0..4).prop_map(Value::from),
        1 => scalar(),
    ]
}

fn group() -> impl Strategy<Value = Value> {
    let matcher = prop::sample::select(vec![json!(null), json!("glob"), json!("^(?:a|b)$")]);
    (matcher, prop::collection::vec(scalar(), 0..3))
        .prop_map(|(matcher, hooks)| json!({"matcher": matcher, "hooks": hooks}))
}

/// Settings in which each part may be there, be something else, or be missing.
fn settings() -> impl Strategy<Value = Value> {
    let config = (
        prop::option::of(texts()),
        prop::option::of(scalar()),
        prop::option::of(scalar()),
    )
        .prop_map(|(disabled, flag, other)| {
            let members = [("disabled", disabled), ("flag", flag), ("other", other)];
            members
                .into_iter()
                .filter_map(|(key, it)| Some((key.to_owned(), it?)))
                .collect()
        })
        .prop_map(Value::Object);
    let groups = prop::collection::vec(group(), 0..3).prop_map(Value::from);
    let hooks = (prop::option::of(texts()), prop::option::of(groups))
        .prop_map(|(disabled, groups)| {
            let members = [("disabled", disabled), ("BeforeTool", groups)];
            members
                .into_iter()
                .filter_map(|(key, it)| Some((key.to_owned(), it?)))
                .collect()
        })
        .prop_map(Value::Object);
    let config = prop_oneof![6 => config, 1 => scalar()];
    let hooks = prop_oneof![6 => hooks, 1 => scalar()];
    let members = (
        prop::option::of(texts()),
        prop::option::of(config),
        prop::option::of(hooks),
        prop::option::of(scalar()),
    );
    members.prop_map(|(first, config, hooks, last)| {
        let members = [
            ("a", first),
            ("hooksConfig", config),
            ("hooks", hooks),
            ("z", last),
        ];
        members
            .into_iter()
            .filter_map(|(key, it)| Some((key.to_owned(), it?)))
            .collect()
    })
}

/// Writes a value with what a person might write between its parts.
struct Scribe {
    choices: Vec<u8>,
    next: usize,
    text: String,
}

impl Scribe {
    fn choose(&mut self) -> u8 {
        self.next += 1;
        self.choices[self.next % self.choices.len()]
    }

    fn trivia(&mut self) {
        let number = self.next;
        match self.choose() % 12 {
            0 => self.text.push_str(" /* c"),
            1 => self.text.push_str(" // c"),
            2 => self.text.push_str("\n  "),
            3 => self.text.push_str("\r\n\t"),
            4 => self.text.push(' '),
            5 => self.text.push_str("\n/* c\n"),
            _ => {}
        }
        match self.choices[self.next % self.choices.len()] % 12 {
            0 | 5 => write!(self.text, "{number} */").unwrap(),
            1 => writeln!(self.text, "{number}  ").unwrap(),
            _ => {}
        }
    }

    fn value(&mut self, value: &Value) {
        self.trivia();
        match value {
            Value::Array(list) => {
                let items: Vec<_> = list.iter().map(|it| (None, it)).collect();
                self.items('[', &items, ']');
            }
            Value::Object(object) => {
                let items: Vec<_> = object.iter().map(|(key, it)| (Some(key), it)).collect();
                self.items('{', &items, '}');
            }
            scalar => self.text.push_str(&scalar.to_string()),
        }
        self.trivia();
    }

    fn items(&mut self, open: char, items: &[(Option<&String>, &Value)], close: char) {
        self.text.push(open);
        for (index, (key, item)) in items.iter().enumerate() {
            self.trivia();
            if let Some(key) = key {
                write!(self.text, "{}:", json!(key)).unwrap();
            }
            self.value(item);
            if index + 1 < items.len() || self.choose().is_multiple_of(3) {
                self.text.push(',');
            }
        }
        self.trivia();
        self.text.push(close);
    }
}

fn written() -> impl Strategy<Value = (Value, String)> {
    (settings(), prop::collection::vec(any::<u8>(), 1..120)).prop_map(|(value, choices)| {
        let mut scribe = Scribe {
            choices,
            next: 0,
            text: String::new(),
        };
        scribe.value(&value);
        (value, scribe.text)
    })
}

/// All comments of a text, in order; strings are skipped.
fn comments(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'"', ..] => {
                let mut end = at + 1;
                while bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            [b'/', b'/', ..] => at + text[at..].find(['\n', '\r']).unwrap_or(text.len() - at),
            [b'/', b'*', ..] => at + text[at..].find("*/").unwrap() + 2,
            _ => at + 1,
        };
        if bytes[at] == b'/' {
            found.push(&text[at..end]);
        }
        at = end;
    }
    found
}

fn is_within(short: &str, long: &str) -> bool {
    let mut long = long.chars().filter(|letter| !letter.is_whitespace());
    short
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .all(|letter| long.any(|other| other == letter))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// ST-10: edits change what they are meant to change, and nothing else: no value, no comment,
    /// and no other bytes but white space beside what was added or removed.
    #[test]
    fn edits_change_nothing_else((value, before) in written(), edits in prop::collection::vec(edit(), 1..5)) {
        let mut text = SettingsText::new(before.as_str()).unwrap();
        let mut value = value;
        for edit in edits {
            let before = text.as_str().to_owned();
            match (edit.model(value.clone()), edit.apply(&mut text)) {
                (Some(expected), Ok(changed)) => {
                    let after = text.as_str();
                    prop_assert_eq!(text.to_value().unwrap(), expected.clone(), "{:?}\n{}\n{}", edit, before, after);
                    prop_assert_eq!(comments(&before), comments(after), "{:?}\n{}\n{}", edit, before, after);
                    prop_assert_eq!(changed.is_yes(), before != after);
                    match edit {
                        Edit::Enable(_) => prop_assert!(is_within(after, &before), "{before}\n{after}"),
                        // A null is replaced by the new value.
                        Edit::SetFlag(_) => {}
                        _ if before.contains("null") => {}
                        _ => prop_assert!(is_within(&before, after), "{before}\n{after}"),
                    }
                    value = expected;
                }
                (None, Err(_)) => prop_assert_eq!(&before, text.as_str()),
                (expected, result) => prop_assert!(false, "{edit:?} on\n{before}\n{expected:?} {result:?}"),
            }
        }
    }

    /// ST-10, CM-2: disabling what was enabled, and enabling it again, leaves the same names
    /// disabled and every other value as it was.
    #[test]
    fn enabling_undoes_disabling((value, before) in written(), names in names()) {
        let mut text = SettingsText::new(before.as_str()).unwrap();
        let disabled = text.disabled_names().unwrap();
        let fresh: Vec<&str> = names.into_iter().filter(|it| !disabled.iter().any(|d| d == it)).collect();
        if text.disable(fresh.iter().copied()).is_ok() {
            for name in &fresh {
                prop_assert!(text.disabled_names().unwrap().iter().any(|it| it == name));
            }
            let _ = text.enable(fresh.iter().copied()).unwrap();
            prop_assert_eq!(text.disabled_names().unwrap(), disabled);
            prop_assert_eq!(without_empty(text.to_value().unwrap()), without_empty(value));
        }
    }

    /// ST-10: whatever a file contains, reading it never panics, and what could be read can be
    /// edited.
    #[test]
    fn every_text_is_survived(content in "[\\[\\]{}\",:/*\\\\a0 \n\r\u{feff}é]{0,60}") {
        if let Ok(mut text) = SettingsText::new(content)
            && text.disable(["x"]).is_ok()
        {
            prop_assert!(text.disabled_names().unwrap().iter().any(|it| it == "x"));
        }
    }
}

fn without_empty(mut value: Value) -> Value {
    let hollow = |it: &Value| it.is_null() || *it == json!([]) || *it == json!({});
    if let Some(config) = value.get_mut("hooksConfig") {
        if config.get("disabled").is_some_and(hollow) {
            config.as_object_mut().unwrap().shift_remove("disabled");
        }
        if hollow(config) {
            value.as_object_mut().unwrap().shift_remove("hooksConfig");
        }
    }
    value
}

/// ST-10: a file of many entries is edited in one go, not entry by entry.
#[test]
fn long_lists_are_edited_at_once() {
    let names: Vec<String> = (0..3000).map(|number| format!("n{number}")).collect();
    let mut text = text("{}");
    let _ = text.disable(names.iter().map(String::as_str)).unwrap();
    assert_eq!(text.disabled_names().unwrap(), names);
    let _ = text.enable(names.iter().map(String::as_str)).unwrap();
    assert!(text.disabled_names().unwrap().is_empty());
}
