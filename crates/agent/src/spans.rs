//! The spans of the agent's steps: a turn, a call of the model, a call of a tool (TE-3). They say
//! what happened, never what was said.
//!
//! Names begin with `hookloop`; attributes go by the semantic conventions for generative AI
//! where those have a name.

use hookloop_engine::{OpenSpan, SessionHooks, SpanAttribute, SpanEnd, SpanKind, SpanStart};
use hookloop_model::Usage;

use crate::tool_call::FinishedCall;
use crate::turn_end::TurnEnd;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To go on with the conversation.
    Conversation,
    /// To summarise it.
    Compression,
    /// To answer a tool from the web.
    Web,
}

/// What is known of a request that was sent, and of its answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    /// The model that was asked; nothing if none was.
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) finish_reason: Option<String>,
}

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
        attributes: vec![SpanAttribute::new("hookloop.ending", ending(end))],
        error: error(end),
    });
}

/// Begins the span of a call of the model, hooks included.
pub(crate) fn model_call(hooks: &SessionHooks, purpose: Purpose) -> (SessionHooks, OpenSpan) {
    hooks.in_span(|| SpanStart {
        name: "hookloop.model_call",
        kind: SpanKind::Client,
        attributes: vec![
            SpanAttribute::new("gen_ai.operation.name", "chat"),
            SpanAttribute::new(
                "hookloop.purpose",
                match purpose {
                    Purpose::Conversation => "conversation",
                    Purpose::Compression => "compression",
                    Purpose::Web => "web",
                },
            ),
        ],
    })
}

/// Ends the span of a call of the model; `end` is that of the turn, if it led to one.
pub(crate) fn end_model_call(span: OpenSpan, exchange: &Exchange, end: Option<&TurnEnd>) {
    span.end(|| {
        let Exchange {
            model,
            usage,
            finish_reason,
        } = exchange;
        let (word, error) = match (end, model) {
            (Some(end), _) => (ending(end), error(end)),
            (None, Some(_)) => ("answered", None),
            (None, None) => ("answered_by_hook", None),
        };
        let mut attributes = vec![SpanAttribute::new("hookloop.ending", word)];
        let mut add = |name, value: Option<hookloop_engine::SpanValue>| {
            attributes.extend(value.map(|value| SpanAttribute { name, value }));
        };
        let tokens =
            |read: fn(&Usage) -> Option<u64>| usage.as_ref().and_then(read).map(Into::into);
        add("gen_ai.request.model", model.clone().map(Into::into));
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
        let reasons = finish_reason.clone().map(|reason| vec![reason].into());
        add("gen_ai.response.finish_reasons", reasons);
        SpanEnd { attributes, error }
    });
}

/// Begins the span of a tool call, hooks and confirmation included.
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
            SpanAttribute::new("hookloop.decision", ended.decision.as_str()),
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

/// Returns the word for how a turn ended.
const fn ending(end: &TurnEnd) -> &'static str {
    match end {
        TurnEnd::Completed => "completed",
        TurnEnd::Refused(_) => "refused",
        TurnEnd::Stopped(_) => "stopped",
        TurnEnd::Cancelled => "cancelled",
        TurnEnd::LimitReached(_) => "limit_reached",
        TurnEnd::Failed(_) => "failed",
    }
}

/// Returns the kind of the error, where the end is one: what hooks and the user decide is none.
fn error(end: &TurnEnd) -> Option<String> {
    let is_error = matches!(end, TurnEnd::LimitReached(_) | TurnEnd::Failed(_));
    is_error.then(|| ending(end).to_owned())
}
