//! The file of the store (TR-2, TR-4).

use hookloop_hook::HookDeclaration;
use hookloop_trust::{ReviewedState, Standing, StoreError, TrustStore};
use serde_json::json;

use crate::fixture::{Fixture, read};

/// TR-4: trust survives a restart, and can be withdrawn.
#[test]
fn trust_is_given_and_taken() {
    let fixture = Fixture::new();
    let hook = fixture.command("a");
    fixture.trust(&hook);
    let stored = read(&fixture.store_file());
    assert_eq!(stored["hookloop"]["version"], 1);
    fixture
        .store()
        .untrust(&fixture.project(), std::slice::from_ref(&hook), &[&hook])
        .unwrap();
    assert_eq!(fixture.vouch(&hook).standing, Standing::New);
}

/// TR-4, TR-8: trust in a project applies neither to another one nor to the project in another
/// folder: what its hooks say about failures refuses nothing there.
#[test]
fn trust_is_the_projects() {
    let fixture = Fixture::new();
    let hook = fixture.hook(&json!({"command": "a", "onFailure": "deny"}));
    fixture.trust(&hook);
    std::fs::create_dir(fixture.path("other")).unwrap();
    let workspace = hookloop_settings::WorkspaceTrust::Untold;
    let vouched = fixture
        .store()
        .vouch(&fixture.path("other"), vec![hook], &workspace);
    assert_eq!(vouched[0].standing, Standing::New);
    assert!(!vouched[0].may_run() && !vouched[0].is_changed_guard());
}

/// TR-4: trust given again replaces the old one: the old script isn't trusted any more.
#[test]
fn the_last_trust_counts() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    let hook = fixture.command("./a.sh");
    fixture.trust(&hook);
    fixture.write("project/a.sh", "two");
    fixture.trust(&hook);
    fixture.write("project/a.sh", "one");
    assert_eq!(fixture.changes(&hook).len(), 1);
}

/// TR-2: what is trusted is what was shown, not what it became in the meantime.
#[test]
fn what_was_seen_is_trusted() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    let hook = fixture.command("./a.sh");
    let seen = fixture.vouch(&hook);
    fixture.write("project/a.sh", "evil");
    fixture
        .store()
        .trust_as_seen(&fixture.project(), &[&seen])
        .unwrap();
    assert_eq!(
        fixture.changes(&hook),
        ["files: a.sh changed since it was trusted"]
    );
}

/// TR-4: a broken file is reported, trusts nothing, and is never overwritten.
#[test]
fn a_broken_file_is_kept() {
    for broken in [
        &b"{oops"[..],
        b"[]",
        b"\xFF\xFF",
        br#"{"hookloop": {"version": 2}}"#,
        br#"{"hookloop": {"version": 1, "projects": []}}"#,
        br#"{"hookloop": {"version": 1, "projects": {"/p": [{"event": 1}]}}}"#,
    ] {
        let fixture = Fixture::new();
        let hook = fixture.command("a");
        fixture.write("home/.gemini/trusted_hooks.json", broken);
        let (mut store, problems) = TrustStore::open(fixture.store_file());
        assert_eq!(problems[0].code.as_str(), "trust_file_invalid");
        let workspace = hookloop_settings::WorkspaceTrust::Untold;
        let vouched = store.vouch(&fixture.project(), vec![hook.clone()], &workspace);
        assert_eq!(vouched[0].standing, Standing::New);
        let error = store.trust(&fixture.project(), &[&hook]).unwrap_err();
        assert!(matches!(error, StoreError::Broken { .. }), "{error}");
        assert_eq!(std::fs::read(fixture.store_file()).unwrap(), broken);
    }
}

/// TR-4: writing preserves what other programs keep in the file, and leaves no other files but a
/// lock.
#[test]
fn foreign_content_is_kept() {
    let fixture = Fixture::new();
    let foreign = json!({"/z": ["a:b"], "/a": [{"odd": 1}], "x": 5});
    fixture.write(
        "home/.gemini/trusted_hooks.json",
        format!("\u{FEFF}{foreign}"),
    );
    fixture.trust(&fixture.command("a"));
    let mut stored = read(&fixture.store_file());
    stored.as_object_mut().unwrap().remove("hookloop");
    assert_eq!(stored.to_string(), foreign.to_string());
    let mut names: Vec<_> = std::fs::read_dir(fixture.path("home/.gemini"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["trusted_hooks.json", "trusted_hooks.json.lock"]);
}

/// TR-4: writers at the same time lose nothing, although each opened the store before.
#[test]
fn writers_at_once_lose_nothing() {
    let fixture = Fixture::new();
    let hooks: Vec<_> = (0..16)
        .map(|number| fixture.command(&format!("c{number}")))
        .collect();
    std::thread::scope(|scope| {
        for hook in &hooks {
            let mut store = fixture.store();
            let project = fixture.project();
            scope.spawn(move || store.trust(&project, &[hook]).unwrap());
        }
    });
    for hook in &hooks {
        assert_eq!(fixture.vouch(hook).standing, Standing::Trusted);
    }
}

/// TR-4: a store that is a link stays one, and is readable by its owner only.
#[cfg(unix)]
#[test]
fn a_linked_store_stays_a_link() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let target = fixture.write("dotfiles/trusted.json", "{}");
    std::os::unix::fs::symlink(&target, fixture.store_file()).unwrap();
    fixture.trust(&fixture.command("a"));
    assert!(
        fixture
            .store_file()
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(
        target.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(read(&target)["hookloop"].is_object());
}

/// TR-4: a review shows the files with what was trusted.
#[test]
fn a_review_compares_with_what_was_trusted() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    fixture.write("project/same.sh", "same");
    let hook = fixture.command("./a.sh ./same.sh ./gone.sh added");
    let review = || {
        let files = fixture
            .store()
            .reviewer(&fixture.project())
            .files(&fixture.vouch(&hook));
        files
            .into_iter()
            .map(|file| (file.path.clone(), file))
            .collect::<std::collections::HashMap<_, _>>()
    };
    assert!(review()["a.sh"].state == ReviewedState::Added);
    fixture.trust(&hook);
    fixture.write("project/a.sh", "two");
    fixture.write("project/added", "x");
    let files = review();
    assert_eq!(files["a.sh"].state, ReviewedState::Changed);
    assert_eq!(files["a.sh"].trusted_text.as_deref(), Some("one"));
    assert_eq!(files["a.sh"].text.as_deref(), Some("two"));
    assert_eq!(files["same.sh"].state, ReviewedState::Same);
    assert_eq!(files["gone.sh"].state, ReviewedState::Missing);
    assert_eq!(files["added"].state, ReviewedState::Added);
}

/// TR-1, TR-4: hooks that share event, name and matcher can all be trusted; what each was before
/// isn't.
#[test]
fn hooks_of_one_name_are_trusted_together() {
    let fixture = Fixture::new();
    let hook = |command: &str| {
        fixture.hook(&json!({ "type": "command", "name": "n", "command": command }))
    };
    let (one, other, changed) = (hook("one"), hook("other"), hook("changed"));
    let is_trusted = |hook: &HookDeclaration| fixture.vouch(hook).standing == Standing::Trusted;
    let (root, untold) = (fixture.project(), hookloop_settings::WorkspaceTrust::Untold);
    let mut store = fixture.store();
    store.trust(&root, &[&one, &other]).unwrap();
    assert!(is_trusted(&one) && is_trusted(&other));
    let now = store.vouch(&root, vec![one.clone(), changed.clone()], &untold);
    store.trust_as_seen(&root, &[&now[1]]).unwrap();
    assert!(is_trusted(&one) && is_trusted(&changed) && !is_trusted(&other));
}

/// ST-13, TR-4: what a person agreed to of a project's settings is kept, for that project alone,
/// and can be withdrawn.
#[test]
fn agreements_to_settings_are_kept() {
    let fixture = Fixture::new();
    let content = serde_json::Map::from_iter([("hooksConfig.enabled".to_owned(), json!(false))]);
    let project = fixture.project();
    assert_eq!(fixture.store().agreed_settings(&project), None);
    fixture
        .store()
        .agree_to_settings(&project, &content)
        .unwrap();
    fixture.trust(&fixture.command("a"));
    assert_eq!(fixture.store().agreed_settings(&project), Some(content));
    assert_eq!(fixture.store().agreed_settings(&fixture.path("home")), None);
    fixture
        .store()
        .agree_to_settings(&project, &serde_json::Map::new())
        .unwrap();
    assert_eq!(fixture.store().agreed_settings(&project), None);
}

/// TR-9: a store that somebody else could have written trusts nothing.
#[cfg(unix)]
#[test]
fn a_store_of_others_trusts_nobody() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.trust(&fixture.command("a"));
    let file = fixture.store_file();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let open = |owners| TrustStore::open_checked(&file, owners);
    let (store, problems) = open(hookloop_trust::OwnerCheck::Enforced);
    assert_eq!(problems[0].code.as_str(), "insecure_owner");
    let hooks = vec![fixture.command("a")];
    let workspace = hookloop_settings::WorkspaceTrust::Untold;
    let vouched = store.vouch(&fixture.project(), hooks.clone(), &workspace);
    assert_eq!(vouched[0].standing, Standing::New);
    let (store, problems) = open(hookloop_trust::OwnerCheck::TurnedOff);
    assert!(problems.is_empty());
    let vouched = store.vouch(&fixture.project(), hooks, &workspace);
    assert_eq!(vouched[0].standing, Standing::Trusted);
}
