//! The text of a settings file, and edits that keep every other byte (ST-10).

use std::collections::HashSet;
use std::path::Path;

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};

use super::container::{Container, layout_at};
use super::error::EditFault;
use super::render::{Layout, Style, quote};
use super::splice::{Splice, apply};
use crate::file_text::FileText;
use crate::syntax::{is_null, key_start, kind_of, member, parse, start, to_json};
use hookloop_hook::Source;

const HOOKS_CONFIG: &str = "hooksConfig";
const DISABLED: &str = "disabled";

/// Whether an edit changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Changed {
    /// The text has changed.
    Yes,
    /// The text already had the requested content.
    No,
}

impl Changed {
    /// Returns whether the text has changed.
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Combines two edits: the text changed if either changed it.
    pub const fn or(self, other: Self) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::No => other,
        }
    }
}

/// A settings text that can be edited (ST-10). Except at the place of an edit, comments, order,
/// unknown keys, indentation, line endings and trailing commas stay byte for byte.
///
/// ```
/// use hookloop_hook::{EventName, Grouping};
/// use hookloop_settings::{NewHook, SettingsText};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut text = SettingsText::new("{\n  // the team's\n  \"hooks\": {}\n}\n")?;
/// let hook = serde_json::from_str(r#"{"type": "command", "command": "./guard.sh"}"#)?;
/// let new = NewHook {
///     event: EventName::BeforeTool,
///     matcher: Some("write_file".to_owned()),
///     grouping: Grouping::default(),
///     hook,
/// };
/// assert!(text.add_hook(&new)?.is_yes());
/// assert!(text.as_str().contains("// the team's"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsText {
    text: String,
}

impl SettingsText {
    /// Creates a text from JSON without a byte order mark. A blank text is an empty object.
    ///
    /// # Errors
    /// The text isn't JSON, or isn't an object.
    pub fn new(text: impl Into<String>) -> Result<Self, EditFault> {
        let mut text: String = text.into();
        if text.trim().is_empty() {
            "{}\n".clone_into(&mut text);
        }
        let this = Self { text };
        this.read(|_| Ok(()))?;
        Ok(this)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the value of the text, without places and comments.
    ///
    /// # Errors
    /// The text isn't JSON; that can't happen after [`SettingsText::new`].
    pub fn to_value(&self) -> Result<Value, EditFault> {
        self.read(|root| Ok(to_json(&Node::Object(root.clone()))))
    }

    /// Adds names to `hooksConfig.disabled` unless a `disabled` list contains them (ST-7, CM-2).
    ///
    /// # Errors
    /// `hooksConfig` isn't an object, or its `disabled` isn't a list.
    pub fn disable<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Changed, EditFault> {
        let older = self.texts_at(&["hooks", DISABLED])?;
        let missing: Vec<&str> = names
            .into_iter()
            .filter(|name| !older.iter().any(|entry| entry == name))
            .collect();
        self.add_texts(&[HOOKS_CONFIG, DISABLED], &missing)
    }

    /// Removes names from `hooksConfig.disabled` and from its older spelling `hooks.disabled`
    /// (ST-7, CM-2).
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn enable<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Changed, EditFault> {
        let names: Vec<&str> = names.into_iter().collect();
        let newer = self.remove_texts(&[HOOKS_CONFIG, DISABLED], &names)?;
        let older = self.remove_texts(&["hooks", DISABLED], &names)?;
        Ok(newer.or(older))
    }

    /// Returns the names that the text disables, each once (ST-7).
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn disabled_names(&self) -> Result<Vec<String>, EditFault> {
        let mut names = self.texts_at(&[HOOKS_CONFIG, DISABLED])?;
        names.extend(self.texts_at(&["hooks", DISABLED])?);
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }

    /// Sets a key of `hooksConfig` (ST-6, ST-8).
    ///
    /// # Errors
    /// `hooksConfig` isn't an object.
    pub fn set_hooks_config(
        &mut self,
        key: &str,
        value: impl Into<Value>,
    ) -> Result<Changed, EditFault> {
        self.set(&[HOOKS_CONFIG, key], &value.into())
    }

    /// Sets the value at a path of keys. Missing objects are created.
    ///
    /// # Errors
    /// A value on the path isn't an object.
    pub fn set(&mut self, path: &[&str], value: &Value) -> Result<Changed, EditFault> {
        let style = Style::of(&self.text);
        let splices = self.read(|root| {
            let (found, rest) = self.walk(root, path)?;
            match found {
                Target::Missing { object, owner } => {
                    let container = Container::from_object(&self.text, owner, &object);
                    Ok(insert_member(&style, &container, rest, value))
                }
                Target::Value { owner, node } if is_null(&node) || rest.is_empty() => {
                    let wanted = wrap(rest, value);
                    if to_json(&node) == wanted {
                        return Ok(Vec::new());
                    }
                    let range = node.range().start..node.range().end;
                    let text = style.render(&wanted, &layout_at(&self.text, owner));
                    Ok(vec![Splice::replace(range, text)])
                }
                Target::Value { .. } => Ok(Vec::new()),
            }
        })?;
        Ok(self.apply(splices))
    }

    /// Adds texts to the list at a path of keys unless it contains them.
    ///
    /// # Errors
    /// A value on the path isn't an object, or the value isn't a list.
    pub fn add_texts(&mut self, path: &[&str], texts: &[&str]) -> Result<Changed, EditFault> {
        let present = self.texts_at(path)?;
        let mut seen: HashSet<&str> = present.iter().map(String::as_str).collect();
        let missing: Vec<Value> = texts
            .iter()
            .filter(|text| seen.insert(text))
            .map(|text| Value::String((*text).to_owned()))
            .collect();
        self.append_to_list(path, &missing)
    }

    /// Removes all occurrences of texts from the list at a path of keys. A value that isn't a list
    /// is left unchanged.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn remove_texts(&mut self, path: &[&str], texts: &[&str]) -> Result<Changed, EditFault> {
        let texts: HashSet<&str> = texts.iter().copied().collect();
        let splices = self.read(|root| {
            let Some((owner, array)) = list_at(root, path) else {
                return Ok(Vec::new());
            };
            let gone = |index: usize| match &array.elements[index] {
                Node::StringLit(text) => texts.contains(&*text.value),
                _ => false,
            };
            Ok(Container::from_array(&self.text, owner, array).remove(gone))
        })?;
        Ok(self.apply(splices))
    }

    /// Adds values at the end of the list that a path of keys leads to, which is created.
    pub(super) fn append_to_list(
        &mut self,
        path: &[&str],
        values: &[Value],
    ) -> Result<Changed, EditFault> {
        if values.is_empty() {
            return Ok(Changed::No);
        }
        let style = Style::of(&self.text);
        let splices = self.read(|root| match self.walk(root, path)? {
            (Target::Value { owner, node }, []) => match &node {
                Node::Array(array) => Ok(append(
                    &style,
                    &Container::from_array(&self.text, owner, array),
                    values,
                )),
                node if is_null(node) => Ok(Vec::new()),
                node => Err(self.wrong_type(path, node, "a list")),
            },
            _ => Ok(Vec::new()),
        })?;
        if splices.is_empty() {
            return self.set(path, &Value::Array(values.to_vec()));
        }
        Ok(self.apply(splices))
    }

    /// Runs a reading of the text's object.
    pub(super) fn read<R>(
        &self,
        reading: impl FnOnce(&Object<'_>) -> Result<R, EditFault>,
    ) -> Result<R, EditFault> {
        match parse(&self.text) {
            Ok(Node::Object(root)) => reading(&root),
            Ok(other) => Err(EditFault::NotJson {
                position: self.position(start(&other)),
                message: format!("it is {}, not an object", kind_of(&other)),
            }),
            Err(error) => Err(EditFault::NotJson {
                position: self.position(error.offset),
                message: error.message,
            }),
        }
    }

    pub(super) fn apply(&mut self, splices: Vec<Splice>) -> Changed {
        if splices.is_empty() {
            return Changed::No;
        }
        self.text = apply(&self.text, splices);
        Changed::Yes
    }

    /// Follows a path as far as it leads; the rest are the keys that are missing.
    fn walk<'t, 'p>(
        &self,
        root: &Object<'t>,
        path: &'p [&'p str],
    ) -> Result<(Target<'t>, &'p [&'p str]), EditFault> {
        let mut object = root.clone();
        let mut owner = start(root);
        for (index, key) in path.iter().enumerate() {
            let Some(property) = member(&object, key).cloned() else {
                return Ok((Target::Missing { object, owner }, &path[index..]));
            };
            owner = key_start(&property);
            let rest = &path[index + 1..];
            match property.value {
                Node::Object(inner) if !rest.is_empty() => object = inner,
                node if rest.is_empty() || is_null(&node) => {
                    return Ok((Target::Value { owner, node }, rest));
                }
                node => return Err(self.wrong_type(&path[..=index], &node, "an object")),
            }
        }
        let node = Node::Object(object);
        Ok((Target::Value { owner, node }, &[]))
    }

    fn texts_at(&self, path: &[&str]) -> Result<Vec<String>, EditFault> {
        self.read(|root| {
            let Some((_, array)) = list_at(root, path) else {
                return Ok(Vec::new());
            };
            let texts = array.elements.iter().filter_map(|element| match element {
                Node::StringLit(text) => Some(text.value.to_string()),
                _ => None,
            });
            Ok(texts.collect())
        })
    }

    fn wrong_type(&self, path: &[&str], node: &Node<'_>, wanted: &'static str) -> EditFault {
        EditFault::WrongType {
            path: path.join("."),
            found: kind_of(node),
            wanted,
            position: self.position(start(node)),
        }
    }

    pub(super) fn position(&self, offset: usize) -> hookloop_hook::Position {
        let nowhere = Source::of_file(Path::new(""));
        FileText::new(nowhere, self.text.clone()).position(offset)
    }
}

/// What a path leads to.
enum Target<'t> {
    /// An object that lacks the next key.
    Missing { object: Object<'t>, owner: usize },
    /// A value; keys that are left lead into a null.
    Value { owner: usize, node: Node<'t> },
}

/// Adds values to a list.
pub(super) fn append(style: &Style, list: &Container<'_>, values: &[Value]) -> Vec<Splice> {
    let layout: Layout = list.layout_of_next(style);
    let rendered: Vec<String> = values
        .iter()
        .map(|value| style.render(value, &layout))
        .collect();
    list.append(style, &rendered)
}

/// Returns the list that a path leads to, and where its member begins.
pub(super) fn list_at<'v, 't>(
    root: &'v Object<'t>,
    path: &[&str],
) -> Option<(usize, &'v Array<'t>)> {
    let (last, way) = path.split_last()?;
    let mut object = root;
    for key in way {
        match &member(object, key)?.value {
            Node::Object(inner) => object = inner,
            _ => return None,
        }
    }
    let property = member(object, last)?;
    match &property.value {
        Node::Array(array) => Some((key_start(property), array)),
        _ => None,
    }
}

/// Adds a member to an object, with the objects that its path leads through.
fn insert_member(
    style: &Style,
    object: &Container<'_>,
    path: &[&str],
    value: &Value,
) -> Vec<Splice> {
    let Some((key, rest)) = path.split_first() else {
        return Vec::new();
    };
    let layout = object.layout_of_next(style);
    let text = style.render(&wrap(rest, value), &layout);
    object.append(style, &[format!("{}: {text}", quote(key))])
}

/// Wraps a value into objects, one for each key.
fn wrap(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| {
        Value::Object(Map::from_iter([((*key).to_owned(), inner)]))
    })
}
