//! Files that a prompt refers to with `@path`: each is a call of `read_file` for its hooks and the
//! policy (TU-1, EV-4).

use hookloop_agent::{Consent, ToolPattern, TurnEnd};
use hookloop_events::ToolArguments;
use serde_json::{Value, json};

use super::stage::{
    Act, Plot, Screen, Shown, Stage, StubTool, adds, asks, denies, rewrites, stops, text,
};

/// A tool that reads files takes their paths.
const FOUND: &str = "the words of";

fn reading() -> Plot {
    Plot::of([text("I see"), text("more")]).tool(StubTool::saying("read_file", FOUND))
}

/// Does this for the file of this name.
fn at_file(name: &'static str, act: Act) -> Act {
    Act::decides(move |input| {
        let path = input["tool_input"]["file_path"].as_str();
        if path.is_some_and(|it| it.ends_with(name)) {
            act.clone()
        } else {
            Act::silent()
        }
    })
}

/// Returns which of these files' words were sent to the model in the first request.
fn sent<'n>(stage: &Stage, names: &[&'n str]) -> Vec<&'n str> {
    let request = stage.model.requests()[0].json.replace('\\', "");
    let has =
        |name: &&&str| request.contains(&format!("{FOUND} {{\"file_path\":\"/project/{name}\"}}"));
    names.iter().filter(has).copied().collect()
}

/// TU-1, EV-4, LO-1: files are read through the hooks of `read_file` before the prompt's own hooks,
/// which read the prompt as it was typed; nobody is asked, and no call is shown.
#[tokio::test]
async fn files_are_read_before_the_prompt_is_judged() {
    let mut plot = reading();
    for event in ["BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"] {
        plot = plot.hook(event, "watch", Act::silent());
    }
    let mut stage = plot.stage().await;
    assert_eq!(
        stage.prompt_with("read @a", &["a"]).await,
        TurnEnd::Completed
    );
    let order = [
        "BeforeTool",
        "ran",
        "AfterTool",
        "BeforeAgent",
        "asked",
        "AfterAgent",
    ];
    assert_eq!(stage.order(), order);
    let called = &stage.read_by("BeforeTool")[0];
    assert_eq!(called["tool_name"], "read_file");
    assert_eq!(called["tool_input"], json!({"file_path": "/project/a"}));
    for event in ["BeforeAgent", "AfterAgent"] {
        assert_eq!(stage.read_by(event)[0]["prompt"], "read @a");
    }
    assert_eq!(sent(&stage, &["a"]), ["a"]);
    assert!(stage.screen.reasons().is_empty());
    let shown = stage.screen.shown();
    let is_call = |it: &Shown| matches!(it, Shown::Requested(_) | Shown::Finished { .. });
    assert!(!shown.iter().any(is_call), "{shown:?}");
    stage.assert_whole();
}

/// TU-1, EV-4, BT-1, BT-5, AT-1: a file that hooks refuse, withhold or ask about without success is
/// left out and the person is told; the others are sent, and so is the prompt.
#[tokio::test]
async fn a_refused_file_is_left_out() {
    for (event, act, asked) in [
        ("BeforeTool", denies("no"), 0),
        ("BeforeTool", Act::exits(2, "no"), 0),
        ("BeforeTool", asks("sure?"), 1),
        ("AfterTool", denies("private"), 0),
    ] {
        let mut plot = reading().hook(event, "guard", at_file("b", act));
        plot.screen = Screen::answering([Consent::Declined]);
        let mut stage = plot.stage().await;
        let names = ["a", "b", "c"];
        let end = stage.prompt_with("read @a @b @c", &names).await;
        assert_eq!(end, TurnEnd::Completed);
        assert_eq!(sent(&stage, &names), ["a", "c"], "{event}");
        assert_eq!(stage.screen.reasons().len(), asked, "{event}");
        assert_eq!(stage.screen.warnings().len(), 1, "{event}");
        assert!(stage.history_lines()[0].contains("read @a @b @c"));
        stage.assert_nowhere("b as it lay there");
        stage.prompt("on").await;
        let later = &stage.model.requests()[1].json.replace('\\', "");
        assert!(
            !later.contains("the words of {\"file_path\":\"/project/b\"}"),
            "{later}"
        );
        stage.assert_whole();
    }
}

/// TU-1, OUT-3: a stop at a file ends the turn before it begins: neither hooks of the prompt nor
/// the model are called, and nothing is kept; the session continues.
#[tokio::test]
async fn a_stop_at_a_file_ends_the_turn() {
    for event in ["BeforeTool", "AfterTool"] {
        let mut stage = reading()
            .hook(event, "brake", at_file("b", stops("halt")))
            .hook("BeforeAgent", "watch", Act::silent())
            .stage()
            .await;
        let end = stage.prompt_with("read @a @b", &["a", "b"]).await;
        assert!(matches!(&end, TurnEnd::Stopped(it) if it.as_str() == "halt"));
        assert!(stage.read_by("BeforeAgent").is_empty());
        assert!(stage.model.requests().is_empty());
        assert!(stage.history_lines().is_empty());
        assert!(!stage.transcript().contains(FOUND));
        assert_eq!(stage.prompt("on").await, TurnEnd::Completed);
        assert_eq!(stage.model.requests()[0].contents, ["user: on"]);
    }
}

/// Adds a list of patterns where it counts.
type PutList = fn(&mut Plot, Vec<ToolPattern>);

/// TU-1, TO-6: the settings' lists apply to files; naming one is consent to reading it, if the
/// settings ask.
#[tokio::test]
async fn files_obey_the_policy() {
    let pattern = || vec!["read_file".into()];
    let lists: [(PutList, Vec<&str>); 2] = [
        (|plot, list| plot.policy.excluded = list, vec![]),
        (
            |plot, list| plot.policy.confirmation_required = list,
            vec!["a"],
        ),
    ];
    for (put, expected) in lists {
        let mut plot = reading();
        put(&mut plot, pattern());
        let mut stage = plot.stage().await;
        assert_eq!(
            stage.prompt_with("read @a", &["a"]).await,
            TurnEnd::Completed
        );
        assert_eq!(sent(&stage, &["a"]), expected);
        assert_eq!(stage.ran().len(), expected.len());
        assert!(stage.screen.reasons().is_empty());
        stage.assert_nowhere("a as it lay there");
    }
}

/// TU-1, BT-5, BT-9: the person is asked a hook's question about a file, and also about a path by
/// which a hook replaced it, if the settings ask: nobody named that one.
#[tokio::test]
async fn what_hooks_make_of_a_path_is_asked_about() {
    let elsewhere = json!({"file_path": "/project/other"});
    for (act, reason, path) in [
        (asks("sure?"), Some("sure?".to_owned()), "/project/a"),
        (rewrites(&elsewhere), None, "/project/other"),
    ] {
        for (consent, ran) in [(Consent::Given, true), (Consent::Declined, false)] {
            let mut plot = reading().hook("BeforeTool", "guard", act.clone());
            plot.policy.confirmation_required = vec!["read_file".into()];
            plot.screen = Screen::answering([consent]);
            let mut stage = plot.stage().await;
            stage.prompt_with("read @a", &["a"]).await;
            assert_eq!(stage.screen.reasons(), std::slice::from_ref(&reason));
            let expected = vec![json!({"file_path": path}); usize::from(ran)];
            assert_eq!(stage.ran_with(), expected);
        }
    }
}

/// TU-1, BT-8: a person who is asked about a file may name another; hooks judge that one, too.
#[tokio::test]
async fn another_file_may_be_named() {
    let edited = |path: &str| {
        let arguments = [("file_path".to_owned(), Value::from(path))];
        Consent::Edited(ToolArguments::from_iter(arguments))
    };
    for (path, ran) in [("/project/b", 1), ("/project/secret", 0)] {
        let mut plot = reading()
            .hook("BeforeTool", "ask", at_file("/a", asks("sure?")))
            .hook("BeforeTool", "guard", at_file("secret", denies("no")));
        plot.screen = Screen::answering([edited(path)]);
        let mut stage = plot.stage().await;
        stage.prompt_with("read @a", &["a"]).await;
        assert_eq!(stage.ran_with(), vec![json!({"file_path": path}); ran]);
    }
}

/// TU-1, AT-2: many files come in the order in which they were named, each with what hooks add to
/// it.
#[tokio::test]
async fn many_files_keep_their_order() {
    let names: Vec<String> = (10..30).map(|n| format!("file-{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut stage = reading()
        .hook("AfterTool", "note", at_file("file-17", adds("a remark")))
        .stage()
        .await;
    stage.prompt_with("read them", &names).await;
    assert_eq!(sent(&stage, &names), names);
    let request = stage.model.requests()[0].json.clone();
    let places: Vec<usize> = names
        .iter()
        .map(|name| request.find(&format!("/project/{name}")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    let remark = request.find("a remark").unwrap();
    assert!(places[7] < remark && remark < places[8]);
}

/// LO-4, EV-5: a turn that is cancelled while its files are read calls no model, and keeps nothing.
#[tokio::test]
async fn a_turn_is_cancelled_while_files_are_read() {
    let plot = reading();
    let cancel = plot.cancel.clone();
    let cancels = Act::decides(move |_| {
        cancel.cancel();
        Act::Hangs
    });
    let names: Vec<String> = (0..20).map(|n| format!("file-{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut stage = plot
        .hook("BeforeTool", "slow", at_file("file-3", cancels))
        .hook("BeforeAgent", "watch", Act::silent())
        .stage()
        .await;
    assert_eq!(stage.prompt_with("read", &names).await, TurnEnd::Cancelled);
    assert!(stage.read_by("BeforeAgent").is_empty());
    assert!(stage.model.requests().is_empty() && stage.history_lines().is_empty());
    assert!(
        stage.ran().len() < 8,
        "no file behind the first ones is read"
    );
    assert_eq!(stage.prompt_anew("on").await, TurnEnd::Completed);
}
