//! Top-level names in earlier formats of Gemini CLI's settings. Nothing reads them any more, so
//! each is reported with its current name (AG-CLI-9).

use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::report::Report;
use crate::syntax::{is_null, key_start};
use hookloop_hook::ProblemCode;

/// What is at the top by mistake, and its current meaning.
struct Old {
    name: &'static str,
    /// Its current place.
    today: &'static str,
    use_here: Use,
}

/// What happens to a setting under its current name.
enum Use {
    /// It counts.
    Counts,
    /// Nothing does what it sets; that is done differently, or not at all.
    Nothing(&'static str),
}

const fn counts(name: &'static str, today: &'static str) -> Old {
    let use_here = Use::Counts;
    Old {
        name,
        today,
        use_here,
    }
}

const fn nothing(name: &'static str, today: &'static str, instead: &'static str) -> Old {
    let use_here = Use::Nothing(instead);
    Old {
        name,
        today,
        use_here,
    }
}

/// The names that people would miss. Those that forbid something are reported where that is read,
/// and those for what Gemini CLI shows and hides aren't: nothing is on or off because of them.
const OLD_NAMES: &[Old] = &[
    counts("contextFileName", "context.fileName"),
    counts("maxSessionTurns", "model.maxSessionTurns"),
    counts("enableHooks", "hooksConfig.enabled"),
    counts("chatCompression", "model.compressionThreshold"),
    nothing(
        "theme",
        "ui.theme",
        "colours follow the terminal (COLORFGBG, NO_COLOR)",
    ),
    nothing(
        "vimMode",
        "general.vimMode",
        "Ctrl+X opens the text in your own editor",
    ),
    nothing(
        "autoAccept",
        "tools.autoAccept",
        "name what needs no question in \"tools.allowed\"",
    ),
    nothing(
        "preferredEditor",
        "general.preferredEditor",
        "Ctrl+X opens the editor that VISUAL or EDITOR names",
    ),
    nothing(
        "checkpointing",
        "general.checkpointing",
        "/rewind goes back to before an earlier prompt in every session",
    ),
    counts("includeDirectories", "context.includeDirectories"),
    nothing(
        "fileFiltering",
        "context.fileFiltering",
        ".gitignore and .geminiignore are always respected",
    ),
    nothing(
        "mcpServerCommand",
        "mcp.serverCommand",
        "write the server into \"mcpServers\" with a name",
    ),
    nothing(
        "toolDiscoveryCommand",
        "tools.discoveryCommand",
        "offer the tools through an MCP server (\"mcpServers\")",
    ),
    nothing(
        "toolCallCommand",
        "tools.callCommand",
        "offer the tools through an MCP server (\"mcpServers\")",
    ),
    nothing(
        "useExternalAuth",
        "security.auth.useExternal",
        "give the key in GEMINI_API_KEY",
    ),
    nothing(
        "excludedProjectEnvVars",
        "advanced.excludedEnvVars",
        "no variables are read from a project's .env",
    ),
    nothing(
        "accessibility",
        "ui.accessibility",
        "start with --screen-reader",
    ),
    nothing("ideMode", "ide.enabled", "an editor drives it with --acp"),
];

/// The current names that have no effect here and would mislead somebody: what they set doesn't
/// happen, and that isn't visible.
const MISLEADING: [&str; 6] = [
    "general.vimMode",
    "general.preferredEditor",
    "tools.autoAccept",
    "context.fileFiltering",
    "advanced.excludedEnvVars",
    "ui.accessibility",
];

/// Reports the settings that are at the top under a name of an earlier format, and current ones
/// that mislead.
pub(crate) fn report_old_names(report: &mut Report<'_>, root: &[&ObjectProp<'_>]) {
    for property in root {
        let name = property.name.as_str();
        if let Value::Object(section) = &property.value {
            report_todays_names(report, name, section);
        }
        let Some(old) = OLD_NAMES.iter().find(|it| it.name == name) else {
            continue;
        };
        if is_null(&property.value) || asks_for_nothing(old, &property.value) {
            continue;
        }
        let message = format!(
            "\"{name}\" is the name of an earlier format; it is now \"{}\", so this has no effect",
            old.today
        );
        let help = match old.use_here {
            Use::Counts => format!("write {}", nested(old.today)),
            Use::Nothing(instead) => format!("the new name has no effect here either; {instead}"),
        };
        let code = ProblemCode::UnknownField;
        report.add(code, key_start(property), message, &help);
    }
}

/// Notes the settings of a section that have no effect here; people share the file with Gemini CLI,
/// where they have.
fn report_todays_names(report: &mut Report<'_>, section: &str, members: &Object<'_>) {
    for property in &members.properties {
        let path = format!("{section}.{}", property.name.as_str());
        let old = OLD_NAMES.iter().find(|it| it.today == path);
        let Some(old) = old.filter(|_| MISLEADING.contains(&path.as_str())) else {
            continue;
        };
        let value = &property.value;
        if let Use::Nothing(instead) = old.use_here
            && !is_null(value)
            && !asks_for_nothing(old, value)
        {
            let message = format!("\"{path}\" has no effect here");
            report.note(
                ProblemCode::UnknownField,
                key_start(property),
                message,
                instead,
            );
        }
    }
}

/// Returns whether a setting sets what happens without it, too.
fn asks_for_nothing(old: &Old, value: &Value<'_>) -> bool {
    match (&old.use_here, value) {
        (Use::Nothing(_), Value::BooleanLit(switch)) => !switch.value,
        // Ignore files count unless a setting says that they don't; every other setting matters if
        // it is on.
        (Use::Nothing(_), Value::Object(switches)) => {
            let asks_by = old.today != "context.fileFiltering";
            !switches.properties.iter().any(|it| match &it.value {
                Value::BooleanLit(switch) => switch.value == asks_by,
                other => asks_by && !is_null(other),
            })
        }
        (Use::Counts, Value::BooleanLit(switch)) => switch.value,
        _ => false,
    }
}

/// Writes a path as a settings file has it.
pub(crate) fn nested(path: &str) -> String {
    let mut keys = path.split('.').rev();
    let last = keys.next().map(|it| format!("\"{it}\": …"));
    keys.fold(last.unwrap_or_default(), |inner, key| {
        format!("\"{key}\": {{{inner}}}")
    })
}
