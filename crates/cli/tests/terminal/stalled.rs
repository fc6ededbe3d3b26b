//! A session whose terminal takes nothing any more, and one that has lent its terminal: both end
//! all the same.

use std::fs;
use std::time::Duration;

use hookloop_testkit::{is_process_alive, wait_until};
use rustix::process::Signal;

use crate::world::{CONTROL_C, ENTER, PLACEHOLDER, Session, World};

/// Much more than a session takes to end, and much less than it once waited for such a terminal.
const SOON: Duration = Duration::from_secs(10);

/// More than a terminal keeps that nobody reads.
fn long_answer() -> String {
    "many words that fill the terminal\n\n".repeat(20_000)
}

/// What makes the session end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Signal(Signal),
    Keys(&'static str),
}

const WAYS: [Way; 5] = [
    Way::Signal(Signal::TERM),
    Way::Signal(Signal::HUP),
    Way::Signal(Signal::QUIT),
    Way::Keys("/quit\r"),
    Way::Keys(CONTROL_C),
];

/// Ends a session whose terminal takes nothing.
fn end(mut session: Session, way: Way) {
    match way {
        Way::Signal(signal) => session.signal(signal),
        Way::Keys(CONTROL_C) => {
            session.types(CONTROL_C);
            session.types(CONTROL_C);
        }
        Way::Keys(keys) => session.types(keys),
    }
    let expected = match way {
        Way::Signal(_) => 130,
        Way::Keys(_) => 0,
    };
    assert_eq!(session.ends_within(SOON), Some(expected), "{way:?}");
}

/// LO-4, TU-5: whatever waits for a terminal that takes nothing, neither a signal nor the user
/// does: at the prompt, with an answer that can't be shown.
#[test]
fn a_stalled_terminal_keeps_nobody_at_the_prompt() {
    std::thread::scope(|scope| {
        for way in WAYS {
            scope.spawn(move || {
                let world = World::new().says(&[&long_answer()]);
                let after = world.noting("AfterAgent");
                fs::write(world.log("AfterAgent"), "").unwrap();
                let world = world.hooks(&[("AfterAgent", "note", &after)]);
                let mut session = world.start(&[]);
                session.is_at_prompt();
                session.types("talk");
                session.sees("talk");
                session.stall();
                session.types(ENTER);
                wait_until("the turn ends", || !world.noted("AfterAgent").is_empty());
                end(session, way);
            });
        }
    });
}

/// LO-4, TU-5: nor while something runs; and nothing that ran is left.
#[test]
fn a_stalled_terminal_keeps_nobody_in_a_turn() {
    std::thread::scope(|scope| {
        for way in WAYS.into_iter().filter(|it| *it != Way::Keys("/quit\r")) {
            scope.spawn(move || {
                let world = World::new();
                let world = world.says_and_runs(&long_answer(), "echo $$ > pid; exec sleep 1000");
                let mut session = world.start(&["--yolo"]);
                session.is_at_prompt();
                session.types("run");
                session.sees("run");
                session.stall();
                session.types(ENTER);
                let tool = process_in(&world, "pid");
                end(session, way);
                wait_until("the tool is gone", || !is_process_alive(tool));
            });
        }
    });
}

fn process_in(world: &World, file: &str) -> i32 {
    let mut process = None;
    wait_until(file, || {
        let text = fs::read_to_string(world.path(file)).unwrap_or_default();
        process = text.strip_suffix('\n').and_then(|it| it.parse().ok());
        process.is_some()
    });
    process.unwrap()
}

/// Starts a session whose editor is this script, and opens the editor.
fn with_editor(world: &World, script: &str) -> Session {
    let editor = world.sandbox.script("editor", script);
    let editor = editor.to_string_lossy().into_owned();
    let mut session = world.start_on(80, &[("EDITOR", &editor)], &[]);
    session.is_at_prompt();
    session.types("\x18");
    session
}

/// TU-5, LO-4: a signal ends a session while an editor has the terminal, and the editor with what
/// it started.
#[test]
fn a_signal_ends_the_editor_too() {
    for signal in [Signal::TERM, Signal::HUP] {
        let world = World::new();
        let mut session = with_editor(
            &world,
            "#!/bin/sh\ntrap '' HUP\nsleep 1000 &\necho $! > child\necho $$ > pid\nwait\n",
        );
        let (editor, child) = (process_in(&world, "pid"), process_in(&world, "child"));
        session.signal(signal);
        assert_eq!(session.ends(), 130);
        wait_until("the editor is gone", || !is_process_alive(editor));
        wait_until("its child is gone", || !is_process_alive(child));
    }
}

/// TU-5, LO-4: Ctrl+C is the editor's while it has the terminal, and doesn't end the session.
#[test]
fn an_interrupt_is_the_editors() {
    let world = World::new().says(&["still here"]);
    let script = "#!/bin/sh\ntrap 'touch interrupted; exit 0' INT\necho $$ > pid\n\
                  while :; do sleep 0.1; done\n";
    let mut session = with_editor(&world, script);
    process_in(&world, "pid");
    session.types(CONTROL_C);
    wait_until("the editor ends", || world.path("interrupted").exists());
    session.sees(PLACEHOLDER);
    session.sends("hello");
    session.sees("still here");
}

/// Stops the thread that runs a session, and no other: the system shows it neither input nor time,
/// as in a call that never returns.
#[cfg(target_os = "linux")]
fn hang(session: &Session) {
    use nix::sys::ptrace;
    use nix::sys::wait::{WaitPidFlag, waitpid};
    let thread = nix::unistd::Pid::from_raw(session.process());
    ptrace::seize(thread, ptrace::Options::empty()).unwrap();
    ptrace::interrupt(thread).unwrap();
    waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap();
}

/// LO-4: a session whose thread hangs in a call that never returns, as on a file system that
/// doesn't answer, still ends at a signal and at the second Ctrl-C, gives the terminal back, and
/// leaves no process.
#[cfg(target_os = "linux")]
#[test]
fn a_session_that_hangs_can_be_ended() {
    std::thread::scope(|scope| {
        for way in [
            Way::Signal(Signal::TERM),
            Way::Signal(Signal::HUP),
            Way::Keys(CONTROL_C),
        ] {
            scope.spawn(move || {
                let world = World::new().runs_background("echo $$ > pid; exec sleep 1000");
                let world = world.says(&["it runs"]);
                let mut session = world.start(&["--yolo"]);
                session.sends("run");
                session.sees("it runs");
                let tool = process_in(&world, "pid");
                hang(&session);
                if let Way::Signal(signal) = way {
                    session.signal(signal);
                } else {
                    session.types(CONTROL_C);
                    session.types(CONTROL_C);
                }
                assert_eq!(session.ends_within(SOON), Some(130), "{way:?}");
                wait_until("the tool is gone", || !is_process_alive(tool));
                wait_until(
                    "the terminal is given back, and what was left out is reported",
                    || {
                        let bytes = session.bytes();
                        let last = bytes.rsplit_once("\x1b[?2004l\x1b[?25h\x1b[0m");
                        last.is_some_and(|(_, report)| {
                            report.contains("`SessionEnd` hooks didn't run")
                        })
                    },
                );
            });
        }
    });
}
