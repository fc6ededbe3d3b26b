//! Who runs: PL-1…PL-10, EV-1, EV-2.

use std::collections::BTreeMap;
use std::time::Duration;

use hookloop_engine::events::EventName::{BeforeAgent, BeforeTool, SessionStart};
use hookloop_engine::events::{BeforeAgentOutcome, BeforeToolOutcome, SessionSource};
use hookloop_engine::{
    Ending, HookStatus, Hooks, Lifecycle, Mode, SkipCause, Subject, lint, lint_patterns,
};
use hookloop_hook::{HookDeclaration, Layer, OnFailure};
use hookloop_settings::{DisabledEntry, DisabledReach, HookSwitches, Provided};
use hookloop_trust::{Acceptance, Standing, Vouched};
use serde_json::json;

use crate::support::{
    Setting, call, denies, ends, hook, identity, says, says_after, silent, source,
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

/// EV-2: with no hook that matches, nothing is executed, nothing is told, and the call goes
/// through unchanged.
#[tokio::test]
async fn without_a_matching_hook_nothing_happens() {
    let host = Setting::default()
        .hook(matching("write_file", "never"), denies("no"))
        .hook(hook(SessionStart, "other event"), denies("no"))
        .host();
    let concluded = host.session.before_tool(call("glob")).await.unwrap();
    let BeforeToolOutcome::Proceed(cleared) = concluded.outcome else {
        panic!("nobody objects");
    };
    assert_eq!(cleared.into_inner(), call("glob"));
    assert!(concluded.messages.is_empty());
    assert!(host.executed().is_empty());
    assert!(host.happenings().is_empty());
}

/// EV-2: an engine without hooks clears everything.
#[tokio::test]
async fn no_hooks_clear_everything() {
    let session = Hooks::none().session(identity());
    let concluded = session
        .before_tool(call("run_shell_command"))
        .await
        .unwrap();
    assert!(
        matches!(concluded.outcome, BeforeToolOutcome::Proceed(it) if *it == call("run_shell_command"))
    );
    let concluded = session.before_agent("hello").await.unwrap();
    assert_eq!(concluded.outcome, BeforeAgentOutcome::Proceed(None));
    assert!(
        session
            .session_start(SessionSource::Startup)
            .await
            .unwrap()
            .outcome
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
    host.session.before_tool(call("glob")).await.unwrap();
    assert_eq!(host.executed(), ["project", "user", "system"]);
}

/// PL-7: name and command, variables expanded, make a hook; the first one stays, and the other
/// is told about, also when only `env` or `timeout` differ.
#[tokio::test]
async fn twins_run_once() {
    let first = named("format", "$GEMINI_PROJECT_DIR/format.sh");
    let mut second = named("format", "/project/format.sh");
    second.env = BTreeMap::from([("A".to_owned(), "1".to_owned())]);
    second.timeout = Duration::from_secs(1);
    let host = Setting::default()
        .hook(first.clone(), silent())
        .hook(twin(&second, "second"), silent())
        .host();
    host.session.before_tool(call("glob")).await.unwrap();
    assert_eq!(host.executed(), ["$GEMINI_PROJECT_DIR/format.sh"]);
    let skipped = host.happenings().into_iter().find_map(|it| match it {
        Lifecycle::Skipped { causes, .. } => Some(causes),
        _ => None,
    });
    assert_eq!(skipped, Some(vec![SkipCause::Shadowed(first.id)]));
}

/// AG-4, PL-7: a twin that fails more softly does not soften the hook it stands for.
#[tokio::test]
async fn the_strictest_twin_says_what_a_failure_means() {
    let soft = named("guard", "guard.sh");
    let mut strict = twin(&soft, "strict");
    strict.on_failure = OnFailure::Deny;
    for order in [[&soft, &strict], [&strict, &soft]] {
        let host = order
            .into_iter()
            .fold(Setting::default(), |setting, hook| {
                setting.hook(hook.clone(), ends(Ending::Exited(1), "", "broken"))
            })
            .host();
        let outcome = host
            .session
            .before_tool(call("glob"))
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
        assert_eq!(host.executed().len(), 1);
    }
}

/// PL-11: a hook reads the name of the tool that its matcher asked for.
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
        host.session.before_tool(call(tool)).await.unwrap();
        let input = host.concluded().runs[0].content.input.text().into_owned();
        let input: serde_json::Value = serde_json::from_str(&input).unwrap();
        assert_eq!(input["tool_name"], read, "{matcher} on {tool}");
    }
}

/// A pattern that takes longer than anybody lives to find out that a name does not fit.
const ENDLESS: &str = r"(\w|\w|\w|\w|\w|\w|\w|\w)+!";

/// TR-2: the pattern of a hook that nobody has agreed to is not compared, so a strange project
/// can't hold up a session with it; the hook is reported.
#[tokio::test]
async fn a_strange_pattern_is_not_compared() {
    let hostile = matching(ENDLESS, "hostile");
    let setting = Setting::default()
        .vouched(untrusted(hostile), silent())
        .hook(named("guard", "guard"), denies("no"));
    assert_eq!(lint_patterns(&setting.registry()), []);
    assert_eq!(lint(&setting.registry()).len(), 1, "it is untrusted");
    let host = setting.host();
    let outcome = host
        .session
        .before_tool(call("run_shell_command"))
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
    let skipped = host.happenings().into_iter().find_map(|it| match it {
        Lifecycle::Skipped { causes, .. } => Some(causes),
        _ => None,
    });
    assert_eq!(skipped, Some(vec![SkipCause::UntrustedNew]));
}

/// PL-7: hooks of another name, another command or another event are not the same.
#[tokio::test]
async fn different_hooks_are_not_twins() {
    let host = Setting::default()
        .hook(named("a", "x"), silent())
        .hook(twin(&named("b", "x"), "b"), silent())
        .hook(twin(&hook(BeforeTool, "x"), "unnamed"), silent())
        .hook(hook(BeforeAgent, "x"), silent())
        .host();
    host.session.before_tool(call("glob")).await.unwrap();
    assert_eq!(host.executed(), ["x", "x", "x"]);
    host.session.before_agent("hello").await.unwrap();
    assert_eq!(host.executed().len(), 4);
}

/// PL-7: one that may not run never takes the place of one that may.
#[tokio::test]
async fn a_hook_that_may_not_run_shadows_nothing() {
    let disabled = HookSwitches {
        disabled: vec![DisabledEntry {
            name: "off".to_owned(),
            source: source(Layer::User, 9),
            reach: DisabledReach::OwnProject,
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
    let concluded = host.session.before_tool(call("glob")).await.unwrap();
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

/// PL-8: one group that asks for it makes all matching hooks of the event sequential, and only
/// a matching one does.
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
            reach: DisabledReach::Everything,
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
            .before_tool(call("glob"))
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
    }
    assert!(host.executed().is_empty());
    let happenings = host.happenings();
    assert!(matches!(
        happenings.as_slice(),
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
    host.session.before_tool(call("glob")).await.unwrap();
    let new = Setting::default().hook(hook(BeforeTool, "new"), silent());
    host.hooks.replace(new.registry());
    host.session.before_tool(call("glob")).await.unwrap();
    assert_eq!(host.executed(), ["old", "new"]);
}

/// TR-6: an event in flight keeps the hooks that it began with.
#[tokio::test(start_paused = true)]
async fn an_event_in_flight_keeps_its_hooks() {
    let refusal = json!({"decision": "deny", "reason": "old"});
    let host = Setting::default()
        .hook(hook(BeforeTool, "old"), says_after(100, &refusal))
        .host();
    let (concluded, ()) = tokio::join!(host.session.before_tool(call("glob")), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        host.hooks.replace(Setting::default().registry());
    });
    assert!(
        matches!(concluded.unwrap().outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "old")
    );
    let outcome = host
        .session
        .before_tool(call("glob"))
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
}
