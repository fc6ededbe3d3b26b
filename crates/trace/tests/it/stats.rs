//! The statistics of the panel.

use std::collections::HashMap;
use std::time::Duration;

use hookloop_engine::{Failure, RunResult, Suppression};
use hookloop_hook::HookId;
use hookloop_trace::HookStats;
use serde_json::json;

use crate::store::Trace;
use crate::support::run;

fn id_of(name: &str) -> HookId {
    HookId::from_text(&format!("id-of-{name}"))
}

fn stats_of(trace: &Trace, name: &str) -> HookStats {
    let id = id_of(name);
    let mut stats = trace.store.stats([&id]).unwrap();
    assert!(stats.keys().all(|key| *key == id), "others were asked for");
    stats.remove(&id).unwrap_or_default()
}

/// CM-1: a hook that never ran has no numbers.
#[test]
fn without_runs_there_are_no_numbers() {
    let trace = Trace::new();
    assert_eq!(
        serde_json::to_value(stats_of(&trace, "a")).unwrap(),
        json!({"runs": 0, "last_run_at": null, "last_result": null, "last_output": null,
            "last_error": null, "p50_ms": null, "p95_ms": null})
    );
}

/// CM-1: runs, last run, last output, last error, and the times.
#[test]
fn runs_are_summed_up() {
    let mut trace = Trace::new();
    for number in 1..=20_u64 {
        let mut one = run("a", &number.to_string());
        one.started_at = format!("2026-01-02T03:04:{number:02}.000Z");
        one.duration = Duration::from_millis(21 - number);
        one.content.stdout = format!("output {number}");
        if number == 5 {
            one.result = RunResult::Failed;
            one.failure = Some(Failure::NotStarted("no such file".to_owned()));
        }
        trace.record(vec![one, run("b", "other")]);
    }
    assert_eq!(
        serde_json::to_value(stats_of(&trace, "a")).unwrap(),
        json!({"runs": 20, "last_run_at": "2026-01-02T03:04:20.000Z", "last_result": "proceed",
            "last_output": "output 20", "last_error": "couldn't start: no such file",
            "p50_ms": 10.0, "p95_ms": 19.0})
    );
}

/// OUT-2: the last output of a hook that suppresses it isn't shown.
#[test]
fn a_suppressed_output_is_not_shown() {
    let mut trace = Trace::new();
    let mut quiet = run("a", "1");
    quiet.content.stdout = "secret".to_owned();
    quiet.suppression = Suppression::Suppressed;
    trace.record(vec![quiet]);
    let stats = stats_of(&trace, "a");
    assert_eq!(stats.runs, 1);
    assert_eq!(stats.last_output, None);
}

/// CM-1: only the beginning of a long output is shown, marked, and never half a character.
#[test]
fn a_long_output_is_shortened() {
    let mut trace = Trace::new();
    let mut chatty = run("a", "1");
    chatty.content.stdout = format!("x{}", "é".repeat(100_000));
    trace.record(vec![chatty]);
    let output = stats_of(&trace, "a").last_output.unwrap();
    assert!(output.len() < 20_000);
    assert!(output.ends_with("é…"));
    let mut zero = run("b", "2");
    zero.content.stdout = "before\0after".to_owned();
    trace.record(vec![zero]);
    let output = stats_of(&trace, "b").last_output.unwrap();
    assert_eq!(output, "before\0after");
}

/// CM-1: the numbers of ten thousand hooks are read in one pass, separately for each.
#[test]
fn many_hooks_are_summed_up_at_once() {
    let mut trace = Trace::new();
    let name = |number: usize| format!("hook-{number}");
    for round in 0..3 {
        let runs = (0..10_000).map(|number| {
            let mut one = run(&name(number), &format!("{round}-{number}"));
            one.duration = Duration::from_micros(number as u64);
            one
        });
        trace.record(runs.collect());
    }
    let ids: Vec<HookId> = (0..10_000).map(|number| id_of(&name(number))).collect();
    let stats: HashMap<HookId, HookStats> = trace.store.stats(&ids).unwrap();
    assert_eq!(stats.len(), 10_000);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(stats[id].runs, 3);
        let shown = stats[id].p50_ms.unwrap();
        assert_eq!(
            Duration::from_secs_f64(shown / 1000.0).as_micros(),
            number as u128
        );
    }
}
