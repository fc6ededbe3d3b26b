mod numbers;
mod outputs;
mod refusals;
mod times;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookloop_agent::Consent;
use proptest::prelude::*;
use serde_json::Map;
use tokio::sync::oneshot;

use super::keyboard::{HOLD, LEAVING};
use super::{Act, Intent, Leave, Setup, Status, Surface, View};
use hookloop_text::{Notice, NoticeKind};

use crate::completion::Completions;
use crate::link::HookNotifications;
use crate::message::{CallLine, FinishedTool, Message};
use crate::painter::Size;
use crate::past::InputHistory;
use crate::question::{Matter, Question};
use crate::slash::SlashCommand;
use crate::styled::{Hyperlinks, Line, Palette, width};

struct NothingKnown;

impl Completions for NothingKnown {
    fn hook_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn files(&self, beginning: &str) -> Vec<String> {
        let folder = "src/of the/shop/with/all/its/components";
        match beginning {
            "deep" => ["one.rs", "two.rs"]
                .map(|it| format!("{folder}/{it}"))
                .into(),
            _ => Vec::new(),
        }
    }
}

impl InputHistory for NothingKnown {
    fn entries(&self) -> Vec<String> {
        vec!["older".to_owned(), "two\nlines".to_owned()]
    }

    fn add(&self, _text: &str) {}
}

/// A view with a clock that stands still.
pub(super) struct Screen {
    pub(super) view: View,
    pub(super) now: Instant,
}

impl Screen {
    pub(super) fn new(columns: usize) -> Self {
        let setup = Setup {
            hyperlinks: Hyperlinks::Plain,
            surface: Surface::Painted,
            palette: Palette::Plain,
            notifications: HookNotifications::Shown,
            status: Status {
                folder: "/home/me/project".to_owned(),
                model: "gemini-2.5-pro".to_owned(),
                approval_mode: "default".to_owned(),
                hooks: 3,
            },
            completions: Arc::new(NothingKnown),
            history: Arc::new(NothingKnown),
            interrupted: || {},
        };
        Self {
            view: View::new(setup, Size { columns, rows: 24 }),
            now: Instant::now(),
        }
    }

    pub(super) fn live(&self) -> Vec<String> {
        let live = self.view.live(self.now);
        live.lines.iter().map(Line::text).collect()
    }

    pub(super) fn finished(&mut self) -> Vec<String> {
        self.view.scrollback.take().iter().map(Line::text).collect()
    }

    pub(super) fn take(&mut self, message: Message) {
        assert_eq!(self.view.take(message, self.now), None);
    }

    /// Presses a key, with nothing after it for a while.
    pub(super) fn press(&mut self, code: KeyCode) -> Option<Act> {
        let act = self.view.key(KeyEvent::from(code), self.now);
        act.or_else(|| self.view.take_due(self.now + HOLD))
    }

    pub(super) fn control(&mut self, letter: char) -> Option<Act> {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        self.view.key(key, self.now)
    }

    pub(super) fn write(&mut self, text: &str) {
        for letter in text.chars() {
            let key = KeyEvent::from(KeyCode::Char(letter));
            self.view.key(key, self.now);
        }
    }

    /// Asks, and waits until the question can have been read.
    fn ask(&mut self) -> oneshot::Receiver<Consent> {
        let question = Question {
            call: "1".to_owned(),
            matter: Matter::Call {
                tool: "write_file".to_owned(),
                subject: vec![Line::plain("+new")],
            },
            arguments: Map::new().into(),
            remarks: Vec::new(),
            always: Some("every write_file".to_owned()),
        };
        let (answer, answered) = oneshot::channel();
        self.take(Message::Asked(Box::new(question), answer));
        self.look();
        answered
    }

    /// Draws the question, and waits until it can have been read.
    pub(super) fn look(&mut self) {
        self.view.drawn(self.now);
        self.now += Duration::from_millis(500);
    }
}

fn call() -> CallLine {
    CallLine {
        id: "1".to_owned(),
        tool: "run_shell_command".to_owned(),
        summary: "sleep 100".into(),
    }
}

/// TU-1, TU-4: the empty screen at 80 and at 40 columns.
#[test]
fn the_empty_screen_is_tidy() {
    for (columns, status) in [
        (80, "/home/me/project · gemini-2.5-pro · default · 3 hooks"),
        (40, "gemini-2.5-pro · default · 3 hooks"),
    ] {
        let expected = [
            "",
            &*"─".repeat(40),
            ">  Type your message or @path/to/file",
            status,
        ];
        assert_eq!(Screen::new(columns).live(), expected);
    }
}

/// TU-1: text streams below, and is finished block by block.
#[test]
fn text_streams_and_settles() {
    let mut screen = Screen::new(40);
    screen.view.begin_work(screen.now);
    screen.take(Message::ModelText("# Plan\n\nOne\n**st".to_owned()));
    assert_eq!(screen.finished(), ["Plan"]);
    assert_eq!(screen.live()[..4], ["", "One", "**st", ""]);
    screen.take(Message::ModelText("ep**".to_owned()));
    screen.take(Message::ResponseEnded);
    assert_eq!(screen.finished(), ["", "One", "step"]);
    assert!(screen.live()[1].starts_with("⠋ Thinking… (esc to cancel, 0s)"));
}

/// TU-1: a tool shows its state, its output and the time, then its result.
#[test]
fn a_tool_shows_its_state() {
    let mut screen = Screen::new(60);
    screen.view.begin_work(screen.now);
    screen.take(Message::ToolRequested(call()));
    let text = "one\ntwo\nthree\nfour\x1b[2J\n".to_owned();
    let call_id = "1".to_owned();
    screen.take(Message::ToolProgress { call_id, text });
    screen.now += Duration::from_secs(65);
    let expected = [
        "",
        "• run_shell_command sleep 100 1m 05s",
        "  two",
        "  three",
        "  four\\u{1b}[2J",
        "",
    ];
    assert_eq!(screen.live()[..6], expected);
    screen.take(Message::ToolFinished(FinishedTool {
        call: call(),
        display: "Command cancelled".to_owned(),
        error: None,
        was_cut_short: false,
    }));
    let expected = [
        "✓ run_shell_command sleep 100 1m 05s",
        "  Command cancelled",
    ];
    assert_eq!(screen.finished(), expected);
}

/// AG-CLI-6: a refused tool is shown in the words that users look for.
#[test]
fn a_refused_tool_shows_the_reason() {
    let mut screen = Screen::new(80);
    let error = "Error executing tool run_shell_command: Tool execution blocked: no";
    screen.take(Message::ToolFinished(FinishedTool {
        call: call(),
        display: String::new(),
        error: Some(error.to_owned()),
        was_cut_short: false,
    }));
    let finished = screen.finished();
    assert_eq!(finished[0], "✗ run_shell_command sleep 100");
    assert_eq!(finished[1].trim(), error);
}

/// LO-4: Ctrl+C cancels what runs, the second one leaves; Escape cancels too.
#[test]
fn interrupts_cancel_then_leave() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    assert_eq!(screen.control('c'), Some(Act::Cancel));
    assert_eq!(screen.control('c'), Some(Act::Leave(Leave::Exit)));
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    assert_eq!(screen.press(KeyCode::Esc), None, "it is cancelled already");
}

/// SE-1: at the prompt Ctrl+C clears first and leaves at the second time; Ctrl+D leaves.
#[test]
fn leaving_at_the_prompt() {
    let mut screen = Screen::new(80);
    screen.write("text");
    assert_eq!(screen.control('d'), None, "there is text");
    assert_eq!(screen.control('c'), None);
    assert_eq!(screen.live().last().unwrap(), "Press Ctrl+C again to exit.");
    screen.write("x");
    assert_eq!(screen.control('c'), None, "another key came between");
    assert_eq!(screen.control('c'), Some(Act::Leave(Leave::Exit)));
    assert_eq!(
        Screen::new(80).control('d'),
        Some(Act::Leave(Leave::InputEnded))
    );
}

/// LO-4, SE-1: the hint after a Ctrl+C disappears after a moment; the next one counts as the first
/// again.
#[test]
fn leaving_is_offered_for_a_moment() {
    let mut screen = Screen::new(80);
    assert_eq!(screen.control('c'), None);
    assert!(screen.view.rest_of_hint(screen.now).is_some());
    screen.now += LEAVING;
    assert_eq!(screen.view.rest_of_hint(screen.now), None);
    assert_ne!(screen.live().last().unwrap(), "Press Ctrl+C again to exit.");
    assert_eq!(screen.control('c'), None, "it is the first one again");
    assert_eq!(screen.control('c'), Some(Act::Leave(Leave::Exit)));
}

/// TU-2: commands are distinguished from prompts; `/quit` leaves, an unknown one isn't sent.
#[test]
fn submissions_become_intents() {
    let mut screen = Screen::new(80);
    for (text, intent) in [
        ("hello", Some(Intent::Prompt("hello".to_owned()))),
        (
            "/hooks list",
            Some(Intent::Command(SlashCommand::Hooks, "list".to_owned())),
        ),
        ("/quit", Some(Intent::Leave(Leave::Exit))),
        ("/cleer", None),
    ] {
        screen.write(text);
        screen.press(KeyCode::Enter);
        assert_eq!(screen.view.next_intent(), intent, "{text}");
        assert!(screen.finished().contains(&format!("> {text}")));
    }
    screen.view.submit("/cleer".to_owned());
    screen.view.next_intent();
    assert!(
        screen
            .finished()
            .iter()
            .any(|it| it.contains("did you mean /clear?"))
    );
}

/// TU-1: a paste of several lines is one prompt.
#[test]
fn a_paste_is_one_prompt() {
    let mut screen = Screen::new(80);
    screen.view.paste("one\ntwo", screen.now);
    assert_eq!(screen.view.next_intent(), None);
    screen.press(KeyCode::Enter);
    let expected = Intent::Prompt("one\ntwo".to_owned());
    assert_eq!(screen.view.next_intent(), Some(expected));
}

/// LO-4: what was typed while something ran comes next; after a cancel it is returned.
#[test]
fn what_waits_is_given_back_after_a_cancel() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.write("more");
    screen.press(KeyCode::Enter);
    assert!(screen.live().contains(&"  next: more".to_owned()));
    screen.press(KeyCode::Esc);
    screen.view.end_work();
    assert_eq!(screen.view.next_intent(), None);
    assert!(screen.live().contains(&"> more".to_owned()));
}

/// LO-4: waiting texts aren't sent after a cancel because there is a draft: they are put before it.
#[test]
fn what_waits_is_given_back_beside_a_draft() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    for text in ["one", "two"] {
        screen.write(text);
        screen.press(KeyCode::Enter);
    }
    screen.write("half");
    assert_eq!(screen.control('c'), Some(Act::Cancel));
    screen.view.end_work();
    assert_eq!(screen.view.next_intent(), None);
    let live = screen.live();
    let rows = ["> one", "  two", "  half"].map(str::to_owned);
    assert!(live.windows(3).any(|it| it == rows), "{live:?}");
}

/// LO-4, TU-5: if nothing is painted, there is no input line to which they can be returned: that is
/// reported.
#[test]
fn what_was_not_sent_is_said_where_nothing_is_painted() {
    let mut screen = Screen::new(80);
    screen.view.surface = Surface::Lines;
    screen.view.begin_work(screen.now);
    screen.view.line("delete it", screen.now);
    assert_eq!(screen.control('c'), Some(Act::Cancel));
    screen.view.end_work();
    assert_eq!(screen.view.next_intent(), None);
    let said = screen.finished();
    assert!(said.iter().any(|it| it.contains("delete it")), "{said:?}");
}

/// TU-3: a refusal answers the dialog and ends the turn; what is asked afterwards is refused.
#[test]
fn a_refusal_ends_the_turn() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut first = screen.ask();
    let mut second = screen.ask();
    assert_eq!(screen.press(KeyCode::Char('4')), Some(Act::Cancel));
    let mut third = screen.ask();
    for answer in [&mut first, &mut second, &mut third] {
        assert_eq!(answer.try_recv(), Ok(Consent::Declined));
    }
}

/// TU-3: several questions are asked one after another, and answered separately.
#[test]
fn questions_are_asked_one_by_one() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut first = screen.ask();
    let mut second = screen.ask();
    assert_eq!(screen.press(KeyCode::Char('1')), None);
    assert_eq!(first.try_recv(), Ok(Consent::Given));
    assert!(second.try_recv().is_err());
    screen.look();
    screen.press(KeyCode::Char('2'));
    assert_eq!(second.try_recv(), Ok(Consent::GivenForSession));
}

/// TU-3: nothing moves on the screen while the user is asked.
#[test]
fn the_screen_stands_still_while_the_user_is_asked() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.take(Message::ToolRequested(call()));
    let _answer = screen.ask();
    let before = screen.live();
    screen.now += Duration::from_secs(7);
    assert_eq!(screen.live(), before);
}

/// OUT-1, TU-4: notices fit, and control characters of hooks are escaped.
#[test]
fn notices_are_harmless_and_fit() {
    let mut screen = Screen::new(40);
    let text = format!("Hook system message: \x1b]0;evil\x07{}", "word ".repeat(30));
    screen.take(Message::Said(Notice::new(NoticeKind::Hook, text)));
    for line in screen.finished() {
        assert!(width(&line) <= 40 && !line.contains('\x1b'), "{line:?}");
    }
}

/// TU-2: `/help` names every command, and fits at 40 columns.
#[test]
fn help_names_every_command() {
    let mut screen = Screen::new(40);
    screen.view.submit("/help".to_owned());
    screen.view.next_intent();
    let finished = screen.finished();
    let text = finished.join("\n");
    for command in crate::slash::ALL {
        assert!(text.contains(&format!("/{} ", command.name())), "{text}");
    }
    assert!(finished.iter().all(|line| width(line) <= 40), "{text}");
}

proptest! {
    /// TU-4: whatever is on the screen, it is lower and no wider than the terminal, and the
    /// cursor is inside.
    #[test]
    fn the_live_area_fits(
        columns in 20_usize..90,
        rows in 8_usize..30,
        text in "[a-z日\n`#*]{0,200}",
        input in "[a-z日\n]{0,300}",
        tools in 0..6_u8,
        asked in any::<bool>(),
    ) {
        let mut screen = Screen::new(columns);
        screen.view.resize(Size { columns, rows });
        screen.view.begin_work(screen.now);
        screen.take(Message::ModelText(text));
        screen.view.paste(&input, screen.now);
        for _ in 0..tools {
            screen.take(Message::ToolRequested(call()));
        }
        let _answer = asked.then(|| screen.ask());
        let live = screen.view.live(screen.now);
        prop_assert!(live.lines.len() < rows);
        for line in &live.lines {
            prop_assert!(line.width() <= columns, "{:?}", line.text());
        }
        if let Some((row, column)) = live.cursor {
            prop_assert!(row < live.lines.len() && column < columns);
        }
        for line in screen.view.scrollback.take() {
            prop_assert!(line.width() <= columns, "{:?}", line.text());
        }
    }
}

/// TU-1: input of earlier sessions comes back, and is searched with Ctrl+R.
#[test]
fn earlier_sessions_are_remembered() {
    let mut screen = Screen::new(80);
    screen.press(KeyCode::Up);
    assert_eq!(screen.live()[2..4], ["> two", "  lines"]);
    screen.control('u');
    screen.press(KeyCode::Esc);
    let mut screen = Screen::new(40);
    screen.write("draft");
    screen.control('r');
    screen.write("OLD");
    assert_eq!(screen.live()[2], "> older");
    assert!(screen.live()[3].starts_with("search: OLD"));
    screen.press(KeyCode::Esc);
    assert_eq!(screen.live()[2], "> draft");
    screen.control('r');
    screen.write("two");
    screen.press(KeyCode::Enter);
    assert_eq!(screen.live()[2..4], ["> two", "  lines"]);
    assert_eq!(screen.view.next_intent(), None);
}

/// TU-1: the model's questions are answered in a dialog, and Escape there doesn't end the turn;
/// cancelled questions aren't answered.
#[test]
fn questions_of_the_model_are_answered() {
    let ask = |screen: &mut Screen| {
        let question = hookloop_tools::Question {
            question: "Go on?".to_owned(),
            header: String::new(),
            kind: hookloop_tools::QuestionKind::YesOrNo,
        };
        let (sender, answer) = oneshot::channel();
        screen.take(Message::Questioned(vec![question], sender));
        screen.look();
        answer
    };
    let mut screen = Screen::new(40);
    screen.view.begin_work(screen.now);
    let mut answer = ask(&mut screen);
    assert!(screen.live().contains(&"❯ 1. Yes".to_owned()));
    assert_eq!(screen.press(KeyCode::Enter), None);
    assert_eq!(answer.try_recv(), Ok(Ok(vec!["Yes".to_owned()])));
    let mut answer = ask(&mut screen);
    assert_eq!(screen.press(KeyCode::Esc), None);
    let dismissed = Err(hookloop_tools::NoAnswer::Dismissed);
    assert_eq!(answer.try_recv(), Ok(dismissed.clone()));
    let mut answer = ask(&mut screen);
    assert_eq!(screen.control('c'), Some(Act::Cancel));
    assert_eq!(answer.try_recv(), Ok(dismissed));
}

/// TU-4: an indentation is kept when a narrow screen wraps it.
#[test]
fn broken_lines_keep_their_indent() {
    let mut screen = Screen::new(40);
    let text = "servers:\n    from /home/me/.gemini/settings.json and more";
    screen.view.say(&Notice::new(NoticeKind::Answer, text));
    let expected = [
        "servers:",
        "    from /home/me/.gemini/settings.json",
        "      and more",
    ];
    assert_eq!(screen.finished(), expected);
}

/// TU-5: shell commands are recognised, Shift+Tab requests the next mode, and a question mark in an
/// empty line shows the keys.
#[test]
fn keys_beside_the_text() {
    let mut screen = Screen::new(80);
    screen.view.submit("!ls -l".to_owned());
    let intent = screen.view.next_intent();
    assert_eq!(intent, Some(Intent::Shell("ls -l".to_owned())));
    screen.view.key(
        KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT),
        screen.now,
    );
    assert_eq!(screen.view.next_intent(), Some(Intent::NextMode));
    assert_eq!(screen.view.next_intent(), None);
    screen.finished();
    screen.view.key(
        KeyEvent::new(KeyCode::Char('?'), KeyModifiers::NONE),
        screen.now,
    );
    assert_eq!(screen.view.next_intent(), None);
    let shown = screen.finished().join("\n");
    assert!(
        shown.contains("Shift+Tab") && shown.contains("!COMMAND"),
        "{shown}"
    );
}

/// TU-5: every Shift+Tab counts, even while something runs; it is reported that the mode changes
/// later.
#[test]
fn modes_that_are_wanted_meanwhile_come_later() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(std::time::Instant::now());
    for _ in 0..2 {
        screen.view.key(
            KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT),
            screen.now,
        );
    }
    assert!(screen.view.hint.is_some_and(|it| it.contains("mode")));
    screen.view.end_work();
    let intents: Vec<_> = std::iter::from_fn(|| screen.view.next_intent()).collect();
    assert_eq!(intents, [Intent::NextMode, Intent::NextMode]);
}

/// TU-5: a long paste is sent to the model completely and is folded on the screen.
#[test]
fn a_long_paste_is_folded() {
    let mut screen = Screen::new(80);
    let lines: Vec<String> = (0..500).map(|number| format!("line {number}")).collect();
    let text = lines.join("\n");
    screen.view.submit(text.clone());
    assert_eq!(screen.view.next_intent(), Some(Intent::Prompt(text)));
    let shown = screen.finished();
    assert!(shown.len() < 20, "{}", shown.len());
    assert!(
        shown.iter().any(|it| it.contains("488 more lines")),
        "{shown:?}"
    );
}
