//! The agent's settings that don't concern hooks.

use std::fmt;
use std::time::Duration;

use crate::model_settings::ModelTable;
use crate::prices::ModelPrice;
use crate::provided::Provided;
use crate::restrictions::Restrictions;
use hookloop_hook::Source;

/// The agent's settings, resolved: the project overrides the user, and the user overrides the
/// system.
///
/// If the project isn't trusted, only its harmless settings count: the model's name, the limits,
/// and lists that make the agent stricter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentSettings {
    /// `model.name`.
    pub model_name: Option<Provided<String>>,
    /// `openai.…` (MO-2).
    pub openai: OpenAiSettings,
    /// `anthropic.…` (MO-2).
    pub anthropic: AnthropicSettings,
    /// `model.maxSessionTurns`: the maximum number of model calls per turn; negative for the
    /// default (LO-3).
    pub max_session_turns: Option<Provided<i64>>,
    /// `model.idleTimeout`: how long a model's server may send nothing, in the format of a hook's
    /// `timeout` (MO-1).
    pub idle_timeout: Option<Provided<Duration>>,
    /// `model.compressionThreshold`: a share of the model's context window, above 0 and at most 1
    /// (LO-5).
    pub compression_threshold: Option<Provided<f64>>,
    /// `contextCompression.targetTokenCount`, in tokens (LO-5).
    pub target_token_count: Option<Provided<u64>>,
    /// `model.prices`: the prices of models, by name; for each, that of the highest layer (TU-6).
    pub prices: Vec<(String, Provided<ModelPrice>)>,
    /// `model.settings` and `modelConfigs`: what is set for single models (MO-6).
    pub models: ModelTable,
    /// `model.currency`: the unit after a cost.
    pub currency: Option<Provided<String>>,
    /// `general.defaultApprovalMode` (older: `tools.approvalMode`), as written.
    pub approval_mode: Option<Provided<String>>,
    /// `general.plan.directory`: where plan mode writes (TO-6).
    pub plan_directory: Option<Provided<String>>,
    /// `context.fileName`: names of context files (TO-5).
    pub context_file_names: Option<Provided<Vec<String>>>,
    /// `context.includeDirectories`: additional folders of the workspace, from all layers (TO-1).
    pub include_directories: Vec<Provided<String>>,
    /// `tools.…` (TO-6).
    pub tools: ToolSettings,
    /// `telemetry.…` (TE-1).
    pub telemetry: TelemetrySettings,
    /// `security.environmentVariableRedaction.…` (ENV-3).
    pub environment_redaction: EnvironmentRedaction,
    /// `security.folderTrust.enabled` of the user and system layers (TR-3); true by default.
    pub folder_trust_enabled: Option<Provided<bool>>,
    /// `mcpServers` of the settings files, each name once (TO-3).
    pub mcp_servers: Vec<McpServer>,
    /// The servers of a project that isn't trusted. None of them starts (TR-5).
    pub untrusted_servers: Vec<McpServer>,
    /// `policyPaths` and `adminPolicyPaths` of the user and system layers: files of rules, and
    /// folders of them (TO-6).
    pub policy_paths: Vec<Provided<String>>,
    /// Prohibitions of all layers (AG-CLI-9).
    pub restrictions: Restrictions,
}

/// A service with `OpenAI`'s protocol (MO-2).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OpenAiSettings {
    /// `openai.baseUrl`: the base address of its API, such as `http://localhost:11434/v1`.
    pub base_url: Option<Provided<String>>,
    /// `openai.apiKey`: the key, or `$NAME` for the environment variable that contains it.
    pub api_key: Option<Provided<String>>,
    /// `openai.api`: `chat` or `responses`, as written.
    pub api: Option<Provided<String>>,
}

/// A service with Anthropic's messages (MO-2).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct AnthropicSettings {
    /// `anthropic.baseUrl`: the base address of its API, such as `https://api.anthropic.com`.
    pub base_url: Option<Provided<String>>,
    /// `anthropic.apiKey`: the key, or `$NAME` for the environment variable that contains it.
    pub api_key: Option<Provided<String>>,
}

impl fmt::Debug for AnthropicSettings {
    /// Leaves the key out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AnthropicSettings")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for OpenAiSettings {
    /// Leaves the key out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpenAiSettings")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// The lists that determine which tools are available and which need no confirmation (TO-6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSettings {
    /// `tools.core`: the only available built-in tools, if set.
    pub core: Option<Provided<Vec<String>>>,
    /// `tools.exclude`, the union of all layers.
    pub exclude: Vec<Provided<String>>,
    /// `tools.allowed`: tools that need no confirmation.
    pub allowed: Option<Provided<Vec<String>>>,
    /// `tools.confirmationRequired`, the union of all layers.
    pub confirmation_required: Vec<Provided<String>>,
    /// `tools.sandbox`: whether commands are confined; the strictest layer counts.
    pub sandbox: Option<Provided<SandboxMode>>,
    /// `tools.sandboxNetworkAccess` of the user and system layers: whether commands may use the
    /// network.
    pub sandbox_network: Option<Provided<bool>>,
    /// `tools.sandboxAllowedPaths` of the user and system layers: additional paths that commands
    /// may write to.
    pub sandbox_paths: Option<Provided<Vec<String>>>,
}

/// Whether commands are confined, the least strict mode first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SandboxMode {
    /// They aren't confined.
    Off,
    /// They are confined, and a person is asked if one must leave the sandbox.
    Ask,
    /// They are confined, and none may leave the sandbox.
    On,
}

impl SandboxMode {
    /// Returns the word, as in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
            Self::On => "on",
        }
    }
}

/// Where telemetry goes (TE-1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TelemetrySettings {
    /// `telemetry.enabled`.
    pub enabled: Option<Provided<bool>>,
    /// `telemetry.target`.
    pub target: Option<Provided<String>>,
    /// `telemetry.outfile`.
    pub outfile: Option<Provided<String>>,
    /// `telemetry.otlpEndpoint`.
    pub otlp_endpoint: Option<Provided<String>>,
    /// `telemetry.otlpProtocol`.
    pub otlp_protocol: Option<Provided<String>>,
    /// `telemetry.logPrompts`.
    pub log_prompts: Option<Provided<bool>>,
}

impl TelemetrySettings {
    /// Returns whether it says anything about where telemetry goes, or that there is none.
    pub(crate) const fn is_directed(&self) -> bool {
        self.enabled.is_some()
            || self.target.is_some()
            || self.outfile.is_some()
            || self.otlp_endpoint.is_some()
            || self.otlp_protocol.is_some()
    }
}

/// Which variables are withheld from hooks (ENV-3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvironmentRedaction {
    /// `enabled`: true filters the environment of all hooks, false of none; unset, that of project
    /// and extension hooks.
    pub enabled: Option<Provided<bool>>,
    /// `allowed`: names that are never withheld, the union of all layers.
    pub allowed: Vec<Provided<String>>,
    /// `blocked`: names that are always withheld, the union of all layers.
    pub blocked: Vec<Provided<String>>,
}

/// The configuration of an MCP server, as written (TO-3).
#[derive(Debug, Clone, PartialEq)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// Its configuration, an object.
    pub configuration: serde_json::Value,
    /// The place of the configuration.
    pub source: Source,
}
