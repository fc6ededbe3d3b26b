//! How refusals are shown.

use std::time::Duration;

use hookloop_engine::RunResult;
use hookloop_hook::Mode;

use super::{FinishedTool, Message, Screen, call};
use crate::hook_messages::HookRun;

/// TU-6: the card of a refused call names the hook that refused it, the right one of several; other
/// errors aren't attributed to a hook.
#[test]
fn a_refused_tool_names_the_hook() {
    let mut screen = Screen::new(80);
    let run = |label: &str, result, mode, reason: &str| HookRun {
        event: "BeforeTool".to_owned(),
        label: label.to_owned(),
        result,
        mode,
        duration: Duration::from_millis(1),
        said: vec![("reason", reason.to_owned())],
    };
    screen.take(Message::HooksSaid(vec![
        run("early", RunResult::Refused, Mode::Active, "not this"),
        run("guard", RunResult::Refused, Mode::Active, "no such thing"),
        run("shadow", RunResult::Refused, Mode::Shadow, "no such thing"),
        run("quiet", RunResult::Proceed, Mode::Active, "no such thing"),
    ]));
    for (error, named) in [
        ("Tool execution blocked: no such thing", Some("guard")),
        ("Tool execution blocked: not this", Some("early")),
        ("Tool execution blocked: something else", None),
        ("no such thing", None),
    ] {
        screen.take(Message::ToolFinished(FinishedTool {
            call: call(),
            display: String::new(),
            error: Some(format!("Error executing tool x: {error}")),
            was_cut_short: false,
        }));
        let finished = screen.finished();
        for hook in ["early", "guard", "shadow", "quiet"] {
            let has = finished
                .iter()
                .any(|it| it.contains(&format!("\"{hook}\"")));
            assert_eq!(has, named == Some(hook), "{error} {finished:?}");
        }
    }
}
