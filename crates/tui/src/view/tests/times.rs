//! How long a tool is reported to have run.

use super::*;

/// TU-1: what the user took to answer isn't the tool's time.
#[test]
fn a_tool_runs_from_the_answer_on() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.take(Message::ToolRequested(call()));
    let answer = screen.ask();
    screen.now += Duration::from_mins(10);
    screen.write("1");
    screen.press(KeyCode::Enter);
    drop(answer);
    screen.now += Duration::from_secs(3);
    screen.take(Message::ToolFinished(FinishedTool {
        call: call(),
        display: String::new(),
        error: None,
        was_cut_short: false,
    }));
    let finished = screen.finished();
    assert!(
        finished.iter().any(|it| it.ends_with(" 3s")),
        "{finished:?}"
    );
}
