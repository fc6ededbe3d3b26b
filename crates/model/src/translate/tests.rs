mod laws;

use hookloop_events::llm::{ToolConfig, ToolMode};
use serde_json::{Value, json};

use super::*;

/// Builds a request from contents in REST form.
fn request(contents: &Value) -> Request {
    let contents: Vec<Arc<Content>> = serde_json::from_value(contents.clone()).unwrap();
    Request::new("gemini", contents)
}

fn messages(messages: &Value) -> Vec<LlmMessage> {
    serde_json::from_value(messages.clone()).unwrap()
}

fn with_messages(request: Request, given: &Value) -> Request {
    request.patched(&LlmRequestPatch {
        messages: Some(messages(given)),
        ..LlmRequestPatch::default()
    })
}

fn contents(request: &Request) -> Value {
    serde_json::to_value(&request.contents).unwrap()
}

/// A conversation with a call between the texts.
fn conversation() -> Request {
    request(&json!([
        {"role": "user", "parts": [{"text": "Look at this."},
            {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"role": "model", "parts": [{"text": "hm", "thought": true},
            {"text": "I read it."}, {"functionCall": {"name": "read_file", "args": {}},
            "thoughtSignature": "s"}, {"text": " Wait."}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "read_file", "response": {"output": "x"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]}
    ]))
}

/// BM-1: hooks see model, texts, parameters; parts that aren't text are left out.
#[test]
fn hooks_see_texts_only() {
    let mut parts = conversation().into_parts();
    parts.system_instruction = Some(Arc::new(Content::system("Be kind.")));
    parts.config.insert("temperature".to_owned(), json!(0.5));
    let request = Request::from(parts);
    assert_eq!(
        serde_json::to_value(request.view()).unwrap(),
        json!({"model": "gemini", "messages": [
            {"role": "user", "content": "Look at this."},
            {"role": "model", "content": "I read it. Wait."},
            {"role": "model", "content": "Done."}],
            "config": {"temperature": 0.5}})
    );
}

/// BM-1: what a patch names is overridden, the rest stays.
#[test]
fn a_patch_overrides_what_it_names() {
    let mut parts = conversation().into_parts();
    parts.config = json!({"temperature": 0.5, "topK": 3, "seed": 1})
        .as_object()
        .cloned()
        .unwrap();
    let request = Request::from(parts);
    let before = request.clone();
    let patch = LlmRequestPatch {
        model: Some("gemini-flash".to_owned()),
        config: json!({"temperature": 0, "topP": 0.9, "seed": null})
            .as_object()
            .cloned()
            .unwrap(),
        tool_config: Some(ToolConfig {
            mode: Some(ToolMode::None),
            allowed_function_names: None,
        }),
        ..LlmRequestPatch::default()
    };
    let patched = request.patched(&patch);
    assert_eq!(patched.model, "gemini-flash");
    assert_eq!(
        Value::Object(patched.config.clone()),
        json!({"temperature": 0, "topK": 3, "topP": 0.9})
    );
    assert!(!patched.allowed_tools().permits("read_file"));
    assert_eq!(patched.contents, before.contents);
}

/// TS-1: a choice is put into the request; no choice leaves it unchanged.
#[test]
fn a_tool_choice_goes_into_the_request() {
    let chosen = conversation().with_tools(&ToolChoice::Required(Some(vec!["glob".to_owned()])));
    assert_eq!(
        chosen.tool_config,
        Some(ToolConfig {
            mode: Some(ToolMode::Any),
            allowed_function_names: Some(vec!["glob".to_owned()]),
        })
    );
    assert_eq!(
        conversation().with_tools(&ToolChoice::Unchanged),
        conversation()
    );
}

/// BM-2: edited text replaces text; image, thought, call and signature keep their place.
#[test]
fn edited_text_replaces_text() {
    let edited = with_messages(
        conversation(),
        &json!([
            {"role": "user", "content": "Look."},
            {"role": "model", "content": "I look."},
            {"role": "model", "content": "Done."}]),
    );
    assert_eq!(
        contents(&edited),
        json!([
            {"role": "user", "parts": [{"text": "Look."},
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
            {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "I look."},
                {"functionCall": {"name": "read_file", "args": {}}, "thoughtSignature": "s"}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "read_file", "response": {"output": "x"}}}]},
            {"role": "model", "parts": [{"text": "Done."}]}
        ])
    );
}

/// BM-2: removed messages remove their text; a content without anything else is removed.
#[test]
fn removed_messages_remove_their_text() {
    let emptied = with_messages(conversation(), &json!([]));
    assert_eq!(
        contents(&emptied),
        json!([
            {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
            {"role": "model", "parts": [{"text": "hm", "thought": true},
                {"functionCall": {"name": "read_file", "args": {}}, "thoughtSignature": "s"}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "read_file", "response": {"output": "x"}}}]}
        ])
    );
    let blanked = json!([{"role": "user", "content": ""}, {"role": "model", "content": ""},
        {"role": "model", "content": ""}]);
    assert_eq!(with_messages(conversation(), &blanked), emptied);
}

/// BM-2: added messages are where the hook put them: at the start, between, at the end.
#[test]
fn added_messages_are_where_they_were_put() {
    let added = with_messages(
        conversation(),
        &json!([
            {"role": "user", "content": "first"},
            {"role": "user", "content": "Look at this."},
            {"role": "model", "content": "I read it. Wait."},
            {"role": "user", "content": "between"},
            {"role": "model", "content": "Done."},
            {"role": "user", "content": "last"}]),
    );
    let roles_and_parts: Vec<_> = added
        .contents
        .iter()
        .map(|content| (content.visible_text(), content.parts.len()))
        .collect();
    let expected = [
        ("first", 1),
        ("Look at this.", 2),
        ("I read it. Wait.", 4),
        ("", 1),
        ("between", 1),
        ("Done.", 1),
        ("last", 1),
    ];
    assert_eq!(
        roles_and_parts,
        expected.map(|(text, parts)| (text.to_owned(), parts))
    );
}

/// BM-2: a message put first also precedes what hooks can't see.
#[test]
fn a_message_put_first_is_first() {
    let request = request(&json!([
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"role": "model", "parts": [{"text": "A cat."}]}
    ]));
    let prepended = with_messages(
        request,
        &json!([{"role": "user", "content": "first"}, {"role": "model", "content": "A cat."}]),
    );
    assert_eq!(prepended.contents[0].visible_text(), "first");
    assert_eq!(prepended.contents.len(), 3);
}

/// BM-2: a message that is appended in the middle of a tool loop comes after the response.
#[test]
fn an_appended_message_comes_after_the_response() {
    let mut parts = conversation().into_parts();
    parts.contents.pop();
    let request = Request::from(parts);
    let mut given = request.view().messages.clone();
    given.push(LlmMessage {
        role: Role::User,
        content: "reminder".to_owned(),
    });
    let appended = request.patched(&LlmRequestPatch {
        messages: Some(given),
        ..LlmRequestPatch::default()
    });
    assert_eq!(
        appended
            .contents
            .last()
            .map(|content| content.visible_text()),
        Some("reminder".to_owned())
    );
}

/// BM-2: an added message never separates a call from its response.
#[test]
fn an_added_message_never_parts_a_pair() {
    let pair = |call: &str, response: &str| {
        request(&json!([
            {"role": "model", "parts": [{"text": call},
                {"functionCall": {"name": "glob", "args": {}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "glob", "response": {}}}, {"text": response}]}]))
    };
    let texts = |request: &Request| -> Vec<String> {
        request
            .contents
            .iter()
            .map(|content| content.visible_text())
            .collect()
    };
    let both = with_messages(
        pair("call", "response"),
        &json!([{"role": "model", "content": "call"}, {"role": "user", "content": "added"},
            {"role": "user", "content": "response"}]),
    );
    assert_eq!(texts(&both), ["call", "response", "added"]);
    let mut longer = pair("call", "response").into_parts();
    longer.contents.push(Arc::new(Content::model("end")));
    let before_the_end = with_messages(
        Request::from(longer),
        &json!([{"role": "model", "content": "call"}, {"role": "user", "content": "added"},
            {"role": "user", "content": "response"}, {"role": "model", "content": "end"}]),
    );
    assert_eq!(texts(&before_the_end), ["call", "response", "added", "end"]);
    let response_only = with_messages(
        pair("", "response"),
        &json!([{"role": "user", "content": "added"}, {"role": "user", "content": "response"}]),
    );
    assert_eq!(texts(&response_only), ["added", "", "response"]);
}

/// BM-2: an image stays with the text that was edited, even if a message was added before.
#[test]
fn an_edited_message_is_told_from_an_added_one() {
    let edited = with_messages(
        conversation(),
        &json!([
            {"role": "user", "content": "Context: none."},
            {"role": "user", "content": "Look at this. Please."},
            {"role": "model", "content": "I read it. Wait."},
            {"role": "model", "content": "Done."}]),
    );
    assert_eq!(edited.contents[0].parts.len(), 1);
    assert_eq!(edited.contents[1].visible_text(), "Look at this. Please.");
    assert_eq!(edited.contents[1].parts.len(), 2);
}

/// BM-2: hooks don't see the system instruction and can't lose it; their system messages are
/// added to it, wherever they are.
#[test]
fn system_messages_are_added_to_the_instruction() {
    let instruction = |request: &Request| {
        request
            .system_instruction
            .as_ref()
            .map(|content| content.visible_text())
    };
    let start = request(&json!([{"role": "user", "parts": [{"text": "Hi"}]}]));
    let user = json!({"role": "user", "content": "Hi"});
    let kind = json!({"role": "system", "content": "Be kind."});
    let brief = json!({"role": "system", "content": "Be brief."});

    let added = with_messages(start.clone(), &json!([user, kind]));
    assert_eq!(instruction(&added).as_deref(), Some("Be kind."));
    assert_eq!(added.contents, start.contents);

    let mut parts = start.into_parts();
    parts.system_instruction = Some(Arc::new(Content::system("Be kind.")));
    let start = Request::from(parts);
    let both = with_messages(start.clone(), &json!([brief, user]));
    assert_eq!(instruction(&both).as_deref(), Some("Be kind.\n\nBe brief."));
    let unsaid = with_messages(start, &json!([user]));
    assert_eq!(instruction(&unsaid).as_deref(), Some("Be kind."));
}

/// BM-6: a rewrite doesn't change the contents that the history shares with the request.
#[test]
fn the_history_is_untouched() {
    let history = conversation().into_parts().contents;
    let before = serde_json::to_value(&history).unwrap();
    let request = Request::new("gemini", history.clone());
    let patched = with_messages(
        request,
        &json!([{"role": "user", "content": "other"}, {"role": "model", "content": "Done."}]),
    );
    assert_eq!(serde_json::to_value(&history).unwrap(), before);
    // Unchanged content is shared, not copied.
    assert!(Arc::ptr_eq(&history[3], &patched.contents[3]));
}

/// BM-2: a rewrite of a long conversation ends, whatever a hook gives.
#[test]
fn long_rewrites_are_bounded() {
    let long: Vec<_> = (0..400)
        .map(|number| Arc::new(Content::user(format!("old {number}"))))
        .collect();
    let given = (0..300)
        .map(|number| LlmMessage {
            role: Role::User,
            content: format!("new {number}"),
        })
        .collect::<Vec<_>>();
    let patched = Request::new("gemini", long).patched(&LlmRequestPatch {
        messages: Some(given.clone()),
        ..LlmRequestPatch::default()
    });
    assert_eq!(patched.view().messages, given);
}

/// BM-1: what hooks see is computed once, and again after a change.
#[test]
fn the_view_is_worked_out_once() {
    let request = conversation();
    let first = request.view();
    let second = request.clone().view();
    assert!(std::ptr::eq(&raw const *first, &raw const *second));
    let patched = with_messages(request, &json!([]));
    assert!(patched.view().messages.is_empty());
    let narrowed = patched.with_tools(&ToolChoice::Forbidden);
    assert_eq!(
        narrowed.view().tool_config.as_ref().and_then(|it| it.mode),
        Some(ToolMode::None)
    );
}
