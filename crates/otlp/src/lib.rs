//! Sends spans, logs and metrics to an OpenTelemetry collector: OTLP over HTTP, in protobuf (TE-3,
//! TE-4).
//!
//! [`Otlp`] implements the engine's port [`Span`]. `OpenTelemetry`'s SDK assigns ids, and collects
//! finished spans in batches on its own thread, so no turn waits for a collector. The exporter is
//! our own for three reasons: it reports the cause of a failure where the SDK's says "network
//! error"; it counts what a collector rejects of an accepted batch; and it doesn't read the
//! environment.
//!
//! No loss is silent: spans that ended and spans that arrived are counted, and the difference is
//! reported once, with its cause.
//!
//! ```no_run
//! use hookloop_model::Transport;
//! use hookloop_otlp::{Endpoint, Options, Otlp, SurroundingTrace};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options {
//!     endpoint: Endpoint::read("http://localhost:4318")?,
//!     transport: Transport::default(),
//!     version: env!("CARGO_PKG_VERSION"),
//!     surrounding: SurroundingTrace::default(),
//! };
//! let otlp = Otlp::start(options, |undelivered| eprintln!("{undelivered}"));
//!
//! // Give this to the session: the spans of its turns, hooks and tools become its children.
//! let root = otlp.root();
//! # drop(root);
//!
//! // Waits up to two seconds for what hasn't arrived.
//! otlp.finish().await;
//! # Ok(())
//! # }
//! ```

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

/// How long the end of a session waits for pending data.
const FINISH_WAIT: Duration = Duration::from_secs(2);

/// How long spans wait for a batch to fill.
const BATCH_DELAY: Duration = Duration::from_secs(1);

/// How many spans go into one request.
const BATCH_SIZE: usize = 512;

/// How many spans may wait; further ones are lost, and counted as lost.
const QUEUE_SIZE: usize = 8192;

/// The service name of this program in traces.
const SERVICE: &str = "hookloop";

/// Options for sending spans.
#[derive(Debug)]
pub struct Options {
    /// The collector.
    pub endpoint: Endpoint,
    /// The proxies and certificates for the connection.
    pub transport: Transport,
    /// This program's version.
    pub version: &'static str,
    /// The trace context in which this program was started, if there is one.
    pub surrounding: SurroundingTrace,
}

/// The W3C trace context in which a program was started.
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
    /// Starts accepting spans; nothing is sent before one ends. `report` is called once, on any
    /// thread, if spans are lost: at the first failure, or at the end.
    pub fn start(options: Options, report: impl Fn(&Undelivered) + Send + Sync + 'static) -> Self {
        let Options {
            endpoint,
            transport,
            version,
            surrounding,
        } = options;
        let delivery = Arc::new(Delivery::new(endpoint.to_string(), report));
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
        // Everything is set here, so that no environment variable has an effect: whoever asks for
        // traces gets them.
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

    /// Returns the parent of all spans: the span in which the program was started, or the start of
    /// a new trace.
    pub fn root(&self) -> Arc<dyn Span> {
        Arc::new(Root {
            tracing: Arc::clone(&self.tracing),
            context: self.surrounding.clone(),
        })
    }

    /// Returns the sink for logs and metrics.
    pub fn signals(&self) -> Arc<Signals> {
        Arc::clone(&self.signals)
    }

    /// Sends the spans that have ended, for two seconds at most, and reports those that didn't
    /// arrive. Spans that end afterwards are lost.
    pub async fn finish(self) {
        let (done, is_done) = oneshot::channel();
        let provider = self.provider.clone();
        let shut_down = move || {
            // The counts of delivered spans say more than this result.
            let _ = provider.shutdown_with_timeout(FINISH_WAIT);
            let _ = done.send(());
        };
        // On a thread, because this blocks and the screen may still be busy. If no thread can be
        // started, nothing is sent, which is reported below.
        if thread::Builder::new().spawn(shut_down).is_ok() {
            let _ = tokio::time::timeout(2 * FINISH_WAIT, is_done).await;
        }
        self.delivery.conclude(FINISH_WAIT);
        // After the spans, whose loss is reported with a better cause.
        let (done, is_done) = oneshot::channel();
        let signals = Arc::clone(&self.signals);
        let finish = move || {
            signals.finish();
            let _ = done.send(());
        };
        if thread::Builder::new().spawn(finish).is_ok()
            && tokio::time::timeout(FINISH_WAIT, is_done).await.is_err()
        {
            let cause = format!("they weren't accepted within {} s", FINISH_WAIT.as_secs());
            self.delivery.note_other_loss("logs and metrics", 0, cause);
        }
    }
}
