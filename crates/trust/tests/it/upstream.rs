//! Upstream's format of the store (TR-4).

use hookloop_trust::Standing;
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

/// TR-4: upstream lists what it ran by itself, so its list isn't an agreement, in any of its
/// spellings; it is reported that Gemini CLI ran a hook with this name and command.
#[test]
fn upstreams_list_is_not_an_agreement() {
    for entry in [":./a.sh", "undefined:./a.sh", "./a.sh:./a.sh"] {
        let fixture = with_upstream(&json!([5, entry]));
        let vouched = fixture.vouch(&fixture.command("./a.sh"));
        assert_eq!(vouched.standing, Standing::New, "{entry}");
        assert!(!vouched.may_run() && vouched.known_to_gemini, "{entry}");
        let named = fixture.hook(&json!({"command": "./a.sh", "name": "n"}));
        assert!(!fixture.vouch(&named).known_to_gemini, "{entry}");
    }
    let fixture = with_upstream(&json!(["n:./a.sh"]));
    let named = fixture.hook(&json!({"command": "./a.sh", "name": "n"}));
    let vouched = fixture.vouch(&named);
    assert!(!vouched.may_run() && vouched.known_to_gemini);
    assert!(!fixture.vouch(&fixture.command("./a.sh")).known_to_gemini);
    assert!(!fixture.vouch(&fixture.command("./b.sh")).known_to_gemini);
}

/// TR-4: an entry that can be cut in two ways means only what was run: a project must not move the
/// colon to seem known.
#[test]
fn the_colon_can_not_be_moved() {
    let fixture = with_upstream(&json!(["n:curl localhost:80/a.sh"]));
    let meant = fixture.hook(&json!({"name": "n", "command": "curl localhost:80/a.sh"}));
    assert!(fixture.vouch(&meant).known_to_gemini);
    let moved = fixture.hook(&json!({"name": "n:curl localhost", "command": "80/a.sh"}));
    assert!(!fixture.vouch(&moved).known_to_gemini);
}

/// TR-4: withdrawing trust also removes upstream's entry, and leaves the others.
#[test]
fn untrust_reaches_upstream_entries() {
    let fixture = with_upstream(&json!([":./a.sh", ":./b.sh"]));
    let hook = fixture.command("./a.sh");
    fixture
        .store()
        .untrust(&fixture.project(), std::slice::from_ref(&hook), &[&hook])
        .unwrap();
    assert!(!fixture.vouch(&hook).known_to_gemini);
    let project = fixture.project().display().to_string();
    assert_eq!(read(&fixture.store_file())[project], json!([":./b.sh"]));
}
