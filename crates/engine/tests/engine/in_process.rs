//! Closures of the host as hooks obey the same rules as programs.

use std::sync::{Arc, Mutex};

use hookloop_engine::events::EventName::BeforeTool as BeforeToolName;
use hookloop_engine::events::{
    AfterTool, AfterToolOutcome, BeforeAgent, BeforeAgentOutcome, BeforeTool, BeforeToolAnswer,
    BeforeToolInput, BeforeToolOutcome, Cause, Decision, Reply, Ruling, ToolResponse,
};
use hookloop_engine::{Hooks, LineObserver, OnFailure, OwnHook, PromptOrigin, Registry, RunResult};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Host, Setting, accepted, call, hook, identity, says, silent};

fn refusing(reason: &str) -> Reply {
    Reply {
        decision: Some(Decision::Deny),
        reason: Some(reason.to_owned()),
        ..Reply::default()
    }
}

fn host_with(closure: impl Fn(&BeforeToolInput) -> Reply + Send + Sync + 'static) -> Host {
    Setting::default().host_with(|builder| builder.on::<BeforeTool>("own").reply(closure))
}

/// AG-1: a closure's refusal counts like a program's, and it reads the typed input.
#[tokio::test]
async fn a_closure_can_refuse() {
    let host = Setting::default()
        .hook(
            hook(BeforeToolName, "allows"),
            says(&json!({"decision": "allow"})),
        )
        .host_with(|builder| {
            builder
                .on::<BeforeTool>("own")
                .reply(|input| match input.tool_name.as_str() {
                    "glob" => refusing("not that"),
                    _ => Reply::default(),
                })
        });
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, Cause::Policy) if reason.as_str() == "not that")
    );
    let outcome = host
        .session
        .before_tool(call("write_file"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
}

/// TR-6: the host's own hooks stay when the configured ones are replaced, and in whatever order an
/// engine is assembled.
#[tokio::test]
async fn closures_survive_a_reload() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("own")
        .reply(|_| refusing("always"))
        .registry(Registry::default())
        .build();
    let session = hooks.session(identity());
    for _ in 0..2 {
        let outcome = session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
        hooks.replace(Registry::default());
    }
}

/// PL-7: two closures of one name are two hooks: the second one doesn't replace the first.
#[tokio::test]
async fn closures_of_one_name_both_run() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("own")
        .reply(|_| refusing("first"))
        .on::<BeforeTool>("own")
        .reply(|_| refusing("second"))
        .build();
    let outcome = hooks
        .session(identity())
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "first\nsecond")
    );
}

/// IO-22: a broken field doesn't weaken a closure's refusal.
#[tokio::test]
async fn a_broken_reply_still_refuses() {
    let host = host_with(|_| Reply {
        specific: json!({"tool_input": "no object"})
            .as_object()
            .unwrap()
            .clone(),
        ..refusing("no")
    });
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "no"));
    assert!(host.notices()[0].starts_with("malformed reply"));
}

/// IO-21: a closure that panics, or whose rewrite can't be read, has failed like a program.
#[tokio::test]
async fn a_closure_can_fail() {
    let broken = |_: &BeforeToolInput| Reply {
        specific: json!({"tool_input": 5}).as_object().unwrap().clone(),
        ..Reply::default()
    };
    for (host, why) in [
        (host_with(broken), "malformed reply"),
        (
            host_with(|_| panic!("on purpose")),
            "it panicked: on purpose",
        ),
    ] {
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
        assert_eq!(host.concluded().runs[0].result, RunResult::Failed);
        assert!(host.notices()[0].contains(why));
    }
}

/// PL-6: closures come after the configured hooks.
#[tokio::test]
async fn closures_come_last() {
    let host = Setting::default()
        .hook(hook(BeforeToolName, "configured"), silent())
        .host_with(|builder| builder.on::<BeforeTool>("own").reply(|_| Reply::default()));
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let runs = host.concluded().runs;
    let labels: Vec<&str> = runs.iter().map(|run| run.hook.label()).collect();
    assert_eq!(labels, ["configured", "own"]);
}

/// PL-1: a closure runs only for the subjects of its matcher.
#[tokio::test]
async fn a_matcher_selects_the_subjects_of_a_closure() {
    let host = Setting::default().host_with(|builder| {
        builder
            .on::<BeforeTool>("own")
            .matching("write_file|replace")
            .answer(async |_| Ruling::deny("frozen"))
    });
    for (tool, refused) in [("write_file", true), ("replace", true), ("glob", false)] {
        let outcome = host.session.before_tool(call(tool), accepted).await;
        let outcome = outcome.unwrap().outcome;
        let is_refused = matches!(outcome, BeforeToolOutcome::Deny(..));
        assert_eq!(is_refused, refused, "{tool}");
    }
}

/// BT-3, AG-1: a typed answer rewrites and refuses as a reply does, and is recorded as one.
#[tokio::test]
async fn a_typed_answer_counts_and_is_recorded() {
    let host = Setting::default().host_with(|builder| {
        builder
            .on::<BeforeTool>("rewrites")
            .matching("glob")
            .answer(async |_| BeforeToolAnswer {
                tool_input: json!({"added": true}).as_object().cloned(),
                ..BeforeToolAnswer::default()
            })
            .on::<BeforeTool>("refuses")
            .matching("replace")
            .answer(async |_| Ruling::deny("not that"))
            .on::<BeforeTool>("stops")
            .matching("write_file")
            .answer(async |_| Ruling::stop("enough"))
    });
    let outcome = async |tool| {
        let conclusion = host.session.before_tool(call(tool), accepted).await;
        conclusion.unwrap().outcome
    };
    let BeforeToolOutcome::Proceed(cleared) = outcome("glob").await else {
        panic!("a rewrite isn't a refusal");
    };
    assert_eq!(cleared.arguments["added"], true);
    let reply = host.concluded().runs[0].content.reply.clone().unwrap();
    assert_eq!(reply.specific["tool_input"], json!({"added": true}));
    let refused = outcome("replace").await;
    assert!(matches!(refused, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "not that"));
    assert_eq!(host.concluded().runs[0].result, RunResult::Refused);
    let stopped = outcome("write_file").await;
    assert!(matches!(stopped, BeforeToolOutcome::Stop(reason) if reason.as_str() == "enough"));
    assert_eq!(host.concluded().runs[0].result, RunResult::Stopped);
}

type Ending = fn(OwnHook<BeforeTool>) -> hookloop_engine::Builder;

/// IO-21, IO-31: an answer that panics, fails or takes too long means what the hook's policy says.
#[tokio::test(start_paused = true)]
async fn a_failed_answer_means_what_its_policy_says() {
    let endings: [(&str, Ending); 3] = [
        ("panicked: on purpose", |hook| {
            hook.answer(async |_| -> Ruling { panic!("on purpose") })
        }),
        ("failed: no network", |hook| {
            hook.try_answer(async |_| Err::<Ruling, _>("no network"))
        }),
        ("timed out after 60000 ms", |hook| {
            hook.answer(async |_| std::future::pending::<Ruling>().await)
        }),
    ];
    for (why, ending) in endings {
        for (policy, refuses) in [
            (OnFailure::Deny, true),
            (OnFailure::Warn, false),
            (OnFailure::Default, false),
        ] {
            let host = Setting::default()
                .host_with(|builder| ending(builder.on::<BeforeTool>("own").on_failure(policy)));
            let outcome = host.session.before_tool(call("glob"), accepted).await;
            let outcome = outcome.unwrap().outcome;
            let refused = matches!(&outcome, BeforeToolOutcome::Deny(reason, Cause::Failure)
                if reason.as_str().contains(why));
            assert_eq!(refused, refuses, "{why}, {policy:?}: {outcome:?}");
            assert!(host.notices()[0].contains(why), "{:?}", host.notices());
        }
    }
}

/// EV-5: a closure that is cancelled while it waits has decided nothing; one that answers at once
/// has answered.
#[tokio::test(start_paused = true)]
async fn a_closure_that_waits_is_cancelled() {
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let waiting = Setting::default().host_with(|builder| {
        builder
            .on::<BeforeTool>("own")
            .on_failure(OnFailure::Deny)
            .answer(async |_| std::future::pending::<Ruling>().await)
    });
    let session = waiting.session.with_cancel(cancelled.clone());
    assert!(session.before_tool(call("glob"), accepted).await.is_err());
    let prompt = host_with(|_| refusing("no"));
    let session = prompt.session.with_cancel(cancelled);
    let outcome = session.before_tool(call("glob"), accepted).await;
    assert!(matches!(
        outcome.unwrap().outcome,
        BeforeToolOutcome::Deny(..)
    ));
}

/// BT-5: a typed question on an event that can't ask the user is a refusal, never a yes.
#[tokio::test]
async fn a_question_that_nobody_can_answer_refuses() {
    let host = Setting::default().host_with(|builder| {
        builder
            .on::<AfterTool>("own")
            .answer(async |_| Ruling::ask("is this so?"))
            .on::<BeforeAgent>("own")
            .answer(async |_| Ruling::ask("is this so?"))
    });
    let (glob, response) = (call("glob"), ToolResponse::default());
    let result = host.session.after_tool(&glob, response).await;
    let outcome = result.unwrap().outcome;
    assert!(
        matches!(outcome, AfterToolOutcome::Withhold(..)),
        "{outcome:?}"
    );
    let outcome = host
        .session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeAgentOutcome::Refuse(..)),
        "{outcome:?}"
    );
}

/// EV-2, BT-3: the arguments of a call are shared by whatever keeps a record of it, and copied only
/// for a hook that rewrites them.
#[tokio::test]
async fn arguments_are_copied_for_a_rewrite_alone() {
    let nobody = Setting::default().host_with(|builder| builder);
    let silent = host_with(|_| Reply::default());
    let rewriting = Setting::default().host_with(|builder| {
        builder
            .on::<BeforeTool>("rewrites")
            .answer(async |_| BeforeToolAnswer {
                tool_input: json!({"added": true}).as_object().cloned(),
                ..BeforeToolAnswer::default()
            })
    });
    for (host, is_shared) in [(nobody, true), (silent, true), (rewriting, false)] {
        let recorded = call("glob");
        let conclusion = host.session.before_tool(recorded.clone(), accepted).await;
        let BeforeToolOutcome::Proceed(cleared) = conclusion.unwrap().outcome else {
            panic!("nothing refuses it");
        };
        let is_same = Arc::ptr_eq(&recorded.arguments, &cleared.arguments);
        assert_eq!(is_same, is_shared);
        assert!(!recorded.arguments.contains_key("added"));
    }
}

/// IO-21: a failure is reported to each observer, however many there are.
#[tokio::test]
async fn every_observer_is_told() {
    let lines: [Arc<Mutex<Vec<String>>>; 2] = Default::default();
    let observers = lines.clone().map(|lines| {
        LineObserver::new(move |line: &str| lines.lock().unwrap().push(line.to_owned()))
    });
    let hooks = observers
        .into_iter()
        .fold(Hooks::builder(), |builder, it| {
            builder.observer(Arc::new(it))
        })
        .on::<BeforeTool>("own")
        .try_answer(async |_| Err::<Ruling, _>("no database"))
        .build();
    let session = hooks.session(identity());
    let settled = session.before_tool(call("glob"), accepted).await;
    assert!(settled.is_ok());
    let [first, second] = lines.map(|lines| lines.lock().unwrap().clone());
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(first, second);
}

/// BT-11: what hooks add to a call goes with its result, and what hooks add to the result follows.
#[tokio::test]
async fn context_of_a_call_goes_with_its_result() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("before")
        .reply(|_| saying("about the call"))
        .on::<AfterTool>("after")
        .reply(|_| saying("about the result"))
        .build();
    let session = hooks.session(identity());
    let settled = session.before_tool(call("glob"), accepted).await.unwrap();
    let BeforeToolOutcome::Proceed(cleared) = settled.outcome else {
        panic!("nobody refuses");
    };
    let response = ToolResponse::text("found");
    let concluded = session.after_tool(&cleared, response).await.unwrap();
    let AfterToolOutcome::Keep(Some(context)) = concluded.outcome else {
        panic!("nobody withholds, and both say something");
    };
    assert_eq!(context.as_str(), "about the call\nabout the result");
}

/// BT-11: what hooks add to a call that is refused is given to the host once, for its error.
#[tokio::test]
async fn context_of_a_refused_call_is_not_lost() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("before")
        .reply(|_| saying("about the call"))
        .on::<BeforeTool>("guard")
        .reply(|_| refusing("not that"))
        .build();
    let session = hooks.session(identity());
    let call = call("glob");
    let refused = session.before_tool(call.clone(), accepted).await.unwrap();
    assert!(matches!(refused.outcome, BeforeToolOutcome::Deny(..)));
    let context = session.take_context(&call).unwrap();
    assert_eq!(context.as_str(), "about the call");
    assert_eq!(session.take_context(&call), None);
}

fn saying(context: &str) -> Reply {
    let mut specific = serde_json::Map::new();
    specific.insert("additionalContext".to_owned(), context.into());
    Reply {
        specific,
        ..Reply::default()
    }
}
