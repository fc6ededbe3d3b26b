//! Who may run (TR-1, TR-2, TR-3, TR-5, TR-7).

use hookloop_hook::{HookDeclaration, Layer, Source};
use hookloop_settings::{RunTrust, WorkspaceTrust};
use hookloop_trust::{Acceptance, Standing, Surroundings, Vouched};

use crate::fixture::Fixture;

/// TR-2: a new hook doesn't run; a trusted one does; a modified one doesn't.
#[test]
fn only_trusted_hooks_run() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    let hook = fixture.command("./a.sh");
    let vouched = fixture.vouch(&hook);
    assert_eq!(
        (vouched.standing.clone(), vouched.may_run()),
        (Standing::New, false)
    );
    fixture.trust(&hook);
    assert_eq!(fixture.vouch(&hook).accepted, Acceptance::ByStore);
    fixture.write("project/a.sh", "two");
    let vouched = fixture.vouch(&hook);
    assert_eq!(
        (vouched.standing.as_str(), vouched.may_run()),
        ("modified", false)
    );
}

/// TR-7: vouching writes nothing.
#[test]
fn vouching_writes_nothing() {
    let fixture = Fixture::new();
    fixture.vouch_in(
        &fixture.command("a"),
        &WorkspaceTrust::ThisRun(RunTrust::Option),
    );
    let left: Vec<_> = std::fs::read_dir(fixture.path("home/.gemini"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// TR-3: in a workspace trusted for the run, new hooks run, and are still reported as new.
#[test]
fn a_run_can_be_trusted() {
    let fixture = Fixture::new();
    let hook = fixture.command("a");
    for workspace in [
        WorkspaceTrust::ThisRun(RunTrust::Option),
        WorkspaceTrust::FolderTrustOff { source: None },
    ] {
        let vouched = fixture.vouch_in(&hook, &workspace);
        assert_eq!(vouched.standing, Standing::New);
        assert_eq!(vouched.accepted, Acceptance::ThisRun);
    }
    // TR-5: a trusted folder lets the settings count; its hooks still need trust.
    assert!(!fixture.vouch_in(&hook, &WorkspaceTrust::Folder).may_run());
}

/// TR-5: `DO_NOT_TRUST` wins over trust in the hook.
#[test]
fn a_distrusted_folder_runs_nothing() {
    let fixture = Fixture::new();
    let hook = fixture.command("a");
    fixture.trust(&hook);
    let source = Source::of_file(fixture.path("trustedFolders.json"));
    let vouched = fixture.vouch_in(
        &hook,
        &WorkspaceTrust::DoNotTrust {
            source: source.clone(),
        },
    );
    assert_eq!(vouched.standing, Standing::FolderUntrusted { source });
    assert!(!vouched.may_run());
}

/// TR-5: user and system hooks need no trust, in any folder.
#[test]
fn hooks_of_the_user_need_no_trust() {
    let fixture = Fixture::new();
    let mut hook = fixture.command("a");
    let source = Source::of_file(fixture.path("trustedFolders.json"));
    for layer in [Layer::User, Layer::System] {
        hook.source.layer = Some(layer);
        let workspace = WorkspaceTrust::DoNotTrust {
            source: source.clone(),
        };
        let vouched = fixture.vouch_in(&hook, &workspace);
        assert_eq!(vouched.accepted, Acceptance::NotNeeded);
        assert!(vouched.may_run());
    }
}

/// TR-2: a hook that a program itself declares runs; a project's hook doesn't, this way either.
#[test]
fn a_host_can_not_vouch_for_a_project() {
    let fixture = Fixture::new();
    let mut hook = fixture.command("a");
    assert!(!Vouched::by_host(hook.clone()).may_run());
    hook.source.layer = None;
    assert!(Vouched::by_host(hook).may_run());
}

/// TR-6: a script that changes after it was vouched for is noticed when the hook is to run.
#[test]
fn a_change_after_the_look_is_noticed() {
    let fixture = Fixture::new();
    fixture.write("project/guard.sh", "exit 0");
    let hook = fixture.command("bash guard.sh");
    fixture.trust(&hook);
    let vouched = fixture.vouch(&hook);
    assert_eq!(
        vouched.changes_since(&fixture.project(), &Surroundings::default()),
        []
    );
    fixture.write("project/guard.sh", "exit 1");
    let changes = vouched.changes_since(&fixture.project(), &Surroundings::default());
    assert_eq!(changes[0].message, "guard.sh changed since it was trusted");
    fixture.write("project/guard.sh", "exit 0");
    assert_eq!(
        vouched.changes_since(&fixture.project(), &Surroundings::default()),
        []
    );
}

/// TR-3, TR-6: if the workspace is trusted for the run, its hooks may change in it.
#[test]
fn a_trusted_run_trusts_changes_too() {
    let fixture = Fixture::new();
    fixture.write("project/guard.sh", "exit 0");
    let hook = fixture.command("bash guard.sh");
    let vouched = fixture.vouch_in(&hook, &WorkspaceTrust::ThisRun(RunTrust::Option));
    fixture.write("project/guard.sh", "exit 1");
    assert_eq!(
        vouched.changes_since(&fixture.project(), &Surroundings::default()),
        []
    );
}

/// TR-8: a guard that was agreed to as one that refuses on failure, and that was changed since, is
/// recognised as such; one that only warns isn't.
#[test]
fn a_changed_guard_is_known() {
    for (on_failure, is_guard) in [("deny", true), ("warn", false)] {
        let fixture = Fixture::new();
        let entry = |on_failure: &str, command: &str| serde_json::json!({"name": "guard", "command": command, "onFailure": on_failure});
        fixture.trust(&fixture.hook(&entry(on_failure, "a")));
        // The current entry doesn't matter: whoever changed it wrote that too.
        let changed = fixture.vouch(&fixture.hook(&entry("warn", "b")));
        assert_eq!(changed.is_changed_guard(), is_guard);
    }
}

/// TR-8: a hook that was trusted here and is gone is reported by event and name.
#[test]
fn a_hook_that_is_gone_is_known() {
    let fixture = Fixture::new();
    let hook = fixture.hook(&serde_json::json!({"name": "guard", "command": "a"}));
    fixture.trust(&hook);
    let gone = |hooks: &[hookloop_hook::HookDeclaration]| {
        fixture.store().gone_hooks(&fixture.project(), hooks)
    };
    assert_eq!(gone(std::slice::from_ref(&hook)), []);
    let [told] = gone(&[]).try_into().expect("one");
    assert_eq!(
        (told.event.as_str(), told.label.as_str()),
        ("BeforeTool", "guard")
    );
}

/// TR-8: of hooks that neither a name nor a command distinguishes, one that is removed beside
/// others is gone; one that changes, or applies to other tools, isn't.
#[test]
fn one_of_many_without_a_name_is_gone() {
    let rule = |when: &str| serde_json::json!({"type": "rule", "when": when, "then": "deny", "reason": "no"});
    let service = |url: &str| serde_json::json!({"type": "http", "url": url});
    for [first, second, other] in [
        ["true", "false", "1 == 2"].map(rule),
        [
            "http://127.0.0.1:1/a",
            "http://127.0.0.1:1/b",
            "http://127.0.0.1:1/c",
        ]
        .map(service),
    ] {
        let fixture = Fixture::new();
        let [first, second, other] = [first, second, other].map(|it| fixture.hook(&it));
        let both = [&first, &second];
        fixture.store().trust(&fixture.project(), &both).unwrap();
        let gone = |hooks: &[&hookloop_hook::HookDeclaration]| {
            let hooks: Vec<_> = hooks.iter().map(|it| (*it).clone()).collect();
            fixture.store().gone_hooks(&fixture.project(), &hooks).len()
        };
        assert_eq!(gone(&[&first, &second]), 0);
        assert_eq!((gone(&[&first]), gone(&[&second]), gone(&[])), (1, 1, 2));
        assert_eq!((gone(&[&first, &other]), gone(&[&other])), (0, 1));
        let mut elsewhere = second.clone();
        elsewhere.matcher = Some("write_file".to_owned());
        assert_eq!(gone(&[&first, &elsewhere]), 0);
    }
}

/// TR-8: of two entries that only differ in their matcher, one that is removed is gone.
#[test]
fn one_of_two_matchers_is_gone() {
    let fixture = Fixture::new();
    for entry in [
        serde_json::json!({"command": "a"}),
        serde_json::json!({"name": "guard", "command": "a"}),
        serde_json::json!({"type": "http", "url": "http://127.0.0.1:1/a"}),
    ] {
        let mut hooks = ["write_file", "replace"].map(|matcher| {
            let mut hook = fixture.hook(&entry);
            hook.matcher = Some(matcher.to_owned());
            hook
        });
        let mut store = fixture.store();
        store
            .trust(&fixture.project(), &[&hooks[0], &hooks[1]])
            .unwrap();
        let gone = |hooks: &[HookDeclaration]| store.gone_hooks(&fixture.project(), hooks).len();
        assert_eq!(
            (gone(&hooks), gone(&hooks[..1]), gone(&hooks[1..])),
            (0, 1, 1)
        );
        // One that applies to other tools has changed.
        hooks[1].matcher = Some("glob".to_owned());
        assert_eq!(gone(&hooks), 0);
        let all = [&hooks[0], &hooks[1]].map(Clone::clone).to_vec();
        let vouched = store.vouch(&fixture.project(), all, &WorkspaceTrust::Untold);
        let standings: Vec<_> = vouched.iter().map(|it| it.standing.as_str()).collect();
        assert_eq!(standings, ["trusted", "modified"]);
        // What is withdrawn from one is kept for the other, which has the same name.
        let one = std::slice::from_ref(&hooks[0]);
        store.untrust_gone(&fixture.project(), one, &[]).unwrap();
        assert_eq!(store.gone_hooks(&fixture.project(), one), []);
        assert_eq!(fixture.vouch(&hooks[0]).standing, Standing::Trusted);
        store.untrust_gone(&fixture.project(), &[], &[]).unwrap();
    }
}

/// TR-1, TR-6, TR-8: an entry that was trusted and is now at another event has changed: it refuses
/// where it guarded until a person has agreed, and isn't reported as gone. Another hook with its
/// name takes nothing from one that is where it was.
#[test]
fn a_guard_that_moves_to_another_event_has_changed() {
    let fixture = Fixture::new();
    let entry = serde_json::json!({"name": "guard", "command": "a", "onFailure": "deny"});
    let guard = fixture.hook(&entry);
    fixture.trust(&guard);
    let moved = fixture.hook_of("AfterTool", &entry);
    let gone = |hooks: &[hookloop_hook::HookDeclaration]| {
        fixture.store().gone_hooks(&fixture.project(), hooks)
    };
    let changes = fixture.changes(&moved);
    assert!(changes[0].starts_with("event: "), "{changes:?}");
    let vouched = fixture.vouch(&moved);
    assert!(vouched.is_changed_guard() && vouched.precedes_action());
    let refusing: Vec<_> = vouched
        .refusing_replacements()
        .iter()
        .map(|it| (it.hook.event.as_str(), it.accepted))
        .collect();
    let expected = [
        ("AfterTool", Acceptance::No),
        ("BeforeTool", Acceptance::Refuses),
    ];
    assert_eq!(refusing, expected);
    assert_eq!(gone(std::slice::from_ref(&moved)), []);
    // Beside the one that is where it was, it is a new one.
    let both = vec![guard.clone(), moved.clone()];
    let store = fixture.store();
    let both = store.vouch(&fixture.project(), both, &WorkspaceTrust::Untold);
    assert_eq!(both[1].standing, Standing::New);
    // Whoever agrees to it at its new event, or withdraws trust, isn't asked about the old one.
    fixture
        .store()
        .trust_as_seen(&fixture.project(), &[&vouched])
        .unwrap();
    assert_eq!(fixture.vouch(&moved).standing, Standing::Trusted);
    assert_eq!(gone(std::slice::from_ref(&moved)), []);
    assert_eq!(fixture.vouch(&guard).standing.as_str(), "modified");
    fixture
        .store()
        .untrust(&fixture.project(), std::slice::from_ref(&guard), &[&guard])
        .unwrap();
    assert_eq!(fixture.vouch(&guard).standing, Standing::New);
}

/// TR-8: the advice about a file that a hook itself writes uses words that its entry may contain.
#[test]
fn a_changed_file_of_data_says_what_to_do() {
    for (in_their_file, right) in [
        (false, "declare that in its entry"),
        (true, "instead of `adopt`"),
    ] {
        let fixture = Fixture::new();
        fixture.write("project/state.json", "{}");
        let mut hook = fixture.command("cat state.json");
        hook.in_their_file = in_their_file;
        fixture.trust(&hook);
        fixture.write("project/state.json", "{\"a\": 1}");
        let changes = fixture.changes(&hook);
        assert!(changes[0].contains(right), "{changes:?}");
        assert!(changes[0].contains("\"data\": [\"state.json\"]"));
    }
}
