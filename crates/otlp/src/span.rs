//! Implements the engine's spans with `OpenTelemetry`'s.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_engine::{Span, SpanAttribute, SpanEnd, SpanKind, SpanStart, SpanValue};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{
    self, Span as _, SpanBuilder, SpanContext, Status, TraceContextExt, Tracer,
};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, Span as SdkSpan};

use crate::SurroundingTrace;
use crate::delivery::Delivery;

/// What every span needs.
pub(crate) struct Tracing {
    pub(crate) tracer: SdkTracer,
    pub(crate) delivery: Arc<Delivery>,
}

impl Tracing {
    fn begin(self: &Arc<Self>, start: SpanStart, parent: &Context) -> Arc<dyn Span> {
        let kind = match start.kind {
            SpanKind::Client => trace::SpanKind::Client,
            _ => trace::SpanKind::Internal,
        };
        let builder = SpanBuilder::from_name(start.name)
            .with_kind(kind)
            .with_attributes(start.attributes.into_iter().map(attribute));
        let span = self.tracer.build_with_context(builder, parent);
        Arc::new(Running {
            tracing: Arc::clone(self),
            context: span.span_context().clone(),
            span: Mutex::new(Some(span)),
        })
    }
}

/// The parent of all spans.
pub(crate) struct Root {
    pub(crate) tracing: Arc<Tracing>,
    /// The span that the program was started in, or nothing.
    pub(crate) context: Context,
}

impl Span for Root {
    fn begin(&self, start: SpanStart) -> Arc<dyn Span> {
        self.tracing.begin(start, &self.context)
    }

    fn end(&self, _end: SpanEnd) {}

    fn trace_parent(&self) -> Option<String> {
        None
    }
}

/// A span that has begun.
struct Running {
    tracing: Arc<Tracing>,
    context: SpanContext,
    /// Taken when the span ends.
    span: Mutex<Option<SdkSpan>>,
}

impl Span for Running {
    fn begin(&self, start: SpanStart) -> Arc<dyn Span> {
        let parent = Context::new().with_remote_span_context(self.context.clone());
        self.tracing.begin(start, &parent)
    }

    fn end(&self, end: SpanEnd) {
        // The value is taken in one step, so a poisoned lock guards nothing broken.
        let span = self
            .span
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(mut span) = span else { return };
        span.set_attributes(end.attributes.into_iter().map(attribute));
        if let Some(error) = end.error {
            span.set_attribute(KeyValue::new("error.type", error.clone()));
            span.set_status(Status::error(error));
        }
        self.tracing.delivery.note_end();
        span.end();
    }

    fn trace_parent(&self) -> Option<String> {
        let context = &self.context;
        Some(format!(
            "00-{}-{}-{:02x}",
            context.trace_id(),
            context.span_id(),
            context.trace_flags().to_u8()
        ))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end(SpanEnd::default());
    }
}

/// Reads the trace context in which the program was started. An invalid one is ignored, as the W3C
/// specifies.
pub(crate) fn surrounding(trace: &SurroundingTrace) -> Context {
    let mut fields = HashMap::new();
    let mut add = |name: &str, value: &Option<String>| {
        fields.extend(value.clone().map(|value| (name.to_owned(), value)));
    };
    add("traceparent", &trace.trace_parent);
    add("tracestate", &trace.trace_state);
    TraceContextPropagator::new().extract_with_context(&Context::new(), &fields)
}

fn attribute(attribute: SpanAttribute) -> KeyValue {
    let value = match attribute.value {
        SpanValue::Text(text) => Value::from(text),
        SpanValue::Texts(texts) => {
            let texts = texts.into_iter().map(StringValue::from).collect();
            Value::Array(Array::String(texts))
        }
        SpanValue::Integer(number) => Value::I64(number),
        SpanValue::Flag(flag) => Value::Bool(flag),
        other => Value::from(format!("{other:?}")),
    };
    KeyValue::new(attribute.name, value)
}
