//! The spans of the agent's steps: turns, model calls and tool calls (TE-3). They contain what
//! happened, but no content.
//!
//! Names begin with `hookloop`. Attributes follow the semantic conventions for generative AI where
//! those define a name.

use hookloop_engine::{OpenSpan, SessionHooks, SpanAttribute, SpanEnd, SpanKind, SpanStart};
use hookloop_model::Usage;

use crate::arrived::{Purpose, Sent};
use crate::finished_call::FinishedCall;
use crate::turn_end::TurnEnd;

/// Begins the span of a turn.
pub(crate) fn turn(hooks: &SessionHooks) -> (SessionHooks, OpenSpan) {
    hooks.in_span(|| SpanStart {
        name: "hookloop.turn",
        kind: SpanKind::Internal,
        attributes: vec![SpanAttribute::new("gen_ai.operation.name", "invoke_agent")],
    })
}

/// Ends the span of a turn.
pub(crate) fn end_turn(span: OpenSpan, end: &TurnEnd) {
    span.end(|| SpanEnd {
        attributes: vec![SpanAttribute::new("hookloop.ending", end.word())],
        error: error(end),
    });
}

/// Begins the span of a model call, including its hooks.
pub(crate) fn model_call(hooks: &SessionHooks, purpose: Purpose) -> (SessionHooks, OpenSpan) {
    hooks.in_span(|| SpanStart {
        name: "hookloop.model_call",
        kind: SpanKind::Client,
        attributes: vec![
            SpanAttribute::new("gen_ai.operation.name", "chat"),
            SpanAttribute::new("hookloop.purpose", purpose.word()),
        ],
    })
}

/// Ends the span of a model call: `sent` is the request, if one was made, `end` that of the turn,
/// if the call ended it.
pub(crate) fn end_model_call(span: OpenSpan, sent: Option<&Sent>, end: Option<&TurnEnd>) {
    span.end(|| {
        let usage = sent.and_then(|sent| sent.arrived.usage.as_ref());
        let (word, error) = match (end, sent) {
            (Some(end), _) => (end.word(), error(end)),
            (None, Some(_)) => ("answered", None),
            (None, None) => ("answered_by_hook", None),
        };
        let mut attributes = vec![SpanAttribute::new("hookloop.ending", word)];
        let mut add = |name, value: Option<hookloop_engine::SpanValue>| {
            attributes.extend(value.map(|value| SpanAttribute { name, value }));
        };
        let tokens = |read: fn(&Usage) -> Option<u64>| usage.and_then(read).map(Into::into);
        let model = sent.map(|sent| sent.model.clone());
        add("gen_ai.request.model", model.map(Into::into));
        add(
            "gen_ai.usage.input_tokens",
            tokens(|usage| usage.prompt_token_count),
        );
        add(
            "gen_ai.usage.output_tokens",
            tokens(|usage| usage.candidates_token_count),
        );
        add(
            "gen_ai.usage.cache_read.input_tokens",
            tokens(|usage| usage.cached_content_token_count),
        );
        add(
            "gen_ai.usage.reasoning.output_tokens",
            tokens(|usage| usage.thoughts_token_count),
        );
        let reason = sent.and_then(|sent| sent.arrived.finish_reason.clone());
        let reasons = reason.map(|reason| vec![reason].into());
        add("gen_ai.response.finish_reasons", reasons);
        SpanEnd { attributes, error }
    });
}

/// Begins the span of a tool call, including hooks and confirmation.
pub(crate) fn tool_call(hooks: &SessionHooks) -> (SessionHooks, OpenSpan) {
    hooks.in_span(|| SpanStart {
        name: "hookloop.tool_call",
        kind: SpanKind::Internal,
        attributes: vec![SpanAttribute::new("gen_ai.operation.name", "execute_tool")],
    })
}

/// Ends the span of a tool call.
pub(crate) fn end_tool_call(span: OpenSpan, ended: &FinishedCall) {
    span.end(|| {
        let error = ended.output.error.as_ref();
        let mut attributes = vec![
            SpanAttribute::new("gen_ai.tool.name", ended.call.name.as_str()),
            SpanAttribute::new("gen_ai.tool.call.id", ended.call.id.as_str()),
            SpanAttribute::new("hookloop.decision", ended.decided().as_str()),
            SpanAttribute::new("hookloop.success", error.is_none()),
        ];
        if let Some(original) = &ended.call.original_request_name {
            let name = "hookloop.original_request_name";
            attributes.push(SpanAttribute::new(name, original.as_str()));
        }
        SpanEnd {
            attributes,
            error: error.map(|error| error.kind.as_str().to_owned()),
        }
    });
}

/// Returns the kind of the error, if the end is one: what hooks and the user decide isn't.
fn error(end: &TurnEnd) -> Option<String> {
    let is_error = matches!(
        end,
        TurnEnd::LimitReached(_) | TurnEnd::EndedEarly(_) | TurnEnd::Failed(_)
    );
    is_error.then(|| end.word().to_owned())
}
