//! The switches of `hooksConfig` (ST-6, ST-7, ST-8).

use hookloop_hook::{Layer, OnFailure};
use hookloop_settings::{RunTrust, WorkspaceTrust};
use proptest::prelude::*;

use crate::fixture::{Fixture, hooks, load_text, told};

/// ST-6, ST-8: older spellings count too; in one file the newest wins.
#[test]
fn older_spellings_count() {
    for off in [
        r#"{"hooksConfig": {"enabled": false}}"#,
        r#"{"hooks": {"enabled": false}}"#,
        r#"{"tools": {"enableHooks": false}}"#,
        r#"{"hooksConfig": {"enabled": false}, "hooks": {"enabled": true}}"#,
        r#"{"tools": {"enableHooks": true}, "hooks": {"enabled": false}}"#,
    ] {
        let settings = load_text(off);
        assert!(!settings.switches.enabled.value, "{off}");
        assert_eq!(settings.switches.enabled.layer(), Some(Layer::Project));
        let codes: Vec<_> = settings
            .problems
            .iter()
            .map(|it| it.code.as_str())
            .collect();
        assert_eq!(codes, ["hooks_off"], "{off}");
    }
    let settings = load_text(r#"{"hooks": {"notifications": false, "disabled": ["a"]}}"#);
    assert!(!settings.switches.notifications.value);
    assert_eq!(settings.switches.disabled[0].name, "a");
}

/// ST-6: scalars are taken from the project, else the user, else the system.
#[test]
fn higher_layers_win() {
    let config = |number: u32| format!(r#"{{"hooksConfig": {{"maxRetries": {number}}}}}"#);
    let fixture = Fixture::new().trusted().system(config(1));
    assert_eq!(fixture.load().switches.max_retries.value, 1);
    let fixture = fixture.user(config(2));
    assert_eq!(fixture.load().switches.max_retries.value, 2);
    let fixture = fixture.project(config(3));
    let settings = fixture.load();
    assert_eq!(settings.switches.max_retries.value, 3);
    assert_eq!(settings.switches.max_retries.layer(), Some(Layer::Project));
    assert_eq!(told(&settings.problems), [""; 0]);
}

/// ST-6, IO-17, AA-2, CM-6: defaults, and what is no number.
#[test]
fn numbers_have_defaults() {
    let switches = Fixture::new().load().switches;
    assert_eq!(switches.max_output_bytes.value, 8 * 1024 * 1024);
    assert_eq!(switches.max_retries.value, 5);
    assert_eq!(switches.trace_max_bytes.value, 64 * 1024 * 1024);
    assert!(switches.enabled.value && switches.notifications.value);
    let settings = load_text(
        r#"{"hooksConfig": {"maxOutputBytes": 0, "maxRetries": -1, "trace": {"maxBytes": "1"},
"enabled": "no", "disabled": [1, "x"], "enabeld": false}}"#,
    );
    assert_eq!(settings.switches.max_output_bytes.value, 8 * 1024 * 1024);
    assert!(settings.switches.enabled.value);
    assert_eq!(settings.switches.disabled.len(), 1);
    assert_eq!(
        told(&settings.problems),
        [
            "invalid_value 1:36",
            "invalid_value 1:53",
            "wrong_type 1:79",
            "wrong_type 2:12",
            "wrong_type 2:31",
            "unknown_field 2:40",
        ]
    );
}

/// ST-6: what the system has locked is the system's, and the overruled values are reported.
#[test]
fn locked_keys_are_the_systems() {
    let fixture = Fixture::new()
        .trusted()
        .system(
            r#"{"hooksConfig": {"locked": ["enabled", "maxRetries", "disabled"], "maxRetries": 1},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "s"}]}]}}"#,
        )
        .user(
            r#"{"hooksConfig": {"maxRetries": 9, "disabled": ["s", "u"]},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "u"}]}]}}"#,
        )
        .project(r#"{"hooksConfig": {"enabled": false, "locked": ["x"]}}"#);
    let settings = fixture.load();
    assert!(settings.switches.enabled.value);
    assert_eq!(settings.switches.max_retries.value, 1);
    let [user, system] = settings.hooks.as_slice() else {
        panic!("two hooks")
    };
    assert_eq!(settings.switches.disabled_by(user).len(), 1);
    assert_eq!(settings.switches.disabled_by(system).len(), 0);
    let mut problems = told(&settings.problems);
    problems.sort();
    assert_eq!(
        problems,
        [
            "locked_key 1:29",
            "locked_key 1:32",
            "locked_key 1:48",
            "unknown_field 1:36"
        ]
    );
}

/// ST-6: a key that can't be locked is reported.
#[test]
fn unknown_locks_are_reported() {
    let settings = Fixture::new()
        .system(r#"{"hooksConfig": {"locked": ["enable"]}}"#)
        .load();
    assert_eq!(told(&settings.problems), ["invalid_value 1:29"]);
    assert_eq!(settings.problems[0].suggestion.as_deref(), Some("enabled"));
}

/// ST-7: `disabled` lists are united, by name or by the command of a hook without one.
#[test]
fn disabled_lists_are_united() {
    let fixture = Fixture::new()
        .trusted()
        .project(
            r#"{"hooksConfig": {"disabled": ["u", "n", "n"]}, "hooks": {"disabled": ["n"], "BeforeTool": [
{"hooks": [{"type": "command", "command": "c", "name": "n"}]}]}}"#,
        )
        .user(r#"{"hooksConfig": {"disabled": ["n", "c"]},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "u"}]}]}}"#);
    let settings = fixture.load();
    let layers = |index: usize| -> Vec<_> {
        let entries = settings.switches.disabled_by(&settings.hooks[index]);
        entries
            .iter()
            .map(|entry| entry.source.layer.unwrap())
            .collect()
    };
    assert_eq!(layers(0), [Layer::Project, Layer::User]);
    assert_eq!(layers(1), [Layer::Project]);
}

/// ST-7: a project that is not trusted can't switch off the user's guards, only its own hooks.
#[test]
fn a_strange_project_switches_off_only_itself() {
    let project = r#"{"hooksConfig": {"enabled": false, "disabled": ["guard", "own"],
"onFailure": "warn", "maxOutputBytes": 1, "maxRetries": 0, "notifications": false},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "own"}]}]}}"#;
    let user = r#"{"hooksConfig": {"onFailure": "deny"}, "hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "guard"}]}]}}"#;
    let fixture = Fixture::new().project(project).user(user);
    let settings = fixture.load();
    let [own, guard] = settings.hooks.as_slice() else {
        panic!("two hooks")
    };
    let switches = &settings.switches;
    assert!(switches.turned_off_by(own).is_some() && switches.turned_off_by(guard).is_none());
    assert_eq!(switches.disabled_by(own).len(), 1);
    assert!(switches.disabled_by(guard).is_empty());
    assert_eq!(
        (guard.on_failure, own.on_failure),
        (OnFailure::Deny, OnFailure::Deny)
    );
    assert_eq!(switches.max_output_bytes.value, 8 * 1024 * 1024);
    assert_eq!(switches.max_retries.value, 5);
    assert!(switches.notifications.value);
    let left_out: Vec<_> = settings
        .problems
        .iter()
        .filter(|it| it.code.as_str() == "folder_untrusted")
        .collect();
    assert_eq!(left_out.len(), 6, "{:?}", told(&settings.problems));
    assert!(
        left_out
            .iter()
            .all(|it| it.source.layer == Some(Layer::Project))
    );
    assert!(left_out.iter().all(|it| it.snippet.is_some()));

    let fixture = fixture.trusted();
    let settings = fixture.load();
    assert!(!settings.switches.enabled.value);
    assert_eq!(settings.switches.disabled_by(&settings.hooks[1]).len(), 1);
    assert_eq!(settings.hooks[1].on_failure, OnFailure::Warn);
}

/// ST-7: a project that is not trusted can't turn on what the user turned off.
#[test]
fn a_strange_project_turns_nothing_on() {
    let fixture = Fixture::new()
        .project(r#"{"hooksConfig": {"enabled": true}}"#)
        .user(r#"{"hooksConfig": {"enabled": false}}"#);
    assert!(!fixture.load().switches.enabled.value);
}

/// IO-21: a strange project may make its own hooks stricter, not those of others.
#[test]
fn a_strange_project_may_be_strict_with_itself() {
    let project = r#"{"hooksConfig": {"onFailure": "deny"}, "hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "own"}]}]}}"#;
    let settings = Fixture::new()
        .project(project)
        .user(hooks("BeforeTool", &["user"]))
        .load();
    let policies: Vec<_> = settings.hooks.iter().map(|hook| hook.on_failure).collect();
    assert_eq!(policies, [OnFailure::Deny, OnFailure::Warn]);
}

/// TR-3: the workspace is trusted for the run by option, or where the user's or system's (never the
/// project's) `security.folderTrust.enabled` is false.
#[test]
fn the_workspace_is_trusted_for_the_run() {
    let off = r#"{"security": {"folderTrust": {"enabled": false}}}"#;
    let mut fixture = Fixture::new().project(off);
    let settings = fixture.load();
    assert_eq!(settings.workspace, WorkspaceTrust::Untold);
    assert_eq!(told(&settings.problems), ["folder_untrusted 1:42"]);
    fixture.request.run = RunTrust::Environment;
    assert_eq!(
        fixture.load().workspace,
        WorkspaceTrust::ThisRun(RunTrust::Environment)
    );
    for fixture in [Fixture::new().user(off), Fixture::new().system(off)] {
        assert!(matches!(
            fixture.load().workspace,
            WorkspaceTrust::FolderTrustOff { .. }
        ));
        assert!(fixture.load().workspace.lets_hooks_run());
    }
    assert_eq!(
        Fixture::new().trusted().load().workspace,
        WorkspaceTrust::Folder
    );
    assert!(!Fixture::new().trusted().load().workspace.lets_hooks_run());
    let on = r#"{"security": {"folderTrust": {"enabled": true}}}"#;
    let settings = Fixture::new().user(on).system(off).load();
    assert_eq!(settings.workspace, WorkspaceTrust::Untold);
}

/// What holds for the user's hooks: everything that could weaken a guard.
fn guards(settings: &hookloop_settings::Settings) -> String {
    let mut switches = settings.switches.clone();
    let guards: Vec<_> = settings
        .hooks
        .iter()
        .filter(|hook| !hook.is_from_project())
        .cloned()
        .collect();
    let disabled: Vec<usize> = guards
        .iter()
        .map(|hook| switches.disabled_by(hook).len())
        .collect();
    let off: Vec<bool> = guards
        .iter()
        .map(|hook| switches.turned_off_by(hook).is_some())
        .collect();
    switches.disabled.clear();
    switches.project_off = None;
    format!("{guards:?} {disabled:?} {off:?} {switches:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// ST-7: whatever a strange project configures, nothing changes for the user's guards.
    #[test]
    fn a_strange_project_weakens_no_guard(
        enabled in any::<bool>(),
        older in any::<bool>(),
        notifications in any::<bool>(),
        deny in any::<bool>(),
        numbers in any::<(u32, u32, u32)>(),
        disabled in proptest::collection::vec("guard|own|e", 0..3),
    ) {
        let project = serde_json::json!({
            "hooksConfig": {
                "enabled": enabled, "notifications": notifications, "disabled": disabled,
                "onFailure": if deny { "deny" } else { "warn" }, "maxRetries": numbers.0,
                "maxOutputBytes": numbers.1, "trace": {"maxBytes": numbers.2},
                "locked": ["enabled"],
            },
            "tools": {"enableHooks": older},
            "extensions": {"disabled": ["e"]},
            "security": {"folderTrust": {"enabled": false}},
            "hooks": {"enabled": older, "disabled": ["guard"], "BeforeTool": [
                {"hooks": [{"type": "command", "command": "own"}]}]},
        });
        let fixture = Fixture::new()
            .user(hooks("BeforeTool", &["guard"]))
            .file("home/.gemini/extensions/e/gemini-extension.json", r#"{"name": "e"}"#)
            .file("home/.gemini/extensions/e/hooks/hooks.json", hooks("AfterTool", &["guard"]));
        let before = guards(&fixture.load());
        let after = guards(&fixture.project(project.to_string()).load());
        prop_assert_eq!(before, after);
    }
}
