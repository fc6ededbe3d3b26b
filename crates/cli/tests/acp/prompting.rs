//! Turns: what is said, what is included, what calls do.

use agent_client_protocol::v1::schema::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent, PlanEntryStatus,
    ResourceLink, SessionUpdate, StopReason, TextContent, TextResourceContents,
};
use serde_json::{Value, json};

use crate::world::{World, call, say, until, write};

/// TU-7, EV-4: a prompt is answered with streamed text; all hooks of the session and of the turn
/// fire, and the end of the input ends the session normally.
#[test]
fn a_turn_streams_text_and_fires_hooks() {
    let world = World::new([say("Hello from the model.")]);
    let noting = world.noting("hooks.log");
    let events = [
        "SessionStart",
        "BeforeAgent",
        "BeforeModel",
        "AfterAgent",
        "SessionEnd",
    ];
    let hooks = events.map(|event| (event, "note", noting.as_str()));
    let world = world.hooks(&hooks);
    let ((), ended) = world.edit(&[], async |editor| {
        let greeting = editor.initializes().await;
        assert!(greeting.agent_capabilities.load_session);
        let session = editor.opens(world.sandbox.project()).await.unwrap();
        let answer = editor.prompts(&session.session_id, "say hello").await;
        assert_eq!(answer.unwrap().stop_reason, StopReason::EndTurn);
        assert_eq!(
            editor.text().trim(),
            "5 hooks active\n\nHello from the model."
        );
    });
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(world.model_was_told("say hello"));
    assert_eq!(world.noted_events("hooks.log"), events);
    let noted = world.noted("hooks.log");
    assert_eq!(noted[1]["prompt"], "say hello");
    assert_eq!(noted[4]["reason"], "prompt_input_exit");
    assert!(
        noted
            .iter()
            .all(|it| it["session_id"] == noted[0]["session_id"])
    );
}

/// FD-11, TU-7: what a person writes in an editor is judged by hooks of Claude Code even after a
/// turn that hooks rejected until the limit.
#[test]
fn a_prompt_is_judged_after_the_limit_of_retries() {
    let world = World::new([say("one"), say("two"), say("never")]);
    let hook = |command: &str, dialect: &str| json!([{"hooks": [{"type": "command", "command": command, "dialect": dialect}]}]);
    let settings = json!({
        "hooksConfig": {"maxRetries": 1},
        "hooks": {
            "AfterAgent": hook("echo 'not done' >&2; exit 2", "hookloop"),
            "UserPromptSubmit": hook("grep -q SECRET && { echo no >&2; exit 2; }; exit 0", "claude-code"),
        }
    });
    world.sandbox.user_settings(&settings.to_string());
    let ((), _) = world.edit(&[], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "do it").await.unwrap();
        editor.prompts(&session, "a SECRET").await.unwrap();
    });
    assert_eq!(world.model.turns_asked().len(), 2);
    assert!(!world.model_was_told("SECRET"));
}

/// TU-7, TU-5: commands from files and prompts of servers are announced; a prompt that begins with
/// the name of one calls it, and hooks judge the result.
#[test]
fn commands_are_told_and_called() {
    let world = World::new([say("one"), say("two"), say("never")]);
    let file = world.sandbox.home().join(".gemini/commands/greet.toml");
    let text = "description = 'Greets'\nprompt = 'Say hello to {{args}}, as a file says.'\n";
    world.sandbox.file(file, text);
    let refuse = "grep -q 'hello to Mallory' && { echo 'not her' >&2; exit 2; }; exit 0";
    let settings = json!({
        "mcpServers": {"srv": {"command": hookloop_testkit::mcp_puppet(), "args": ["prompts"]}},
        "hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": refuse}]}]},
    });
    world.sandbox.user_settings(&settings.to_string());
    let ((), _) = world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let reported = || {
            let updates = editor.updates().into_iter();
            let commands = updates.filter_map(|it| match it {
                SessionUpdate::AvailableCommandsUpdate(update) => Some(update.available_commands),
                _ => None,
            });
            let names = commands.flatten().map(|it| it.name);
            names.collect::<Vec<String>>()
        };
        until("the commands are told", || {
            ["greet", "srv.greet"]
                .iter()
                .all(|it| reported().iter().any(|name| name == it))
        })
        .await;
        editor.prompts(&session, "/greet Ann").await.unwrap();
        editor.prompts(&session, "/srv.greet Bob").await.unwrap();
        editor.prompts(&session, "/greet Mallory").await.unwrap();
    });
    assert!(world.model_was_told("Say hello to Ann, as a file says."));
    assert!(world.model_was_told("Gladly") && !world.model_was_told("/srv.greet"));
    assert!(!world.model_was_told("Mallory"));
}

/// TU-7: a call is shown with its kind, its file and its change; the file on disk has it.
#[test]
fn a_call_is_shown_with_its_change() {
    let world = World::new([
        call(
            "replace",
            json!({"file_path": "a.txt", "old_string": "old", "new_string": "new"}),
        ),
        say("done"),
    ]);
    world.sandbox.file("a.txt", "an old line\n");
    let (calls, _) = world.edit(&["--approval-mode", "auto_edit"], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "edit").await.unwrap();
        assert!(editor.asked().is_empty());
        editor.calls()
    });
    let text = std::fs::read_to_string(world.path("a.txt")).unwrap();
    assert_eq!(text, "an new line\n");
    assert_eq!(calls[0]["kind"], "edit");
    assert_eq!(
        calls[0]["locations"][0]["path"],
        world.path("a.txt").to_str().unwrap()
    );
    let last = calls.last().unwrap();
    assert_eq!(last["toolCallId"], calls[0]["toolCallId"]);
    assert_eq!(last["status"], "completed");
    assert_eq!(
        last["content"],
        json!([{
            "type": "diff",
            "path": world.path("a.txt").to_str().unwrap(),
            "oldText": "an old line\n",
            "newText": "an new line\n",
        }])
    );
}

/// TU-7: the model reads what the person has open, saved or not; what the editor doesn't have, or
/// doesn't return in time, is read from the disk.
#[test]
fn what_is_open_is_read() {
    for (open, expected) in [
        (&[("a.txt", "a draft that isn't saved\n")][..], "a draft"),
        (&[("b.txt", "of another file\n")][..], "on the disk"),
        (&[("a.txt", "…")][..], "on the disk"),
    ] {
        let world = World::new([
            call("read_file", json!({"file_path": "a.txt"})),
            say("read"),
        ]);
        world.sandbox.file("a.txt", "on the disk\n");
        world.edit(&[], async |editor| {
            let session = editor.begins_with_open(open).await;
            editor.prompts(&session, "read").await.unwrap();
        });
        for text in ["a draft", "on the disk"] {
            assert_eq!(world.model_was_told(text), text == expected, "{open:?}");
        }
    }
}

/// TU-7: a file with unsaved text isn't changed, and the model is told why; one that is saved is
/// changed.
#[test]
fn what_is_not_saved_is_not_overwritten() {
    for (open, is_changed) in [("on the disk\n", true), ("a draft\n", false)] {
        for tool in [
            call(
                "write_file",
                json!({"file_path": "a.txt", "content": "new\n"}),
            ),
            call(
                "replace",
                json!({"file_path": "a.txt", "old_string": "on the disk", "new_string": "new"}),
            ),
        ] {
            let world = World::new([tool, say("done")]);
            world.sandbox.file("a.txt", "on the disk\n");
            world.edit(&["--approval-mode", "auto_edit"], async |editor| {
                let session = editor.begins_with_open(&[("a.txt", open)]).await;
                editor.prompts(&session, "edit").await.unwrap();
            });
            let text = std::fs::read_to_string(world.path("a.txt")).unwrap();
            assert_eq!(text == "new\n", is_changed, "{open}");
            assert_eq!(text == "on the disk\n", !is_changed, "{open}");
            assert_eq!(world.model_was_told("unsaved changes"), !is_changed);
        }
    }
}

/// TU-7: if the editor's version of an existing file is unknown, because the editor doesn't answer
/// or fails, the file isn't changed, and the model is told why; a file that the editor doesn't know
/// is changed.
#[test]
fn what_nobody_knows_is_not_overwritten() {
    for (open, is_changed) in [("…", false), ("!", false), ("?", true)] {
        let write = json!({"file_path": "a.txt", "content": "new\n"});
        let world = World::new([call("write_file", write), say("done")]);
        world.sandbox.file("a.txt", "on the disk\n");
        world.edit(&["--approval-mode", "auto_edit"], async |editor| {
            let session = editor.begins_with_open(&[("a.txt", open)]).await;
            editor.prompts(&session, "edit").await.unwrap();
        });
        let text = std::fs::read_to_string(world.path("a.txt")).unwrap();
        assert_eq!(text == "new\n", is_changed, "{open}");
        assert_eq!(text == "on the disk\n", !is_changed, "{open}");
        assert_eq!(
            world.model_was_told("may have unsaved changes"),
            !is_changed,
            "{open}"
        );
    }
}

/// TU-7, TU-1: files that are named, by `@` or by a link, and embedded content reach the model; an
/// `@` in embedded content stays text.
#[test]
fn files_reach_the_model() {
    let world = World::new([say("read")]);
    world.sandbox.file("a.txt", "content of a\n");
    world.sandbox.file("b c.txt", "content of b\n");
    world.sandbox.file("secret.txt", "content of the secret\n");
    let uri = |name: &str| format!("file://{}", world.path(name).display());
    world.edit(&[], async |editor| {
        let session = editor.begins().await;
        let unsaved = TextResourceContents::new("a note, see @secret.txt", "note:1");
        let unsaved = EmbeddedResourceResource::TextResourceContents(unsaved);
        let link = ResourceLink::new("b", uri("b%20c.txt"));
        let blocks = vec![
            ContentBlock::Text(TextContent::new("compare @a.txt with ")),
            ContentBlock::ResourceLink(link),
            ContentBlock::Resource(EmbeddedResource::new(unsaved)),
        ];
        editor.sends(&session, blocks).await.unwrap();
    });
    for text in ["content of a", "content of b", "a note, see"] {
        assert!(world.model_was_told(text), "{text}");
    }
    assert!(!world.model_was_told("content of the secret"));
}

/// TU-7, EV-4: an image is sent to the model, and hooks of the prompt read that it exists; of a
/// file that the editor embeds, the model reads what hooks of `read_file` let through, and nothing
/// of what the editor sent.
#[test]
fn images_go_along_and_embedded_files_are_judged() {
    let world = World::new([say("seen")]);
    let noting = world.noting("hooks.log");
    let refuse = "grep -q secret.txt && { echo no >&2; exit 2; }; exit 0";
    let settings = json!({"hooks": {
        "BeforeAgent": [{"hooks": [{"type": "command", "command": noting}]}],
        "BeforeTool": [{"matcher": "read_file", "hooks": [{"type": "command", "command": refuse}]}],
    }});
    world.sandbox.user_settings(&settings.to_string());
    world.sandbox.file("open.txt", "on disk, in the open\n");
    world.sandbox.file("secret.txt", "on disk, a secret\n");
    let sent = |name: &str| {
        let uri = format!("file://{}", world.path(name).display());
        let sent = TextResourceContents::new(format!("sent of {name}"), uri);
        let sent = EmbeddedResourceResource::TextResourceContents(sent);
        ContentBlock::Resource(EmbeddedResource::new(sent))
    };
    let ((), _) = world.edit(&[], async |editor| {
        let greeting = editor.initializes().await;
        let takes = greeting.agent_capabilities.prompt_capabilities;
        assert!(takes.image && takes.embedded_context);
        let session = editor.opens(world.sandbox.project()).await.unwrap();
        let blocks = vec![
            ContentBlock::Text(TextContent::new("look at ")),
            ContentBlock::Image(ImageContent::new("iVBORw0KGgo=", "image/png")),
            sent("open.txt"),
            sent("secret.txt"),
        ];
        editor.sends(&session.session_id, blocks).await.unwrap();
    });
    for text in ["iVBORw0KGgo=", "on disk, in the open"] {
        assert!(world.model_was_told(text), "{text}");
    }
    for text in ["on disk, a secret", "sent of"] {
        assert!(!world.model_was_told(text), "{text}");
    }
    let prompt = world.noted("hooks.log")[0]["prompt"].to_string();
    assert!(prompt.contains("image/png"), "{prompt}");
}

/// TU-7: modes are those of the terminal: a mode without questions can't be reached, plan mode
/// writes nothing, and edits that needn't be asked about aren't.
#[test]
fn modes_are_obeyed() {
    let world = World::new([
        write("planned.txt"),
        say("no"),
        write("edited.txt"),
        say("yes"),
    ]);
    let ((), _) = world.edit(&[], async |editor| {
        use agent_client_protocol::v1::schema::SetSessionModeRequest;
        editor.initializes().await;
        let opened = editor.opens(world.sandbox.project()).await.unwrap();
        let modes = serde_json::to_value(opened.modes.unwrap()).unwrap();
        assert_eq!(modes["currentModeId"], "default");
        let offered: Vec<&Value> = modes["availableModes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["id"])
            .collect();
        assert_eq!(offered, ["default", "auto_edit", "plan"]);
        let session = opened.session_id;
        let set = |mode: &'static str| {
            let request = SetSessionModeRequest::new(session.clone(), mode);
            editor.agent.send_request(request).block_task()
        };
        let refused = set("yolo").await.unwrap_err();
        assert!(refused.message.contains("--yolo"), "{refused:?}");
        set("plan").await.unwrap();
        editor.prompts(&session, "write").await.unwrap();
        set("auto_edit").await.unwrap();
        editor.prompts(&session, "write").await.unwrap();
        assert!(editor.asked().is_empty());
    });
    assert!(!world.path("planned.txt").exists());
    assert!(world.path("edited.txt").exists());
}

/// TU-7: the model's list of tasks is the editor's plan.
#[test]
fn tasks_are_a_plan() {
    let todos = json!({"todos": [
        {"description": "one", "status": "completed"},
        {"description": "two", "status": "in_progress"},
    ]});
    let world = World::new([call("write_todos", todos), say("listed")]);
    let (updates, _) = world.edit(&[], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "plan").await.unwrap();
        editor.updates()
    });
    let plan = updates.into_iter().find_map(|update| match update {
        SessionUpdate::Plan(plan) => Some(plan),
        _ => None,
    });
    let entries = plan.unwrap().entries;
    let stand: Vec<_> = entries.iter().map(|it| it.status.clone()).collect();
    assert_eq!(
        stand,
        [PlanEntryStatus::Completed, PlanEntryStatus::InProgress]
    );
}
