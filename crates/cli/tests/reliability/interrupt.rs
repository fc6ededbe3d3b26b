//! Ctrl+C in a terminal, whatever runs.

use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::{processes_of, wait_until};
use portable_pty::CommandBuilder;

use crate::situations::{
    EVENTS_OF_A_TURN, Situation, WELL, compression, hook, mcp_call, mcp_start, model_answer,
    model_call, tool,
};
use crate::terminal::{CONTROL_C, Session};
use crate::world::nothing_is_left;

/// How soon the prompt is back, on a machine that isn't busy (LO-4).
const SOON: Duration = Duration::from_secs(1);

/// How often it may take longer because the machine is busy.
const ATTEMPTS: usize = 10;

const COLUMNS: u16 = 80;

fn start(situation: &Situation) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
    command.env_clear();
    for (name, value) in situation.sandbox.variables() {
        command.env(name, value);
    }
    for (name, value) in &situation.variables {
        command.env(name, value);
    }
    let system = situation.sandbox.root().join("system.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    command.env("TERM", "xterm-256color");
    command.cwd(situation.sandbox.project());
    command.args(&situation.arguments);
    let mut session = Session::start(command, COLUMNS);
    if situation.prompt.is_none() {
        return session;
    }
    for prompt in &situation.before {
        session.sends(prompt);
        session.sees(prompt);
        session.is_at_prompt();
    }
    session.is_at_prompt();
    session
}

/// Returns what is running in the sandbox.
fn running(situation: &Situation) -> Vec<i32> {
    let processes = processes_of(situation.sandbox.root());
    processes.into_iter().map(|it| it.id).collect()
}

fn begin(session: &mut Session, situation: &Situation) {
    if let Some(prompt) = situation.prompt {
        session.sends(prompt);
    }
    situation.is_running();
    session.sees("esc to cancel");
}

/// Cancels what runs, and returns how long it took until the prompt was back. Everything that was
/// started is gone then, or about to be, and the next prompt is answered.
fn interrupted(situation: &Situation) -> Duration {
    let mut session = start(situation);
    let before = match situation.prompt {
        Some(_) => running(situation),
        None => vec![session.process()],
    };
    begin(&mut session, situation);
    let started = Instant::now();
    session.types(CONTROL_C);
    session.is_at_prompt();
    let elapsed = started.elapsed();
    if situation.name != "the start of an MCP server" {
        wait_until(&format!("{} leaves nothing", situation.name), || {
            running(situation).iter().all(|it| before.contains(it))
        });
    }
    situation.calm();
    session.sends("again");
    session.sees(WELL);
    session.sends("/quit");
    assert_eq!(session.ends(), 0, "{}", situation.name);
    nothing_is_left(&situation.sandbox);
    elapsed
}

/// Cancels until it was fast enough once.
fn is_soon_at_the_prompt(situation: impl Fn() -> Situation) {
    let mut accepted = Vec::new();
    for _ in 0..ATTEMPTS {
        let situation = situation();
        let elapsed = interrupted(&situation);
        println!("{}: back after {elapsed:?}", situation.name);
        if elapsed < SOON {
            return;
        }
        accepted.push(elapsed);
    }
    panic!("{}: back after {accepted:?} only", situation().name);
}

/// LO-4, IO-33: a hook of any event of a turn is ended with everything that it started, however
/// stubborn, and the prompt is back within a second.
#[test]
fn a_hook_is_broken_off() {
    thread::scope(|scope| {
        for event in EVENTS_OF_A_TURN {
            scope.spawn(move || is_soon_at_the_prompt(|| hook(event)));
        }
    });
}

/// LO-4, IO-33: so is a hook of the start.
#[test]
fn a_hook_of_the_start_is_broken_off() {
    is_soon_at_the_prompt(|| hook("SessionStart"));
}

/// LO-4, TO-2: a command of the model is ended with everything that it started.
#[test]
fn a_tool_is_broken_off() {
    is_soon_at_the_prompt(tool);
}

/// LO-4, TO-3: an MCP call is abandoned, and nothing waits for a server that doesn't start.
#[test]
fn an_mcp_server_is_not_waited_for() {
    is_soon_at_the_prompt(mcp_call);
    is_soon_at_the_prompt(mcp_start);
}

/// LO-4, MO-1: a model call is abandoned, before its response and in the middle of it.
#[test]
fn a_model_is_not_waited_for() {
    is_soon_at_the_prompt(model_call);
    is_soon_at_the_prompt(model_answer);
}

/// LO-4, LO-5: a compression is abandoned, and the conversation continues.
#[test]
fn a_compression_is_broken_off() {
    is_soon_at_the_prompt(compression);
}

/// LO-4: the second Ctrl+C leaves, whatever runs, and nothing is left.
#[test]
fn a_second_interrupt_leaves_nothing() {
    let situations: [fn() -> Situation; 5] = [
        || hook("BeforeTool"),
        || hook("SessionStart"),
        tool,
        mcp_call,
        model_call,
    ];
    thread::scope(|scope| {
        for situation in situations {
            scope.spawn(move || {
                let situation = situation();
                let mut session = start(&situation);
                begin(&mut session, &situation);
                session.types(CONTROL_C);
                session.types(CONTROL_C);
                assert_eq!(session.ends(), 0, "{}", situation.name);
                nothing_is_left(&situation.sandbox);
            });
        }
    });
}
