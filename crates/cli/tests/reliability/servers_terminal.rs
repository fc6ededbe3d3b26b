//! A model's server that misbehaves, seen in a terminal.

use hookloop_testkit::Sandbox;
use hookloop_testkit::model_server::{ModelServer, Reply};
use portable_pty::CommandBuilder;

use crate::service::Service;
use crate::terminal::Session;

fn start(sandbox: &Sandbox, service: Service, server: &ModelServer) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
    command.env_clear();
    for (name, value) in sandbox.variables() {
        command.env(name, value);
    }
    for (name, value) in service.variables(&server.url()) {
        command.env(name, value);
    }
    let system = sandbox.root().join("system.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    command.env("TERM", "xterm-256color");
    command.cwd(sandbox.project());
    Session::start(command, 120)
}

/// MO-1, TU-1: a retry is reported above the input line, and doesn't disturb the screen.
#[test]
fn a_retry_is_told_on_the_screen() {
    for service in Service::ALL {
        let failed = Reply::json("500 Internal Server Error", r#"{"error":{"message":"oh"}}"#);
        let server = ModelServer::start([failed, service.says("all is well")]);
        let sandbox = Sandbox::new();
        let mut session = start(&sandbox, service, &server);
        session.sends("hello");
        session.sees("500: the server failed: oh");
        session.sees("all is well");
        session.is_at_prompt();
        let rows = session.rows();
        let place = |text: &str| rows.iter().position(|row| row.contains(text));
        let shown_at = place("the model's server").unwrap();
        assert!(!rows[shown_at].starts_with('>'), "{}", rows.join("\n"));
        assert!(place("hello") < Some(shown_at), "{}", rows.join("\n"));
        assert!(Some(shown_at) < place("all is well"), "{}", rows.join("\n"));
    }
}

/// MO-1, LO-4: a call that fails is reported, and the next prompt includes what was shown.
#[test]
fn a_session_goes_on_after_a_failure() {
    for service in Service::ALL {
        let mut replies = vec![service.begins("tok-half").close(); 4];
        replies.push(Reply::events(&["<html>"]));
        replies.push(service.says("all is well"));
        let server = ModelServer::start(replies);
        let sandbox = Sandbox::new();
        let mut session = start(&sandbox, service, &server);
        session.sends("first");
        session.sees("the answer was cut off");
        session.sends("second");
        session.sees("the answer can't be read");
        session.sends("third");
        session.sees("all is well");
        let said = service.conversation(&server.requests()[5]);
        let roles: Vec<&str> = said.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", service.model(), "user"]);
        let texts: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
        let half = texts[1].strip_prefix("tok-half\n\n[This answer is incomplete: ");
        assert!(texts[0] == "first" && half.is_some(), "{texts:?}");
        assert!(texts[2].starts_with("second") && texts[2].ends_with("third"));
    }
}
