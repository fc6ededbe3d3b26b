//! Prompts of servers: slash commands whose text a server writes (TO-3, EV-4).

use hookloop_mcp::McpPrompt;
use serde_json::json;

use super::scene::{Scene, Stage, log, until};

fn prompts(scene: &Scene, taken: &[&str]) -> Vec<McpPrompt> {
    scene.servers.prompts(&|name| taken.contains(&name))
}

fn commands(scene: &Scene, taken: &[&str]) -> Vec<String> {
    let prompts = prompts(scene, taken).into_iter();
    prompts.map(|it| it.command).collect()
}

async fn text(scene: &Scene, command: &str, typed: &str) -> Result<String, String> {
    let prompts = prompts(scene, &[]);
    let prompt = prompts.iter().find(|it| it.command == command);
    let prompt = prompt.expect("a prompt");
    let text = scene.servers.prompt_text(prompt, typed, &scene.cancel);
    text.await.map_err(|error| error.message)
}

/// TO-3: a prompt is called by its name with its arguments, and all of its messages count.
#[tokio::test]
async fn a_prompt_is_called_with_its_arguments() {
    let stage = Stage::new();
    let file = stage.path("log");
    let actions = ["log", file.to_str().expect("a path"), "prompts"];
    let scene = stage.puppet("srv", &actions).ready().await;
    let greet = prompts(&scene, &[]).remove(0);
    assert_eq!(
        (greet.command.as_str(), greet.server.as_str()),
        ("greet", "srv")
    );
    assert_eq!(greet.description, "Greets somebody");
    let arguments: Vec<(&str, bool)> = greet
        .arguments
        .iter()
        .map(|it| (it.name.as_str(), it.is_required))
        .collect();
    assert_eq!(arguments, [("name", true), ("style", false)]);
    let greeting = text(&scene, "greet", "the world --style=\"very kind\"").await;
    let arguments = json!({"style": "very kind", "name": "the world"});
    let expected = format!("Greet {arguments} @secret.txt\n\n[assistant]\nGladly.");
    assert_eq!(greeting, Ok(expected));
    assert!(log(&file).contains(&"prompts/get greet".to_owned()));
}

/// TO-3: a prompt whose name is taken is called `server.prompt`, and one for which that is taken
/// too is reported.
#[tokio::test]
async fn taken_names_give_way() {
    let scene = Stage::new()
        .puppet("one", &["prompts"])
        .puppet("my server", &["prompts"])
        .ready()
        .await;
    let given = commands(&scene, &["huge", "one.void", "void"]);
    let expected = [
        "greet",
        "one.huge",
        "my-server.greet",
        "my-server.huge",
        "my-server.void",
    ];
    assert_eq!(given, expected);
    assert_eq!(commands(&scene, &["huge", "one.void", "void"]), expected);
    scene.assert_told(&["\"one\"", "prompt \"void\"", "/one.void"]);
    assert_eq!(scene.notices().len(), 1, "{:?}", scene.notices());
}

/// TO-3: what can't be sent completely isn't sent: wrong arguments, no text, too much of it.
#[tokio::test]
async fn half_a_prompt_is_none() {
    let stage = Stage::new();
    let file = stage.path("log");
    let actions = ["log", file.to_str().expect("a path"), "prompts"];
    let scene = stage.puppet("srv", &actions).ready().await;
    for (command, typed, cause) in [
        ("greet", "", "it needs name"),
        ("greet", "--who=me", "no argument \"who\""),
        ("void", "me", "it takes no arguments"),
        ("void", "", "empty"),
        ("huge", "", "longer than 262144 bytes"),
    ] {
        let refused = text(&scene, command, typed).await.expect_err("no text");
        assert!(refused.contains(cause), "{refused}");
        assert!(
            refused.contains(&format!("/{command} wasn't sent")),
            "{refused}"
        );
    }
    let asked = log(&file)
        .into_iter()
        .filter(|it| it.starts_with("prompts/get"));
    assert_eq!(
        asked.collect::<Vec<_>>(),
        ["prompts/get void", "prompts/get huge"]
    );
    let greet = prompts(&scene, &[]).remove(0);
    scene.cancel.cancel();
    let cancelled = scene.servers.prompt_text(&greet, "me", &scene.cancel).await;
    let cancelled = cancelled.expect_err("no text");
    assert_eq!(cancelled.kind, hookloop_tools::ErrorKind::Cancelled);
}

/// TO-3: a server that gets a new prompt and says so has one more command.
#[tokio::test]
async fn changed_prompts_are_followed() {
    let scene = Stage::new().puppet("srv", &["prompts"]).ready().await;
    assert_eq!(commands(&scene, &[]), ["greet", "huge", "void"]);
    scene.call("mcp__srv__learn", json!({})).await;
    until("the prompt is there", || commands(&scene, &[]).len() == 4).await;
    assert_eq!(text(&scene, "extra", "").await, Ok("More".to_owned()));
}

/// TO-3: a server that wants to use the model is refused, and told why.
#[tokio::test]
async fn sampling_is_refused() {
    let scene = Stage::new().puppet("srv", &[]).ready().await;
    let output = scene.call("mcp__srv__sample", json!({})).await;
    assert!(
        output.llm_content.contains("sampling is refused"),
        "{output:?}"
    );
}
