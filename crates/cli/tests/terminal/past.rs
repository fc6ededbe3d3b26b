//! Input of earlier sessions (TU-1).

use crate::world::{ENTER, World};

/// TU-1: input comes back in the next session, several lines intact, and is found by a search.
#[test]
fn earlier_sessions_are_remembered() {
    let world = World::new().says(&["first"]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.types("\x1b[200~one line\r\ntwo lines\x1b[201~");
    session.sees("  two lines");
    session.types(ENTER);
    session.sees("first");
    session.sends("/stats");
    session.sees("tools: 0 calls");
    session.sends("/quit");
    session.ends();
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.types("\x1b[A");
    session.sees("> /quit");
    session.types("\x1b[A\x1b[A");
    session.sees("  two lines");
    session.types("\x15\x7f\x15\x12stat");
    session.sees("search: stat");
    session.sees("> /stats");
    session.types(ENTER);
    session.types(ENTER);
    session.sees("tools: 0 calls");
}
