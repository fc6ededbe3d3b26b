//! The JSON Schema of a settings file (ST-9).
//!
//! It is generated from declarative types that mirror what is read, key by key; tests keep the
//! two in sync. The types never hold values: reading keeps places, which types like these can't.

mod agent;
mod foreign_events;
mod hooks;
mod key_names;
mod shown;

use hookloop_hook::EventName;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use agent::{
    Admin, Anthropic, ContextCompression, ContextFiles, Extensions, General, Mcp, McpServers,
    ModelConfigs, ModelSetting, OpenAi, Security, SkillsSetting, SubAgentsSetting, Telemetry,
    Tools,
};
use foreign_events::take_with_their_dialect;
use hooks::{Hooks, HooksConfig};
use key_names::name_what_is_meant;
use shown::{join_words, leave_keys_their_descriptions};

/// Settings of Hookloop: a project's `.gemini/settings.json`, `~/.gemini/settings.json`, or the
/// system's file. Comments and trailing commas are allowed; keys that aren't listed are ignored.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", title = "Hookloop settings")]
#[expect(dead_code, reason = "the schema is all there is to these types")]
struct SettingsFileSchema {
    /// The schema that an editor uses.
    #[schemars(rename = "$schema")]
    schema: Option<String>,
    /// The hooks: for each event a list of groups. Names are case-sensitive. Hooks of all layers
    /// are concatenated: project, user, system, extensions.
    hooks: Option<Hooks>,
    /// Switches that apply to hooks.
    hooks_config: Option<HooksConfig>,
    /// The model, and limits of a session with it.
    model: Option<ModelSetting>,
    /// Settings of models in Gemini CLI's form: aliases and overrides. `model.settings` is a
    /// shorter form.
    model_configs: Option<ModelConfigs>,
    /// A service with an API for chat completions, such as Ollama, llama.cpp or vLLM.
    openai: Option<OpenAi>,
    /// A service that speaks Anthropic's Messages API.
    anthropic: Option<Anthropic>,
    /// When the history is compressed, and how far.
    context_compression: Option<ContextCompression>,
    /// How the agent behaves.
    general: Option<General>,
    /// What is sent to the model in addition to the prompt.
    context: Option<ContextFiles>,
    /// Which tools are available, and which need no confirmation.
    tools: Option<Tools>,
    /// MCP servers, by name. Their tools are named `mcp__<server>__<tool>`.
    mcp_servers: Option<McpServers>,
    /// Which MCP servers a session may have.
    mcp: Option<Mcp>,
    /// Which skills the model is offered.
    skills: Option<SkillsSetting>,
    /// Settings for sub-agents.
    agents: Option<SubAgentsSetting>,
    /// What an administrator has forbidden. Counts in every layer.
    admin: Option<Admin>,
    /// Files with rules for tools, and folders of such files, in addition to those in
    /// `~/.gemini/policies`. A relative path begins in the folder of the settings file. Counts only
    /// in the user's and the system's settings.
    policy_paths: Option<Vec<String>>,
    /// The same as `policyPaths`.
    admin_policy_paths: Option<Vec<String>>,
    /// Where telemetry goes.
    telemetry: Option<Telemetry>,
    /// What is trusted, and what is withheld from hooks.
    security: Option<Security>,
    /// Which extensions are used.
    extensions: Option<Extensions>,
}

/// Returns the JSON Schema (draft 7) of a settings file (ST-9). It is the same on every call.
pub fn json_schema() -> Value {
    let generated = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<SettingsFileSchema>()
        .to_value();
    let mut schema = Map::new();
    // What a reader wants to see first.
    for key in ["$schema", "title", "description"] {
        if let Some(value) = generated.get(key) {
            schema.insert(key.to_owned(), value.clone());
        }
    }
    if let Value::Object(generated) = generated {
        schema.extend(generated);
    }
    // Files that name it keep meaning the same one, wherever it was printed to. The site serves it
    // there.
    schema.insert("$id".to_owned(), Value::from(ADDRESS));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for event in EventName::ALL {
            let description = format!("In the wrong place: move it into \"hooks\" ({event}).");
            let never = serde_json::json!({
                "description": description,
                "errorMessage": description,
                "not": {},
            });
            properties.insert(event.as_str().to_owned(), never);
        }
    }
    leave_keys_their_descriptions(&mut schema);
    let mut schema = Value::Object(schema);
    join_lines(&mut schema);
    drop_nulls(&mut schema);
    join_words(&mut schema);
    say_what_is_right(&mut schema);
    name_what_is_meant(&mut schema);
    take_with_their_dialect(&mut schema);
    schema
}

/// Where the schema is served, and how files name it.
const ADDRESS: &str = "https://hookloop.github.io/hookloop/settings.schema.json";

/// Gives values that have one type a sentence for editors, which say it in place of their own
/// (`errorMessage`, as VS Code reads it). Objects have none: it would hide the name of a wrong
/// field.
fn say_what_is_right(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if !object.contains_key("errorMessage")
                && let Some(sentence) = sentence(object)
            {
                object.insert("errorMessage".to_owned(), Value::from(sentence));
            }
            object.values_mut().for_each(say_what_is_right);
        }
        Value::Array(list) => list.iter_mut().for_each(say_what_is_right),
        _ => {}
    }
}

fn sentence(schema: &Map<String, Value>) -> Option<String> {
    let is_word = |it: &&Value| it.is_string();
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = words.iter().filter(is_word).map(Value::to_string).collect();
        return Some(format!("must be one of {}", words.join(", ")));
    }
    let kind = match schema.get("type")? {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null")?.as_str()?,
        kind => kind.as_str()?,
    };
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let sentence = match (kind, pattern) {
        ("string", Some(r"\S")) => "must be a string, and must not be empty",
        ("string", Some(r"^https?://")) => {
            "must be an address that begins with http:// or https://"
        }
        ("string", _) => "must be a string",
        ("boolean", _) => "must be true or false",
        ("integer", _) => "must be a whole number",
        ("number", _) => "must be a number",
        ("array", _) => "must be a list",
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// Replaces "this or null" by "this": a validator then says what is wrong inside, and not only that
/// neither fits.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let inner = match object
                .get("anyOf")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
            {
                Some([inner, null]) if null["type"] == "null" => Some(inner.clone()),
                _ => None,
            };
            if let Some(inner) = inner {
                object.remove("anyOf");
                // Beside a reference nothing else counts in this draft.
                object.insert("allOf".to_owned(), Value::Array(vec![inner]));
            }
            object.values_mut().for_each(drop_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Undoes the line breaks that descriptions have from the source.
fn join_lines(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "description" => *text = text.replace('\n', " "),
                    other => join_lines(other),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(join_lines),
        _ => {}
    }
}

/// Returns the JSON Schema as it is committed and printed: indented, with a line end (ST-9, CM-8).
pub fn json_schema_text() -> String {
    format!("{:#}\n", json_schema())
}

#[cfg(test)]
mod tests;
