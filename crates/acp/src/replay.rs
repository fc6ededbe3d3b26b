//! Sends the conversation of a resumed session to the editor (SE-11).

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    SessionUpdate, ToolCall as ShownCall, ToolCallId, ToolCallStatus,
};
use hookloop_agent::said_by_user;
use hookloop_events::ToolCall;
use hookloop_model::{Content, FunctionCall, Speaker};

use crate::calls;
use crate::stage::{EditorStage, chunk};

/// Shows what was said and done.
pub(crate) fn conversation(history: &[Arc<Content>], folder: &Path, stage: &EditorStage) {
    let mut number = 0;
    for (index, content) in history.iter().enumerate() {
        if content.role != Speaker::Model {
            if let Some(prompt) = said_by_user(content) {
                stage.send(SessionUpdate::UserMessageChunk(chunk(&prompt)));
            }
            continue;
        }
        let answer = content.visible_text();
        if !answer.trim().is_empty() {
            stage.send(SessionUpdate::AgentMessageChunk(chunk(&answer)));
        }
        let next = history.get(index + 1).map(|it| &**it);
        for (place, call) in content.function_calls().enumerate() {
            number += 1;
            let id = ToolCallId::new(format!("earlier-{number}"));
            stage.send(SessionUpdate::ToolCall(
                to_shown_call(id, call, folder).status(if is_failed(call, place, next) {
                    ToolCallStatus::Failed
                } else {
                    ToolCallStatus::Completed
                }),
            ));
        }
    }
}

fn to_shown_call(id: ToolCallId, call: &FunctionCall, folder: &Path) -> ShownCall {
    let known = ToolCall::new("", call.name.clone(), call.args.clone());
    ShownCall::new(id, calls::title(&known, None))
        .name(call.name.clone())
        .kind(calls::kind(&call.name))
        .locations(calls::locations(&call.args, folder))
}

/// Returns whether a call failed, from the response that follows it.
fn is_failed(call: &FunctionCall, place: usize, next: Option<&Content>) -> bool {
    let mut responses = next.into_iter().flat_map(Content::function_responses);
    let response = match &call.id {
        Some(id) => responses.find(|it| it.id.as_ref() == Some(id)),
        None => responses.nth(place),
    };
    response.is_none_or(|it| it.response.contains_key("error"))
}
