//! Sessions in parallel and one after the other.

use agent_client_protocol::ErrorCode;
use agent_client_protocol::v1::schema::{
    ContentBlock, ListSessionsRequest, LoadSessionRequest, ResumeSessionRequest, SessionUpdate,
};

use crate::world::{World, say, write};

/// TU-7, SE-11: a session continues with what was said in it, which the editor is shown again when
/// it loads the session; hooks read that it is resumed.
#[test]
fn a_session_goes_on() {
    let world = World::new([write("a.txt"), say("First answer."), say("Second answer.")]);
    let noting = world.noting("hooks.log");
    let world = world.hooks(&[("SessionStart", "note", &noting)]);
    let (session, _) = world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        editor.prompts(&session, "first prompt").await.unwrap();
        session
    });
    let folder = world.sandbox.project();
    world.edit(&["--yolo"], async |editor| {
        editor.initializes().await;
        let list = ListSessionsRequest::new().cwd(folder.to_owned());
        let known = editor.agent.send_request(list).block_task().await.unwrap();
        assert_eq!(known.sessions[0].session_id, session);
        assert_eq!(known.sessions[0].title.as_deref(), Some("first prompt"));
        let load = LoadSessionRequest::new(session.clone(), folder);
        editor.agent.send_request(load).block_task().await.unwrap();
        let said = editor
            .updates()
            .into_iter()
            .find_map(|update| match update {
                SessionUpdate::UserMessageChunk(chunk) => Some(chunk.content),
                _ => None,
            });
        assert!(matches!(said, Some(ContentBlock::Text(text)) if text.text == "first prompt"));
        assert!(editor.text().contains("First answer."));
        assert_eq!(editor.calls()[0]["status"], "completed");
        editor.prompts(&session, "second prompt").await.unwrap();
    });
    assert!(world.model_was_told("First answer.") && world.model_was_told("second prompt"));
    let sources = world.noted("hooks.log").into_iter();
    let sources: Vec<_> = sources.map(|it| it["source"].clone()).collect();
    assert_eq!(sources, ["startup", "resume"]);
    world.edit(&[], async |editor| {
        editor.initializes().await;
        let resume = ResumeSessionRequest::new(session.clone(), folder);
        editor
            .agent
            .send_request(resume)
            .block_task()
            .await
            .unwrap();
        assert!(!editor.text().contains("First answer."));
        let again = LoadSessionRequest::new(session.clone(), folder);
        let again = editor.agent.send_request(again).block_task().await;
        assert!(again.is_err(), "it is already open");
        let other = LoadSessionRequest::new("no-such-session", folder);
        let other = editor.agent.send_request(other).block_task().await;
        let resume = ResumeSessionRequest::new("no-such-session", folder);
        let resume = editor.agent.send_request(resume).block_task().await;
        for error in [other.unwrap_err(), resume.unwrap_err()] {
            assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND, "{error:?}");
            assert!(error.message.contains("no-such-session"), "{error:?}");
            assert_eq!(error.data.unwrap()["sessionId"], "no-such-session");
        }
    });
}

/// TU-7: each session works in the folder for which it was opened, and its hooks run there.
#[test]
fn a_session_works_in_its_folder() {
    let world = World::new([write("a.txt"), say("done")]);
    let world = world.hooks(&[("BeforeTool", "where", "pwd > here; cat > /dev/null")]);
    let other = world.sandbox.root().join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    world.edit(&["--yolo"], async |editor| {
        editor.begins().await;
        let session = editor.opens(&other).await.unwrap().session_id;
        editor.prompts(&session, "write").await.unwrap();
        for folder in ["relative", "/no/such/folder"] {
            assert!(editor.opens(folder.as_ref()).await.is_err(), "{folder}");
        }
    });
    assert!(other.join("a.txt").exists());
    let here = std::fs::read_to_string(other.join("here")).unwrap();
    assert_eq!(here.trim(), other.canonicalize().unwrap().to_str().unwrap());
}
