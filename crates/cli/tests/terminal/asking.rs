//! The model's questions to the user (`ask_user`).

use serde_json::{Value, json};

use crate::world::{CONTROL_C, ENTER, ESCAPE, World};

fn asks(world: World, questions: &Value) -> World {
    world.calls("ask_user", &json!({ "questions": questions }))
}

fn databases() -> Value {
    json!([{
        "question": "Which database?",
        "header": "Storage",
        "type": "choice",
        "options": [
            { "label": "SQLite", "description": "a file" },
            { "label": "PostgreSQL", "description": "a server" },
        ],
    }])
}

/// TU-1: a choice, own words and yes or no reach the model, in order.
#[test]
fn answers_reach_the_model() {
    let questions = json!([
        databases()[0],
        { "question": "Which name?", "type": "text", "placeholder": "such as demo" },
        { "question": "Shall I begin?", "type": "yesno" },
    ]);
    let world = asks(World::new(), &questions).says(&["thank you"]);
    let note = world.noting("BeforeTool");
    let world = world.hooks(&[("AfterTool", "note", &note)]);
    let mut session = world.start(&[]);
    session.sends("go");
    session.sees("Which database?");
    session.sees("❯ 1. SQLite");
    session.types("\x1b[B");
    session.sees("❯ 2. PostgreSQL");
    session.types(ENTER);
    session.sees("such as demo");
    session.types("shop\r");
    session.sees("Shall I begin?");
    session.types("y");
    session.sees("thank you");
    session.sees("Storage → PostgreSQL");
    let content = &world.noted("BeforeTool")[0]["tool_response"]["llmContent"];
    let content: Value = serde_json::from_str(content.as_str().unwrap()).unwrap();
    let expected = json!({ "0": "PostgreSQL", "1": "shop", "2": "Yes" });
    assert_eq!(content["answers"], expected);
}

/// TU-1, LO-4: Escape tells the model that there is no answer, and Ctrl+C ends the turn.
#[test]
fn a_question_is_dismissed_or_cancelled() {
    let world = asks(World::new(), &databases()).says(&["then I decide"]);
    let world = asks(world, &databases()).says(&["still here"]);
    let mut session = world.start_on(40, &[("NO_COLOR", "1")], &[]);
    session.sends("go");
    session.sees("3. Other, in your own words");
    session.types(ESCAPE);
    session.sees("then I decide");
    session.sends("again");
    session.sees("3. Other, in your own words");
    session.types(CONTROL_C);
    session.sees("Request cancelled.");
    session.sends("hello");
    session.sees("still here");
}

/// BT-1: a hook that refuses the call keeps the question from the user.
#[test]
fn a_refused_question_is_not_asked() {
    let world = asks(World::new(), &databases()).says(&["understood"]);
    let world = world.hooks(&[("BeforeTool", "guard", "echo 'ask nobody' >&2; exit 2")]);
    let mut session = world.start(&[]);
    session.sends("go");
    session.sees("Tool execution blocked: ask nobody");
    session.sees("understood");
    assert!(!session.bytes().contains("Other, in your own words"));
}

/// TU-4: a terminal that disconnects while a question is open ends the session.
#[test]
fn a_hang_up_ends_the_question() {
    let world = asks(World::new(), &databases());
    let mut session = world.start(&[]);
    session.sends("go");
    session.sees("3. Other, in your own words");
    session.hang_up();
    session.ends();
}
