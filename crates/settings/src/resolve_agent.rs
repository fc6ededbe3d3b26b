//! Resolves the agent's settings from all layers, with what an untrusted project may set.

use crate::agent::{
    AgentSettings, AnthropicSettings, OpenAiSettings, SandboxMode, TelemetrySettings, ToolSettings,
};
use crate::loosening::ProjectReach;
use crate::provided::Provided;
use crate::resolve::{Contents, Resolver, TRUST_HINT};
use crate::restrictions::Forbidden;
use hookloop_hook::ProblemCode;

impl Resolver<'_> {
    /// Resolves the agent's settings.
    pub(crate) fn agent(&mut self, contents: Contents) -> AgentSettings {
        let Contents {
            project,
            user,
            system,
        } = contents;
        let (mut project, mut user, system) = (project.agent, user.agent, system.agent);
        let trust = &mut project.folder_trust_enabled;
        let said = system.folder_trust_enabled.as_ref();
        take_what_holds(trust, said.or(user.folder_trust_enabled.as_ref()));
        self.gate(
            ProblemCode::FolderUntrusted,
            trust,
            "\"security.folderTrust.enabled\" has an effect only in the user's and the system's \
             settings",
            "remove it",
        );
        self.keep_redaction(&mut project);
        self.keep_extensions(&mut project);
        for path in project.policy_paths.drain(..) {
            let message = "policy files named by a project have no effect";
            let help = "name them in the user's or the system's settings, or use --policy";
            let code = ProblemCode::LooseningIgnored;
            self.gate(code, &mut Some(path), message, help);
        }
        self.keep_sandbox(&mut project.tools, &mut user.tools, &system.tools);
        if self.project == ProjectReach::Itself {
            let core_is_set = user.tools.core.is_some() || system.tools.core.is_some();
            self.keep_harmless(&mut project, core_is_set);
        }
        let (of_user, of_project) = (&mut user.telemetry, &mut project.telemetry);
        self.keep_telemetry(&system.telemetry, &mut [&mut *of_user, &mut *of_project]);
        self.keep_telemetry(of_user, &mut [of_project]);
        merge(merge(project, user), system)
    }

    /// Removes from a project's settings what could do harm: what starts programs, grants or
    /// discloses something.
    fn keep_harmless(&mut self, project: &mut AgentSettings, core_is_set: bool) {
        if core_is_set {
            self.gate_key("tools.core", &mut project.tools.core);
        }
        self.gate_key("tools.allowed", &mut project.tools.allowed);
        self.gate_key("general.defaultApprovalMode", &mut project.approval_mode);
        self.gate_key("general.plan.directory", &mut project.plan_directory);
        self.gate_key("context.fileName", &mut project.context_file_names);
        for folder in project.include_directories.drain(..) {
            self.gate_key("context.includeDirectories", &mut Some(folder));
        }
        // It would receive everything that the model reads, and the user's key.
        self.gate_key("openai.baseUrl", &mut project.openai.base_url);
        self.gate_key("openai.apiKey", &mut project.openai.api_key);
        self.gate_key("openai.api", &mut project.openai.api);
        self.gate_key("anthropic.baseUrl", &mut project.anthropic.base_url);
        self.gate_key("anthropic.apiKey", &mut project.anthropic.api_key);
        self.gate_key("telemetry.enabled", &mut project.telemetry.enabled);
        self.gate_key("telemetry.target", &mut project.telemetry.target);
        self.gate_key("telemetry.outfile", &mut project.telemetry.outfile);
        self.gate_key(
            "telemetry.otlpEndpoint",
            &mut project.telemetry.otlp_endpoint,
        );
        self.gate_key(
            "telemetry.otlpProtocol",
            &mut project.telemetry.otlp_protocol,
        );
        self.gate_key("telemetry.logPrompts", &mut project.telemetry.log_prompts);
        for server in project.mcp_servers.drain(..) {
            let message = format!(
                "the MCP server \"{}\" of a project that isn't trusted isn't started",
                server.name
            );
            self.warn(
                ProblemCode::FolderUntrusted,
                &server.source,
                message,
                TRUST_HINT,
            );
            project.untrusted_servers.push(server);
        }
    }

    /// Removes what a project says about withheld variables: it could deprive others' guards of
    /// what they need, or give its own hooks secrets (ST-13).
    fn keep_redaction(&mut self, project: &mut AgentSettings) {
        let key = "security.environmentVariableRedaction";
        let message =
            format!("\"{key}\" has an effect only in the user's and the system's settings");
        let code = ProblemCode::LooseningIgnored;
        let redaction = &mut project.environment_redaction;
        self.gate(code, &mut redaction.enabled, &message, "remove it here");
        for list in [&mut redaction.allowed, &mut redaction.blocked] {
            for entry in list.drain(..) {
                self.gate(code, &mut Some(entry), &message, "remove it here");
            }
        }
    }

    /// Removes what a project says about which extensions there may be: guards of others may come
    /// from them (ST-13).
    fn keep_extensions(&mut self, project: &mut AgentSettings) {
        let all = std::mem::take(&mut project.restrictions.0);
        let (of_extensions, others) = all.into_iter().partition::<Vec<_>, _>(|it| {
            matches!(
                it.forbidden,
                Forbidden::Extensions
                    | Forbidden::FetchedExtensions
                    | Forbidden::OtherExtensions(_)
            )
        });
        project.restrictions.0 = others;
        for restriction in of_extensions {
            let message = format!(
                "\"{}\" has an effect only in the user's and the system's settings",
                restriction.key
            );
            let code = ProblemCode::LooseningIgnored;
            self.warn(code, &restriction.source, message, "remove it here");
        }
    }

    /// Removes what would open the sandbox that a more trusted layer requires: the strictest mode
    /// counts, and what lets commands out is in the user's and the system's settings (ST-13).
    fn keep_sandbox(
        &mut self,
        project: &mut ToolSettings,
        user: &mut ToolSettings,
        system: &ToolSettings,
    ) {
        let code = ProblemCode::LooseningIgnored;
        let message = |key: &str| {
            format!("\"tools.{key}\" has an effect only in the user's and the system's settings")
        };
        let network = message("sandboxNetworkAccess");
        let paths = message("sandboxAllowedPaths");
        let help = "remove it here";
        if project.sandbox_network.as_ref().is_some_and(|it| it.value) {
            self.gate(code, &mut project.sandbox_network, &network, help);
        }
        self.gate(code, &mut project.sandbox_paths, &paths, help);
        let mode = |tools: &ToolSettings| tools.sandbox.as_ref().map(|it| it.value);
        let asked = mode(user).max(mode(system));
        for (tools, above) in [(project, asked), (&mut *user, mode(system))] {
            if mode(tools).is_some_and(|it| Some(it) < above) {
                let above = above.map_or("", SandboxMode::as_str);
                let message = format!(
                    "\"tools.sandbox\" of this layer loosens nothing: a more trusted one says \
                     \"{above}\""
                );
                self.gate(code, &mut tools.sandbox, &message, help);
            }
        }
        let is_closed = system.sandbox_network.as_ref().is_some_and(|it| !it.value);
        if is_closed && user.sandbox_network.as_ref().is_some_and(|it| it.value) {
            let message = "\"tools.sandboxNetworkAccess\": the system's settings forbid it";
            self.gate(code, &mut user.sandbox_network, message, help);
        }
        if system.sandbox_paths.is_some() {
            let message =
                "\"tools.sandboxAllowedPaths\": the system's settings decide which are allowed";
            self.gate(code, &mut user.sandbox_paths, message, help);
        }
    }

    /// Removes what would switch off or redirect the telemetry of a more trusted layer, or add
    /// prompts that are left out there: the layer that owns the telemetry decides everything about
    /// it (ST-13).
    fn keep_telemetry(&mut self, above: &TelemetrySettings, below: &mut [&mut TelemetrySettings]) {
        let leaves_prompts_out = above.log_prompts.as_ref().is_some_and(|it| !it.value);
        let code = ProblemCode::LooseningIgnored;
        let message = |key: &str| {
            format!(
                "\"telemetry.{key}\" of this layer is ignored: a more trusted one configures \
                 telemetry itself"
            )
        };
        let help = "remove it here";
        for layer in below {
            if leaves_prompts_out && layer.log_prompts.as_ref().is_some_and(|it| it.value) {
                self.gate(code, &mut layer.log_prompts, &message("logPrompts"), help);
            }
            if !above.is_directed() {
                continue;
            }
            take_what_holds(&mut layer.enabled, above.enabled.as_ref());
            take_what_holds(&mut layer.target, above.target.as_ref());
            take_what_holds(&mut layer.outfile, above.outfile.as_ref());
            take_what_holds(&mut layer.otlp_endpoint, above.otlp_endpoint.as_ref());
            take_what_holds(&mut layer.otlp_protocol, above.otlp_protocol.as_ref());
            self.gate(code, &mut layer.enabled, &message("enabled"), help);
            self.gate(code, &mut layer.target, &message("target"), help);
            self.gate(code, &mut layer.outfile, &message("outfile"), help);
            self.gate(
                code,
                &mut layer.otlp_endpoint,
                &message("otlpEndpoint"),
                help,
            );
            self.gate(
                code,
                &mut layer.otlp_protocol,
                &message("otlpProtocol"),
                help,
            );
        }
    }

    fn gate_key<T>(&mut self, key: &str, value: &mut Option<Provided<T>>) {
        let message = format!("\"{key}\" of a project that isn't trusted has no effect");
        self.gate(ProblemCode::FolderUntrusted, value, &message, TRUST_HINT);
    }

    fn gate<T>(
        &mut self,
        code: ProblemCode,
        value: &mut Option<Provided<T>>,
        message: &str,
        help: &str,
    ) {
        if let Some(Provided {
            source: Some(source),
            ..
        }) = value.take()
        {
            self.warn(code, &source, message.to_owned(), help);
        }
    }
}

/// Removes a value that equals a more trusted layer's: nothing is lost that would have to be
/// reported.
fn take_what_holds<T: PartialEq>(value: &mut Option<Provided<T>>, above: Option<&Provided<T>>) {
    if above.is_some_and(|above| value.as_ref().is_some_and(|it| it.value == above.value)) {
        *value = None;
    }
}

/// Lays what a higher layer says about tools over a lower one.
fn merge_tools(tools: &mut ToolSettings, low: ToolSettings) {
    tools.core = tools.core.take().or(low.core);
    tools.allowed = tools.allowed.take().or(low.allowed);
    tools.exclude.extend(low.exclude);
    tools
        .confirmation_required
        .extend(low.confirmation_required);
    // What remains of lower layers opens nothing; a closed network stays closed.
    tools.sandbox = [tools.sandbox.take(), low.sandbox]
        .into_iter()
        .flatten()
        .max_by_key(|it| it.value);
    tools.sandbox_network = [tools.sandbox_network.take(), low.sandbox_network]
        .into_iter()
        .flatten()
        .min_by_key(|it| it.value);
    tools.sandbox_paths = tools.sandbox_paths.take().or(low.sandbox_paths);
}

/// Lays a higher layer over a lower one; lists that make the agent stricter are united.
pub(crate) fn merge(high: AgentSettings, low: AgentSettings) -> AgentSettings {
    let mut merged = AgentSettings {
        model_name: high.model_name.or(low.model_name),
        openai: OpenAiSettings {
            base_url: high.openai.base_url.or(low.openai.base_url),
            api_key: high.openai.api_key.or(low.openai.api_key),
            api: high.openai.api.or(low.openai.api),
        },
        anthropic: AnthropicSettings {
            base_url: high.anthropic.base_url.or(low.anthropic.base_url),
            api_key: high.anthropic.api_key.or(low.anthropic.api_key),
        },
        max_session_turns: high.max_session_turns.or(low.max_session_turns),
        idle_timeout: high.idle_timeout.or(low.idle_timeout),
        models: high.models.over(low.models),
        prices: high.prices,
        currency: high.currency.or(low.currency),
        compression_threshold: high.compression_threshold.or(low.compression_threshold),
        target_token_count: high.target_token_count.or(low.target_token_count),
        approval_mode: high.approval_mode.or(low.approval_mode),
        plan_directory: high.plan_directory.or(low.plan_directory),
        context_file_names: high.context_file_names.or(low.context_file_names),
        tools: high.tools,
        telemetry: high.telemetry,
        environment_redaction: high.environment_redaction,
        folder_trust_enabled: high.folder_trust_enabled.or(low.folder_trust_enabled),
        mcp_servers: high.mcp_servers,
        untrusted_servers: high.untrusted_servers,
        // The more trusted layer is named as the one that forbids.
        policy_paths: low
            .policy_paths
            .into_iter()
            .chain(high.policy_paths)
            .collect(),
        include_directories: low
            .include_directories
            .into_iter()
            .chain(high.include_directories)
            .collect(),
        restrictions: low.restrictions.extended_by(high.restrictions),
    };
    merge_tools(&mut merged.tools, low.tools);
    let telemetry = &mut merged.telemetry;
    telemetry.enabled = telemetry.enabled.take().or(low.telemetry.enabled);
    telemetry.target = telemetry.target.take().or(low.telemetry.target);
    telemetry.outfile = telemetry.outfile.take().or(low.telemetry.outfile);
    telemetry.otlp_endpoint = telemetry
        .otlp_endpoint
        .take()
        .or(low.telemetry.otlp_endpoint);
    telemetry.otlp_protocol = telemetry
        .otlp_protocol
        .take()
        .or(low.telemetry.otlp_protocol);
    telemetry.log_prompts = telemetry.log_prompts.take().or(low.telemetry.log_prompts);
    let redaction = &mut merged.environment_redaction;
    redaction.enabled = redaction
        .enabled
        .take()
        .or(low.environment_redaction.enabled);
    redaction.allowed.extend(low.environment_redaction.allowed);
    redaction.blocked.extend(low.environment_redaction.blocked);
    for (model, price) in low.prices {
        if merged.prices.iter().all(|(known, _)| *known != model) {
            merged.prices.push((model, price));
        }
    }
    merged.untrusted_servers.extend(low.untrusted_servers);
    for server in low.mcp_servers {
        if merged
            .mcp_servers
            .iter()
            .all(|known| known.name != server.name)
        {
            merged.mcp_servers.push(server);
        }
    }
    merged
}
