//! The tables of tools and their arguments, used in both directions (dialects.md, 3.2 and 3.3).

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

/// One of our tools, and its counterpart in another agent.
#[derive(Debug)]
pub struct ToolRule {
    /// Our name.
    pub ours: &'static str,
    /// The other agent's names. Payloads contain the first one.
    pub theirs: &'static [&'static str],
    /// The known arguments. Others keep their names.
    pub arguments: &'static [Argument],
    /// Arguments that don't correspond one to one.
    pub shape: Option<&'static Shape>,
}

/// Arguments that don't correspond one to one.
#[derive(Debug)]
pub struct Shape {
    /// Our names.
    pub ours: &'static [&'static str],
    /// The other agent's names.
    pub theirs: &'static [&'static str],
    /// Translates our arguments to theirs.
    pub speak: fn(&Map<String, Value>, &mut Map<String, Value>),
    /// Translates their arguments to ours.
    pub understand: fn(&Map<String, Value>, &mut Map<String, Value>),
}

/// An argument, by our name and theirs.
#[derive(Debug)]
pub struct Argument {
    /// Our name.
    pub ours: &'static str,
    /// The other agent's name.
    pub theirs: &'static str,
    /// The type of its value.
    pub kind: Kind,
}

/// The type of an argument's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The same in both.
    Same,
    /// A path, which is absolute in the other agent.
    Path,
    /// Paths, which are one text in the other agent, with one path per line, so that a script that
    /// searches it for a name finds all of them. Characters that would start a line are escaped.
    Paths,
    /// A line number, from 0 here and from 1 in the other agent.
    Line,
    /// Tasks, whose text is `description` here and `content` in the other agent.
    Todos,
    /// The last line to read, for which the other agent has the number of lines.
    LastLine,
    /// A switch that the other agent always states: as off if the call doesn't mention it.
    Switch,
}

/// An argument with the same name in both.
pub const fn same(name: &'static str) -> Argument {
    renamed(name, name)
}

/// An argument that differs only in its name.
pub const fn renamed(ours: &'static str, theirs: &'static str) -> Argument {
    argument(ours, theirs, Kind::Same)
}

/// An argument with a type of its own.
pub const fn argument(ours: &'static str, theirs: &'static str, kind: Kind) -> Argument {
    Argument { ours, theirs, kind }
}

/// A tool and its arguments.
pub const fn tool(
    ours: &'static str,
    theirs: &'static [&'static str],
    arguments: &'static [Argument],
) -> ToolRule {
    ToolRule {
        ours,
        theirs,
        arguments,
        shape: None,
    }
}

/// A tool with arguments that don't correspond one by one.
pub(crate) const fn shaped(
    ours: &'static str,
    theirs: &'static [&'static str],
    arguments: &'static [Argument],
    shape: &'static Shape,
) -> ToolRule {
    ToolRule {
        ours,
        theirs,
        arguments,
        shape: Some(shape),
    }
}

/// The base of relative paths.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'a> {
    /// The working directory, absolute.
    pub cwd: &'a Path,
}

impl Paths<'_> {
    /// Makes a path absolute, without looking at any file.
    pub(crate) fn absolute(self, path: &str) -> String {
        let mut absolute = PathBuf::new();
        for component in self.cwd.join(path).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    absolute.pop();
                }
                other => absolute.push(other),
            }
        }
        absolute.to_string_lossy().into_owned()
    }
}

/// Translates our arguments to theirs. An argument that the table doesn't contain keeps its name,
/// unless that is their name of another argument: an argument that a model adds must not replace a
/// known one.
pub fn to_their_arguments(
    rule: Option<&ToolRule>,
    arguments: &Map<String, Value>,
    paths: Paths<'_>,
) -> Map<String, Value> {
    let rules = rule.map_or(&[][..], |rule| rule.arguments);
    let shape = rule.and_then(|rule| rule.shape);
    let mut theirs = Map::new();
    for (name, value) in arguments {
        let is_shaped = |shape: &&Shape| {
            shape.ours.contains(&name.as_str()) || shape.theirs.contains(&name.as_str())
        };
        if shape.as_ref().is_some_and(is_shaped) {
            continue;
        }
        match rules.iter().find(|argument| argument.ours == name) {
            Some(argument) if argument.kind == Kind::LastLine => {
                let lines = lines_up_to(value, arguments.get("start_line"));
                theirs.entry(argument.theirs).or_insert(lines);
            }
            Some(argument) => {
                theirs.insert(
                    argument.theirs.to_owned(),
                    to_theirs(argument.kind, value, paths),
                );
            }
            None if rules.iter().any(|argument| argument.theirs == name) => {}
            None => {
                theirs.insert(name.clone(), value.clone());
            }
        }
    }
    if let Some(shape) = shape {
        (shape.speak)(arguments, &mut theirs);
    }
    for switch in rules.iter().filter(|it| it.kind == Kind::Switch) {
        theirs.entry(switch.theirs).or_insert(Value::Bool(false));
    }
    theirs
}

/// Translates their arguments to ours.
pub fn to_our_arguments(
    rule: Option<&ToolRule>,
    arguments: &Map<String, Value>,
) -> Map<String, Value> {
    let rules = rule.map_or(&[][..], |rule| rule.arguments);
    let shape = rule.and_then(|rule| rule.shape);
    let is_shaped = |name: &str| shape.is_some_and(|shape| shape.theirs.contains(&name));
    let plain = arguments.iter().filter(|(name, _)| !is_shaped(name));
    let ours = plain.filter_map(|(name, value)| {
        let Some(argument) = rules.iter().find(|argument| argument.theirs == name) else {
            return Some((name.clone(), value.clone()));
        };
        // Our calls don't mention a switch that is off.
        let is_off = argument.kind == Kind::Switch && *value == Value::Bool(false);
        (!is_off).then(|| (argument.ours.to_owned(), to_ours(argument.kind, value)))
    });
    let mut ours = ours.collect();
    if let Some(shape) = shape {
        (shape.understand)(arguments, &mut ours);
    }
    ours
}

/// Returns the arguments of a call that the new ones of a reply in our words leave out. What the
/// dialect has no word for stays: none of its hooks could repeat it.
pub(crate) fn omitted_arguments(
    tools: &'static [ToolRule],
    payload: &Map<String, Value>,
    reply: &str,
) -> Vec<String> {
    let Ok(Value::Object(reply)) = serde_json::from_str(reply) else {
        return Vec::new();
    };
    let new = reply
        .get(super::SPECIFIC)
        .and_then(|own| own.get("tool_input"))
        .and_then(Value::as_object);
    let old = payload.get("tool_input").and_then(Value::as_object);
    let (Some(new), Some(old)) = (new, old) else {
        return Vec::new();
    };
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let rule = tools.iter().find(|rule| Some(rule.ours) == tool);
    let is_known = |name: &String| {
        rule.is_none_or(|rule| {
            let shaped = rule.shape.map_or(&[][..], |shape| shape.ours);
            let mut named = rule
                .arguments
                .iter()
                .map(|it| it.ours)
                .chain(shaped.iter().copied());
            named.any(|known| known == name.as_str())
        })
    };
    let left_out = old.keys().filter(|name| !new.contains_key(*name));
    left_out.filter(|name| is_known(name)).cloned().collect()
}

/// Returns how many lines there are up to the last one.
fn lines_up_to(last: &Value, first: Option<&Value>) -> Value {
    let Some(last) = last.as_u64() else {
        return last.clone();
    };
    let first = first.and_then(Value::as_u64).unwrap_or(1);
    Value::from(last.saturating_add(1).saturating_sub(first))
}

/// Escapes what could begin a new line, or hide one, in a text among lines.
pub(crate) fn on_one_line(text: &str) -> String {
    let breaks = |sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for sign in text.chars() {
        if breaks(sign) {
            line.extend(sign.escape_default());
        } else {
            line.push(sign);
        }
    }
    line
}

fn to_theirs(kind: Kind, value: &Value, paths: Paths<'_>) -> Value {
    match (kind, value) {
        (Kind::Path, Value::String(path)) => Value::from(paths.absolute(path)),
        (Kind::Paths, Value::Array(all)) => {
            let all = all.iter().filter_map(Value::as_str);
            let all: Vec<String> = all.map(|path| on_one_line(&paths.absolute(path))).collect();
            Value::from(all.join("\n"))
        }
        (Kind::Todos, Value::Array(all)) => {
            let all = all.iter().map(|it| with_key(it, "description", "content"));
            all.collect()
        }
        (Kind::Line, Value::Number(line)) => line
            .as_u64()
            .map_or_else(|| value.clone(), |line| Value::from(line.saturating_add(1))),
        _ => value.clone(),
    }
}

fn to_ours(kind: Kind, value: &Value) -> Value {
    match (kind, value) {
        (Kind::Paths, Value::String(all)) => all.lines().collect(),
        (Kind::Todos, Value::Array(all)) => {
            let all = all.iter().map(|it| with_key(it, "content", "description"));
            all.collect()
        }
        (Kind::Line, Value::Number(line)) => line
            .as_u64()
            .map_or_else(|| value.clone(), |line| Value::from(line.saturating_sub(1))),
        _ => value.clone(),
    }
}

/// Returns an object with another name for one of its keys.
fn with_key(value: &Value, from: &str, to: &str) -> Value {
    let Value::Object(fields) = value else {
        return value.clone();
    };
    let mut fields = fields.clone();
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
    Value::Object(fields)
}
