//! Trust of one hook among others (TR-1, TR-4, TR-8).

use hookloop_hook::HookDeclaration;
use hookloop_settings::WorkspaceTrust;
use hookloop_trust::{Standing, Vouched};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// Writes hooks of a few names, kinds, contents and matchers, so that many are alike.
fn entries() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let event = prop::sample::select(vec!["BeforeTool", "AfterTool"]);
    let name = prop::sample::select(vec![None, None, Some("g"), Some("h")]);
    let matcher = prop::sample::select(vec![None, Some("write_file"), Some("replace")]);
    let kind = prop::sample::select(vec!["command", "args", "rule", "http"]);
    let entry = (event, name, matcher, kind, 0..3u8).prop_map(|(event, name, matcher, kind, what)| {
        let mut hook = match kind {
            "command" => json!({"type": "command", "command": format!("c{what}")}),
            "args" => json!({"type": "command", "command": "cat", "args": [what.to_string()]}),
            "rule" => json!({"type": "rule", "when": format!("1 == {what}"), "then": "deny", "reason": "no"}),
            _ => json!({"type": "http", "url": format!("http://127.0.0.1:1/{what}")}),
        };
        if let Some(name) = name {
            hook["name"] = name.into();
        }
        let mut group = json!({"hooks": [hook]});
        if let Some(matcher) = matcher {
            group["matcher"] = matcher.into();
        }
        (event, group)
    });
    prop::collection::vec(entry, 2..7)
}

fn load(fixture: &Fixture, entries: &[(&str, Value)]) -> Vec<HookDeclaration> {
    let mut hooks = json!({});
    for (event, group) in entries {
        match hooks[*event].as_array_mut() {
            Some(groups) => groups.push(group.clone()),
            None => hooks[*event] = json!([group]),
        }
    }
    let text = json!({"hooks": hooks}).to_string();
    fixture.write("project/.gemini/settings.json", text);
    fixture.load()
}

fn vouched(fixture: &Fixture, hooks: &[HookDeclaration]) -> Vec<Vouched> {
    let store = fixture.store();
    store.vouch(&fixture.project(), hooks.to_vec(), &WorkspaceTrust::Untold)
}

fn trusted(fixture: &Fixture, hooks: &[HookDeclaration]) -> Vec<bool> {
    let all = vouched(fixture, hooks);
    all.iter()
        .map(|it| it.standing == Standing::Trusted)
        .collect()
}

/// Returns which hooks are copies of one: equal in everything that a person agrees to.
fn copies(fixture: &Fixture, hooks: &[HookDeclaration], place: usize) -> Vec<bool> {
    let all = vouched(fixture, hooks);
    let digest = |it: &Vouched| it.fingerprint.as_ref().map(|it| it.digest.clone());
    let own = digest(&all[place]);
    all.iter().map(|it| digest(it) == own).collect()
}

fn expected(before: &[bool], copies: &[bool], now: bool) -> Vec<bool> {
    let pairs = before.iter().zip(copies);
    pairs
        .map(|(before, copy)| if *copy { now } else { *before })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// TR-1, TR-4, TR-8: agreeing to one hook, changing it and agreeing again, or withdrawing its
    /// trust, neither gives nor takes trust from any other hook, whatever they have in common.
    #[test]
    fn trust_is_of_one_hook_alone(
        mut entries in entries(),
        agreed in prop::collection::vec(any::<bool>(), 6),
        other in entries(),
        place in any::<prop::sample::Index>(),
    ) {
        let fixture = Fixture::new();
        let hooks = load(&fixture, &entries);
        let root = fixture.project();
        for (place, _) in agreed.iter().take(hooks.len()).enumerate().filter(|(_, it)| **it) {
            let before = trusted(&fixture, &hooks);
            let seen = &vouched(&fixture, &hooks)[place];
            fixture.store().trust_as_seen(&root, &[seen]).unwrap();
            let after = expected(&before, &copies(&fixture, &hooks, place), true);
            prop_assert_eq!(trusted(&fixture, &hooks), after);
        }
        // One becomes another.
        let place = place.index(entries.len());
        entries[place] = other[0].clone();
        let hooks = load(&fixture, &entries);
        for (place, hook) in hooks.iter().enumerate() {
            let before = trusted(&fixture, &hooks);
            let copies = copies(&fixture, &hooks, place);
            let seen = &vouched(&fixture, &hooks)[place];
            fixture.store().trust_as_seen(&root, &[seen]).unwrap();
            prop_assert_eq!(trusted(&fixture, &hooks), expected(&before, &copies, true));
            fixture.store().untrust(&root, &hooks, &[hook]).unwrap();
            prop_assert_eq!(trusted(&fixture, &hooks), expected(&before, &copies, false));
            fixture.store().trust_as_seen(&root, &[seen]).unwrap();
        }
        // All are trusted: nothing else is known, except what is removed.
        let gone = |hooks: &[HookDeclaration]| fixture.store().gone_hooks(&root, hooks).len();
        fixture.store().untrust_gone(&root, &hooks, &[]).unwrap();
        prop_assert_eq!(trusted(&fixture, &hooks), vec![true; hooks.len()]);
        prop_assert_eq!(gone(&hooks), 0);
        for place in 0..hooks.len() {
            let is_copied = copies(&fixture, &hooks, place).iter().filter(|it| **it).count() > 1;
            let mut left = hooks.clone();
            left.remove(place);
            prop_assert_eq!(gone(&left), usize::from(!is_copied));
            fixture.store().untrust_gone(&root, &left, &[]).unwrap();
            prop_assert_eq!(trusted(&fixture, &left), vec![true; left.len()]);
            let seen = &vouched(&fixture, &hooks)[place];
            fixture.store().trust_as_seen(&root, &[seen]).unwrap();
        }
    }
}

/// TR-12, TR-4: withdrawing trust from a hook in one worktree doesn't withdraw it from another hook
/// that only another worktree has.
#[test]
fn another_worktree_keeps_its_hooks() {
    let fixture = Fixture::new();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@x"])
            .args(arguments)
            .current_dir(fixture.project())
            .output()
            .expect("git");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "m"]);
    git(&["worktree", "add", "-q", "../second"]);
    let rule = |when: &str| json!({"hooks": [{"type": "rule", "when": when, "then": "deny", "reason": "no"}]});
    let [here, there] = ["true", "false"].map(|when| load(&fixture, &[("BeforeTool", rule(when))]));
    let second = fixture.path("second");
    let mut store = fixture.store();
    store.trust(&fixture.project(), &[&here[0]]).unwrap();
    store.trust(&second, &[&there[0]]).unwrap();
    store
        .untrust(&fixture.project(), &here, &[&here[0]])
        .unwrap();
    let standing = |root: &std::path::Path, hooks: &[HookDeclaration]| {
        let vouched = fixture
            .store()
            .vouch(root, hooks.to_vec(), &WorkspaceTrust::Untold);
        vouched[0].standing.clone()
    };
    assert_eq!(standing(&fixture.project(), &here), Standing::New);
    assert_eq!(standing(&second, &there), Standing::Trusted);
    store
        .untrust(&fixture.project(), &there, &[&there[0]])
        .unwrap();
    assert_eq!(standing(&second, &there), Standing::New);
}
