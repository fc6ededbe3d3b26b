//! The panel of hooks, and settings that change while a session is open (CM-1, TR-6).

use hookloop_testkit::wait_until;
use serde_json::{Value, json};

use crate::world::{ENTER, ESCAPE, Session, World};

fn opens(session: &mut Session, command: &str) {
    session.sends(command);
    session.sees("● runs  ○ off");
}

fn user_settings(world: &World) -> Value {
    let file = world.sandbox.home().join(".gemini/settings.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn has_row(session: &Session, wanted: impl Fn(&str) -> bool) -> bool {
    session.rows().iter().any(|row| wanted(row))
}

/// Waits until a text is on the screen, wherever its lines are wrapped.
fn reads(session: &Session, text: &str) {
    let wanted = without_spaces(text);
    wait_until(text, || letters(session).contains(&wanted));
}

fn letters(session: &Session) -> String {
    without_spaces(&session.rows().concat())
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// CM-1: `/hooks` and its names open the panel, q and Escape close it, and the session continues.
#[test]
fn the_panel_opens_and_closes() {
    let world = World::new().says(&["still here"]);
    let world = world.hooks(&[("SessionEnd", "my-hook", "true")]);
    let mut session = world.start(&[]);
    for (command, close) in [
        ("/hooks", ESCAPE),
        ("/hooks panel", "q"),
        ("/hooks list", ESCAPE),
        ("/hooks show", "q"),
    ] {
        opens(&mut session, command);
        session.sees("❯ ● my-hook");
        session.sees("Hooks · 1 of 1");
        session.types(close);
        session.is_at_prompt();
        assert!(!has_row(&session, |row| row.contains("● runs")));
    }
    session.sends("hello");
    session.sees("still here");
}

/// CM-1, TU-4: the panel fits at 40 columns without colour, and finds hooks by the typed text.
#[test]
fn the_search_finds_hooks_on_a_narrow_screen() {
    let world = World::new().hooks(&[
        ("SessionEnd", "alpha", "true"),
        ("BeforeTool", "beta", "echo special-words"),
    ]);
    let mut session = world.start_on(40, &[("NO_COLOR", "1")], &[]);
    opens(&mut session, "/hooks");
    session.sees("○ off");
    session.types("/special");
    session.sees("/special  1 of 1");
    session.sees("❯ ● beta");
    assert!(!has_row(&session, |row| row.contains("● alpha")));
    session.types(ESCAPE);
    session.sees("● alpha");
    session.types(ESCAPE);
    session.is_at_prompt();
    assert!(!session.bytes().contains("\x1b[1;36m"));
}

/// CM-1: Enter shows where a hook comes from and what it did, Escape goes back to the list.
#[cfg(feature = "trace")]
#[test]
fn details_tell_what_a_hook_did() {
    let world = World::new().says(&["answered"]);
    let world = world.hooks(&[("BeforeAgent", "talker", "echo out-of-it")]);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("answered");
    // A run is recorded in parallel with the session, so it may take a moment until it is known.
    wait_until("the run is known", || {
        opens(&mut session, "/hooks");
        session.types(ENTER);
        session.sees("Esc back to the list");
        let is_known = has_row(&session, |row| row == "runs: 1");
        if !is_known {
            session.types("qq");
            session.is_at_prompt();
        }
        is_known
    });
    for text in [
        "BeforeAgent talker",
        "status: enabled",
        "type: command",
        "command: echo out-of-it",
        "settings.json:1:",
        "matcher: *",
        "timeout: 60 s",
        "sequential: no",
        "last result: proceed",
        "last output: out-of-it",
        "p95: ",
    ] {
        reads(&session, text);
    }
    session.types(ESCAPE);
    session.sees("❯ ● talker");
    session.types(ESCAPE);
    session.is_at_prompt();
}

/// CM-1, CM-2: space switches a hook off in the user's settings, at once, and on again.
#[test]
fn space_switches_a_hook() {
    let world = World::new().says(&["first"]).says(&["second"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    let mut session = world.start(&[]);
    opens(&mut session, "/hooks");
    session.types(" ");
    session.sees("❯ ○ note");
    assert_eq!(
        user_settings(&world)["hooksConfig"]["disabled"],
        json!(["note"])
    );
    session.types(ESCAPE);
    session.sends("hello");
    session.sees("first");
    assert!(world.noted("BeforeAgent").is_empty());
    opens(&mut session, "/hooks");
    session.types(" ");
    session.sees("❯ ● note");
    session.types("q");
    session.sends("again");
    session.sees("second");
    assert_eq!(world.noted("BeforeAgent").len(), 1);
}

/// CM-1: a hang-up while the panel is open ends the session.
#[test]
fn a_hang_up_ends_the_panel() {
    let world = World::new().hooks(&[("SessionStart", "my-hook", "true")]);
    let mut session = world.start(&[]);
    opens(&mut session, "/hooks");
    session.hang_up();
    session.ends();
}

/// TR-6: a project's hook that is edited between two prompts doesn't run, neither the new nor the
/// old version, until somebody agrees to it; until then it refuses, and the user is told how to
/// continue.
#[test]
fn an_edited_hook_waits_for_trust() {
    let world = World::new().says(&["one"]).says(&["two"]);
    let world = world.project_hooks(&[("BeforeAgent", "mark", "touch first")]);
    let mut session = world.start(&[]);
    session.sees("May this hook run?");
    session.answers("1");
    session.sends("hello");
    session.sees("one");
    assert!(world.path("first").exists());
    std::fs::remove_file(world.path("first")).unwrap();
    let world = world.project_hooks(&[("BeforeAgent", "mark", "touch second")]);
    session.sends("again");
    reads(&session, "Settings changed: BeforeAgent hook \"mark\"");
    reads(&session, "refuses until somebody agrees to it: ");
    reads(&session, "let it run with /hooks trust");
    reads(&session, "this counts as a refusal");
    session.is_at_prompt();
    assert!(!world.path("first").exists() && !world.path("second").exists());
    session.sends("/hooks trust mark");
    session.sends("once more");
    session.sees("two");
    assert!(!world.path("first").exists() && world.path("second").exists());
}

/// ST-5: a file that breaks while a session is open disables no hook, which is reported once.
#[test]
fn a_file_that_breaks_leaves_hooks_in_force() {
    let world = World::new().says(&["one"]).says(&["two"]).says(&["three"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("one");
    world.sandbox.user_settings("{ \"hooks\": [");
    session.sends("again");
    reads(&session, "settings.json:1:13: ");
    reads(&session, "the previous hooks and settings stay in force");
    session.sees("two");
    assert_eq!(world.noted("BeforeAgent").len(), 2);
    session.sends("once more");
    session.sees("three");
    assert_eq!(world.noted("BeforeAgent").len(), 3);
    assert_eq!(letters(&session).matches("stayinforce").count(), 1);
}

/// TR-6: a hook that is added while the session is open runs, and the user is told.
#[test]
fn a_hook_that_is_added_runs() {
    let world = World::new().says(&["one"]).says(&["two"]);
    let note = world.noting("BeforeAgent");
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("one");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    session.sends("again");
    reads(&session, "Settings changed: BeforeAgent hook \"note\"");
    session.sees("two");
    assert_eq!(world.noted("BeforeAgent").len(), 1);
}

/// ST-5, ST-11: what is wrong with a hook that is added while the session is open is reported then,
/// as it would be at its start, and once.
#[test]
fn what_is_wrong_with_an_added_hook_is_said() {
    let world = World::new().says(&["one"]).says(&["two"]).says(&["three"]);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("one");
    let world = world.hooks(&[("BeforeAgent", "note", "(exit 2) || true")]);
    session.sends("again");
    reads(&session, "Settings changed: BeforeAgent hook \"note\"");
    reads(&session, "is lost, and so is its refusal");
    session.sees("two");
    let world = world.hooks(&[
        ("BeforeAgent", "note", "(exit 2) || true"),
        ("AfterAgent", "other", "true"),
    ]);
    session.sends("once more");
    reads(&session, "AfterAgent hook \"other\"");
    session.sees("three");
    drop(world);
    assert_eq!(letters(&session).matches("soisitsrefusal").count(), 1);
}

/// TR-6, TR-8, EX-1: an extension that is added while the session is open is noticed, and so is a
/// change of its hooks; the old ones stay in force until the person lets them go.
#[test]
fn hooks_of_extensions_are_watched() {
    let world = World::new().says(&["one"]).says(&["two"]);
    let world = world.says(&["three"]).says(&["four"]);
    let folder = world.sandbox.home().join(".gemini/extensions/kit");
    let writes_hooks = |command: &str| {
        let hook = json!({ "type": "command", "name": "kit-hook", "command": command });
        let hooks = json!({ "hooks": { "BeforeAgent": [{ "hooks": [hook] }] } });
        let file = folder.join("hooks/hooks.json");
        world.sandbox.file(file, &hooks.to_string());
    };
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("one");
    let manifest = json!({ "name": "kit", "version": "1.0.0" }).to_string();
    world
        .sandbox
        .file(folder.join("gemini-extension.json"), &manifest);
    writes_hooks("touch first");
    session.sends("again");
    reads(&session, "runs from now on");
    session.sees("two");
    assert!(world.path("first").exists());
    std::fs::remove_file(world.path("first")).unwrap();
    writes_hooks("touch second");
    session.sends("once more");
    reads(&session, "stays in force in this session");
    session.sees("three");
    assert!(world.path("first").exists());
    session.sends("let them go");
    session.sends("and again");
    session.sees("four");
    assert!(world.path("second").exists());
}

/// TU-6, TR-2: the panel reviews a hook, lets it run after a look at it, and fires its event.
#[test]
fn the_panel_reviews_trusts_and_fires() {
    let world = World::new().says(&["answered"]);
    let world = world.project_hooks(&[("BeforeAgent", "mark", "touch first")]);
    let mut session = world.start(&[]);
    session.sees("May this hook run?");
    session.answers("3");
    opens(&mut session, "/hooks");
    session.sees("? mark");
    session.types("r");
    reads(&session, "Trust covers what is shown here");
    session.sees("? mark");
    session.types("t");
    session.sees("May this hook run?");
    session.answers("1");
    session.sees("● mark");
    assert!(!world.path("first").exists());
    session.types("f");
    session.sees("Outcome: proceed");
    session.sees("f fire");
    assert!(world.path("first").exists());
    session.types("t");
    session.sees("This hook doesn't wait for your trust.");
    session.types("q");
    std::fs::remove_file(world.path("first")).unwrap();
    session.sends("hello");
    session.sees("answered");
    assert!(world.path("first").exists());
}

/// TU-6, HT-2: the details of a hook in shadow show what it would have done.
#[test]
fn details_tell_what_a_hook_in_shadow_would_have_done() {
    let world = World::new().says(&["answered"]);
    let command = "echo '{\"decision\":\"deny\",\"reason\":\"not yet\"}'";
    let hook = json!({ "type": "command", "name": "new", "command": command, "mode": "shadow" });
    let settings = json!({ "hooks": { "BeforeAgent": [{ "hooks": [hook] }] } });
    world.sandbox.user_settings(&settings.to_string());
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("answered");
    wait_until("the run is known", || {
        opens(&mut session, "/hooks");
        session.types(ENTER);
        session.sees("Esc back to the list");
        let expected = "in shadow: in 1 runs it would have refused 1 and asked 0; 0 failed";
        let is_known = has_row(&session, |row| row == expected);
        session.types("qq");
        session.is_at_prompt();
        is_known
    });
    session.types("\x0f");
    session.sees("BeforeAgent new · would have refused (in shadow)");
}

/// CM-1, TU-1: what is typed while a command of the panel runs is in the input line afterwards.
#[test]
fn keys_typed_while_the_panel_works_are_kept() {
    let waits = "touch began; until test -e go; do sleep 0.05; done";
    let world = World::new().hooks(&[("BeforeAgent", "slow", waits)]);
    let mut session = world.start(&[]);
    opens(&mut session, "/hooks");
    session.types("f");
    wait_until("the hook runs", || world.path("began").exists());
    session.types("my quick words");
    session.sees("> my quick words");
    std::fs::write(world.path("go"), "").unwrap();
    session.sees("Outcome: proceed");
    session.sees("● runs  ○ off");
    session.types("q");
    session.sees("> my quick words");
}
