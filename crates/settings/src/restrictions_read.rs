//! Reads what a settings file forbids (AG-CLI-9). A prohibition that isn't understood still
//! forbids, and one that isn't supported here is reported, so neither is silently off (ST-5).

use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, ObjectProp, Value};
use regex::Regex;

use crate::near::nearest;
use crate::old_names::nested;
use crate::report::Report;
use crate::restrictions::{Forbidden, Restriction, Restrictions};
use crate::syntax::{is_null, key_start, member, members, start};

/// The sections that nothing else reads.
const OWN_SECTIONS: [&str; 4] = ["mcp", "skills", "agents", "admin"];

/// Sections that are read for more.
const SHARED_SECTIONS: [&str; 4] = ["security", "tools", "context", "experimental"];

/// How long a word is at least, in bytes, that stands for a longer one.
const MIN_LENGTH: usize = 8;

/// The value at which a switch forbids something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    True,
    False,
}

/// The switches that forbid something.
const SWITCHES: &[(&str, At, &[Forbidden])] = &[
    (
        "security.disableYoloMode",
        At::True,
        &[Forbidden::NeverAsking],
    ),
    (
        "security.disableAlwaysAllow",
        At::True,
        &[Forbidden::AllowAlways],
    ),
    (
        "security.blockGitExtensions",
        At::True,
        &[Forbidden::FetchedExtensions],
    ),
    (
        "admin.secureModeEnabled",
        At::True,
        &[Forbidden::NeverAsking, Forbidden::AllowAlways],
    ),
    (
        "admin.extensions.enabled",
        At::False,
        &[Forbidden::Extensions],
    ),
    ("admin.mcp.enabled", At::False, &[Forbidden::McpServers]),
    ("admin.skills.enabled", At::False, &[Forbidden::Skills]),
    ("skills.enabled", At::False, &[Forbidden::Skills]),
    (
        "experimental.enableAgents",
        At::False,
        &[Forbidden::SubAgents],
    ),
];

/// The lists that forbid something.
const LISTS: [&str; 4] = [
    "mcp.allowed",
    "mcp.excluded",
    "skills.disabled",
    "security.allowedExtensions",
];

/// The section that contains sub-agents by name.
const OVERRIDES: &str = "agents.overrides";

/// The way of authenticating that is enforced.
const ENFORCED: &str = "security.auth.enforcedType";

/// The servers that an administrator lists, with how they are reached.
const LISTED_SERVERS: &str = "admin.mcp.config";

/// Settings of Gemini CLI for what isn't available here, and what to do instead.
const NOT_HERE: &[(&str, &str, &str)] = &[
    (
        "security.enableConseca",
        "no model judges calls here",
        "write a BeforeTool hook of the type \"prompt\", and remove the setting",
    ),
    (
        "security.auth.useExternal",
        "requests can only be authenticated by a key",
        "give the key in GEMINI_API_KEY, and remove the setting",
    ),
    (
        "admin.mcp.requiredConfig",
        "servers can't be required here, and these aren't started",
        "write them into \"mcpServers\" of the system's settings",
    ),
    (
        "mcp.serverCommand",
        "the server isn't started",
        "write it into \"mcpServers\" with a name",
    ),
    (
        "tools.discoveryCommand",
        "tools can't be discovered by a command here",
        "offer them through an MCP server (\"mcpServers\")",
    ),
    (
        "tools.callCommand",
        "tools can't be called by a command here",
        "offer them through an MCP server (\"mcpServers\")",
    ),
    (
        "context.fileFiltering.customIgnoreFilePaths",
        "these files aren't read, so the model can see what they list",
        "write their lines into .geminiignore",
    ),
];

/// Further keys of the sections, so that a word close to one of the above isn't mistaken for it.
const OTHER_KEYS: &[&str] = &[
    "security.toolSandboxing",
    "security.enablePermanentToolApproval",
    "security.autoAddToPolicyByDefault",
    "security.folderTrust",
    "security.environmentVariableRedaction",
    "security.allowedEnvironmentVariables",
    "security.blockedEnvironmentVariables",
    "security.auth",
    "security.auth.selectedType",
    "admin.mcp",
    "admin.skills",
    "admin.extensions",
    OVERRIDES,
    "agents.browser",
];

/// The current places of keys that earlier formats, or people by mistake, have at the top.
const MOVED: &[(&str, &str)] = &[
    ("allowMCPServers", "mcp.allowed"),
    ("allowedMcpServers", "mcp.allowed"),
    ("excludeMCPServers", "mcp.excluded"),
    ("excludedMcpServers", "mcp.excluded"),
    ("coreTools", "tools.core"),
    ("excludeTools", "tools.exclude"),
    ("allowedTools", "tools.allowed"),
    ("confirmationRequired", "tools.confirmationRequired"),
    ("folderTrust", "security.folderTrust.enabled"),
    ("enforcedAuthType", ENFORCED),
    ("selectedAuthType", "security.auth.selectedType"),
    ("disableYoloMode", "security.disableYoloMode"),
    ("disableAlwaysAllow", "security.disableAlwaysAllow"),
    ("blockGitExtensions", "security.blockGitExtensions"),
    ("allowedExtensions", "security.allowedExtensions"),
    ("secureModeEnabled", "admin.secureModeEnabled"),
    (
        "environmentVariableRedaction",
        "security.environmentVariableRedaction",
    ),
    ("approvalMode", "general.defaultApprovalMode"),
];

/// Reads what a file forbids, and reports settings without an effect.
pub(crate) fn read_restrictions(report: &mut Report<'_>, root: &[&ObjectProp<'_>]) -> Restrictions {
    let mut reader = Reader {
        report,
        found: Vec::new(),
    };
    for property in root {
        let name = property.name.as_str();
        reader.report_moved(property);
        let is_own = OWN_SECTIONS.contains(&name);
        if !is_own && !SHARED_SECTIONS.contains(&name) {
            continue;
        }
        match &property.value {
            value if is_null(value) => {}
            Value::Object(object) => {
                if is_own {
                    reader.report.report_repeated(object, |_| false);
                }
                reader.section(name, object);
            }
            other if is_own => {
                let what = format!("\"{name}\"");
                reader.report.wrong_type(&what, other, "an object");
            }
            _ => {}
        }
    }
    Restrictions(reader.found)
}

struct Reader<'r, 'a> {
    report: &'r mut Report<'a>,
    found: Vec<Restriction>,
}

impl Reader<'_, '_> {
    fn section(&mut self, path: &str, object: &Object<'_>) {
        for property in members(object).0 {
            if !is_null(&property.value) {
                self.property(&format!("{path}.{}", property.name.as_str()), property);
            }
        }
    }

    fn property(&mut self, path: &str, property: &ObjectProp<'_>) {
        let value = &property.value;
        if let Some((_, at, forbidden)) = SWITCHES.iter().find(|it| it.0 == path) {
            if self.forbids(path, value, *at) {
                for it in *forbidden {
                    self.add(path, value, it.clone());
                }
            }
        } else if LISTS.contains(&path) {
            self.list(path, value);
        } else if path == ENFORCED {
            self.read_enforced(value);
        } else if path == LISTED_SERVERS {
            self.listed_servers(value);
        } else if let Some((_, why, help)) = NOT_HERE.iter().find(|it| it.0 == path) {
            self.report_unsupported(path, property, why, help);
        } else if path == OVERRIDES {
            self.overrides(value);
        } else {
            self.report_misspelt_key(path, property);
            if let Value::Object(object) = value {
                self.section(path, object);
            }
        }
    }

    fn add(&mut self, key: &str, place: &Value<'_>, forbidden: Forbidden) {
        self.found.push(Restriction {
            forbidden,
            key: key.to_owned(),
            source: self.report.source_of(place),
        });
    }

    /// Returns whether a switch forbids something. One that can't be read does.
    fn forbids(&mut self, path: &str, value: &Value<'_>, at: At) -> bool {
        if let Value::BooleanLit(switch) = value {
            return switch.value == (at == At::True);
        }
        self.wrong(path, value, "true or false");
        let allows = match at {
            At::True => ["false", "off", "no", ""],
            At::False => ["true", "on", "yes", ""],
        };
        !matches!(value, Value::StringLit(text) if allows.contains(&&*text.value))
    }

    /// Reports a value of the wrong type, and that it counts for the strictest one.
    fn wrong(&mut self, path: &str, value: &Value<'_>, wanted: &str) {
        let what = format!("\"{path}\"");
        self.report.wrong_type(&what, value, wanted);
    }

    fn list(&mut self, path: &str, value: &Value<'_>) {
        let named = match value {
            // One name without brackets is meant as a list of one.
            Value::StringLit(text) => {
                self.wrong(path, value, "a list of strings");
                vec![self.report.provided(text.value.to_string(), value)]
            }
            other => self.report.texts_of(&format!("\"{path}\""), other),
        };
        let is_list = matches!(value, Value::Array(_) | Value::StringLit(_));
        let is_empty = matches!(value, Value::Array(list) if list.elements.is_empty());
        match path {
            // An empty list restricts nothing, as in Gemini CLI.
            "mcp.allowed" if !is_empty => {
                let kept = named.into_iter().map(|it| it.value).collect();
                self.add(path, value, Forbidden::OtherMcpServers(kept));
            }
            "security.allowedExtensions" if !is_empty => {
                let mut patterns = Vec::new();
                for pattern in named {
                    match Regex::new(&pattern.value) {
                        Ok(regex) => patterns.push(regex),
                        Err(error) => self.bad_pattern(value, &pattern.value, &error),
                    }
                }
                self.add(path, value, Forbidden::OtherExtensions(patterns));
            }
            "mcp.excluded" | "skills.disabled" => {
                let is_skill = path == "skills.disabled";
                if !is_list {
                    let all = if is_skill {
                        Forbidden::Skills
                    } else {
                        Forbidden::McpServers
                    };
                    self.add(path, value, all);
                }
                for name in named {
                    let forbidden = if is_skill {
                        Forbidden::Skill(name.value)
                    } else {
                        Forbidden::McpServer(name.value)
                    };
                    self.found.extend(name.source.map(|source| Restriction {
                        forbidden,
                        key: path.to_owned(),
                        source,
                    }));
                }
            }
            _ => {}
        }
    }

    fn bad_pattern(&mut self, place: &Value<'_>, pattern: &str, error: &regex::Error) {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        let message = format!(
            "the pattern \"{}\" of \"security.allowedExtensions\" can't be used: {reason}",
            excerpt(pattern)
        );
        let help = "correct it; until then it matches no extension";
        let code = ProblemCode::InvalidValue;
        self.report.add(code, start(place), message, help);
    }

    fn read_enforced(&mut self, value: &Value<'_>) {
        match self.report.text_of(&format!("\"{ENFORCED}\""), value) {
            Some("") => {}
            Some(way) => self.add(ENFORCED, value, Forbidden::OtherAuthentication(way.into())),
            // Whatever was meant, it isn't known to be this way.
            None => {
                let forbidden = Forbidden::OtherAuthentication("?".to_owned());
                self.add(ENFORCED, value, forbidden);
            }
        }
    }

    /// Keeps the servers that an administrator lists, and reports that their definitions don't
    /// count.
    fn listed_servers(&mut self, value: &Value<'_>) {
        let Value::Object(servers) = value else {
            self.wrong(LISTED_SERVERS, value, "an object with servers by name");
            self.add(LISTED_SERVERS, value, Forbidden::McpServers);
            return;
        };
        if servers.properties.is_empty() {
            return;
        }
        let names = servers.properties.iter().map(|it| it.name.as_str());
        let names = names.map(str::to_owned).collect();
        self.add(LISTED_SERVERS, value, Forbidden::OtherMcpServers(names));
        let message = format!(
            "\"{LISTED_SERVERS}\" disables all other MCP servers, but doesn't say how to reach its \
             own"
        );
        let help = "write \"mcp\": {\"allowed\": […]} for the names, and the servers into \
                    \"mcpServers\" of the system's settings";
        self.report
            .add(ProblemCode::Lossy, start(value), message, help);
    }

    /// Reads which sub-agents are switched off.
    fn overrides(&mut self, value: &Value<'_>) {
        let Value::Object(agents) = value else {
            self.wrong(OVERRIDES, value, "an object with sub-agents by name");
            self.add(OVERRIDES, value, Forbidden::SubAgents);
            return;
        };
        for agent in members(agents).0 {
            let name = agent.name.as_str();
            let object = match &agent.value {
                Value::Object(object) => object,
                value if is_null(value) => continue,
                other => {
                    let path = format!("{OVERRIDES}.{name}");
                    self.wrong(&path, other, "an object with \"enabled\"");
                    if !matches!(other, Value::BooleanLit(it) if it.value) {
                        self.add(&path, other, Forbidden::SubAgent(name.to_owned()));
                    }
                    continue;
                }
            };
            self.misspelt_switch(name, object);
            let Some(switch) = member(object, "enabled").filter(|it| !is_null(&it.value)) else {
                continue;
            };
            let path = format!("{OVERRIDES}.{name}.enabled");
            if self.forbids(&path, &switch.value, At::False) {
                let forbidden = Forbidden::SubAgent(name.to_owned());
                self.add(&path, &switch.value, forbidden);
            }
        }
    }

    /// Reports words of a sub-agent that were meant to switch it off, and don't.
    fn misspelt_switch(&mut self, agent: &str, object: &Object<'_>) {
        for property in members(object).0 {
            let word = property.name.as_str();
            let is_meant = word != "enabled"
                && (nearest(word, ["enabled"]).is_some()
                    || nearest(word, ["disabled"]).is_some()
                    || matches!(word, "active" | "on" | "off" | "enable" | "disable"));
            if is_meant {
                let path = format!("{OVERRIDES}.{agent}.{word}");
                let message = format!("\"{}\" isn't a setting: it has no effect", excerpt(&path));
                let help = "write \"enabled\": false to disable the sub-agent";
                let code = ProblemCode::InvalidValue;
                self.report.add(code, key_start(property), message, help);
            }
        }
    }

    /// Reports a setting for something that isn't available here.
    fn report_unsupported(&mut self, path: &str, property: &ObjectProp<'_>, why: &str, help: &str) {
        let is_asked_for = match &property.value {
            Value::BooleanLit(switch) => switch.value,
            Value::Array(list) => !list.elements.is_empty(),
            Value::Object(object) => !object.properties.is_empty(),
            Value::StringLit(text) => !text.value.is_empty(),
            _ => true,
        };
        if is_asked_for {
            let message = format!("\"{path}\" has no effect: {why}");
            let code = ProblemCode::Lossy;
            self.report.add(code, key_start(property), message, help);
        }
    }

    /// Reports a key that was probably meant to forbid something.
    fn report_misspelt_key(&mut self, path: &str, property: &ObjectProp<'_>) {
        let Some((section, name)) = path.rsplit_once('.') else {
            return;
        };
        // What is sent and received there isn't known.
        if OTHER_KEYS.contains(&path) || section == "experimental" {
            return;
        }
        let known = SWITCHES.iter().map(|it| it.0).chain(LISTS);
        let known = known.chain([ENFORCED, LISTED_SERVERS]);
        let known = known.chain(NOT_HERE.iter().map(|it| it.0));
        let known = known.chain(OTHER_KEYS.iter().copied());
        let of_section = known.filter_map(|it| it.rsplit_once('.').filter(|it| it.0 == section));
        let of_section: Vec<&str> = of_section.map(|it| it.1).collect();
        // A word that is cut short is meant too.
        let is_begun = |it: &&&str| name.len() >= MIN_LENGTH && it.starts_with(name);
        let near = nearest(name, of_section.iter().copied());
        let Some(meant) = near.or_else(|| of_section.iter().find(is_begun).copied()) else {
            return;
        };
        // That is reported where the sandbox is read.
        if meant == "toolSandboxing" || name.to_ascii_lowercase().contains("sandbox") {
            return;
        }
        let message = format!("\"{}\" isn't a setting: it has no effect", excerpt(path));
        let help = format!("write \"{meant}\"");
        let code = ProblemCode::InvalidValue;
        let place = key_start(property);
        self.report
            .add_suggesting(code, place, message, help, Some(meant));
    }

    /// Reports a key that is at the top, and belongs into a section.
    fn report_moved(&mut self, property: &ObjectProp<'_>) {
        let name = property.name.as_str();
        // What is off by default is off, wherever it was written.
        if name == "sandbox" && matches!(&property.value, Value::BooleanLit(it) if !it.value) {
            return;
        }
        if let Some((_, path)) = MOVED.iter().find(|it| it.0.eq_ignore_ascii_case(name)) {
            let message = format!("\"{name}\" isn't a setting at the top: it has no effect");
            let help = format!("write {}", nested(path));
            let code = ProblemCode::InvalidValue;
            self.report.add(code, key_start(property), message, help);
        }
    }
}
