//! `kill -9` of a session in the terminal.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::SeededRng;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::history::tokens;
use crate::terminal::World;
use crate::world::{resume, transcripts};

const ROUNDS: usize = 8;
const TURNS: usize = 4;

fn world() -> World {
    let world = (0..TURNS).fold(World::new(), |world, number| {
        let command = format!("printf 'tok-%s-{number}' out");
        world
            .calls("run_shell_command", &json!({ "command": command }))
            .says(&[&format!("tok-text-{number}")])
    });
    let notes = ["BeforeAgent", "BeforeTool"].map(|event| (event, "note", world.noting(event)));
    let notes = notes
        .each_ref()
        .map(|(event, name, it)| (*event, *name, &**it));
    world.hooks(&notes)
}

/// Talks until the session is dead.
fn talk(world: &World, life: Duration) -> BTreeSet<String> {
    let mut session = world.start(&["--yolo"]);
    let process = Pid::from_raw(session.process()).unwrap();
    session.is_at_prompt();
    let killer = thread::spawn(move || {
        thread::sleep(life);
        kill_process(process, Signal::KILL).unwrap();
    });
    for number in 0..TURNS {
        // Typed ahead: it is read when its turn comes.
        session.types(&format!("tok-prompt-{number}\r"));
    }
    killer.join().unwrap();
    session.ends();
    // Each line below a call was shown after it was stored.
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for input in world.noted("BeforeTool") {
        seen.extend(tokens(&input["tool_input"].to_string()));
    }
    let prompts = world.noted("BeforeAgent");
    // A prompt that a later one follows has been answered, and is stored with its answer.
    for (number, _) in prompts.iter().enumerate().skip(1) {
        let before = number - 1;
        for kind in ["prompt", "out", "text"] {
            seen.insert(format!("tok-{kind}-{before}"));
        }
    }
    seen
}

/// SE-10, SE-11: a session in the terminal that was killed continues with everything that was said.
#[test]
fn a_killed_terminal_session_goes_on() {
    let seed = SeededRng::fresh_seed();
    let mut seeded_rng = SeededRng::from_seed(seed);
    let started = Instant::now();
    let whole = world();
    let mut session = whole.start(&["--yolo"]);
    for number in 0..TURNS {
        session.sends(&format!("tok-prompt-{number}"));
        session.sees(&format!("tok-text-{number}"));
    }
    drop(session);
    let duration = started.elapsed();
    let mut words = 0;
    for _ in 0..ROUNDS {
        let world = world();
        let life = seeded_rng.time_below(duration);
        let known = talk(&world, life);
        if transcripts(&world.sandbox).is_empty() {
            continue;
        }
        let resumed = resume(&world.sandbox, "tok-again");
        let resumed = resumed.unwrap_or_else(|why| panic!("seed {seed}, {life:?}: {why}"));
        let kept = tokens(&resumed.request["contents"].to_string());
        let lost: Vec<_> = known.difference(&kept).collect();
        assert!(lost.is_empty(), "seed {seed}, {life:?}: lost {lost:?}");
        words += known.len();
    }
    assert!(words > 0, "nothing was ever said");
}
