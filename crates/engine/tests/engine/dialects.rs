//! Hooks of other agents, each in its own dialect (FD-10, FD-20, FD-21).

use std::time::Duration;

use hookloop_engine::events::EventName::{self, AfterTool, BeforeAgent, BeforeTool};
use hookloop_engine::events::{
    AfterToolOutcome, BeforeAgentOutcome, BeforeToolOutcome, ToolResponse,
};
use hookloop_engine::{Completion, Ending, PromptOrigin, Signal};
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::json;

use crate::support::{Act, Host, Setting, accepted, call, completion, hook};

fn theirs(event: EventName, matcher: &str) -> HookDeclaration {
    let mut hook = hook(event, "guard");
    hook.dialect = Dialect::ClaudeCode;
    hook.matcher = Some(matcher.to_owned());
    hook
}

fn host(hook: HookDeclaration, completion: Completion) -> Host {
    Setting::default()
        .hook(hook, Act::Ends(Duration::ZERO, completion))
        .host()
}

fn says(exit: i32, stdout: &str, stderr: &str) -> Completion {
    completion(Ending::Exited(exit), stdout, stderr)
}

/// FD-10, FD-12: a hook of Claude Code is asked about the tools that its matcher means there, and reads what
/// it would read there.
#[tokio::test]
async fn a_hook_reads_its_own_dialect() {
    let host = host(theirs(BeforeTool, "Bash"), says(0, "", ""));
    host.session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.executed().is_empty());
    host.session
        .before_tool(call("run_shell_command"), accepted)
        .await
        .unwrap();
    let read = host.input_of("guard");
    assert_eq!(read["hook_event_name"], "PreToolUse");
    assert_eq!(read["tool_name"], "Bash");
    assert!(read["tool_use_id"].is_string());
}

/// FD-20, FD-21: however a hook of Claude Code refuses or fails, its refusal counts.
#[tokio::test]
async fn a_refusal_of_theirs_is_a_refusal() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let block = r#"{"decision":"block","reason":"no"}"#;
    let killed = |stdout| completion(Ending::Signalled(Signal(9)), stdout, "");
    for ended in [
        says(2, "", "no"),
        says(2, "", ""),
        says(0, deny, ""),
        says(0, block, ""),
        says(1, deny, "boom"),
        says(137, block, ""),
        says(0, &deny[..deny.len() - 2], ""),
        killed(deny),
        says(0, r#"{"permission":"deny","unheardOf":1}"#, ""),
        says(0, r#"{"continue":false,"terminalSequence":"x"}"#, ""),
        Completion::not_started("no such file"),
    ] {
        let host = host(theirs(BeforeTool, "Bash"), ended.clone());
        let shell = call("run_shell_command");
        let outcome = host
            .session
            .before_tool(shell, accepted)
            .await
            .unwrap()
            .outcome;
        let refused = matches!(
            outcome,
            BeforeToolOutcome::Deny(..) | BeforeToolOutcome::Stop(_)
        );
        assert!(refused, "{ended:?}");
    }
}

/// FD-20: plain text before a turn is context, and a refusal after a tool ran is beside its result.
#[tokio::test]
async fn other_answers_mean_what_they_mean_there() {
    let prompt = host(theirs(BeforeAgent, ""), says(0, "on branch main\n", ""));
    let outcome = prompt
        .session
        .before_agent("hi", PromptOrigin::Person)
        .await
        .unwrap()
        .outcome;
    let BeforeAgentOutcome::Proceed(Some(context)) = outcome else {
        panic!("the text is context: {outcome:?}")
    };
    assert_eq!(context.as_str(), "on branch main");

    let result = ToolResponse {
        llm_content: json!("written"),
        ..ToolResponse::default()
    };
    for ended in [
        says(2, "", "format it"),
        says(0, r#"{"decision":"block","reason":"format it"}"#, ""),
    ] {
        let after = host(theirs(AfterTool, "Write"), ended);
        let outcome = after
            .session
            .after_tool(&call("write_file"), result.clone())
            .await;
        let AfterToolOutcome::Keep(Some(context)) = outcome.unwrap().outcome else {
            panic!("the result stays")
        };
        assert_eq!(context.as_str(), "format it");
    }
}
