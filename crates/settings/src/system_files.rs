//! The two files of the system's layer (ST-1).

use std::path::PathBuf;

use crate::config_read::LayerConfig;
use crate::provided::Provided;
use crate::resolve::LayerContent;
use crate::resolve_agent::merge;
use hookloop_hook::OnFailure;

/// The name of the file of defaults beside the system's settings, as in Gemini CLI.
const DEFAULTS: &str = "system-defaults.json";

/// The files of the system's layer: both are the administrator's, and trusted alike (ST-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemFiles {
    /// The system's settings.
    pub settings: PathBuf,
    /// What counts if no settings file of any layer says otherwise.
    pub defaults: PathBuf,
}

impl SystemFiles {
    /// Names a settings file, and the defaults beside it.
    pub fn of(settings: impl Into<PathBuf>) -> Self {
        let settings = settings.into();
        Self {
            defaults: settings.with_file_name(DEFAULTS),
            settings,
        }
    }

    /// Takes the defaults from elsewhere.
    #[must_use]
    pub fn with_defaults(self, defaults: impl Into<PathBuf>) -> Self {
        Self {
            defaults: defaults.into(),
            ..self
        }
    }
}

impl LayerContent {
    /// Lays the system's settings over its defaults: the settings' value counts, and lists and what
    /// makes anything stricter are joined.
    pub(crate) fn with_defaults(self, defaults: Self) -> Self {
        let mut low = defaults.agent;
        let own = &self.agent.tools;
        // One person wrote both files: the settings say what happens to the default.
        low.tools.sandbox = low.tools.sandbox.filter(|_| own.sandbox.is_none());
        low.tools.sandbox_network = low
            .tools
            .sandbox_network
            .filter(|_| own.sandbox_network.is_none());
        Self {
            config: self.config.with_defaults(defaults.config),
            agent: merge(self.agent, low),
            disabled_extensions: concat(self.disabled_extensions, defaults.disabled_extensions),
            word: self.word,
        }
    }
}

impl LayerConfig {
    fn with_defaults(self, defaults: Self) -> Self {
        let denies = |said: &Provided<OnFailure>| said.value == OnFailure::Deny;
        Self {
            enabled: self.enabled.or(defaults.enabled),
            disabled: concat(self.disabled, defaults.disabled),
            notifications: self.notifications.or(defaults.notifications),
            on_failure: match defaults.on_failure {
                Some(said) if denies(&said) && !self.on_failure.as_ref().is_some_and(denies) => {
                    Some(said)
                }
                said => self.on_failure.or(said),
            },
            max_output_bytes: self.max_output_bytes.or(defaults.max_output_bytes),
            max_retries: self.max_retries.or(defaults.max_retries),
            trace_max_bytes: self.trace_max_bytes.or(defaults.trace_max_bytes),
            locked: concat(self.locked, defaults.locked),
            strict: merge_switch(self.strict, defaults.strict),
            adopt: concat(self.adopt, defaults.adopt),
            http_allowed: concat(self.http_allowed, defaults.http_allowed),
            bridge_rewrite: self.bridge_rewrite.or(defaults.bridge_rewrite),
            allow_skips_confirmation: self
                .allow_skips_confirmation
                .or(defaults.allow_skips_confirmation),
            hold_live_output: merge_switch(self.hold_live_output, defaults.hold_live_output),
        }
    }
}

fn concat<T>(mut first: Vec<T>, others: Vec<T>) -> Vec<T> {
    first.extend(others);
    first
}

/// Joins what can be turned on but not off again.
fn merge_switch(
    high: Option<Provided<bool>>,
    low: Option<Provided<bool>>,
) -> Option<Provided<bool>> {
    let turns_on = |said: &Option<Provided<bool>>| said.as_ref().is_some_and(|it| it.value);
    if turns_on(&low) && !turns_on(&high) {
        low
    } else {
        high.or(low)
    }
}
