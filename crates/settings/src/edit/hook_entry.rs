//! Adds a hook to the `hooks` of a settings text (CM-7, CM-8).

use hookloop_events::EventName;
use jsonc_parser::ast::{Array, Object, Value as Node};
use serde_json::{Map, Value, json};

use super::container::Container;
use super::error::EditFault;
use super::render::Style;
use super::text::{Changed, SettingsText, append, list_at};
use crate::syntax::{member, to_json};
use hookloop_hook::Grouping;

/// A hook to add (ST-3).
#[derive(Debug, Clone, PartialEq)]
pub struct NewHook {
    /// Its event.
    pub event: EventName,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// The `sequential` of its group.
    pub grouping: Grouping,
    /// The hook's entry: `type`, `command` and so on, written as given.
    pub hook: Map<String, Value>,
}

impl SettingsText {
    /// Adds a hook after the others of its event: to the last group with the same matcher and
    /// `sequential`, or in a new group.
    ///
    /// # Errors
    /// `hooks` isn't an object, or the event isn't a list.
    pub fn add_hook(&mut self, new: &NewHook) -> Result<Changed, EditFault> {
        let style = Style::of(self.as_str());
        let path = ["hooks", new.event.as_str()];
        let splices = self.read(|root| {
            let Some((_, groups)) = list_at(root, &path) else {
                return Ok(Vec::new());
            };
            let hooks = groups
                .elements
                .iter()
                .rev()
                .find_map(|element| match element {
                    Node::Object(group) if new.matches(group) => match member(group, "hooks") {
                        Some(property) => match &property.value {
                            Node::Array(hooks) => Some((property.range.start, hooks)),
                            _ => None,
                        },
                        None => None,
                    },
                    _ => None,
                });
            Ok(hooks.map_or_else(Vec::new, |(owner, hooks)| {
                let list = Container::from_array(self.as_str(), owner, hooks);
                append(&style, &list, &[Value::Object(new.hook.clone())])
            }))
        })?;
        if splices.is_empty() {
            return self.append_to_list(&path, &[new.group()]);
        }
        Ok(self.apply(splices))
    }

    /// Removes the hooks with a name, and all groups, events and `hooks` that are empty then.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn remove_hooks(&mut self, name: &str) -> Result<Changed, EditFault> {
        self.remove_hooks_where(|hook| hook.get("name").and_then(Value::as_str) == Some(name))
    }

    /// Removes matching hooks from all groups, and all groups, events and `hooks` that are empty
    /// then.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn remove_hooks_where(
        &mut self,
        is_gone: impl Fn(&Value) -> bool,
    ) -> Result<Changed, EditFault> {
        let is_gone = |hook: &Node<'_>| is_gone(&to_json(hook));
        let splices = self.read(|root| {
            let Some((property, events)) =
                member(root, "hooks").and_then(|it| Some((it, it.value.as_object()?)))
            else {
                return Ok(Vec::new());
            };
            let is_empty_then = |group: &Node<'_>| {
                hooks_of(group).is_some_and(|(_, hooks)| {
                    !hooks.elements.is_empty() && hooks.elements.iter().all(is_gone)
                })
            };
            let goes = |at: usize| match &events.properties[at].value {
                Node::Array(groups) => {
                    !groups.elements.is_empty() && groups.elements.iter().all(is_empty_then)
                }
                _ => false,
            };
            let count = events.properties.len();
            if count > 0 && (0..count).all(goes) {
                let whole = Container::from_object(self.as_str(), 0, root);
                let is_hooks = |at: usize| root.properties[at].range.start == property.range.start;
                return Ok(whole.remove(is_hooks));
            }
            let all = Container::from_object(self.as_str(), property.range.start, events);
            let mut splices = all.remove(goes);
            for (at, event) in events.properties.iter().enumerate() {
                let Node::Array(groups) = &event.value else {
                    continue;
                };
                if goes(at) {
                    continue;
                }
                let list = Container::from_array(self.as_str(), event.range.start, groups);
                splices.extend(list.remove(|at| is_empty_then(&groups.elements[at])));
                for group in groups.elements.iter().filter(|it| !is_empty_then(it)) {
                    if let Some((owner, hooks)) = hooks_of(group) {
                        let list = Container::from_array(self.as_str(), owner, hooks);
                        splices.extend(list.remove(|at| is_gone(&hooks.elements[at])));
                    }
                }
            }
            Ok(splices)
        })?;
        Ok(self.apply(splices))
    }

    /// Returns the `hooks` object, to compare it with hooks to add.
    ///
    /// # Errors
    /// The text isn't JSON.
    pub fn hooks(&self) -> Result<Map<String, Value>, EditFault> {
        match self.to_value()?.get_mut("hooks").map(Value::take) {
            Some(Value::Object(hooks)) => Ok(hooks),
            _ => Ok(Map::new()),
        }
    }
}

/// Returns the hooks of a group, and where the member that contains them begins.
fn hooks_of<'g, 't>(group: &'g Node<'t>) -> Option<(usize, &'g Array<'t>)> {
    let Node::Object(group) = group else {
        return None;
    };
    let property = member(group, "hooks")?;
    match &property.value {
        Node::Array(hooks) => Some((property.range.start, hooks)),
        _ => None,
    }
}

impl NewHook {
    fn matches(&self, group: &Object<'_>) -> bool {
        let matcher = match member(group, "matcher").map(|it| &it.value) {
            None | Some(Node::NullKeyword(_)) => None,
            Some(Node::StringLit(text)) => Some(&*text.value),
            // Such a group is left out when it is read, along with its hooks.
            Some(_) => return false,
        };
        let grouping = match member(group, "sequential").map(|it| &it.value) {
            Some(Node::BooleanLit(sequential)) if sequential.value => Grouping::Sequential,
            None | Some(Node::NullKeyword(_) | Node::BooleanLit(_)) => Grouping::Parallel,
            Some(_) => return false,
        };
        matcher == self.matcher.as_deref() && grouping == self.grouping
    }

    fn group(&self) -> Value {
        let mut group = Map::new();
        if let Some(matcher) = &self.matcher {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        if self.grouping == Grouping::Sequential {
            group.insert("sequential".to_owned(), json!(true));
        }
        group.insert("hooks".to_owned(), json!([self.hook]));
        Value::Object(group)
    }
}
