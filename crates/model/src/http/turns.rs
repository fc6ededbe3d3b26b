//! Adapts the conversation to servers' requirements: roles alternate, and no turn is empty.

use std::sync::Arc;

use hookloop_events::llm::Role;

use crate::content::Content;
use crate::part::{Part, PartData};

/// What one speaker says before the other one does.
#[derive(Debug, PartialEq)]
pub(crate) struct Turn<'r> {
    /// Who speaks: the user or the model.
    pub(crate) role: Role,
    /// What is said, in order.
    pub(crate) parts: Vec<&'r Part>,
}

/// Merges neighbouring contents of one speaker into a turn, and leaves out empty ones.
///
/// The responses to the calls of one turn are joined in this way, as servers require, even if a
/// text was put between them.
pub(crate) fn turns(contents: &[Arc<Content>]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for content in contents {
        let mut parts = content.parts.iter().filter(|part| says_something(part));
        let role = content.role.as_role();
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.parts.extend(parts),
            None => {
                if let Some(first) = parts.next() {
                    let parts = std::iter::once(first).chain(parts).collect();
                    turns.push(Turn { role, parts });
                }
            }
        }
    }
    turns
}

/// Servers refuse empty texts; a signature makes a part worth sending.
fn says_something(part: &Part) -> bool {
    let empty = matches!(&part.data, PartData::Text(text) if text.is_empty())
        || part.data == PartData::Other;
    !empty || part.thought_signature.is_some() || !part.extra.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::content::Speaker;
    use crate::function::FunctionCall;

    /// MO-1: speakers alternate, responses stay with their calls, and nothing empty is sent.
    #[test]
    fn neighbours_become_one_turn() {
        let calls = ["glob", "replace"].map(|name| FunctionCall::new(name, Map::new()));
        let signed = Part {
            thought_signature: Some("s".to_owned()),
            ..Part::text("")
        };
        let contents = [
            Content::user("a"),
            Content::new(Speaker::Unsaid, vec![Part::text("b"), Part::text("")]),
            Content::new(
                Speaker::Model,
                calls
                    .clone()
                    .map(|call| Part::new(PartData::FunctionCall(call)))
                    .into(),
            ),
            Content::new(Speaker::Model, vec![signed]),
            Content::responses([calls[0].respond(Map::new())]),
            Content::model(""),
            Content::user("note"),
            Content::responses([calls[1].respond(Map::new())]),
        ]
        .map(Arc::new);
        let turns = turns(&contents);
        let shape: Vec<_> = turns
            .iter()
            .map(|turn| (turn.role, turn.parts.len()))
            .collect();
        assert_eq!(shape, [(Role::User, 2), (Role::Model, 3), (Role::User, 3)]);
        assert_eq!(turns[0].parts[1].visible_text(), Some("b"));
    }
}
