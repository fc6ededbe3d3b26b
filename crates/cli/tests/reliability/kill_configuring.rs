//! `kill -9` of commands that change settings and trust.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::{Sandbox, SeededRng};
use rustix::process::Signal;
use serde_json::Value;

use crate::world::{Running, hookloop, hooks, run};

const ROUNDS: usize = 30;

/// CM-2, TR-1: a command that is killed while it changes settings or trust leaves the old or the
/// new state, nothing in between, and blocks nobody.
#[test]
fn a_kill_while_configuring_leaves_whole_files() {
    let seed = SeededRng::fresh_seed();
    let mut seeded_rng = SeededRng::from_seed(seed);
    let sandbox = Sandbox::new();
    let settings = sandbox.project_settings(&hooks(&[("BeforeTool", "true")]).to_string());
    let commands: [&[&str]; 4] = [
        &["hooks", "trust"],
        &["hooks", "disable", "BeforeTool", "--scope", "project"],
        &["hooks", "enable", "BeforeTool", "--scope", "project"],
        &["hooks", "untrust"],
    ];
    let started = Instant::now();
    for command in commands {
        let finished = run(hookloop(&sandbox, command));
        assert_eq!(finished.code, Some(0), "{command:?}: {}", finished.stderr);
    }
    let duration = started.elapsed() / 4;
    for round in 0..ROUNDS {
        let command = commands[round % commands.len()];
        let life = seeded_rng.time_below(duration + Duration::from_millis(2));
        let killed = Running::start(hookloop(&sandbox, command));
        thread::sleep(life);
        killed.signal(Signal::KILL);
        killed.ends();
        let place = format!("seed {seed}, {command:?} after {life:?}");
        let text = fs::read_to_string(&settings).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap_or_else(|it| panic!("{place}: {it}"));
        assert!(read["hooks"]["BeforeTool"].is_array(), "{place}: {text}");
        let listed = run(hookloop(&sandbox, &["hooks", "list", "--json"]));
        assert_eq!(listed.code, Some(0), "{place}: {}", listed.stderr);
        assert_eq!(listed.stderr, "", "{place}");
        let again = run(hookloop(&sandbox, command));
        assert_eq!(again.code, Some(0), "{place}: {}", again.stderr);
    }
}
