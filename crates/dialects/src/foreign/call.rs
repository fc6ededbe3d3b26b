//! A tool call, as the payloads of all dialects describe it.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::tools::{Paths, ToolRule, to_their_arguments};
use crate::part::error_of;

/// A call, and its result if there is one.
pub(crate) struct Call<'a> {
    ours: &'a Map<String, Value>,
    /// Our name of the tool.
    pub(crate) tool: &'a str,
    /// What the dialect knows about the tool.
    pub(crate) rule: Option<&'static ToolRule>,
    /// The arguments in their words.
    pub(crate) input: Map<String, Value>,
}

impl<'a> Call<'a> {
    /// Reads the call that our payload describes.
    pub(crate) fn of(ours: &'a Map<String, Value>, tools: &'static [ToolRule]) -> Self {
        let text = |name: &str| ours.get(name).and_then(Value::as_str).unwrap_or_default();
        let tool = text("tool_name");
        let rule = tools.iter().find(|rule| rule.ours == tool);
        let paths = Paths {
            cwd: Path::new(text("cwd")),
        };
        let none = Map::new();
        let arguments = ours.get("tool_input").and_then(Value::as_object);
        let mut input = to_their_arguments(rule, arguments.unwrap_or(&none), paths);
        if rule.is_some() && tool == "web_fetch" {
            // Only the prompt determines what is fetched, whatever a model adds.
            input.remove("url");
            let prompt = input.get("prompt").and_then(Value::as_str);
            if let Some(addresses) = prompt.and_then(addresses_in) {
                input.insert("url".to_owned(), Value::from(addresses));
            }
        }
        Self {
            ours,
            tool,
            rule,
            input,
        }
    }

    /// Returns the first name in the dialect's table, or ours.
    pub(crate) fn name(&self) -> &'a str {
        let theirs = self.rule.and_then(|rule| rule.theirs.first().copied());
        theirs.unwrap_or(self.tool)
    }

    /// Returns our identity of the call.
    pub(crate) fn id(&self) -> Option<&Value> {
        self.ours.get("tool_call_id")
    }

    /// Returns the MCP server and its tool.
    pub(crate) fn mcp(&self) -> Option<(&str, &str)> {
        let context = self.ours.get("mcp_context")?;
        let text = |name: &str| context.get(name).and_then(Value::as_str);
        Some((text("server_name")?, text("tool_name")?))
    }

    /// Returns the result as in our payload.
    pub(crate) fn response(&self) -> Option<&'a Value> {
        self.ours.get("tool_response")
    }

    /// Returns the result's text for the model; for a shell command, what it printed.
    pub(crate) fn output(&self) -> String {
        let content = self.response().and_then(|it| it.get("llmContent"));
        let text = text_of(content.unwrap_or(&Value::Null));
        if self.tool == "run_shell_command" {
            printed_in(&text).to_owned()
        } else {
            text.into_owned()
        }
    }

    /// Returns the exit code of a shell command that has ended.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        exit_code_of(self.ours)
    }

    /// Returns what a screen shows of the result, by its name.
    pub(crate) fn shown(&self, name: &str) -> Option<&'a Value> {
        self.response()?.get("returnDisplay")?.get(name)
    }

    /// Returns what went wrong.
    pub(crate) fn error(&self) -> Option<String> {
        error_of(self.ours)
    }

    /// Returns an argument in their words, null without one.
    pub(crate) fn argument(&self, name: &str) -> Value {
        self.input.get(name).cloned().unwrap_or(Value::Null)
    }
}

/// Returns the addresses in a text, one a line, so that no script that looks for one overlooks
/// another. They are found as the tool finds them that fetches them.
pub(crate) fn addresses_in(text: &str) -> Option<String> {
    let begins = |word: &str| {
        ["https://", "http://"]
            .iter()
            .filter_map(|it| word.find(it))
            .min()
    };
    let words = text.split(|it: char| it.is_whitespace() || "<>\"`".contains(it));
    let found = words.filter_map(|word| {
        let address = &word[begins(word)?..];
        Some(address.trim_end_matches(['.', ',', ';', '!', '?', ')', ']', '\'']))
    });
    let found: Vec<&str> = found.collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

/// Returns the exit code of the shell command that a result describes.
pub(crate) fn exit_code_of(ours: &Map<String, Value>) -> Option<i32> {
    if ours.get("tool_name")?.as_str()? != "run_shell_command" {
        return None;
    }
    let report = text_of(ours.get("tool_response")?.get("llmContent")?);
    let (_, rest) = report.rsplit_once("\nExit Code: ")?;
    rest.lines().next()?.trim().parse().ok()
}

/// Returns the text of a result's content. It may be long, and is copied only if it has to be
/// joined.
pub(crate) fn text_of(content: &Value) -> Cow<'_, str> {
    match content {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => match &parts[..] {
            [only] => text_of(only),
            several => {
                let texts: Vec<Cow<'_, str>> = several.iter().map(text_of).collect();
                Cow::Owned(texts.join("\n"))
            }
        },
        Value::Object(part) => match part.get("text") {
            Some(Value::String(text)) => Cow::Borrowed(text),
            _ => Cow::Owned(content.to_string()),
        },
        other => Cow::Owned(other.to_string()),
    }
}

/// Extracts what a command printed from the report that our model reads.
fn printed_in(report: &str) -> &str {
    let printed = report
        .split_once("\nOutput: ")
        .and_then(|(_, rest)| rest.rsplit_once("\nError: "));
    printed.map_or(report, |(output, _)| output)
}
