//! The switches of `hooksConfig` (ST-6, ST-7, ST-8).

use hookloop_hook::{Layer, OnFailure};
use hookloop_settings::{
    Owner, Power, ProjectHistory, ProjectReach, RunTrust, Strictness, WorkspaceTrust, counts,
};
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

/// ST-6: scalars come from the project, else the user, else the system.
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

/// ST-6, IO-17, AA-2, CM-6: defaults, and what isn't a number.
#[test]
fn numbers_have_defaults() {
    let switches = Fixture::new().load().switches;
    assert_eq!(switches.max_output_bytes.value, 8 * 1024 * 1024);
    assert_eq!(switches.max_retries.value, 20);
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
    // A project's word has to be agreed to before it counts for the user's hooks (ST-13).
    assert_eq!(layers(1), []);
    assert!(told(&settings.problems).contains(&"loosening_ignored 1:31".to_owned()));
}

/// ST-7: a project that isn't trusted can't switch off the user's guards, only its own hooks.
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
    assert_eq!(switches.max_retries.value, 20);
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

    // A trusted folder isn't such an agreement; a person's yes to exactly this content is (ST-13).
    let mut fixture = fixture.trusted();
    let settings = fixture.load();
    assert!(settings.switches.enabled.value);
    assert!(settings.switches.disabled_by(&settings.hooks[1]).is_empty());
    assert_eq!(settings.hooks[1].on_failure, OnFailure::Deny);
    fixture.request.agreed_words = vec![settings.project_word.fingerprint().unwrap()];
    let settings = fixture.load();
    assert!(!settings.switches.enabled.value);
    assert_eq!(settings.switches.disabled_by(&settings.hooks[1]).len(), 1);
    assert_eq!(settings.switches.max_retries.value, 0);
    // Anybody's `deny` stays one, whoever says `warn`.
    assert_eq!(settings.hooks[1].on_failure, OnFailure::Deny);
    let fixture = fixture.project(project.replace("guard", "guard2"));
    assert!(fixture.load().switches.enabled.value);
}

/// ST-7: a project that isn't trusted can't turn on what the user turned off.
#[test]
fn a_strange_project_turns_nothing_on() {
    let fixture = Fixture::new()
        .project(r#"{"hooksConfig": {"enabled": true}}"#)
        .user(r#"{"hooksConfig": {"enabled": false}}"#);
    assert!(!fixture.load().switches.enabled.value);
}

/// IO-21: an untrusted project may make its own hooks stricter, not those of others.
#[test]
fn a_strange_project_may_be_strict_with_itself() {
    let project = r#"{"hooksConfig": {"onFailure": "deny"}, "hooks": {"BeforeTool": [{"hooks": [
{"type": "command", "command": "own"}]}]}}"#;
    let settings = Fixture::new()
        .project(project)
        .user(hooks("BeforeTool", &["user"]))
        .load();
    let policies: Vec<_> = settings.hooks.iter().map(|hook| hook.on_failure).collect();
    assert_eq!(policies, [OnFailure::Deny, OnFailure::Default]);
}

/// TR-3: the workspace is trusted for the run by option, or if the user's or system's (never the
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

/// What applies to the user's hooks: everything that could weaken a guard.
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
    let caps = (
        switches.max_output_bytes.value,
        switches.max_retries.value,
        switches.trace_max_bytes.value,
    );
    let rules = (
        &switches.skips_confirmation,
        &switches.http_allowed,
        &switches.locked,
    );
    format!(
        "{guards:?} {disabled:?} {off:?} {caps:?} {rules:?} {:?} {:?} {:?} {:?}",
        switches.enabled,
        switches.on_failure.value,
        switches.notifications,
        settings.agent.environment_redaction
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// ST-7: whatever an untrusted project configures, nothing changes for the user's guards.
    #[test]
    fn a_strange_project_weakens_no_guard(
        enabled in any::<bool>(),
        older in any::<bool>(),
        notifications in any::<bool>(),
        deny in any::<bool>(),
        numbers in any::<(u32, u32, u32)>(),
        users in any::<Option<bool>>(),
        disabled in proptest::collection::vec("guard|own|e", 0..3),
    ) {
        let project = serde_json::json!({
            "hooksConfig": {
                "enabled": enabled, "notifications": notifications, "disabled": disabled,
                "onFailure": if deny { "deny" } else { "warn" }, "allowSkipsConfirmation": enabled,
                "http": {"allowed": ["https://x"]}, "bridge": {"rewrite": "drop"}, "maxRetries": numbers.0,
                "maxOutputBytes": numbers.1, "trace": {"maxBytes": numbers.2},
                "locked": ["enabled"],
            },
            "tools": {"enableHooks": older},
            "extensions": {"disabled": ["e"]},
            "security": {"folderTrust": {"enabled": false},
                "environmentVariableRedaction": {"enabled": enabled, "blocked": ["TOKEN"]}},
            "hooks": {"enabled": older, "disabled": ["guard"], "BeforeTool": [
                {"hooks": [{"type": "command", "command": "own"}]}]},
        });
        let mut user: serde_json::Value = serde_json::from_str(&hooks("BeforeTool", &["guard"])).unwrap();
        if let Some(users) = users {
            user["hooksConfig"]["enabled"] = users.into();
        }
        let fixture = Fixture::new()
            .user(user.to_string())
            .file("home/.gemini/extensions/e/gemini-extension.json", r#"{"name": "e"}"#)
            .file("home/.gemini/extensions/e/hooks/hooks.json", hooks("AfterTool", &["guard"]));
        let before = guards(&fixture.load());
        let after = guards(&fixture.project(project.to_string()).load());
        prop_assert_eq!(before, after);
    }
}

/// ST-13: a project switches on nothing that the user or the system switched off but its own hooks
/// in a trusted folder, and off nothing but its own hooks where they switched on, in any spelling;
/// it is reported if it has no effect, and is part of what a person is asked to agree to.
#[test]
fn a_project_turns_no_switch_of_others() {
    let own = |key: &str, value: bool| {
        let (outer, inner) = key.split_once('.').unwrap();
        let mut file = serde_json::json!({"hooks": {"BeforeTool": [
            {"hooks": [{"type": "command", "command": "own"}]}]}});
        file[outer][inner] = value.into();
        file.to_string()
    };
    let guard = |switch: bool| {
        format!(
            r#"{{"hooksConfig": {{"enabled": {switch}}}, "hooks": {{"BeforeTool": [
{{"hooks": [{{"type": "command", "command": "guard"}}]}}]}}}}"#
        )
    };
    let off = |settings: &hookloop_settings::Settings| -> Vec<bool> {
        Owner::ALL
            .map(|owner| settings.switches.off_for(owner).is_some())
            .into()
    };
    for key in ["hooksConfig.enabled", "hooks.enabled", "tools.enableHooks"] {
        for is_trusted in [false, true] {
            for by_system in [false, true] {
                let fixture = |user: bool, project: bool| {
                    let fixture = Fixture::new().project(own(key, project));
                    let fixture = if by_system {
                        fixture.system(guard(user))
                    } else {
                        fixture.user(guard(user))
                    };
                    if is_trusted {
                        fixture.trusted()
                    } else {
                        fixture
                    }
                };
                let case = format!("{key} {is_trusted} {by_system}");
                let mut fixture_on = fixture(false, true);
                let on = fixture_on.load();
                let without_project = {
                    let bare = if by_system {
                        Fixture::new().system(guard(false))
                    } else {
                        Fixture::new().user(guard(false))
                    };
                    off(&bare.load())
                };
                let mut expected = without_project;
                expected[2] &= !is_trusted;
                assert_eq!(off(&on), expected, "{case}");
                let reported = told(&on.problems);
                let is_told = reported
                    .iter()
                    .any(|it| it.starts_with("loosening_ignored"));
                assert_eq!(is_told, !is_trusted, "{case} {reported:?}");
                let claimed: Vec<_> = on.project_word.claims.iter().map(|it| &*it.key).collect();
                assert_eq!(claimed, [key], "{case}");
                fixture_on
                    .request
                    .agreed_words
                    .extend(on.project_word.fingerprint());
                let agreed = off(&fixture_on.load());
                assert_eq!(agreed, [false; 4], "{case}");
                let kept = off(&fixture(true, false).load());
                assert_eq!(kept, [false, false, true, false], "{case}");
                let nothing = fixture(true, true).load();
                assert_eq!(off(&nothing), [false; 4], "{case}");
                assert!(nothing.project_word.claims.is_empty(), "{case}");
            }
        }
        let unsaid = Fixture::new().project(own(key, true)).load();
        assert!(unsaid.project_word.claims.is_empty(), "{key}");
    }
}

/// ST-13: a layer's word reaches its own hooks and those of less trusted layers, no others.
#[test]
fn a_layer_loosens_nothing_but_itself() {
    use Layer::{Extension, Project, System, User};
    for reach in [
        ProjectReach::Itself,
        ProjectReach::Folder,
        ProjectReach::Agreed,
    ] {
        for owner in Owner::ALL {
            assert!(counts(Power::Loosens, System, reach, owner));
            assert_eq!(
                counts(Power::Loosens, User, reach, owner),
                owner != Owner::System
            );
            let by_project = match owner {
                Owner::Project => true,
                Owner::Extension => reach != ProjectReach::Itself,
                Owner::User | Owner::System => reach == ProjectReach::Agreed,
            };
            assert_eq!(counts(Power::Loosens, Project, reach, owner), by_project);
            assert!(!counts(Power::Loosens, Extension, reach, owner));
            assert!(!counts(Power::UserAndSystem, Project, reach, owner));
            assert!(counts(Power::Tightens, Project, reach, owner));
        }
    }
}

/// CM-2: `name@project-path` means that project's hook alone; a bare name every hook of that name.
#[test]
fn an_entry_may_name_the_project() {
    let own = r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "name": "guard"}]}]}}"#;
    let mut fixture = Fixture::new().project(own);
    let root = fixture.request.project_root.display().to_string();
    for (entry, disables) in [
        (format!("guard@{root}"), true),
        ("guard@/somewhere/else".to_owned(), false),
        ("guard".to_owned(), true),
        (format!("other@{root}"), false),
    ] {
        let user = serde_json::json!({"hooksConfig": {"disabled": [entry]}});
        fixture = fixture.user(user.to_string());
        let settings = fixture.load();
        let by = settings.switches.disabled_by(&settings.hooks[0]);
        assert_eq!(!by.is_empty(), disables, "{entry}");
    }
    let entry = format!("guard@{root}");
    let user = serde_json::json!({"hooksConfig": {"disabled": [entry]},
        "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "y", "name": "guard"}]}]}});
    let settings = fixture.user(user.to_string()).load();
    let users = settings
        .hooks
        .iter()
        .find(|it| it.command() == "y")
        .unwrap();
    assert!(settings.switches.disabled_by(users).is_empty());
}

/// ST-5, IO-21: files that may contain a guard and can't be read keep an agent from starting; the
/// project's only if they would count. A misspelt `hooks` with hooks in it is one that can't be
/// read.
#[test]
fn broken_files_keep_an_agent_from_starting() {
    use ProjectHistory::{NeverTrusted, Trusted};
    let count = |fixture: &Fixture, history| fixture.load().broken_guards(history).len();
    for broken in [
        "{",
        "",
        "[]",
        "\u{0}",
        r#"{"hooks": []}"#,
        r#"{"hooks": "x"}"#,
        r#"{"hooks": null}"#,
        &hooks("BeforeTool", &["x"]).replace("\"hooks\": {", "\"Hooks\": {"),
        &hooks("BeforeTool", &["x"]).replace("\"hooks\": {", "\"hook\": {"),
        &hooks("BeforeTool", &["x"]).replace("\"hooks\": {", "\"h\u{43e}\u{200b}oks\": {"),
        r#"{"hoooks": [{"matcher": "x", "hooks": [{"type": "command", "command": "y"}]}]}"#,
    ] {
        assert_eq!(
            count(&Fixture::new().user(broken), NeverTrusted),
            1,
            "{broken:?}"
        );
        assert_eq!(
            count(&Fixture::new().system(broken), NeverTrusted),
            1,
            "{broken:?}"
        );
        let project = Fixture::new().project(broken);
        assert_eq!(count(&project, NeverTrusted), 0, "{broken:?}");
        assert_eq!(count(&project, Trusted), 1, "{broken:?}");
        assert_eq!(count(&project.trusted(), NeverTrusted), 1, "{broken:?}");
        let extension = Fixture::new()
            .file(
                "home/.gemini/extensions/e/gemini-extension.json",
                r#"{"name": "e"}"#,
            )
            .file("home/.gemini/extensions/e/hooks/hooks.json", broken);
        assert_eq!(count(&extension, NeverTrusted), 1, "{broken:?}");
    }
    for readable in [
        r#"{"hooks": {"BeforeTool": 5}}"#,
        r#"{"Hooks": 5, "hook": {"a": 1}, "hooks": {}}"#,
        r#"{"books": {"BeforeTool": []}}"#,
    ] {
        assert_eq!(
            count(&Fixture::new().user(readable), NeverTrusted),
            0,
            "{readable}"
        );
    }
}

/// ST-11: with `strict`, of any layer or of the run, an error in a layer that counts keeps the
/// agent from starting.
#[test]
fn strictness_takes_errors_seriously() {
    let wrong = hooks("PreToolUse", &["x"]);
    let refusals = |fixture: &Fixture, strictness| {
        let settings = fixture.load();
        settings
            .start_refusals(ProjectHistory::NeverTrusted, strictness, &settings.problems)
            .len()
    };
    let fixture = Fixture::new().user(&wrong);
    assert_eq!(refusals(&fixture, Strictness::AsConfigured), 0);
    assert_eq!(refusals(&fixture, Strictness::Strict), 1);
    for on in [
        r#"{"hooksConfig": {"strict": true}}"#,
        r#"{"hooksConfig": {"strict": "yes"}}"#,
    ] {
        let fixture = Fixture::new().user(&wrong).project(on);
        assert!(refusals(&fixture, Strictness::AsConfigured) >= 1, "{on}");
    }
    let off = r#"{"hooksConfig": {"strict": false}}"#;
    let on = r#"{"hooksConfig": {"strict": true}}"#;
    assert!(
        Fixture::new()
            .system(on)
            .user(off)
            .load()
            .switches
            .strict
            .value
    );
}
