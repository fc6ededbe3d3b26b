//! Every screen as people read it, at 80 and 40 columns.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use hookloop_engine::RunResult;
use hookloop_hook::Mode;
use hookloop_text::{Notice, NoticeKind};
use serde_json::Map;
use tokio::sync::oneshot;

use super::tests::Screen;
use crate::attention::KeyHandling;
use crate::chooser::{Chooser, ChooserItem};
use crate::help;
use crate::hook_messages::HookRun;
use crate::message::{CallLine, FinishedTool, Message};
use crate::painter::Size;
use crate::panel::{Panel, PanelItem, PanelMark, PanelSwitch};
use crate::question::{Matter, Question};
use crate::slash::CustomCommand;
use crate::styled::{Line, Style, Tone, width};
use crate::trust::{self, TrustFile, TrustItem, TrustPrompt, TrustView};

const WIDTHS: [usize; 2] = [80, 40];

/// Compares a screen with its snapshot: what is finished, and below it what changes.
fn keep(name: &str, columns: usize, finished: &[String], live: &[String]) {
    for line in finished.iter().chain(live) {
        assert!(width(line) <= columns, "{name} at {columns}: {line:?}");
    }
    let text = format!(
        "{}\n~~~~~~~~ below, drawn anew ~~~~~~~~\n{}\n",
        finished.join("\n"),
        live.join("\n")
    );
    insta::assert_snapshot!(format!("{name}-{columns}"), text);
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::text).collect()
}

/// Does the same after an action.
fn screen(name: &str, act: impl Fn(&mut Screen)) {
    for columns in WIDTHS {
        let mut screen = Screen::new(columns);
        act(&mut screen);
        let finished = screen.finished();
        keep(name, columns, &finished, &screen.live());
    }
}

fn call(tool: &str, summary: &str) -> CallLine {
    CallLine {
        id: "1".to_owned(),
        tool: tool.to_owned(),
        summary: summary.into(),
    }
}

const ANSWER: &str = "# Plan\n\nFirst **look**, then `cargo test`. 日本語 and 🦀 have their widths.\n\n\
    1. one\n   - nested item that is long enough to be broken in two\n2. two\n\n\
    | name | what it does | count |\n|:--|:-:|--:|\n| guard | keeps commands from doing harm | 7 |\n\n\
    ```rust\nfn main() { println!(\"hello, world\"); } // a comment\n```\n\nand so";

const DIFF: &str = "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,2 +1,2 @@\n fn main() {\n-    old();\n+    new_and_much_longer_than_before(\"日本\", 42);\n";

/// TU-1, TU-4: the empty prompt, a text that streams, a tool that runs, and a finished one.
#[test]
fn screens_of_a_turn() {
    screen("prompt", |_| {});
    screen("streaming", |screen| {
        screen.view.begin_work(screen.now);
        screen.take(Message::ModelText(ANSWER.to_owned()));
        screen.now += Duration::from_secs(3);
    });
    screen("tool-running", |screen| {
        screen.view.begin_work(screen.now);
        let command = "cargo test --workspace --all-features -- --nocapture";
        screen.take(Message::ToolRequested(call("run_shell_command", command)));
        let (call_id, text) = ("1".to_owned(), "one\ntwo\nthree\nfour\n".to_owned());
        screen.take(Message::ToolProgress { call_id, text });
        screen.now += Duration::from_secs(75);
    });
    screen("diff", |screen| {
        screen.take(Message::ToolFinished(FinishedTool {
            call: call("write_file", "src/main.rs"),
            display: DIFF.to_owned(),
            error: None,
            was_cut_short: false,
        }));
    });
    screen("error", |screen| {
        let why = "Error executing tool run_shell_command: Tool execution blocked: this command \
            deletes what nobody can bring back";
        screen.take(Message::ToolFinished(FinishedTool {
            call: call("run_shell_command", "rm -rf /"),
            display: String::new(),
            error: Some(why.to_owned()),
            was_cut_short: false,
        }));
        let text = "Error: the model's answer was cut: the stream ended without a finish reason";
        screen.take(Message::Said(Notice::new(NoticeKind::Error, text)));
        let text = "[WARNING] hook \"guard\" (/p/.gemini/settings.json:5:9) failed: exit code 3";
        screen.take(Message::Said(Notice::new(NoticeKind::Warning, text)));
    });
}

/// TU-3, TU-6: the dialog says which hook asks, and why.
#[test]
fn screens_of_the_dialog() {
    screen("dialog", |screen| {
        screen.view.begin_work(screen.now);
        let question = Question {
            call: "1".to_owned(),
            matter: Matter::Call {
                tool: "run_shell_command".to_owned(),
                subject: vec![
                    Line::new("$ ", Tone::Faint)
                        .with("git push --force origin main", Style::default().strong()),
                    Line::new("in /home/me/project", Tone::Faint),
                ],
            },
            arguments: Map::new().into(),
            remarks: vec![
                Line::new(
                    "The hook \"branch-policy\" asks: main is protected",
                    Tone::Warning,
                ),
                Line::new("Hook system message: ask in #releases first", Tone::Accent),
            ],
            always: Some("commands that begin with git push; the hook may ask again".to_owned()),
        };
        let (answer, _) = oneshot::channel();
        screen.take(Message::Asked(Box::new(question), answer));
        screen.look();
    });
}

fn panel_item(event: &str, name: &str, mark: PanelMark) -> PanelItem {
    let detail = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    PanelItem {
        id: name.to_owned(),
        event: event.to_owned(),
        name: name.to_owned(),
        layer: "project".to_owned(),
        command: format!("./hooks/{name}.sh"),
        mark,
        switch: PanelSwitch::Off,
        last_result: (mark == PanelMark::Enabled).then(|| "refused".to_owned()),
        times: (mark == PanelMark::Enabled).then(|| "12/340 ms".to_owned()),
        details: vec![
            detail(
                "description",
                "Keeps commands from doing harm that nobody can undo.",
            ),
            detail("status", "enabled"),
            detail("command", "./hooks/guard.sh\n--strict"),
            detail(
                "source",
                "project /home/me/project/.gemini/settings.json:5:9",
            ),
            detail(
                "in shadow",
                "in 12 runs it would have refused 3 and asked 1; 0 failed",
            ),
        ],
    }
}

/// CM-1, TU-6: the panel's list and the details of a hook.
#[test]
fn screens_of_the_panel() {
    let items = vec![
        panel_item("BeforeTool", "guard", PanelMark::Enabled),
        panel_item(
            "BeforeTool",
            "format-everything-that-was-touched",
            PanelMark::Disabled,
        ),
        panel_item("SessionEnd", "通知", PanelMark::Untrusted),
    ];
    let notes = vec!["1 problem of the settings: /hooks check".to_owned()];
    for columns in WIDTHS {
        let size = Size { columns, rows: 24 };
        let mut panel = Panel::new(items.clone(), notes.clone());
        keep("panel", columns, &[], &texts(&panel.live(size).lines));
        panel.key(KeyCode::Enter.into(), size);
        keep(
            "panel-details",
            columns,
            &[],
            &texts(&panel.live(size).lines),
        );
    }
}

/// TU-2, TU-5: help, completion, `/stats` and a list to choose from.
#[test]
fn screens_of_commands() {
    let known = [CustomCommand {
        name: "git:review".to_owned(),
        note: "[project] Reviews what is staged".to_owned(),
        arguments: Vec::new(),
    }];
    screen("help", |screen| {
        let text = help::text(&known);
        screen.take(Message::Said(Notice::new(NoticeKind::Answer, text)));
    });
    screen("completion", |screen| screen.write("/re"));
    screen("stats", |screen| {
        let text = "This session so far:\n  gemini-2.5-pro: 3 requests, 0 failed, 1200 tokens in (200 of \
            them cached), 300 tokens out, 50 of thoughts\n  tools: 2 calls, 1 succeeded, 1 failed\n  \
            edits of files: 1\nHooks: 5 runs, 1 refused, 0 asked, 1 failed, 340 ms\n  guard \
            (BeforeTool): 5 runs, 1 refused, 0 asked, 1 failed, 340 ms";
        screen.take(Message::Said(Notice::new(NoticeKind::Answer, text)));
    });
    for columns in WIDTHS {
        let size = Size { columns, rows: 24 };
        let item = |id: &str, title: &str| ChooserItem {
            id: id.to_owned(),
            note: "10:15   2 changes".to_owned(),
            title: title.to_owned(),
            hidden: String::new(),
        };
        let items = vec![
            item("1", "make the tests green again, please"),
            item("0", "你好"),
        ];
        let chooser = Chooser::new("Go back to before this prompt", items);
        keep("chooser", columns, &[], &texts(&chooser.live(size).lines));
    }
}

/// TU-2: the models to choose from, with what an alias stands for, and what a search finds among
/// them.
#[test]
fn screens_of_the_models() {
    for columns in WIDTHS {
        let size = Size { columns, rows: 12 };
        let item = |id: &str, title: &str| ChooserItem {
            id: id.to_owned(),
            note: String::new(),
            title: title.to_owned(),
            hidden: String::new(),
        };
        let items = vec![
            item("gemini-2.5-pro", "gemini-2.5-pro (current)"),
            item("fast", "fast = gemini-2.5-flash"),
            item(
                "long",
                "anthropic/claude-sonnet-with-a-name-that-is-long-20260514",
            ),
            item("local", "qwen3:32b"),
        ];
        let mut chooser = Chooser::new("Models", items);
        keep("models", columns, &[], &texts(&chooser.live(size).lines));
        for code in "/a".chars().map(KeyCode::Char) {
            assert_eq!(chooser.key(code.into(), size), None);
        }
        keep(
            "models-searched",
            columns,
            &[],
            &texts(&chooser.live(size).lines),
        );
    }
}

/// TU-6: what each hook said in the last turn.
#[test]
fn screens_of_what_hooks_said() {
    screen("last-turn", |screen| {
        let run = |label: &str, result, said: &[(&'static str, &str)]| HookRun {
            event: "BeforeTool".to_owned(),
            label: label.to_owned(),
            result,
            mode: Mode::Active,
            duration: Duration::from_millis(12),
            said: said
                .iter()
                .map(|(what, it)| (*what, (*it).to_owned()))
                .collect(),
        };
        screen.take(Message::HooksSaid(vec![
            run(
                "guard",
                RunResult::Refused,
                &[("reason", "this deletes what nobody can bring back")],
            ),
            run(
                "broken",
                RunResult::Failed,
                &[("failed", "exit code 3"), ("stderr", "oops\nmore")],
            ),
        ]));
        screen.control('o');
    });
}

/// TR-2: the question about hooks that nobody has agreed to.
#[test]
fn screens_of_trust() {
    let item = TrustItem {
        event: "BeforeTool".to_owned(),
        label: "guard".to_owned(),
        command: "./hooks/guard.sh --strict".to_owned(),
        details: vec![("for".to_owned(), "run_shell_command".to_owned())],
        place: "/home/me/project/.gemini/settings.json:5:9".to_owned(),
        files: vec![TrustFile {
            path: "hooks/guard.sh".to_owned(),
            note: "changed".to_owned(),
            diff: Some("@@ -1 +1 @@\n-exit 2\n+exit 0\n".to_owned()),
            text: None,
        }],
        changes: Some(vec!["hooks/guard.sh changed".to_owned()]),
    };
    let items = [item];
    for columns in WIDTHS {
        let list = texts(&trust::list(&items, TrustView::List, columns));
        let prompt = TrustPrompt::new(&items, TrustView::List, Instant::now());
        let live = prompt.live(columns, KeyHandling::Keys);
        keep("trust", columns, &list, &texts(&live.lines));
    }
}
