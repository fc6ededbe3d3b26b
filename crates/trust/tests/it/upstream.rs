//! Upstream's format of the store (TR-4).

use hookloop_trust::{Acceptance, Standing};
use serde_json::{Value, json};

use crate::fixture::{Fixture, read};

fn with_upstream(entries: &Value) -> Fixture {
    let fixture = Fixture::new();
    let project = fixture.project().display().to_string();
    fixture.write(
        "home/.gemini/trusted_hooks.json",
        json!({project: entries}).to_string(),
    );
    fixture.write("project/a.sh", "one");
    fixture
}

/// TR-4: each spelling of upstream's entries is understood.
#[test]
fn upstream_entries_are_read() {
    for entry in [":./a.sh", "undefined:./a.sh", "./a.sh:./a.sh"] {
        let fixture = with_upstream(&json!([5, entry]));
        assert_eq!(
            fixture.vouch(&fixture.command("./a.sh")).accepted,
            Acceptance::ByUpstream
        );
        let named = fixture.hook(&json!({"command": "./a.sh", "name": "n"}));
        assert_eq!(fixture.vouch(&named).standing, Standing::New, "{entry}");
    }
    let fixture = with_upstream(&json!(["n:./a.sh"]));
    let named = fixture.hook(&json!({"command": "./a.sh", "name": "n"}));
    assert_eq!(fixture.vouch(&named).standing, Standing::Trusted);
    assert_eq!(
        fixture.vouch(&fixture.command("./a.sh")).standing,
        Standing::New
    );
    assert_eq!(
        fixture.vouch(&fixture.command("./b.sh")).standing,
        Standing::New
    );
}

/// TR-4: an entry that can be cut in two ways trusts only what was meant: a project must not move
/// the colon, and so run another command than the one that was agreed to.
#[test]
fn the_colon_can_not_be_moved() {
    let fixture = with_upstream(&json!(["n:curl localhost:80/a.sh"]));
    let meant = fixture.hook(&json!({"name": "n", "command": "curl localhost:80/a.sh"}));
    assert_eq!(fixture.vouch(&meant).standing, Standing::Trusted);
    let moved = fixture.hook(&json!({"name": "n:curl localhost", "command": "80/a.sh"}));
    assert_eq!(fixture.vouch(&moved).standing, Standing::New);
}

/// TR-4: once the baseline is recorded, a changed script is noticed, also under another event.
#[test]
fn a_changed_script_is_noticed() {
    let fixture = with_upstream(&json!([":./a.sh"]));
    let hook = fixture.command("./a.sh");
    let vouched = fixture.vouch(&hook);
    fixture
        .store()
        .record_baseline(&fixture.project(), &[&vouched])
        .unwrap();
    assert_eq!(fixture.vouch(&hook).accepted, Acceptance::ByStore);
    let other = fixture.hook_of("AfterTool", &json!({"command": "./a.sh"}));
    assert_eq!(fixture.vouch(&other).accepted, Acceptance::ByUpstream);
    fixture.write("project/a.sh", "two");
    assert_eq!(
        fixture.changes(&hook),
        ["files: a.sh changed since it was trusted"]
    );
    assert!(!fixture.vouch(&other).may_run());
    let with_env = json!({"command": "./a.sh", "env": {"BASH_ENV": "x"}});
    fixture.write("project/a.sh", "one");
    assert!(!fixture.vouch(&fixture.hook(&with_env)).may_run());
    assert!(
        !fixture
            .vouch(&fixture.hook_of("AfterTool", &with_env))
            .may_run()
    );
}

/// TR-4, TR-7: a baseline is recorded for hooks that upstream trusts, and for no others.
#[test]
fn a_baseline_trusts_no_new_hook() {
    let fixture = Fixture::new();
    let hook = fixture.command("a");
    let run = hookloop_settings::WorkspaceTrust::ThisRun(hookloop_settings::RunTrust::Option);
    let vouched = fixture.vouch_in(&hook, &run);
    assert!(vouched.may_run());
    fixture
        .store()
        .record_baseline(&fixture.project(), &[&vouched])
        .unwrap();
    assert!(!fixture.store_file().exists());
    assert_eq!(fixture.vouch(&hook).standing, Standing::New);
}

/// TR-4: to take trust away takes upstream's entry away too, and leaves the others.
#[test]
fn untrust_reaches_upstream_entries() {
    let fixture = with_upstream(&json!([":./a.sh", ":./b.sh"]));
    let hook = fixture.command("./a.sh");
    fixture
        .store()
        .untrust(&fixture.project(), &[&hook])
        .unwrap();
    assert_eq!(fixture.vouch(&hook).standing, Standing::New);
    let project = fixture.project().display().to_string();
    assert_eq!(read(&fixture.store_file())[project], json!([":./b.sh"]));
}
