//! `/rewind`: back to an earlier prompt, with files or without (TU-5).

use serde_json::json;

use crate::world::{CONTROL_D, ENTER, World};

const DOWN: &str = "\x1b[B";

/// TU-5: files and conversation are what they were before a prompt, which is in the input line; the
/// model isn't told what came after, even in a resumed session.
#[test]
fn files_and_conversation_go_back() {
    let write = |text: &str| json!({ "file_path": "notes.md", "content": text });
    let world = World::new()
        .calls("write_file", &write("one\n"))
        .says(&["first answer"])
        .calls("write_file", &write("two\n"))
        .says(&["second answer"])
        .says(&["third answer"])
        .says(&["fourth answer"]);
    let note = world.noting("BeforeTool");
    let world = world.hooks(&[("BeforeModel", "note", &note)]);
    let mut session = world.start(&["--yolo"]);
    session.sends("write one");
    session.sees("first answer");
    session.sends("write two");
    session.sees("second answer");
    session.sends("/rewind");
    session.sees("Go back to before this prompt");
    session.types(ENTER);
    session.sees("Files that would be restored:");
    session.sees("conversation and files");
    session.types(ENTER);
    session.sees("1 file has been restored.");
    session.sees("The previous content is saved in");
    session.sees("> write two");
    let text = std::fs::read_to_string(world.path("notes.md")).unwrap();
    assert_eq!(text, "one\n");
    session.types(" again\r");
    session.sees("third answer");
    let requests = world.noted("BeforeTool");
    let request = requests.last().unwrap()["llm_request"].to_string();
    assert!(request.contains("first answer") && request.contains("write two again"));
    assert!(!request.contains("second answer"));
    session.is_at_prompt();
    session.types(CONTROL_D);
    session.ends();
    let session = world.start(&["--resume"]);
    session.sees("third answer");
    assert!(
        !session
            .rows()
            .iter()
            .any(|row| row.contains("second answer"))
    );
}

/// TU-5, TR-8: what somebody changed since is overwritten only after consent to that, and files
/// that guards depend on stay unchanged.
#[test]
fn later_changes_and_guards_are_not_overwritten_silently() {
    let arguments = json!({ "file_path": "notes.md", "content": "of the model\n" });
    let world = World::new()
        .calls("write_file", &arguments)
        .runs("echo '{}' > .gemini/settings.json")
        .says(&["all done"]);
    let world = world.project_hooks(&[("AfterAgent", "guard", "true")]);
    let settings = world.path(".gemini/settings.json");
    std::fs::write(world.path("notes.md"), "before\n").unwrap();
    let mut session = world.start_on(120, &[], &["--yolo", "--skip-trust"]);
    session.sends("go");
    session.sees("3. No, suggest changes (esc)");
    session.answers("1");
    session.sees("all done");
    let after = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(world.path("notes.md"), "by hand\n").unwrap();
    for (keys, expected) in [("", "by hand\n"), (DOWN, "before\n")] {
        session.sends("/rewind");
        session.sees("Go back to before this prompt");
        session.types(ENTER);
        session.sees("somebody else has changed these since:");
        session.sees("guards depend on these files, so they stay");
        session.types(DOWN);
        session.types(DOWN);
        session.types(ENTER);
        session.sees("Files have been changed since");
        session.types(keys);
        session.types(ENTER);
        session.sees("been restored.");
        session.is_at_prompt();
        let text = std::fs::read_to_string(world.path("notes.md")).unwrap();
        assert_eq!(text, expected);
        session.types("\x0c");
    }
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), after);
}

/// TU-5, EV-4: what `/rewind` restores passes through the hooks of `write_file`: what one refuses,
/// or would have rewritten, stays unchanged and is named; if one asks, the person decides.
#[test]
fn what_goes_back_passes_hooks() {
    let refuses = "if grep -q KEY; then echo 'no keys in files' >&2; exit 2; fi";
    let rewrites = r#"grep -q write_file && echo '{"hookSpecificOutput": {"tool_input": {"content": "other"}}}'"#;
    let asks =
        r#"grep -q write_file && echo '{"decision": "ask", "reason": "a file of the team"}'"#;
    for (hook, keys, told, expected) in [
        (refuses, "", "stays as it is: ", "later"),
        (rewrites, "", "requires different content", "later"),
        (asks, ENTER, "stays as it is: ", "later"),
        (asks, "\x1b[B\r", "1 file has been restored.", "KEY"),
        ("true", "", "1 file has been restored.", "KEY"),
    ] {
        let world = World::new()
            .runs("echo later > notes.md")
            .says(&["all done"])
            .hooks(&[("BeforeTool", "guard", hook)]);
        std::fs::write(world.path("notes.md"), "KEY\n").unwrap();
        let mut session = world.start_on(120, &[], &["--yolo"]);
        session.sends("go");
        session.sees("all done");
        session.sends("/rewind");
        session.sees("Go back to before this prompt");
        session.types(ENTER);
        session.sees("conversation and files");
        session.types(ENTER);
        if !keys.is_empty() {
            session.sees("a file of the team");
            session.types(keys);
        }
        session.sees(told);
        session.sees("The conversation is back where it was before this prompt.");
        let text = std::fs::read_to_string(world.path("notes.md")).unwrap();
        assert_eq!(text.trim(), expected, "{hook}");
    }
}
