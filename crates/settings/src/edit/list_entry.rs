//! Entries of the lists in an object, such as the groups of `hooks`, in files of any agent (BR-1).

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::Value;

use super::container::{Container, layout_at};
use super::error::EditFault;
use super::render::{Layout, Style};
use super::splice::Splice;
use super::text::{Changed, SettingsText, list_at};
use crate::syntax::{key_start, member, to_json};

/// Where an entry is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryPlace {
    /// Before all others.
    First,
    /// After all others.
    Last,
}

impl SettingsText {
    /// Adds a value to the list at a path of keys. Missing objects and lists are created.
    ///
    /// # Errors
    /// A value on the path isn't an object, or the value isn't a list.
    pub fn add_entry(
        &mut self,
        path: &[&str],
        value: &Value,
        place: EntryPlace,
    ) -> Result<Changed, EditFault> {
        let style = Style::of(self.as_str());
        let splices = self.read(|root| {
            let first = list_at(root, path).and_then(|(_, list)| list.elements.first());
            let (Some(first), EntryPlace::First) = (first, place) else {
                return Ok(Vec::new());
            };
            let at = first.range().start;
            let layout = layout_at(self.as_str(), at);
            let separator = match &layout {
                Layout::Lines { indent } => format!("{}{indent}", style.line_end),
                Layout::Inline => " ".to_owned(),
            };
            let text = format!("{},{separator}", style.render(value, &layout));
            Ok(vec![Splice::insert(at, text)])
        })?;
        if splices.is_empty() {
            return self.append_to_list(path, std::slice::from_ref(value));
        }
        Ok(self.apply(splices))
    }

    /// Removes a name from the object at a key. Its other members stay as written.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn remove_member(&mut self, key: &str, name: &str) -> Result<Changed, EditFault> {
        let splices = self.read(|root| {
            let Some(property) = member(root, key) else {
                return Ok(Vec::new());
            };
            let Node::Object(object) = &property.value else {
                return Ok(Vec::new());
            };
            let all = Container::from_object(self.as_str(), key_start(property), object);
            Ok(all.remove(|at| object.properties[at].name.as_str() == name))
        })?;
        Ok(self.apply(splices))
    }

    /// Removes entries from all lists in the object at a key. A list without other entries is
    /// removed, and so is the object.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn remove_entries(
        &mut self,
        key: &str,
        is_gone: impl Fn(&Value) -> bool,
    ) -> Result<Changed, EditFault> {
        let is_gone = |node: &Node<'_>| is_gone(&to_json(node));
        let splices = self.read(|root| {
            let Some(property) = member(root, key) else {
                return Ok(Vec::new());
            };
            let Node::Object(object) = &property.value else {
                return Ok(Vec::new());
            };
            let elements = |at: usize| match &object.properties[at].value {
                Node::Array(list) => list.elements.as_slice(),
                _ => &[],
            };
            let goes = |at: usize| !elements(at).is_empty() && elements(at).iter().all(is_gone);
            let count = object.properties.len();
            if count > 0 && (0..count).all(goes) {
                let whole = Container::from_object(self.as_str(), 0, root);
                let index = |at: usize| {
                    let name = root.properties[at].range().start;
                    name == property.range.start
                };
                return Ok(whole.remove(index));
            }
            let events = Container::from_object(self.as_str(), key_start(property), object);
            let mut splices = events.remove(goes);
            for (at, event) in object.properties.iter().enumerate() {
                if let Node::Array(list) = &event.value
                    && !goes(at)
                {
                    let list_of = Container::from_array(self.as_str(), key_start(event), list);
                    splices.extend(list_of.remove(|at| is_gone(&list.elements[at])));
                }
            }
            Ok(splices)
        })?;
        Ok(self.apply(splices))
    }
}
