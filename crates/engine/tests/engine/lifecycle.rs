//! What the observer gets, and in which order: EV-1, IO-1, IO-3, OUT-1.

use hookloop_engine::events::EventName::{BeforeAgent, BeforeTool, Notification, SessionStart};
use hookloop_engine::events::{
    AgentIdentity, NotificationInput, NotificationType, SessionSource, Verdict,
};
use hookloop_engine::{Lifecycle, PromptOrigin};
use hookloop_hook::{Grouping, HookDeclaration};
use serde_json::json;

use crate::support::{
    Host, Setting, accepted, call, denies, hook, identity, says, says_after, silent,
};

fn told(host: &Host) -> Vec<String> {
    let word = |lifecycle: &Lifecycle| match lifecycle {
        Lifecycle::Planned { hooks, .. } => format!("planned {}", hooks.len()),
        Lifecycle::Skipped { hook, .. } => format!("skipped {}", hook.label()),
        Lifecycle::Started {
            hook, number, of, ..
        } => {
            format!("started {} {number}/{of}", hook.label())
        }
        Lifecycle::Finished { hook, .. } => format!("finished {}", hook.label()),
        Lifecycle::Concluded(concluded) => format!("concluded {}", concluded.event),
        other => format!("something else: {other:?}"),
    };
    host.observed().iter().map(word).collect()
}

/// EV-1: an event is planned, its hooks start and finish, and then it is concluded.
#[tokio::test(start_paused = true)]
async fn an_event_is_reported_in_order() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "slow"), says_after(200, &json!({})))
        .hook(hook(BeforeTool, "fast"), says_after(100, &json!({})))
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let expected = [
        "planned 2",
        "started slow 1/2",
        "started fast 2/2",
        "finished fast",
        "finished slow",
        "concluded BeforeTool",
    ];
    assert_eq!(told(&host), expected);
}

/// PL-8: in a sequence each hook finishes before the next one starts.
#[tokio::test]
async fn a_sequence_is_told_one_by_one() {
    let first = HookDeclaration {
        grouping: Grouping::Sequential,
        ..hook(BeforeTool, "a")
    };
    let host = Setting::default()
        .hook(first, silent())
        .hook(hook(BeforeTool, "b"), silent())
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let expected = [
        "planned 2",
        "started a 1/2",
        "finished a",
        "started b 2/2",
        "finished b",
        "concluded BeforeTool",
    ];
    assert_eq!(told(&host), expected);
}

/// IO-1: a hook reads the common fields first, then those of its event.
#[tokio::test]
async fn a_hook_reads_the_common_fields() {
    let host = Setting::default()
        .hook(hook(SessionStart, "a"), silent())
        .host();
    let _ = host
        .session
        .session_start(SessionSource::Resume)
        .await
        .unwrap();
    let expected = json!({
        "session_id": identity().session_id,
        "transcript_path": "/home/me/transcript.json",
        "cwd": "/project",
        "hook_event_name": "SessionStart",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "source": "resume",
    });
    assert_eq!(host.input_of("a"), expected);
}

/// IO-3: hooks of a sub-agent read its id and name, beside the session's own fields.
#[tokio::test]
async fn a_sub_agent_names_itself() {
    let host = Setting::default()
        .hook(hook(BeforeAgent, "a"), silent())
        .host();
    let agent = AgentIdentity {
        agent_id: "agent-1".to_owned(),
        agent_name: "reviewer".to_owned(),
    };
    let _ = host
        .session
        .with_agent(agent)
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap();
    let read = host.input_of("a");
    assert_eq!(read["agent_id"], "agent-1");
    assert_eq!(read["agent_name"], "reviewer");
    assert_eq!(read["session_id"], identity().session_id);
    assert_eq!(read["prompt"], "hello");
}

/// OUT-1: messages reach the observer and the caller, in order, whatever the decision.
#[tokio::test]
async fn messages_are_reported() {
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "a"),
            says(&json!({"systemMessage": "one"})),
        )
        .hook(hook(BeforeTool, "b"), denies("no"))
        .hook(
            hook(BeforeTool, "c"),
            says(&json!({"systemMessage": "two", "decision": "deny"})),
        )
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let texts: Vec<&str> = concluded
        .messages
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(texts, ["one", "two"]);
    assert_eq!(host.concluded().messages, concluded.messages);
    assert_eq!(host.concluded().summary.verdict, Verdict::Refused);
}

/// NO-1, NO-2: an alert can't be refused, and its messages come back to be shown beside it.
#[tokio::test]
async fn an_alert_only_takes_messages() {
    let reply = json!({"decision": "deny", "systemMessage": "careful"});
    let host = Setting::default()
        .hook(hook(Notification, "a"), says(&reply))
        .host();
    let input = NotificationInput {
        notification_type: NotificationType::ToolPermission,
        message: "may it run?".to_owned(),
        details: json!({"tool": "glob"}),
    };
    let concluded = host.session.notification(&input).await.unwrap();
    assert_eq!(concluded.messages[0].text, "careful");
    assert_eq!(host.notices(), ["`decision` has no effect on Notification"]);
    assert_eq!(host.input_of("a")["details"]["tool"], "glob");
}
