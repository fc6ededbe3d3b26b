//! Reads the agent's settings from one file. Keys that aren't ours are ignored.

use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::agent::{AgentSettings, McpServer};
use crate::config_read::integer_of;
use crate::model_settings_read;
use crate::prices;
use crate::provided::Provided;
use crate::report::Report;
use crate::restrictions_read::read_restrictions;
use crate::sandbox_read as sandbox;
use crate::syntax::{is_null, start, to_json};
use crate::timeout;
use hookloop_hook::ProblemCode;

/// Reads what a file says about the agent.
pub(crate) fn read_agent(report: &mut Report<'_>, members: &[&ObjectProp<'_>]) -> AgentSettings {
    let mut agent = AgentSettings {
        restrictions: read_restrictions(report, members),
        ..AgentSettings::default()
    };
    for property in members {
        let name = property.name.as_str();
        match (name, &property.value) {
            (_, value) if is_null(value) => {}
            // In an older format of settings, the model's name is here.
            ("model", Value::StringLit(text)) => {
                agent.model_name = Some(report.provided(text.value.to_string(), &property.value));
            }
            (
                "model" | "openai" | "anthropic" | "contextCompression" | "general" | "context"
                | "tools" | "telemetry" | "security" | "mcpServers",
                value,
            ) => match value {
                Value::Object(object) => section(report, name, object, &mut agent),
                other => report.wrong_type(&format!("\"{name}\""), other, "an object"),
            },
            ("modelConfigs", value) => {
                model_settings_read::read_configs(report, value, &mut agent.models);
            }
            ("policyPaths" | "adminPolicyPaths", value) => {
                let paths = report.texts_of(&format!("\"{name}\""), value);
                agent.policy_paths.extend(paths);
            }
            _ => sandbox::report_misspelt_key(report, "", property, &mut agent.tools),
        }
    }
    agent
}

fn section(report: &mut Report<'_>, name: &str, object: &Object<'_>, agent: &mut AgentSettings) {
    for property in report.members(object) {
        let key = property.name.as_str();
        let value = &property.value;
        if is_null(value) {
            continue;
        }
        match name {
            "tools" => tools(report, property, agent),
            "telemetry" => telemetry(report, key, value, agent),
            "openai" => openai(report, key, value, agent),
            "anthropic" => anthropic(report, key, value, agent),
            "security" => security(report, property, agent),
            "mcpServers" => mcp_server(report, key, value, agent),
            _ => limits(report, name, property, agent),
        }
    }
}

fn limits(
    report: &mut Report<'_>,
    section: &str,
    property: &ObjectProp<'_>,
    agent: &mut AgentSettings,
) {
    let value = &property.value;
    match (section, property.name.as_str()) {
        ("model", "name") => agent.model_name = text(report, "\"model.name\"", value),
        ("model", "maxSessionTurns") => {
            agent.max_session_turns = signed(report, "\"model.maxSessionTurns\"", value);
        }
        ("model", "idleTimeout") => {
            agent.idle_timeout = time(report, "\"model.idleTimeout\"", value);
        }
        ("model", "compressionThreshold") => {
            agent.compression_threshold = share(report, "\"model.compressionThreshold\"", value);
        }
        ("model", "settings") => model_settings_read::read(report, value, &mut agent.models),
        ("model", "prices") => agent.prices = prices::read(report, value),
        ("model", "currency") => agent.currency = text(report, "\"model.currency\"", value),
        ("contextCompression", "targetTokenCount") => {
            let what = "\"contextCompression.targetTokenCount\"";
            agent.target_token_count = integer_of(report, what, value, 1);
        }
        ("general", "defaultApprovalMode") => {
            agent.approval_mode = text(report, "\"general.defaultApprovalMode\"", value);
        }
        ("general", "plan") => agent.plan_directory = plan_directory(report, value),
        ("context", "fileName") => {
            agent.context_file_names = Some(match value {
                Value::StringLit(name) => report.provided(vec![name.value.to_string()], value),
                other => texts(report, "\"context.fileName\"", other),
            });
        }
        ("context", "includeDirectories") => {
            agent.include_directories = report.texts_of("\"context.includeDirectories\"", value);
        }
        _ => {}
    }
}

/// Reads where plans are written (TO-6).
fn plan_directory(report: &mut Report<'_>, value: &Value<'_>) -> Option<Provided<String>> {
    let Value::Object(object) = value else {
        report.wrong_type("\"general.plan\"", value, "an object");
        return None;
    };
    let members = report.members(object);
    let directory = members.iter().find(|it| it.name.as_str() == "directory")?;
    let value = &directory.value;
    (!is_null(value)).then(|| text(report, "\"general.plan.directory\"", value))?
}

fn tools(report: &mut Report<'_>, property: &ObjectProp<'_>, agent: &mut AgentSettings) {
    let (key, value) = (property.name.as_str(), &property.value);
    let tools = &mut agent.tools;
    match key {
        // A malformed list doesn't count as an empty one, which would remove all tools.
        "core" if matches!(value, Value::Array(_)) => {
            tools.core = Some(texts(report, "\"tools.core\"", value));
        }
        "allowed" if matches!(value, Value::Array(_)) => {
            tools.allowed = Some(texts(report, "\"tools.allowed\"", value));
        }
        "core" | "allowed" => {
            report.wrong_type(&format!("\"tools.{key}\""), value, "a list of strings");
        }
        "exclude" => tools.exclude = report.texts_of("\"tools.exclude\"", value),
        "confirmationRequired" => {
            tools.confirmation_required = report.texts_of("\"tools.confirmationRequired\"", value);
        }
        "sandbox" => sandbox::ask(tools, sandbox::mode(report, value)),
        "sandboxNetworkAccess" => {
            tools.sandbox_network = report.boolean_of("\"tools.sandboxNetworkAccess\"", value);
        }
        "sandboxAllowedPaths" => {
            tools.sandbox_paths = Some(texts(report, "\"tools.sandboxAllowedPaths\"", value));
        }
        "approvalMode" if agent.approval_mode.is_none() => {
            agent.approval_mode = text(report, "\"tools.approvalMode\"", value);
        }
        _ => sandbox::report_misspelt_key(report, "tools.", property, tools),
    }
}

fn telemetry(report: &mut Report<'_>, key: &str, value: &Value<'_>, agent: &mut AgentSettings) {
    let telemetry = &mut agent.telemetry;
    match key {
        "enabled" => telemetry.enabled = report.boolean_of("\"telemetry.enabled\"", value),
        "target" => telemetry.target = text(report, "\"telemetry.target\"", value),
        "outfile" => telemetry.outfile = text(report, "\"telemetry.outfile\"", value),
        "otlpEndpoint" => {
            telemetry.otlp_endpoint = text(report, "\"telemetry.otlpEndpoint\"", value);
        }
        "otlpProtocol" => {
            telemetry.otlp_protocol = text(report, "\"telemetry.otlpProtocol\"", value);
        }
        "logPrompts" => {
            telemetry.log_prompts = report.boolean_of("\"telemetry.logPrompts\"", value);
        }
        _ => {}
    }
}

fn openai(report: &mut Report<'_>, key: &str, value: &Value<'_>, agent: &mut AgentSettings) {
    match key {
        "baseUrl" => agent.openai.base_url = text(report, "\"openai.baseUrl\"", value),
        "apiKey" => agent.openai.api_key = text(report, "\"openai.apiKey\"", value),
        "api" => agent.openai.api = text(report, "\"openai.api\"", value),
        _ => {}
    }
}

fn anthropic(report: &mut Report<'_>, key: &str, value: &Value<'_>, agent: &mut AgentSettings) {
    match key {
        "baseUrl" => agent.anthropic.base_url = text(report, "\"anthropic.baseUrl\"", value),
        "apiKey" => agent.anthropic.api_key = text(report, "\"anthropic.apiKey\"", value),
        _ => {}
    }
}

fn security(report: &mut Report<'_>, property: &ObjectProp<'_>, agent: &mut AgentSettings) {
    let (key, value) = (property.name.as_str(), &property.value);
    let redaction = &mut agent.environment_redaction;
    match key {
        "folderTrust" | "environmentVariableRedaction" => {}
        "toolSandboxing" => return sandbox::read_tools(report, value, &mut agent.tools),
        // Gemini CLI's other names for the two lists.
        "allowedEnvironmentVariables" => {
            let names = report.texts_of("\"security.allowedEnvironmentVariables\"", value);
            return redaction.allowed.extend(names);
        }
        "blockedEnvironmentVariables" => {
            let names = report.texts_of("\"security.blockedEnvironmentVariables\"", value);
            return redaction.blocked.extend(names);
        }
        _ => return sandbox::report_misspelt_key(report, "security.", property, &mut agent.tools),
    }
    let Value::Object(object) = value else {
        report.wrong_type(&format!("\"security.{key}\""), value, "an object");
        return;
    };
    for property in report.members(object) {
        let value = &property.value;
        match (key, property.name.as_str()) {
            _ if is_null(value) => {}
            ("folderTrust", "enabled") => {
                agent.folder_trust_enabled =
                    report.boolean_of("\"security.folderTrust.enabled\"", value);
            }
            ("environmentVariableRedaction", "enabled") => {
                let what = "\"security.environmentVariableRedaction.enabled\"";
                agent.environment_redaction.enabled = report.boolean_of(what, value);
            }
            ("environmentVariableRedaction", "allowed") => {
                let what = "\"security.environmentVariableRedaction.allowed\"";
                agent
                    .environment_redaction
                    .allowed
                    .extend(report.texts_of(what, value));
            }
            ("environmentVariableRedaction", "blocked") => {
                let what = "\"security.environmentVariableRedaction.blocked\"";
                agent
                    .environment_redaction
                    .blocked
                    .extend(report.texts_of(what, value));
            }
            _ => {}
        }
    }
}

fn mcp_server(report: &mut Report<'_>, name: &str, value: &Value<'_>, agent: &mut AgentSettings) {
    if !matches!(value, Value::Object(_)) {
        report.wrong_type(&format!("the MCP server \"{name}\""), value, "an object");
        return;
    }
    agent.mcp_servers.push(McpServer {
        name: name.to_owned(),
        configuration: to_json(value),
        source: report.source_of(value),
    });
}

fn text(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Option<Provided<String>> {
    let text = report.text_of(what, value)?.to_owned();
    Some(report.provided(text, value))
}

fn texts(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Provided<Vec<String>> {
    let texts = report
        .texts_of(what, value)
        .into_iter()
        .map(|text| text.value)
        .collect();
    report.provided(texts, value)
}

fn signed(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Option<Provided<i64>> {
    number(report, what, value, |number: &i64| *number != 0)
}

fn time(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Option<Provided<Duration>> {
    let read = match value {
        Value::NumberLit(number) => timeout::from_number(number.value),
        Value::StringLit(text) => timeout::from_text(&text.value),
        other => {
            report.wrong_type(
                what,
                other,
                "a number of milliseconds, or a number with a unit",
            );
            return None;
        }
    };
    match read {
        Ok(time) => Some(report.provided(time, value)),
        Err(why) => {
            let help = "write milliseconds (5000), or a number with a unit (\"5s\"); the default \
                        is used";
            let message = format!("{what}: {why}");
            report.add(ProblemCode::InvalidValue, start(value), message, help);
            None
        }
    }
}

fn share(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Option<Provided<f64>> {
    number(report, what, value, |number: &f64| {
        *number > 0.0 && *number <= 1.0
    })
}

fn number<T: std::str::FromStr>(
    report: &mut Report<'_>,
    what: &str,
    value: &Value<'_>,
    fits: impl Fn(&T) -> bool,
) -> Option<Provided<T>> {
    let Value::NumberLit(literal) = value else {
        report.wrong_type(what, value, "a number");
        return None;
    };
    if let Some(number) = literal.value.parse().ok().filter(fits) {
        return Some(report.provided(number, value));
    }
    let message = format!(
        "{what} can't be {}",
        hookloop_text::shorten::excerpt(literal.value)
    );
    let help = "write another number; the default is used";
    report.add(ProblemCode::InvalidValue, start(value), message, help);
    None
}
