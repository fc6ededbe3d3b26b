//! What hooks let through is what runs (BT-10), and whose rewrite counts (PL-9, AG-6).

use std::sync::Arc;

use hookloop_engine::events::EventName::{AfterModel, BeforeModel, BeforeTool};
use hookloop_engine::events::llm::LlmResponse;
use hookloop_engine::events::{AfterModelOutcome, BeforeModelOutcome, BeforeToolOutcome};
use hookloop_engine::{ArrivedChunk, Cleared, ModelRequest as _, RunResult, Unsettled};
use hookloop_hook::{Grouping, HookDeclaration, Layer, Mode, OnFailure};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    Act, Host, Setting, accepted, answers, call, hook, hook_of, says, says_after, silent,
};

/// Sets the argument `path`.
fn writes(path: &str) -> Act {
    let path = path.to_owned();
    answers(move |_| Some(json!({"hookSpecificOutput": {"tool_input": {"path": path}}})))
}

/// Refuses one value of the argument `path`.
fn refuses(path: &str) -> Act {
    let path = path.to_owned();
    answers(move |read| {
        (read["tool_input"]["path"] == *path).then(|| json!({"decision": "deny", "reason": "no"}))
    })
}

async fn path_that_runs(host: &Host) -> Option<Value> {
    let concluded = host.session.before_tool(call("glob"), accepted).await;
    match concluded.unwrap().outcome {
        BeforeToolOutcome::Proceed(cleared) => Some(cleared.arguments["path"].clone()),
        BeforeToolOutcome::Ask(..) | BeforeToolOutcome::Deny(..) | BeforeToolOutcome::Stop(_) => {
            None
        }
    }
}

/// BT-10: a guard that has let the model's arguments through reads what another hook made of them,
/// and is told so; its refusal counts, in parallel and in a sequence.
#[tokio::test]
async fn a_guard_reads_what_others_rewrote() {
    for grouping in [Grouping::Parallel, Grouping::Sequential] {
        let guard = HookDeclaration {
            grouping,
            ..hook(BeforeTool, "guard")
        };
        let host = Setting::default()
            .hook(guard, refuses("/etc/passwd"))
            .hook(hook(BeforeTool, "rewriter"), writes("/etc/passwd"))
            .host();
        assert_eq!(path_that_runs(&host).await, None);
        assert_eq!(host.executed(), ["guard", "rewriter", "guard"]);
        let last: Value =
            serde_json::from_str(&host.invocations()[2].input.text()).expect("a payload is JSON");
        assert_eq!(last["rewritten"], true);
        assert_eq!(last["tool_input"]["path"], "/etc/passwd");
        assert!(host.input_of("guard").get("rewritten").is_none());
        let concluded = host.concluded();
        assert_eq!(concluded.runs.len(), 3);
    }
}

/// BT-10, PL-8: in a sequence a guard reads what another hook made of the model's words; a later
/// hook that restores these can't use what the guard let through before.
#[tokio::test]
async fn what_is_brought_back_is_read_by_who_saw_another() {
    let in_sequence = |hook| HookDeclaration {
        grouping: Grouping::Sequential,
        ..hook
    };
    for layer in [Layer::Project, Layer::User, Layer::System] {
        let of = |layer, event, name| in_sequence(hook_of(layer, event, name));
        let host = Setting::default()
            .hook(of(Layer::Project, BeforeTool, "away"), writes("b"))
            .hook(of(Layer::User, BeforeTool, "guard"), refuses("a"))
            .hook(of(layer, BeforeTool, "back"), writes("a"))
            .host();
        let mut asked = call("glob");
        Arc::make_mut(&mut asked.arguments).insert("path".to_owned(), json!("a"));
        let concluded = host.session.before_tool(asked, accepted).await.unwrap();
        let is_refused = matches!(concluded.outcome, BeforeToolOutcome::Deny(..));
        assert!(is_refused, "{layer:?}: {:?}", concluded.outcome);

        let refuses = answers(|read| {
            (read["content"] == "SECRET").then(|| json!({"decision": "deny", "reason": "no"}))
        });
        let host = Setting::default()
            .hook(
                of(Layer::Project, AfterModel, "away"),
                replaces("SECRET", "b"),
            )
            .hook(of(Layer::User, AfterModel, "guard"), refuses)
            .hook(of(layer, AfterModel, "back"), replaces("b", "SECRET"))
            .host();
        assert_eq!(shown(&host, "SECRET").await, None, "{layer:?}");

        let asks_for = |from: &'static str, to: &'static str| {
            answers(move |read| {
                let fits = read["llm_request"]["model"] == *from;
                fits.then(|| json!({"hookSpecificOutput": {"llm_request": {"model": to}}}))
            })
        };
        let model = crate::running::request().view().model.clone();
        let model: &'static str = model.leak();
        let refuses = answers(move |read| {
            let fits = read["llm_request"]["model"] == *model;
            fits.then(|| json!({"decision": "deny", "reason": "no"}))
        });
        let host = Setting::default()
            .hook(
                of(Layer::Project, BeforeModel, "away"),
                asks_for(model, "b"),
            )
            .hook(of(Layer::User, BeforeModel, "guard"), refuses)
            .hook(of(layer, BeforeModel, "back"), asks_for("b", model))
            .host();
        let concluded = host.session.before_model(crate::running::request()).await;
        let outcome = concluded.unwrap().outcome;
        let is_refused = matches!(outcome, BeforeModelOutcome::Refuse { .. });
        assert!(is_refused, "{layer:?}: {outcome:?}");
    }
}

/// BT-10: what a hook makes of a text in the second look is read as well, by guards and redactors;
/// hooks that change whatever they read stop after each has had its turn.
#[tokio::test]
async fn what_the_second_look_changes_is_looked_at() {
    let user = |name| hook_of(Layer::User, AfterModel, name);
    let refuses = answers(|read| {
        (read["content"] == "SECRET").then(|| json!({"decision": "deny", "reason": "no"}))
    });
    let host = Setting::default()
        .hook(user("guard"), refuses)
        .hook(user("first"), replaces("hi", "ok"))
        .hook(user("second"), replaces("ok", "SECRET"))
        .host();
    assert_eq!(shown(&host, "hi").await, None);

    let redacts = edits(|text| text.replace("SECRET", "***"));
    let host = Setting::default()
        .hook(user("redactor"), redacts)
        .hook(user("first"), replaces("hi", "ok"))
        .hook(user("second"), replaces("ok", "SECRET"))
        .host();
    assert_eq!(shown(&host, "hi").await.as_deref(), Some("***"));

    let host = Setting::default()
        .hook(user("first"), edits(|text| format!("{text}!")))
        .hook(user("second"), edits(|text| format!("{text}?")))
        .host();
    let shown = shown(&host, "hi").await.expect("it is shown");
    assert!(shown.starts_with("hi!?"), "{shown}");
    assert!(host.executed().len() <= 12, "{:?}", host.executed());
}

/// AM-2, AG-6: a hook that only says why a response ends doesn't restore text that another one
/// removed.
#[tokio::test]
async fn the_reason_of_an_end_brings_no_text_back() {
    let ends = answers(|_| {
        Some(
            json!({"hookSpecificOutput": {"llm_response": {"candidates": [{"finishReason": "STOP"}]}}}),
        )
    });
    for layer in [Layer::Project, Layer::User, Layer::System] {
        for grouping in [Grouping::Parallel, Grouping::Sequential] {
            let of = |layer, name| HookDeclaration {
                grouping,
                ..hook_of(layer, AfterModel, name)
            };
            let host = Setting::default()
                .hook(of(Layer::User, "redactor"), replaces("SECRET", "***"))
                .hook(of(layer, "ends"), ends.clone())
                .host();
            assert_eq!(
                shown(&host, "SECRET").await.as_deref(),
                Some("***"),
                "{layer:?}"
            );
        }
    }
}

/// BT-10: no hook is asked twice if nothing was rewritten, if it would read what it alone made, in
/// shadow, with `recheck: false`, or with `once`.
#[tokio::test]
async fn who_takes_no_part_is_not_asked_again() {
    let changed = |change: fn(&mut HookDeclaration)| {
        let mut guard = hook(BeforeTool, "guard");
        change(&mut guard);
        guard
    };
    let same = answers(|_| Some(json!({"hookSpecificOutput": {"tool_input": {"path": "a"}}})));
    let cases = [
        (hook(BeforeTool, "guard"), same),
        (changed(|it| it.recheck = false), writes("b")),
        (changed(|it| it.mode = Mode::Shadow), writes("b")),
        (changed(|it| it.once = true), writes("b")),
        (changed(|it| it.asynchronous = true), writes("b")),
    ];
    for (number, (guard, act)) in cases.into_iter().enumerate() {
        let host = Setting::default()
            .hook(guard, silent())
            .hook(hook(BeforeTool, "rewriter"), act)
            .host();
        assert!(path_that_runs(&host).await.is_some());
        let executed = host.executed();
        let asked = executed.iter().filter(|it| *it == "guard").count();
        assert_eq!(asked, 1, "case {number}: {executed:?}");
        assert_eq!(executed.iter().filter(|it| *it == "rewriter").count(), 1);
    }
}

/// BT-3, BT-10: the host validates what hooks rewrote before they look again; what it finds wrong
/// never runs, and nobody is asked about it. What nobody rewrote was valid before.
#[tokio::test]
async fn rewritten_arguments_are_validated_before_the_second_look() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "guard"), silent())
        .hook(hook(BeforeTool, "rewriter"), writes("b"))
        .host();
    let refused = host.session.before_tool(call("glob"), |call| {
        assert_eq!(call.changed_arguments, ["path"]);
        Err("no such path")
    });
    let Err(Unsettled::Invalid { call: left, error }) = refused.await else {
        panic!("it is invalid");
    };
    assert_eq!(
        (&left.arguments["path"], error),
        (&json!("b"), "no such path")
    );
    assert_eq!(host.executed(), ["guard", "rewriter"]);
    let untouched = Setting::default()
        .hook(hook(BeforeTool, "guard"), silent())
        .host();
    let never = |_: &_| Err("not asked");
    let concluded = untouched.session.before_tool(call("glob"), never).await;
    assert!(matches!(
        concluded.unwrap().outcome,
        BeforeToolOutcome::Proceed(_)
    ));
}

/// BT-10: in the second look, questions and failures count as in the first; rewrites don't, and one
/// that would change the value once more is reported.
#[tokio::test]
async fn the_second_look_only_judges() {
    let guard = HookDeclaration {
        on_failure: OnFailure::Deny,
        ..hook(BeforeTool, "guard")
    };
    let again =
        |reply: Value| answers(move |read| read.get("rewritten").is_some().then(|| reply.clone()));
    let with = |act: Act| {
        Setting::default()
            .hook(guard.clone(), act)
            .hook(hook(BeforeTool, "rewriter"), writes("b"))
            .host()
    };
    let asks = with(again(json!({"decision": "ask", "reason": "sure?"})));
    let concluded = asks
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let BeforeToolOutcome::Ask(pending, reason) = concluded.outcome else {
        panic!("the user is asked");
    };
    assert_eq!(
        (&pending.arguments["path"], reason.as_str()),
        (&json!("b"), "sure?")
    );
    let fails = with(again(json!({"decision": 7})));
    assert_eq!(path_that_runs(&fails).await, None);
    let once_more = json!({
        "systemMessage": "again",
        "hookSpecificOutput": {"tool_input": {"path": "c"}},
    });
    let rewrites = with(again(once_more));
    let concluded = rewrites
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(concluded.messages, []);
    let BeforeToolOutcome::Proceed(cleared) = concluded.outcome else {
        panic!("nobody objects");
    };
    assert_eq!(cleared.arguments["path"], "b");
    assert_eq!(rewrites.notices().len(), 1, "{:?}", rewrites.notices());
}

/// PL-9: of two hooks that set the same key, the value of the more trusted layer counts, in
/// whatever order they are and end; the loser is reported.
#[tokio::test(start_paused = true)]
async fn the_more_trusted_layer_wins_a_conflict() {
    let sets = |path: &str, after| {
        says_after(
            after,
            &json!({"hookSpecificOutput": {"tool_input": {"path": path}}}),
        )
    };
    let host = Setting::default()
        .hook(
            hook_of(Layer::Project, BeforeTool, "project"),
            sets("project", 30),
        )
        .hook(hook_of(Layer::User, BeforeTool, "user"), sets("user", 20))
        .hook(
            hook_of(Layer::System, BeforeTool, "system"),
            sets("system", 10),
        )
        .hook(
            hook_of(Layer::Extension, BeforeTool, "extension"),
            sets("extension", 0),
        )
        .host();
    assert_eq!(path_that_runs(&host).await, Some(json!("system")));
    let losers: Vec<String> = host
        .concluded()
        .notices
        .into_iter()
        .filter(|notice| notice.text.contains("more trusted"))
        .map(|notice| notice.hook)
        .collect();
    assert_eq!(losers, ["extension", "project", "user"]);
}

async fn shown(host: &Host, text: &str) -> Option<String> {
    let cleared = cleared(host).await;
    let chunk = ArrivedChunk {
        response: &LlmResponse::of_text(text),
        text_before: "",
    };
    match host
        .session
        .after_model(&cleared, chunk)
        .await
        .unwrap()
        .outcome
    {
        AfterModelOutcome::Keep => Some(text.to_owned()),
        AfterModelOutcome::Replace(given) => given.text,
        AfterModelOutcome::Refuse(..) | AfterModelOutcome::Stop(_) => None,
    }
}

async fn cleared(host: &Host) -> Cleared<crate::running::Request> {
    let request = crate::running::request();
    match host.session.before_model(request).await.unwrap().outcome {
        BeforeModelOutcome::Send(cleared) => cleared,
        other => panic!("nobody objects: {other:?}"),
    }
}

/// Replaces the chunk's text by what a function makes of it, if that differs.
fn edits(edit: impl Fn(&str) -> String + Send + Sync + 'static) -> Act {
    answers(move |read| {
        let text = read["content"].as_str().unwrap_or_default();
        let edited = edit(text);
        (edited != text).then(|| json!({"hookSpecificOutput": {"llm_response": {"text": edited}}}))
    })
}

/// Replaces one text by another.
fn replaces(from: &'static str, to: &'static str) -> Act {
    edits(move |text| if text == from { to } else { text }.to_owned())
}

/// AG-6: a redactor reads what a less trusted decorator left, so that it can't restore what had to
/// be removed.
#[tokio::test]
async fn a_redactor_reads_what_is_shown() {
    let host = Setting::default()
        .hook(
            hook_of(Layer::Project, AfterModel, "decorator"),
            edits(|text| format!("{text} (secret)")),
        )
        .hook(
            hook_of(Layer::User, AfterModel, "redactor"),
            edits(|text| text.replace("secret", "***")),
        )
        .host();
    assert_eq!(
        shown(&host, "a secret").await.as_deref(),
        Some("a *** (***)")
    );
    // First both in parallel, then the chain, then those that haven't read its result; the
    // decorator is the less trusted one there, and decorates no more (BT-10).
    let order = ["decorator", "redactor", "redactor", "decorator", "redactor"];
    assert_eq!(host.executed(), order);
}

/// AG-6: a redactor that fails on what others left restores nothing: what it made of the model's
/// words counts.
#[tokio::test]
async fn a_redactor_that_fails_brings_nothing_back() {
    let host = Setting::default()
        .hook(
            hook_of(Layer::Project, AfterModel, "decorator"),
            edits(|text| format!("{text}!")),
        )
        .hook(
            hook_of(Layer::User, AfterModel, "redactor"),
            answers(|read| {
                Some(match read.get("rewritten") {
                    None => json!({"hookSpecificOutput": {"llm_response": {"text": "a ***"}}}),
                    Some(_) => json!({"decision": 7}),
                })
            }),
        )
        .host();
    let shown = shown(&host, "a secret").await.unwrap();
    assert!(!shown.contains("secret"), "{shown}");
}

/// HT-2: a hook in shadow runs and is recorded; its answer, its failure and its message have no
/// effect.
#[tokio::test]
async fn a_hook_in_shadow_has_no_effect() {
    let shadow = |command| HookDeclaration {
        mode: Mode::Shadow,
        on_failure: OnFailure::Deny,
        ..hook(BeforeTool, command)
    };
    let refusal = json!({"decision": "deny", "reason": "no", "systemMessage": "hello"});
    let host = Setting::default()
        .hook(shadow("refuses"), says(&refusal))
        .hook(shadow("fails"), says(&json!({"decision": 7})))
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(matches!(concluded.outcome, BeforeToolOutcome::Proceed(_)));
    assert_eq!(concluded.messages, []);
    assert_eq!(host.notices(), [""; 0]);
    let results: Vec<_> = host.concluded().runs.iter().map(|run| run.result).collect();
    assert_eq!(results, [RunResult::Refused, RunResult::Refused]);
}

#[derive(Debug, Clone)]
enum Kind {
    Silent,
    Writes(u8),
    Refuses(u8),
    Asks(u8),
    Fails(u8),
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Silent),
        (0..3u8).prop_map(Kind::Writes),
        (0..3u8).prop_map(Kind::Refuses),
        (0..3u8).prop_map(Kind::Asks),
        (0..3u8).prop_map(Kind::Fails),
    ]
}

fn layer() -> impl Strategy<Value = Layer> {
    prop::sample::select(vec![
        Layer::Project,
        Layer::User,
        Layer::System,
        Layer::Extension,
    ])
}

type Guard = (Layer, Kind);

impl Kind {
    fn act(&self) -> Act {
        let kind = self.clone();
        answers(move |read| {
            let path = read["tool_input"]["path"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            kind.answer(&path)
        })
    }

    fn answer(&self, path: &str) -> Option<Value> {
        let fits = |number: &u8| path == number.to_string();
        match self {
            Self::Silent => None,
            Self::Writes(number) => {
                Some(json!({"hookSpecificOutput": {"tool_input": {"path": number.to_string()}}}))
            }
            Self::Refuses(number) => {
                fits(number).then(|| json!({"decision": "deny", "reason": "no"}))
            }
            Self::Asks(number) => fits(number).then(|| json!({"decision": "ask"})),
            Self::Fails(number) => fits(number).then(|| json!({"decision": 7})),
        }
    }

    /// Returns whether the hook lets a value run without a question.
    fn lets_through(&self, path: &str) -> bool {
        match self {
            Self::Silent | Self::Writes(_) => true,
            Self::Refuses(number) | Self::Asks(number) | Self::Fails(number) => {
                path != number.to_string()
            }
        }
    }
}

fn host_of(guards: &[Guard], grouping: Grouping) -> Host {
    let mut setting = Setting::default();
    for (number, (layer, kind)) in guards.iter().enumerate() {
        let hook = HookDeclaration {
            grouping,
            on_failure: OnFailure::Deny,
            ..hook_of(*layer, BeforeTool, &format!("hook-{number}"))
        };
        setting = setting.hook(hook, kind.act());
    }
    setting.host()
}

async fn outcome(guards: &[Guard], grouping: Grouping) -> (u8, Option<String>) {
    let host = host_of(guards, grouping);
    // One of the values that hooks write, so that some restore it.
    let mut call = call("glob");
    Arc::make_mut(&mut call.arguments).insert("path".to_owned(), json!("0"));
    let concluded = host.session.before_tool(call, accepted).await.unwrap();
    match concluded.outcome {
        BeforeToolOutcome::Proceed(cleared) => {
            (0, cleared.arguments["path"].as_str().map(str::to_owned))
        }
        BeforeToolOutcome::Ask(..) => (1, None),
        BeforeToolOutcome::Deny(..) => (2, None),
        BeforeToolOutcome::Stop(_) => (3, None),
    }
}

fn grouping() -> impl Strategy<Value = Grouping> {
    prop::sample::select(vec![Grouping::Parallel, Grouping::Sequential])
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(future)
}

proptest! {
    /// BT-10: no final value runs that a hook of the plan refuses, asks about or fails on when it
    /// reads it.
    #[test]
    fn no_value_runs_that_a_hook_refuses(
        guards in prop::collection::vec((layer(), kind()), 1..6),
        grouping in grouping(),
    ) {
        if let (0, Some(path)) = block_on(outcome(&guards, grouping)) {
            for (_, kind) in &guards {
                prop_assert!(kind.lets_through(&path), "{kind:?} reads {path}");
            }
        }
    }

    /// AG-4: adding a hook that changes nothing never weakens the outcome, whatever the layers and
    /// wherever it is.
    #[test]
    fn another_guard_never_weakens(
        guards in prop::collection::vec((layer(), kind()), 0..5),
        added in (layer(), kind().prop_filter("judges", |it| !matches!(it, Kind::Writes(_)))),
        at in any::<prop::sample::Index>(),
        grouping in grouping(),
    ) {
        let (before, _) = block_on(outcome(&guards, grouping));
        let mut more = guards.clone();
        more.insert(at.index(guards.len() + 1), added);
        let (after, _) = block_on(outcome(&more, grouping));
        prop_assert!(after >= before, "{before} became {after}");
    }
}
