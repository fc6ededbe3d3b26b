//! The agent's settings as types, used only for the schema. Keys that aren't ours are allowed.

#![expect(dead_code, reason = "the schema is all there is to these types")]

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::hooks::Timeout;

pub(super) type McpServers = BTreeMap<String, McpServerSchema>;

/// The model: an object, or, in an older format, only its name.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ModelSetting {
    Name(String),
    Model(Model),
}

/// The model, and limits of a session with it.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Model {
    /// The model's name.
    name: Option<String>,
    /// How many requests to the model a turn may take, those of its sub-agents included; a negative
    /// number stands for 100, the default.
    #[schemars(extend("not" = {"const": 0}))]
    max_session_turns: Option<i64>,
    /// How long the model's server may be silent, before or during its answer. Silence beyond that
    /// is an error.
    #[schemars(extend("default" = "5m"))]
    idle_timeout: Option<Timeout>,
    /// The share of the model's window at which the history is compressed: above 0, at most 1.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    compression_threshold: Option<f64>,
    /// Parameters of individual models, by name. A name may end in `*`; the most specific one
    /// counts.
    settings: Option<BTreeMap<String, ModelSettings>>,
    /// Prices per million tokens, by model. With them, `/stats` shows what a session cost.
    prices: Option<BTreeMap<String, ModelPrice>>,
    /// The currency that is shown after an amount, such as `USD`.
    currency: Option<String>,
}

/// Parameters of a model. Those that aren't set are left to its service.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct ModelSettings {
    /// How freely the model chooses its words; with 0, it chooses the likeliest ones.
    #[schemars(range(min = 0, max = 2))]
    temperature: Option<f64>,
    /// The share of likely words that the model chooses from.
    #[schemars(range(min = 0, max = 1))]
    top_p: Option<f64>,
    /// The number of likely words that the model chooses from.
    #[schemars(range(min = 1))]
    top_k: Option<u64>,
    /// The longest response, in tokens, including thoughts.
    #[schemars(range(min = 1))]
    max_output_tokens: Option<u64>,
    /// Texts that end a response.
    stop_sequences: Option<Vec<String>>,
    /// How much the model may think, in tokens: 0 for not at all, -1 for as much as it chooses.
    #[schemars(range(min = -1))]
    thinking_budget: Option<i64>,
    /// The size of the model's context window, in tokens, which determines when the history is
    /// compressed.
    #[schemars(range(min = 1))]
    context_window: Option<u64>,
}

/// Settings of models in Gemini CLI's form.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct ModelConfigs {
    /// Further names for models, each with its own parameters.
    custom_aliases: Option<BTreeMap<String, ConfigAlias>>,
    /// The same as `customAliases`, which take precedence.
    aliases: Option<BTreeMap<String, ConfigAlias>>,
    /// Parameters of models. If two entries match a model, the later one takes precedence.
    custom_overrides: Option<Vec<ConfigOverride>>,
    /// The same as `customOverrides`, which take precedence.
    overrides: Option<Vec<ConfigOverride>>,
}

/// Another name for a model.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct ConfigAlias {
    /// The alias that supplies the model and the parameters that this one doesn't set.
    extends: Option<String>,
    /// The model and its parameters.
    model_config: Option<ModelConfig>,
}

/// Parameters of models.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct ConfigOverride {
    /// Which models the entry applies to. Default: all.
    r#match: Option<ConfigMatch>,
    /// The parameters.
    model_config: Option<ModelConfig>,
}

/// Which models an entry applies to.
#[derive(JsonSchema)]
struct ConfigMatch {
    /// The model's name, or an alias.
    model: Option<String>,
}

/// A model and its parameters.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct ModelConfig {
    /// The model's name.
    model: Option<String>,
    /// The parameters of its requests, as Gemini's API names them: `temperature`, `topP`, `topK`,
    /// `maxOutputTokens`, `stopSequences`, `thinkingConfig.thinkingBudget`, and others.
    generate_content_config: Option<BTreeMap<String, serde_json::Value>>,
}

/// What a model costs per million tokens.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct ModelPrice {
    /// The price of the tokens that are sent.
    #[schemars(range(min = 0))]
    input: f64,
    /// The price of the tokens that are sent and that the service has cached. Default: that of
    /// `input`.
    #[schemars(range(min = 0))]
    cached: Option<f64>,
    /// The price of the tokens that are returned, including thoughts.
    #[schemars(range(min = 0))]
    output: f64,
}

/// A service that speaks the chat-completions protocol, or `OpenAI`'s responses.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct OpenAi {
    /// The base address of its API, such as `http://localhost:11434/v1`. Setting it selects this
    /// service.
    base_url: Option<String>,
    /// The key, or `$NAME` for the environment variable that contains it.
    api_key: Option<String>,
    /// Which of the service's APIs to use.
    api: Option<OpenAiApi>,
}

/// Which API is used.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum OpenAiApi {
    /// Chat completions, which nearly every service has.
    Chat,
    /// Responses, where thoughts are sent back encrypted.
    Responses,
}

/// A service that speaks Anthropic's Messages API.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Anthropic {
    /// The base address of its API, such as `https://api.anthropic.com`. Setting it selects this
    /// service.
    base_url: Option<String>,
    /// The key, or `$NAME` for the environment variable that contains it.
    api_key: Option<String>,
}

/// When the history is compressed, and how far.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct ContextCompression {
    /// The size of the history after compression, in tokens.
    #[schemars(range(min = 1))]
    target_token_count: Option<u64>,
}

/// How the agent behaves.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct General {
    /// Which tools need confirmation.
    default_approval_mode: Option<ApprovalModeWord>,
    /// Plan mode.
    plan: Option<Plan>,
}

/// Plan mode.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct Plan {
    /// The folder that plan mode may write to, relative to the project's root and inside it.
    /// Default: a folder in the user's state.
    directory: Option<String>,
}

/// Which tools need confirmation.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ApprovalModeWord {
    /// Writes, commands, web and MCP.
    Default,
    /// As `default`, except edits of files.
    AutoEdit,
    /// Older spelling of `auto_edit`.
    #[schemars(rename = "autoEdit")]
    OlderAutoEdit,
    /// None.
    Yolo,
    /// None, because everything except reading is refused.
    Plan,
}

/// What is sent to the model in addition to the prompt.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct ContextFiles {
    /// Names of context files.
    file_name: Option<OneOrMany>,
    /// Further folders that tools and prompts may touch, in addition to those of
    /// `--include-directories`. A relative path begins in the current folder.
    include_directories: Option<Vec<String>>,
}

/// One text, or a list of texts.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Which tools are available, and which need no confirmation.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Tools {
    /// If set, only these built-in tools are available.
    core: Option<Vec<String>>,
    /// Tools that aren't available; the union of all layers.
    exclude: Option<Vec<String>>,
    /// Tools that need no confirmation.
    allowed: Option<Vec<String>>,
    /// Tools that always need confirmation; the union of all layers.
    confirmation_required: Option<Vec<String>>,
    /// Whether commands may write only to the workspace and temporary folders: `on`, `ask` (you are
    /// asked when a command has to leave the sandbox) or `off` (the default). The strictest layer
    /// counts.
    sandbox: Option<SandboxSetting>,
    /// Whether commands in the sandbox have access to the network. Counts only in the user's and
    /// the system's settings.
    #[schemars(extend("default" = false))]
    sandbox_network_access: Option<bool>,
    /// What else commands in the sandbox may write to; relative paths start at the project's root.
    /// Counts only in the user's and the system's settings.
    sandbox_allowed_paths: Option<Vec<String>>,
    /// Older spelling of `general.defaultApprovalMode`.
    #[schemars(extend("deprecated" = true))]
    approval_mode: Option<ApprovalModeWord>,
    /// Older spelling of `hooksConfig.enabled`.
    #[schemars(extend("deprecated" = true))]
    enable_hooks: Option<bool>,
}

// Without a doc comment, so that editors show that of the key.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum SandboxSetting {
    /// `true` is `on`, `false` is `off`.
    Switch(bool),
    /// The mode.
    Mode(SandboxWord),
}

// Without a doc comment, so that editors show that of the key.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum SandboxWord {
    /// They may, and no command leaves the sandbox.
    On,
    /// They may, and a person is asked when a command has to leave the sandbox.
    Ask,
    /// They may write elsewhere, too.
    Off,
}

/// An MCP server: a program (`command`), or an address (`httpUrl`, `url`).
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "McpServer")]
pub(super) struct McpServerSchema {
    /// The program that runs the server.
    command: Option<String>,
    /// Its arguments.
    args: Option<Vec<String>>,
    /// The folder it runs in.
    cwd: Option<String>,
    /// Its environment variables.
    env: Option<BTreeMap<String, String>>,
    /// The address of a server that uses streamable HTTP.
    http_url: Option<String>,
    /// The address of a server that uses the transport in `type`. Default: streamable HTTP, or SSE
    /// if the server doesn't accept messages.
    url: Option<String>,
    /// How the server is reached.
    #[schemars(rename = "type")]
    kind: Option<McpServerKind>,
    /// Headers for requests to it.
    headers: Option<BTreeMap<String, String>>,
    /// How long a response may take, in milliseconds.
    #[schemars(range(min = 1))]
    timeout: Option<u64>,
    /// Whether its tools need no confirmation.
    trust: Option<bool>,
    /// If set, only these of its tools are available.
    include_tools: Option<Vec<String>>,
    /// Its tools that aren't available.
    exclude_tools: Option<Vec<String>>,
}

/// How an MCP server is reached: as a program, over streamable HTTP, or over the older stream of
/// events.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
enum McpServerKind {
    /// A program.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// A stream of events and an address for messages, the predecessor of streamable HTTP.
    Sse,
}

/// Where telemetry goes.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Telemetry {
    /// Whether telemetry is sent.
    enabled: Option<bool>,
    /// What receives the spans: `local`, the collector of `otlpEndpoint`.
    target: Option<String>,
    /// A file that events are appended to, in addition to `otlpEndpoint`.
    outfile: Option<String>,
    /// The address of an OTLP collector that speaks HTTP, such as `http://localhost:4318`: it
    /// gets a span for each turn, model call, tool call and hook.
    otlp_endpoint: Option<String>,
    /// The collector's protocol: `http`. For `grpc`, HTTP is used too, with a warning.
    otlp_protocol: Option<String>,
    /// Whether telemetry includes prompts.
    log_prompts: Option<bool>,
}

/// What is trusted, and what is withheld from hooks.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Security {
    /// Whether folders need trust. Counts only in the user's and the system's settings.
    folder_trust: Option<FolderTrustSwitch>,
    /// Which variables are withheld from hooks.
    environment_variable_redaction: Option<Redaction>,
    /// True: the same as `on` in `tools.sandbox`.
    tool_sandboxing: Option<bool>,
    /// True: no session may use the mode that never asks. Counts in every layer.
    disable_yolo_mode: Option<bool>,
    /// True: questions don't offer "Allow always". Counts in every layer.
    disable_always_allow: Option<bool>,
    /// True: extensions from repositories are neither installed nor used. Counts only in the user's
    /// and the system's settings.
    block_git_extensions: Option<bool>,
    /// Patterns; the source of an extension must match one of them. Counts only in the user's and
    /// the system's settings.
    allowed_extensions: Option<Vec<String>>,
    /// How requests are authenticated.
    auth: Option<Auth>,
}

/// How requests are authenticated: by a key, and in no other way.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct Auth {
    /// The required way to authenticate. A session that would use another one doesn't start.
    enforced_type: Option<String>,
}

/// Which MCP servers a session may have.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Mcp {
    /// If set, only these servers are available. With several layers, only those that all of them
    /// name.
    allowed: Option<Vec<String>>,
    /// Servers that aren't available; the union of all layers.
    excluded: Option<Vec<String>>,
}

/// Which skills the model is offered.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct SkillsSetting {
    /// False: no skills are offered.
    #[schemars(extend("default" = true))]
    enabled: Option<bool>,
    /// Skills that aren't offered; the union of all layers.
    disabled: Option<Vec<String>>,
}

/// Settings for sub-agents.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct SubAgentsSetting {
    /// Settings for individual sub-agents, by name.
    overrides: Option<BTreeMap<String, SubAgentSetting>>,
}

/// Settings for one sub-agent.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "SubAgent")]
struct SubAgentSetting {
    /// False: the sub-agent isn't offered to the model.
    #[schemars(extend("default" = true))]
    enabled: Option<bool>,
}

/// What an administrator has forbidden.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Admin {
    /// True: the same as `security.disableYoloMode` and `security.disableAlwaysAllow`.
    secure_mode_enabled: Option<bool>,
    /// Whether extensions may be used. Counts only in the user's and the system's settings.
    extensions: Option<AdminSwitch>,
    /// Whether MCP servers may be used.
    mcp: Option<AdminSwitch>,
    /// Whether skills may be used.
    skills: Option<AdminSwitch>,
}

/// Whether something may be used.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
struct AdminSwitch {
    /// False: they may not be used.
    #[schemars(extend("default" = true))]
    enabled: Option<bool>,
}

/// Whether folders need trust.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "FolderTrust")]
struct FolderTrustSwitch {
    /// False: every folder counts as trusted.
    #[schemars(extend("default" = true))]
    enabled: Option<bool>,
}

/// Which variables are withheld from hooks.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "EnvironmentVariableRedaction")]
struct Redaction {
    /// True: secrets are withheld from all hooks; false: from none; absent: from hooks of projects
    /// and extensions.
    enabled: Option<bool>,
    /// Names that are never withheld; the union of all layers.
    allowed: Option<Vec<String>>,
    /// Names that are always withheld; the union of all layers.
    blocked: Option<Vec<String>>,
}

/// Which extensions are used.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(super) struct Extensions {
    /// Names of extensions that aren't used.
    disabled: Option<Vec<String>>,
}
