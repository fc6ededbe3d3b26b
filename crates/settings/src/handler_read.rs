//! Reads what a hook runs: the fields that only some types have (`handlers.md`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookloop_hook::{
    Broken, DEFAULT_IDLE, Handler, HoldBack, HookDeclaration, HookSandbox, HookType, HttpRequest,
    McpCall, Plugin, PluginGrants, ProblemCode, PromptCall, Rules, Shell,
};
use hookloop_rules::RuleSet;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};

use crate::conditions;
use crate::fields::own_fields;
use crate::hook_read::HookReader;
use crate::syntax::{is_null, member, start};
use crate::timeout::duration_of;

impl HookReader<'_, '_> {
    /// Reads the handler of a type.
    pub(crate) fn handler(
        &mut self,
        hook: &mut HookDeclaration,
        hook_type: HookType,
        object: &Object<'_>,
    ) -> Result<Handler, Arc<Broken>> {
        Ok(match hook_type {
            HookType::Command => Handler::Command {
                command: self.command(object, hook)?,
                args: self.optional(object, "args", Self::texts)?,
                shell: self.optional(object, "shell", |reader, what, value| {
                    reader.word(what, value, Shell::ALL, Shell::as_str)
                })?,
            },
            HookType::Worker => Handler::Worker {
                command: self.command(object, hook)?,
                args: self.optional(object, "args", Self::texts)?,
                idle: self
                    .optional(object, "idle", Self::duration)?
                    .unwrap_or(DEFAULT_IDLE),
            },
            HookType::Http => Handler::Http(HttpRequest {
                url: self.url(object)?,
                headers: self
                    .optional(object, "headers", Self::headers)?
                    .unwrap_or_default(),
                allowed_env: self
                    .optional(object, "allowedEnv", Self::texts)?
                    .unwrap_or_default(),
            }),
            HookType::Plugin => Handler::Plugin(Plugin {
                plugin: self.required_text_field(object, "plugin", "the component's file")?,
                grants: self
                    .optional(object, "grants", Self::grants)?
                    .unwrap_or_default(),
                live: self
                    .optional(object, "live", Self::boolean)?
                    .unwrap_or_default(),
            }),
            HookType::Rule => Handler::Rule {
                rules: self.rules(object, hook)?,
            },
            HookType::McpTool => Handler::McpTool(McpCall {
                server: self.required_text_field(object, "server", "a configured MCP server")?,
                tool: self.required_text_field(object, "tool", "the server's tool")?,
                input: self
                    .optional(object, "input", Self::arguments)?
                    .unwrap_or_default(),
                // Set later, when all layers have been read.
                configured: None,
            }),
            HookType::Prompt => Handler::Prompt(PromptCall {
                prompt: self.required_text_field(object, "prompt", "the question for the model")?,
                model: self.optional(object, "model", Self::text)?,
                // Set later, when all layers have been read.
                served: None,
            }),
        })
    }

    /// Reads the arguments of a tool, which are an object.
    fn arguments(
        &mut self,
        what: &str,
        value: &Value<'_>,
    ) -> Result<serde_json::Value, Arc<Broken>> {
        match value {
            Value::Object(_) => Ok(self.json(value)),
            other => Err(self.wrong_type(what, other, "an object with the tool's arguments")),
        }
    }

    fn command(
        &mut self,
        object: &Object<'_>,
        hook: &mut HookDeclaration,
    ) -> Result<String, Arc<Broken>> {
        let help = "the command to run";
        let (value, command) = self.required_value(object, "command", help)?;
        let complaint = if command.trim().is_empty() {
            "the command is empty"
        } else if command.contains('\0') {
            "the command contains a NUL character"
        } else {
            if let (Some((_, substitution)), None) = (&self.extension, member(object, "args")) {
                return match substitution.command(self.literal(value)) {
                    Ok(command) => Ok(command),
                    Err((message, help)) => {
                        // The raw value is kept, for listings.
                        hook.handler = Handler::command(self.literal(value));
                        let code = ProblemCode::InvalidValue;
                        Err(self.report.fault(code, start(value), message, help, None))
                    }
                };
            }
            return Ok(command);
        };
        hook.places.command = None;
        let help = "write the command to run";
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, start(value), complaint, help, None))
    }

    /// Returns a text as it is written, variables not replaced.
    #[expect(clippy::unused_self, reason = "it reads like its neighbours")]
    fn literal<'v>(&self, value: &'v Value<'_>) -> &'v str {
        value.as_string_lit().map_or("", |text| &text.value)
    }

    fn url(&mut self, object: &Object<'_>) -> Result<String, Arc<Broken>> {
        let (value, url) = self.required_value(object, "url", "the service's address")?;
        if url.starts_with("https://") || url.starts_with("http://") {
            return Ok(url);
        }
        let message = format!("\"{}\" isn't an http or https address", excerpt(&url));
        let help = "write a full address, such as https://hooks.example/check";
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, start(value), message, help, None))
    }

    pub(crate) fn json(&self, value: &Value<'_>) -> serde_json::Value {
        let mut json = crate::syntax::to_json(value);
        if let Some((_, substitution)) = &self.extension {
            substitution.apply_to_json(&mut json);
        }
        json
    }

    pub(crate) fn boolean(&mut self, what: &str, value: &Value<'_>) -> Result<bool, Arc<Broken>> {
        match value {
            Value::BooleanLit(boolean) => Ok(boolean.value),
            other => Err(self.wrong_type(what, other, "true or false")),
        }
    }

    fn duration(&mut self, what: &str, value: &Value<'_>) -> Result<Duration, Arc<Broken>> {
        duration_of(value).map_err(|complaint| {
            let message = format!("{what}: {complaint}");
            let help = "write milliseconds (5000), or a number with a unit (\"5s\")";
            let code = ProblemCode::InvalidValue;
            self.report.fault(code, start(value), message, help, None)
        })
    }

    fn headers(
        &mut self,
        what: &str,
        value: &Value<'_>,
    ) -> Result<BTreeMap<String, String>, Arc<Broken>> {
        let Value::Object(object) = value else {
            return Err(self.wrong_type(what, value, "an object with strings"));
        };
        let mut headers = BTreeMap::new();
        for property in self.report.members(object) {
            let name = property.name.as_str();
            let what = format!("the header \"{}\"", excerpt(name));
            headers.insert(name.to_owned(), self.text(&what, &property.value)?);
        }
        Ok(headers)
    }

    fn grants(&mut self, what: &str, value: &Value<'_>) -> Result<PluginGrants, Arc<Broken>> {
        const KNOWN: &[&str] = &["read", "env", "net"];
        let Value::Object(object) = value else {
            return Err(self.wrong_type(what, value, "an object with lists"));
        };
        let mut grants = PluginGrants::default();
        for property in self.report.members(object) {
            let list = match property.name.as_str() {
                "read" => &mut grants.read,
                "env" => &mut grants.env,
                "net" => &mut grants.net,
                _ => {
                    self.report.unknown_field(property, "\"grants\"", KNOWN);
                    continue;
                }
            };
            *list = self.texts("a grant", &property.value)?;
        }
        Ok(grants)
    }

    /// Reads what a hook's process is confined to. What can't be read would confine nothing, so the
    /// hook can't start.
    pub(crate) fn sandbox(&mut self, value: &Value<'_>) -> Result<HookSandbox, Arc<Broken>> {
        const KNOWN: &[&str] = &["write", "network"];
        let Value::Object(object) = value else {
            return Err(self.wrong_type("\"sandbox\"", value, "an object"));
        };
        let mut sandbox = HookSandbox::default();
        for property in self.report.members(object) {
            match property.name.as_str() {
                "write" => sandbox.write = self.texts("\"sandbox.write\"", &property.value)?,
                "network" => {
                    sandbox.network = self.boolean("\"sandbox.network\"", &property.value)?;
                }
                _ => self.report.unknown_field(property, "\"sandbox\"", KNOWN),
            }
        }
        Ok(sandbox)
    }

    pub(crate) fn hold_back(&mut self, value: &Value<'_>) -> Result<HoldBack, Arc<Broken>> {
        let read = match value {
            Value::StringLit(text) if text.value == "line" => Some(HoldBack::Line),
            Value::StringLit(text) if text.value == "sentence" => Some(HoldBack::Sentence),
            Value::NumberLit(number) => number
                .value
                .parse()
                .ok()
                .filter(|characters| (16..=4096).contains(characters))
                .map(HoldBack::Characters),
            _ => None,
        };
        read.ok_or_else(|| {
            let message = "\"holdBack\" can't be read";
            let help = "write \"line\", \"sentence\", or a number of characters from 16 to 4096";
            let code = ProblemCode::InvalidValue;
            self.report.fault(code, start(value), message, help, None)
        })
    }

    fn rules(
        &mut self,
        object: &Object<'_>,
        hook: &mut HookDeclaration,
    ) -> Result<Rules, Arc<Broken>> {
        let code = ProblemCode::HandlerInvalid;
        let list = match member(object, "rules").map(|it| &it.value) {
            Some(value @ Value::StringLit(_)) => {
                hook.places.rules = vec![self.report.text.position(start(value))];
                return Ok(Rules::File(self.text("\"rules\"", value)?));
            }
            Some(Value::Array(list)) => list
                .elements
                .iter()
                .map(|element| (element.as_object(), start(element), self.json(element)))
                .collect(),
            Some(other) => {
                return Err(self.wrong_type("\"rules\"", other, "a list of rules, or a file"));
            }
            None => {
                let fields = own_fields(HookType::Rule);
                let rule = object
                    .properties
                    .iter()
                    .filter(|it| fields.contains(&it.name.as_str()))
                    .map(|it| (it.name.as_str().to_owned(), self.json(&it.value)));
                vec![(
                    Some(object),
                    start(object),
                    serde_json::Value::Object(rule.collect::<serde_json::Map<_, _>>()),
                )]
            }
        };
        let mut rules = Vec::with_capacity(list.len());
        for (entry, offset, json) in list {
            let read = serde_json::from_value(json).map_err(|error| error.to_string());
            match read.and_then(|rule: hookloop_hook::Rule| rule.checked()) {
                Ok(rule) => {
                    let when = entry.and_then(|it| member(it, "when"));
                    if let Err(error) = RuleSet::read(std::slice::from_ref(&rule)) {
                        let place = when.map_or(offset, |it| {
                            conditions::position(self.report.text, &it.value, error.error.column)
                        });
                        let (message, help) = conditions::complaint(&error.error);
                        let code = ProblemCode::ConditionInvalid;
                        return Err(self.report.fault(code, place, message, help, None));
                    }
                    let place = when.map_or(offset, |it| start(&it.value));
                    hook.places.rules.push(self.report.text.position(place));
                    rules.push(rule);
                }
                Err(complaint) => {
                    let message = format!("a rule can't be read: {complaint}");
                    let help = "write {\"when\": \"…\", \"then\": \"deny\", \"reason\": \"…\"}";
                    return Err(self.report.fault(code, offset, message, help, None));
                }
            }
        }
        Ok(Rules::Inline(rules))
    }

    fn required_text_field(
        &mut self,
        object: &Object<'_>,
        field: &str,
        what: &str,
    ) -> Result<String, Arc<Broken>> {
        let (value, text) = self.required_value(object, field, what)?;
        if !text.trim().is_empty() {
            return Ok(text);
        }
        let message = format!("\"{field}\" is empty");
        let help = format!("write {what}");
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, start(value), message, help, None))
    }

    fn required_value<'v, 't>(
        &mut self,
        object: &'v Object<'t>,
        field: &str,
        what: &str,
    ) -> Result<(&'v Value<'t>, String), Arc<Broken>> {
        let Some(property) = member(object, field) else {
            let message = format!("a hook has no field \"{field}\"");
            let help = format!("add \"{field}\": \"…\", {what}");
            let code = ProblemCode::MissingField;
            return Err(self.report.fault(code, start(object), message, help, None));
        };
        let text = self.text(&format!("\"{field}\""), &property.value)?;
        Ok((&property.value, text))
    }

    fn optional<T>(
        &mut self,
        object: &Object<'_>,
        field: &str,
        read: impl FnOnce(&mut Self, &str, &Value<'_>) -> Result<T, Arc<Broken>>,
    ) -> Result<Option<T>, Arc<Broken>> {
        match member(object, field).map(|it| &it.value) {
            Some(value) if !is_null(value) => read(self, &format!("\"{field}\""), value).map(Some),
            _ => Ok(None),
        }
    }
}
