//! The agent's settings that don't concern hooks.

use std::fmt;
use std::time::Duration;

use crate::prices::ModelPrice;
use crate::provided::Provided;
use crate::restrictions::Restrictions;
use hookloop_hook::Source;

/// Contains the settings that the agent needs, resolved project over user over system.
///
/// Of a project that is not trusted, only what can do no harm counts: the model's name, the limits,
/// and lists that make the agent stricter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentSettings {
    /// `model.name`.
    pub model_name: Option<Provided<String>>,
    /// `openai.…` (MO-2).
    pub openai: OpenAiSettings,
    /// `anthropic.…` (MO-2).
    pub anthropic: AnthropicSettings,
    /// `model.maxSessionTurns`: model calls a turn; a negative number means no limit (LO-3).
    pub max_session_turns: Option<Provided<i64>>,
    /// `model.idleTimeout`: how long a model's server may say nothing, like the `timeout` of a hook
    /// (MO-1).
    pub idle_timeout: Option<Provided<Duration>>,
    /// `model.compressionThreshold`: a share of the model's window, above 0 and at most 1 (LO-5).
    pub compression_threshold: Option<Provided<f64>>,
    /// `contextCompression.targetTokenCount`, in tokens (LO-5).
    pub target_token_count: Option<Provided<u64>>,
    /// `model.prices`: what models cost, by name; of each the highest layer's word (TU-6).
    pub prices: Vec<(String, Provided<ModelPrice>)>,
    /// `model.currency`: what follows a cost.
    pub currency: Option<Provided<String>>,
    /// `general.defaultApprovalMode` (older: `tools.approvalMode`), as written.
    pub approval_mode: Option<Provided<String>>,
    /// `general.plan.directory`: where plan mode writes (TO-6).
    pub plan_directory: Option<Provided<String>>,
    /// `context.fileName`: names of context files (TO-5).
    pub context_file_names: Option<Provided<Vec<String>>>,
    /// `context.includeDirectories`: further folders of the workspace, of all layers (TO-1).
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
    /// Those of a project that nobody trusts: none of them starts (TR-5).
    pub untrusted_servers: Vec<McpServer>,
    /// `policyPaths` and `adminPolicyPaths` of the user and system layers: files of rules, and folders
    /// of them (TO-6).
    pub policy_paths: Vec<Provided<String>>,
    /// What any layer forbids (AG-CLI-9).
    pub restrictions: Restrictions,
}

/// Names a service that speaks `OpenAI`'s protocol (MO-2).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OpenAiSettings {
    /// `openai.baseUrl`: where its API begins, such as `http://localhost:11434/v1`.
    pub base_url: Option<Provided<String>>,
    /// `openai.apiKey`: the key, or `$NAME` for the environment variable that holds it.
    pub api_key: Option<Provided<String>>,
    /// `openai.api`: `chat` or `responses`, as written.
    pub api: Option<Provided<String>>,
}

/// Names a service that speaks Anthropic's messages (MO-2).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct AnthropicSettings {
    /// `anthropic.baseUrl`: where its API begins, such as `https://api.anthropic.com`.
    pub base_url: Option<Provided<String>>,
    /// `anthropic.apiKey`: the key, or `$NAME` for the environment variable that holds it.
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

/// Contains the lists that say which tools there are and which need no question (TO-6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSettings {
    /// `tools.core`: the only built-in tools there are, if set.
    pub core: Option<Provided<Vec<String>>>,
    /// `tools.exclude`, the union of all layers.
    pub exclude: Vec<Provided<String>>,
    /// `tools.allowed`: tools that need no confirmation.
    pub allowed: Option<Provided<Vec<String>>>,
    /// `tools.confirmationRequired`, the union of all layers.
    pub confirmation_required: Vec<Provided<String>>,
    /// `tools.sandbox`: whether commands are confined; the strictest layer counts.
    pub sandbox: Option<Provided<SandboxMode>>,
    /// `tools.sandboxNetworkAccess` of the user and system layers: whether they reach the network.
    pub sandbox_network: Option<Provided<bool>>,
    /// `tools.sandboxAllowedPaths` of the user and system layers: what they may write to besides.
    pub sandbox_paths: Option<Provided<Vec<String>>>,
}

/// Says whether commands are confined, the least strict first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SandboxMode {
    /// They aren't.
    Off,
    /// They are, and a person is asked when one has to leave the sandbox.
    Ask,
    /// They are, and none leaves it.
    On,
}

impl SandboxMode {
    /// Returns the word in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
            Self::On => "on",
        }
    }
}

/// Holds where telemetry goes (TE-1).
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

/// Says which variables are withheld from hooks (ENV-3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvironmentRedaction {
    /// `enabled`: true cleans for all hooks, false for none, unset for project and extension hooks.
    pub enabled: Option<Provided<bool>>,
    /// `allowed`: names that are never withheld, the union of all layers.
    pub allowed: Vec<Provided<String>>,
    /// `blocked`: names that are always withheld, the union of all layers.
    pub blocked: Vec<Provided<String>>,
}

/// Contains the configuration of an MCP server, as written (TO-3).
#[derive(Debug, Clone, PartialEq)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// Its configuration, an object.
    pub configuration: serde_json::Value,
    /// The value's place.
    pub source: Source,
}
