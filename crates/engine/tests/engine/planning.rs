//! Who runs: PL-1…PL-10, EV-1, EV-2.

use std::collections::BTreeMap;
use std::time::Duration;

use hookloop_engine::events::EventName::{BeforeAgent, BeforeTool, SessionStart};
use hookloop_engine::events::{BeforeAgentOutcome, BeforeToolOutcome, McpContext, SessionSource};
use hookloop_engine::{
    HookStatus, Hooks, Lifecycle, Mode, PromptOrigin, SkipCause, Subject, lint, lint_patterns,
};
use hookloop_hook::{HookDeclaration, Layer, OnFailure, ProblemCode};
use hookloop_settings::{DisabledEntry, HookSwitches, Owner, Provided};
use hookloop_trust::{Acceptance, Standing, Vouched};
use serde_json::json;

use crate::support::{
    Setting, accepted, call, denies, hook, hook_of, identity, says, says_after, silent, source,
};

fn named(name: &str, command: &str) -> HookDeclaration {
    HookDeclaration {
        name: Some(name.to_owned()),
        ..hook(BeforeTool, command)
    }
}

fn matching(matcher: &str, command: &str) -> HookDeclaration {
    HookDeclaration {
        matcher: Some(matcher.to_owned()),
        ..hook(BeforeTool, command)
    }
}

fn twin(hook: &HookDeclaration, id: &str) -> HookDeclaration {
    HookDeclaration {
        id: hookloop_hook::HookId::from_text(id),
        ..hook.clone()
    }
}

fn untrusted(hook: HookDeclaration) -> Vouched {
    let mut vouched = Vouched::by_host(hook);
    vouched.accepted = Acceptance::No;
    vouched.standing = Standing::New;
    vouched
}

fn trusted(hook: HookDeclaration) -> Vouched {
    let mut vouched = Vouched::by_host(hook);
    vouched.accepted = Acceptance::ByStore;
    vouched.standing = Standing::Trusted;
    vouched
}

/// EV-2: with no hook that matches, nothing is executed, nothing is reported, and the call goes
/// through unchanged.
#[tokio::test]
async fn without_a_matching_hook_nothing_happens() {
    let host = Setting::default()
        .hook(matching("write_file", "never"), denies("no"))
        .hook(hook(SessionStart, "other event"), denies("no"))
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let BeforeToolOutcome::Proceed(cleared) = concluded.outcome else {
        panic!("nobody objects");
    };
    assert_eq!(cleared.into_inner(), call("glob"));
    assert!(concluded.messages.is_empty());
    assert!(host.executed().is_empty());
    assert!(host.observed().is_empty());
}

/// EV-2: an engine without hooks clears everything.
#[tokio::test]
async fn no_hooks_clear_everything() {
    let session = Hooks::none().session(identity());
    let concluded = session
        .before_tool(call("run_shell_command"), accepted)
        .await
        .unwrap();
    assert!(
        matches!(concluded.outcome, BeforeToolOutcome::Proceed(it) if *it == call("run_shell_command"))
    );
    let concluded = session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap();
    assert_eq!(concluded.outcome, BeforeAgentOutcome::Proceed(None));
    assert!(
        session
            .session_start(SessionSource::Startup)
            .await
            .unwrap()
            .outcome
            .context
            .is_none()
    );
}

/// PL-6: hooks start in the order in which they are registered, level after level.
#[tokio::test]
async fn hooks_start_in_the_order_of_the_registry() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "project"), silent())
        .hook(hook(BeforeTool, "user"), silent())
        .hook(hook(BeforeTool, "system"), silent())
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(host.executed(), ["project", "user", "system"]);
}

/// PL-7: hooks that are the same in everything, variables expanded, run once; the other is reported
/// about.
#[tokio::test]
async fn twins_run_once() {
    let first = named("format", "$GEMINI_PROJECT_DIR/format.sh");
    let second = HookDeclaration {
        description: Some("the same in other words".to_owned()),
        ..named("format", "/project/format.sh")
    };
    let host = Setting::default()
        .hook(first.clone(), silent())
        .hook(twin(&second, "second"), silent())
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(host.executed(), ["$GEMINI_PROJECT_DIR/format.sh"]);
    let skipped = host.observed().into_iter().find_map(|it| match it {
        Lifecycle::Skipped { causes, .. } => Some(causes),
        _ => None,
    });
    assert_eq!(skipped, Some(vec![SkipCause::Shadowed(first.id)]));
}

/// PL-7: whatever can change what a hook does, or what its answer does, makes it another hook: a
/// copy with another environment, a shorter timeout or a softer failure policy never replaces a
/// guard. `check` reports such near twins.
#[test]
fn a_copy_that_differs_takes_nobodys_place() {
    let guard = named("guard", "guard.sh");
    let changes: [fn(&mut HookDeclaration); 9] = [
        |it| it.env = BTreeMap::from([("GUARD_MODE".to_owned(), "off".to_owned())]),
        |it| it.timeout = Duration::from_millis(1),
        |it| it.on_failure = OnFailure::Deny,
        |it| it.mode = hookloop_hook::Mode::Shadow,
        |it| it.recheck = false,
        |it| it.asynchronous = true,
        |it| it.once = true,
        |it| it.dialect = hookloop_hook::Dialect::ClaudeCode,
        |it| it.agents = Some(vec!["hookloop".to_owned()]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut copy = twin(&guard, "copy");
        copy.source = source(Layer::Project, 7);
        change(&mut copy);
        let registry = Setting::default()
            .hook(copy, silent())
            .hook(guard.clone(), silent())
            .registry();
        let explained = registry.explain(BeforeTool, Subject::Known("glob"));
        assert_eq!(explained.planned().count(), 2, "change {number}");
        let near: Vec<_> = lint(&registry, &[])
            .into_iter()
            .filter(|it| it.code == ProblemCode::NearTwin)
            .collect();
        assert_eq!(near.len(), 1, "change {number}: {near:?}");
    }
}

/// PL-7: of twins in several layers the one of the most trusted stays, wherever the others are; and
/// if one of them requires a sequence, the event is one.
#[test]
fn the_most_trusted_twin_stays() {
    let layers = [Layer::Project, Layer::User, Layer::System, Layer::Extension];
    for (at, layer) in layers.into_iter().enumerate() {
        for other in layers.into_iter().skip(at + 1) {
            let one = hook_of(layer, BeforeTool, "guard");
            let mut two = twin(&hook_of(other, BeforeTool, "guard"), "two");
            two.grouping = hookloop_hook::Grouping::Sequential;
            let stays = if one.authority() > two.authority() {
                one.id.clone()
            } else {
                two.id.clone()
            };
            let registry = Setting::default()
                .hook(one, silent())
                .hook(two, silent())
                .registry();
            let explained = registry.explain(BeforeTool, Subject::Known("glob"));
            let planned: Vec<_> = explained.planned().map(|it| it.hook.id.clone()).collect();
            assert_eq!(
                planned,
                std::slice::from_ref(&stays),
                "{layer} beside {other}"
            );
            assert_eq!(explained.mode, Mode::Sequential);
            let listed = registry.list();
            let runs: Vec<_> = listed.iter().filter(|it| it.causes.is_empty()).collect();
            assert_eq!(runs.len(), 1);
            assert_eq!(runs[0].hook.id, stays);
        }
    }
}

/// PL-11: a hook reads the tool's name that its matcher contains.
#[tokio::test]
async fn a_hook_reads_the_name_that_it_asked_for() {
    for (matcher, tool, read) in [
        ("grep_search", "search_file_content", "grep_search"),
        ("^mcp_fs_.+", "mcp__fs__read", "mcp_fs_read"),
        (
            "search_file_content|grep_search",
            "search_file_content",
            "search_file_content",
        ),
        ("*", "search_file_content", "search_file_content"),
    ] {
        let host = Setting::default()
            .hook(matching(matcher, "guard"), silent())
            .host();
        let _ = host
            .session
            .before_tool(call(tool), accepted)
            .await
            .unwrap();
        let input = host.concluded().runs[0].content.input.text().into_owned();
        let input: serde_json::Value = serde_json::from_str(&input).unwrap();
        assert_eq!(input["tool_name"], read, "{matcher} on {tool}");
    }
}

/// PL-5, PL-11: a matcher with the names of a server and its tool matches the name by which the
/// tool is called, even if that is shorter, and its hook reads the name in the matcher.
#[tokio::test]
async fn a_tool_is_known_by_the_name_that_its_server_gives() {
    let long = "delete_".repeat(12);
    for (matcher, called, tool, read) in [
        (
            "mcp__my srv__delete repo",
            "mcp__my_srv__delete_repo",
            "delete repo",
            "mcp__my srv__delete repo",
        ),
        (
            "mcp__my srv__.*",
            "mcp__my_srv__délete",
            "délete",
            "mcp__my srv__délete",
        ),
        (
            "^mcp__my srv__delete_{3}x",
            "mcp__my_srv__delete___x",
            "other",
            "mcp__my_srv__delete___x",
        ),
        (
            "(delete_){12}",
            "mcp__my_srv__delete___delete_",
            &*long,
            &*format!("mcp__my srv__{long}"),
        ),
    ] {
        let host = Setting::default()
            .hook(matching(matcher, "guard"), silent())
            .host();
        let mut call = call(called);
        call.mcp = Some(McpContext {
            server_name: "my srv".to_owned(),
            tool_name: tool.to_owned(),
            ..McpContext::default()
        });
        let _ = host.session.before_tool(call, accepted).await.unwrap();
        let input = host.concluded().runs[0].content.input.text().into_owned();
        let input: serde_json::Value = serde_json::from_str(&input).unwrap();
        assert_eq!(input["tool_name"], read, "{matcher} on {called}");
    }
}

/// A pattern that takes longer than a lifetime to find that a name doesn't match.
const ENDLESS: &str = r"(\w|\w|\w|\w|\w|\w|\w|\w)+!";

/// TR-2: the pattern of a hook that nobody has agreed to isn't compared, so an untrusted project
/// can't block a session with it; the hook is reported.
#[tokio::test]
async fn a_strange_pattern_is_not_compared() {
    let hostile = matching(ENDLESS, "hostile");
    let setting = Setting::default()
        .vouched(untrusted(hostile), silent())
        .hook(named("guard", "guard"), denies("no"));
    assert_eq!(lint_patterns(&setting.registry(), &[]), []);
    assert_eq!(lint(&setting.registry(), &[]).len(), 1, "it is untrusted");
    let host = setting.host();
    let outcome = host
        .session
        .before_tool(call("run_shell_command"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
    let skipped = host.observed().into_iter().find_map(|it| match it {
        Lifecycle::Skipped { causes, .. } => Some(causes),
        _ => None,
    });
    assert_eq!(skipped, Some(vec![SkipCause::UntrustedNew]));
}

/// PL-7: hooks of another name, another command or another event aren't the same.
#[tokio::test]
async fn different_hooks_are_not_twins() {
    let host = Setting::default()
        .hook(named("a", "x"), silent())
        .hook(twin(&named("b", "x"), "b"), silent())
        .hook(twin(&hook(BeforeTool, "x"), "unnamed"), silent())
        .hook(hook(BeforeAgent, "x"), silent())
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(host.executed(), ["x", "x", "x"]);
    let _ = host
        .session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap();
    assert_eq!(host.executed().len(), 4);
}

/// PL-7: one that may not run never replaces one that may.
#[tokio::test]
async fn a_hook_that_may_not_run_shadows_nothing() {
    let disabled = HookSwitches {
        disabled: vec![DisabledEntry {
            name: "off".to_owned(),
            source: source(Layer::User, 9),
            reach: vec![Owner::Project],
        }],
        ..HookSwitches::default()
    };
    let mut project = named("off", "b");
    project.source = source(Layer::Project, 2);
    let host = Setting::default()
        .vouched(untrusted(named("guard", "a")), silent())
        .hook(twin(&named("guard", "a"), "stays"), denies("no"))
        .vouched(trusted(project), silent())
        .hook(twin(&named("off", "b"), "stays too"), silent())
        .switches(disabled)
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(matches!(concluded.outcome, BeforeToolOutcome::Deny(..)));
    let ids: Vec<String> = host
        .invocations()
        .iter()
        .map(|it| it.hook.id.to_string())
        .collect();
    assert_eq!(ids, ["stays", "stays too"]);
}

/// PL-7: which hooks are the same is decided among those that match the subject at hand.
#[tokio::test]
async fn twins_are_found_for_each_subject() {
    let narrow = matching("^write_file$", "check");
    let wide = twin(&hook(BeforeTool, "check"), "wide");
    let setting = Setting::default()
        .hook(narrow.clone(), silent())
        .hook(wide.clone(), silent());
    let runs = |tool: &str| -> Vec<Option<bool>> {
        let explained = setting.registry().explain(BeforeTool, Subject::Known(tool));
        explained.hooks.iter().map(HookStatus::runs).collect()
    };
    assert_eq!(runs("write_file"), [Some(true), Some(false)]);
    assert_eq!(runs("glob"), [Some(false), Some(true)]);
    // For some subject each of them runs, so the listing shows neither as shadowed.
    assert!(
        setting
            .registry()
            .list()
            .iter()
            .all(|it| it.causes.is_empty())
    );
}

/// PL-8: one group that requires it makes all matching hooks of the event sequential, but only a
/// matching one does.
#[test]
fn one_sequential_group_makes_the_event_sequential() {
    let mut sequential = matching("write_file", "a");
    sequential.grouping = hookloop_hook::Grouping::Sequential;
    let registry = Setting::default()
        .hook(sequential, silent())
        .hook(hook(BeforeTool, "b"), silent())
        .registry();
    let mode = |tool| registry.explain(BeforeTool, Subject::Known(tool)).mode;
    assert_eq!(mode("write_file"), Mode::Sequential);
    assert_eq!(mode("glob"), Mode::Parallel);
}

/// PL-10: a disabled hook never runs, stays in the listing with its reason, and is reported when
/// the event fires for the first time.
#[tokio::test]
async fn a_disabled_hook_is_listed_and_reported() {
    let place = source(Layer::User, 9);
    let switches = HookSwitches {
        disabled: vec![DisabledEntry {
            name: "off".to_owned(),
            source: place.clone(),
            reach: Owner::ALL.to_vec(),
        }],
        ..HookSwitches::default()
    };
    let setting = Setting::default()
        .hook(named("off", "a"), denies("no"))
        .switches(switches);
    let expected = vec![SkipCause::DisabledByName(place)];
    assert_eq!(setting.registry().list()[0].causes, expected);
    let host = setting.host();
    for _ in 0..2 {
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
    }
    assert!(host.executed().is_empty());
    let observed = host.observed();
    assert!(matches!(
        observed.as_slice(),
        [Lifecycle::Skipped { causes, .. }] if *causes == expected
    ));
}

/// PL-10: all causes are listed, whatever the first one is.
#[test]
fn all_causes_are_listed() {
    let switches = HookSwitches {
        enabled: Provided {
            value: false,
            source: Some(source(Layer::System, 3)),
        },
        ..HookSwitches::default()
    };
    let registry = Setting::default()
        .vouched(untrusted(named("a", "a")), silent())
        .switches(switches)
        .registry();
    let explained = registry.explain(BeforeTool, Subject::Unknown);
    let codes: Vec<&str> = explained.hooks[0]
        .causes
        .iter()
        .map(SkipCause::code)
        .collect();
    assert_eq!(codes, ["hooks_off", "untrusted_new"]);
    assert_eq!(explained.planned().count(), 0);
}

/// CM-4: with an unknown subject, a selective matcher leaves the question open.
#[test]
fn an_unknown_subject_leaves_selective_matchers_open() {
    let registry = Setting::default()
        .hook(matching("glob", "a"), silent())
        .hook(hook(BeforeTool, "b"), silent())
        .registry();
    let explained = registry.explain(BeforeTool, Subject::Unknown);
    let runs: Vec<Option<bool>> = explained.hooks.iter().map(HookStatus::runs).collect();
    assert_eq!(runs, [None, Some(true)]);
}

/// TR-6: replaced hooks count from the next event on.
#[tokio::test]
async fn a_replaced_registry_counts_at_once() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "old"), says(&json!({})))
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let new = Setting::default().hook(hook(BeforeTool, "new"), silent());
    host.hooks.replace(new.registry());
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(host.executed(), ["old", "new"]);
}

/// TR-6: an event in flight keeps the hooks that it began with.
#[tokio::test(start_paused = true)]
async fn an_event_in_flight_keeps_its_hooks() {
    let refusal = json!({"decision": "deny", "reason": "old"});
    let host = Setting::default()
        .hook(hook(BeforeTool, "old"), says_after(100, &refusal))
        .host();
    let (concluded, ()) = tokio::join!(host.session.before_tool(call("glob"), accepted), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        host.hooks.replace(Setting::default().registry());
    });
    assert!(
        matches!(concluded.unwrap().outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "old")
    );
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
}
