//! Reads whether commands are confined (`tools.sandbox`). A request for a sandbox that isn't
//! understood still turns it on: a misspelt word never turns it off (ST-5).

use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{ObjectProp, Value};

use crate::agent::{SandboxMode, ToolSettings};
use crate::near::nearest;
use crate::provided::Provided;
use crate::report::Report;
use crate::syntax::{key_start, start};

/// The key that requires a sandbox.
const KEY: &str = "sandbox";

/// The keys of `tools` that are about the sandbox.
const KEYS: [&str; 3] = [KEY, "sandboxNetworkAccess", "sandboxAllowedPaths"];

/// Gemini CLI's key for it in `security`.
const TOOL_SANDBOXING: &str = "toolSandboxing";

/// The containers that `tools.sandbox` of Gemini CLI names.
const CONTAINERS: [&str; 5] = ["docker", "podman", "lxc", "runsc", "windows-native"];

/// Reads whether commands are confined. A value that isn't understood is a request for a sandbox of
/// some kind, so there is one.
pub(crate) fn mode(report: &mut Report<'_>, value: &Value<'_>) -> Provided<SandboxMode> {
    let mode = match value {
        Value::BooleanLit(switch) if switch.value => SandboxMode::On,
        Value::BooleanLit(_) => SandboxMode::Off,
        Value::StringLit(text) => match &*text.value {
            "" | "off" | "false" => SandboxMode::Off,
            "ask" => SandboxMode::Ask,
            "on" | "true" | "sandbox-exec" => SandboxMode::On,
            other => {
                let message = format!(
                    "\"tools.sandbox\" can't be \"{}\": commands are confined by the operating \
                     system itself, not in a container",
                    excerpt(other)
                );
                let help = "write \"on\", \"ask\" or \"off\"; \"on\" is used";
                // Other agents use containers: that isn't a mistake.
                let code = if CONTAINERS.contains(&other) {
                    ProblemCode::Lossy
                } else {
                    ProblemCode::InvalidValue
                };
                report.add(code, start(value), message, help);
                SandboxMode::On
            }
        },
        other => {
            report.wrong_type("\"tools.sandbox\"", other, "\"on\", \"ask\" or \"off\"");
            SandboxMode::On
        }
    };
    report.provided(mode, value)
}

/// Takes over a key's value; of several, the strictest counts.
pub(crate) fn ask(tools: &mut ToolSettings, asked: Provided<SandboxMode>) {
    let known = tools.sandbox.as_ref();
    if known.is_none_or(|it| it.value < asked.value) {
        tools.sandbox = Some(asked);
    }
}

/// Reads Gemini CLI's key for the sandbox of tools (`security.toolSandboxing`). It can only require
/// one: `false` means that this file doesn't.
pub(crate) fn read_tools(report: &mut Report<'_>, value: &Value<'_>, tools: &mut ToolSettings) {
    let is_asked_for = match value {
        Value::BooleanLit(switch) => switch.value,
        other => {
            let what = "\"security.toolSandboxing\"";
            report.wrong_type(what, other, "true or false");
            !matches!(other, Value::StringLit(text) if matches!(&*text.value, "" | "off" | "false"))
        }
    };
    if is_asked_for {
        ask(tools, report.provided(SandboxMode::On, value));
    }
}

/// Reports a key that was probably meant to be about the sandbox. If it requires one, there is one.
pub(crate) fn report_misspelt_key(
    report: &mut Report<'_>,
    section: &str,
    property: &ObjectProp<'_>,
    tools: &mut ToolSettings,
) {
    let (name, value) = (property.name.as_str(), &property.value);
    // Other words may appear around it: `useSandbox`, `sandboxMode`.
    let holds = || name.to_ascii_lowercase().contains(KEY).then_some(KEY);
    let is_of_tools = || section == "security." && nearest(name, [TOOL_SANDBOXING]).is_some();
    let of_tools = || is_of_tools().then_some(KEY);
    let Some(meant) = nearest(name, KEYS).or_else(holds).or_else(of_tools) else {
        return;
    };
    let is_asked_for = match value {
        Value::BooleanLit(switch) => switch.value,
        Value::StringLit(text) => !matches!(&*text.value, "" | "off" | "false" | "none"),
        _ => true,
    };
    if !is_asked_for && section.is_empty() && name == KEY {
        // The name that it had in earlier formats. It sets nothing, so nothing is off.
        return;
    }
    let is_used = meant == KEY && is_asked_for;
    let effect = if is_used {
        "commands are confined as with \"tools.sandbox\": \"on\""
    } else {
        "it has no effect"
    };
    let message = format!("\"{section}{}\" isn't a setting: {effect}", excerpt(name));
    let help = format!("write \"tools\": {{\"{meant}\": …}}");
    let suggestion = (section == "tools.").then_some(meant);
    let code = ProblemCode::InvalidValue;
    report.add_suggesting(code, key_start(property), message, help, suggestion);
    if is_used {
        ask(tools, report.provided(SandboxMode::On, value));
    }
}
