//! Sends spans to the configured collector.

use std::sync::Arc;

use hookloop_engine::Span;
use hookloop_model::Transport;
use hookloop_otlp::{Endpoint, Options, Otlp, SurroundingTrace};
use hookloop_settings::{Provided, TelemetrySettings};

use super::address;
use crate::environment::Environment;
use crate::place::place;

const GRPC: &str = "grpc";
const HTTP: &str = "http";

/// The spans of a session; nothing is started where nobody wants them.
pub(crate) struct Tracing(Option<Otlp>);

impl Tracing {
    /// Begins to take spans if the settings name a collector. `tell` is told, on any thread, what
    /// was configured and can't be done, and once if spans are lost.
    pub(crate) fn begin(
        settings: &TelemetrySettings,
        environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let Some(address) = address(settings, &tell) else {
            return Self(None);
        };
        let place = place(address);
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
            surrounding: surrounding(environment),
        };
        Self(Some(Otlp::start(options, move |undelivered| {
            tell(&format!("{place}{undelivered}"));
        })))
    }

    /// Returns the place where traces begin, if there are any.
    pub(crate) fn root(&self) -> Option<Arc<dyn Span>> {
        self.0.as_ref().map(Otlp::root)
    }

    /// Sends what is left, for a bounded time; what does not arrive is told.
    pub(crate) async fn finish(self) {
        if let Some(otlp) = self.0 {
            otlp.finish().await;
        }
    }
}

/// Tells that HTTP is spoken where the settings, or the usual port, say gRPC.
fn warn_of_protocol(
    endpoint: &Endpoint,
    address: &Provided<String>,
    protocol: Option<&Provided<String>>,
    tell: impl Fn(&str),
) {
    match protocol {
        Some(protocol) if protocol.value == GRPC => tell(&format!(
            "{}`telemetry.otlpProtocol` is \"{GRPC}\", but spans are sent over HTTP, to {endpoint}; \
             collectors usually take HTTP on port 4318",
            place(protocol)
        )),
        Some(protocol) if protocol.value != HTTP => tell(&format!(
            "{}`telemetry.otlpProtocol` is \"{}\", which is unknown; spans are sent over HTTP, to \
             {endpoint}",
            place(protocol),
            protocol.value
        )),
        None if endpoint.names_grpc_port() => tell(&format!(
            "{}`telemetry.otlpEndpoint` names port 4317, where collectors usually expect gRPC; \
             spans are sent over HTTP, to {endpoint}, and port 4318 is the usual one for that",
            place(address)
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

fn surrounding(environment: &Environment) -> SurroundingTrace {
    let trace = environment.trace();
    SurroundingTrace {
        trace_parent: trace.trace_parent,
        trace_state: trace.trace_state,
    }
}
