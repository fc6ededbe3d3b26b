//! Sends spans, logs and metrics to an OpenTelemetry collector: OTLP over HTTP, in protobuf (TE-3,
//! TE-4).
//!
//! [`Otlp`] implements the engine's port [`Span`]; `OpenTelemetry`'s SDK gives ids and collects
//! what ended in batches, on a thread of its own, so no turn waits for a collector. The exporter
//! is ours, for three reasons: it says what went wrong where the SDK's says "network error"; it
//! counts what a collector rejects of an accepted batch; and it reads nothing of the environment.
//!
//! Nothing is lost in silence: what ended is counted, what arrived is counted, and the
//! difference is reported, once, with its cause.

mod collector;
mod delivery;
mod endpoint;
mod exporter;
mod signals;
mod span;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hookloop_engine::Span;
use hookloop_model::Transport;
use opentelemetry::InstrumentationScope;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, SpanLimits,
};
use tokio::sync::oneshot;

pub use delivery::Undelivered;
pub use endpoint::{BadEndpoint, Endpoint};
pub use signals::{MeasuredMetric, MeasuredPoint, MeasuredValue, Signals, Weight};

use crate::collector::Collector;
use crate::delivery::Delivery;
use crate::exporter::Exporter;
use crate::span::{Root, Tracing};

/// How long the end of a session waits for what is still to be sent.
const FINISH_WAIT: Duration = Duration::from_secs(2);

/// How long spans wait for others to be sent with.
const BATCH_DELAY: Duration = Duration::from_secs(1);

/// How many spans go into one request.
const BATCH_SIZE: usize = 512;

/// How many spans may wait; what comes on top is lost, and counted as lost.
const QUEUE_SIZE: usize = 8192;

/// What this program is called in traces.
const SERVICE: &str = "hookloop";

/// What spans are sent with.
#[derive(Debug)]
pub struct Options {
    /// The collector.
    pub endpoint: Endpoint,
    /// How it is reached.
    pub transport: Transport,
    /// This program's version.
    pub version: &'static str,
    /// The trace that this program was started in, if there is one.
    pub surrounding: SurroundingTrace,
}

/// The trace that a program was started in, as the W3C writes it.
#[derive(Debug, Clone, Default)]
pub struct SurroundingTrace {
    /// `TRACEPARENT`.
    pub trace_parent: Option<String>,
    /// `TRACESTATE`.
    pub trace_state: Option<String>,
}

/// Sends spans to a collector.
pub struct Otlp {
    provider: SdkTracerProvider,
    delivery: Arc<Delivery>,
    tracing: Arc<Tracing>,
    surrounding: Context,
    signals: Arc<Signals>,
}

impl Otlp {
    /// Begins to take spans; nothing is sent before one ends. `tell` is told once if spans get
    /// lost: at the first failure, or at the end. It is called on any thread.
    pub fn start(options: Options, tell: impl Fn(&Undelivered) + Send + Sync + 'static) -> Self {
        let Options {
            endpoint,
            transport,
            version,
            surrounding,
        } = options;
        let delivery = Arc::new(Delivery::new(endpoint.to_string(), tell));
        let resource = Resource::builder_empty()
            .with_attributes([
                KeyValue::new("service.name", SERVICE),
                KeyValue::new("service.version", version),
            ])
            .build();
        let signals = Signals::start(&endpoint, &transport, version, Arc::clone(&delivery));
        let collector = Collector::new(endpoint, transport);
        let exporter = Exporter::new(collector, Arc::clone(&delivery));
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_SIZE)
            .with_max_export_batch_size(BATCH_SIZE)
            .with_scheduled_delay(BATCH_DELAY)
            .build();
        let processor = BatchSpanProcessor::builder(exporter)
            .with_batch_config(batches)
            .build();
        // All is set here, so that no variable of the environment has a say: who asks for traces
        // gets them.
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            .with_sampler(Sampler::AlwaysOn)
            .with_span_limits(SpanLimits::default())
            .with_resource(resource)
            .build();
        let scope = InstrumentationScope::builder(SERVICE)
            .with_version(version)
            .build();
        let tracing = Tracing {
            tracer: provider.tracer_with_scope(scope),
            delivery: Arc::clone(&delivery),
        };
        Self {
            provider,
            delivery,
            tracing: Arc::new(tracing),
            surrounding: span::surrounding(&surrounding),
            signals: Arc::new(signals),
        }
    }

    /// Returns the place where traces begin: below the span that the program was started in, or
    /// again.
    pub fn root(&self) -> Arc<dyn Span> {
        Arc::new(Root {
            tracing: Arc::clone(&self.tracing),
            context: self.surrounding.clone(),
        })
    }

    /// Returns what takes logs and metrics.
    pub fn signals(&self) -> Arc<Signals> {
        Arc::clone(&self.signals)
    }

    /// Sends what ended and was not sent yet, for two seconds at most, and tells what did not
    /// arrive. Spans that end afterwards are lost.
    pub async fn finish(self) {
        let (done, is_done) = oneshot::channel();
        let provider = self.provider.clone();
        let shut_down = move || {
            // How it went is known better from what was delivered.
            let _ = provider.shutdown_with_timeout(FINISH_WAIT);
            let _ = done.send(());
        };
        // It blocks, and the screen may still have something to do. Without a thread nothing is
        // sent, and that is told below.
        if thread::Builder::new().spawn(shut_down).is_ok() {
            let _ = tokio::time::timeout(2 * FINISH_WAIT, is_done).await;
        }
        self.delivery.conclude(FINISH_WAIT);
        // After the spans, whose loss is reported with more of a cause.
        let (done, is_done) = oneshot::channel();
        let signals = Arc::clone(&self.signals);
        let finish = move || {
            signals.finish();
            let _ = done.send(());
        };
        if thread::Builder::new().spawn(finish).is_ok()
            && tokio::time::timeout(FINISH_WAIT, is_done).await.is_err()
        {
            let cause = format!("they were not taken within {} s", FINISH_WAIT.as_secs());
            self.delivery.note_other_loss("logs and metrics", 0, cause);
        }
    }
}
