//! What the model is told in addition to the conversation: context files of user and project, which
//! may have other names, and to whom they apply (TO-4, TO-5).

use std::fs;
use std::path::Path;

use hookloop_agent::{
    CompressionThreshold, ContextFile, TurnEnd, context_instruction, context_paths,
    read_context_files, user_context_paths,
};
use serde_json::json;

use super::delegates::{delegates, plot_with};
use super::desk::{Desk, FIRST, history};
use super::stage::{Answer, Plot, chunk, text};

/// A home folder and a project in it, with these files.
fn files(all: &[(&str, &str)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("project/sub")).unwrap();
    for (path, text) in all {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

/// Returns the context of a session in `project/sub`, with the workspace trusted or not.
fn context(home: &Path, names: &[&str], is_trusted: bool) -> Vec<ContextFile> {
    let project = home.join("project");
    let paths = if is_trusted {
        context_paths(&project.join("sub"), &project, home, &named(names))
    } else {
        user_context_paths(home, &named(names))
    };
    let (files, problems) = read_context_files(&paths);
    assert!(problems.is_empty(), "{problems:?}");
    files
}

/// TO-5: only files with the names in the settings count, from the most general to the most
/// specific; in a project that isn't trusted none does.
#[test]
fn files_of_the_chosen_names_count() {
    let home = files(&[
        (".gemini/GEMINI.md", "user"),
        (".gemini/AGENTS.md", "user's agents"),
        ("project/GEMINI.md", "project"),
        ("project/AGENTS.md", "project's agents"),
        ("project/sub/AGENTS.md", "folder's agents"),
        ("project/sub/below/GEMINI.md", "nobody is there"),
        ("GEMINI.md", "above the project"),
    ]);
    let table: [(&[&str], bool, &[&str]); 5] = [
        (&["GEMINI.md"], true, &["user", "project"]),
        (&["GEMINI.md"], false, &["user"]),
        (
            &["AGENTS.md"],
            true,
            &["user's agents", "project's agents", "folder's agents"],
        ),
        (
            &["AGENTS.md", "GEMINI.md"],
            true,
            &[
                "user's agents",
                "user",
                "project's agents",
                "project",
                "folder's agents",
            ],
        ),
        (&["NOTES.md"], true, &[]),
    ];
    for (names, is_trusted, expected) in table {
        let files = context(home.path(), names, is_trusted);
        let texts: Vec<&str> = files.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, expected, "{names:?} {is_trusted}");
    }
}

/// TO-5, SE-11: a changed instruction goes with each request from then on, is in no history, and
/// also applies to the session that replaces this one.
#[tokio::test]
async fn a_changed_instruction_counts_from_the_next_request_on() {
    let home = files(&[("project/GEMINI.md", "Speak in rhymes.")]);
    let desk = Desk::of(Plot::of(["a", "b", "c"].map(text)));
    let (mut session, _) = desk.play().await;
    let files = context(home.path(), &["GEMINI.md"], true);
    session.instruct(context_instruction(&files).unwrap());
    desk.prompt(&mut session, "two").await;
    assert!(!json!(history(&session)).to_string().contains("rhymes"));
    assert!(!json!(desk.entries(FIRST)).to_string().contains("rhymes"));
    desk.clear(&mut session).await;
    desk.prompt(&mut session, "three").await;
    let sent = desk.instructions.lock().unwrap().clone();
    assert_eq!(sent[0], "Be kind.");
    for sent in &sent[1..] {
        assert!(
            sent.contains("Speak in rhymes.") && !sent.contains("Be kind."),
            "{sent}"
        );
    }
}

/// TO-4, TO-5: a sub-agent gets the instruction in its own file, and nothing of the session's.
#[tokio::test]
async fn a_sub_agent_has_an_instruction_of_its_own() {
    let answers = [delegates("finder"), text("here"), text("thanks")];
    let desk = Desk::of(plot_with(&[("finder", "")], answers));
    let (_session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::Completed);
    let sent = desk.instructions.lock().unwrap().clone();
    assert_eq!(
        (sent[0].as_str(), sent[2].as_str()),
        ("Be kind.", "Be kind.")
    );
    assert!(sent[1].contains("You are finder."), "{}", sent[1]);
    assert!(!sent[1].contains("Be kind."), "{}", sent[1]);
}

/// PC-1: an instruction counts for what would be sent: a long one leads to a compression that a
/// short one doesn't.
#[tokio::test]
async fn a_long_instruction_counts() {
    let summary = Answer::Whole(chunk(json!([{"text": "notes"}]), Some("STOP")));
    for (words, count) in [(10, 0), (2_000, 1)] {
        let mut answers = vec![text(&"word ".repeat(300)), summary.clone(), text("b")];
        if count == 0 {
            answers.remove(1);
        }
        let mut plot = Plot::of(answers);
        plot.compression = CompressionThreshold::Tokens(1_500);
        let desk = Desk::of(plot);
        let (mut session, _) = desk.play().await;
        session.instruct("word ".repeat(words));
        desk.prompt(&mut session, "two").await;
        assert_eq!(desk.entries_of(FIRST, "compressed").len(), count, "{words}");
    }
}
