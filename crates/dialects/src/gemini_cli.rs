//! Gemini CLI as it ships, where that differs from its documentation: names of tools in payloads,
//! exit codes, and JSON that counts whatever the exit code is.

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use serde_json::{Map, Value};

use crate::foreign::tools::tool;
use crate::foreign::{
    DialectTables, HookOutput, McpName, OutgoingPayload, ToolRule, TranslatedOutput, Words,
};

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: TOOLS,
    mcp: McpName::Single,
    words: Words::Anywhere,
    payload,
    reply,
    environment: &[],
    obeys: |_, _| None,
};

const TOOLS: &[ToolRule] = &[
    tool("search_file_content", &["grep_search"], &[]),
    tool("delegate_to_agent", &["invoke_agent"], &[]),
];

fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let mut theirs = asked.ours.clone();
    if let Some(Value::String(name)) = theirs.get_mut("tool_name") {
        let rule = TOOLS.iter().find(|rule| rule.ours == name.as_str());
        let known = rule.and_then(|rule| rule.theirs.first());
        if let Some(known) = known {
            (*known).clone_into(name);
        } else if let Some(flat) = McpName::Single.of(name) {
            *name = flat;
        }
    }
    theirs
}

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let exit = hook_output.exit?;
    if exit == 0 && hook_output.stdout.trim().is_empty() {
        return on_standard_error(hook_output);
    }
    if matches!(exit, 0 | 2) {
        return None;
    }
    let holds_object = [hook_output.stdout, hook_output.stderr]
        .map(str::trim)
        .into_iter()
        .find(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok());
    if let Some(text) = holds_object {
        return Some(TranslatedOutput {
            consents: false,
            exit: 0,
            stdout: text.to_owned(),
            removed: Vec::new(),
            environment: Vec::new(),
            remarks: Vec::new(),
        });
    }
    let refuses = exit != 1 && hook_output.event != EventName::SessionStart;
    refuses.then(|| {
        TranslatedOutput::refusal(
            hook_output,
            format!(
                "it ended by exit code {exit}: in Gemini CLI, every code except 0 and 1 refuses"
            ),
        )
    })
}

/// Reads a reply on standard error, which counts if standard output is empty. A refusal among other
/// text there counts too (FD-21); anything else there isn't a reply.
fn on_standard_error(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let is_object = serde_json::from_str::<Map<String, Value>>(hook_output.stderr.trim()).is_ok();
    let refuses = || {
        hook_output.event.can_refuse()
            && Readable::hidden_in(hook_output.event, hook_output.stderr).is_some()
    };
    (is_object || refuses()).then(|| TranslatedOutput {
        stdout: hook_output.stderr.trim().to_owned(),
        ..TranslatedOutput::verbatim(hook_output, 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translate_output(event: EventName, exit: i32, stdout: &str, stderr: &str) -> Option<String> {
        let hook_output = HookOutput {
            event,
            payload: &Map::new(),
            exit: Some(exit),
            stdout,
            stderr,
            loop_limit: None,
        };
        reply(&hook_output).map(|it| it.stdout)
    }

    /// FD-20, FD-21: a reply on standard error counts if standard output is empty, and so does a
    /// refusal among other text there.
    #[test]
    fn standard_error_is_read_where_standard_output_is_empty() {
        let before = EventName::BeforeTool;
        for text in [
            r#"{"decision":"deny","reason":"no"}"#,
            "{\"decision\":\"block\"}\n",
            r#"{"systemMessage":"x"}"#,
            "checking\n{\"decision\":\"deny\"}",
        ] {
            let expected = Some(text.trim().to_owned());
            assert_eq!(translate_output(before, 0, " \n", text), expected, "{text}");
            assert_eq!(translate_output(before, 0, "{}", text), None, "{text}");
        }
        for text in [
            "",
            "checked x.txt",
            "checking {\"tool\": \"x\"}",
            "{ broken",
        ] {
            assert_eq!(translate_output(before, 0, "", text), None, "{text}");
        }
        let among = "log {\"decision\":\"deny\"}";
        assert_eq!(
            translate_output(EventName::SessionStart, 0, "", among),
            None
        );
    }
}
