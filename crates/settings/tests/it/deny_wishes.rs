//! `onFailure: "deny"` under other names and in other places (IO-21), and hooks that are a text
//! (ST-12).

use hookloop_hook::{OnFailure, ProblemCode};

use super::fixture::Fixture;

/// Returns what the failure of the one hook means, and how many problems are reported.
fn policy(user: &str) -> (OnFailure, usize) {
    let settings = Fixture::new().user(user).load();
    (settings.hooks[0].on_failure, settings.problems.len())
}

/// Returns settings with something at the top, in the group, and in the hook.
fn settings(top: &str, group: &str, hook: &str) -> String {
    format!(
        r#"{{{top} "hooks": {{"BeforeTool": [{{{group} "hooks": [{{"type": "command", {hook} "command": "x"}}]}}]}}}}"#
    )
}

/// IO-21: whoever wrote that a failure refuses, in other words or in another place, gets that, and
/// is told what is read. Whoever wrote the opposite, or about something else, gets the default.
#[test]
fn a_wish_for_refusals_counts_wherever_it_is() {
    let at_the_top = [
        r#""hooksConfig": {"OnFailure": "deny"},"#,
        r#""hooksConfig": {"on_failure": "deny"},"#,
        r#""hooksConfig": {"on-failure": "block"},"#,
        r#""hooksConfig": {"onFailurе": "deny"},"#,
        r#""hooksConfig": {"failClosed": true},"#,
        r#""hooksConfig": {"failOpen": false},"#,
        r#""HooksConfig": {"onFailure": "deny"},"#,
        r#""hooks_config": {"OnFailure": "Deny"},"#,
        r#""hooksconfig": {"onfailure": "deny"},"#,
        r#""onFailure": "deny","#,
        r#""on_failure": "deny","#,
        r#""onError": "block","#,
        r#""hooksConfig.onFailure": "deny","#,
        r#""hooksConfig": {"defaults": {"onFailure": "deny"}},"#,
        r#""hooksConfig": {"failureMode": "deny"},"#,
        r#""hooksConfig": [{"onFailure": "deny"}],"#,
        r#""hooksConfig": "{\"onFailure\": \"deny\"}","#,
        r#""general": {"hooksConfig": {"onFailure": "deny"}},"#,
        r#""tools": [{"a": {"on_failure": "Block"}}],"#,
    ];
    let in_entries = [
        r#""onFailure": "Deny","#,
        r#""onFailure": "block","#,
        r#""onFailure": true,"#,
        r#""OnFailure": "deny","#,
        r#""on_failure": "deny","#,
        r#""fail_closed": true,"#,
        r#""onError": "block","#,
        r#""failOpen": false,"#,
        r#""failure": "deny","#,
        r#""failureBehavior": "Block the call","#,
        r#""timeoutAction": "refuse","#,
    ];
    let wishes = at_the_top.map(|it| settings(it, "", ""));
    let wishes = wishes
        .into_iter()
        .chain(in_entries.map(|it| settings("", it, "")))
        .chain(in_entries.map(|it| settings("", "", it)));
    for wish in wishes {
        let (policy, problems) = policy(&wish);
        assert_eq!(policy, OnFailure::Deny, "{wish}");
        assert!(problems > 0, "{wish}");
    }
    let others = [
        settings(r#""hooksConfig": {"OnFailure": "warn"},"#, "", ""),
        settings(r#""hooksConfig": {"failClosed": false},"#, "", ""),
        settings(r#""hooksConfig": {"strict": false},"#, "", ""),
        settings(r#""tools": {"onFailure": "retry"},"#, "", ""),
        settings(r#""tools": {"failClosed": true},"#, "", ""),
        settings(r#""hooksConfig": null,"#, "", ""),
        settings("", r#""failOpen": true,"#, ""),
        settings("", r#""required": true,"#, ""),
        settings("", "", r#""onError": "ignore","#),
        settings("", "", r#""blocking": true,"#),
        settings("", "", r#""failureMode": "warn","#),
        settings("", "", r#""mode": "deny","#),
    ];
    for other in others {
        assert_eq!(policy(&other).0, OnFailure::Default, "{other}");
    }
}

/// IO-21: what is said where it is read takes precedence over a wish elsewhere.
#[test]
fn the_right_spelling_takes_precedence_over_a_wish() {
    let own = settings(
        r#""hooksConfig": {"onfailure": "deny"},"#,
        r#""failClosed": true,"#,
        r#""onFailure": "warn","#,
    );
    assert_eq!(policy(&own).0, OnFailure::Warn);
    let of_all = settings(
        r#""onFailure": "deny", "hooksConfig": {"onFailure": "warn"},"#,
        "",
        "",
    );
    assert_eq!(policy(&of_all).0, OnFailure::Warn);
}

/// ST-12: hooks that are a text under another key can be nothing else, and are reported; another
/// text isn't.
#[test]
fn hooks_as_a_text_are_reported() {
    let hooks = r#"{\"BeforeTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}"#;
    let misplaced = |text: &str| {
        let settings = Fixture::new().user(text).load();
        let problems = settings.problems.into_iter();
        problems
            .filter(|it| it.code == ProblemCode::MisplacedHooks)
            .count()
    };
    for key in ["myHooks", "agentHooks", "config"] {
        assert_eq!(misplaced(&format!(r#"{{"{key}": "{hooks}"}}"#)), 1, "{key}");
        let inner = format!(r#"{{"{key}": {{"value": "{{\"hooks\": {hooks}}}"}}}}"#);
        assert_eq!(misplaced(&inner), 1, "{inner}");
    }
    let deep = "[".repeat(100_000);
    for other in [r#"{\"theme\": [1]}"#, "{not JSON", &format!("{{{deep}")] {
        assert_eq!(misplaced(&format!(r#"{{"myHooks": "{other}"}}"#)), 0);
    }
}
