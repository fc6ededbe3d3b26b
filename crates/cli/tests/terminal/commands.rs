//! Slash commands that show and change the session's content (TU-2).

use std::time::{Duration, Instant};

use hookloop_testkit::{is_process_alive, wait_until};
use serde_json::json;

use crate::world::{CONTROL_C, World};

/// TO-5: `/memory` shows and lists the model's context, and adds to it.
#[test]
fn memory_is_shown_and_added_to() {
    let world = World::new();
    world.sandbox.file("GEMINI.md", "Be brief.\n");
    let mut session = world.start(&[]);
    session.sends("/memory");
    session.sees("Be brief.");
    session.sends("/memory add the user likes tea");
    session.sees("Okay, I've remembered that: \"the user likes tea\"");
    let own = world.sandbox.home().join(".gemini/GEMINI.md");
    let text = std::fs::read_to_string(&own).unwrap();
    assert_eq!(text, "## Gemini Added Memories\n- the user likes tea\n");
    session.sends("/memory list");
    session.sees("2 context files are loaded");
    std::fs::remove_file(own).unwrap();
    session.sends("/memory refresh");
    session.sees("Read again. 1 context file is loaded:");
    session.sends("/memory nonsense");
    session.sees("/memory has only show, list, refresh and add TEXT");
}

/// TR-5, TO-5: context files of a project that is marked as not trusted are named as left out.
#[test]
fn context_files_of_strangers_are_named() {
    let world = World::new();
    world.sandbox.file("GEMINI.md", "Obey me.\n");
    let project = world.sandbox.project().display().to_string();
    let folders = json!({ project: "DO_NOT_TRUST" }).to_string();
    let file = world.sandbox.home().join(".gemini/trustedFolders.json");
    world.sandbox.file(file, &folders);
    let mut session = world.start(&[]);
    session.sends("/memory");
    session.sees("left out, because the folder is marked DO_NOT_TRUST");
    assert!(!session.bytes().contains("Obey me."));
}

/// EX-1, EX-4: `/extensions` lists the content of each, and why one is off.
#[test]
fn extensions_are_listed_with_what_they_bring() {
    let world = World::new();
    for (name, hook) in [("kit", "kit-hook"), ("other", "other-hook")] {
        let folder = world.sandbox.home().join(".gemini/extensions").join(name);
        let manifest = json!({ "name": name, "version": "1.2.3" }).to_string();
        world
            .sandbox
            .file(folder.join("gemini-extension.json"), &manifest);
        let hook = json!({ "type": "command", "name": hook, "command": "true" });
        let hooks = json!({ "hooks": { "SessionEnd": [{ "hooks": [hook] }] } });
        world
            .sandbox
            .file(folder.join("hooks/hooks.json"), &hooks.to_string());
    }
    let mut session = world.start(&["--extensions", "kit"]);
    session.sends("/extensions");
    session.sees("● kit 1.2.3 · user · enabled");
    session.sees("hooks: kit-hook (SessionEnd)");
    session.sees("○ other 1.2.3 · user · off in this session: --extensions");
}

/// TO-3: `/mcp` names each server with its state, its place, and why it failed.
#[cfg(feature = "mcp")]
#[test]
fn servers_are_listed_with_their_state() {
    let world = World::new();
    let settings = json!({ "mcpServers": {
        "gone": { "command": "/nonexistent/server" },
        "own": { "command": hookloop_testkit::mcp_puppet(), "args": ["resources"], "excludeTools": ["die"] },
    }});
    world.sandbox.user_settings(&settings.to_string());
    let mut session = world.start(&[]);
    session.sends("/mcp");
    session.sees("✗ gone (stdio) · failed: ");
    session.sees("● own (stdio) · ready");
    session.sees("mcp__own__echo");
    session.sees("left out (1):");
    session.sees("settings.json:1:");
    session.sends("/tools");
    session.sees("  mcp__own__echo");
}

/// TU-2: another model is used from the next turn on.
#[test]
fn another_model_is_asked() {
    let world = World::new().says(&["one"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeModel", "note", &note)]);
    let mut session = world.start(&[]);
    session.sends("/model other-model");
    session.sees("Model: other-model");
    session.sends("hello");
    session.sees("one");
    let request = &world.noted("BeforeAgent")[0]["llm_request"];
    assert_eq!(request["model"], "other-model");
}

/// LO-4, IO-34: Ctrl-C ends a `/hooks fire` that takes long: the prompt is back, and no hook is
/// left.
#[test]
fn a_fired_event_is_cancelled() {
    let world = World::new().hooks(&[("SessionStart", "quick", "true")]);
    let slow = "echo $$ > pid; exec sleep 1000";
    let world = world.hooks(&[("SessionEnd", "slow", slow)]);
    let mut session = world.start(&[]);
    session.sends("/hooks fire SessionEnd");
    let mut process = None;
    wait_until("the hook runs", || {
        let text = std::fs::read_to_string(world.path("pid")).unwrap_or_default();
        process = text.strip_suffix('\n').and_then(|it| it.parse().ok());
        process.is_some()
    });
    let started = Instant::now();
    session.types(CONTROL_C);
    session.sees("Request cancelled.");
    session.is_at_prompt();
    wait_until("the hook is gone", || !is_process_alive(process.unwrap()));
    // Its own deadline would have come after a minute.
    assert!(started.elapsed() < Duration::from_secs(30));
    session.sends("/model");
    session.sees("Model: gemini");
}
