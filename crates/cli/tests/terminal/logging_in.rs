//! `/mcp auth` through a terminal (TO-3, TR-11).

use hookloop_testkit::log_in::{consent, server_with_log_in};
use serde_json::json;

use crate::world::{ESCAPE, Session, World};

/// Stores tokens in files, and shows addresses where a browser could be.
const VARIABLES: [(&str, &str); 1] = [("GEMINI_FORCE_FILE_STORAGE", "true")];

/// Returns the address that has to be opened, as somebody copies it: rows that the terminal wrapped
/// are one line to it.
fn address(session: &Session) -> String {
    let bytes = session.bytes();
    let (_, rest) = bytes.rsplit_once("http://127.0.0.1").unwrap();
    let end = rest.find(|it: char| it.is_whitespace() || it.is_control());
    format!("http://127.0.0.1{}", &rest[..end.unwrap()])
}

/// TO-3, TU-2: a person logs in at a server, whose tools are the model's from then on; the address
/// can be copied completely from a narrow terminal too; if cancelled, nothing is granted; and the
/// log-in can be deleted.
#[test]
fn a_person_logs_in() {
    let server = server_with_log_in();
    let world = World::new();
    let servers = json!({"web": {"httpUrl": format!("{}/mcp", server.url())}});
    world
        .sandbox
        .user_settings(&json!({ "mcpServers": servers }).to_string());
    let mut session = world.start_on(60, &VARIABLES, &[]);
    session.sees("/mcp auth web");
    session.sends("/mcp auth web");
    session.sees("/authorize?");
    session.types(ESCAPE);
    session.sees("Nothing was authorised");
    session.sends("/tools");
    session.sees("Tools of the model");
    assert!(!session.bytes().contains("mcp__web__look"));
    let earlier = session.bytes().matches("/authorize?").count();
    session.sends("/mcp auth web");
    hookloop_testkit::wait_until("another address", || {
        session.bytes().matches("/authorize?").count() > earlier
            && session.bytes().ends_with("\x1b[?2026l")
    });
    let page = consent(&address(&session));
    assert!(page.contains("You can close this window"), "{page}");
    session.is_at_prompt();
    session.sends("/tools");
    session.sees("mcp__web__look");
    session.sends("/mcp auth web --forget");
    session.is_at_prompt();
    session.sends("/exit");
    assert_eq!(session.ends(), 0);
    let mut session = world.start_on(60, &VARIABLES, &[]);
    session.sees("/mcp auth web");
    session.sends("/exit");
    assert_eq!(session.ends(), 0);
}
