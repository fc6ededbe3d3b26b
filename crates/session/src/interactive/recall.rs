//! The conversation of a session that is resumed, as it is shown again (SE-11).

use std::sync::Arc;

use hookloop_agent::{KeptAnswer, said_by_user};
use hookloop_model::{Content, FunctionCall, Speaker};
use hookloop_tui::{Recalled, RecalledEnd};

/// How many pieces of a conversation are shown: the end of a long one shows where it was.
const MAX_PIECES: usize = 60;

/// Returns the pieces of a conversation, the last part of a long one.
pub(super) fn conversation(history: &[Arc<Content>]) -> Vec<Recalled> {
    let mut pieces = Vec::new();
    for (index, content) in history.iter().enumerate() {
        if content.role == Speaker::Model {
            let KeptAnswer { text, note } = KeptAnswer::of(content);
            if !text.trim().is_empty() {
                pieces.push(Recalled::Answer(text));
            }
            pieces.extend(note.map(Recalled::Incomplete));
            let next = history.get(index + 1).map(|it| &**it);
            let calls = content.function_calls().enumerate();
            pieces.extend(calls.map(|(place, call)| tool(call, place, next)));
        } else {
            pieces.extend(said_by_user(content).map(Recalled::Prompt));
        }
    }
    let too_many = pieces.len().saturating_sub(MAX_PIECES);
    if too_many > 0 {
        pieces.drain(..too_many);
        let text = format!("… {too_many} earlier pieces of the conversation aren't shown");
        pieces.insert(0, Recalled::Note(text));
    }
    pieces
}

/// Returns a call with how it ended, according to the response that follows it.
fn tool(call: &FunctionCall, place: usize, next: Option<&Content>) -> Recalled {
    let mut responses = next.into_iter().flat_map(Content::function_responses);
    let response = match &call.id {
        Some(id) => responses.find(|it| it.id.as_ref() == Some(id)),
        None => responses.nth(place),
    };
    let failed = response.is_none_or(|it| it.response.contains_key("error"));
    Recalled::Tool {
        name: call.name.clone(),
        arguments: call.args.clone(),
        end: if failed {
            RecalledEnd::Failed
        } else {
            RecalledEnd::Done
        },
    }
}

#[cfg(test)]
mod tests {
    use hookloop_agent::Half;
    use hookloop_model::{Part, PartData};
    use serde_json::{Map, Value};

    use super::*;

    /// SE-11: a resumed conversation is shown without what hooks added, tools with their end.
    #[test]
    fn a_conversation_is_shown_again() {
        let calls = ["read_file", "write_file"].map(|name| FunctionCall::new(name, Map::new()));
        let respond = |call: &FunctionCall, key: &str| {
            call.respond(Map::from_iter([(key.to_owned(), Value::from("x"))]))
        };
        let responses = [respond(&calls[0], "output"), respond(&calls[1], "error")];
        let mut asking = Content::model("let me look");
        let parts = calls.iter().cloned().map(PartData::FunctionCall);
        asking.parts.extend(parts.map(Part::new));
        let mut half = Content::model("- half of");
        let note = format!("\n\n{}", Half::CutOff.note());
        half.parts.push(Part::text(note));
        let history = [
            Content::user("<hook_context>start</hook_context>"),
            Content::user("go"),
            asking,
            Content::responses(responses),
            Content::model("done"),
            half,
        ];
        let tool = |name: &str, end| Recalled::Tool {
            name: name.to_owned(),
            arguments: Arc::default(),
            end,
        };
        let expected = [
            Recalled::Prompt("go".to_owned()),
            Recalled::Answer("let me look".to_owned()),
            tool("read_file", RecalledEnd::Done),
            tool("write_file", RecalledEnd::Failed),
            Recalled::Answer("done".to_owned()),
            Recalled::Answer("- half of".to_owned()),
            Recalled::Incomplete(Half::CutOff.note()),
        ];
        assert_eq!(conversation(&history.map(Arc::new)), expected);
    }

    /// SE-11: of a long conversation the end is shown, and that it isn't all.
    #[test]
    fn the_end_of_a_long_conversation_is_shown() {
        let history: Vec<Arc<Content>> = (0..100)
            .map(|number| Arc::new(Content::user(number.to_string())))
            .collect();
        let pieces = conversation(&history);
        assert!(matches!(&pieces[0], Recalled::Note(text) if text.contains("40 earlier")));
        assert_eq!(pieces.last(), Some(&Recalled::Prompt("99".to_owned())));
    }
}
