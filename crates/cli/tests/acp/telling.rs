//! What hooks and settings have to report reaches the editor: nothing is silently off.

use agent_client_protocol::v1::schema::{NoticeSeverity, SessionUpdate};

use crate::world::{World, say, settings, write};

/// TU-7, TR-2: hooks of a folder that nobody trusts don't run, and the editor says so.
#[test]
fn untrusted_hooks_do_not_run_and_it_is_said() {
    let world = World::new([write("a.txt"), say("done")]);
    let denies = "touch ran; exit 2";
    world
        .sandbox
        .project_settings(&settings(&[("BeforeTool", "stranger", denies)]));
    world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "write").await.unwrap();
        let text = editor.text();
        for part in ["stranger", "nobody has agreed", "settings.json"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    });
    assert!(world.path("a.txt").exists() && !world.path("ran").exists());
}

/// TU-7: an editor that supports notices gets them as such, and the model's words separately.
#[test]
fn notices_are_not_words_of_the_model() {
    let says = r#"echo '{"systemMessage": "mind the gap"}'"#;
    let world = World::new([say("Hello.")]).hooks(&[
        ("BeforeAgent", "speaker", says),
        ("AfterAgent", "broken", "exit 7"),
    ]);
    world.edit(&[], async |editor| {
        editor.initializes_with_notices().await;
        let session = editor
            .opens(world.sandbox.project())
            .await
            .unwrap()
            .session_id;
        editor.prompts(&session, "hi").await.unwrap();
        assert_eq!(editor.text(), "Hello.");
        let updates = editor.updates();
        let has = |severity: &NoticeSeverity, text: &str| {
            updates.iter().any(|it| match it {
                SessionUpdate::Notice(notice) => {
                    notice.severity == *severity && notice.title.contains(text)
                }
                _ => false,
            })
        };
        assert!(has(&NoticeSeverity::Info, "mind the gap"), "{updates:?}");
        assert!(has(&NoticeSeverity::Warning, "broken"), "{updates:?}");
    });
}

/// HT-3, TU-7: an editor gets what a hook says about itself, before it has ended.
#[test]
fn running_hooks_say_what_they_do() {
    let world = World::new([say("Hello.")]);
    let hook = serde_json::json!({"type": "command", "name": "guard",
        "command": r#"echo '{"systemMessage": "looked"}'"#, "statusMessage": "Looking…"});
    let settings = serde_json::json!({"hooks": {"BeforeAgent": [{"hooks": [hook]}]}});
    world.sandbox.user_settings(&settings.to_string());
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "hi").await.unwrap();
        let text = editor.text();
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        assert!(place("Looking…") < place("looked"), "{text}");
    });
}

/// TU-7, ST-5: if a settings file can't be read nothing is sent to a model, and the editor says
/// what to fix; after that, prompts are sent.
#[test]
fn broken_settings_hold_prompts_back() {
    let world = World::new([say("Hello.")]);
    world.sandbox.user_settings("{\"hooks\": ");
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let refused = editor.prompts(&session, "hi").await.unwrap_err();
        assert!(
            refused.message.contains("guards may be missing"),
            "{refused:?}"
        );
        assert!(editor.text().contains("settings.json"));
        assert!(world.model.exchanges().is_empty());
        world.sandbox.user_settings("{}");
        editor.prompts(&session, "hi").await.unwrap();
    });
    assert!(world.model_was_told("hi"));
}

/// TU-7, TR-6: hooks that are configured during a session count from the next prompt on.
#[test]
fn new_hooks_count_from_the_next_prompt_on() {
    let world = World::new([write("a.txt"), say("no")]);
    world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        let denies = r#"echo '{"decision": "deny", "reason": "from now on"}'"#;
        world
            .sandbox
            .user_settings(&settings(&[("BeforeTool", "late", denies)]));
        editor.prompts(&session, "write").await.unwrap();
        assert!(editor.text().contains("late"), "{}", editor.text());
    });
    assert!(!world.path("a.txt").exists());
    assert!(world.model_was_told("from now on"));
}

/// TR-6, TR-8: a guard that is configured during a session counts, whatever an earlier session or a
/// hook's own log left changed beside the settings.
#[test]
fn changes_beside_the_settings_keep_no_new_guard_away() {
    let changed =
        r#"{"path": "/elsewhere/x.log", "what": "changed", "session": "s", "at": "then"}"#;
    let world = World::new([write("notes.txt"), say("so"), write("a.txt"), say("no")]);
    let hooks = world.sandbox.home().join(".gemini/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let logs = format!("date >> {}/own.log", hooks.display());
    let logs = &[("BeforeTool", "logs", logs.as_str())];
    world.sandbox.user_settings(&settings(logs));
    let state = world.sandbox.home().join(".local/state/hookloop");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("changed-guards.jsonl"), changed).unwrap();
    world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "write").await.unwrap();
        let denies = r#"echo '{"decision": "deny", "reason": "from now on"}'"#;
        world
            .sandbox
            .user_settings(&settings(&[("BeforeTool", "late", denies)]));
        editor.prompts(&session, "write").await.unwrap();
    });
    assert!(world.path("notes.txt").exists());
    assert!(!world.path("a.txt").exists());
    assert!(world.model_was_told("from now on"));
}

/// TU-7: half a response never counts as success: a model that fails is an error of the prompt.
#[test]
fn a_failed_turn_is_an_error() {
    let mut world = World::new([]);
    world.model = hookloop_rehearsal::ScriptedModel::start([]).unwrap();
    let ((), ended) = world.edit(&["--fake-responses", "/dev/null"], async |editor| {
        let session = editor.begins().await;
        let failed = editor.prompts(&session, "hi").await;
        assert!(failed.is_err(), "{failed:?}");
    });
    assert_eq!(ended.code, Some(0));
}
