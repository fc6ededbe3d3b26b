//! `/model`: choosing the model (TU-2).

use hookloop_testkit::Sandbox;
use hookloop_testkit::model_server::{ModelServer, Reply};
use portable_pty::CommandBuilder;
use serde_json::json;

use crate::world::{ENTER, ESCAPE, Session, World};

const PRICES: &str = r#"{"model": {"name": "usual", "prices": {
    "dear-model": {"input": 9, "output": 9}, "cheap-model": {"input": 1, "output": 1}}}}"#;

fn world() -> World {
    let world = World::new().says(&["an answer"]).says(&["another one"]);
    let asked = world.noting("BeforeModel");
    std::fs::write(world.log("BeforeModel"), "").unwrap();
    let mut settings: serde_json::Value = serde_json::from_str(PRICES).unwrap();
    let hook = json!({"type": "command", "name": "note", "command": asked});
    settings["hooks"] = json!({"BeforeModel": [{"hooks": [hook]}]});
    world.sandbox.user_settings(&settings.to_string());
    world
}

fn model_of_last_request(world: &World) -> String {
    let requests = world.noted("BeforeModel");
    let last = requests.last().unwrap();
    last["llm_request"]["model"].as_str().unwrap().to_owned()
}

/// TU-2: in the middle of a session a model is found, chosen and used; Escape changes nothing, and
/// the choice is shown. It fits at 40 columns.
#[test]
fn a_model_is_chosen() {
    for columns in [120, 80, 40] {
        let world = world();
        let mut session = world.start_on(columns, &[], &[]);
        session.sends("first");
        session.sees("an answer");
        session.sends("/model");
        session.sees("Models · 1 of 3");
        session.sees("❯ usual (current)");
        session.types(ESCAPE);
        session.is_at_prompt();
        session.sends("/model");
        session.sees("Models · 1 of 3");
        session.types("/cheap");
        session.sees("/cheap  1 of 1");
        session.types(ENTER);
        session.sees("Model: cheap-model");
        session.sends("second");
        session.sees("another one");
        assert_eq!(model_of_last_request(&world), "cheap-model");
        session.sends("/model");
        session.sees("cheap-model (current)");
    }
}

/// TU-2, TU-5: if nothing is painted, the models are numbered and one is chosen by its number.
#[test]
fn a_model_is_chosen_by_its_number() {
    for (variables, options) in [
        (&[][..], &["--screen-reader"][..]),
        (&[("TERM", "dumb")], &[]),
    ] {
        let world = world();
        let mut session = world.start_on(80, variables, options);
        session.types("/model\r");
        session.sees("1) usual (current)");
        session.sees("2) dear-model");
        session.types("3\r");
        session.sees("Model: cheap-model");
        session.types("hello\r");
        session.sees("an answer");
        assert_eq!(model_of_last_request(&world), "cheap-model");
    }
}

/// MO-6: an alias is offered with the model that it stands for; that model is asked, with what is
/// set for it.
#[test]
fn an_alias_is_chosen() {
    let world = World::new().says(&["an answer"]);
    let asked = world.noting("BeforeModel");
    std::fs::write(world.log("BeforeModel"), "").unwrap();
    let settings = json!({
        "model": {"name": "usual", "settings": {"swift-*": {"maxOutputTokens": 900}}},
        "modelConfigs": {"customAliases": {"fast": {"modelConfig": {"model": "swift-1",
            "generateContentConfig": {"temperature": 0.5}}}}},
        "hooks": {"BeforeModel": [{"hooks": [{"type": "command", "name": "note", "command": asked}]}]}});
    world.sandbox.user_settings(&settings.to_string());
    let mut session = world.start_on(40, &[], &[]);
    session.sends("/model");
    session.sees("fast = swift-1");
    session.types("/fast");
    session.sees("/fast  1 of 1");
    session.types(ENTER);
    session.sees("Model: fast = swift-1");
    session.sends("hello");
    session.sees("an answer");
    assert_eq!(model_of_last_request(&world), "swift-1");
    let requests = world.noted("BeforeModel");
    let config = &requests.last().unwrap()["llm_request"]["config"];
    assert_eq!(config["temperature"], 0.5);
    assert_eq!(config["maxOutputTokens"], 900);
}

/// TU-2: the service's own list is requested when somebody wants to choose; a service without one
/// is reported, and a model can still be named.
#[test]
fn the_service_lists_its_models() {
    let list = json!({"data": [{"id": "model-b"}, {"id": "model-a"}]});
    let server = ModelServer::start([
        Reply::json("200 OK", &list.to_string()),
        Reply::json("404 Not Found", r#"{"error": {"message": "no list here"}}"#),
    ]);
    let sandbox = Sandbox::new();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
    command.env_clear();
    for (name, value) in sandbox.variables() {
        command.env(name, value);
    }
    let system = sandbox.root().join("system.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    command.env("OPENAI_BASE_URL", format!("{}/v1", server.url()));
    command.env("TERM", "xterm-256color");
    command.cwd(sandbox.project());
    command.args(["-m", "mine"]);
    let mut session = Session::start(command, 80);
    session.sends("/model");
    session.sees("Models · 1 of 3");
    session.types("\x1b[B");
    session.sees("❯ model-a");
    session.types(ENTER);
    session.sees("Model: model-a");
    session.sends("/model");
    session.sees("no list here");
    session.sees("No other model is known");
    session.sends("/model named");
    session.sees("Model: named");
    assert!(server.requests()[0].line.starts_with("GET /v1/models"));
}
