//! The spans of a session, for a collector (TE-3): whether they are wanted, and by whom. A build
//! without the feature `otlp` reports that it has none.

#[cfg(feature = "otlp")]
mod sent;
#[cfg(feature = "otlp")]
pub(crate) use sent::Tracing;

#[cfg(not(feature = "otlp"))]
mod absent;
#[cfg(not(feature = "otlp"))]
pub(crate) use absent::Tracing;

use hookloop_settings::{Provided, TelemetrySettings};

/// The only target of spans: the collector of `telemetry.otlpEndpoint`.
const LOCAL: &str = "local";

/// Returns the collector's address, if the settings ask for spans. What was configured but has no
/// effect is reported.
fn address(settings: &TelemetrySettings, tell: impl Fn(&str)) -> Option<&Provided<String>> {
    let enabled = settings.enabled.as_ref().filter(|it| it.value)?;
    let named = |setting: &'_ Option<Provided<String>>| {
        setting.as_ref().is_some_and(|it| !it.value.is_empty())
    };
    if !named(&settings.otlp_endpoint) {
        if !named(&settings.outfile) {
            tell(&format!(
                "{}telemetry is sent nowhere: neither `telemetry.outfile` nor \
                 `telemetry.otlpEndpoint` is set",
                enabled.place()
            ));
        }
        return None;
    }
    let target = settings.target.as_ref();
    if let Some(other) = target.filter(|it| !it.value.is_empty() && it.value != LOCAL) {
        tell(&format!(
            "{}no spans are sent: `telemetry.target` is \"{}\", and only \"{LOCAL}\" is known, \
             the collector of `telemetry.otlpEndpoint`",
            other.place(),
            other.value
        ));
        return None;
    }
    settings.otlp_endpoint.as_ref()
}
