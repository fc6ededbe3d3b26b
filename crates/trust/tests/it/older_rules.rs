//! Agreements survive upgrades (TR-12).

use std::process::Command;

use hookloop_hook::HookDeclaration;
use hookloop_settings::WorkspaceTrust;
use hookloop_trust::{Acceptance, Standing};
use serde_json::json;

use crate::fixture::{Fixture, read};

/// The hook that version 0.1 recorded.
fn hook(fixture: &Fixture) -> HookDeclaration {
    fixture.hook(&json!({
        "name": "guard", "command": "bash .gemini/hooks/guard.sh", "matcher": "write_file",
        "timeout": 5000, "env": {"A": "1"},
    }))
}

#[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
fn project_key(fixture: &Fixture) -> String {
    let project = fixture.project().canonicalize().expect("a path");
    project.display().to_string()
}

/// Stores what version 0.1 wrote when a person trusted that hook with a script of one line.
fn with_record_of_version_0_1() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("project/.gemini/hooks/guard.sh", "source lib.sh\n");
    fixture.write("project/lib.sh", "true\n");
    let record = json!({
        "event": "BeforeTool",
        "matcher": "write_file",
        "name": "guard",
        "command": "bash .gemini/hooks/guard.sh",
        "env": {"A": "1"},
        "files": [{
            "path": ".gemini/hooks/guard.sh",
            "sha256": "af8eea1a1935a0204103fa06b65f007fa83d64345596f1db58c458b00147dd48",
            "text": "source lib.sh\n",
        }],
        "fingerprint": "36475be071a37f11bc14149d4a944f2037fa6598c840d4d416fe637c59a1b40b",
    });
    let stored = json!({"hookloop": {"version": 1, "projects": {
        project_key(&fixture): [record],
    }}});
    fixture.write("home/.gemini/trusted_hooks.json", stored.to_string());
    fixture
}

/// TR-12: a hook that version 0.1 recorded stays trusted while nothing has changed by its rules;
/// its record is renewed, and then watches what the current rules do.
#[test]
fn a_record_of_version_0_1_is_read_and_renewed() {
    let fixture = with_record_of_version_0_1();
    let hook = hook(&fixture);
    let vouched = fixture.vouch(&hook);
    assert_eq!(vouched.accepted, Acceptance::ByStore);
    let renewal = vouched.renewal.clone().expect("a renewal");
    assert_eq!(renewal.never_shown, ["lib.sh"]);
    fixture
        .store()
        .renew(&fixture.project(), &[&vouched])
        .expect("a store");
    assert_eq!(fixture.vouch(&hook).renewal, None);
    fixture.write("project/lib.sh", "false\n");
    assert_eq!(
        fixture.changes(&hook),
        ["files: lib.sh changed since it was trusted"]
    );
}

/// TR-12: a record of version 0.1 is compared by its rules: what changed by them is modified.
#[test]
fn a_change_by_older_rules_is_one() {
    let fixture = with_record_of_version_0_1();
    let hook = hook(&fixture);
    fixture.write("project/.gemini/hooks/guard.sh", "exit 0\n");
    let reported = fixture.changes(&hook);
    let script = "files: .gemini/hooks/guard.sh changed since it was trusted";
    assert!(reported.iter().any(|it| it == script), "{reported:?}");
    assert!(!fixture.vouch(&hook).may_run());
}

/// TR-12: records of newer rules are kept as they are, and trust nothing here.
#[test]
fn records_of_newer_rules_are_kept() {
    let fixture = Fixture::new();
    let hook = fixture.command("a");
    fixture.trust(&hook);
    let mut stored = read(&fixture.store_file());
    let projects = stored["hookloop"]["projects"]
        .as_object_mut()
        .expect("projects");
    let newer = json!({"rules": 99, "fingerprint": "x", "odd": [1]});
    for records in projects.values_mut() {
        *records = json!([newer]);
    }
    fixture.write("home/.gemini/trusted_hooks.json", stored.to_string());
    assert_eq!(fixture.vouch(&hook).standing, Standing::New);
    fixture.trust(&fixture.command("b"));
    let text = read(&fixture.store_file()).to_string();
    assert!(text.contains(&newer.to_string()), "{text}");
}

/// TR-12: trust goes with content: in a second worktree of the repository a hook of the same
/// fingerprint is trusted, and one that only claims to be a worktree gets nothing.
#[test]
fn worktrees_of_one_repository_share_trust() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    let project = fixture.project();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args([
                "-c",
                "user.name=n",
                "-c",
                "user.email=e@x",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(&project)
            .output()
            .expect("git");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "m"]);
    git(&["worktree", "add", "-q", "../second"]);
    let hook = fixture.command("bash a.sh");
    fixture.trust(&hook);
    let standing = |folder: &str| {
        let root = fixture.path(folder);
        let hooks = vec![hook.clone()];
        fixture
            .store()
            .vouch(&root, hooks, &WorkspaceTrust::Untold)
            .remove(0)
            .standing
    };
    assert_eq!(standing("second"), Standing::Trusted);
    fixture.write("second/a.sh", "two");
    assert_eq!(standing("second"), Standing::New);
    // An archive that contains the pointer of a worktree, but that git doesn't know.
    fixture.write("claimed/a.sh", "one");
    std::fs::copy(fixture.path("second/.git"), fixture.path("claimed/.git")).expect("a file");
    assert_eq!(standing("claimed"), Standing::New);
    fixture.write("second/a.sh", "one");
    let mut store = fixture.store();
    store
        .untrust(
            &fixture.path("second"),
            std::slice::from_ref(&hook),
            &[&hook],
        )
        .expect("a store");
    assert_eq!(standing("project"), Standing::New);
}
