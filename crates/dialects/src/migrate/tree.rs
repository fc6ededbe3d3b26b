//! Values with their places, independent of the file format.

use serde_json::Value;

/// The root of a document; nothing if it is blank.
pub(super) type Tree = Option<Node>;

/// A value, and the byte at which it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) offset: usize,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) offset: usize,
    pub(super) value: Node,
}

impl Node {
    /// Returns it as JSON.
    pub(super) fn to_json(&self) -> Value {
        match &self.shape {
            Shape::Null => Value::Null,
            Shape::Boolean(value) => Value::Bool(*value),
            Shape::Number(value) => {
                serde_json::Number::from_f64(*value).map_or(Value::Null, Value::Number)
            }
            Shape::Text(text) => Value::from(text.as_str()),
            Shape::List(list) => list.iter().map(Self::to_json).collect(),
            Shape::Object(members) => {
                let members = members.iter();
                let fields = members.map(|it| (it.key.clone(), it.value.to_json()));
                Value::Object(fields.collect())
            }
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.shape {
            Shape::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the members of an object, the last of each name, without those that are null.
    pub(super) fn members(&self) -> Option<Vec<&Member>> {
        let Shape::Object(members) = &self.shape else {
            return None;
        };
        let mut last = std::collections::HashMap::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            last.insert(member.key.as_str(), index);
        }
        let kept = members.iter().enumerate().filter(|(index, member)| {
            last.get(member.key.as_str()) == Some(index) && member.value.shape != Shape::Null
        });
        Some(kept.map(|(_, member)| member).collect())
    }

    /// Returns every member of an object, also those whose names appear again, without those that
    /// are null.
    pub(super) fn every_member(&self) -> Option<Vec<&Member>> {
        let Shape::Object(members) = &self.shape else {
            return None;
        };
        let kept = members.iter().filter(|it| it.value.shape != Shape::Null);
        Some(kept.collect())
    }

    /// Returns the values of every member of a name, without those that are null.
    pub(super) fn every(&self, key: &str) -> Vec<&Self> {
        let members = self.every_member().unwrap_or_default().into_iter();
        let named = members.filter(|member| member.key == key);
        named.map(|member| &member.value).collect()
    }

    /// Returns the members of an object whose names stood in it before.
    pub(super) fn repeated_members(&self) -> Vec<&Member> {
        let mut seen = std::collections::HashSet::new();
        let members = self.every_member().unwrap_or_default().into_iter();
        members
            .filter(|member| !seen.insert(member.key.as_str()))
            .collect()
    }

    /// Returns a member whose name stood before in the same object, in this value or anywhere in
    /// it.
    pub(super) fn repeated_within(&self) -> Option<&Member> {
        match &self.shape {
            Shape::Object(members) => self
                .repeated_members()
                .into_iter()
                .next()
                .or_else(|| members.iter().find_map(|it| it.value.repeated_within())),
            Shape::List(list) => list.iter().find_map(Self::repeated_within),
            _ => None,
        }
    }

    /// Returns a member's value; null counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Shape::Object(members) = &self.shape else {
            return None;
        };
        let member = members.iter().rev().find(|member| member.key == key)?;
        (member.value.shape != Shape::Null).then_some(&member.value)
    }

    /// Returns whether a member is null, in so many words.
    pub(super) fn says_null(&self, key: &str) -> bool {
        let Shape::Object(members) = &self.shape else {
            return false;
        };
        let member = members.iter().rev().find(|member| member.key == key);
        member.is_some_and(|it| it.value.shape == Shape::Null)
    }

    pub(super) fn is_true(&self) -> bool {
        self.shape == Shape::Boolean(true)
    }

    pub(super) fn is_false(&self) -> bool {
        self.shape == Shape::Boolean(false)
    }
}

/// Returns line and column of a byte, both from 1; columns count characters.
pub(super) fn place_in(text: &str, offset: usize) -> (u32, u32) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    (saturate(line), saturate(column))
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
