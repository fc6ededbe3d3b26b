//! Questions and refusals: who asks, and what happens to the call.

use agent_client_protocol::v1::schema::{StopReason, ToolCallContent};
use hookloop_rehearsal::Turn;
use serde_json::{Value, json};

use crate::world::{Editor, World, call, say, text_of, write};

const ASKS: &str = r#"echo '{"decision": "ask", "reason": "mind the file"}'"#;

fn writes() -> [Turn; 2] {
    [write("a.txt"), say("done")]
}

/// Lets the person choose, and returns whether the file was written.
fn chosen(world: &World, choice: &'static str, look: impl Fn(&Editor)) -> bool {
    world.edit(&[], async |editor| {
        editor.chooses(&[choice]);
        let session = editor.begins().await;
        let answer = editor.prompts(&session, "write").await.unwrap();
        assert_eq!(answer.stop_reason, StopReason::EndTurn);
        look(editor);
    });
    world.path("a.txt").exists()
}

/// TU-7, BT-5: a hook's question reaches the person with its reason and the hook's name, in any
/// mode; the call runs only after a yes, and the model is told about a no.
#[test]
fn a_hooks_question_is_put_to_the_person() {
    for (choice, is_written) in [("allow_once", true), ("reject_once", false), ("x", false)] {
        let world = World::new(writes()).hooks(&[("BeforeTool", "careful", ASKS)]);
        let written = world.edit(&["--yolo"], async |editor| {
            editor.chooses(&[choice]);
            let session = editor.begins().await;
            editor.prompts(&session, "write").await.unwrap();
            let asked = editor.asked();
            assert_eq!(asked.len(), 1);
            let content = asked[0].tool_call.fields.content.clone().unwrap();
            let text = text_of(&content);
            assert!(
                text.contains("\"careful\"") && text.contains("mind the file"),
                "{text}"
            );
            // The question is about the call that the editor was shown.
            let id = serde_json::to_value(&asked[0].tool_call.tool_call_id).unwrap();
            assert_eq!(editor.calls()[0]["toolCallId"], id);
            world.path("a.txt").exists()
        });
        assert_eq!(written.0, is_written, "{choice}");
        assert_eq!(
            world.model_was_told("didn't allow"),
            !is_written,
            "{choice}"
        );
    }
}

/// TU-7, TO-6: what the policy asks about is asked, with the change that it would make; only a yes
/// counts as one.
#[test]
fn what_the_policy_asks_about_is_put_to_the_person() {
    for (choice, is_written) in [("allow_once", true), ("reject_once", false)] {
        let world = World::new(writes());
        let written = chosen(&world, choice, |editor| {
            let asked = editor.asked();
            let content = asked[0].tool_call.fields.content.clone().unwrap();
            let [ToolCallContent::Diff(diff)] = content.as_slice() else {
                panic!("{content:?}");
            };
            assert_eq!((&diff.old_text, diff.new_text.as_str()), (&None, "new\n"));
            assert_eq!(diff.path, world.path("a.txt"));
        });
        assert_eq!(written, is_written, "{choice}");
    }
}

/// TU-7, TO-6: what is allowed for the session isn't asked about again.
#[test]
fn what_is_allowed_always_is_asked_about_once() {
    let world = World::new([write("a.txt"), write("b.txt"), say("done")]);
    world.edit(&[], async |editor| {
        editor.chooses(&["allow_always", "reject_once"]);
        let session = editor.begins().await;
        editor.prompts(&session, "write").await.unwrap();
        assert_eq!(editor.asked().len(), 1);
    });
    assert!(world.path("a.txt").exists() && world.path("b.txt").exists());
}

/// TU-7, TO-2: an editor is told that a command is to leave the sandbox.
#[test]
fn leaving_the_sandbox_is_asked_about_as_such() {
    let leaving = json!({"command": "touch ran", "outside_sandbox": true});
    let world = World::new([call("run_shell_command", leaving), say("done")]);
    let world = world.settings(&json!({"tools": {"sandbox": "ask"}}));
    world.edit(&["--yolo"], async |editor| {
        editor.chooses(&["reject_once"]);
        let session = editor.begins().await;
        editor.prompts(&session, "run").await.unwrap();
        let content = editor.asked()[0].tool_call.fields.content.clone().unwrap();
        let text = text_of(&content);
        assert!(text.contains("outside of the sandbox"), "{text}");
    });
    assert!(!world.path("ran").exists());
}

/// TU-7, AG-CLI-9: if nothing may be allowed for the session, an editor isn't offered that, and
/// such an answer doesn't count.
#[test]
fn what_may_not_be_allowed_always_is_not_offered() {
    let world = World::new([write("a.txt"), write("b.txt"), say("done")]);
    let world = world.settings(&json!({"admin": {"secureModeEnabled": true}}));
    world.edit(&[], async |editor| {
        editor.chooses(&["allow_always", "reject_once"]);
        let session = editor.begins().await;
        editor.prompts(&session, "write").await.unwrap();
        let asked = editor.asked();
        assert_eq!(asked.len(), 2);
        let offered = asked[0].options.iter().map(|it| it.option_id.to_string());
        assert_eq!(offered.collect::<Vec<_>>(), ["allow_once", "reject_once"]);
    });
    assert!(!world.path("a.txt").exists(), "it wasn't offered");
    assert!(!world.path("b.txt").exists());
}

/// TU-7, BT-1: a refused call does nothing and asks nobody, whatever the mode; its reason reaches
/// editor and model.
#[test]
fn a_refused_call_does_nothing() {
    let denies = r#"echo '{"decision": "deny", "reason": "not this file"}'"#;
    let world = World::new(writes()).hooks(&[("BeforeTool", "guard", denies)]);
    world.edit(&["--yolo"], async |editor| {
        editor.chooses(&["allow_once"]);
        let session = editor.begins().await;
        editor.prompts(&session, "write").await.unwrap();
        assert!(editor.asked().is_empty());
        let last = editor.calls().pop().unwrap();
        assert_eq!(last["status"], "failed");
        assert!(last.to_string().contains("not this file"), "{last}");
    });
    assert!(!world.path("a.txt").exists());
    assert!(world.model_was_told("not this file"));
}

/// TU-7, BA-2: a refused prompt isn't sent to the model; the editor shows the reason, and programs
/// read it in `_meta`.
#[test]
fn a_refused_prompt_reaches_no_model() {
    let denies = r#"echo '{"decision": "deny", "reason": "not today"}'"#;
    let world = World::new([say("never")]).hooks(&[("BeforeAgent", "guard", denies)]);
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let answer = editor.prompts(&session, "hi").await.unwrap();
        let meta = Value::from(answer.meta.unwrap());
        assert_eq!(
            meta["hookloop"],
            json!({"end": "refused", "reason": "not today"})
        );
        assert!(editor.text().contains("not today"));
    });
    assert!(world.model.exchanges().is_empty());
}

/// TU-7, AT-1: what a hook withholds of a result is sent neither to the editor nor to the model.
#[test]
fn a_withheld_result_is_not_shown() {
    let denies = r#"echo '{"decision": "deny", "reason": "it holds a key"}'"#;
    let command = json!({"command": "printf 'the-%s' 'secret'"});
    let turns = [call("run_shell_command", command), say("done")];
    let world = World::new(turns).hooks(&[("AfterTool", "guard", denies)]);
    world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "run").await.unwrap();
        let last = editor.calls().pop().unwrap();
        assert!(
            last["content"].is_array(),
            "it takes the place of what was shown: {last}"
        );
        assert!(!last.to_string().contains("the-secret"), "{last}");
        assert!(last.to_string().contains("it holds a key"), "{last}");
    });
    assert!(!world.model_was_told("the-secret"));
}

/// TU-7: a question of the model isn't a permission request, which an editor may be set to grant:
/// the model is told that a person is there and how to ask.
#[test]
fn a_question_of_the_model_is_asked_in_its_answer() {
    let question = json!({"question": "Which one?", "options": [{"label": "a"}, {"label": "b"}]});
    let asks = call("ask_user", json!({"questions": [question]}));
    let world = World::new([asks, say("Which one, a or b?")]);
    world.edit(&["--yolo"], async |editor| {
        editor.chooses(&["allow_once"]);
        let session = editor.begins().await;
        editor.prompts(&session, "choose").await.unwrap();
        assert!(editor.asked().is_empty());
    });
    assert!(world.model_was_told("Ask in your answer"));
}

/// TU-7, TO-6: a call that waits for the person's yes doesn't run if the mode has become one that
/// refuses it by then.
#[test]
fn a_yes_after_the_mode_became_plan_runs_nothing() {
    for (mode, is_written) in [("auto_edit", true), ("plan", false)] {
        let world = World::new(writes());
        world.edit(&[], async |editor| {
            editor.chooses_in_mode(mode, "allow_once");
            let session = editor.begins().await;
            editor.prompts(&session, "write").await.unwrap();
            assert_eq!(editor.asked().len(), 1);
        });
        assert_eq!(world.path("a.txt").exists(), is_written, "{mode}");
    }
}

/// TU-7: cancelling instead of answering allows nothing, and the turn ends.
#[test]
fn cancelling_is_not_an_answer() {
    let world = World::new(writes());
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let answer = editor.prompts(&session, "write").await.unwrap();
        assert_eq!(answer.stop_reason, StopReason::Cancelled);
        assert_eq!(editor.asked().len(), 1);
    });
    assert!(!world.path("a.txt").exists());
}

/// TU-7, EV-4: hooks of `read_file` judge the files that a prompt names and those that an editor
/// embeds, by their content on disk.
#[test]
fn hooks_judge_the_files_that_are_sent_along() {
    use agent_client_protocol::v1::schema::{
        ContentBlock, EmbeddedResource, EmbeddedResourceResource, TextContent, TextResourceContents,
    };
    let denies = r#"grep -q 'key.txt' && echo '{"decision": "deny", "reason": "keys stay here"}'"#;
    let hook = ("BeforeTool", "guard", format!("{denies}; true"));
    let world = World::new([say("done")]).hooks(&[(hook.0, hook.1, hook.2.as_str())]);
    world.sandbox.file("key.txt", "the-secret\n");
    world.sandbox.file("open.txt", "in the open\n");
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let uri = format!("file://{}", world.path("key.txt").display());
        let sent = TextResourceContents::new("the-secret, unsaved", uri);
        let sent = EmbeddedResourceResource::TextResourceContents(sent);
        let blocks = vec![
            ContentBlock::Text(TextContent::new("look at @open.txt and ")),
            ContentBlock::Resource(EmbeddedResource::new(sent)),
        ];
        editor.sends(&session, blocks).await.unwrap();
        assert!(
            editor.text().contains("keys stay here"),
            "{}",
            editor.text()
        );
    });
    assert!(world.model_was_told("in the open"));
    assert!(!world.model_was_told("the-secret"));
}
