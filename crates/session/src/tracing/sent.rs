//! Sends spans to the configured collector.

use std::sync::Arc;

use hookloop_agent::{BOUNDS, Measured, Metric, Point, TelemetrySink};
use hookloop_engine::Span;
use hookloop_model::Transport;
use hookloop_otlp::{
    Endpoint, MeasuredMetric, MeasuredPoint, MeasuredValue, Options, Otlp, Signals,
    SurroundingTrace, Weight,
};
use hookloop_settings::{Provided, TelemetrySettings};
use serde_json::{Map, Value};

use super::address;
use crate::environment::Environment;

const GRPC: &str = "grpc";
const HTTP: &str = "http";

/// The spans of a session; nothing is started if nobody wants them.
pub(crate) struct Tracing(Option<Otlp>);

impl Tracing {
    /// Begins to accept spans if the settings name a collector. `tell` is called, on any thread,
    /// with what was configured and can't be done, and once if spans are lost.
    pub(crate) fn begin(
        settings: &TelemetrySettings,
        environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let Some(address) = address(settings, &tell) else {
            return Self(None);
        };
        let place = address.place();
        let endpoint = match Endpoint::read(&address.value) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                tell(&format!(
                    "{place}no spans are sent: `telemetry.otlpEndpoint`: {error}"
                ));
                return Self(None);
            }
        };
        warn_of_protocol(&endpoint, address, settings.otlp_protocol.as_ref(), &tell);
        let options = Options {
            endpoint,
            transport: transport(environment),
            version: environment.version,
            surrounding: surrounding_trace(environment),
        };
        Self(Some(Otlp::start(options, move |undelivered| {
            tell(&format!("{place}{undelivered}"));
        })))
    }

    /// Returns the place where traces begin, if there are any.
    pub(crate) fn root(&self) -> Option<Arc<dyn Span>> {
        self.0.as_ref().map(Otlp::root)
    }

    /// Returns what sends events and metrics, if there is a collector (TE-4).
    pub(crate) fn sink(&self, settings: &TelemetrySettings) -> Option<Arc<dyn TelemetrySink>> {
        let signals = self.0.as_ref()?.signals();
        let sends_contents = settings.log_prompts.as_ref().is_some_and(|it| it.value);
        Some(Arc::new(Sink {
            signals,
            sends_contents,
        }))
    }

    /// Sends what is left, for a bounded time; what doesn't arrive is reported.
    pub(crate) async fn finish(self) {
        if let Some(otlp) = self.0 {
            otlp.finish().await;
        }
    }
}

/// What prompts, models, tools and hooks said: it leaves this machine only if the settings say
/// `telemetry.logPrompts: true`. Why something was refused belongs to the audit of decisions
/// (TE-4): it is sent unless they say `false`, in which case there is nothing to send (TE-2).
const CONTENTS: [&str; 8] = [
    "error",
    "prompt",
    "request_text",
    "function_args",
    "hook_input",
    "hook_output",
    "stdout",
    "stderr",
];

/// Sends events as logs, and metrics.
#[derive(Debug)]
struct Sink {
    signals: Arc<Signals>,
    sends_contents: bool,
}

impl TelemetrySink for Sink {
    fn event(&self, attributes: &Map<String, Value>) {
        let name = attributes.get("event.name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        let is_warning = name.ends_with(".decision") || name.ends_with(".api_error");
        let weight = if is_warning {
            Weight::Warning
        } else {
            Weight::Usual
        };
        if self.sends_contents {
            return self.signals.log(name, weight, attributes);
        }
        let mut kept = attributes.clone();
        kept.retain(|name, _| !CONTENTS.contains(&name.as_str()));
        self.signals.log(name, weight, &kept);
    }

    fn metrics(&self, all: &[Metric], about: &Map<String, Value>) {
        let all = all.iter().map(|metric| MeasuredMetric {
            name: format!("gemini_cli.{}", metric.name),
            description: metric.description.to_owned(),
            points: metric.points.iter().map(|it| point(it, about)).collect(),
        });
        self.signals.metrics(all.collect());
    }
}

fn point(point: &Point, about: &Map<String, Value>) -> MeasuredPoint {
    let mut attributes = about.clone();
    attributes.extend(point.attributes.clone());
    let value = match &point.value {
        Measured::Count(count) => MeasuredValue::Count(*count),
        Measured::Latency(latencies) => MeasuredValue::Latency {
            count: latencies.count,
            sum: latencies.sum,
            range: (latencies.min, latencies.max),
            bounds: BOUNDS.to_vec(),
            classes: latencies.classes.to_vec(),
        },
    };
    MeasuredPoint {
        attributes,
        since: point.since,
        until: point.until,
        value,
    }
}

/// Reports that HTTP is used although the settings, or the usual port, say gRPC.
fn warn_of_protocol(
    endpoint: &Endpoint,
    address: &Provided<String>,
    protocol: Option<&Provided<String>>,
    tell: impl Fn(&str),
) {
    match protocol {
        Some(protocol) if protocol.value == GRPC => tell(&format!(
            "{}`telemetry.otlpProtocol` is \"{GRPC}\", but spans are sent over HTTP, to {endpoint}; \
             collectors usually accept HTTP on port 4318",
            protocol.place()
        )),
        Some(protocol) if protocol.value != HTTP => tell(&format!(
            "{}`telemetry.otlpProtocol` is \"{}\", which is unknown; spans are sent over HTTP, to \
             {endpoint}",
            protocol.place(),
            protocol.value
        )),
        None if endpoint.names_grpc_port() => tell(&format!(
            "{}`telemetry.otlpEndpoint` names port 4317, where collectors usually expect gRPC; \
             spans are sent over HTTP, to {endpoint}, and port 4318 is the usual one for that",
            address.place()
        )),
        Some(_) | None => {}
    }
}

fn transport(environment: &Environment) -> Transport {
    Transport {
        proxies: environment.proxies(),
        ..Transport::default()
    }
}

fn surrounding_trace(environment: &Environment) -> SurroundingTrace {
    let trace = environment.trace();
    SurroundingTrace {
        trace_parent: trace.trace_parent,
        trace_state: trace.trace_state,
    }
}
