//! Hooks of other agents, each in its own dialect (FD-10, FD-20, FD-21).

use std::time::Duration;

use hookloop_engine::events::EventName::{self, AfterAgent, AfterTool, BeforeAgent, BeforeTool};
use hookloop_engine::events::{
    AfterAgentInput, AfterAgentOutcome, AfterToolOutcome, BeforeAgentOutcome, BeforeToolOutcome,
    ToolResponse,
};
use hookloop_engine::{Captured, Completion, Ending, PromptOrigin, Signal};
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

/// FD-10, FD-12: a hook of Claude Code is asked about the tools that its matcher means there, and
/// reads what it would read there.
#[tokio::test]
async fn a_hook_reads_its_own_dialect() {
    let host = host(theirs(BeforeTool, "Bash"), says(0, "", ""));
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.executed().is_empty());
    let _ = host
        .session
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

/// Replies that refuse, in the words of the agents and in old and odd ones; `EVENT` stands for the
/// dialect's event.
const REFUSALS: &[&str] = &[
    r#"{"decision":"block","reason":"no"}"#,
    r#"{"decision":"deny"}"#,
    r#"{"Decision":" BLOCK "}"#,
    r#"{"decision":"approve","decision":"block"}"#,
    r#"{"decision":"approve","hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":null,"permissionDecision":"deny"},"unheardOf":[{}]}"#,
    r#"{"hook_specific_output":{"permission_decision":"deny"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","updatedInput":{"command":"ls"}}}"#,
    r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}"#,
    r#"{"behavior":"deny"}"#,
    r#"{"permissionDecision":"deny"}"#,
    r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#,
    r#"{"continue":true,"permission":"deny"}"#,
    r#"{"continue":false,"stopReason":"no"}"#,
    r#"{"continue":"false"}"#,
    r#"{"approve":false}"#,
    r#"{"allowed":false}"#,
    r#"{"blocked":true,"systemMessage":5}"#,
    r#"{"decision":"block","hookSpecificOutput":"text"}"#,
];

/// Writes a reply as hooks do: with marks, line ends, other text and other documents around it, or
/// broken.
fn written(reply: &str) -> Vec<Vec<u8>> {
    let around = |before: &str, after: &str| format!("{before}{reply}{after}").into_bytes();
    let little = reply.encode_utf16().flat_map(u16::to_le_bytes);
    vec![
        around("", ""),
        around("\u{feff}", "\r\n"),
        around("\r\n\r\n", "\r\n"),
        around("checking …\n", ""),
        around("{not json}\n[1] ", "\ndone\n"),
        around("", "\n{}\n"),
        around("{}\n", ""),
        around("{\"decision\":\"approve\",\"continue\":true}\n", ""),
        around("", "{\"decision\":\"approve\"}"),
        around("[", "]"),
        around("```json\n", "\n```"),
        around("\u{1b}[31m", "\u{1b}[0m"),
        around("\0", ""),
        around("\u{a0}", ""),
        json!(reply).to_string().into_bytes(),
        reply.replace('"', "'").into_bytes(),
        reply.replacen('{', "{ // no\n", 1).into_bytes(),
        reply[..reply.len() - 1].into(),
        [b"\xff\xfe".to_vec(), around("", "")].concat(),
        [b"\xff\xfe".to_vec(), little.collect()].concat(),
    ]
}

/// FD-20, FD-21: however a refusal is spelled and written, in whatever dialect and with whatever
/// exit code, the action doesn't happen.
#[tokio::test]
async fn no_spelling_of_a_refusal_ends_in_an_action() {
    for dialect in Dialect::ALL.iter().filter(|it| **it != Dialect::Hookloop) {
        for (event, name) in [
            (BeforeTool, "PreToolUse"),
            (BeforeAgent, "UserPromptSubmit"),
            (AfterAgent, "Stop"),
        ] {
            for (number, refusal) in REFUSALS.iter().enumerate() {
                let texts = written(&refusal.replace("EVENT", name)).into_iter();
                for (index, stdout) in texts.enumerate() {
                    // The reader is the same at each event: all combinations at one of them are
                    // enough.
                    if event != BeforeTool && index % 7 != number % 7 {
                        continue;
                    }
                    let exit = [0, 0, 0, 1, 3][index % 5];
                    let stdout = Captured {
                        total: stdout.len() as u64,
                        bytes: stdout,
                    };
                    let ended = Completion {
                        stdout,
                        ..says(exit, "", "")
                    };
                    let case = format!("{dialect} {event}: {ended:?}");
                    let mut hook = hook(event, "guard");
                    hook.dialect = *dialect;
                    assert!(is_refused(&host(hook, ended), event).await, "{case}");
                }
            }
        }
    }
}

/// Fires an event, and returns whether its hook keeps from happening what it is about.
async fn is_refused(host: &Host, event: EventName) -> bool {
    let session = &host.session;
    match event {
        BeforeTool => {
            let outcome = session
                .before_tool(call("run_shell_command"), accepted)
                .await;
            let outcome = outcome.unwrap().outcome;
            matches!(
                outcome,
                BeforeToolOutcome::Deny(..) | BeforeToolOutcome::Stop(_)
            )
        }
        BeforeAgent => {
            let outcome = session.before_agent("hi", PromptOrigin::Person).await;
            !matches!(outcome.unwrap().outcome, BeforeAgentOutcome::Proceed(_))
        }
        _ => {
            let input = AfterAgentInput {
                prompt: "hi".to_owned(),
                prompt_response: "done".to_owned(),
                stop_hook_active: false,
            };
            let outcome = session.after_agent(&input).await;
            !matches!(outcome.unwrap().outcome, AfterAgentOutcome::Accept(_))
        }
    }
}
