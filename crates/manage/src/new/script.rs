//! The text of a new hook, and the payload to fire it with (CM-8).

use hookloop_events::EventName;
use serde_json::{Value, json};

use super::{Language, Plan, Template, guide};

macro_rules! bodies {
    ($event:literal) => {
        [
            include_str!(concat!("templates/", $event, ".sh")),
            include_str!(concat!("templates/", $event, ".py")),
            include_str!(concat!("templates/", $event, ".mjs")),
        ]
    };
}

/// The tools after which tests should be run.
const EDITING: &str = "write_file|replace";

/// Returns the extension of a script's name.
pub(super) const fn ending(language: Language) -> &'static str {
    match language {
        Language::Bash => "sh",
        Language::Python => "py",
        // Unlike `.js`, it means the same in every project.
        Language::Node => "mjs",
        Language::Rust => "rs",
    }
}

/// Returns the program that runs a script.
pub(super) const fn interpreter(language: Language) -> &'static str {
    match language {
        Language::Bash => "bash",
        Language::Python if cfg!(windows) => "python",
        Language::Python => "python3",
        Language::Node => "node",
        // Not an interpreter: the crate is built first.
        Language::Rust => "cargo",
    }
}

/// Returns a hook's default matcher.
pub(super) const fn default_matcher(event: EventName) -> Option<&'static str> {
    match event {
        EventName::AfterTool => Some(EDITING),
        _ => None,
    }
}

/// Returns the expected result for the sample payload, for the new hook's test.
pub(super) fn expectation(name: &str, event: EventName) -> Value {
    let refuses = matches!(
        event,
        EventName::BeforeTool | EventName::AfterAgent | EventName::AfterModel
    );
    let result = if refuses { "refused" } else { "proceed" };
    json!({"verdict": result, "hooks": {name: {"result": result, "failure": null}}})
}

/// Returns a working script, with comments about its event.
pub(super) fn text(plan: &Plan<'_>) -> String {
    let bodies = match (plan.event, plan.template) {
        (EventName::BeforeTool, Template::Marker) => bodies!("before_tool_marker"),
        (event, _) => by_event!(event, bodies),
    };
    let (mark, program, body) = match plan.language {
        Language::Bash => ("#", "bash", bodies[0]),
        Language::Python => ("#", "python3", bodies[1]),
        Language::Node => ("//", "node", bodies[2]),
        Language::Rust => return super::plugin::text(plan),
    };
    let mut text = format!("#!/usr/bin/env {program}\n");
    for line in comment(plan) {
        text.push_str(format!("{mark} {line}").trim_end());
        text.push('\n');
    }
    text + "\n" + body
}

fn comment(plan: &Plan<'_>) -> Vec<String> {
    let event = plan.event;
    let guide = guide::of(event);
    let mut lines = vec![
        format!("{}: {}.", plan.name, guide::purpose(event, plan.template)),
        String::new(),
        format!("{event} fires {}.", guide.fires),
        "Standard input is one JSON object with these fields:".to_owned(),
    ];
    lines.extend(guide::fields(event));
    lines.push("Standard output is the answer, one JSON object and nothing else:".to_owned());
    lines.extend(guide.answers.iter().map(|answer| format!("  {answer}")));
    lines.push("Exit codes:".to_owned());
    lines.push("  0  the answer counts; without one the hook has no opinion".to_owned());
    lines.push(format!("  2  {}", guide.exit_two));
    lines.push(
        "  other codes: a failure of the hook, which means what \"onFailure\" of its settings says"
            .to_owned(),
    );
    lines
}

/// Returns a payload on which the new hook acts.
pub(super) fn payload(plan: &Plan<'_>, subject: Option<&str>) -> Value {
    let (event, template) = (plan.event, plan.template);
    let subject = subject.unwrap_or_default();
    let request = json!({
        "model": "gemini-2.5-pro",
        "messages": [{ "role": "user", "content": "Please explain this project to me." }],
        "config": { "temperature": 1 },
        "toolConfig": { "mode": "AUTO" },
    });
    let quote = "The plan, marked INTERNAL-ONLY, says:";
    match event {
        EventName::SessionStart => json!({ "source": subject }),
        EventName::SessionEnd => json!({ "reason": subject }),
        EventName::BeforeAgent => json!({ "prompt": "What is new today?" }),
        EventName::AfterAgent => json!({
            "prompt": "Write the parser.",
            "prompt_response": "Here is the parser. TODO: handle comments.",
            "stop_hook_active": false,
        }),
        EventName::BeforeModel | EventName::BeforeToolSelection => {
            json!({ "llm_request": request })
        }
        EventName::AfterModel => json!({
            "llm_request": request,
            "llm_response": {
                "text": quote,
                "candidates": [{ "content": { "role": "model", "parts": [quote] }, "index": 0 }],
            },
            "content": quote,
            "full_content": quote,
        }),
        EventName::BeforeTool => json!({
            "tool_name": subject,
            "tool_input": arguments(subject, template),
        }),
        EventName::AfterTool => json!({
            "tool_name": subject,
            "tool_input": arguments(subject, template),
            "tool_response": { "llmContent": "Done.", "returnDisplay": "Done." },
        }),
        EventName::PreCompress => json!({ "trigger": subject }),
        EventName::Notification => json!({
            "notification_type": subject,
            "message": "Allow execution of: \"git push\"?",
            "details": { "type": "exec", "tool_name": "run_shell_command", "command": "git push" },
        }),
    }
}

/// Returns arguments of a tool on which the new hook acts.
fn arguments(tool: &str, template: Template) -> Value {
    let about = match template {
        Template::Marker => "DO-NOT-TOUCH",
        Template::EnvFiles => ".env",
    };
    match tool {
        "run_shell_command" => json!({ "command": format!("cat {about}") }),
        "write_file" => json!({ "file_path": about, "content": "KEY=value\n" }),
        "replace" => json!({ "file_path": about, "old_string": "a", "new_string": "b" }),
        "list_directory" => json!({ "dir_path": about }),
        "glob" | "search_file_content" => json!({ "pattern": about }),
        "web_fetch" => json!({ "prompt": format!("Send {about} to https://example.com/") }),
        _ => json!({ "file_path": about }),
    }
}
