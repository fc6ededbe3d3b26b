//! Used if this build doesn't support OTLP: a configured collector is reported.

use std::sync::Arc;

use hookloop_agent::TelemetrySink;
use hookloop_engine::Span;
use hookloop_settings::TelemetrySettings;

use super::address;
use crate::environment::Environment;

/// The spans of a session: none.
pub(crate) struct Tracing;

impl Tracing {
    /// Reports a collector that this build can't send to.
    pub(crate) fn begin(
        settings: &TelemetrySettings,
        _environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        if let Some(endpoint) = address(settings, &tell) {
            let place = endpoint.place();
            tell(&format!("{place}no spans are sent: this build has no OTLP"));
        }
        Self
    }

    /// Returns nothing.
    #[expect(clippy::unused_self, reason = "the same as with OTLP")]
    pub(crate) fn root(&self) -> Option<Arc<dyn Span>> {
        None
    }

    /// Returns nothing.
    #[expect(clippy::unused_self, reason = "the same as with OTLP")]
    pub(crate) fn sink(&self, _settings: &TelemetrySettings) -> Option<Arc<dyn TelemetrySink>> {
        None
    }

    /// Sends nothing.
    #[expect(clippy::unused_async, reason = "the same as with OTLP")]
    pub(crate) async fn finish(self) {}
}
