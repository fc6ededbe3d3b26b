//! Laws of rewriting, on random conversations and random changes.

use proptest::prelude::*;

use super::*;

/// What a hook does to a message that it saw, or before it.
#[derive(Debug, Clone)]
enum Change {
    Keep,
    Edit(String),
    Remove,
    InsertBefore(bool, String),
    InsertSystem(String),
}

fn words() -> impl Strategy<Value = String> {
    // Few words, so that messages repeat each other.
    prop::sample::select(vec!["a", "b", "ok", "ok then", "look", "äö"]).prop_map(str::to_owned)
}

fn text_part() -> impl Strategy<Value = Value> {
    (words(), 0..6).prop_map(|(text, kind)| match kind {
        0 => json!({"text": text, "thought": true}),
        1 => json!({"text": text, "thoughtSignature": "signed"}),
        2 => json!({"text": "", "thoughtSignature": "signed"}),
        3 => json!({"text": text, "partMetadata": {"a": 1}}),
        _ => json!({"text": text}),
    })
}

fn parts() -> impl Strategy<Value = Vec<Value>> {
    let image = words().prop_map(|data| json!({"inlineData": {"mimeType": "i/p", "data": data}}));
    prop::collection::vec(prop_oneof![4 => text_part(), 1 => image], 1..4)
}

/// A turn: of the user, of the model, or a call with its responses.
fn block() -> impl Strategy<Value = Vec<Value>> {
    let call = (words(), any::<bool>()).prop_map(|(name, signed)| {
        let mut part = json!({"functionCall": {"name": name, "args": {}}});
        if signed {
            part["thoughtSignature"] = json!("of a call");
        }
        part
    });
    let calling = (
        prop::collection::vec(prop_oneof![call, text_part()], 0..3),
        words(),
        prop::option::of(words()),
        any::<bool>(),
    )
        .prop_map(|(mut parts, name, text, twice)| {
            parts.push(json!({"functionCall": {"name": name, "args": {"n": 1}}}));
            let response = json!({"functionResponse": {"name": name, "response": {}}});
            let mut answers = vec![response.clone()];
            answers.extend(text.map(|text| json!({"text": text})));
            let mut block = vec![
                json!({"role": "model", "parts": parts}),
                json!({"role": "user", "parts": answers}),
            ];
            if twice {
                block.push(json!({"role": "user", "parts": [response]}));
            }
            block
        });
    prop_oneof![
        parts().prop_map(|parts| vec![json!({"role": "user", "parts": parts})]),
        parts().prop_map(|parts| vec![json!({"role": "model", "parts": parts})]),
        calling,
    ]
}

fn conversations() -> impl Strategy<Value = Request> {
    (
        prop::collection::vec(block(), 0..7),
        prop::option::of(words()),
    )
        .prop_map(|(blocks, system)| {
            let mut parts = request(&Value::Array(blocks.concat())).into_parts();
            parts.system_instruction = system.map(|text| Arc::new(Content::system(text)));
            Request::from(parts)
        })
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        4 => Just(Change::Keep),
        1 => words().prop_map(Change::Edit),
        1 => Just(Change::Edit(String::new())),
        1 => Just(Change::Remove),
        2 => (any::<bool>(), words()).prop_map(|(model, text)| Change::InsertBefore(model, text)),
        1 => words().prop_map(Change::InsertSystem),
    ];
    prop::collection::vec(change, 0..16)
}

/// Applies changes one after another: an insertion doesn't consume a message.
fn changed(seen: &[LlmMessage], changes: &[Change]) -> Vec<LlmMessage> {
    let mut given = Vec::new();
    let mut rest = seen.iter();
    for change in changes {
        let mut add = |role, content: &String| {
            given.push(LlmMessage {
                role,
                content: content.clone(),
            });
        };
        match change {
            Change::InsertBefore(true, text) => add(Role::Model, text),
            Change::InsertBefore(false, text) => add(Role::User, text),
            Change::InsertSystem(text) => add(Role::System, text),
            Change::Keep => given.extend(rest.next().cloned()),
            Change::Remove => drop(rest.next()),
            Change::Edit(text) => given.extend(rest.next().map(|seen| LlmMessage {
                role: seen.role,
                content: text.clone(),
            })),
        }
    }
    given.extend(rest.cloned());
    given
}

/// Lists everything that hooks can't see, in order, each with the speaker: every field of every
/// part except the text of what isn't a thought.
fn hidden(request: &Request) -> Vec<(Role, Value)> {
    let mut hidden = Vec::new();
    for content in &request.contents {
        for part in &content.parts {
            let mut part = serde_json::to_value(part).unwrap();
            let fields = part.as_object_mut().unwrap();
            if !fields.contains_key("thought") {
                fields.shift_remove("text");
            }
            if !fields.is_empty() {
                hidden.push((content.role.as_role(), part));
            }
        }
    }
    hidden
}

/// Returns for each content with responses whether a call or a response is directly before it.
fn pairs_hold(request: &Request) -> Vec<bool> {
    let is_response = |content: &Content| content.function_responses().next().is_some();
    let is_call = |content: &Content| content.function_calls().next().is_some();
    (0..request.contents.len())
        .filter(|&index| is_response(&request.contents[index]))
        .map(|index| {
            index > 0 && {
                let before = &request.contents[index - 1];
                is_call(before) || is_response(before)
            }
        })
        .collect()
}

/// What the view of a patched request contains: the conversation, without empty messages.
fn normalised(given: &[LlmMessage]) -> Vec<LlmMessage> {
    let texts = given.iter().filter(|message| !message.content.is_empty());
    texts
        .filter(|message| message.role != Role::System)
        .cloned()
        .collect()
}

/// What the instruction of a patched request contains: its own text, then that of the hooks.
fn instructed(request: &Request, given: &[LlmMessage]) -> String {
    let texts = given.iter().filter(|message| message.role == Role::System);
    instruction(request)
        .into_iter()
        .chain(texts.map(|message| message.content.clone()))
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn instruction(request: &Request) -> Option<String> {
    let content = request.system_instruction.as_ref()?;
    Some(content.visible_text())
}

fn patched(request: &Request, given: Vec<LlmMessage>) -> Request {
    request.clone().patched(&LlmRequestPatch {
        messages: Some(given),
        ..LlmRequestPatch::default()
    })
}

fn sorted(mut messages: Vec<LlmMessage>) -> Vec<String> {
    let mut lines: Vec<_> = messages
        .drain(..)
        .map(|message| format!("{:?} {}", message.role, message.content))
        .collect();
    lines.sort();
    lines
}

proptest! {
    /// BM-2: giving back what was seen changes nothing at all.
    #[test]
    fn the_identity_is_the_identity(request in conversations()) {
        let same = patched(&request, request.view().messages.clone());
        prop_assert_eq!(&same, &request);
        for (before, after) in request.contents.iter().zip(&same.contents) {
            prop_assert!(Arc::ptr_eq(before, after));
        }
    }

    /// BM-2: what hooks can't see survives every rewrite, in order, with its signatures.
    #[test]
    fn hidden_parts_survive(request in conversations(), changes in changes()) {
        let given = changed(&request.view().messages, &changes);
        prop_assert_eq!(hidden(&patched(&request, given)), hidden(&request));
    }

    /// BM-2: responses stay right after their calls.
    #[test]
    fn pairs_stay_together(request in conversations(), changes in changes()) {
        let given = changed(&request.view().messages, &changes);
        let pairs = pairs_hold(&patched(&request, given));
        prop_assert!(pairs.iter().all(|&held| held));
        prop_assert_eq!(pairs.len(), pairs_hold(&request).len());
    }

    /// BM-2: the model reads exactly the texts that the hook gave, and in its order wherever
    /// no response is in the way.
    #[test]
    fn the_given_texts_arrive(request in conversations(), changes in changes()) {
        let given = changed(&request.view().messages, &changes);
        let expected = normalised(&given);
        let expected_instruction = instructed(&request, &given);
        let patched = patched(&request, given);
        prop_assert_eq!(instruction(&patched).unwrap_or_default(), expected_instruction);
        let arrived = patched.view().messages.clone();
        let texts_in_responses = request.contents.iter().any(|content| {
            content.function_responses().next().is_some() && !content.visible_text().is_empty()
        });
        if !texts_in_responses {
            prop_assert_eq!(&arrived, &expected);
        }
        prop_assert_eq!(sorted(arrived), sorted(expected));
    }

    /// BM-2: any messages at all may be given, related to the conversation or not.
    #[test]
    fn unrelated_messages_lose_nothing(
        request in conversations(),
        given in prop::collection::vec((any::<bool>(), words()), 0..12),
    ) {
        let given: Vec<_> = given
            .into_iter()
            .map(|(model, content)| LlmMessage {
                role: if model { Role::Model } else { Role::User },
                content,
            })
            .collect();
        let patched = patched(&request, given.clone());
        prop_assert_eq!(hidden(&patched), hidden(&request));
        prop_assert!(pairs_hold(&patched).iter().all(|&held| held));
        prop_assert_eq!(sorted(patched.view().messages.clone()), sorted(given));
    }
}
