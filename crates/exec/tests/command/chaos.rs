//! Workers that misbehave in every way, one after another in random order (HT-11): no wrong
//! decision comes out, nothing is left running, and memory stays flat.

use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Completion, Ending, Executor as _, Invocation, StopCause};
use hookloop_hook::Handler;
use hookloop_testkit::{SeededRng, is_process_alive, wait_until};

use crate::support::Stage;

/// A worker that does what the payload says.
const WORKER: &str = r#"
echo $$ >> pids
echo '{"hookloop": 1}'
while read -r line; do
  [[ $line =~ \"id\":\ ?([0-9]+) ]] && id=${BASH_REMATCH[1]} || continue
  [[ $line =~ \"act\":\ ?\"([a-z-]+)\" ]] && act=${BASH_REMATCH[1]} || continue
  no="{\"id\": $id, \"refuse\": \"no $id\"}"
  yes="{\"id\": $id, \"reply\": {\"decision\": \"allow\"}}"
  case $act in
    reply) echo "$yes";;
    silent) echo "{\"id\": $id, \"reply\": {}}";;
    refuse) echo "$no";;
    both) echo "{\"id\": $id, \"reply\": {\"decision\": \"allow\"}, \"refuse\": \"no $id\"}";;
    error) echo "{\"id\": $id, \"error\": \"broke\"}";;
    wrong-id) echo '{"id": 999999, "reply": {"decision": "allow"}}'; echo "$no";;
    half) printf %s "${no:0:9}"; sleep 0.03; echo "${no:9}";;
    noise) for n in {1..30}; do echo "line $n {\"decision\": \"allow\"}"; done; echo "$no";;
    again) echo "$no"; echo "$yes"; echo "$yes";;
    garbage) printf '\377\376{"id"\n'; echo "$no";;
    late-yes) read -r _; echo "$yes";;
    late-no) read -r _; echo "$no";;
    half-no) printf %s "${no%\}}"; sleep 0.3; echo "}";;
    takes-back) echo "$yes"; echo "$no";;
    dies) exit 3;;
    killed) kill -KILL $$;;
    half-dies) printf %s "${yes:0:20}"; exit 0;;
    floods) while :; do echo "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done;;
    endless) tr '\0' x </dev/zero;;
    leaves) sleep 600 & echo $! >> pids; exit 4;;
    hangs) sleep 600;;
  esac
done
"#;

/// The result of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Allowed,
    Silent,
    Refused,
    Failed,
    Stopped,
}

/// An act, its expected result, and whether the worker is relied on afterwards.
#[derive(Clone, Copy)]
struct Act {
    name: &'static str,
    outcome: Outcome,
    /// Whether it is withdrawn while the worker is busy with it.
    is_stopped: bool,
    breaks: bool,
}

const fn act(name: &'static str, outcome: Outcome) -> Act {
    Act {
        name,
        outcome,
        is_stopped: false,
        breaks: false,
    }
}

const fn breaking(name: &'static str, outcome: Outcome) -> Act {
    Act {
        breaks: true,
        ..act(name, outcome)
    }
}

const fn stopped(act: Act) -> Act {
    Act {
        is_stopped: true,
        ..act
    }
}

const ACTS: [Act; 21] = [
    act("reply", Outcome::Allowed),
    act("silent", Outcome::Silent),
    act("refuse", Outcome::Refused),
    act("both", Outcome::Refused),
    act("error", Outcome::Failed),
    act("wrong-id", Outcome::Refused),
    act("half", Outcome::Refused),
    act("noise", Outcome::Refused),
    act("again", Outcome::Refused),
    act("garbage", Outcome::Refused),
    stopped(act("late-yes", Outcome::Stopped)),
    stopped(act("late-no", Outcome::Refused)),
    stopped(act("half-no", Outcome::Refused)),
    breaking("takes-back", Outcome::Allowed),
    breaking("dies", Outcome::Failed),
    breaking("killed", Outcome::Failed),
    breaking("half-dies", Outcome::Failed),
    breaking("floods", Outcome::Failed),
    breaking("endless", Outcome::Failed),
    breaking("leaves", Outcome::Failed),
    stopped(breaking("hangs", Outcome::Stopped)),
];

fn invocation(stage: &Stage, act: &Act) -> Invocation {
    let mut invocation = stage.invocation("");
    Arc::make_mut(&mut invocation.hook).handler = Handler::Worker {
        command: "bash".to_owned(),
        args: Some(vec!["-c".to_owned(), WORKER.to_owned()]),
        idle: Duration::from_mins(1),
    };
    invocation.input = format!(r#"{{"act": "{}"}}"#, act.name).as_str().into();
    invocation
}

fn outcome(completion: &Completion) -> Outcome {
    match &completion.ending {
        // Whoever reads it counts what is cut as a failure (IO-17).
        Ending::Exited(0) if completion.stdout.is_cut() => Outcome::Failed,
        Ending::Exited(0) if completion.stdout.bytes == b"{}" => Outcome::Silent,
        Ending::Exited(0) => Outcome::Allowed,
        Ending::Exited(2) => Outcome::Refused,
        Ending::Stopped => Outcome::Stopped,
        _ => Outcome::Failed,
    }
}

/// HT-11, HT-10: whatever a worker does, and whatever it did before, each event gets exactly what
/// was said about it; what was said too late or unasked decides nothing; and nothing is left
/// running.
#[tokio::test]
async fn no_order_of_misdeeds_decides_wrongly() {
    let seed = SeededRng::fresh_seed();
    let mut seeded_rng = SeededRng::from_seed(seed);
    // Each misdeed has its turn, in random order.
    let mut order: Vec<usize> = (0..ACTS.len()).chain(0..ACTS.len()).collect();
    for last in (1..order.len()).rev() {
        let bound = u64::try_from(last + 1).unwrap();
        order.swap(last, usize::try_from(seeded_rng.below(bound)).unwrap());
    }
    // Whatever came last is followed by something.
    order.push(0);
    let stage = Stage::new();
    let mut executor = stage.executor();
    let mut broken = 0;
    let mut memory = None;
    let (mut told, mut takes_back) = (Vec::new(), false);
    for (turn, act) in order.into_iter().map(|it| &ACTS[it]).enumerate() {
        // Restarts are bounded; that is another test's.
        if act.breaks {
            broken += 1;
        }
        // What is said too late is reported with what comes next.
        if broken >= 4 && !takes_back {
            executor = stage.executor();
            broken = 1;
        }
        let invocation = invocation(&stage, act);
        let stop = invocation.stop.clone();
        let is_stopped = act.is_stopped;
        let (completion, ()) = tokio::join!(executor.execute(invocation), async {
            if is_stopped {
                tokio::time::sleep(Duration::from_millis(150)).await;
                stop.stop(StopCause::Cancelled);
            }
        });
        let got = outcome(&completion);
        // A worker that refuses what was already decided is ended, and with it what it was asked
        // next (HT-11).
        let is_ended = std::mem::replace(&mut takes_back, act.name == "takes-back");
        if is_ended && got == Outcome::Failed {
            told.push(String::from_utf8_lossy(&completion.stderr.bytes).into_owned());
            // One that broke too often isn't restarted; what the last one said comes with that.
            told.extend(completion.remarks);
            continue;
        }
        assert_eq!(
            got, act.outcome,
            "{}, turn {turn}, seed {seed}: {completion:?}",
            act.name
        );
        if got == Outcome::Refused {
            let said = String::from_utf8_lossy(&completion.stderr.bytes).into_owned();
            assert!(said.starts_with("no "), "{}, seed {seed}: {said}", act.name);
        }
        told.extend(completion.remarks);
        if turn == ACTS.len() {
            memory = kept();
        }
    }
    assert!(
        told.iter().any(|it| it.contains("refusal is lost")),
        "seed {seed}: {told:?}"
    );
    if let (Some(before), Some(after)) = (memory, kept()) {
        assert!(
            after < before + 32 * 1024 * 1024,
            "seed {seed}: {before}, then {after}"
        );
    }
    drop(executor);
    let pids = String::from_utf8(stage.read("pids")).unwrap();
    tokio::task::spawn_blocking(move || {
        for process in pids.lines().map(|it| it.trim().parse().unwrap()) {
            wait_until("the worker is gone", || !is_process_alive(process));
        }
    })
    .await
    .unwrap();
}

/// Returns how much memory this process uses, in bytes, if that can be seen.
fn kept() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|it| it.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
