//! What counts here but not in the hook's own agent.

use hookloop_events::EventName;
use hookloop_hook::Dialect;
use serde_json::{Value, json};

use super::{call, hook_dialect};
use crate::foreign::HookOutput;
use crate::translate::translate_output;

/// FD-21: what counts here but would have let the action run in the hook's own agent is reported,
/// in words that say what was written; what is obeyed there too isn't.
#[test]
fn what_counts_here_alone_is_reported() {
    let own = |fields: Value| json!({ "hookSpecificOutput": fields }).to_string();
    let complete = own(
        json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no"}),
    );
    let without_event =
        own(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}));
    let asks = own(
        json!({"hookEventName": "PreToolUse", "permissionDecision": "ask",
        "permissionDecisionReason": "sure?"}),
    );
    let text = str::to_owned;
    let block = text(r#"{"decision": "block", "reason": "no"}"#);
    let deny = text(r#"{"decision": "deny", "reason": "no"}"#);
    let flat = text(r#"{"permissionDecision": "deny", "permissionDecisionReason": "no"}"#);
    let stop = text(r#"{"continue": false, "stopReason": "no"}"#);
    let (claude, codex) = (Dialect::ClaudeCode, Dialect::Codex);
    let (copilot, qwen) = (Dialect::Copilot, Dialect::Qwen);
    for (dialect, exit, stdout, stderr, told) in [
        (claude, 0, &complete, "", None),
        (claude, 0, &without_event, "", Some("no `hookEventName`")),
        (claude, 0, &block, "", None),
        (claude, 0, &deny, "", Some("\"decision\": \"deny\"")),
        (claude, 0, &flat, "", Some("is at the top")),
        (claude, 0, &stop, "", Some("\"continue\": false")),
        (claude, 0, &asks, "", None),
        (claude, 1, &complete, "", None),
        (claude, 2, &String::new(), "", None),
        (claude, 0, &String::new(), "", None),
        (claude, 0, &text(r#"{"decision": "approve"}"#), "", None),
        (codex, 0, &complete, "", None),
        (codex, 0, &asks, "", Some("\"permissionDecision\": \"ask\"")),
        (codex, 1, &complete, "", Some("exit code 1")),
        (
            codex,
            2,
            &String::new(),
            "",
            Some("without text on standard error"),
        ),
        (codex, 2, &String::new(), "no", None),
        (copilot, 0, &flat, "", None),
        (copilot, 0, &complete, "", Some("hookSpecificOutput")),
        (copilot, 0, &block, "", Some("\"decision\": \"block\"")),
        (qwen, 0, &deny, "", None),
        (qwen, 0, &stop, "", None),
        (qwen, 0, &flat, "", Some("is at the top")),
        (
            qwen,
            2,
            &String::new(),
            "",
            Some("without text on standard error"),
        ),
        (Dialect::Cursor, 0, &deny, "", None),
    ] {
        let payload = call("BeforeTool", "run_shell_command", &json!({"command": "x"}));
        let hook_output = HookOutput {
            event: EventName::BeforeTool,
            payload: &payload,
            exit: Some(exit),
            stdout,
            stderr,
            loop_limit: None,
        };
        let remarks = translate_output(hook_dialect(dialect), &hook_output)
            .map_or_else(Vec::new, |it| it.remarks);
        let is_told = |it: &&String| it.contains("lets an action run if");
        let found = remarks.iter().find(is_told);
        match told {
            Some(part) => assert!(
                found.is_some_and(|it| it.contains(part)),
                "{stdout}: {remarks:?}"
            ),
            None => assert_eq!(found, None, "{dialect:?} {stdout}"),
        }
    }
}
