//! Files that a prompt refers to with `@path` (TU-1).

use crate::world::{CONTROL_D, World};

/// TU-1, BM-1: the model reads the file with the prompt, hooks of the model see all of it, and
/// those of the agent the prompt as it was typed.
#[test]
fn a_file_goes_with_the_prompt() {
    let world = World::new().says(&["explained"]);
    world.sandbox.file("my notes.md", "a secret plan\n");
    let agent = world.noting("BeforeAgent");
    let model = world.noting("BeforeTool");
    let world = world.hooks(&[
        ("BeforeAgent", "agent", &agent),
        ("BeforeModel", "model", &model),
    ]);
    let mut session = world.start(&[]);
    let prompt = "explain @my\\ notes.md and @nothing/here.rs to me@host.org";
    session.sends(prompt);
    session.sees("With the content of my notes.md");
    session.sees("there is no file nothing/here.rs");
    session.sees("explained");
    assert_eq!(world.noted("BeforeAgent")[0]["prompt"], prompt);
    let seen = world.noted("BeforeTool")[0]["llm_request"].to_string();
    assert!(seen.contains("a secret plan"), "{seen}");
    session.types(CONTROL_D);
    session.ends();
}

/// TO-1: a file that `.geminiignore` hides isn't read, which is reported.
#[test]
fn a_hidden_file_is_left_out() {
    let world = World::new().says(&["answered"]);
    world.sandbox.file(".geminiignore", ".env\n");
    world.sandbox.file(".env", "KEY=hidden-value");
    let model = world.noting("BeforeTool");
    let world = world.hooks(&[("BeforeModel", "model", &model)]);
    let mut session = world.start(&[]);
    session.sends("read @.env");
    session.sees(".env is left out: an ignore file hides it");
    session.sees("answered");
    let seen = world.noted("BeforeTool")[0]["llm_request"].to_string();
    assert!(!seen.contains("hidden-value"));
}
