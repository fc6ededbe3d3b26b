//! What a person's environment says about telemetry, in Gemini CLI's words (TE-1).

use hookloop_hook::{Layer, Problem, ProblemCode, Source};
use hookloop_settings::{Provided, TelemetrySettings};

use crate::environment::Environment;

const ENABLED: &str = "GEMINI_TELEMETRY_ENABLED";
const LOG_PROMPTS: &str = "GEMINI_TELEMETRY_LOG_PROMPTS";
const TARGET: &str = "GEMINI_TELEMETRY_TARGET";
const OUTFILE: &str = "GEMINI_TELEMETRY_OUTFILE";
const PROTOCOL: &str = "GEMINI_TELEMETRY_OTLP_PROTOCOL";

/// The variables that name the collector, the first that is set counts.
const ENDPOINTS: [&str; 2] = [
    "GEMINI_TELEMETRY_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// Returns what the environment says.
pub(crate) fn from_environment(environment: &Environment) -> TelemetrySettings {
    let switch = |name| {
        let text = environment.text(name)?;
        Some(Provided::default_of(text == "true" || text == "1"))
    };
    let text = |name| environment.text(name).map(Provided::default_of);
    TelemetrySettings {
        enabled: switch(ENABLED),
        target: text(TARGET),
        outfile: text(OUTFILE),
        otlp_endpoint: ENDPOINTS.into_iter().find_map(text),
        otlp_protocol: text(PROTOCOL),
        log_prompts: switch(LOG_PROMPTS),
    }
}

/// Lays what the environment says over the settings, but not over the system's: the layer that owns
/// the telemetry decides everything about it (ST-13). Returns the problem if the environment's word
/// has no effect.
pub(crate) fn direct(
    settings: &mut TelemetrySettings,
    said: &TelemetrySettings,
) -> Option<Problem> {
    let directed = overlay(said.clone(), settings.clone());
    let Some(system) = system_source(settings) else {
        *settings = directed;
        return None;
    };
    if directed == *settings {
        return None;
    }
    let message = "the environment variables for telemetry (GEMINI_TELEMETRY_…) have no effect: \
                   the system's settings decide about telemetry";
    let help = "unset them, or ask the administrator of this machine";
    Some(Problem::new(
        ProblemCode::LooseningIgnored,
        system,
        message,
        help,
    ))
}

/// Returns the place where the system's settings say something about it.
fn system_source(settings: &TelemetrySettings) -> Option<Source> {
    let TelemetrySettings {
        enabled,
        target,
        outfile,
        otlp_endpoint,
        otlp_protocol,
        log_prompts,
    } = settings;
    let sources = [enabled, log_prompts].map(|it| it.as_ref().and_then(|it| it.source.as_ref()));
    let others = [target, outfile, otlp_endpoint, otlp_protocol];
    let others = others.map(|it| it.as_ref().and_then(|it| it.source.as_ref()));
    let mut all = sources.into_iter().chain(others).flatten();
    let system = all.find(|it| it.layer == Some(Layer::System));
    system.cloned()
}

fn overlay(high: TelemetrySettings, low: TelemetrySettings) -> TelemetrySettings {
    TelemetrySettings {
        enabled: high.enabled.or(low.enabled),
        target: high.target.or(low.target),
        outfile: high.outfile.or(low.outfile),
        otlp_endpoint: high.otlp_endpoint.or(low.otlp_endpoint),
        otlp_protocol: high.otlp_protocol.or(low.otlp_protocol),
        log_prompts: high.log_prompts.or(low.log_prompts),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::*;
    use crate::environment::Surroundings;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let home = [("HOME", "/home/me")];
        let all = home.iter().chain(variables);
        Environment::new(Surroundings {
            variables: all
                .map(|(name, value)| (OsString::from(name), OsString::from(value)))
                .collect(),
            current_dir: PathBuf::from("/work"),
            scratch_dir: PathBuf::from("/tmp"),
            program: None,
            version: "0",
        })
        .unwrap()
    }

    fn set_by<T>(value: T, layer: Layer) -> Provided<T> {
        let source = Source {
            layer: Some(layer),
            ..Source::of_file(PathBuf::from("/settings.json"))
        };
        Provided {
            value,
            source: Some(source),
        }
    }

    /// TE-1: the environment takes precedence over a person's settings, which decide what it leaves
    /// open.
    #[test]
    fn the_environment_counts_over_a_persons_settings() {
        let mut settings = TelemetrySettings {
            enabled: Some(set_by(false, Layer::User)),
            outfile: Some(set_by("old".to_owned(), Layer::User)),
            log_prompts: Some(set_by(false, Layer::User)),
            ..TelemetrySettings::default()
        };
        let said = environment(&[
            (ENABLED, "true"),
            (OUTFILE, "/new"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"),
        ]);
        assert_eq!(direct(&mut settings, &super::from_environment(&said)), None);
        assert_eq!(settings.enabled.map(|it| it.value), Some(true));
        assert_eq!(settings.outfile.map(|it| it.value), Some("/new".to_owned()));
        assert_eq!(settings.log_prompts.map(|it| it.value), Some(false));
        assert!(settings.otlp_endpoint.is_some());
    }

    /// TE-1, ST-13: the system's telemetry is neither moved nor switched off by a variable, which
    /// is reported.
    #[test]
    fn the_systems_telemetry_stays() {
        let settings = TelemetrySettings {
            log_prompts: Some(set_by(false, Layer::System)),
            ..TelemetrySettings::default()
        };
        for variables in [
            [(LOG_PROMPTS, "true")],
            [(OUTFILE, "/mine")],
            [(ENABLED, "0")],
        ] {
            let mut directed = settings.clone();
            let problem = direct(&mut directed, &from_environment(&environment(&variables)));
            assert_eq!(problem.map(|it| it.source.layer), Some(Some(Layer::System)));
            assert_eq!(directed, settings, "{variables:?}");
        }
        assert_eq!(
            direct(&mut settings.clone(), &from_environment(&environment(&[]))),
            None
        );
    }
}
