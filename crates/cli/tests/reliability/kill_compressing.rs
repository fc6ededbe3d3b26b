//! `kill -9` while the history is compressed.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::{Sandbox, SeededRng};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::history::tokens;
use crate::script::Script;
use crate::world::{Running, hooks, noted, noting, resume, run, scripted, transcripts};

const ROUNDS: usize = 25;
const TURNS: usize = 4;

/// Holds a conversation that is too long for the next prompt.
fn talked() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..TURNS {
        let prompt = format!("tok-prompt-{number} {}", "word ".repeat(400));
        let script = Script::new().says(&format!("tok-text-{number}"));
        let arguments: &[&str] = match number {
            0 => &["-p", &prompt],
            _ => &["--resume", "latest", "-p", &prompt],
        };
        let finished = run(scripted(&sandbox, &script, arguments));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    sandbox
}

/// Continues: the history is summarised, and then the prompt is answered.
fn going_on(sandbox: &Sandbox) -> Running {
    let note = noting(sandbox, "BeforeModel");
    let mut settings = hooks(&[("BeforeModel", &note)]);
    settings["contextCompression"] = json!({"targetTokenCount": 500});
    sandbox.user_settings(&settings.to_string());
    let script = Script::new().sums_up("tok-summary").says("tok-text-last");
    let arguments = ["--resume", "latest", "-p", "tok-prompt-last"];
    Running::start(scripted(sandbox, &script, &arguments))
}

/// Returns what was lost: the old messages are there, or all of the notes in their place.
fn loss(request: &Value, requests: &[Value]) -> Option<String> {
    let kept = tokens(&request["contents"].to_string());
    let is_kept = |word: &str| kept.contains(word);
    let older =
        (0..TURNS - 1).flat_map(|it| [format!("tok-prompt-{it}"), format!("tok-text-{it}")]);
    let lost: Vec<String> = older.filter(|word| !is_kept(word)).collect();
    if !lost.is_empty() && !is_kept("tok-summary") {
        return Some(format!("lost {lost:?} without notes of it"));
    }
    // The request that a hook last saw is the latest state of the session.
    let latest = requests.last()?;
    let mut seen = tokens(&latest["llm_request"].to_string());
    if !seen.contains("tok-summary") {
        // It was about to be summarised.
        seen.retain(|word| lost.iter().all(|it| it != word));
    }
    let lost: Vec<_> = seen.difference(&kept).collect();
    (!lost.is_empty()).then(|| format!("lost {lost:?}"))
}

/// SE-10, LO-5: a session that is killed while its history is compressed continues with the whole
/// history, or with the notes instead of its older part.
#[test]
fn a_kill_while_compressing_loses_nothing() {
    let seed = SeededRng::fresh_seed();
    let mut seeded_rng = SeededRng::from_seed(seed);
    let sandbox = talked();
    let transcript = transcripts(&sandbox).remove(0);
    let talked = fs::read(&transcript).unwrap();
    let started = Instant::now();
    let whole = going_on(&sandbox).ends();
    let duration = started.elapsed();
    assert!(whole.stdout.contains("tok-text-last"), "{}", whole.stderr);
    assert!(whole.stderr.contains("compressed"), "{}", whole.stderr);
    let mut killed = 0;
    for _ in 0..ROUNDS {
        fs::write(&transcript, &talked).unwrap();
        drop(fs::remove_file(sandbox.root().join("BeforeModel")));
        let life = seeded_rng.time_below(duration + Duration::from_millis(5));
        let mut session = going_on(&sandbox);
        thread::sleep(life);
        killed += usize::from(session.is_running());
        session.signal(Signal::KILL);
        session.ends();
        let requests = noted(&sandbox, "BeforeModel");
        // Continuing doesn't compress anything.
        sandbox.user_settings("{}");
        let resumed = resume(&sandbox, "tok-again");
        let resumed = resumed.unwrap_or_else(|why| panic!("seed {seed}, {life:?}: {why}"));
        if let Some(loss) = loss(&resumed.request, &requests) {
            panic!("seed {seed}, {life:?}: {loss}");
        }
    }
    assert!(killed > 0, "no session was killed");
}
